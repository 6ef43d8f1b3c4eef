/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace ring: empty, partly full, wrapped. */
// deps: base/trace.c base/check.c base/format.c base/budget.c
#include "base/trace.h"

#include "unity.h"

void setUp(void)
{
	trace_reset();
}

void tearDown(void)
{
}

static void test_empty(void)
{
	struct trace_record record;
	TEST_ASSERT_EQUAL_UINT64(0, trace_count());
	TEST_ASSERT_FALSE(trace_get(0, &record));
}

static void test_newest_first(void)
{
	struct trace_record record;
	trace_now((struct mono){5});
	trace("one", 1, 10);
	trace_now((struct mono){6});
	trace("two", 2, 20);
	TEST_ASSERT_TRUE(trace_get(0, &record));
	TEST_ASSERT_EQUAL_STRING("two", record.what);
	TEST_ASSERT_EQUAL_INT64(6, record.us);
	TEST_ASSERT_EQUAL_UINT32(2, record.a);
	TEST_ASSERT_EQUAL_UINT32(20, record.b);
	TEST_ASSERT_TRUE(trace_get(1, &record));
	TEST_ASSERT_EQUAL_STRING("one", record.what);
	TEST_ASSERT_EQUAL_INT64(5, record.us);
	TEST_ASSERT_FALSE(trace_get(2, &record));
}

static void test_wraps(void)
{
	struct trace_record record;
	for (uint32_t i = 0; i < TRACE_RECORDS * 2 + 3; i++)
		trace("step", i, 0);
	TEST_ASSERT_EQUAL_UINT64(TRACE_RECORDS * 2 + 3, trace_count());
	for (uint32_t back = 0; back < TRACE_RECORDS; back++) {
		TEST_ASSERT_TRUE(trace_get(back, &record));
		TEST_ASSERT_EQUAL_UINT32(TRACE_RECORDS * 2 + 2 - back, record.a);
	}
	TEST_ASSERT_FALSE(trace_get(TRACE_RECORDS, &record));
	TEST_ASSERT_FALSE(trace_get(UINT32_MAX, &record));
}

static void test_reset_forgets(void)
{
	struct trace_record record;
	trace_now((struct mono){5});
	trace("one", 1, 1);
	trace_reset();
	TEST_ASSERT_FALSE(trace_get(0, &record));
	trace("two", 1, 1);
	TEST_ASSERT_TRUE(trace_get(0, &record));
	TEST_ASSERT_EQUAL_INT64(0, record.us);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_empty);
	RUN_TEST(test_newest_first);
	RUN_TEST(test_wraps);
	RUN_TEST(test_reset_forgets);
	return UNITY_END();
}
