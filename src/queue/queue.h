/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue - the pods that wait for a node: who is next, who waits for time, who waits for an event.
 * A pod is named by its index in the cache; nothing here looks into it.
 *
 * In flight.
 *   What kube-scheduler does: between pop and the end of the attempt other goroutines go on
 *   handling events, so it keeps a list of popped pods and of all events since the oldest pop, and
 *   replays to a pod that failed what came while it was tried.
 *   What we do: an attempt decides between two reads of the network, so no event can come
 *   meanwhile and there is nothing to replay. A pod stays in flight only while its binding is on
 *   its way. When that fails the plugins had accepted the pod, so it goes to the error backoff
 *   whatever happened since - as upstream, where replay ends before the binding is written. One
 *   state per entry is all that is needed.
 *
 * Waiting for an event.
 *   What kube-scheduler does: every event asks every unschedulable pod.
 *   What we do: pods that would give the same answer - equal key of the caller, rejected by the
 *   same plugins - are one group; an event asks each group once, and only groups that a plugin
 *   interested in it rejected. 100,000 pods of 10 templates: at most 10 questions.
 *
 * Time.
 *   What kube-scheduler does: timestamps are wall time and a backoff ends at a full wall second,
 *   so setting the clock back makes pods wait for as long as it was set back.
 *   What we do: monotonic time everywhere, rounded to its own full seconds. The delay is between
 *   d and d + 1 s as upstream's, only the phase within the second differs.
 *
 * Order.
 *   Upstream reads a nanosecond clock per pod; ours is read once a turn, so many pods have equal
 *   timestamps. The order in which they came decides then, and runs are repeatable.
 */
#ifndef BERTH_QUEUE_QUEUE_H
#define BERTH_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/heap.h"
#include "base/list.h"
#include "base/map.h"
#include "base/plugin_set.h"
#include "base/pool.h"
#include "queue/shelf.h"

enum {
	QUEUE_PROFILES_MAX = 16, /* for the gauge only */
	QUEUE_SETS_MAX = 64,     /* different sets of plugins with an index of their own */
	QUEUE_LEFTOVER_TICK_S = 30
};

/* What holds a pod back besides plugins. */
enum queue_other {
	QUEUE_EXTENDER, /* extenders took nodes away, or have no turn for it yet */
	QUEUE_KINDS,    /* kinds of objects that it refers to are not synced */
	QUEUE_OTHERS
};

/* Who rejected a pod, or what an event may help against. */
struct queue_waits {
	struct plugin_set plugins;
	uint32_t others; /* bits by enum queue_other */
};

/* The one thing that holds a pod back before it may be tried. */
struct queue_gate {
	bool closed;
	bool is_other;
	uint8_t by; /* a plugin, or enum queue_other */
};

static inline struct queue_gate queue_gate_of_plugin(uint32_t id)
{
	return (struct queue_gate){.closed = true, .by = (uint8_t)id};
}
static inline struct queue_gate queue_gate_of(enum queue_other other)
{
	return (struct queue_gate){.closed = true, .is_other = true, .by = (uint8_t)other};
}
static inline bool queue_gate_is(struct queue_gate a, struct queue_gate b)
{
	return a.closed == b.closed && (!a.closed || (a.is_other == b.is_other && a.by == b.by));
}

static inline struct queue_waits queue_waits_for_plugin(uint32_t id)
{
	return (struct queue_waits){.plugins = plugin_set_of(id)};
}
static inline struct queue_waits queue_waits_for(enum queue_other other)
{
	return (struct queue_waits){.others = UINT32_C(1) << other};
}
static inline struct queue_waits queue_waits_for_gate(struct queue_gate gate)
{
	if (!gate.closed)
		return (struct queue_waits){.others = 0};
	return gate.is_other ? queue_waits_for((enum queue_other)gate.by)
			     : queue_waits_for_plugin(gate.by);
}
static inline bool queue_waits_has(const struct queue_waits *waits, enum queue_other other)
{
	return (waits->others >> other & 1) != 0;
}
static inline bool queue_waits_is_empty(const struct queue_waits *waits)
{
	return waits->others == 0 && plugin_set_is_empty(&waits->plugins);
}
static inline bool queue_waits_is(const struct queue_waits *a, const struct queue_waits *b)
{
	return a->others == b->others && plugin_set_is(&a->plugins, &b->plugins);
}
static inline bool queue_waits_meets(const struct queue_waits *a, const struct queue_waits *b)
{
	return (a->others & b->others) != 0 || plugin_set_meets(&a->plugins, &b->plugins);
}
static inline struct queue_waits queue_waits_union(
	const struct queue_waits *a, const struct queue_waits *b)
{
	return (struct queue_waits){
		plugin_set_union(&a->plugins, &b->plugins), a->others | b->others};
}

