/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeName: a pod that names its node goes there or nowhere.
 */
#include "plugins/plugins.h"

static enum plugin_code node_name_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (d->pod.wanted_node == 0 || d->pod.wanted_node == view->node->name)
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't match the requested node name");
	return PLUGIN_UNRESOLVABLE;
}

static uint32_t node_name_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
{
	uint32_t kept = 0;
	if (d->pod.wanted_node == 0)
		return count;
	for (uint32_t i = 0; i < count; i++) {
		nodes[kept] = nodes[i];
		kept += cache_node_at(d->cache, nodes[i])->name == d->pod.wanted_node;
	}
	return kept;
}

/* Local: no pod that waits names its node. */
const struct plugin plugin_node_name = {.name = "NodeName",
	.earlier = {[KUBE_1_37] = 1},
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(PRE_FILTER),
	.helps = PLUGIN_HELPS({"", "No spec.nodeName, or that node."}),
	.filter_is_local = true,
	.filter = node_name_filter,
	.keep = node_name_keep,
	.events = PLUGIN_EVENTS({KUBE_NODE, CACHE_ADD, NULL})};
