/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pods ask for, by tables; test_pod_sums.c adds random ones.
 */
// deps: base/*.c json/*.c kube/*.c
#include "kube/requests_bed.h"

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
	static const char *const names[] = {" cpu", " memory", " storage"};
	const struct kube_scalar *scalars = KUBE_AT(blob, r->scalars, struct kube_scalar);

	write_format(out, "%" PRId64 " %" PRId64 " %" PRId64, r->cpu_milli, r->memory_bytes,
		r->storage_bytes);
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		if (r->names & 1u << i)
			write_z(out, names[i]);
	for (uint32_t i = 0; i < r->scalars.count; i++) {
		write_char(out, ' ');
		write_text(out, intern_text(&strings, scalars[i].name));
		write_format(
			out, "=%" PRId64 "%s", scalars[i].value, scalars[i].is_extended ? "!" : "");
		TEST_ASSERT_TRUE(i == 0 || scalars[i - 1].name < scalars[i].name);
	}
}

static const char *shown(const struct kube_pod_template *class)
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
	struct kube_pod_template *class = decoded(SCRATCH_SIZE);
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
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}"
	      "}]},"
	      "'status':{'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'1',"
	      "'memory':'3'}},'allocatedResources':{'cpu':'3','memory':'1'}}]}}",
		"fit 2000 2 0 cpu memory; used 3000 3 0 cpu memory; "
		"score 2000 2 0 cpu memory; nonzero 3000 3");
	/* without `resources` the status does not count; empty ones are enough */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}"
	      "}]},"
	      "'status':{'containerStatuses':[{'name':'a','allocatedResources':{'cpu':'3'}}]}}",
		"fit 2000 2 0 cpu memory; used 2000 2 0 cpu memory; "
		"score 2000 2 0 cpu memory; nonzero 2000 2");
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}}"
	      "}]},"
	      "'status':{'containerStatuses':[{'name':'a','resources':{},"
	      "'allocatedResources':{'cpu':'3'}}]}}",
		"fit 2000 2 0 cpu memory; used 3000 2 0 cpu memory; "
		"score 2000 2 0 cpu memory; nonzero 3000 2");
	/* infeasible: what is there, not what is wanted; missing ones are filled in */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'9','memory':'9'}}"
	      "},"
	      "{'name':'b','resources':{'requests':{'cpu':'1','memory':'1'}}}]},"
	      "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'},"
	      "{'type':'PodResizePending','reason':'Deferred'}],"
	      "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'2'}}}]}}",
		"fit 10000 10 0 cpu memory; used 3000 1 0 cpu memory; "
		"score 10000 10 0 cpu memory; nonzero 3000 209715201");
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'9','memory':'9'}}"
	      "}]},"
	      "'status':{'conditions':[{'type':'Ready'},{'type':'PodResizePending','reason':'"
	      "Deferred'},"
	      "{'type':'PodResizePending','reason':'Infeasible'}],"
	      "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'2'}}}]}}",
		"fit 9000 9 0 cpu memory; used 9000 9 0 cpu memory; "
		"score 9000 9 0 cpu memory; nonzero 9000 9");
	/* sidecars yes, init containers no; of two statuses with one name the later list wins */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1','memory':'1'}}"
	      "}],"
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

