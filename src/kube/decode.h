/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to kube/: how decoders read fields, and the decoders themselves.
 *
 * A field that is absent or null has its default; a field of another JSON type makes the whole
 * object malformed, with that field's path. Nothing has to be checked in between: the first
 * fault sticks in the builder, and what is read after it is not used.
 */
#ifndef BERTH_KUBE_DECODE_H
#define BERTH_KUBE_DECODE_H

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "kube/kube.h"
#include "kube/object.h"
#include "kube/pod.h"
#include "kube/quantity.h"

#define KUBE_IS(text, literal)                 \
	((text).size == sizeof(literal) - 1 && \
		memcmp((text).at, (literal), sizeof(literal) - 1) == 0)

static inline bool kube_failed(const struct kube_build *b)
{
	return b->result != KUBE_OK;
}
static inline bool kube_is_absent(struct json_value v)
{
	enum json_type type = json_type(v);
	return type == JSON_NONE || type == JSON_NULL;
}

/* For what else is taken from scratch and did not fit. */
void kube_build_full(struct kube_build *b);
/* Forgets what went wrong with the object before; every decoder begins with it. */
void kube_decode_begin(struct kube_build *b);

/* ---- fields ---- */

struct text kube_read_text(struct kube_build *b, struct json_value v, const char *field);
uint32_t kube_read_id(struct kube_build *b, struct json_value v, const char *field);
bool kube_read_bool(struct kube_build *b, struct json_value v, bool otherwise, const char *field);
int64_t kube_read_i64(
	struct kube_build *b, struct json_value v, int64_t otherwise, const char *field);
int32_t kube_read_i32(
	struct kube_build *b, struct json_value v, int32_t otherwise, const char *field);
struct wall kube_read_time(struct kube_build *b, struct json_value v, const char *field);
/* False when absent or malformed. */
bool kube_read_quantity(
	struct kube_build *b, struct json_value v, struct quantity *q, const char *field);

/*
 * Members of an object that are read into a struct: a json_value as it is, a text, an interned
 * string (uint32_t), a bool or an integer. What is absent or null leaves what the struct has. Rows
 * stand in the order in which the apiserver writes members: then each is found at once.
 */
struct kube_field {
	const char *path; /* "spec.taints.key": the object's, a point, the member's name */
	uint16_t at;      /* in the struct */
	uint8_t type;     /* enum kube_field_type */
};
enum kube_field_type {
	KUBE_FIELD_VALUE,
	KUBE_FIELD_TEXT,
	KUBE_FIELD_ID,
	KUBE_FIELD_BOOL,
	KUBE_FIELD_I32,
	KUBE_FIELD_I64
};
#define KUBE_FIELD(path, in, member)                                            \
	{                                                                       \
		path, offsetof(struct in, member),                              \
			_Generic(((struct in *)NULL)->member, struct json_value \
				 : KUBE_FIELD_VALUE, struct text                \
				 : KUBE_FIELD_TEXT, uint32_t                    \
				 : KUBE_FIELD_ID, bool                          \
				 : KUBE_FIELD_BOOL, int32_t                     \
				 : KUBE_FIELD_I32, int64_t                      \
				 : KUBE_FIELD_I64)                              \
	}
#define KUBE_READ_FIELDS(b, v, path, fields, to) \
	kube_read_fields(b, v, path, fields, ARRAY_COUNT(fields), to)
/* `path` is the object's. */
void kube_read_fields(struct kube_build *b, struct json_value v, const char *path,
	const struct kube_field *fields, uint32_t count, void *to);

/* Walks of what must be an object or an array; absent: nothing to walk. */
struct json_walk kube_read_object(struct kube_build *b, struct json_value v, const char *field);
struct json_walk kube_read_array(struct kube_build *b, struct json_value v, const char *field);
/* A member of what must be an object; JSON_VALUE_NONE when either is absent. */
struct json_value kube_read_member(
	struct kube_build *b, struct json_value v, const char *key, const char *field);
/* How many elements an array has; 0 when it is no array. */
uint32_t kube_read_count(struct json_value v);
/* An array of strings, as they come. */
void kube_read_ids(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field);
/* An array of strings that is a set: sorted by id, without doubles. */
void kube_read_id_set(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field);
/* A map of strings as struct kube_label, sorted by key. */
void kube_read_pairs(
	struct kube_build *b, struct json_value v, struct kube_span *span, const char *field);

/* For writing into the blob under construction; the bytes are ours until it is finished. */
#define KUBE_BUILT(b, span, type) ((type *)(void *)((uint8_t *)(void *)(b)->blob + (span).at))

/* Gives back the end of an array that was the last thing built. */
void kube_build_shorten(
	struct kube_build *b, size_t element_size, uint32_t count, struct kube_span *span);

/*
 * The frame of a decoder whose facts are one blob: metadata, a head of head_size bytes, `fill`
 * for what is special about the kind.
 */
typedef void kube_fill_fn(
	struct kube_build *b, struct json_value object, const struct kube_meta *meta, void *head);
enum kube_result kube_object_decode(struct kube_build *b, struct json_value object,
	enum kube_kind kind, size_t head_size, kube_fill_fn *fill, struct kube_object *out);
/* The same for kinds that are only an identity, and labels when asked for. */
enum kube_result kube_identity_decode(struct kube_build *b, struct json_value object,
	enum kube_kind kind, bool labels, struct kube_object *out);
/* An integer of bytes from a quantity; false when it is absent. */
bool kube_read_bytes(struct kube_build *b, struct json_value v, int64_t *bytes, const char *field);
/* spec.accessModes as bits of enum kube_access. */
uint32_t kube_read_access(struct kube_build *b, struct json_value v);
/* spec.volumeMode with its default. */
uint32_t kube_read_volume_mode(struct kube_build *b, struct json_value v);

