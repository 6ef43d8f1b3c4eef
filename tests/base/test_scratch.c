/* SPDX-License-Identifier: GPL-2.0-only */
/* Scratch: marks, overflow that sticks, the rest, and poison behind the fill mark. */
// deps: base/scratch.c base/check.c base/format.c base/budget.c base/trace.c
// deps: base/arena.c base/pages.c base/memory.c
#include "base/scratch.h"

#include <string.h>

#include "base/poison.h"
#include "check_expected.h"
#include "unity.h"

static _Alignas(16) uint8_t block[1024];
static struct scratch scratch;

void setUp(void)
{
	poison_lift(block, sizeof(block));
	memset(block, 0xee, sizeof(block));
	scratch_init(&scratch, block, sizeof(block));
}

void tearDown(void)
{
	poison_lift(block, sizeof(block));
}

static void test_takes_are_zeroed_and_aligned(void)
{
	for (size_t size = 0; size < 30; size++) {
		uint8_t *taken = scratch_take(&scratch, size);
		TEST_ASSERT_NOT_NULL(taken);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken % 16);
		for (size_t i = 0; i < size; i++)
			TEST_ASSERT_EQUAL_UINT8(0, taken[i]);
	}
}

static void test_exact_fill(void)
{
	TEST_ASSERT_EQUAL_PTR(block, scratch_take(&scratch, 1024));
	TEST_ASSERT_FALSE(scratch.overflowed);
	TEST_ASSERT_NULL(scratch_take(&scratch, 1));
	TEST_ASSERT_TRUE(scratch.overflowed);
	TEST_ASSERT_EQUAL_size_t(1024, scratch.used_max);
}

static void test_overflow_sticks(void)
{
	TEST_ASSERT_NULL(scratch_take(&scratch, 1025));
	TEST_ASSERT_NULL(scratch_take(&scratch, 1));
	TEST_ASSERT_NULL(scratch_take(&scratch, 0));
	TEST_ASSERT_NULL(SCRATCH_ONE(&scratch, int));
	size_t size = 7;
	TEST_ASSERT_NULL(scratch_take_rest(&scratch, &size));
	TEST_ASSERT_EQUAL_size_t(0, size);
	scratch_keep(&scratch, NULL, 0);
	scratch_reset(&scratch);
	TEST_ASSERT_FALSE(scratch.overflowed);
	TEST_ASSERT_NOT_NULL(scratch_take(&scratch, 1));
}

static void test_rewind_takes_back_memory_and_overflow(void)
{
	uint8_t *kept = scratch_take(&scratch, 16);
	kept[0] = 1;
	struct scratch_mark mark = scratch_mark(&scratch);
	uint8_t *second = scratch_take(&scratch, 100);
	second[0] = 9;
	TEST_ASSERT_NULL(scratch_take(&scratch, 2000));
	scratch_rewind(&scratch, mark);
	TEST_ASSERT_FALSE(scratch.overflowed);
	TEST_ASSERT_EQUAL_UINT8(1, kept[0]);
	TEST_ASSERT_EQUAL_PTR(second, scratch_take(&scratch, 100));
	TEST_ASSERT_EQUAL_UINT8(0, second[0]);
	TEST_ASSERT_EQUAL_size_t(128, scratch.used_max);
}

static void test_overflow_before_the_mark_stays(void)
{
	TEST_ASSERT_NULL(scratch_take(&scratch, 2000));
	struct scratch_mark mark = scratch_mark(&scratch);
	scratch_rewind(&scratch, mark);
	TEST_ASSERT_TRUE(scratch.overflowed);
}

static void test_marks_only_go_back(void)
{
	scratch_take(&scratch, 64);
	struct scratch_mark mark = scratch_mark(&scratch);
	scratch_reset(&scratch);
	CHECK_EXPECTED((scratch_rewind(&scratch, mark), 0));
}

static void test_arrays_cannot_wrap(void)
{
	TEST_ASSERT_NOT_NULL(SCRATCH_ARRAY(&scratch, uint32_t, 4));
	TEST_ASSERT_EQUAL_size_t(16, scratch.used);
	TEST_ASSERT_NULL(scratch_take_array(&scratch, SIZE_MAX / 4 + 2, 4));
	TEST_ASSERT_TRUE(scratch.overflowed);
	scratch_reset(&scratch);
	TEST_ASSERT_NULL(scratch_take(&scratch, SIZE_MAX));
	scratch_reset(&scratch);
	TEST_ASSERT_NOT_NULL(scratch_take_array(&scratch, SIZE_MAX, 0));
}

