/* SPDX-License-Identifier: GPL-2.0-only */
/* PersistentVolumeClaim. All annotations are kept: whether there is any at all is asked for. */
#include "kube/decode.h"
#include "kube/volume.h"

static const struct json_want want_storage[] = {
	{"storage", NULL},
	{NULL, NULL},
};

static const struct json_want want_resources[] = {
	{"requests", want_storage},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"volumeName", NULL},
	{"storageClassName", NULL},
	{"volumeMode", NULL},
	{"volumeAttributesClassName", NULL},
	{"accessModes", NULL},
	{"resources", want_resources},
	{"selector", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"phase", NULL},
	{NULL, NULL},
};

const struct json_want kube_pvc_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata_annotated},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

struct claim_spec {
	struct text volume_name;
	struct text class;
	struct text attributes_class;
	struct json_value access;
	struct json_value mode;
	struct json_value selector;
	struct json_value resources;
};

static const struct kube_field claim_spec_fields[] = {
	KUBE_FIELD("spec.volumeName", claim_spec, volume_name),
	KUBE_FIELD("spec.storageClassName", claim_spec, class),
	KUBE_FIELD("spec.volumeAttributesClassName", claim_spec, attributes_class),
	KUBE_FIELD("spec.accessModes", claim_spec, access),
	KUBE_FIELD("spec.volumeMode", claim_spec, mode),
	KUBE_FIELD("spec.selector", claim_spec, selector),
	KUBE_FIELD("spec.resources", claim_spec, resources),
};

static void pvc_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_pvc *pvc = head;
	struct claim_spec spec = {.class = TEXT_NONE};
	KUBE_READ_FIELDS(b, json_get(object, "spec"), "spec", claim_spec_fields, &spec);
	struct json_value requests =
		kube_read_member(b, spec.resources, "requests", "spec.resources");
	pvc->volume_name = kube_build_string(b, spec.volume_name);
	pvc->attributes_class = kube_build_string(b, spec.attributes_class);
	pvc->access = kube_read_access(b, spec.access);
	pvc->has_request = kube_read_bytes(b,
		kube_read_member(b, requests, "storage", "spec.resources.requests"),
		&pvc->request_bytes, "spec.resources.requests.storage");
	pvc->volume_mode = kube_read_volume_mode(b, spec.mode);
	kube_selector_build(b, spec.selector, &pvc->selector);

	struct text beta = kube_annotation(b, meta, "volume.beta.kubernetes.io/storage-class");
	struct text class = beta.at != NULL ? beta
		: spec.class.at != NULL     ? spec.class
					    : b->default_class;
	struct text node = kube_annotation(b, meta, "volume.kubernetes.io/selected-node");
	pvc->class = kube_build_string(b, class);
	pvc->has_class = class.at != NULL;
	pvc->bind_completed =
		kube_annotation(b, meta, "pv.kubernetes.io/bind-completed").at != NULL;
	pvc->selected_node = kube_build_string(b, node);
	pvc->has_selected_node = node.at != NULL;
	pvc->has_annotations = json_count(meta->annotations) > 0;

	pvc->uid = kube_build_string(b, meta->uid);
	pvc->deleting = meta->deleting;
	pvc->owner_uid = kube_build_string(b, meta->controller.uid);
	pvc->owner_is_pod = text_is_z(meta->controller.kind, "Pod");
	pvc->phase = kube_read_id(b,
		kube_read_member(b, json_get(object, "status"), "phase", "status"), "status.phase");
}

enum kube_result kube_pvc_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_PVC, sizeof(struct kube_pvc), pvc_fill, out);
}
