/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which nodes are visited: one of each zone in turn.
 */
#include "cache/private.h"

/* Every node may stand in a zone of its own. */
size_t cache_order_size(uint32_t nodes)
{
	return pool_lane_size(sizeof(struct cache_zone), nodes) +
		3 * pool_lane_size(sizeof(uint32_t), nodes);
}

void cache_order_init(struct cache *cache, struct arena *arena)
{
	struct pool *nodes = &cache->nodes;
	struct cache_node_order *order = &cache->order;
	order->zones = pool_add_lane(nodes, &order->lanes[0], arena, sizeof(*order->zones));
	order->next_in_zone =
		pool_add_lane(nodes, &order->lanes[1], arena, sizeof(*order->next_in_zone));
	order->list = pool_add_lane(nodes, &order->lanes[2], arena, sizeof(*order->list));
	order->turn = pool_add_lane(nodes, &order->lanes[3], arena, sizeof(*order->turn));
}

/* The beta label wins even when its value is empty. */
static uint32_t zone_part(const struct kube_labels *labels, uint32_t beta, uint32_t key)
{
	uint32_t value = INTERN_EMPTY;
	if (!kube_labels_get(labels, beta, &value))
		(void)kube_labels_get(labels, key, &value);
	return value;
}

static void zone_of(
	const struct cache *cache, const struct cache_node *node, uint32_t *region, uint32_t *zone)
{
	const struct kube_labels *labels = cache_labels_at(cache, node->labels);
	*region = zone_part(labels, cache->names.beta_region, cache->names.region);
	*zone = zone_part(labels, cache->names.beta_zone, cache->names.zone);
}

/* zone_count when there is none. */
static uint32_t zone_find(const struct cache_node_order *order, uint32_t region, uint32_t name)
{
	uint32_t z = 0;
	while (z < order->zone_count &&
		(order->zones[z].region != region || order->zones[z].name != name))
		z++;
	return z;
}

void cache_order_add(struct cache *cache, uint32_t index)
{
	struct cache_node_order *order = &cache->order;
	struct cache_node *node = cache_node_at(cache, index);
	uint32_t region;
	uint32_t name;
	zone_of(cache, node, &region, &name);

	uint32_t z = zone_find(order, region, name);
	if (z == order->zone_count) {
		order->zone_count++;
		order->zones[z] = (struct cache_zone){.region = region, .name = name};
		intern_keep(&cache->strings, region);
		intern_keep(&cache->strings, name);
	}
	struct cache_zone *zone = &order->zones[z];
	order->next_in_zone[index] = 0;
	if (zone->last != 0)
		order->next_in_zone[zone->last] = index;
	else
		zone->first = index;
	zone->last = index;
	zone->count++;
	node->zone = z;
	order->count++;
	order->stale = true;
	CHECK(order->zone_count <= order->count);
}

static void zone_drop(struct cache *cache, uint32_t z)
{
	struct cache_node_order *order = &cache->order;
	intern_give(&cache->strings, order->zones[z].region);
	intern_give(&cache->strings, order->zones[z].name);
	order->zone_count--;
	for (uint32_t i = z; i < order->zone_count; i++) {
		order->zones[i] = order->zones[i + 1];
		for (uint32_t n = order->zones[i].first; n != 0; n = order->next_in_zone[n])
			cache_node_at(cache, n)->zone = i;
	}
}

void cache_order_remove(struct cache *cache, uint32_t index)
{
	struct cache_node_order *order = &cache->order;
	uint32_t z = cache_node_at(cache, index)->zone;
	CHECK(z < order->zone_count);
	struct cache_zone *zone = &order->zones[z];
	uint32_t before = 0;
	for (uint32_t n = zone->first; n != index; n = order->next_in_zone[n]) {
		CHECK(n != 0);
		before = n;
	}
	uint32_t after = order->next_in_zone[index];
	if (before != 0)
		order->next_in_zone[before] = after;
	else
		zone->first = after;
	if (zone->last == index)
		zone->last = before;
	if (--zone->count == 0)
		zone_drop(cache, z);
	order->count--;
	order->stale = true;
}

void cache_order_follow(struct cache *cache, uint32_t index)
{
	struct cache_node *node = cache_node_at(cache, index);
	const struct cache_zone *zone = &cache->order.zones[node->zone];
	uint32_t region;
	uint32_t name;
	zone_of(cache, node, &region, &name);
	if (zone->region == region && zone->name == name)
		return;
	cache_order_remove(cache, index);
	cache_order_add(cache, index);
}

const uint32_t *cache_order(struct cache *cache, uint32_t *count)
{
	struct cache_node_order *order = &cache->order;
	*count = order->count;
	if (!order->stale)
		return order->list;
	uint32_t zones = order->zone_count; /* that have nodes left, in order */
	uint32_t *turn = order->turn;       /* the next node of each */
	for (uint32_t z = 0; z < zones; z++)
		turn[z] = order->zones[z].first;
	uint32_t filled = 0;
	while (zones > 0) {
		uint32_t left = 0;
		for (uint32_t z = 0; z < zones; z++) {
			uint32_t node = turn[z];
			cache_node_at(cache, node)->position = filled;
			order->list[filled++] = node;
			if (order->next_in_zone[node] != 0)
				turn[left++] = order->next_in_zone[node];
		}
		zones = left;
	}
	CHECK(filled == order->count);
	order->stale = false;
	order->version++;
	return order->list;
}
