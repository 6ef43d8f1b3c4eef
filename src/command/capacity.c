/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much address space for what.
 *
 * Each kind may take the whole budget, so there are as many of them as the budget holds when each
 * one is as small as it can be. Address space that is never used costs nothing. Where there is not
 * enough of it (32 bits and a large budget) each kind has half of that, or a quarter.
 */
#include "command/capacity.h"

#include "queue/queue.h"
#include "scheduler/scheduler.h"

enum {
	/* What one takes at least, all its tables, strings and links included. */
	NODE_BYTES = 1024,
	POD_BYTES = 160,
	OBJECT_BYTES = 128,
	TEMPLATE_BYTES = 256,
	LABELS_BYTES = 96,
	STRING_BYTES = 56,
	IMAGE_BYTES = 128,
	COUNTER_BYTES = 256,
	PRE_BIND_BYTES = 512, /* of a pod on its way, before its binding */

	SHARE_MAX = 32,
	CHANGES = 512,
	ROWS_MAX = 256,
	ROWS_SHARE = 32, /* verdicts can be worked out again: a small part is enough for them */
	SCRATCH_MIN = 1920 * 1024,
	SCRATCH_BY_NODE = 256 /* a verdict with its words, a score, the lists of all filters */
};

/* Of 32 bits the system, the stack and the program need some. */
#define SPACE_MAX (SIZE_MAX == UINT32_MAX ? UINT64_C(1536) << 20 : UINT64_C(1) << 42)

static uint32_t capacity_of(uint64_t bytes, uint32_t each, uint32_t max)
{
	uint64_t count = bytes / each;
	return count == 0 ? 1 : count < max ? (uint32_t)count : max;
}

static uint32_t capacity_lower(uint32_t count, uint32_t max)
{
	return max != 0 && max < count ? max : count;
}

uint32_t capacity_nodes(uint32_t nodes)
{
	nodes = capacity_lower(nodes, CAPACITY_NODES_MAX);
	return nodes + nodes / 32 + 8;
}

static void capacity_size_up(
	struct capacity *plan, uint64_t bytes, uint32_t nodes_max, uint32_t pods_max)
{
	uint32_t most = CAPACITY_PODS_MAX;
	uint32_t nodes = capacity_of(bytes, NODE_BYTES, CAPACITY_NODES_MAX);
	uint32_t pods = capacity_lower(capacity_of(bytes, POD_BYTES, most), pods_max);
	nodes = capacity_lower(nodes, nodes_max == 0 ? 0 : capacity_nodes(nodes_max));
	plan->cache = (struct cache_limits){
		.nodes = nodes,
		.pods = pods,
		.statuses = pods,
		.objects = capacity_of(bytes, OBJECT_BYTES, most),
		.classes = capacity_of(bytes, TEMPLATE_BYTES, most),
		.label_sets = capacity_of(bytes, LABELS_BYTES, most),
		.strings = capacity_of(bytes, STRING_BYTES, 2 * most),
		.images = capacity_of(bytes, IMAGE_BYTES, most),
		.counters = capacity_of(bytes, COUNTER_BYTES, most),
		.store_bytes = (size_t)(bytes - bytes % STORE_UNIT),
		.changes = CHANGES, /* of one turn; more are worked off in between */
	};
	plan->cycle = (struct cycle_limits){
		.nodes = nodes,
		.rows = ROWS_MAX,
		.rows_bytes = (size_t)(bytes / ROWS_SHARE),
		.scratch_bytes = SCRATCH_MIN + (size_t)nodes * SCRATCH_BY_NODE,
	};
	plan->queue = pods;
	plan->pre_binds = capacity_lower(capacity_of(bytes, PRE_BIND_BYTES, most), pods_max);
	plan->space = (uint64_t)cache_size(&plan->cache) + cycle_size(&plan->cycle) +
		queue_size(plan->queue) + scheduler_bindings_size(plan->pre_binds, plan->queue);
}

bool capacity_narrow(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan)
{
	plan->share *= 2;
	capacity_size_up(plan, budget_bytes / plan->share, nodes_max, pods_max);
	return plan->share <= SHARE_MAX;
}

bool capacity_plan(
	uint64_t budget_bytes, uint32_t nodes_max, uint32_t pods_max, struct capacity *plan)
{
	*plan = (struct capacity){.share = 1};
	if (budget_bytes < CAPACITY_BYTES_MIN || budget_bytes > SIZE_MAX / 2)
		return false;
	/* Sums stay within a size_t. */
	while (budget_bytes / plan->share > SPACE_MAX / 32)
		plan->share *= 2;
	capacity_size_up(plan, budget_bytes / plan->share, nodes_max, pods_max);
	while (plan->space > SPACE_MAX)
		if (!capacity_narrow(budget_bytes, nodes_max, pods_max, plan))
			return false;
	return true;
}
