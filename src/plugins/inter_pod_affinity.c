/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InterPodAffinity, the filter: pods that want to be near others, pods that want to be away
 * from others, and pods that others want away from themselves.
 */
#include "plugins/inter_pod_affinity_state.h"

static const char no_affinity[] = "node(s) didn't match pod affinity rules";
static const char own_anti[] = "node(s) didn't match pod anti-affinity rules";
static const char others_anti[] = "node(s) didn't satisfy existing pods anti-affinity rules";

/* ---- prefilter ---- */

static void add_existing(
	void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	struct affinity_state *state = self;
	if (!affinity_grow(state->scratch, &state->existing, state->existing_count,
		    &state->existing_room)) {
		state->failed = true;
		return;
	}
	state->existing[state->existing_count++] =
		(struct affinity_count){.query = query, .tally = *tally};
}

static bool count_existing(struct cycle_state *d, struct affinity_state *state)
{
	state->scratch = d->scratch;
	return affinity_each_owned(d, CACHE_OWN_ANTI, add_existing, state) && !state->failed;
}

static bool count_own(struct cycle_state *d, struct affinity_state *state)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_pod_term *terms = KUBE_AT(class, class->affinity, struct kube_pod_term);
	for (uint32_t i = 0; i < class->affinity.count; i++) {
		struct cache_query *query = affinity_query(
			d, class->affinity, 0, class->affinity.count, terms[i].topology_key);
		if (!affinity_tally(d, &state->affinity[i], query))
			return false;
	}
	state->affinity_count = class->affinity.count;
	state->self = state->affinity_count > 0 &&
		cache_query_matches(d->cache, state->affinity[0].query, class, d->pod.labels);
	terms = KUBE_AT(class, class->anti_affinity, struct kube_pod_term);
	for (uint32_t i = 0; i < class->anti_affinity.count; i++) {
		struct cache_query *query =
			affinity_query(d, class->anti_affinity, i, 1, terms[i].topology_key);
		if (!affinity_tally(d, &state->anti[i], query))
			return false;
	}
	state->anti_count = class->anti_affinity.count;
	return true;
}

static enum plugin_code inter_pod_affinity_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	if (class->affinity_error != 0) {
		plugin_because_of(why, "parsing pod: %.*s",
			TEXT_ARGS(cache_text(d->cache, class->affinity_error)));
		return PLUGIN_UNRESOLVABLE;
	}
	struct affinity_state *state = plugin_take_state(d, PLUGIN_INTER_POD_AFFINITY);
	if (state != NULL) {
		state->affinity =
			SCRATCH_ARRAY(d->scratch, struct affinity_count, class->affinity.count + 1);
		state->anti = SCRATCH_ARRAY(
			d->scratch, struct affinity_count, class->anti_affinity.count + 1);
	}
	if (d->scratch->overflowed || !count_own(d, state) || !count_existing(d, state)) {
		if (d->error == NULL)
			d->error = "no room to count the pods of affinity terms";
		return PLUGIN_ERROR;
	}
	bool needed =
		state->existing_count > 0 || state->affinity_count > 0 || state->anti_count > 0;
	return needed ? PLUGIN_SUCCESS : PLUGIN_SKIP;
}

/* ---- filter ---- */

static int64_t pods_at(const struct affinity_count *count, uint32_t node)
{
	uint32_t domain = count->tally.of_node[node];
	return domain == 0 ? 0 : (int64_t)count->tally.pods[domain] + count->moved;
}

/* No pod anywhere matches: then a pod that matches its own terms may be the first. */
static bool nobody_matches(const struct affinity_state *state)
{
	for (uint32_t i = 0; i < state->affinity_count; i++)
		if (state->affinity[i].tally.total.sum + state->affinity[i].moved > 0)
			return false;
	return true;
}

static bool affinity_holds(const struct affinity_state *state, uint32_t node)
{
	bool all = true;
	for (uint32_t i = 0; i < state->affinity_count; i++) {
		if (state->affinity[i].tally.of_node[node] == 0)
			return false;
		all = all && pods_at(&state->affinity[i], node) > 0;
	}
	return all || (state->self && nobody_matches(state));
}

static bool any_pods_at(const struct affinity_count *counts, uint32_t count, uint32_t node)
{
	for (uint32_t i = 0; i < count; i++)
		if (pods_at(&counts[i], node) > 0)
			return true;
	return false;
}

