/* SPDX-License-Identifier: GPL-2.0-only */
/* DeviceClass: which extended resource it stands for, and since when. */
#include "kube/decode.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{"creationTimestamp", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"extendedResourceName", NULL},
	{NULL, NULL},
};

const struct json_want kube_device_class_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static void fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_device_class *class = head;
	class->extended_resource = kube_read_id(b,
		kube_read_member(b, json_get(object, "spec"), "extendedResourceName", "spec"),
		"spec.extendedResourceName");
	class->created_us = meta->creation_time.us;
}

enum kube_result kube_device_class_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_DEVICE_CLASS, sizeof(struct kube_device_class), fill, out);
}
