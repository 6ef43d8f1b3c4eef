/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodePreferAvoidPods, which kube-scheduler had until v1.22: rather not on a node whose annotation
 * scheduler.alpha.kubernetes.io/preferAvoidPods names the pod's controller.
 */
#include "plugins/plugins.h"

static int64_t node_prefer_avoid_pods_score(struct cycle_state *d, uint32_t node)
{
	const struct kube_owner_ids owner = kube_labels_owner(d->pod.labels);
	const struct kube_node_facts *facts = cache_node_at(d->cache, node)->facts;
	const struct kube_avoided *list = KUBE_AT(facts, facts->avoided, struct kube_avoided);
	if (owner.kind != d->cache->names.replica_set &&
		owner.kind != d->cache->names.replication_controller)
		return 100;
	for (uint32_t i = 0; i < facts->avoided.count; i++)
		if (list[i].kind == owner.kind && list[i].uid_hash == owner.uid_hash)
			return 0;
	return 100;
}

/* Not local: pods of different controllers share what is. */
const struct plugin plugin_node_prefer_avoid_pods = {.name = "NodePreferAvoidPods",
	.v1beta2 = {10000, 0, 0, 5},
	.weight = 10000,
	.score = node_prefer_avoid_pods_score};
