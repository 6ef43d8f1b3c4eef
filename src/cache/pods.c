/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods and their state machine.
 *
 *            put (no node)                    put (node)
 *   (none) ----------------> pending --------------------> bound
 *                              |  ^                          ^
 *                       assume |  | forget                   | put (node: the same or another)
 *                              v  |                          |
 *                            assumed ------------------------+
 *
 * A pod is one record from its first sight to its removal, so nothing can be in two states. What
 * kube-scheduler keeps apart (informer store, scheduler cache, nominator) is one table here. Pods
 * that have finished (Succeeded, Failed) use nothing: they are left out before they come here.
 */
#include "base/hash.h"
#include "base/trace.h"
#include "cache/private.h"

static uint32_t pod_name_hash(uint32_t namespace, uint32_t name)
{
	return hash_pair(namespace, name);
}

static uint32_t find_pod(const struct cache *cache, uint32_t namespace, uint32_t name)
{
	struct map_walk walk = map_walk(&cache->pods_by_name, pod_name_hash(namespace, name));
	for (uint32_t i; (i = map_next(&cache->pods_by_name, &walk)) != 0;) {
		const struct cache_pod *pod = cache_pod_at(cache, i);
		if (pod->name == name && cache_template_of(cache, pod)->namespace == namespace)
			return i;
	}
	return 0;
}

uint32_t cache_find_pod(const struct cache *cache, struct text namespace, struct text name)
{
	uint32_t namespace_id;
	uint32_t name_id;
	if (!intern_find(&cache->strings, namespace, &namespace_id) ||
		!intern_find(&cache->strings, name, &name_id))
		return 0;
	return find_pod(cache, namespace_id, name_id);
}

/* ---- uid ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool uid_is_dash(size_t at)
{
	return at == 8 || at == 13 || at == 18 || at == 23;
}

bool cache_parse_uid(struct text t, struct cache_uid *uid)
{
	if (t.size != 36)
		return false;
	uint64_t half[2] = {0, 0};
	size_t digits = 0;
	for (size_t i = 0; i < 36; i++) {
		if (uid_is_dash(i)) {
			if (t.at[i] != '-')
				return false;
			continue;
		}
		int digit = hex_digit(t.at[i]);
		if (digit < 0)
			return false;
		half[digits / 16] = half[digits / 16] << 4 | (uint64_t)digit;
		digits++;
	}
	*uid = (struct cache_uid){half[0], half[1]};
	return uid->high != CACHE_UID_TEXT;
}

static bool uid_take(struct cache *cache, struct text t, struct cache_uid *uid)
{
	if (cache_parse_uid(t, uid))
		return true;
	uint32_t id;
	if (!cache_intern_take(cache, t, &id))
		return false;
	*uid = (struct cache_uid){CACHE_UID_TEXT, id};
	return true;
}

static void uid_give(struct cache *cache, struct cache_uid uid)
{
	if (uid.high == CACHE_UID_TEXT)
		intern_give(&cache->strings, (uint32_t)uid.low);
}

void cache_print_uid(const struct cache *cache, struct cache_uid uid, struct writer *out)
{
	if (uid.high == CACHE_UID_TEXT) {
		write_text(out, cache_text(cache, (uint32_t)uid.low));
		return;
	}
	for (size_t i = 0, digits = 0; i < 36; i++) {
		if (uid_is_dash(i)) {
			write_char(out, '-');
			continue;
		}
		uint64_t half = digits < 16 ? uid.high : uid.low;
		write_char(out, "0123456789abcdef"[half >> (60 - 4 * (digits % 16)) & 15]);
		digits++;
	}
}

/* ---- on and off a node ---- */

static void attach(struct cache *cache, uint32_t index, uint32_t node_index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	struct cache_node *node = cache_node_at(cache, node_index);
	CHECK(pod->node == 0);
	pod->node = node_index;
	pod->prev = 0;
	pod->next = node->first_pod;
	if (pod->next != 0)
		cache_pod_at(cache, pod->next)->prev = index;
	node->first_pod = index;
	cache_sums_apply(&node->sums, cache_template_of(cache, pod), 1);
	if (node->facts != NULL)
		cache_counters_pod(cache, pod, node_index, 1);
	cache_node_changed(cache, node_index);
}

