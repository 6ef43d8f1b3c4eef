/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of the in-tree plugins (kubescheduler.config.k8s.io/v1), as written in pluginConfig,
 * with their defaults.
 */
#ifndef BERTH_PROFILE_SCHEDULER_ARGS_H
#define BERTH_PROFILE_SCHEDULER_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "profile/fields.h"

enum {
	SCHEDULER_RESOURCES_MAX = 32,
	SCHEDULER_SHAPE_MAX = 32,
	SCHEDULER_IGNORED_MAX = 64,
	SCHEDULER_CONSTRAINTS_MAX = 16,
	SCHEDULER_LABELS_MAX = 32
};

struct scheduler_resource {
	struct text name;
	int64_t weight;
};
struct scheduler_shape_point {
	int32_t utilization;
	int32_t score;
};

struct scheduler_ratio {          /* requestedToCapacityRatio */
	struct config_list shape; /* struct scheduler_shape_point */
};
struct scheduler_strategy {
	struct text type;
	struct config_list resources;        /* struct scheduler_resource */
	const struct scheduler_ratio *ratio; /* NULL: not given */
};
struct scheduler_fit_args {
	struct config_list ignored;        /* struct text */
	struct config_list ignored_groups; /* struct text */
	const struct scheduler_strategy *strategy;
};
struct scheduler_balanced_args {
	struct config_list resources; /* struct scheduler_resource */
};
struct scheduler_inter_pod_affinity_args {
	int32_t hard_weight;
	bool ignore_preferred_of_existing;
};

struct scheduler_requirement {
	struct text key;
	struct text op;
	struct config_list values; /* struct text */
};
struct scheduler_node_term {
	struct config_list expressions; /* struct scheduler_requirement */
	struct config_list fields;      /* struct scheduler_requirement */
};
struct scheduler_preferred_nodes {
	int32_t weight;
	struct scheduler_node_term term;
};
struct scheduler_required_nodes {
	struct config_list terms; /* struct scheduler_node_term */
};
struct scheduler_node_affinity {                         /* v1.NodeAffinity */
	const struct scheduler_required_nodes *required; /* NULL: not given */
	struct config_list preferred;                    /* struct scheduler_preferred_nodes */
};
struct scheduler_node_affinity_args {
	const struct scheduler_node_affinity *added; /* NULL: not given */
};

struct scheduler_constraint {
	int32_t max_skew;
	struct text topology_key;
	struct text when_unsatisfiable;
	const struct yaml_node *selector; /* must be NULL */
	struct config_optional min_domains;
	struct text affinity_policy;         /* "Honor" unless given */
	struct text taints_policy;           /* "Ignore" unless given */
	struct config_list match_label_keys; /* struct text; without effect, as the selector */
};
struct scheduler_spread_args {
	struct text defaulting_type;
	struct config_list constraints; /* struct scheduler_constraint */
};
struct scheduler_preemption_args {
	int32_t min_candidate_percentage;
	int32_t min_candidate_absolute;
};
struct scheduler_volume_binding_args {
	int64_t bind_timeout_seconds;
};
struct scheduler_dynamic_resources_args {
	int64_t filter_timeout_us;
	int64_t binding_timeout_us;
};
/* Until v1.22; all are lists of struct text. */
struct scheduler_node_label_args {
	struct config_list present;
	struct config_list absent;
	struct config_list present_preferred;
	struct config_list absent_preferred;
};
struct scheduler_service_affinity_args {
	struct config_list together; /* affinityLabels */
	struct config_list apart;    /* antiAffinityLabelsPreference */
};

enum scheduler_args_kind {
	SCHEDULER_ARGS_FIT,
	SCHEDULER_ARGS_BALANCED,
	SCHEDULER_ARGS_INTER_POD_AFFINITY,
	SCHEDULER_ARGS_NODE_AFFINITY,
	SCHEDULER_ARGS_SPREAD,
	SCHEDULER_ARGS_PREEMPTION,
	SCHEDULER_ARGS_VOLUME_BINDING,
	SCHEDULER_ARGS_DYNAMIC_RESOURCES,
	SCHEDULER_ARGS_DEFAULTS, /* plugins of older releases have no arguments unless given */
	SCHEDULER_ARGS_NODE_LABEL = SCHEDULER_ARGS_DEFAULTS,
	SCHEDULER_ARGS_SERVICE_AFFINITY,
	SCHEDULER_ARGS_KINDS,
	SCHEDULER_ARGS_OTHER =
		SCHEDULER_ARGS_KINDS /* of a plugin that is not in-tree or has none */
};

struct scheduler_args {
	struct text plugin;
	enum scheduler_args_kind kind;
	const struct yaml_node *raw; /* as in the file; NULL: none */
	union {
		struct scheduler_fit_args fit;
		struct scheduler_balanced_args balanced;
		struct scheduler_inter_pod_affinity_args inter_pod_affinity;
		struct scheduler_node_affinity_args node_affinity;
		struct scheduler_spread_args spread;
		struct scheduler_preemption_args preemption;
		struct scheduler_volume_binding_args volume_binding;
		struct scheduler_dynamic_resources_args dynamic_resources;
		struct scheduler_node_label_args node_label;
		struct scheduler_service_affinity_args service_affinity;
	} of;
};

#define SCHEDULER_SECONDS(n) ((int64_t)(n)*1000 * 1000)

/* Of a number of seconds in a file; thirty years are as good as for ever, and can be counted. */
static inline int64_t scheduler_seconds(int64_t n)
{
	const int64_t most = 1000 * 1000 * 1000;
	return n < most ? n : most;
}

/* A plugin's arguments when there are none in the file. */
void scheduler_args_defaults(enum scheduler_args_kind kind, struct scheduler_args *args);

#endif
