/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of plugins, in upstream's order.
 */
#include "plugins/table.h"
#include "plugins/volume_table.h"

const struct plugin plugins[PLUGIN_COUNT] = {
	[PLUGIN_SCHEDULING_GATES] = { .name = "SchedulingGates" },
	[PLUGIN_PRIORITY_SORT] = { .name = "PrioritySort" },
	[PLUGIN_NODE_UNSCHEDULABLE] = {
		.name = "NodeUnschedulable",
		.filter_is_local = true,
		.filter = node_unschedulable_filter
	},
	[PLUGIN_NODE_NAME] = { .name = "NodeName", .filter = node_name_filter },
	[PLUGIN_TAINT_TOLERATION] = {
		.name = "TaintToleration",
		.weight = 3,
		.filter_is_local = true,
		.score_is_local = true,
		.filter = taint_toleration_filter,
		.score = taint_toleration_score,
		.normalize = taint_toleration_normalize
	},
	[PLUGIN_NODE_AFFINITY] = {
		.name = "NodeAffinity",
		.weight = 2,
		.filter_is_local = true,
		.score_is_local = true,
		.prefilter = node_affinity_prefilter,
		.filter = node_affinity_filter,
		.prescore = node_affinity_prescore,
		.score = node_affinity_score,
		.normalize = node_affinity_normalize
	},
	[PLUGIN_NODE_PORTS] = {
		.name = "NodePorts",
		.filter_is_local = true,
		.prefilter = node_ports_prefilter,
		.filter = node_ports_filter
	},
	[PLUGIN_FIT] = {
		.name = "NodeResourcesFit",
		.weight = 1,
		.filter_is_local = true,
		.score_is_local = true,
		.filter = fit_filter,
		.score = fit_score
	},
	[PLUGIN_VOLUME_RESTRICTIONS] = {
		.name = "VolumeRestrictions",
		.prefilter = volume_restrictions_prefilter,
		.filter = volume_restrictions_filter,
		.pod_moved = volume_restrictions_pod_moved,
		.pods_forgotten = volume_restrictions_pods_forgotten
	},
	[PLUGIN_NODE_VOLUME_LIMITS] = {
		.name = "NodeVolumeLimits",
		.prefilter = node_volume_limits_prefilter,
		.filter = node_volume_limits_filter
	},
	[PLUGIN_VOLUME_BINDING] = {
		.name = "VolumeBinding",
		.weight = 1,
		.prefilter = volume_binding_prefilter,
		.filter = volume_binding_filter,
		.prescore = volume_binding_prescore
	},
	[PLUGIN_VOLUME_ZONE] = {
		.name = "VolumeZone",
		.prefilter = volume_zone_prefilter,
		.filter = volume_zone_filter
	},
	[PLUGIN_SPREAD] = {
		.name = "PodTopologySpread",
		.weight = 2,
		.prefilter = spread_prefilter,
		.filter = spread_filter,
		.filter_nodes = spread_filter_nodes,
		.prescore = spread_prescore,
		.score = spread_score,
		.score_nodes = spread_score_nodes,
		.normalize = spread_normalize,
		.pod_moved = spread_pod_moved,
		.pods_forgotten = spread_pods_forgotten
	},
	[PLUGIN_INTER_POD_AFFINITY] = {
		.name = "InterPodAffinity",
		.weight = 2,
		.prefilter = inter_pod_affinity_prefilter,
		.filter = inter_pod_affinity_filter,
		.filter_nodes = inter_pod_affinity_filter_nodes,
		.prescore = inter_pod_affinity_prescore,
		.score = inter_pod_affinity_score,
		.score_nodes = inter_pod_affinity_score_nodes,
		.normalize = inter_pod_affinity_normalize,
		.pod_moved = inter_pod_affinity_pod_moved,
		.pods_forgotten = inter_pod_affinity_pods_forgotten
	},
	[PLUGIN_DYNAMIC_RESOURCES] = {
		.name = "DynamicResources",
		.weight = 2,
		.prefilter = dynamic_resources_prefilter
	},
	[PLUGIN_DEFAULT_PREEMPTION] = { .name = "DefaultPreemption" },
	[PLUGIN_BALANCED] = {
		.name = "NodeResourcesBalancedAllocation",
		.weight = 1,
		.score_is_local = true,
		.prescore = balanced_prescore,
		.score = balanced_score
	},
	[PLUGIN_IMAGE_LOCALITY] = {
		.name = "ImageLocality",
		.weight = 1,
		.score = image_locality_score,
		.score_nodes = image_locality_score_nodes
	},
	[PLUGIN_DEFAULT_BINDER] = { .name = "DefaultBinder" },
	[PLUGIN_NODE_DECLARED_FEATURES] = {
		.name = "NodeDeclaredFeatures",
		.filter_is_local = true,
		.prefilter = node_declared_features_prefilter,
		.filter = node_declared_features_filter
	}
};

enum plugin_id plugin_find(struct text name)
{
	uint32_t id = 0;
	while (id < PLUGIN_COUNT && !text_is_z(name, plugins[id].name))
		id++;
	return (enum plugin_id)id;
}
