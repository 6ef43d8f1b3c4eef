/* SPDX-License-Identifier: GPL-2.0-only */
/* What a pod mounts: volumes of the kinds a scheduler cares for, and resource claims. */
#include "kube/decode.h"

struct volume_source {
	const char *key;
	const char *id; /* the member that says which one; NULL: none does */
	const char *field;
	uint32_t kind;
};

#define SOURCE(key, id, kind)                      \
	{                                          \
		key, id, "spec.volumes." key, kind \
	}
static const struct volume_source sources[] = {
	SOURCE("persistentVolumeClaim", "claimName", KUBE_VOLUME_CLAIM),
	SOURCE("ephemeral", NULL, KUBE_VOLUME_EPHEMERAL),
	SOURCE("gcePersistentDisk", "pdName", KUBE_VOLUME_GCE),
	SOURCE("awsElasticBlockStore", "volumeID", KUBE_VOLUME_EBS),
	SOURCE("iscsi", "iqn", KUBE_VOLUME_ISCSI),
	SOURCE("rbd", "image", KUBE_VOLUME_RBD),
	SOURCE("csi", "driver", KUBE_VOLUME_CSI),
	SOURCE("azureDisk", "diskURI", KUBE_VOLUME_AZURE_DISK),
	SOURCE("azureFile", "shareName", KUBE_VOLUME_AZURE_FILE),
	SOURCE("cinder", "volumeID", KUBE_VOLUME_CINDER),
	SOURCE("vsphereVolume", "volumePath", KUBE_VOLUME_VSPHERE),
	SOURCE("portworxVolume", "volumeID", KUBE_VOLUME_PORTWORX),
};

#define WANT_ID(name, id)                 \
	const struct json_want name[] = { \
		{id, NULL},               \
		{"readOnly", NULL},       \
		{NULL, NULL},             \
	}
static WANT_ID(want_claim, "claimName");
WANT_ID(kube_want_gce_disk, "pdName");
WANT_ID(kube_want_volume_id, "volumeID");
static WANT_ID(want_iscsi, "iqn");
static WANT_ID(want_csi, "driver");
WANT_ID(kube_want_azure_disk, "diskURI");
WANT_ID(kube_want_azure_file, "shareName");
WANT_ID(kube_want_vsphere_volume, "volumePath");
static WANT_ID(want_image, "reference");
static const struct json_want want_rbd[] = {
	{"monitors", NULL},
	{"pool", NULL},
	{"image", NULL},
	{"readOnly", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_pod_volumes[] = {
	{"name", NULL},
	{"persistentVolumeClaim", want_claim},
	{"ephemeral", kube_want_nothing},
	{"gcePersistentDisk", kube_want_gce_disk},
	{"awsElasticBlockStore", kube_want_volume_id},
	{"iscsi", want_iscsi},
	{"rbd", want_rbd},
	{"csi", want_csi},
	{"azureDisk", kube_want_azure_disk},
	{"azureFile", kube_want_azure_file},
	{"cinder", kube_want_volume_id},
	{"vsphereVolume", kube_want_vsphere_volume},
	{"portworxVolume", kube_want_volume_id},
	{"image", want_image},
	{NULL, NULL},
};

static const struct volume_source *source_of(struct text key)
{
	for (size_t i = 0; i < ARRAY_COUNT(sources); i++) {
		if (text_is_z(key, sources[i].key))
			return &sources[i];
	}
	return NULL;
}

/* The source of a volume, NULL when it is of a kind that no plugin asks for. */
static const struct volume_source *volume_source(
	struct kube_build *b, struct json_value v, struct text *name, struct json_value *value)
{
	const struct volume_source *found = NULL;
	struct json_walk walk = kube_read_object(b, v, "spec.volumes");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "name")) {
			*name = kube_read_text(b, walk.value, "spec.volumes.name");
		} else if (found == NULL && !kube_is_absent(walk.value)) {
			found = source_of(walk.key);
			*value = walk.value;
		}
	}
	return found;
}

static void volume_build(struct kube_build *b, const struct volume_source *source, struct text name,
	struct json_value v, struct kube_volume *volume)
{
	struct text id = TEXT_NONE, pool = TEXT_NONE;
	struct json_value monitors = JSON_VALUE_NONE;
	struct json_walk walk = kube_read_object(b, v, source->field);
	volume->kind = source->kind;
	while (json_walk_next(&walk)) {
		if (source->id != NULL && text_is_z(walk.key, source->id))
			id = kube_read_text(b, walk.value, source->field);
		else if (KUBE_IS(walk.key, "readOnly"))
			volume->read_only = kube_read_bool(b, walk.value, false, source->field);
		else if (KUBE_IS(walk.key, "pool"))
			pool = kube_read_text(b, walk.value, "spec.volumes.rbd.pool");
		else if (KUBE_IS(walk.key, "monitors"))
			monitors = walk.value;
	}
	if (source->kind == KUBE_VOLUME_CLAIM) {
		volume->name = kube_build_string(b, id);
		return;
	}
	volume->name = kube_build_string(b, name);
	volume->id = kube_build_string(b, id);
	if (source->kind == KUBE_VOLUME_RBD) {
		volume->pool = kube_build_string(b, pool);
		kube_read_id_set(b, monitors, &volume->monitors, "spec.volumes.rbd.monitors");
	}
}

void kube_pod_volumes_build(
	struct kube_build *b, struct json_value volumes, struct kube_pod_template *class)
{
	struct text name = TEXT_NONE;
	struct json_value value = JSON_VALUE_NONE;
	uint32_t count = 0;
	struct json_walk counting = kube_read_array(b, volumes, "spec.volumes");
	while (json_walk_next(&counting))
		count += volume_source(b, counting.value, &name, &value) != NULL;

	struct kube_volume *built = kube_build_array(b, sizeof(*built), count, &class->volumes);
	struct json_walk walk = json_walk(volumes);
	while (built != NULL && json_walk_next(&walk)) {
		name = TEXT_NONE;
		const struct volume_source *source = volume_source(b, walk.value, &name, &value);
		if (source != NULL)
			volume_build(b, source, name, value, built++);
	}
}

struct claim_entry {
	struct text name;
	struct text claim;
	struct text template;
};

#define CLAIM(name, member) KUBE_FIELD("spec.resourceClaims." name, claim_entry, member)
static const struct kube_field claim_entry_fields[] = {
	CLAIM("name", name),
	CLAIM("resourceClaimName", claim),
	CLAIM("resourceClaimTemplateName", template),
};

void kube_pod_claims_build(
	struct kube_build *b, struct json_value claims, struct kube_pod_template *class)
{
	struct json_walk walk = kube_read_array(b, claims, "spec.resourceClaims");
	struct kube_resource_claim *built = kube_build_array(
		b, sizeof(*built), kube_read_count(claims), &class->resource_claims);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		struct claim_entry entry = {.name = TEXT_NONE};
		KUBE_READ_FIELDS(b, walk.value, "spec.resourceClaims", claim_entry_fields, &entry);
		built[i].name = kube_build_string(b, entry.name);
		built[i].claim_name = kube_build_string(b, entry.claim);
		built[i].template_name = kube_build_string(b, entry.template);
	}
}