/* Sorts elements by their first key_words 32-bit words: one, or three. */
void kube_sort(void *elements, size_t element_size, uint32_t key_words, uint32_t count);
/* Elements that are the same in their first key_words words as the one before go; new count. */
uint32_t kube_sorted_unique(
	void *elements, size_t element_size, uint32_t key_words, uint32_t count);

/* Metadata of a kind that lives in namespaces: "default" when it names none. */
void kube_meta_decode_namespaced(
	struct kube_build *b, struct json_value object, struct kube_meta *meta);
/* The value of an annotation; TEXT_NONE when it is not there. */
struct text kube_annotation(struct kube_build *b, const struct kube_meta *meta, const char *key);
/* Those that are wanted of such objects: struct kube_label, sorted by key. */
void kube_annotations_build(struct kube_build *b, const struct kube_meta *meta,
	enum kube_annotated of, struct kube_span *span);

/* ---- parts of pods ---- */

/* TEXT_NONE: it is not for one node. Good as long as the piece is. */
struct text kube_pod_for_node(struct json_value affinity);
void kube_pod_node_affinity_build(
	struct kube_build *b, struct json_value affinity, struct kube_pod_template *class);
/* The terms about other pods. */
void kube_pod_affinity_build(struct kube_build *b, struct json_value affinity,
	struct text namespace, struct kube_pod_template *class);
void kube_pod_spread_build(
	struct kube_build *b, struct json_value constraints, struct kube_pod_template *class);
void kube_pod_volumes_build(
	struct kube_build *b, struct json_value volumes, struct kube_pod_template *class);
void kube_pod_claims_build(
	struct kube_build *b, struct json_value claims, struct kube_pod_template *class);
void kube_pod_extended_build(struct kube_build *b, struct json_value init_containers,
	struct json_value containers, struct kube_pod_template *class);
void kube_tolerations_build(struct kube_build *b, struct json_value v, struct kube_span *span);
void kube_taints_build(struct kube_build *b, struct json_value v, struct kube_span *span);
struct kube_taint kube_taint_build(struct kube_build *b, struct json_value v);

/* nodeSelectorTerms: an array of terms, with their matchFields or without. */
void kube_node_terms_build(
	struct kube_build *b, struct json_value v, bool with_fields, struct kube_span *span);
/* A term whose errors name it by "path[index]" (path may be ""). */
void kube_node_term_build_at(struct kube_build *b, struct json_value v, const char *path,
	uint32_t index, struct kube_node_term *term);

/* ---- wants that several kinds share ---- */

extern const struct json_want kube_want_nothing[];
extern const struct json_want kube_want_details[];
extern const struct json_want kube_want_bookmark[]; /* annotations of bookmarks */
extern const struct json_want kube_want_metadata[]; /* ... and no other annotations */
extern const struct json_want kube_want_metadata_annotated[];
extern const struct json_want kube_want_owners[];
extern const struct json_want kube_want_resources[]; /* requests and limits */
extern const struct json_want kube_want_containers[];
extern const struct json_want kube_want_ephemeral[];
extern const struct json_want kube_want_container_statuses[];
extern const struct json_want kube_want_pod_conditions[];
extern const struct json_want kube_want_pod_volumes[];
extern const struct json_want kube_want_node_images[];
extern const struct json_want kube_want_claim_ref[];
extern const struct json_want kube_want_csi_source[];
extern const struct json_want kube_want_volume_id[];
extern const struct json_want kube_want_gce_disk[];
extern const struct json_want kube_want_azure_disk[];
extern const struct json_want kube_want_azure_file[];
extern const struct json_want kube_want_vsphere_volume[];
extern const struct json_want kube_want_csi_drivers[];
extern const struct json_want kube_want_attachment_source[];
extern const struct json_want kube_want_slice_pool[];

/* What every object keeps besides metadata, spec and status: identity, and a Status's fields. */
#define KUBE_WANT_ENVELOPE                                                                         \
	{"kind", NULL}, {"apiVersion", NULL}, {"message", NULL}, {"reason", NULL}, {"code", NULL}, \
	{                                                                                          \
		"details", kube_want_details                                                       \
	}
/* What every metadata keeps; annotations are told apart by kind. */
#define KUBE_WANT_META(annotations_inside)                                                   \
	{"name", NULL}, {"namespace", NULL}, {"uid", NULL}, {"resourceVersion", NULL},       \
		{"generation", NULL}, {"labels", NULL}, {"annotations", annotations_inside}, \
		{"deletionTimestamp", NULL},                                                 \
	{                                                                                    \
		"ownerReferences", kube_want_owners                                          \
	}

extern const struct json_want kube_namespace_want[], kube_service_want[],
	kube_replication_controller_want[], kube_replica_set_want[], kube_stateful_set_want[],
	kube_pdb_want[], kube_resource_claim_want[], kube_resource_slice_want[],
	kube_device_class_want[], kube_taint_rule_want[];

/* ---- decoders, for the table in object.c ---- */

typedef enum kube_result kube_decode_fn(
	struct kube_build *b, struct json_value object, struct kube_object *out);
kube_decode_fn kube_namespace_decode, kube_service_decode, kube_replication_controller_decode,
	kube_replica_set_decode, kube_stateful_set_decode, kube_pv_decode, kube_pvc_decode,
	kube_storage_class_decode, kube_csi_node_decode, kube_csi_driver_decode,
	kube_csi_capacity_decode, kube_volume_attachment_decode, kube_pdb_decode,
	kube_resource_claim_decode, kube_resource_slice_decode, kube_device_class_decode,
	kube_taint_rule_decode;

#endif
