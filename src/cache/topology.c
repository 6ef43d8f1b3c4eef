/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains of nodes by label key, and the node-local rules that counters and plugins share.
 */
#include "base/hash.h"
#include "cache/private.h"

size_t cache_topology_size(uint32_t nodes, uint32_t counters)
{
	return pool_size(sizeof(struct cache_domains), counters) + map_size(counters) +
		2 * pool_lane_size(sizeof(uint32_t), nodes) +
		pool_size(sizeof(struct cache_counter), counters) + map_size(counters) +
		pool_size(sizeof(struct cache_owned), counters * 2) + 256;
}

void cache_topology_init(struct cache *cache, struct arena *arena, uint32_t counters)
{
	struct cache_topology *topology = &cache->topology;
	struct pool *nodes = &cache->nodes;
	size_t unit = sizeof(uint32_t);
	topology->node_capacity = nodes->capacity;
	topology->identity = pool_add_lane(nodes, &topology->identity_lane, arena, unit);
	topology->nowhere = pool_add_lane(nodes, &topology->nowhere_lane, arena, unit);
	pool_init(&topology->keys, arena, "topology keys", sizeof(struct cache_domains), counters);
	map_init_for(&topology->by_key, arena, &topology->keys);
	struct cache_counters *counters_of = &cache->counters;
	pool_init(&counters_of->pool, arena, "counters", sizeof(struct cache_counter), counters);
	map_init_for(&counters_of->by_hash, arena, &counters_of->pool);
	pool_init(&counters_of->owned, arena, "owned terms", sizeof(struct cache_owned),
		counters * 2);
	for (uint32_t kind = 0; kind < 2; kind++) {
		for (uint32_t b = 0; b < CACHE_COUNTER_BUCKETS; b++)
			list_init(&counters_of->buckets[kind][b]);
		list_init(&counters_of->everywhere[kind]);
	}
	list_init(&counters_of->recent);
}

/* ---- what a node must be ---- */

bool cache_labels_selected(const struct cache *cache, const struct kube_pod_template *class,
	uint32_t for_node, const struct kube_labels *labels, uint32_t name)
{
	struct kube_node_match match = {.strings = &cache->strings,
		.labels = labels,
		.name = name,
		.name_key = cache->names.metadata_name};
	const struct kube_label *pairs = KUBE_AT(class, class->node_selector, struct kube_label);
	for (uint32_t i = 0; i < class->node_selector.count; i++) {
		uint32_t value;
		if (!kube_labels_get(match.labels, pairs[i].key, &value) || value != pairs[i].value)
			return false;
	}
	if (class->has_required_nodes == 0)
		return true;
	if (class->is_for_node != 0 && name != for_node)
		return false;
	const struct kube_node_term *terms =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	for (uint32_t i = 0; i < class->required_nodes.count; i++)
		if (kube_node_term_matches(class, &terms[i], &match))
			return true;
	return false;
}

bool cache_node_selected(const struct cache *cache, const struct kube_pod_template *class,
	uint32_t for_node, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	return cache_labels_selected(
		cache, class, for_node, cache_labels_at(cache, node->labels), node->name);
}

const struct kube_taint *cache_untolerated(
	const struct kube_pod_template *class, const struct kube_node_facts *facts)
{
	const struct kube_taint *taints = KUBE_AT(facts, facts->taints, struct kube_taint);
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	for (uint32_t t = 0; t < facts->taints.count; t++) {
		if (taints[t].effect != KUBE_NO_SCHEDULE && taints[t].effect != KUBE_NO_EXECUTE)
			continue;
		bool tolerated = false;
		for (uint32_t i = 0; i < class->tolerations.count && !tolerated; i++)
			tolerated = kube_tolerates(&list[i], &taints[t]);
		if (!tolerated)
			return &taints[t];
	}
	return NULL;
}
