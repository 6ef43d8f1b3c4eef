/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue next to a naive model: an array, linear search, and the words of the rule book. */
// deps: queue/*.c base/arena.c base/heap.c base/pool.c base/map.c base/hash.c base/memory.c
// deps: base/check.c base/format.c base/budget.c base/trace.c base/entropy.c
// deps: base/pages.c base/intern.c base/store.c base/text.c
#include "queue/bits.h"

#include <string.h>

#include "base/entropy.h"
#include "unity.h"

enum { PODS = 40, ROOM = 30, STEPS = 100 * 1000, ALL = UINT16_MAX };
enum { INITIAL_S = 1, MOST_S = 10, LEFT_S = 60 };

#define SECOND ((int64_t)CLOCK_S_US)

struct model_pod {
	bool there;
	uint32_t entry;
	enum queue_state state;
	int32_t priority;
	uint64_t key;
	int64_t timestamp;
	uint64_t order;
	int64_t expires; /* -1: none */
	int64_t flushed; /* -1: never */
	int64_t first;   /* -1: not yet */
	uint32_t rejectors;
	uint32_t pending;
	uint32_t gate;
	uint32_t attempts;
	uint32_t unschedulable;
	uint32_t errors;
};

static _Alignas(16) uint8_t block[64 * 1024];
static struct queue queue;
static struct random seeded;
static struct model_pod pods[PODS]; /* the index is the pod */
static uint32_t gates[PODS];
static uint64_t orders;
static int64_t started;
static int64_t now;
static uint64_t seen[QUEUE_STATES]; /* that the steps really reach every state */

static uint32_t below(uint32_t bound)
{
	return random_below(&seeded, bound);
}

static struct mono time_now(void)
{
	return (struct mono){now};
}

static struct queue_gate gate_of(void *self, uint32_t pod)
{
	return bits_gate(((const uint32_t *)self)[pod]);
}

void setUp(void)
{
	struct arena arena;
	struct queue_settings settings = {
		.capacity = ROOM,
		.backoff_initial_us = INITIAL_S * SECOND,
		.backoff_max_us = MOST_S * SECOND,
		.unschedulable_max_us = LEFT_S * SECOND,
		.gate = gate_of,
		.self = gates,
	};
	now = started = 77123456;
	orders = 0;
	budget_reset();
	memset(pods, 0, sizeof(pods));
	memset(gates, 0, sizeof(gates));
	memset(seen, 0, sizeof(seen));
	arena_init(&arena, block, sizeof(block));
	queue_init(&queue, &arena, &settings, time_now());
}

void tearDown(void)
{
}

/* ---- the model ---- */

static bool model_waits(const struct model_pod *p)
{
	return p->there && (p->state == QUEUE_UNSCHEDULABLE || p->state == QUEUE_GATED);
}

static bool model_backing_off(const struct model_pod *p)
{
	return p->expires >= now / SECOND * SECOND;
}

static void model_requeue(struct model_pod *p, bool at_once)
{
	p->gate = gates[p - pods];
	p->rejectors |= p->gate;
	if (p->gate != 0)
		p->state = QUEUE_GATED;
	else if (!at_once && model_backing_off(p))
		p->state = p->rejectors + p->pending == 0 ? QUEUE_ERROR_BACKOFF : QUEUE_BACKOFF;
	else
		p->state = QUEUE_ACTIVE;
	if (p->state == QUEUE_ACTIVE && p->first < 0)
		p->first = now;
}

static void model_failed(struct model_pod *p)
{
	uint32_t times = p->errors > 0 ? p->errors : p->unschedulable;
	int64_t seconds = INITIAL_S;
	for (uint32_t i = 1; i < times && seconds < MOST_S; i++)
		seconds *= 2;
	if (seconds > MOST_S)
		seconds = MOST_S;
	p->timestamp = now;
	p->order = orders++;
	p->expires = (now + seconds * SECOND) / SECOND * SECOND;
}

static int64_t model_since(const struct model_pod *p)
{
	return p->flushed > p->timestamp ? p->flushed : p->timestamp;
}

