/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue: backoff by table, order, early pop, flushes, gates, groups and what they cost, full. */
// deps: queue/*.c base/arena.c base/heap.c base/pool.c base/map.c base/hash.c base/memory.c
// deps: base/check.c base/format.c base/budget.c base/trace.c base/entropy.c
// deps: base/pages.c base/intern.c base/store.c base/text.c
#include "queue/bits.h"

#include <stdlib.h>
#include <string.h>

#include "base/check_expected.h"
#include "unity.h"

enum { SMALL = 16, BIG = 100 * 1000, ALL = BIG, FIT = 1 << 7, TAINT = 1 << 4, GATES = 1 << 0 };

#define START ((struct mono){1000300 * (int64_t)CLOCK_MS_US}) /* 1000.3 s */

static void *block;
static struct arena arena;
static struct queue queue;
static uint32_t gates[SMALL + 1]; /* by pod */

static struct queue_gate gate_of(void *self, uint32_t pod)
{
	TEST_ASSERT_EQUAL_PTR(gates, self);
	return bits_gate(pod <= SMALL ? gates[pod] : 0);
}

static struct queue_settings settings_of(uint32_t capacity)
{
	return (struct queue_settings){
		.capacity = capacity,
		.backoff_initial_us = 1 * CLOCK_S_US,
		.backoff_max_us = 10 * CLOCK_S_US,
		.unschedulable_max_us = 300 * (int64_t)CLOCK_S_US,
		.gate = gate_of,
		.self = gates,
	};
}

static void start(const struct queue_settings *settings)
{
	size_t size = queue_size(settings->capacity);
	free(block);
	block = aligned_alloc(16, size);
	TEST_ASSERT_NOT_NULL(block);
	arena_init(&arena, block, size);
	queue_init(&queue, &arena, settings, START);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(size, arena.used);
	memset(gates, 0, sizeof(gates));
}

void setUp(void)
{
	struct queue_settings settings = settings_of(SMALL);
	budget_reset();
	start(&settings);
}

void tearDown(void)
{
	if (pool_used(&queue.entries) <= SMALL)
		queue_audit(&queue);
}

static struct mono at_ms(int64_t ms)
{
	return mono_after_ms(START, ms);
}

static uint32_t add_of(uint32_t pod, int32_t priority, uint64_t key, struct mono now)
{
	struct queue_pod given = {.pod = pod, .priority = priority, .key = key, .profile = 1};
	uint32_t entry;
	TEST_ASSERT_EQUAL(QUEUE_OK, queue_add(&queue, &given, now, &entry));
	TEST_ASSERT_NOT_EQUAL(0, entry);
	TEST_ASSERT_EQUAL_UINT32(pod, queue_entry_at(&queue, entry)->pod);
	return entry;
}

static uint32_t add(uint32_t pod)
{
	return add_of(pod, 0, 7, START);
}

static uint32_t pop(void)
{
	uint32_t entry = queue_pop(&queue);
	return entry == 0 ? 0 : queue_entry_at(&queue, entry)->pod;
}

static enum queue_state state(uint32_t entry)
{
	return (enum queue_state)queue_entry_at(&queue, entry)->state;
}

/* A pod that has been rejected by `rejectors` at `now`; nothing else may be active. */
static uint32_t parked(uint32_t pod, uint32_t rejectors, struct mono now)
{
	uint32_t entry = add_of(pod, 0, 7, now);
	TEST_ASSERT_EQUAL_UINT32(entry, queue_pop(&queue));
	queue_park(&queue, entry, bits_waits(rejectors), bits_set(0), now);
	TEST_ASSERT_EQUAL(QUEUE_UNSCHEDULABLE, state(entry));
	return entry;
}

static uint32_t count_groups(uint32_t mask)
{
	uint32_t count = 0;
	struct queue_walk walk = queue_walk(&queue, bits_waits(mask));
	while (queue_next_group(&queue, &walk) != 0)
		count++;
	return count;
}

static uint32_t first_group(uint32_t mask)
{
	struct queue_walk walk = queue_walk(&queue, bits_waits(mask));
	return queue_next_group(&queue, &walk);
}

/* ---- 14.3: the numbers ---- */

