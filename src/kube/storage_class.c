/* SPDX-License-Identifier: GPL-2.0-only */
/* StorageClass. */
#include "kube/decode.h"
#include "kube/volume.h"

#define DEFAULT_CLASS      "storageclass.kubernetes.io/is-default-class"
#define DEFAULT_CLASS_BETA "storageclass.beta.kubernetes.io/is-default-class"

static const struct json_want want_annotations[] = {
	{"k8s.io/initial-events-end", NULL},
	{DEFAULT_CLASS, NULL},
	{DEFAULT_CLASS_BETA, NULL},
	{NULL, NULL},
};

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(want_annotations),
	{"creationTimestamp", NULL},
	{NULL, NULL},
};

const struct json_want kube_storage_class_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"status", kube_want_nothing},
	{"provisioner", NULL},
	{"volumeBindingMode", NULL},
	{"allowedTopologies", NULL},
	{NULL, NULL},
};

static void expressions_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	static const char field[] = "allowedTopologies.matchLabelExpressions";
	struct json_walk walk = kube_read_array(b, v, field);
	struct kube_topology_expression *built =
		kube_build_array(b, sizeof(*built), kube_read_count(v), span);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		built[i].key = kube_read_id(b, kube_read_member(b, walk.value, "key", field),
			"allowedTopologies.matchLabelExpressions.key");
		kube_read_id_set(b, json_get(walk.value, "values"), &built[i].values,
			"allowedTopologies.matchLabelExpressions.values");
	}
}

static void topologies_build(struct kube_build *b, struct json_value v, struct kube_span *span)
{
	struct json_walk walk = kube_read_array(b, v, "allowedTopologies");
	struct kube_topology_term *terms =
		kube_build_array(b, sizeof(*terms), kube_read_count(v), span);
	for (uint32_t i = 0; terms != NULL && json_walk_next(&walk); i++)
		expressions_build(b,
			kube_read_member(
				b, walk.value, "matchLabelExpressions", "allowedTopologies"),
			&terms[i].expressions);
}

static void storage_class_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_storage_class *class = head;
	class->created_us = meta->creation_time.us;
	class->is_default = text_is_z(kube_annotation(b, meta, DEFAULT_CLASS), "true") ||
		text_is_z(kube_annotation(b, meta, DEFAULT_CLASS_BETA), "true");
	class->provisioner = kube_read_id(b, json_get(object, "provisioner"), "provisioner");
	struct text mode =
		kube_read_text(b, json_get(object, "volumeBindingMode"), "volumeBindingMode");
	/* Whatever is not WaitForFirstConsumer binds at once; only null is no mode at all. */
	if (KUBE_IS(mode, "WaitForFirstConsumer"))
		class->binding_mode = KUBE_BINDING_WAIT;
	else
		class->binding_mode = mode.at == NULL ? KUBE_BINDING_UNSET : KUBE_BINDING_IMMEDIATE;
	topologies_build(b, json_get(object, "allowedTopologies"), &class->allowed_topologies);
}

enum kube_result kube_storage_class_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_STORAGE_CLASS, sizeof(struct kube_storage_class),
		storage_class_fill, out);
}
