/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nodes, and ghosts: a pod may arrive before its node, and stay after it. A ghost keeps the pods'
 * sums but is in no order and no counter.
 */
#include "base/hash.h"
#include "cache/private.h"

uint32_t cache_find_node_id(const struct cache *cache, uint32_t name)
{
	struct map_walk walk = map_walk(&cache->nodes_by_name, hash_pair(name, 1));
	for (uint32_t i; (i = map_next(&cache->nodes_by_name, &walk)) != 0;)
		if (cache_node_at(cache, i)->name == name)
			return i;
	return 0;
}

uint32_t cache_find_node(const struct cache *cache, struct text name)
{
	uint32_t id;
	return intern_find(&cache->strings, name, &id) ? cache_find_node_id(cache, id) : 0;
}

uint32_t cache_node_or_placeholder(struct cache *cache, struct text name)
{
	CHECK(name.size > 0);
	uint32_t id;
	if (!cache_intern_take(cache, name, &id))
		return 0;
	uint32_t index = cache_find_node_id(cache, id);
	if (index != 0) {
		intern_give(&cache->strings, id);
		return index;
	}
	uint32_t top = pool_top(&cache->nodes);
	index = pool_take(&cache->nodes);
	/* Counters by node have an entry for each that there is. */
	if (index > top &&
		(!cache_counters_reserve(cache) || !cache_domains_reserve_nodes(cache, index))) {
		pool_give(&cache->nodes, index);
		index = 0;
	}
	if (index == 0) {
		intern_give(&cache->strings, id);
		return 0;
	}
	cache->topology.identity[index] = index;
	cache_node_at(cache, index)->name = id;
	map_add(&cache->nodes_by_name, hash_pair(id, 1), index);
	return index;
}

void cache_node_drop_placeholder(struct cache *cache, uint32_t index)
{
	struct cache_node *node = cache_node_at(cache, index);
	if (node->facts != NULL || node->first_pod != 0 || node->unread_pods > 0)
		return;
	CHECK(node->sums.pods == 0);
	CHECK(node->labels == 0);
	if (node->scalars_handle != 0)
		store_give(&cache->store, node->scalars_handle);
	map_remove(&cache->nodes_by_name, hash_pair(node->name, 1), index);
	intern_give(&cache->strings, node->name);
	pool_give(&cache->nodes, index);
}

void cache_touch_node(struct cache *cache, uint32_t node)
{
	cache_node_changed(cache, node);
}

void cache_imagine_closed(struct cache *cache, uint32_t node, bool is_closed)
{
	cache_node_at(cache, node)->unread_pods ^= CACHE_NODE_CLOSED;
	CHECK(cache_node_is_closed(cache_node_at(cache, node)) == is_closed);
	cache_node_changed(cache, node);
}

static void count_hostname(struct cache *cache, const struct cache_node *node, int sign)
{
	uint32_t value;
	if (node->facts != NULL &&
		!kube_labels_get(
			cache_labels_at(cache, node->labels), cache->names.hostname, &value))
		cache->nodes_without_hostname += (uint32_t)sign;
}

void cache_node_changed(struct cache *cache, uint32_t node)
{
	cache->changes[cache->change_count++ % CACHE_CHANGE_LOG] = node;
}

/* ---- scalars: one sorted array per node of what it offers and what its pods use ---- */

static bool scalars_room(struct cache *cache, struct cache_node *node, uint32_t count)
{
	if (count <= node->scalars_room)
		return true;
	uint32_t room = count + 2;
	uint32_t handle = cache_store_take(cache, room * sizeof(struct cache_node_scalar));
	if (handle == 0)
		return false;
	struct cache_node_scalar *moved = store_at(&cache->store, handle);
	if (node->sums.scalar_count > 0)
		memcpy(moved, node->sums.scalars, node->sums.scalar_count * sizeof(*moved));
	if (node->scalars_handle != 0)
		store_give(&cache->store, node->scalars_handle);
	node->scalars_handle = handle;
	node->scalars_room = room;
	node->sums.scalars = moved;
	return true;
}

static struct cache_node_scalar *scalar_find(const struct cache_sums *sums, uint32_t name)
{
	uint32_t from = 0;
	for (uint32_t end = sums->scalar_count; from < end;) {
		uint32_t middle = from + (end - from) / 2;
		if (sums->scalars[middle].name < name)
			from = middle + 1;
		else
			end = middle;
	}
	return from < sums->scalar_count && sums->scalars[from].name == name ? &sums->scalars[from]
									     : NULL;
}