static const struct {
	int64_t initial_us;
	int64_t max_us;
	uint32_t failures;
	int64_t failed_ms; /* after 1000.3 s */
	int64_t expires_s; /* 0: no backoff */
} backoffs[] = {
	{1000000, 10000000, 1, 0, 1001},
	{1000000, 10000000, 2, 0, 1002},
	{1000000, 10000000, 3, 0, 1004},
	{1000000, 10000000, 4, 0, 1008},
	{1000000, 10000000, 5, 0, 1010},
	{1000000, 10000000, 6, 0, 1010},
	{1000000, 10000000, 100, 0, 1010}, /* shifts of more than a word */
	{1000000, 10000000, 1, 699, 1001}, /* 1000.999 + 1, the fraction is cut */
	{1000000, 10000000, 1, 700, 1002}, /* 1001.000 + 1 */
	{1000000, 8000000, 4, 0, 1008},    /* exactly the most */
	{3000000, 10000000, 2, 0, 1006},
	{3000000, 10000000, 3, 0, 1010},
	{20000000, 10000000, 1, 0, 1010}, /* never above the most */
	{1500000, 10000000, 1, 0, 1001},  /* 1001.8 */
	{1000000, 0, 3, 0, 0},            /* switched off */
	{1000000, -5, 3, 0, 0},
	{0, 10000000, 3, 0, 1000},
	{0, 10000000, 90, 0, 1000},
};

static void fail_with(uint32_t entry, bool error, struct mono now)
{
	if (error)
		(void)queue_error(&queue, entry, now);
	else
		queue_park(&queue, entry, bits_waits(FIT), bits_set(0), now);
}

static void backoff_row(uint32_t row, bool error)
{
	struct queue_settings settings = settings_of(SMALL);
	settings.backoff_initial_us = backoffs[row].initial_us;
	settings.backoff_max_us = backoffs[row].max_us;
	start(&settings);
	struct mono now = at_ms(backoffs[row].failed_ms);
	uint32_t entry = add(1);
	for (uint32_t i = 0; i < backoffs[row].failures; i++) {
		if (i > 0)
			(void)queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, now);
		TEST_ASSERT_EQUAL_UINT32(entry, queue_pop(&queue));
		fail_with(entry, error, now);
	}
	const struct queue_entry *e = queue_entry_at(&queue, entry);
	int64_t expected = backoffs[row].expires_s * CLOCK_S_US;
	TEST_ASSERT_EQUAL_INT64(expected == 0 ? INT64_MIN : expected, e->expires.us);
	TEST_ASSERT_EQUAL_UINT32(error ? backoffs[row].failures : 0, e->error_count);
	TEST_ASSERT_EQUAL_UINT32(error ? 0 : backoffs[row].failures, e->unschedulable_count);
	TEST_ASSERT_EQUAL_UINT32(backoffs[row].failures, e->attempts);
	bool waits = expected != 0 && expected >= now.us - now.us % CLOCK_S_US;
	enum queue_state to =
		error ? state(entry) : queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, now);
	enum queue_state backoff = error ? QUEUE_ERROR_BACKOFF : QUEUE_BACKOFF;
	TEST_ASSERT_EQUAL(waits ? backoff : QUEUE_ACTIVE, to);
	queue_audit(&queue);
}

static void test_backoff_by_table(void)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(backoffs); i++) {
		backoff_row(i, false);
		backoff_row(i, true);
	}
}

/* Errors count by themselves: a rejection forgets them, they do not forget rejections. */
static void test_errors_and_rejections_count_apart(void)
{
	uint32_t entry = parked(1, FIT, START);
	(void)queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, START);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	queue_park(&queue, entry, bits_waits(FIT), bits_set(0), START);
	(void)queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, START);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	const struct queue_entry *e = queue_entry_at(&queue, entry);
	TEST_ASSERT_EQUAL(QUEUE_ERROR_BACKOFF, queue_error(&queue, entry, START));
	TEST_ASSERT_EQUAL_UINT32(2, e->unschedulable_count);
	TEST_ASSERT_EQUAL_INT64(1001 * (int64_t)CLOCK_S_US, e->expires.us);
	(void)queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, START);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	queue_park(&queue, entry, bits_waits(FIT), bits_set(0), START);
	TEST_ASSERT_EQUAL_UINT32(3, e->unschedulable_count);
	TEST_ASSERT_EQUAL_UINT32(0, e->error_count);
	TEST_ASSERT_EQUAL_INT64(1004 * (int64_t)CLOCK_S_US, e->expires.us);
	TEST_ASSERT_EQUAL_UINT32(4, e->attempts);
}

/* ---- order and pop ---- */

