/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registry: one row per plugin, ROW(ID, file), and no other list of plugins anywhere. The row
 * makes PLUGIN_ID, an index that is fixed when the program is built, and names the plugin's table,
 * plugin_file.
 *
 * The order is that of upstream's default list: it is the order in which the plugins of a default
 * profile run, and so part of the explanations that people read. Plugins that a profile only has
 * when it names them come behind.
 */
#ifndef BERTH_PLUGINS_REGISTRY_H
#define BERTH_PLUGINS_REGISTRY_H

/* Plugins of one's own, of `make PLUGINS=DIR`: the header with their rows is made by make. */
#ifdef BERTH_PLUGINS
#include BERTH_PLUGINS
#else
#define PLUGIN_OWN_ROWS(ROW)
#endif

#define PLUGIN_ROWS(ROW)                                    \
	ROW(SCHEDULING_GATES, scheduling_gates)             \
	ROW(PRIORITY_SORT, priority_sort)                   \
	ROW(NODE_UNSCHEDULABLE, node_unschedulable)         \
	ROW(NODE_NAME, node_name)                           \
	ROW(TAINT_TOLERATION, taint_toleration)             \
	ROW(NODE_AFFINITY, node_affinity)                   \
	ROW(NODE_PORTS, node_ports)                         \
	ROW(FIT, fit)                                       \
	ROW(VOLUME_RESTRICTIONS, volume_restrictions)       \
	ROW(NODE_VOLUME_LIMITS, node_volume_limits)         \
	ROW(VOLUME_BINDING, volume_binding)                 \
	ROW(VOLUME_ZONE, volume_zone)                       \
	ROW(SPREAD, spread)                                 \
	ROW(INTER_POD_AFFINITY, inter_pod_affinity)         \
	ROW(DYNAMIC_RESOURCES, dynamic_resources)           \
	ROW(DEFAULT_PREEMPTION, default_preemption)         \
	ROW(BALANCED, balanced)                             \
	ROW(IMAGE_LOCALITY, image_locality)                 \
	ROW(DEFAULT_BINDER, default_binder)                 \
	ROW(NODE_DECLARED_FEATURES, node_declared_features) \
	/* of older releases */                             \
	ROW(NODE_LABEL, node_label)                         \
	ROW(SERVICE_AFFINITY, service_affinity)             \
	ROW(SELECTOR_SPREAD, selector_spread)               \
	ROW(NODE_PREFER_AVOID_PODS, node_prefer_avoid_pods) \
	ROW(NODE_RESOURCE_LIMITS, node_resource_limits)     \
	ROW(NODE_CONDITION, node_condition)                 \
	ROW(MEMORY_PRESSURE, memory_pressure)               \
	ROW(DISK_PRESSURE, disk_pressure)                   \
	ROW(PID_PRESSURE, pid_pressure)                     \
	ROW(LEAST_ALLOCATED, least_allocated)               \
	ROW(MOST_ALLOCATED, most_allocated)                 \
	/* of ours */                                       \
	ROW(RULES, rules)                                   \
	PLUGIN_OWN_ROWS(ROW)

#define PLUGIN_ROW_ID(id, file) PLUGIN_##id,
enum plugin_id { PLUGIN_ROWS(PLUGIN_ROW_ID) PLUGIN_COUNT };
#undef PLUGIN_ROW_ID

/* Extension points, in the order in which kube-scheduler sets them up. */
enum plugin_point {
	PLUGIN_AT_PRE_FILTER,
	PLUGIN_AT_FILTER,
	PLUGIN_AT_POST_FILTER,
	PLUGIN_AT_RESERVE,
	PLUGIN_AT_PRE_SCORE,
	PLUGIN_AT_SCORE,
	PLUGIN_AT_PRE_BIND,
	PLUGIN_AT_BIND,
	PLUGIN_AT_POST_BIND,
	PLUGIN_AT_PERMIT,
	PLUGIN_AT_PRE_ENQUEUE,
	PLUGIN_AT_QUEUE_SORT,
	PLUGIN_AT_PLACEMENT_GENERATE,
	PLUGIN_AT_PLACEMENT_SCORE,
	PLUGIN_AT_POD_GROUP_POST_FILTER, /* since v1.37 */
	PLUGIN_POINTS
};
#define PLUGIN_AT(point) (UINT32_C(1) << PLUGIN_AT_##point)

#endif
