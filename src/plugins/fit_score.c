/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourcesFit and NodeResourcesBalancedAllocation, the scores: how full the node would be,
 * and how evenly.
 */
#include <math.h>

#include "plugins/table.h"

struct amounts { /* of one resource, on one node */
	int64_t allocatable;
	int64_t used;
	int64_t request;
	bool counts;
};

static int64_t scalar_of(
	const struct kube_pod_class *class, struct kube_span scalars, uint32_t name)
{
	const struct kube_scalar *list = KUBE_AT(class, scalars, struct kube_scalar);
	for (uint32_t i = 0; i < scalars.count; i++)
		if (list[i].name == name)
			return list[i].value;
	return 0;
}

static int64_t request_of(
	const struct decision *d, const struct kube_resources *from, uint32_t name, bool *is_scalar)
{
	const struct cache_names *names = &d->cache->names;
	*is_scalar = false;
	if (name == names->cpu)
		return from->cpu_milli;
	if (name == names->memory)
		return from->memory_bytes;
	if (name == names->ephemeral_storage)
		return from->storage_bytes;
	*is_scalar = true;
	return scalar_of(d->pod.class, from->scalars, name);
}

/* nonzero: count pods without requests as if they asked for a little. */
static struct amounts amounts_of(const struct decision *d, const struct cache_node *node,
	uint32_t name, const struct kube_resources *from, bool nonzero)
{
	const struct cache_names *names = &d->cache->names;
	const struct cache_sums *sums = &node->sums;
	const struct kube_resources *offer = &node->facts->allocatable;
	struct amounts a = {0};
	bool is_scalar;
	a.request = request_of(d, from, name, &is_scalar);
	if (name == names->cpu) {
		a.allocatable = offer->cpu_milli;
		a.used = nonzero ? sums->nonzero_cpu_milli : sums->cpu_milli;
	} else if (name == names->memory) {
		a.allocatable = offer->memory_bytes;
		a.used = nonzero ? sums->nonzero_memory_bytes : sums->memory_bytes;
	} else if (name == names->ephemeral_storage) {
		a.allocatable = offer->storage_bytes;
		a.used = sums->storage_bytes;
	}
	for (uint32_t i = 0; is_scalar && i < sums->scalar_count; i++) {
		if (sums->scalars[i].name != name)
			continue;
		a.allocatable = sums->scalars[i].allocatable;
		a.used = sums->scalars[i].used;
	}
	a.counts = a.allocatable != 0 && !(is_scalar && a.request == 0);
	return a;
}

/* ---- NodeResourcesFit ---- */

static int64_t shape_score(const struct fit_args *args, int64_t utilization)
{
	const struct plugin_shape_point *shape = args->shape;
	for (uint32_t i = 0; i < args->shape_count; i++) {
		if (utilization > shape[i].utilization)
			continue;
		if (i == 0)
			return shape[0].score * 10;
		int64_t x0 = shape[i - 1].utilization;
		int64_t y0 = shape[i - 1].score * 10;
		return y0 +
			(shape[i].score * 10 - y0) * (utilization - x0) /
			(shape[i].utilization - x0);
	}
	return args->shape_count == 0 ? 0 : shape[args->shape_count - 1].score * 10;
}

/* Beyond 92 petabytes the product wraps, and it wraps upstream too. */
static int64_t percent(int64_t value, int64_t of)
{
	int64_t hundredfold = cache_times(value, 100);
	return of == -1 ? cache_minus(0, hundredfold) : hundredfold / of;
}

static int64_t resource_score(const struct fit_args *args, const struct amounts *a)
{
	int64_t wanted = cache_plus(a->used, a->request);
	switch (args->strategy) {
	case FIT_LEAST_ALLOCATED:
		return wanted > a->allocatable
			? 0
			: percent(cache_minus(a->allocatable, wanted), a->allocatable);
	case FIT_MOST_ALLOCATED:
		return percent(wanted < a->allocatable ? wanted : a->allocatable, a->allocatable);
	case FIT_REQUESTED_TO_CAPACITY_RATIO:
		return shape_score(
			args, wanted > a->allocatable ? 100 : percent(wanted, a->allocatable));
	}
	CHECK_NEVER("a scoring strategy");
}

int64_t fit_score(struct decision *d, uint32_t index)
{
	const struct fit_args *args = &d->profile->fit;
	const struct cache_node *node = cache_node_at(d->cache, index);
	bool by_ratio = args->strategy == FIT_REQUESTED_TO_CAPACITY_RATIO;
	int64_t sum = 0;
	int64_t weights = 0;
	for (uint32_t i = 0; i < args->resource_count; i++) {
		struct amounts a =
			amounts_of(d, node, args->resources[i].name, &d->pod.class->score, true);
		if (!a.counts)
			continue;
		int64_t score = resource_score(args, &a);
		if (by_ratio && score <= 0)
			continue;
		sum = cache_plus(sum, cache_times(score, args->resources[i].weight));
		weights += args->resources[i].weight;
	}
	if (weights == 0)
		return 0;
	return by_ratio ? (int64_t)round((double)sum / (double)weights) : sum / weights;
}

/* ---- NodeResourcesBalancedAllocation ---- */

enum plugin_code balanced_prescore(struct decision *d)
{
	const struct balanced_args *args = &d->profile->balanced;
	bool is_scalar;
	for (uint32_t i = 0; i < args->resource_count; i++)
		if (request_of(d, &d->pod.class->used, args->resources[i].name, &is_scalar) != 0)
			return PLUGIN_SUCCESS;
	return PLUGIN_SKIP;
}

/* 100 when all fractions are equal, less the more they spread. */
static int64_t evenness(const double *fractions, uint32_t count)
{
	double deviation = 0;
	if (count == 2) {
		deviation = fabs(fractions[0] - fractions[1]) / 2;
	} else if (count > 2) {
		double sum = 0;
		for (uint32_t i = 0; i < count; i++)
			sum += fractions[i];
		double mean = sum / (double)count;
		double squares = 0;
		for (uint32_t i = 0; i < count; i++)
			squares += (fractions[i] - mean) * (fractions[i] - mean);
		deviation = sqrt(squares / (double)count);
	}
	/* Negative quantities spread without limit; the score is refused then, whatever it is. */
	return (int64_t)((1 - fmin(deviation, 1e15)) * 100);
}

static double fraction(int64_t part, int64_t whole)
{
	double f = (double)part / (double)whole;
	return f > 1 ? 1 : f;
}

int64_t balanced_score(struct decision *d, uint32_t index)
{
	const struct balanced_args *args = &d->profile->balanced;
	const struct cache_node *node = cache_node_at(d->cache, index);
	double with[PLUGIN_RESOURCES_MAX];
	double without[PLUGIN_RESOURCES_MAX];
	uint32_t count = 0;
	for (uint32_t i = 0; i < args->resource_count; i++) {
		struct amounts a =
			amounts_of(d, node, args->resources[i].name, &d->pod.class->used, false);
		if (!a.counts)
			continue;
		with[count] = fraction(cache_plus(a.used, a.request), a.allocatable);
		without[count] = fraction(a.used, a.allocatable);
		count++;
	}
	return 50 + (50 + evenness(with, count) - evenness(without, count)) / 2;
}
