/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scheduler - runs a cluster: wires the cache, the queue, the decisions and everything that is
 * written, and turns the loop. One turn: poll the network, requeue for what changed, flush timers,
 * schedule while the budget lasts, write. The same code runs against the network and in the
 * simulator.
 *
 *	schedule_one.c    the next pod: decide, assume and start its binding, or park it
 *	binding_cycle.c   pods whose binding is on its way, and what became of it
 *	extender_cycle.c  pods whose extenders are asked
 *	others.c          another scheduler that binds our pods
 *	preempt.c         victims that are evicted, and the pods that wait for their places
 *	informers.c       what the watches show goes into the cache
 *	release.c         which kube-scheduler we are: the one that belongs to the apiserver
 *	requeue.c         what changed in the cache: which pods are queued, and which are tried
 *	                  again
 *	pressure.c        what gives way when memory is full, and how it comes back
 *	leader.c          may we decide now: leadership, completeness
 *	report.c          events and conditions: what people read
 *	debugger.c        what SIGUSR2 shows
 *	metrics.c         counting what was decided, for status/
 *	record.c          what is kept of a decision: for the page, the history, --decision-log
 *	history.c         what happened in the last day
 */
#ifndef BERTH_SCHEDULER_SCHEDULER_H
#define BERTH_SCHEDULER_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rate.h"
#include "base/scratch.h"
#include "base/sink.h"
#include "bind/binder.h"
#include "bind/eviction.h"
#include "bind/event_recorder.h"
#include "bind/status_patch.h"
#include "bind/pre_bind.h"
#include "cache/cache.h"
#include "cycle/cycle.h"
#include "extender/extender.h"
#include "lease/lease.h"
#include "queue/queue.h"
#include "scheduler/history.h"
#include "scheduler/metrics.h"
#include "watch/watch.h"

enum {
	SCHEDULER_DECIDE_US = 4000, /* deciding in one turn, before sockets are looked at again */
	SCHEDULER_FLUSH_MAX = 1000, /* pods moved by time in one turn */
	SCHEDULER_SHED_BATCH = 256, /* pods that one look at the queue finds to give way */
	SCHEDULER_SHELF_SILENT_MS = 2000,        /* on the shelf before people are told */
	SCHEDULER_SHELF_REPORTS = 20,            /* pods a second that are told about so, */
	SCHEDULER_PATCHES_OF_AN_ATTEMPT = 1 + 8, /* its own, and nominations that it takes over */
	SCHEDULER_PATCH_STALL_MS = 250, /* without one that ends no pod waits for room for more */
	SCHEDULER_STALE_MS = 5 * 60 * 1000, /* leader.c says why so long */
	/* Under way: each has a victim that is being told, or waits for those of the others. */
	SCHEDULER_PREEMPTIONS_MAX = 1024,
	SCHEDULER_STOP_MS = 5 * 1000,    /* for what is in flight when asked to end */
	SCHEDULER_RELIST_MS = 30 * 1000, /* before a kind that was refused is relisted */
	SCHEDULER_RELIST_MAX_MS = 10 * 60 * 1000,
	SCHEDULER_RELIST_SOON_MS = 1000 /* of pods that were dropped and are wanted now */
};

/* The watches that a decision about any pod needs. */
#define SCHEDULER_VITAL_KINDS (WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE) | WATCH_KIND(KUBE_PDB))

struct scheduler_limits {
	struct cache_limits cache;
	struct cycle_limits cycle;
	uint32_t queue;     /* pods that wait at a time */
	uint32_t bindings;  /* in flight */
	uint32_t pre_binds; /* pods at Permit and in PreBind: address space, the budget counts */
	uint32_t patches;
	uint32_t victims;
	uint32_t events;
	uint32_t series;
	size_t scratch_bytes; /* one object: its tokens and what it is decoded to */
	size_t history_bytes; /* 0: none is kept */
};

struct scheduler_lease {
	bool elect;
	struct text namespace;
	struct text name;
	struct text identity;
	int64_t duration_ms;
	int64_t renew_deadline_ms;
	int64_t retry_period_ms;
};

struct scheduler_pace {   /* how fast pods are tried */
	int64_t every_us; /* 0: no limit */
	int64_t burst;
};
enum { SCHEDULER_PACES = 2 /* clientConnection's and that of --bind-pods-qps */ };

struct scheduler_setup {
	struct net *net;
	struct net_client *client;
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	struct scheduler_limits limits;
	int64_t backoff_initial_us;
	int64_t backoff_max_us;
	int64_t unschedulable_max_us;
	struct scheduler_lease lease;
	struct text hostname; /* in events */
	bool yields;          /* to another scheduler that is at work */
	int decision_log;     /* a descriptor that gets a line for each decision; 0: none */
	/* scheduler_start() gets the profiles of each release, and the apiserver's count. */
	bool follows_release;
	struct scheduler_pace paces[SCHEDULER_PACES];
};

