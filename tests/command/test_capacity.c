/* SPDX-License-Identifier: GPL-2.0-only */
/* Capacities from a budget: sums that hold, for every board, for little and for much. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: command/capacity.c
#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/memory.h"
#include "command/capacity.h"
#include "queue/queue.h"

struct board {
	const char *name;
	uint64_t memory_bytes;
	uint64_t fixed_bytes;
	uint32_t nodes;
	uint32_t pods;
};

#define NUMBERS LIMITS_MEMORY_BYTES, LIMITS_FIXED_BYTES, LIMITS_NODES_MAX, LIMITS_PODS_MAX
#include "../../board/x86_64/limits.h"
static const struct board x86_64 = {"x86_64", NUMBERS};
#undef BERTH_BOARD_LIMITS_H
#undef LIMITS_MEMORY_BYTES
#undef LIMITS_FIXED_BYTES
#undef LIMITS_NODES_MAX
#undef LIMITS_PODS_MAX
#include "../../board/gateway-armv7/limits.h"
static const struct board gateway_armv7 = {"gateway-armv7", NUMBERS};
#undef BERTH_BOARD_LIMITS_H
#undef LIMITS_MEMORY_BYTES
#undef LIMITS_FIXED_BYTES
#undef LIMITS_NODES_MAX
#undef LIMITS_PODS_MAX
#include "../../board/rpi4/limits.h"
static const struct board rpi4 = {"rpi4", NUMBERS};
#undef BERTH_BOARD_LIMITS_H
#undef LIMITS_MEMORY_BYTES
#undef LIMITS_FIXED_BYTES
#undef LIMITS_NODES_MAX
#undef LIMITS_PODS_MAX
#include "../../board/riscv64/limits.h"
static const struct board riscv64 = {"riscv64", NUMBERS};

void setUp(void)
{
	budget_reset();
}

void tearDown(void)
{
	budget_reset();
}

static struct queue_gate no_gate(void *self, uint32_t pod)
{
	(void)self;
	(void)pod;
	return (struct queue_gate){.closed = false};
}

/* Everything is made in a block of exactly the size that was planned. */
static void make_all(const struct capacity *plan, uint64_t bytes)
{
	static struct cache cache;
	static struct cycle cycle;
	static struct queue queue;
	static struct plugin_profile profile;
	static struct page_budget budget;
	void *block = memory_reserve((size_t)plan->space);
	TEST_ASSERT_NOT_NULL(block);
	struct arena arena;
	page_budget_init(&budget, (size_t)bytes, (size_t)bytes / CAPACITY_RESERVE);
	arena_init_counted(&arena, block, (size_t)plan->space, &budget);
	cache_init(&cache, &arena, &plan->cache);
	cycle_init(&cycle, &arena, &plan->cycle, &cache, &profile, 1);
	queue_init(&queue, &arena,
		&(struct queue_settings){.capacity = plan->queue, .gate = no_gate},
		(struct mono){0});
	TEST_ASSERT_LESS_OR_EQUAL_size_t(arena.size, arena.used);
	/* What is there before anything is in it. */
	TEST_ASSERT_LESS_OR_EQUAL_size_t(
		(size_t)bytes / 16 + (672 << 10), budget.used * budget.page_size);
	page_budget_audit(&budget);
	memory_release(block, (size_t)plan->space);
	budget_reset();
}

/* Budgets for which there is address space for each kind to take it all. */
#define BUDGET_MAX (SIZE_MAX == UINT32_MAX ? UINT64_C(24) << 20 : UINT64_C(512) << 20)

static void test_boards_hold_what_they_promise(void)
{
	const struct board *boards[] = {&x86_64, &gateway_armv7, &rpi4, &riscv64};
	for (size_t i = 0; i < ARRAY_COUNT(boards); i++) {
		const struct board *b = boards[i];
		struct capacity plan;
		uint64_t budget = b->memory_bytes - b->fixed_bytes;
		if (SIZE_MAX == UINT32_MAX && b != &gateway_armv7)
			continue; /* budgets of boards with more address space than this one */
		TEST_ASSERT_TRUE_MESSAGE(capacity_plan(budget, 0, 0, &plan), b->name);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(b->nodes, plan.cache.nodes);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(b->pods, plan.cache.pods);
		TEST_ASSERT_EQUAL_UINT32(plan.cache.nodes, plan.cycle.nodes);
		TEST_ASSERT_EQUAL_UINT32(1, plan.share);
		/* Boards of 32 bits have the address space, too. */
		TEST_ASSERT_LESS_OR_EQUAL_UINT64(
			b == &gateway_armv7 ? UINT64_C(1536) << 20 : SIZE_MAX, plan.space);
		make_all(&plan, budget);
	}
}

