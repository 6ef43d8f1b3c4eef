/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pods ask for: tables, and random pods against the rules written down plainly.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/pod_requests.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "kube/decode.h"
#include "kube/resource_list.h"
#include "unity.h"

enum {
	ARENA_SIZE = 4 << 20,
	STORE_SIZE = 1 << 20,
	SCRATCH_SIZE = 4 << 20,
	STRINGS = 4096,
	JSON_SIZE = 256 << 10
};

static struct arena arena;
static struct store bytes;
static struct intern strings;
static struct scratch scratch;
static struct kube_build build;
static char json[JSON_SIZE];
static uint8_t *arena_block;
static uint8_t *store_block;
static uint8_t *scratch_block;

void setUp(void)
{
	memory_unseal();
	arena_block = memory_reserve(ARENA_SIZE);
	store_block = memory_reserve(STORE_SIZE);
	scratch_block = memory_reserve(SCRATCH_SIZE);
	arena_init(&arena, arena_block, ARENA_SIZE);
	store_init(&bytes, "strings", store_block, STORE_SIZE);
	intern_init(&strings, &arena, &bytes, STRINGS);
	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	kube_build_init(&build, &strings, &scratch);
}

void tearDown(void)
{
	memory_release(arena_block, ARENA_SIZE);
	memory_release(store_block, STORE_SIZE);
	memory_release(scratch_block, SCRATCH_SIZE);
}

/* The pod in `json`, decoded into a class with so much scratch; NULL when it was refused. */
static struct kube_pod_class *decoded(size_t scratch_left)
{
	struct json_value pod;
	struct text piece = { json, strlen(json) };

	scratch_init(&scratch, scratch_block, SCRATCH_SIZE);
	TEST_ASSERT_EQUAL_INT_MESSAGE(JSON_PARSED, json_parse(piece, &scratch, &pod), json);
	if (scratch_left < scratch.size - scratch.used)
		scratch.size = scratch.used + scratch_left;
	kube_decode_begin(&build);
	struct kube_pod_class *class = kube_build_start(&build, sizeof(*class));
	if (class != NULL)
		kube_pod_requests(&build, pod, class);
	return (struct kube_pod_class *)(void *)kube_build_finish(&build);
}

static void set_json(const char *text)
{
	/* single quotes are easier to write in C */
	size_t i = 0;

	for (; text[i] != '\0'; i++) {
		TEST_ASSERT_LESS_THAN(JSON_SIZE - 1, i);
		json[i] = text[i] == '\'' ? '"' : text[i];
	}
	json[i] = '\0';
}

/* "cpu 100 memory 5 storage 0 (cpu memory) example.com/gpu 2!" with "!" for extended. */
static void show(const struct kube_blob *blob, const struct kube_resources *r, struct writer *out)
{
	static const char *const names[] = { " cpu", " memory", " storage" };
	const struct kube_scalar *scalars = KUBE_AT(blob, r->scalars, struct kube_scalar);

	write_format(out, "%" PRId64 " %" PRId64 " %" PRId64, r->cpu_milli, r->memory_bytes,
	    r->storage_bytes);
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		if (r->names & 1u << i)
			write_z(out, names[i]);
	for (uint32_t i = 0; i < r->scalars.count; i++) {
		write_char(out, ' ');
		write_text(out, intern_text(&strings, scalars[i].name));
		write_format(out, "=%" PRId64 "%s", scalars[i].value,
		    scalars[i].is_extended ? "!" : "");
		TEST_ASSERT_TRUE(i == 0 || scalars[i - 1].name < scalars[i].name);
	}
}

static const char *shown(const struct kube_pod_class *class)
{
	static char text[4096];
	struct writer out;

	TEST_ASSERT_NOT_NULL(class);
	writer_init(&out, text, sizeof(text) - 1);
	write_z(&out, "fit ");
	show(&class->blob, &class->fit, &out);
	write_z(&out, "; used ");
	show(&class->blob, &class->used, &out);
	write_z(&out, "; score ");
	show(&class->blob, &class->score, &out);
	write_format(&out, "; nonzero %" PRId64 " %" PRId64, class->used_nonzero_cpu_milli,
	    class->used_nonzero_memory_bytes);
	TEST_ASSERT_FALSE(out.overflowed);
	text[out.used] = '\0';
	return text;
}

