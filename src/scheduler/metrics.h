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
#include "scheduler/series.h"

enum {
	SCHEDULER_ATTEMPTS_MAX = 15, /* attempts told apart; the last one is "15+" */
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

extern const struct scheduler_scale scheduler_scale_attempt;
extern const struct scheduler_scale scheduler_scale_sli;
extern const struct scheduler_scale scheduler_scale_tries;
extern const struct scheduler_scale scheduler_scale_victims;

/* Why a pod came into a part of the queue. */
enum scheduler_cause {
	SCHEDULER_POD_ADDED,
	SCHEDULER_ATTEMPT_FAILED,
	SCHEDULER_BACKOFF_COMPLETE,
	SCHEDULER_WAITED_TOO_LONG,
	SCHEDULER_CAUSES
};
enum { SCHEDULER_EVENT_KINDS = SERIES_EVENT_KINDS, SCHEDULER_EVENT_ACTIONS = SERIES_EVENT_ACTIONS };

/* Steps of finding, keeping and making volumes, as upstream names those that fail. */
enum scheduler_volume_step {
	SCHEDULER_VOLUME_PREDICATE,
	SCHEDULER_VOLUME_ASSUME,
	SCHEDULER_VOLUME_BIND,
	SCHEDULER_VOLUME_STEPS
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
	uint64_t evaluated[QUEUE_PROFILES_MAX][CYCLE_POINTS][PLUGIN_COUNT];
	uint64_t volume_errors[SCHEDULER_VOLUME_STEPS];
	uint64_t evictions[2]; /* preemptions whose victims were evicted: well, not */
	uint64_t preemption_attempts;
	uint64_t incoming[SCHEDULER_CAUSES][3]; /* active, backoff, unschedulable */
	uint64_t woken[SCHEDULER_EVENT_KINDS][SCHEDULER_EVENT_ACTIONS][2]; /* active, backoff */
	int64_t turn_us_max; /* longest turn, sleep not counted */
	uint64_t busy_us;    /* of all turns, of which ... */
	uint64_t network_us; /* ... reading, applying what was read, timers, answering ... */
	uint64_t decide_us;  /* ... and deciding */
	/* what is not reset by being set to zero */
	struct mono attempt_began;
	struct series series;
	uint64_t serial;
	struct scheduler_record records[SCHEDULER_RECORDS]; /* serial % SCHEDULER_RECORDS */
	struct scheduler_best best[SCHEDULER_BEST];         /* serial % SCHEDULER_BEST */
	uint32_t best_wanted; /* decisions to come whose scores a page wants to see */
};

/* All counters and histograms begin at zero; the latest decisions stay. */
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
/* A change of an object, or of a pod without a node: each event that upstream makes of it. */
void scheduler_count_handled(
	struct scheduler_metrics *m, uint32_t kind, uint32_t actions, int64_t took_us);
/* All plugins of a profile at a point, and one plugin there. */
void scheduler_count_point(struct scheduler_metrics *m, uint32_t profile, enum series_point point,
	enum plugin_code code, int64_t took_us);
void scheduler_count_plugin(struct scheduler_metrics *m, enum plugin_id plugin,
	enum series_point point, enum plugin_code code, int64_t took_us);
/* For a plugin_timer; self is the metrics. */
void scheduler_point_took(void *self, uint32_t profile, enum plugin_point point,
	enum plugin_code code, int64_t took_us);
void scheduler_plugin_took(
	void *self, enum plugin_id plugin, uint32_t timed, enum plugin_code code, int64_t took_us);
/* A pod that plugins held at Permit, and what came of it. */
void scheduler_count_permit_wait(
	struct scheduler_metrics *m, enum plugin_code code, int64_t took_us);
/* From the choice of victims to the last answer about them. */
void scheduler_count_evictions(struct scheduler_metrics *m, bool well, int64_t took_us);
/* NULL when it was pushed out, or never was. */
const struct scheduler_record *scheduler_record_at(
	const struct scheduler_metrics *m, uint64_t serial);
/* The scores of a decision, if they were kept; else TEXT_NONE. */
struct text scheduler_best_at(const struct scheduler_metrics *m, uint64_t serial);
/* The next record, to be filled in; its texts are empty. */
struct scheduler_record *scheduler_record_next(struct scheduler_metrics *m);

#endif
