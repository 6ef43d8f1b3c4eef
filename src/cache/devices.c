/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What follows from slices and claims, kept up with each of their changes.
 */
#include "cache/devices.h"

#include "base/hash.h"
#include "cache/private.h"

static struct cache_slice *slice_at(const struct cache *cache, uint32_t slice)
{
	return pool_at(&cache->devices.slices, slice);
}

static struct cache_given *given_at(const struct cache *cache, uint32_t given)
{
	return pool_at(&cache->devices.given, given);
}

static struct cache_pending *pending_at(const struct cache *cache, uint32_t pending)
{
	return pool_at(&cache->devices.pending, pending);
}

static uint32_t hash_of_node(uint32_t node)
{
	return hash_pair(node, 1);
}

static uint32_t hash_of_device(uint32_t driver, uint32_t pool, uint32_t device)
{
	return hash_more(hash_pair(driver, pool), device);
}

size_t cache_devices_size(uint32_t objects, uint32_t nodes)
{
	return pool_size(sizeof(struct cache_slice), objects) + 2 * map_size(objects) +
		pool_size(sizeof(struct cache_given), objects * CACHE_GIVEN_PER_OBJECT) +
		map_size(objects * CACHE_GIVEN_PER_OBJECT) +
		pool_size(sizeof(struct cache_pending), objects) +
		2 * pool_lane_size(sizeof(uint32_t), objects) +
		pool_lane_size(sizeof(uint64_t), nodes);
}

void cache_devices_init(struct cache *cache, struct arena *arena, uint32_t objects)
{
	struct cache_devices *d = &cache->devices;
	pool_init(&d->slices, arena, "device slices", sizeof(struct cache_slice), objects);
	map_init_for(&d->slices_by_node, arena, &d->slices);
	map_init_for(&d->slices_by_pool, arena, &d->slices);
	pool_init(&d->given, arena, "given devices", sizeof(struct cache_given),
		objects * CACHE_GIVEN_PER_OBJECT);
	map_init_for(&d->given_by_device, arena, &d->given);
	pool_init(&d->pending, arena, "allocations on their way", sizeof(struct cache_pending),
		objects);
	d->first_of = pool_add_lane(&cache->objects, &d->first_lane, arena, sizeof(uint32_t));
	d->changed = pool_add_lane(&cache->nodes, &d->changed_lane, arena, sizeof(uint64_t));
	d->pending_of = pool_add_lane(&cache->objects, &d->pending_lane, arena, sizeof(uint32_t));
}

/* ---- what changed ---- */

void cache_devices_follow_node(struct cache *cache, uint32_t node)
{
	cache->devices.changed[node] = ++cache->devices.generation;
}

static void all_changed(struct cache *cache, bool with_nodes)
{
	cache->devices.changed_all = ++cache->devices.generation;
	if (!with_nodes && !cache->devices.is_scored)
		return;
	for (uint32_t i = pool_next(&cache->nodes, 0); i != 0; i = pool_next(&cache->nodes, i))
		cache_node_changed(cache, i);
}

/* Which nodes can reach devices of the pool. */
static void pool_changed(struct cache *cache, uint32_t driver, uint32_t pool)
{
	struct map_walk walk = cache_slices_of_pool(cache, driver, pool);
	for (uint32_t i; (i = cache_slice_next_of_pool(cache, &walk, driver, pool)) != 0;) {
		uint32_t name = slice_at(cache, i)->node;
		uint32_t node = name == INTERN_EMPTY ? 0 : cache_find_node_id(cache, name);
		if (name == INTERN_EMPTY)
			all_changed(cache, false);
		if (node == 0)
			continue;
		cache_devices_follow_node(cache, node);
		if (cache->devices.is_scored)
			cache_node_changed(cache, node);
	}
}

/* ---- slices ---- */

