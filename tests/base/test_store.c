/* SPDX-License-Identifier: GPL-2.0-only */
/* Store: splitting, merging in every order, alignment, and random steps next to a naive model. */
// deps: base/store.c base/memory.c base/entropy.c base/check.c base/budget.c base/trace.c
// deps: base/format.c
// deps: base/arena.c base/pages.c
#include "base/store.h"

#include <string.h>
#include <sys/mman.h>

#include "base/entropy.h"
#include "base/memory.h"
#include "base/poison.h"
#include "check_expected.h"
#include "unity.h"

enum { BLOCK = 256 * 1024 };

static _Alignas(4096) uint8_t block[BLOCK];
static struct store store;

void setUp(void)
{
	budget_reset();
	store_init(&store, "test", block, sizeof(block));
}

void tearDown(void)
{
	poison_lift(block, sizeof(block));
}

/* Everything came back: the region is one free block again, which a request of all of it proves. */
static void is_whole_again(size_t size)
{
	TEST_ASSERT_EQUAL_UINT32(0, store_audit(&store));
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.used);
	uint32_t all = store_take(&store, size - STORE_UNIT);
	TEST_ASSERT_NOT_EQUAL(0, all);
	store_give(&store, all);
}

static void test_fresh(void)
{
	TEST_ASSERT_EQUAL_UINT64(BLOCK, store.budget.capacity);
	is_whole_again(BLOCK);
	TEST_ASSERT_EQUAL_UINT64(BLOCK, store.budget.used_max);
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.refused);
}

static void test_sizes(void)
{
	for (size_t size = 0; size < 300; size++) {
		uint32_t handle = store_take(&store, size);
		TEST_ASSERT_NOT_EQUAL(0, handle);
		size_t wanted = size == 0 ? 8 : (size + 7) / 8 * 8;
		TEST_ASSERT_EQUAL_size_t(wanted, store_size(&store, handle));
		TEST_ASSERT_EQUAL_UINT64(wanted + 8, store.budget.used);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)store_at(&store, handle) % 8);
		TEST_ASSERT_EQUAL_UINT32(handle, store_handle(&store, store_at(&store, handle)));
		memset(store_at(&store, handle), 1, wanted);
		TEST_ASSERT_EQUAL_UINT32(1, store_audit(&store));
		store_give(&store, handle);
	}
	is_whole_again(BLOCK);
}

static void test_too_large_is_refused(void)
{
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, BLOCK - 7));
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, BLOCK));
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, SIZE_MAX));
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, SIZE_MAX / 2));
	TEST_ASSERT_EQUAL_UINT32(0, store_take_aligned(&store, SIZE_MAX, 64));
	TEST_ASSERT_EQUAL_UINT32(0, store_take_aligned(&store, BLOCK - 8, 64));
	TEST_ASSERT_EQUAL_UINT32(0, store_take_aligned(&store, 8, (size_t)1 << 30));
	TEST_ASSERT_EQUAL_UINT64(7, store.budget.refused);
	is_whole_again(BLOCK);
}

static void test_filled_to_the_brim(void)
{
	static uint32_t handles[BLOCK / 16];
	for (size_t i = 0; i < ARRAY_COUNT(handles); i++) {
		handles[i] = store_take(&store, 8);
		TEST_ASSERT_NOT_EQUAL(0, handles[i]);
		memset(store_at(&store, handles[i]), (int)i, 8);
	}
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, 0));
	TEST_ASSERT_EQUAL_UINT64(1, store.budget.refused);
	TEST_ASSERT_EQUAL_UINT64(BLOCK, store.budget.used);
	TEST_ASSERT_EQUAL_UINT32(ARRAY_COUNT(handles), store_audit(&store));
	/* Every second one: plenty is free, but nothing larger fits. */
	for (size_t i = 0; i < ARRAY_COUNT(handles); i += 2)
		store_give(&store, handles[i]);
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, 9));
	uint32_t again = store_take(&store, 8);
	TEST_ASSERT_NOT_EQUAL(0, again);
	store_give(&store, again);
	store_audit(&store);
	for (size_t i = 1; i < ARRAY_COUNT(handles); i += 2)
		store_give(&store, handles[i]);
	is_whole_again(BLOCK);
}

