/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache, private: what the files of this folder share with each other only.
 */
#ifndef BERTH_CACHE_PRIVATE_H
#define BERTH_CACHE_PRIVATE_H

#include "cache/cache.h"

/* shared.c: consumes the blob's references; 0 when there is no room. */
uint32_t cache_share_template(struct cache *cache, const struct kube_blob *blob);
uint32_t cache_share_labels(struct cache *cache, const struct kube_blob *blob);
void cache_unshare_template(struct cache *cache, uint32_t class);
void cache_unshare_labels(struct cache *cache, uint32_t labels);
/* Copies a blob into the store and takes over its references; NULL (and dropped) without room. */
const struct kube_blob *cache_keep_blob(
	struct cache *cache, const struct kube_blob *blob, uint32_t *handle);
void cache_free_blob(struct cache *cache, const struct kube_blob *blob, uint32_t handle);

uint64_t cache_version_of(struct text resource_version);

/*
 * Around a change that brings something new: what can be made again gives way to it, and what must
 * not be missing finds room in the reserve.
 */
static inline void cache_budget_open(struct cache *cache, enum page_reserve part)
{
	if (cache->budget == NULL)
		return;
	cache->budget->may_shed = true;
	cache->budget->may_use = part;
}
static inline void cache_budget_close(struct cache *cache)
{
	if (cache->budget == NULL)
		return;
	cache->budget->may_shed = false;
	cache->budget->may_use = PAGE_RESERVE_ALL; /* whatever is not a pod that waits */
}

/* nodes.c */
uint32_t cache_node_or_placeholder(struct cache *cache, struct text name); /* 0 without room */
void cache_node_drop_placeholder(
	struct cache *cache, uint32_t node); /* when nothing holds it any more */
bool cache_node_reserve_scalars(
	struct cache *cache, uint32_t node, const struct kube_pod_template *class);
void cache_node_changed(struct cache *cache, uint32_t node);
/* pods.c: one whose node the apiserver has not shown is forgotten; as cache_drop_pod(). */
void cache_drop_placed_pod(struct cache *cache, uint32_t pod);
/* unread.c: the node has come, and pods of it may have been dropped before; or it is gone. */
void cache_node_unsure(struct cache *cache, uint32_t node);
void cache_node_sure(struct cache *cache, uint32_t node);
/* It takes pods again: as new for those that wait. */
void cache_node_opened(struct cache *cache, uint32_t node);

/*
 * objects.c: logged as if it had come now, when what it is about has only just come and plugins
 * wait for the one behind the other, as an apiserver's clients send them. 0: nothing.
 */
void cache_object_again(struct cache *cache, uint32_t index);

/* log.c: takes over what the change holds; gives it back at once when the log is not read. */
void cache_log_init(struct cache *cache, struct arena *arena, uint32_t capacity);
size_t cache_log_size(uint32_t capacity);
void cache_log_append(struct cache *cache, struct cache_change *change);
void cache_log_release(struct cache *cache, const struct cache_held *held);
uint32_t cache_log_holds_templates(const struct cache *cache); /* for the audit */
uint32_t cache_log_holds_labels(const struct cache *cache);

/* order.c */
void cache_order_init(struct cache *cache, struct arena *arena);
size_t cache_order_size(uint32_t nodes);
void cache_order_add(struct cache *cache, uint32_t node);
void cache_order_remove(struct cache *cache, uint32_t node);
/* Moves the node when the zone its labels say is not the one it stands in. */
void cache_order_follow(struct cache *cache, uint32_t node);

/* images.c */
void cache_images_init(struct cache *cache, struct arena *arena, uint32_t images);
size_t cache_images_size(uint32_t images);

/*
 * devices.c: records of what an object offers or was given, made before anything is changed and put
 * when it is; the allocation on its way ends when the claim shows one, or is another one.
 */
enum { CACHE_GIVEN_PER_OBJECT = 4 };
void cache_devices_init(struct cache *cache, struct arena *arena, uint32_t objects);
size_t cache_devices_size(uint32_t objects, uint32_t nodes);
/* Its labels, or what it has of extended resources, may be others now. */
void cache_devices_follow_node(struct cache *cache, uint32_t node);
MUST_USE bool cache_devices_make(
	struct cache *cache, enum kube_kind kind, const struct kube_blob *blob, uint32_t *first);
void cache_devices_unmake(struct cache *cache, enum kube_kind kind, uint32_t first);
void cache_devices_put(struct cache *cache, enum kube_kind kind, uint32_t object,
	const struct kube_blob *blob, uint32_t first);
void cache_devices_remove(struct cache *cache, enum kube_kind kind, uint32_t object);
void cache_devices_audit(const struct cache *cache);

/* pod_claims.c: 0 when the pod has none; false when there is no room. */
MUST_USE bool cache_pod_claims_take(
	struct cache *cache, const struct kube_pod *pod, uint32_t *handle);
void cache_pod_claims_give(struct cache *cache, uint32_t handle);

/* assumed.c */
void cache_assumed_init(struct cache *cache, struct arena *arena, uint32_t objects);
size_t cache_assumed_size(uint32_t objects);
/* The apiserver has told something newer of the object, or it is gone. */
void cache_assumed_drop(struct cache *cache, uint32_t object);
void cache_assumed_audit(const struct cache *cache);

/* domains.c: the slot of the key, 0 when there is no room. */
uint32_t cache_domains_hold(struct cache *cache, uint32_t key);
void cache_domains_release(struct cache *cache, uint32_t slot);
void cache_domains_node(struct cache *cache, uint32_t node, bool in);
/* Room for a node with these labels, so that cache_domains_node() cannot fail. */
MUST_USE bool cache_domains_reserve_labels(struct cache *cache, const struct kube_labels *labels);
/* Room for nodes by index, up to this one. */
MUST_USE bool cache_domains_reserve_nodes(struct cache *cache, uint32_t node);
const uint32_t *cache_domains_of(const struct cache *cache, uint32_t slot, uint32_t *top);
static inline struct cache_domains *cache_domains_at(const struct cache *cache, uint32_t slot)
{
	return pool_at(&cache->topology.keys, slot);
}

/*
 * counter.c: gives up a counter that can be made again, so that something real finds room; false
 * when there is none. Not while a pod is decided.
 */
bool cache_counters_yield(struct cache *cache);
/* store_take() and intern_take() for what is real. */
MUST_USE uint32_t cache_store_take(struct cache *cache, size_t size);
MUST_USE bool cache_intern_take(struct cache *cache, struct text t, uint32_t *id);

/* Absurd weights wrap around; the apiserver lets none through. */
static inline void cache_count(int32_t *count, int64_t amount)
{
	*count = (int32_t)((uint32_t)*count + (uint32_t)amount);
}
static inline struct cache_counter *cache_counter_at(const struct cache *cache, uint32_t counter)
{
	return pool_at(&cache->counters.pool, counter);
}
/* Recounts into zeroed arrays of `room` entries; nodes may be NULL. Returns the total. */
struct cache_total cache_recount(const struct cache *cache, const struct cache_query *query,
	const uint32_t *of_node, int32_t *pods, int32_t *nodes);

#endif
