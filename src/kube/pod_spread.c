/* SPDX-License-Identifier: GPL-2.0-only */
/* Topology spread constraints of a pod. */
#include "kube/decode.h"

#define FIELD(name) "spec.topologySpreadConstraints." name

struct spread_spec {
	struct text topology_key;
	int32_t max_skew;
	struct text when;
	struct json_value selector;
	int32_t min_domains;
	struct text affinity_policy;
	struct text taints_policy;
	struct json_value keys;
};

static const struct kube_field spread_fields[] = {
	KUBE_FIELD(FIELD("maxSkew"), spread_spec, max_skew),
	KUBE_FIELD(FIELD("topologyKey"), spread_spec, topology_key),
	KUBE_FIELD(FIELD("whenUnsatisfiable"), spread_spec, when),
	KUBE_FIELD(FIELD("labelSelector"), spread_spec, selector),
	KUBE_FIELD(FIELD("minDomains"), spread_spec, min_domains),
	KUBE_FIELD(FIELD("nodeAffinityPolicy"), spread_spec, affinity_policy),
	KUBE_FIELD(FIELD("nodeTaintsPolicy"), spread_spec, taints_policy),
	KUBE_FIELD(FIELD("matchLabelKeys"), spread_spec, keys),
};

static void spread_build(struct kube_build *b, struct json_value v, struct kube_spread *spread)
{
	struct spread_spec spec = {.min_domains = 1};
	KUBE_READ_FIELDS(b, v, "spec.topologySpreadConstraints", spread_fields, &spec);
	spread->max_skew = spec.max_skew;
	spread->min_domains = spec.min_domains;
	spread->topology_key = kube_build_string(b, spec.topology_key);
	spread->hard = KUBE_IS(spec.when, "DoNotSchedule");
	/* The defaults differ: affinity is honoured, taints are not. */
	spread->node_affinity_policy =
		spec.affinity_policy.size == 0 || KUBE_IS(spec.affinity_policy, "Honor")
		? KUBE_POLICY_HONOR
		: KUBE_POLICY_IGNORE;
	spread->node_taints_policy =
		KUBE_IS(spec.taints_policy, "Honor") ? KUBE_POLICY_HONOR : KUBE_POLICY_IGNORE;
	kube_selector_build(b, spec.selector, &spread->selector);
	kube_read_ids(b, spec.keys, &spread->match_label_keys, FIELD("matchLabelKeys"));
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