static enum plugin_code inter_pod_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct affinity_state *state = d->state[PLUGIN_INTER_POD_AFFINITY];
	if (!affinity_holds(state, view->index)) {
		plugin_because(why, no_affinity);
		return PLUGIN_UNRESOLVABLE;
	}
	if (any_pods_at(state->anti, state->anti_count, view->index)) {
		plugin_because(why, own_anti);
		return PLUGIN_UNSCHEDULABLE;
	}
	if (state->extra_count > 0 ||
		any_pods_at(state->existing, state->existing_count, view->index)) {
		plugin_because(why, others_anti);
		return PLUGIN_UNSCHEDULABLE;
	}
	return PLUGIN_SUCCESS;
}

static uint32_t add_away_rules(
	const struct affinity_count *counts, uint32_t count, struct plugin_rule *rules, uint32_t at)
{
	for (uint32_t i = 0; i < count; i++)
		if (counts[i].tally.total.parts != 0)
			rules[at++] = (struct plugin_rule){.of_node = counts[i].tally.of_node,
				.counts = counts[i].tally.pods,
				.least = INT32_MIN,
				.most = 0};
	return at;
}

static const struct plugin_rule *inter_pod_affinity_rules(struct cycle_state *d, uint32_t *count)
{
	const struct affinity_state *state = d->state[PLUGIN_INTER_POD_AFFINITY];
	size_t most = (size_t)state->affinity_count + state->anti_count + state->existing_count;
	struct plugin_rule *rules = SCRATCH_ARRAY(d->scratch, struct plugin_rule, most + 1);
	if (rules == NULL)
		return NULL;
	bool first = state->self && state->affinity_count > 0 && nobody_matches(state);
	uint32_t at = 0;
	for (; at < state->affinity_count; at++)
		rules[at] = (struct plugin_rule){.of_node = state->affinity[at].tally.of_node,
			.counts = state->affinity[at].tally.pods,
			.least = first ? INT32_MIN : 1,
			.most = INT32_MAX,
			.needs_key = true};
	at = add_away_rules(state->anti, state->anti_count, rules, at);
	*count = add_away_rules(state->existing, state->existing_count, rules, at);
	return rules;
}

/* ---- in thought ---- */

/* A pod of the node: its terms are counted. */
static void move_existing(
	struct cycle_state *d, struct affinity_state *state, uint32_t template, int sign)
{
	const struct cache_shared *shared = pool_at(&d->cache->classes, template);
	for (uint32_t o = shared->first_owned; o != 0;) {
		const struct cache_owned *owned = pool_at(&d->cache->counters.owned, o);
		const struct cache_counter *counter =
			pool_at(&d->cache->counters.pool, owned->counter);
		for (uint32_t i = 0; i < state->existing_count; i++)
			if (state->existing[i].query == counter->query)
				state->existing[i].moved += sign;
		o = owned->next;
	}
}

/* A pod that has no node is put there: terms that keep this pod away, where the node has the key.
 */
static void move_extra(
	struct cycle_state *d, struct affinity_state *state, uint32_t template, int sign)
{
	const struct kube_pod_template *owner = cache_template_at(d->cache, template);
	const struct kube_pod_term *terms =
		KUBE_AT(owner, owner->anti_affinity, struct kube_pod_term);
	const struct kube_labels *labels =
		cache_labels_at(d->cache, cache_node_at(d->cache, state->moved_node)->labels);
	for (uint32_t i = 0; i < owner->anti_affinity.count; i++) {
		uint32_t value;
		if (terms[i].topology_key != INTERN_EMPTY &&
			kube_labels_get(labels, terms[i].topology_key, &value) &&
			affinity_term_takes(owner, &terms[i], d->pod.class->namespace,
				d->pod.namespace_labels, d->pod.labels))
			state->extra_count += (uint32_t)sign;
	}
}