static uint32_t make_slice(struct cache *cache, const struct kube_slice *facts)
{
	uint32_t index = pool_take(&cache->devices.slices);
	if (index == 0)
		return 0;
	bool is_local = facts->reach.node_name != 0 && facts->has_counters == 0;
	*slice_at(cache, index) = (struct cache_slice){.driver = facts->driver,
		.pool = facts->pool,
		.node = is_local ? facts->reach.node_name : INTERN_EMPTY};
	return index;
}

static void link_slice(struct cache *cache, uint32_t index, uint32_t object)
{
	struct cache_slice *slice = slice_at(cache, index);
	slice->object = object;
	map_add(&cache->devices.slices_by_node, hash_of_node(slice->node), index);
	map_add(&cache->devices.slices_by_pool, hash_pair(slice->driver, slice->pool), index);
	pool_changed(cache, slice->driver, slice->pool);
}

static void drop_slice(struct cache *cache, uint32_t index)
{
	const struct cache_slice *slice = slice_at(cache, index);
	pool_changed(cache, slice->driver, slice->pool);
	map_remove(&cache->devices.slices_by_node, hash_of_node(slice->node), index);
	map_remove(&cache->devices.slices_by_pool, hash_pair(slice->driver, slice->pool), index);
	pool_give(&cache->devices.slices, index);
}

/* ---- what is given ---- */

static void give_chain(struct cache *cache, uint32_t first, bool is_linked)
{
	for (uint32_t i = first, next; i != 0; i = next) {
		const struct cache_given *given = given_at(cache, i);
		next = given->next;
		if (is_linked) {
			map_remove(&cache->devices.given_by_device,
				hash_of_device(given->driver, given->pool, given->device), i);
			pool_changed(cache, given->driver, given->pool);
		}
		pool_give(&cache->devices.given, i);
	}
}

/* One record for each device; those with admin access take nothing. */
static bool make_given(struct cache *cache, const void *blob,
	const struct kube_allocation *allocation, uint32_t *first)
{
	const struct kube_device_result *results =
		KUBE_AT(blob, allocation->results, struct kube_device_result);
	*first = 0;
	for (uint32_t i = 0; i < allocation->results.count; i++) {
		if (results[i].admin != 0)
			continue;
		uint32_t index = pool_take(&cache->devices.given);
		if (index == 0) {
			give_chain(cache, *first, false);
			*first = 0;
			return false;
		}
		*given_at(cache, index) = (struct cache_given){.driver = results[i].driver,
			.pool = results[i].pool,
			.device = results[i].device,
			.result = i,
			.next = *first,
			.is_shared = results[i].share != 0};
		*first = index;
	}
	return true;
}

static void link_given(struct cache *cache, uint32_t first, uint32_t object, uint32_t pending)
{
	for (uint32_t i = first; i != 0; i = given_at(cache, i)->next) {
		struct cache_given *given = given_at(cache, i);
		given->object = object;
		given->pending = pending;
		map_add(&cache->devices.given_by_device,
			hash_of_device(given->driver, given->pool, given->device), i);
		pool_changed(cache, given->driver, given->pool);
	}
}

/* ---- with the objects ---- */

bool cache_devices_make(
	struct cache *cache, enum kube_kind kind, const struct kube_blob *blob, uint32_t *first)
{
	*first = 0;
	if (kind == KUBE_RESOURCE_SLICE)
		return (*first = make_slice(cache, (const void *)blob)) != 0;
	const struct kube_claim *claim = (const void *)blob;
	if (kind != KUBE_RESOURCE_CLAIM || claim->allocated == 0)
		return true;
	return make_given(cache, claim, &claim->allocation, first);
}

void cache_devices_unmake(struct cache *cache, enum kube_kind kind, uint32_t first)
{
	if (first == 0)
		return;
	if (kind == KUBE_RESOURCE_SLICE)
		pool_give(&cache->devices.slices, first);
	else
		give_chain(cache, first, false);
}

