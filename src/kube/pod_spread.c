/* SPDX-License-Identifier: GPL-2.0-only */
/* Topology spread constraints of a pod. */
#include "kube/decode.h"

#define FIELD(name) "spec.topologySpreadConstraints." name

static void spread_build(struct kube_build *b, struct json_value v, struct kube_spread *spread)
{
	struct json_value selector = JSON_VALUE_NONE, keys = JSON_VALUE_NONE;
	struct text topology_key = TEXT_NONE, when = TEXT_NONE;
	struct text affinity_policy = TEXT_NONE, taints_policy = TEXT_NONE;
	struct json_walk walk = kube_read_object(b, v, "spec.topologySpreadConstraints");
	spread->min_domains = 1;
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "topologyKey"))
			topology_key = kube_read_text(b, walk.value, FIELD("topologyKey"));
		else if (KUBE_IS(walk.key, "maxSkew"))
			spread->max_skew = kube_read_i32(b, walk.value, 0, FIELD("maxSkew"));
		else if (KUBE_IS(walk.key, "whenUnsatisfiable"))
			when = kube_read_text(b, walk.value, FIELD("whenUnsatisfiable"));
		else if (KUBE_IS(walk.key, "labelSelector"))
			selector = walk.value;
		else if (KUBE_IS(walk.key, "minDomains"))
			spread->min_domains = kube_read_i32(b, walk.value, 1, FIELD("minDomains"));
		else if (KUBE_IS(walk.key, "nodeAffinityPolicy"))
			affinity_policy =
				kube_read_text(b, walk.value, FIELD("nodeAffinityPolicy"));
		else if (KUBE_IS(walk.key, "nodeTaintsPolicy"))
			taints_policy = kube_read_text(b, walk.value, FIELD("nodeTaintsPolicy"));
		else if (KUBE_IS(walk.key, "matchLabelKeys"))
			keys = walk.value;
	}
	spread->topology_key = kube_build_string(b, topology_key);
	spread->hard = KUBE_IS(when, "DoNotSchedule");
	/* The defaults differ: affinity is honoured, taints are not. */
	spread->node_affinity_policy =
		affinity_policy.size == 0 || KUBE_IS(affinity_policy, "Honor") ? KUBE_POLICY_HONOR
									       : KUBE_POLICY_IGNORE;
	spread->node_taints_policy =
		KUBE_IS(taints_policy, "Honor") ? KUBE_POLICY_HONOR : KUBE_POLICY_IGNORE;
	kube_selector_build(b, selector, &spread->selector);
	kube_read_ids(b, keys, &spread->match_label_keys, FIELD("matchLabelKeys"));
}

void kube_pod_spread_build(
	struct kube_build *b, struct json_value constraints, struct kube_pod_template *class)
{
	struct json_walk walk = kube_read_array(b, constraints, "spec.topologySpreadConstraints");
	struct kube_spread *spread =
		kube_build_array(b, sizeof(*spread), kube_read_count(constraints), &class->spread);
	for (uint32_t i = 0; spread != NULL && json_walk_next(&walk); i++)
		spread_build(b, walk.value, &spread[i]);
}
