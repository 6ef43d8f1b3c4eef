/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From JSON to the picture, for every kind.
 */
#include "cache/feed.h"

#include "base/hash.h"
#include "kube/volume.h"
#include "cache/private.h"

static void feed_pod(
	struct cache *cache, struct kube_build *b, struct json_value object, struct cache_fed *fed)
{
	struct kube_pod pod;
	fed->decoded = kube_pod_decode(b, object, &pod);
	if (fed->decoded == KUBE_OK)
		fed->put = cache_put_pod(cache, &pod, &fed->index);
}

static void feed_node(
	struct cache *cache, struct kube_build *b, struct json_value object, struct cache_fed *fed)
{
	struct kube_node node;
	fed->decoded = kube_node_decode(b, object, &node);
	if (fed->decoded == KUBE_OK)
		fed->put = cache_put_node(cache, &node, &fed->index);
}

static void feed_other(struct cache *cache, struct kube_build *b, enum kube_kind kind,
	struct json_value object, struct cache_fed *fed)
{
	struct kube_object other;
	fed->decoded = kube_kinds[kind].decode(b, object, &other);
	if (fed->decoded == KUBE_OK)
		fed->put = cache_put_object(cache, &other, &fed->index);
}

static void feed_object(struct cache *cache, struct kube_build *b, enum kube_kind kind,
	struct json_value object, struct cache_fed *fed)
{
	if (kind == KUBE_POD)
		feed_pod(cache, b, object, fed);
	else if (kind == KUBE_NODE)
		feed_node(cache, b, object, fed);
	else
		feed_other(cache, b, kind, object, fed);
}

/*
 * Pods that hold a place, claims that hold devices, and nodes: without them others would be put
 * where there is no room.
 */
static bool must_be_known(
	const struct cache *cache, enum kube_kind kind, struct json_value object, struct text name)
{
	if (kind == KUBE_RESOURCE_CLAIM)
		return json_type(json_path(object, "status.allocation")) == JSON_OBJECT;
	if (kind != KUBE_POD)
		return kind == KUBE_NODE;
	if (json_text(json_path(object, "spec.nodeName")).size > 0)
		return true;
	uint32_t pod =
		cache_find_pod(cache, json_text(json_path(object, "metadata.namespace")), name);
	return pod != 0 && cache_pod_at(cache, pod)->node != 0;
}

/*
 * Of the pending pods a few always find memory, so that deciding goes on: one that was tried gives
 * its place to the next one.
 */
static enum page_reserve feed_reserve(
	const struct cache *cache, enum kube_kind kind, struct json_value object, struct text name)
{
	if (must_be_known(cache, kind, object, name))
		return PAGE_RESERVE_KNOWN;
	return kind == KUBE_POD && cache->pods_pending < CACHE_PODS_AT_WORK ? PAGE_RESERVE_WORK
									    : PAGE_RESERVE_NONE;
}

static uint64_t strings_refused(const struct cache *cache)
{
	return cache->strings.strings.budget.refused + cache->store.budget.refused;
}

/* The newest of those that say so, and of equals the first by name, as admission has it. */
static struct text default_class(struct cache *cache)
{
	const struct kube_storage_class *best = NULL;
	struct text name = TEXT_NONE;
	struct list *all = &cache->by_kind[KUBE_STORAGE_CLASS];
	for (struct list *link = all->next; link != all; link = link->next) {
		const struct cache_object *object = LIST_OWNER(link, struct cache_object, link);
		const struct kube_storage_class *class = (const void *)object->blob;
		struct text its = cache_text(cache, object->name);
		if (class->is_default != 0 &&
			(best == NULL || class->created_us > best->created_us ||
				(class->created_us == best->created_us &&
					text_compare(its, name) < 0))) {
			best = class;
			name = its;
		}
	}
	return name;
}

static void feed_begin(
	struct cache *cache, struct kube_build *b, struct scratch *scratch, enum kube_kind kind)
{
	kube_build_init(b, &cache->strings, scratch);
	b->release = cache->release;
	b->annotations = cache->annotations;
	if (kind == KUBE_PVC && cache->is_imagining)
		b->default_class = default_class(cache);
}

