/* SPDX-License-Identifier: GPL-2.0-only */
/* Arena: alignment, exact fill, zeroes, and what does not fit. */
// deps: base/arena.c base/memory.c base/check.c base/format.c base/budget.c base/trace.c
// deps: base/pages.c
#include "base/arena.h"

#include <string.h>

#include "check_expected.h"
#include "unity.h"

static _Alignas(8192) uint8_t block[8192];

void setUp(void)
{
	memset(block, 0xee, sizeof(block));
}

void tearDown(void)
{
}

static void test_takes_are_zeroed_and_aligned(void)
{
	struct arena arena;
	arena_init(&arena, block, sizeof(block));
	for (size_t size = 0; size < 40; size++) {
		uint8_t *taken = arena_take(&arena, size);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken % 16);
		for (size_t i = 0; i < size; i++)
			TEST_ASSERT_EQUAL_UINT8(0, taken[i]);
	}
}

static void test_larger_alignment(void)
{
	struct arena arena;
	arena_init(&arena, block, sizeof(block));
	arena_take(&arena, 1);
	uint8_t *taken = arena_take_aligned(&arena, 8, 4096);
	TEST_ASSERT_EQUAL_PTR(block + 4096, taken);
	TEST_ASSERT_EQUAL_PTR(block + 4112, arena_take_aligned(&arena, 8, 1));
	CHECK_EXPECTED(arena_take_aligned(&arena, 8, 24));
	CHECK_EXPECTED(arena_take_aligned(&arena, 8, 8192)); /* the next such place is outside */
	CHECK_EXPECTED(arena_take_aligned(&arena, 8, 0));
}

static void test_exact_fill_and_one_more(void)
{
	struct arena arena;
	arena_init(&arena, block, 64);
	TEST_ASSERT_EQUAL_size_t(64, arena_left(&arena));
	arena_take(&arena, 48);
	TEST_ASSERT_EQUAL_size_t(16, arena_left(&arena));
	CHECK_EXPECTED(arena_take(&arena, 17));
	arena_take(&arena, 16);
	TEST_ASSERT_EQUAL_size_t(0, arena_left(&arena));
	arena_take(&arena, 0);
	CHECK_EXPECTED(arena_take(&arena, 1));
	CHECK_EXPECTED(arena_take(&arena, SIZE_MAX));
}

static void test_crooked_start(void)
{
	struct arena arena;
	arena_init(&arena, block + 3, 61);
	TEST_ASSERT_EQUAL_size_t(48, arena_left(&arena));
	TEST_ASSERT_EQUAL_PTR(block + 16, arena_take(&arena, 48));
	CHECK_EXPECTED((arena_init(&arena, block + 1, 14), 0));
}

static void test_zeroed_and_raw_are_not_touched(void)
{
	struct arena arena;
	arena_init_zeroed(&arena, block, 64);
	uint8_t *taken = arena_take(&arena, 16);
	TEST_ASSERT_EQUAL_UINT8(0xee, taken[0]);
	arena_init(&arena, block, 64);
	taken = arena_take_raw(&arena, 16);
	TEST_ASSERT_EQUAL_UINT8(0xee, taken[15]);
}

static void test_array(void)
{
	struct arena arena;
	arena_init(&arena, block, sizeof(block));
	uint64_t *numbers = ARENA_ARRAY(&arena, uint64_t, 10);
	for (int i = 0; i < 10; i++)
		TEST_ASSERT_EQUAL_UINT64(0, numbers[i]);
	TEST_ASSERT_EQUAL_size_t(sizeof(block) - 80, arena_left(&arena));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_takes_are_zeroed_and_aligned);
	RUN_TEST(test_larger_alignment);
	RUN_TEST(test_exact_fill_and_one_more);
	RUN_TEST(test_crooked_start);
	RUN_TEST(test_zeroed_and_raw_are_not_touched);
	RUN_TEST(test_array);
	return UNITY_END();
}
