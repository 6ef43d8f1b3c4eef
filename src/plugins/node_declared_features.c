/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeDeclaredFeatures: a pod that needs a feature of the kubelet goes where it is declared.
 */
#include "plugins/table.h"

enum plugin_code node_declared_features_prefilter(struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	return d->pod.class->features == 0 ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

enum plugin_code node_declared_features_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if ((d->pod.class->features & ~view->node->facts->features) == 0)
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't match Pod's required features");
	return PLUGIN_UNRESOLVABLE;
}
