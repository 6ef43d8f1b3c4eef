/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters follow pods, nodes and labels; they are given up when there are few. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <unity.h>

#include "cache/bed.h"

void setUp(void)
{
}

void tearDown(void)
{
	bed_end();
}

static void add_service(const char *app)
{
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_putf("{'kind':'Service','metadata':{'name':'%s','namespace':'default'},"
			 "'spec':{'selector':{'app':'%s'}}}",
			app, app));
}

static void expect_counted(const char *key, const char *node, int32_t pods)
{
	bed_count("a", key);
	TEST_ASSERT_EQUAL_INT32(pods, bed_counted(node));
}

static void test_match_follows(void)
{
	bed_start(NULL);
	add_service("a");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n2", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "1"));
	expect_counted("z", "n2", 1);
	expect_counted("", "n2", 0);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("q", "", "'app':'a'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("q", "n2"));
	expect_counted("z", "n1", 2);
	expect_counted("", "n2", 1);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n2", "'z':'b'"));
	expect_counted("z", "n1", 1);
	expect_counted("z", "n2", 1);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	bed_count("a", "z");
	TEST_ASSERT_EQUAL_INT64(1, bed.tally.total.sum);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'b'"));
	expect_counted("z", "n1", 2);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("q"));
	expect_counted("z", "n1", 1);
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.counters.pool));
	cache_counters_trim(&bed.cache);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&bed.cache.counters.pool));
	expect_counted("z", "n1", 1);
	bed_clear();
}

static void test_given_up_when_few(void)
{
	bed_start(&(struct cache_limits){.nodes = 8,
		.pods = 8,
		.objects = 8,
		.classes = 8,
		.label_sets = 8,
		.strings = 128,
		.images = 8,
		.counters = 2,
		.store_bytes = 1 << 16});
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'x':'1','y':'1','z':'1'"));
	add_service("a");
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("p", "n1", "'app':'a'", "1"));
	cache_begin_decision(&bed.cache);
	expect_counted("x", "n1", 1);
	expect_counted("y", "n1", 1);
	expect_counted("z", "n1", 1); /* both are in use: recounted */
	TEST_ASSERT_EQUAL_UINT32(bed_id("x"), bed.cache.topology.keys[0].key);
	cache_begin_decision(&bed.cache);
	expect_counted("z", "n1", 1); /* x was not used for longest */
	TEST_ASSERT_EQUAL_UINT32(bed_id("z"), bed.cache.topology.keys[0].key);
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&bed.cache.counters.pool));
	bed_clear();
}

static int64_t owned_sum;

static void add_owned(void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	TEST_ASSERT_EQUAL_PTR(&bed, self);
	TEST_ASSERT_EQUAL_UINT32(CACHE_OWN_ANTI, query->kind);
	owned_sum += tally->total.sum;
}

static int64_t owned_by_others(const char *pod)
{
	owned_sum = 0;
	cache_each_owned(&bed.cache, CACHE_OWN_ANTI, bed_id("default"), NULL,
		cache_labels_at(&bed.cache, bed_pod_of(pod)->labels), add_owned, &bed);
	return owned_sum;
}

static void test_own_terms(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n1", "'z':'a'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "", "'app':'a'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("b", "", "'app':'b'", "1"));
	TEST_ASSERT_EQUAL(CACHE_OK,
		bed_put("{'kind':'Pod','metadata':{'name':'o','namespace':'default','uid':'o'},"
			"'spec':{'containers':[{'name':'c'}],'affinity':{'podAntiAffinity':"
			"{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'z',"
			"'labelSelector':{'matchLabels':{'app':'a'}}}]}}}}"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("a"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_assume("o", "n1"));
	TEST_ASSERT_EQUAL_INT64(1, owned_by_others("a"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("b"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, "", "n1"));
	TEST_ASSERT_EQUAL_INT64(0, owned_by_others("a"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_forget("o"));
	bed_clear();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_match_follows);
	RUN_TEST(test_given_up_when_few);
	RUN_TEST(test_own_terms);
	return UNITY_END();
}
