/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ResourceClaim, and ResourceSlice, of which only the identity is read: without an allocator of
 * devices, what a slice offers decides nothing.
 */
#include "kube/decode.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"allocation", kube_want_nothing}, /* only whether it is there */
	{NULL, NULL},
};

const struct json_want kube_resource_claim_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"status", want_status},
	{NULL, NULL},
};

const struct json_want kube_resource_slice_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static void fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_claim *claim = head;
	struct json_value allocation =
		kube_read_member(b, json_get(object, "status"), "allocation", "status");
	kube_read_object(b, allocation, "status.allocation");
	claim->uid = kube_build_string(b, meta->uid);
	claim->deleting = meta->deleting;
	claim->allocated = !kube_is_absent(allocation);
	claim->owner_uid = kube_build_string(b, meta->controller.uid);
}

enum kube_result kube_resource_claim_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(
		b, object, KUBE_RESOURCE_CLAIM, sizeof(struct kube_claim), fill, out);
}

enum kube_result kube_resource_slice_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_identity_decode(b, object, KUBE_RESOURCE_SLICE, false, out);
}
