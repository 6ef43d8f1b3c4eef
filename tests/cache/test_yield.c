/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is remembered makes way for what is: counters that can be made again, and the classes and
 * bytes they hold, never make the cache refuse a pod, a node or an object.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <stdio.h>

#include <unity.h>

#include "cache/bed.h"

static struct cache_limits limits;

void setUp(void)
{
	limits = (struct cache_limits){
		.nodes = 16,
		.pods = 16,
		.objects = 32,
		.classes = 16,
		.label_sets = 64,
		.strings = 256,
		.images = 8,
		.counters = 64,
		.store_bytes = 1 << 16,
	};
}

void tearDown(void)
{
	bed_end();
}

static enum cache_result put_pod(uint32_t number, uint32_t cpu)
{
	return bed_putf("{'kind':'Pod','metadata':{'name':'p%u','namespace':'default','uid':'u%u'},"
			"'spec':{'nodeName':'n','containers':[{'name':'c','resources':{'requests':"
			"{'cpu':'%um'}}}]}}",
		number, number, cpu);
}

/* A counter that only counts on nodes that the pod's class selects, which keeps the class. */
static void count_for(uint32_t class)
{
	struct kube_build b;
	struct cache *cache = &bed.cache;
	scratch_reset(&bed.work);
	kube_build_init(&b, &cache->strings, &bed.work);
	struct cache_query *query = kube_build_start(&b, sizeof(*query));
	query->kind = CACHE_MATCH;
	query->topology_key = CACHE_KEY_NODE;
	query->honor_affinity = 1;
	query->class = class;
	query = (struct cache_query *)(void *)kube_build_finish(&b);
	TEST_ASSERT_NOT_NULL(query);
	cache_begin_decision(cache);
	TEST_ASSERT_TRUE(cache_tally(cache, query, CACHE_COUNT_FAST, &bed.work, &bed.tally));
	bed_audit();
}

static void test_classes(void)
{
	limits.classes = 3;
	bed_start(&limits);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", ""));
	for (uint32_t i = 0; i < 3; i++) {
		TEST_ASSERT_EQUAL(CACHE_OK, put_pod(i, i));
		count_for(bed_pod_of(i == 0 ? "p0" : i == 1 ? "p1" : "p2")->class);
		TEST_ASSERT_EQUAL(CACHE_OK,
			bed_remove(KUBE_POD, "default",
				i == 0           ? "p0"
					: i == 1 ? "p1"
						 : "p2"));
	}
	TEST_ASSERT_EQUAL_UINT32(3, pool_used(&bed.cache.classes));
	TEST_ASSERT_EQUAL(CACHE_OK, put_pod(4, 4));
	TEST_ASSERT_EQUAL_UINT32(3, pool_used(&bed.cache.classes));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.counters.pool));
	TEST_ASSERT_EQUAL_UINT64(0, bed.cache.refused);
	TEST_ASSERT_EQUAL(CACHE_OK, put_pod(5, 5));
	TEST_ASSERT_EQUAL(CACHE_OK, put_pod(6, 6));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.counters.pool));
	TEST_ASSERT_EQUAL(CACHE_FULL, put_pod(7, 7));
	TEST_ASSERT_EQUAL_UINT64(1, bed.cache.refused);
	bed_clear();
}

static uint32_t put_services_until_full(void)
{
	for (uint32_t i = 0;; i++) {
		enum cache_result result = bed_putf(
			"{'kind':'Service','metadata':{'name':'service-%u','namespace':'default'},"
			"'spec':{'selector':{'app':'service-%u','number':'service-%u'}}}",
			i, i, i);
		if (result == CACHE_FULL)
			return i;
		TEST_ASSERT_EQUAL(CACHE_OK, result);
	}
}

static void count_services(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		char name[32];
		snprintf(name, sizeof(name), "some-%u", i);
		TEST_ASSERT_EQUAL(CACHE_OK,
			bed_putf("{'kind':'Service','metadata':{'name':'%s','namespace':'default'},"
				 "'spec':{'selector':{'app':'%s'}}}",
				name, name));
		bed_count(name, "");
		bed_count(name, "zone");
		TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_SERVICE, "default", name));
	}
}

/* As many objects find room as without counters. */
static void fill_beside_counters(uint32_t counters)
{
	bed_start(&limits);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'zone':'z'"));
	uint32_t most = put_services_until_full();
	bed_clear();
	bed.cache.refused = 0;
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'zone':'z'"));
	count_services(counters);
	TEST_ASSERT_EQUAL_UINT32(2 * counters, pool_used(&bed.cache.counters.pool));
	/* But for one that does not fit between blocks which have other places now. */
	TEST_ASSERT_UINT32_WITHIN(1, most, put_services_until_full());
	bed_clear();
}

static void test_strings(void)
{
	limits.strings = 64;
	limits.objects = 128;
	fill_beside_counters(8);
}

static void test_store(void)
{
	limits.store_bytes = 16 * 1024;
	limits.objects = 128;
	fill_beside_counters(16);
}

/* A node needs room in the counters that stay. */
static void test_nodes(void)
{
	limits.store_bytes = 12 * 1024;
	bed_start(&limits);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'zone':'z'"));
	count_services(8);
	for (uint32_t i = 0; i < 15; i++)
		TEST_ASSERT_EQUAL(CACHE_OK,
			bed_putf("{'kind':'Node','metadata':{'name':'m%u','uid':'m%u',"
				 "'labels':{'zone':'z%u'}}}",
				i, i, i));
	TEST_ASSERT_EQUAL_UINT64(0, bed.cache.refused);
	bed_clear();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_classes);
	RUN_TEST(test_strings);
	RUN_TEST(test_store);
	RUN_TEST(test_nodes);
	return UNITY_END();
}
