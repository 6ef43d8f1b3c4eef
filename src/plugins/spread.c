/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PodTopologySpread.
 *
 * Hard constraints: the number of matching pods in the node's domain, this pod included, may
 * exceed that of the emptiest domain by max_skew at most. Soft ones: the fewer matching pods in
 * the node's domain, the better, each constraint weighted by the logarithm of how many domains
 * there are.
 */
#include <math.h>

#include "plugins/spread_state.h"
#include "plugins/table.h"

static const char missing_label[] =
	"node(s) didn't match pod topology spread constraints (missing required label)";
static const char skewed[] = "node(s) didn't match pod topology spread constraints";

/* ---- filter ---- */

static void find_smallest(struct spread_constraint *c)
{
	c->smallest = INT32_MAX;
	c->second = INT32_MAX;
	c->smallest_domain = 0;
	c->domain_count = 0;
	for (uint32_t d = 1; d <= c->tally.top; d++) {
		if (c->tally.nodes[d] == 0)
			continue;
		int32_t pods = c->tally.pods[d];
		c->domain_count++;
		if (pods < c->smallest) {
			c->second = c->smallest;
			c->smallest = pods;
			c->smallest_domain = d;
		} else if (pods < c->second) {
			c->second = pods;
		}
	}
}

enum plugin_code spread_prefilter(struct decision *d, struct plugin_reasons *why)
{
	(void)why;
	d->spread = spread_constraints(d, true);
	if (d->spread == NULL)
		return PLUGIN_ERROR;
	if (d->spread->count == 0)
		return PLUGIN_SKIP;
	for (uint32_t i = 0; i < d->spread->count; i++)
		find_smallest(&d->spread->constraints[i]);
	return PLUGIN_SUCCESS;
}

/* The emptiest domain, with one node's domain changed in thought. */
static int32_t smallest_now(const struct spread_constraint *c, uint32_t moved_node)
{
	if ((int64_t)c->domain_count < c->rule.min_domains)
		return 0;
	if (c->moved == 0)
		return c->smallest;
	uint32_t domain = c->tally.of_node[moved_node];
	int32_t changed = c->tally.pods[domain] + c->moved;
	int32_t others = domain == c->smallest_domain ? c->second : c->smallest;
	return changed < others ? changed : others;
}

static int64_t skew_of(const struct spread_constraint *c, uint32_t domain, int32_t smallest)
{
	return (int64_t)c->tally.pods[domain] + c->moved + (c->self ? 1 : 0) - smallest;
}

enum plugin_code spread_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct spread_state *state = d->spread;
	for (uint32_t i = 0; i < state->count; i++) {
		const struct spread_constraint *c = &state->constraints[i];
		uint32_t domain = c->tally.of_node[view->index];
		if (domain == 0) {
			plugin_because(why, missing_label);
			return PLUGIN_UNRESOLVABLE;
		}
		if (skew_of(c, domain, smallest_now(c, state->moved_node)) > c->rule.max_skew) {
			plugin_because(why, skewed);
			return PLUGIN_UNSCHEDULABLE;
		}
	}
	return PLUGIN_SUCCESS;
}

void spread_filter_nodes(
	struct decision *d, const uint32_t *nodes, uint32_t count, uint8_t *rejected)
{
	const struct spread_state *state = d->spread;
	for (uint32_t i = 0; i < state->count; i++) {
		const struct spread_constraint *c = &state->constraints[i];
		CHECK(c->moved == 0);
		int64_t most = (int64_t)c->rule.max_skew + smallest_now(c, 0) - (c->self ? 1 : 0);
		const uint32_t *of_node = c->tally.of_node;
		const int32_t *pods = c->tally.pods;
		for (uint32_t n = 0; n < count; n++) {
			uint32_t domain = of_node[nodes[n]];
			rejected[nodes[n]] |= (uint8_t)(domain == 0 || pods[domain] > most);
		}
	}
}

void spread_pod_moved(struct decision *d, const struct cache_view *view, uint32_t pod, int sign)
{
	struct spread_state *state = d->spread;
	const struct cache_pod *moved = cache_pod_at(d->cache, pod);
	if (cache_class_of(d->cache, moved)->namespace != d->pod.class->namespace)
		return;
	const struct kube_labels *labels = cache_labels_at(d->cache, moved->labels);
	state->moved_node = view->index;
	for (uint32_t i = 0; i < state->count; i++) {
		struct spread_constraint *c = &state->constraints[i];
		if (c->tally.of_node[view->index] != 0 && spread_selects(c, labels) &&
			cache_query_includes(d->cache, c->query, view->index))
			c->moved += sign;
	}
}

void spread_pods_forgotten(struct decision *d)
{
	for (uint32_t i = 0; i < d->spread->count; i++)
		d->spread->constraints[i].moved = 0;
}

/* ---- score ---- */

static bool has_key(const struct decision *d, const struct spread_constraint *c, uint32_t node)
{
	if (c->rule.topology_key != d->cache->names.hostname)
		return c->tally.of_node[node] != 0;
	if (d->cache->nodes_without_hostname == 0)
		return true;
	uint32_t value;
	const struct cache_node *at = cache_node_at(d->cache, node);
	return kube_labels_get(cache_labels_at(d->cache, at->labels), c->rule.topology_key, &value);
}

