/* SPDX-License-Identifier: GPL-2.0-only */
/* What is left of devices: whole ones, shares of their capacity, counters that they have in common.
 */
#include "dra/private.h"

/* ---- given ---- */

void dra_look_given(const struct dra_run *run, const struct kube_slice *slice, uint32_t device,
	bool *given, bool *shared)
{
	struct map_walk walk = cache_given_walk(run->cache, slice->driver, slice->pool, device);
	*given = *shared = false;
	for (uint32_t i; (i = cache_given_next(
				  run->cache, &walk, slice->driver, slice->pool, device)) != 0;) {
		bool is_shared = cache_given_at(run->cache, i)->is_shared != 0;
		*shared = *shared || is_shared;
		*given = *given || !is_shared;
	}
}

/* ---- capacity ---- */

static struct quantity amount(const struct dra_run *run, uint32_t value)
{
	return kube_amount_of(&run->cache->strings, value);
}

static void subtract(struct quantity *from, struct quantity what)
{
	quantity_negate(&what);
	quantity_add(from, &what);
}

void dra_capacity_taken(const struct dra_run *run, const struct kube_slice *slice,
	const struct kube_device *device, struct quantity *taken)
{
	const struct kube_capacity *capacities =
		KUBE_AT(slice, device->capacities, struct kube_capacity);
	struct map_walk walk =
		cache_given_walk(run->cache, slice->driver, slice->pool, device->name);
	for (uint32_t g; (g = cache_given_next(run->cache, &walk, slice->driver, slice->pool,
				  device->name)) != 0;) {
		const struct cache_given *given = cache_given_at(run->cache, g);
		const void *blob;
		if (given->is_shared == 0)
			continue;
		const struct kube_device_result *result =
			cache_given_result(run->cache, given, &blob);
		const struct kube_amount *used =
			KUBE_AT(blob, result->consumed, struct kube_amount);
		for (uint32_t i = 0; i < result->consumed.count; i++)
			for (uint32_t k = 0; k < device->capacities.count; k++)
				if (capacities[k].name == used[i].name) {
					struct quantity q = amount(run, used[i].value);
					quantity_add(&taken[k], &q);
				}
	}
}

static const struct kube_capacity_policy *policy_of(
	const struct kube_slice *slice, const struct kube_capacity *capacity)
{
	const uint8_t *start = (const uint8_t *)(const void *)slice;
	return capacity->policy == 0
		? NULL
		: (const struct kube_capacity_policy *)(const void *)(start + capacity->policy);
}

/* Of a range; `unit` is 1000 where thousandths count. */
struct steps {
	int64_t asked;
	int64_t least;
	int64_t step;
	bool in_thousandths;
};

static bool milli_is_exact(const struct quantity *q)
{
	struct quantity milli = quantity_of(quantity_milli(q), -3);
	return quantity_compare(q, &milli) == 0;
}

static struct steps steps_of(const struct dra_run *run, const struct kube_capacity_policy *policy,
	const struct quantity *asked)
{
	struct quantity least = policy->least == 0 ? quantity_zero() : amount(run, policy->least);
	struct quantity step = amount(run, policy->step);
	struct quantity most = policy->most == 0 ? quantity_zero() : amount(run, policy->most);
	struct steps s = {.in_thousandths = run->features.fractional && milli_is_exact(&least) &&
			milli_is_exact(&step) && milli_is_exact(&most) &&
			quantity_milli(&step) >= 1 && milli_is_exact(asked)};
	s.asked = s.in_thousandths ? quantity_milli(asked) : quantity_value(asked);
	s.least = s.in_thousandths ? quantity_milli(&least) : quantity_value(&least);
	s.step = s.in_thousandths ? quantity_milli(&step) : quantity_value(&step);
	return s;
}

/* Up to a multiple of the step; false: it cannot be said in 64 bits. */
static bool round_up(const struct steps *s, struct quantity *rounded)
{
	int64_t added, count, up;
	if (s->step <= 0)
		return true;
	if (__builtin_sub_overflow(s->asked, s->least, &added))
		return false;
	count = added / s->step + (added % s->step > 0);
	if (__builtin_mul_overflow(count, s->step, &up) ||
		__builtin_add_overflow(up, s->least, &up))
		return false;
	*rounded = quantity_of(up, s->in_thousandths ? -3 : 0);
	rounded->format = QUANTITY_BINARY_SI;
	return true;
}

