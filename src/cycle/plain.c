/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plain decisions: nothing but node-local rules speaks about the pod, so the best node is the one
 * with the highest sum in the row, and after a binding only one node's sum has changed. Nodes are
 * kept in blocks with the best of each: a change costs a block, a decision looks at the blocks.
 */
#include "cycle/rows.h"

/* Is `a` chosen before `b`: the rule of evaluation_best(). */
static bool is_better(
	const struct evaluation *e, const struct cycle_row *row, uint32_t a, uint32_t b)
{
	if (row->worth[a] != row->worth[b])
		return row->worth[a] > row->worth[b];
	const uint64_t *chosen = e->cycle->chosen;
	if (chosen[a] != chosen[b])
		return chosen[a] < chosen[b];
	const struct cache *cache = e->cycle->cache;
	return cache_node_at(cache, a)->position < cache_node_at(cache, b)->position;
}

void cycle_row_settle(const struct evaluation *e, struct cycle_row *row, uint32_t block)
{
	uint32_t first = block * CYCLE_BLOCK;
	uint32_t end = first + CYCLE_BLOCK;
	if (end > row->top + 1)
		end = row->top + 1;
	uint32_t best = 0;
	int32_t most = CYCLE_UNFIT;
	for (uint32_t node = first; node < end; node++) {
		int32_t worth = row->worth[node];
		if (worth > most || (worth == most && best != 0 && is_better(e, row, node, best))) {
			best = node;
			most = worth;
		}
	}
	row->best[block] = best;
}

/* Every filter that runs for this pod is part of the row. */
static bool filters_are_in_row(const struct evaluation *e)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_FILTER];
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id]->filter != NULL && !plugin_set_has(&e->d.skip_filter, id) &&
			!cycle_row_has_filter(uses, i))
			return false;
	}
	return true;
}

static bool is_idle(struct evaluation *e, uint8_t id)
{
	const struct plugin *plugin = plugins[id];
	if (plugin->score_is_idle != NULL)
		return plugin->score_is_idle(&e->d);
	return evaluation_has_pre_score(e, id) && plugin->pre_score(&e->d) == PLUGIN_SKIP;
}

/* Every score is in the row, or 0 everywhere. */
static bool scores_are_in_row(struct evaluation *e, const struct cycle_row *row)
{
	const struct kube_pod_template *class = e->d.pod.class;
	/* Cheap to see, before anything is counted for nothing. */
	if (class->spread.count > 0 || class->preferred_affinity.count > 0 ||
		class->preferred_anti_affinity.count > 0 || row->is_strange)
		return false;
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	for (uint32_t k = 0; k < uses->count; k++) {
		uint8_t id = uses->list[k].id;
		bool held = plugin_set_has(&row->scored, id);
		if (plugins[id]->score == NULL || (plugins[id]->score_is_local && !held))
			continue;
		if (!held && !is_idle(e, id))
			return false;
	}
	return true;
}

/* One of them fits. */
static uint32_t best_of(const struct evaluation *e, const struct cycle_row *row)
{
	uint32_t best = 0;
	for (uint32_t block = 0; block <= row->top / CYCLE_BLOCK; block++) {
		uint32_t node = row->best[block];
		if (node != 0 && (best == 0 || is_better(e, row, node, best)))
			best = node;
	}
	CHECK(best != 0);
	return best;
}

/*
 * The row brings filters and scores up to date in one pass, which counts as Filter. PreScore and
 * Score are what is left for them: to see that the row has all, and to pick the best.
 */
static void took_plain(
	const struct evaluation *e, struct mono since, struct mono followed, uint32_t fit_count)
{
	struct mono now = plugin_timer_start(e->timer);
	const struct plugin_timer *timer = e->timer;
	uint32_t profile = (uint32_t)(e->d.profile - e->cycle->profiles);
	if (timer == NULL)
		return;
	timer->point(timer->self, profile, PLUGIN_AT_FILTER, PLUGIN_SUCCESS,
		mono_since_us(followed, since));
	if (fit_count < 2)
		return;
	timer->point(timer->self, profile, PLUGIN_AT_PRE_SCORE, PLUGIN_SUCCESS, 0);
	timer->point(timer->self, profile, PLUGIN_AT_SCORE, PLUGIN_SUCCESS,
		mono_since_us(now, followed));
}

uint32_t evaluation_plain(struct evaluation *e, uint32_t *feasible_count, int64_t *score)
{
	if (!evaluation_can_be_fast(e) || e->nominated_count > 0 || e->candidates != e->nodes ||
		!filters_are_in_row(e))
		return 0;
	struct scratch_mark mark = scratch_mark(e->d.scratch);
	struct mono since = plugin_timer_start(e->timer);
	struct cycle_row *row = cycle_row_of(e);
	struct mono followed = plugin_timer_start(e->timer);
	bool plain = row != NULL && scores_are_in_row(e, row);
	e->d.error = NULL;
	/* Whatever pre_score made lies behind the mark; who scores makes it again. */
	memset(e->d.score_state, 0, sizeof(e->d.score_state));
	scratch_rewind(e->d.scratch, mark);
	if (!plain || row->fit_count == 0)
		return 0;
	*feasible_count = row->fit_count;
	uint32_t best = best_of(e, row);
	*score = row->worth[best];
	e->plain = row;
	took_plain(e, since, followed, row->fit_count);
	return best;
}
