/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything but pods and nodes: one blob per object, found by (kind, namespace, name).
 */
#include "base/hash.h"
#include "cache/private.h"

static struct cache_object *object_of_kind_at(const struct cache *cache, uint32_t object)
{
	return pool_at(&cache->objects, object);
}

static uint32_t name_hash(enum kube_kind kind, uint32_t namespace, uint32_t name)
{
	return hash_more(hash_pair(namespace, name), kind);
}

uint32_t cache_find_object(
	const struct cache *cache, enum kube_kind kind, uint32_t namespace, uint32_t name)
{
	struct map_walk walk = map_walk(&cache->objects_by_name, name_hash(kind, namespace, name));
	for (uint32_t i; (i = map_next(&cache->objects_by_name, &walk)) != 0;) {
		const struct cache_object *object = object_of_kind_at(cache, i);
		if (object->kind == kind && object->namespace == namespace && object->name == name)
			return i;
	}
	return 0;
}

const void *cache_object_blob(
	const struct cache *cache, enum kube_kind kind, uint32_t namespace, uint32_t name)
{
	uint32_t index = cache_find_object(cache, kind, namespace, name);
	return index == 0 ? NULL : object_of_kind_at(cache, index)->blob;
}

const struct kube_labels *cache_namespace_labels(const struct cache *cache, uint32_t namespace)
{
	uint32_t index = cache_find_object(cache, KUBE_NAMESPACE, 0, namespace);
	return index == 0 ? NULL : cache_labels_at(cache, object_of_kind_at(cache, index)->labels);
}

struct parts {
	const struct kube_blob *blob;
	uint32_t handle;
	uint32_t labels;
	uint32_t namespace;
	uint32_t name;
	enum kube_kind kind;
	uint32_t devices; /* records of cache/devices.h */
};

static void give_object_parts(struct cache *cache, const struct parts *parts)
{
	cache_devices_unmake(cache, parts->kind, parts->devices);
	if (parts->blob != NULL)
		cache_free_blob(cache, parts->blob, parts->handle);
	if (parts->labels != 0)
		cache_unshare_labels(cache, parts->labels);
	intern_give(&cache->strings, parts->namespace);
	intern_give(&cache->strings, parts->name);
}

static bool take_object_parts(
	struct cache *cache, const struct kube_object *kube, struct parts *parts)
{
	*parts = (struct parts){.kind = kube->kind};
	bool all = true;
	if (kube->blob != NULL)
		all = (parts->blob = cache_keep_blob(cache, kube->blob, &parts->handle)) != NULL;
	if (kube->labels != NULL)
		all = (parts->labels = cache_share_labels(cache, &kube->labels->blob)) != 0 && all;
	struct text namespace =
		kube_kinds[kube->kind].namespaced ? kube->meta.namespace : TEXT_NONE;
	if (!cache_intern_take(cache, namespace, &parts->namespace)) {
		parts->namespace = INTERN_EMPTY;
		all = false;
	}
	if (!cache_intern_take(cache, kube->meta.name, &parts->name)) {
		parts->name = INTERN_EMPTY;
		all = false;
	}
	if (all && kube->blob != NULL)
		all = cache_devices_make(cache, kube->kind, parts->blob, &parts->devices);
	if (!all)
		give_object_parts(cache, parts);
	return all;
}

static uint32_t make_object(struct cache *cache, enum kube_kind kind, const struct parts *parts)
{
	uint32_t index = pool_take(&cache->objects);
	if (index == 0)
		return 0;
	struct cache_object *object = object_of_kind_at(cache, index);
	object->kind = kind;
	object->namespace = parts->namespace;
	object->name = parts->name;
	intern_keep(&cache->strings, object->namespace);
	intern_keep(&cache->strings, object->name);
	list_init(&object->link);
	list_add_last(&cache->by_kind[kind], &object->link);
	map_add(&cache->objects_by_name, name_hash(kind, object->namespace, object->name), index);
	return index;
}

static bool same_content(const struct cache_object *object, const struct parts *parts)
{
	if (object->labels != parts->labels)
		return false;
	if (object->blob == NULL || parts->blob == NULL)
		return object->blob == parts->blob;
	return kube_blob_is(object->blob, parts->blob);
}

static struct cache_side object_side(const struct cache *cache, const struct cache_object *object)
{
	return (struct cache_side){.there = true,
		.blob = object->blob,
		.labels = cache_labels_at(cache, object->labels)};
}

