/* SPDX-License-Identifier: GPL-2.0-only */
/* Unread pods: a few names, found by name; the node counts its own. */
#include "cache/unread.h"

#include "base/hash.h"
#include "cache/private.h"

static struct cache_unread *unread_at(const struct cache *cache, uint32_t index)
{
	return pool_at(&cache->unreads.pool, index);
}

static uint32_t unread_find(const struct cache *cache, struct text namespace, struct text name)
{
	uint32_t namespace_id;
	uint32_t name_id;
	if (pool_used(&cache->unreads.pool) == 0 ||
		!intern_find(&cache->strings, namespace, &namespace_id) ||
		!intern_find(&cache->strings, name, &name_id))
		return 0;
	struct map_walk walk = map_walk(&cache->unreads.by_name, hash_pair(namespace_id, name_id));
	for (uint32_t i; (i = map_next(&cache->unreads.by_name, &walk)) != 0;)
		if (unread_at(cache, i)->namespace == namespace_id &&
			unread_at(cache, i)->name == name_id)
			return i;
	return 0;
}

static struct text unread_node(const struct cache *cache, const struct cache_unread *unread)
{
	return unread->node == 0 ? TEXT("")
				 : cache_text(cache, cache_node_at(cache, unread->node)->name);
}

static void unread_remove(struct cache *cache, uint32_t index)
{
	const struct cache_unread unread = *unread_at(cache, index);
	map_remove(&cache->unreads.by_name, hash_pair(unread.namespace, unread.name), index);
	pool_give(&cache->unreads.pool, index);
	intern_give(&cache->strings, unread.namespace);
	intern_give(&cache->strings, unread.name);
	if (unread.node == 0) {
		cache->unreads.pending--;
		return;
	}
	struct cache_node *node = cache_node_at(cache, unread.node);
	CHECK(node->unread_pods > 0);
	if (--node->unread_pods > 0)
		return;
	if (node->facts != NULL)
		cache_node_opened(cache, unread.node);
	cache_node_drop_placeholder(cache, unread.node);
}

static bool unread_add(
	struct cache *cache, struct text namespace, struct text name, struct text node_name)
{
	struct cache_unread added = {.seen = cache->list_round[KUBE_POD]};
	if (!cache_intern_take(cache, namespace, &added.namespace))
		return false;
	if (!cache_intern_take(cache, name, &added.name)) {
		intern_give(&cache->strings, added.namespace);
		return false;
	}
	bool waits = node_name.size == 0;
	added.node = waits ? 0 : cache_node_or_placeholder(cache, node_name);
	uint32_t index = added.node == 0 && !waits ? 0 : pool_take(&cache->unreads.pool);
	if (index == 0) {
		intern_give(&cache->strings, added.namespace);
		intern_give(&cache->strings, added.name);
		if (added.node != 0)
			cache_node_drop_placeholder(cache, added.node);
		return false;
	}
	*unread_at(cache, index) = added;
	map_add(&cache->unreads.by_name, hash_pair(added.namespace, added.name), index);
	cache->unreads.pending += waits;
	if (waits)
		return true;
	cache_node_at(cache, added.node)->unread_pods++;
	cache_touch_node(cache, added.node);
	return true;
}

enum cache_unread_put cache_unread_put(
	struct cache *cache, struct text namespace, struct text name, struct text node_name)
{
	uint32_t index = unread_find(cache, namespace, name);
	if (index != 0) {
		struct cache_unread *unread = unread_at(cache, index);
		unread->seen = cache->list_round[KUBE_POD];
		if (text_is(unread_node(cache, unread), node_name))
			return CACHE_UNREAD_KNOWN;
		unread_remove(cache, index);
	}
	/* What waits is a small record, as one of the shelf. */
	cache_budget_open(cache, node_name.size > 0 ? PAGE_RESERVE_ALL : PAGE_RESERVE_RECORDS);
	bool added = unread_add(cache, namespace, name, node_name);
	cache_budget_close(cache);
	return added ? CACHE_UNREAD_NEW : CACHE_UNREAD_FULL;
}

bool cache_unread_report(struct cache *cache, struct text namespace, struct text name)
{
	uint32_t index = unread_find(cache, namespace, name);
	bool is_due = index != 0 && !unread_at(cache, index)->is_reported;
	if (is_due)
		unread_at(cache, index)->is_reported = true;
	return is_due;
}

void cache_unread_report_again(struct cache *cache)
{
	const struct pool *pool = &cache->unreads.pool;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
		unread_at(cache, i)->is_reported = false;
}

void cache_unread_drop(struct cache *cache, struct text namespace, struct text name)
{
	uint32_t index = unread_find(cache, namespace, name);
	if (index != 0)
		unread_remove(cache, index);
}

bool cache_unread_drop_unlisted(struct cache *cache)
{
	const struct pool *pool = &cache->unreads.pool;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i)) {
		if (unread_at(cache, i)->seen == cache->list_round[KUBE_POD])
			continue;
		unread_remove(cache, i);
		return true;
	}
	return false;
}