/* What a request for `asked` (NULL: nothing said) takes of the capacity. */
static bool consumed_of(const struct dra_run *run, const struct kube_slice *slice,
	const struct kube_capacity *capacity, const struct kube_amount *asked,
	struct quantity *consumed)
{
	const struct kube_capacity_policy *policy = policy_of(slice, capacity);
	if (asked == NULL) {
		*consumed = amount(run,
			policy != NULL && policy->otherwise != 0 ? policy->otherwise
								 : capacity->value);
		return true;
	}
	*consumed = amount(run, asked->value);
	if (policy == NULL)
		return true;
	if (policy->has_range != 0 && policy->least != 0) {
		struct quantity least = amount(run, policy->least);
		if (quantity_compare(consumed, &least) < 0)
			*consumed = least;
		else if (policy->step != 0) {
			struct steps s = steps_of(run, policy, consumed);
			return round_up(&s, consumed);
		}
		return true;
	}
	const uint32_t *values = KUBE_AT(slice, policy->values, uint32_t);
	for (uint32_t i = 0; i < policy->values.count; i++) {
		struct quantity value = amount(run, values[i]);
		if (quantity_compare(consumed, &value) > 0)
			continue;
		*consumed = value;
		break;
	}
	return true;
}

static bool violates(const struct dra_run *run, const struct kube_slice *slice,
	const struct kube_capacity *capacity, const struct quantity *consumed)
{
	const struct kube_capacity_policy *policy = policy_of(slice, capacity);
	if (policy == NULL)
		return false;
	if (policy->otherwise != 0) {
		struct quantity otherwise = amount(run, policy->otherwise);
		if (quantity_compare(consumed, &otherwise) == 0)
			return false;
	}
	if (policy->has_range != 0) {
		struct quantity most = policy->most == 0 ? *consumed : amount(run, policy->most);
		if (quantity_compare(consumed, &most) > 0)
			return true;
		if (policy->step == 0)
			return false;
		struct steps s = steps_of(run, policy, consumed);
		int64_t added;
		return s.step > 0 &&
			(__builtin_sub_overflow(s.asked, s.least, &added) || added % s.step != 0);
	}
	const uint32_t *values = KUBE_AT(slice, policy->values, uint32_t);
	for (uint32_t i = 0; i < policy->values.count; i++) {
		struct quantity value = amount(run, values[i]);
		if (quantity_compare(consumed, &value) == 0)
			return false;
	}
	return policy->values.count > 0;
}

static const struct kube_amount *asked_of(const struct dra_ask *ask, uint32_t name)
{
	for (uint32_t i = 0; i < ask->capacity_count; i++)
		if (ask->capacity[i].name == name)
			return &ask->capacity[i];
	return NULL;
}

/* Something is asked for that the device does not have. */
static bool asks_for_other(
	const struct dra_ask *ask, const struct kube_slice *slice, const struct kube_device *device)
{
	const struct kube_capacity *capacities =
		KUBE_AT(slice, device->capacities, struct kube_capacity);
	for (uint32_t i = 0; i < ask->capacity_count; i++) {
		uint32_t k = 0;
		while (k < device->capacities.count && capacities[k].name != ask->capacity[i].name)
			k++;
		if (k == device->capacities.count)
			return true;
	}
	return false;
}

enum dra_verdict dra_capacity_fits(struct dra_run *run, const struct dra_claim *claim,
	const struct dra_ask *ask, const struct kube_slice *slice, const struct kube_device *device,
	const struct quantity *taken, struct quantity *consumed)
{
	const struct kube_capacity *capacities =
		KUBE_AT(slice, device->capacities, struct kube_capacity);
	if (asks_for_other(ask, slice, device))
		return DRA_NONE;
	for (uint32_t i = 0; i < device->capacities.count; i++) {
		struct quantity sum;
		if (!consumed_of(
			    run, slice, &capacities[i], asked_of(ask, capacities[i].name), &sum)) {
			if (!run->features.names_device)
				return DRA_NONE;
			return dra_fail(run,
				"claim %.*s/%.*s, request %.*s: checking capacity for "
				"device " DRA_DEVICE
				": capacity \"%.*s\": capacity request cannot be "
				"represented in the device's range arithmetic",
				TEXT_ARGS(claim->namespace), TEXT_ARGS(claim->name),
				TEXT_ARGS(ask->name), DRA_DEVICE_ARGS(run, slice, device),
				TEXT_ARGS(dra_text(run, capacities[i].name)));
		}
		if (violates(run, slice, &capacities[i], &sum))
			return DRA_NONE;
		if (consumed != NULL)
			consumed[i] = sum;
		struct quantity most = amount(run, capacities[i].value);
		if (taken != NULL)
			quantity_add(&sum, &taken[i]);
		if (quantity_compare(&sum, &most) > 0)
			return DRA_NONE;
	}
	return DRA_FITS;
}

