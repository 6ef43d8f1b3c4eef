/* SPDX-License-Identifier: GPL-2.0-only */
/* Tiny limits, one at a time: what finds no room is refused and counted, and nothing leaks. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <unity.h>

#include "cache/bed.h"

static const struct cache_limits roomy = {
	.nodes = 32,
	.pods = 32,
	.statuses = 32,
	.objects = 32,
	.classes = 32,
	.label_sets = 64,
	.strings = 512,
	.images = 32,
	.counters = 32,
	.store_bytes = 1 << 18,
};

void setUp(void)
{
}

void tearDown(void)
{
	bed_end();
}

static enum cache_result put_rich_node(uint32_t i)
{
	return bed_putf("{'kind':'Node','metadata':{'name':'n%u','uid':'nu%u','labels':{'z':'%u'}},"
			"'status':{'allocatable':{'example.com/r%u':'5'},"
			"'images':[{'names':['i%u'],'sizeBytes':7}]}}",
		i, i, i, i, i);
}

static enum cache_result put_rich_pod(uint32_t i)
{
	return bed_putf("{'kind':'Pod','metadata':{'name':'p%u','namespace':'default','uid':'u%u',"
			"'labels':{'app':'a%u'}},'spec':{'nodeName':'n%u','affinity':"
			"{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
			"[{'topologyKey':'z','labelSelector':{'matchLabels':{'app':'a%u'}}}]}},"
			"'containers':[{'name':'c','resources':{'requests':{'cpu':'%um',"
			"'example.com/s%u':'1'}}}]},'status':{'nominatedNodeName':'n%u'}}",
		i, i, i, i + i % 2, i, i + 1, i, i);
}

static enum cache_result put_service(uint32_t i)
{
	return bed_putf("{'kind':'Service','metadata':{'name':'s%u','namespace':'default'},"
			"'spec':{'selector':{'app':'a%u'}}}",
		i, i);
}

/* Twenty of each; how many were refused. bed_put() audits and checks the count of refusals. */
static uint32_t fill(void)
{
	uint32_t refused = 0;
	for (uint32_t i = 0; i < 20; i++) {
		refused += put_rich_node(i) == CACHE_FULL;
		refused += put_rich_pod(i) == CACHE_FULL;
		refused += put_service(i) == CACHE_FULL;
	}
	TEST_ASSERT_EQUAL_UINT64(refused, bed.cache.refused);
	return refused;
}

/* Full once, emptied, and full at the same place again. */
static void fill_twice(const struct cache_limits *limits)
{
	bed_start(limits);
	uint32_t refused = fill();
	TEST_ASSERT_GREATER_THAN_UINT32(0, refused);
	bed_clear();
	bed.cache.refused = 0;
	TEST_ASSERT_EQUAL_UINT32(refused, fill());
	bed_clear();
	bed_end();
}

static void test_room_for_all(void)
{
	bed_start(&roomy);
	TEST_ASSERT_EQUAL_UINT32(0, fill());
	bed_clear();
}

#define TEST_LIMIT(member, value)                   \
	static void test_few_##member(void)         \
	{                                           \
		struct cache_limits limits = roomy; \
		limits.member = (value);            \
		fill_twice(&limits);                \
	}

TEST_LIMIT(nodes, 5)
TEST_LIMIT(pods, 5)
TEST_LIMIT(objects, 5)
TEST_LIMIT(classes, 5)
TEST_LIMIT(label_sets, 5)
TEST_LIMIT(strings, 60)
TEST_LIMIT(counters, 5)

/* Images are only missing from a score: the node is taken all the same. */
static void test_few_images(void)
{
	struct cache_limits limits = roomy;
	limits.images = 3;
	bed_start(&limits);
	TEST_ASSERT_EQUAL_UINT32(0, fill());
	TEST_ASSERT_EQUAL_UINT32(3, pool_used(&bed.cache.images.pool));
	bed_clear();
}

static void test_small_stores(void)
{
	uint32_t starved = 0;
	for (size_t bytes = 4096; bytes < 24 * 1024; bytes += 1000) {
		struct cache_limits limits = roomy;
		limits.store_bytes = bytes;
		bed_start(&limits);
		starved += fill() > 0;
		bed_clear();
		bed_end();
	}
	TEST_ASSERT_GREATER_THAN_UINT32(5, starved);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_room_for_all);
	RUN_TEST(test_few_nodes);
	RUN_TEST(test_few_pods);
	RUN_TEST(test_few_objects);
	RUN_TEST(test_few_classes);
	RUN_TEST(test_few_label_sets);
	RUN_TEST(test_few_strings);
	RUN_TEST(test_few_counters);
	RUN_TEST(test_few_images);
	RUN_TEST(test_small_stores);
	return UNITY_END();
}
