/* SPDX-License-Identifier: GPL-2.0-only */
/* Unread pods: a few names, found by name; the node counts its own. And stray pods. */
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
	cache->unreads.unreported -= !unread.is_reported;
	pool_give(&cache->unreads.pool, index);
	intern_give(&cache->strings, unread.namespace);
	intern_give(&cache->strings, unread.name);
	if (unread.node == 0) {
		cache->unreads.pending--;
		return;
	}
	struct cache_node *node = cache_node_at(cache, unread.node);
	CHECK((node->unread_pods & CACHE_NODE_UNREAD) > 0);
	if (--node->unread_pods > 0)
		return;
	if (node->facts != NULL)
		cache_node_opened(cache, unread.node);
	cache_node_drop_placeholder(cache, unread.node);
}

static bool unread_add(struct cache *cache, struct text namespace, struct text name,
	struct text node_name, const struct cache_unread_cause *cause)
{
	struct cache_unread added = {.seen = cache->list_round[KUBE_POD],
		.field = cause->field,
		.reason = cause->reason};
	if (!cache_parse_uid(cause->uid, &added.uid))
		added.uid = (struct cache_uid){0, 0};
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
	cache->unreads.unreported++;
	if (waits)
		return true;
	cache_node_at(cache, added.node)->unread_pods++;
	cache_touch_node(cache, added.node);
	return true;
}

enum cache_unread_put cache_unread_put(struct cache *cache, struct text namespace, struct text name,
	struct text node_name, const struct cache_unread_cause *cause)
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
	bool added = unread_add(cache, namespace, name, node_name, cause);
	cache_budget_close(cache);
	return added ? CACHE_UNREAD_NEW : CACHE_UNREAD_FULL;
}

uint32_t cache_unread_report(struct cache *cache)
{
	const struct pool *pool = &cache->unreads.pool;
	uint32_t i = cache->unreads.unreported == 0 ? 0 : pool_next(pool, 0);
	while (i != 0 && unread_at(cache, i)->is_reported)
		i = pool_next(pool, i);
	if (i == 0)
		return 0;
	unread_at(cache, i)->is_reported = true;
	cache->unreads.unreported--;
	return i;
}

void cache_unread_report_again(struct cache *cache)
{
	const struct pool *pool = &cache->unreads.pool;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
		unread_at(cache, i)->is_reported = false;
	cache->unreads.unreported = pool_used(pool);
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

/* ---- stray pods ---- */

enum { STRAYS_LOOKS = 4096 };

void cache_node_unsure(struct cache *cache, uint32_t index)
{
	if (!cache->unreads.dropped)
		return;
	cache_node_at(cache, index)->unread_pods |= CACHE_NODE_UNSURE;
	cache->unreads.unsure++;
}

void cache_node_sure(struct cache *cache, uint32_t index)
{
	struct cache_node *node = cache_node_at(cache, index);
	const uint32_t bits = CACHE_NODE_UNSURE | CACHE_NODE_LISTED;
	if ((node->unread_pods & bits) == 0)
		return;
	node->unread_pods &= ~bits;
	cache->unreads.unsure--;
}

bool cache_is_stray(struct cache *cache, struct text node)
{
	uint32_t index = cache_find_node(cache, node);
	if (index != 0 && cache_node_at(cache, index)->facts != NULL)
		return false;
	cache->unreads.dropped = true;
	return true;
}

/* Those that are assumed there stay: their bindings are on their way. */
static bool strays_drop_of(struct cache *cache, uint32_t node)
{
	bool any = false;
	uint32_t next;
	uint32_t unread = cache_node_at(cache, node)->unread_pods;
	for (uint32_t pod = cache_node_at(cache, node)->first_pod; pod != 0; pod = next) {
		next = cache_pod_at(cache, pod)->next;
		if ((cache_pod_at(cache, pod)->flags & (CACHE_POD_ASSUMED | CACHE_POD_IMAGINED)) !=
			0)
			continue;
		cache_drop_placed_pod(cache, pod);
		any = true;
	}
	const struct pool *pool = &cache->unreads.pool;
	for (uint32_t i = pool_next(pool, 0); i != 0 && unread > 0; i = pool_next(pool, i)) {
		if (unread_at(cache, i)->node != node)
			continue;
		unread_remove(cache, i);
		unread--;
		any = true;
	}
	return any;
}

bool cache_drop_strays(struct cache *cache)
{
	struct cache_unreads *unreads = &cache->unreads;
	if (pool_used(&cache->nodes) == cache->order.count)
		return false;
	for (uint32_t looks = 0; looks < STRAYS_LOOKS; looks++) {
		unreads->dropped_at = pool_next(&cache->nodes, unreads->dropped_at);
		if (unreads->dropped_at == 0)
			unreads->dropped_at = pool_next(&cache->nodes, 0);
		if (cache_node_at(cache, unreads->dropped_at)->facts == NULL &&
			strays_drop_of(cache, unreads->dropped_at)) {
			unreads->dropped = true;
			return true;
		}
	}
	return false;
}

void cache_strays_list_begin(struct cache *cache)
{
	cache->unreads.dropped = false;
	for (uint32_t i = pool_next(&cache->nodes, 0); i != 0 && cache->unreads.unsure > 0;
		i = pool_next(&cache->nodes, i)) {
		struct cache_node *node = cache_node_at(cache, i);
		if ((node->unread_pods & CACHE_NODE_UNSURE) != 0)
			node->unread_pods ^= CACHE_NODE_UNSURE | CACHE_NODE_LISTED;
	}
}

bool cache_strays_list_end(struct cache *cache)
{
	for (uint32_t i = pool_next(&cache->nodes, 0); i != 0 && cache->unreads.unsure > 0;
		i = pool_next(&cache->nodes, i)) {
		if ((cache_node_at(cache, i)->unread_pods & CACHE_NODE_LISTED) == 0)
			continue;
		cache_node_sure(cache, i);
		if (cache_node_at(cache, i)->unread_pods == 0)
			cache_node_opened(cache, i);
		return true;
	}
	return false;
}
