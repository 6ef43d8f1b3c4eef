/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeDeclaredFeatures: a pod that needs a feature of the kubelet goes where it is declared.
 */
#include "plugins/hints.h"

static enum plugin_code node_declared_features_pre_filter(
	struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	return d->pod.class->features == 0 ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

static enum plugin_code node_declared_features_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if ((d->pod.class->features & ~view->node->facts->features) == 0)
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't match Pod's required features");
	return PLUGIN_UNRESOLVABLE;
}

/* ---- hints ---- */

static enum plugin_hint node_declared_features_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	return hint_if(action == CACHE_ADD ||
		cache_side_facts(&event->old)->features_hash !=
			cache_side_facts(&event->now)->features_hash);
}

static enum plugin_hint node_declared_features_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event) &&
		cache_side_template(&event->old)->features !=
			cache_side_template(&event->now)->features);
}

const struct plugin plugin_node_declared_features = {.name = "NodeDeclaredFeatures",
	.needs_feature = true,
	.feature = FEATURE_NodeDeclaredFeatures,
	.defaults = PLUGIN_IN_ALL,
	.in_every_policy = true,
	.helps = PLUGIN_HELPS({"", "A node whose kubelet has the feature that the pod needs."}),
	.filter_is_local = true,
	.pre_filter = node_declared_features_pre_filter,
	.filter = node_declared_features_filter,
	.events = PLUGIN_EVENTS({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_FEATURE,
					node_declared_features_hint_node},
		{KUBE_POD, CACHE_UPDATE | PLUGIN_OF_ITSELF, node_declared_features_hint_pod})};
