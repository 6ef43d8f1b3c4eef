/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices in a cluster that changes at random: what is remembered of nodes gives the same answer as
 * working it out, and whatever is reserved, shown, taken back or lost, no device is given twice, no
 * counter and no capacity exceeded. The sums are made here from what was written of claims.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include <unity.h>

#include "base/budget.h"
#include "base/entropy.h"
#include "base/memory.h"
#include "bench/feed.h"
#include "cycle/binding_points.h"
#include "cycle/cycle.h"
#include "profile/profile.h"

enum {
	EPOCHS = 30,
	STEPS = 300,
	NODES = 5,
	CLAIMS = 14,
	SHARED_GI = 10,
	COUNTER = 8,
	ALLOCATION_MAX = 1500,
	SCRATCH_BYTES = 1 << 20
};

enum claim_state { GONE, BARE, RESERVED, SHOWN };

struct claim {
	enum claim_state state;
	uint32_t shape;
	uint32_t version;
	char allocation[ALLOCATION_MAX];
	struct binding_points points;
};

static struct arena arena;
static struct cache cache;
static struct cycle cycle;
static struct plugin_profile profile;
static struct binding_waiting waiting;
static struct random chance;
static struct claim claims[CLAIMS];
static uint64_t placed, rejected;
static uint32_t version; /* of slices: what is remembered of one ends with it */

#define EXACT(rest) "{'name':'r','exactly':{'deviceClassName':" rest "}}"
#define CEL(text)   "'selectors':[{'cel':{'expression':'" text "'}}]"
static const char *const shapes[] = {
	EXACT("'any','allocationMode':'ExactCount','count':1"),
	EXACT("'any','allocationMode':'ExactCount','count':2"),
	EXACT("'picky','allocationMode':'ExactCount','count':1"),
	EXACT("'any','allocationMode':'ExactCount','count':1," CEL(
		"device.attributes[\\\"d\\\"].model == \\\"b\\\"")),
	EXACT("'any','allocationMode':'All'"),
	EXACT("'parts','allocationMode':'ExactCount','count':1"),
	EXACT("'shared','allocationMode':'ExactCount','count':1,'capacity':{'requests':{"
	      "'memory':'3Gi'}}"),
	EXACT("'shared','allocationMode':'ExactCount','count':1,'capacity':{'requests':{"
	      "'memory':'4Gi'}}"),
	"{'name':'r','firstAvailable':[{'name':'x','deviceClassName':'picky','allocationMode':"
	"'ExactCount','count':2},{'name':'y','deviceClassName':'any','allocationMode':"
	"'ExactCount','count':1}]}",
};

static uint32_t below(uint32_t bound)
{
	return random_below(&chance, bound);
}

/* ---- what there is ---- */

static void put_class(const char *name, const char *expression)
{
	feed("{'kind':'DeviceClass','metadata':{'name':'%s'},'spec':{'selectors':[{'cel':{"
	     "'expression':'%s'}}]}}",
		name, expression);
}

static void change_picky(void)
{
	put_class("picky",
		below(2) == 0 ? "device.driver == \\\"d\\\" && "
				"device.attributes[\\\"d\\\"].model == \\\"a\\\""
			      : "device.driver == \\\"d\\\"");
}

static void put_node(uint32_t n)
{
	feed("{'kind':'Node','metadata':{'name':'n%u','labels':{'zone':'z%u'}},'status':{"
	     "'allocatable':{'cpu':'64','memory':'64Gi','pods':'110'}}}",
		n, below(2));
}

/* Its generation and number of slices are wrong at times: then it gives nothing. */
static void put_slice(uint32_t n)
{
	char list[1024];
	size_t used = 0;
	uint32_t count = below(4);
	for (uint32_t i = 0; i < count; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
			"%s{'name':'n%u-%u','attributes':{'model':{'string':'%s'}}%s}",
			i == 0 ? "" : ",", n, i, below(2) == 0 ? "a" : "b",
			below(6) == 0 ? ",'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]"
				      : "");
	feed("{'kind':'ResourceSlice','metadata':{'name':'s%u','resourceVersion':'%u'},'spec':{'"
	     "driver':'d','nodeName':"
	     "'n%u','pool':{'name':'n%u','generation':1,'resourceSliceCount':%u},'devices':["
	     "%.*s]}}",
		n, ++version, n, n, below(8) == 0 ? 2 : 1, (int)used, list);
}

