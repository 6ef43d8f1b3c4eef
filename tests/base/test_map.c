/* SPDX-License-Identifier: GPL-2.0-only */
/* Map: collisions, chains, growing, full, and random steps next to a naive model. */
// deps: base/map.c base/arena.c base/memory.c base/entropy.c base/check.c base/budget.c
// deps: base/format.c
// deps: base/trace.c
// deps: base/pool.c base/pages.c
#include "base/map.h"

#include <string.h>

#include "base/entropy.h"
#include "check_expected.h"
#include "unity.h"

static _Alignas(16) uint8_t block[64 * 1024];
static struct arena arena;
static struct map map;

void setUp(void)
{
	memset(block, 0xee, sizeof(block));
	arena_init(&arena, block, sizeof(block));
}

void tearDown(void)
{
}

/* How many entries have this hash, and whether `index` is one of them. */
static uint32_t entries_of(uint32_t hash, uint32_t index, bool *found)
{
	struct map_walk walk = map_walk(&map, hash);
	uint32_t count = 0;
	*found = false;
	for (uint32_t i; (i = map_next(&map, &walk)) != 0;) {
		count++;
		*found = *found || i == index;
	}
	return count;
}

static bool has(uint32_t hash, uint32_t index)
{
	bool found;
	entries_of(hash, index, &found);
	return found;
}

static void test_init_takes_no_more_than_its_size(void)
{
	static const uint32_t capacities[] = {0, 1, 7, 8, 14, 15, 100, 1000, 3584, 3585};
	for (size_t i = 0; i < ARRAY_COUNT(capacities); i++) {
		arena_init(&arena, block, sizeof(block));
		map_init(&map, &arena, capacities[i]);
		TEST_ASSERT_LESS_OR_EQUAL_size_t(
			map_size(capacities[i]), sizeof(block) - arena_left(&arena));
		TEST_ASSERT_TRUE(capacities[i] <= map.span.size / sizeof(uint32_t));
	}
	CHECK_EXPECTED(map_size(UINT32_MAX));
}

static void test_empty(void)
{
	map_init(&map, &arena, 7);
	TEST_ASSERT_FALSE(has(0, 0));
	TEST_ASSERT_FALSE(has(5, 1));
	CHECK_EXPECTED((map_remove(&map, 5, 1), 0));
	map_audit(&map);
}

static void test_no_room_at_all(void)
{
	map_init(&map, &arena, 0);
	CHECK_EXPECTED((map_add(&map, 1, 1), 0));
	TEST_ASSERT_FALSE(has(1, 1));
}

static void test_full(void)
{
	map_init(&map, &arena, 7);
	for (uint32_t i = 1; i <= 7; i++)
		map_add(&map, 3, i);
	CHECK_EXPECTED((map_add(&map, 3, 8), 0));
	bool found;
	TEST_ASSERT_EQUAL_UINT32(7, entries_of(3, 7, &found));
	TEST_ASSERT_TRUE(found);
	TEST_ASSERT_EQUAL_UINT32(0, entries_of(4, 7, &found));
	map_audit(&map);
	map_remove(&map, 3, 4);
	TEST_ASSERT_FALSE(has(3, 4));
	map_add(&map, 5, 4);
	TEST_ASSERT_FALSE(has(3, 4));
	TEST_ASSERT_TRUE(has(5, 4));
	map_audit(&map);
}

/* The same place in the table, other hashes: only the one asked for is told. */
static void test_neighbours_in_the_table_are_not_mixed_up(void)
{
	map_init(&map, &arena, 7);
	map_add(&map, 0x10, 1);
	map_add(&map, 0x20, 2);
	map_add(&map, 0x10, 3);
	bool found;
	TEST_ASSERT_EQUAL_UINT32(2, entries_of(0x10, 3, &found));
	TEST_ASSERT_TRUE(found);
	TEST_ASSERT_EQUAL_UINT32(1, entries_of(0x20, 2, &found));
	CHECK_EXPECTED((map_remove(&map, 0x20, 1), 0));
	CHECK_EXPECTED((map_remove(&map, 0x30, 2), 0));
	CHECK_EXPECTED((map_add(&map, 1, 0), 0));
}

/* A chain of several hashes, taken apart from each place. */
static void test_chains_come_apart(void)
{
	for (uint32_t first = 1; first <= 5; first++) {
		arena_init(&arena, block, sizeof(block));
		map_init(&map, &arena, 7);
		static const uint32_t hashes[] = {0, 6, 14, 6, 14, 22}; /* [1..5] */
		for (uint32_t i = 1; i <= 5; i++)
			map_add(&map, hashes[i], i);
		for (uint32_t n = 0; n < 5; n++) {
			uint32_t i = (first + n - 1) % 5 + 1;
			map_remove(&map, hashes[i], i);
			map_audit(&map);
			for (uint32_t later = n + 1; later < 5; later++) {
				uint32_t other = (first + later - 1) % 5 + 1;
				TEST_ASSERT_TRUE(has(hashes[other], other));
			}
			TEST_ASSERT_FALSE(has(hashes[i], i));
		}
	}
}

