/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dra - the allocator of devices: which devices would the claims of a pod get on a node?
 *
 * What kube-scheduler does: a depth-first search over pools, slices and devices in a fixed order,
 * the first solution wins; selectors are evaluated for each pod and device again.
 * What we do: the same search in the same order, so that the same devices are chosen, with an
 * explicit stack and a budget of steps. Expressions are compiled once, and what a selector says of
 * a device is remembered until its slice changes.
 *
 * Nothing here changes the cache. All memory is scratch, but for what struct dra remembers.
 */
#ifndef BERTH_DRA_DRA_H
#define BERTH_DRA_DRA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/scratch.h"
#include "cache/cache.h"

enum {
	DRA_RESULTS_MAX = 32, /* of one claim, as upstream has it */
	DRA_LIST_MAX = 8,     /* sub-requests of a prioritized list */
	/* Of a decision, 0.1 us each or so: some for each node, some for one with more. */
	DRA_STEPS_PER_MS = 100,
	DRA_STEPS_PER_NODE = 1024,
	DRA_STEPS_LEAST = 64, /* for each node, however little patience is left */
	/* Patience is halved by a search that came to no end, and doubles after so many others. */
	DRA_PATIENCE_BACK = 64,
	DRA_PATIENCE_MAX = 6
};

/* What feature gates allow. */
struct dra_features {
	bool admin_access;
	bool binding_conditions;
	bool counters; /* partitionable devices */
	bool shares;   /* consumable capacity, multiple allocations */
	bool taints;
	bool taint_rules;
	bool prioritized;
	bool fractional;   /* ranges of capacity in thousandths */
	bool names_device; /* 1.37: errors of selectors say of which device */
};

/* ---- what is remembered from one decision to the next ---- */

struct dra;

size_t dra_size(uint32_t nodes);
struct dra *dra_make(struct arena *arena, struct cache *cache, uint32_t nodes);
/* How many expressions were compiled, and how many were evaluated, so far. */
uint64_t dra_compiled(const struct dra *dra);
uint64_t dra_evaluated(const struct dra *dra);

/*
 * Of `full` steps those that a decision about a pod of the namespace may take: fewer for some time
 * after searches without an end, so that one namespace does not hold up the pods of others.
 */
int64_t dra_patience(struct dra *dra, uint32_t namespace, int64_t full);
void dra_gave_up(struct dra *dra, uint32_t namespace);

/*
 * What came out on a node for claims that ask for the same: the next pod of a template finds it
 * here, until something changes about the devices that the node can reach.
 */
enum { DRA_SHAPE_CLAIMS = 4 /* pods with more are worked out each time */ };

struct dra_shape {
	const void *profile;
	uint64_t template; /* serial of the pod's; 0: it has no extended resources of devices */
	uint64_t count;    /* no padding: shapes are compared as bytes */
	struct kube_claim_shape claims[DRA_SHAPE_CLAIMS]; /* the rest zero */
};

enum dra_outcome { DRA_UNKNOWN, DRA_DO, DRA_DO_NOT, DRA_POOLS_INVALID, DRA_LACKING };

struct dra_seen {
	uint64_t generation; /* of the cache's devices; 0: nothing is known */
	int32_t score;
	uint32_t outcome; /* enum dra_outcome */
};

/* By node; NULL: there is no memory. Good until the next call, and until memory is short. */
struct dra_seen *dra_seen_of(struct dra *dra, const struct dra_shape *shape);

/* ---- what is asked for ---- */

/* A request, or one of the alternatives of a prioritized list. */
struct dra_ask {
	struct text name; /* of the request, or the alternative's own */
	const struct kube_device_class *class;
	struct text mode_text;
	uint32_t mode; /* enum kube_device_mode */
	int64_t count;
	bool has_admin;
	bool admin;
	const uint32_t *selectors;
	uint32_t selector_count;
	const struct kube_toleration *tolerations;
	uint32_t toleration_count;
	uint32_t tolerations_json;
	const struct kube_amount *capacity;
	uint32_t capacity_count;
};

struct dra_request {
	struct text name;
	bool is_list;
	struct dra_ask *asks;
	uint32_t ask_count;
};

struct dra_claim {
	const struct kube_claim *facts; /* NULL: made for extended resources */
	struct text namespace;
	struct text name;
	struct dra_request *requests;
	uint32_t request_count;
};

/*
 * The claim's requests, with their classes looked up. False: out of scratch. An ask whose class
 * does not exist has none.
 */