struct cache_node_scalar *cache_sums_scalar(
	struct cache_sums *sums, uint32_t room, const struct kube_scalar *like)
{
	struct cache_node_scalar *scalar = scalar_find(sums, like->name);
	if (scalar != NULL)
		return scalar;
	CHECK(sums->scalar_count < room);
	uint32_t at = sums->scalar_count++;
	while (at > 0 && sums->scalars[at - 1].name > like->name) {
		sums->scalars[at] = sums->scalars[at - 1];
		at--;
	}
	sums->scalars[at] =
		(struct cache_node_scalar){.name = like->name, .is_extended = like->is_extended};
	return &sums->scalars[at];
}

static uint32_t scalars_missing(
	const struct cache_sums *sums, const struct kube_scalar *list, uint32_t count)
{
	uint32_t missing = 0;
	for (uint32_t i = 0; i < count; i++)
		missing += scalar_find(sums, list[i].name) == NULL;
	return missing;
}

/* Also when it asks for none of it: what is put on is taken off again. */
static bool pods_name_scalar(
	const struct cache *cache, const struct cache_node *node, uint32_t name)
{
	for (uint32_t p = node->first_pod; p != 0; p = cache_pod_at(cache, p)->next) {
		const struct kube_pod_template *class =
			cache_template_of(cache, cache_pod_at(cache, p));
		const struct kube_scalar *list =
			KUBE_AT(class, class->used.scalars, struct kube_scalar);
		for (uint32_t i = 0; i < class->used.scalars.count; i++)
			if (list[i].name == name)
				return true;
	}
	return false;
}

/* Entries that no node offers and no pod uses go. */
static void scalars_prune(const struct cache *cache, struct cache_node *node)
{
	struct cache_sums *sums = &node->sums;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < sums->scalar_count; i++) {
		const struct cache_node_scalar *scalar = &sums->scalars[i];
		if (scalar->allocatable != 0 || scalar->used != 0 ||
			pods_name_scalar(cache, node, scalar->name))
			sums->scalars[kept++] = *scalar;
	}
	sums->scalar_count = kept;
}

/* Room for the names of the list that are missing; old ones make way. */
static bool scalars_make_room(struct cache *cache, struct cache_node *node,
	const struct kube_scalar *list, uint32_t count)
{
	struct cache_sums *sums = &node->sums;
	uint32_t wanted = sums->scalar_count + scalars_missing(sums, list, count);
	if (wanted <= node->scalars_room)
		return true;
	scalars_prune(cache, node);
	wanted = sums->scalar_count + scalars_missing(sums, list, count);
	return scalars_room(cache, node, wanted);
}