static void inter_pod_affinity_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign)
{
	struct affinity_state *state = d->state[PLUGIN_INTER_POD_AFFINITY];
	const struct cache_pod *moved = cache_pod_at(d->cache, pod);
	const struct kube_pod_template *class = cache_template_of(d->cache, moved);
	const struct kube_labels *labels = cache_labels_at(d->cache, moved->labels);
	state->moved_node = view->index;
	if (moved->node != 0)
		move_existing(d, state, moved->class, sign);
	else
		move_extra(d, state, moved->class, sign);
	for (uint32_t i = 0; i < state->affinity_count; i++)
		if (state->affinity[i].tally.of_node[view->index] != 0 &&
			cache_query_matches(d->cache, state->affinity[i].query, class, labels))
			state->affinity[i].moved += sign;
	for (uint32_t i = 0; i < state->anti_count; i++)
		if (state->anti[i].tally.of_node[view->index] != 0 &&
			cache_query_matches(d->cache, state->anti[i].query, class, labels))
			state->anti[i].moved += sign;
}

static void inter_pod_affinity_pods_forgotten(struct cycle_state *d)
{
	struct affinity_state *state = d->state[PLUGIN_INTER_POD_AFFINITY];
	for (uint32_t i = 0; i < state->affinity_count; i++)
		state->affinity[i].moved = 0;
	for (uint32_t i = 0; i < state->anti_count; i++)
		state->anti[i].moved = 0;
	for (uint32_t i = 0; i < state->existing_count; i++)
		state->existing[i].moved = 0;
	state->extra_count = 0;
}

/* ---- the table ---- */

static bool selects_namespaces(const struct kube_pod_template *class, struct kube_span terms)
{
	const struct kube_pod_term *list = KUBE_AT(class, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++)
		if (list[i].namespace_selector.state != KUBE_SELECTOR_NONE)
			return true;
	return false;
}

static uint32_t inter_pod_affinity_kinds(const struct plugin_demand *pod)
{
	const struct kube_pod_template *class = pod->class;
	bool any = selects_namespaces(class, class->affinity) ||
		selects_namespaces(class, class->anti_affinity) ||
		selects_namespaces(class, class->preferred_affinity) ||
		selects_namespaces(class, class->preferred_anti_affinity);
	return any ? PLUGIN_KIND(KUBE_NAMESPACE) : 0;
}

/* ---- arguments ---- */

#define AT(member) offsetof(struct inter_pod_affinity_args, member)
static const struct field inter_pod_affinity_fields[] = {
	{.name = "hardPodAffinityWeight",
		.type = FIELD_I32,
		.at = AT(hard_weight),
		.value = 1,
		.least = 0,
		.greatest = 100,
		.why = "not in valid range [0, 100]"},
	{.name = "ignorePreferredTermsOfExistingPods",
		.type = FIELD_BOOL,
		.at = AT(ignore_preferred_of_existing)},
};
#undef AT

static const struct fields inter_pod_affinity_form = {.list = inter_pod_affinity_fields,
	.count = ARRAY_COUNT(inter_pod_affinity_fields),
	.size = sizeof(struct inter_pod_affinity_args)};
static const struct plugin_args inter_pod_affinity_arguments = {.fields = &inter_pod_affinity_form,
	.size = sizeof(struct inter_pod_affinity_args),
	.place = 3};

const struct plugin plugin_inter_pod_affinity = {.name = "InterPodAffinity",
	.args = &inter_pod_affinity_arguments,
	.v1beta2 = {1, 5, 1, 3},
	.weight = 2,
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS(
		{"node(s) didn't match pod affinity", "A node near the pods it wants."},
		{"node(s) didn't match pod anti-affinity", "A node without the pods it avoids."},
		{"", "A node without the pods that avoid it."}),
	.state_size = sizeof(struct affinity_state),
	.score_state_size = sizeof(struct affinity_state),
	.kinds = inter_pod_affinity_kinds,
	.pre_filter = inter_pod_affinity_pre_filter,
	.filter = inter_pod_affinity_filter,
	.rules = inter_pod_affinity_rules,
	.pre_score = inter_pod_affinity_pre_score,
	.score = inter_pod_affinity_score,
	.add_scores = inter_pod_affinity_add_scores,
	.normalise = PLUGIN_NORMALISE_OWN,
	.normalise_own = inter_pod_affinity_normalise,
	.pod_moved = inter_pod_affinity_pod_moved,
	.pods_forgotten = inter_pod_affinity_pods_forgotten,
	.events = inter_pod_affinity_events,
	.helps_beyond_hint = inter_pod_affinity_helps_beyond_hint};
