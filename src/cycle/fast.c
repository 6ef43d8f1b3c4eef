/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast way: remembered rows for what is local to a node, whole lists at a time for the rest.
 * It finds the same nodes and the same totals as evaluate.c and score.c, without the words.
 */
#include "cycle/rows.h"

/* ---- filter ---- */

static uint32_t drop_rejected(uint32_t *nodes, uint32_t count, const uint8_t *rejected)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = nodes[i];
		nodes[kept] = node;
		kept += rejected[node] == 0;
	}
	return kept;
}

static uint32_t start_with(const struct evaluation *e, const struct cycle_row *row, uint32_t *nodes)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->candidate_count; i++) {
		uint32_t node = e->candidates[i];
		nodes[count] = node;
		count += row->verdict[node] == 0;
	}
	return count;
}

/* One plugin over the nodes that are left; false: an internal error. */
static bool filter_left(struct evaluation *e, uint8_t id, uint8_t *rejected)
{
	const struct plugin *plugin = &plugins[id];
	uint32_t before = e->feasible_count;
	bool has_state = !plugin->filter_needs_state || (e->d.prefiltered >> id & 1) != 0;
	if (plugin->filter_nodes != NULL && has_state) {
		plugin->filter_nodes(&e->d, e->feasible, before, rejected);
	} else {
		for (uint32_t i = 0; i < before; i++) {
			struct cache_view view = cache_view_of(e->cycle->cache, e->feasible[i]);
			enum plugin_code code = evaluation_run_filter(e, id, &view, NULL);
			if (code == PLUGIN_ERROR)
				return evaluation_fail(e, POINT_FILTER, plugin->name);
			rejected[e->feasible[i]] = code != PLUGIN_SUCCESS;
		}
	}
	e->feasible_count = drop_rejected(e->feasible, before, rejected);
	return true;
}

/* Nodes that nominated pods wait for are few: they take the slow way. */
static bool consider_nominated(struct evaluation *e, uint8_t *rejected)
{
	if (e->nominated_count == 0)
		return true;
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		bool waited_for = false;
		for (uint32_t n = 0; n < e->nominated_count && !waited_for; n++)
			waited_for = e->nominated[n].node == e->feasible[i];
		if (!waited_for)
			continue;
		uint8_t plugin = PLUGIN_COUNT;
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		enum plugin_code code = evaluation_filter_node(e, e->feasible[i], NULL, &plugin);
		if (code == PLUGIN_ERROR)
			return evaluation_fail(e, POINT_FILTER,
				plugin < PLUGIN_COUNT ? plugins[plugin].name : NULL);
		scratch_rewind(e->d.scratch, mark);
		rejected[e->feasible[i]] = code != PLUGIN_SUCCESS;
	}
	e->feasible_count = drop_rejected(e->feasible, e->feasible_count, rejected);
	return true;
}

bool evaluation_filter_fast(struct evaluation *e)
{
	e->row = cycle_row_of(e);
	e->feasible = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->candidate_count + 1);
	uint8_t *rejected =
		SCRATCH_ARRAY(e->d.scratch, uint8_t, (size_t)pool_top(&e->cycle->cache->nodes) + 1);
	if (e->d.scratch->overflowed)
		return evaluation_fail(e, POINT_FILTER, NULL);
	e->feasible_count = start_with(e, e->row, e->feasible);
	const struct plugin_uses *uses = &e->d.profile->filter;
	for (uint32_t i = 0; i < uses->count && e->feasible_count > 0; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id].filter == NULL || (e->d.skip_filter >> id & 1) != 0 ||
			cycle_row_has_filter(uses, i))
			continue;
		if (!filter_left(e, id, rejected))
			return false;
	}
	if (!consider_nominated(e, rejected))
		return false;
	e->d.feasible = e->feasible;
	e->d.feasible_count = e->feasible_count;
	return true;
}

/* ---- score ---- */

