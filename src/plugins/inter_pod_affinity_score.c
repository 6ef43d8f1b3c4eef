/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InterPodAffinity, the score: what the pod prefers, what the pods there prefer, and a little for
 * being where pods that require it are.
 */
#include "plugins/inter_pod_affinity_state.h"

static const char affinity_no_room[] = "no room to score by pod affinity";

/* One list of weighted counts, in affinity_state.affinity. */
struct gathering {
	struct affinity_state *state;
	uint32_t room;
	int64_t weight;
};

static void add_owned(void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	struct gathering *g = self;
	if (!affinity_grow(
		    g->state->scratch, &g->state->affinity, g->state->affinity_count, &g->room)) {
		g->state->failed = true;
		return;
	}
	g->state->affinity[g->state->affinity_count++] =
		(struct affinity_count){.query = query, .tally = *tally, .weight = g->weight};
}

static bool add_preferred(
	struct cycle_state *d, struct affinity_state *state, struct kube_span terms, int sign)
{
	const struct kube_pod_term *list = KUBE_AT(d->pod.class, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++) {
		struct affinity_count *count = &state->affinity[state->affinity_count];
		struct cache_query *query = affinity_query(d, terms, i, 1, list[i].topology_key);
		if (!affinity_tally(d, count, query))
			return false;
		count->weight = (int64_t)sign * list[i].weight;
		if (count->tally.total.parts != 0)
			state->affinity_count++;
	}
	return true;
}

static bool gather_terms(struct cycle_state *d, struct affinity_state *state, uint32_t room)
{
	const struct kube_pod_template *class = d->pod.class;
	int32_t hard_weight =
		PLUGIN_ARGS(d->profile, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight;
	if (!add_preferred(d, state, class->preferred_affinity, 1) ||
		!add_preferred(d, state, class->preferred_anti_affinity, -1))
		return false;
	struct gathering g = {state, room, hard_weight};
	if (hard_weight > 0 && !affinity_each_owned(d, CACHE_OWN_AFFINITY, add_owned, &g))
		return false;
	g.weight = 1; /* the sum of weights is what was counted */
	return affinity_each_owned(d, CACHE_OWN_PREFERRED, add_owned, &g) && !state->failed;
}

enum plugin_code inter_pod_affinity_pre_score(struct cycle_state *d)
{
	const struct kube_pod_template *class = d->pod.class;
	uint32_t own = class->preferred_affinity.count + class->preferred_anti_affinity.count;
	if (own == 0 &&
		PLUGIN_ARGS(d->profile, INTER_POD_AFFINITY, inter_pod_affinity_args)
			->ignore_preferred_of_existing)
		return PLUGIN_SKIP;
	struct affinity_state *state = plugin_take_score_state(d, PLUGIN_INTER_POD_AFFINITY);
	if (state != NULL) {
		state->scratch = d->scratch;
		state->affinity = SCRATCH_ARRAY(d->scratch, struct affinity_count, own + 1);
	}
	if (d->scratch->overflowed || !gather_terms(d, state, own + 1)) {
		if (d->error == NULL)
			d->error = affinity_no_room;
		return PLUGIN_ERROR;
	}
	return state->affinity_count == 0 ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

int64_t inter_pod_affinity_score(struct cycle_state *d, uint32_t node)
{
	const struct affinity_state *state = d->score_state[PLUGIN_INTER_POD_AFFINITY];
	int64_t sum = 0;
	for (uint32_t i = 0; i < state->affinity_count; i++) {
		const struct affinity_count *count = &state->affinity[i];
		sum = cache_plus(sum,
			cache_times(count->weight, count->tally.pods[count->tally.of_node[node]]));
	}
	return sum;
}

static int64_t affinity_normal(int64_t raw, int64_t least, int64_t most)
{
	if (most == least)
		return 0;
	return (int64_t)(100.0 *
		((double)cache_minus(raw, least) / (double)cache_minus(most, least)));
}

void inter_pod_affinity_normalise(struct cycle_state *d, int64_t *scores, uint32_t count)
{
	(void)d;
	int64_t most = INT64_MIN;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		most = scores[i] > most ? scores[i] : most;
		least = scores[i] < least ? scores[i] : least;
	}
	for (uint32_t i = 0; i < count; i++)
		scores[i] = affinity_normal(scores[i], least, most);
}

static void add_count(const struct cycle_state *d, const struct affinity_count *count, int64_t *raw)
{
	const uint32_t *of_node = count->tally.of_node;
	const int32_t *pods = count->tally.pods;
	for (uint32_t i = 0; i < d->feasible_count; i++)
		raw[i] = cache_plus(
			raw[i], cache_times(count->weight, pods[of_node[d->feasible[i]]]));
}

bool inter_pod_affinity_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals)
{
	const struct affinity_state *state = d->score_state[PLUGIN_INTER_POD_AFFINITY];
	struct scratch_mark mark = scratch_mark(d->scratch);
	int64_t *raw = SCRATCH_ARRAY(d->scratch, int64_t, d->feasible_count);
	if (raw == NULL) {
		d->error = affinity_no_room;
		return false;
	}
	for (uint32_t i = 0; i < state->affinity_count; i++)
		add_count(d, &state->affinity[i], raw);
	bool added = plugin_add_normalized(d, raw, affinity_normal, weight, totals);
	scratch_rewind(d->scratch, mark);
	return added;
}
