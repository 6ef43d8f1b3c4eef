/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting what was decided. */
#include "scheduler/metrics.h"

/* exp(0.001,2,15), exp(0.01,2,20), exp(0.0001,2,12), exp(1,2,5), exp(1,2,7) */
const struct scheduler_scale scheduler_scale_attempt = {1000, 15};
const struct scheduler_scale scheduler_scale_sli = {10000, 20};
const struct scheduler_scale scheduler_scale_point = {100, 12};
const struct scheduler_scale scheduler_scale_tries = {1, 5};
const struct scheduler_scale scheduler_scale_victims = {1, 7};

void scheduler_observe(
	struct scheduler_histogram *h, const struct scheduler_scale *scale, uint64_t value)
{
	uint32_t bucket = 0;
	CHECK(scale->count <= SCHEDULER_BUCKETS_MAX);
	for (uint64_t bound = scale->first; bucket < scale->count && value > bound; bound *= 2)
		bucket++;
	h->counts[bucket]++;
	h->sum += value;
}

void scheduler_metrics_reset(struct scheduler_metrics *m)
{
	memset(m, 0, offsetof(struct scheduler_metrics, attempt_began));
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
	uint32_t action = actions == 0 ? SCHEDULER_EVENT_ACTIONS : (uint32_t)__builtin_ctz(actions);
	if (action >= SCHEDULER_EVENT_ACTIONS || took_us < 0)
		return;
	for (uint32_t i = 0; i < SCHEDULER_HANDLED; i++) {
		struct scheduler_handled *h = &m->handled[i];
		if (!h->taken)
			*h = (struct scheduler_handled){
				.taken = true, .kind = (uint8_t)kind, .action = (uint8_t)action};
		if (h->kind == kind && h->action == action) {
			scheduler_observe(&h->took, &scheduler_scale_point, (uint64_t)took_us);
			return;
		}
	}
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
