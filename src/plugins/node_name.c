/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeName: a pod that names its node goes there or nowhere.
 */
#include "plugins/table.h"

enum plugin_code node_name_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (d->pod.wanted_node == 0 || d->pod.wanted_node == view->node->name)
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't match the requested node name");
	return PLUGIN_UNRESOLVABLE;
}
