/* SPDX-License-Identifier: GPL-2.0-only */
/* Pool: full, empty, reuse, walks, and 200,000 random steps next to a naive model. */
// deps: base/pool.c base/arena.c base/memory.c base/entropy.c base/check.c base/budget.c
// deps: base/format.c
// deps: base/trace.c
// deps: base/pages.c
#include "base/pool.h"

#include <string.h>
#include <sys/mman.h>

#include "base/entropy.h"
#include "base/memory.h"
#include "base/poison.h"
#include "check_expected.h"
#include "unity.h"

struct thing {
	uint32_t number;
	uint32_t more[4];
};

static _Alignas(16) uint8_t block[64 * 1024];
static struct arena arena;
static struct pool pool;

void setUp(void)
{
	budget_reset();
	arena_init(&arena, block, sizeof(block));
	memset(block, 0xee, sizeof(block));
}

void tearDown(void)
{
	poison_lift(block, sizeof(block));
}

static void test_init_takes_no_more_than_its_size(void)
{
	static const struct {
		size_t slot_size;
		uint32_t capacity;
	} cases[] = {{1, 1}, {20, 31}, {20, 32}, {7, 33}, {48, 1000}};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		arena_init(&arena, block, sizeof(block));
		pool_init(&pool, &arena, "things", cases[i].slot_size, cases[i].capacity);
		TEST_ASSERT_LESS_OR_EQUAL_size_t(pool_size(cases[i].slot_size, cases[i].capacity),
			sizeof(block) - arena_left(&arena));
	}
	CHECK_EXPECTED(pool_size(0, 10));
	CHECK_EXPECTED(pool_size(10, 0));
	CHECK_EXPECTED(pool_size(SIZE_MAX / 8, 100));
}

