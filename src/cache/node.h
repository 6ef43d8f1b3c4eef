/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A node of the picture: its facts, and the sums over the pods on it. Filters look at a node
 * through a view, which is the node itself or the node with some pods put on or taken off in
 * thought (nominated pods, preemption).
 */
#ifndef BERTH_CACHE_NODE_H
#define BERTH_CACHE_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/pool.h"
#include "kube/node.h"
#include "kube/pod.h"

struct cache;
struct kube_pod_template;

struct cache_node_scalar {
	uint32_t name;
	uint32_t is_extended;
	int64_t allocatable;
	int64_t used; /* also for names the node does not offer */
};

/* Absurd quantities wrap around, as in upstream's language; no apiserver lets them through. */
static inline int64_t cache_plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}
static inline int64_t cache_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t cache_times(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

struct cache_sums {
	int64_t cpu_milli;
	int64_t memory_bytes;
	int64_t storage_bytes;
	int64_t nonzero_cpu_milli;
	int64_t nonzero_memory_bytes;
	uint32_t pods;
	uint32_t host_port_pods; /* how many of the pods have host ports ... */
	uint32_t volume_pods;    /* ... volumes that a plugin looks at */
	uint32_t affinity_pods;  /* ... any pod (anti-)affinity */
	uint32_t scalar_count;
	struct cache_node_scalar *scalars; /* sorted by name id */
};

struct cache_node {
	const struct kube_node_facts
		*facts; /* NULL: a ghost, pods came before or stay after the node */
	struct cache_sums sums;
	uint64_t version;
	uint32_t name;
	uint32_t labels; /* label set index, 0 = none */
	uint32_t facts_handle;
	uint32_t scalars_handle;
	uint32_t scalars_room;
	uint32_t first_pod;
	uint32_t zone;     /* index in the order's zones */
	uint32_t position; /* in the order's list */
	uint16_t seen;
	uint16_t reserved;
	uint32_t uid; /* string id */
	/* cache/unread.h; with any it takes no new ones. Bits above the count: enum below. */
	uint32_t unread_pods;
};

enum {
	CACHE_NODE_CLOSED = 1 << 30, /* in thought */
	CACHE_NODE_UNSURE = 1 << 29, /* of its pods some may have been dropped as stray */
	CACHE_NODE_LISTED = 1 << 28, /* ... and a list of pods that shows them has begun */
	CACHE_NODE_UNREAD = CACHE_NODE_LISTED - 1
};

static inline bool cache_node_is_closed(const struct cache_node *node)
{
	return (node->unread_pods & CACHE_NODE_CLOSED) != 0;
}

/* The node as a filter sees it. */
struct cache_view {
	const struct cache_node *node;
	const struct cache_sums *sums; /* the node's own, or changed ones */
	uint32_t index;                /* of the node */
	const uint32_t *without;       /* pods taken off in thought */
	uint32_t without_count;
	const uint32_t *with; /* pods put on in thought */
	uint32_t with_count;
	const struct kube_host_port *erased; /* host ports that went with pods taken off */
	uint32_t erased_count;
};

struct cache_view cache_view_of(const struct cache *cache, uint32_t node);

/* All pods the view shows. Start with walk = {0}; 0 ends. */
struct cache_view_walk {
	uint32_t next;
	uint32_t with_at;
	bool started;
};
uint32_t cache_view_next_pod(
	const struct cache *cache, const struct cache_view *view, struct cache_view_walk *walk);

/*
 * The entry of a resource, made in its place in the order of names when it is missing; there is
 * memory for `room` of them.
 */
struct cache_node_scalar *cache_sums_scalar(
	struct cache_sums *sums, uint32_t room, const struct kube_scalar *like);
/* Adds or takes off the pod's sums (sign +1 or -1); each of its scalars has an entry. */
void cache_sums_apply(struct cache_sums *sums, const struct kube_pod_template *class, int sign);

/* ---- order: zone after zone in turn, as upstream visits nodes ---- */

struct cache_zone {
	uint32_t region; /* string ids */
	uint32_t name;
	uint32_t first; /* chain of nodes in order of arrival, by node index */
	uint32_t last;
	uint32_t count;
};

struct cache_node_order {
	struct cache_zone *zones; /* in order of arrival; without gaps */
	uint32_t zone_count;
	uint32_t *next_in_zone; /* by node index */
	uint32_t *list;         /* node indexes; rebuilt when membership changed */
	uint32_t *turn;         /* for rebuilding it */
	struct pool_lane lanes[4];
	uint32_t count; /* nodes that are really there */
	bool stale;
	uint64_t version; /* one more each time the list is rebuilt */
};

/* The list, rebuilt when needed. */
const uint32_t *cache_order(struct cache *cache, uint32_t *count);

#endif
