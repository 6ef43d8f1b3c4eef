/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readings: metrics that are one number without labels. Each is one row of a table, with its name,
 * its help, its type and where the number is found.
 */
#ifndef BERTH_STATUS_READINGS_H
#define BERTH_STATUS_READINGS_H

#include "status/private.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

enum { READINGS_IN_ROW = 8 };

/* All that the numbers are read from, of one moment. */
struct metric_readings {
	struct process_facts process;
	struct binder_stats binder;
	struct status_patcher_stats status_patcher;
	struct recorder_stats recorder;
	struct net_client_stats net;
	struct scheduler_stats scheduler;
	double started_s;
	uint64_t events_dropped, cache_refused, log_dropped, late_allocations;
	uint64_t decisions_dropped;
	uint64_t preemption_attempts, none, bound_by_others;
	uint64_t turn_us_max, busy_us, network_us, decide_us;
	uint32_t subscribers;
	bool nodes_missing, pods_missing;
};

struct metric_reading {
	const char *name;
	const char *help;
	enum metric_type type;
	uint16_t offset; /* in struct metric_readings */
	uint8_t form;    /* what is there */
};
extern const struct metric_reading readings_table[];
extern const uint32_t readings_count;

void readings_gather(const struct status *status, struct metric_readings *r);
double readings_value(const struct metric_readings *r, const struct metric_reading *reading);

#endif
