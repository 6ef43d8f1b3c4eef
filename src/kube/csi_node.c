/* SPDX-License-Identifier: GPL-2.0-only */
/* CSINode: drivers of a node, their limits, and what in-tree plugins they took over there. */
#include "kube/decode.h"
#include "kube/volume.h"

#define ANNOTATION_MIGRATED "storage.alpha.kubernetes.io/migrated-plugins"

static const struct json_want want_annotations[] = {
	{ANNOTATION_MIGRATED, NULL},
	{"k8s.io/initial-events-end", NULL},
	{NULL, NULL},
};

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(want_annotations),
	{NULL, NULL},
};

static const struct json_want want_allocatable[] = {
	{"count", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_csi_drivers[] = {
	{"name", NULL},
	{"nodeID", NULL},
	{"allocatable", want_allocatable},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"drivers", kube_want_csi_drivers},
	{NULL, NULL},
};

const struct json_want kube_csi_node_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static const struct kube_field driver_fields[] = {
	KUBE_FIELD("spec.drivers.name", kube_csi_node_driver, name),
	KUBE_FIELD("spec.drivers.nodeID", kube_csi_node_driver, node_id),
};

static void driver_build(
	struct kube_build *b, struct json_value v, struct kube_csi_node_driver *driver)
{
	KUBE_READ_FIELDS(b, v, "spec.drivers", driver_fields, driver);
	driver->limit = kube_read_i32(b,
		kube_read_member(
			b, json_get(v, "allocatable"), "count", "spec.drivers.allocatable"),
		-1, "spec.drivers.allocatable.count");
}

static void migrated_build(struct kube_build *b, struct text list, struct kube_span *span)
{
	struct text rest = list, part;
	uint32_t count = 0;
	while (list.size > 0 && text_cut(&rest, ',', &part))
		count++;
	uint32_t *ids = kube_build_array(b, sizeof(*ids), count, span);
	rest = list;
	for (uint32_t i = 0; ids != NULL && i < count && text_cut(&rest, ',', &part); i++)
		ids[i] = kube_build_string(b, part);
	if (kube_failed(b) || count < 2)
		return;
	kube_sort(ids, sizeof(*ids), 1, count);
	kube_build_shorten(b, sizeof(*ids), kube_sorted_unique(ids, sizeof(*ids), 1, count), span);
}

static void csi_node_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_csi_node *node = head;
	struct json_value drivers =
		kube_read_member(b, json_get(object, "spec"), "drivers", "spec");
	struct json_walk walk = kube_read_array(b, drivers, "spec.drivers");
	struct kube_csi_node_driver *built =
		kube_build_array(b, sizeof(*built), kube_read_count(drivers), &node->drivers);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++)
		driver_build(b, walk.value, &built[i]);
	migrated_build(b, kube_annotation(b, meta, ANNOTATION_MIGRATED), &node->migrated);
}

enum kube_result kube_csi_node_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_CSI_NODE, sizeof(struct kube_csi_node), csi_node_fill, out);
}
