/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images on nodes. An image that finds no room is only missing from a score, so it is refused
 * quietly (the pool counts it) and the node is taken all the same.
 */
#include "base/hash.h"
#include "cache/private.h"

size_t cache_images_size(uint32_t images)
{
	return pool_size(sizeof(struct cache_image), images) + map_size(images) + 64;
}

void cache_images_init(struct cache *cache, struct arena *arena, uint32_t images)
{
	pool_init(&cache->images.pool, arena, "images", sizeof(struct cache_image), images);
	map_init_for(&cache->images.by_name, arena, &cache->images.pool);
}

static uint32_t image_words(const struct cache *cache)
{
	return (cache->nodes.capacity + 1 + 63) / 64;
}

static uint32_t find_image(const struct cache *cache, uint32_t name)
{
	const struct map *map = &cache->images.by_name;
	struct map_walk walk = map_walk(map, hash_pair(name, 0));
	for (uint32_t i; (i = map_next(map, &walk)) != 0;)
		if (((const struct cache_image *)pool_at(&cache->images.pool, i))->name == name)
			return i;
	return 0;
}

static uint32_t make_image(struct cache *cache, uint32_t name, int64_t size_bytes)
{
	struct cache_images *images = &cache->images;
	uint32_t bits = cache_store_take(cache, image_words(cache) * sizeof(uint64_t));
	if (bits == 0)
		return 0;
	uint32_t index = pool_take(&images->pool);
	if (index == 0) {
		store_give(&cache->store, bits);
		return 0;
	}
	memset(store_at(&cache->store, bits), 0, image_words(cache) * sizeof(uint64_t));
	*(struct cache_image *)pool_at(&images->pool, index) =
		(struct cache_image){.size_bytes = size_bytes, .name = name, .bits_handle = bits};
	intern_keep(&cache->strings, name);
	map_add(&images->by_name, hash_pair(name, 0), index);
	return index;
}

static void drop(struct cache *cache, uint32_t index)
{
	struct cache_images *images = &cache->images;
	const struct cache_image *image = pool_at(&images->pool, index);
	CHECK(image->node_count == 0);
	map_remove(&images->by_name, hash_pair(image->name, 0), index);
	store_give(&cache->store, image->bits_handle);
	intern_give(&cache->strings, image->name);
	pool_give(&images->pool, index);
}

bool cache_images_add_node(struct cache *cache, uint32_t node, const struct kube_node_facts *facts)
{
	bool all = true;
	const struct kube_image *list = KUBE_AT(facts, facts->images, struct kube_image);
	for (uint32_t i = 0; i < facts->images.count; i++) {
		const uint32_t *names = KUBE_AT(facts, list[i].names, uint32_t);
		for (uint32_t n = 0; n < list[i].names.count; n++) {
			uint32_t index = find_image(cache, names[n]);
			if (index == 0)
				index = make_image(cache, names[n], list[i].size_bytes);
			if (index == 0) {
				all = false;
				continue;
			}
			struct cache_image *image = pool_at(&cache->images.pool, index);
			uint64_t *bits = store_at(&cache->store, image->bits_handle);
			uint64_t bit = UINT64_C(1) << (node % 64);
			if ((bits[node / 64] & bit) != 0)
				continue;
			bits[node / 64] |= bit;
			image->node_count++;
			image->generation = ++cache->images.generation;
		}
	}
	return all;
}

void cache_images_remove_node(
	struct cache *cache, uint32_t node, const struct kube_node_facts *facts)
{
	const struct kube_image *list = KUBE_AT(facts, facts->images, struct kube_image);
	for (uint32_t i = 0; i < facts->images.count; i++) {
		const uint32_t *names = KUBE_AT(facts, list[i].names, uint32_t);
		for (uint32_t n = 0; n < list[i].names.count; n++) {
			uint32_t index = find_image(cache, names[n]);
			if (index == 0)
				continue;
			struct cache_image *image = pool_at(&cache->images.pool, index);
			uint64_t *bits = store_at(&cache->store, image->bits_handle);
			uint64_t bit = UINT64_C(1) << (node % 64);
			if ((bits[node / 64] & bit) == 0)
				continue;
			bits[node / 64] &= ~bit;
			image->generation = ++cache->images.generation;
			if (--image->node_count == 0)
				drop(cache, index);
		}
	}
}

const struct cache_image *cache_image_find(const struct cache *cache, uint32_t name)
{
	uint32_t index = find_image(cache, name);
	return index == 0 ? NULL : pool_at(&cache->images.pool, index);
}

const uint64_t *cache_image_bits(
	const struct cache *cache, const struct cache_image *image, uint32_t *words)
{
	*words = image_words(cache);
	return store_at(&cache->store, image->bits_handle);
}

bool cache_image_on(const struct cache *cache, const struct cache_image *image, uint32_t node)
{
	uint32_t words;
	const uint64_t *bits = cache_image_bits(cache, image, &words);
	return (bits[node / 64] >> (node % 64) & 1) != 0;
}
