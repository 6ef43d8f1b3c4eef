/* SPDX-License-Identifier: GPL-2.0-only */
/* Pods that cannot be read close their node, and open it again. */
// deps: base/*.c json/*.c kube/*.c cache/*.c tests/cache/bed.c
#include <unity.h>

#include "cache/bed.h"

void setUp(void)
{
	bed_start(NULL);
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("n", "'zone':'z'"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("m", "'zone':'z'"));
}

void tearDown(void)
{
	bed_end();
}

static uint32_t unread_on(const char *node)
{
	uint32_t index = cache_find_node(&bed.cache, text_of(node));
	return index == 0 ? 0 : cache_node_at(&bed.cache, index)->unread_pods;
}

static bool put(const char *name, const char *node)
{
	static const struct cache_unread_cause cause = {{"", 0}, "spec", "odd"};
	bool is_put =
		cache_unread_put(&bed.cache, TEXT("default"), text_of(name), text_of(node), &cause);
	cache_audit(&bed.cache);
	return is_put;
}

static void test_each_counts_once_and_at_one_node(void)
{
	TEST_ASSERT_TRUE(put("a", "n"));
	TEST_ASSERT_TRUE(put("a", "n"));
	TEST_ASSERT_TRUE(put("b", "n"));
	TEST_ASSERT_EQUAL_UINT32(2, unread_on("n"));
	TEST_ASSERT_TRUE(put("b", "m"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("n"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("m"));
	cache_unread_drop(&bed.cache, TEXT("default"), TEXT("c"));
	cache_unread_drop(&bed.cache, TEXT("other"), TEXT("a"));
	cache_unread_drop(&bed.cache, TEXT("default"), TEXT("a"));
	cache_unread_drop(&bed.cache, TEXT("default"), TEXT("b"));
	TEST_ASSERT_EQUAL_UINT32(0, unread_on("n") + unread_on("m"));
	cache_audit(&bed.cache);
	bed_clear();
}

static void test_a_node_that_is_not_there(void)
{
	TEST_ASSERT_TRUE(put("a", "ghost"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("ghost"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_node("ghost", "'zone':'z'"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("ghost"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_remove(KUBE_NODE, NULL, "ghost"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("ghost"));
	cache_unread_drop(&bed.cache, TEXT("default"), TEXT("a"));
	TEST_ASSERT_EQUAL_UINT32(0, cache_find_node(&bed.cache, TEXT("ghost")));
	cache_audit(&bed.cache);
	bed_clear();
}

static void test_a_good_version_and_a_deletion_heal(void)
{
	TEST_ASSERT_TRUE(put("a", "n"));
	TEST_ASSERT_EQUAL(CACHE_OK, bed_pod("a", "n", "'app':'a'", "1"));
	TEST_ASSERT_EQUAL_UINT32(0, unread_on("n"));
	TEST_ASSERT_TRUE(put("a", "n"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("n"));
	(void)cache_unfeed(&bed.cache, KUBE_POD, TEXT("default"), TEXT("a"));
	TEST_ASSERT_EQUAL_UINT32(0, unread_on("n"));
	bed_clear();
}

static void gone(void *self, enum kube_kind kind, uint32_t index)
{
	(void)self;
	(void)kind;
	(void)index;
}

static void test_a_list_without_it_heals(void)
{
	TEST_ASSERT_TRUE(put("a", "n"));
	TEST_ASSERT_TRUE(put("b", "m"));
	cache_list_begin(&bed.cache, KUBE_POD);
	TEST_ASSERT_TRUE(put("b", "m"));
	cache_list_end(&bed.cache, KUBE_POD, gone, NULL);
	TEST_ASSERT_TRUE(cache_unread_drop_unlisted(&bed.cache));
	TEST_ASSERT_FALSE(cache_unread_drop_unlisted(&bed.cache));
	TEST_ASSERT_EQUAL_UINT32(0, unread_on("n"));
	TEST_ASSERT_EQUAL_UINT32(1, unread_on("m"));
	cache_unread_drop(&bed.cache, TEXT("default"), TEXT("b"));
	bed_clear();
}

static void test_unread_when_it_was_reported_then_only_another_leader_does_so_again(void)
{
	struct cache *cache = &bed.cache;
	TEST_ASSERT_EQUAL_UINT32(0, cache_unread_report(cache));
	TEST_ASSERT_TRUE(put("a", ""));
	uint32_t a = cache_unread_report(cache);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, a);
	TEST_ASSERT_EQUAL_STRING("odd", cache_unread_at(&cache->unreads, a)->reason);
	TEST_ASSERT_TRUE(put("a", ""));
	TEST_ASSERT_EQUAL_UINT32(0, cache_unread_report(cache));
	cache_unread_report_again(cache);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cache_unread_report(cache));
	TEST_ASSERT_TRUE(put("a", "n1")); /* it closes a node now */
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cache_unread_report(cache));
	TEST_ASSERT_EQUAL_UINT32(0, cache->unreads.unreported);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_each_counts_once_and_at_one_node);
	RUN_TEST(test_a_node_that_is_not_there);
	RUN_TEST(test_a_good_version_and_a_deletion_heal);
	RUN_TEST(test_a_list_without_it_heals);
	RUN_TEST(test_unread_when_it_was_reported_then_only_another_leader_does_so_again);
	return UNITY_END();
}
