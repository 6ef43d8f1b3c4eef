/* SPDX-License-Identifier: GPL-2.0-only */
/* Heap: order, removal in the middle, changed ranks, random steps next to a naive model. */
// deps: base/heap.c base/arena.c base/memory.c base/entropy.c base/check.c base/budget.c
// deps: base/format.c
// deps: base/trace.c
// deps: base/pages.c base/pool.c
#include "base/heap.h"

#include <string.h>

#include "base/entropy.h"
#include "check_expected.h"
#include "unity.h"

enum { ENTRIES = 400 };

static _Alignas(16) uint8_t block[16 * 1024];
static struct arena arena;
static struct heap heap;
static struct {
	uint32_t ranks[ENTRIES];
	uint32_t positions[ENTRIES];
} owner;

static bool owner_before(const void *self, uint32_t a, uint32_t b)
{
	TEST_ASSERT_EQUAL_PTR(&owner, self);
	return owner.ranks[a] < owner.ranks[b];
}

static void owner_moved(void *self, uint32_t entry, uint32_t position)
{
	TEST_ASSERT_EQUAL_PTR(&owner, self);
	owner.positions[entry] = position;
}

static void heap_start(uint32_t capacity)
{
	arena_init(&arena, block, sizeof(block));
	heap_init(&heap, &arena, capacity, owner_before, owner_moved, &owner);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(heap_size(capacity), sizeof(block) - arena_left(&arena));
	for (uint32_t i = 0; i < ENTRIES; i++)
		owner.positions[i] = HEAP_OUT;
}

void setUp(void)
{
	heap_start(100);
}

void tearDown(void)
{
}

static void test_empty_is_a_bug(void)
{
	CHECK_EXPECTED(heap_first(&heap));
	CHECK_EXPECTED(heap_take_first(&heap));
	CHECK_EXPECTED((heap_remove(&heap, 0), 0));
	CHECK_EXPECTED((heap_changed(&heap, 0), 0));
	CHECK_EXPECTED(heap_size(UINT32_MAX));
}

static void test_sorts(void)
{
	for (uint32_t i = 0; i < 100; i++) {
		owner.ranks[i] = i * 37 % 101;
		TEST_ASSERT_TRUE(heap_add(&heap, i));
		heap_audit(&heap);
	}
	TEST_ASSERT_FALSE(heap_add(&heap, 100));
	TEST_ASSERT_EQUAL_UINT32(HEAP_OUT, owner.positions[100]);
	uint32_t last = 0;
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t first = heap_first(&heap);
		TEST_ASSERT_EQUAL_UINT32(0, owner.positions[first]);
		TEST_ASSERT_EQUAL_UINT32(first, heap_take_first(&heap));
		TEST_ASSERT_EQUAL_UINT32(HEAP_OUT, owner.positions[first]);
		TEST_ASSERT_TRUE(owner.ranks[first] >= last);
		last = owner.ranks[first];
		heap_audit(&heap);
	}
	TEST_ASSERT_EQUAL_UINT32(0, heap.count);
}

static void test_without_positions(void)
{
	heap_init(&heap, &arena, 3, owner_before, NULL, &owner);
	owner.ranks[0] = 2;
	owner.ranks[1] = 1;
	TEST_ASSERT_TRUE(heap_add(&heap, 0));
	TEST_ASSERT_TRUE(heap_add(&heap, 1));
	TEST_ASSERT_EQUAL_UINT32(1, heap_take_first(&heap));
	TEST_ASSERT_EQUAL_UINT32(0, heap_take_first(&heap));
}

static void test_no_room_at_all(void)
{
	heap_start(0);
	TEST_ASSERT_FALSE(heap_add(&heap, 1));
}

static void test_damage_is_found(void)
{
	owner.ranks[0] = 1;
	owner.ranks[1] = 2;
	TEST_ASSERT_TRUE(heap_add(&heap, 0));
	TEST_ASSERT_TRUE(heap_add(&heap, 1));
	owner.ranks[0] = 3;
	CHECK_EXPECTED((heap_audit(&heap), 0));
	heap_changed(&heap, owner.positions[0]);
	heap_audit(&heap);
	TEST_ASSERT_EQUAL_UINT32(1, heap_first(&heap));
}

static void model_agrees(const bool *present, uint32_t count)
{
	uint32_t least = UINT32_MAX;
	uint32_t found = 0;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		TEST_ASSERT_EQUAL(present[i], owner.positions[i] != HEAP_OUT);
		if (!present[i])
			continue;
		found++;
		TEST_ASSERT_EQUAL_UINT32(i, heap.entries[owner.positions[i]]);
		if (owner.ranks[i] < least)
			least = owner.ranks[i];
	}
	TEST_ASSERT_EQUAL_UINT32(count, found);
	TEST_ASSERT_EQUAL_UINT32(count, heap.count);
	if (count > 0)
		TEST_ASSERT_EQUAL_UINT32(least, owner.ranks[heap_first(&heap)]);
	heap_audit(&heap);
}

static void test_random_steps(void)
{
	enum { CAPACITY = 300, STEPS = 200 * 1000 };
	static bool present[ENTRIES];
	struct random random;
	uint32_t count = 0;
	random_init(&random, 7);
	memset(present, 0, sizeof(present));
	heap_start(CAPACITY);
	for (uint32_t step = 1; step <= STEPS; step++) {
		uint32_t entry = random_below(&random, ENTRIES);
		bool filling = step / 5000 % 2 == 0;
		/* Few ranks: equal ones are common. */
		uint32_t rank = random_below(&random, step % 2 == 0 ? 10 : 100000);
		if (!present[entry]) {
			if (!filling && random_below(&random, 3) > 0)
				continue;
			owner.ranks[entry] = rank;
			present[entry] = count < CAPACITY;
			TEST_ASSERT_EQUAL(present[entry], heap_add(&heap, entry));
			count += present[entry];
		} else if (random_below(&random, 3) == 0) {
			owner.ranks[entry] = rank;
			heap_changed(&heap, owner.positions[entry]);
		} else if (!filling || random_below(&random, 4) == 0) {
			if (random_below(&random, 2) == 0)
				heap_remove(&heap, owner.positions[entry]);
			else
				entry = heap_take_first(&heap);
			TEST_ASSERT_TRUE(present[entry]);
			present[entry] = false;
			count--;
		}
		if (step % 50 == 0)
			model_agrees(present, count);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_empty_is_a_bug);
	RUN_TEST(test_sorts);
	RUN_TEST(test_without_positions);
	RUN_TEST(test_no_room_at_all);
	RUN_TEST(test_damage_is_found);
	RUN_TEST(test_random_steps);
	return UNITY_END();
}
