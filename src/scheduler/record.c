/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is kept of what was decided: for the page, for the history of a day, for --decision-log.
 */
#include "json/json.h"
#include "kube/time.h"
#include "scheduler/private.h"

enum {
	RECORD_BEST = 3, /* nodes whose scores are kept */
	RECORD_WORDS = 1024,
	RECORD_LINE = SINK_LINE_MAX
};

/* ---- the history ---- */

void scheduler_note(struct scheduler *s, enum history_kind kind, uint32_t pod, struct text node,
	struct text words)
{
	struct scheduler_pod_names names;
	char room[HISTORY_NAME_MAX];
	struct writer w;
	if (!history_is_kept(&s->history))
		return;
	writer_init(&w, room, sizeof(room));
	if (pod != 0) {
		scheduler_pod_names(s, pod, &names);
		write_text(&w, names.pod.namespace);
		write_char(&w, '/');
		write_text(&w, names.pod.name);
	}
	history_append(&s->history,
		&(struct history_event){.at = clock_wall(&s->setup.clock),
			.kind = kind,
			.pod = writer_text(&w),
			.node = node,
			.words = words});
}

void scheduler_note_preemption(
	struct scheduler *s, uint32_t pod, const struct cycle_preemption *plan)
{
	struct scheduler_pod_names names;
	char room[RECORD_WORDS];
	struct writer w;
	uint32_t named = 0;
	writer_init(&w, room, sizeof(room) - 64);
	for (; named < plan->victim_count && !w.overflowed; named++) {
		scheduler_pod_names(s, plan->victims[named], &names);
		write_format(&w, "%s%.*s/%.*s", named == 0 ? "" : ", ",
			TEXT_ARGS(names.pod.namespace), TEXT_ARGS(names.pod.name));
	}
	named -= w.overflowed;
	w.overflowed = false;
	w.size = sizeof(room);
	if (named < plan->victim_count)
		write_format(&w, " and %u more", (unsigned)(plan->victim_count - named));
	if (plan->violations > 0)
		write_format(&w, "; %u against a disruption budget", (unsigned)plan->violations);
	scheduler_note(s, HISTORY_PREEMPTION, pod,
		cache_text(&s->cache, cache_node_at(&s->cache, plan->node)->name), writer_text(&w));
}

static bool node_is_ready(const struct cache_side *side)
{
	return (cache_side_facts(side)->troubles & KUBE_NODE_NOT_READY) == 0;
}

/* What people would want to know at 03:00; a node that was listed at the start did not come. */
void scheduler_note_node(struct scheduler *s, const struct cache_event *event)
{
	const struct cache_side *old = &event->old, *now = &event->now;
	struct text node = cache_text(&s->cache, event->name);
	if (event->kind != KUBE_NODE || (s->sync.known & WATCH_KIND(KUBE_NODE)) == 0)
		return;
	if (!old->there || !now->there) {
		if (old->there != now->there)
			scheduler_note(s, HISTORY_NODE, 0, node,
				now->there ? TEXT("added") : TEXT("removed"));
		return;
	}
	if (node_is_ready(old) != node_is_ready(now))
		scheduler_note(s, HISTORY_NODE, 0, node,
			node_is_ready(now) ? TEXT("ready") : TEXT("not ready"));
	if (cache_side_facts(old)->unschedulable != cache_side_facts(now)->unschedulable)
		scheduler_note(s, HISTORY_NODE, 0, node,
			cache_side_facts(now)->unschedulable != 0 ? TEXT("cordoned")
								  : TEXT("uncordoned"));
}

/* ---- one decision ---- */

/* [["node",score],...], the chosen one first; "" when there was no choice. */
static void write_best(
	const struct scheduler *s, const struct schedule_result *result, struct writer *w)
{
	struct cycle_ranked best[RECORD_BEST];
	struct json_writer j;
	if (!result->is_scored)
		return;
	uint32_t count = cycle_rank(&s->cycle, result, best, RECORD_BEST);
	json_write_init(&j, w);
	json_open_array(&j);
	for (uint32_t i = 0; i < count; i++) {
		json_open_array(&j);
		json_put_text(
			&j, cache_text(&s->cache, cache_node_at(&s->cache, best[i].node)->name));
		json_put_i64(&j, best[i].score);
		json_close_array(&j);
	}
	json_close_array(&j);
}

/* One line of --decision-log. */
static void log_line(struct scheduler *s, const struct scheduler_record *r, struct text reason,
	struct text best, uint32_t victims)
{
	static const char *const results[SCHEDULER_RESULTS] = {
		"scheduled", "unschedulable", "error"};
	char line[RECORD_LINE];
	char time[KUBE_TIME_SIZE + 8];
	struct writer w, t;
	struct json_writer j;
	writer_init(&t, time, sizeof(time));
	kube_time_print_micro(r->at, &t);
	writer_init(&w, line, sizeof(line));
	json_write_init(&j, &w);
	json_open_object(&j);
	json_member_text(&j, "time", writer_text(&t));
	json_member_z(&j, "pod", r->pod);
	json_member_z(&j, "result", results[r->result]);
	if (r->result == SCHEDULER_SCHEDULED)
		json_member_z(&j, "node", r->node);
	else
		json_member_text(&j, "reason", text_utf8_first(reason, RECORD_WORDS));
	if (best.size > 0) {
		json_key(&j, "scores");
		json_put_raw(&j, best);
	}
	if (victims > 0)
		json_member_i64(&j, "victims", victims);
	json_member_i64(&j, "feasibleNodes", r->feasible);
	json_member_i64(&j, "evaluatedNodes", r->evaluated);
	json_member_i64(&j, "durationUs", r->took_us);
	uint64_t dropped = sink_dropped(&s->decision_log);
	if (dropped > 0)
		json_member_i64(&j, "droppedBefore", (int64_t)dropped);
	json_close_object(&j);
	write_char(&w, '\n');
	sink_put(&s->decision_log, w.overflowed ? TEXT("") : writer_text(&w));
}

