/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics - what /metrics and the page show of decisions: counters, histograms with
 * kube-scheduler's buckets, and the latest decisions. Fixed memory, nothing that can fail; the
 * scheduler writes, status/ reads.
 */
#ifndef BERTH_SCHEDULER_METRICS_H
#define BERTH_SCHEDULER_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/text.h"
#include "cycle/cycle.h"
#include "queue/queue.h"

enum {
	SCHEDULER_BUCKETS_MAX = 20,
	SCHEDULER_ATTEMPTS_MAX = 15, /* attempts told apart; the last one is "15+" */
	SCHEDULER_HANDLED = 32,      /* kinds of events that are told apart */
	SCHEDULER_RECORDS = 64,
	SCHEDULER_RECORD_POD_MAX = 192,
	SCHEDULER_RECORD_NODE_MAX = 128,
	SCHEDULER_RECORD_WORDS_MAX = 256,
	SCHEDULER_BEST = 16,      /* decisions whose scores are kept ... */
	SCHEDULER_BEST_NODES = 5, /* ... of so many nodes ... */
	SCHEDULER_BEST_MAX = 2048 /* ... in so many bytes */
};

enum scheduler_result { SCHEDULER_SCHEDULED, SCHEDULER_UNSCHEDULABLE, SCHEDULER_ERROR };
enum { SCHEDULER_RESULTS = SCHEDULER_ERROR + 1 };

/* Bounds: first, each twice the one before, `count` of them; then +Inf. */
struct scheduler_scale {
	uint64_t first;
	uint32_t count;
};
struct scheduler_histogram {
	uint64_t counts[SCHEDULER_BUCKETS_MAX + 1]; /* by bucket, not summed up */
	uint64_t sum;
};
extern const struct scheduler_scale scheduler_scale_attempt; /* microseconds */
extern const struct scheduler_scale scheduler_scale_sli;     /* microseconds */
extern const struct scheduler_scale scheduler_scale_point;   /* microseconds */
extern const struct scheduler_scale scheduler_scale_tries;
extern const struct scheduler_scale scheduler_scale_victims;
void scheduler_observe(
	struct scheduler_histogram *h, const struct scheduler_scale *scale, uint64_t value);

/* Why a pod came into a part of the queue. */
enum scheduler_cause {
	SCHEDULER_POD_ADDED,
	SCHEDULER_POD_UPDATED,
	SCHEDULER_ATTEMPT_FAILED,
	SCHEDULER_BACKOFF_COMPLETE,
	SCHEDULER_WAITED_TOO_LONG,
	SCHEDULER_CAUSES
};
/* Events of the cluster: by kind, and add, delete, or the lowest bit of an update. */
enum { SCHEDULER_EVENT_KINDS = 32, SCHEDULER_EVENT_ACTIONS = 13 };

/* What the apiserver, or an extender, has a part in and therefore takes time. */
enum scheduler_stage { SCHEDULER_STAGE_PRE_BIND, SCHEDULER_STAGE_BIND, SCHEDULER_STAGES };

/* How long events of a kind took; kind 0: pods without a node. */
struct scheduler_handled {
	bool taken;
	uint8_t kind, action;
	struct scheduler_histogram took;
};

/* A decision, as people want to see it. */
struct scheduler_record {
	uint64_t serial; /* from 1; 0: none yet */
	struct wall at;
	int64_t took_us;
	enum scheduler_result result;
	uint32_t feasible;
	uint32_t evaluated;
	char pod[SCHEDULER_RECORD_POD_MAX]; /* "namespace/name", cut off when too long */
	char node[SCHEDULER_RECORD_NODE_MAX];
	char words[SCHEDULER_RECORD_WORDS_MAX];
};

/* The best nodes of a decision, as JSON. */
struct scheduler_best {
	uint64_t serial; /* of the decision; 0: nothing */
	size_t size;
	char words[SCHEDULER_BEST_MAX];
};

struct scheduler_metrics {
	uint64_t attempts[QUEUE_PROFILES_MAX][SCHEDULER_RESULTS];
	struct scheduler_histogram attempt[QUEUE_PROFILES_MAX][SCHEDULER_RESULTS];
	struct scheduler_histogram algorithm;
	struct scheduler_histogram sli[SCHEDULER_ATTEMPTS_MAX];
	struct scheduler_histogram tries;
	struct scheduler_histogram victims;
	struct scheduler_histogram stages[QUEUE_PROFILES_MAX][SCHEDULER_STAGES][2]; /* well, not */
	uint64_t evaluated[QUEUE_PROFILES_MAX][CYCLE_POINTS][PLUGIN_COUNT];
	struct scheduler_handled handled[SCHEDULER_HANDLED]; /* those taken come first */
	uint64_t preemption_attempts;
	uint64_t incoming[SCHEDULER_CAUSES][3]; /* active, backoff, unschedulable */
	uint64_t woken[SCHEDULER_EVENT_KINDS][SCHEDULER_EVENT_ACTIONS][2]; /* active, backoff */
	int64_t turn_us_max; /* longest turn, sleep not counted */
	uint64_t busy_us;    /* of all turns, of which ... */
	uint64_t network_us; /* ... reading, applying what was read, timers, answering ... */
	uint64_t decide_us;  /* ... and deciding */
	/* what is not reset */
	struct mono attempt_began;
	uint64_t serial;
	struct scheduler_record records[SCHEDULER_RECORDS]; /* serial % SCHEDULER_RECORDS */
	struct scheduler_best best[SCHEDULER_BEST];         /* serial % SCHEDULER_BEST */
	uint32_t best_wanted; /* decisions to come whose scores somebody wants to see */
};

/* All counters and histograms begin anew; the latest decisions stay. */
void scheduler_metrics_reset(struct scheduler_metrics *m);
void scheduler_count_attempt(struct scheduler_metrics *m, uint32_t profile,
	enum scheduler_result result, int64_t took_us);
void scheduler_count_incoming(
	struct scheduler_metrics *m, enum scheduler_cause cause, enum queue_state state);
void scheduler_count_requeued(struct scheduler_metrics *m, uint32_t kind, uint32_t actions,
	const struct queue_moved *moved);
/* Who took part in a decision: at each point. */
void scheduler_count_evaluated(struct scheduler_metrics *m, uint32_t profile,
	const struct plugin_set took_part[CYCLE_POINTS]);
void scheduler_count_handled(
	struct scheduler_metrics *m, uint32_t kind, uint32_t actions, int64_t took_us);
/* NULL when it was pushed out, or never was. */
const struct scheduler_record *scheduler_record_at(
	const struct scheduler_metrics *m, uint64_t serial);
/* The scores of a decision, if they were kept; else TEXT_NONE. */
struct text scheduler_best_at(const struct scheduler_metrics *m, uint64_t serial);
/* The next record, to be filled in; its texts are empty. */
struct scheduler_record *scheduler_record_next(struct scheduler_metrics *m);

#endif
