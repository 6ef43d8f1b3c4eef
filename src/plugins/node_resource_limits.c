/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourceLimits, which kube-scheduler had until v1.20: one point for a node that is as large
 * as the pod's limits, to settle ties.
 */
#include "plugins/plugins.h"

static bool is_within(int64_t limit, int64_t allocatable)
{
	return limit != 0 && limit <= allocatable;
}

static int64_t node_resource_limits_score(struct cycle_state *d, uint32_t node)
{
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_resources *offer = &cache_node_at(d->cache, node)->facts->allocatable;
	return is_within(class->limit_cpu_milli, offer->cpu_milli) ||
		is_within(class->limit_memory_bytes, offer->memory_bytes);
}

const struct plugin plugin_node_resource_limits = {.name = "NodeResourceLimits",
	.weight = 1,
	.points = PLUGIN_AT(PRE_SCORE),
	.score_is_local = true,
	.score = node_resource_limits_score};