/* A pod that is assumed: it waits at Permit, PreBind is done, it waits for its turn, is bound. */
enum scheduler_binding_state {
	SCHEDULER_BINDING_PRE_BIND, /* at Permit as well, see its points */
	SCHEDULER_BINDING_READY,
	SCHEDULER_BINDING_SENT
};
struct scheduler_binding {
	struct binding_points points; /* its tag is the index of the binding */
	struct list ready;            /* while it is SCHEDULER_BINDING_READY */
	uint32_t entry;               /* in the queue; 0: it left it meanwhile */
	uint32_t run;                 /* in pre_bind; 0: there is nothing before the binding */
	uint32_t attempts;
	enum scheduler_binding_state state;
	bool direct;    /* not by way of an extender, though one would */
	bool preempted; /* and therefore about to end */
	struct mono began, stage_began;
	struct mono first_attempt;
	uint64_t events;              /* of the cluster, when it began to wait at Permit */
	uint32_t evaluated, feasible; /* nodes, for the log */
};

/* A pod whose extenders are asked; it is in flight, and has no node yet. */
struct scheduler_ask {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t entry;  /* 0: the slot is free */
	uint32_t rounds; /* how often it was asked before, and the cluster changed meanwhile */
	bool nominated;  /* about its nominated node alone */
	bool victims;    /* about the pods that it could preempt */
	bool ready;
	struct mono ready_at;
	struct mono began;
	uint64_t events; /* of the cluster, when it began */
};

/* A pod that waits until its victims were evicted. */
struct scheduler_preemption {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t node;
	uint32_t victims;        /* whose answer is not there yet */
	uint32_t targets;        /* all of them, in the cache's store ... */
	uint32_t count, told_to; /* ... so many, of which so many had their turn */
	bool failed;
	const struct plugin_profile *profile;
	struct mono began;
};
struct scheduler_target {
	struct cache_uid uid;
	uint32_t pod;
};
struct scheduler_victim {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t preemption;
};

/* Why nothing is decided now; SCHEDULER_READY when it is. */
enum scheduler_wait {
	SCHEDULER_READY,
	SCHEDULER_NOT_LEADING,
	SCHEDULER_NOT_SYNCED,
	SCHEDULER_INCOMPLETE, /* something of the cluster is unknown */
	SCHEDULER_STALE,      /* what we know of pods or nodes was not confirmed for too long */
	SCHEDULER_YIELDING,   /* another scheduler is at work, and we are to give way to it */
	SCHEDULER_STOPPING
};

struct scheduler_stats {
	uint64_t attempts[SCHEDULER_RESULTS];
	uint64_t bound;
	uint64_t bind_lost;
	uint64_t bind_refused;
	uint64_t preemptions;
	uint64_t victims;
	uint64_t queue_full;
	uint64_t turns;
	uint64_t requeued; /* pods moved by events */
};

/* What is known of the cluster. informers.c writes it; kinds are WATCH_KIND() bits. */
struct scheduler_sync {
	uint32_t wanted;  /* their informers were started */
	uint32_t known;   /* of those: listed to their end */
	uint32_t damaged; /* with an object that we do not know: pods, nodes */
	uint32_t damaged_in_list;
	uint32_t lacking;  /* with one that found no room, the damaged ones among them */
	uint32_t short_of; /* so many found no room since the last list, less those that went */
	struct net_timer relist;
	bool lists_soon;       /* ... is less than SCHEDULER_RELIST_SOON_MS away */
	int64_t relist_ms;     /* the next pause before it */
	bool distrusts;        /* the list of pods under way comes from a server that was away */
	uint32_t compare_left; /* kinds still to be compared, one after the other */
	uint32_t missed, redundant;
};

/* Which kube-scheduler we are. release.c writes it. */
struct scheduler_release {
	bool is_known; /* and pods may be listed, which are not before */
	bool is_read;  /* by the question that is under way */
	enum kube_release found;
	uint32_t held; /* kinds that were wanted meanwhile */
	char server[64];
	struct api_caller caller;
	struct api_call call;
	struct net_timer timer;
};

/* May we decide? leader.c writes it. */
struct scheduler_leader {
	bool leading;     /* as the lease said last */
	uint32_t barrier; /* kinds to be relisted before the first decision of a new leader */
	enum scheduler_wait waits; /* as last logged */
};

