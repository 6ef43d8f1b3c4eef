/* SPDX-License-Identifier: GPL-2.0-only */
/* VolumeAttachment. */
#include "kube/decode.h"
#include "kube/volume.h"

const struct json_want kube_want_attachment_source[] = {
	{"persistentVolumeName", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"attacher", NULL},
	{"nodeName", NULL},
	{"source", kube_want_attachment_source},
	{NULL, NULL},
};

const struct json_want kube_volume_attachment_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"spec", want_spec},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

static const struct kube_field attachment_fields[] = {
	KUBE_FIELD("spec.attacher", kube_volume_attachment, attacher),
	KUBE_FIELD("spec.nodeName", kube_volume_attachment, node),
};

static void volume_attachment_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_volume_attachment *attachment = head;
	(void)meta;
	struct json_value spec = json_get(object, "spec");
	KUBE_READ_FIELDS(b, spec, "spec", attachment_fields, attachment);
	attachment->pv = kube_read_id(b,
		kube_read_member(
			b, json_get(spec, "source"), "persistentVolumeName", "spec.source"),
		"spec.source.persistentVolumeName");
}

enum kube_result kube_volume_attachment_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_VOLUME_ATTACHMENT,
		sizeof(struct kube_volume_attachment), volume_attachment_fill, out);
}
