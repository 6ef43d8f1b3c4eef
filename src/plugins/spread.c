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

static enum plugin_code spread_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	struct spread_state *state = plugin_take_state(d, PLUGIN_SPREAD);
	if (state == NULL || !spread_constraints(d, true, state))
		return PLUGIN_ERROR;
	if (state->count == 0)
		return PLUGIN_SKIP;
	for (uint32_t i = 0; i < state->count; i++)
		find_smallest(&state->constraints[i]);
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

static enum plugin_code spread_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct spread_state *state = d->state[PLUGIN_SPREAD];
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

static const struct plugin_rule *spread_rules_of(struct cycle_state *d, uint32_t *count)
{
	const struct spread_state *state = d->state[PLUGIN_SPREAD];
	struct plugin_rule *rules = SCRATCH_ARRAY(d->scratch, struct plugin_rule, state->count);
	*count = state->count;
	for (uint32_t i = 0; rules != NULL && i < state->count; i++) {
		const struct spread_constraint *c = &state->constraints[i];
		CHECK(c->moved == 0);
		int64_t most = (int64_t)c->rule.max_skew + smallest_now(c, 0) - (c->self ? 1 : 0);
		most = most < INT32_MIN ? INT32_MIN : most;
		rules[i] = (struct plugin_rule){.of_node = c->tally.of_node,
			.counts = c->tally.pods,
			.least = INT32_MIN,
			.most = most > INT32_MAX ? INT32_MAX : (int32_t)most,
			.needs_key = true};
	}
	return rules;
}

static void spread_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign)
{
	struct spread_state *state = d->state[PLUGIN_SPREAD];
	const struct cache_pod *moved = cache_pod_at(d->cache, pod);
	if (cache_template_of(d->cache, moved)->namespace != d->pod.class->namespace)
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

static void spread_pods_forgotten(struct cycle_state *d)
{
	struct spread_state *state = d->state[PLUGIN_SPREAD];
	for (uint32_t i = 0; i < state->count; i++)
		state->constraints[i].moved = 0;
}

/* ---- score ---- */

static bool has_key(const struct cycle_state *d, const struct spread_constraint *c, uint32_t node)
{
	if (c->rule.topology_key != d->cache->names.hostname)
		return c->tally.of_node[node] != 0;
	if (d->cache->nodes_without_hostname == 0)
		return true;
	uint32_t value;
	const struct cache_node *at = cache_node_at(d->cache, node);
	return kube_labels_get(cache_labels_at(d->cache, at->labels), c->rule.topology_key, &value);
}

static bool all_have_key(const struct cycle_state *d, const struct spread_constraint *c)
{
	return c->rule.topology_key == d->cache->names.hostname
		? d->cache->nodes_without_hostname == 0
		: c->tally.lacking == 0;
}

/* Marks the feasible nodes that lack a key; returns how many take part. */
static uint32_t mark_ignored(struct cycle_state *d, struct spread_state *state)
{
	uint32_t taking_part = d->feasible_count;
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		bool all = true;
		for (uint32_t k = 0; k < state->count && all; k++)
			all = has_key(d, &state->constraints[k], d->feasible[i]);
		state->ignored[i] = !all;
		taking_part -= !all;
	}
	return taking_part;
}

static bool spread_is_ignored(const struct spread_state *state, uint32_t position)
{
	return state->ignored != NULL && state->ignored[position] != 0;
}

/* Distinct values among the nodes that take part; nodes without the key share the value "". */
static uint32_t count_domains(
	struct cycle_state *d, const struct spread_state *state, const struct spread_constraint *c)
{
	struct scratch_mark mark = scratch_mark(d->scratch);
	uint8_t *met = SCRATCH_ARRAY(d->scratch, uint8_t, (size_t)c->tally.top + 1);
	if (met == NULL)
		return 0;
	/* Those are all there can be: then the other nodes need no look. */
	uint64_t most = (uint64_t)c->tally.filled + (c->tally.lacking > 0 ? 1 : 0);
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->feasible_count && count < most; i++) {
		if (spread_is_ignored(state, i))
			continue;
		uint32_t domain = c->tally.of_node[d->feasible[i]];
		count += met[domain] == 0;
		met[domain] = 1;
	}
	scratch_rewind(d->scratch, mark);
	return count;
}

