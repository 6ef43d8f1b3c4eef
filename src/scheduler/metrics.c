/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what was decided. */
#include "scheduler/metrics.h"

/* exp(0.001,2,15), exp(0.01,2,20), exp(1,2,5), exp(1,2,7) */
const struct scheduler_scale scheduler_scale_attempt = {1e-3, 2, 15, true};
const struct scheduler_scale scheduler_scale_sli = {1e-2, 2, 20, true};
const struct scheduler_scale scheduler_scale_tries = {1, 2, 5, false};
const struct scheduler_scale scheduler_scale_victims = {1, 2, 7, false};

void scheduler_metrics_reset(struct scheduler_metrics *m)
{
	memset(m, 0, offsetof(struct scheduler_metrics, attempt_began));
	series_reset(&m->series);
}

void scheduler_count_attempt(struct scheduler_metrics *m, uint32_t profile,
	enum scheduler_result result, int64_t took_us)
{
	CHECK(profile < QUEUE_PROFILES_MAX);
	m->attempts[profile][result]++;
	scheduler_observe(&m->attempt[profile][result], &scheduler_scale_attempt,
		took_us < 0 ? 0 : (uint64_t)took_us);
}

void scheduler_count_evaluated(struct scheduler_metrics *m, uint32_t profile,
	const struct plugin_set took_part[CYCLE_POINTS])
{
	CHECK(profile < QUEUE_PROFILES_MAX);
	for (uint32_t point = 0; point < CYCLE_POINTS; point++)
		for (struct plugin_set left = took_part[point]; !plugin_set_is_empty(&left);)
			m->evaluated[profile][point][plugin_set_take(&left)]++;
}

void scheduler_count_handled(
	struct scheduler_metrics *m, uint32_t kind, uint32_t actions, int64_t took_us)
{
	bool is_pod = kind == SERIES_PENDING_POD || kind == KUBE_POD;
	if (actions == CACHE_UPDATE) /* none in particular */
		actions = CACHE_UPDATE & -CACHE_UPDATE;
	else if (is_pod && actions > CACHE_DELETE) /* and an update besides */
		actions |= CACHE_UPDATE & -CACHE_UPDATE;
	for (; actions != 0 && took_us >= 0; actions &= actions - 1)
		series_observe(&m->series,
			(struct series_labels){.family = SERIES_EVENT,
				.what = (uint16_t)series_event(kind, actions)},
			took_us);
}

void scheduler_count_point(struct scheduler_metrics *m, uint32_t profile, enum series_point point,
	enum plugin_code code, int64_t took_us)
{
	series_observe(&m->series,
		(struct series_labels){.family = SERIES_POINT,
			.group = (uint16_t)profile,
			.what = (uint16_t)point,
			.result = (uint8_t)code},
		took_us);
}

void scheduler_count_plugin(struct scheduler_metrics *m, enum plugin_id plugin,
	enum series_point point, enum plugin_code code, int64_t took_us)
{
	series_observe(&m->series,
		(struct series_labels){.family = SERIES_PLUGIN,
			.group = (uint16_t)plugin,
			.what = (uint16_t)point,
			.result = (uint8_t)code},
		took_us);
}

static enum series_point series_point_of(uint32_t timed)
{
	static const uint8_t points[PLUGIN_TIMED] = {
		[PLUGIN_AT_PRE_FILTER] = SERIES_PRE_FILTER,
		[PLUGIN_AT_FILTER] = SERIES_FILTER,
		[PLUGIN_AT_POST_FILTER] = SERIES_POST_FILTER,
		[PLUGIN_AT_RESERVE] = SERIES_RESERVE,
		[PLUGIN_AT_PRE_SCORE] = SERIES_PRE_SCORE,
		[PLUGIN_AT_SCORE] = SERIES_SCORE,
		[PLUGIN_AT_PRE_BIND] = SERIES_PRE_BIND,
		[PLUGIN_AT_BIND] = SERIES_BIND,
		[PLUGIN_AT_POST_BIND] = SERIES_POST_BIND,
		[PLUGIN_AT_PERMIT] = SERIES_PERMIT_POINT,
		[PLUGIN_AT_PRE_ENQUEUE] = SERIES_PRE_ENQUEUE,
		[PLUGIN_TIMED_UNRESERVE] = SERIES_UNRESERVE,
		[PLUGIN_TIMED_PRE_FLIGHT] = SERIES_PRE_BIND_PRE_FLIGHT,
	};
	return (enum series_point)points[timed];
}

void scheduler_point_took(void *self, uint32_t profile, enum plugin_point point,
	enum plugin_code code, int64_t took_us)
{
	scheduler_count_point(self, profile, series_point_of(point), code, took_us);
}

void scheduler_plugin_took(
	void *self, enum plugin_id plugin, uint32_t timed, enum plugin_code code, int64_t took_us)
{
	scheduler_count_plugin(self, plugin, series_point_of(timed), code, took_us);
}

void scheduler_count_permit_wait(
	struct scheduler_metrics *m, enum plugin_code code, int64_t took_us)
{
	series_observe(&m->series,
		(struct series_labels){.family = SERIES_PERMIT, .result = (uint8_t)code}, took_us);
}

void scheduler_count_evictions(struct scheduler_metrics *m, bool well, int64_t took_us)
{
	m->evictions[!well]++;
	series_observe(&m->series,
		(struct series_labels){.family = SERIES_EVICTION,
			.result = (uint8_t)(well ? PLUGIN_SUCCESS : PLUGIN_ERROR)},
		took_us);
}

void scheduler_count_incoming(
	struct scheduler_metrics *m, enum scheduler_cause cause, enum queue_state state)
{
	CHECK(cause < SCHEDULER_CAUSES);
	if (state == QUEUE_ACTIVE)
		m->incoming[cause][0]++;
	else if (state == QUEUE_BACKOFF || state == QUEUE_ERROR_BACKOFF)
		m->incoming[cause][1]++;
	else if (state == QUEUE_UNSCHEDULABLE || state == QUEUE_GATED)
		m->incoming[cause][2]++;
}

void scheduler_count_requeued(struct scheduler_metrics *m, uint32_t kind, uint32_t actions,
	const struct queue_moved *moved)
{
	if (kind >= SCHEDULER_EVENT_KINDS || actions == 0)
		return;
	uint32_t action = (uint32_t)__builtin_ctz(actions);
	if (action >= SCHEDULER_EVENT_ACTIONS)
		return;
	m->woken[kind][action][0] += moved->active;
	m->woken[kind][action][1] += moved->backoff;
}

const struct scheduler_record *scheduler_record_at(
	const struct scheduler_metrics *m, uint64_t serial)
{
	const struct scheduler_record *record = &m->records[serial % SCHEDULER_RECORDS];
	return serial != 0 && record->serial == serial ? record : NULL;
}

struct text scheduler_best_at(const struct scheduler_metrics *m, uint64_t serial)
{
	const struct scheduler_best *best = &m->best[serial % SCHEDULER_BEST];
	return serial != 0 && best->serial == serial ? (struct text){best->words, best->size}
						     : TEXT_NONE;
}

struct scheduler_record *scheduler_record_next(struct scheduler_metrics *m)
{
	struct scheduler_record *record = &m->records[++m->serial % SCHEDULER_RECORDS];
	record->serial = m->serial;
	record->pod[0] = record->node[0] = record->words[0] = '\0';
	record->feasible = record->evaluated = 0;
	record->took_us = 0;
	return record;
}