/* Another scheduler that binds our pods. others.c writes it. */
struct scheduler_others {
	uint64_t bindings;
	uint32_t recent; /* of those, since ... */
	struct mono began;
	struct mono latest; /* of them */
	struct mono decides_since;
	bool told;
	bool yields, yielded;
	struct mono told_at, yielded_at;
};

/* Which pods are queued. requeue.c writes it. */
struct scheduler_requeue {
	/* Plugins that wait for an event, by its action; the last is any update. */
	struct plugin_set waited_for[KUBE_KINDS][SCHEDULER_EVENT_ACTIONS + 1];
	uint64_t events;          /* that extenders may care about, so far */
	uint64_t devices_dropped; /* what the cache had counted when pods were asked last */
	uint32_t unqueued;        /* pods that found no room in the queue, in this turn */
};

/* A pod that may give way, and why it was chosen. */
struct scheduler_shed {
	struct cache_uid uid;
	int64_t time;
	uint32_t pod;
	int32_t kind;    /* of its state: from 2 on it waits for an event */
	bool is_useless; /* another scheduler's, or being deleted */
};

/* What gives way when memory is full. pressure.c writes it; readers see queue.shelf. */
struct scheduler_pressure {
	struct scheduler_shed batch[SCHEDULER_SHED_BATCH]; /* the first to go is the last */
	uint32_t batch_count;
	bool found_nobody; /* by the last look */
	struct mono scanned;
	int32_t priority;         /* of those in the batch, */
	uint32_t namespace;       /* ... theirs, ... */
	uint32_t namespace_count; /* ... and how many it has of that priority */
	uint32_t useless_at;
	struct mono ask_next;   /* for pods of the shelf */
	struct mono room_after; /* until then what is free is not for pods that were tried */
	struct mono took_turns;
	uint32_t lap_left;
	uint64_t lap_events;
	uint32_t report_at;
	struct mono report_next;
	uint64_t shed; /* pods, so far */
	uint64_t returned;
	uint64_t lost;                     /* not even on the shelf: found again by a list */
	uint32_t missing;                  /* ... since the last one */
	uint32_t gone;                     /* pods whose place no other one was asked for yet */
	bool unsaid;                       /* ... and nothing could be written of some of them */
	struct mono list_began, list_next; /* of pods */
};

/* Binding cycles. binding_cycle.c writes it. */
struct scheduler_bindings {
	struct pool pool;  /* struct scheduler_binding */
	uint32_t before;   /* of those, before their binding: at Permit or in PreBind */
	struct list ready; /* that wait for room to be sent */
	struct pool_lane lane;
	uint32_t *of_entry; /* by entry of the queue; 0: none */
	struct binding_waiting waiting;
	struct net_timer permit; /* when the first has waited too long */
};

/* preempt.c writes it. */
struct scheduler_preemptions {
	struct pool pool;    /* struct scheduler_preemption */
	struct pool victims; /* struct scheduler_victim */
};

/* Events that found no room in the queue of events, a bit of the pod each. report.c writes it. */
struct scheduler_reports {
	uint32_t owed; /* no less than there are; 0: none is */
	uint32_t met;  /* in this lap over all pods */
	uint32_t at;
	uint64_t patches_ended;
	struct mono patched; /* when a status patch ended last, or none was on its way */
};

/* The end, in order. scheduler.c writes it. */
struct scheduler_ending {
	bool begun;
	bool releasing; /* the lease */
	bool done;
	struct net_timer timer;
	struct mono due;
};

/* For reading only, outside this folder; readers find functions below. */
struct scheduler {
	struct scheduler_setup setup;
	struct net *net;
	struct cache cache;
	struct cycle cycle;
	struct plugin_timer timer;
	uint32_t gate_runs; /* of PreEnqueue */
	struct queue queue;
	struct scratch scratch;
	struct watch *watch;
	struct api_client *api;
	struct binder *binder;
	struct status_patcher *status_patcher;
	struct evictor *evictor;
	struct recorder *recorder;
	struct pre_bind *pre_bind;
	struct extenders *extenders;               /* NULL: none are configured */
	struct lease *lease;                       /* NULL: no election, we always lead */
	const struct plugin_profile *all_profiles; /* of each release, if that is followed */
	const struct plugin_profile *profiles;     /* those that count */
	struct mono refresh_due;                   /* of the time that rules see */
	uint32_t profile_count;

	struct scheduler_release release;
	struct scheduler_sync sync;
	struct scheduler_leader leader;
	struct scheduler_others others;
	struct scheduler_requeue requeue;
	struct scheduler_pressure pressure;
	struct scheduler_reports reports;
	struct scheduler_ask asks[EXTENDER_ASKS]; /* extender_cycle.c writes it */
	struct scheduler_bindings bindings;
	struct scheduler_preemptions preemptions;
	struct rate pacing[SCHEDULER_PACES]; /* schedule_one.c writes it */
	struct scheduler_ending ending;
	struct scheduler_stats stats;
	struct scheduler_metrics metrics;
	struct history history;
	struct sink decision_log;
};