/*
 * The logarithm as Go's library has it, bit for bit, since scores are cut to whole numbers: n as
 * 2^k * (1 + f) near 1, then log(1 + f) as a series in f / (2 + f) whose coefficients fdlibm found.
 */
static double natural_log(uint32_t n)
{
	static const double series[] = {6.666666666666735130e-01, 3.999999999940941908e-01,
		2.857142874366239149e-01, 2.222219843214978396e-01, 1.818357216161805012e-01,
		1.531383769920937332e-01, 1.479819860511658591e-01};
	int k;
	double f = frexp(n, &k);
	if (f < M_SQRT1_2) {
		f *= 2;
		k--;
	}
	f -= 1;
	double s = f / (2 + f), s2 = s * s, s4 = s2 * s2, half = 0.5 * f * f;
	double odd = s2 * (series[0] + s4 * (series[2] + s4 * (series[4] + s4 * series[6])));
	double even = s4 * (series[1] + s4 * (series[3] + s4 * series[5]));
	return k * 6.93147180369123816490e-01 -
		((half - (s * (half + odd + even) + k * 1.90821492927058770002e-10)) - f);
}

static const char spread_no_room[] = "no room to score by topology spread constraints";

static enum plugin_code spread_pre_score(struct cycle_state *d)
{
	struct spread_state *state = plugin_take_score_state(d, PLUGIN_SPREAD);
	if (state == NULL || !spread_constraints(d, false, state))
		return PLUGIN_ERROR;
	if (state->count == 0)
		return PLUGIN_SKIP;
	state->all_have_keys = true;
	for (uint32_t i = 0; i < state->count; i++)
		state->all_have_keys =
			state->all_have_keys && all_have_key(d, &state->constraints[i]);
	uint32_t taking_part = d->feasible_count;
	if (state->require_all && !state->all_have_keys) {
		state->ignored = SCRATCH_ARRAY(d->scratch, uint8_t, d->feasible_count);
		if (state->ignored == NULL) {
			d->error = spread_no_room;
			return PLUGIN_ERROR;
		}
		taking_part = mark_ignored(d, state);
	}
	for (uint32_t i = 0; i < state->count; i++) {
		struct spread_constraint *c = &state->constraints[i];
		uint32_t domains = c->rule.topology_key == d->cache->names.hostname
			? taking_part
			: count_domains(d, state, c);
		c->weight = natural_log(domains + 2);
	}
	return PLUGIN_SUCCESS;
}

static int64_t spread_score(struct cycle_state *d, uint32_t node)
{
	const struct spread_state *state = d->score_state[PLUGIN_SPREAD];
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
static int64_t spread_rounded(double sum)
{
	if (!(sum >= 0 && sum < 1e15))
		return (int64_t)round(sum);
	int64_t whole = (int64_t)sum;
	return whole + (sum - (double)whole >= 0.5);
}

static int64_t spread_normal(int64_t raw, int64_t least, int64_t most)
{
	return most <= 0 ? 100 : 100 * (most + least - raw) / most;
}

static void spread_normalise(struct cycle_state *d, int64_t *scores, uint32_t count)
{
	const struct spread_state *state = d->score_state[PLUGIN_SPREAD];
	int64_t most = 0;
	int64_t least = INT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (spread_is_ignored(state, i))
			continue;
		most = scores[i] > most ? scores[i] : most;
		least = scores[i] < least ? scores[i] : least;
	}
	for (uint32_t i = 0; i < count; i++)
		scores[i] = spread_is_ignored(state, i) ? 0 : spread_normal(scores[i], least, most);
}

