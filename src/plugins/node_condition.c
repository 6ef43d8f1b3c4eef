/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CheckNodeCondition, CheckNodeMemoryPressure, CheckNodeDiskPressure and CheckNodePIDPressure: the
 * predicates by which kube-scheduler looked at conditions until v1.16. Since then the node
 * lifecycle controller makes taints of them; where it runs both say the same.
 */
#include "plugins/hints.h"

struct condition_trouble {
	uint32_t bit; /* enum kube_node_trouble */
	const char *reason;
};

static enum plugin_code condition_refuse(const struct cache_view *view,
	const struct condition_trouble *list, uint32_t count, struct plugin_reasons *why)
{
	enum plugin_code code = PLUGIN_SUCCESS;
	for (uint32_t i = 0; i < count; i++) {
		if ((view->node->facts->troubles & list[i].bit) == 0)
			continue;
		plugin_because(why, list[i].reason);
		code = PLUGIN_UNRESOLVABLE;
	}
	return code;
}

static enum plugin_code node_condition_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct condition_trouble list[] = {
		{KUBE_NODE_NOT_READY, "node(s) were not ready"},
		{KUBE_NODE_OUT_OF_DISK, "node(s) were out of disk space"},
		{KUBE_NODE_NETWORK_UNAVAILABLE, "node(s) had unavailable network"},
	};
	(void)d;
	enum plugin_code code = condition_refuse(view, list, ARRAY_COUNT(list), why);
	if (view->node->facts->unschedulable == 0)
		return code;
	plugin_because(why, "node(s) were unschedulable");
	return PLUGIN_UNRESOLVABLE;
}

/* Only pods that ask for nothing and are promised nothing are kept away. */
static enum plugin_code memory_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct condition_trouble list[] = {
		{KUBE_NODE_MEMORY_PRESSURE, "node(s) had memory pressure"}};
	const struct kube_pod_template *class = d->pod.class;
	bool is_best_effort = class->fit.cpu_milli == 0 && class->fit.memory_bytes == 0 &&
		class->limit_cpu_milli == 0 && class->limit_memory_bytes == 0;
	return is_best_effort ? condition_refuse(view, list, 1, why) : PLUGIN_SUCCESS;
}

static enum plugin_code disk_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct condition_trouble list[] = {
		{KUBE_NODE_DISK_PRESSURE, "node(s) had disk pressure"}};
	(void)d;
	return condition_refuse(view, list, 1, why);
}

static enum plugin_code pid_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct condition_trouble list[] = {
		{KUBE_NODE_PID_PRESSURE, "node(s) had pid pressure"}};
	(void)d;
	return condition_refuse(view, list, 1, why);
}

/* ---- hints ---- */

/* Any condition that has got better may have been the one. */
static enum plugin_hint condition_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_node_facts *now = cache_side_facts(&event->now);
	(void)w;
	return hint_if(action != CACHE_UPDATE_NODE_CONDITION ||
		(cache_side_facts(&event->old)->troubles & ~now->troubles) != 0);
}

static const struct plugin_registration condition_events[] = {
	{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_CONDITION | CACHE_UPDATE_NODE_TAINT,
		condition_hint_node},
	{KUBE_NO_KIND, 0, NULL}};

const struct plugin plugin_node_condition = {.name = "CheckNodeCondition",
	.filter_is_local = true,
	.filter = node_condition_filter,
	.events = condition_events};

const struct plugin plugin_memory_pressure = {.name = "CheckNodeMemoryPressure",
	.filter_is_local = true,
	.filter = memory_pressure_filter,
	.events = condition_events};

const struct plugin plugin_disk_pressure = {.name = "CheckNodeDiskPressure",
	.filter_is_local = true,
	.filter = disk_pressure_filter,
	.events = condition_events};

const struct plugin plugin_pid_pressure = {.name = "CheckNodePIDPressure",
	.filter_is_local = true,
	.filter = pid_pressure_filter,
	.events = condition_events};