static void check(const char *pod, const char *expected)
{
	set_json(pod);
	struct kube_pod_class *class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, shown(class), pod);
	kube_blob_drop(&class->blob, &strings);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
}

/* ---- tables ---- */

static void test_containers(void)
{
	check("{'spec':{'containers':[{'name':'a'}]}}",
	    "fit 0 0 0; used 0 0 0; score 100 209715200 0 cpu memory; nonzero 100 209715200");
	check("{'spec':{}}", "fit 0 0 0; used 0 0 0; score 0 0 0; nonzero 0 0");
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'250m','memory':'64Mi'}}}]}}",
	    "fit 250 67108864 0 cpu memory; used 250 67108864 0 cpu memory; "
	    "score 250 67108864 0 cpu memory; nonzero 250 67108864");
	/* an explicit 0 stays */
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'0','memory':null}}}]}}",
	    "fit 0 0 0 cpu memory; used 0 0 0 cpu memory; score 0 0 0 cpu memory; nonzero 0 0");
	/* rounded once, at the end */
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'0.1m','memory':'0.4'}}},"
	      "{'resources':{'requests':{'cpu':'0.2m','memory':'0.4','ephemeral-storage':1.5}}}]}}",
	    "fit 1 1 2 cpu memory storage; used 1 1 2 cpu memory storage; "
	    "score 1 1 2 cpu memory storage; nonzero 1 1");
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':1}}},"
	      "{'resources':{'requests':{'memory':' 5 '}}}]}}",
	    "fit 1000 5 0 cpu memory; used 1000 5 0 cpu memory; "
	    "score 1100 209715205 0 cpu memory; nonzero 1100 209715205");
	/* limits do not count */
	check("{'spec':{'containers':[{'resources':{'limits':{'cpu':'7'},'requests':null}}]}}",
	    "fit 0 0 0; used 0 0 0; score 100 209715200 0 cpu memory; nonzero 100 209715200");
}

static void test_init_containers_and_sidecars(void)
{
	/* the largest moment, for each resource by itself */
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'2','memory':'1'}}}],"
	      "'initContainers':[{'resources':{'requests':{'cpu':'1','memory':'5'}}},"
	      "{'resources':{'requests':{'cpu':'3','memory':'4'}}}]}}",
	    "fit 3000 5 0 cpu memory; used 3000 5 0 cpu memory; "
	    "score 3000 5 0 cpu memory; nonzero 3000 5");
	/* an init container runs beside the sidecars before it, not those behind */
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','memory':'1'}}}],"
	      "'initContainers':["
	      "{'restartPolicy':'Always','resources':{'requests':{'cpu':'2','memory':'1'}}},"
	      "{'resources':{'requests':{'cpu':'5','memory':'1'}}},"
	      "{'restartPolicy':'Always','resources':{'requests':{'cpu':'3','memory':'1'}}}]}}",
	    "fit 7000 3 0 cpu memory; used 7000 3 0 cpu memory; "
	    "score 7000 3 0 cpu memory; nonzero 7000 3");
	/* restartPolicy of ordinary containers does not make a sidecar */
	check("{'spec':{'containers':[{'restartPolicy':'Always',"
	      "'resources':{'requests':{'cpu':'1','memory':'1'}}}],'initContainers':["
	      "{'restartPolicy':'Never','resources':{'requests':{'cpu':'2','memory':'2'}}}]}}",
	    "fit 2000 2 0 cpu memory; used 2000 2 0 cpu memory; "
	    "score 2000 2 0 cpu memory; nonzero 2000 2");
}