static void test_active_order(void)
{
	add_of(1, 0, 7, at_ms(2));
	add_of(2, 5, 7, at_ms(9));
	add_of(3, 0, 7, at_ms(1));
	add_of(4, -3, 7, at_ms(0));
	add_of(5, 0, 7, at_ms(1)); /* same time as 3, came later */
	add_of(6, 5, 7, at_ms(8));
	static const uint32_t expected[] = {6, 2, 3, 5, 1, 4, 0};
	for (uint32_t i = 0; i < ARRAY_COUNT(expected); i++)
		TEST_ASSERT_EQUAL_UINT32(expected[i], pop());
	TEST_ASSERT_EQUAL_UINT32(6, queue.pods[QUEUE_IN_FLIGHT]);
	TEST_ASSERT_EQUAL_UINT64(0, queue.popped_early);
}

static void test_priority_changes(void)
{
	add(1);
	uint32_t second = add(2);
	queue_update(&queue, second, 1, 7);
	TEST_ASSERT_EQUAL_UINT32(2, pop());
	queue_update(&queue, second, 9, 8); /* in flight: only noted */
	TEST_ASSERT_EQUAL(QUEUE_IN_FLIGHT, state(second));
	TEST_ASSERT_EQUAL(9, queue_entry_at(&queue, second)->priority);
	uint32_t third = add(3);
	queue_update(&queue, third, 2, 7);
	queue_update(&queue, third, -1, 7);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	TEST_ASSERT_EQUAL_UINT32(3, pop());
}

static void test_backoff_is_popped_early_by_expiration_then_active_order(void)
{
	uint32_t late = parked(1, FIT, at_ms(1000));
	uint32_t low = parked(2, FIT, START);
	uint32_t high = parked(3, FIT, at_ms(100));
	uint32_t failed = add(4);
	TEST_ASSERT_EQUAL_UINT32(4, pop());
	TEST_ASSERT_EQUAL(QUEUE_ERROR_BACKOFF, queue_error(&queue, failed, START));
	queue_update(&queue, high, 10, 7);
	uint32_t all[] = {late, low, high};
	for (uint32_t i = 0; i < ARRAY_COUNT(all); i++)
		TEST_ASSERT_EQUAL(QUEUE_BACKOFF,
			queue_requeue_one(&queue, all[i], QUEUE_AFTER_BACKOFF, at_ms(1000)));
	add_of(5, -100, 7, at_ms(1000));
	TEST_ASSERT_EQUAL_UINT32(5, pop()); /* active ones first, however low */
	TEST_ASSERT_EQUAL_UINT32(3, pop());
	TEST_ASSERT_EQUAL_UINT32(2, pop());
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	TEST_ASSERT_EQUAL_UINT32(0, pop()); /* never the error queue */
	TEST_ASSERT_EQUAL_UINT64(3, queue.popped_early);
	TEST_ASSERT_EQUAL(QUEUE_ERROR_BACKOFF, state(failed));
}

/* ---- time ---- */

static void test_flush_of_completed_backoffs(void)
{
	uint32_t entry = parked(1, FIT, START); /* until 1001: moved at 1002.0 */
	TEST_ASSERT_EQUAL(
		QUEUE_BACKOFF, queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, at_ms(10)));
	uint32_t failed = add_of(2, 0, 7, at_ms(20));
	TEST_ASSERT_EQUAL_UINT32(2, pop());
	TEST_ASSERT_EQUAL(QUEUE_ERROR_BACKOFF, queue_error(&queue, failed, at_ms(800)));
	TEST_ASSERT_EQUAL_INT64(at_ms(1700).us, queue_next_due(&queue).us);
	TEST_ASSERT_EQUAL_UINT32(0, queue_flush(&queue, at_ms(1699), ALL).completed);
	TEST_ASSERT_EQUAL_UINT32(0, queue_flush(&queue, at_ms(1700), 0).completed);
	TEST_ASSERT_EQUAL_UINT32(1, queue_flush(&queue, at_ms(1700), ALL).completed);
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, state(entry));
	TEST_ASSERT_EQUAL_INT64(at_ms(2700).us, queue_next_due(&queue).us);
	TEST_ASSERT_EQUAL_UINT32(1, queue_flush(&queue, at_ms(2700), ALL).completed);
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, state(failed));
	TEST_ASSERT_EQUAL_INT64(MONO_NEVER.us, queue_next_due(&queue).us);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
}

static void test_waiting_counts_as_backoff(void)
{
	uint32_t entry = parked(1, FIT, START);
	TEST_ASSERT_EQUAL(
		QUEUE_ACTIVE, queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, at_ms(1700)));
}

