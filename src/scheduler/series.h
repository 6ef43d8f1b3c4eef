/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * series - histograms by labels: a row for each set of labels that was ever seen, whatever the
 * number of profiles, plugins and kinds of events. Labels are small numbers; status/ has their
 * names.
 */
#ifndef BERTH_SCHEDULER_SERIES_H
#define BERTH_SCHEDULER_SERIES_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SERIES_BUCKETS_MAX = 20,
	/*
	 * Extension points of 16 profiles, plugins at their points, registered hints, kinds of
	 * events, each with the results that they have: some 1,600 in all, of which a cluster meets
	 * a hundred. Memory is taken for those that are met.
	 */
	SERIES_ROWS = 2048,
	SERIES_HEADS = 1024
};

/* Bounds: first, each `factor` times the one before, `count` of them; then +Inf. */
struct scheduler_scale {
	double first;
	double factor;
	uint32_t count;
	bool is_time; /* values are microseconds, bounds seconds */
};
struct scheduler_histogram {
	uint64_t counts[SERIES_BUCKETS_MAX + 1]; /* by bucket, not summed up */
	uint64_t sum;
};
void scheduler_observe(
	struct scheduler_histogram *h, const struct scheduler_scale *scale, uint64_t value);

enum series_family {
	SERIES_POINT,    /* group: profile; what: enum series_point; result: enum plugin_code */
	SERIES_PLUGIN,   /* group: plugin; what: enum series_point; result: enum plugin_code */
	SERIES_HINT,     /* group: plugin; what: an event; result: enum series_hint */
	SERIES_EVENT,    /* what: an event */
	SERIES_PERMIT,   /* result: enum plugin_code */
	SERIES_EVICTION, /* result: enum plugin_code, success or error */
	SERIES_FAMILIES
};
enum series_point {
	SERIES_PRE_ENQUEUE,
	SERIES_PRE_FILTER,
	SERIES_FILTER,
	SERIES_POST_FILTER,
	SERIES_PRE_SCORE,
	SERIES_SCORE,
	SERIES_RESERVE,
	SERIES_UNRESERVE,
	SERIES_PERMIT_POINT,
	SERIES_PRE_BIND_PRE_FLIGHT,
	SERIES_PRE_BIND,
	SERIES_BIND,
	SERIES_POST_BIND,
	SERIES_POINTS
};
enum series_hint { SERIES_QUEUE, SERIES_QUEUE_SKIP };

/* An event of the cluster: its kind, and add, delete, or the lowest bit of an update. */
enum { SERIES_EVENT_KINDS = 32, SERIES_EVENT_ACTIONS = 13 };
/* In the place of a kind: a pod without a node, and that pod for itself. */
enum { SERIES_PENDING_POD = 0, SERIES_TARGET_POD = SERIES_EVENT_KINDS - 1 };
static inline uint32_t series_event(uint32_t kind, uint32_t actions)
{
	return kind * SERIES_EVENT_ACTIONS + (uint32_t)__builtin_ctz(actions);
}

struct series_labels {
	uint8_t family; /* enum series_family */
	uint8_t result;
	uint16_t group;
	uint16_t what;
};
struct series_row {
	struct series_labels labels;
	uint16_t next; /* index + 1 */
	struct scheduler_histogram histogram;
};
struct series {
	uint32_t count;
	uint64_t left_out; /* observations that found no row */
	uint16_t heads[SERIES_HEADS];
	struct series_row rows[SERIES_ROWS];
};

extern const struct scheduler_scale series_scales[SERIES_FAMILIES];

/* Less than nothing counts as nothing: clocks go back. */
void series_observe(struct series *series, struct series_labels labels, int64_t took_us);
void series_reset(struct series *series);

#endif
