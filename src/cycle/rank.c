/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes behind the chosen one, of a decision that was just made. */
#include "cycle/rows.h"

static bool rank_has(const struct cycle_ranked *list, uint32_t count, uint32_t node)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i].node == node)
			return true;
	return false;
}

static void rank_offer(const struct cycle_ranked *list, uint32_t count, struct cycle_ranked *best,
	uint32_t node, int64_t score)
{
	if ((best->node == 0 || score > best->score) && !rank_has(list, count, node))
		*best = (struct cycle_ranked){node, score};
}

/* Blocks know their best; only those whose best is on the list already are looked through. */
static void rank_in_row(const struct cycle_row *row, const struct cycle_ranked *list,
	uint32_t count, struct cycle_ranked *best)
{
	for (uint32_t block = 0; block <= row->top / CYCLE_BLOCK; block++) {
		uint32_t first = row->best[block];
		uint32_t end = (block + 1) * CYCLE_BLOCK;
		if (first == 0)
			continue;
		rank_offer(list, count, best, first, row->worth[first]);
		if (!rank_has(list, count, first))
			continue;
		for (uint32_t node = block * CYCLE_BLOCK; node < end && node <= row->top; node++)
			if (row->worth[node] != CYCLE_UNFIT)
				rank_offer(list, count, best, node, row->worth[node]);
	}
}

uint32_t cycle_rank(const struct cycle *cycle, const struct schedule_result *result,
	struct cycle_ranked *to, uint32_t most)
{
	const struct evaluation *e = cycle->evaluation;
	uint32_t count = 1;
	to[0] = (struct cycle_ranked){result->node, result->score};
	for (; count < most; count++) {
		struct cycle_ranked best = {0};
		if (e->plain != NULL)
			rank_in_row(e->plain, to, count, &best);
		for (uint32_t i = 0; e->plain == NULL && i < e->feasible_count; i++)
			rank_offer(to, count, &best, e->feasible[i], e->totals[i]);
		if (best.node == 0)
			break;
		to[count] = best;
	}
	return count;
}

bool cycle_score_of(const struct cycle *cycle, uint32_t node, int64_t *score)
{
	const struct evaluation *e = cycle->evaluation;
	const struct cycle_row *row = e->plain;
	if (row != NULL) {
		bool is_fit = node <= row->top && row->worth[node] != CYCLE_UNFIT;
		*score = is_fit ? row->worth[node] : 0;
		return is_fit;
	}
	for (uint32_t i = 0; e->feasible_count > 1 && i < e->feasible_count; i++)
		if (e->feasible[i] == node) {
			*score = e->totals[i];
			return true;
		}
	return false;
}
