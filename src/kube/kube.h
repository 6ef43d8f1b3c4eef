/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kube - the objects of the Kubernetes API as a scheduler needs them, and their grammar.
 *
 * There are two kinds of decoded objects:
 *  - passing ones (Lease, Status, Event): structs of text slices, good as long as the bytes are;
 *  - kept ones (Pod, Node, volumes, ...): blobs. A blob is one flat, relocatable block: a struct
 *    whose lists are spans (offset from the blob's start, count) and whose strings are ids of one
 *    interner. Equal objects give equal bytes, so blobs can be shared by comparing them, and
 *    keeping one is a copy. The ids a blob refers to are listed at its end, one reference each.
 *
 * A decoder never trusts its input: what is malformed is refused with the field's path.
 */
#ifndef BERTH_KUBE_KUBE_H
#define BERTH_KUBE_KUBE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/intern.h"
#include "base/scratch.h"
#include "base/text.h"
#include "json/json.h"
#include "kube/feature_gates.h"

enum kube_result {
	KUBE_OK,
	KUBE_MALFORMED, /* fault says field and reason */
	KUBE_FULL       /* no room for strings or scratch; try again when there is */
};

/* ---- blobs ---- */

struct kube_span {
	uint32_t at; /* bytes from the blob's start */
	uint32_t count;
};

struct kube_blob {
	uint32_t size; /* bytes, with everything behind it; a multiple of 8 */
	uint32_t hash;
	struct kube_span refs; /* uint32_t string ids, each holding one reference */
};

#define KUBE_AT(blob, span, type) \
	((const type *)(const void *)((const uint8_t *)(const void *)(blob) + (span).at))

/* Keys of annotations, string ids, that rules read. */
enum {
	KUBE_WANTED_MAX = 32,
	KUBE_ANNOTATION_MAX = 1024 /* bytes of a value; a longer one is as good as none */
};
enum kube_annotated { KUBE_ANNOTATED_POD, KUBE_ANNOTATED_NODE, KUBE_ANNOTATED };
struct kube_wanted {
	uint32_t keys[KUBE_WANTED_MAX];
	uint32_t count;
};

struct kube_build {
	enum kube_release release; /* as that one pods that are being resized are counted */
	struct intern *strings;
	/* That are kept, by enum kube_annotated; NULL: none. */
	const struct kube_wanted *annotations;
	struct text default_class; /* of claims that name none; TEXT_NONE: none */
	struct scratch *scratch;
	struct kube_blob *blob;     /* under construction; NULL between blobs */
	struct scratch_mark before; /* scratch as it was when the blob was started */
	size_t room;                /* bytes the blob may grow to */
	uint32_t *refs;
	uint32_t ref_count;
	uint32_t ref_room;
	enum kube_result result; /* the first thing that went wrong sticks */
	const char *fault_field; /* "spec.containers.resources.requests" */
	const char *fault_reason;
};

enum { KUBE_BLOB_MAX = 256 * 1024, KUBE_BLOB_REFS_MAX = 16384 };

void kube_build_init(struct kube_build *b, struct intern *strings, struct scratch *scratch);

/*
 * Starts a blob whose head struct has head_size bytes (struct kube_blob first). NULL when that
 * failed. What others take from scratch while the blob grows goes back when it is finished.
 */
void *kube_build_start(struct kube_build *b, size_t head_size);
/*
 * Appends count zeroed elements. NULL when that failed (sticky) or count is 0. The returned
 * pointer stays good until the blob is finished: a blob grows in place.
 */
void *kube_build_array(
	struct kube_build *b, size_t element_size, uint32_t count, struct kube_span *span);
/* Id of the text, its reference recorded in the blob. 0 for empty or absent text. */
uint32_t kube_build_string(struct kube_build *b, struct text t);
/* An id that is there already, with one more reference of the blob's own. */
uint32_t kube_build_id(struct kube_build *b, uint32_t id);
void kube_build_ids(
	struct kube_build *b, const uint32_t *ids, uint32_t count, struct kube_span *span);
/* Ends the blob (refs, hash). NULL when anything failed before; all references went back then. */
struct kube_blob *kube_build_finish(struct kube_build *b);
void kube_build_malformed(struct kube_build *b, const char *field, const char *reason);

/* Gives back the references of a finished blob that is not kept. blob may be NULL. */
void kube_blob_drop(const struct kube_blob *blob, struct intern *strings);
/* The same content. The list of references is not part of it: each blob gives back its own. */
bool kube_blob_is(const struct kube_blob *a, const struct kube_blob *b);

/* ---- what all objects have ---- */

struct kube_owner {
	struct text api_version;
	struct text kind;
	struct text name;
	struct text uid;
};

struct kube_meta {
	struct text namespace;
	struct text name;
	struct text uid;
	struct text resource_version;
	int64_t generation;
	bool deleting;                /* deletionTimestamp is set */
	struct wall creation_time;    /* 0 when absent */
	struct kube_owner controller; /* the owner with controller=true, or all TEXT_NONE */
	struct json_value labels;
	struct json_value annotations;
};

/* Enough of a uid to tell controllers apart: to be compared within this process. */
uint32_t kube_uid_hash(struct text uid);

/* Name is required; text slices point into the piece. */
void kube_meta_decode(struct kube_build *b, struct json_value object, struct kube_meta *meta);

/* ---- labels ---- */

struct kube_label {
	uint32_t key;
	uint32_t value;
};

/* A controller, as rules and people ask; all 0: none, or of another kind. Of a node: the kind. */
struct kube_owner_ids {
	uint32_t api_version;
	uint32_t kind;
	uint32_t name;
	uint32_t uid_hash; /* kube_uid_hash() */
};

/*
 * A set of labels as a blob of its own, sorted by key id; shared by all objects that have it. With
 * those of a pod stands its controller: both tell the pods of one template apart.
 */
struct kube_labels {
	struct kube_blob blob;
	struct kube_span pairs; /* struct kube_label */
	struct kube_owner_ids owner;
};

/* Of a JSON object of strings (absent: the empty set). */
struct kube_labels *kube_labels_build(
	struct kube_build *b, struct json_value labels, const char *field);
/* The same with the controller, when it is of a kind that is kept. */
struct kube_labels *kube_labels_build_owned(struct kube_build *b, struct json_value labels,
	const struct kube_owner *owner, const char *field);
/* The same labels, whatever the controller. Either may be NULL (no labels). */
bool kube_labels_are(const struct kube_labels *a, const struct kube_labels *b);
/* Of no labels: no controller. */
struct kube_owner_ids kube_labels_owner(const struct kube_labels *labels);
/* True and the value's id when the key is there. `labels` may be NULL (no labels). */
bool kube_labels_get(const struct kube_labels *labels, uint32_t key, uint32_t *value);

/* ---- selectors ---- */

enum kube_op {
	KUBE_IN,
	KUBE_NOT_IN, /* an absent key matches */
	KUBE_EXISTS,
	KUBE_DOES_NOT_EXIST,
	KUBE_GT, /* node selectors only */
	KUBE_LT
};

struct kube_requirement {
	uint32_t key;
	uint32_t op;             /* enum kube_op */
	struct kube_span values; /* uint32_t string ids, sorted by id, without doubles */
	int64_t number;          /* for KUBE_GT and KUBE_LT */
};

enum kube_selector_state {
	KUBE_SELECTOR_NONE,   /* null: matches nothing */
	KUBE_SELECTOR_SET,    /* no requirements: matches everything */
	KUBE_SELECTOR_INVALID /* error says why, in upstream's words */
};

struct kube_selector {
	uint32_t state;
	uint32_t error; /* string id */
	struct kube_span requirements;
};

/* metav1.LabelSelector */
void kube_selector_build(struct kube_build *b, struct json_value v, struct kube_selector *selector);
/* Plain map (Service, ReplicationController): equality, not validated. null = NONE. */
void kube_selector_build_map(
	struct kube_build *b, struct json_value v, struct kube_selector *selector);
/* `blob` is the blob the selector lives in. INVALID and NONE match nothing. */
bool kube_selector_matches(
	const void *blob, const struct kube_selector *selector, const struct kube_labels *labels);

struct kube_node_term {
	struct kube_span expressions; /* struct kube_requirement */
	struct kube_span
		fields; /* struct kube_requirement; key is the id of "metadata.name" or other */
	uint32_t error; /* string id; 0 when the term parsed */
	uint32_t empty; /* neither expressions nor fields: matches nothing, no error */
};

struct kube_node_match {
	const struct intern *strings; /* Gt and Lt read label values as numbers */
	const struct kube_labels *labels;
	uint32_t name;     /* the node's */
	uint32_t name_key; /* id of "metadata.name" */
};
bool kube_node_term_matches(
	const void *blob, const struct kube_node_term *term, const struct kube_node_match *node);
/* matchFields of a term that is about one node. */
void kube_node_term_put(struct json_writer *j, struct text node);
/*
 * What the controllers of DaemonSets let their pods tolerate, elements of spec.tolerations in their
 * order: the last one is for pods on the host's network alone, the first two an apiserver lets
 * every pod tolerate (for a while).
 */
enum { KUBE_ANY_TOLERATIONS = 2, KUBE_DAEMON_TOLERATIONS = 7 };
void kube_daemon_tolerations_put(struct json_writer *j, uint32_t count);

/* ---- tolerations and taints ---- */

enum kube_effect {
	KUBE_EFFECT_ANY, /* a toleration without effect; for a taint: some unknown effect */
	KUBE_NO_SCHEDULE,
	KUBE_PREFER_NO_SCHEDULE,
	KUBE_NO_EXECUTE,
	KUBE_EFFECT_UNKNOWN
};

struct kube_taint {
	uint32_t key;
	uint32_t value;
	uint32_t effect;
	uint32_t is_number; /* the value is an integer */
	int64_t number;
};

enum kube_toleration_operator {
	KUBE_TOLERATES_EQUAL,
	KUBE_TOLERATES_ALL, /* Exists */
	KUBE_TOLERATES_NONE,
	KUBE_TOLERATES_LESS, /* Lt: taints of a smaller number */
	KUBE_TOLERATES_MORE  /* Gt */
};
struct kube_toleration {
	uint32_t key; /* 0: every key */
	uint32_t value;
	uint32_t effect;
	uint32_t operator; /* enum kube_toleration_operator */
	int64_t number;    /* of Lt and Gt */
};

bool kube_tolerates(const struct kube_toleration *toleration, const struct kube_taint *taint);

/* ---- resources ---- */

struct kube_scalar {
	uint32_t name; /* string id of the resource name; spans of scalars are sorted by it */
	uint32_t is_extended; /* plugins.md 0.2 (a) */
	int64_t value;
};

struct kube_resources {
	int64_t cpu_milli;
	int64_t memory_bytes;
	int64_t storage_bytes;    /* ephemeral-storage */
	int64_t pods;             /* allocatable only */
	struct kube_span scalars; /* struct kube_scalar; entries of value 0 are kept */
	uint32_t names; /* bits: which of cpu 1, memory 2, ephemeral-storage 4 were named at all */
	uint32_t reserved;
};

#endif
