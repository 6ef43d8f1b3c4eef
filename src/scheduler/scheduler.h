/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scheduler - runs a cluster: wires the picture, the queue, the decisions and everything that is
 * written, and turns the loop. One turn: read sockets and apply changes, move what is due, decide
 * for a few milliseconds. The same code runs against the network and in the simulator.
 *
 *	feed.c     what the watches tell goes into the picture
 *	waking.c   what changed in the picture: who is in the queue, who wakes up
 *	attempt.c  the next pod: decide, assume, or say why not
 *	extend.c   pods whose extenders are asked
 *	flight.c   pods whose binding is on its way, and what became of it
 *	preempt.c  victims on their way out, and who waits for them
 *	tell.c     events and conditions: what people read
 *	lead.c     may we decide now: leadership, completeness
 *	dump.c     what SIGUSR2 shows
 *	metrics.c  counting what was decided, for status/
 */
#ifndef BERTH_SCHEDULER_SCHEDULER_H
#define BERTH_SCHEDULER_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/rate.h"
#include "base/scratch.h"
#include "bind/binder.h"
#include "bind/eviction.h"
#include "bind/event_recorder.h"
#include "bind/status_patch.h"
#include "bind/volumes.h"
#include "cache/cache.h"
#include "cycle/cycle.h"
#include "extender/extender.h"
#include "lease/lease.h"
#include "queue/queue.h"
#include "scheduler/metrics.h"
#include "watch/watch.h"

enum {
	SCHEDULER_DECIDE_US = 4000,   /* deciding in one turn, before sockets are looked at again */
	SCHEDULER_FLUSH_MAX = 1000,   /* pods moved by time in one turn */
	SCHEDULER_GIVE_WAY_MS = 1000, /* in a full queue: how often pods that wait give way ... */
	SCHEDULER_GIVE_WAY_MAX = 64,  /* ... and so many at a time */
	SCHEDULER_PREEMPTIONS_MAX = 64,  /* under way */
	SCHEDULER_STOP_MS = 5 * 1000,    /* for what is in flight when asked to end */
	SCHEDULER_RELIST_MS = 30 * 1000, /* before a kind that was refused is listed anew */
	SCHEDULER_RELIST_MAX_MS = 10 * 60 * 1000
};

/* The watches that a decision about any pod needs. */
#define SCHEDULER_VITAL_KINDS (WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE) | WATCH_KIND(KUBE_PDB))

struct scheduler_limits {
	struct cache_limits cache;
	struct cycle_limits cycle;
	uint32_t queue;     /* pods that wait at a time */
	uint32_t bindings;  /* in flight */
	uint32_t claimants; /* pods whose claims are being bound */
	uint32_t patches;
	uint32_t victims;
	uint32_t events;
	uint32_t series;
	size_t scratch_bytes; /* one object: its tokens and what it is decoded to */
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
	struct scheduler_pace paces[SCHEDULER_PACES];
};

/* A pod on its way: its claims are bound, then it waits for its turn, then it is bound. */
enum scheduler_flight_state { SCHEDULER_CLAIMS, SCHEDULER_CLEARED, SCHEDULER_BINDS };
struct scheduler_flight {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t entry; /* in the queue; 0: it left it meanwhile */
	uint32_t node;
	uint32_t node_name; /* string id, kept: the node may go before the answer comes */
	uint32_t attempts;
	enum scheduler_flight_state state;
	bool direct; /* not by way of an extender, though one would */
	const struct plugin_profile *profile;
	struct mono began, stage_began;
	struct mono first_attempt;
};

/* A pod whose extenders are asked; it is in flight, and has no node yet. */
struct scheduler_ask {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t entry;  /* 0: the slot is free */
	uint32_t rounds; /* how often it was asked before, and the cluster changed meanwhile */
	bool nominated;  /* about its nominated node alone */
	bool victims;    /* about whom it could push off */
	bool ready;
	struct mono ready_at;
	struct mono began;
	uint64_t events; /* of the cluster, when it began */
};

