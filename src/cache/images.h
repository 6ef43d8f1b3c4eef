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
	/* A bit per node index, in the store, from the first word with one to the last. */
	uint32_t bits_handle;
	uint32_t first_word;
	uint32_t words;
};

struct cache_image_set {
	const uint64_t *bits;
	uint32_t first_word;
	uint32_t words;
};

struct cache_images {
	struct pool pool;
	struct map by_name;
	uint64_t generation;
};

/* False when there is no room for some of them. */
bool cache_images_add_node(struct cache *cache, uint32_t node, const struct kube_node_facts *facts);
void cache_images_remove_node(
	struct cache *cache, uint32_t node, const struct kube_node_facts *facts);
/* NULL when no node has it. */
const struct cache_image *cache_image_find(const struct cache *cache, uint32_t name);
bool cache_image_on(const struct cache *cache, const struct cache_image *image, uint32_t node);
struct cache_image_set cache_image_nodes(
	const struct cache *cache, const struct cache_image *image);
static inline bool cache_image_set_has(const struct cache_image_set *set, uint32_t node)
{
	uint32_t at = node / 64 - set->first_word; /* wraps when it is below */
	return at < set->words && (set->bits[at] >> (node % 64) & 1) != 0;
}

#endif