static void test_each_kind_may_take_the_whole_budget(void)
{
	struct capacity plan;
	for (uint64_t budget = 2 << 20; budget < BUDGET_MAX; budget += budget / 3) {
		TEST_ASSERT_TRUE(capacity_plan(budget, 0, 0, &plan));
		TEST_ASSERT_EQUAL_UINT64(budget - budget % STORE_UNIT, plan.cache.store_bytes);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT64(
			budget, (uint64_t)(plan.cache.pods + 1) * sizeof(struct cache_pod) * 2);
		TEST_ASSERT_EQUAL_UINT32(plan.cache.pods, plan.queue);
	}
}

static void test_more_memory_is_never_less_room(void)
{
	struct capacity before = {0};
	for (uint64_t budget = 2 << 20; budget < BUDGET_MAX; budget += 1 << 20) {
		struct capacity plan;
		TEST_ASSERT_TRUE(capacity_plan(budget, 0, 0, &plan));
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.cache.nodes, plan.cache.nodes);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.cache.pods, plan.cache.pods);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.queue, plan.queue);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.cache.classes, plan.cache.classes);
		before = plan;
	}
}

static void test_little(void)
{
	struct capacity plan;
	TEST_ASSERT_TRUE(capacity_plan(4 << 20, 0, 0, &plan));
	make_all(&plan, 4 << 20);
	TEST_ASSERT_TRUE(capacity_plan(CAPACITY_BYTES_MIN, 0, 0, &plan));
	make_all(&plan, CAPACITY_BYTES_MIN);
	TEST_ASSERT_FALSE(capacity_plan(1 << 20, 50, 1000, &plan));
	TEST_ASSERT_FALSE(capacity_plan(0, 0, 0, &plan));
}

static void test_absurd(void)
{
	struct capacity plan;
	TEST_ASSERT_TRUE(capacity_plan(64 << 20, UINT32_MAX, UINT32_MAX, &plan));
	TEST_ASSERT_FALSE(capacity_plan(UINT64_MAX, 10, 300, &plan));
	TEST_ASSERT_EQUAL(SIZE_MAX > UINT32_MAX, capacity_plan(UINT64_C(1) << 38, 0, 0, &plan));
	TEST_ASSERT_TRUE(capacity_plan(8 << 20, 10, 300, &plan));
	TEST_ASSERT_EQUAL_UINT32(capacity_nodes(10), plan.cache.nodes);
	TEST_ASSERT_EQUAL_UINT32(300, plan.cache.pods);
}

static void test_less_address_space_is_less_of_each(void)
{
	struct capacity plan;
	uint64_t budget = 16 << 20;
	TEST_ASSERT_TRUE(capacity_plan(budget, 0, 0, &plan));
	uint64_t space = plan.space;
	TEST_ASSERT_TRUE(capacity_narrow(budget, 0, 0, &plan));
	TEST_ASSERT_LESS_THAN_UINT64(space * 2 / 3, plan.space);
	TEST_ASSERT_EQUAL_UINT32(2, plan.share);
	make_all(&plan, budget);
	while (capacity_narrow(budget, 0, 0, &plan))
		continue;
	TEST_ASSERT_LESS_THAN_UINT64(2 * budget, plan.space);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_boards_hold_what_they_promise);
	RUN_TEST(test_each_kind_may_take_the_whole_budget);
	RUN_TEST(test_more_memory_is_never_less_room);
	RUN_TEST(test_little);
	RUN_TEST(test_absurd);
	RUN_TEST(test_less_address_space_is_less_of_each);
	return UNITY_END();
}