/* The apiserver knows that already. */
static bool is_said_again(
	const struct scheduler *s, uint32_t pod, const struct schedule_result *result)
{
	struct cache_status status;
	if (result->outcome != CYCLE_REJECTED)
		return false;
	cache_pod_status(&s->cache, cache_pod_at(&s->cache, pod), &status);
	for (uint32_t i = 0; i < status.count; i++)
		if (text_is_z(status.conditions[i].type, "PodScheduled"))
			return text_is(status.conditions[i].message, result->message);
	return false;
}

static void record_keep(struct scheduler *s, uint32_t pod, const struct scheduler_record *r,
	const struct schedule_result *result)
{
	char room[RECORD_WORDS];
	struct writer w;
	bool is_kept = history_is_kept(&s->history);
	if (!is_kept && !sink_is_open(&s->decision_log))
		return;
	writer_init(&w, room, sizeof(room));
	write_best(s, result, &w);
	if (w.overflowed)
		w.used = 0;
	bool is_placed = result->outcome == CYCLE_PLACED;
	if (sink_is_open(&s->decision_log))
		log_line(s, r, result->message, writer_text(&w),
			result->preemption.found ? result->preemption.victim_count : 0);
	if (!is_kept)
		return;
	history_count_decision(&s->history, r->took_us);
	if (!is_said_again(s, pod, result))
		history_append(&s->history,
			&(struct history_event){.at = r->at,
				.kind = (enum history_kind)r->result,
				.took_us = (uint32_t)r->took_us,
				.feasible = r->feasible,
				.pod = text_of(r->pod),
				.node = text_of(r->node),
				.words = is_placed ? writer_text(&w) : result->message});
}

static void record_copy(struct text text, char *to, size_t size)
{
	CHECK(text_copy(text_first(text, text.size < size ? text.size : size - 1), to, size));
}

void scheduler_record_result(
	struct scheduler *s, uint32_t pod, const struct schedule_result *result)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct scheduler_record *r = scheduler_record_next(&s->metrics);
	struct writer w;
	writer_init(&w, r->pod, sizeof(r->pod) - 1);
	write_text(&w, cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace));
	write_char(&w, '/');
	record_copy(cache_text(&s->cache, p->name), r->pod + w.used, sizeof(r->pod) - w.used);
	r->at = clock_wall(&s->setup.clock);
	r->took_us = mono_since_us(clock_mono(&s->setup.clock), s->metrics.attempt_began);
	r->feasible = result->feasible_count;
	r->evaluated = result->evaluated_count;
	r->result = result->outcome == CYCLE_PLACED ? SCHEDULER_SCHEDULED
		: result->outcome == CYCLE_REJECTED ? SCHEDULER_UNSCHEDULABLE
						    : SCHEDULER_ERROR;
	if (result->outcome == CYCLE_PLACED)
		record_copy(cache_text(&s->cache, cache_node_at(&s->cache, result->node)->name),
			r->node, sizeof(r->node));
	else
		record_copy(result->message, r->words, sizeof(r->words));
	scheduler_observe(&s->metrics.algorithm, &scheduler_scale_attempt, (uint64_t)r->took_us);
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	if (profile != NULL)
		scheduler_count_evaluated(
			&s->metrics, scheduler_profile_place(s, profile), result->took_part);
	if (result->preemption.tried)
		s->metrics.preemption_attempts++;
	record_keep(s, pod, r, result);
}

bool scheduler_reserves(const struct schedule_result *result)
{
	const struct plugin_uses *uses = &result->state->profile->at[PLUGIN_AT_RESERVE];
	for (uint32_t i = 0; i < uses->count; i++)
		if (plugins[uses->list[i].id]->reserve != NULL &&
			result->state->state[uses->list[i].id] != NULL)
			return true;
	return false;
}

/*
 * All scores again, slowly, for a page that is open; the time is taken already. What the result
 * points to is lost, so who needs that later has to do without.
 */
void scheduler_record_scores(
	struct scheduler *s, uint32_t pod, const struct schedule_result *result)
{
	struct scheduler_metrics *m = &s->metrics;
	struct scheduler_best *best = &m->best[m->serial % SCHEDULER_BEST];
	struct writer w;
	if (m->best_wanted == 0 || !result->is_scored || scheduler_is_extended(s, pod) ||
		scheduler_reserves(result))
		return;
	m->best_wanted--;
	writer_init(&w, best->words, sizeof(best->words));
	cycle_best(&s->cycle, pod, SCHEDULER_BEST_NODES, &w);
	best->serial = w.overflowed ? 0 : m->serial;
	best->size = w.used;
}