static void end_pending(struct cache *cache, uint32_t index)
{
	struct cache_pending *pending = pending_at(cache, index);
	give_chain(cache, pending->first, true);
	cache->devices.left -= pending->is_left;
	if (pending->object != 0)
		cache->devices.pending_of[pending->object] = 0;
	cache_free_blob(cache, &pending->allocated->blob, pending->handle);
	intern_give(&cache->strings, pending->namespace);
	intern_give(&cache->strings, pending->name);
	intern_give(&cache->strings, pending->uid);
	pool_give(&cache->devices.pending, index);
}

static void tie_pending(struct cache *cache, uint32_t index, uint32_t object)
{
	struct cache_pending *pending = pending_at(cache, index);
	pending->object = object;
	pending->uid = cache_claim_at(cache, object)->uid;
	intern_keep(&cache->strings, pending->uid);
	cache->devices.pending_of[object] = index;
	for (uint32_t i = pending->first; i != 0; i = given_at(cache, i)->next)
		given_at(cache, i)->object = object;
}

/* The claim that something is on its way for appears. */
static void look_for_pending(struct cache *cache, uint32_t object)
{
	const struct cache_object *of = pool_at(&cache->objects, object);
	const struct pool *pool = &cache->devices.pending;
	if (cache->devices.pending_of[object] != 0)
		return;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		const struct cache_pending *pending = pending_at(cache, i);
		if (pending->object == 0 && pending->name == of->name &&
			pending->namespace == of->namespace) {
			tie_pending(cache, i, object);
			return;
		}
	}
}

static void drop_object(struct cache *cache, enum kube_kind kind, uint32_t object)
{
	uint32_t first = cache->devices.first_of[object];
	cache->devices.first_of[object] = 0;
	if (first == 0)
		return;
	if (kind == KUBE_RESOURCE_SLICE)
		drop_slice(cache, first);
	else
		give_chain(cache, first, true);
}

static bool kind_counts(enum kube_kind kind)
{
	return kind == KUBE_RESOURCE_SLICE || kind == KUBE_RESOURCE_CLAIM ||
		kind == KUBE_DEVICE_CLASS || kind == KUBE_TAINT_RULE;
}

/* A class may stand for an extended resource, of which nodes without it now have some, or none. */
static void devices_reach_all(struct cache *cache, enum kube_kind kind)
{
	if (kind == KUBE_DEVICE_CLASS || kind == KUBE_TAINT_RULE)
		all_changed(cache, kind == KUBE_DEVICE_CLASS);
}

void cache_devices_put(struct cache *cache, enum kube_kind kind, uint32_t object,
	const struct kube_blob *blob, uint32_t first)
{
	if (!kind_counts(kind))
		return;
	drop_object(cache, kind, object);
	cache->devices.first_of[object] = first;
	devices_reach_all(cache, kind);
	if (kind == KUBE_RESOURCE_SLICE)
		link_slice(cache, first, object);
	if (kind != KUBE_RESOURCE_CLAIM)
		return;
	link_given(cache, first, object, 0);
	const struct kube_claim *claim = (const void *)blob;
	look_for_pending(cache, object);
	uint32_t pending = cache->devices.pending_of[object];
	if (pending == 0)
		return;
	bool is_other = claim->uid != pending_at(cache, pending)->uid;
	cache->devices.dropped += is_other;
	if (is_other || claim->allocated != 0)
		end_pending(cache, pending);
}

void cache_devices_remove(struct cache *cache, enum kube_kind kind, uint32_t object)
{
	if (!kind_counts(kind))
		return;
	uint32_t pending = cache->devices.pending_of[object];
	if (kind == KUBE_RESOURCE_CLAIM)
		cache->devices.dropped += pending != 0 || cache->devices.first_of[object] != 0;
	drop_object(cache, kind, object);
	devices_reach_all(cache, kind);
	if (pending != 0)
		end_pending(cache, pending);
}

/* ---- look-up ---- */

struct map_walk cache_slices_of_node(const struct cache *cache, uint32_t node)
{
	return map_walk(&cache->devices.slices_by_node, hash_of_node(node));
}