static void test_overhead_and_pod_level(void)
{
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','memory':'1'}}}],"
	      "'overhead':{'cpu':'250m','memory':'1','example.com/dongle':'1'}}}",
	    "fit 1250 2 0 cpu memory example.com/dongle=1!; "
	    "used 1250 2 0 cpu memory example.com/dongle=1!; "
	    "score 1250 2 0 cpu memory example.com/dongle=1!; nonzero 1250 2");
	/* the pod's own replace the sum, but not for the score; nothing is filled in for them */
	check("{'spec':{'resources':{'requests':{'cpu':'5','ephemeral-storage':'9',"
	      "'hugepages-2Mi':'4Mi','example.com/gpu':'3'}},"
	      "'containers':[{'resources':{'requests':{'cpu':'1','hugepages-2Mi':'2Mi'}}}],"
	      "'overhead':{'cpu':'1'}}}",
	    "fit 6000 0 0 cpu hugepages-2Mi=4194304; used 6000 0 0 cpu hugepages-2Mi=4194304; "
	    "score 2000 209715200 0 cpu memory hugepages-2Mi=2097152; nonzero 6000 209715200");
	/* all there: nothing to fill in */
	check("{'spec':{'resources':{'requests':{'cpu':'5'}},'containers':["
	      "{'resources':{'requests':{'memory':'1'}}},{}]}}",
	    "fit 5000 1 0 cpu memory; used 5000 1 0 cpu memory; "
	    "score 200 209715201 0 cpu memory; nonzero 5000 1");
	/* only names that count at the pod level make it one */
	check("{'spec':{'resources':{'requests':{'example.com/gpu':'5'},'limits':{'cpu':'5'}},"
	      "'containers':[{'resources':{'requests':{'memory':'1'}}}]}}",
	    "fit 0 1 0 memory; used 0 1 0 memory; score 100 1 0 cpu memory; nonzero 100 1");
}

static void test_status(void)
{
	/* the largest of the three */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}}]},"
	      "'status':{'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'1',"
	      "'memory':'3'}},'allocatedResources':{'cpu':'3','memory':'1'}}]}}",
	    "fit 2000 2 0 cpu memory; used 3000 3 0 cpu memory; "
	    "score 2000 2 0 cpu memory; nonzero 3000 3");
	/* without `resources` the status does not count; empty ones are enough */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}}]},"
	      "'status':{'containerStatuses':[{'name':'a','allocatedResources':{'cpu':'3'}}]}}",
	    "fit 2000 2 0 cpu memory; used 2000 2 0 cpu memory; "
	    "score 2000 2 0 cpu memory; nonzero 2000 2");
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}}]},"
	      "'status':{'containerStatuses':[{'name':'a','resources':{},"
	      "'allocatedResources':{'cpu':'3'}}]}}",
	    "fit 2000 2 0 cpu memory; used 3000 2 0 cpu memory; "
	    "score 2000 2 0 cpu memory; nonzero 3000 2");
	/* infeasible: what is there, not what is wanted; missing ones are filled in */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'9','memory':'9'}}},"
	      "{'name':'b','resources':{'requests':{'cpu':'1','memory':'1'}}}]},"
	      "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'},"
	      "{'type':'PodResizePending','reason':'Deferred'}],"
	      "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'2'}}}]}}",
	    "fit 10000 10 0 cpu memory; used 3000 1 0 cpu memory; "
	    "score 10000 10 0 cpu memory; nonzero 3000 209715201");
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'9','memory':'9'}}}]},"
	      "'status':{'conditions':[{'type':'Ready'},{'type':'PodResizePending','reason':'Deferred'},"
	      "{'type':'PodResizePending','reason':'Infeasible'}],"
	      "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'2'}}}]}}",
	    "fit 9000 9 0 cpu memory; used 9000 9 0 cpu memory; "
	    "score 9000 9 0 cpu memory; nonzero 9000 9");
	/* sidecars yes, init containers no; of two statuses with one name the later list wins */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1','memory':'1'}}}],"
	      "'initContainers':[{'name':'s','restartPolicy':'Always',"
	      "'resources':{'requests':{'cpu':'1','memory':'1'}}},"
	      "{'name':'i','resources':{'requests':{'cpu':'1','memory':'1'}}}]},"
	      "'status':{'containerStatuses':[{'name':'s','resources':{'requests':{'cpu':'50'}}}],"
	      "'initContainerStatuses':[{'name':'s','resources':{'requests':{'cpu':'2'}}},"
	      "{'name':'i','resources':{'requests':{'cpu':'50'}}}]}}",
	    "fit 2000 2 0 cpu memory; used 3000 2 0 cpu memory; "
	    "score 2000 2 0 cpu memory; nonzero 3000 2");
}