static void test_leftovers_on_the_half_minute(void)
{
	uint32_t entry = parked(1, FIT, at_ms(1));
	/* 300.001 s are over between the ticks at 300 s and 330 s */
	TEST_ASSERT_EQUAL_INT64(at_ms(330 * 1000).us, queue_next_due(&queue).us);
	struct queue_flushed none = queue_flush(&queue, at_ms(330 * 1000 - 1), ALL);
	TEST_ASSERT_EQUAL_UINT32(0, none.leftovers.active);
	TEST_ASSERT_FALSE(queue_entry_at(&queue, entry)->was_flushed);
	struct queue_flushed one = queue_flush(&queue, at_ms(330 * 1000), ALL);
	TEST_ASSERT_EQUAL_UINT32(1, one.leftovers.active);
	TEST_ASSERT_EQUAL_UINT32(0, one.completed);
	TEST_ASSERT_TRUE(queue_entry_at(&queue, entry)->was_flushed);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	queue_park(&queue, entry, bits_waits(FIT), bits_set(0), at_ms(330 * 1000));
	TEST_ASSERT_FALSE(queue_entry_at(&queue, entry)->was_flushed);
	/* more than 300 s: not yet at the tick at which it is exactly that */
	TEST_ASSERT_EQUAL_UINT32(0, queue_flush(&queue, at_ms(630 * 1000), ALL).leftovers.active);
	TEST_ASSERT_EQUAL_INT64(at_ms(660 * 1000).us, queue_next_due(&queue).us);
}

static void test_a_leftover_still_gated_stays_for_another_round(void)
{
	gates[1] = GATES;
	gates[2] = GATES;
	uint32_t entry = add(1);
	uint32_t other = add(2);
	struct queue_flushed one = queue_flush(&queue, at_ms(330 * 1000), 1);
	TEST_ASSERT_EQUAL_UINT32(1, one.leftovers.gated);
	TEST_ASSERT_EQUAL_INT64(at_ms(330 * 1000).us, queue_next_due(&queue).us); /* the other */
	gates[2] = 0;
	one = queue_flush(&queue, at_ms(331 * 1000), ALL);
	TEST_ASSERT_EQUAL_UINT32(0, one.leftovers.gated);
	TEST_ASSERT_EQUAL_UINT32(1, one.leftovers.active);
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, state(other));
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(entry));
	TEST_ASSERT_EQUAL_INT64(at_ms(660 * 1000).us, queue_next_due(&queue).us);
}

/* ---- gates ---- */

static void test_gate_holds_back_and_lets_go(void)
{
	gates[1] = GATES;
	uint32_t entry = add(1);
	const struct queue_entry *e = queue_entry_at(&queue, entry);
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(entry));
	TEST_ASSERT_EQUAL_INT64(MONO_NEVER.us, e->first_attempt.us);
	TEST_ASSERT_EQUAL_UINT32(0, pop());
	TEST_ASSERT_EQUAL_UINT32(1, queue.rejected[1][0]);
	TEST_ASSERT_EQUAL(
		QUEUE_GATED, queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, at_ms(5)));
	TEST_ASSERT_EQUAL_UINT32(1, queue.rejected[1][0]);
	gates[1] = TAINT; /* another plugin holds it now */
	TEST_ASSERT_EQUAL(QUEUE_GATED, queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, at_ms(6)));
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(GATES)); /* only who holds it can let go */
	TEST_ASSERT_EQUAL_UINT32(1, count_groups(TAINT));
	TEST_ASSERT_EQUAL_UINT32(GATES | TAINT,
		bits_of_set(&queue_group_entry(&queue, first_group(TAINT))->rejectors));
	gates[1] = 0;
	TEST_ASSERT_EQUAL(
		QUEUE_ACTIVE, queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, at_ms(7)));
	TEST_ASSERT_EQUAL_INT64(at_ms(7).us, e->first_attempt.us);
	TEST_ASSERT_EQUAL_INT64(START.us, e->timestamp.us);
	TEST_ASSERT_EQUAL_UINT32(1, queue.rejected[1][4]);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	TEST_ASSERT_EQUAL_UINT32(0, queue.rejected[1][0]);
	TEST_ASSERT_EQUAL_UINT32(0, queue.rejected[1][4]);
	gates[1] = GATES; /* after an error the gate is asked again */
	TEST_ASSERT_EQUAL(QUEUE_GATED, queue_error(&queue, entry, at_ms(8)));
	gates[1] = 0;
	TEST_ASSERT_EQUAL(
		QUEUE_BACKOFF, queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, at_ms(9)));
}