/* Since v1.37 what is asked for, allocated and there are added up apart, and the most counts. */
static void test_resized_pods_in_1_37_count_by_the_largest_sum(void)
{
	static const char two[] =
		"{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1',"
		"'memory':'5'}}},{'name':'b','resources':{'requests':{'cpu':'4','memory':'1'}}}]},"
		"'status':{'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'3',"
		"'memory':'1'}},'allocatedResources':{'cpu':'2','memory':'1'}},{'name':'b',"
		"'resources':{'requests':{'cpu':'3','memory':'2'}}}]}}";
	check(two,
		"fit 5000 6 0 cpu memory; used 7000 7 0 cpu memory; "
		"score 5000 6 0 cpu memory; nonzero 7000 7");
	build.release = KUBE_1_37;
	/* asked 5 and 6, allocated 2+4 and 1+1, there 3+3 and 1+2 */
	check(two,
		"fit 5000 6 0 cpu memory; used 6000 6 0 cpu memory; "
		"score 5000 6 0 cpu memory; nonzero 6000 6");
	/* nothing said: as asked for */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'2'}"
	      "}}]},'status':{'containerStatuses':[{'name':'a','resources':{}}]}}",
		"fit 2000 2 0 cpu memory; used 2000 2 0 cpu memory; "
		"score 2000 2 0 cpu memory; nonzero 2000 2");
	/* init containers have a status, too; of two with one name the first counts */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1','memory':'1'}}"
	      "}],'initContainers':[{'name':'i','resources':{'requests':{'cpu':'1','memory':'1'}}}]"
	      "},'status':{'initContainerStatuses':[{'name':'i','allocatedResources':{'cpu':'5'}},"
	      "{'name':'i','allocatedResources':{'cpu':'50'}}]}}",
		"fit 1000 1 0 cpu memory; used 5000 1 0 cpu memory; "
		"score 1000 1 0 cpu memory; nonzero 5000 209715200");
	/* infeasible: what is asked for does not count; what is not said is nothing, and is filled
	 * in */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'9','memory':'9'}}"
	      "},{'name':'b','resources':{'requests':{'cpu':'1','memory':'1'}}}]},"
	      "'status':{'conditions':[{'type':'PodResizePending','reason':'Infeasible'}],"
	      "'containerStatuses':[{'name':'a','resources':{'requests':{'cpu':'2','memory':'4'}}}"
	      "]}}",
		"fit 10000 10 0 cpu memory; used 2000 4 0 cpu memory; "
		"score 10000 10 0 cpu memory; nonzero 2100 419430400");
	/* allocated without a cpu that was asked for: the default is more than that was */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'50m','memory':'9'"
	      "}}}]},'status':{'containerStatuses':[{'name':'a','allocatedResources':{'memory':'9'}"
	      "}]}}",
		"fit 50 9 0 cpu memory; used 50 9 0 cpu memory; "
		"score 50 9 0 cpu memory; nonzero 100 9");
	/* sums of the pod's own status, and requests of the whole pod over them */
	check("{'spec':{'containers':[{'name':'a','resources':{'requests':{'cpu':'1','memory':'1'}}"
	      "}]},'status':{'resources':{'requests':{'cpu':'3','memory':'1'}},"
	      "'allocatedResources':{'cpu':'2','memory':'7'},'containerStatuses':[{'name':'a',"
	      "'allocatedResources':{'cpu':'50'}}]}}",
		"fit 1000 1 0 cpu memory; used 3000 7 0 cpu memory; "
		"score 1000 1 0 cpu memory; nonzero 3000 7");
	check("{'spec':{'resources':{'requests':{'cpu':'2'}},'containers':[{}]},"
	      "'status':{'resources':{'requests':{'cpu':'3'}},'allocatedResources':{'cpu':'4',"
	      "'memory':'5'}}}",
		"fit 2000 0 0 cpu; used 4000 5 0 cpu memory; "
		"score 100 209715200 0 cpu memory; nonzero 4000 5");
}