/* What could be in it costs nothing; the newest of a hash comes first, before and after. */
static void test_grows_with_what_is_in_it(void)
{
	static const uint32_t hash = 0x51;
	uint32_t last = 0;
	map_init(&map, &arena, 4000);
	TEST_ASSERT_EQUAL_UINT32(8, map.count);
	for (uint32_t i = 1; i <= 1000; i++) {
		map_add(&map, i % 10 == 0 ? hash : i * 7, i);
		map_audit(&map);
	}
	TEST_ASSERT_UINT32_WITHIN(10, 1000 * 4 / 3, map.count);
	struct map_walk walk = map_walk(&map, hash);
	for (uint32_t i; (i = map_next(&map, &walk)) != 0; last = i)
		TEST_ASSERT_TRUE(last == 0 || i < last);
	for (uint32_t i = 1; i <= 1000; i++)
		TEST_ASSERT_TRUE(has(i % 10 == 0 ? hash : i * 7, i));
	for (uint32_t i = 1; i <= 1000; i++) {
		map_remove(&map, i % 10 == 0 ? hash : i * 7, i);
		map_audit(&map);
	}
	TEST_ASSERT_EQUAL_UINT32(8, map.count);
}

static void test_damage_is_found(void)
{
	map_init(&map, &arena, 7);
	map_add(&map, 2, 1);
	map_add(&map, 2, 2);
	map.heads[2] = 1;
	map.heads[3] = 2;
	CHECK_EXPECTED((map_audit(&map), 0));
	map_init(&map, &arena, 7);
	map.used = 1;
	CHECK_EXPECTED((map_audit(&map), 0));
}

static void random_steps(uint64_t seed, uint32_t hash_kinds, uint32_t capacity, uint32_t steps)
{
	enum { INDEXES = 1200 };
	static uint32_t hashes[INDEXES + 1];
	static bool present[INDEXES + 1];
	static uint32_t per_kind[4096];
	struct random random;
	uint32_t used = 0;
	random_init(&random, seed);
	memset(present, 0, sizeof(present));
	memset(per_kind, 0, sizeof(per_kind));
	arena_init(&arena, block, sizeof(block));
	map_init(&map, &arena, capacity);
	for (uint32_t step = 1; step <= steps; step++) {
		uint32_t index = 1 + random_below(&random, capacity);
		bool filling = step / 5000 % 2 == 0;
		if (!present[index] && (filling || random_below(&random, 4) == 0)) {
			uint32_t kind = random_below(&random, hash_kinds);
			/* Near the end of the table; high bits differ. */
			uint32_t hash = kind * 0x10001u - 3;
			map_add(&map, hash, index);
			hashes[index] = hash;
			present[index] = true;
			per_kind[kind]++;
			used++;
		} else if (present[index] && (!filling || random_below(&random, 4) == 0)) {
			map_remove(&map, hashes[index], index);
			present[index] = false;
			per_kind[(hashes[index] + 3) / 0x10001u]--;
			used--;
		}
		uint32_t asked = 1 + random_below(&random, capacity);
		bool found;
		uint32_t count = entries_of(hashes[asked], asked, &found);
		TEST_ASSERT_EQUAL(present[asked], found);
		if (hashes[asked] != 0)
			TEST_ASSERT_EQUAL_UINT32(per_kind[(hashes[asked] + 3) / 0x10001u], count);
		TEST_ASSERT_EQUAL_UINT32(used, map.used);
		if (step % 1000 == 0)
			map_audit(&map);
	}
}

static void test_random_steps(void)
{
	random_steps(3, 4096, 1000, 150 * 1000);
	random_steps(4, 64, 900, 50 * 1000);
	random_steps(5, 4096, 100, 50 * 1000);
	random_steps(6, 1, 200, 10 * 1000);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_init_takes_no_more_than_its_size);
	RUN_TEST(test_empty);
	RUN_TEST(test_no_room_at_all);
	RUN_TEST(test_full);
	RUN_TEST(test_neighbours_in_the_table_are_not_mixed_up);
	RUN_TEST(test_chains_come_apart);
	RUN_TEST(test_grows_with_what_is_in_it);
	RUN_TEST(test_damage_is_found);
	RUN_TEST(test_random_steps);
	return UNITY_END();
}