/* There was no room for the attempt: it is as if it had not been begun. */
static void test_an_attempt_is_taken_back(void)
{
	uint32_t entry = add(1);
	const struct queue_entry *e = queue_entry_at(&queue, entry);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	gates[1] = GATES;
	queue_hold(&queue, entry, bits_gate(GATES));
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(entry));
	TEST_ASSERT_EQUAL_UINT32(0, e->attempts);
	TEST_ASSERT_EQUAL_UINT32(0, e->unschedulable_count + e->error_count);
	TEST_ASSERT_EQUAL_UINT32(1, count_groups(GATES));
	TEST_ASSERT_EQUAL_UINT32(0, pop());
	queue_audit(&queue);
	gates[1] = 0;
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, queue_requeue_one(&queue, entry, QUEUE_AT_ONCE, at_ms(5)));
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	TEST_ASSERT_EQUAL_UINT32(1, e->attempts);
	queue_park(&queue, entry, bits_waits(TAINT), bits_set(0), at_ms(6));
	queue_audit(&queue);
}

/* The end of a backoff does not ask the gate, an activation from there neither. */
static void test_backoff_passes_the_gate(void)
{
	uint32_t flushed = parked(1, FIT, START);
	uint32_t activated = parked(2, FIT, START);
	(void)queue_requeue_one(&queue, flushed, QUEUE_AFTER_BACKOFF, START);
	(void)queue_requeue_one(&queue, activated, QUEUE_AFTER_BACKOFF, START);
	gates[1] = GATES;
	gates[2] = GATES;
	TEST_ASSERT_EQUAL(
		QUEUE_BACKOFF, queue_requeue_one(&queue, activated, QUEUE_AFTER_BACKOFF, START));
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, queue_requeue_one(&queue, activated, QUEUE_AT_ONCE, START));
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, queue_requeue_one(&queue, activated, QUEUE_AT_ONCE, START));
	TEST_ASSERT_EQUAL_UINT32(1, queue_flush(&queue, at_ms(1700), ALL).completed);
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, state(flushed));
}

/* Nothing else is active, and yet it is left alone for as long as it has to wait. */
static void test_a_wait_that_nobody_cuts_short(void)
{
	uint32_t entry = parked(1, FIT, START);
	TEST_ASSERT_EQUAL(
		QUEUE_ERROR_BACKOFF, queue_requeue_one(&queue, entry, QUEUE_AFTER_ERROR, START));
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(FIT));
	TEST_ASSERT_EQUAL_UINT32(0, pop());
	queue_audit(&queue);
	TEST_ASSERT_EQUAL_UINT32(1, queue_flush(&queue, at_ms(1700), ALL).completed);
	TEST_ASSERT_EQUAL_UINT32(1, pop());

	/* Behind a gate it waits for that one alone. */
	queue_park(&queue, entry, bits_waits(FIT), bits_set(0), at_ms(1700));
	gates[1] = GATES;
	TEST_ASSERT_EQUAL(
		QUEUE_GATED, queue_requeue_one(&queue, entry, QUEUE_AFTER_ERROR, at_ms(1700)));
	TEST_ASSERT_EQUAL(
		QUEUE_GATED, queue_requeue_one(&queue, entry, QUEUE_AFTER_ERROR, at_ms(1700)));
	queue_audit(&queue);
	gates[1] = 0;
	TEST_ASSERT_EQUAL(
		QUEUE_ACTIVE, queue_requeue_one(&queue, entry, QUEUE_AFTER_ERROR, at_ms(9000)));
}

/* ---- groups ---- */

static void test_groups_by_plugin(void)
{
	parked(1, FIT, START);
	parked(2, FIT, START);
	parked(3, FIT | TAINT, START);
	uint32_t other_key = parked(4, TAINT, START);
	uint32_t pending = add(5);
	TEST_ASSERT_EQUAL_UINT32(5, pop());
	queue_park(&queue, pending, bits_waits(0), bits_set(1u << 31), START);
	TEST_ASSERT_EQUAL_UINT32(4, count_groups(UINT32_MAX));
	TEST_ASSERT_EQUAL_UINT32(2, count_groups(FIT));
	TEST_ASSERT_EQUAL_UINT32(2, count_groups(TAINT));
	TEST_ASSERT_EQUAL_UINT32(1, count_groups(1u << 31));
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(1u << 9));
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(0));
	TEST_ASSERT_EQUAL_UINT32(5, queue_group_entry(&queue, first_group(1u << 31))->pod);
	TEST_ASSERT_EQUAL_HEX32(
		1u << 31, bits_of_set(&queue_group_entry(&queue, first_group(1u << 31))->pending));
	queue_update(&queue, other_key, 0, 99);
	TEST_ASSERT_EQUAL_UINT64(
		99, queue_group_entry(&queue, queue_entry_at(&queue, other_key)->group)->key);
	TEST_ASSERT_EQUAL_UINT32(2, queue.rejected[1][4]);
	TEST_ASSERT_EQUAL_UINT32(3, queue.rejected[1][7]);
	TEST_ASSERT_EQUAL_UINT32(1, queue.rejected[1][31]);
}