bool cache_feed(struct cache *cache, struct scratch *scratch, enum kube_kind kind,
	struct json_value object, struct cache_fed *fed)
{
	CHECK(kind > KUBE_NO_KIND && kind < KUBE_KINDS);
	*fed = (struct cache_fed){.put = CACHE_UNKNOWN};
	fed->namespace = json_text(json_path(object, "metadata.namespace"));
	fed->name = json_text(json_path(object, "metadata.name"));
	struct kube_build b;
	struct scratch_mark mark = scratch_mark(scratch);
	uint64_t refused = strings_refused(cache);
	feed_begin(cache, &b, scratch, kind);
	cache_budget_open(cache, feed_reserve(cache, kind, object, fed->name));
	feed_object(cache, &b, kind, object, fed);
	if (fed->decoded == KUBE_FULL && strings_refused(cache) != refused &&
		cache_counters_yield(cache)) {
		cache_counters_trim(cache);
		scratch_rewind(scratch, mark);
		feed_begin(cache, &b, scratch, kind);
		feed_object(cache, &b, kind, object, fed);
	}
	cache_budget_close(cache);
	if (fed->decoded == KUBE_OK) {
		bool put = fed->put == CACHE_OK || fed->put == CACHE_UNCHANGED;
		if (put && kind == KUBE_POD)
			cache_unread_drop(cache, fed->namespace, fed->name);
		return put;
	}
	cache->refused++;
	fed->is_too_big = fed->decoded == KUBE_FULL && strings_refused(cache) == refused;
	fed->fault_field = b.fault_field;
	fed->fault_reason = b.fault_reason;
	return false;
}

enum cache_result cache_unfeed(
	struct cache *cache, enum kube_kind kind, struct text namespace, struct text name)
{
	if (kind == KUBE_POD) {
		cache_unread_drop(cache, namespace, name);
		uint32_t pod = cache_find_pod(cache, namespace, name);
		return pod == 0 ? CACHE_UNKNOWN : cache_remove_pod(cache, pod);
	}
	if (kind == KUBE_NODE) {
		uint32_t node = cache_find_node(cache, name);
		return node == 0 ? CACHE_UNKNOWN : cache_remove_node(cache, node);
	}
	uint32_t namespace_id = INTERN_EMPTY;
	uint32_t name_id;
	if ((kube_kinds[kind].namespaced &&
		    !intern_find(&cache->strings, namespace, &namespace_id)) ||
		!intern_find(&cache->strings, name, &name_id))
		return CACHE_UNKNOWN;
	uint32_t object = cache_find_object(cache, kind, namespace_id, name_id);
	return object == 0 ? CACHE_UNKNOWN : cache_remove_object(cache, object);
}

/* ---- objects that are missing ---- */

static uint32_t missing_hash(struct text namespace, struct text name)
{
	return hash_more(hash_bytes(namespace.at, namespace.size), hash_bytes(name.at, name.size));
}

/* CACHE_MISSING or less; as many as there are when it is not among them. */
static uint32_t missing_find(const struct cache *cache, enum kube_kind kind, uint32_t hash)
{
	uint32_t i = 0;
	while (i < cache->missing_count &&
		(cache->missing[i].kind != kind || cache->missing[i].hash != hash))
		i++;
	return i;
}

static void missing_look(struct cache *cache, enum kube_kind kind)
{
	uint32_t i = 0;
	while (i < cache->missing_count && cache->missing[i].kind != kind)
		i++;
	if (i == cache->missing_count && (cache->missing_more & UINT32_C(1) << kind) == 0)
		cache->incomplete &= ~(UINT32_C(1) << kind);
}

void cache_miss(struct cache *cache, enum kube_kind kind, struct text namespace, struct text name)
{
	const struct cache_missing missing = {missing_hash(namespace, name), (uint8_t)kind};
	uint32_t i = missing_find(cache, kind, missing.hash);
	cache->incomplete |= UINT32_C(1) << kind;
	if (i == CACHE_MISSING)
		cache->missing_more |= UINT32_C(1) << kind;
	else if (i == cache->missing_count)
		cache->missing[cache->missing_count++] = missing;
}

void cache_miss_no_more(
	struct cache *cache, enum kube_kind kind, struct text namespace, struct text name)
{
	if ((cache->incomplete & UINT32_C(1) << kind) == 0)
		return;
	uint32_t i = missing_find(cache, kind, missing_hash(namespace, name));
	if (i < cache->missing_count)
		cache->missing[i] = cache->missing[--cache->missing_count];
	missing_look(cache, kind);
}

void cache_miss_none(struct cache *cache, enum kube_kind kind)
{
	for (uint32_t i = cache->missing_count; i-- > 0;)
		if (cache->missing[i].kind == kind)
			cache->missing[i] = cache->missing[--cache->missing_count];
	cache->missing_more &= ~(UINT32_C(1) << kind);
	missing_look(cache, kind);
}
