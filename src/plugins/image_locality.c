/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ImageLocality: rather where the images are already. An image that few nodes have counts less,
 * so that a pod is not drawn to the one node that happened to run it before.
 */
#include "plugins/plugins.h"

enum { MIB = 1024 * 1024, THRESHOLD_MIN_MIB = 23, THRESHOLD_CONTAINER_MIB = 1000 };

static int64_t scaled_size(const struct cycle_state *d, const struct cache_image *image)
{
	double spread = (double)image->node_count / (double)d->cache->order.count;
	double size = (double)image->size_bytes * spread;
	return size < (double)INT64_MAX ? (int64_t)size : INT64_MAX;
}

/* Image volumes make the most that is possible larger since v1.37. */
static uint32_t image_locality_count(const struct cycle_state *d)
{
	const struct kube_pod_template *class = d->pod.class;
	return class->container_count +
		(d->profile->gates.release < KUBE_1_37 ? 0 : class->image_volume_count);
}

static int64_t score_of_sum(const struct cycle_state *d, int64_t sum)
{
	int64_t least = (int64_t)THRESHOLD_MIN_MIB * MIB;
	int64_t most = (int64_t)THRESHOLD_CONTAINER_MIB * MIB * image_locality_count(d);
	if (sum < least)
		sum = least;
	if (sum > most)
		sum = most;
	return most == least ? 0 : 100 * (sum - least) / (most - least);
}

static int64_t image_locality_score(struct cycle_state *d, uint32_t node)
{
	const struct kube_pod_template *class = d->pod.class;
	const uint32_t *names = KUBE_AT(class, class->images, uint32_t);
	int64_t sum = 0;
	for (uint32_t i = 0; i < class->images.count; i++) {
		const struct cache_image *image = cache_image_find(d->cache, names[i]);
		if (image != NULL && cache_image_on(d->cache, image, node))
			sum = cache_plus(sum, scaled_size(d, image));
	}
	return score_of_sum(d, sum);
}

/* No node has any of the images: they all start from nothing. */
static bool image_locality_is_idle(const struct cycle_state *d)
{
	const struct kube_pod_template *class = d->pod.class;
	const uint32_t *names = KUBE_AT(class, class->images, uint32_t);
	if (image_locality_count(d) == 0)
		return false;
	for (uint32_t i = 0; i < class->images.count; i++)
		if (cache_image_find(d->cache, names[i]) != NULL)
			return false;
	return true;
}

static void sum_sizes(const struct cycle_state *d, const struct cache_image *image, int64_t *sums)
{
	int64_t size = scaled_size(d, image);
	const struct cache_image_set nodes = cache_image_nodes(d->cache, image);
	for (uint32_t i = 0; i < d->feasible_count; i++) {
		uint32_t node = d->feasible[i];
		if (cache_image_set_has(&nodes, node))
			sums[i] = cache_plus(sums[i], size);
	}
}

static bool image_locality_add_scores(struct cycle_state *d, int64_t weight, int64_t *totals)
{
	const struct kube_pod_template *class = d->pod.class;
	const uint32_t *names = KUBE_AT(class, class->images, uint32_t);
	struct scratch_mark mark = scratch_mark(d->scratch);
	int64_t *sums = SCRATCH_ARRAY(d->scratch, int64_t, d->feasible_count);
	if (sums == NULL) {
		d->error = "no room to score by images";
		return false;
	}
	for (uint32_t i = 0; i < class->images.count; i++) {
		const struct cache_image *image = cache_image_find(d->cache, names[i]);
		if (image != NULL)
			sum_sizes(d, image, sums);
	}
	int64_t nothing = score_of_sum(d, 0);
	for (uint32_t i = 0; i < d->feasible_count; i++)
		totals[i] += weight * (sums[i] == 0 ? nothing : score_of_sum(d, sums[i]));
	scratch_rewind(d->scratch, mark);
	return true;
}

const struct plugin plugin_image_locality = {.name = "ImageLocality",
	.v1beta2 = {1, 0, 0, 2},
	.weight = 1,
	.defaults = PLUGIN_IN_ALL,
	.score = image_locality_score,
	.score_is_idle = image_locality_is_idle,
	.add_scores = image_locality_add_scores};
