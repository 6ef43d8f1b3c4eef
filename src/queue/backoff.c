/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time: how long a pod that failed is left alone, and what becomes due when.
 *
 * What kube-scheduler does: a task moves completed backoffs every second, on the full second,
 * another looks for leftovers every 30 s since the start.
 * What we do: the same instants, computed: the loop is woken at those at which something moves.
 */
#include "queue/private.h"

static int64_t seconds_down(int64_t us)
{
	CHECK(us >= 0);
	return us - us % CLOCK_S_US;
}

/* Doubles with every failure up to the most; a shift that would lose bits is the most already. */
static int64_t delay_us(const struct queue_settings *settings, uint32_t failures)
{
	CHECK(failures > 0);
	uint32_t shift = failures - 1;
	int64_t initial = settings->backoff_initial_us;
	int64_t most = settings->backoff_max_us;
	if (initial > (shift > 62 ? 0 : most >> shift))
		return most;
	return initial == 0 ? 0 : initial << shift;
}

struct mono queue_expiration(const struct queue_settings *settings, const struct queue_entry *e)
{
	uint32_t failures = e->error_count > 0 ? e->error_count : e->unschedulable_count;
	if (failures == 0 || settings->backoff_max_us == 0)
		return QUEUE_NO_TIME;
	return (struct mono){seconds_down(e->timestamp.us + delay_us(settings, failures))};
}

bool queue_is_backing_off(const struct queue_entry *e, struct mono now)
{
	return e->expires.us >= seconds_down(now.us);
}

struct mono queue_backoff_due(const struct queue_entry *e)
{
	CHECK(e->expires.us >= 0);
	return (struct mono){e->expires.us + CLOCK_S_US};
}

/* ---- leftovers ---- */

enum { LEFTOVER_TICK_US = QUEUE_LEFTOVER_TICK_S * CLOCK_S_US };

/* The last instant at which upstream, started when we were, would have looked. */
static struct mono last_tick(const struct queue *queue, struct mono now)
{
	int64_t age = mono_since_us(now, queue->started);
	return (struct mono){now.us - age % LEFTOVER_TICK_US};
}

static bool is_leftover(const struct queue *queue, const struct queue_entry *e, struct mono tick)
{
	return mono_since_us(tick, queue_waits_since(e)) > queue->settings.unschedulable_max_us;
}

static struct mono leftover_due(const struct queue *queue, const struct queue_entry *e)
{
	int64_t allowed = queue_waits_since(e).us + queue->settings.unschedulable_max_us;
	struct mono before = last_tick(queue, (struct mono){allowed});
	return (struct mono){before.us + LEFTOVER_TICK_US};
}

/* ---- the flush ---- */

static uint32_t flush_heap(
	struct queue *queue, const struct heap *heap, struct mono now, uint32_t most)
{
	uint32_t moved = 0;
	for (; moved < most && heap->count > 0; moved++) {
		uint32_t first = heap_first(heap);
		if (queue_is_backing_off(queue_entry(queue, first), now))
			break;
		queue_move(queue, first, QUEUE_ACTIVE);
	}
	return moved;
}

static void flush_leftovers(
	struct queue *queue, struct mono now, uint32_t most, struct queue_moved *moved)
{
	struct mono tick = last_tick(queue, now);
	for (uint32_t i = 0; i < most && queue->waiting.count > 0; i++) {
		uint32_t first = heap_first(&queue->waiting);
		struct queue_entry *e = queue_entry(queue, first);
		if (!is_leftover(queue, e, tick))
			break;
		e->flushed = now;
		e->was_flushed = true;
		heap_changed(&queue->waiting, e->position);
		queue_count_moved(moved, queue_requeue(queue, first, QUEUE_AFTER_BACKOFF, now));
	}
}

struct queue_flushed queue_flush(struct queue *queue, struct mono now, uint32_t most)
{
	struct queue_flushed flushed = {0};
	CHECK(mono_reached(now, queue->started));
	flushed.completed = flush_heap(queue, &queue->backoff, now, most);
	flushed.completed +=
		flush_heap(queue, &queue->error_backoff, now, most - flushed.completed);
	flush_leftovers(queue, now, most - flushed.completed, &flushed.leftovers);
	return flushed;
}

struct mono queue_next_due(const struct queue *queue)
{
	struct mono due = MONO_NEVER;
	const struct heap *backoffs[] = {&queue->backoff, &queue->error_backoff};
	for (uint32_t i = 0; i < ARRAY_COUNT(backoffs); i++) {
		if (backoffs[i]->count == 0)
			continue;
		struct mono at = queue_backoff_due(queue_entry(queue, heap_first(backoffs[i])));
		if (at.us < due.us)
			due = at;
	}
	if (queue->waiting.count > 0) {
		uint32_t first = heap_first(&queue->waiting);
		struct mono at = leftover_due(queue, queue_entry(queue, first));
		if (at.us < due.us)
			due = at;
	}
	return due;
}
