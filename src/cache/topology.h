/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topology: for each node label key that some rule spreads or gathers by, the domain (label
 * value) of each node as a small number; and counters of pods per domain, kept up to date by one
 * when a pod comes or goes instead of being recounted.
 *
 * Domain 0 means "the node lacks the key". Numbers of domains whose last node left are reused.
 * CACHE_KEY_NODE stands for the node itself: every node is a domain of its own, numbered by its
 * index.
 */
#ifndef BERTH_CACHE_TOPOLOGY_H
#define BERTH_CACHE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "base/pool.h"
#include "kube/pod.h"

struct cache;
struct cache_pod;
struct kube_node_facts;

enum { CACHE_COUNTER_BUCKETS = 256 };

/* In place of a key: no string has this id. The empty string is a key like others. */
#define CACHE_KEY_NODE UINT32_MAX

/*
 * The domains of one key. A key that no node has costs next to nothing: there is memory for domains
 * from the first node on that has it.
 */
struct cache_domains {
	uint32_t key;      /* string id of the label key */
	uint32_t held;     /* counters that need it */
	uint32_t *of_node; /* domain by node index; NULL: no node has the key */
	uint32_t *value;   /* string id by domain */
	uint32_t *nodes;   /* by domain: how many nodes */
	struct map by_value;
	uint32_t of_node_handle; /* in the store */
	uint32_t node_room;
	uint32_t values_handle;
	uint32_t value_room; /* domains are below it */
	uint32_t top;        /* domains are 1..top, some of them empty */
	uint32_t filled;     /* how many are not */
	uint32_t members;    /* nodes that have the key */
	uint32_t free_first; /* chain of empty ones, linked through value[] */
};

/*
 * What a counter counts. A blob of its own: equal questions share one counter.
 *
 * MATCH: pods that match all terms, on nodes that are included. The terms' namespaces are
 * resolved; namespace_selector is not used (all_namespaces says that it took everything).
 * OWN: pods on nodes whose class has the one term, as required anti-affinity, required affinity, or
 * preferred (the count is the signed sum of weights). Whether the term matches a pending pod is
 * asked when that pod is decided, with the labels of its namespace.
 */
enum cache_counter_kind { CACHE_MATCH, CACHE_OWN_ANTI, CACHE_OWN_AFFINITY, CACHE_OWN_PREFERRED };
enum { CACHE_COUNTER_KINDS = 4 };

struct cache_term {
	struct kube_span namespaces; /* uint32_t ids, sorted */
	uint32_t all_namespaces;
	uint32_t reserved;
	struct kube_selector namespace_selector;
	struct kube_selector selector;
};

struct cache_query {
	struct kube_blob blob;
	uint32_t kind;          /* enum cache_counter_kind */
	uint32_t topology_key;  /* string id, or CACHE_KEY_NODE */
	struct kube_span terms; /* struct cache_term */
	/* MATCH only: which pods and nodes take part (topology spread) */
	uint32_t skip_deleting;
	uint32_t count_nodes;    /* also count the included nodes per domain */
	uint32_t honor_affinity; /* only nodes that the class's node selector and affinity match */
	uint32_t honor_taints;   /* only nodes whose taints the class tolerates */
	uint32_t class;          /* index; 0 unless one of the two is set */
	uint32_t for_node;       /* string id of the node that the pod is for, when that counts */
	struct kube_span required_keys; /* uint32_t ids: nodes must have all of these labels */
};

struct cache_total {
	int64_t sum;   /* of the counts: pods, or weights */
	int64_t parts; /* pods (OWN: their terms) it is made of: weights may cancel out */
};

struct cache_counter {
	struct list link;   /* in its bucket, by namespace */
	struct list recent; /* MATCH: least recently used first */
	const struct cache_query *query;
	uint32_t query_handle;
	uint32_t references; /* OWN: terms of classes that have it, and pods on nodes */
	uint32_t slot;       /* in topology.keys; 0 for CACHE_KEY_NODE */
	uint32_t room;       /* entries in the arrays */
	uint32_t pods_handle;
	uint32_t nodes_handle; /* 0 unless count_nodes */
	uint64_t
		decision; /* MATCH: the decision that used it last (it must not be given up then) */
	struct cache_total total;
};

struct cache_owned { /* one term of a class, and its counter */
	uint32_t counter;
	int32_t weight;
	uint32_t next;
};

struct cache_topology {
	struct pool keys;   /* struct cache_domains */
	struct map by_key;  /* hash of the key */
	uint32_t *identity; /* of_node for CACHE_KEY_NODE */
	uint32_t *nowhere;  /* of_node for a key that no node has: all zero */
	struct pool_lane identity_lane;
	struct pool_lane nowhere_lane;
	uint32_t node_capacity;
};

struct cache_counters {
	struct pool pool;
	struct map by_hash;
	struct list buckets[2][CACHE_COUNTER_BUCKETS]; /* [0] MATCH, [1] OWN; by namespace id */
	struct list everywhere[2]; /* counters whose terms span several namespaces */
	struct list recent;
	struct pool owned; /* struct cache_owned */
	uint64_t decision;
};