static void test_status_of_the_whole_pod(void)
{
	check("{'spec':{'resources':{'requests':{'cpu':'2','memory':'2'}},'containers':[{}]},"
	      "'status':{'resources':{'requests':{'cpu':'3'}},'allocatedResources':{'cpu':'4',"
	      "'hugepages-2Mi':'2Mi'}}}",
	    "fit 2000 2 0 cpu memory; used 4000 2 0 cpu memory; "
	    "score 100 209715200 0 cpu memory; nonzero 4000 2");
	check("{'spec':{'resources':{'requests':{'cpu':'2','memory':'2'}},'containers':[{}]},"
	      "'status':{'allocatedResources':{'cpu':'4'}}}",
	    "fit 2000 2 0 cpu memory; used 2000 2 0 cpu memory; "
	    "score 100 209715200 0 cpu memory; nonzero 2000 2");
	check("{'spec':{'resources':{'requests':{'cpu':'2','memory':'2'}},'containers':[{}]},"
	      "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],"
	      "'resources':{'requests':{'cpu':'1'}}}}",
	    "fit 2000 2 0 cpu memory; used 1000 0 0 cpu memory; "
	    "score 100 209715200 0 cpu memory; nonzero 1000 0");
}

static void test_tracked_names(void)
{
	static const struct {
		const char *name;
		bool tracked;
		bool extended;
	} rows[] = {
		{ "example.com/gpu", true, true },
		{ "a/b", true, true },
		{ "gpu", false, false },
		{ "", false, false },
		{ "hugepages-2Mi", true, false },
		{ "hugepages-", true, false },
		{ "attachable-volumes-aws-ebs", true, false },
		{ "kubernetes.io/batch-cpu", true, false },
		{ "my.kubernetes.io/x", true, false },
		{ "kubernetes.io", false, false },
		{ "requests.example.com/gpu", false, false },
		{ "example.com/gpu/2", false, false },
		{ "example.com/", false, false },
		{ "/gpu", false, false },
		{ "Example.com/gpu", false, false },
		{ "example.com/gpu-", false, false },
		{ "hugepages-a/b", true, true },
		{ "attachable-volumes-_/b", true, false },
	};
	bool extended;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].tracked,
		    kube_resource_is_tracked(text_of(rows[i].name), &extended), rows[i].name);
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].extended, extended, rows[i].name);
	}
	/* the prefix may have 253 bytes with "requests." before it, the name 63 */
	for (size_t prefix = 243; prefix <= 246; prefix++)
		for (size_t size = 62; size <= 65; size++) {
			char name[400];

			memset(name, 'a', sizeof(name));
			name[prefix] = '/';
			bool tracked = kube_resource_is_tracked(
			    (struct text){ name, prefix + 1 + size }, &extended);
			TEST_ASSERT_EQUAL(prefix <= 244 && size <= 63, tracked);
			TEST_ASSERT_EQUAL(tracked, extended);
		}
}

static void test_scalars_of_value_0_are_kept(void)
{
	check("{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','memory':'1',"
	      "'example.com/b':'0','unknown':'7','pods':'3','example.com/a':'1500m'}}}]}}",
	    "fit 1000 1 0 cpu memory example.com/b=0! example.com/a=2!; "
	    "used 1000 1 0 cpu memory example.com/b=0! example.com/a=2!; "
	    "score 1000 1 0 cpu memory example.com/b=0! example.com/a=2!; nonzero 1000 1");
}

static void test_mentioned(void)
{
	static const char *const expected[] = { "cpu", "memory", "unknown", "example.com/a" };
	uint32_t id;

	set_json("{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','unknown':'1'}}}],"
	         "'initContainers':[{'resources':{'limits':{'memory':'1','example.com/a':'1'}}}],"
	         "'overhead':{'example.com/b':'1'}}}");
	struct kube_pod_class *class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_NOT_NULL(class);
	TEST_ASSERT_EQUAL_UINT32(ARRAY_COUNT(expected), class->mentioned.count);
	const uint32_t *ids = KUBE_AT(class, class->mentioned, uint32_t);
	for (size_t i = 0; i < ARRAY_COUNT(expected); i++) {
		bool found = false;

		TEST_ASSERT_TRUE(intern_find(&strings, text_of(expected[i]), &id));
		for (uint32_t k = 0; k < class->mentioned.count; k++)
			found |= ids[k] == id;
		TEST_ASSERT_TRUE_MESSAGE(found, expected[i]);
		TEST_ASSERT_TRUE(i == 0 || ids[i - 1] < ids[i]);
	}
}