/* The node may become an empty placeholder; the caller drops it when the pod stays away. */
static void detach(struct cache *cache, uint32_t index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	CHECK(pod->node != 0);
	struct cache_node *node = cache_node_at(cache, pod->node);
	if (node->facts != NULL)
		cache_counters_pod(cache, pod, pod->node, -1);
	cache_sums_apply(&node->sums, cache_template_of(cache, pod), -1);
	if (pod->prev != 0)
		cache_pod_at(cache, pod->prev)->next = pod->next;
	else
		node->first_pod = pod->next;
	if (pod->next != 0)
		cache_pod_at(cache, pod->next)->prev = pod->prev;
	cache_node_changed(cache, pod->node);
	pod->node = 0;
	pod->next = 0;
	pod->prev = 0;
}

static void set_nominated(struct cache *cache, struct cache_pod *pod, uint32_t node_name)
{
	if (node_name != pod->nominated) {
		intern_keep(&cache->strings, node_name);
		intern_give(&cache->strings, pod->nominated);
		pod->nominated = node_name;
	}
	bool wanted = pod->nominated != 0 && pod->node == 0;
	bool listed = !list_is_empty(&pod->nominated_link);
	if (wanted && !listed)
		list_add_last(&cache->nominated, &pod->nominated_link);
	if (!wanted && listed)
		list_remove(&pod->nominated_link);
}

void cache_nominate(struct cache *cache, uint32_t index, uint32_t node_name)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	pod->flags &= (uint16_t)~CACHE_POD_NOMINATED_HERE;
	if (node_name != INTERN_EMPTY)
		pod->flags |= CACHE_POD_NOMINATED_HERE;
	set_nominated(cache, pod, node_name);
}

static void count_state(struct cache *cache, const struct cache_pod *pod, int sign)
{
	if (pod->node == 0)
		cache->pods_pending += (uint32_t)sign;
	if ((pod->flags & CACHE_POD_ASSUMED) != 0)
		cache->pods_assumed += (uint32_t)sign;
}

/* How the apiserver sees the pod: an assumed one is still pending. */
static struct cache_side pod_side(const struct cache *cache, const struct cache_pod *pod)
{
	bool assumed = (pod->flags & CACHE_POD_ASSUMED) != 0;
	uint32_t node = pod->node == 0 ? INTERN_EMPTY : cache_node_at(cache, pod->node)->name;
	return (struct cache_side){
		.there = pod->class != 0,
		.blob = pod->class == 0 ? NULL : &cache_template_of(cache, pod)->blob,
		.labels = cache_labels_at(cache, pod->labels),
		.node = assumed ? INTERN_EMPTY : node,
		.assumed = assumed ? node : INTERN_EMPTY,
		.nominated = pod->nominated,
		.claims = pod->claims == 0 ? 0 : cache_pod_claims_of(cache, pod)->blob.hash,
		.flags = pod->flags,
	};
}

/* ---- put ---- */

struct parts { /* what a pod is replaced by, all taken before anything is changed */
	uint32_t class;
	uint32_t labels;
	uint32_t name;
	uint32_t for_node;
	uint32_t nominated;
	uint32_t claims;
	struct cache_uid uid;
	bool has_uid;
	bool is_imagined;
};

static void give_pod_parts(struct cache *cache, const struct parts *parts)
{
	if (parts->class != 0)
		cache_unshare_template(cache, parts->class);
	if (parts->labels != 0)
		cache_unshare_labels(cache, parts->labels);
	if (parts->has_uid)
		uid_give(cache, parts->uid);
	intern_give(&cache->strings, parts->name);
	intern_give(&cache->strings, parts->for_node);
	intern_give(&cache->strings, parts->nominated);
	cache_pod_claims_give(cache, parts->claims);
}

/* INTERN_EMPTY when there is no room. */
static bool pod_take_string(struct cache *cache, struct text t, uint32_t *id)
{
	if (cache_intern_take(cache, t, id))
		return true;
	*id = INTERN_EMPTY;
	return false;
}

static bool take_pod_parts(struct cache *cache, const struct kube_pod *kube, struct parts *parts)
{
	*parts = (struct parts){0};
	parts->class = cache_share_template(cache, &kube->class->blob);
	parts->labels = cache_share_labels(cache, &kube->labels->blob);
	parts->has_uid = uid_take(cache, kube->meta.uid, &parts->uid);
	bool has_names = pod_take_string(cache, kube->meta.name, &parts->name);
	has_names = pod_take_string(cache, kube->for_node, &parts->for_node) && has_names;
	has_names =
		pod_take_string(cache, kube->nominated_node_name, &parts->nominated) && has_names;
	bool has_claims = cache_pod_claims_take(cache, kube, &parts->claims);
	if (parts->class != 0 && parts->labels != 0 && parts->has_uid && has_names && has_claims)
		return true;
	give_pod_parts(cache, parts);
	return false;
}

