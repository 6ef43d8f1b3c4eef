/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast way: remembered rows for what is local to a node, whole lists at a time for the rest.
 * It finds the same nodes and the same totals as evaluate.c and score.c, without the words.
 */
#include "cycle/rows.h"

/* ---- filter ---- */

static uint32_t start_with(const struct evaluation *e, const struct cycle_row *row, uint32_t *kept)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->candidate_count; i++) {
		kept[count] = e->candidates[i];
		count += row->worth[e->candidates[i]] != CYCLE_UNFIT;
	}
	return count;
}

/* Keeps the nodes that pass. No branch: whether a node passes cannot be foreseen. */
static void apply_rule(struct evaluation *e, const struct plugin_rule *rule, uint32_t *kept)
{
	const uint32_t *of_node = rule->of_node;
	const int32_t *counts = rule->counts;
	const uint32_t *nodes = e->feasible;
	uint32_t least = (uint32_t)rule->least;
	uint32_t span = (uint32_t)rule->most - least;
	uint32_t first_domain = rule->needs_key ? 1 : 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		uint32_t node = nodes[i];
		uint32_t domain = of_node[node];
		kept[count] = node;
		count += ((uint32_t)counts[domain] - least <= span) & (domain >= first_domain);
	}
	e->feasible = kept;
	e->feasible_count = count;
}

/* What is not a rule asks about node after node; false: an internal error. */
static bool ask_filter(struct evaluation *e, uint8_t id, uint32_t *kept)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		struct cache_view view = cache_view_of(e->cycle->cache, e->feasible[i]);
		enum plugin_code code = evaluation_run_filter(e, id, &view, NULL);
		if (code == PLUGIN_ERROR)
			return evaluation_fail(e, PLUGIN_AT_FILTER, plugins[id]->name);
		kept[count] = e->feasible[i];
		count += code == PLUGIN_SUCCESS;
	}
	e->feasible = kept;
	e->feasible_count = count;
	return true;
}

/* One plugin over the nodes that are left; false: an internal error. */
static bool filter_left(struct evaluation *e, uint8_t id, uint32_t *kept)
{
	const struct plugin *plugin = plugins[id];
	bool has_state = plugin->state_size == 0 || plugin_set_has(&e->d.pre_filtered, id);
	if (plugin->rules == NULL || !has_state)
		return ask_filter(e, id, kept);
	uint32_t count;
	const struct plugin_rule *rules = plugin->rules(&e->d, &count);
	if (rules == NULL)
		return evaluation_fail(e, PLUGIN_AT_FILTER, NULL);
	for (uint32_t i = 0; i < count; i++)
		apply_rule(e, &rules[i], kept);
	return true;
}

static bool is_waited_for(const struct evaluation *e, uint32_t node)
{
	for (uint32_t i = 0; i < e->nominated_count; i++)
		if (e->nominated[i].node == node)
			return true;
	return false;
}

/* Nodes that nominated pods wait for are few: they take the slow way. */
static bool consider_nominated(struct evaluation *e, uint32_t *kept)
{
	if (e->nominated_count == 0)
		return true;
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		uint32_t node = e->feasible[i];
		kept[count++] = node;
		if (!is_waited_for(e, node))
			continue;
		uint8_t plugin = PLUGIN_COUNT;
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		enum plugin_code code = evaluation_filter_node(e, node, NULL, &plugin);
		if (code == PLUGIN_ERROR)
			return evaluation_fail(e, PLUGIN_AT_FILTER,
				plugin < PLUGIN_COUNT ? plugins[plugin]->name : NULL);
		scratch_rewind(e->d.scratch, mark);
		count -= code != PLUGIN_SUCCESS;
	}
	e->feasible = kept;
	e->feasible_count = count;
	return true;
}

/* The nodes that the row leaves; `kept` is where those that filters leave go. */
static void begin_with_row(struct evaluation *e, uint32_t *kept)
{
	if (e->candidates == e->nodes) {
		e->feasible = cycle_row_fit(e, e->row);
		e->feasible_count = e->row->fit_count;
	} else {
		e->feasible = kept;
		e->feasible_count = start_with(e, e->row, kept);
	}
}