/* ---- counters ---- */

static struct dra_counter *counter_of(struct dra_pool *pool, uint32_t set, uint32_t name)
{
	for (uint32_t i = 0; i < pool->counter_count; i++)
		if (pool->counters[i].set == set && pool->counters[i].name == name)
			return &pool->counters[i];
	return NULL;
}

/* sign 1: back, -1: taken */
static void move_counters(const struct dra_run *run, struct dra_pool *pool,
	const struct kube_slice *slice, const struct kube_device *device, int sign)
{
	const struct kube_device_more *more = kube_device_more(slice, device);
	const struct kube_counter_set *used =
		KUBE_AT(slice, more->consumes, struct kube_counter_set);
	for (uint32_t i = 0; i < more->consumes.count; i++) {
		const struct kube_amount *amounts =
			KUBE_AT(slice, used[i].counters, struct kube_amount);
		for (uint32_t k = 0; k < used[i].counters.count; k++) {
			struct dra_counter *counter =
				counter_of(pool, used[i].name, amounts[k].name);
			struct quantity q = amount(run, amounts[k].value);
			if (counter == NULL)
				continue;
			if (sign < 0)
				subtract(&counter->left, q);
			else
				quantity_add(&counter->left, &q);
		}
	}
}

static void take_for_given(
	struct dra_run *run, struct dra_pool *pool, const struct dra_slice *list, uint32_t count)
{
	for (uint32_t s = 0; s < count; s++) {
		const struct kube_slice *slice = list[s].facts;
		const struct kube_device *devices =
			KUBE_AT(slice, slice->devices, struct kube_device);
		for (uint32_t i = 0; i < slice->devices.count; i++) {
			const struct kube_device_more *more = kube_device_more(slice, &devices[i]);
			bool given, shared;
			if (more == NULL || more->consumes.count == 0 || !dra_step(run, 1))
				continue;
			dra_look_given(run, slice, devices[i].name, &given, &shared);
			if (given || shared)
				move_counters(run, pool, slice, &devices[i], -1);
		}
	}
}

/* What allocations leave of the pool's counters. */
static bool count_left(struct dra_run *run, struct dra_pool *pool)
{
	uint32_t count = 0;
	for (uint32_t s = 0; s < pool->set_count; s++) {
		const struct kube_slice *of = pool->sets[s].facts;
		const struct kube_counter_set *sets =
			KUBE_AT(of, of->counter_set, struct kube_counter_set);
		for (uint32_t i = 0; i < of->counter_set.count; i++)
			count += sets[i].counters.count;
	}
	pool->counters = SCRATCH_ARRAY(run->scratch, struct dra_counter, (size_t)count + 1);
	for (uint32_t s = 0; pool->counters != NULL && s < pool->set_count; s++) {
		const struct kube_slice *of = pool->sets[s].facts;
		const struct kube_counter_set *sets =
			KUBE_AT(of, of->counter_set, struct kube_counter_set);
		for (uint32_t i = 0; i < of->counter_set.count; i++) {
			const struct kube_amount *amounts =
				KUBE_AT(of, sets[i].counters, struct kube_amount);
			for (uint32_t k = 0; k < sets[i].counters.count; k++)
				pool->counters[pool->counter_count++] =
					(struct dra_counter){sets[i].name, amounts[k].name,
						amount(run, amounts[k].value)};
		}
	}
	if (pool->counters == NULL)
		return false;
	take_for_given(run, pool, pool->slices, pool->slice_count);
	take_for_given(run, pool, pool->others, pool->other_count);
	return true;
}

bool dra_counters_take(struct dra_run *run, struct dra_pool *pool, const struct kube_slice *slice,
	const struct kube_device *device)
{
	const struct quantity zero = quantity_zero();
	if (!dra_step(run, pool->counter_count))
		return false;
	move_counters(run, pool, slice, device, -1);
	/* All of the pool's counters, as upstream: one that is overdrawn stops the whole pool. */
	for (uint32_t i = 0; i < pool->counter_count; i++) {
		if (quantity_compare(&pool->counters[i].left, &zero) >= 0)
			continue;
		move_counters(run, pool, slice, device, 1);
		return false;
	}
	return true;
}

void dra_counters_give(const struct dra_run *run, struct dra_pool *pool,
	const struct kube_slice *slice, const struct kube_device *device)
{
	move_counters(run, pool, slice, device, 1);
}

bool dra_counters_ready(struct dra_run *run, struct dra_pool *pool)
{
	return pool->counters != NULL || count_left(run, pool);
}
