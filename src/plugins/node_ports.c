/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodePorts: two pods on a node cannot have the same host port. An address of 0.0.0.0 stands for
 * every address.
 */
#include "plugins/hints.h"

static enum plugin_code node_ports_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	return d->pod.class->host_ports.count == 0 ? PLUGIN_SKIP : PLUGIN_SUCCESS;
}

/*
 * Kube-scheduler keeps a node's ports as a set without counts, so a port goes with the first pod
 * that is taken off in thought, even when another one there has it too (which an apiserver never
 * lets happen on purpose). Preemption must come to the same victims, so we forget it as well.
 */
static bool is_erased(const struct kube_host_port *port, const struct cache_view *view)
{
	for (uint32_t i = 0; i < view->erased_count; i++)
		if (memcmp(port, &view->erased[i], sizeof(*port)) == 0)
			return true;
	return false;
}

static bool ports_meet(const struct kube_host_port *a, const struct kube_host_port *b, uint32_t any)
{
	return a->port == b->port && a->protocol == b->protocol &&
		(a->ip == b->ip || a->ip == any || b->ip == any);
}

/* Does the pod want a port that the other has? view NULL: none of the other's are erased. */
static bool ports_conflict(const struct cache *cache, const struct kube_pod_template *wants,
	const struct kube_pod_template *has, const struct cache_view *view)
{
	const struct kube_host_port *wanted =
		KUBE_AT(wants, wants->host_ports, struct kube_host_port);
	const struct kube_host_port *there = KUBE_AT(has, has->host_ports, struct kube_host_port);
	for (uint32_t j = 0; j < has->host_ports.count; j++) {
		if (view != NULL && is_erased(&there[j], view))
			continue;
		for (uint32_t i = 0; i < wants->host_ports.count; i++)
			if (ports_meet(&wanted[i], &there[j], cache->names.any_ip))
				return true;
	}
	return false;
}

static enum plugin_code node_ports_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (view->sums->host_port_pods == 0)
		return PLUGIN_SUCCESS;
	struct cache_view_walk walk = {0};
	for (uint32_t p; (p = cache_view_next_pod(d->cache, view, &walk)) != 0;) {
		const struct kube_pod_template *there =
			cache_template_of(d->cache, cache_pod_at(d->cache, p));
		bool put_on = walk.with_at > 0;
		if (there->host_ports.count == 0 ||
			!ports_conflict(d->cache, d->pod.class, there, put_on ? NULL : view))
			continue;
		plugin_because(why, "node(s) didn't have free ports for the requested pod ports");
		return PLUGIN_UNSCHEDULABLE;
	}
	return PLUGIN_SUCCESS;
}

/* ---- hints ---- */

static enum plugin_hint node_ports_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_placed(&event->old) &&
		ports_conflict(w->cache, w->pod.class, cache_side_template(&event->old), NULL));
}

const struct plugin plugin_node_ports = {.name = "NodePorts",
	.v1beta2 = {0, 2, 0, 0},
	.defaults = PLUGIN_IN_ALL,
	.helps = PLUGIN_HELPS({"", "Another host port, or a node where it is free."}),
	.filter_is_local = true,
	.pre_filter = node_ports_pre_filter,
	.filter = node_ports_filter,
	.events = PLUGIN_EVENTS(
		{KUBE_POD, CACHE_DELETE, node_ports_hint_pod}, {KUBE_NODE, CACHE_ADD, NULL})};
