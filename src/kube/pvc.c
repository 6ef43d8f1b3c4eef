/* SPDX-License-Identifier: GPL-2.0-only */
/* PersistentVolumeClaim. All annotations are kept: whether there is any at all is asked for. */
#include "kube/decode.h"
#include "kube/volume.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(NULL),
	{NULL, NULL},
};

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
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

/* Members that other parts decide about. */
struct claim_spec {
	struct text class;
	struct json_value mode;
	struct json_value selector;
};

static void spec_fill(
	struct kube_build *b, struct json_value v, struct kube_pvc *pvc, struct claim_spec *spec)
{
	struct json_walk walk = kube_read_object(b, v, "spec");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "volumeName")) {
			pvc->volume_name = kube_read_id(b, walk.value, "spec.volumeName");
		} else if (KUBE_IS(walk.key, "storageClassName")) {
			spec->class = kube_read_text(b, walk.value, "spec.storageClassName");
		} else if (KUBE_IS(walk.key, "volumeMode")) {
			spec->mode = walk.value;
		} else if (KUBE_IS(walk.key, "volumeAttributesClassName")) {
			pvc->attributes_class =
				kube_read_id(b, walk.value, "spec.volumeAttributesClassName");
		} else if (KUBE_IS(walk.key, "accessModes")) {
			pvc->access = kube_read_access(b, walk.value);
		} else if (KUBE_IS(walk.key, "selector")) {
			spec->selector = walk.value;
		} else if (KUBE_IS(walk.key, "resources")) {
			struct json_value requests =
				kube_read_member(b, walk.value, "requests", "spec.resources");
			pvc->has_request = kube_read_bytes(b,
				kube_read_member(b, requests, "storage", "spec.resources.requests"),
				&pvc->request_bytes, "spec.resources.requests.storage");
		}
	}
}

static void fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_pvc *pvc = head;
	struct claim_spec spec = {TEXT_NONE, JSON_VALUE_NONE, JSON_VALUE_NONE};
	spec_fill(b, json_get(object, "spec"), pvc, &spec);
	pvc->volume_mode = kube_read_volume_mode(b, spec.mode);
	kube_selector_build(b, spec.selector, &pvc->selector);

	struct text beta = kube_annotation(b, meta, "volume.beta.kubernetes.io/storage-class");
	struct text class = beta.at != NULL ? beta : spec.class;
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
	return kube_object_decode(b, object, KUBE_PVC, sizeof(struct kube_pvc), fill, out);
}
