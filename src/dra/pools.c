/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pools: the slices that a node can reach, by driver and pool, of the newest generation each. A
 * pool some of whose slices are missing is incomplete, one that contradicts itself is invalid;
 * neither gives devices.
 */
#include <string.h>

#include "base/hash.h"
#include "dra/private.h"

enum { NAMES_PER_STEP = 8, COUNTERS_PER_STEP = 32 };

/* ---- which slices ---- */

static bool slice_is_relevant(
	const struct dra_run *run, const struct kube_slice *facts, const struct cache_node *node)
{
	if (!run->features.counters && (facts->per_device != 0 || facts->has_counters != 0))
		return false;
	if (facts->has_counters != 0)
		return true;
	if (facts->per_device == 0)
		return dra_reaches(run->cache, facts, &facts->reach, node);
	const struct kube_device *devices = KUBE_AT(facts, facts->devices, struct kube_device);
	for (uint32_t i = 0; i < facts->devices.count; i++) {
		const struct kube_device_more *more = kube_device_more(facts, &devices[i]);
		if (more != NULL && dra_reaches(run->cache, facts, &more->reach, node))
			return true;
	}
	return false;
}

static struct text slice_name(const struct dra_run *run, uint32_t slice)
{
	const struct cache_object *object =
		pool_at(&run->cache->objects, cache_slice_at(run->cache, slice)->object);
	return cache_text(run->cache, object->name);
}

struct found { /* slices, growing at the end of scratch */
	struct dra_slice *list;
	uint32_t count;
	uint32_t room;
};

static bool add_found(struct dra_run *run, struct found *found, uint32_t slice)
{
	if (found->count == found->room) {
		uint32_t room = found->room * 2 + 4;
		struct dra_slice *list = SCRATCH_ARRAY(run->scratch, struct dra_slice, room);
		if (list == NULL)
			return false;
		if (found->count > 0)
			memcpy(list, found->list, found->count * sizeof(*list));
		found->list = list;
		found->room = room;
	}
	found->list[found->count++] = (struct dra_slice){
		cache_slice_facts(run->cache, slice), slice, slice_name(run, slice)};
	return true;
}

static bool find_slices(struct dra_run *run, const struct cache_node *node, struct found *found)
{
	const uint32_t names[] = {node->name, INTERN_EMPTY};
	for (uint32_t n = 0; n < ARRAY_COUNT(names); n++) {
		struct map_walk walk = cache_slices_of_node(run->cache, names[n]);
		for (uint32_t i;
			(i = cache_slice_next_of_node(run->cache, &walk, names[n])) != 0;) {
			if (!dra_step(run, 1))
				return false;
			if (slice_is_relevant(run, cache_slice_facts(run->cache, i), node) &&
				!add_found(run, found, i))
				return false;
		}
	}
	return true;
}

/* ---- in order ---- */

static int compare_slices(
	const struct dra_run *run, const struct dra_slice *a, const struct dra_slice *b)
{
	int order = 0;
	if (a->facts->driver != b->facts->driver)
		order = text_compare(
			dra_text(run, a->facts->driver), dra_text(run, b->facts->driver));
	if (order == 0 && a->facts->pool != b->facts->pool)
		order = text_compare(dra_text(run, a->facts->pool), dra_text(run, b->facts->pool));
	return order != 0 ? order : text_compare(a->name, b->name);
}

/* Few as a rule, and nearly in order; never worse than n to the power of 1.5. */
static void sort_slices(const struct dra_run *run, struct dra_slice *list, uint32_t count)
{
	for (uint32_t gap = count / 2; gap > 0; gap /= 2)
		for (uint32_t i = gap; i < count; i++) {
			struct dra_slice slice = list[i];
			uint32_t k = i;
			for (; k >= gap && compare_slices(run, &list[k - gap], &slice) > 0;
				k -= gap)
				list[k] = list[k - gap];
			list[k] = slice;
		}
}

/* ---- what a pool must be like ---- */

static bool names_are_unique(struct dra_run *run, const struct dra_pool *pool)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < pool->slice_count; s++)
		count += pool->slices[s].facts->devices.count;
	run->steps -= count / NAMES_PER_STEP;
	uint32_t size = 16;
	while (size < count * 2)
		size *= 2;
	struct scratch_mark mark = scratch_mark(run->scratch);
	uint32_t *seen = SCRATCH_ARRAY(run->scratch, uint32_t, size);
	bool unique = seen != NULL;
	for (uint32_t s = 0; unique && s < pool->slice_count; s++) {
		const struct kube_slice *facts = pool->slices[s].facts;
		const struct kube_device *devices =
			KUBE_AT(facts, facts->devices, struct kube_device);
		for (uint32_t i = 0; unique && i < facts->devices.count; i++) {
			uint32_t at = hash_pair(devices[i].name, 1) & (size - 1);
			while (seen[at] != 0 && seen[at] != devices[i].name)
				at = (at + 1) & (size - 1);
			unique = seen[at] == 0;
			seen[at] = devices[i].name;
		}
	}
	scratch_rewind(run->scratch, mark);
	return unique;
}