bool evaluation_filter_fast(struct evaluation *e)
{
	e->row = cycle_row_of(e);
	if (e->row == NULL)
		return false; /* no memory to remember anything: the slow way needs none */
	uint32_t *kept = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->candidate_count + 1);
	if (kept == NULL)
		return evaluation_fail(e, PLUGIN_AT_FILTER, NULL);
	begin_with_row(e, kept);
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_FILTER];
	for (uint32_t i = 0; i < uses->count && e->feasible_count > 0; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id]->filter == NULL || plugin_set_has(&e->d.skip_filter, id) ||
			cycle_row_has_filter(uses, i))
			continue;
		struct mono since = plugin_timer_start(e->plugin_timer);
		bool ok = filter_left(e, id, kept);
		plugin_timer_took(e->plugin_timer, id, PLUGIN_AT_FILTER,
			!ok                              ? PLUGIN_ERROR
				: e->feasible_count == 0 ? PLUGIN_UNSCHEDULABLE
							 : PLUGIN_SUCCESS,
			&since);
		if (!ok)
			return false;
	}
	if (!consider_nominated(e, kept))
		return false;
	e->d.feasible = e->feasible;
	e->d.feasible_count = e->feasible_count;
	return true;
}

/* ---- score ---- */

static int32_t largest(const struct evaluation *e, const struct cycle_scale *scale)
{
	int32_t most = 0;
	for (uint32_t i = 0; i < e->feasible_count && most < scale->most; i++) {
		int32_t raw = scale->raw[e->feasible[i]];
		most = raw > most ? raw : most;
	}
	return most;
}

/*
 * What the row knows of each node. The row's sums are made with the highest raw scores of all
 * nodes that fit; where filters took those away the scores follow what is left.
 */
static void start_totals(struct evaluation *e)
{
	const struct cycle_row *row = e->row;
	int32_t most[CYCLE_SCALES_MAX];
	bool is_worth = true;
	for (uint32_t k = 0; k < row->scale_count; k++) {
		if (!row->scales[k].is_held)
			continue;
		most[k] = largest(e, &row->scales[k]);
		is_worth = is_worth && most[k] == row->scales[k].settled;
	}
	for (uint32_t i = 0; i < e->feasible_count; i++)
		e->totals[i] = row->worth[e->feasible[i]];
	for (uint32_t k = 0; k < row->scale_count && !is_worth; k++)
		for (uint32_t i = 0; i < e->feasible_count && row->scales[k].is_held; i++)
			e->totals[i] += cycle_scaled(row, k, e->feasible[i], most[k]) -
				cycle_scaled(row, k, e->feasible[i], row->scales[k].settled);
}

static bool add_plugin(struct evaluation *e, uint8_t id, int64_t weight)
{
	const struct plugin *plugin = plugins[id];
	if (plugin->score_is_idle != NULL && plugin->score_is_idle(&e->d))
		return true;
	struct mono since = plugin_timer_start(e->plugin_timer);
	bool ok = plugin->add_scores != NULL
		? plugin->add_scores(&e->d, weight, e->totals)
		: plugin_add_one_by_one(&e->d, plugin, weight, e->totals);
	plugin_timer_took(
		e->plugin_timer, id, PLUGIN_AT_SCORE, ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
	if (!ok)
		e->error = e->d.error;
	return ok;
}

static bool score_left(struct evaluation *e)
{
	e->totals = SCRATCH_ARRAY(e->d.scratch, int64_t, (size_t)e->feasible_count + 1);
	if (e->totals == NULL) {
		e->error = "no room for scores";
		return false;
	}
	start_totals(e);
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct plugin *plugin = plugins[uses->list[k].id];
		bool skipped = plugin_set_has(&e->d.skip_score, uses->list[k].id);
		if (plugin->score != NULL && !plugin->score_is_local && !skipped &&
			!add_plugin(e, uses->list[k].id, uses->list[k].weight))
			return false;
	}
	return true;
}

bool evaluation_score_fast(struct evaluation *e)
{
	if (e->row->is_strange)
		return evaluation_score(e, false);
	if (!evaluation_prescore(e))
		return false;
	struct mono since = plugin_timer_start(e->timer);
	bool ok = score_left(e);
	evaluation_took_point(e, PLUGIN_AT_SCORE, ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
	return ok;
}

bool evaluation_can_be_fast(const struct evaluation *e)
{
	if (e->d.way != CACHE_COUNT_FAST || e->cycle->rows == NULL)
		return false;
	/* One node is looked at, and another one for the next pod of the template. */
	if (e->d.pod.class->is_for_node != 0)
		return false;
	/* Rows hold sums of 32 bits; weights beyond that are possible, if absurd. */
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	int64_t left = INT32_MAX / CYCLE_SCORE_MAX;
	for (uint32_t k = 0; k < uses->count; k++) {
		if (uses->list[k].weight > left)
			return false;
		left -= uses->list[k].weight;
	}
	return true;
}