uint32_t cache_slice_next_of_node(const struct cache *cache, struct map_walk *walk, uint32_t node)
{
	for (uint32_t i; (i = map_next(&cache->devices.slices_by_node, walk)) != 0;)
		if (slice_at(cache, i)->node == node)
			return i;
	return 0;
}

struct map_walk cache_slices_of_pool(const struct cache *cache, uint32_t driver, uint32_t pool)
{
	return map_walk(&cache->devices.slices_by_pool, hash_pair(driver, pool));
}

uint32_t cache_slice_next_of_pool(
	const struct cache *cache, struct map_walk *walk, uint32_t driver, uint32_t pool)
{
	for (uint32_t i; (i = map_next(&cache->devices.slices_by_pool, walk)) != 0;) {
		const struct cache_slice *slice = slice_at(cache, i);
		if (slice->driver == driver && slice->pool == pool)
			return i;
	}
	return 0;
}

const struct cache_slice *cache_slice_at(const struct cache *cache, uint32_t slice)
{
	return slice_at(cache, slice);
}

const struct kube_slice *cache_slice_facts(const struct cache *cache, uint32_t slice)
{
	const struct cache_object *object =
		pool_at(&cache->objects, slice_at(cache, slice)->object);
	return (const void *)object->blob;
}

struct map_walk cache_given_walk(
	const struct cache *cache, uint32_t driver, uint32_t pool, uint32_t device)
{
	return map_walk(&cache->devices.given_by_device, hash_of_device(driver, pool, device));
}

uint32_t cache_given_next(const struct cache *cache, struct map_walk *walk, uint32_t driver,
	uint32_t pool, uint32_t device)
{
	for (uint32_t i; (i = map_next(&cache->devices.given_by_device, walk)) != 0;) {
		const struct cache_given *given = given_at(cache, i);
		if (given->driver == driver && given->pool == pool && given->device == device)
			return i;
	}
	return 0;
}

const struct cache_given *cache_given_at(const struct cache *cache, uint32_t given)
{
	return given_at(cache, given);
}

const struct kube_device_result *cache_given_result(
	const struct cache *cache, const struct cache_given *given, const void **blob)
{
	const struct kube_allocation *allocation;
	if (given->pending != 0) {
		const struct kube_allocated *allocated =
			pending_at(cache, given->pending)->allocated;
		*blob = allocated;
		allocation = &allocated->allocation;
	} else {
		const struct kube_claim *claim = cache_claim_at(cache, given->object);
		*blob = claim;
		allocation = &claim->allocation;
	}
	return KUBE_AT(*blob, allocation->results, struct kube_device_result) + given->result;
}

const struct kube_claim *cache_claim_at(const struct cache *cache, uint32_t object)
{
	const struct cache_object *of = pool_at(&cache->objects, object);
	return of->kind == KUBE_RESOURCE_CLAIM ? (const void *)of->blob : NULL;
}

uint32_t cache_pending_of(const struct cache *cache, uint32_t claim)
{
	return cache->devices.pending_of[claim];
}

const struct cache_pending *cache_pending_at(const struct cache *cache, uint32_t pending)
{
	return pending_at(cache, pending);
}

/* ---- our own decisions ---- */

static bool keep_pending(
	struct cache *cache, uint32_t index, const struct kube_allocated *allocated)
{
	struct cache_pending *pending = pending_at(cache, index);
	if (!make_given(cache, allocated, &allocated->allocation, &pending->first)) {
		kube_blob_drop(&allocated->blob, &cache->strings);
		return false;
	}
	pending->allocated =
		(const void *)cache_keep_blob(cache, &allocated->blob, &pending->handle);
	if (pending->allocated != NULL)
		return true;
	give_chain(cache, pending->first, false);
	return false;
}

