/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeAffinity: the nodes a pod demands and the nodes it prefers, by label and by name. A profile
 * may add an affinity of its own to every pod (addedAffinity).
 */
#include "plugins/hints.h"
#include "plugins/node_affinity.h"

static bool prefers_nobody(const struct kube_pod_template *class)
{
	return class == NULL || class->preferred_nodes.count == 0;
}

/* ---- the nodes that required terms name by metadata.name ---- */

static int compare_ids(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static void set_add(uint32_t *set, uint32_t *count, uint32_t id)
{
	uint32_t at = *count;
	while (at > 0 && compare_ids(set[at - 1], id) >= 0)
		at--;
	if (at < *count && set[at] == id)
		return;
	for (uint32_t i = *count; i > at; i--)
		set[i] = set[i - 1];
	set[at] = id;
	(*count)++;
}

static bool requirement_has(
	const struct kube_pod_template *class, const struct kube_requirement *r, uint32_t id)
{
	const uint32_t *values = KUBE_AT(class, r->values, uint32_t);
	for (uint32_t i = 0; i < r->values.count; i++)
		if (values[i] == id)
			return true;
	return false;
}

/* Adds the names of one term; false when the term names none (then every node is possible). */
static bool add_term_names(const struct cycle_state *d, const struct kube_node_term *term,
	uint32_t *set, uint32_t *count)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_requirement *fields =
		KUBE_AT(class, term->fields, struct kube_requirement);
	const struct kube_requirement *first = NULL;
	for (uint32_t i = 0; i < term->fields.count && first == NULL; i++)
		if (fields[i].key == d->cache->names.metadata_name && fields[i].op == KUBE_IN)
			first = &fields[i];
	if (first == NULL)
		return false;
	const uint32_t *names = KUBE_AT(class, first->values, uint32_t);
	for (uint32_t n = 0; n < first->values.count; n++) {
		bool in_all = true;
		for (uint32_t i = 0; i < term->fields.count; i++)
			if (fields[i].key == d->cache->names.metadata_name &&
				fields[i].op == KUBE_IN)
				in_all = in_all && requirement_has(class, &fields[i], names[n]);
		if (in_all)
			set_add(set, count, names[n]);
	}
	return true;
}

static uint32_t names_at_most(const struct kube_pod_template *class)
{
	const struct kube_node_term *terms =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	uint32_t most = 0;
	for (uint32_t t = 0; t < class->required_nodes.count; t++) {
		const struct kube_requirement *fields =
			KUBE_AT(class, terms[t].fields, struct kube_requirement);
		for (uint32_t i = 0; i < terms[t].fields.count; i++)
			most += fields[i].values.count;
	}
	return most;
}

/* Every term names the node that the pod is for; those that do not parse name none. */
static enum plugin_code name_own_node(struct cycle_state *d)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_node_term *terms =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	for (uint32_t i = 0; i < class->required_nodes.count; i++)
		if (terms[i].error != 0)
			return PLUGIN_SUCCESS;
	d->only_nodes = &d->pod.for_node;
	d->only_node_count = 1;
	return PLUGIN_SUCCESS;
}

static enum plugin_code node_affinity_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_pod_template *added =
		PLUGIN_ARGS(d->profile, NODE_AFFINITY, node_affinity_args)->added;
	if (class->has_required_nodes == 0 && class->has_node_selector == 0 &&
		(added == NULL || added->has_required_nodes == 0))
		return PLUGIN_SKIP;
	if (class->required_nodes.count == 0)
		return PLUGIN_SUCCESS;
	if (class->is_for_node != 0)
		return name_own_node(d);
	uint32_t *set = SCRATCH_ARRAY(d->scratch, uint32_t, names_at_most(class) + 1);
	if (set == NULL) {
		d->error = "no room for the nodes that a node affinity names";
		return PLUGIN_ERROR;
	}
	const struct kube_node_term *terms =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	uint32_t count = 0;
	for (uint32_t i = 0; i < class->required_nodes.count; i++)
		if (!add_term_names(d, &terms[i], set, &count))
			return PLUGIN_SUCCESS;
	if (count == 0) {
		plugin_because(why, "pod affinity terms conflict");
		return PLUGIN_UNRESOLVABLE;
	}
	d->only_nodes = set;
	d->only_node_count = count;
	return PLUGIN_SUCCESS;
}

