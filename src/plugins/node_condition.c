/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CheckNodeCondition, CheckNodeMemoryPressure, CheckNodeDiskPressure and CheckNodePIDPressure: the
 * predicates by which kube-scheduler looked at conditions until v1.16. Since then the node
 * lifecycle controller makes taints of them; where it runs both say the same.
 */
#include "plugins/table.h"

struct trouble {
	uint32_t bit; /* enum kube_node_trouble */
	const char *reason;
};

static enum plugin_code refuse_for(const struct cache_view *view, const struct trouble *list,
	uint32_t count, struct plugin_reasons *why)
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

enum plugin_code node_condition_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct trouble list[] = {
		{KUBE_NODE_NOT_READY, "node(s) were not ready"},
		{KUBE_NODE_OUT_OF_DISK, "node(s) were out of disk space"},
		{KUBE_NODE_NETWORK_UNAVAILABLE, "node(s) had unavailable network"},
	};
	(void)d;
	enum plugin_code code = refuse_for(view, list, ARRAY_COUNT(list), why);
	if (view->node->facts->unschedulable == 0)
		return code;
	plugin_because(why, "node(s) were unschedulable");
	return PLUGIN_UNRESOLVABLE;
}

/* Only pods that ask for nothing and are promised nothing are kept away. */
enum plugin_code memory_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct trouble list[] = {
		{KUBE_NODE_MEMORY_PRESSURE, "node(s) had memory pressure"}};
	const struct kube_pod_template *class = d->pod.class;
	bool is_best_effort = class->fit.cpu_milli == 0 && class->fit.memory_bytes == 0 &&
		class->limit_cpu_milli == 0 && class->limit_memory_bytes == 0;
	return is_best_effort ? refuse_for(view, list, 1, why) : PLUGIN_SUCCESS;
}

enum plugin_code disk_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct trouble list[] = {
		{KUBE_NODE_DISK_PRESSURE, "node(s) had disk pressure"}};
	(void)d;
	return refuse_for(view, list, 1, why);
}

enum plugin_code pid_pressure_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	static const struct trouble list[] = {{KUBE_NODE_PID_PRESSURE, "node(s) had pid pressure"}};
	(void)d;
	return refuse_for(view, list, 1, why);
}
