/* SPDX-License-Identifier: GPL-2.0-only */
/* PersistentVolume. */
#include "kube/volume.h"

#include "kube/decode.h"

#define ANNOTATION_CLASS "volume.beta.kubernetes.io/storage-class"
#define ANNOTATION_BOUND "pv.kubernetes.io/bound-by-controller"

static const struct json_want want_annotations[] = {
	{ANNOTATION_CLASS, NULL},
	{ANNOTATION_BOUND, NULL},
	{"k8s.io/initial-events-end", NULL},
	{NULL, NULL},
};

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(want_annotations),
	{NULL, NULL},
};

const struct json_want kube_want_claim_ref[] = {
	{"namespace", NULL},
	{"name", NULL},
	{"uid", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_csi_source[] = {
	{"driver", NULL},
	{"volumeHandle", NULL},
	{NULL, NULL},
};

static const struct json_want want_capacity[] = {
	{"storage", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"capacity", want_capacity},
	{"accessModes", NULL},
	{"volumeMode", NULL},
	{"storageClassName", NULL},
	{"volumeAttributesClassName", NULL},
	{"claimRef", kube_want_claim_ref},
	{"nodeAffinity", NULL},
	{"csi", kube_want_csi_source},
	{"awsElasticBlockStore", kube_want_volume_id},
	{"gcePersistentDisk", kube_want_gce_disk},
	{"azureDisk", kube_want_azure_disk},
	{"azureFile", kube_want_azure_file},
	{"cinder", kube_want_volume_id},
	{"vsphereVolume", kube_want_vsphere_volume},
	{"portworxVolume", kube_want_volume_id},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"phase", NULL},
	{NULL, NULL},
};

const struct json_want kube_pv_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

uint32_t kube_read_access(struct kube_build *b, struct json_value v)
{
	uint32_t access = 0;
	struct json_walk walk = kube_read_array(b, v, "spec.accessModes");
	while (json_walk_next(&walk)) {
		struct text mode = kube_read_text(b, walk.value, "spec.accessModes");
		if (KUBE_IS(mode, "ReadWriteOnce"))
			access |= KUBE_RWO;
		else if (KUBE_IS(mode, "ReadOnlyMany"))
			access |= KUBE_ROX;
		else if (KUBE_IS(mode, "ReadWriteMany"))
			access |= KUBE_RWX;
		else if (KUBE_IS(mode, "ReadWriteOncePod"))
			access |= KUBE_RWOP;
	}
	return access;
}

uint32_t kube_read_volume_mode(struct kube_build *b, struct json_value v)
{
	struct text mode = kube_read_text(b, v, "spec.volumeMode");
	return kube_build_string(b, mode.at == NULL ? TEXT("Filesystem") : mode);
}

bool kube_read_bytes(struct kube_build *b, struct json_value v, int64_t *bytes, const char *field)
{
	struct quantity q;
	*bytes = 0;
	if (!kube_read_quantity(b, v, &q, field))
		return false;
	*bytes = quantity_value(&q);
	return true;
}

static void zones_build(struct kube_build *b, const struct kube_meta *meta, struct kube_pv *pv)
{
	static const char *const keys[] = {
		"failure-domain.beta.kubernetes.io/zone",
		"failure-domain.beta.kubernetes.io/region",
		"topology.kubernetes.io/zone",
		"topology.kubernetes.io/region",
	};
	_Static_assert(ARRAY_COUNT(keys) == ARRAY_COUNT(((struct kube_pv *)0)->labels_zone), "");
	for (uint32_t i = 0; i < ARRAY_COUNT(keys); i++) {
		struct json_value v = json_get(meta->labels, keys[i]);
		if (json_type(v) == JSON_NONE)
			continue;
		pv->labels_zone[i] = kube_read_id(b, v, "metadata.labels");
		pv->has_label_zone |= 1u << i;
	}
}

/* True when the key names a source; the first that is not null counts. */
static bool source_build(
	struct kube_build *b, struct text key, struct json_value v, struct kube_pv *pv)
{
	static const struct {
		const char *key;
		const char *handle;
		const char *field;
		uint32_t source;
	} sources[] = {
		{"csi", "volumeHandle", "spec.csi", KUBE_SOURCE_CSI},
		{"awsElasticBlockStore", "volumeID", "spec.awsElasticBlockStore", KUBE_SOURCE_EBS},
		{"gcePersistentDisk", "pdName", "spec.gcePersistentDisk", KUBE_SOURCE_GCE},
		{"azureDisk", "diskURI", "spec.azureDisk", KUBE_SOURCE_AZURE_DISK},
		{"azureFile", "shareName", "spec.azureFile", KUBE_SOURCE_AZURE_FILE},
		{"cinder", "volumeID", "spec.cinder", KUBE_SOURCE_CINDER},
		{"vsphereVolume", "volumePath", "spec.vsphereVolume", KUBE_SOURCE_VSPHERE},
		{"portworxVolume", "volumeID", "spec.portworxVolume", KUBE_SOURCE_PORTWORX},
	};
	for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
		if (!text_is_z(key, sources[i].key))
			continue;
		if (kube_is_absent(v) || pv->source != KUBE_SOURCE_OTHER)
			return true;
		const char *field = sources[i].field;
		pv->source = sources[i].source;
		pv->handle =
			kube_read_id(b, kube_read_member(b, v, sources[i].handle, field), field);
		if (pv->source == KUBE_SOURCE_CSI)
			pv->driver =
				kube_read_id(b, kube_read_member(b, v, "driver", field), field);
		return true;
	}
	return false;
}

