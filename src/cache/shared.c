/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blobs in the store: pod classes and label sets, which equal objects share, and blobs that
 * belong to one object.
 */
#include "base/hash.h"
#include "cache/private.h"

const struct kube_blob *cache_keep_blob(
	struct cache *cache, const struct kube_blob *blob, uint32_t *handle)
{
	CHECK(blob != NULL);
	CHECK(blob->size % 8 == 0);
	*handle = cache_store_take(cache, blob->size);
	if (*handle == 0) {
		kube_blob_drop(blob, &cache->strings);
		return NULL;
	}
	void *kept = store_at(&cache->store, *handle);
	memcpy(kept, blob, blob->size);
	return kept;
}

void cache_free_blob(struct cache *cache, const struct kube_blob *blob, uint32_t handle)
{
	CHECK(store_at(&cache->store, handle) == (const void *)blob);
	kube_blob_drop(blob, &cache->strings);
	store_give(&cache->store, handle);
}

static uint32_t share(
	struct cache *cache, struct pool *pool, struct map *map, const struct kube_blob *blob)
{
	struct map_walk walk = map_walk(map, blob->hash);
	for (uint32_t i; (i = map_next(map, &walk)) != 0;) {
		struct cache_shared *shared = pool_at(pool, i);
		if (!kube_blob_is(shared->blob, blob))
			continue;
		kube_blob_drop(blob, &cache->strings);
		shared->references++;
		return i;
	}
	uint32_t handle;
	const struct kube_blob *kept = cache_keep_blob(cache, blob, &handle);
	if (kept == NULL)
		return 0;
	uint32_t index;
	do { /* classes may be there for the sake of counters only */
		index = pool_take(pool);
	} while (index == 0 && cache_counters_yield(cache));
	if (index == 0) {
		cache_free_blob(cache, kept, handle);
		return 0;
	}
	*(struct cache_shared *)pool_at(pool, index) = (struct cache_shared){
		.blob = kept, .references = 1, .handle = handle, .serial = ++cache->serials};
	map_add(map, kept->hash, index); /* as large as the pool */
	return index;
}

static void unshare(struct cache *cache, struct pool *pool, struct map *map, uint32_t index)
{
	struct cache_shared *shared = pool_at(pool, index);
	CHECK(shared->references == 0);
	map_remove(map, shared->blob->hash, index);
	cache_free_blob(cache, shared->blob, shared->handle);
	pool_give(pool, index);
}

uint32_t cache_share_template(struct cache *cache, const struct kube_blob *blob)
{
	return share(cache, &cache->classes, &cache->templates_by_hash, blob);
}

void cache_unshare_template(struct cache *cache, uint32_t class)
{
	struct cache_shared *shared = pool_at(&cache->classes, class);
	CHECK(shared->references > 0);
	if (--shared->references > 0)
		return;
	CHECK(shared->placed == 0);
	unshare(cache, &cache->classes, &cache->templates_by_hash, class);
}

uint32_t cache_share_labels(struct cache *cache, const struct kube_blob *blob)
{
	return share(cache, &cache->label_sets, &cache->label_sets_by_hash, blob);
}

void cache_unshare_labels(struct cache *cache, uint32_t labels)
{
	struct cache_shared *shared = pool_at(&cache->label_sets, labels);
	CHECK(shared->references > 0);
	if (--shared->references == 0)
		unshare(cache, &cache->label_sets, &cache->label_sets_by_hash, labels);
}

/* Resource versions are opaque but comparable for equality; berth never orders them. */
uint64_t cache_version_of(struct text resource_version)
{
	uint64_t number;
	if (text_to_u64(resource_version, &number))
		return number;
	return hash_bytes(resource_version.at, resource_version.size) | (UINT64_C(1) << 63);
}