static bool model_active_before(const struct model_pod *a, const struct model_pod *b)
{
	if (a->priority != b->priority)
		return a->priority > b->priority;
	return a->order < b->order; /* timestamps grow with it */
}

static bool model_before(const struct model_pod *a, const struct model_pod *b)
{
	if (model_waits(a)) {
		int64_t a_since = model_since(a);
		int64_t b_since = model_since(b);
		return a_since != b_since ? a_since < b_since : a->order < b->order;
	}
	if (a->state != QUEUE_ACTIVE && a->expires != b->expires)
		return a->expires < b->expires;
	return a->state == QUEUE_ERROR_BACKOFF ? a->order < b->order : model_active_before(a, b);
}

static struct model_pod *model_head(enum queue_state state)
{
	struct model_pod *best = NULL;
	for (struct model_pod *p = pods; p < pods + PODS; p++) {
		bool here = p->there && p->state == state;
		if (state == QUEUE_UNSCHEDULABLE)
			here = model_waits(p);
		if (here && (best == NULL || model_before(p, best)))
			best = p;
	}
	return best;
}

static uint32_t model_flush(uint32_t most)
{
	uint32_t moved = 0;
	struct model_pod *p;
	static const enum queue_state backoffs[] = {QUEUE_BACKOFF, QUEUE_ERROR_BACKOFF};
	for (uint32_t i = 0; i < 2; i++) {
		while (moved < most && (p = model_head(backoffs[i])) != NULL &&
			!model_backing_off(p)) {
			p->state = QUEUE_ACTIVE;
			moved++;
		}
	}
	int64_t tick = started;
	while (tick + 30 * SECOND <= now)
		tick += 30 * SECOND;
	while (moved < most && (p = model_head(QUEUE_UNSCHEDULABLE)) != NULL &&
		tick - model_since(p) > LEFT_S * SECOND) {
		p->flushed = now;
		model_requeue(p, false);
		moved++;
	}
	return moved;
}

/* The earliest full microsecond at which a flush moves something is found by its rules. */
static int64_t model_due(void)
{
	int64_t due = INT64_MAX;
	for (const struct model_pod *p = pods; p < pods + PODS; p++) {
		if (!p->there)
			continue;
		int64_t at = INT64_MAX;
		if (p->state == QUEUE_BACKOFF || p->state == QUEUE_ERROR_BACKOFF)
			at = p->expires + SECOND;
		if (model_waits(p))
			for (at = started; at - model_since(p) <= LEFT_S * SECOND;)
				at += 30 * SECOND;
		if (at < due)
			due = at;
	}
	return due;
}

/* ---- both compared ---- */

static void compare_pod(const struct model_pod *p)
{
	const struct queue_entry *e = queue_entry_at(&queue, p->entry);
	seen[p->state]++;
	TEST_ASSERT_EQUAL_UINT32(p - pods, e->pod);
	TEST_ASSERT_EQUAL(p->state, e->state);
	TEST_ASSERT_EQUAL(p->priority, e->priority);
	TEST_ASSERT_EQUAL_UINT64(p->key, e->key);
	TEST_ASSERT_EQUAL_INT64(p->timestamp, e->timestamp.us);
	TEST_ASSERT_EQUAL_INT64(p->expires < 0 ? INT64_MIN : p->expires, e->expires.us);
	TEST_ASSERT_EQUAL_INT64(p->first < 0 ? INT64_MAX : p->first, e->first_attempt.us);
	TEST_ASSERT_EQUAL_HEX32(p->rejectors, bits_of_set(&e->rejectors));
	TEST_ASSERT_EQUAL_HEX32(p->pending, bits_of_set(&e->pending));
	TEST_ASSERT_EQUAL_HEX32(p->gate, bits_of_gate(e->gate));
	TEST_ASSERT_EQUAL_UINT32(p->attempts, e->attempts);
	TEST_ASSERT_EQUAL_UINT32(p->unschedulable, e->unschedulable_count);
	TEST_ASSERT_EQUAL_UINT32(p->errors, e->error_count);
}