static void test_malformed(void)
{
	static const struct {
		const char *pod;
		const char *field;
	} rows[] = {
		{ "{'spec':{'containers':[{'resources':{'requests':{'cpu':'1x'}}}]}}",
		    "spec.containers.resources.requests" },
		{ "{'spec':{'containers':[{'resources':{'requests':{'unknown':true}}}]}}",
		    "spec.containers.resources.requests" },
		{ "{'spec':{'containers':[{'resources':{'requests':{'cpu':{}}}}]}}",
		    "spec.containers.resources.requests" },
		{ "{'spec':{'containers':[{'resources':{'requests':['1']}}]}}",
		    "spec.containers.resources.requests" },
		{ "{'spec':{'initContainers':[{'resources':{'requests':{'memory':'1e999'}}}]}}",
		    "spec.initContainers.resources.requests" },
		{ "{'spec':{'containers':[7]}}", "spec.containers.resources" },
		{ "{'spec':{'overhead':{'cpu':''}}}", "spec.overhead" },
		{ "{'spec':{'resources':{'requests':{'cpu':'-'}}},'status':{'resources':7}}",
		    "status.resources" },
		{ "{'spec':{'resources':{'requests':{'cpu':'m.'}}}}", "spec.resources.requests" },
		{ "{'spec':{'containers':[{'name':'a'}]},'status':{'containerStatuses':"
		  "[{'name':'a','resources':{'requests':{'cpu':'x'}}}]}}",
		    "status.containerStatuses.resources" },
		{ "{'spec':7}", "spec" },
		{ "{'status':7}", "status" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		set_json(rows[i].pod);
		TEST_ASSERT_NULL_MESSAGE(decoded(SCRATCH_SIZE), rows[i].pod);
		TEST_ASSERT_EQUAL_INT(KUBE_MALFORMED, build.result);
		TEST_ASSERT_EQUAL_STRING(rows[i].field, build.fault_field);
		TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
	}
}

/* ---- bounds ---- */

static void append(size_t *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int size = vsnprintf(json + *at, JSON_SIZE - *at, format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size > 0 && (size_t)size < JSON_SIZE - *at);
	*at += (size_t)size;
}

static void many_containers(int count)
{
	size_t at = 0;

	append(&at, "{\"spec\":{\"containers\":[");
	for (int i = 0; i < count; i++)
		append(&at, "%s{\"resources\":{\"requests\":{\"memory\":\"1e101\",\"cpu\":\"1n\"}}}",
		    i > 0 ? "," : "");
	append(&at, "]}}");
}

static void many_names(int count)
{
	size_t at = 0;

	append(&at, "{\"spec\":{\"containers\":[{\"resources\":{\"requests\":{");
	for (int i = 0; i < count; i++)
		append(&at, "%s\"example.com/%d\":\"1\"", i > 0 ? "," : "", i);
	append(&at, "}}}]}}");
}

static void test_bounds(void)
{
	many_containers(KUBE_POD_CONTAINERS_MAX);
	struct kube_pod_class *class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_NOT_NULL(class);
	TEST_ASSERT_EQUAL_INT64(1, class->fit.cpu_milli);
	kube_blob_drop(&class->blob, &strings);

	many_containers(KUBE_POD_CONTAINERS_MAX + 1);
	TEST_ASSERT_NULL(decoded(SCRATCH_SIZE));
	TEST_ASSERT_EQUAL_INT(KUBE_MALFORMED, build.result);

	many_names(KUBE_RESOURCE_NAMES_MAX - RESOURCE_FIXED);
	class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_NOT_NULL(class);
	TEST_ASSERT_EQUAL_UINT32(KUBE_RESOURCE_NAMES_MAX - RESOURCE_FIXED,
	    class->fit.scalars.count);
	kube_blob_drop(&class->blob, &strings);

	many_names(KUBE_RESOURCE_NAMES_MAX - RESOURCE_FIXED + 1);
	TEST_ASSERT_NULL(decoded(SCRATCH_SIZE));
	TEST_ASSERT_EQUAL_INT(KUBE_MALFORMED, build.result);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
}

/* With any amount of scratch the answer is the right one or KUBE_FULL. */
static void test_every_amount_of_scratch(void)
{
	int full = 0;

	for (size_t more = 0; more < 16384; more += 64) {
		set_json("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2',"
		         "'example.com/gpu':'2'}}}],'initContainers':[{'restartPolicy':'Always'},{}],"
		         "'resources':{'requests':{'memory':'1Gi'}},'overhead':{'cpu':'1'}},"
		         "'status':{'containerStatuses':[{'name':'a','resources':{'requests':"
		         "{'cpu':'3'}}}]}}");
		struct kube_pod_class *class = decoded(more);
		if (class == NULL) {
			TEST_ASSERT_EQUAL_INT(KUBE_FULL, build.result);
			full++;
		} else {
			TEST_ASSERT_EQUAL_INT64(4000, class->used.cpu_milli);
			kube_blob_drop(&class->blob, &strings);
		}
		TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
	}
	TEST_ASSERT_GREATER_THAN(20, full);
	TEST_ASSERT_LESS_THAN(256, full);
}

/* ---- nodes ---- */

static void test_resource_list_of_a_node(void)
{
	struct json_value map;
	struct kube_resources *r;
	struct holder {
		struct kube_blob blob;
		struct kube_resources resources;
	} *holder;
	char text[512];
	struct writer out;

	set_json("{'cpu':'3920m','memory':'16Gi','pods':'110','ephemeral-storage':'100G','gpu':'1',"
	         "'hugepages-2Mi':'0','example.com/gpu':'8','cpu':'4'}");
	TEST_ASSERT_EQUAL_INT(JSON_PARSED,
	    json_parse((struct text){ json, strlen(json) }, &scratch, &map));
	kube_decode_begin(&build);
	holder = kube_build_start(&build, sizeof(*holder));
	r = &holder->resources;
	kube_resource_list(&build, map, "status.allocatable", r);
	writer_init(&out, text, sizeof(text) - 1);
	show(&holder->blob, r, &out);
	text[out.used] = '\0';
	TEST_ASSERT_EQUAL_STRING("4000 17179869184 100000000000 cpu memory storage "
	                         "hugepages-2Mi=0 example.com/gpu=8!", text);
	TEST_ASSERT_EQUAL_INT64(110, r->pods);
	TEST_ASSERT_NOT_NULL(kube_build_finish(&build));

	set_json("{'cpu':'x'}");
	TEST_ASSERT_EQUAL_INT(JSON_PARSED,
	    json_parse((struct text){ json, strlen(json) }, &scratch, &map));
	kube_decode_begin(&build);
	holder = kube_build_start(&build, sizeof(*holder));
	kube_resource_list(&build, map, "status.allocatable", &holder->resources);
	TEST_ASSERT_NULL(kube_build_finish(&build));
	TEST_ASSERT_EQUAL_STRING("status.allocatable", build.fault_field);
}

/* ---- the rules, plainly ---- */

enum { KINDS = 4, CONTAINERS = 3 };

static const char *const kind_names[KINDS] = { "cpu", "memory", "hugepages-2Mi", "example.com/x" };

struct amounts { /* -1: not there; cpu in thousandths */
	int64_t of[KINDS];
};

struct plain_container {
	struct amounts asked, actual, allocated;
	bool sidecar, has_status;
};

struct plain_pod {
	struct plain_container main[CONTAINERS], init[CONTAINERS];
	int mains, inits;
	struct amounts pod, overhead, pod_actual, pod_allocated;
	bool has_pod_status, infeasible;
};

static uint64_t random_state = 0x2545f4914f6cdd1du;

static uint32_t random_below(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32) % below;
}

