/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting up the picture, and finding out what a relist no longer shows.
 */
#include "cache/private.h"

enum { WORK_SIZE = 512 * 1024 };

size_t cache_size(const struct cache_limits *l)
{
	return pool_size(sizeof(struct cache_pod), l->pods) + map_size(l->pods) +
		(l->statuses == 0 ? 0 : pool_size(sizeof(struct cache_conditions), l->statuses)) +
		pool_size(sizeof(struct cache_node), l->nodes) + map_size(l->nodes) +
		pool_size(sizeof(struct cache_shared), l->classes) + map_size(l->classes) +
		pool_size(sizeof(struct cache_shared), l->label_sets) + map_size(l->label_sets) +
		pool_size(sizeof(struct cache_object), l->objects) + map_size(l->objects) +
		pool_size(sizeof(struct cache_unread), l->pods) + map_size(l->pods) +
		cache_devices_size(l->objects, l->nodes) + cache_assumed_size(l->objects) +
		intern_size(l->strings) + cache_order_size(l->nodes) +
		cache_images_size(l->images) + cache_topology_size(l->nodes, l->counters) +
		cache_log_size(l->changes) + store_arena_size(l->store_bytes) +
		arena_span_size(WORK_SIZE) + 4096;
}

void cache_init(struct cache *cache, struct arena *arena, const struct cache_limits *l)
{
	CHECK(l->nodes > 0);
	CHECK(l->pods > 0);
	memset(cache, 0, offsetof(struct cache, changes));
	cache->budget = arena->budget;
	if (cache->budget != NULL)
		cache->budget->may_use = PAGE_RESERVE_ALL; /* but for pods that wait */
	store_init_for(&cache->store, arena, "objects", l->store_bytes);
	intern_init(&cache->strings, arena, &cache->store, l->strings);
	cache_names_init(&cache->names, &cache->strings);
	kube_pod_wants_init(&cache->pod_wants);
	pool_init(&cache->pods, arena, "pods", sizeof(struct cache_pod), l->pods);
	map_init_for(&cache->pods_by_name, arena, &cache->pods);
	list_init(&cache->nominated);
	if (l->statuses > 0)
		pool_init(&cache->conditions, arena, "pod statuses",
			sizeof(struct cache_conditions), l->statuses);
	pool_init(&cache->nodes, arena, "nodes", sizeof(struct cache_node), l->nodes);
	map_init_for(&cache->nodes_by_name, arena, &cache->nodes);
	cache_order_init(cache, arena);
	pool_init(&cache->classes, arena, "pod classes", sizeof(struct cache_shared), l->classes);
	map_init_for(&cache->templates_by_hash, arena, &cache->classes);
	pool_init(&cache->label_sets, arena, "label sets", sizeof(struct cache_shared),
		l->label_sets);
	map_init_for(&cache->label_sets_by_hash, arena, &cache->label_sets);
	pool_init(&cache->objects, arena, "other objects", sizeof(struct cache_object), l->objects);
	map_init_for(&cache->objects_by_name, arena, &cache->objects);
	cache_devices_init(cache, arena, l->objects);
	cache_assumed_init(cache, arena, l->objects);
	cache_log_init(cache, arena, l->changes);
	pool_init(&cache->unreads.pool, arena, "unread pods", sizeof(struct cache_unread), l->pods);
	map_init_for(&cache->unreads.by_name, arena, &cache->unreads.pool);
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++)
		list_init(&cache->by_kind[kind]);
	cache_images_init(cache, arena, l->images);
	cache_topology_init(cache, arena, l->counters);
	cache->work = &cache->work_memory;
	scratch_init_for(cache->work, arena, WORK_SIZE);
}

void cache_print(const struct cache *cache)
{
	check_print("  pods %u, of them pending %u, assumed %u; nodes %u\n",
		(unsigned)pool_used(&cache->pods), (unsigned)cache->pods_pending,
		(unsigned)cache->pods_assumed, (unsigned)pool_used(&cache->nodes));
	check_print("  pod templates %u, label sets %u, other objects %u; node changes %llu, "
		    "objects refused %llu\n",
		(unsigned)pool_used(&cache->classes), (unsigned)pool_used(&cache->label_sets),
		(unsigned)pool_used(&cache->objects), (unsigned long long)cache->change_count,
		(unsigned long long)cache->refused);
}

/* ---- relist ---- */

void cache_list_begin(struct cache *cache, enum kube_kind kind)
{
	cache->list_round[kind]++;
}

void cache_list_asked(struct cache *cache, enum kube_kind kind)
{
	if (kind != KUBE_POD)
		return;
	for (uint32_t i = pool_next(&cache->pods, 0); i != 0; i = pool_next(&cache->pods, i)) {
		struct cache_pod *pod = cache_pod_at(cache, i);
		pod->flags &= (uint16_t)~CACHE_POD_DUE;
		/* Who is in the queue is still on its way. */
		if ((pod->flags & CACHE_POD_ASSUMED) != 0 && pod->waiting == 0)
			pod->flags |= CACHE_POD_DUE;
	}
}

void cache_distrust_versions(struct cache *cache)
{
	for (uint32_t i = pool_next(&cache->pods, 0); i != 0; i = pool_next(&cache->pods, i))
		cache_pod_at(cache, i)->version = 0;
}

static uint16_t seen_in(const struct cache *cache, enum kube_kind kind, uint32_t index)
{
	if (kind == KUBE_POD)
		return cache_pod_at(cache, index)->seen;
	if (kind == KUBE_NODE)
		return cache_node_at(cache, index)->seen;
	return ((const struct cache_object *)pool_at(&cache->objects, index))->seen;
}

static bool cache_is_listed(const struct cache *cache, enum kube_kind kind, uint32_t index)
{
	if (kind == KUBE_POD)
		return pool_is_taken(&cache->pods, index);
	if (kind == KUBE_NODE) /* ghosts come and go with their pods */
		return pool_is_taken(&cache->nodes, index) &&
			cache_node_at(cache, index)->facts != NULL;
	return pool_is_taken(&cache->objects, index) &&
		((const struct cache_object *)pool_at(&cache->objects, index))->kind == kind;
}

void cache_list_end(struct cache *cache, enum kube_kind kind,
	void (*gone)(void *self, enum kube_kind kind, uint32_t index), void *self)
{
	const struct pool *pool = kind == KUBE_POD ? &cache->pods
		: kind == KUBE_NODE                ? &cache->nodes
						   : &cache->objects;
	for (uint32_t i = 1; i <= pool_top(pool); i++) {
		if (!cache_is_listed(cache, kind, i) ||
			seen_in(cache, kind, i) == cache->list_round[kind])
			continue;
		gone(self, kind, i);
		if (kind == KUBE_POD)
			(void)cache_remove_pod(cache, i);
		else if (kind == KUBE_NODE)
			(void)cache_remove_node(cache, i);
		else
			(void)cache_remove_object(cache, i);
	}
}
