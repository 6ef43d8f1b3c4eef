/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scores of the feasible nodes: raw score, normalised to 0..100, times weight, summed.
 */
#include "cycle/evaluation.h"

static bool have_states(struct evaluation *e)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	for (uint32_t k = 0; k < uses->count; k++) {
		uint8_t id = uses->list[k].id;
		if (plugins[id]->score_state_size == 0 || plugin_set_has(&e->d.pre_scored, id))
			continue;
		evaluation_miss_state(e, "PreScore", id);
		return evaluation_fail(e, PLUGIN_AT_SCORE, plugins[id]->name);
	}
	return true;
}

static bool prescore(struct evaluation *e)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_PRE_SCORE];
	for (uint32_t i = 0; i < uses->count; i++) {
		uint8_t id = uses->list[i].id;
		if (plugins[id]->pre_score == NULL)
			continue;
		struct mono since = plugin_timer_start(e->plugin_timer);
		enum plugin_code code = plugins[id]->pre_score(&e->d);
		plugin_timer_took(e->plugin_timer, id, PLUGIN_AT_PRE_SCORE, code, &since);
		plugin_set_add(&e->d.pre_scored, id);
		if (code == PLUGIN_SKIP)
			plugin_set_add(&e->d.skip_score, id);
		else if (code != PLUGIN_SUCCESS)
			return evaluation_fail(e, PLUGIN_AT_PRE_SCORE, plugins[id]->name);
	}
	return have_states(e);
}

bool evaluation_prescore(struct evaluation *e)
{
	struct mono since = plugin_timer_start(e->timer);
	bool ok = prescore(e);
	evaluation_took_point(e, PLUGIN_AT_PRE_SCORE, ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
	return ok;
}

static bool score_plugin(struct evaluation *e, uint8_t id, int64_t *scores)
{
	const struct plugin *plugin = plugins[id];
	for (uint32_t i = 0; i < e->feasible_count; i++)
		scores[i] = plugin->score(&e->d, e->feasible[i]);
	plugin_normalise(plugin, &e->d, scores, e->feasible_count);
	for (uint32_t i = 0; i < e->feasible_count; i++) {
		if (scores[i] < 0 || scores[i] > CYCLE_SCORE_MAX) {
			e->error = plugin_out_of_range;
			return false;
		}
	}
	return true;
}

static bool score_feasible(struct evaluation *e, bool with_detail)
{
	const struct plugin_uses *uses = &e->d.profile->at[PLUGIN_AT_SCORE];
	e->totals = SCRATCH_ARRAY(e->d.scratch, int64_t, (size_t)e->feasible_count + 1);
	size_t rows = with_detail ? uses->count : 1;
	int64_t *scores = SCRATCH_ARRAY(e->d.scratch, int64_t, rows * e->feasible_count + 1);
	if (e->d.scratch->overflowed) {
		e->error = "no room for scores";
		return false;
	}
	if (with_detail)
		e->plugin_scores = scores;
	for (uint32_t k = 0; k < uses->count; k++) {
		uint8_t id = uses->list[k].id;
		if (plugin_set_has(&e->d.skip_score, id) || plugins[id]->score == NULL)
			continue;
		int64_t *row = with_detail ? scores + (size_t)k * e->feasible_count : scores;
		struct mono since = plugin_timer_start(e->plugin_timer);
		bool ok = score_plugin(e, id, row);
		plugin_timer_took(e->plugin_timer, id, PLUGIN_AT_SCORE,
			ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
		if (!ok)
			return false;
		plugin_set_add(&e->scored, id);
		for (uint32_t i = 0; i < e->feasible_count; i++) {
			row[i] *= uses->list[k].weight;
			e->totals[i] += row[i];
		}
	}
	return true;
}

bool evaluation_score(struct evaluation *e, bool with_detail)
{
	if (!evaluation_prescore(e))
		return false;
	struct mono since = plugin_timer_start(e->timer);
	bool ok = score_feasible(e, with_detail);
	evaluation_took_point(e, PLUGIN_AT_SCORE, ok ? PLUGIN_SUCCESS : PLUGIN_ERROR, &since);
	return ok;
}

/*
 * Which of the best?
 *
 * kube-scheduler 1.36 takes whichever of them the shape of a heap brings up, older releases a
 * random one. Ours goes to the one that was chosen longest ago, then to the first in the nodes'
 * order: the same cluster gives the same answer, and equal nodes are filled in turn.
 */
uint32_t evaluation_best(const struct evaluation *e)
{
	CHECK(e->feasible_count > 0);
	const uint64_t *chosen = e->cycle->chosen;
	uint32_t best = 0;
	for (uint32_t i = 1; i < e->feasible_count; i++) {
		if (e->totals[i] < e->totals[best])
			continue;
		if (e->totals[i] > e->totals[best] ||
			chosen[e->feasible[i]] < chosen[e->feasible[best]])
			best = i;
	}
	return best;
}