static uint16_t flags_of(const struct kube_pod *kube)
{
	return (uint16_t)((kube->meta.deleting ? CACHE_POD_DELETING : 0) |
		(kube->disruption_target != 0 ? CACHE_POD_DISRUPTION_TARGET : 0) |
		(kube->has_start_time ? CACHE_POD_HAS_START : 0) |
		(kube->meta.generation == 1 ? CACHE_POD_FIRST_GENERATION : 0));
}

/* A fresh record that is in the table but nowhere else. */
static uint32_t make_pod(struct cache *cache, const struct parts *parts)
{
	uint32_t index = pool_take(&cache->pods);
	if (index == 0)
		return 0;
	struct cache_pod *pod = cache_pod_at(cache, index);
	pod->class = parts->class;
	pod->name = parts->name;
	pod->flags = parts->is_imagined ? CACHE_POD_IMAGINED : 0;
	list_init(&pod->nominated_link);
	uint32_t namespace = cache_template_of(cache, pod)->namespace;
	map_add(&cache->pods_by_name, pod_name_hash(namespace, pod->name), index);
	pod->class = 0;
	pod->name = 0;
	count_state(cache, pod, 1);
	return index;
}

/* From the pod's present state, which is given up now; its nomination has an owner of its own. */
static struct cache_change pod_change(struct cache *cache, uint32_t index)
{
	const struct cache_pod *pod = cache_pod_at(cache, index);
	bool is_odd = pod->class != 0 && pod->uid.high == CACHE_UID_TEXT;
	intern_keep(&cache->strings, pod->nominated);
	return (struct cache_change){
		.event = {.kind = KUBE_POD,
			.index = index,
			.namespace = pod->class == 0 ? INTERN_EMPTY
						     : cache_template_of(cache, pod)->namespace,
			.name = pod->name,
			.old = pod_side(cache, pod)},
		.uid = pod->uid,
		.held = {.template = pod->class,
			.labels = pod->labels,
			.strings = {pod->name, is_odd ? (uint32_t)pod->uid.low : INTERN_EMPTY,
				pod->nominated}},
	};
}

static void pod_log(struct cache *cache, const struct cache_pod *pod, struct cache_change *change)
{
	if ((pod->flags & CACHE_POD_IMAGINED) != 0)
		cache_log_release(cache, &change->held);
	else
		cache_log_append(cache, change);
}

/* Everything is there already; from here on nothing can fail. */
static void replace_pod_parts(struct cache *cache, uint32_t index, struct parts *parts,
	uint32_t node, const struct kube_pod *kube, bool assumed)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	uint32_t old_node = pod->node;
	uint32_t old_class = pod->class;
	uint16_t ours = CACHE_POD_ASSUMED | CACHE_POD_DUE;
	uint16_t flags = (uint16_t)(flags_of(kube) | (assumed ? pod->flags & ours : 0) |
		(pod->flags &
			(CACHE_POD_IMAGINED | CACHE_POD_REPORTED | CACHE_POD_OWED |
				CACHE_POD_EVICTED)));
	uint16_t counted = CACHE_POD_DELETING;
	bool stays = old_node == node && pod->class == parts->class &&
		pod->labels == parts->labels && (pod->flags & counted) == (flags & counted);

	bool promised = (pod->flags & CACHE_POD_NOMINATED_HERE) != 0 && node == 0 &&
		parts->nominated == INTERN_EMPTY;

	struct cache_change change = pod_change(cache, index);
	count_state(cache, pod, -1);
	if (old_node != 0 && !stays)
		detach(cache, index);
	pod->class = parts->class;
	pod->labels = parts->labels;
	pod->name = parts->name;
	intern_give(&cache->strings, pod->for_node);
	pod->for_node = parts->for_node;
	cache_pod_claims_give(cache, pod->claims);
	pod->claims = parts->claims;
	pod->uid = parts->uid;
	pod->flags = flags;
	pod->version = cache_version_of(kube->meta.resource_version);
	pod->start_us = kube->has_start_time ? kube->start_time.us : 0;
	if (node != 0 && !stays)
		attach(cache, index, node);
	if (promised)
		pod->flags |= CACHE_POD_NOMINATED_HERE;
	else
		set_nominated(cache, pod, parts->nominated);
	cache_conditions_put(cache, pod, kube);
	intern_give(&cache->strings, parts->nominated);
	count_state(cache, pod, 1);
	change.uid = pod->uid;
	change.event.namespace = cache_template_of(cache, pod)->namespace;
	change.event.name = pod->name;
	change.event.now = pod_side(cache, pod);
	if (old_node != 0)
		cache_template_displace(cache, old_class);
	pod_log(cache, pod, &change);
	if (old_node != 0 && old_node != node)
		cache_node_drop_placeholder(cache, old_node);
}

