/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue, private: what the files of this folder share with each other only.
 */
#ifndef BERTH_QUEUE_PRIVATE_H
#define BERTH_QUEUE_PRIVATE_H

#include "queue/queue.h"

#define QUEUE_NO_TIME ((struct mono){INT64_MIN})

static inline struct queue_entry *queue_entry(const struct queue *queue, uint32_t entry)
{
	return pool_at(&queue->entries, entry);
}
static inline struct queue_group *queue_group(const struct queue *queue, uint32_t group)
{
	return pool_at(&queue->groups, group);
}
static inline struct queue_entry *queue_entry_of(struct list *link)
{
	return LIST_OWNER(link, struct queue_entry, link);
}
static inline bool queue_is_waiting(const struct queue_entry *e)
{
	return e->state == QUEUE_UNSCHEDULABLE || e->state == QUEUE_GATED;
}
/* Since when an unschedulable pod has been left alone. */
static inline struct mono queue_waits_since(const struct queue_entry *e)
{
	return e->flushed.us > e->timestamp.us ? e->flushed : e->timestamp;
}

static inline bool queue_is_gated(const struct queue_entry *e)
{
	return e->gate.closed;
}
/* Everything that rejected it, pending or not. */
static inline struct queue_waits queue_blamed(const struct queue_entry *e)
{
	return (struct queue_waits){
		plugin_set_union(&e->rejectors, &e->pending), e->other_rejectors};
}

/* What an event may help against; a gated pod is asked about its gate alone. */
static inline struct queue_waits queue_entry_waits(const struct queue_entry *e)
{
	return e->gate.closed ? queue_waits_for_gate(e->gate) : queue_blamed(e);
}

static inline void queue_count_moved(struct queue_moved *moved, enum queue_state to)
{
	moved->active += to == QUEUE_ACTIVE;
	moved->backoff += to == QUEUE_BACKOFF || to == QUEUE_ERROR_BACKOFF;
	moved->gated += to == QUEUE_GATED;
}

/* backoff.c */
struct mono queue_expiration(const struct queue_settings *settings, const struct queue_entry *e);
bool queue_is_backing_off(const struct queue_entry *e, struct mono now);
struct mono queue_backoff_due(const struct queue_entry *e); /* when the flush moves it */

/* group.c: a group is there while it has pods. */
void queue_group_init(struct queue *queue, struct arena *arena);
size_t queue_group_size(uint32_t capacity);
void queue_group_join(struct queue *queue, struct queue_entry *e);
void queue_group_leave(struct queue *queue, struct queue_entry *e);
void queue_group_audit(const struct queue *queue);

/* queue.c */
/* From anywhere to anywhere; what the states say of the entry is set before. */
void queue_move(struct queue *queue, uint32_t entry, enum queue_state to);
/* What every way out of the waiting goes through; returns where the entry is then. */
enum queue_state queue_requeue(
	struct queue *queue, uint32_t entry, enum queue_how how, struct mono now);

#endif
