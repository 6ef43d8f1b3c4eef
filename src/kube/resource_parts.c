/* SPDX-License-Identifier: GPL-2.0-only */
/* What slices, classes and claims have in common. */
#include "kube/resource_decode.h"

uint32_t kube_read_json(struct kube_build *b, struct json_value v)
{
	return kube_is_absent(v) ? 0 : kube_build_string(b, json_raw(v));
}

void kube_reach_selector(struct kube_build *b, struct json_value v, struct kube_reach *reach)
{
	if (kube_is_absent(v))
		return;
	reach->selector = kube_read_json(b, v);
	kube_node_terms_build(b, kube_read_member(b, v, "nodeSelectorTerms", "nodeSelector"), true,
		&reach->terms);
}

void kube_reach_build(struct kube_build *b, struct json_value v, struct kube_reach *reach)
{
	reach->node_name = kube_read_id(b, kube_read_member(b, v, "nodeName", "spec"), "nodeName");
	reach->all_nodes = kube_read_bool(b, json_get(v, "allNodes"), false, "allNodes");
	kube_reach_selector(b, json_get(v, "nodeSelector"), reach);
}

void kube_selectors_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "selectors";
	struct json_walk walk = kube_read_array(b, v, field);
	uint32_t *built = kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct json_value cel = kube_read_member(b, walk.value, "cel", field);
		built[i] = kube_read_id(b, kube_read_member(b, cel, "expression", field), field);
	}
}

void kube_device_configs_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "config";
	struct json_walk walk = kube_read_array(b, v, field);
	struct kube_device_config *built =
		kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct json_value opaque = kube_read_member(b, walk.value, "opaque", field);
		kube_read_object(b, opaque, field);
		built[i].opaque = kube_read_json(b, opaque);
		kube_read_ids(b, json_get(walk.value, "requests"), &built[i].requests, field);
	}
}

void kube_amounts_build(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field)
{
	struct json_walk walk = kube_read_object(b, v, field);
	uint32_t count = json_type(v) == JSON_OBJECT ? json_count(v) : 0;
	struct kube_amount *built = kube_build_array(b, sizeof(*built), count, span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct quantity q;
		built[i].name = kube_build_string(b, walk.key);
		built[i].value = kube_build_string(b,
			kube_read_quantity(b, walk.value, &q, field)
				? text_trim(json_scalar(walk.value))
				: TEXT("0"));
	}
}