/* Marks the feasible nodes that lack a key; returns how many take part. */
static uint32_t mark_ignored(struct decision *d, struct spread_state *state)
{
	uint32_t taking_part = d->feasible_count;
	if (!state->require_all)
		return taking_part;
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		bool all = true;
		for (uint32_t k = 0; k < state->count && all; k++)
			all = has_key(d, &state->constraints[k], d->feasible[i]);
		state->ignored[i] = !all;
		taking_part -= !all;
	}
	return taking_part;
}

/* Distinct values among the nodes that take part; nodes without the key share the value "". */
static uint32_t count_domains(
	struct decision *d, const struct spread_state *state, const struct spread_constraint *c)
{
	struct scratch_mark mark = scratch_mark(d->scratch);
	uint8_t *met = SCRATCH_ARRAY(d->scratch, uint8_t, (size_t)c->tally.top + 1);
	if (met == NULL)
		return 0;
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		if (state->ignored[i] != 0)
			continue;
		uint32_t domain = c->tally.of_node[d->feasible[i]];
		count += met[domain] == 0;
		met[domain] = 1;
	}
	scratch_rewind(d->scratch, mark);
	return count;
}

enum plugin_code spread_prescore(struct decision *d)
{
	struct spread_state *state = spread_constraints(d, false);
	d->spread_score = state;
	if (state == NULL)
		return PLUGIN_ERROR;
	if (state->count == 0)
		return PLUGIN_SKIP;
	state->ignored = SCRATCH_ARRAY(d->scratch, uint8_t, d->feasible_count);
	if (state->ignored == NULL) {
		d->error = "no room to score by topology spread constraints";
		return PLUGIN_ERROR;
	}
	uint32_t taking_part = mark_ignored(d, state);
	for (uint32_t i = 0; i < state->count; i++) {
		struct spread_constraint *c = &state->constraints[i];
		uint32_t domains = c->rule.topology_key == d->cache->names.hostname
			? taking_part
			: count_domains(d, state, c);
		c->weight = log((double)domains + 2);
	}
	return PLUGIN_SUCCESS;
}

int64_t spread_score(struct decision *d, uint32_t node)
{
	const struct spread_state *state = d->spread_score;
	double sum = 0;
	for (uint32_t i = 0; i < state->count; i++) {
		const struct spread_constraint *c = &state->constraints[i];
		if (!has_key(d, c, node)) {
			if (state->require_all)
				return 0;
			continue;
		}
		sum += (double)c->tally.pods[c->tally.of_node[node]] * c->weight +
			((double)c->rule.max_skew - 1);
	}
	return (int64_t)round(sum);
}

/* round(), without a call where it is as simple as that. */
static int64_t rounded(double sum)
{
	if (!(sum >= 0 && sum < 1e15))
		return (int64_t)round(sum);
	int64_t whole = (int64_t)sum;
	return whole + (sum - (double)whole >= 0.5);
}

void spread_score_nodes(struct decision *d, int64_t *scores)
{
	const struct spread_state *state = d->spread_score;
	struct scratch_mark mark = scratch_mark(d->scratch);
	double *sums = SCRATCH_ARRAY(d->scratch, double, d->feasible_count);
	if (sums == NULL) { /* slower, but the same */
		scratch_rewind(d->scratch, mark);
		for (uint32_t i = 0; i < d->feasible_count; i++)
			scores[i] = spread_score(d, d->feasible[i]);
		return;
	}
	for (uint32_t k = 0; k < state->count; k++) {
		const struct spread_constraint *c = &state->constraints[k];
		double extra = (double)c->rule.max_skew - 1;
		bool by_label = c->rule.topology_key != d->cache->names.hostname;
		for (uint32_t i = 0; i < d->feasible_count; i++) {
			uint32_t domain = c->tally.of_node[d->feasible[i]];
			bool counts = by_label
				? domain != 0
				: state->require_all || has_key(d, c, d->feasible[i]);
			if (counts)
				sums[i] += (double)c->tally.pods[domain] * c->weight + extra;
		}
	}
	for (uint32_t i = 0; i < d->feasible_count; i++)
		scores[i] = state->ignored[i] != 0 ? 0 : rounded(sums[i]);
	scratch_rewind(d->scratch, mark);
}

void spread_normalize(struct decision *d, int64_t *scores, uint32_t count)
{
	const uint8_t *ignored = d->spread_score->ignored;
	int64_t most = 0;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (ignored[i] != 0)
			continue;
		most = scores[i] > most ? scores[i] : most;
		least = scores[i] < least ? scores[i] : least;
	}
	/* Nearly always small numbers, and a division of 32 bits takes a third of the time. */
	bool small = most > 0 && most <= INT32_MAX / 200 && least >= 0;
	for (uint32_t i = 0; i < count; i++) {
		if (ignored[i] != 0)
			scores[i] = 0;
		else if (most == 0)
			scores[i] = 100;
		else if (small)
			scores[i] = 100 * (uint32_t)(most + least - scores[i]) / (uint32_t)most;
		else
			scores[i] = 100 * (most + least - scores[i]) / most;
	}
}
