/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as the plugins need it: who takes part at which point, in which order, with which
 * weight and arguments. Made once from the configuration.
 */
#ifndef BERTH_PLUGINS_ARGS_H
#define BERTH_PLUGINS_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fields.h"
#include "base/plugin_set.h"
#include "base/scratch.h"
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
	PLUGIN_ARGS_BYTES = 8 * 1024 /* arguments of all plugins of a profile */
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
struct plugin_shape {
	struct plugin_shape_point points[PLUGIN_SHAPE_MAX];
	uint32_t count;
};

struct cache;

struct fit_args {
	uint32_t ignored[PLUGIN_IGNORED_MAX]; /* string ids */
	uint32_t ignored_count;
	uint32_t ignored_groups[PLUGIN_IGNORED_MAX];
	uint32_t ignored_group_count;
	enum fit_strategy strategy;
	struct plugin_resource_weight resources[PLUGIN_RESOURCES_MAX];
	uint32_t resource_count;
	struct plugin_shape shape;
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
	uint32_t added_for_node; /* string id: the one node that all its required terms name */
};
struct preemption_args {
	int32_t min_candidate_percentage;
	int32_t min_candidate_absolute;
};
struct dynamic_resources_args { /* the allocator's */
	int64_t filter_timeout_us;
	int64_t binding_timeout_us;
};
struct volume_binding_args {
	int64_t bind_timeout_seconds;
	struct plugin_shape shape; /* for free capacity; none while no points are given for it */
};
struct volume_binding_config { /* as a configuration has them */
	int64_t bind_timeout_seconds;
	struct config_list shape; /* struct config_shape_point */
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
struct node_label_config { /* as a configuration has them; lists of struct text */
	struct config_list present;
	struct config_list absent;
	struct config_list present_preferred;
	struct config_list absent_preferred;
};
struct service_affinity_config {
	struct config_list together;
	struct config_list apart;
};
struct service_affinity_args {
	struct plugin_label_list together; /* affinityLabels */
	struct plugin_label_list apart;    /* antiAffinityLabelsPreference */
};

/* ---- arguments in a configuration (pluginConfig) ---- */

/* As files have them, in lists of several plugins. */
struct config_resource {
	struct text name;
	int64_t weight;
};
struct config_shape_point {
	int32_t utilization;
	int32_t score;
};

/*
 * Where the rules of a plugin say what is wrong; a path is that of a field, "shape[0].score", below
 * the arguments.
 */
struct args_report {
	void (*refuse)(struct args_report *report, const char *path, const char *format, ...)
		PRINTF_LIKE(3, 4);
	void (*refuse_text)(struct args_report *report, const char *path, struct text value,
		const char *why); /* Invalid value */
	void (*refuse_duplicate)(struct args_report *report, const char *path, struct text value);
	void (*refuse_unsupported)(struct args_report *report, const char *path, struct text value,
		const char *supported);
	/* Says so when it is no label key; false then. */
	bool (*require_label)(struct args_report *report, const char *path, struct text name);
	void (*remark)(struct args_report *report, const char *path, const char *what);
	/* At a place inside of the field's text, `value`. */
	void (*refuse_in)(struct args_report *report, const char *path, struct text value,
		size_t offset, struct text what);
	struct scratch *scratch; /* as it was before, afterwards */
};
/* For printf: the beginning of a value that is repeated in a message. */
#define ARGS_SHOWN(t) (int)((t).size < 64 ? (t).size : 64), (t).at == NULL ? "" : (t).at
struct args_path {
	char bytes[192];
};
/* The path, put together; it is cut off where there is no room. */
const char *args_path(struct args_path *path, const char *format, ...) PRINTF_LIKE(2, 3);

enum args_result {
	ARGS_MADE,
	ARGS_REFUSED, /* `fault` says why */
	ARGS_FULL
};
struct args_making {
	struct cache *cache; /* interns their strings, for ever */
	struct arena *arena;
	struct scratch *scratch; /* as it was before, afterwards */
	const struct feature_gates *gates;
	struct writer *fault;
};

/* A field that may be given only while both of its features are on; `field` NULL: the last row. */
struct args_gated {
	const char *field;
	uint16_t needs[2]; /* enum feature */
	const char *why;
};

/* The arguments of a plugin. */
struct plugin_args {
	const struct fields *fields; /* of the struct that a configuration is read into */
	/* Rules that rows of fields cannot say; NULL: none. */
	void (*check)(struct args_report *report, const void *args);
	size_t size; /* of the struct at run time */
	/* The latter from the former; NULL: they are the same. */
	enum args_result (*make)(const struct args_making *m, const void *from, void *to);
	uint8_t place;                  /* among arguments that are written out */
	const struct args_gated *gated; /* NULL: none */
};
bool args_intern(const struct args_making *m, struct text t, uint32_t *id);
/* Lists of struct text and of struct config_resource; false: no room for strings. */
bool args_intern_list(
	const struct args_making *m, const struct config_list *from, uint32_t *to, uint32_t *count);

/* ---- a profile ---- */

struct plugin_use {
	uint8_t id; /* enum plugin_id */
	int64_t weight;
};
struct plugin_uses { /* of a point, in the order in which they run */
	struct plugin_use list[PLUGIN_COUNT];
	uint32_t count;
	struct plugin_set set; /* the same, as a set */
};

/* What local answers depend on besides the node and the local part of the template (kube/pod.h). */
enum plugin_local_reads { PLUGIN_READS_LABELS = 1, PLUGIN_READS_TEMPLATE = 2 };

struct plugin_profile {
	uint32_t scheduler_name;     /* string id */
	int32_t percentage_of_nodes; /* 0: all of them, berth's own default */
	struct feature_gates gates;
	bool check_all;         /* a node that is refused is asked about by every filter */
	uint32_t local_reads;   /* enum plugin_local_reads bits of its plugins */
	int64_t refresh_us;     /* how often plugins see a new time; 0: never */
	struct plugin_set used; /* those that take part at any point */
	struct plugin_uses at[PLUGIN_POINTS];
	uint16_t args_at[PLUGIN_COUNT]; /* one more than the place, in units of 8 bytes */
	_Alignas(8) uint8_t args[PLUGIN_ARGS_BYTES];
};

/* Zeroed, for the arguments of every plugin that has some. */
void plugin_args_place(struct plugin_profile *profile);

static inline const void *plugin_args(const struct plugin_profile *profile, enum plugin_id id)
{
	CHECK(profile->args_at[id] > 0);
	return &profile->args[(profile->args_at[id] - 1) * 8];
}
static inline void *plugin_args_of(struct plugin_profile *profile, enum plugin_id id)
{
	CHECK(profile->args_at[id] > 0);
	return &profile->args[(profile->args_at[id] - 1) * 8];
}
#define PLUGIN_ARGS(profile, id, type)    ((const struct type *)plugin_args((profile), PLUGIN_##id))
#define PLUGIN_ARGS_OF(profile, id, type) ((struct type *)plugin_args_of((profile), PLUGIN_##id))

#endif
