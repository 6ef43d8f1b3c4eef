/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages: one budget that pools, stores, maps and arrays share, to the last page and back. */
// deps: base/pages.c base/arena.c base/pool.c base/map.c base/store.c base/heap.c base/memory.c
// deps: base/entropy.c base/check.c base/budget.c base/format.c base/trace.c
#include "base/pages.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/entropy.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/poison.h"
#include "base/pool.h"
#include "base/store.h"
#include "check_expected.h"
#include "unity.h"

enum { SPACE = 64 << 20, BUDGET = 4 << 20, RESERVE = 256 << 10, SLOTS = 100 * 1000 };

struct thing {
	uint32_t number;
	uint32_t more[15];
};

static uint8_t *space;
static struct arena arena;
static struct page_budget budget;
static struct pool pool;
static struct pool other;
static struct map map;
static struct heap heap;
static struct store store;
static struct pool_lane lane;
static uint64_t *numbers;

static bool before(const void *self, uint32_t a, uint32_t b)
{
	(void)self;
	return a < b;
}

void setUp(void)
{
	budget_reset();
	space = memory_reserve(SPACE);
	TEST_ASSERT_NOT_NULL(space);
	page_budget_init(&budget, BUDGET, RESERVE);
	arena_init_counted(&arena, space, SPACE, &budget);
	pool_init(&pool, &arena, "things", sizeof(struct thing), SLOTS);
	pool_init(&other, &arena, "others", 20, SLOTS);
	map_init_for(&map, &arena, &pool);
	heap_init_for(&heap, &arena, &pool, before, NULL, NULL);
	numbers = pool_add_lane(&pool, &lane, &arena, sizeof(*numbers));
	store_init_for(&store, &arena, "store", SPACE / 8);
}

void tearDown(void)
{
	page_budget_audit(&budget);
	memory_release(space, SPACE);
}

static size_t resident(void)
{
	static unsigned char pages[SPACE / 4096];
	size_t count = 0;
	TEST_ASSERT_EQUAL_INT(0, mincore(space, SPACE, pages));
	for (size_t i = 0; i < SPACE / (size_t)sysconf(_SC_PAGESIZE); i++)
		count += pages[i] & 1;
	return count * budget.page_size;
}

static uint32_t fill(void)
{
	uint32_t count = 0;
	for (uint32_t index; (index = pool_take(&pool)) != 0; count++) {
		struct thing *thing = pool_at(&pool, index);
		thing->number = index;
		numbers[index] = index;
		map_add(&map, index, index);
		TEST_ASSERT_TRUE(heap_add(&heap, index));
	}
	return count;
}

static void clear(void)
{
	for (uint32_t i = pool_next(&pool, 0); i != 0; i = pool_next(&pool, i)) {
		map_remove(&map, i, i);
		pool_give(&pool, i);
	}
	while (heap.count > 0)
		(void)heap_take_first(&heap);
}

static void test_what_is_not_used_is_not_counted(void)
{
	TEST_ASSERT_LESS_THAN_size_t(64, budget.used);
	TEST_ASSERT_LESS_THAN_size_t(64 * 4096, resident());
}

static void test_one_kind_may_take_all_of_it(void)
{
	uint32_t count = fill();
	/* 64 bytes of its own, 8 in the map and 4 for its head, 4 in the heap, 8 in the lane. */
	TEST_ASSERT_UINT32_WITHIN(4000, (BUDGET - RESERVE) / (64 + 8 + 6 + 4 + 8), count);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(budget.limit - budget.reserve, budget.used);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(BUDGET, resident());
	TEST_ASSERT_GREATER_THAN_UINT64(0, pool.budget.refused);
	TEST_ASSERT_GREATER_THAN_UINT64(0, budget.budget.refused);
	map_audit(&map);
	pool_audit(&pool);
	heap_audit(&heap);
}