static const struct kube_field claim_ref_fields[] = {
	KUBE_FIELD("spec.claimRef.namespace", kube_pv, claim_namespace),
	KUBE_FIELD("spec.claimRef.name", kube_pv, claim_name),
	KUBE_FIELD("spec.claimRef.uid", kube_pv, claim_uid),
};

static void claim_ref_build(struct kube_build *b, struct json_value v, struct kube_pv *pv)
{
	pv->has_claim = !kube_is_absent(v);
	KUBE_READ_FIELDS(b, v, "spec.claimRef", claim_ref_fields, pv);
}

static void node_affinity_build(struct kube_build *b, struct json_value v, struct kube_pv *pv)
{
	struct json_value required = kube_read_member(b, v, "required", "spec.nodeAffinity");
	pv->has_node_affinity = !kube_is_absent(required);
	kube_node_terms_build(b,
		kube_read_member(b, required, "nodeSelectorTerms", "spec.nodeAffinity.required"),
		true, &pv->node_terms);
}

static void pv_spec_fill(struct kube_build *b, struct json_value spec, struct kube_pv *pv,
	struct json_value *class, struct json_value *mode)
{
	struct json_walk walk = kube_read_object(b, spec, "spec");
	while (json_walk_next(&walk)) {
		struct json_value v = walk.value;
		if (source_build(b, walk.key, v, pv))
			continue;
		if (KUBE_IS(walk.key, "capacity"))
			kube_read_bytes(b, kube_read_member(b, v, "storage", "spec.capacity"),
				&pv->capacity_bytes, "spec.capacity.storage");
		else if (KUBE_IS(walk.key, "accessModes"))
			pv->access = kube_read_access(b, v);
		else if (KUBE_IS(walk.key, "volumeMode"))
			*mode = v;
		else if (KUBE_IS(walk.key, "storageClassName"))
			*class = v;
		else if (KUBE_IS(walk.key, "volumeAttributesClassName"))
			pv->attributes_class = kube_read_id(b, v, "spec.volumeAttributesClassName");
		else if (KUBE_IS(walk.key, "claimRef"))
			claim_ref_build(b, v, pv);
		else if (KUBE_IS(walk.key, "nodeAffinity"))
			node_affinity_build(b, v, pv);
	}
}

static void pv_fill(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head)
{
	struct kube_pv *pv = head;
	struct json_value class = JSON_VALUE_NONE, mode = JSON_VALUE_NONE;
	pv_spec_fill(b, json_get(object, "spec"), pv, &class, &mode);
	pv->volume_mode = kube_read_volume_mode(b, mode);
	struct text class_name = kube_read_text(b, class, "spec.storageClassName");
	struct text class_annotation = kube_annotation(b, meta, ANNOTATION_CLASS);
	pv->class =
		kube_build_string(b, class_annotation.at != NULL ? class_annotation : class_name);
	pv->bound_by_controller = kube_annotation(b, meta, ANNOTATION_BOUND).at != NULL;
	pv->phase = kube_read_id(b,
		kube_read_member(b, json_get(object, "status"), "phase", "status"), "status.phase");
	pv->deleting = meta->deleting;
	pv->uid = kube_build_string(b, meta->uid);
	zones_build(b, meta, pv);
	kube_read_pairs(b, meta->labels, &pv->labels, "metadata.labels");
}

enum kube_result kube_pv_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_object_decode(b, object, KUBE_PV, sizeof(struct kube_pv), pv_fill, out);
}
