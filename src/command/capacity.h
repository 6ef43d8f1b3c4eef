/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capacity - address space for the picture of the cluster, the queue and what deciding needs, so
 * that each kind of thing could fill the memory budget alone. The budget itself is base/pages.h.
 */
#ifndef BERTH_COMMAND_CAPACITY_H
#define BERTH_COMMAND_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/cache.h"
#include "cycle/cycle.h"

enum {
	CAPACITY_NODES_MAX = 1 << 17, /* numbers of nodes are bits of sets, too */
	CAPACITY_PODS_MAX = 1 << 22,
	CAPACITY_BYTES_MIN = 1536 * 1024, /* with less it is not worth to start */
	CAPACITY_RESERVE = 16 /* one part of so many is for pods that have a node, and for nodes */
};

struct capacity {
	struct cache_limits cache;
	struct cycle_limits cycle;
	uint32_t queue;
	uint32_t pre_binds; /* pods at Permit and in PreBind */
	uint64_t space; /* cache_size(), cycle_size(), queue_size(), scheduler_bindings_size() of
			   these */
	uint32_t share; /* of the budget that one kind has address space for: 1 is all, 2 half */
};

/* Nodes that there is room for in a cluster of so many: some are coming or going. */
uint32_t capacity_nodes(uint32_t nodes);

/*
 * What a budget of so many bytes can hold; no more than nodes_max and pods_max, when they are not
 * 0. False when the budget is too small.
 */
MUST_USE bool capacity_plan(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan);

/* The same with half of that address space; false when it is not worth it any more. */
MUST_USE bool capacity_narrow(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan);

#endif