static void drop_decoded(struct cache *cache, const struct kube_pod *kube)
{
	kube_blob_drop(&kube->class->blob, &cache->strings);
	kube_blob_drop(&kube->labels->blob, &cache->strings);
}

static bool same_uid(struct cache *cache, const struct cache_pod *pod, struct text uid)
{
	struct cache_uid parsed;
	if (cache_parse_uid(uid, &parsed))
		return pod->uid.high == parsed.high && pod->uid.low == parsed.low;
	return pod->uid.high == CACHE_UID_TEXT &&
		text_is(cache_text(cache, (uint32_t)pod->uid.low), uid);
}

/* A pod of the class can be put on the node, and counts as one that has a node. */
static bool pod_reserve(struct cache *cache, uint32_t node, uint32_t class)
{
	return cache_node_reserve_scalars(cache, node, cache_template_at(cache, class)) &&
		cache_template_place(cache, class);
}

/* Parts are taken; finds the node and the record. False when one of them has no room. */
static bool place_pod(
	struct cache *cache, const struct kube_pod *kube, struct parts *parts, uint32_t *index)
{
	bool is_new = *index == 0;
	bool assumed = !is_new && kube->node_name.size == 0 &&
		(cache_pod_at(cache, *index)->flags & CACHE_POD_ASSUMED) != 0;
	uint32_t node = assumed ? cache_pod_at(cache, *index)->node : 0;
	if (kube->node_name.size > 0) {
		node = cache_node_or_placeholder(cache, kube->node_name);
		if (node == 0)
			return false;
	}
	if (node != 0 && !pod_reserve(cache, node, parts->class)) {
		cache_node_drop_placeholder(cache, node);
		return false;
	}
	if (is_new)
		*index = make_pod(cache, parts);
	if (*index == 0) {
		if (node != 0) {
			cache_template_displace(cache, parts->class);
			cache_node_drop_placeholder(cache, node);
		}
		return false;
	}
	replace_pod_parts(cache, *index, parts, node, kube, assumed);
	return true;
}

static enum cache_result put_pod(
	struct cache *cache, const struct kube_pod *kube, bool is_imagined, uint32_t *index)
{
	struct text namespace = cache_text(cache, kube->class->namespace);
	*index = cache_find_pod(cache, namespace, kube->meta.name);
	if (*index != 0) {
		struct cache_pod *pod = cache_pod_at(cache, *index);
		pod->seen = cache->list_round[KUBE_POD];
		bool same = same_uid(cache, pod, kube->meta.uid);
		if (same && kube->meta.resource_version.size > 0 &&
			pod->version == cache_version_of(kube->meta.resource_version)) {
			drop_decoded(cache, kube);
			return CACHE_UNCHANGED;
		}
		if (!same) {
			(void)cache_remove_pod(cache, *index);
			*index = 0;
		}
	}
	struct parts parts;
	if (!take_pod_parts(cache, kube, &parts))
		return CACHE_FULL;
	parts.is_imagined = is_imagined;
	if (!place_pod(cache, kube, &parts, index)) {
		give_pod_parts(cache, &parts);
		return CACHE_FULL;
	}
	cache_pod_at(cache, *index)->seen = cache->list_round[KUBE_POD];
	return CACHE_OK;
}

enum cache_result cache_put_pod(struct cache *cache, const struct kube_pod *kube, uint32_t *index)
{
	enum cache_result result = put_pod(cache, kube, false, index);
	cache->refused += result == CACHE_FULL;
	return result;
}

enum cache_result cache_put_imagined_pod(
	struct cache *cache, const struct kube_pod *kube, uint32_t *index)
{
	enum cache_result result = put_pod(cache, kube, true, index);
	CHECK(result != CACHE_UNCHANGED); /* it has a name of its own */
	return result;
}

