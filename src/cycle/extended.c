/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decisions in which extenders have a say.
 *
 * What kube-scheduler does: the scheduling loop stands still while extenders are asked, so that the
 * snapshot they were asked about is the one that is decided by; a binding that has come too late
 * for it is found out by the kubelet.
 *
 * What we do: others are scheduled meanwhile. When the answers are there the plugins filter again,
 * by the picture as it is now, and of what is left only nodes count that were asked about and kept;
 * scores are today's too. So an answer may come late, but what it leads to is never too much for a
 * node. A node that an extender does not mention at all is as if it had not been looked at; only
 * where it says so may preemption help.
 */
#include "cycle/evaluation.h"

/* ---- before they are asked ---- */

void cycle_candidates(
	struct cycle *cycle, uint32_t pod, bool nominated, struct schedule_result *decision)
{
	struct evaluation *e = cycle->evaluation;
	uint32_t node;
	if (!evaluation_prepare(e, cycle, pod, CACHE_COUNT_FAST, decision))
		return;
	if (nominated && evaluation_try_nominated(e, &node)) {
		uint32_t *one = SCRATCH_ONE(e->d.scratch, uint32_t);
		if (one == NULL) {
			evaluation_failed(e, decision);
			return;
		}
		*one = node;
		e->feasible = one;
		e->feasible_count = 1;
	} else if (!evaluation_search(e)) {
		evaluation_failed(e, decision);
		return;
	} else if (e->feasible_count == 0) {
		evaluation_rejected(e, decision);
		return;
	} else {
		evaluation_rotate(e);
	}
	decision->outcome = CYCLE_PLACED;
	decision->candidates = e->feasible;
	decision->feasible_count = e->feasible_count;
	decision->evaluated_count = e->candidate_count;
}

/* ---- their words ---- */

static bool is_kept(const struct evaluation *e, uint32_t node)
{
	const struct extender_word *word =
		extender_word_of(e->extension->words, e->cycle->cache, node);
	return word != NULL && word->verdict == EXTENDER_KEPT;
}

static bool keep_some(struct evaluation *e)
{
	uint32_t *kept = SCRATCH_ARRAY(e->d.scratch, uint32_t, (size_t)e->feasible_count + 1);
	uint32_t count = 0;
	if (kept == NULL)
		return evaluation_fail(e, PLUGIN_AT_FILTER, NULL);
	for (uint32_t i = 0; i < e->feasible_count; i++)
		if (is_kept(e, e->feasible[i]))
			kept[count++] = e->feasible[i];
	e->feasible = e->d.feasible = kept;
	e->feasible_count = e->d.feasible_count = count;
	return true;
}

void evaluation_add_words(struct evaluation *e)
{
	for (uint32_t i = 0; i < e->feasible_count; i++)
		e->totals[i] = cache_plus(
			e->totals[i], e->extension->words->of_node[e->feasible[i]].score);
}

bool evaluation_take_words(struct evaluation *e)
{
	for (uint32_t i = 0; i < e->candidate_count; i++) {
		uint32_t node = e->candidates[i];
		const struct extender_word *word =
			extender_word_of(e->extension->words, e->cycle->cache, node);
		struct cycle_status *status = &e->statuses[node];
		struct plugin_reasons why = {.scratch = e->d.scratch};
		struct scratch_mark mark = scratch_mark(e->d.scratch);
		if (status->code != PLUGIN_SUCCESS)
			continue;
		*status = e->absent;
		if (word == NULL || word->verdict < EXTENDER_FAILED)
			continue;
		why.list[why.count++] = e->extension->words->reasons[word->reason];
		if (!evaluation_keep_status(e, mark, &why,
			    word->verdict == EXTENDER_FAILED ? PLUGIN_UNSCHEDULABLE
							     : PLUGIN_UNRESOLVABLE,
			    PLUGIN_COUNT, status))
			return evaluation_fail(e, PLUGIN_AT_FILTER, NULL);
	}
	if (e->extension->words->removed > 0)
		e->extender_rejected = true;
	return true;
}

/* No node is left: all nodes with all words. */
static void reject_extended(struct evaluation *e, struct schedule_result *decision)
{
	e->row = NULL;
	e->feasible_count = 0;
	e->d.error = e->error = NULL;
	if (evaluation_filter(e) && evaluation_take_words(e))
		evaluation_rejected(e, decision);
	else
		evaluation_failed(e, decision);
	if (decision->preemption.stale)
		decision->outcome = CYCLE_STALE;
}

void cycle_decide_extended(struct cycle *cycle, uint32_t pod,
	const struct cycle_extension *extension, struct schedule_result *decision)
{
	struct evaluation *e = cycle->evaluation;
	if (!evaluation_prepare(e, cycle, pod, CACHE_COUNT_FAST, decision))
		return;
	e->extension = extension;
	bool ok = evaluation_search(e);
	uint32_t feasible = e->feasible_count;
	bool was_asked = extension->words->top > 0;
	if (!ok || !keep_some(e))
		evaluation_failed(e, decision);
	else if (e->feasible_count > 0)
		evaluation_choose(e, decision);
	else if (was_asked ? extension->words->kept > 0 : feasible > 0)
		decision->outcome = CYCLE_STALE;
	else
		reject_extended(e, decision);
}
