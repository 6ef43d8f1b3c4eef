/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as the plugins need it: who takes part at which point, in which order, with which
 * weight and arguments. Made once from the configuration.
 */
#ifndef BERTH_PLUGINS_ARGS_H
#define BERTH_PLUGINS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/kube.h"
#include "kube/pod.h"

enum {
	PLUGIN_LIST_MAX = 32,
	PLUGIN_RESOURCES_MAX = 32,
	PLUGIN_SHAPE_MAX = 32,
	PLUGIN_IGNORED_MAX = 64,
	PLUGIN_CONSTRAINTS_MAX = 16,
	PLUGIN_LABELS_MAX = 32
};

enum fit_strategy { FIT_LEAST_ALLOCATED, FIT_MOST_ALLOCATED, FIT_REQUESTED_TO_CAPACITY_RATIO };

struct plugin_resource_weight {
	uint32_t name; /* string id: cpu, memory, ephemeral-storage or a scalar */
	int64_t weight;
};
struct plugin_shape_point {
	int64_t utilization;
	int64_t score; /* as configured, 0..10 */
};

struct fit_args {
	uint32_t ignored[PLUGIN_IGNORED_MAX]; /* string ids */
	uint32_t ignored_count;
	uint32_t ignored_groups[PLUGIN_IGNORED_MAX];
	uint32_t ignored_group_count;
	enum fit_strategy strategy;
	struct plugin_resource_weight resources[PLUGIN_RESOURCES_MAX];
	uint32_t resource_count;
	struct plugin_shape_point shape[PLUGIN_SHAPE_MAX];
	uint32_t shape_count;
};
struct balanced_args {
	struct plugin_resource_weight resources[PLUGIN_RESOURCES_MAX];
	uint32_t resource_count;
};
struct inter_pod_affinity_args {
	int32_t hard_weight; /* hardPodAffinityWeight */
	bool ignore_preferred_of_existing;
};
struct spread_default { /* a default constraint; its selector is worked out per pod */
	uint32_t topology_key;
	int32_t max_skew;
	bool hard;
	int32_t min_domains;   /* 1 when not set */
	bool ignores_affinity; /* nodeAffinityPolicy Ignore */
	bool honors_taints;    /* nodeTaintsPolicy Honor */
};
struct spread_args {
	bool is_list; /* defaultingType List */
	struct spread_default constraints[PLUGIN_CONSTRAINTS_MAX];
	uint32_t constraint_count;
};
/* addedAffinity, as a class blob that only has node affinity parts; NULL when not configured. */
struct node_affinity_args {
	const struct kube_pod_template *added;
};
struct preemption_args {
	int32_t min_candidate_percentage;
	int32_t min_candidate_absolute;
};
struct volume_binding_args {
	int64_t bind_timeout_seconds;
};

struct plugin_label_list {
	uint32_t keys[PLUGIN_LABELS_MAX]; /* string ids */
	uint32_t count;
};
struct node_label_args {
	struct plugin_label_list present;
	struct plugin_label_list absent;
	struct plugin_label_list present_preferred;
	struct plugin_label_list absent_preferred;
};
struct service_affinity_args {
	struct plugin_label_list together; /* affinityLabels */
	struct plugin_label_list apart;    /* antiAffinityLabelsPreference */
};

struct plugin_use {
	uint8_t id; /* enum plugin_id */
	int64_t weight;
};
struct plugin_uses {
	struct plugin_use list[PLUGIN_LIST_MAX];
	uint32_t count;
};

struct plugin_profile {
	uint32_t scheduler_name;     /* string id */
	int32_t percentage_of_nodes; /* 0: all of them, berth's own default */
	bool check_all;              /* a node that is refused is asked about by every filter */
	bool counts_services;        /* ServiceAffinity or SelectorSpread takes part */
	struct plugin_uses pre_enqueue;
	struct plugin_uses pre_filter;
	struct plugin_uses filter;
	struct plugin_uses post_filter;
	struct plugin_uses pre_score;
	struct plugin_uses score;
	struct plugin_uses reserve;
	struct plugin_uses pre_bind;
	struct plugin_uses bind;
	struct fit_args fit;
	struct balanced_args balanced;
	struct inter_pod_affinity_args inter_pod_affinity;
	struct spread_args spread;
	struct node_affinity_args node_affinity;
	struct preemption_args preemption;
	struct volume_binding_args volume_binding;
	struct node_label_args node_label;
	struct service_affinity_args service_affinity;
};

#endif
