/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics - families of metrics and their rows, for /metrics. A row is a set of labels with a
 * number or a histogram; how it is written, and which are shown, is metrics.c's.
 */
#ifndef BERTH_STATUS_METRICS_H
#define BERTH_STATUS_METRICS_H

#include "scheduler/series.h"
#include "status/private.h"
#include "status/readings.h"

enum {
	METRIC_LABELS_MAX = 10,
	METRIC_MADE_MAX = 256, /* bytes of label values that are put together */
	METRIC_BOUNDS_MAX = 20
};

/* How stable a release says that a family is. */
enum metric_level {
	METRIC_ABSENT, /* the release does not have it */
	METRIC_OWN,    /* berth's own, and Prometheus' */
	METRIC_ALPHA,
	METRIC_BETA,
	METRIC_STABLE,
	METRIC_HIDDEN /* deprecated: --show-hidden-metrics-for-version shows it */
};

struct metric_row {
	struct metric_label {
		const char *name;
		struct text value;
	} labels[METRIC_LABELS_MAX];
	uint32_t label_count;
	uint64_t value; /* of what is no histogram */
	const uint64_t *counts;
	uint64_t sum;
	double bounds[METRIC_BOUNDS_MAX];
	uint32_t bound_count;
	bool is_time; /* the sum counts microseconds */
	struct writer made;
	char made_room[METRIC_MADE_MAX];
};

enum metric_at { METRIC_AT_END, METRIC_AT_NOTHING, METRIC_AT_ROW };

struct metric_family {
	const char *name;
	const char *help;
	enum metric_at (*row)(
		const struct status *status, uint32_t at, uint32_t which, struct metric_row *row);
	uint8_t type;  /* enum metric_type */
	uint8_t which; /* of families that look alike */
	uint8_t levels[KUBE_RELEASES];
};

extern const struct metric_family metric_families[], metric_own_families[];
extern const uint32_t metric_family_count, metric_own_family_count;

/* Labels in the order of their names. */
void metric_label(struct metric_row *row, const char *name, struct text value);
/* In row->made; until the row is written. */
struct text metric_made(struct metric_row *row, size_t from);
/* False: nothing was counted. */
bool metric_histogram(struct metric_row *row, const struct scheduler_histogram *h,
	const struct scheduler_scale *scale);

#endif
