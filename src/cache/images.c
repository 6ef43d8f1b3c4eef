/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Images on nodes. An image that finds no room is only missing from a score, so it is refused
 * quietly (the pool counts it) and the node is taken all the same. Nothing of the reserve is
 * theirs.
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
	uint32_t index = pool_take(&images->pool);
	if (index == 0)
		return 0;
	*(struct cache_image *)pool_at(&images->pool, index) =
		(struct cache_image){.size_bytes = size_bytes, .name = name};
	intern_keep(&cache->strings, name);
	map_add(&images->by_name, hash_pair(name, 0), index);
	return index;
}

/* Its words reach from the lowest to the highest node that it was ever seen on. */
static bool image_reach(struct cache *cache, struct cache_image *image, uint32_t word)
{
	uint32_t first = image->words == 0 || word < image->first_word ? word : image->first_word;
	uint32_t end = image->first_word + image->words;
	end = image->words == 0 || word >= end ? word + 1 : end;
	if (end - first == image->words)
		return true;
	uint32_t handle = cache_store_take(cache, (end - first) * sizeof(uint64_t));
	if (handle == 0)
		return false;
	uint64_t *bits = store_at(&cache->store, handle);
	memset(bits, 0, (end - first) * sizeof(uint64_t));
	if (image->words > 0) {
		memcpy(bits + (image->first_word - first),
			store_at(&cache->store, image->bits_handle),
			image->words * sizeof(uint64_t));
		store_give(&cache->store, image->bits_handle);
	}
	image->bits_handle = handle;
	image->first_word = first;
	image->words = end - first;
	return true;
}

static void drop(struct cache *cache, uint32_t index)
{
	struct cache_images *images = &cache->images;
	const struct cache_image *image = pool_at(&images->pool, index);
	CHECK(image->node_count == 0);
	map_remove(&images->by_name, hash_pair(image->name, 0), index);
	if (image->words > 0)
		store_give(&cache->store, image->bits_handle);
	intern_give(&cache->strings, image->name);
	pool_give(&images->pool, index);
}

static bool image_put(struct cache *cache, uint32_t name, int64_t size_bytes, uint32_t node)
{
	uint32_t index = find_image(cache, name);
	if (index == 0)
		index = make_image(cache, name, size_bytes);
	if (index == 0)
		return false;
	struct cache_image *image = pool_at(&cache->images.pool, index);
	if (!image_reach(cache, image, node / 64)) {
		if (image->node_count == 0)
			drop(cache, index);
		return false;
	}
	uint64_t *bits = store_at(&cache->store, image->bits_handle);
	uint64_t bit = UINT64_C(1) << (node % 64);
	if ((bits[node / 64 - image->first_word] & bit) != 0)
		return true;
	bits[node / 64 - image->first_word] |= bit;
	image->node_count++;
	image->generation = ++cache->images.generation;
	return true;
}

bool cache_images_add_node(struct cache *cache, uint32_t node, const struct kube_node_facts *facts)
{
	bool all = true;
	const struct kube_image *list = KUBE_AT(facts, facts->images, struct kube_image);
	enum page_reserve before = PAGE_RESERVE_NONE;
	if (cache->budget != NULL) {
		before = cache->budget->may_use;
		cache->budget->may_use = PAGE_RESERVE_NONE;
	}
	for (uint32_t i = 0; i < facts->images.count; i++) {
		const uint32_t *names = KUBE_AT(facts, list[i].names, uint32_t);
		for (uint32_t n = 0; n < list[i].names.count; n++)
			all = image_put(cache, names[n], list[i].size_bytes, node) && all;
	}
	if (cache->budget != NULL)
		cache->budget->may_use = before;
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
			if (!cache_image_on(cache, image, node))
				continue;
			uint64_t *bits = store_at(&cache->store, image->bits_handle);
			bits[node / 64 - image->first_word] &= ~(UINT64_C(1) << (node % 64));
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

struct cache_image_set cache_image_nodes(const struct cache *cache, const struct cache_image *image)
{
	return (struct cache_image_set){
		store_at(&cache->store, image->bits_handle), image->first_word, image->words};
}

bool cache_image_on(const struct cache *cache, const struct cache_image *image, uint32_t node)
{
	struct cache_image_set set = cache_image_nodes(cache, image);
	return cache_image_set_has(&set, node);
}
