/* SPDX-License-Identifier: GPL-2.0-only */
/* CSIDriver. */
#include "kube/decode.h"
#include "kube/volume.h"

static const struct json_want want_spec[] = {
	{"storageCapacity", NULL},
	{"preventPodSchedulingIfMissing", NULL},
	{NULL, NULL},
};

const struct json_want kube_csi_driver_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static void csi_driver_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_csi_driver *driver = head;
	struct json_value spec = json_get(object, "spec");
	(void)meta;
	driver->storage_capacity =
		kube_read_bool(b, kube_read_member(b, spec, "storageCapacity", "spec"), false,
			"spec.storageCapacity");
	driver->prevent_if_missing =
		kube_read_bool(b, json_get(spec, "preventPodSchedulingIfMissing"), false,
			"spec.preventPodSchedulingIfMissing");
}

enum kube_result kube_csi_driver_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_CSI_DRIVER, sizeof(struct kube_csi_driver), csi_driver_fill, out);
}