static void test_what_goes_back_is_for_others(void)
{
	fill();
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, 64 * 1024));
	clear();
	TEST_ASSERT_LESS_THAN_size_t(budget.limit / 4, budget.used);
	uint32_t block = store_take(&store, 3 << 20);
	TEST_ASSERT_NOT_EQUAL(0, block);
	memset(store_at(&store, block), 1, 3 << 20);
	TEST_ASSERT_EQUAL_UINT32(1, store_audit(&store));
	TEST_ASSERT_LESS_OR_EQUAL_size_t(BUDGET, resident());
	store_give(&store, block);
	TEST_ASSERT_EQUAL_UINT32(0, store_audit(&store));
	TEST_ASSERT_GREATER_THAN_UINT32(30000, fill());
}

static void test_reserve_is_for_those_who_may(void)
{
	fill();
	size_t used = budget.used;
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, 16 * 1024));
	budget.may_use = PAGE_RESERVE_ALL;
	uint32_t block = store_take(&store, 16 * 1024);
	TEST_ASSERT_NOT_EQUAL(0, block);
	TEST_ASSERT_GREATER_THAN_size_t(used, budget.used);
	budget.may_use = PAGE_RESERVE_NONE;
	TEST_ASSERT_EQUAL_UINT32(0, store_take(&store, 16 * 1024));
}

static bool shed_others(void *self)
{
	struct pool *of = self;
	bool some = pool_used(of) > 0;
	for (uint32_t i = pool_next(of, 0); i != 0; i = pool_next(of, i))
		pool_give(of, i);
	return some;
}

/* What it came to is asked at the end. */
/* What can do with less leaves the reserve, and as much again. */
static void test_the_sparing_leave_room_for_others(void)
{
	struct page_span span;
	size_t page = budget.page_size;
	arena_take_span(&arena, &span, SPACE / 8);
	budget.may_use = PAGE_RESERVE_ALL;
	page_budget_take_fixed(&budget, page_budget_left(&budget) - RESERVE - 2 * page);
	TEST_ASSERT_TRUE(page_span_reach_sparing(&span, 2 * page));
	TEST_ASSERT_FALSE(page_span_reach_sparing(&span, 2 * page + 1));
	TEST_ASSERT_EQUAL(2 * page, span.held);
	TEST_ASSERT_TRUE(page_span_reach(&span, 3 * page));
	TEST_ASSERT_TRUE(page_span_reach_sparing(&span, 3 * page)); /* it has them */
	page_span_shrink(&span, 0);
	TEST_ASSERT_TRUE(page_span_reach_sparing(&span, page));
}

static void test_nothing_is_refused_while_all_is_set_up(void)
{
	uint32_t index;
	budget.may_exceed = true;
	while (page_budget_left(&budget) > 0) {
		index = pool_take(&pool);
		TEST_ASSERT_NOT_EQUAL(0, index);
	}
	page_budget_take_fixed(&budget, 2 * (size_t)BUDGET);
	for (uint32_t i = 0; i < 1000; i++) {
		index = pool_take(&pool);
		TEST_ASSERT_NOT_EQUAL(0, index);
	}
	budget.may_exceed = false;
	TEST_ASSERT_EQUAL(0, page_budget_left(&budget));
	for (uint32_t i = 0; i < 1000 && index != 0; i++)
		index = pool_take(&pool);
	TEST_ASSERT_EQUAL(0, index);
	budget.limit = budget.used; /* the audit at the end asks for it */
}

static void test_what_can_be_made_again_goes_first(void)
{
	static struct page_shedder shedder;
	page_budget_add_shedder(&budget, &shedder, shed_others, &other);
	budget.may_shed = true;
	while (budget.used < budget.limit / 3)
		TEST_ASSERT_NOT_EQUAL(0, pool_take(&other));
	TEST_ASSERT_GREATER_THAN_UINT32(35000, fill());
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&other));
}

static void test_lanes_are_zero_when_they_come_back(void)
{
	uint32_t count = fill();
	clear();
	TEST_ASSERT_EQUAL_UINT32(0, pool_top(&pool));
	TEST_ASSERT_EQUAL_UINT64(0, numbers[count]);
	TEST_ASSERT_EQUAL_UINT64(0, numbers[count / 2]);
}

