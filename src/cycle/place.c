/* SPDX-License-Identifier: GPL-2.0-only */
/* A decision in thought: where would it go? */
#include "cycle/evaluation.h"

static void place_reject(struct evaluation *e, bool wants_words, struct schedule_result *result)
{
	struct text before =
		e->prefilter_rejected ? cycle_status_message(e, &e->prefilter) : TEXT_NONE;
	result->outcome = CYCLE_REJECTED;
	if (wants_words)
		result->message = fit_error_text(e, e->statuses, &e->absent, before, TEXT_NONE);
}

/* The feasible nodes; the slow way has the words. False: an error. */
static bool place_search(struct evaluation *e, bool wants_words)
{
	if (evaluation_can_be_fast(e) && evaluation_filter_fast(e) &&
		(e->feasible_count > 0 || !wants_words))
		return true;
	e->row = NULL;
	e->feasible_count = 0;
	e->error = e->d.error = NULL;
	return evaluation_filter(e);
}

void cycle_place(
	struct cycle *cycle, uint32_t pod, bool wants_words, struct schedule_result *result)
{
	struct evaluation *e = cycle->evaluation;
	size_t chosen = ((size_t)pool_top(&cycle->cache->nodes) + 1) * sizeof(*cycle->chosen);
	*result = (struct schedule_result){.outcome = CYCLE_FAILED};
	if (!page_span_reach(&cycle->chosen_span, chosen) ||
		!evaluation_begin(e, cycle, pod, CACHE_COUNT_FAST) || e->node_count == 0 ||
		!evaluation_prefilter(e)) {
		result->message = TEXT("it could not be worked out");
		return;
	}
	if (e->prefilter_rejected) {
		place_reject(e, wants_words, result);
		return;
	}
	result->node = evaluation_plain(e, &result->feasible_count, &result->score);
	if (result->node != 0)
		result->outcome = CYCLE_PLACED;
	else if (!place_search(e, wants_words))
		evaluation_failed(e, result);
	else if (e->feasible_count == 0)
		place_reject(e, wants_words, result);
	else
		evaluation_choose(e, result);
}

const uint32_t *cycle_feasible(struct cycle *cycle, uint32_t pod, uint32_t *count)
{
	struct evaluation *e = cycle->evaluation;
	*count = 0;
	if (!evaluation_begin(e, cycle, pod, CACHE_COUNT_FAST) || e->node_count == 0 ||
		!evaluation_prefilter(e) || e->prefilter_rejected || !place_search(e, false))
		return NULL;
	*count = e->feasible_count;
	return e->feasible;
}
