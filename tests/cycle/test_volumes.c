/* SPDX-License-Identifier: GPL-2.0-only */
/* What a decision says about the claims of the pod that it placed. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#include "base/arena.h"
#include "cache/assumed.h"
#include "cycle/cycle.h"
#include "plugins/volume_choice.h"
#include "profile/profile.h"
#include "plugins/picture.h"

enum { NODES = 256 };
static const struct cycle_limits limits = {.nodes = NODES, .rows = 2, .scratch_bytes = 1 << 20};
static struct cycle cycle;
static void *block;

static void add_node(const char *name)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s',"
		     "'labels':{'kubernetes.io/hostname':'%s'}},"
		     "'status':{'allocatable':{'cpu':'4','memory':'4Gi','pods':'110'}}}",
		name, name);
}

void setUp(void)
{
	struct arena arena;
	picture_start();
	profile_defaults(&picture.cache, &picture.profile);
	block = malloc(cycle_size(&limits));
	TEST_ASSERT_NOT_NULL(block);
	arena_init(&arena, block, cycle_size(&limits));
	cycle_init(&cycle, &arena, &limits, &picture.cache, &picture.profile, 1);
	add_node("a");
	add_node("b");
	picture_add("{'kind':'StorageClass','metadata':{'name':'local'},"
		    "'provisioner':'kubernetes.io/no-provisioner',"
		    "'volumeBindingMode':'WaitForFirstConsumer'}");
	picture_add("{'kind':'StorageClass','metadata':{'name':'made'},'provisioner':'maker',"
		    "'volumeBindingMode':'WaitForFirstConsumer'}");
}

void tearDown(void)
{
	struct arena whole;
	arena_init(&whole, block, cycle_size(&limits)); /* lifts the poison */
	free(block);
	picture_end();
}

static uint32_t add_volume(const char *name, const char *host)
{
	return picture_addf(
		"{'kind':'PersistentVolume','metadata':{'name':'%s','uid':'%s'},'spec':{"
		"'capacity':{'storage':'1Gi'},'storageClassName':'local',"
		"'accessModes':['ReadWriteOnce'],'nodeAffinity':{'required':{"
		"'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname',"
		"'operator':'In','values':['%s']}]}]}}},'status':{'phase':'Available'}}",
		name, name, host);
}

static uint32_t add_claim(const char *name, const char *class)
{
	return picture_addf("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
			    "'name':'%s','uid':'uid-%s'},'spec':{'storageClassName':'%s',"
			    "'accessModes':['ReadWriteOnce'],"
			    "'resources':{'requests':{'storage':'1Gi'}}}}",
		name, name, class);
}

/* Pod and claim have one name; "" is a pod without any. */
static uint32_t add_pod(const char *name, const char *claim)
{
	char volumes[200] = "";
	if (claim[0] != '\0')
		snprintf(volumes, sizeof(volumes),
			"{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}", claim);
	return picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
			    "'uid':'%s'},'spec':{'schedulerName':'default-scheduler',"
			    "'containers':[{'name':'c'}],'volumes':[%s]}}",
		name, name, volumes);
}

struct decided {
	enum cycle_outcome outcome;
	uint32_t node;
	uint32_t feasible_count;
	const struct volume_choice *volumes;
	uint32_t volume_count;
};

/* With what Reserve is going to take. */
static struct decided decided_of(const struct schedule_result *result)
{
	struct decided d = {result->outcome, result->node, result->feasible_count, NULL, 0};
	if (d.outcome == CYCLE_PLACED && result->state->state[PLUGIN_VOLUME_BINDING] != NULL &&
		!plugin_set_has(&result->state->skip_filter, PLUGIN_VOLUME_BINDING))
		TEST_ASSERT_EQUAL(PLUGIN_SUCCESS,
			volume_binding_choice(result->state, d.node, &d.volumes, &d.volume_count));
	return d;
}

static struct decided decide(uint32_t pod)
{
	struct schedule_result fast, slow;
	cycle_decide(&cycle, pod, CACHE_COUNT_RECOUNT, &slow);
	uint32_t node = slow.node, count = decided_of(&slow).volume_count;
	cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &fast);
	struct decided d = decided_of(&fast);
	TEST_ASSERT_EQUAL_UINT32(node, d.node);
	TEST_ASSERT_EQUAL_UINT32(count, d.volume_count);
	return d;
}