/* Three neighbours go back in every order: no neighbour, the next, the one before, both. */
static void test_neighbours_merge(void)
{
	static const uint8_t orders[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	for (size_t order = 0; order < ARRAY_COUNT(orders); order++) {
		uint32_t handles[3];
		for (int i = 0; i < 3; i++)
			handles[i] = store_take(&store, 100);
		uint32_t wall = store_take(&store, 100);
		for (int i = 0; i < 3; i++) {
			store_give(&store, handles[orders[order][i]]);
			TEST_ASSERT_EQUAL_UINT32(3u - (unsigned)i, store_audit(&store));
		}
		/* What the three were is one block now. */
		uint32_t merged = store_take(&store, 3 * 112 - 8);
		TEST_ASSERT_EQUAL_UINT32(handles[0], merged);
		store_give(&store, merged);
		store_give(&store, wall);
		is_whole_again(BLOCK);
	}
}

static void test_a_remainder_too_small_stays_with_the_block(void)
{
	uint32_t first = store_take(&store, 32);
	uint32_t wall = store_take(&store, 8);
	store_give(&store, first);
	uint32_t again = store_take(&store, 24); /* one unit is left over */
	TEST_ASSERT_EQUAL_UINT32(first, again);
	TEST_ASSERT_EQUAL_size_t(32, store_size(&store, again));
	store_audit(&store);
	store_give(&store, again);
	store_give(&store, wall);
	is_whole_again(BLOCK);
}

static void test_aligned(void)
{
	static const size_t aligns[] = {1, 2, 4, 8, 16, 32, 64, 256, 4096};
	uint32_t handles[ARRAY_COUNT(aligns) * 3];
	size_t count = 0;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_COUNT(aligns); i++) {
			uint32_t handle = store_take_aligned(&store, 24 + i * 8, aligns[i]);
			TEST_ASSERT_NOT_EQUAL(0, handle);
			TEST_ASSERT_EQUAL_UINT32(
				0, (uintptr_t)store_at(&store, handle) % aligns[i]);
			TEST_ASSERT_TRUE(store_size(&store, handle) >= 24 + i * 8);
			memset(store_at(&store, handle), 1, 24 + i * 8);
			handles[count++] = handle;
			TEST_ASSERT_EQUAL_UINT32(count, store_audit(&store));
		}
	}
	for (size_t i = 0; i < count; i++)
		store_give(&store, handles[i]);
	is_whole_again(BLOCK);
	CHECK_EXPECTED(store_take_aligned(&store, 8, 48));
	CHECK_EXPECTED(store_take_aligned(&store, 8, 0));
}

static void test_odd_regions(void)
{
	for (size_t size = 1024; size < 1100; size++) {
		store_init(&store, "test", block + 8, size);
		is_whole_again(size / 8 * 8);
		uint32_t handle = store_take(&store, 500);
		memset(store_at(&store, handle), 0xff, 500);
		store_audit(&store);
		store_give(&store, handle);
	}
	CHECK_EXPECTED((store_init(&store, "test", block, 1023), 0));
	CHECK_EXPECTED((store_init(&store, "test", block + 4, 4096), 0));
}

static void test_wrong_handles_are_bugs(void)
{
	uint32_t one = store_take(&store, 100);
	uint32_t two = store_take(&store, 100);
	memset(store_at(&store, one), 0xff, 100);
	memset(store_at(&store, two), 0xff, 100);
	CHECK_EXPECTED((store_give(&store, 0), 0));
	CHECK_EXPECTED((store_give(&store, one + 3), 0));
	CHECK_EXPECTED((store_give(&store, BLOCK / 8), 0));
	CHECK_EXPECTED((store_give(&store, UINT32_MAX), 0));
	CHECK_EXPECTED(store_at(&store, 0));
	CHECK_EXPECTED(store_at(&store, BLOCK / 8));
	CHECK_EXPECTED(store_handle(&store, (uint8_t *)store_at(&store, one) + 1));
	CHECK_EXPECTED(store_handle(&store, (uint8_t *)store_at(&store, one) + 8));
	CHECK_EXPECTED(store_handle(&store, block + BLOCK));
	store_give(&store, one);
	CHECK_EXPECTED((store_give(&store, one), 0));
	CHECK_EXPECTED(store_size(&store, one));
	store_give(&store, two);
	CHECK_EXPECTED((store_give(&store, two), 0));
	is_whole_again(BLOCK);
}

static void test_an_overrun_is_found(void)
{
	uint32_t one = store_take(&store, 16);
	uint32_t two = store_take(&store, 16);
	uint8_t *header = (uint8_t *)store_at(&store, two) - 8;
	poison_lift(header, 8);
	header[0] ^= 1;
	CHECK_EXPECTED(store_audit(&store));
	CHECK_EXPECTED((store_give(&store, one), 0));
	header[0] ^= 1;
	store_give(&store, one);
}

