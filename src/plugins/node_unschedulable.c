/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeUnschedulable: a cordoned node takes only pods that tolerate being there.
 */
#include "plugins/hints.h"

static bool tolerates_cordon(const struct cache *cache, const struct kube_pod_template *class)
{
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	const struct kube_taint cordon = {
		.key = cache->names.unschedulable, .effect = KUBE_NO_SCHEDULE};
	for (uint32_t i = 0; i < class->tolerations.count; i++)
		if (kube_tolerates(&list[i], &cordon))
			return true;
	return false;
}

static enum plugin_code node_unschedulable_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (view->node->facts->unschedulable == 0 || tolerates_cordon(d->cache, d->pod.class))
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) were unschedulable");
	return PLUGIN_UNRESOLVABLE;
}

static uint32_t node_unschedulable_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		nodes[kept] = nodes[i];
		kept += cache_node_at(d->cache, nodes[i])->facts->unschedulable == 0 ||
			tolerates_cordon(d->cache, d->pod.class);
	}
	return kept;
}

/* ---- hints ---- */

static enum plugin_hint node_unschedulable_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	bool was = event->old.there && cache_side_facts(&event->old)->unschedulable == 0;
	bool is = cache_side_facts(&event->now)->unschedulable == 0;
	return hint_if(is && !was);
}

static enum plugin_hint node_unschedulable_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event) &&
		tolerates_cordon(w->cache, cache_side_template(&event->now)));
}

const struct plugin plugin_node_unschedulable = {.name = "NodeUnschedulable",
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(PRE_FILTER),
	.helps = PLUGIN_HELPS({"", "kubectl uncordon, or a toleration of the cordon's taint."}),
	.filter_is_local = true,
	.filter = node_unschedulable_filter,
	.keep = node_unschedulable_keep,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_TAINT, node_unschedulable_hint_node},
		{KUBE_POD, CACHE_UPDATE_POD_TOLERATION | PLUGIN_OF_ITSELF,
			node_unschedulable_hint_pod})};
