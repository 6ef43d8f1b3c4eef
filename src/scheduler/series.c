/* SPDX-License-Identifier: GPL-2.0-only */
#include "scheduler/series.h"

#include <string.h>

#include "base/check.h"

/* exp(0.0001,2,12), exp(0.00001,1.5,20), exp(0.001,2,15), exp(0.01,2,20) */
const struct scheduler_scale series_scales[SERIES_FAMILIES] = {
	[SERIES_POINT] = {1e-4, 2, 12, true},
	[SERIES_PLUGIN] = {1e-5, 1.5, 20, true},
	[SERIES_HINT] = {1e-5, 1.5, 20, true},
	[SERIES_EVENT] = {1e-4, 2, 12, true},
	[SERIES_PERMIT] = {1e-3, 2, 15, true},
	[SERIES_EVICTION] = {1e-2, 2, 20, true},
};

void scheduler_observe(
	struct scheduler_histogram *h, const struct scheduler_scale *scale, uint64_t value)
{
	double real = scale->is_time ? (double)value / 1e6 : (double)value;
	uint32_t bucket = 0;
	CHECK(scale->count <= SERIES_BUCKETS_MAX);
	for (double bound = scale->first; bucket < scale->count && real > bound;
		bound *= scale->factor)
		bucket++;
	h->counts[bucket]++;
	h->sum += value;
}

static uint32_t series_head(struct series_labels labels)
{
	uint32_t key = (uint32_t)labels.family << 28 ^ (uint32_t)labels.result << 24 ^
		(uint32_t)labels.group << 12 ^ labels.what;
	return key * UINT32_C(2654435761) >> 22;
}

static struct scheduler_histogram *series_find(struct series *series, struct series_labels labels)
{
	uint16_t *head = &series->heads[series_head(labels) % SERIES_HEADS];
	for (uint32_t i = *head; i != 0; i = series->rows[i - 1].next) {
		struct series_row *row = &series->rows[i - 1];
		if (row->labels.family == labels.family && row->labels.result == labels.result &&
			row->labels.group == labels.group && row->labels.what == labels.what)
			return &row->histogram;
	}
	if (series->count == SERIES_ROWS)
		return NULL;
	struct series_row *row = &series->rows[series->count++];
	*row = (struct series_row){.labels = labels, .next = *head};
	*head = (uint16_t)series->count;
	return &row->histogram;
}

void series_observe(struct series *series, struct series_labels labels, int64_t took_us)
{
	struct scheduler_histogram *h = series_find(series, labels);
	if (h == NULL)
		series->left_out++;
	else
		scheduler_observe(
			h, &series_scales[labels.family], took_us < 0 ? 0 : (uint64_t)took_us);
}

/* Rows behind the count are set up when they are taken. */
void series_reset(struct series *series)
{
	series->count = 0;
	series->left_out = 0;
	memset(series->heads, 0, sizeof(series->heads));
}