size_t scheduler_size(const struct scheduler_limits *limits);
/* Address space besides, in an arena that is counted. */
size_t scheduler_space(void);
/* Of that, what is address space for pods on their way, which the budget counts as it is used. */
size_t scheduler_bindings_size(uint32_t pre_binds, uint32_t queue);

/*
 * The picture is there afterwards, for profiles to be built with. `s` is zero, so that what is not
 * needed yet is not touched, and must not move.
 */
void scheduler_init(struct scheduler *s, const struct scheduler_setup *setup);
/*
 * Before scheduler_start(), when there are extenders. False with one line in `fault`. Takes
 * extenders_size() bytes.
 */
MUST_USE bool scheduler_open_extenders(
	struct scheduler *s, const struct config_list *extenders, struct writer *fault);
/*
 * The profiles stay the caller's; of a setup that follows the release there are so many for each of
 * them, the oldest first. Watching begins. False: the lease cannot have the name or the identity
 * that it was given.
 */
MUST_USE bool scheduler_start(
	struct scheduler *s, const struct plugin_profile *profiles, uint32_t profile_count);

/* One turn of the loop; sleeps until there is something to do, at most `timeout_us` (-1: any). */
void scheduler_turn(struct scheduler *s, int64_t timeout_us);

/*
 * Ends in order: no more decisions, what is in flight is finished, the lease is given up; true
 * from scheduler_is_stopped() then, at the latest after SCHEDULER_STOP_MS.
 */
void scheduler_stop(struct scheduler *s);
bool scheduler_is_stopped(const struct scheduler *s);
void scheduler_close(struct scheduler *s); /* simulator, tests: at any moment */

/* Logs nodes and queue, relists and compares the cache with that. */
void scheduler_dump(struct scheduler *s);

/* The release whose scheduler we are now. */
static inline enum kube_release scheduler_release(const struct scheduler *s)
{
	return s->profiles[0].gates.release;
}
/* The profile's place, whatever its release. */
static inline uint32_t scheduler_profile_place(
	const struct scheduler *s, const struct plugin_profile *profile)
{
	return (uint32_t)(profile - s->all_profiles) % s->profile_count;
}

/* The time of this turn; it stands still until the network was waited for again. */
static inline struct mono scheduler_now(const struct scheduler *s)
{
	return net_now(s->net);
}

/*
 * Works off the change log, so that the queue is where the cache is. For callers that are called
 * while the network is read and looks at both.
 */
void scheduler_requeue_for_changes(struct scheduler *s);

/* ---- for readers ---- */

/*
 * Whatever the pod's decision needs beyond the vital kinds is listed; what nothing needed so far is
 * watched from now on.
 */
bool scheduler_knows_kinds(struct scheduler *s, const struct cache_pod *pod);
/* Why nothing is decided, as last logged. */
static inline enum scheduler_wait scheduler_state(const struct scheduler *s)
{
	return s->leader.waits;
}
/* Kinds whose informers were started, ... */
static inline uint32_t scheduler_kinds_wanted(const struct scheduler *s)
{
	return s->sync.wanted;
}
/* ... of those that were listed to their end, ... */
static inline uint32_t scheduler_kinds_known(const struct scheduler *s)
{
	return s->sync.known;
}
/* ... and those with an object that is there but could not be read or kept. */
static inline uint32_t scheduler_kinds_damaged(const struct scheduler *s)
{
	return s->sync.damaged;
}
/* Pods that there is no memory for; not even for the names of some, which a list brings again. */
static inline uint32_t scheduler_pods_without_memory(const struct scheduler *s)
{
	return shelf_count(&s->queue.shelf) + s->pressure.missing;
}
/* Pods that wait, those included that there is no memory for, or that cannot be read. */
static inline uint32_t scheduler_pods_pending(const struct scheduler *s)
{
	return s->cache.pods_pending + scheduler_pods_without_memory(s) + s->cache.unreads.pending;
}
static inline const struct shelf *scheduler_shelf(const struct scheduler *s)
{
	return &s->queue.shelf;
}
static inline bool scheduler_is_stopping(const struct scheduler *s)
{
	return s->ending.begun;
}

enum scheduler_wait scheduler_waits(const struct scheduler *s, struct mono now);
const char *scheduler_wait_name(enum scheduler_wait wait);

/* CHECKs the picture, the queue, and that each pending pod is where it belongs. */
void scheduler_audit(const struct scheduler *s);

#endif
