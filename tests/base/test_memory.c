/* SPDX-License-Identifier: GPL-2.0-only */
/* The seal, what it forbids, and address space from the system. */
// deps: base/memory.c base/arena.c base/check.c base/format.c base/budget.c base/trace.c
// deps: base/pages.c
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "check_expected.h"
#include "unity.h"

void setUp(void)
{
	memory_unseal();
	memory_seal_is_deadly(false);
}

void tearDown(void)
{
	memory_unseal();
	memory_seal_is_deadly(false);
}

static void test_seal_ends_the_setup(void)
{
	static uint8_t block[256];
	struct arena arena;
	arena_init(&arena, block, sizeof(block));
	TEST_ASSERT_EQUAL(MEMORY_SETUP, memory_phase());
	TEST_ASSERT_NOT_NULL(arena_take(&arena, 16));
	memory_seal();
	TEST_ASSERT_EQUAL(MEMORY_SEALED, memory_phase());
	CHECK_EXPECTED(arena_take(&arena, 16));
	CHECK_EXPECTED(arena_take_raw(&arena, 16));
	CHECK_EXPECTED(memory_reserve(4096));
	CHECK_EXPECTED((memory_seal(), 0));
	memory_unseal();
	TEST_ASSERT_NOT_NULL(arena_take(&arena, 16));
}

static void test_late_requests_are_counted(void)
{
	uint64_t before = memory_late_requests();
	CHECK_EXPECTED((memory_late_request(1), 0)); /* not late at all */
	memory_seal();
	memory_late_request(10);
	memory_late_request(20);
	TEST_ASSERT_EQUAL_UINT64(before + 2, memory_late_requests());
	memory_seal_is_deadly(true);
	CHECK_EXPECTED((memory_late_request(30), 0));
	TEST_ASSERT_EQUAL_UINT64(before + 3, memory_late_requests());
}

static void test_reserve_gives_zeros(void)
{
	enum { SIZE = 1 << 20 };
	uint8_t *block = memory_reserve(SIZE);
	TEST_ASSERT_NOT_NULL(block);
	for (size_t i = 0; i < SIZE; i++)
		TEST_ASSERT_EQUAL_UINT8(0, block[i]);
	memset(block, 1, SIZE);
	memory_release(block, SIZE);
}

static void test_reserve_refuses_what_nobody_has(void)
{
	TEST_ASSERT_NULL(memory_reserve(SIZE_MAX - 65535));
	CHECK_EXPECTED(memory_reserve(0));
}

static void test_without_our_malloc_nothing_is_used(void)
{
	TEST_ASSERT_EQUAL_size_t(0, memory_malloc_used());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_seal_ends_the_setup);
	RUN_TEST(test_late_requests_are_counted);
	RUN_TEST(test_reserve_gives_zeros);
	RUN_TEST(test_reserve_refuses_what_nobody_has);
	RUN_TEST(test_without_our_malloc_nothing_is_used);
	return UNITY_END();
}
