/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodePorts: two pods on a node cannot have the same host port. An address of 0.0.0.0 stands for
 * every address.
 */
#include "plugins/table.h"

enum plugin_code node_ports_prefilter(struct decision *d, struct plugin_reasons *why)
{
	(void)why;
	return d->pod.class->host_ports.count == 0 ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

bool node_ports_conflict(const struct cache *cache, const struct kube_pod_class *a,
    const struct kube_pod_class *b)
{
	const struct kube_host_port *list_a = KUBE_AT(a, a->host_ports, struct kube_host_port);
	const struct kube_host_port *list_b = KUBE_AT(b, b->host_ports, struct kube_host_port);
	uint32_t any = cache->names.any_ip;
	for (uint32_t i = 0; i < a->host_ports.count; i++)
		for (uint32_t j = 0; j < b->host_ports.count; j++)
			if (list_a[i].port == list_b[j].port &&
			    list_a[i].protocol == list_b[j].protocol &&
			    (list_a[i].ip == list_b[j].ip || list_a[i].ip == any || list_b[j].ip == any))
				return true;
	return false;
}

enum plugin_code node_ports_filter(struct decision *d, const struct cache_view *view,
    struct plugin_reasons *why)
{
	if (view->sums->host_port_pods == 0)
		return PLUGIN_SUCCESS;
	struct cache_view_walk walk = { 0 };
	for (uint32_t p; (p = cache_view_next_pod(d->cache, view, &walk)) != 0;) {
		const struct kube_pod_class *there =
		    cache_class_of(d->cache, cache_pod_at(d->cache, p));
		if (there->host_ports.count == 0 ||
		    !node_ports_conflict(d->cache, d->pod.class, there))
			continue;
		plugin_because(why, "node(s) didn't have free ports for the requested pod ports");
		return PLUGIN_UNSCHEDULABLE;
	}
	return PLUGIN_SUCCESS;
}
