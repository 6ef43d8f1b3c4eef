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

static void owners_decode(struct kube_build *b, struct json_value owners, struct kube_meta *meta)
{
	struct json_walk walk = kube_read_array(b, owners, "metadata.ownerReferences");
	bool found = false;
	while (json_walk_next(&walk)) {
		struct kube_owner owner = {TEXT_NONE, TEXT_NONE, TEXT_NONE, TEXT_NONE};
		bool controls = false;
		struct json_walk of = kube_read_object(b, walk.value, "metadata.ownerReferences");
		while (json_walk_next(&of)) {
			if (KUBE_IS(of.key, "controller"))
				controls = kube_read_bool(
					b, of.value, false, "metadata.ownerReferences.controller");
			else if (KUBE_IS(of.key, "apiVersion"))
				owner.api_version = kube_read_text(
					b, of.value, "metadata.ownerReferences.apiVersion");
			else if (KUBE_IS(of.key, "kind"))
				owner.kind = kube_read_text(
					b, of.value, "metadata.ownerReferences.kind");
			else if (KUBE_IS(of.key, "name"))
				owner.name = kube_read_text(
					b, of.value, "metadata.ownerReferences.name");
			else if (KUBE_IS(of.key, "uid"))
				owner.uid =
					kube_read_text(b, of.value, "metadata.ownerReferences.uid");
		}
		if (controls && !found) {
			meta->controller = owner;
			found = true;
		}
	}
}

static void meta_member(
	struct kube_build *b, struct text key, struct json_value value, struct kube_meta *meta)
{
	if (KUBE_IS(key, "name"))
		meta->name = kube_read_text(b, value, "metadata.name");
	else if (KUBE_IS(key, "namespace"))
		meta->namespace = kube_read_text(b, value, "metadata.namespace");
	else if (KUBE_IS(key, "uid"))
		meta->uid = kube_read_text(b, value, "metadata.uid");
	else if (KUBE_IS(key, "labels"))
		meta->labels = value;
	else if (KUBE_IS(key, "annotations"))
		meta->annotations = value;
	else if (KUBE_IS(key, "generation"))
		meta->generation = kube_read_i64(b, value, 0, "metadata.generation");
	else if (KUBE_IS(key, "resourceVersion"))
		meta->resource_version = kube_read_text(b, value, "metadata.resourceVersion");
	else if (KUBE_IS(key, "ownerReferences"))
		owners_decode(b, value, meta);
	else if (KUBE_IS(key, "deletionTimestamp"))
		meta->deleting = kube_read_text(b, value, "metadata.deletionTimestamp").at != NULL;
	else if (KUBE_IS(key, "creationTimestamp"))
		meta->creation_time = kube_read_time(b, value, "metadata.creationTimestamp");
}

void kube_meta_decode(struct kube_build *b, struct json_value object, struct kube_meta *meta)
{
	*meta = (struct kube_meta){.labels = JSON_VALUE_NONE, .annotations = JSON_VALUE_NONE};
	if (json_type(object) != JSON_OBJECT) {
		kube_build_malformed(b, "object", "not an object");
		return;
	}
	struct json_walk walk = kube_read_object(b, json_get(object, "metadata"), "metadata");
	while (json_walk_next(&walk))
		meta_member(b, walk.key, walk.value, meta);
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
