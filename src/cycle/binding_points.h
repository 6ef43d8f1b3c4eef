/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The points after the choice of a node: Reserve, Permit, PreBind with its pre-flight, PostBind,
 * and Unreserve when anything of it fails.
 *
 * What kube-scheduler does: Reserve and Permit run in the scheduling cycle, the rest in a goroutine
 * for each pod that blocks while Permit waits and while PreBind talks to the apiserver.
 *
 * What we do: the same points in the same order as steps that never block. A pod's place among them
 * is a struct binding_points, which is moved on by its owner: by time, by answers of the apiserver,
 * by changes of the cluster, and by plugins that allow or reject other pods. Nothing here sends
 * anything; a call is data that the owner carries out.
 *
 *	binding_reserve()      in the turn of the decision; refused: nothing is reserved
 *	binding_permit()       may leave the pod waiting
 *	binding_pre_flight()   is there anything to do before the binding?
 *	binding_next_settled() a waiting pod that was allowed by all, rejected, or waited too long
 *	binding_pre_bind()     until that is done
 *	binding_bound() or binding_undo()           one of them ends it
 */
#ifndef BERTH_CYCLE_BINDING_POINTS_H
#define BERTH_CYCLE_BINDING_POINTS_H

#include "base/clock.h"
#include "base/list.h"
#include "plugins/timer.h"

enum binding_stage {
	BINDING_BEGUN,
	BINDING_RESERVED,
	BINDING_WAITS, /* for plugins that hold it at Permit */
	BINDING_PERMITTED,
	BINDING_PRE_BIND, /* some step is not done */
	BINDING_READY,    /* to be bound */
	BINDING_ENDED     /* undone, or bound */
};

struct binding_holder {
	uint8_t plugin;
	int64_t timeout_ms;
	struct mono until;
};

struct binding_points {
	struct plugin_binding b;
	struct list link; /* while it waits, or is settled */
	enum binding_stage stage;
	struct binding_holder holders[PLUGIN_HOLDERS_MAX]; /* at Permit */
	uint32_t holder_count;
	struct plugin_set skipped;        /* pre_bind has nothing to do for the pod */
	bool has_work;                    /* some pre_bind has */
	uint32_t at;                      /* the plugin of PreBind whose turn it is, ... */
	struct mono since;                /* ... and since when */
	const struct plugin_timer *timer; /* NULL: plugins are not timed for this pod */
	/* How the waiting at Permit ended: success, a rejection, or an error. */
	enum plugin_code settled;
	uint8_t rejector;    /* PLUGIN_COUNT: none */
	const char *message; /* of a rejection while it waited; NULL: it waited too long */
};

/* The pods that wait at Permit, and what plugins see of them. */
struct binding_waiting {
	struct plugin_handle handle;
	struct list pods;    /* struct binding_points, the longest waiting first */
	struct list settled; /* no more: their owner goes on with them */
	/* How an owner finds those of a tag that he gave; NULL: by looking at all that wait. */
	struct binding_points *(*find)(void *owner, uint64_t tag);
	/* What plugins ask the owner for, see struct plugin_handle; NULL: it is not done. */
	void (*send)(void *owner, const struct plugin_binding *b, const struct plugin_call *calls,
		uint32_t count);
	void (*event)(
		void *owner, const struct plugin_binding *b, const char *reason, struct text note);
	void *owner;
};

/* How long a plugin may hold a pod at most: upstream's 15 minutes. */
enum { BINDING_PERMIT_MAX_S = 15 * 60 };

void binding_waiting_init(struct binding_waiting *waiting);
/* When the first of the waiting pods has waited too long; MONO_NEVER: none waits. */
struct mono binding_next_timeout(const struct binding_waiting *waiting);
struct mono binding_timeout(const struct binding_points *points); /* of one that waits */
/* Settles those that have waited too long. */
void binding_expire(struct binding_waiting *waiting, struct mono now);
/* Settles one whose pod is being deleted (upstream's "removed"), or is a victim of preemption. */
void binding_remove_waiting(struct binding_waiting *waiting, struct binding_points *points);
void binding_preempt_waiting(struct binding_waiting *waiting, struct binding_points *points);
/*
 * A pod that was settled, taken off the list; NULL: none is left. At BINDING_PERMITTED it goes on;
 * else points->settled says what it came to, why gets its words, and binding_undo() is next.
 */
struct binding_points *binding_next_settled(
	struct binding_waiting *waiting, struct plugin_reasons *why);

/* b->handle is that of `waiting`, b->uid that of the pod, nothing is kept yet. */
void binding_begin(struct binding_points *points, const struct binding_waiting *waiting,
	const struct plugin_binding *b);

/*
 * PLUGIN_SUCCESS, or what the plugin said that refused: then what others had reserved is given back
 * and points->rejector says who it was, why what it said. `d` is the state of the decision just
 * made.
 */
MUST_USE enum plugin_code binding_reserve(
	struct binding_points *points, struct cycle_state *d, struct plugin_reasons *why);

/* PLUGIN_SUCCESS, PLUGIN_WAIT (it is among the waiting now), or a refusal: then binding_undo(). */
MUST_USE enum plugin_code binding_permit(
	struct binding_points *points, struct binding_waiting *waiting, struct plugin_reasons *why);

/* True when any plugin has something to do before the binding. Asked after binding_permit(). */
bool binding_pre_flight(struct binding_points *points);
enum plugin_code binding_code_of(enum plugin_step step); /* of one that ends a plugin's turn */
/* The next step; progress->answer is how the call ended that the last one asked for. */
MUST_USE enum plugin_step binding_pre_bind(struct binding_points *points,
	struct plugin_progress *progress, struct plugin_reasons *why);
/* It is given up for preemption: the rejector is the plugin of PreBind whose turn it is. */
void binding_preempt(struct binding_points *points);
/* May the change be what PreBind waits for? */
bool binding_concerns(struct binding_points *points, const struct cache_event *event);

/* The pod is bound: PostBind. */
void binding_bound(struct binding_points *points);
/* It will not be: Unreserve, the last plugin first, whatever stage it was at. */
void binding_undo(struct binding_points *points);

#endif
