/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pod's way through a decision.
 */
#include "cycle/cycle.h"

#include "base/trace.h"
#include "cycle/evaluation.h"
#include "dra/dra.h"
#include "cycle/rows.h"

size_t cycle_size(const struct cycle_limits *limits)
{
	return arena_span_size(limits->scratch_bytes) + cycle_rows_size(limits) +
		dra_size(limits->nodes) + sizeof(struct evaluation) +
		arena_span_size(((size_t)limits->nodes + 1) * sizeof(uint64_t)) + 256;
}

void cycle_init(struct cycle *cycle, struct arena *arena, const struct cycle_limits *limits,
	struct cache *cache, const struct plugin_profile *profiles, uint32_t profile_count)
{
	CHECK(profile_count > 0);
	plugins_check();
	*cycle = (struct cycle){
		.cache = cache, .profiles = profiles, .profile_count = profile_count};
	cycle->evaluation = arena_take(arena, sizeof(*cycle->evaluation));
	scratch_init_for(&cycle->scratch, arena, limits->scratch_bytes);
	arena_take_span(
		arena, &cycle->chosen_span, ((size_t)limits->nodes + 1) * sizeof(*cycle->chosen));
	cycle->chosen = (uint64_t *)(void *)cycle->chosen_span.base;
	if (limits->rows > 0)
		cycle->rows = cycle_rows_make(arena, limits);
	cycle->dra = dra_make(arena, cache, limits->nodes);
}

void cycle_print(const struct cycle *cycle)
{
	check_print("  pods placed %llu, profiles %u, scratch %zu of %zu bytes%s\n",
		(unsigned long long)cycle->decisions, (unsigned)cycle->profile_count,
		cycle->scratch.used, cycle->scratch.size,
		cycle->rows == NULL ? ", nothing is remembered" : "");
}

const struct plugin_profile *cycle_profile_of(const struct cycle *cycle, uint32_t pod)
{
	const struct kube_pod_template *class =
		cache_template_of(cycle->cache, cache_pod_at(cycle->cache, pod));
	for (uint32_t i = 0; i < cycle->profile_count; i++)
		if (cycle->profiles[i].scheduler_name == class->scheduler_name)
			return &cycle->profiles[i];
	return NULL;
}

void cycle_chosen(struct cycle *cycle, uint32_t node)
{
	cycle->chosen[node] = ++cycle->decisions;
	cache_touch_node(cycle->cache, node); /* its rank among equals is another one */
}

/* ---- the search ---- */

/* How many feasible nodes are enough (core.md 5.4); all of them unless a percentage is set. */
static uint32_t nodes_wanted(const struct evaluation *e)
{
	int64_t percentage = e->d.profile->percentage_of_nodes;
	if (percentage == 0 || e->candidate_count < 100)
		return e->candidate_count;
	int64_t wanted = (int64_t)e->candidate_count * percentage / 100;
	if (wanted < 100)
		wanted = 100;
	return wanted > e->candidate_count ? e->candidate_count : (uint32_t)wanted;
}

void evaluation_rotate(struct evaluation *e)
{
	uint32_t wanted = nodes_wanted(e);
	if (wanted == e->candidate_count || e->feasible_count == 0)
		return;
	uint32_t *turned = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->candidate_count + 1);
	uint8_t *is_feasible =
		SCRATCH_ARRAY(e->d.scratch, uint8_t, (size_t)pool_top(&e->cycle->cache->nodes) + 1);
	if (e->d.scratch->overflowed)
		return; /* then all of them are scored: slower, not wrong */
	for (uint32_t i = 0; i < e->feasible_count; i++)
		is_feasible[e->feasible[i]] = 1;
	uint32_t start = e->cycle->rotation % e->candidate_count;
	uint32_t looked = 0;
	uint32_t count = 0;
	while (looked < e->candidate_count && count < wanted) {
		uint32_t node = e->candidates[(start + looked++) % e->candidate_count];
		if (is_feasible[node] != 0)
			turned[count++] = node;
	}
	e->cycle->rotation = (e->cycle->rotation + looked) % e->node_count;
	e->feasible = turned;
	e->feasible_count = count;
	e->d.feasible = turned;
	e->d.feasible_count = count;
}

