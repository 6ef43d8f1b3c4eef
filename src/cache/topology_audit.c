/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The audit of domains and counters: each counter is counted again.
 */
#include "cache/private.h"

static void audit_domains(const struct cache *cache, uint32_t slot)
{
	const struct cache_domains *domains = cache_domains_at(cache, slot);
	uint32_t top;
	const uint32_t *of_node = cache_domains_of(cache, slot, &top);
	uint32_t members = 0;
	for (uint32_t n = 1; n <= pool_top(&cache->nodes); n++) {
		uint32_t domain = of_node[n];
		bool there =
			pool_is_taken(&cache->nodes, n) && cache_node_at(cache, n)->facts != NULL;
		uint32_t value;
		bool has = there &&
			kube_labels_get(cache_labels_at(cache, cache_node_at(cache, n)->labels),
				domains->key, &value);
		CHECK(has == (domain != 0));
		if (!has)
			continue;
		CHECK(domain <= domains->top);
		CHECK(domains->value[domain] == value);
		members++;
	}
	uint32_t counted = 0;
	uint32_t filled = 0;
	for (uint32_t d = 1; d <= domains->top; d++) {
		counted += domains->nodes[d];
		filled += domains->nodes[d] > 0;
	}
	CHECK(counted == members);
	CHECK(domains->members == members);
	CHECK(domains->filled == filled);
}

static void audit_counts(
	const struct cache *cache, const struct cache_counter *counter, int32_t *counts)
{
	uint32_t top;
	const uint32_t *of_node = cache_domains_of(cache, counter->slot, &top);
	const int32_t *pods = store_at(&cache->store, counter->pods_handle);
	memset(counts, 0, 2 * (size_t)counter->room * sizeof(*counts));
	struct cache_total total = cache_recount(cache, counter->query, of_node, counts,
		counter->nodes_handle == 0 ? NULL : counts + counter->room);
	CHECK(total.sum == counter->total.sum);
	CHECK(total.parts == counter->total.parts);
	CHECK(memcmp(counts, pods, counter->room * sizeof(*counts)) == 0);
	if (counter->nodes_handle == 0)
		return;
	const int32_t *nodes = store_at(&cache->store, counter->nodes_handle);
	CHECK(memcmp(counts + counter->room, nodes, counter->room * sizeof(*counts)) == 0);
}

void cache_topology_audit(const struct cache *cache)
{
	const struct pool *keys = &cache->topology.keys;
	for (uint32_t slot = pool_next(keys, 0); slot != 0; slot = pool_next(keys, slot))
		audit_domains(cache, slot);

	/* The counts are made in the cache's own work memory, which holds nothing between calls. */
	struct scratch *work = cache->work;
	scratch_reset(work);
	for (uint32_t i = 1; i <= pool_top(&cache->counters.pool); i++) {
		if (!pool_is_taken(&cache->counters.pool, i))
			continue;
		const struct cache_counter *counter = cache_counter_at(cache, i);
		struct scratch_mark mark = scratch_mark(work);
		int32_t *counts = SCRATCH_ARRAY(work, int32_t, 2 * (size_t)counter->room);
		CHECK(counts != NULL);
		audit_counts(cache, counter, counts);
		scratch_rewind(work, mark);
	}
}
