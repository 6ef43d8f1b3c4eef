/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourcesFit and NodeResourcesBalancedAllocation, the scores: how full the node would be,
 * and how evenly.
 */
#include "plugins/fit.h"
#include "dra/dra.h"
#include "plugins/shape.h"
#include <math.h>

/* One resource, whatever the node is. */
struct wanted {
	uint32_t name;
	bool is_scalar;
	uint8_t offer_at; /* where it stands in struct kube_resources */
	uint8_t used_at;  /* and in struct cache_sums */
	int64_t request;
	int64_t weight;
};

struct amounts { /* of one resource, on one node */
	int64_t allocatable;
	int64_t used;
	int64_t request;
};

static int64_t scalar_of(
	const struct kube_pod_template *class, struct kube_span scalars, uint32_t name)
{
	const struct kube_scalar *list = KUBE_AT(class, scalars, struct kube_scalar);
	for (uint32_t i = 0; i < scalars.count; i++)
		if (list[i].name == name)
			return list[i].value;
	return 0;
}

#define OFFER(member) offsetof(struct kube_resources, member)
#define USED(member)  offsetof(struct cache_sums, member)

/* nonzero: count pods without requests as if they asked for a little. */
static struct wanted wanted_of(const struct cycle_state *d, const struct kube_resources *from,
	const struct plugin_resource_weight *resource, bool nonzero)
{
	const struct cache_names *names = &d->cache->names;
	struct wanted w = {.name = resource->name, .weight = resource->weight};
	if (w.name == names->cpu) {
		w.request = from->cpu_milli;
		w.offer_at = OFFER(cpu_milli);
		w.used_at = nonzero ? USED(nonzero_cpu_milli) : USED(cpu_milli);
	} else if (w.name == names->memory) {
		w.request = from->memory_bytes;
		w.offer_at = OFFER(memory_bytes);
		w.used_at = nonzero ? USED(nonzero_memory_bytes) : USED(memory_bytes);
	} else if (w.name == names->ephemeral_storage) {
		w.request = from->storage_bytes;
		w.offer_at = OFFER(storage_bytes);
		w.used_at = USED(storage_bytes);
	} else {
		w.request = scalar_of(d->pod.class, from->scalars, w.name);
		w.is_scalar = true;
	}
	return w;
}

/* Scalars that are not asked for do not count. */
static uint32_t wanted_list(const struct cycle_state *d, const struct kube_resources *from,
	const struct plugin_resource_weight *resources, uint32_t count, bool nonzero,
	struct wanted *list)
{
	uint32_t wanted = 0;
	for (uint32_t i = 0; i < count; i++) {
		list[wanted] = wanted_of(d, from, &resources[i], nonzero);
		wanted += !list[wanted].is_scalar || list[wanted].request != 0;
	}
	return wanted;
}

static int64_t amount_at(const void *from, size_t at)
{
	return *(const int64_t *)(const void *)((const uint8_t *)from + at);
}

/* Of a resource that the node has nothing of, but a class stands for: its devices. */
static void count_devices(struct cycle_state *d, const struct cache_node *node,
	const struct wanted *wanted, struct amounts *a)
{
	const struct feature_gates *gates = &d->profile->gates;
	struct dra_run run = {.cache = d->cache,
		.dra = d->dra,
		.scratch = d->scratch,
		.steps = DRA_STEPS_PER_NODE * DRA_STEPS_PER_MS,
		.features = {.counters = feature_enabled(gates, FEATURE_DRAPartitionableDevices)}};
	const struct kube_device_class *class = feature_enabled(gates, FEATURE_DRAExtendedResource)
		? dra_class_of(d->cache, wanted->name)
		: NULL;
	if (class != NULL)
		dra_count(&run, class, node, &a->allocatable, &a->used);
}

static inline struct amounts amounts_of(
	struct cycle_state *d, const struct cache_node *node, const struct wanted *wanted)
{
	const struct cache_sums *sums = &node->sums;
	struct amounts a = {0, 0, wanted->request};
	if (!wanted->is_scalar) {
		a.allocatable = amount_at(&node->facts->allocatable, wanted->offer_at);
		a.used = amount_at(sums, wanted->used_at);
	}
	for (uint32_t i = 0; wanted->is_scalar && i < sums->scalar_count; i++) {
		if (sums->scalars[i].name != wanted->name)
			continue;
		a.allocatable = sums->scalars[i].allocatable;
		a.used = sums->scalars[i].used;
	}
	if (wanted->is_scalar && a.allocatable == 0)
		count_devices(d, node, wanted, &a);
	return a;
}

/* ---- NodeResourcesFit ---- */

/* args: for the shape of a ratio. */
static int64_t resource_score(
	enum fit_strategy strategy, const struct fit_args *args, const struct amounts *a)
{
	int64_t wanted = cache_plus(a->used, a->request);
	switch (strategy) {
	case FIT_LEAST_ALLOCATED:
		return wanted > a->allocatable
			? 0
			: shape_percent(cache_minus(a->allocatable, wanted), a->allocatable);
	case FIT_MOST_ALLOCATED:
		return shape_percent(
			wanted < a->allocatable ? wanted : a->allocatable, a->allocatable);
	case FIT_REQUESTED_TO_CAPACITY_RATIO:
		return shape_score(&args->shape,
			wanted > a->allocatable ? 100 : shape_percent(wanted, a->allocatable));
	}
	CHECK_NEVER("a scoring strategy");
}