static void test_full_and_reuse(void)
{
	pool_init(&pool, &arena, "things", sizeof(struct thing), 3);
	TEST_ASSERT_EQUAL_UINT32(1, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT32(2, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT32(3, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT32(0, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT64(1, pool.budget.refused);
	TEST_ASSERT_EQUAL_UINT32(3, pool_used(&pool));
	pool_give(&pool, 1);
	pool_give(&pool, 3);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&pool));
	TEST_ASSERT_EQUAL_UINT32(1, pool_take(&pool)); /* the lowest first */
	TEST_ASSERT_EQUAL_UINT32(3, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT32(0, pool_take(&pool));
	TEST_ASSERT_EQUAL_UINT32(3, pool_top(&pool));
	pool_audit(&pool);
}

static void test_slots_come_zeroed(void)
{
	static const struct thing nothing;
	pool_init(&pool, &arena, "things", sizeof(struct thing), 3);
	uint32_t index = pool_take(&pool);
	TEST_ASSERT_EQUAL_MEMORY(&nothing, pool_at(&pool, index), sizeof(nothing));
	memset(pool_at(&pool, index), 0xaa, sizeof(nothing));
	pool_give(&pool, index);
	TEST_ASSERT_EQUAL_UINT32(index, pool_take(&pool));
	TEST_ASSERT_EQUAL_MEMORY(&nothing, pool_at(&pool, index), sizeof(nothing));
}

static void test_wrong_indexes_are_bugs(void)
{
	pool_init(&pool, &arena, "things", sizeof(struct thing), 40);
	CHECK_EXPECTED(pool_at(&pool, 0));
	CHECK_EXPECTED(pool_at(&pool, 1));
	uint32_t index = pool_take(&pool);
	TEST_ASSERT_NOT_NULL(pool_at(&pool, index));
	CHECK_EXPECTED(pool_at(&pool, 2));
	CHECK_EXPECTED(pool_at(&pool, 41));
	CHECK_EXPECTED(pool_at(&pool, UINT32_MAX));
	pool_give(&pool, index);
	CHECK_EXPECTED(pool_at(&pool, index));
	CHECK_EXPECTED((pool_give(&pool, index), 0));
	CHECK_EXPECTED((pool_give(&pool, 0), 0));
	TEST_ASSERT_FALSE(pool_is_taken(&pool, 0));
	TEST_ASSERT_FALSE(pool_is_taken(&pool, index));
}

static void test_walk(void)
{
	pool_init(&pool, &arena, "things", 4, 100);
	TEST_ASSERT_EQUAL_UINT32(0, pool_next(&pool, 0));
	for (int i = 0; i < 100; i++)
		TEST_ASSERT_NOT_EQUAL(0, pool_take(&pool));
	for (uint32_t i = 1; i <= 100; i++) {
		if (i != 1 && i != 31 && i != 32 && i != 64 && i != 95 && i != 100)
			pool_give(&pool, i);
	}
	static const uint32_t left[] = {1, 31, 32, 64, 95, 100, 0};
	uint32_t at = 0;
	for (size_t i = 0; i < ARRAY_COUNT(left); i++)
		TEST_ASSERT_EQUAL_UINT32(left[i], at = pool_next(&pool, at));
	TEST_ASSERT_EQUAL_UINT32(0, pool_next(&pool, 100));
	TEST_ASSERT_EQUAL_UINT32(100, pool_top(&pool));
	pool_give(&pool, 100);
	TEST_ASSERT_EQUAL_UINT32(95, pool_top(&pool));
	/* What is visited may be given back. */
	for (uint32_t i = pool_next(&pool, 0); i != 0; i = pool_next(&pool, i))
		pool_give(&pool, i);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&pool));
	pool_audit(&pool);
}

static void test_damage_is_found(void)
{
	pool_init(&pool, &arena, "things", sizeof(struct thing), 10);
	uint32_t one = pool_take(&pool);
	pool_audit(&pool);
	pool.taken[0] ^= 1u << one;
	CHECK_EXPECTED((pool_audit(&pool), 0));
	pool.taken[0] ^= 1u << one;
	pool.full[0] = 1;
	CHECK_EXPECTED((pool_audit(&pool), 0));
}

static size_t pages_resident(void *at, size_t size)
{
	static unsigned char pages[8192];
	size_t count = 0;
	TEST_ASSERT_TRUE(size / 4096 <= sizeof(pages));
	TEST_ASSERT_EQUAL_INT(0, mincore(at, size, pages));
	for (size_t i = 0; i < size / 4096; i++)
		count += pages[i] & 1;
	return count;
}

static void test_unused_slots_cost_nothing(void)
{
	enum { SIZE = 16 << 20 };
	void *reserved = memory_reserve(SIZE);
	TEST_ASSERT_NOT_NULL(reserved);
	arena_init_zeroed(&arena, reserved, SIZE);
	pool_init(&pool, &arena, "things", 1000, 16000);
	for (int i = 0; i < 10; i++)
		TEST_ASSERT_NOT_EQUAL(0, pool_take(&pool));
	TEST_ASSERT_TRUE(pages_resident(reserved, SIZE) <= 8);
	memory_release(reserved, SIZE);
}

/* Words of bits and words of words that are full to the last slot. */
static void test_every_capacity_can_be_filled(void)
{
	static const uint32_t capacities[] = {
		1, 62, 63, 64, 127, 128, 4095, 4096, 4097, 8191, 8192};
	for (size_t i = 0; i < ARRAY_COUNT(capacities); i++) {
		arena_init(&arena, block, sizeof(block));
		pool_init(&pool, &arena, "things", 4, capacities[i]);
		for (uint32_t n = 1; n <= capacities[i]; n++)
			TEST_ASSERT_EQUAL_UINT32(n, pool_take(&pool));
		TEST_ASSERT_EQUAL_UINT32(0, pool_take(&pool));
		pool_audit(&pool);
		pool_give(&pool, capacities[i]);
		TEST_ASSERT_EQUAL_UINT32(capacities[i], pool_take(&pool));
		pool_audit(&pool);
	}
}

static void test_random_steps(void)
{
	enum { CAPACITY = 500, STEPS = 200 * 1000 };
	static uint32_t numbers[CAPACITY + 1]; /* 0: free */
	struct random random;
	uint32_t used = 0;
	random_init(&random, 1);
	memset(numbers, 0, sizeof(numbers));
	pool_init(&pool, &arena, "things", sizeof(struct thing), CAPACITY);
	for (uint32_t step = 1; step <= STEPS; step++) {
		/* Drifts between empty and full. */
		bool filling = step / 2000 % 2 == 0;
		if (random_below(&random, 10) < (filling ? 7u : 3u)) {
			uint32_t index = pool_take(&pool);
			TEST_ASSERT_EQUAL(used == CAPACITY, index == 0);
			if (index == 0)
				continue;
			TEST_ASSERT_TRUE(index <= CAPACITY);
			TEST_ASSERT_EQUAL_UINT32(0, numbers[index]);
			struct thing *thing = pool_at(&pool, index);
			TEST_ASSERT_EQUAL_UINT32(0, thing->number);
			thing->number = step;
			thing->more[3] = ~step;
			numbers[index] = step;
			used++;
		} else {
			uint32_t index = 1 + random_below(&random, CAPACITY);
			TEST_ASSERT_EQUAL(numbers[index] != 0, pool_is_taken(&pool, index));
			if (numbers[index] == 0)
				continue;
			const struct thing *thing = pool_at(&pool, index);
			TEST_ASSERT_EQUAL_UINT32(numbers[index], thing->number);
			TEST_ASSERT_EQUAL_UINT32(~numbers[index], thing->more[3]);
			pool_give(&pool, index);
			numbers[index] = 0;
			used--;
		}
		TEST_ASSERT_EQUAL_UINT32(used, pool_used(&pool));
		if (step % 1000 == 0)
			pool_audit(&pool);
	}
	TEST_ASSERT_EQUAL_UINT64(CAPACITY, pool.budget.used_max);
	TEST_ASSERT_TRUE(pool.budget.refused > 0);
}

#ifdef POISON_WORKS
static void test_poison(void)
{
	pool_init(&pool, &arena, "things", sizeof(struct thing), 10);
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(pool.slots));
	uint32_t index = pool_take(&pool);
	struct thing *thing = pool_at(&pool, index);
	TEST_ASSERT_FALSE(__asan_address_is_poisoned(&thing->more[3]));
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(thing + 1));
	pool_give(&pool, index);
	TEST_ASSERT_TRUE(__asan_address_is_poisoned(thing));
}
#endif

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_init_takes_no_more_than_its_size);
	RUN_TEST(test_full_and_reuse);
	RUN_TEST(test_slots_come_zeroed);
	RUN_TEST(test_wrong_indexes_are_bugs);
	RUN_TEST(test_walk);
	RUN_TEST(test_damage_is_found);
	RUN_TEST(test_unused_slots_cost_nothing);
	RUN_TEST(test_every_capacity_can_be_filled);
	RUN_TEST(test_random_steps);
#ifdef POISON_WORKS
	RUN_TEST(test_poison);
#endif
	return UNITY_END();
}
