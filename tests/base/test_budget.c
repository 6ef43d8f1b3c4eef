/* SPDX-License-Identifier: GPL-2.0-only */
/* Budgets: counting and the list. */
// deps: base/budget.c base/check.c base/format.c base/trace.c
#include "base/budget.h"

#include <stddef.h>

#include "check_expected.h"
#include "unity.h"

void setUp(void)
{
	budget_reset();
}

void tearDown(void)
{
	budget_reset();
}

static void test_take_and_give(void)
{
	struct budget b;
	budget_register(&b, "pods", "count", 10);
	TEST_ASSERT_TRUE(budget_take(&b, 0));
	TEST_ASSERT_TRUE(budget_take(&b, 7));
	TEST_ASSERT_FALSE(budget_take(&b, 4));
	TEST_ASSERT_EQUAL_UINT64(7, b.used);
	TEST_ASSERT_EQUAL_UINT64(1, b.refused);
	TEST_ASSERT_TRUE(budget_take(&b, 3));
	TEST_ASSERT_FALSE(budget_take(&b, 1));
	TEST_ASSERT_FALSE(budget_take(&b, UINT64_MAX));
	budget_give(&b, 10);
	TEST_ASSERT_EQUAL_UINT64(0, b.used);
	TEST_ASSERT_EQUAL_UINT64(10, b.used_max);
	TEST_ASSERT_EQUAL_UINT64(3, b.refused);
	CHECK_EXPECTED((budget_give(&b, 1), 0));
}

static void test_the_list_keeps_the_order(void)
{
	struct budget b[3];
	TEST_ASSERT_NULL(budget_first());
	for (int i = 0; i < 3; i++)
		budget_register(&b[i], "b", "count", 1);
	TEST_ASSERT_EQUAL_PTR(&b[0], budget_first());
	TEST_ASSERT_EQUAL_PTR(&b[1], budget_next(&b[0]));
	TEST_ASSERT_EQUAL_PTR(&b[2], budget_next(&b[1]));
	TEST_ASSERT_NULL(budget_next(&b[2]));
	budget_unregister(&b[1]);
	TEST_ASSERT_EQUAL_PTR(&b[2], budget_next(&b[0]));
	budget_unregister(&b[0]);
	TEST_ASSERT_EQUAL_PTR(&b[2], budget_first());
	CHECK_EXPECTED((budget_unregister(&b[0]), 0));
}

static void test_registering_again_starts_afresh(void)
{
	struct budget b;
	budget_register(&b, "first", "count", 1);
	TEST_ASSERT_TRUE(budget_take(&b, 1));
	TEST_ASSERT_FALSE(budget_take(&b, 1));
	budget_register(&b, "second", "bytes", 5);
	TEST_ASSERT_EQUAL_STRING("second", budget_first()->name);
	TEST_ASSERT_EQUAL_UINT64(0, b.used);
	TEST_ASSERT_EQUAL_UINT64(0, b.used_max);
	TEST_ASSERT_EQUAL_UINT64(0, b.refused);
	TEST_ASSERT_EQUAL_UINT64(5, b.capacity);
	TEST_ASSERT_NULL(budget_next(&b));
}

static void test_the_list_is_bounded(void)
{
	static struct budget b[BUDGETS_MAX + 1];
	for (int i = 0; i < BUDGETS_MAX; i++)
		budget_register(&b[i], "b", "count", 1);
	CHECK_EXPECTED((budget_register(&b[BUDGETS_MAX], "b", "count", 1), 0));
	budget_register(&b[BUDGETS_MAX - 1], "b", "count", 1);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_take_and_give);
	RUN_TEST(test_the_list_keeps_the_order);
	RUN_TEST(test_registering_again_starts_afresh);
	RUN_TEST(test_the_list_is_bounded);
	return UNITY_END();
}