static enum plugin_code node_affinity_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct node_affinity_args *args =
		PLUGIN_ARGS(d->profile, NODE_AFFINITY, node_affinity_args);
	if (args->added != NULL &&
		!cache_node_selected(d->cache, args->added, args->added_for_node, view->index)) {
		plugin_because(why, "node(s) didn't match scheduler-enforced node affinity");
		return PLUGIN_UNRESOLVABLE;
	}
	if (!cache_node_selected(d->cache, d->pod.class, d->pod.for_node, view->index)) {
		plugin_because(why, "node(s) didn't match Pod's node affinity/selector");
		return PLUGIN_UNRESOLVABLE;
	}
	return PLUGIN_SUCCESS;
}

/* ---- score ---- */

static const struct kube_node_term *broken_preference(const struct kube_pod_template *class)
{
	if (class == NULL)
		return NULL;
	const struct kube_preferred_nodes *list =
		KUBE_AT(class, class->preferred_nodes, struct kube_preferred_nodes);
	for (uint32_t i = 0; i < class->preferred_nodes.count; i++)
		if (list[i].weight != 0 && list[i].term.empty == 0 && list[i].term.error != 0)
			return &list[i].term;
	return NULL;
}

static enum plugin_code node_affinity_pre_score(struct cycle_state *d)
{
	const struct kube_pod_template *added =
		PLUGIN_ARGS(d->profile, NODE_AFFINITY, node_affinity_args)->added;
	if (prefers_nobody(d->pod.class) && prefers_nobody(added))
		return PLUGIN_SKIP;
	const struct kube_node_term *broken = broken_preference(d->pod.class);
	if (broken == NULL)
		broken = broken_preference(added);
	if (broken == NULL)
		return PLUGIN_SUCCESS;
	struct text error = cache_text(d->cache, broken->error);
	char *copy = scratch_take(d->scratch, error.size + 1);
	d->error = "a preferred node affinity term does not parse";
	if (copy != NULL && text_copy(error, copy, error.size + 1))
		d->error = copy;
	return PLUGIN_ERROR;
}

static int64_t preference(
	const struct cycle_state *d, const struct kube_pod_template *class, uint32_t index)
{
	if (class == NULL)
		return 0;
	const struct cache_node *node = cache_node_at(d->cache, index);
	struct kube_node_match match = {.strings = &d->cache->strings,
		.labels = cache_labels_at(d->cache, node->labels),
		.name = node->name,
		.name_key = d->cache->names.metadata_name};
	const struct kube_preferred_nodes *list =
		KUBE_AT(class, class->preferred_nodes, struct kube_preferred_nodes);
	int64_t sum = 0;
	for (uint32_t i = 0; i < class->preferred_nodes.count; i++)
		if (list[i].weight != 0 && kube_node_term_matches(class, &list[i].term, &match))
			sum += list[i].weight;
	return sum;
}

static int64_t node_affinity_score(struct cycle_state *d, uint32_t node)
{
	return preference(d, d->pod.class, node) +
		preference(
			d, PLUGIN_ARGS(d->profile, NODE_AFFINITY, node_affinity_args)->added, node);
}

/* ---- hints ---- */

/*
 * The addedAffinity of the profile is only asked of the new node. A term of the pod that does not
 * parse is an error, unless another one matches; an error means queue.
 */
static enum plugin_hint node_affinity_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct node_affinity_args *args =
		PLUGIN_ARGS(w->profile, NODE_AFFINITY, node_affinity_args);
	if (args->added != NULL &&
		!cache_labels_selected(w->cache, args->added, args->added_for_node,
			event->now.labels, event->name))
		return PLUGIN_HINT_SKIP;
	if (!cache_labels_selected(
		    w->cache, w->pod.class, w->pod.for_node, event->now.labels, event->name)) {
		const struct kube_pod_template *class = w->pod.class;
		const struct kube_node_term *terms =
			KUBE_AT(class, class->required_nodes, struct kube_node_term);
		for (uint32_t i = 0; i < class->required_nodes.count; i++)
			if (terms[i].error != 0)
				return PLUGIN_HINT_QUEUE;
		return PLUGIN_HINT_SKIP;
	}
	return hint_if(!event->old.there ||
		!cache_labels_selected(
			w->cache, w->pod.class, w->pod.for_node, event->old.labels, event->name));
}

const struct plugin plugin_node_affinity = {.name = "NodeAffinity",
	.args = &node_affinity_arguments,
	.v1beta2 = {1, 8, 4, 5},
	.weight = 2,
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"", "A node with the labels that the pod asks for."}),
	.filter_is_local = true,
	.score_is_local = true,
	.pre_filter = node_affinity_pre_filter,
	.filter = node_affinity_filter,
	.pre_score = node_affinity_pre_score,
	.score = node_affinity_score,
	.normalise = PLUGIN_BY_HIGHEST,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, node_affinity_hint_node})};
