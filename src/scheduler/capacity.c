/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much of everything fits into a memory budget.
 *
 * Every capacity is a sum of what needs it, for a cluster of so many nodes and pods. How much
 * clusters of one size differ - each pod a template of its own, or a thousand of one; plain pods,
 * or claims and disruption budgets for all - is a matter of ease: at 0 the sums are those of a
 * usual cluster, at EASE_MOST those of an odd one. The most ease that the budget allows is taken,
 * and what is left then goes to the store, where everything without a fixed size lives.
 *
 * Room that is not used costs address space only; it is counted all the same, because one day it
 * may be used.
 */
#include "scheduler/capacity.h"

#include "queue/queue.h"

enum {
	EASE_MOST = 64,
	SHARES = 1024, /* steps in which nodes and pods are made fewer */
	IMAGES_MOST = 16384,
	ROWS_LEAST = 16,
	ROWS_MOST = 512,

	/* Bytes in the store; 8 of each are the block's own. */
	STRING_BYTES = 40, /* "web-frontend-7d9c8b6f5d-x2x4v" */
	CLASS_BYTES = 480,
	LABELS_BYTES = 160,
	FACTS_BYTES = 768, /* of a node: resources, taints, two names for each of 25 images */
	OBJECT_BYTES = 160,
	COUNTER_BYTES = 320, /* question and counts by zone */
	STORE_LEAST = 128 * 1024,

	SCRATCH_LEAST = 384 * 1024,
	SCRATCH_BY_NODE = 256, /* a verdict with its words, a score, the lists of all filters */

	/* More than a node or a pod takes in all, so that sums stay within a size_t of 32 bits. */
	NODE_BYTES_MOST = 16384,
	POD_BYTES_MOST = 1024
};
#define STORE_MOST (UINT64_C(8) << 30)

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static size_t store_for(const struct cache_limits *l)
{
	size_t by_node = ((size_t)l->nodes + 2) * sizeof(int32_t);
	return (size_t)l->strings * STRING_BYTES + (size_t)l->classes * CLASS_BYTES +
		(size_t)l->label_sets * LABELS_BYTES + (size_t)l->nodes * FACTS_BYTES +
		(size_t)l->objects * OBJECT_BYTES +
		(size_t)l->images * (l->nodes / 8 + 2 * STORE_UNIT) + /* which nodes have it */
		(size_t)l->counters * COUNTER_BYTES +
		4 * 2 * by_node + /* a few counters by host: spreading and anti-affinity */
		STORE_LEAST;
}

uint32_t capacity_nodes(uint32_t nodes)
{
	nodes = smaller(nodes, CAPACITY_NODES_MOST);
	return nodes + nodes / 32 + 8;
}

/* All of it at the most ease. */
static uint32_t eased(uint32_t most, uint32_t ease)
{
	return (uint32_t)((uint64_t)most * ease / EASE_MOST);
}

static void size_up(struct capacity *plan, uint32_t ease)
{
	uint32_t pods = plan->pods;
	uint32_t nodes = capacity_nodes(plan->nodes);
	uint32_t half = eased(pods / 2, ease);
	uint32_t objects = nodes + /* CSI nodes */
		pods / 16 + 128 +  /* replica sets, services, budgets, claims */
		half;              /* claims and volumes of their own */
	plan->cache = (struct cache_limits){
		.nodes = nodes,
		.pods = pods,
		.objects = objects,
		.classes = 128 + pods / 16 + half,            /* pods with a claim have their own */
		.label_sets = nodes + 128 + pods / 16 + half, /* of each node its own */
		.strings = pods + objects + 2 * nodes +       /* names, host names and uids */
			2048 + pods / 16 + half,              /* values of labels and so on */
		.images =
			smaller(128 + nodes / 4 + pods / 128 + eased(2 * nodes, ease), IMAGES_MOST),
		.counters = 192 + pods / 128 + eased(pods / 32, ease), /* one for each term */
	};
	plan->cache.store_bytes = store_for(&plan->cache);
	plan->cycle = (struct cycle_limits){
		.nodes = nodes,
		.rows = ROWS_LEAST + eased(ROWS_MOST - ROWS_LEAST, ease),
		.scratch_bytes = SCRATCH_LEAST + (size_t)nodes * SCRATCH_BY_NODE +
			eased(4 * SCRATCH_LEAST, ease),
	};
	/* All but 1/6 are placed, or wait for the next list when more come at once. */
	plan->queue = pods / 6 + eased(pods - pods / 6, ease);
	if (plan->queue < CAPACITY_PODS_LEAST)
		plan->queue = smaller(pods, CAPACITY_PODS_LEAST);
	plan->cache.statuses = plan->queue; /* of those that wait */
}

static bool fits(struct capacity *plan, uint32_t ease, uint64_t budget_bytes)
{
	uint64_t most =
		(uint64_t)plan->nodes * NODE_BYTES_MOST + (uint64_t)plan->pods * POD_BYTES_MOST;
	if (most > SIZE_MAX / 2)
		return false;
	size_up(plan, ease);
	plan->bytes = (uint64_t)cache_size(&plan->cache) + cycle_size(&plan->cycle) +
		queue_size(plan->queue);
	return plan->bytes <= budget_bytes;
}

/* A cluster of `share` / SHARES of what was asked for, but not less than the least. */
static void take_share(struct capacity *plan, uint32_t nodes_max, uint32_t pods_max, uint32_t share)
{
	uint32_t nodes = (uint32_t)((uint64_t)nodes_max * share / SHARES);
	uint32_t pods = (uint32_t)((uint64_t)pods_max * share / SHARES);
	plan->nodes = nodes < CAPACITY_NODES_LEAST ? CAPACITY_NODES_LEAST : nodes;
	plan->pods = pods < CAPACITY_PODS_LEAST ? CAPACITY_PODS_LEAST : pods;
}

bool capacity_plan(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan)
{
	*plan = (struct capacity){0};
	nodes_max = smaller(nodes_max, CAPACITY_NODES_MOST);
	pods_max = smaller(pods_max, CAPACITY_PODS_MOST);
	uint32_t share = SHARES;
	uint32_t ease = EASE_MOST;
	take_share(plan, nodes_max, pods_max, share);
	while (!fits(plan, ease, budget_bytes)) {
		if (ease > 0)
			ease--;
		else if (share > 0)
			take_share(plan, nodes_max, pods_max, --share);
		else
			return false;
	}
	uint64_t left = budget_bytes - plan->bytes;
	if (left > STORE_MOST)
		left = STORE_MOST;
	if (left > SIZE_MAX / 4)
		left = SIZE_MAX / 4;
	left -= left % STORE_UNIT;
	plan->cache.store_bytes += (size_t)left;
	plan->bytes += left;
	CHECK(plan->bytes <= budget_bytes);
	return true;
}