bool cache_node_reserve_scalars(
	struct cache *cache, uint32_t index, const struct kube_pod_template *class)
{
	if (class->used.scalars.count == 0)
		return true;
	struct cache_node *node = cache_node_at(cache, index);
	const struct kube_scalar *list = KUBE_AT(class, class->used.scalars, struct kube_scalar);
	uint32_t count = class->used.scalars.count;
	if (!scalars_make_room(cache, node, list, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		(void)cache_sums_scalar(&node->sums, node->scalars_room, &list[i]);
	return true;
}

/* What the node offers changed; there is room for it. */
static void scalars_follow(
	const struct cache *cache, struct cache_node *node, const struct kube_node_facts *facts)
{
	struct cache_sums *sums = &node->sums;
	for (uint32_t i = 0; i < sums->scalar_count; i++)
		sums->scalars[i].allocatable = 0;
	scalars_prune(cache, node);
	if (facts == NULL)
		return;
	const struct kube_scalar *list =
		KUBE_AT(facts, facts->allocatable.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < facts->allocatable.scalars.count; i++)
		cache_sums_scalar(sums, node->scalars_room, &list[i])->allocatable = list[i].value;
}

static void move(int64_t *sum, int64_t amount, int sign)
{
	*sum = sign > 0 ? cache_plus(*sum, amount) : cache_minus(*sum, amount);
}

void cache_sums_apply(struct cache_sums *sums, const struct kube_pod_template *class, int sign)
{
	move(&sums->cpu_milli, class->used.cpu_milli, sign);
	move(&sums->memory_bytes, class->used.memory_bytes, sign);
	move(&sums->storage_bytes, class->used.storage_bytes, sign);
	move(&sums->nonzero_cpu_milli, class->used_nonzero_cpu_milli, sign);
	move(&sums->nonzero_memory_bytes, class->used_nonzero_memory_bytes, sign);
	sums->pods += (uint32_t)sign;
	sums->host_port_pods += (uint32_t)(sign * (class->host_ports.count > 0));
	sums->volume_pods += (uint32_t)(sign * (class->volumes.count > 0));
	sums->affinity_pods += (uint32_t)(sign * (class->has_pod_affinity != 0));
	const struct kube_scalar *list = KUBE_AT(class, class->used.scalars, struct kube_scalar);
	for (uint32_t i = 0; i < class->used.scalars.count; i++) {
		struct cache_node_scalar *scalar = scalar_find(sums, list[i].name);
		CHECK(scalar != NULL); /* cache_node_reserve_scalars() came before */
		move(&scalar->used, list[i].value, sign);
	}
}

/* ---- the node itself ---- */

struct parts { /* what a node is replaced by, all taken before anything is changed */
	const struct kube_node_facts *facts;
	uint32_t facts_handle;
	uint32_t labels;
	uint32_t uid;
};

static void give_node_parts(struct cache *cache, const struct parts *parts)
{
	if (parts->facts != NULL)
		cache_free_blob(cache, &parts->facts->blob, parts->facts_handle);
	if (parts->labels != 0)
		cache_unshare_labels(cache, parts->labels);
	intern_give(&cache->strings, parts->uid);
}

static bool take_node_parts(struct cache *cache, const struct kube_node *node, struct parts *parts)
{
	*parts = (struct parts){0};
	parts->labels = cache_share_labels(cache, &node->labels->blob);
	const struct kube_blob *facts =
		cache_keep_blob(cache, &node->facts->blob, &parts->facts_handle);
	parts->facts = (const struct kube_node_facts *)(const void *)facts;
	bool has_uid = cache_intern_take(cache, node->meta.uid, &parts->uid);
	if (!has_uid)
		parts->uid = INTERN_EMPTY;
	if (parts->labels != 0 && parts->facts != NULL && has_uid)
		return true;
	give_node_parts(cache, parts);
	return false;
}

static bool same_rules(const struct cache_node *node, const struct parts *parts)
{
	const struct kube_node_facts *a = node->facts;
	const struct kube_node_facts *b = parts->facts;
	return node->labels == parts->labels && a->unschedulable == b->unschedulable &&
		a->taints.count == b->taints.count &&
		memcmp(KUBE_AT(a, a->taints, struct kube_taint),
			KUBE_AT(b, b->taints, struct kube_taint),
			a->taints.count * sizeof(struct kube_taint)) == 0;
}

static struct cache_side node_side(const struct cache *cache, const struct cache_node *node)
{
	return (struct cache_side){
		.there = node->facts != NULL,
		.blob = node->facts == NULL ? NULL : &node->facts->blob,
		.labels = cache_labels_at(cache, node->labels),
	};
}

/* From the node's present state, which is given up now. */
static struct cache_change node_change(const struct cache *cache, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	return (struct cache_change){
		.event = {.kind = KUBE_NODE,
			.index = index,
			.name = node->name,
			.old = node_side(cache, node)},
		.held = {.blob = node->facts == NULL ? NULL : &node->facts->blob,
			.handle = node->facts_handle,
			.labels = node->labels,
			.strings = {node->uid}},
	};
}

/* Everything is there already; from here on nothing can fail. */
static void replace_node_parts(struct cache *cache, uint32_t index, struct parts *parts)
{
	struct cache_node *node = cache_node_at(cache, index);
	struct cache_change change = node_change(cache, index);
	struct parts old = {node->facts, node->facts_handle, node->labels, node->uid};
	bool rules_stay = old.facts != NULL && same_rules(node, parts);
	if (old.facts != NULL && !rules_stay)
		cache_counters_node_out(cache, index);
	if (old.facts != NULL)
		cache_images_remove_node(cache, index, old.facts);
	count_hostname(cache, node, -1);
	node->facts = parts->facts;
	node->facts_handle = parts->facts_handle;
	node->labels = parts->labels;
	node->uid = parts->uid;
	if (old.facts == NULL)
		cache_node_unsure(cache, index);
	if (old.facts == NULL)
		cache_order_add(cache, index);
	else
		cache_order_follow(cache, index);
	count_hostname(cache, node, 1);
	scalars_follow(cache, node, node->facts);
	if (!cache_images_add_node(cache, index, node->facts))
		cache->images.generation++;
	if (!rules_stay)
		cache_counters_node_in(cache, index);
	cache_node_changed(cache, index);
	cache_devices_follow_node(cache, index);
	change.event.now = node_side(cache, node);
	cache_log_append(cache, &change);
	if (old.facts == NULL)
		cache_object_again(cache, cache_find_object(cache, KUBE_CSI_NODE, 0, node->name));
}

void cache_node_opened(struct cache *cache, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	struct cache_change change = {
		.event = {.kind = KUBE_NODE,
			.index = index,
			.name = node->name,
			.now = node_side(cache, node)},
	};
	cache_node_changed(cache, index);
	cache_log_append(cache, &change);
}

/* Room for the domains and the scalars, so that replacing cannot fail half way. */
static bool make_room_for_node(struct cache *cache, uint32_t index, const struct parts *parts)
{
	struct cache_node *node = cache_node_at(cache, index);
	const struct kube_resources *offer = &parts->facts->allocatable;
	const struct kube_scalar *list = KUBE_AT(parts->facts, offer->scalars, struct kube_scalar);
	if (!scalars_make_room(cache, node, list, offer->scalars.count))
		return false;
	return cache_domains_reserve_labels(cache, cache_labels_at(cache, parts->labels)) &&
		cache_counters_reserve(cache);
}

enum cache_result cache_put_node(struct cache *cache, const struct kube_node *kube, uint32_t *index)
{
	uint64_t version = cache_version_of(kube->meta.resource_version);
	*index = cache_node_or_placeholder(cache, kube->meta.name);
	if (*index != 0) /* also when it is refused: a relist must not take it for gone */
		cache_node_at(cache, *index)->seen = cache->list_round[KUBE_NODE];
	struct parts parts;
	if (!take_node_parts(cache, kube, &parts)) {
		if (*index != 0)
			cache_node_drop_placeholder(cache, *index);
		cache->refused++;
		return CACHE_FULL;
	}
	if (*index == 0 || !make_room_for_node(cache, *index, &parts)) {
		give_node_parts(cache, &parts);
		if (*index != 0)
			cache_node_drop_placeholder(cache, *index);
		cache->refused++;
		return CACHE_FULL;
	}
	struct cache_node *node = cache_node_at(cache, *index);
	if (node->facts != NULL && node->labels == parts.labels && node->uid == parts.uid &&
		kube_blob_is(&node->facts->blob, &parts.facts->blob)) {
		give_node_parts(cache, &parts);
		node->version = version;
		return CACHE_UNCHANGED;
	}
	node->version = version;
	replace_node_parts(cache, *index, &parts);
	cache->kind_generation[KUBE_NODE]++;
	return CACHE_OK;
}

enum cache_result cache_remove_node(struct cache *cache, uint32_t index)
{
	struct cache_node *node = cache_node_at(cache, index);
	if (node->facts == NULL)
		return CACHE_UNKNOWN;
	struct cache_change change = node_change(cache, index);
	cache_counters_node_out(cache, index);
	cache_images_remove_node(cache, index, node->facts);
	cache_order_remove(cache, index);
	count_hostname(cache, node, -1);
	node->facts = NULL;
	node->labels = 0;
	node->uid = 0;
	cache_node_sure(cache, index);
	scalars_follow(cache, node, NULL);
	cache_log_append(cache, &change);
	cache_node_changed(cache, index);
	cache->kind_generation[KUBE_NODE]++;
	cache_node_drop_placeholder(cache, index);
	return CACHE_OK;
}

/* ---- views ---- */

struct cache_view cache_view_of(const struct cache *cache, uint32_t index)
{
	const struct cache_node *node = cache_node_at(cache, index);
	return (struct cache_view){.node = node, .sums = &node->sums, .index = index};
}

static bool is_without(const struct cache_view *view, uint32_t pod)
{
	for (uint32_t i = 0; i < view->without_count; i++)
		if (view->without[i] == pod)
			return true;
	return false;
}

uint32_t cache_view_next_pod(
	const struct cache *cache, const struct cache_view *view, struct cache_view_walk *walk)
{
	if (!walk->started) {
		walk->started = true;
		walk->next = view->node->first_pod;
	}
	while (walk->next != 0) {
		uint32_t pod = walk->next;
		walk->next = cache_pod_at(cache, pod)->next;
		if (!is_without(view, pod))
			return pod;
	}
	return walk->with_at < view->with_count ? view->with[walk->with_at++] : 0;
}