/* Each member follows its own backoff; those that a gate stops meanwhile stay behind. */
static void test_waking_a_group(void)
{
	uint32_t early = parked(1, FIT, START);
	uint32_t late = parked(2, FIT, at_ms(3000));
	uint32_t held = parked(3, FIT, START);
	uint32_t stays = parked(4, TAINT, START);
	gates[3] = GATES;
	struct queue_walk walk = queue_walk(&queue, bits_waits(FIT));
	uint32_t group = queue_next_group(&queue, &walk);
	TEST_ASSERT_EQUAL_UINT32(3, queue_group_at(&queue, group)->count);
	struct queue_moved moved =
		queue_requeue_group(&queue, group, QUEUE_AFTER_BACKOFF, at_ms(3000));
	TEST_ASSERT_EQUAL_UINT32(1, moved.active);
	TEST_ASSERT_EQUAL_UINT32(1, moved.backoff);
	TEST_ASSERT_EQUAL_UINT32(1, moved.gated);
	TEST_ASSERT_EQUAL_UINT32(0, queue_next_group(&queue, &walk));
	TEST_ASSERT_EQUAL_UINT32(0, queue_next_group(&queue, &walk));
	TEST_ASSERT_EQUAL(QUEUE_ACTIVE, state(early));
	TEST_ASSERT_EQUAL(QUEUE_BACKOFF, state(late));
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(held));
	TEST_ASSERT_EQUAL(QUEUE_UNSCHEDULABLE, state(stays));
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(FIT)); /* gated: FIT cannot let it go */
	moved = queue_requeue_group(&queue, first_group(GATES), QUEUE_AT_ONCE, at_ms(3000));
	TEST_ASSERT_EQUAL_UINT32(1, moved.gated);
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(held));
}

static void test_pending_is_woken_at_once(void)
{
	uint32_t entry = add(1);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	queue_park(&queue, entry, bits_waits(0), bits_set(TAINT), START);
	struct queue_moved moved =
		queue_requeue_group(&queue, first_group(TAINT), QUEUE_AT_ONCE, START);
	TEST_ASSERT_EQUAL_UINT32(1, moved.active);
}

/* A walk does not meet what it made itself: pods that went from one group behind a gate. */
static void test_walk_ends(void)
{
	uint32_t entry = parked(1, FIT, START);
	gates[1] = FIT;
	uint32_t visited = 0;
	struct queue_walk walk = queue_walk(&queue, bits_waits(FIT));
	for (uint32_t g; (g = queue_next_group(&queue, &walk)) != 0; visited++)
		(void)queue_requeue_group(&queue, g, QUEUE_AFTER_BACKOFF, START);
	TEST_ASSERT_EQUAL_UINT32(1, visited);
	TEST_ASSERT_EQUAL(QUEUE_GATED, state(entry));
}

/* More sets of plugins than there are places: found all the same. */
static void test_sets_beyond_the_index(void)
{
	enum { SETS = 3 * QUEUE_SETS_MAX };
	struct queue_settings settings = settings_of(SETS);
	start(&settings);
	for (uint32_t i = 1; i <= SETS; i++)
		parked(100 + i, i, START);
	queue_audit(&queue);
	for (uint32_t bit = 0; bit < 8; bit++) {
		uint32_t expected = 0;
		for (uint32_t i = 1; i <= SETS; i++)
			expected += i >> bit & 1;
		TEST_ASSERT_EQUAL_UINT32(expected, count_groups(1u << bit));
	}
	TEST_ASSERT_EQUAL_UINT32(SETS, count_groups(UINT32_MAX));
	for (uint32_t g; (g = first_group(UINT32_MAX)) != 0;)
		(void)queue_requeue_group(&queue, g, QUEUE_AFTER_BACKOFF, at_ms(5000));
	TEST_ASSERT_EQUAL_UINT32(SETS, queue.pods[QUEUE_ACTIVE]);
	queue_audit(&queue);
}

