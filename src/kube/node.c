/* SPDX-License-Identifier: GPL-2.0-only */
/* Node. */
#include "kube/node.h"

#include "base/hash.h"
#include "kube/decode.h"
#include "kube/pod_requests.h"
#include "kube/time.h"

static const struct json_want want_taint[] = {
	{"key", NULL},
	{"value", NULL},
	{"effect", NULL},
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"unschedulable", NULL},
	{"taints", want_taint},
	{NULL, NULL},
};

const struct json_want kube_want_node_images[] = {
	{"names", NULL},
	{"sizeBytes", NULL},
	{NULL, NULL},
};

static const struct json_want want_condition[] = {
	{"type", NULL},
	{"status", NULL},
	{"lastTransitionTime", NULL},
	{NULL, NULL},
};

static const struct json_want want_status[] = {
	{"allocatable", NULL},
	{"images", kube_want_node_images},
	{"conditions", want_condition},
	{"declaredFeatures", NULL},
	{NULL, NULL},
};

const struct json_want kube_node_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata_annotated},
	{"spec", want_spec},
	{"status", want_status},
	{NULL, NULL},
};

static uint32_t hash_taint_text(struct text t)
{
	return hash_bytes(t.at, t.size);
}

/* Maps are compared as maps: sums do not see an order. */
static uint32_t annotations_hash(struct kube_build *b, struct json_value annotations)
{
	uint32_t hash = 0;
	struct json_walk walk = json_walk(annotations);
	while (json_walk_next(&walk)) {
		struct text value = kube_read_text(b, walk.value, "metadata.annotations");
		hash += hash_pair(hash_taint_text(walk.key), hash_taint_text(value));
	}
	return hash;
}

/* A condition that is not there is no trouble; one that must be False is, when it is Unknown. */
static uint32_t trouble_of(struct text type, struct text status)
{
	static const struct {
		const char *type;
		const char *status;
		bool is_trouble; /* when it is that, else when it is anything else */
	} rows[] = {
		{"Ready", "True", false},
		{"OutOfDisk", "False", false},
		{"NetworkUnavailable", "False", false},
		{"MemoryPressure", "True", true},
		{"DiskPressure", "True", true},
		{"PIDPressure", "True", true},
	};
	for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (text_is_z(type, rows[i].type))
			return text_is_z(status, rows[i].status) == rows[i].is_trouble ? 1u << i
										       : 0;
	return 0;
}

static void node_conditions_read(
	struct kube_build *b, struct json_value conditions, struct kube_node_facts *facts)
{
	static const char field[] = "status.conditions";
	struct json_walk walk = kube_read_array(b, conditions, field);
	while (json_walk_next(&walk)) {
		struct json_value of = walk.value;
		struct wall time;
		struct text type = kube_read_text(
			b, kube_read_member(b, of, "type", field), "status.conditions.type");
		struct text status =
			kube_read_text(b, json_get(of, "status"), "status.conditions.status");
		struct text since = json_text(json_get(of, "lastTransitionTime"));
		if (KUBE_IS(type, "Ready") && kube_time_parse(since, &time))
			facts->ready_since_us = time.us;
		facts->conditions_hash += hash_pair(hash_taint_text(type), hash_taint_text(status));
		facts->troubles |= trouble_of(type, status);
	}
}

static void features_read(
	struct kube_build *b, struct json_value features, struct kube_node_facts *facts)
{
	struct json_walk walk = kube_read_array(b, features, "status.declaredFeatures");
	while (json_walk_next(&walk)) {
		struct text name = kube_read_text(b, walk.value, "status.declaredFeatures");
		if (KUBE_IS(name, "RestartAllContainersOnContainerExits"))
			facts->features |= KUBE_FEATURE_RESTART_ALL_CONTAINERS;
		else if (KUBE_IS(name, "UserNamespacesHostNetworkSupport"))
			facts->features |= KUBE_FEATURE_USER_NAMESPACES_HOST_NETWORK;
		else if (KUBE_IS(name, "VolumeBindMountOptions"))
			facts->features |= KUBE_FEATURE_VOLUME_BIND_MOUNT_OPTIONS;
		facts->features_hash = hash_more(facts->features_hash, hash_taint_text(name));
	}
}

static void node_images_build(
	struct kube_build *b, struct json_value images, struct kube_node_facts *facts)
{
	struct json_walk walk = kube_read_array(b, images, "status.images");
	struct kube_image *built =
		kube_build_array(b, sizeof(*built), kube_read_count(images), &facts->images);
	for (uint32_t i = 0; built != NULL && json_walk_next(&walk); i++) {
		kube_read_ids(b, kube_read_member(b, walk.value, "names", "status.images"),
			&built[i].names, "status.images.names");
		built[i].size_bytes = kube_read_i64(
			b, json_get(walk.value, "sizeBytes"), 0, "status.images.sizeBytes");
	}
}