static void test_tracked_names(void)
{
	static const struct {
		const char *name;
		bool tracked;
		bool extended;
	} rows[] = {
		{"example.com/gpu", true, true},
		{"a/b", true, true},
		{"gpu", false, false},
		{"", false, false},
		{"hugepages-2Mi", true, false},
		{"hugepages-", true, false},
		{"attachable-volumes-aws-ebs", true, false},
		{"kubernetes.io/batch-cpu", true, false},
		{"my.kubernetes.io/x", true, false},
		{"kubernetes.io", false, false},
		{"requests.example.com/gpu", false, false},
		{"example.com/gpu/2", false, false},
		{"example.com/", false, false},
		{"/gpu", false, false},
		{"Example.com/gpu", false, false},
		{"example.com/gpu-", false, false},
		{"hugepages-a/b", true, true},
		{"attachable-volumes-_/b", true, false},
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
				(struct text){name, prefix + 1 + size}, &extended);
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
	static const char *const expected[] = {"cpu", "memory", "unknown", "example.com/a"};
	uint32_t id;

	set_json("{'spec':{'containers':[{'resources':{'requests':{'cpu':'1','unknown':'1'}}}],"
		 "'initContainers':[{'resources':{'limits':{'memory':'1','example.com/a':'1'}}}],"
		 "'overhead':{'example.com/b':'1'}}}");
	struct kube_pod_template *class = decoded(SCRATCH_SIZE);
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
		{"{'spec':{'containers':[{'resources':{'requests':{'cpu':'1x'}}}]}}",
			"spec.containers.resources.requests"},
		{"{'spec':{'containers':[{'resources':{'requests':{'unknown':true}}}]}}",
			"spec.containers.resources.requests"},
		{"{'spec':{'containers':[{'resources':{'requests':{'cpu':{}}}}]}}",
			"spec.containers.resources.requests"},
		{"{'spec':{'containers':[{'resources':{'requests':['1']}}]}}",
			"spec.containers.resources.requests"},
		{"{'spec':{'initContainers':[{'resources':{'requests':{'memory':'1e999'}}}]}}",
			"spec.initContainers.resources.requests"},
		{"{'spec':{'containers':[7]}}", "spec.containers.resources"},
		{"{'spec':{'overhead':{'cpu':''}}}", "spec.overhead"},
		{"{'spec':{'resources':{'requests':{'cpu':'-'}}},'status':{'resources':7}}",
			"status.resources"},
		{"{'spec':{'resources':{'requests':{'cpu':'m.'}}}}", "spec.resources.requests"},
		{"{'spec':{'containers':[{'name':'a'}]},'status':{'containerStatuses':"
		 "[{'name':'a','resources':{'requests':{'cpu':'x'}}}]}}",
			"status.containerStatuses.resources"},
		{"{'spec':7}", "spec"},
		{"{'status':7}", "status"},
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

static void many_containers(int count)
{
	size_t at = 0;

	append(&at, "{\"spec\":{\"containers\":[");
	for (int i = 0; i < count; i++)
		append(&at,
			"%s{\"resources\":{\"requests\":{\"memory\":\"1e101\",\"cpu\":\"1n\"}}}",
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
	struct kube_pod_template *class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_NOT_NULL(class);
	TEST_ASSERT_EQUAL_INT64(1, class->fit.cpu_milli);
	kube_blob_drop(&class->blob, &strings);

	many_containers(KUBE_POD_CONTAINERS_MAX + 1);
	TEST_ASSERT_NULL(decoded(SCRATCH_SIZE));
	TEST_ASSERT_EQUAL_INT(KUBE_MALFORMED, build.result);

	many_names(KUBE_RESOURCE_NAMES_MAX - RESOURCE_FIXED);
	class = decoded(SCRATCH_SIZE);
	TEST_ASSERT_NOT_NULL(class);
	TEST_ASSERT_EQUAL_UINT32(
		KUBE_RESOURCE_NAMES_MAX - RESOURCE_FIXED, class->fit.scalars.count);
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
			 "'example.com/"
			 "gpu':'2'}}}],'initContainers':[{'restartPolicy':'Always'},{}],"
			 "'resources':{'requests':{'memory':'1Gi'}},'overhead':{'cpu':'1'}},"
			 "'status':{'containerStatuses':[{'name':'a','resources':{'requests':"
			 "{'cpu':'3'}}}]}}");
		struct kube_pod_template *class = decoded(more);
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
	} * holder;
	char text[512];
	struct writer out;

	set_json("{'cpu':'3920m','memory':'16Gi','pods':'110','ephemeral-storage':'100G','gpu':'1',"
		 "'hugepages-2Mi':'0','example.com/gpu':'8','cpu':'4'}");
	TEST_ASSERT_EQUAL_INT(
		JSON_PARSED, json_parse((struct text){json, strlen(json)}, &scratch, &map));
	kube_decode_begin(&build);
	holder = kube_build_start(&build, sizeof(*holder));
	r = &holder->resources;
	kube_resource_list(&build, map, "status.allocatable", r);
	writer_init(&out, text, sizeof(text) - 1);
	show(&holder->blob, r, &out);
	text[out.used] = '\0';
	TEST_ASSERT_EQUAL_STRING("4000 17179869184 100000000000 cpu memory storage "
				 "hugepages-2Mi=0 example.com/gpu=8!",
		text);
	TEST_ASSERT_EQUAL_INT64(110, r->pods);
	TEST_ASSERT_NOT_NULL(kube_build_finish(&build));

	set_json("{'cpu':'x'}");
	TEST_ASSERT_EQUAL_INT(
		JSON_PARSED, json_parse((struct text){json, strlen(json)}, &scratch, &map));
	kube_decode_begin(&build);
	holder = kube_build_start(&build, sizeof(*holder));
	kube_resource_list(&build, map, "status.allocatable", &holder->resources);
	TEST_ASSERT_NULL(kube_build_finish(&build));
	TEST_ASSERT_EQUAL_STRING("status.allocatable", build.fault_field);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_containers);
	RUN_TEST(test_init_containers_and_sidecars);
	RUN_TEST(test_overhead_and_pod_level);
	RUN_TEST(test_status);
	RUN_TEST(test_status_of_the_whole_pod);
	RUN_TEST(test_resized_pods_in_1_37_count_by_the_largest_sum);
	RUN_TEST(test_tracked_names);
	RUN_TEST(test_scalars_of_value_0_are_kept);
	RUN_TEST(test_mentioned);
	RUN_TEST(test_malformed);
	RUN_TEST(test_bounds);
	RUN_TEST(test_every_amount_of_scratch);
	RUN_TEST(test_resource_list_of_a_node);
	return UNITY_END();
}
