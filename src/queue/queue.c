/* SPDX-License-Identifier: GPL-2.0-only */
/* Queue: the states of an entry and the ways between them. */
#include "queue/queue.h"

#include "queue/private.h"

/* ---- orders ---- */

/* PrioritySort, then who came first. */
static bool active_before(const void *self, uint32_t a, uint32_t b)
{
	const struct queue_entry *x = queue_entry(self, a);
	const struct queue_entry *y = queue_entry(self, b);
	if (x->priority != y->priority)
		return x->priority > y->priority;
	if (x->timestamp.us != y->timestamp.us)
		return x->timestamp.us < y->timestamp.us;
	return x->order < y->order;
}

static bool backoff_before(const void *self, uint32_t a, uint32_t b)
{
	const struct queue_entry *x = queue_entry(self, a);
	const struct queue_entry *y = queue_entry(self, b);
	if (x->expires.us != y->expires.us)
		return x->expires.us < y->expires.us;
	return active_before(self, a, b);
}

static bool error_before(const void *self, uint32_t a, uint32_t b)
{
	const struct queue_entry *x = queue_entry(self, a);
	const struct queue_entry *y = queue_entry(self, b);
	if (x->expires.us != y->expires.us)
		return x->expires.us < y->expires.us;
	return x->order < y->order;
}

static bool waiting_before(const void *self, uint32_t a, uint32_t b)
{
	const struct queue_entry *x = queue_entry(self, a);
	const struct queue_entry *y = queue_entry(self, b);
	int64_t x_since = queue_waits_since(x).us;
	int64_t y_since = queue_waits_since(y).us;
	return x_since != y_since ? x_since < y_since : x->order < y->order;
}

static void entry_moved(void *self, uint32_t entry, uint32_t position)
{
	queue_entry(self, entry)->position = position;
}

/* NULL in flight. */
static struct heap *heap_of(struct queue *queue, uint8_t state)
{
	switch ((enum queue_state)state) {
	case QUEUE_ACTIVE: return &queue->active;
	case QUEUE_BACKOFF: return &queue->backoff;
	case QUEUE_ERROR_BACKOFF: return &queue->error_backoff;
	case QUEUE_UNSCHEDULABLE:
	case QUEUE_GATED: return &queue->waiting;
	case QUEUE_IN_FLIGHT: return NULL;
	case QUEUE_STATES: break;
	}
	CHECK_NEVER("an entry is in no state");
}

/* ---- start ---- */

size_t queue_size(uint32_t capacity)
{
	return pool_size(sizeof(struct queue_entry), capacity) + queue_group_size(capacity) +
		4 * heap_size(capacity) + shelf_size(2 * capacity);
}

/* Sums of a time and a length from the configuration stay in range. */
static int64_t length_us(int64_t us)
{
	const int64_t longest = INT64_MAX / 4;
	return us < 0 ? 0 : us > longest ? longest : us;
}

void queue_init(struct queue *queue, struct arena *arena, const struct queue_settings *settings,
	struct mono now)
{
	CHECK(settings->gate != NULL);
	uint32_t capacity = settings->capacity;
	*queue = (struct queue){.settings = *settings, .started = now};
	queue->settings.backoff_initial_us = length_us(settings->backoff_initial_us);
	queue->settings.backoff_max_us = length_us(settings->backoff_max_us);
	queue->settings.unschedulable_max_us = length_us(settings->unschedulable_max_us);
	pool_init(&queue->entries, arena, "queue", sizeof(struct queue_entry), capacity);
	queue_group_init(queue, arena);
	heap_init_for(&queue->active, arena, &queue->entries, active_before, entry_moved, queue);
	heap_init_for(&queue->backoff, arena, &queue->entries, backoff_before, entry_moved, queue);
	heap_init_for(
		&queue->error_backoff, arena, &queue->entries, error_before, entry_moved, queue);
	heap_init_for(&queue->waiting, arena, &queue->entries, waiting_before, entry_moved, queue);
	if (settings->strings != NULL)
		shelf_init(&queue->shelf, arena, settings->strings, 2 * capacity, now);
}

/* ---- moving ---- */

static void leave(struct queue *queue, struct queue_entry *e)
{
	struct heap *heap = heap_of(queue, e->state);
	if (queue_is_waiting(e))
		queue_group_leave(queue, e);
	if (heap != NULL)
		heap_remove(heap, e->position);
	queue->pods[e->state]--;
}

static void enter_place(struct queue *queue, uint32_t entry, enum queue_state to)
{
	struct queue_entry *e = queue_entry(queue, entry);
	CHECK((to == QUEUE_GATED) == queue_is_gated(e));
	e->state = (uint8_t)to;
	queue->pods[to]++;
	if (queue_is_waiting(e))
		queue_group_join(queue, e);
	struct heap *heap = heap_of(queue, e->state);
	if (heap != NULL)
		CHECK(heap_add(heap, entry)); /* every heap has room for all entries */
}

