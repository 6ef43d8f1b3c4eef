/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Families that only berth has; single values are in readings.c.
 */
#include "base/budget.h"
#include "status/metrics.h"

static enum metric_at row_build(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)status;
	(void)which;
	if (at > 0)
		return METRIC_AT_END;
	metric_label(row, "board", TEXT(BERTH_BOARD));
	metric_label(row, "version", TEXT(BERTH_VERSION));
	row->value = 1;
	return METRIC_AT_ROW;
}

/* Names may come twice (a queue of each server): then they are numbered. */
static enum metric_at row_budget(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct budget *b = budget_first();
	uint32_t same = 0;
	(void)status;
	for (uint32_t i = 0; b != NULL && i < at; i++)
		b = budget_next(b);
	if (b == NULL)
		return METRIC_AT_END;
	for (const struct budget *o = budget_first(); o != b; o = budget_next(o))
		same += strcmp(o->name, b->name) == 0;
	const uint64_t values[] = {b->used, b->used_max, b->capacity, b->refused};
	metric_label(row, "name", text_of(b->name));
	if (same > 0) {
		write_u64(&row->made, same);
		metric_label(row, "number", metric_made(row, 0));
	}
	metric_label(row, "unit", text_of(b->unit));
	row->value = values[which];
	return METRIC_AT_ROW;
}

static enum metric_at row_watch(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	const struct scheduler *s = status->s;
	uint32_t kind = KUBE_NO_KIND + 1 + at;
	if (kind >= KUBE_KINDS)
		return METRIC_AT_END;
	if ((scheduler_kinds_wanted(s) & WATCH_KIND(kind)) == 0)
		return METRIC_AT_NOTHING;
	struct watch_stats stats = watch_stats(s->watch, (enum kube_kind)kind);
	const uint64_t values[] = {
		stats.synced, stats.objects, stats.lists, stats.failures, stats.refused};
	metric_label(row, "resource", text_of(kube_kinds[kind].plural));
	row->value = values[which];
	return METRIC_AT_ROW;
}

static enum metric_at row_waits(
	const struct status *status, uint32_t at, uint32_t which, struct metric_row *row)
{
	(void)which;
	if (at > SCHEDULER_STOPPING)
		return METRIC_AT_END;
	metric_label(row, "state", text_of(scheduler_wait_name((enum scheduler_wait)at)));
	row->value = scheduler_state(status->s) == (enum scheduler_wait)at;
	return METRIC_AT_ROW;
}

#define OWN                            \
	{                              \
		METRIC_OWN, METRIC_OWN \
	}

const struct metric_family metric_own_families[] = {
	{"berth_build_info", "Version and board of this binary.", row_build, METRIC_GAUGE, 0, OWN},
	{"berth_state", "1 for the state that the scheduler is in, 0 for the others.", row_waits,
		METRIC_GAUGE, 0, OWN},
	{"berth_budget_used", "Entries or bytes of a pool in use.", row_budget, METRIC_GAUGE, 0,
		OWN},
	{"berth_budget_used_max", "Maximum of berth_budget_used since the start.", row_budget,
		METRIC_GAUGE, 1, OWN},
	{"berth_budget_capacity", "Entries or bytes that a pool can hold.", row_budget,
		METRIC_GAUGE, 2, OWN},
	{"berth_budget_refused_total", "Requests that a full pool has refused.", row_budget,
		METRIC_COUNTER, 3, OWN},
	{"berth_watch_synced", "1 if the initial list of the resource has completed.", row_watch,
		METRIC_GAUGE, 0, OWN},
	{"berth_watch_objects_total", "Objects received in lists and watches.", row_watch,
		METRIC_COUNTER, 1, OWN},
	{"berth_watch_lists_total", "Lists started, the first one and relists.", row_watch,
		METRIC_COUNTER, 2, OWN},
	{"berth_watch_failures_total", "Lists and watches that failed.", row_watch, METRIC_COUNTER,
		3, OWN},
	{"berth_watch_refused_total", "Objects that could not be decoded or stored.", row_watch,
		METRIC_COUNTER, 4, OWN},
};
const uint32_t metric_own_family_count = ARRAY_COUNT(metric_own_families);