enum queue_result {
	QUEUE_OK,
	QUEUE_FULL /* refused and counted; nothing was changed */
};

/* Where an entry is. Each but the one in flight is a heap, so the next thing due is known. */
enum queue_state {
	QUEUE_ACTIVE,
	QUEUE_BACKOFF,       /* podBackoffQ: was rejected, an event woke it */
	QUEUE_ERROR_BACKOFF, /* podErrorBackoffQ: failed without a plugin's rejection */
	QUEUE_UNSCHEDULABLE, /* waits for an event, in a group */
	QUEUE_GATED,         /* a PreEnqueue plugin holds it, in a group */
	QUEUE_IN_FLIGHT,     /* popped */
	QUEUE_STATES
};

enum queue_how {
	QUEUE_AFTER_BACKOFF,
	QUEUE_AFTER_ERROR, /* the same, and not before, though nothing else be active */
	QUEUE_AT_ONCE      /* what a pending plugin waited for came, or an explicit activation */
};

struct queue_settings {
	uint32_t capacity;            /* pods, those in flight included */
	int64_t backoff_initial_us;   /* podInitialBackoffSeconds */
	int64_t backoff_max_us;       /* podMaxBackoffSeconds; 0: no backoff */
	int64_t unschedulable_max_us; /* podMaxInUnschedulablePodsDuration */
	/*
	 * PreEnqueue: the one thing that holds the pod back, or nothing. Asked before every
	 * insertion but that of a pod whose backoff is over. Must not call the queue.
	 */
	struct queue_gate (*gate)(void *self, uint32_t pod);
	void *self;
	struct intern *strings; /* of the shelf's names; NULL: there is no shelf */
};

struct queue_pod {
	uint32_t pod;     /* the caller's index */
	int32_t priority; /* spec.priority, 0 when absent */
	uint64_t key;     /* pods of equal key give equal answers to every hint */
	uint32_t profile; /* below QUEUE_PROFILES_MAX */
};

/* For reading only, outside this folder. */
struct queue_entry {
	uint64_t key;
	uint64_t order;            /* ties of the timestamp */
	struct mono timestamp;     /* of the creation or the last failure */
	struct mono expires;       /* the backoff; INT64_MIN: none */
	struct mono flushed;       /* INT64_MIN: never */
	struct mono first_attempt; /* first arrival among the active; MONO_NEVER: not yet */
	struct list link;          /* in its group */
	uint32_t pod;
	int32_t priority;
	struct plugin_set rejectors; /* the gate too */
	struct plugin_set pending;
	uint32_t attempts;
	uint32_t unschedulable_count;
	uint32_t error_count; /* in a row */
	uint32_t position;    /* in the heap of its state */
	uint32_t group;       /* 0: in none */
	uint8_t state;        /* enum queue_state */
	uint8_t profile;
	uint8_t other_rejectors; /* bits by enum queue_other */
	struct queue_gate gate;  /* closed while gated */
	bool was_flushed;        /* since the last failure */
};

/* Entries of equal key that equal things rejected; the first of them says which. */
struct queue_group {
	uint64_t serial;  /* grows with every new group */
	struct list link; /* in its set */
	struct list pods; /* entries, by their link */
	uint32_t count;
	uint32_t set;
};

/* Groups that wait for the same plugins. The last set takes what finds no set of its own. */
struct queue_set {
	struct queue_waits waits;
	struct list groups;
};

/* What went where, for queue_incoming_pods_total. */
struct queue_moved {
	uint32_t active;
	uint32_t backoff;
	uint32_t gated; /* stayed or became */
};

struct queue_flushed {
	uint32_t completed;           /* backoff -> active */
	struct queue_moved leftovers; /* that had waited for too long */
};

struct queue {
	struct queue_settings settings;
	struct pool entries;
	struct pool groups; /* as many as entries: never full when those are not */
	struct map groups_by_content;
	struct queue_set sets[QUEUE_SETS_MAX + 1];
	struct heap active;
	struct heap backoff;
	struct heap error_backoff;
	struct heap waiting; /* unschedulable and gated, the longest waiting first */
	struct shelf shelf;  /* pods that there is no memory for */
	struct mono started;
	uint64_t next_order;
	uint64_t next_serial;

	/* for metrics */
	uint32_t pods[QUEUE_STATES];                           /* pending_pods */
	uint32_t rejected[QUEUE_PROFILES_MAX][PLUGIN_SET_MAX]; /* unschedulable_pods ... */
	uint32_t rejected_by_other[QUEUE_PROFILES_MAX][QUEUE_OTHERS];
	uint64_t popped_early;   /* taken from the backoff because nothing was active */
	uint64_t groups_visited; /* groups looked at by walks */
};

