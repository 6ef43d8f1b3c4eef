/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeUnschedulable: a cordoned node takes only pods that tolerate being there.
 */
#include "plugins/table.h"

enum plugin_code node_unschedulable_filter(
	struct decision *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (view->node->facts->unschedulable == 0)
		return PLUGIN_SUCCESS;
	const struct kube_pod_class *class = d->pod.class;
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	const struct kube_taint cordon = {
		.key = d->cache->names.unschedulable, .effect = KUBE_NO_SCHEDULE};
	for (uint32_t i = 0; i < class->tolerations.count; i++)
		if (kube_tolerates(&list[i], &cordon))
			return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) were unschedulable");
	return PLUGIN_UNRESOLVABLE;
}
