/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SelectorSpread, which kube-scheduler had until v1.27: pods of a Service or a controller rather
 * where few of them are, on the node for one third and in the zone for two.
 */
#include "plugins/spread_state.h"
#include "plugins/table.h"

struct selector_state {
	struct spread_constraint kin; /* by node */
	int64_t *by_zone;             /* on feasible nodes */
};

enum plugin_code selector_spread_prescore(struct cycle_state *d)
{
	if (d->pod.class->spread.count > 0)
		return PLUGIN_SKIP;
	struct selector_state *state = SCRATCH_ONE(d->scratch, struct selector_state);
	if (state == NULL)
		return PLUGIN_ERROR;
	d->selector = state;
	state->kin.rule.topology_key = d->cache->names.hostname;
	state->by_zone = SCRATCH_ARRAY(d->scratch, int64_t, (size_t)d->cache->order.zone_count + 1);
	return state->by_zone != NULL && spread_kin(d, &state->kin) ? PLUGIN_SUCCESS : PLUGIN_ERROR;
}

int64_t selector_spread_score(struct cycle_state *d, uint32_t node)
{
	const struct spread_constraint *kin = &d->selector->kin;
	return kin->query == NULL ? 0 : kin->tally.pods[node];
}

static double lack(int64_t count, int64_t most)
{
	return most == 0 ? 100 : 100 * ((double)(most - count) / (double)most);
}

void selector_spread_normalize(struct cycle_state *d, int64_t *scores, uint32_t count)
{
	const struct cache_zone *zones = d->cache->order.zones;
	const double zone_weight = 2.0 / 3.0;
	int64_t *by_zone = d->selector->by_zone;
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
		double score = lack(scores[i], most);
		if (zones[zone].region != INTERN_EMPTY || zones[zone].name != INTERN_EMPTY)
			score = score * (1.0 - zone_weight) +
				zone_weight * lack(by_zone[zone], most_in_zone);
		scores[i] = (int64_t)score;
	}
}