/* A nominated node is tried first, and taken without looking further when it will do. */
bool evaluation_try_nominated(struct evaluation *e, uint32_t *node)
{
	const struct cache *cache = e->cycle->cache;
	uint32_t name = cache_pod_at(cache, e->d.pod.index)->nominated;
	*node = name == 0 ? 0 : cache_find_node_id(cache, name);
	if (*node == 0)
		return false;
	bool is_candidate = false;
	for (uint32_t i = 0; i < e->candidate_count && !is_candidate; i++)
		is_candidate = e->candidates[i] == *node;
	uint8_t plugin;
	return is_candidate && evaluation_filter_node(e, *node, NULL, &plugin) == PLUGIN_SUCCESS;
}

void evaluation_failed(struct evaluation *e, struct schedule_result *decision)
{
	decision->outcome = CYCLE_FAILED;
	decision->message = text_of(e->error == NULL ? "out of scratch memory" : e->error);
	decision->failed_filter = e->failed_filter;
	decision->preemption.clear_nomination = true;
}

/* Remembered answers count as given. */
static void note_who_took_part(const struct evaluation *e, struct schedule_result *decision)
{
	const struct plugin_uses *at = e->d.profile->at;
	const struct cycle_state *d = &e->d;
	struct plugin_set *took_part = decision->took_part;
	if (e->prefilter_rejected) {
		took_part[CYCLE_PRE_FILTER] = d->pre_filtered;
		return;
	}
	took_part[CYCLE_PRE_FILTER] =
		plugin_set_without(&at[PLUGIN_AT_PRE_FILTER].set, &d->skip_filter);
	took_part[CYCLE_FILTER] = plugin_set_without(&at[PLUGIN_AT_FILTER].set, &d->skip_filter);
	if (!decision->is_scored)
		return;
	took_part[CYCLE_PRE_SCORE] =
		plugin_set_without(&at[PLUGIN_AT_PRE_SCORE].set, &d->skip_score);
	took_part[CYCLE_SCORE] = plugin_set_without(&at[PLUGIN_AT_SCORE].set, &d->skip_score);
}

void evaluation_rejected(struct evaluation *e, struct schedule_result *decision)
{
	note_who_took_part(e, decision);
	decision->outcome = CYCLE_REJECTED;
	struct mono since = plugin_timer_start(e->timer);
	evaluation_post_filter(e, &decision->preemption);
	evaluation_took_point(e, PLUGIN_AT_POST_FILTER,
		decision->preemption.found ? PLUGIN_SUCCESS : PLUGIN_UNSCHEDULABLE, &since);
	struct text prefilter_message = TEXT_NONE;
	if (e->prefilter_rejected)
		prefilter_message = cycle_status_message(e, &e->prefilter);
	decision->message = fit_error_text(
		e, e->statuses, &e->absent, prefilter_message, decision->preemption.message);
	decision->rejectors = e->rejectors;
	decision->extender_rejected = e->extender_rejected;
}

static bool search_nodes(struct evaluation *e)
{
	if (evaluation_can_be_fast(e) && evaluation_filter_fast(e) && e->feasible_count > 0)
		return true;
	/*
	 * No node: the words are wanted, and only the slow way has them. An error: the fast way
	 * goes filter by filter and meets the nodes in another order.
	 */
	e->row = NULL;
	e->feasible_count = 0;
	e->error = NULL;
	e->d.error = NULL;
	return evaluation_filter(e);
}