static void test_idle_pages_are_kept_for_the_next_time(void)
{
	uint32_t indexes[64];
	for (size_t i = 0; i < ARRAY_COUNT(indexes); i++)
		indexes[i] = pool_take(&pool);
	uint32_t last = pool_take(&pool);
	size_t used = budget.used;
	for (int i = 0; i < 10; i++) {
		pool_give(&pool, last);
		TEST_ASSERT_EQUAL_size_t(1, budget.idle);
		TEST_ASSERT_EQUAL_size_t(used, budget.used);
		TEST_ASSERT_EQUAL_UINT32(last, pool_take(&pool));
		TEST_ASSERT_EQUAL_size_t(0, budget.idle);
	}
	for (size_t i = 0; i < ARRAY_COUNT(indexes); i++)
		pool_give(&pool, indexes[i]);
	pool_give(&pool, last);
	page_budget_trim(&budget);
	TEST_ASSERT_EQUAL_size_t(used - 2, budget.used);
}

static void test_random_steps_in_one_budget(void)
{
	enum { BLOCKS = 600, THINGS = 60 * 1000, STEPS = 300 * 1000 };
	static uint32_t blocks[BLOCKS];
	static uint32_t sizes[BLOCKS];
	static uint32_t things[THINGS + 1];
	struct random random;
	random_init(&random, 7);
	memset(blocks, 0, sizeof(blocks));
	memset(things, 0, sizeof(things));
	for (uint32_t step = 1; step <= STEPS; step++) {
		bool filling = step / 40000 % 2 == 0;
		uint32_t b = random_below(&random, BLOCKS);
		bool adds = random_below(&random, 10) < (filling ? 7u : 3u);
		if (step % 8 == 0 && adds && blocks[b] == 0) {
			sizes[b] = 1 + random_below(&random, 30000);
			blocks[b] = store_take(&store, sizes[b]);
			if (blocks[b] != 0)
				memset(store_at(&store, blocks[b]), (int)(b % 255 + 1), sizes[b]);
		} else if (step % 8 == 0 && !adds && blocks[b] != 0) {
			const uint8_t *bytes = store_at(&store, blocks[b]);
			for (uint32_t i = 0; i < sizes[b]; i++)
				TEST_ASSERT_EQUAL_UINT8(b % 255 + 1, bytes[i]);
			store_give(&store, blocks[b]);
			blocks[b] = 0;
		} else if (adds) {
			uint32_t index = pool_take(&pool);
			if (index == 0 || index > THINGS)
				continue;
			((struct thing *)pool_at(&pool, index))->number = step;
			map_add(&map, step, index);
			things[index] = step;
		} else {
			uint32_t index = 1 + random_below(&random, pool_top(&pool) + 1);
			TEST_ASSERT_EQUAL(things[index] != 0, pool_is_taken(&pool, index));
			if (things[index] == 0)
				continue;
			const struct thing *thing = pool_at(&pool, index);
			TEST_ASSERT_EQUAL_UINT32(things[index], thing->number);
			map_remove(&map, things[index], index);
			pool_give(&pool, index);
			things[index] = 0;
		}
		if (step % 10000 != 0)
			continue;
		page_budget_audit(&budget);
		pool_audit(&pool);
		map_audit(&map);
		(void)store_audit(&store);
		TEST_ASSERT_LESS_OR_EQUAL_size_t(budget.used * budget.page_size, resident());
	}
	TEST_ASSERT_GREATER_THAN_UINT64(0, budget.budget.refused);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_what_is_not_used_is_not_counted);
	RUN_TEST(test_one_kind_may_take_all_of_it);
	RUN_TEST(test_what_goes_back_is_for_others);
	RUN_TEST(test_reserve_is_for_those_who_may);
	RUN_TEST(test_the_sparing_leave_room_for_others);
	RUN_TEST(test_nothing_is_refused_while_all_is_set_up);
	RUN_TEST(test_what_can_be_made_again_goes_first);
	RUN_TEST(test_lanes_are_zero_when_they_come_back);
	RUN_TEST(test_idle_pages_are_kept_for_the_next_time);
	RUN_TEST(test_random_steps_in_one_budget);
	return UNITY_END();
}