static void compare(void)
{
	uint32_t count = 0;
	for (const struct model_pod *p = pods; p < pods + PODS; p++) {
		if (!p->there)
			continue;
		count++;
		compare_pod(p);
	}
	TEST_ASSERT_EQUAL_UINT32(count, pool_used(&queue.entries));
	TEST_ASSERT_EQUAL_INT64(model_due(), queue_next_due(&queue).us);
	queue_audit(&queue);
}

/* ---- steps ---- */

static struct model_pod *any(enum queue_state state)
{
	uint32_t from = below(PODS);
	for (uint32_t i = 0; i < PODS; i++) {
		struct model_pod *p = &pods[(from + i) % PODS];
		if (p->there && p->state == state)
			return p;
	}
	return NULL;
}

static struct model_pod *any_there(void)
{
	struct model_pod *p = &pods[below(PODS)];
	return p->there ? p : NULL;
}

static void step_add(void)
{
	struct model_pod *p = &pods[below(PODS)];
	if (p->there)
		return;
	uint32_t pod = (uint32_t)(p - pods);
	gates[pod] = below(4) == 0 ? 1u << below(3) : 0;
	struct queue_pod given = {
		.pod = pod,
		.priority = (int32_t)below(3) - 1,
		.key = below(3),
		.profile = below(QUEUE_PROFILES_MAX),
	};
	bool full = pool_used(&queue.entries) == ROOM;
	uint32_t entry;
	enum queue_result result = queue_add(&queue, &given, time_now(), &entry);
	TEST_ASSERT_EQUAL(full ? QUEUE_FULL : QUEUE_OK, result);
	if (full)
		return;
	*p = (struct model_pod){
		.there = true,
		.entry = entry,
		.priority = given.priority,
		.key = given.key,
		.timestamp = now,
		.order = orders++,
		.expires = -1,
		.flushed = -1,
		.first = -1,
	};
	model_requeue(p, false);
}

static void step_pop(void)
{
	struct model_pod *p = model_head(QUEUE_ACTIVE);
	if (p == NULL)
		p = model_head(QUEUE_BACKOFF);
	uint32_t entry = queue_pop(&queue);
	TEST_ASSERT_EQUAL_UINT32(p == NULL ? 0 : p->entry, entry);
	if (p == NULL)
		return;
	p->state = QUEUE_IN_FLIGHT;
	p->attempts++;
	p->rejectors = 0;
	p->pending = 0;
}

static void step_park(void)
{
	struct model_pod *p = any(QUEUE_IN_FLIGHT);
	if (p == NULL)
		return;
	p->rejectors = 1u << below(5) | 1u << below(5);
	p->pending = below(4) == 0 ? 1u << 31 : 0;
	p->unschedulable++;
	p->errors = 0;
	p->state = QUEUE_UNSCHEDULABLE;
	model_failed(p);
	queue_park(&queue, p->entry, bits_waits(p->rejectors), bits_set(p->pending), time_now());
}

static void step_error(void)
{
	struct model_pod *p = any(QUEUE_IN_FLIGHT);
	if (p == NULL)
		return;
	p->errors++;
	model_failed(p);
	model_requeue(p, false);
	TEST_ASSERT_EQUAL(p->state, queue_error(&queue, p->entry, time_now()));
}

static void step_update(void)
{
	struct model_pod *p = any_there();
	if (p == NULL)
		return;
	p->priority = (int32_t)below(3) - 1;
	p->key = below(3);
	queue_update(&queue, p->entry, p->priority, p->key);
}

static void step_wake(void)
{
	struct model_pod *p = any_there();
	if (p == NULL)
		return;
	bool at_once = below(2) == 0;
	if (model_waits(p))
		model_requeue(p, at_once);
	else if (at_once && p->state != QUEUE_IN_FLIGHT)
		p->state = QUEUE_ACTIVE;
	TEST_ASSERT_EQUAL(p->state,
		queue_requeue_one(&queue, p->entry, at_once ? QUEUE_AT_ONCE : QUEUE_AFTER_BACKOFF,
			time_now()));
}

