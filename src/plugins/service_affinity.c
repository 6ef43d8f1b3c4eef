/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ServiceAffinity, which kube-scheduler had until v1.22.
 *
 * The filter: pods of a Service go to nodes with the same values of some labels. What the pod's
 * own node selector does not say is taken from the node of a pod that is there already: of the
 * first Service that selects the pod, on the first node in the order of nodes. The score: pods of
 * that Service rather where few of them are, by the values of other labels.
 */
#include "plugins/spread_state.h"
#include "plugins/hints.h"

struct service_state {
	struct spread_constraint kin;
	uint32_t nodes[2]; /* the first two that have one of its pods; 0: none */
	uint32_t moved_node;
};

static struct service_state *service_state_of(const struct cycle_state *d)
{
	return d->state[PLUGIN_SERVICE_AFFINITY];
}

/* ---- filter ---- */

static enum plugin_code service_affinity_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	if (PLUGIN_ARGS(d->profile, SERVICE_AFFINITY, service_affinity_args)->together.count == 0)
		return PLUGIN_SKIP;
	struct service_state *state = plugin_take_state(d, PLUGIN_SERVICE_AFFINITY);
	if (state == NULL)
		return PLUGIN_ERROR;
	state->kin = (struct spread_constraint){.rule = {.topology_key = d->cache->names.hostname},
		.first_service = true,
		.with_deleting = true};
	if (!spread_kin(d, &state->kin))
		return PLUGIN_ERROR;
	uint32_t count;
	const uint32_t *nodes = cache_order(d->cache, &count);
	uint32_t found = 0;
	for (uint32_t i = 0; state->kin.query != NULL && i < count && found < 2; i++)
		if (state->kin.tally.pods[nodes[i]] > 0)
			state->nodes[found++] = nodes[i];
	return PLUGIN_SUCCESS;
}

/* The node whose labels count, with the pods of one node changed in thought; 0: none. */
static uint32_t example_of(const struct service_state *state)
{
	bool is_moved = state->kin.moved != 0;
	if (is_moved && state->nodes[0] == state->moved_node &&
		state->kin.tally.pods[state->moved_node] + state->kin.moved <= 0)
		return state->nodes[1];
	if (is_moved && state->nodes[0] == 0)
		return state->moved_node;
	return state->nodes[0];
}

static bool selector_value(const struct kube_pod_template *class, uint32_t key, uint32_t *value)
{
	const struct kube_label *list = KUBE_AT(class, class->node_selector, struct kube_label);
	for (uint32_t i = 0; i < class->node_selector.count; i++) {
		*value = list[i].value;
		if (list[i].key == key)
			return true;
	}
	return false;
}

static enum plugin_code service_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct plugin_label_list *keys =
		&PLUGIN_ARGS(d->profile, SERVICE_AFFINITY, service_affinity_args)->together;
	const struct kube_labels *labels = cache_labels_at(d->cache, view->node->labels);
	uint32_t example = example_of(service_state_of(d));
	for (uint32_t i = 0; i < keys->count; i++) {
		uint32_t wanted;
		uint32_t value;
		bool is_wanted = selector_value(d->pod.class, keys->keys[i], &wanted) ||
			(example != 0 &&
				kube_labels_get(cache_labels_at(d->cache,
							cache_node_at(d->cache, example)->labels),
					keys->keys[i], &wanted));
		if (!is_wanted ||
			(kube_labels_get(labels, keys->keys[i], &value) && value == wanted))
			continue;
		plugin_because(why, "node(s) didn't match service affinity");
		return PLUGIN_UNSCHEDULABLE;
	}
	return PLUGIN_SUCCESS;
}

static void service_affinity_pod_moved(
	struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign)
{
	struct service_state *state = service_state_of(d);
	const struct cache_pod *moved = cache_pod_at(d->cache, pod);
	state->moved_node = view->index;
	if (state->kin.query != NULL &&
		cache_query_matches(d->cache, state->kin.query, cache_template_of(d->cache, moved),
			cache_labels_at(d->cache, moved->labels)))
		state->kin.moved += sign;
}

static void service_affinity_pods_forgotten(struct cycle_state *d)
{
	service_state_of(d)->kin.moved = 0;
}

/* ---- score ---- */

struct service_score {
	struct spread_constraint kin;     /* by node */
	struct spread_constraint *labels; /* by each label's values */
	int64_t *sums;                    /* by value, on feasible nodes */
	double *results;
	uint32_t top; /* of the values */
};

static struct service_score *service_score_of(const struct cycle_state *d)
{
	return d->score_state[PLUGIN_SERVICE_AFFINITY];
}