/* `queue` must not move afterwards. Takes queue_size(capacity) bytes from the arena. */
void queue_init(struct queue *queue, struct arena *arena, const struct queue_settings *settings,
	struct mono now);
size_t queue_size(uint32_t capacity);
void queue_print(const struct queue *queue); /* its part of a panic report */

/* ---- one pod ---- */

/* A new pending pod: active or gated. *entry is its name here until queue_remove(). */
MUST_USE enum queue_result queue_add(
	struct queue *queue, const struct queue_pod *pod, struct mono now, uint32_t *entry);

/*
 * The next to be tried, 0: none. In flight until it is parked, failed or removed. When nothing is
 * active the first in podBackoffQ is taken before its time, never one that failed by an error.
 */
MUST_USE uint32_t queue_pop(struct queue *queue);

/*
 * This one is tried now, whatever it waits for but a gate; in flight as by queue_pop(). False: it
 * is gated, or in flight already.
 */
MUST_USE bool queue_take(struct queue *queue, uint32_t entry);

/* The pod in flight was rejected: it waits for an event. At least one rejector, or one pending. */
void queue_park(struct queue *queue, uint32_t entry, struct queue_waits rejectors,
	struct plugin_set pending, struct mono now);

/* The attempt failed otherwise, or the binding did: it waits for time. */
enum queue_state queue_error(struct queue *queue, uint32_t entry, struct mono now);

/*
 * The attempt is taken back: there was no room for it. The pod waits behind the gate, which is
 * closed for it, until queue_requeue_one().
 */
void queue_hold(struct queue *queue, uint32_t entry, struct queue_gate gate);

/* A new version of the pod. Where it waits does not change; queue_requeue_one() says that it helps.
 */
void queue_update(struct queue *queue, uint32_t entry, int32_t priority, uint64_t key);

/*
 * Its own change, or a caller's wish (AT_ONCE), helps it; a gate that is gone lets it pass. A pod
 * in backoff only follows AT_ONCE; one that is active or in flight stays. Returns where it is now.
 */
enum queue_state queue_requeue_one(
	struct queue *queue, uint32_t entry, enum queue_how how, struct mono now);

/* Gone or bound, from any state. */
void queue_remove(struct queue *queue, uint32_t entry);

/* Who rejected the pod, its gate included. */
static inline struct queue_waits queue_rejectors(const struct queue_entry *e)
{
	return (struct queue_waits){e->rejectors, e->other_rejectors};
}

/* When the pod came, as far as people care. */
static inline struct mono queue_came_at(const struct queue_entry *e)
{
	return e->first_attempt.us == MONO_NEVER.us ? e->timestamp : e->first_attempt;
}

static inline const struct queue_entry *queue_entry_at(const struct queue *queue, uint32_t entry)
{
	return pool_at(&queue->entries, entry);
}

/* ---- an event ---- */

/*
 * The groups that wait for one of those in the mask, oldest first within
 * equal sets. The group just returned may be woken; other changes of the queue end the walk.
 * Groups made meanwhile are not visited. Costs the groups visited + QUEUE_SETS_MAX comparisons.
 *
 *	struct queue_walk walk = queue_walk(queue, mask);
 *	for (uint32_t g; (g = queue_next_group(queue, &walk)) != 0;)
 *		if (the event helps queue_group_entry(queue, g)->pod)
 *			queue_requeue_group(queue, g, QUEUE_AFTER_BACKOFF, now);
 */
struct queue_walk {
	uint64_t serials; /* only groups below */
	struct list *next;
	struct queue_waits mask;
	uint32_t set;
};
struct queue_walk queue_walk(const struct queue *queue, struct queue_waits mask);
MUST_USE uint32_t queue_next_group(struct queue *queue, struct queue_walk *walk);

static inline const struct queue_group *queue_group_at(const struct queue *queue, uint32_t group)
{
	return pool_at(&queue->groups, group);
}
/* One entry of the group, which answers for all. */
const struct queue_entry *queue_group_entry(const struct queue *queue, uint32_t group);

/* Each pod goes where its own backoff and its gate let it. Costs its pods, log(n) each. */
struct queue_moved queue_requeue_group(
	struct queue *queue, uint32_t group, enum queue_how how, struct mono now);

/* ---- time ---- */

/* Moves what is due, at most `most` pods; the rest stays due. */
struct queue_flushed queue_flush(struct queue *queue, struct mono now, uint32_t most);

/* When queue_flush() has something to do; MONO_NEVER: not without another call. */
struct mono queue_next_due(const struct queue *queue);

/* CHECKs everything against everything; for tests and the simulator. */
void queue_audit(const struct queue *queue);

#endif