MUST_USE bool dra_claim_read(struct cache *cache, struct scratch *scratch,
	const struct kube_claim *facts, struct dra_claim *claim);

/* ---- what comes out ---- */

struct dra_slice {
	const struct kube_slice *facts;
	uint32_t slice; /* struct cache_slice */
	struct text name;
};

struct dra_pick {
	uint32_t request; /* places in the claim */
	uint32_t ask;
	const struct dra_slice *slice;
	const struct kube_device *device;
	bool is_shared;
	struct quantity *consumed; /* of a share, as the device's capacities */
};

struct dra_result {
	uint32_t *count; /* picks, by claim */
	struct dra_pick (*picks)[DRA_RESULTS_MAX];
};

enum dra_verdict {
	DRA_FITS,
	DRA_NONE,    /* there is no solution */
	DRA_INVALID, /* ... and there are pools that cannot be used */
	DRA_TIMEOUT, /* out of steps */
	DRA_ERROR    /* error says what is wrong */
};

/* Why no device was found, for explanations. */
struct dra_why {
	uint32_t devices;  /* that the node can reach */
	uint32_t selector; /* refused by a selector */
	uint32_t taint;
	uint32_t given;
	uint32_t counter;
	uint32_t capacity;
	uint32_t constraint;
	struct text taint_key; /* of the last that was refused so */
	uint32_t pools_incomplete;
	uint32_t pools_invalid;
	uint32_t left; /* that would do, each by itself; see dra_look() */
};

/* One decision: the same for all nodes. */
struct dra_run {
	struct cache *cache;
	struct dra *dra; /* NULL: nothing is remembered */
	struct scratch *scratch;
	struct dra_features features;
	int64_t steps; /* that are left */
	const struct dra_claim *claims;
	uint32_t claim_count;
	struct dra_why *why; /* NULL: not asked for */
	const char *error;   /* in scratch */
};

/*
 * The devices that the claims get on the node. `result` and the error are in scratch, whatever else
 * was taken is given back.
 */
MUST_USE enum dra_verdict dra_allocate(
	struct dra_run *run, const struct cache_node *node, struct dra_result *result);

/*
 * Each device of the node by itself, for one alternative of a request of run's only claim: run->why
 * says what became of them. What is taken of scratch stays taken.
 */
void dra_look(
	struct dra_run *run, const struct cache_node *node, uint32_t request, uint32_t alternative);

/* The points of prioritized lists: the earlier the alternative, the more. */
int64_t dra_score(const struct dra_claim *claim, const struct dra_pick *picks, uint32_t count);
/* The same of an allocation that was made before. */
int64_t dra_score_of(const struct cache *cache, const struct kube_claim *claim);

/* status.allocation of a claim. */
void dra_write_allocation(const struct dra_run *run, const struct dra_claim *claim,
	const struct dra_pick *picks, uint32_t count, const struct cache_node *node,
	struct writer *out);

/* ---- extended resources ---- */

/* The class that stands for the extended resource; NULL: none. */
const struct kube_device_class *dra_class_of(const struct cache *cache, uint32_t resource);
/* The pod asks for an extended resource, of which a class may say that devices back it. */
bool dra_may_back_pod(const struct cache *cache, const struct kube_pod_template *class);
/* Some extended resource that the pod asks for is backed by devices. */
bool dra_backs_pod(const struct cache *cache, const struct kube_pod_template *class);

/* The devices of the class that the node can reach, and how many of them some claim has. */
void dra_count(struct dra_run *run, const struct kube_device_class *class,
	const struct cache_node *node, int64_t *count, int64_t *given);

/* Which request a container's resource comes from. */
struct dra_mapping {
	uint32_t container_name;
	uint32_t resource;
	struct text request;
};
struct dra_extended {
	struct dra_claim claim; /* no requests: the node has all itself */
	struct dra_mapping *mappings;
	uint32_t mapping_count;
	bool is_lacking; /* the node has not the resource, and no class stands for it */
};
/* The claim for the pod's extended resources on this node. False: out of scratch. */
MUST_USE bool dra_extend(struct cache *cache, struct scratch *scratch,
	const struct kube_pod_template *class, const struct cache_node *node,
	struct dra_extended *extended);

/* May the node be used, as the reach says? */
bool dra_reaches(const struct cache *cache, const void *blob, const struct kube_reach *reach,
	const struct cache_node *node);

#endif
