/* SPDX-License-Identifier: GPL-2.0-only */
/* CSIDriver. */
#include "kube/decode.h"
#include "kube/volume.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"storageCapacity", NULL},
	{"preventPodSchedulingIfMissing", NULL},
	{NULL, NULL},
};

const struct json_want kube_csi_driver_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static void fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_csi_driver *driver = head;
	(void)meta;
	struct json_walk walk = kube_read_object(b, json_get(object, "spec"), "spec");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "storageCapacity"))
			driver->storage_capacity =
				kube_read_bool(b, walk.value, false, "spec.storageCapacity");
		else if (KUBE_IS(walk.key, "preventPodSchedulingIfMissing"))
			driver->prevent_if_missing = kube_read_bool(
				b, walk.value, false, "spec.preventPodSchedulingIfMissing");
	}
}

enum kube_result kube_csi_driver_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_CSI_DRIVER, sizeof(struct kube_csi_driver), fill, out);
}