static void test_an_event_costs_groups_not_pods(void)
{
	enum { TEMPLATES = 10 };
	struct queue_settings settings = settings_of(BIG);
	start(&settings);
	for (uint32_t i = 0; i < BIG; i++)
		add_of(1000 + i, 0, i % TEMPLATES, START);
	for (uint32_t entry; (entry = queue_pop(&queue)) != 0;) {
		uint64_t key = queue_entry_at(&queue, entry)->key;
		queue_park(&queue, entry, bits_waits(key == 3 ? TAINT : FIT), bits_set(0), START);
	}
	TEST_ASSERT_EQUAL_UINT32(BIG, queue.pods[QUEUE_UNSCHEDULABLE]);
	TEST_ASSERT_EQUAL_UINT32(TEMPLATES, pool_used(&queue.groups));
	for (uint32_t event = 0; event < 1000; event++)
		TEST_ASSERT_EQUAL_UINT32(TEMPLATES, count_groups(UINT32_MAX));
	TEST_ASSERT_EQUAL_UINT64(1000 * TEMPLATES, queue.groups_visited);
	TEST_ASSERT_EQUAL_UINT32(1, count_groups(TAINT)); /* looks at nothing else */
	TEST_ASSERT_EQUAL_UINT64(1000 * TEMPLATES + 1, queue.groups_visited);
	TEST_ASSERT_EQUAL_UINT32(0, count_groups(GATES));
	TEST_ASSERT_EQUAL_UINT64(1000 * TEMPLATES + 1, queue.groups_visited);
	struct queue_moved moved =
		queue_requeue_group(&queue, first_group(TAINT), QUEUE_AFTER_BACKOFF, at_ms(5000));
	TEST_ASSERT_EQUAL_UINT32(BIG / TEMPLATES, moved.active);
	queue_audit(&queue);
}

/* So many that some have equal hashes. */
static void test_every_key_has_its_own_group(void)
{
	enum { KEYS = 2 * BIG };
	struct queue_settings settings = settings_of(KEYS);
	start(&settings);
	for (uint32_t i = 0; i < KEYS; i++)
		add_of(1000 + i, 0, i, START);
	for (uint32_t entry; (entry = queue_pop(&queue)) != 0;)
		queue_park(&queue, entry, bits_waits(FIT), bits_set(0), START);
	TEST_ASSERT_EQUAL_UINT32(KEYS, pool_used(&queue.groups));
	queue_audit(&queue);
}

/* ---- room, removal, misuse ---- */

static void test_full_refuses_and_recovers(void)
{
	uint32_t entries[SMALL];
	for (uint32_t i = 0; i < SMALL; i++)
		entries[i] = add(i + 1);
	struct queue_pod more = {.pod = 99};
	uint32_t entry = 5;
	TEST_ASSERT_EQUAL(QUEUE_FULL, queue_add(&queue, &more, START, &entry));
	TEST_ASSERT_EQUAL_UINT32(0, entry);
	TEST_ASSERT_EQUAL_UINT64(1, queue.entries.budget.refused);
	TEST_ASSERT_EQUAL_UINT32(1, pop()); /* in flight still holds its place */
	TEST_ASSERT_EQUAL(QUEUE_FULL, queue_add(&queue, &more, START, &entry));
	queue_remove(&queue, entries[0]);
	TEST_ASSERT_EQUAL(QUEUE_OK, queue_add(&queue, &more, START, &entry));
	for (uint32_t i = 0; i < SMALL; i++) { /* every one in a group of its own */
		uint32_t next = queue_pop(&queue);
		queue_update(&queue, next, 0, i);
		queue_park(&queue, next, bits_waits(FIT), bits_set(0), START);
	}
	TEST_ASSERT_EQUAL_UINT32(SMALL, pool_used(&queue.groups));
}

static uint32_t make_in(enum queue_state wanted)
{
	if (wanted == QUEUE_GATED)
		gates[1] = GATES;
	uint32_t entry = add(1);
	if (wanted == QUEUE_ACTIVE || wanted == QUEUE_GATED)
		return entry;
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	if (wanted == QUEUE_ERROR_BACKOFF)
		(void)queue_error(&queue, entry, START);
	if (wanted == QUEUE_BACKOFF || wanted == QUEUE_UNSCHEDULABLE)
		queue_park(&queue, entry, bits_waits(FIT), bits_set(0), START);
	if (wanted == QUEUE_BACKOFF)
		(void)queue_requeue_one(&queue, entry, QUEUE_AFTER_BACKOFF, START);
	return entry;
}