static int32_t largest(const struct evaluation *e, const int32_t *by_node)
{
	int32_t most = 0;
	for (uint32_t i = 0; i < e->feasible_count; i++)
		most = by_node[e->feasible[i]] > most ? by_node[e->feasible[i]] : most;
	return most;
}

/* plugin_normalize_default() over a row, added to the totals. */
static void add_normalized(
	struct evaluation *e, const int32_t *by_node, int64_t weight, bool reverse)
{
	int64_t most = largest(e, by_node);
	if (most == 0) {
		int64_t all = reverse ? CYCLE_SCORE_MAX * weight : 0;
		for (uint32_t i = 0; all != 0 && i < e->feasible_count; i++)
			e->totals[i] += all;
		return;
	}
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		int64_t scaled = (int64_t)CYCLE_SCORE_MAX * by_node[e->feasible[i]] / most;
		e->totals[i] += weight * (reverse ? CYCLE_SCORE_MAX - scaled : scaled);
	}
}

static void add_row(struct evaluation *e, const struct cycle_row *row)
{
	for (uint32_t i = 0; i < e->feasible_count; i++)
		e->totals[i] = row->fixed[e->feasible[i]];
	const struct plugin_uses *uses = &e->d.profile->score;
	for (uint32_t k = 0; k < uses->count; k++) {
		if ((row->scored >> k & 1) == 0)
			continue;
		if (uses->list[k].id == PLUGIN_TAINT_TOLERATION)
			add_normalized(e, row->taints, uses->list[k].weight, true);
		else if (uses->list[k].id == PLUGIN_NODE_AFFINITY)
			add_normalized(e, row->preference, uses->list[k].weight, false);
	}
}

static bool add_plugin(
	struct evaluation *e, const struct plugin *plugin, int64_t weight, int64_t *scores)
{
	if (plugin->score_nodes != NULL) {
		plugin->score_nodes(&e->d, scores);
	} else {
		for (uint32_t i = 0; i < e->feasible_count; i++)
			scores[i] = plugin->score(&e->d, e->feasible[i]);
	}
	if (plugin->normalize != NULL)
		plugin->normalize(&e->d, scores, e->feasible_count);
	bool in_range = true;
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		in_range = in_range && (uint64_t)scores[i] <= CYCLE_SCORE_MAX;
		e->totals[i] = cache_plus(e->totals[i], cache_times(scores[i], weight));
	}
	if (!in_range)
		e->error = evaluation_out_of_range;
	return in_range;
}

bool evaluation_score_fast(struct evaluation *e)
{
	if (e->row->is_strange)
		return evaluation_score(e, false);
	if (!evaluation_prescore(e))
		return false;
	e->totals = SCRATCH_ARRAY(e->d.scratch, int64_t, (size_t)e->feasible_count + 1);
	int64_t *scores = SCRATCH_ARRAY(e->d.scratch, int64_t, (size_t)e->feasible_count + 1);
	if (e->d.scratch->overflowed) {
		e->error = "no room for scores";
		return false;
	}
	add_row(e, e->row);
	const struct plugin_uses *uses = &e->d.profile->score;
	for (uint32_t k = 0; k < uses->count; k++) {
		const struct plugin *plugin = &plugins[uses->list[k].id];
		bool skipped = (e->d.skip_score >> uses->list[k].id & 1) != 0;
		if (plugin->score != NULL && !plugin->score_is_local && !skipped &&
			!add_plugin(e, plugin, uses->list[k].weight, scores))
			return false;
	}
	return true;
}

bool evaluation_can_be_fast(const struct evaluation *e)
{
	if (e->d.way != CACHE_TALLY_FAST || e->cycle->rows == NULL)
		return false;
	/* Rows hold sums of 32 bits; weights beyond that are possible, if absurd. */
	const struct plugin_uses *uses = &e->d.profile->score;
	int64_t left = INT32_MAX / CYCLE_SCORE_MAX;
	for (uint32_t k = 0; k < uses->count; k++) {
		if (uses->list[k].weight > left)
			return false;
		left -= uses->list[k].weight;
	}
	return true;
}