bool evaluation_search(struct evaluation *e)
{
	struct mono since = plugin_timer_start(e->timer);
	bool ok = search_nodes(e);
	evaluation_took_point(e, PLUGIN_AT_FILTER, ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
	return ok;
}

static bool choose_node(struct evaluation *e, struct schedule_result *decision)
{
	decision->feasible_count = e->feasible_count;
	decision->evaluated_count = e->candidate_count;
	decision->outcome = CYCLE_PLACED;
	decision->state = &e->d;
	if (e->feasible_count == 1) {
		decision->node = e->feasible[0];
		return true;
	}
	if (!(e->row != NULL ? evaluation_score_fast(e) : evaluation_score(e, false)))
		return false;
	if (e->extension != NULL)
		evaluation_add_words(e);
	uint32_t best = evaluation_best(e);
	decision->node = e->feasible[best];
	decision->is_scored = true;
	decision->score = e->totals[best];
	return true;
}

void evaluation_choose(struct evaluation *e, struct schedule_result *decision)
{
	bool chosen = choose_node(e, decision);
	note_who_took_part(e, decision);
	if (!chosen)
		evaluation_failed(e, decision);
}

static bool timed_prefilter(struct evaluation *e)
{
	struct mono since;
	e->timer = e->cycle->timer;
	e->plugin_timer = e->cycle->timed++ % PLUGIN_SAMPLED == 0 ? e->timer : NULL;
	since = plugin_timer_start(e->timer);
	bool ok = evaluation_prefilter(e);
	evaluation_took_point(e, PLUGIN_AT_PRE_FILTER,
		!ok                             ? PLUGIN_ERROR
			: e->prefilter_rejected ? e->prefilter.code
						: PLUGIN_SUCCESS,
		&since);
	return ok;
}

bool evaluation_prepare(struct evaluation *e, struct cycle *cycle, uint32_t pod,
	enum cache_count_mode way, struct schedule_result *decision)
{
	*decision = (struct schedule_result){0};
	CHECK(cache_pod_at(cycle->cache, pod)->node == 0);
	size_t chosen = ((size_t)pool_top(&cycle->cache->nodes) + 1) * sizeof(*cycle->chosen);
	if (!page_span_reach(&cycle->chosen_span, chosen)) {
		decision->outcome = CYCLE_FAILED;
		decision->message = TEXT("the memory budget is reached");
	} else if (!evaluation_begin(e, cycle, pod, way)) {
		evaluation_failed(e, decision);
	} else if (e->node_count == 0) {
		decision->outcome = CYCLE_REJECTED;
		decision->message = TEXT("no nodes available to schedule pods");
		decision->preemption.clear_nomination = true;
	} else if (!timed_prefilter(e)) {
		evaluation_failed(e, decision);
	} else if (e->prefilter_rejected) {
		evaluation_rejected(e, decision);
	} else {
		return true;
	}
	return false;
}

static void placed(struct evaluation *e, struct schedule_result *decision, uint32_t evaluated)
{
	decision->outcome = CYCLE_PLACED;
	decision->state = &e->d;
	decision->is_scored = decision->feasible_count > 1;
	decision->evaluated_count = evaluated;
	note_who_took_part(e, decision);
}

void cycle_decide(struct cycle *cycle, uint32_t pod, enum cache_count_mode way,
	struct schedule_result *decision)
{
	struct evaluation *e = cycle->evaluation;
	trace("cycle decide", pod, (uint32_t)way);
	if (!evaluation_prepare(e, cycle, pod, way, decision))
		return;
	struct mono since = plugin_timer_start(e->timer);
	if (evaluation_try_nominated(e, &decision->node)) {
		evaluation_took_point(e, PLUGIN_AT_FILTER, PLUGIN_SUCCESS, &since);
		decision->feasible_count = 1;
		placed(e, decision, 1);
		return;
	}
	decision->node = 0;
	if (nodes_wanted(e) == e->candidate_count)
		decision->node = evaluation_plain(e, &decision->feasible_count, &decision->score);
	if (decision->node != 0) {
		placed(e, decision, e->candidate_count);
		return;
	}
	decision->feasible_count = 0;
	if (!evaluation_search(e)) {
		evaluation_failed(e, decision);
	} else if (e->feasible_count == 0) {
		evaluation_rejected(e, decision);
	} else {
		evaluation_rotate(e);
		evaluation_choose(e, decision);
	}
}