static enum plugin_code service_affinity_pre_score(struct cycle_state *d)
{
	const struct plugin_label_list *keys =
		&PLUGIN_ARGS(d->profile, SERVICE_AFFINITY, service_affinity_args)->apart;
	if (keys->count == 0)
		return PLUGIN_SKIP;
	struct service_score *state = plugin_take_score_state(d, PLUGIN_SERVICE_AFFINITY);
	if (state == NULL)
		return PLUGIN_ERROR;
	state->kin = (struct spread_constraint){
		.rule = {.topology_key = d->cache->names.hostname}, .first_service = true};
	state->labels = SCRATCH_ARRAY(d->scratch, struct spread_constraint, keys->count);
	state->results = SCRATCH_ARRAY(d->scratch, double, (size_t)d->feasible_count + 1);
	if (d->scratch->overflowed || !spread_kin(d, &state->kin))
		return PLUGIN_ERROR;
	for (uint32_t k = 0; k < keys->count; k++) {
		struct spread_constraint *label = &state->labels[k];
		label->rule.topology_key = keys->keys[k];
		label->first_service = true;
		if (!spread_kin(d, label))
			return PLUGIN_ERROR;
		state->top = label->tally.top > state->top ? label->tally.top : state->top;
	}
	state->sums = SCRATCH_ARRAY(d->scratch, int64_t, (size_t)state->top + 1);
	return state->sums != NULL ? PLUGIN_SUCCESS : PLUGIN_ERROR;
}

static int64_t service_affinity_score(struct cycle_state *d, uint32_t node)
{
	const struct spread_constraint *kin = &service_score_of(d)->kin;
	return kin->query == NULL ? 0 : kin->tally.pods[node];
}

static bool has_label(const struct cycle_state *d, uint32_t node, uint32_t key)
{
	uint32_t value;
	const struct cache_node *at = cache_node_at(d->cache, node);
	return kube_labels_get(cache_labels_at(d->cache, at->labels), key, &value);
}

static void add_label(struct cycle_state *d, const struct spread_constraint *label,
	const int64_t *scores, int64_t all)
{
	struct service_score *state = service_score_of(d);
	const uint32_t *of_node = label->tally.of_node;
	memset(state->sums, 0, ((size_t)state->top + 1) * sizeof(*state->sums));
	for (uint32_t i = 0; all > 0 && i < d->feasible_count; i++)
		state->sums[of_node[d->feasible[i]]] += scores[i];
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		uint32_t node = d->feasible[i];
		double score = 100;
		if (!has_label(d, node, label->rule.topology_key))
			continue;
		if (all > 0)
			score = 100 * ((double)(all - state->sums[of_node[node]]) / (double)all);
		state->results[i] += score /
			PLUGIN_ARGS(d->profile, SERVICE_AFFINITY, service_affinity_args)
				->apart.count;
	}
}

/* A node without a label gets nothing for that one. */
static void service_affinity_normalise(struct cycle_state *d, int64_t *scores, uint32_t count)
{
	struct service_score *state = service_score_of(d);
	int64_t all = 0;
	CHECK(count == d->feasible_count);
	memset(state->results, 0, (size_t)count * sizeof(*state->results));
	for (uint32_t i = 0; i < count; i++)
		all += scores[i];
	for (uint32_t k = 0;
		k < PLUGIN_ARGS(d->profile, SERVICE_AFFINITY, service_affinity_args)->apart.count;
		k++)
		add_label(d, &state->labels[k], scores, all);
	for (uint32_t i = 0; i < count; i++)
		scores[i] = (int64_t)state->results[i];
}

/* ---- hints ---- */

/* Pods of a Service are of one namespace; which of them is the example may change with any. */
static enum plugin_hint service_affinity_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event) ||
		(hint_is_placed(hint_side(event)) && event->namespace == w->pod.class->namespace));
}

/* ---- arguments ---- */

static const struct field service_affinity_fields[] = {
	{.name = "affinityLabels",
		.type = FIELD_TEXTS,
		.at = offsetof(struct service_affinity_config, together),
		.most = PLUGIN_LABELS_MAX},
	{.name = "antiAffinityLabelsPreference",
		.type = FIELD_TEXTS,
		.at = offsetof(struct service_affinity_config, apart),
		.most = PLUGIN_LABELS_MAX},
};

static enum args_result service_affinity_args_make(
	const struct args_making *m, const void *of, void *made)
{
	const struct service_affinity_config *from = of;
	struct service_affinity_args *to = made;
	bool kept = args_intern_list(m, &from->together, to->together.keys, &to->together.count) &&
		args_intern_list(m, &from->apart, to->apart.keys, &to->apart.count);
	return kept ? ARGS_MADE : ARGS_FULL;
}

static const struct fields service_affinity_form = {.list = service_affinity_fields,
	.count = ARRAY_COUNT(service_affinity_fields),
	.size = sizeof(struct service_affinity_config)};
static const struct plugin_args service_affinity_arguments = {.fields = &service_affinity_form,
	.size = sizeof(struct service_affinity_args),
	.make = service_affinity_args_make};

const struct plugin plugin_service_affinity = {.name = "ServiceAffinity",
	.args = &service_affinity_arguments,
	.weight = 1,
	.state_size = sizeof(struct service_state),
	.score_state_size = sizeof(struct service_score),
	.kinds = spread_kinds_of_kin,
	.pre_filter = service_affinity_pre_filter,
	.filter = service_affinity_filter,
	.pre_score = service_affinity_pre_score,
	.score = service_affinity_score,
	.normalise = PLUGIN_NORMALISE_OWN,
	.normalise_own = service_affinity_normalise,
	.pod_moved = service_affinity_pod_moved,
	.pods_forgotten = service_affinity_pods_forgotten,
	.events = PLUGIN_EVENTS({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL},
		{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL,
			service_affinity_hint_pod},
		{KUBE_SERVICE, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE, NULL})};