/* A pod that waits until its victims were told to go. */
struct scheduler_preemption {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t victims; /* whose answer is not there yet */
	bool failed;
	const struct plugin_profile *profile;
};
struct scheduler_victim {
	struct cache_uid uid;
	uint32_t pod;
	uint32_t preemption;
	uint32_t node;
	uint32_t reserved;
};

/* Why nothing is decided now; SCHEDULER_READY when it is. */
enum scheduler_wait {
	SCHEDULER_READY,
	SCHEDULER_NOT_LEADING,
	SCHEDULER_NOT_SYNCED,
	SCHEDULER_INCOMPLETE, /* something of the cluster is unknown */
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
	uint64_t woken; /* pods moved by events */
};

struct scheduler {
	struct scheduler_setup setup;
	struct net *net;
	struct cache cache;
	struct cycle cycle;
	struct queue queue;
	struct scratch scratch;
	struct watch *watch;
	struct api_client *api;
	struct binder *binder;
	struct status_patcher *status_patcher;
	struct evictor *evictor;
	struct recorder *recorder;
	struct volumes *volumes;
	struct extenders *extenders; /* NULL: none are configured */
	struct scheduler_ask asks[EXTENDER_ASKS];
	uint64_t events;
	uint32_t cleared;    /* flights that wait for room to be bound */
	struct lease *lease; /* NULL: no election, we always lead */
	struct pool flights;
	struct pool preemptions;
	struct pool victims;
	const struct plugin_profile *profiles;
	uint32_t profile_count;

	uint32_t wanted;  /* kinds, WATCH_KIND() bits */
	uint32_t known;   /* of those: told to their end */
	uint32_t damaged; /* kinds with an object that we do not know: pods, nodes */
	uint32_t damaged_in_list;
	uint32_t lacking; /* those with one that found no room, the damaged ones among them */
	struct net_timer relist;
	int64_t relist_ms; /* the next pause before it */
	uint32_t short_of; /* so many found no room since the last list, less those that went */
	bool leading;      /* as the lease said last */
	uint32_t barrier;  /* kinds to be told anew before the first decision of a new leader */
	bool stopping;
	bool stopped;
	bool releasing;
	struct net_timer stop_timer;
	struct mono stop_due;
	enum scheduler_wait waits; /* as last logged */
	struct rate rates[SCHEDULER_PACES];
	bool distrusts;        /* the list of pods under way is told by a server that was away */
	uint32_t left_waiting; /* pods that found no room in the queue */
	uint32_t left_at;      /* the pod that was looked at last when they were collected */
	struct mono gave_way;  /* when pods last gave their places up for them */
	/* Plugins that wait for an event, by its action; the last is any update. */
	struct plugin_set waited_for[KUBE_KINDS][SCHEDULER_EVENT_ACTIONS + 1];
	uint32_t compare_left; /* kinds still to be compared, one after the other */
	uint32_t missed, redundant;
	struct scheduler_stats stats;
	struct scheduler_metrics metrics;
};

size_t scheduler_size(const struct scheduler_limits *limits);

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
 * The profiles stay the caller's. Watching begins. False: the lease cannot have the name or the
 * identity that it was given.
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

/* Logs nodes and queue, and compares the picture with lists told anew. */
void scheduler_dump(struct scheduler *s);

/* The time of this turn; it stands still until the network was waited for again. */
static inline struct mono scheduler_now(const struct scheduler *s)
{
	return net_now(s->net);
}

/*
 * Works off the change log, so that the queue is where the cache is. For whoever is called while
 * the network is read and looks at both.
 */
void scheduler_requeue_for_changes(struct scheduler *s);

enum scheduler_wait scheduler_waits(const struct scheduler *s, struct mono now);
const char *scheduler_wait_name(enum scheduler_wait wait);

/* CHECKs the picture, the queue, and that each pending pod is where it belongs. */
void scheduler_audit(const struct scheduler *s);

#endif
