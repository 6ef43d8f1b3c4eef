/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plugins - the rules: one file per upstream plugin with its filter and its score; plugins.c is
 * the table, in upstream's order (the order is part of the explanations that people read).
 *
 * Everything here looks at the cache and never changes what it says. One decision about one pod
 * shares one struct cycle_state; a plugin keeps what it works out in its own member there.
 *
 * A filter says what kube-scheduler's filter says, for one node at a time. What depends only on
 * the pod's class and the node itself (is_local) is remembered by the cycle from one decision to
 * the next; the others must be cheap after their prefilter.
 */
#ifndef BERTH_PLUGINS_PLUGINS_H
#define BERTH_PLUGINS_PLUGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/scratch.h"
#include "cache/cache.h"
#include "plugins/args.h"

enum plugin_id {
	PLUGIN_SCHEDULING_GATES,
	PLUGIN_PRIORITY_SORT,
	PLUGIN_NODE_UNSCHEDULABLE,
	PLUGIN_NODE_NAME,
	PLUGIN_TAINT_TOLERATION,
	PLUGIN_NODE_AFFINITY,
	PLUGIN_NODE_PORTS,
	PLUGIN_FIT, /* NodeResourcesFit */
	PLUGIN_VOLUME_RESTRICTIONS,
	PLUGIN_NODE_VOLUME_LIMITS,
	PLUGIN_VOLUME_BINDING,
	PLUGIN_VOLUME_ZONE,
	PLUGIN_SPREAD, /* PodTopologySpread */
	PLUGIN_INTER_POD_AFFINITY,
	PLUGIN_DYNAMIC_RESOURCES,
	PLUGIN_DEFAULT_PREEMPTION,
	PLUGIN_BALANCED, /* NodeResourcesBalancedAllocation */
	PLUGIN_IMAGE_LOCALITY,
	PLUGIN_DEFAULT_BINDER,
	PLUGIN_NODE_DECLARED_FEATURES,

	/* of older releases: a profile has them when it names them */
	PLUGIN_DEFAULTS,
	PLUGIN_NODE_LABEL = PLUGIN_DEFAULTS,
	PLUGIN_SERVICE_AFFINITY,
	PLUGIN_SELECTOR_SPREAD,
	PLUGIN_NODE_PREFER_AVOID_PODS,
	PLUGIN_NODE_RESOURCE_LIMITS,
	PLUGIN_NODE_CONDITION, /* CheckNodeCondition */
	PLUGIN_MEMORY_PRESSURE,
	PLUGIN_DISK_PRESSURE,
	PLUGIN_PID_PRESSURE,

	PLUGIN_REJECTORS, /* behind: who only scores, and has no bit among them */
	PLUGIN_LEAST_ALLOCATED = PLUGIN_REJECTORS, /* NodeResourcesLeastAllocated */
	PLUGIN_MOST_ALLOCATED,
	PLUGIN_COUNT
};

/* core.md 2. Values as upstream. */
enum plugin_code {
	PLUGIN_SUCCESS,
	PLUGIN_ERROR,
	PLUGIN_UNSCHEDULABLE,
	PLUGIN_UNRESOLVABLE, /* UnschedulableAndUnresolvable */
	PLUGIN_WAIT,
	PLUGIN_SKIP,
	PLUGIN_PENDING
};

/* Collects the words; most callers pass NULL because they only want the code. */
enum { PLUGIN_REASONS_MAX = 72 };
struct plugin_reasons {
	struct scratch *scratch; /* for words that are put together */
	struct text list[PLUGIN_REASONS_MAX];
	uint32_t count;
};
void plugin_because(struct plugin_reasons *why, const char *reason); /* a constant */
void plugin_because_of(struct plugin_reasons *why, const char *format, ...) PRINTF_LIKE(2, 3);

/* The pod being decided, as plugins see it. It need not be in the cache (what-if, explain). */
struct plugin_pod {
	uint32_t index;          /* in cache.pods, 0 when it is not there */
	uint32_t template_index; /* 0 when the class is not in the cache */
	const struct kube_pod_template *class;
	const struct kube_labels *labels; /* NULL: none */
	const struct kube_labels *namespace_labels;
	struct text name;
	struct cache_uid uid;
	uint32_t wanted_node; /* spec.nodeName as a string id, 0 = none */
};

struct node_affinity_state;
struct spread_state;
struct affinity_state;
struct restrictions_state;
struct limits_state;
struct binding_state;
struct volume_zone_state;
struct selector_state;
struct service_state;
struct service_score;

struct plugin_profile; /* plugins/args.h */

struct cycle_state {
	struct cache *cache;
	const struct plugin_profile *profile;
	struct scratch *scratch;
	struct plugin_pod pod;
	enum cache_count_mode way; /* fast, or recount everything (tests, audit) */