/* Devices that several nodes can reach: for all, or for a zone. */
static void put_far_slice(void)
{
	feed("{'kind':'ResourceSlice','metadata':{'name':'far','resourceVersion':'%u'},'spec':{'"
	     "driver':'d',%s,'pool':{"
	     "'name':'far','generation':1,'resourceSliceCount':1},'devices':[{'name':'far-0',"
	     "'attributes':{'model':{'string':'b'}}}]}}",
		++version,
		below(2) == 0 ? "'allNodes':true"
			      : "'nodeSelector':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
				"'zone','operator':'In','values':['z1']}]}]}");
}

static void put_fixed_slices(void)
{
	char list[2048];
	size_t used = 0;
	for (uint32_t i = 0; i < 6; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
			"%s{'name':'part-%u','consumesCounters':[{'counterSet':'set','counters':{"
			"'units':{'value':'%u'}}}]}",
			i == 0 ? "" : ",", i, i + 1);
	feed("{'kind':'ResourceSlice','metadata':{'name':'p1'},'spec':{'driver':'parts',"
	     "'nodeName':'n0','pool':{'name':'parts','generation':1,'resourceSliceCount':2},"
	     "'devices':[%s]}}",
		list);
	feed("{'kind':'ResourceSlice','metadata':{'name':'p2'},'spec':{'driver':'parts',"
	     "'nodeName':'n0','pool':{'name':'parts','generation':1,'resourceSliceCount':2},"
	     "'sharedCounters':[{'name':'set','counters':{'units':{'value':'%u'}}}]}}",
		(unsigned)COUNTER);
	feed("{'kind':'ResourceSlice','metadata':{'name':'sh'},'spec':{'driver':'shared',"
	     "'nodeName':'n1','pool':{'name':'sh','generation':1,'resourceSliceCount':1},"
	     "'devices':[{'name':'big','allowMultipleAllocations':true,'capacity':{'memory':{"
	     "'value':'%uGi'}}}]}}",
		(unsigned)SHARED_GI);
}

/* ---- claims, and a pod for each ---- */

static void show(uint32_t i)
{
	struct claim *c = &claims[i];
	feed("{'kind':'ResourceClaim','metadata':{'name':'c%u','namespace':'default','uid':"
	     "'c%u-%u','resourceVersion':'%u'},'spec':{'devices':{'requests':[%s]}},'status':{"
	     "%s%s}}",
		i, i, c->shape, ++c->version, shapes[c->shape],
		c->state == SHOWN ? "'allocation':" : "", c->state == SHOWN ? c->allocation : "");
}

static uint32_t pod_of(uint32_t i)
{
	char name[16];
	snprintf(name, sizeof(name), "p%u", i);
	return cache_find_pod(&cache, TEXT("default"), text_of(name));
}

static uint32_t object_of(uint32_t i)
{
	char name[16];
	uint32_t id, namespace;
	snprintf(name, sizeof(name), "c%u", i);
	if (!intern_find(&cache.strings, text_of(name), &id) ||
		!intern_find(&cache.strings, TEXT("default"), &namespace))
		return 0;
	return cache_find_object(&cache, KUBE_RESOURCE_CLAIM, namespace, id);
}

static void forget(uint32_t i)
{
	struct claim *c = &claims[i];
	if (c->state != RESERVED)
		return;
	binding_undo(&c->points);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_forget(&cache, pod_of(i)));
	c->state = BARE;
}

static void add(uint32_t i)
{
	claims[i] = (struct claim){.state = BARE, .shape = below(ARRAY_COUNT(shapes))};
	show(i);
	if (pod_of(i) == 0)
		feed("{'kind':'Pod','metadata':{'name':'p%u','namespace':'default','uid':'p%u'},"
		     "'spec':{'containers':[{'name':'c'}],'resourceClaims':[{'name':'x',"
		     "'resourceClaimName':'c%u'}]}}",
			i, i, i);
}

/* Deleted in every state that it may be in. */
static void take_away(uint32_t i)
{
	if (below(2) == 0)
		forget(i); /* else it goes while it is on its way */
	TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_object(&cache, object_of(i)));
	forget(i);
	claims[i].state = GONE;
}

/* ---- the same, twice ---- */