/* From the object's present state, which is given up now. */
static struct cache_change object_change(const struct cache *cache, uint32_t index)
{
	const struct cache_object *object = object_of_kind_at(cache, index);
	return (struct cache_change){
		.event = {.kind = (enum kube_kind)object->kind,
			.index = index,
			.namespace = object->namespace,
			.name = object->name,
			.old = object_side(cache, object)},
		.held = {.blob = object->blob,
			.handle = object->handle,
			.labels = object->labels,
			.strings = {object->namespace, object->name}},
	};
}

void cache_object_again(struct cache *cache, uint32_t index)
{
	if (index == 0)
		return;
	struct cache_change change = {.event = object_change(cache, index).event};
	change.event.now = change.event.old;
	change.event.old = (struct cache_side){.there = false};
	cache_log_append(cache, &change);
}

static uint32_t find_known(const struct cache *cache, const struct kube_object *kube)
{
	uint32_t namespace = INTERN_EMPTY;
	uint32_t name;
	if (kube_kinds[kube->kind].namespaced &&
		!intern_find(&cache->strings, kube->meta.namespace, &namespace))
		return 0;
	if (!intern_find(&cache->strings, kube->meta.name, &name))
		return 0;
	return cache_find_object(cache, kube->kind, namespace, name);
}

static void mark_seen(struct cache *cache, const struct kube_object *kube)
{
	uint32_t index = find_known(cache, kube);
	if (index != 0)
		object_of_kind_at(cache, index)->seen = cache->list_round[kube->kind];
}

/* It is not kept, and not any more. */
static enum cache_result drop_needless(struct cache *cache, const struct kube_object *kube)
{
	uint32_t index = find_known(cache, kube);
	kube_blob_drop(kube->blob, &cache->strings);
	CHECK(kube->labels == NULL);
	return index == 0 ? CACHE_UNCHANGED : cache_remove_object(cache, index);
}

enum cache_result cache_put_object(
	struct cache *cache, const struct kube_object *kube, uint32_t *index)
{
	CHECK(kube->kind > KUBE_NODE && kube->kind < KUBE_KINDS);
	*index = 0;
	if (kube->is_needless)
		return drop_needless(cache, kube);
	mark_seen(cache, kube); /* also when it is refused: the list has shown it */
	struct parts parts;
	if (!take_object_parts(cache, kube, &parts)) {
		cache->refused++;
		return CACHE_FULL;
	}
	*index = cache_find_object(cache, kube->kind, parts.namespace, parts.name);
	bool is_new = *index == 0;
	if (is_new)
		*index = make_object(cache, kube->kind, &parts);
	if (*index == 0) {
		give_object_parts(cache, &parts);
		cache->refused++;
		return CACHE_FULL;
	}
	struct cache_object *object = object_of_kind_at(cache, *index);
	uint64_t version = cache_version_of(kube->meta.resource_version);
	bool same = !is_new && same_content(object, &parts);
	bool again = same && object->version == version && kube->meta.resource_version.size > 0;
	object->version = version;
	object->seen = cache->list_round[kube->kind];
	if (again) {
		give_object_parts(cache, &parts);
		return CACHE_UNCHANGED;
	}
	cache_assumed_drop(cache, *index);
	/* Something changed, even when nothing that we read: upstream tells of every update. */
	struct cache_change change = object_change(cache, *index);
	change.event.old.there = !is_new;
	/* The names stay the object's; those that came with the new version are given back. */
	object->blob = parts.blob;
	object->handle = parts.handle;
	object->labels = parts.labels;
	cache_devices_put(cache, kube->kind, *index, parts.blob, parts.devices);
	cache->kind_generation[kube->kind] += !same;
	change.event.now = object_side(cache, object);
	cache_log_append(cache, &change);
	return CACHE_OK;
}

enum cache_result cache_remove_object(struct cache *cache, uint32_t index)
{
	struct cache_object *object = object_of_kind_at(cache, index);
	cache_assumed_drop(cache, index);
	cache_devices_remove(cache, (enum kube_kind)object->kind, index);
	cache->kind_generation[object->kind]++;
	struct cache_change change = object_change(cache, index);
	list_remove(&object->link);
	map_remove(&cache->objects_by_name,
		name_hash(object->kind, object->namespace, object->name), index);
	cache_log_append(cache, &change);
	pool_give(&cache->objects, index);
	return CACHE_OK;
}