static struct amounts nothing(void)
{
	return (struct amounts){ { -1, -1, -1, -1 } };
}

static struct amounts random_amounts(uint32_t likely)
{
	struct amounts a = nothing();

	for (int k = 0; k < KINDS; k++)
		if (random_below(10) < likely)
			a.of[k] = random_below(4) == 0 ? 0 : (int64_t)random_below(5000);
	return a;
}

static struct amounts plus(struct amounts a, struct amounts b)
{
	for (int k = 0; k < KINDS; k++)
		if (b.of[k] >= 0)
			a.of[k] = a.of[k] < 0 ? b.of[k] : a.of[k] + b.of[k];
	return a;
}

static struct amounts larger(struct amounts a, struct amounts b)
{
	for (int k = 0; k < KINDS; k++)
		if (b.of[k] > a.of[k])
			a.of[k] = b.of[k];
	return a;
}

static struct amounts of_container(const struct plain_pod *pod, const struct plain_container *c,
    bool init, bool status, uint32_t defaults)
{
	struct amounts a = c->asked;

	if (status && c->has_status && (!init || c->sidecar)) {
		a = larger(c->actual, c->allocated);
		if (!pod->infeasible)
			a = larger(a, c->asked);
	}
	if (a.of[0] < 0 && (defaults & 1))
		a.of[0] = 100;
	if (a.of[1] < 0 && (defaults & 2))
		a.of[1] = INT64_C(200) * 1024 * 1024;
	return a;
}