static void test_take_when_it_is_not_gated_then_it_is_in_flight(void)
{
	for (uint32_t wanted = 0; wanted < QUEUE_STATES; wanted++) {
		setUp();
		uint32_t entry = make_in((enum queue_state)wanted);
		bool is_free = wanted != QUEUE_GATED && wanted != QUEUE_IN_FLIGHT;
		uint32_t attempts = queue_entry_at(&queue, entry)->attempts;
		TEST_ASSERT_EQUAL(is_free, queue_take(&queue, entry));
		TEST_ASSERT_EQUAL(
			is_free ? QUEUE_IN_FLIGHT : (enum queue_state)wanted, state(entry));
		TEST_ASSERT_EQUAL_UINT32(
			attempts + is_free, queue_entry_at(&queue, entry)->attempts);
		queue_audit(&queue);
		queue_remove(&queue, entry);
	}
}

static void test_remove_from_every_state(void)
{
	for (enum queue_state wanted = QUEUE_ACTIVE; wanted < QUEUE_STATES; wanted++) {
		setUp();
		uint32_t entry = make_in(wanted);
		TEST_ASSERT_EQUAL(wanted, state(entry));
		TEST_ASSERT_EQUAL_UINT32(1, queue.pods[wanted]);
		queue_audit(&queue);
		queue_remove(&queue, entry);
		queue_audit(&queue);
		TEST_ASSERT_EQUAL_UINT32(0, queue.pods[wanted]);
		TEST_ASSERT_EQUAL_UINT32(0, pool_used(&queue.entries));
		TEST_ASSERT_EQUAL_UINT32(0, pool_used(&queue.groups));
		TEST_ASSERT_EQUAL_UINT32(0, queue.rejected[1][0] + queue.rejected[1][7]);
		TEST_ASSERT_EQUAL_UINT32(0, pop());
		TEST_ASSERT_EQUAL_INT64(MONO_NEVER.us, queue_next_due(&queue).us);
	}
}

static void test_misuse_is_a_bug(void)
{
	uint32_t entry = add(1);
	CHECK_EXPECTED((queue_park(&queue, entry, bits_waits(FIT), bits_set(0), START),
		0)); /* not in flight */
	setUp();
	entry = add(1);
	CHECK_EXPECTED(queue_error(&queue, entry, START));
	setUp();
	entry = add(1);
	TEST_ASSERT_EQUAL_UINT32(1, pop());
	CHECK_EXPECTED(
		(queue_park(&queue, entry, bits_waits(0), bits_set(0), START), 0)); /* by nobody */
	CHECK_EXPECTED((queue_remove(&queue, entry + 1), 0));
	struct queue_pod odd = {.pod = 1, .profile = QUEUE_PROFILES_MAX};
	CHECK_EXPECTED(queue_add(&queue, &odd, START, &entry));
	setUp();
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_backoff_by_table);
	RUN_TEST(test_errors_and_rejections_count_apart);
	RUN_TEST(test_active_order);
	RUN_TEST(test_priority_changes);
	RUN_TEST(test_backoff_is_popped_early_by_expiration_then_active_order);
	RUN_TEST(test_flush_of_completed_backoffs);
	RUN_TEST(test_waiting_counts_as_backoff);
	RUN_TEST(test_leftovers_on_the_half_minute);
	RUN_TEST(test_a_leftover_still_gated_stays_for_another_round);
	RUN_TEST(test_gate_holds_back_and_lets_go);
	RUN_TEST(test_an_attempt_is_taken_back);
	RUN_TEST(test_backoff_passes_the_gate);
	RUN_TEST(test_a_wait_that_nobody_cuts_short);
	RUN_TEST(test_groups_by_plugin);
	RUN_TEST(test_waking_a_group);
	RUN_TEST(test_pending_is_woken_at_once);
	RUN_TEST(test_walk_ends);
	RUN_TEST(test_sets_beyond_the_index);
	RUN_TEST(test_an_event_costs_groups_not_pods);
	RUN_TEST(test_every_key_has_its_own_group);
	RUN_TEST(test_full_refuses_and_recovers);
	RUN_TEST(test_take_when_it_is_not_gated_then_it_is_in_flight);
	RUN_TEST(test_remove_from_every_state);
	RUN_TEST(test_misuse_is_a_bug);
	int failures = UNITY_END();
	free(block);
	return failures;
}