static int64_t score_of(struct cycle_state *d, enum fit_strategy strategy,
	const struct fit_args *args, uint32_t index, const struct wanted *wanted, uint32_t count)
{
	const struct cache_node *node = cache_node_at(d->cache, index);
	bool by_ratio = strategy == FIT_REQUESTED_TO_CAPACITY_RATIO;
	int64_t sum = 0;
	int64_t weights = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct amounts a = amounts_of(d, node, &wanted[i]);
		if (a.allocatable == 0)
			continue;
		int64_t score = resource_score(strategy, args, &a);
		if (by_ratio && score <= 0)
			continue;
		sum = cache_plus(sum, cache_times(score, wanted[i].weight));
		weights += wanted[i].weight;
	}
	if (weights == 0)
		return 0;
	return by_ratio ? (int64_t)round((double)sum / (double)weights) : sum / weights;
}

void fit_scores(struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores)
{
	const struct fit_args *args = PLUGIN_ARGS(d->profile, FIT, fit_args);
	struct wanted list[PLUGIN_RESOURCES_MAX];
	uint32_t wanted = wanted_list(
		d, &d->pod.class->score, args->resources, args->resource_count, true, list);
	for (uint32_t i = 0; i < count; i++)
		scores[i] = score_of(d, args->strategy, args, nodes[i], list, wanted);
}

int64_t fit_score(struct cycle_state *d, uint32_t node)
{
	int64_t score;
	fit_scores(d, &node, 1, &score);
	return score;
}

/* ---- NodeResourcesLeastAllocated and NodeResourcesMostAllocated, until v1.21 ---- */

static int64_t score_alone(struct cycle_state *d, uint32_t node, enum fit_strategy strategy)
{
	const struct plugin_resource_weight resources[] = {
		{d->cache->names.cpu, 1}, {d->cache->names.memory, 1}};
	struct wanted list[ARRAY_COUNT(resources)];
	uint32_t wanted =
		wanted_list(d, &d->pod.class->score, resources, ARRAY_COUNT(resources), true, list);
	return score_of(d, strategy, NULL, node, list, wanted);
}

static int64_t least_allocated_score(struct cycle_state *d, uint32_t node)
{
	return score_alone(d, node, FIT_LEAST_ALLOCATED);
}

static int64_t most_allocated_score(struct cycle_state *d, uint32_t node)
{
	return score_alone(d, node, FIT_MOST_ALLOCATED);
}

/* ---- NodeResourcesBalancedAllocation ---- */

static enum plugin_code balanced_pre_score(struct cycle_state *d)
{
	const struct balanced_args *args = PLUGIN_ARGS(d->profile, BALANCED, balanced_args);
	for (uint32_t i = 0; i < args->resource_count; i++)
		if (wanted_of(d, &d->pod.class->used, &args->resources[i], false).request != 0)
			return PLUGIN_SUCCESS;
	return PLUGIN_SKIP;
}

static double deviation_of(const double *fractions, uint32_t count)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += fractions[i];
	double mean = sum / (double)count;
	double squares = 0;
	for (uint32_t i = 0; i < count; i++)
		squares += (fractions[i] - mean) * (fractions[i] - mean);
	return sqrt(squares / (double)count);
}

/* 100 when all fractions are equal, less the more they spread. */
static inline int64_t evenness(const double *fractions, uint32_t count)
{
	double deviation = 0;
	if (count == 2)
		deviation = fabs(fractions[0] - fractions[1]) / 2;
	else if (count > 2)
		deviation = deviation_of(fractions, count);
	/* Negative quantities spread without limit; the score is refused then, whatever it is. */
	return (int64_t)((1 - (deviation < 1e15 ? deviation : 1e15)) * 100);
}

static double fraction(int64_t part, int64_t whole)
{
	double f = (double)part / (double)whole;
	return f > 1 ? 1 : f;
}

static void balanced_scores(
	struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores)
{
	const struct balanced_args *args = PLUGIN_ARGS(d->profile, BALANCED, balanced_args);
	struct wanted list[PLUGIN_RESOURCES_MAX];
	double with[PLUGIN_RESOURCES_MAX];
	double without[PLUGIN_RESOURCES_MAX];
	uint32_t wanted = wanted_list(
		d, &d->pod.class->used, args->resources, args->resource_count, false, list);
	for (uint32_t i = 0; i < count; i++) {
		const struct cache_node *node = cache_node_at(d->cache, nodes[i]);
		uint32_t counted = 0;
		for (uint32_t k = 0; k < wanted; k++) {
			struct amounts a = amounts_of(d, node, &list[k]);
			if (a.allocatable == 0)
				continue;
			with[counted] = fraction(cache_plus(a.used, a.request), a.allocatable);
			without[counted++] = fraction(a.used, a.allocatable);
		}
		scores[i] = 50 + (50 + evenness(with, counted) - evenness(without, counted)) / 2;
	}
}

static int64_t balanced_score(struct cycle_state *d, uint32_t node)
{
	int64_t score;
	balanced_scores(d, &node, 1, &score);
	return score;
}

/* ---- the tables of those that only score ---- */

const struct plugin plugin_balanced = {.name = "NodeResourcesBalancedAllocation",
	.args = &balanced_arguments,
	.v1beta2 = {1, 0, 0, 1},
	.weight = 1,
	.defaults = PLUGIN_IN_ALL,
	.score_is_local = true,
	.pre_score = balanced_pre_score,
	.score = balanced_score,
	.scores = balanced_scores};

const struct plugin plugin_least_allocated = {.name = "NodeResourcesLeastAllocated",
	.v1beta2 = {1, 0, 0, 4},
	.weight = 1,
	.score_is_local = true,
	.score = least_allocated_score};

const struct plugin plugin_most_allocated = {.name = "NodeResourcesMostAllocated",
	.weight = 1,
	.score_is_local = true,
	.score = most_allocated_score};
