/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeUnschedulable: a cordoned node takes only pods that tolerate being there.
 */
#include "plugins/table.h"

static bool may_be_there(const struct cycle_state *d)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	const struct kube_taint cordon = {
		.key = d->cache->names.unschedulable, .effect = KUBE_NO_SCHEDULE};
	for (uint32_t i = 0; i < class->tolerations.count; i++)
		if (kube_tolerates(&list[i], &cordon))
			return true;
	return false;
}

enum plugin_code node_unschedulable_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (view->node->facts->unschedulable == 0 || may_be_there(d))
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) were unschedulable");
	return PLUGIN_UNRESOLVABLE;
}

uint32_t node_unschedulable_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		nodes[kept] = nodes[i];
		kept += cache_node_at(d->cache, nodes[i])->facts->unschedulable == 0 ||
			may_be_there(d);
	}
	return kept;
}
