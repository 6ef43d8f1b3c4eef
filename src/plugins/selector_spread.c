/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SelectorSpread, which kube-scheduler had until v1.27: pods of a Service or a controller rather
 * where few of them are, on the node for one third and in the zone for two.
 */
#include "plugins/spread_state.h"

struct selector_state {
	struct spread_constraint kin; /* by node */
	int64_t *by_zone;             /* on feasible nodes */
};

static struct selector_state *selector_state_of(const struct cycle_state *d)
{
	return d->score_state[PLUGIN_SELECTOR_SPREAD];
}

static enum plugin_code selector_spread_pre_score(struct cycle_state *d)
{
	if (d->pod.class->spread.count > 0)
		return PLUGIN_SKIP;
	struct selector_state *state = plugin_take_score_state(d, PLUGIN_SELECTOR_SPREAD);
	if (state == NULL)
		return PLUGIN_ERROR;
	state->kin.rule.topology_key = d->cache->names.hostname;
	state->by_zone = SCRATCH_ARRAY(d->scratch, int64_t, (size_t)d->cache->order.zone_count + 1);
	return state->by_zone != NULL && spread_kin(d, &state->kin) ? PLUGIN_SUCCESS : PLUGIN_ERROR;
}

static int64_t selector_spread_score(struct cycle_state *d, uint32_t node)
{
	const struct spread_constraint *kin = &selector_state_of(d)->kin;
	return kin->query == NULL ? 0 : kin->tally.pods[node];
}

static double selector_lack(int64_t count, int64_t most)
{
	return most == 0 ? 100 : 100 * ((double)(most - count) / (double)most);
}

static void selector_spread_normalise(struct cycle_state *d, int64_t *scores, uint32_t count)
{
	const struct cache_zone *zones = d->cache->order.zones;
	const double zone_weight = 2.0 / 3.0;
	int64_t *by_zone = selector_state_of(d)->by_zone;
	int64_t most = 0;
	int64_t most_in_zone = 0;
	memset(by_zone, 0, d->cache->order.zone_count * sizeof(*by_zone));
	for (uint32_t i = 0; i < count; i++) {
		int64_t *sum = &by_zone[cache_node_at(d->cache, d->feasible[i])->zone];
		*sum += scores[i];
		most = scores[i] > most ? scores[i] : most;
		most_in_zone = *sum > most_in_zone ? *sum : most_in_zone;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t zone = cache_node_at(d->cache, d->feasible[i])->zone;
		double score = selector_lack(scores[i], most);
		if (zones[zone].region != INTERN_EMPTY || zones[zone].name != INTERN_EMPTY)
			score = score * (1.0 - zone_weight) +
				zone_weight * selector_lack(by_zone[zone], most_in_zone);
		scores[i] = (int64_t)score;
	}
}

const struct plugin plugin_selector_spread = {.name = "SelectorSpread",
	.weight = 1,
	.score_state_size = sizeof(struct selector_state),
	.kinds = spread_kinds_of_kin,
	.pre_score = selector_spread_pre_score,
	.score = selector_spread_score,
	.normalise = PLUGIN_NORMALISE_OWN,
	.normalise_own = selector_spread_normalise};