static void decide(uint32_t i)
{
	struct claim *c = &claims[i];
	struct schedule_result slow, d;
	char said[2048];
	uint32_t pod = pod_of(i);
	cycle_decide(&cycle, pod, CACHE_COUNT_RECOUNT, &slow);
	snprintf(said, sizeof(said), "%.*s", TEXT_ARGS(slow.message));
	cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &d);
	TEST_ASSERT_EQUAL_MESSAGE(slow.outcome, d.outcome, said);
	if (slow.outcome != CYCLE_PLACED) {
		rejected++;
		TEST_ASSERT_EQUAL_STRING_LEN(said, d.message.at, d.message.size);
		return;
	}
	TEST_ASSERT_EQUAL(slow.feasible_count, d.feasible_count);
	TEST_ASSERT_EQUAL(slow.node, d.node);
	TEST_ASSERT_EQUAL(slow.score, d.score);
	struct plugin_reasons why = {.scratch = &cycle.scratch};
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume(&cache, pod, d.node));
	binding_begin(&c->points, &waiting,
		&(struct plugin_binding){.cache = &cache,
			.profile = &profile,
			.scratch = &cycle.scratch,
			.tag = i + 1,
			.pod = pod,
			.node = cache_node_at(&cache, d.node)->name});
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, binding_reserve(&c->points, d.state, &why));
	uint32_t pending = cache_pending_of(&cache, object_of(i));
	TEST_ASSERT_NOT_EQUAL(0, pending);
	snprintf(c->allocation, sizeof(c->allocation), "%.*s",
		TEXT_ARGS(cache_text(&cache, cache_pending_at(&cache, pending)->allocated->json)));
	c->state = RESERVED;
	placed++;
}

/* The watch shows what was written; or the pod is given up before that. */
static void settle(uint32_t i)
{
	struct claim *c = &claims[i];
	if (below(3) == 0) {
		forget(i);
		return;
	}
	c->state = SHOWN;
	show(i);
	binding_undo(&c->points);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_forget(&cache, pod_of(i)));
}

/* ---- what must hold ---- */

static uint32_t count_of(const char *text, const char *what)
{
	uint32_t count = 0;
	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

static void judge(void)
{
	uint32_t units = 0, memory = 0;
	for (uint32_t i = 0; i < CLAIMS; i++) {
		const struct claim *c = &claims[i];
		if (c->state != RESERVED && c->state != SHOWN)
			continue;
		const char *at = c->allocation;
		while ((at = strstr(at, "\"device\":\"")) != NULL) {
			char device[64];
			uint32_t given = 0;
			at += 9;
			snprintf(device, sizeof(device), "\"device\":%.*s",
				(int)strcspn(at + 1, "\"") + 2, at);
			for (uint32_t k = 0; k < CLAIMS; k++)
				if (claims[k].state == RESERVED || claims[k].state == SHOWN)
					given += count_of(claims[k].allocation, device);
			if (strstr(device, "\"big\"") == NULL)
				TEST_ASSERT_EQUAL_MESSAGE(1, given, device);
			if (strncmp(at, "\"part-", 6) == 0)
				units += (uint32_t)(at[6] - '0') + 1;
		}
		at = strstr(c->allocation, "\"consumedCapacity\":{\"memory\":\"");
		if (at != NULL)
			memory += (uint32_t)(at[30] - '0');
	}
	TEST_ASSERT_LESS_OR_EQUAL(COUNTER, units);
	TEST_ASSERT_LESS_OR_EQUAL(SHARED_GI, memory);
}

/* ---- the story ---- */

static void step_claim(uint32_t i)
{
	struct claim *c = &claims[i];
	switch (c->state) {
	case GONE: add(i); break;
	case BARE:
		if (below(20) == 0)
			take_away(i);
		else
			decide(i);
		break;
	case RESERVED:
		if (below(12) == 0)
			take_away(i);
		else
			settle(i);
		break;
	case SHOWN:
		if (below(3) == 0) {
			c->state = BARE; /* its devices are given back */
			show(i);
		} else if (below(6) == 0) {
			take_away(i);
		}
		break;
	}
}

static void step(void)
{
	uint32_t n = below(NODES);
	uint32_t id, object;
	switch (below(20)) {
	case 0: put_slice(n); break;
	case 1: put_node(n); break;
	case 2: put_far_slice(); break;
	case 3: change_picky(); break;
	case 4:
		object = intern_find(&cache.strings, TEXT("far"), &id)
			? cache_find_object(&cache, KUBE_RESOURCE_SLICE, 0, id)
			: 0;
		if (object != 0)
			TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_object(&cache, object));
		break;
	default: step_claim(below(CLAIMS)); break;
	}
}