static const struct kube_counter_set *find_set(
	const struct dra_pool *pool, uint32_t name, const struct kube_slice **of)
{
	for (uint32_t s = 0; s < pool->set_count; s++) {
		*of = pool->sets[s].facts;
		const struct kube_counter_set *sets =
			KUBE_AT(*of, (*of)->counter_set, struct kube_counter_set);
		for (uint32_t i = 0; i < (*of)->counter_set.count; i++)
			if (sets[i].name == name)
				return &sets[i];
	}
	return NULL;
}

static bool has_counter(
	const struct kube_slice *of, const struct kube_counter_set *set, uint32_t name)
{
	const struct kube_amount *counters = KUBE_AT(of, set->counters, struct kube_amount);
	for (uint32_t i = 0; i < set->counters.count; i++)
		if (counters[i].name == name)
			return true;
	return false;
}

static bool consumes_known(struct dra_run *run, const struct dra_pool *pool,
	const struct kube_slice *facts, const struct kube_device *device)
{
	const struct kube_device_more *more = kube_device_more(facts, device);
	if (more == NULL)
		return true;
	const struct kube_counter_set *used =
		KUBE_AT(facts, more->consumes, struct kube_counter_set);
	for (uint32_t i = 0; i < more->consumes.count; i++) {
		const struct kube_slice *of;
		const struct kube_counter_set *set = find_set(pool, used[i].name, &of);
		const struct kube_amount *amounts =
			KUBE_AT(facts, used[i].counters, struct kube_amount);
		run->steps -= used[i].counters.count / COUNTERS_PER_STEP;
		for (uint32_t k = 0; set != NULL && k < used[i].counters.count; k++)
			if (!has_counter(of, set, amounts[k].name))
				return false;
		if (set == NULL)
			return false;
	}
	return true;
}

static bool sets_are_unique(const struct dra_pool *pool)
{
	for (uint32_t s = 0; s < pool->set_count; s++) {
		const struct kube_slice *facts = pool->sets[s].facts;
		const struct kube_counter_set *sets =
			KUBE_AT(facts, facts->counter_set, struct kube_counter_set);
		for (uint32_t i = 0; i < facts->counter_set.count; i++) {
			const struct kube_slice *of;
			if (find_set(pool, sets[i].name, &of) != &sets[i])
				return false;
		}
	}
	return true;
}

static bool counters_are_known(struct dra_run *run, const struct dra_pool *pool,
	const struct dra_slice *list, uint32_t count)
{
	for (uint32_t s = 0; s < count; s++) {
		const struct kube_slice *facts = list[s].facts;
		const struct kube_device *devices =
			KUBE_AT(facts, facts->devices, struct kube_device);
		for (uint32_t i = 0; i < facts->devices.count; i++)
			if (!consumes_known(run, pool, facts, &devices[i]) || run->steps < 0)
				return false;
	}
	return true;
}

static bool has_conditions(const struct dra_pool *pool)
{
	for (uint32_t s = 0; s < pool->slice_count; s++) {
		const struct kube_slice *facts = pool->slices[s].facts;
		const struct kube_device *devices =
			KUBE_AT(facts, facts->devices, struct kube_device);
		for (uint32_t i = 0; i < facts->devices.count; i++) {
			const struct kube_device_more *more = kube_device_more(facts, &devices[i]);
			if (more != NULL && more->has_conditions != 0)
				return true;
		}
	}
	return false;
}

/* ---- from slices to pools ---- */

/* The other slices of the generation, for other nodes; false: there is a newer generation. */
static bool look_beyond(struct dra_run *run, struct dra_pool *pool, const struct dra_slice *list,
	uint32_t count, uint32_t *all)
{
	struct found others = {0};
	int64_t generation = list[0].facts->generation;
	struct map_walk walk = cache_slices_of_pool(run->cache, pool->driver, pool->pool);
	*all = 0;
	for (uint32_t i;
		(i = cache_slice_next_of_pool(run->cache, &walk, pool->driver, pool->pool)) != 0;) {
		int64_t of = cache_slice_facts(run->cache, i)->generation;
		uint32_t k = 0;
		if (of > generation)
			return false;
		if (!dra_step(run, 1) || of < generation)
			continue;
		(*all)++;
		while (k < count && list[k].slice != i)
			k++;
		if (k == count && !add_found(run, &others, i))
			return true; /* the overflow of scratch is seen by the caller */
	}
	pool->others = others.list;
	pool->other_count = others.count;
	return true;
}