static bool has_pod_level(const struct plain_pod *pod)
{
	return pod->pod.of[0] >= 0 || pod->pod.of[1] >= 0 || pod->pod.of[2] >= 0;
}

static struct amounts plain_sum(const struct plain_pod *pod, bool status, bool pod_level,
    uint32_t defaults)
{
	struct amounts sum = nothing(), sidecars = nothing(), peak = nothing();

	for (int i = 0; i < pod->mains; i++)
		sum = plus(sum, of_container(pod, &pod->main[i], false, status, defaults));
	for (int i = 0; i < pod->inits; i++) {
		struct amounts r = of_container(pod, &pod->init[i], true, status, defaults);

		if (pod->init[i].sidecar) {
			sum = plus(sum, r);
			sidecars = plus(sidecars, r);
			peak = larger(peak, sidecars);
		} else {
			peak = larger(peak, plus(r, sidecars));
		}
	}
	sum = larger(sum, peak);
	for (int k = 0; k < 3 && pod_level; k++) {
		int64_t amount = pod->pod.of[k];

		if (amount < 0)
			continue;
		if (status && pod->has_pod_status) {
			if (pod->infeasible)
				amount = 0;
			amount = amount > pod->pod_actual.of[k] ? amount : pod->pod_actual.of[k];
			amount = amount > pod->pod_allocated.of[k] ? amount : pod->pod_allocated.of[k];
		}
		sum.of[k] = amount;
	}
	return plus(sum, pod->overhead);
}

static void append_amounts(size_t *at, const char *key, struct amounts a)
{
	const char *comma = "";

	append(at, "\"%s\":{", key);
	for (int k = 0; k < KINDS; k++) {
		if (a.of[k] < 0)
			continue;
		append(at, "%s\"%s\":\"%" PRId64 "%s\"", comma, kind_names[k], a.of[k],
		    k == 0 ? "m" : "");
		comma = ",";
	}
	append(at, "}");
}

static void append_containers(size_t *at, const char *key, const struct plain_container *c, int count)
{
	append(at, "\"%s\":[", key);
	for (int i = 0; i < count; i++) {
		append(at, "%s{\"name\":\"%c%d\",%s\"resources\":{", i > 0 ? "," : "", key[0], i,
		    c[i].sidecar ? "\"restartPolicy\":\"Always\"," : "");
		append_amounts(at, "requests", c[i].asked);
		append(at, "}}");
	}
	append(at, "]");
}

static void append_statuses(size_t *at, const char *key, const struct plain_container *c, int count)
{
	append(at, "\"%sStatuses\":[", key);
	for (int i = 0; i < count; i++) {
		append(at, "%s{\"name\":\"%c%d\"", i > 0 ? "," : "", key[0], i);
		if (c[i].has_status) {
			append(at, ",\"resources\":{");
			append_amounts(at, "requests", c[i].actual);
			append(at, "}");
		}
		append(at, ",");
		append_amounts(at, "allocatedResources", c[i].allocated);
		append(at, "}");
	}
	append(at, "]");
}

static void write_pod(const struct plain_pod *pod)
{
	size_t at = 0;

	append(&at, "{\"spec\":{");
	append_containers(&at, "containers", pod->main, pod->mains);
	append(&at, ",");
	append_containers(&at, "initContainers", pod->init, pod->inits);
	append(&at, ",");
	append_amounts(&at, "overhead", pod->overhead);
	append(&at, ",\"resources\":{");
	append_amounts(&at, "requests", pod->pod);
	append(&at, "}},\"status\":{");
	append_statuses(&at, "container", pod->main, pod->mains);
	append(&at, ",");
	append_statuses(&at, "initContainer", pod->init, pod->inits);
	append(&at, ",");
	append_amounts(&at, "allocatedResources", pod->pod_allocated);
	if (pod->has_pod_status) {
		append(&at, ",\"resources\":{");
		append_amounts(&at, "requests", pod->pod_actual);
		append(&at, "}");
	}
	append(&at, ",\"conditions\":[{\"type\":\"PodResizePending\",\"reason\":\"%s\"}]}}",
	    pod->infeasible ? "Infeasible" : "Deferred");
}