static void test_unused_memory_costs_nothing(void)
{
	enum { SIZE = 32 << 20 };
	static unsigned char pages[SIZE / 4096];
	void *reserved = memory_reserve(SIZE);
	TEST_ASSERT_NOT_NULL(reserved);
	store_init(&store, "test", reserved, SIZE);
	for (int i = 0; i < 20; i++)
		TEST_ASSERT_NOT_EQUAL(0, store_take(&store, 400));
	TEST_ASSERT_EQUAL_INT(0, mincore(reserved, SIZE, pages));
	size_t resident = 0;
	for (size_t i = 0; i < sizeof(pages); i++)
		resident += pages[i] & 1;
	TEST_ASSERT_TRUE(resident <= 4);
	memory_release(reserved, SIZE);
}

/* ---- random steps ---- */

enum { LIVE_MAX = 1500 };

struct live {
	uint32_t handle;
	size_t size;
	uint8_t fill;
};

static struct live live[LIVE_MAX];
static size_t live_count;

static size_t random_size(struct random *random)
{
	switch (random_below(random, 10)) {
	case 0: return random_below(random, 20000);
	case 1: return random_below(random, 2000);
	default: return random_below(random, 120);
	}
}

static void live_verify(const struct live *l)
{
	const uint8_t *at = store_at(&store, l->handle);
	TEST_ASSERT_TRUE(store_size(&store, l->handle) >= l->size);
	for (size_t i = 0; i < l->size; i++)
		TEST_ASSERT_EQUAL_UINT8(l->fill, at[i]);
}

static void live_add(struct random *random)
{
	size_t size = random_size(random);
	size_t align = (size_t)1 << (random_below(random, 4) == 0 ? random_below(random, 9) : 0);
	uint32_t handle = store_take_aligned(&store, size, align);
	if (handle == 0)
		return;
	TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)store_at(&store, handle) % align);
	struct live *l = &live[live_count++];
	*l = (struct live){handle, size, (uint8_t)random_next(random)};
	memset(store_at(&store, handle), l->fill, size);
}

static void live_drop(size_t i)
{
	live_verify(&live[i]);
	store_give(&store, live[i].handle);
	live[i] = live[--live_count];
}

static void live_audit(void)
{
	uint64_t bytes = 0;
	TEST_ASSERT_EQUAL_UINT32(live_count, store_audit(&store));
	for (size_t i = 0; i < live_count; i++)
		bytes += store_size(&store, live[i].handle) + STORE_UNIT;
	TEST_ASSERT_EQUAL_UINT64(bytes, store.budget.used);
}

static void test_random_steps(void)
{
	enum { STEPS = 200 * 1000 };
	struct random random;
	random_init(&random, 2);
	live_count = 0;
	for (uint32_t step = 1; step <= STEPS; step++) {
		bool filling = step / 5000 % 2 == 0;
		bool add = random_below(&random, 10) < (filling ? 7u : 3u);
		if (add && live_count < LIVE_MAX)
			live_add(&random);
		else if (live_count > 0)
			live_drop(random_below(&random, (uint32_t)live_count));
		if (step % 500 == 0)
			live_audit();
	}
	TEST_ASSERT_TRUE(store.budget.refused > 0);
	TEST_ASSERT_TRUE(store.budget.used_max > BLOCK * 9 / 10);
	while (live_count > 0)
		live_drop(random_below(&random, (uint32_t)live_count));
	is_whole_again(BLOCK);
}

#ifdef POISON_WORKS
static void test_poison(void)
{
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(block + 8));
	uint32_t handle = store_take(&store, 16);
	uint8_t *at = store_at(&store, handle);
	TEST_ASSERT_FALSE(__asan_address_is_poisoned(at + 15));
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(at - 1));
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(at + 16));
	store_give(&store, handle);
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(at));
}
#endif

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_fresh);
	RUN_TEST(test_sizes);
	RUN_TEST(test_too_large_is_refused);
	RUN_TEST(test_filled_to_the_brim);
	RUN_TEST(test_neighbours_merge);
	RUN_TEST(test_a_remainder_too_small_stays_with_the_block);
	RUN_TEST(test_aligned);
	RUN_TEST(test_odd_regions);
	RUN_TEST(test_wrong_handles_are_bugs);
	RUN_TEST(test_an_overrun_is_found);
	RUN_TEST(test_unused_memory_costs_nothing);
	RUN_TEST(test_random_steps);
#ifdef POISON_WORKS
	RUN_TEST(test_poison);
#endif
	return UNITY_END();
}
