/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capacity - how much of everything fits into a memory budget: the picture of the cluster, the
 * queue, and what deciding needs. Nothing of it grows later.
 */
#ifndef BERTH_SCHEDULER_CAPACITY_H
#define BERTH_SCHEDULER_CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/cache.h"
#include "cycle/cycle.h"

enum {
	CAPACITY_NODES_LEAST = 16, /* with fewer it is not worth to start */
	CAPACITY_PODS_LEAST = 256,
	CAPACITY_NODES_MOST = 1 << 17,
	CAPACITY_PODS_MOST = 1 << 22
};

struct capacity {
	uint32_t nodes; /* what was asked for, or less */
	uint32_t pods;
	struct cache_limits cache;
	struct cycle_limits cycle;
	uint32_t queue; /* pods that wait at a time: fewer than pods when memory is short */
	uint64_t bytes; /* cache_size() + cycle_size() + queue_size() of these; within the budget */
};

/* Nodes that there is room for in a cluster of so many: some are coming or going. */
uint32_t capacity_nodes(uint32_t nodes);

/*
 * Capacities for a cluster of nodes_max and pods_max whose sizes sum up to budget_bytes at most
 * (the caller has taken off what else it needs). Where the budget allows more than the usual
 * cluster of that size takes, everything has more room; where it does not even allow that, there
 * is room for fewer nodes and pods, in proportion. False when not even the least fits.
 */
MUST_USE bool capacity_plan(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan);

#endif