void queue_move(struct queue *queue, uint32_t entry, enum queue_state to)
{
	leave(queue, queue_entry(queue, entry));
	enter_place(queue, entry, to);
}

/* ---- the gauge of rejected pods ---- */

static void count_rejected(struct queue *queue, uint32_t profile, struct queue_waits by, int sign)
{
	while (!plugin_set_is_empty(&by.plugins))
		queue->rejected[profile][plugin_set_take(&by.plugins)] += (uint32_t)sign;
	for (uint32_t i = 0; i < QUEUE_OTHERS; i++)
		if (queue_waits_has(&by, (enum queue_other)i))
			queue->rejected_by_other[profile][i] += (uint32_t)sign;
}

static void reject(struct queue *queue, struct queue_entry *e, const struct queue_waits *rejectors,
	const struct plugin_set *pending)
{
	count_rejected(queue, e->profile, queue_blamed(e), -1);
	e->rejectors = plugin_set_union(&e->rejectors, &rejectors->plugins);
	e->other_rejectors |= (uint8_t)rejectors->others;
	e->pending = plugin_set_union(&e->pending, pending);
	count_rejected(queue, e->profile, queue_blamed(e), 1);
}

static void forget_rejection(struct queue *queue, struct queue_entry *e)
{
	count_rejected(queue, e->profile, queue_blamed(e), -1);
	e->rejectors = (struct plugin_set){{0}};
	e->other_rejectors = 0;
	e->pending = (struct plugin_set){{0}};
}

/* ---- one pod ---- */

/* Where it may go when it need not wait for an event any more; says so in gate and rejectors. */
static enum queue_state way_out(struct queue *queue, struct queue_entry *e, struct queue_gate gate,
	enum queue_how how, struct mono now)
{
	CHECK(e->group == 0);
	e->gate = gate;
	if (gate.closed) {
		const struct queue_waits waits = queue_waits_for_gate(gate);
		reject(queue, e, &waits, &(const struct plugin_set){{0}});
		return QUEUE_GATED;
	}
	const struct queue_waits blamed = queue_blamed(e);
	if (how != QUEUE_AT_ONCE && queue_is_backing_off(e, now))
		return queue_waits_is_empty(&blamed) ? QUEUE_ERROR_BACKOFF : QUEUE_BACKOFF;
	if (e->first_attempt.us == MONO_NEVER.us)
		e->first_attempt = now;
	return QUEUE_ACTIVE;
}

static struct queue_gate ask_gate(const struct queue *queue, const struct queue_entry *e)
{
	return queue->settings.gate(queue->settings.self, e->pod);
}

/* Its gate is among those that rejected it, and nothing but gates adds to those while it waits. */
enum queue_state queue_requeue(
	struct queue *queue, uint32_t entry, enum queue_how how, struct mono now)
{
	struct queue_entry *e = queue_entry(queue, entry);
	const struct queue_gate gate = ask_gate(queue, e);
	/* Still behind the same gate: it keeps its place in the group, which may be walked. */
	if (e->state == QUEUE_GATED && queue_gate_is(gate, e->gate))
		return QUEUE_GATED;
	leave(queue, e);
	enum queue_state to = way_out(queue, e, gate, how, now);
	enter_place(queue, entry, to);
	return to;
}

enum queue_result queue_add(
	struct queue *queue, const struct queue_pod *pod, struct mono now, uint32_t *entry)
{
	CHECK(pod->profile < QUEUE_PROFILES_MAX);
	CHECK(mono_reached(now, queue->started));
	*entry = pool_take(&queue->entries);
	if (*entry == 0)
		return QUEUE_FULL;
	struct queue_entry *e = queue_entry(queue, *entry);
	*e = (struct queue_entry){
		.key = pod->key,
		.order = queue->next_order++,
		.timestamp = now,
		.expires = QUEUE_NO_TIME,
		.flushed = QUEUE_NO_TIME,
		.first_attempt = MONO_NEVER,
		.pod = pod->pod,
		.priority = pod->priority,
		.profile = (uint8_t)pod->profile,
	};
	list_init(&e->link);
	enter_place(queue, *entry, way_out(queue, e, ask_gate(queue, e), QUEUE_AFTER_BACKOFF, now));
	return QUEUE_OK;
}

uint32_t queue_pop(struct queue *queue)
{
	const struct heap *from = &queue->active;
	if (from->count == 0) {
		from = &queue->backoff;
		if (from->count == 0)
			return 0;
		queue->popped_early++;
	}
	uint32_t entry = heap_first(from);
	struct queue_entry *e = queue_entry(queue, entry);
	e->attempts++;
	forget_rejection(queue, e);
	queue_move(queue, entry, QUEUE_IN_FLIGHT);
	return entry;
}

