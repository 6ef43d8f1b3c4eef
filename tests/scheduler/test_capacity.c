/* SPDX-License-Identifier: GPL-2.0-only */
/* Capacities from a budget: sums that hold, for every board, for little and for much. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: scheduler/capacity.c
#include <stdlib.h>

#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"
#include "scheduler/capacity.h"
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

static uint64_t sum_of(const struct capacity *plan)
{
	return (uint64_t)cache_size(&plan->cache) + cycle_size(&plan->cycle) +
		queue_size(plan->queue);
}

static struct queue_gate no_gate(void *self, uint32_t pod)
{
	(void)self;
	(void)pod;
	return (struct queue_gate){.closed = false};
}

/* Everything is made in a block of exactly the size that was planned. */
static void make_all(const struct capacity *plan)
{
	static struct cache cache;
	static struct cycle cycle;
	static struct queue queue;
	static struct plugin_profile profile;
	uint8_t *block = calloc(1, (size_t)plan->bytes);
	TEST_ASSERT_NOT_NULL(block);
	struct arena arena;
	arena_init_zeroed(&arena, block, (size_t)plan->bytes);
	cache_init(&cache, &arena, &plan->cache);
	cycle_init(&cycle, &arena, &plan->cycle, &cache, &profile, 1);
	queue_init(&queue, &arena,
		&(struct queue_settings){.capacity = plan->queue, .gate = no_gate},
		(struct mono){0});
	TEST_ASSERT_LESS_OR_EQUAL_size_t(arena.size, arena.used);
	budget_reset();
	free(block);
}

static void test_boards_hold_what_they_promise(void)
{
	const struct board *boards[] = {&x86_64, &gateway_armv7, &rpi4, &riscv64};
	for (size_t i = 0; i < ARRAY_COUNT(boards); i++) {
		const struct board *b = boards[i];
		struct capacity plan;
		uint64_t budget = b->memory_bytes - b->fixed_bytes;
		TEST_ASSERT_TRUE_MESSAGE(capacity_plan(budget, b->nodes, b->pods, &plan), b->name);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(b->nodes, plan.nodes, b->name);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(b->pods, plan.pods, b->name);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(b->nodes, plan.cache.nodes);
		TEST_ASSERT_EQUAL_UINT32(b->pods, plan.cache.pods);
		TEST_ASSERT_EQUAL_UINT32(plan.cache.nodes, plan.cycle.nodes);
		TEST_ASSERT_EQUAL_UINT64(sum_of(&plan), plan.bytes);
		TEST_ASSERT_LESS_OR_EQUAL_UINT64(budget, plan.bytes);
		make_all(&plan);
	}
}

static void test_what_is_left_goes_to_the_store(void)
{
	struct capacity plan;
	for (uint64_t budget = 2 << 20; budget < 512 << 20; budget += budget / 3) {
		TEST_ASSERT_TRUE(capacity_plan(budget, 500, 5000, &plan));
		TEST_ASSERT_EQUAL_UINT64(sum_of(&plan), plan.bytes);
		TEST_ASSERT_UINT64_WITHIN(STORE_UNIT, budget, plan.bytes);
	}
}

static void test_more_memory_is_never_less_room(void)
{
	struct capacity before = {0};
	for (uint64_t budget = 2 << 20; budget < 256 << 20; budget += 1 << 20) {
		struct capacity plan;
		TEST_ASSERT_TRUE(capacity_plan(budget, 5000, 150000, &plan));
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.nodes, plan.nodes);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.pods, plan.pods);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.queue, plan.queue);
		TEST_ASSERT_GREATER_OR_EQUAL_UINT32(before.cache.classes, plan.cache.classes);
		before = plan;
	}
	TEST_ASSERT_EQUAL_UINT32(150000, before.queue);
	TEST_ASSERT_GREATER_OR_EQUAL_UINT32(150000 / 2, before.cache.classes);
}

static void test_little(void)
{
	struct capacity plan;
	TEST_ASSERT_TRUE(capacity_plan(4 << 20, 5000, 150000, &plan));
	TEST_ASSERT_GREATER_THAN_UINT32(200, plan.nodes);
	TEST_ASSERT_GREATER_THAN_UINT32(6000, plan.pods);
	/* Each of 200 deployments keeps its pods apart. */
	TEST_ASSERT_GREATER_THAN_UINT32(200, plan.cache.counters);
	make_all(&plan);
	TEST_ASSERT_TRUE(capacity_plan(4 << 20, 50, 1000, &plan));
	TEST_ASSERT_EQUAL_UINT32(50, plan.nodes);
	TEST_ASSERT_EQUAL_UINT32(1000, plan.pods);
	TEST_ASSERT_GREATER_THAN_UINT32(500, plan.queue);
	make_all(&plan);
	TEST_ASSERT_FALSE(capacity_plan(1 << 20, 50, 1000, &plan));
	TEST_ASSERT_FALSE(capacity_plan(0, 0, 0, &plan));
}

static void test_absurd(void)
{
	struct capacity plan;
	TEST_ASSERT_TRUE(capacity_plan(64 << 20, UINT32_MAX, UINT32_MAX, &plan));
	TEST_ASSERT_LESS_OR_EQUAL_UINT64(64 << 20, plan.bytes);
	TEST_ASSERT_TRUE(capacity_plan(UINT64_MAX, 10, 300, &plan));
	TEST_ASSERT_EQUAL_UINT64(sum_of(&plan), plan.bytes);
	TEST_ASSERT_TRUE(capacity_plan(8 << 20, 0, 0, &plan));
	TEST_ASSERT_EQUAL_UINT32(CAPACITY_NODES_LEAST, plan.nodes);
	TEST_ASSERT_EQUAL_UINT32(CAPACITY_PODS_LEAST, plan.pods);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_boards_hold_what_they_promise);
	RUN_TEST(test_what_is_left_goes_to_the_store);
	RUN_TEST(test_more_memory_is_never_less_room);
	RUN_TEST(test_little);
	RUN_TEST(test_absurd);
	return UNITY_END();
}