/* Those with counters behind the others, each in order. */
static void split_sets(
	struct dra_run *run, struct dra_pool *pool, struct dra_slice *list, uint32_t count)
{
	struct dra_slice *sets = SCRATCH_ARRAY(run->scratch, struct dra_slice, (size_t)count + 1);
	uint32_t plain = 0, with = 0;
	for (uint32_t i = 0; sets != NULL && i < count; i++) {
		if (run->features.counters && list[i].facts->has_counters != 0)
			sets[with++] = list[i];
		else
			list[plain++] = list[i];
	}
	pool->slices = list;
	pool->slice_count = plain;
	pool->sets = sets;
	pool->set_count = with;
}

/* The slices of one pool, by name. False: the pool is not there for the node. */
static bool make_pool(
	struct dra_run *run, struct dra_slice *list, uint32_t count, struct dra_pool *pool)
{
	int64_t newest = list[0].facts->generation;
	for (uint32_t i = 1; i < count; i++)
		newest = list[i].facts->generation > newest ? list[i].facts->generation : newest;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].facts->generation == newest)
			list[kept++] = list[i];
	*pool = (struct dra_pool){.driver = list[0].facts->driver, .pool = list[0].facts->pool};
	if (kept != list[0].facts->slice_count) {
		uint32_t all;
		if (!look_beyond(run, pool, list, kept, &all))
			return false;
		pool->is_incomplete = all != list[0].facts->slice_count;
	}
	if (pool->is_incomplete) {
		if (run->why != NULL)
			run->why->pools_incomplete++;
		return true;
	}
	split_sets(run, pool, list, kept);
	pool->is_invalid = !names_are_unique(run, pool) ||
		(run->features.counters &&
			(!sets_are_unique(pool) ||
				!counters_are_known(run, pool, pool->slices, pool->slice_count) ||
				!counters_are_known(run, pool, pool->others, pool->other_count)));
	if (pool->is_invalid && run->why != NULL)
		run->why->pools_invalid++;
	pool->has_conditions = !pool->is_invalid && has_conditions(pool);
	return true;
}

/* Pools with binding conditions come behind the others. */
static void put_behind(struct dra_pools *pools, const struct dra_pool *made, uint32_t count)
{
	for (uint32_t with = 0; with < 2; with++)
		for (uint32_t i = 0; i < count; i++)
			if (made[i].has_conditions == (with == 1))
				pools->list[pools->count++] = made[i];
}

bool dra_pools_gather(struct dra_run *run, const struct cache_node *node, struct dra_pools *pools)
{
	struct found found = {0};
	*pools = (struct dra_pools){0};
	if (!find_slices(run, node, &found))
		return false;
	sort_slices(run, found.list, found.count);
	uint32_t count = 0;
	for (uint32_t i = 0; i < found.count; i++)
		count += i == 0 || found.list[i].facts->driver != found.list[i - 1].facts->driver ||
			found.list[i].facts->pool != found.list[i - 1].facts->pool;
	struct dra_pool *made = SCRATCH_ARRAY(run->scratch, struct dra_pool, (size_t)count + 1);
	pools->list = SCRATCH_ARRAY(run->scratch, struct dra_pool, (size_t)count + 1);
	if (run->scratch->overflowed)
		return false;
	uint32_t used = 0;
	for (uint32_t i = 0, next; i < found.count; i = next) {
		const struct kube_slice *first = found.list[i].facts;
		for (next = i + 1; next < found.count &&
			found.list[next].facts->driver == first->driver &&
			found.list[next].facts->pool == first->pool;)
			next++;
		used += make_pool(run, &found.list[i], next - i, &made[used]);
	}
	put_behind(pools, made, used);
	return run->steps >= 0 && !run->scratch->overflowed;
}

/* Generations and counters do not matter: it is a score. */
void dra_count(struct dra_run *run, const struct kube_device_class *class,
	const struct cache_node *node, int64_t *count, int64_t *given)
{
	const struct dra_ask ask = {.class = class};
	struct scratch_mark mark = scratch_mark(run->scratch);
	struct found found = {0};
	*count = *given = 0;
	bool ok = find_slices(run, node, &found);
	for (uint32_t s = 0; ok && s < found.count; s++) {
		const struct kube_slice *of = found.list[s].facts;
		const struct kube_device *devices = KUBE_AT(of, of->devices, struct kube_device);
		for (uint32_t i = 0; i < of->devices.count && dra_step(run, 1); i++) {
			const struct kube_device_more *more = kube_device_more(of, &devices[i]);
			bool whole, shared;
			if (!dra_reaches(run->cache, of,
				    of->per_device == 0 || more == NULL ? &of->reach : &more->reach,
				    node) ||
				dra_selects(run, NULL, &ask, &found.list[s], i) != DRA_FITS)
				continue;
			dra_look_given(run, of, devices[i].name, &whole, &shared);
			++*count;
			*given += whole || shared;
		}
	}
	scratch_rewind(run->scratch, mark);
}