uint32_t cache_pending_add(struct cache *cache, uint32_t claim, uint32_t namespace, uint32_t name,
	const struct kube_allocated *allocated)
{
	bool is_there = claim != 0 && cache->devices.pending_of[claim] != 0;
	uint32_t index = is_there ? 0 : pool_take(&cache->devices.pending);
	if (index == 0) {
		kube_blob_drop(&allocated->blob, &cache->strings);
		return 0;
	}
	struct cache_pending *pending = pending_at(cache, index);
	if (!keep_pending(cache, index, allocated)) {
		pool_give(&cache->devices.pending, index);
		return 0;
	}
	pending->serial = ++cache->serials;
	pending->namespace = namespace;
	pending->name = name;
	intern_keep(&cache->strings, namespace);
	intern_keep(&cache->strings, name);
	link_given(cache, pending->first, claim, index);
	if (claim != 0)
		tie_pending(cache, index, claim);
	return index;
}

const struct cache_pending *cache_pending_find(
	const struct cache *cache, uint32_t pending, uint64_t serial)
{
	if (!pool_is_taken(&cache->devices.pending, pending))
		return NULL;
	const struct cache_pending *found = pending_at(cache, pending);
	return found->serial == serial ? found : NULL;
}

void cache_pending_drop(struct cache *cache, uint32_t pending, uint64_t serial)
{
	if (cache_pending_find(cache, pending, serial) == NULL)
		return;
	end_pending(cache, pending);
	cache->devices.dropped++;
}

void cache_pending_leave(struct cache *cache, uint32_t pending, uint64_t serial)
{
	if (cache_pending_find(cache, pending, serial) == NULL)
		return;
	CHECK(!pending_at(cache, pending)->is_left);
	pending_at(cache, pending)->is_left = true;
	cache->devices.left++;
}

void cache_pending_expire(struct cache *cache, struct mono now, struct mono caught_up)
{
	const struct pool *pool = &cache->devices.pending;
	if (cache->devices.left == 0)
		return;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		struct cache_pending *pending = pending_at(cache, i);
		if (!pending->is_left)
			continue;
		if (pending->unless.us == 0)
			pending->unless = mono_after_ms(now, CACHE_PENDING_LEFT_MS);
		else if (mono_reached(caught_up, pending->unless))
			cache_pending_drop(cache, i, pending->serial);
	}
}

/* ---- audit ---- */

static void audit_claim(const struct cache *cache, uint32_t object, uint32_t *given)
{
	const struct kube_claim *claim = cache_claim_at(cache, object);
	uint32_t count = 0;
	for (uint32_t i = cache->devices.first_of[object]; i != 0; i = given_at(cache, i)->next) {
		CHECK(given_at(cache, i)->object == object);
		CHECK(given_at(cache, i)->pending == 0);
		count++;
	}
	CHECK(count <= claim->allocation.results.count);
	*given += count;
}

void cache_devices_audit(const struct cache *cache)
{
	const struct cache_devices *d = &cache->devices;
	uint32_t slices = 0, given = 0;
	for (uint32_t o = pool_next(&cache->objects, 0); o != 0;
		o = pool_next(&cache->objects, o)) {
		const struct cache_object *object = pool_at(&cache->objects, o);
		if (object->kind == KUBE_RESOURCE_SLICE) {
			CHECK(slice_at(cache, d->first_of[o])->object == o);
			slices++;
		} else if (object->kind == KUBE_RESOURCE_CLAIM) {
			audit_claim(cache, o, &given);
		} else {
			CHECK(d->first_of[o] == 0);
			CHECK(d->pending_of[o] == 0);
		}
	}
	for (uint32_t p = pool_next(&d->pending, 0); p != 0; p = pool_next(&d->pending, p)) {
		const struct cache_pending *pending = pending_at(cache, p);
		CHECK(pending->object == 0 || d->pending_of[pending->object] == p);
		for (uint32_t i = pending->first; i != 0; i = given_at(cache, i)->next)
			given++;
	}
	CHECK(slices == pool_used(&d->slices));
	CHECK(given == pool_used(&d->given));
}
