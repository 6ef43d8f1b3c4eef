/* SPDX-License-Identifier: GPL-2.0-only */
/* Metadata of objects, and what of it and around it is kept while it arrives. */
#include "kube/decode.h"

const struct json_want kube_want_nothing[] = {{NULL, NULL}};

const struct json_want kube_want_owners[] = {
	{"apiVersion", NULL},
	{"kind", NULL},
	{"name", NULL},
	{"uid", NULL},
	{"controller", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_details[] = {
	{"retryAfterSeconds", NULL},
	{"causes", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_bookmark[] = {
	{"k8s.io/initial-events-end", NULL},
	{NULL, NULL},
};

const struct json_want kube_want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{NULL, NULL},
};

const struct json_want kube_want_metadata_annotated[] = {
	KUBE_WANT_META(NULL),
	{NULL, NULL},
};

struct owner_reference {
	struct kube_owner owner;
	bool controls;
};

#define OWNER(name, member) KUBE_FIELD("metadata.ownerReferences." name, owner_reference, member)
static const struct kube_field owner_fields[] = {
	OWNER("apiVersion", owner.api_version),
	OWNER("kind", owner.kind),
	OWNER("name", owner.name),
	OWNER("uid", owner.uid),
	OWNER("controller", controls),
};

static void owners_decode(struct kube_build *b, struct json_value owners, struct kube_meta *meta)
{
	static const char field[] = "metadata.ownerReferences";
	struct json_walk walk = kube_read_array(b, owners, field);
	bool found = false;
	while (json_walk_next(&walk)) {
		struct owner_reference of = {.controls = false};
		KUBE_READ_FIELDS(b, walk.value, field, owner_fields, &of);
		if (of.controls && !found) {
			meta->controller = of.owner;
			found = true;
		}
	}
}

/* What becomes of it, and what has to be looked at first. */
struct meta_spec {
	struct kube_meta meta;
	struct json_value owners;
	struct text deletion;
	struct json_value creation;
};

static const struct kube_field meta_fields[] = {
	KUBE_FIELD("metadata.name", meta_spec, meta.name),
	KUBE_FIELD("metadata.namespace", meta_spec, meta.namespace),
	KUBE_FIELD("metadata.uid", meta_spec, meta.uid),
	KUBE_FIELD("metadata.resourceVersion", meta_spec, meta.resource_version),
	KUBE_FIELD("metadata.generation", meta_spec, meta.generation),
	KUBE_FIELD("metadata.creationTimestamp", meta_spec, creation),
	KUBE_FIELD("metadata.deletionTimestamp", meta_spec, deletion),
	KUBE_FIELD("metadata.labels", meta_spec, meta.labels),
	KUBE_FIELD("metadata.annotations", meta_spec, meta.annotations),
	KUBE_FIELD("metadata.ownerReferences", meta_spec, owners),
};

void kube_meta_decode(struct kube_build *b, struct json_value object, struct kube_meta *meta)
{
	*meta = (struct kube_meta){.labels = JSON_VALUE_NONE, .annotations = JSON_VALUE_NONE};
	if (json_type(object) != JSON_OBJECT) {
		kube_build_malformed(b, "object", "not an object");
		return;
	}
	struct meta_spec spec = {.owners = JSON_VALUE_NONE};
	KUBE_READ_FIELDS(b, json_get(object, "metadata"), "metadata", meta_fields, &spec);
	*meta = spec.meta;
	meta->deleting = spec.deletion.at != NULL;
	meta->creation_time = kube_read_time(b, spec.creation, "metadata.creationTimestamp");
	owners_decode(b, spec.owners, meta);
	if (meta->name.size == 0)
		kube_build_malformed(b, "metadata.name", "missing");
	/* Labels and annotations are read by kinds that want them, each value for itself. */
	kube_read_object(b, meta->labels, "metadata.labels");
	kube_read_object(b, meta->annotations, "metadata.annotations");
}

void kube_meta_decode_namespaced(
	struct kube_build *b, struct json_value object, struct kube_meta *meta)
{
	kube_meta_decode(b, object, meta);
	if (meta->namespace.size == 0)
		meta->namespace = TEXT("default");
}

struct text kube_annotation(struct kube_build *b, const struct kube_meta *meta, const char *key)
{
	struct json_value v = json_get(meta->annotations, key);
	struct text t = kube_read_text(b, v, "metadata.annotations");
	/* A null value is an empty string to those who keep annotations in a map of strings. */
	return json_type(v) == JSON_NULL ? TEXT("") : t;
}

void kube_annotations_build(struct kube_build *b, const struct kube_meta *meta,
	enum kube_annotated of, struct kube_span *span)
{
	struct kube_span room;
	if (b->annotations == NULL)
		return;
	const struct kube_wanted *wanted = &b->annotations[of];
	struct kube_label *built = kube_build_array(b, sizeof(*built), wanted->count, &room);
	uint32_t kept = 0;
	for (uint32_t i = 0; built != NULL && i < wanted->count; i++) {
		struct text key = intern_text(b->strings, wanted->keys[i]);
		struct text value = json_text(json_find(meta->annotations, key));
		if (value.at == NULL || value.size > KUBE_ANNOTATION_MAX || kube_failed(b))
			continue;
		built[kept].key = kube_build_string(b, key);
		built[kept++].value = kube_build_string(b, value);
	}
	if (built == NULL)
		return;
	kube_build_shorten(b, sizeof(*built), kept, &room);
	kube_sort(built, sizeof(*built), 1, kept);
	*span = room;
}
