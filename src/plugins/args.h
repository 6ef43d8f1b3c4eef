/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as the plugins need it: who takes part at which point, in which order, with which
 * weight and arguments. Made once from the configuration.
 */
#ifndef BERTH_PLUGINS_ARGS_H
#define BERTH_PLUGINS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/plugin_set.h"
#include "kube/feature_gates.h"
#include "kube/kube.h"
#include "kube/pod.h"
#include "plugins/registry.h"

enum {
	PLUGIN_RESOURCES_MAX = 32,
	PLUGIN_SHAPE_MAX = 32,
	PLUGIN_IGNORED_MAX = 64,
	PLUGIN_CONSTRAINTS_MAX = 16,
	PLUGIN_LABELS_MAX = 32,
	PLUGIN_ARGS_FIELDS_MAX = 32, /* of one plugin */
	PLUGIN_ARGS_BYTES = 1024     /* of all plugins with a struct plugin_args */
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

/*
 * What a plugin takes as arguments in a configuration (pluginConfig), one row per field. Fields of
 * numbers and switches need no more than that; what else must hold is for `fault` to say.
 */
enum plugin_arg_type { PLUGIN_ARG_INT32, PLUGIN_ARG_INT64, PLUGIN_ARG_BOOL, PLUGIN_ARG_STRING };
struct plugin_arg {
	const char *name; /* NULL ends the list */
	enum plugin_arg_type type;
	size_t offset; /* in the struct of the arguments: int32_t, int64_t, bool, id */
	int64_t least; /* of numbers */
	int64_t most;
	int64_t value;    /* default, of numbers and switches */
	const char *text; /* default, of strings */
};
struct plugin_args {
	size_t size; /* of the struct */
	const struct plugin_arg *fields;
	/* What is wrong with fields that are right one by one; NULL: nothing. */
	const char *(*fault)(const void *args);
};

struct plugin_use {
	uint8_t id; /* enum plugin_id */
	int64_t weight;
};
struct plugin_uses { /* of a point, in the order in which they run */
	struct plugin_use list[PLUGIN_COUNT];
	uint32_t count;
	struct plugin_set set; /* the same, as a set */
};

struct plugin_profile {
	uint32_t scheduler_name;     /* string id */
	int32_t percentage_of_nodes; /* 0: all of them, berth's own default */
	struct feature_gates gates;
	bool check_all;         /* a node that is refused is asked about by every filter */
	struct plugin_set used; /* those that take part at any point */
	struct plugin_uses at[PLUGIN_POINTS];
	/* Arguments of plugins that have a struct plugin_args: plugin_args_of(). */
	uint16_t args_at[PLUGIN_COUNT];
	_Alignas(16) uint8_t args_bytes[PLUGIN_ARGS_BYTES];
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

/* The struct that the plugin's table of arguments describes; it has one. */
static inline const void *plugin_args_of(const struct plugin_profile *profile, enum plugin_id id)
{
	return profile->args_bytes + profile->args_at[id];
}

#endif