	/* what prefilter and prescore found out */
	uint32_t skip_filter; /* bits by plugin_id */
	uint32_t skip_score;
	uint32_t prefiltered; /* whose prefilter ran */
	uint32_t prescored;
	const uint32_t *only_nodes; /* NULL: all; else node name ids, sorted (preFilterNodes) */
	uint32_t only_node_count;

	/* the feasible nodes, set before prescore: plugins that score relative to them look here */
	const uint32_t *feasible;
	uint32_t feasible_count;

	struct spread_state *spread;
	struct spread_state *spread_score;
	struct affinity_state *affinity;
	struct affinity_state *affinity_score;
	struct restrictions_state *restrictions;
	struct limits_state *limits;
	struct binding_state *binding;
	struct volume_zone_state *volume_zone;
	struct selector_state *selector;
	struct service_state *service;
	struct service_score *service_score;
	const char *error; /* with PLUGIN_ERROR: what failed, in upstream's words; in scratch */
};

/* A node passes when the count of its domain is within least..most. */
struct plugin_rule {
	const uint32_t *of_node; /* as in struct cache_tally */
	const int32_t *counts;
	int32_t least;
	int32_t most;
	bool needs_key; /* and when it is in a domain at all */
};

struct plugin {
	const char *name;
	int32_t weight; /* default weight; 0 when it does not score */

	/*
	 * The verdict and the raw score depend on nothing but the local part of the class (see
	 * kube/pod.h), the profile and the node.
	 */
	bool filter_is_local;
	bool score_is_local;

	/* Reads what prefilter (prescore) found out, and cannot do without when a profile left it
	 * out. */
	bool filter_needs_state;
	bool score_needs_state;

	/* NULL where the plugin does not implement the point. */
	enum plugin_code (*prefilter)(struct cycle_state *d, struct plugin_reasons *why);
	enum plugin_code (*filter)(
		struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why);
	enum plugin_code (*prescore)(struct cycle_state *d);
	int64_t (*score)(struct cycle_state *d, uint32_t node);
	/*
	 * The same for many nodes at once, where that is cheaper; both must agree. keep: of the
	 * nodes those that pass the filter, in order; how many. scores: raw ones. rules: after
	 * prefilter, a node passes the filter when it passes each of them; NULL: out of scratch.
	 * add_scores: after prescore, adds weight times the normalised score to the total of each
	 * feasible node; false with d->error when that cannot be done. NULL: one by one.
	 */
	uint32_t (*keep)(struct cycle_state *d, uint32_t *nodes, uint32_t count);
	void (*scores)(
		struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);
	const struct plugin_rule *(*rules)(struct cycle_state *d, uint32_t *count);
	bool (*add_scores)(struct cycle_state *d, int64_t weight, int64_t *totals);
	/* True: the score is 0 on every node, whatever the nodes are. */
	bool (*score_is_idle)(const struct cycle_state *d);
	/* In place, over the feasible nodes' raw scores; NULL: raw is final. */
	void (*normalize)(struct cycle_state *d, int64_t *scores, uint32_t count);

	/*
	 * Prefilter extensions: the state follows a pod put on (sign 1) or taken off (-1) the
	 * view's node in thought. Only one node is changed at a time; forget drops all such
	 * changes.
	 */
	void (*pod_moved)(
		struct cycle_state *d, const struct cache_view *view, uint32_t pod, int sign);
	void (*pods_forgotten)(struct cycle_state *d);
};

extern const struct plugin plugins[PLUGIN_COUNT];

/* PLUGIN_COUNT when there is none of the name. */
enum plugin_id plugin_find(struct text name);

/* Upstream's generic normaliser (core.md 8). */
void plugin_normalize_default(int64_t *scores, uint32_t count, bool reverse);

/* What a raw score is normalised to, given the lowest and the highest of all. */
typedef int64_t plugin_normal_fn(int64_t raw, int64_t least, int64_t most);
/*
 * Adds weight times the normalised score for each feasible node; `raw` is by position there.
 * Equal raw scores are normalised once. False with d->error when one leaves 0..100.
 */
MUST_USE bool plugin_add_normalized(struct cycle_state *d, const int64_t *raw,
	plugin_normal_fn *normal, int64_t weight, int64_t *totals);
extern const char plugin_out_of_range[]; /* what d->error says then */
/* The same for a plugin without add_scores, by its score and normalize. */
MUST_USE bool plugin_add_one_by_one(
	struct cycle_state *d, const struct plugin *plugin, int64_t weight, int64_t *totals);

/* SchedulingGates' words, or NULL when the pod is not gated. For the queue and for explain. */
const char *plugin_gated(
	const struct cache *cache, const struct kube_pod_template *class, struct scratch *scratch);

#endif
