/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status of pending pods.
 *
 * What kube-scheduler does: it has the whole pod. What we do: the patch of a status (bind/) asks
 * for the types of all conditions in order, for what PodScheduled says, for the generation and for
 * the nomination. That is one small record and a few strings that most pods share.
 *
 * A pod as it was created says nothing of this: no conditions, no nomination, generation 1. It has
 * no record, and so a backlog that can be placed costs nothing. Once it has a node there is no
 * reason to give for having none, and the record goes.
 *
 * Without a record the patch says all of its condition, which is never wrong, only longer. So this
 * is the first to make do without: words for people do not take the room of what decides, which
 * would make the picture incomplete.
 */
#include "cache/conditions.h"

#include "cache/private.h"

static const char separator = '\n';

static struct text scheduled(void)
{
	return TEXT("PodScheduled");
}

/* ---- what is kept ---- */

static bool is_worth_it(const struct kube_pod *kube)
{
	int64_t generation = kube->meta.generation;
	return kube->condition_count > 0 || kube->nominated_node_name.size > 0 ||
		(generation != 0 && generation != 1);
}

/* The first, as a patch finds it; condition_count when there is none. */
static uint32_t find_scheduled(const struct kube_pod *kube)
{
	uint32_t i = 0;
	while (i < kube->condition_count && !text_is(kube->conditions[i].type, scheduled()))
		i++;
	return i;
}

/* As many as have room; PodScheduled always has. */
static void write_types(const struct kube_pod *kube, uint32_t at, struct writer *out)
{
	uint32_t left = CACHE_CONDITIONS_MAX;
	size_t reserved = 0;
	if (at < kube->condition_count) {
		left--;
		reserved = scheduled().size + 1;
	}
	for (uint32_t i = 0; i < kube->condition_count; i++) {
		struct text type = kube->conditions[i].type;
		if (i == at) {
			reserved = 0;
		} else {
			if (left == 0 || type.size == 0 || text_is(type, scheduled()) ||
				text_find(type, separator) < type.size ||
				type.size + 1 + reserved > out->size - out->used)
				continue;
			left--;
		}
		write_text(out, type);
		write_char(out, separator);
	}
	CHECK(!out->overflowed);
}

static bool has_headroom(const struct budget *budget, uint64_t more)
{
	uint64_t free = budget->capacity - budget->used;
	return free > more && free - more >= budget->capacity / CACHE_CONDITIONS_HEADROOM;
}

static bool take_condition(struct cache *cache, struct text t, uint32_t *id)
{
	if (intern_find(&cache->strings, t, id)) {
		intern_keep(&cache->strings, *id);
		return true;
	}
	*id = INTERN_EMPTY;
	return has_headroom(&cache->strings.strings.budget, 1) &&
		has_headroom(&cache->store.budget, t.size) && intern_take(&cache->strings, t, id);
}

static void give_texts(struct cache *cache, const struct cache_conditions *c)
{
	intern_give(&cache->strings, c->types);
	intern_give(&cache->strings, c->status);
	intern_give(&cache->strings, c->reason);
	intern_give(&cache->strings, c->message);
	intern_give(&cache->strings, c->probe_time);
	intern_give(&cache->strings, c->nominated);
}

/* False, and nothing is taken, when there is no room. */
static bool take_texts(struct cache *cache, const struct kube_pod *kube, struct cache_conditions *c)
{
	char bytes[CACHE_TYPES_MAX];
	uint32_t at = find_scheduled(kube);
	struct kube_condition none = {.type = TEXT_NONE};
	const struct kube_condition *said =
		at < kube->condition_count ? &kube->conditions[at] : &none;
	struct writer types;
	struct wall transition;

	writer_init(&types, bytes, sizeof(bytes));
	write_types(kube, at, &types);
	*c = (struct cache_conditions){.generation = kube->meta.generation,
		.observed_generation = said->observed_generation,
		.transition_us = INT64_MIN};
	if (kube_time_parse(said->last_transition_time, &transition))
		c->transition_us = transition.us;
	if (take_condition(cache, writer_text(&types), &c->types) &&
		take_condition(cache, said->status, &c->status) &&
		take_condition(cache, said->reason, &c->reason) &&
		take_condition(cache, said->message, &c->message) &&
		take_condition(cache, said->last_probe_time, &c->probe_time) &&
		take_condition(cache, kube->nominated_node_name, &c->nominated))
		return true;
	give_texts(cache, c);
	return false;
}

