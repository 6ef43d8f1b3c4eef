/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains: for each label key that counters count by, the label's value at each node as a small
 * number. Tables are in the store and double when they are full.
 */
#include "base/hash.h"
#include "cache/private.h"

enum { NONE = 0, ROOM_MIN = 16 };

/* Twice of it until it is more than `most`. */
static uint32_t domains_room(uint32_t room, uint32_t most)
{
	room = room == 0 ? ROOM_MIN : room;
	while (room <= most)
		room *= 2;
	return room;
}

static uint32_t domains_find(const struct cache *cache, uint32_t key)
{
	struct map_walk walk = map_walk(&cache->topology.by_key, hash_pair(key, 3));
	for (uint32_t slot; (slot = map_next(&cache->topology.by_key, &walk)) != 0;)
		if (cache_domains_at(cache, slot)->key == key)
			return slot;
	return 0;
}

static uint32_t domains_of_value(const struct cache_domains *domains, uint32_t value)
{
	struct map_walk walk = map_walk(&domains->by_value, hash_pair(value, 2));
	for (uint32_t d; (d = map_next(&domains->by_value, &walk)) != 0;)
		if (domains->value[d] == value)
			return d;
	return NONE;
}

/* ---- room ---- */

static bool domains_grow_nodes(struct cache *cache, struct cache_domains *domains, uint32_t node)
{
	if (node < domains->node_room)
		return true;
	uint32_t room = domains_room(domains->node_room, node);
	uint32_t handle = store_take(&cache->store, room * sizeof(uint32_t));
	if (handle == 0)
		return false;
	uint32_t *of_node = store_at(&cache->store, handle);
	memset(of_node, 0, room * sizeof(uint32_t));
	if (domains->of_node_handle != 0) {
		memcpy(of_node, domains->of_node, domains->node_room * sizeof(uint32_t));
		store_give(&cache->store, domains->of_node_handle);
	}
	domains->of_node = of_node;
	domains->of_node_handle = handle;
	domains->node_room = room;
	return true;
}

/* There is a domain for one more value. */
static bool domains_grow_values(struct cache *cache, struct cache_domains *domains)
{
	if (domains->free_first != NONE || domains->top + 1 < domains->value_room)
		return true;
	uint32_t room = domains_room(domains->value_room, domains->top + 1);
	size_t size = room * sizeof(uint32_t);
	uint32_t handle = store_take(&cache->store, 2 * size + map_size(room));
	if (handle == 0)
		return false;
	uint32_t *value = store_at(&cache->store, handle);
	memset(value, 0, 2 * size + map_size(room));
	uint32_t *nodes = value + room;
	map_init_in(&domains->by_value, nodes + room, room);
	for (uint32_t d = 1; d <= domains->top; d++) {
		value[d] = domains->value[d];
		nodes[d] = domains->nodes[d];
		CHECK(nodes[d] > 0); /* none is free */
		map_add(&domains->by_value, hash_pair(value[d], 2), d);
	}
	if (domains->values_handle != 0)
		store_give(&cache->store, domains->values_handle);
	domains->value = value;
	domains->nodes = nodes;
	domains->values_handle = handle;
	domains->value_room = room;
	return true;
}

static bool domains_reserve(struct cache *cache, struct cache_domains *domains)
{
	return domains_grow_nodes(cache, domains, pool_top(&cache->nodes)) &&
		domains_grow_values(cache, domains);
}

bool cache_domains_reserve_labels(struct cache *cache, const struct kube_labels *labels)
{
	if (labels == NULL || pool_used(&cache->topology.keys) == 0)
		return true;
	const struct kube_label *pairs = KUBE_AT(labels, labels->pairs, struct kube_label);
	for (uint32_t i = 0; i < labels->pairs.count; i++) {
		uint32_t slot = domains_find(cache, pairs[i].key);
		if (slot != 0 && !domains_reserve(cache, cache_domains_at(cache, slot)))
			return false;
	}
	return true;
}