/* What the constraint is worth in each domain is worked out once where domains are few. */
static void add_constraint(struct cycle_state *d, const struct spread_constraint *c, double *sums)
{
	const uint32_t *of_node = c->tally.of_node;
	double extra = (double)c->rule.max_skew - 1;
	struct scratch_mark mark = scratch_mark(d->scratch);
	double *worth = NULL;
	if (c->tally.top < d->feasible_count)
		worth = SCRATCH_ARRAY(d->scratch, double, (size_t)c->tally.top + 1);
	for (uint32_t k = 0; worth != NULL && k <= c->tally.top; k++)
		worth[k] = (double)c->tally.pods[k] * c->weight + extra;
	if (worth != NULL) {
		for (uint32_t i = 0; i < d->feasible_count; i++)
			sums[i] += worth[of_node[d->feasible[i]]];
	} else {
		const int32_t *pods = c->tally.pods;
		double weight = c->weight;
		for (uint32_t i = 0; i < d->feasible_count; i++)
			sums[i] += (double)pods[of_node[d->feasible[i]]] * weight + extra;
	}
	scratch_rewind(d->scratch, mark);
}

/* Every node has every key. */
static bool score_all(struct cycle_state *d, int64_t *raw)
{
	const struct spread_state *state = d->score_state[PLUGIN_SPREAD];
	struct scratch_mark mark = scratch_mark(d->scratch);
	double *sums = SCRATCH_ARRAY(d->scratch, double, d->feasible_count);
	for (uint32_t k = 0; sums != NULL && k < state->count; k++)
		add_constraint(d, &state->constraints[k], sums);
	for (uint32_t i = 0; sums != NULL && i < d->feasible_count; i++)
		raw[i] = spread_rounded(sums[i]);
	scratch_rewind(d->scratch, mark);
	return sums != NULL;
}

static bool spread_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals)
{
	const struct spread_state *state = d->score_state[PLUGIN_SPREAD];
	struct scratch_mark mark = scratch_mark(d->scratch);
	int64_t *raw = SCRATCH_ARRAY(d->scratch, int64_t, d->feasible_count);
	bool added = false;
	if (raw == NULL)
		d->error = spread_no_room;
	else if (state->all_have_keys && score_all(d, raw))
		added = plugin_add_normalized(d, raw, spread_normal, weight, totals);
	else /* nodes that lack keys are few and rare */
		added = plugin_add_one_by_one(d, &plugin_spread, weight, totals);
	scratch_rewind(d->scratch, mark);
	return added;
}

/* ---- the table ---- */

/* Default constraints spread over what a service or an owner selects. */
static uint32_t spread_kinds(const struct plugin_demand *pod)
{
	const struct plugin_profile *profile = pod->profile;
	if (profile == NULL || pod->class->spread.count > 0 ||
		(PLUGIN_ARGS(profile, SPREAD, spread_args)->is_list &&
			PLUGIN_ARGS(profile, SPREAD, spread_args)->constraint_count == 0))
		return 0;
	return spread_kinds_of_kin(pod);
}

const struct plugin plugin_spread = {.name = "PodTopologySpread",
	.args = &spread_arguments,
	.v1beta2 = {2, 4, 2, 6},
	.weight = 2,
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"node(s) didn't match pod topology spread constraints (missing",
				      "Nodes with the labels that the constraints are about."},
		{"",
			"Room where there are fewer of these pods, a larger maxSkew, or "
			"ScheduleAnyway."}),
	.state_size = sizeof(struct spread_state),
	.score_state_size = sizeof(struct spread_state),
	.kinds = spread_kinds,
	.pre_filter = spread_pre_filter,
	.filter = spread_filter,
	.rules = spread_rules_of,
	.pre_score = spread_pre_score,
	.score = spread_score,
	.add_scores = spread_add_scores,
	.normalise = PLUGIN_NORMALISE_OWN,
	.normalise_own = spread_normalise,
	.pod_moved = spread_pod_moved,
	.pods_forgotten = spread_pods_forgotten,
	.events = spread_events,
	.helps_beyond_hint = spread_helps_beyond_hint};