bool queue_take(struct queue *queue, uint32_t entry)
{
	struct queue_entry *e = queue_entry(queue, entry);
	if (e->state == QUEUE_GATED || e->state == QUEUE_IN_FLIGHT)
		return false;
	leave(queue, e);
	e->attempts++;
	forget_rejection(queue, e);
	enter_place(queue, entry, QUEUE_IN_FLIGHT);
	return true;
}

/* The counts say how often it failed, so the backoff follows from them. */
static void failed(struct queue *queue, struct queue_entry *e, struct mono now)
{
	CHECK(e->state == QUEUE_IN_FLIGHT);
	CHECK(mono_reached(now, e->timestamp));
	e->timestamp = now;
	e->order = queue->next_order++;
	e->expires = queue_expiration(&queue->settings, e);
	e->was_flushed = false;
}

void queue_park(struct queue *queue, uint32_t entry, struct queue_waits rejectors,
	struct plugin_set pending, struct mono now)
{
	struct queue_entry *e = queue_entry(queue, entry);
	CHECK(!queue_waits_is_empty(&rejectors) || !plugin_set_is_empty(&pending));
	e->unschedulable_count++;
	e->error_count = 0;
	failed(queue, e, now);
	reject(queue, e, &rejectors, &pending);
	queue_move(queue, entry, QUEUE_UNSCHEDULABLE);
}

enum queue_state queue_error(struct queue *queue, uint32_t entry, struct mono now)
{
	struct queue_entry *e = queue_entry(queue, entry);
	e->error_count++;
	failed(queue, e, now);
	return queue_requeue(queue, entry, QUEUE_AFTER_BACKOFF, now);
}

void queue_hold(struct queue *queue, uint32_t entry, struct queue_gate gate)
{
	struct queue_entry *e = queue_entry(queue, entry);
	CHECK(e->state == QUEUE_IN_FLIGHT);
	CHECK(gate.closed);
	e->attempts--;
	e->gate = gate;
	const struct queue_waits waits = queue_waits_for_gate(gate);
	reject(queue, e, &waits, &(const struct plugin_set){{0}});
	queue_move(queue, entry, QUEUE_GATED);
}

void queue_update(struct queue *queue, uint32_t entry, int32_t priority, uint64_t key)
{
	struct queue_entry *e = queue_entry(queue, entry);
	if (queue_is_waiting(e) && e->key != key) {
		queue_group_leave(queue, e);
		e->key = key;
		queue_group_join(queue, e);
	}
	e->key = key;
	e->priority = priority;
	struct heap *heap = heap_of(queue, e->state);
	if (heap != NULL)
		heap_changed(heap, e->position);
}

enum queue_state queue_requeue_one(
	struct queue *queue, uint32_t entry, enum queue_how how, struct mono now)
{
	struct queue_entry *e = queue_entry(queue, entry);
	if (how == QUEUE_AFTER_ERROR && queue_is_waiting(e)) {
		leave(queue, e);
		forget_rejection(queue, e); /* it waits for time alone */
		enter_place(queue, entry, way_out(queue, e, ask_gate(queue, e), how, now));
		return (enum queue_state)e->state;
	}
	if (queue_is_waiting(e))
		return queue_requeue(queue, entry, how, now);
	bool in_backoff = e->state == QUEUE_BACKOFF || e->state == QUEUE_ERROR_BACKOFF;
	if (in_backoff && how == QUEUE_AT_ONCE)
		queue_move(queue, entry, QUEUE_ACTIVE);
	return e->state;
}

void queue_remove(struct queue *queue, uint32_t entry)
{
	struct queue_entry *e = queue_entry(queue, entry);
	leave(queue, e);
	forget_rejection(queue, e);
	pool_give(&queue->entries, entry);
}

void queue_print(const struct queue *queue)
{
	const uint32_t *pods = queue->pods;
	check_print("  active %u, backoff %u, error backoff %u, unschedulable %u, gated %u, "
		    "in flight %u\n",
		(unsigned)pods[QUEUE_ACTIVE], (unsigned)pods[QUEUE_BACKOFF],
		(unsigned)pods[QUEUE_ERROR_BACKOFF], (unsigned)pods[QUEUE_UNSCHEDULABLE],
		(unsigned)pods[QUEUE_GATED], (unsigned)pods[QUEUE_IN_FLIGHT]);
	check_print("  entries %u, groups %u, pods queued so far %llu\n",
		(unsigned)pool_used(&queue->entries), (unsigned)pool_used(&queue->groups),
		(unsigned long long)queue->next_order);
}