bool cache_domains_reserve_nodes(struct cache *cache, uint32_t node)
{
	const struct pool *keys = &cache->topology.keys;
	for (uint32_t slot = pool_next(keys, 0); slot != 0; slot = pool_next(keys, slot)) {
		struct cache_domains *domains = cache_domains_at(cache, slot);
		if (domains->of_node != NULL && !domains_grow_nodes(cache, domains, node))
			return false;
	}
	return true;
}

/* ---- nodes come and go ---- */

static void domains_node_in(struct cache_domains *domains, uint32_t node, uint32_t value)
{
	CHECK(node < domains->node_room);
	CHECK(domains->of_node[node] == NONE);
	uint32_t domain = domains_of_value(domains, value);
	if (domain == NONE) {
		domain = domains->free_first;
		if (domain != NONE)
			domains->free_first = domains->value[domain];
		else
			domain = ++domains->top;
		CHECK(domain < domains->value_room);
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
	CHECK(domain != NONE);
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
	const struct kube_labels *labels =
		cache_labels_at(cache, cache_node_at(cache, node)->labels);
	if (labels == NULL || pool_used(&cache->topology.keys) == 0)
		return;
	const struct kube_label *pairs = KUBE_AT(labels, labels->pairs, struct kube_label);
	for (uint32_t i = 0; i < labels->pairs.count; i++) {
		uint32_t slot = domains_find(cache, pairs[i].key);
		if (slot == 0)
			continue;
		if (in)
			domains_node_in(cache_domains_at(cache, slot), node, pairs[i].value);
		else
			domains_node_out(cache_domains_at(cache, slot), node);
	}
}

/* ---- keys ---- */

static void domains_drop(struct cache *cache, uint32_t slot)
{
	struct cache_domains *domains = cache_domains_at(cache, slot);
	if (domains->of_node_handle != 0)
		store_give(&cache->store, domains->of_node_handle);
	if (domains->values_handle != 0)
		store_give(&cache->store, domains->values_handle);
	map_remove(&cache->topology.by_key, hash_pair(domains->key, 3), slot);
	intern_give(&cache->strings, domains->key);
	pool_give(&cache->topology.keys, slot);
}

/* All nodes that have the key; false when there is no room for them. */
static bool domains_fill(struct cache *cache, struct cache_domains *domains)
{
	const struct pool *nodes = &cache->nodes;
	for (uint32_t n = pool_next(nodes, 0); n != 0; n = pool_next(nodes, n)) {
		const struct cache_node *node = cache_node_at(cache, n);
		uint32_t value;
		if (node->facts == NULL ||
			!kube_labels_get(
				cache_labels_at(cache, node->labels), domains->key, &value))
			continue;
		if (!domains_reserve(cache, domains))
			return false;
		domains_node_in(domains, n, value);
	}
	return true;
}

uint32_t cache_domains_hold(struct cache *cache, uint32_t key)
{
	uint32_t slot = domains_find(cache, key);
	if (slot != 0) {
		cache_domains_at(cache, slot)->held++;
		return slot;
	}
	slot = pool_take(&cache->topology.keys);
	if (slot == 0)
		return 0;
	struct cache_domains *domains = cache_domains_at(cache, slot);
	intern_keep(&cache->strings, key);
	domains->key = key;
	domains->held = 1;
	map_add(&cache->topology.by_key, hash_pair(key, 3), slot);
	if (domains_fill(cache, domains))
		return slot;
	domains_drop(cache, slot);
	return 0;
}

void cache_domains_release(struct cache *cache, uint32_t slot)
{
	if (slot == 0)
		return;
	struct cache_domains *domains = cache_domains_at(cache, slot);
	CHECK(domains->held > 0);
	if (--domains->held == 0)
		domains_drop(cache, slot);
}

const uint32_t *cache_domains_of(const struct cache *cache, uint32_t slot, uint32_t *top)
{
	if (slot == 0) {
		*top = pool_top(&cache->nodes);
		return cache->topology.identity;
	}
	const struct cache_domains *domains = cache_domains_at(cache, slot);
	*top = domains->top;
	return domains->of_node == NULL ? cache->topology.nowhere : domains->of_node;
}
