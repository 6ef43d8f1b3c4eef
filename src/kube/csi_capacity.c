/* SPDX-License-Identifier: GPL-2.0-only */
/* CSIStorageCapacity: how much of a class can still be made where. */
#include "kube/decode.h"
#include "kube/volume.h"

const struct json_want kube_csi_capacity_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"status", kube_want_nothing},
	{"storageClassName", NULL},
	{"nodeTopology", NULL},
	{"capacity", NULL},
	{"maximumVolumeSize", NULL},
	{NULL, NULL},
};

static void csi_capacity_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_csi_capacity *capacity = head;
	(void)meta;
	capacity->class = kube_read_id(b, json_get(object, "storageClassName"), "storageClassName");
	capacity->has_capacity = kube_read_bytes(
		b, json_get(object, "capacity"), &capacity->capacity_bytes, "capacity");
	capacity->has_maximum = kube_read_bytes(b, json_get(object, "maximumVolumeSize"),
		&capacity->maximum_bytes, "maximumVolumeSize");
	kube_selector_build(b, json_get(object, "nodeTopology"), &capacity->topology);
}

enum kube_result kube_csi_capacity_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_CSI_CAPACITY, sizeof(struct kube_csi_capacity),
		csi_capacity_fill, out);
}