/* What a plugin gets: counts by domain. */
struct cache_tally {
	const uint32_t *of_node; /* domain by node index */
	const int32_t *pods;     /* by domain */
	const int32_t *nodes;    /* by domain: included nodes; NULL unless count_nodes */
	uint32_t top;            /* domains are 1..top (0: lacks the key; its entries are 0) */
	uint32_t filled;         /* domains with a node; CACHE_NOT_COUNTED after a recount */
	uint32_t lacking;        /* nodes that lack the key; CACHE_NOT_COUNTED likewise */
	struct cache_total total;
};
#define CACHE_NOT_COUNTED UINT32_MAX

enum cache_count_mode {
	CACHE_COUNT_FAST,   /* from the counter, which is made when it is not there yet */
	CACHE_COUNT_RECOUNT /* from the pods, into scratch: slow, obviously right */
};

/*
 * Consumes the query (a finished blob). With CACHE_COUNT_FAST falls back to a recount when there
 * is no room for one more counter. False only when scratch is exhausted. The arrays stay good
 * until the next change of the cache.
 */
MUST_USE bool cache_tally(struct cache *cache, struct cache_query *query, enum cache_count_mode way,
	struct scratch *scratch, struct cache_tally *tally);

/*
 * For building queries: copies a term's selectors into the term at term_at (bytes from the start
 * of the blob under construction). namespace_selector may be NULL.
 */
void cache_query_term(struct kube_build *b, const void *from_blob,
	const struct kube_selector *namespace_selector, const struct kube_selector *selector,
	size_t term_at);

/* Does the pod (class, labels) match all terms of a MATCH query? */
bool cache_query_matches(const struct cache *cache, const struct cache_query *query,
	const struct kube_pod_template *class, const struct kube_labels *labels);
/* Is the node included by a MATCH query (keys, affinity, taints)? */
bool cache_query_includes(
	const struct cache *cache, const struct cache_query *query, uint32_t node);

/*
 * Terms owned by pods on nodes that match a pending pod: calls fn for each OWN counter of the
 * kind that counts anything.
 */
void cache_each_owned(struct cache *cache, enum cache_counter_kind kind, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self);
/* The same by looking at every pod on every node (slow): fn gets tallies made in scratch. */
MUST_USE bool cache_each_owned_recount(struct cache *cache, enum cache_counter_kind kind,
	uint32_t namespace, const struct kube_labels *namespace_labels,
	const struct kube_labels *labels, struct scratch *scratch,
	void (*fn)(void *self, const struct cache_query *query, const struct cache_tally *tally),
	void *self);

/* Does the term (of an OWN query or a class) match a pod? namespace_labels may be NULL. */
bool cache_term_matches(const void *blob, const struct cache_term *term, uint32_t namespace,
	const struct kube_labels *namespace_labels, const struct kube_labels *labels);

/* A new decision: counters used from now on are kept until the next one. */
void cache_begin_decision(struct cache *cache);

/* ---- required node affinity and taints, where counters and plugins both need them ---- */

/*
 * spec.nodeSelector and required node affinity, by a node's labels and name. `for_node` is the node
 * that the pod is for (kube/pod.h), as a string id.
 */
bool cache_labels_selected(const struct cache *cache, const struct kube_pod_template *class,
	uint32_t for_node, const struct kube_labels *labels, uint32_t name);
bool cache_node_selected(const struct cache *cache, const struct kube_pod_template *class,
	uint32_t for_node, uint32_t node);
/* The first taint of NoSchedule or NoExecute that is not tolerated, or NULL. */
const struct kube_taint *cache_untolerated(
	const struct kube_pod_template *class, const struct kube_node_facts *facts);

/* ---- upkeep, called by the rest of the cache ---- */

void cache_topology_init(struct cache *cache, struct arena *arena, uint32_t counters);
size_t cache_topology_size(uint32_t nodes, uint32_t counters);
/*
 * One more pod of the class has a node, one less has: the terms of those that have are counted.
 * False when there is no room (nothing changed).
 */
MUST_USE bool cache_template_place(struct cache *cache, uint32_t class);
void cache_template_displace(struct cache *cache, uint32_t class);
/* The pod is on (sign 1) or leaves (sign -1) the node, which is not a ghost. */
void cache_counters_pod(struct cache *cache, const struct cache_pod *pod, uint32_t node, int sign);
/* Around a change of a node's labels or taints, and when it comes or goes. */
void cache_counters_node_out(struct cache *cache, uint32_t node);
void cache_counters_node_in(struct cache *cache, uint32_t node);
/*
 * Room for one more domain in every counter, so that a node can come or change without failing
 * half way. Counters that match are given up for it; false when that did not suffice.
 */
MUST_USE bool cache_counters_reserve(struct cache *cache);
/* Gives up every counter that matches (they are made again when asked for). */
void cache_counters_trim(struct cache *cache);
void cache_topology_audit(const struct cache *cache);

#endif