static void step_remove(void)
{
	struct model_pod *p = any_there();
	if (p == NULL || below(3) != 0)
		return;
	queue_remove(&queue, p->entry);
	p->there = false;
}

static void step_gate(void)
{
	uint32_t pod = below(PODS);
	gates[pod] = below(2) == 0 ? 1u << below(3) : 0;
}

static bool model_concerns(const struct model_pod *p, uint32_t mask)
{
	uint32_t waits = p->gate != 0 ? p->gate : p->rejectors | p->pending;
	return model_waits(p) && (waits & mask) != 0;
}

static bool model_same_group(const struct model_pod *a, const struct model_pod *b)
{
	return a->key == b->key && a->rejectors == b->rejectors && a->pending == b->pending &&
		a->gate == b->gate;
}

static uint32_t model_groups(uint32_t mask)
{
	uint32_t groups = 0;
	for (uint32_t i = 0; i < PODS; i++) {
		bool first = model_concerns(&pods[i], mask);
		for (uint32_t k = 0; k < i && first; k++)
			first = !model_waits(&pods[k]) || !model_same_group(&pods[k], &pods[i]);
		groups += first;
	}
	return groups;
}

/* An event that helps the pods of one key and asks for one or all plugins. */
static void step_event(void)
{
	uint32_t mask = below(5) == 0 ? UINT32_MAX : 1u << below(6);
	uint64_t key = below(3);
	bool at_once = below(2) == 0;
	uint32_t expected = model_groups(mask);
	for (struct model_pod *p = pods; p < pods + PODS; p++)
		if (model_concerns(p, mask) && p->key == key)
			model_requeue(p, at_once);

	uint32_t visited = 0;
	struct queue_walk walk = queue_walk(&queue, bits_waits(mask));
	for (uint32_t g; (g = queue_next_group(&queue, &walk)) != 0; visited++) {
		const struct queue_entry *first = queue_group_entry(&queue, g);
		TEST_ASSERT_EQUAL_UINT64(first->key, pods[first->pod].key);
		if (first->key == key)
			(void)queue_requeue_group(&queue, g,
				at_once ? QUEUE_AT_ONCE : QUEUE_AFTER_BACKOFF, time_now());
	}
	TEST_ASSERT_EQUAL_UINT32(expected, visited);
}

static void step_flush(void)
{
	uint32_t most = below(3) == 0 ? below(4) : ALL;
	uint32_t expected = model_flush(most);
	struct queue_flushed f = queue_flush(&queue, time_now(), most);
	TEST_ASSERT_EQUAL_UINT32(expected,
		f.completed + f.leftovers.active + f.leftovers.backoff + f.leftovers.gated);
}

static void step_time(void)
{
	static const uint32_t spans_ms[] = {10, 1000, 3000, 20 * 1000};
	now += below(spans_ms[below(ARRAY_COUNT(spans_ms))]) * (int64_t)CLOCK_MS_US;
}

/* The most frequent steps stand there several times. */
static void (*const steps[])(void) = {
	step_add,
	step_add,
	step_add,
	step_pop,
	step_pop,
	step_pop,
	step_park,
	step_park,
	step_error,
	step_update,
	step_wake,
	step_remove,
	step_gate,
	step_event,
	step_flush,
	step_time,
	step_time,
};

static void test_random_steps(void)
{
	random_init(&seeded, 20);
	for (uint32_t i = 0; i < STEPS; i++) {
		steps[below(ARRAY_COUNT(steps))]();
		if (i % 4 == 0)
			compare();
	}
	for (uint32_t s = 0; s < QUEUE_STATES; s++)
		TEST_ASSERT_TRUE(seen[s] > 1000);
	TEST_ASSERT_TRUE(queue.popped_early > 100);
	TEST_ASSERT_TRUE(queue.entries.budget.refused > 100);
	for (struct model_pod *p = pods; p < pods + PODS; p++)
		if (p->there)
			queue_remove(&queue, p->entry);
	queue_audit(&queue);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&queue.entries));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&queue.groups));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_random_steps);
	return UNITY_END();
}
