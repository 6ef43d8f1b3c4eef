/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assumed volumes: copies of blobs with a few words changed. Few at a time, so an object has but a
 * small number that says where its copy is.
 */
#include "cache/assumed.h"

#include "cache/private.h"
#include "kube/volume.h"

_Static_assert(CACHE_ASSUMED_MAX < UINT16_MAX, "cache_object.assumed holds the index");

static struct cache_object *object_at(const struct cache *cache, uint32_t object)
{
	return pool_at(&cache->objects, object);
}

static struct cache_assumed *assumed_at(const struct cache *cache, uint32_t index)
{
	return pool_at(&cache->assumed, index);
}

static uint32_t assumed_capacity(uint32_t objects)
{
	return objects < CACHE_ASSUMED_MAX ? objects : CACHE_ASSUMED_MAX;
}

void cache_assumed_init(struct cache *cache, struct arena *arena, uint32_t objects)
{
	pool_init(&cache->assumed, arena, "assumed volumes", sizeof(struct cache_assumed),
		assumed_capacity(objects));
}

size_t cache_assumed_size(uint32_t objects)
{
	return pool_size(sizeof(struct cache_assumed), assumed_capacity(objects));
}

/* A copy to be changed; it holds every string that the object's own blob holds. NULL: no room. */
static struct kube_blob *copy_of(
	struct cache *cache, uint32_t object, const uint32_t ids[CACHE_ASSUMED_IDS])
{
	const struct kube_blob *blob = object_at(cache, object)->blob;
	uint32_t index = pool_take(&cache->assumed);
	if (index == 0)
		return NULL;
	uint32_t handle = cache_store_take(cache, blob->size);
	if (handle == 0) {
		pool_give(&cache->assumed, index);
		return NULL;
	}
	struct kube_blob *copy = store_at(&cache->store, handle);
	memcpy(copy, blob, blob->size);
	const uint32_t *refs = KUBE_AT(copy, copy->refs, uint32_t);
	for (uint32_t i = 0; i < copy->refs.count; i++)
		intern_keep(&cache->strings, refs[i]);
	struct cache_assumed *assumed = assumed_at(cache, index);
	*assumed = (struct cache_assumed){
		.blob = copy, .handle = handle, .object = object, .holders = 1};
	for (uint32_t i = 0; i < CACHE_ASSUMED_IDS; i++) {
		assumed->ids[i] = ids[i];
		intern_keep(&cache->strings, ids[i]);
	}
	object_at(cache, object)->assumed = (uint16_t)index;
	cache->kind_generation[object_at(cache, object)->kind]++;
	return copy;
}

/* True: it is assumed already, by one more now. */
static bool join_assumed(struct cache *cache, uint32_t object,
	const uint32_t ids[CACHE_ASSUMED_IDS], enum cache_result *result)
{
	uint32_t index = object_at(cache, object)->assumed;
	if (index == 0)
		return false;
	struct cache_assumed *assumed = assumed_at(cache, index);
	bool same = memcmp(assumed->ids, ids, sizeof(assumed->ids)) == 0;
	assumed->holders += same;
	*result = same ? CACHE_OK : CACHE_CONFLICT;
	return true;
}

enum cache_result cache_assume_volume(struct cache *cache, uint32_t pv, uint32_t claim)
{
	const struct cache_object *of = object_at(cache, claim);
	CHECK(object_at(cache, pv)->kind == KUBE_PV);
	CHECK(of->kind == KUBE_PVC);
	const struct kube_pvc *facts = (const struct kube_pvc *)(const void *)of->blob;
	const uint32_t ids[CACHE_ASSUMED_IDS] = {of->namespace, of->name, facts->uid};
	enum cache_result result;
	if (join_assumed(cache, pv, ids, &result))
		return result;
	struct kube_pv *copy = (struct kube_pv *)(void *)copy_of(cache, pv, ids);
	if (copy == NULL)
		return CACHE_FULL;
	copy->has_claim = true;
	copy->claim_namespace = of->namespace;
	copy->claim_name = of->name;
	copy->claim_uid = facts->uid;
	return CACHE_OK;
}

enum cache_result cache_assume_provision(struct cache *cache, uint32_t claim, uint32_t node_name)
{
	CHECK(object_at(cache, claim)->kind == KUBE_PVC);
	const uint32_t ids[CACHE_ASSUMED_IDS] = {node_name, INTERN_EMPTY, INTERN_EMPTY};
	enum cache_result result;
	if (join_assumed(cache, claim, ids, &result))
		return result;
	struct kube_pvc *copy = (struct kube_pvc *)(void *)copy_of(cache, claim, ids);
	if (copy == NULL)
		return CACHE_FULL;
	copy->has_annotations = true;
	copy->has_selected_node = true;
	copy->selected_node = node_name;
	return CACHE_OK;
}

void cache_assumed_drop(struct cache *cache, uint32_t object)
{
	uint32_t index = object_at(cache, object)->assumed;
	if (index == 0)
		return;
	struct cache_assumed *assumed = assumed_at(cache, index);
	CHECK(assumed->object == object);
	object_at(cache, object)->assumed = 0;
	cache->kind_generation[object_at(cache, object)->kind]++;
	cache_free_blob(cache, assumed->blob, assumed->handle);
	for (uint32_t i = 0; i < CACHE_ASSUMED_IDS; i++)
		intern_give(&cache->strings, assumed->ids[i]);
	pool_give(&cache->assumed, index);
}

void cache_forget_assumed(struct cache *cache, uint32_t object, uint64_t version)
{
	if (!pool_is_taken(&cache->objects, object))
		return;
	const struct cache_object *of = object_at(cache, object);
	if (of->assumed == 0 || of->version != version)
		return;
	if (--assumed_at(cache, of->assumed)->holders == 0)
		cache_assumed_drop(cache, object);
}

const void *cache_assumed_blob(const struct cache *cache, uint32_t object)
{
	const struct cache_object *of = object_at(cache, object);
	return of->assumed == 0 ? of->blob : assumed_at(cache, of->assumed)->blob;
}

void cache_assumed_audit(const struct cache *cache)
{
	uint32_t count = 0;
	for (uint32_t o = pool_next(&cache->objects, 0); o != 0;
		o = pool_next(&cache->objects, o)) {
		const struct cache_object *object = object_at(cache, o);
		if (object->assumed == 0)
			continue;
		const struct cache_assumed *assumed = assumed_at(cache, object->assumed);
		CHECK(object->kind == KUBE_PV || object->kind == KUBE_PVC);
		CHECK(assumed->object == o);
		CHECK(assumed->holders > 0);
		CHECK(assumed->blob != object->blob);
		CHECK(assumed->blob->size == object->blob->size);
		count++;
	}
	CHECK(count == pool_used(&cache->assumed));
}
