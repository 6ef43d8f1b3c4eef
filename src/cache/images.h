/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images that nodes hold: for each name its size (what the first node that named it said) and
 * the set of nodes that have it.
 */
#ifndef BERTH_CACHE_IMAGES_H
#define BERTH_CACHE_IMAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/pool.h"

struct cache;
struct kube_node_facts;

struct cache_image {
	int64_t size_bytes;
	uint64_t generation; /* of the cache's images when its set last changed */
	uint32_t name;
	uint32_t node_count;
	uint32_t bits_handle; /* one bit per node index, in the store */
};

struct cache_images {
	struct pool pool;
	struct map by_name;
	uint64_t generation;
};

/* False when there is no room (nothing changed). */
bool cache_images_add_node(struct cache *cache, uint32_t node, const struct kube_node_facts *facts);
void cache_images_remove_node(
	struct cache *cache, uint32_t node, const struct kube_node_facts *facts);
/* NULL when no node has it. */
const struct cache_image *cache_image_find(const struct cache *cache, uint32_t name);
bool cache_image_on(const struct cache *cache, const struct cache_image *image, uint32_t node);
const uint64_t *cache_image_bits(
	const struct cache *cache, const struct cache_image *image, uint32_t *words);

#endif