static void test_rest_is_kept_as_far_as_used(void)
{
	size_t size;
	scratch_take(&scratch, 10);
	char *rest = scratch_take_rest(&scratch, &size);
	TEST_ASSERT_EQUAL_size_t(1008, size);
	memcpy(rest, "printed", 7);
	scratch_keep(&scratch, rest, 7);
	TEST_ASSERT_EQUAL_size_t(32, scratch.used);
	TEST_ASSERT_EQUAL_size_t(32, scratch.used_max);
	TEST_ASSERT_EQUAL_MEMORY("printed", rest, 7);
	TEST_ASSERT_EQUAL_PTR(block + 32, scratch_take(&scratch, 1));
}

static void test_rest_may_be_all_or_nothing(void)
{
	size_t size;
	char *rest = scratch_take_rest(&scratch, &size);
	scratch_keep(&scratch, rest, 0);
	TEST_ASSERT_EQUAL_size_t(0, scratch.used);
	rest = scratch_take_rest(&scratch, &size);
	scratch_keep(&scratch, rest, size);
	TEST_ASSERT_EQUAL_size_t(1024, scratch.used);
	rest = scratch_take_rest(&scratch, &size);
	TEST_ASSERT_EQUAL_size_t(0, size);
	scratch_keep(&scratch, rest, 0);
	CHECK_EXPECTED((scratch_keep(&scratch, rest, 1), 0));
}

static void test_taking_while_the_rest_is_out_overflows(void)
{
	size_t size;
	char *rest = scratch_take_rest(&scratch, &size);
	TEST_ASSERT_NULL(scratch_take(&scratch, 1));
	scratch_keep(&scratch, rest, 5);
	TEST_ASSERT_TRUE(scratch.overflowed);
}

static void test_crooked_block(void)
{
	scratch_init(&scratch, block + 5, 60);
	TEST_ASSERT_EQUAL_size_t(48, scratch.size);
	TEST_ASSERT_EQUAL_PTR(block + 16, scratch_take(&scratch, 48));
}

#ifdef POISON_WORKS
static void test_poison(void)
{
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(block));
	uint8_t *taken = scratch_take(&scratch, 5);
	TEST_ASSERT_FALSE(__asan_address_is_poisoned(taken + 4));
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(taken + 5));
	scratch_reset(&scratch);
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(taken));
	size_t size;
	taken = scratch_take_rest(&scratch, &size);
	TEST_ASSERT_FALSE(__asan_address_is_poisoned(taken + size - 1));
	scratch_keep(&scratch, taken, 3);
	TEST_ASSERT_FALSE(__asan_address_is_poisoned(taken + 2));
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(taken + 3));
}
#endif

/* Too small for one take, be it for its place. */
static void test_a_block_of_nothing(void)
{
	static _Alignas(16) uint8_t bytes[32];
	struct scratch tiny;
	for (size_t at = 0; at < 16; at++)
		for (size_t size = 0; size <= 16; size++) {
			scratch_init(&tiny, bytes + at, size);
			TEST_ASSERT_EQUAL(at == 0 && size == 16, scratch_take(&tiny, 1) != NULL);
		}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_takes_are_zeroed_and_aligned);
	RUN_TEST(test_exact_fill);
	RUN_TEST(test_overflow_sticks);
	RUN_TEST(test_rewind_takes_back_memory_and_overflow);
	RUN_TEST(test_overflow_before_the_mark_stays);
	RUN_TEST(test_marks_only_go_back);
	RUN_TEST(test_arrays_cannot_wrap);
	RUN_TEST(test_rest_is_kept_as_far_as_used);
	RUN_TEST(test_rest_may_be_all_or_nothing);
	RUN_TEST(test_taking_while_the_rest_is_out_overflows);
	RUN_TEST(test_crooked_block);
#ifdef POISON_WORKS
	RUN_TEST(test_poison);
#endif
	RUN_TEST(test_a_block_of_nothing);
	return UNITY_END();
}
