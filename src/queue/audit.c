/* SPDX-License-Identifier: GPL-2.0-only */
/* Audit: what must be true between any two calls, derived again from the entries alone. */
#include <string.h>

#include "queue/private.h"

struct audit_sums {
	uint32_t pods[QUEUE_STATES];
	uint32_t rejected[QUEUE_PROFILES_MAX][PLUGIN_SET_MAX];
	uint32_t rejected_by_other[QUEUE_PROFILES_MAX][QUEUE_OTHERS];
};

static void audit_entry(const struct queue *queue, uint32_t index, struct audit_sums *sums)
{
	const struct queue_entry *e = queue_entry(queue, index);
	CHECK(e->state < QUEUE_STATES);
	sums->pods[e->state]++;
	const struct queue_waits blamed = queue_blamed(e);
	bool is_blamed = !queue_waits_is_empty(&blamed);
	for (struct plugin_set left = blamed.plugins; !plugin_set_is_empty(&left);)
		sums->rejected[e->profile][plugin_set_take(&left)]++;
	for (uint32_t i = 0; i < QUEUE_OTHERS; i++)
		sums->rejected_by_other[e->profile][i] +=
			queue_waits_has(&blamed, (enum queue_other)i);

	const struct heap *const heaps[QUEUE_STATES] = {
		[QUEUE_ACTIVE] = &queue->active,
		[QUEUE_BACKOFF] = &queue->backoff,
		[QUEUE_ERROR_BACKOFF] = &queue->error_backoff,
		[QUEUE_UNSCHEDULABLE] = &queue->waiting,
		[QUEUE_GATED] = &queue->waiting,
	};
	const struct heap *heap = heaps[e->state];
	if (heap == NULL) {
		CHECK(e->position == HEAP_OUT);
		CHECK(!is_blamed); /* a new attempt begins without blame */
	} else {
		CHECK(e->position < heap->count);
		CHECK(heap->entries[e->position] == index);
	}
	CHECK((e->group != 0) == queue_is_waiting(e));
	CHECK(queue_is_gated(e) == (e->state == QUEUE_GATED));
	const struct queue_waits gate = queue_waits_for_gate(e->gate);
	CHECK((gate.others & ~(uint32_t)e->other_rejectors) == 0);
	CHECK(plugin_set_within(&gate.plugins, &e->rejectors));
	if (e->attempts > 0 || e->state == QUEUE_ACTIVE)
		CHECK(e->first_attempt.us != MONO_NEVER.us);
	if (e->state == QUEUE_BACKOFF)
		CHECK(is_blamed);
	if (e->state == QUEUE_ERROR_BACKOFF)
		CHECK(!is_blamed);
	if (e->state == QUEUE_UNSCHEDULABLE)
		CHECK(is_blamed);
	CHECK(e->order < queue->next_order);
	CHECK(e->error_count <= e->attempts);
	CHECK(e->unschedulable_count <= e->attempts - e->error_count);
	CHECK(e->attempts > 0 || e->expires.us == QUEUE_NO_TIME.us);
}

void queue_audit(const struct queue *queue)
{
	struct audit_sums sums = {0};
	for (uint32_t i = pool_next(&queue->entries, 0); i != 0; i = pool_next(&queue->entries, i))
		audit_entry(queue, i, &sums);
	CHECK(memcmp(sums.pods, queue->pods, sizeof(sums.pods)) == 0);
	CHECK(memcmp(sums.rejected, queue->rejected, sizeof(sums.rejected)) == 0);
	CHECK(memcmp(sums.rejected_by_other, queue->rejected_by_other,
		      sizeof(sums.rejected_by_other)) == 0);
	CHECK(queue->active.count == sums.pods[QUEUE_ACTIVE]);
	CHECK(queue->backoff.count == sums.pods[QUEUE_BACKOFF]);
	CHECK(queue->error_backoff.count == sums.pods[QUEUE_ERROR_BACKOFF]);
	CHECK(queue->waiting.count == sums.pods[QUEUE_UNSCHEDULABLE] + sums.pods[QUEUE_GATED]);
	heap_audit(&queue->active);
	heap_audit(&queue->backoff);
	heap_audit(&queue->error_backoff);
	heap_audit(&queue->waiting);
	pool_audit(&queue->entries);
	queue_group_audit(queue);
}