static struct plain_pod random_pod(void)
{
	struct plain_pod pod = {
		.mains = (int)random_below(CONTAINERS + 1),
		.inits = (int)random_below(2) * (int)random_below(CONTAINERS + 1),
		.pod = nothing(),
		.overhead = nothing(),
		.pod_actual = random_amounts(4),
		.pod_allocated = random_amounts(4),
		.has_pod_status = random_below(2) == 0,
		.infeasible = random_below(4) == 0,
	};
	bool status = random_below(2) == 0;

	if (random_below(3) == 0)
		pod.overhead = random_amounts(4);
	if (random_below(3) == 0)
		pod.pod = random_amounts(5);
	for (int i = 0; i < 2 * CONTAINERS; i++) {
		struct plain_container *c = i < CONTAINERS ? &pod.main[i] : &pod.init[i - CONTAINERS];

		c->asked = random_amounts(7);
		c->actual = random_amounts(5);
		c->allocated = random_amounts(5);
		c->has_status = status && random_below(4) != 0;
		c->sidecar = i >= CONTAINERS && random_below(2) == 0;
	}
	return pod;
}

static void check_resources(const struct kube_blob *blob, const struct kube_resources *r,
    struct amounts expected)
{
	int scalars = 0;

	TEST_ASSERT_EQUAL_INT64_MESSAGE(expected.of[0] < 0 ? 0 : expected.of[0], r->cpu_milli, json);
	TEST_ASSERT_EQUAL_INT64_MESSAGE(expected.of[1] < 0 ? 0 : expected.of[1], r->memory_bytes,
	    json);
	TEST_ASSERT_EQUAL_UINT32((expected.of[0] >= 0) | (expected.of[1] >= 0) << 1, r->names);
	for (int k = 2; k < KINDS; k++) {
		const struct kube_scalar *at = KUBE_AT(blob, r->scalars, struct kube_scalar);
		uint32_t id = 0;

		if (expected.of[k] < 0)
			continue;
		TEST_ASSERT_TRUE(intern_find(&strings, text_of(kind_names[k]), &id));
		uint32_t i = 0;
		while (i < r->scalars.count && at[i].name != id)
			i++;
		TEST_ASSERT_LESS_THAN_UINT32_MESSAGE(r->scalars.count, i, json);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(expected.of[k], at[i].value, json);
		scalars++;
	}
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(scalars, r->scalars.count, json);
}

static void test_random_pods_against_the_rules(void)
{
	for (int round = 0; round < 20000; round++) {
		struct plain_pod pod = random_pod();

		write_pod(&pod);
		struct kube_pod_class *class = decoded(SCRATCH_SIZE);
		TEST_ASSERT_NOT_NULL_MESSAGE(class, json);
		struct amounts used = plain_sum(&pod, true, true, 0);
		uint32_t defaults = 3;
		if (has_pod_level(&pod))
			defaults = (uint32_t)((used.of[0] < 0) | (used.of[1] < 0) << 1);
		struct amounts nonzero = plain_sum(&pod, true, true, defaults);

		check_resources(&class->blob, &class->fit, plain_sum(&pod, false, true, 0));
		check_resources(&class->blob, &class->used, used);
		check_resources(&class->blob, &class->score, plain_sum(&pod, false, false, 3));
		TEST_ASSERT_EQUAL_INT64_MESSAGE(nonzero.of[0] < 0 ? 0 : nonzero.of[0],
		    class->used_nonzero_cpu_milli, json);
		TEST_ASSERT_EQUAL_INT64_MESSAGE(nonzero.of[1] < 0 ? 0 : nonzero.of[1],
		    class->used_nonzero_memory_bytes, json);
		kube_blob_drop(&class->blob, &strings);
	}
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_containers);
	RUN_TEST(test_init_containers_and_sidecars);
	RUN_TEST(test_overhead_and_pod_level);
	RUN_TEST(test_status);
	RUN_TEST(test_status_of_the_whole_pod);
	RUN_TEST(test_tracked_names);
	RUN_TEST(test_scalars_of_value_0_are_kept);
	RUN_TEST(test_mentioned);
	RUN_TEST(test_malformed);
	RUN_TEST(test_bounds);
	RUN_TEST(test_every_amount_of_scratch);
	RUN_TEST(test_resource_list_of_a_node);
	RUN_TEST(test_random_pods_against_the_rules);
	return UNITY_END();
}