static void remove_pod(struct cache *cache, uint32_t index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	uint32_t node = pod->node;
	uint32_t namespace = cache_template_of(cache, pod)->namespace;
	struct cache_change change = pod_change(cache, index);
	change.waiting = pod->waiting;
	if (node != 0) /* also of an assumed one: there is room on it now */
		change.event.old.node = cache_node_at(cache, node)->name;
	count_state(cache, pod, -1);
	if (node != 0) {
		detach(cache, index);
		cache_template_displace(cache, pod->class);
	}
	set_nominated(cache, pod, INTERN_EMPTY);
	intern_give(&cache->strings, pod->for_node);
	cache_pod_claims_give(cache, pod->claims);
	cache_conditions_drop(cache, pod);
	map_remove(&cache->pods_by_name, pod_name_hash(namespace, pod->name), index);
	pod_log(cache, pod, &change);
	pool_give(&cache->pods, index);
	if (node != 0)
		cache_node_drop_placeholder(cache, node);
	trace("cache forget", index, node);
}

enum cache_result cache_remove_pod(struct cache *cache, uint32_t index)
{
	remove_pod(cache, index);
	return CACHE_OK;
}

void cache_drop_pod(struct cache *cache, uint32_t index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	CHECK(cache_log_count(cache) == 0); /* changes may look at what goes now */
	CHECK(pod->node == 0);
	pod->flags |= CACHE_POD_IMAGINED; /* as far as the log is concerned */
	remove_pod(cache, index);
}

void cache_drop_placed_pod(struct cache *cache, uint32_t index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	CHECK(cache_log_count(cache) == 0);
	CHECK(cache_node_at(cache, pod->node)->facts == NULL);
	pod->flags |= CACHE_POD_IMAGINED;
	remove_pod(cache, index);
}

/* ---- in thought ---- */

/* What was taken for its place stays taken, so that the way back cannot fail. */
static void imagine_at(struct cache *cache, uint32_t index, uint32_t node)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	count_state(cache, pod, -1);
	if (node != 0)
		attach(cache, index, node);
	else
		detach(cache, index);
	count_state(cache, pod, 1);
}

void cache_imagine_off(struct cache *cache, uint32_t index)
{
	imagine_at(cache, index, 0);
}

bool cache_imagine_on(struct cache *cache, uint32_t index, uint32_t node)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	cache_budget_open(cache, false);
	bool fits = cache_node_reserve_scalars(cache, node, cache_template_of(cache, pod));
	cache_budget_close(cache);
	if (fits)
		imagine_at(cache, index, node);
	return fits;
}

void cache_imagine_back(struct cache *cache, uint32_t index, uint32_t node)
{
	imagine_at(cache, index, node);
}

/* ---- our own decisions ---- */

enum cache_result cache_assume(struct cache *cache, uint32_t index, uint32_t node)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	if (pod->node != 0)
		return CACHE_CONFLICT;
	if (cache_node_at(cache, node)->facts == NULL)
		return CACHE_UNKNOWN;
	cache_budget_open(cache, PAGE_RESERVE_ALL);
	bool fits = pod_reserve(cache, node, pod->class);
	cache_budget_close(cache);
	if (!fits) {
		cache->refused++;
		return CACHE_FULL;
	}
	count_state(cache, pod, -1);
	attach(cache, index, node);
	pod->flags |= CACHE_POD_ASSUMED;
	pod->flags &= (uint16_t)~CACHE_POD_NOMINATED_HERE;
	set_nominated(cache, pod, INTERN_EMPTY);
	count_state(cache, pod, 1);
	trace("cache assume", index, node);
	return CACHE_OK;
}

enum cache_result cache_forget(struct cache *cache, uint32_t index)
{
	struct cache_pod *pod = cache_pod_at(cache, index);
	if ((pod->flags & CACHE_POD_ASSUMED) == 0)
		return CACHE_CONFLICT;
	uint32_t node = pod->node;
	count_state(cache, pod, -1);
	detach(cache, index);
	cache_template_displace(cache, pod->class);
	pod->flags &= (uint16_t) ~(CACHE_POD_ASSUMED | CACHE_POD_DUE);
	set_nominated(cache, pod, pod->nominated); /* an update may have brought it meanwhile */
	count_state(cache, pod, 1);
	cache_node_drop_placeholder(cache, node);
	return CACHE_OK;
}