/* ---- putting and dropping ---- */

static struct cache_conditions *conditions_at(const struct cache *cache, uint32_t index)
{
	return pool_at(&cache->conditions, index);
}

void cache_conditions_drop(struct cache *cache, struct cache_pod *pod)
{
	pod->flags &= (uint16_t)~CACHE_POD_STATUS_LOST;
	if (pod->conditions == 0)
		return;
	give_texts(cache, conditions_at(cache, pod->conditions));
	pool_give(&cache->conditions, pod->conditions);
	pod->conditions = 0;
}

void cache_conditions_put(struct cache *cache, struct cache_pod *pod, const struct kube_pod *kube)
{
	struct cache_conditions next;
	bool is_pending = kube->node_name.size == 0;
	if (!is_pending || !is_worth_it(kube)) {
		cache_conditions_drop(cache, pod);
		return;
	}
	/* Before the old ones go, so that what stays the same stays where it is. */
	bool taken = cache->conditions.capacity > 0 && take_texts(cache, kube, &next);
	cache_conditions_drop(cache, pod);
	if (taken) {
		pod->conditions = pool_take(&cache->conditions);
		if (pod->conditions != 0)
			*conditions_at(cache, pod->conditions) = next;
		else
			give_texts(cache, &next);
	}
	if (pod->conditions != 0)
		return;
	pod->flags |= CACHE_POD_STATUS_LOST;
	cache->conditions_lost++;
}

/* ---- asking ---- */

static void fill_scheduled(const struct cache *cache, const struct cache_conditions *c,
	struct cache_status *status, struct kube_condition *to)
{
	to->status = cache_text(cache, c->status);
	to->reason = cache_text(cache, c->reason);
	to->message = cache_text(cache, c->message);
	to->last_probe_time = cache_text(cache, c->probe_time);
	to->observed_generation = c->observed_generation;
	if (c->transition_us == INT64_MIN)
		return;
	struct writer out;
	writer_init(&out, status->transition, sizeof(status->transition));
	kube_time_print((struct wall){c->transition_us}, &out);
	CHECK(!out.overflowed);
	to->last_transition_time = writer_text(&out);
}

void cache_pod_status(
	const struct cache *cache, const struct cache_pod *pod, struct cache_status *status)
{
	bool has_node = pod->node != 0 && (pod->flags & CACHE_POD_ASSUMED) == 0;
	*status = (struct cache_status){
		.known = !has_node && (pod->flags & CACHE_POD_STATUS_LOST) == 0,
		.generation = (pod->flags & CACHE_POD_FIRST_GENERATION) != 0,
		.nominated = TEXT(""),
	};
	if (pod->conditions == 0)
		return;
	const struct cache_conditions *c = conditions_at(cache, pod->conditions);
	struct text rest = cache_text(cache, c->types);
	struct text type;
	status->generation = c->generation;
	status->nominated = cache_text(cache, c->nominated);
	while (text_cut(&rest, separator, &type) && type.size > 0) {
		CHECK(status->count < CACHE_CONDITIONS_MAX);
		struct kube_condition *to = &status->conditions[status->count++];
		to->type = type;
		if (text_is(type, scheduled()))
			fill_scheduled(cache, c, status, to);
	}
}

/* ---- audit ---- */

void cache_conditions_audit(const struct cache *cache)
{
	uint32_t records = 0;
	for (uint32_t p = 1; p <= pool_top(&cache->pods); p++) {
		if (!pool_is_taken(&cache->pods, p))
			continue;
		const struct cache_pod *pod = cache_pod_at(cache, p);
		bool has_node = pod->node != 0 && (pod->flags & CACHE_POD_ASSUMED) == 0;
		bool is_lost = (pod->flags & CACHE_POD_STATUS_LOST) != 0;
		struct cache_status status;
		CHECK(pod->conditions == 0 || !has_node);
		CHECK(pod->conditions == 0 || !is_lost);
		CHECK(!is_lost || !has_node);
		cache_pod_status(cache, pod, &status);
		records += pod->conditions != 0;
	}
	CHECK(records == pool_used(&cache->conditions));
}