/* ---- scheduler.alpha.kubernetes.io/preferAvoidPods: JSON in a string ---- */

enum { AVOIDED_BYTES_MAX = 8192 /* of the annotation; a longer one is as good as none */ };
#define AVOIDED "scheduler.alpha.kubernetes.io/preferAvoidPods"

static const struct json_want want_controller[] = {
	{"kind", NULL},
	{"uid", NULL},
	{NULL, NULL},
};
static const struct json_want want_signature[] = {
	{"podController", want_controller},
	{NULL, NULL},
};
static const struct json_want want_avoided[] = {
	{"podSignature", want_signature},
	{NULL, NULL},
};
static const struct json_want want_annotation[] = {
	{"preferAvoidPods", want_avoided},
	{NULL, NULL},
};

uint32_t kube_uid_hash(struct text uid)
{
	return hash_taint_text(uid);
}

static bool take_piece(void *self, struct json_piece piece)
{
	struct text *whole = self;
	*whole = piece.kind == JSON_PIECE_LINE && whole->at == NULL ? piece.text : TEXT_NONE;
	return true;
}

/* It may be written by hand: what is not JSON is JSON_VALUE_NONE. */
static struct json_value parse_annotation(struct kube_build *b, struct text words)
{
	struct json_value root = JSON_VALUE_NONE;
	struct text whole = TEXT_NONE;
	size_t size = json_cut_size(words.size + JSON_PIECE_MIN);
	void *block = scratch_take(b->scratch, size);
	if (block == NULL) {
		kube_build_full(b);
		return root;
	}
	struct json_cut *cut = json_cut_init(block, size, words.size + JSON_PIECE_MIN);
	json_cut_start(cut, JSON_CUT_LINES, want_annotation, NULL, take_piece, &whole);
	if (json_cut_feed(cut, words) != JSON_CUT_MORE || !json_cut_end(cut) || whole.at == NULL)
		return root;
	if (json_parse(whole, b->scratch, &root) == JSON_PARSE_FULL)
		kube_build_full(b);
	return root;
}

static void avoided_build(
	struct kube_build *b, struct text annotation, struct kube_node_facts *facts)
{
	if (annotation.size == 0 || annotation.size > AVOIDED_BYTES_MAX)
		return;
	struct json_value list = json_get(parse_annotation(b, annotation), "preferAvoidPods");
	uint32_t count = json_type(list) == JSON_ARRAY ? json_count(list) : 0;
	struct kube_avoided *built = kube_build_array(b, sizeof(*built), count, &facts->avoided);
	struct json_walk walk = json_walk(list);
	for (uint32_t i = 0; built != NULL && i < count && json_walk_next(&walk); i++) {
		struct json_value controller = json_path(walk.value, "podSignature.podController");
		built[i].kind = kube_build_string(b, json_text(json_get(controller, "kind")));
		built[i].uid_hash = kube_uid_hash(json_text(json_get(controller, "uid")));
	}
}

static void facts_fill(struct kube_build *b, struct json_value object, const struct kube_meta *meta,
	struct kube_node_facts *facts)
{
	struct json_value spec = json_get(object, "spec");
	struct json_value unschedulable = kube_read_member(b, spec, "unschedulable", "spec");
	struct json_value taints = json_get(spec, "taints");
	struct json_value status = json_get(object, "status");
	struct json_value allocatable = kube_read_member(b, status, "allocatable", "status");
	struct json_value images = json_get(status, "images");
	node_conditions_read(b, json_get(status, "conditions"), facts);
	features_read(b, json_get(status, "declaredFeatures"), facts);
	facts->annotations_hash = annotations_hash(b, meta->annotations);
	avoided_build(b, kube_annotation(b, meta, AVOIDED), facts);
	kube_annotations_build(b, meta, KUBE_ANNOTATED_NODE, &facts->annotations);
	facts->unschedulable = kube_read_bool(b, unschedulable, false, "spec.unschedulable");
	kube_resource_list(b, allocatable, "status.allocatable", &facts->allocatable);
	kube_taints_build(b, taints, &facts->taints);
	node_images_build(b, images, facts);
}

enum kube_result kube_node_decode(
	struct kube_build *b, struct json_value object, struct kube_node *node)
{
	kube_decode_begin(b);
	*node = (struct kube_node){.facts = NULL};
	kube_meta_decode(b, object, &node->meta);
	node->labels = kube_labels_build(b, node->meta.labels, "metadata.labels");
	struct kube_node_facts *facts = kube_build_start(b, sizeof(*facts));
	if (facts != NULL)
		facts_fill(b, object, &node->meta, facts);
	node->facts = (struct kube_node_facts *)(void *)kube_build_finish(b);
	if (kube_failed(b) && node->labels != NULL) {
		kube_blob_drop(&node->labels->blob, b->strings);
		node->labels = NULL;
	}
	return b->result;
}