static void test_a_volume(void)
{
	uint32_t v = add_volume("v", "b"), c = add_claim("c", "local");
	struct decided d = decide(add_pod("p", "c"));
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(picture_node("b"), d.node);
	TEST_ASSERT_EQUAL_UINT32(1, d.volume_count);
	TEST_ASSERT_EQUAL_UINT32(c, d.volumes[0].claim);
	TEST_ASSERT_EQUAL_UINT32(v, d.volumes[0].pv);
}

static void test_a_volume_to_be_made(void)
{
	uint32_t c = add_claim("c", "made");
	struct decided d = decide(add_pod("p", "c"));
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(2, d.feasible_count);
	TEST_ASSERT_EQUAL_UINT32(1, d.volume_count);
	TEST_ASSERT_EQUAL_UINT32(c, d.volumes[0].claim);
	TEST_ASSERT_EQUAL_UINT32(0, d.volumes[0].pv);
}

static void test_on_the_nominated_node(void)
{
	uint32_t b;
	add_claim("c", "made");
	uint32_t pod = add_pod("p", "c");
	TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, TEXT("b"), &b));
	cache_nominate(&picture.cache, pod, b);
	struct decided d = decide(pod);
	TEST_ASSERT_EQUAL_UINT32(picture_node("b"), d.node);
	TEST_ASSERT_EQUAL_UINT32(1, d.volume_count);
}

static void test_nothing_to_bind(void)
{
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
		    "'name':'c','annotations':{'pv.kubernetes.io/bind-completed':'yes'}},"
		    "'spec':{'volumeName':'v'},'status':{'phase':'Bound'}}");
	add_volume("v", "a");
	struct decided d = decide(add_pod("p", "c"));
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(0, d.volume_count);
	d = decide(add_pod("q", ""));
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(0, d.volume_count);
}

static void test_nowhere(void)
{
	add_claim("c", "local");
	struct decided d = decide(add_pod("p", "c"));
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(0, d.volume_count);
}

static void test_the_next_pod_sees_what_is_assumed(void)
{
	uint32_t v = add_volume("v", "a"), w = add_volume("w", "b");
	uint32_t x = add_claim("x", "local"), y = add_claim("y", "local");
	add_claim("z", "local");
	uint32_t p = add_pod("p", "x"), q = add_pod("q", "y"), r = add_pod("r", "z");
	struct decided d = decide(p);
	TEST_ASSERT_EQUAL_UINT32(x, d.volumes[0].claim);
	uint32_t first = d.volumes[0].pv;
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&picture.cache, first, x));
	d = decide(q);
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(1, d.feasible_count);
	TEST_ASSERT_EQUAL_UINT32(first == v ? w : v, d.volumes[0].pv);
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_volume(&picture.cache, d.volumes[0].pv, y));
	d = decide(r);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, d.outcome);
	cache_forget_assumed(&picture.cache, v,
		((const struct cache_object *)pool_at(&picture.cache.objects, v))->version);
	d = decide(r);
	TEST_ASSERT_EQUAL(CYCLE_PLACED, d.outcome);
	TEST_ASSERT_EQUAL_UINT32(v, d.volumes[0].pv);
}

static void test_pods_of_a_claim_stay_together(void)
{
	uint32_t c = add_claim("c", "made"), b;
	uint32_t p = add_pod("p", "c");
	struct decided d = decide(p);
	TEST_ASSERT_EQUAL_UINT32(2, d.feasible_count);
	TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, TEXT("b"), &b));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_assume_provision(&picture.cache, c, b));
	d = decide(p);
	TEST_ASSERT_EQUAL_UINT32(1, d.feasible_count);
	TEST_ASSERT_EQUAL_UINT32(picture_node("b"), d.node);
	TEST_ASSERT_EQUAL_UINT32(1, d.volume_count);
	TEST_ASSERT_EQUAL_UINT32(0, d.volumes[0].pv);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_volume);
	RUN_TEST(test_a_volume_to_be_made);
	RUN_TEST(test_on_the_nominated_node);
	RUN_TEST(test_nothing_to_bind);
	RUN_TEST(test_nowhere);
	RUN_TEST(test_the_next_pod_sees_what_is_assumed);
	RUN_TEST(test_pods_of_a_claim_stay_together);
	return UNITY_END();
}
