/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains of nodes by label key, and the node-local rules that counters and plugins share.
 */
#include "base/hash.h"
#include "cache/private.h"

enum { NONE = 0 };

static size_t domains_size(uint32_t nodes)
{
	return 3 * (nodes + 2) * sizeof(uint32_t) + map_size(nodes) + 128;
}

size_t cache_topology_size(uint32_t nodes, uint32_t counters)
{
	return CACHE_TOPOLOGY_KEYS_MAX * domains_size(nodes) + (nodes + 2) * sizeof(uint32_t) +
		pool_size(sizeof(struct cache_counter), counters) + map_size(counters) +
		pool_size(sizeof(struct cache_owned), counters * 2) + 256;
}

void cache_topology_init(
	struct cache *cache, struct arena *arena, uint32_t nodes, uint32_t counters)
{
	struct cache_topology *topology = &cache->topology;
	topology->node_capacity = nodes;
	topology->identity = ARENA_ARRAY(arena, uint32_t, nodes + 1);
	for (uint32_t n = 0; n <= nodes; n++)
		topology->identity[n] = n;
	for (uint32_t k = 0; k < CACHE_TOPOLOGY_KEYS_MAX; k++) {
		struct cache_domains *domains = &topology->keys[k];
		domains->of_node = ARENA_ARRAY(arena, uint32_t, nodes + 1);
		domains->value = ARENA_ARRAY(arena, uint32_t, nodes + 1);
		domains->nodes = ARENA_ARRAY(arena, uint32_t, nodes + 1);
		map_init(&domains->by_value, arena, nodes);
	}
	struct cache_counters *counters_of = &cache->counters;
	pool_init(&counters_of->pool, arena, "counters", sizeof(struct cache_counter), counters);
	map_init(&counters_of->by_hash, arena, counters);
	pool_init(&counters_of->owned, arena, "owned terms", sizeof(struct cache_owned),
		counters * 2);
	for (uint32_t kind = 0; kind < 2; kind++) {
		for (uint32_t b = 0; b < CACHE_COUNTER_BUCKETS; b++)
			list_init(&counters_of->buckets[kind][b]);
		list_init(&counters_of->everywhere[kind]);
	}
	list_init(&counters_of->recent);
}

/* ---- domains ---- */

static uint32_t domain_of_value(struct cache_domains *domains, uint32_t value)
{
	struct map_walk walk = map_walk(&domains->by_value, hash_pair(value, 2));
	for (uint32_t d; (d = map_next(&domains->by_value, &walk)) != 0;)
		if (domains->value[d] == value)
			return d;
	return NONE;
}

static void domains_node_in(struct cache *cache, struct cache_domains *domains, uint32_t node)
{
	CHECK(domains->of_node[node] == NONE);
	uint32_t value;
	if (!kube_labels_get(cache_labels_at(cache, cache_node_at(cache, node)->labels),
		    domains->key, &value))
		return;
	uint32_t domain = domain_of_value(domains, value);
	if (domain == NONE) {
		domain = domains->free_first;
		if (domain != NONE)
			domains->free_first = domains->value[domain];
		else
			domain = ++domains->top;
		CHECK(domain <= cache->topology.node_capacity); /* one node or more each */
		domains->value[domain] = value;
		domains->nodes[domain] = 0;
		domains->filled++;
		map_add(&domains->by_value, hash_pair(value, 2), domain);
	}
	domains->of_node[node] = domain;
	domains->nodes[domain]++;
	domains->members++;
}

static void domains_node_out(struct cache_domains *domains, uint32_t node)
{
	uint32_t domain = domains->of_node[node];
	if (domain == NONE)
		return;
	domains->of_node[node] = NONE;
	CHECK(domains->nodes[domain] > 0);
	CHECK(domains->members > 0);
	domains->members--;
	if (--domains->nodes[domain] > 0)
		return;
	domains->filled--;
	map_remove(&domains->by_value, hash_pair(domains->value[domain], 2), domain);
	domains->value[domain] = domains->free_first;
	domains->free_first = domain;
}

void cache_domains_node(struct cache *cache, uint32_t node, bool in)
{
	for (uint32_t k = 0; k < CACHE_TOPOLOGY_KEYS_MAX; k++) {
		struct cache_domains *domains = &cache->topology.keys[k];
		if (domains->held == 0)
			continue;
		if (in)
			domains_node_in(cache, domains, node);
		else
			domains_node_out(domains, node);
	}
}

static bool node_is_there(const struct cache *cache, uint32_t node)
{
	return pool_is_taken(&cache->nodes, node) && cache_node_at(cache, node)->facts != NULL;
}

uint32_t cache_domains_hold(struct cache *cache, uint32_t key)
{
	uint32_t slot = CACHE_TOPOLOGY_KEYS_MAX;
	for (uint32_t k = 0; k < CACHE_TOPOLOGY_KEYS_MAX; k++) {
		struct cache_domains *domains = &cache->topology.keys[k];
		if (domains->held > 0 && domains->key == key) {
			domains->held++;
			return k;
		}
		if (domains->held == 0 && slot == CACHE_TOPOLOGY_KEYS_MAX)
			slot = k;
	}
	if (slot == CACHE_TOPOLOGY_KEYS_MAX)
		return slot;
	struct cache_domains *domains = &cache->topology.keys[slot];
	intern_keep(&cache->strings, key);
	domains->key = key;
	domains->held = 1;
	domains->top = 0;
	domains->filled = 0;
	domains->members = 0;
	domains->free_first = NONE;
	map_clear(&domains->by_value);
	memset(domains->of_node, 0, (cache->topology.node_capacity + 1) * sizeof(uint32_t));
	for (uint32_t node = 1; node <= pool_top(&cache->nodes); node++)
		if (node_is_there(cache, node))
			domains_node_in(cache, domains, node);
	return slot;
}

void cache_domains_release(struct cache *cache, uint32_t slot)
{
	if (slot == CACHE_TOPOLOGY_KEYS_MAX)
		return;
	struct cache_domains *domains = &cache->topology.keys[slot];
	CHECK(domains->held > 0);
	if (--domains->held == 0)
		intern_give(&cache->strings, domains->key);
}

/* ---- what a node must be ---- */

bool cache_labels_selected(const struct cache *cache, const struct kube_pod_template *class,
	const struct kube_labels *labels, uint32_t name)
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
	const struct kube_node_term *terms =
		KUBE_AT(class, class->required_nodes, struct kube_node_term);
	for (uint32_t i = 0; i < class->required_nodes.count; i++)
		if (kube_node_term_matches(class, &terms[i], &match))
			return true;
	return false;
}

bool cache_node_selected(
	const struct cache *cache, const struct kube_pod_template *class, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	return cache_labels_selected(
		cache, class, cache_labels_at(cache, node->labels), node->name);
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