static void open_cluster(uint64_t seed)
{
	const struct cache_limits limits = {.nodes = 32,
		.pods = 64,
		.statuses = 64,
		.objects = 64,
		.classes = 64,
		.label_sets = 64,
		.strings = 4096,
		.images = 16,
		.counters = 16,
		.store_bytes = 1 << 20};
	const struct cycle_limits of_cycle = {
		.nodes = 32, .rows = 8, .scratch_bytes = SCRATCH_BYTES};
	size_t size = cache_size(&limits) + cycle_size(&of_cycle) + feed_size();
	budget_reset();
	random_init(&chance, seed);
	memset(claims, 0, sizeof(claims));
	arena_init_zeroed(&arena, memory_reserve(size), size);
	cache_init(&cache, &arena, &limits);
	profile_defaults(&cache, &profile);
	cycle_init(&cycle, &arena, &of_cycle, &cache, &profile, 1);
	feed_init(&cache, &arena);
	binding_waiting_init(&waiting);
	put_class("any", "device.driver == \\\"d\\\"");
	put_class("parts", "device.driver == \\\"parts\\\"");
	put_class("shared", "device.driver == \\\"shared\\\"");
	change_picky();
	for (uint32_t n = 0; n < NODES; n++) {
		put_node(n);
		put_slice(n);
	}
	put_fixed_slices();
}

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_devices_when_a_cluster_changes_then_fast_is_slow_and_none_is_given_twice(void)
{
	for (uint64_t seed = 1; seed <= EPOCHS; seed++) {
		open_cluster(seed);
		for (uint32_t i = 0; i < STEPS; i++) {
			step();
			judge();
			if (i % 16 == 0)
				cache_audit(&cache);
		}
		memory_release(arena.base, arena.size);
	}
	TEST_ASSERT_GREATER_THAN(EPOCHS * 20, placed);
	TEST_ASSERT_GREATER_THAN(EPOCHS * 10, rejected);
	printf("%llu placed, %llu rejected\n", (unsigned long long)placed,
		(unsigned long long)rejected);
}

/* What a profile's scores count of devices is part of what is remembered of nodes. */
static void test_devices_when_they_are_scored_then_fast_is_slow(void)
{
	uint32_t scores[2] = {0, 0};
	for (uint64_t seed = 1; seed <= 10; seed++) {
		open_cluster(seed);
		feed("{'kind':'DeviceClass','metadata':{'name':'any'},'spec':{'selectors':[{'cel':{"
		     "'expression':'device.driver == \\\"d\\\"'}}],'extendedResourceName':"
		     "'example.com/dev'}}");
		feed("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'p'},"
		     "'spec':{'containers':[{'name':'c','resources':{'requests':{"
		     "'example.com/dev':'1'}}}]}}");
		struct fit_args *fit = PLUGIN_ARGS_OF(&profile, FIT, fit_args);
		fit->resource_count = 1;
		fit->resources[0].weight = 1;
		cache.devices.is_scored = true;
		TEST_ASSERT_TRUE(intern_find(
			&cache.strings, TEXT("example.com/dev"), &fit->resources[0].name));
		for (uint32_t i = 0; i < 100; i++) {
			struct schedule_result slow, fast;
			uint32_t pod = cache_find_pod(&cache, TEXT("default"), TEXT("p"));
			step();
			cycle_decide(&cycle, pod, CACHE_COUNT_RECOUNT, &slow);
			cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &fast);
			TEST_ASSERT_EQUAL(slow.outcome, fast.outcome);
			if (slow.outcome != CYCLE_PLACED)
				continue;
			TEST_ASSERT_EQUAL(slow.score, fast.score);
			TEST_ASSERT_EQUAL(slow.node, fast.node);
			scores[slow.feasible_count > 1]++;
		}
		memory_release(arena.base, arena.size);
	}
	TEST_ASSERT_GREATER_THAN(50, scores[1]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_devices_when_a_cluster_changes_then_fast_is_slow_and_none_is_given_twice);
	RUN_TEST(test_devices_when_they_are_scored_then_fast_is_slow);
	return UNITY_END();
}
