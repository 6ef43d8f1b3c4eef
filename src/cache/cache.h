/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache - one picture of the cluster, always consistent: nodes, pods (pending, assumed, bound)
 * and everything else that decisions read. It is the only copy; the queue and the cycle name pods
 * and nodes by index. What is refused for lack of room is counted and never half applied.
 *
 * Way of an object: kube/ decodes it to a blob -> cache_put_*() shares the blob (pod classes,
 * label sets) or keeps it -> sums, counters and the change log follow.
 */
#ifndef BERTH_CACHE_CACHE_H
#define BERTH_CACHE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/list.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/store.h"
#include "cache/conditions.h"
#include "cache/devices.h"
#include "cache/event.h"
#include "cache/images.h"
#include "cache/log.h"
#include "cache/names.h"
#include "cache/node.h"
#include "cache/topology.h"
#include "cache/unread.h"
#include "kube/node.h"
#include "kube/object.h"
#include "kube/pod.h"

enum cache_result {
	CACHE_OK,
	CACHE_UNCHANGED, /* the same resource version again */
	CACHE_FULL,      /* refused and counted; nothing was changed */
	CACHE_UNKNOWN,   /* no such pod, node, object */
	CACHE_CONFLICT   /* the state machine does not allow it (assume of a bound pod ...) */
};

struct cache_limits {
	uint32_t nodes;
	uint32_t pods;
	uint32_t statuses; /* of pending pods, see cache/conditions.h; 0: not kept */
	uint32_t objects;
	uint32_t classes;
	uint32_t label_sets;
	uint32_t strings;
	uint32_t images;
	uint32_t counters;
	uint32_t changes; /* in the change log, at least CACHE_LOG_MIN; 0: not read */
	size_t store_bytes;
};

/* A shared blob: a pod class or a label set. */
struct cache_shared {
	const struct kube_blob *blob;
	uint32_t references;
	uint32_t handle;      /* in the store */
	uint32_t placed;      /* classes: pods of it that are on a node */
	uint32_t first_owned; /* classes with such pods: chain of struct cache_owned; 0 = none */
	uint64_t serial;      /* never used twice: tells a reused index from the old one */
};

enum cache_pod_flag {
	CACHE_POD_ASSUMED = 1,  /* node is our decision, not yet confirmed by the apiserver */
	CACHE_POD_DELETING = 2, /* deletionTimestamp is set */
	CACHE_POD_DISRUPTION_TARGET = 4,
	CACHE_POD_HAS_START = 8,
	CACHE_POD_NOMINATED_HERE = 16,   /* by us; the apiserver does not say it yet */
	CACHE_POD_FIRST_GENERATION = 32, /* metadata.generation is 1 */
	CACHE_POD_STATUS_LOST = 64,      /* its conditions found no room */
	CACHE_POD_DUE = 128,      /* assumed, bound before the list was asked for: is due in it */
	CACHE_POD_IMAGINED = 256, /* a what-if asks about it; the apiserver knows no such pod */
	CACHE_POD_REPORTED = 512, /* people were told that there was no memory for it */
	CACHE_POD_OWED = 1024,    /* the event of its last attempt is still to be recorded */
	CACHE_POD_EVICTED = 2048  /* by us; its end is still to be seen */
};

struct cache_pod {
	struct cache_uid uid;
	uint64_t version; /* resource version: the number, or a hash of the text */
	int64_t start_us; /* status.startTime */
	uint32_t name;
	uint32_t class;  /* index in classes; the namespace stands in the class */
	uint32_t labels; /* index in label_sets */
	uint32_t node;   /* 0: pending */
	uint32_t next;   /* on the node */
	uint32_t prev;
	uint32_t for_node;          /* string id of the one node that it is for, 0 = none */
	uint32_t nominated;         /* string id of status.nominatedNodeName, 0 = none */
	uint32_t waiting;           /* the queue's own entry, 0 = none */
	struct list nominated_link; /* in cache.nominated while nominated and pending */
	uint16_t flags;
	uint16_t seen;       /* list round it was last seen in */
	uint32_t conditions; /* index in conditions, 0 = none kept */
	uint32_t claims;     /* struct cache_pod_claims in the store, 0 = none */
};

/* Claims that were made for a pod. */
struct cache_pod_claims {
	struct kube_blob blob;
	struct kube_span made; /* struct kube_label: its name in the pod, and the claim's or 0 */
	uint32_t extended;     /* name of the claim of its extended resources */
	uint32_t reserved;
};

struct cache_object {
	const struct kube_blob *blob; /* NULL for kinds that are identity only */
	uint64_t version;
	uint32_t handle;
	uint32_t kind; /* enum kube_kind */
	uint32_t namespace;
	uint32_t name;
	uint32_t labels; /* Namespace: label set index */
	uint16_t seen;
	uint16_t assumed; /* cache/assumed.h; 0: it is as the apiserver says */
	struct list link; /* in cache.by_kind[kind], in order of arrival */
};

enum {
	CACHE_CHANGE_LOG = 4096, /* node changes remembered for rows that are not up to date */
	CACHE_PODS_AT_WORK = 64, /* pending pods that there is room for when memory is full */
	CACHE_MISSING = 32       /* objects that cannot be read and whose end is noticed at once */
};

/* What names an object that is there, and is not known. */
struct cache_missing {
	uint32_t hash; /* of its namespace and name */
	uint8_t kind;
};

struct cache {
	struct page_budget *budget; /* what all of it grows in; NULL: its sizes are fixed */
	enum kube_release release;  /* as its scheduler counts pods that are being resized */
	struct store store;
	struct intern strings;
	/* That rules read; set before there are any pods and nodes. */
	struct kube_wanted annotations[KUBE_ANNOTATED];
	struct kube_pod_wants pod_wants;
	int64_t now_us; /* wall time as plugins last saw it; they see it refreshed now and then */
	struct cache_names names; /* ids of the strings the scheduler knows by itself */

	struct pool pods;
	struct map pods_by_name; /* hash of (namespace, name) */
	struct list nominated;   /* pending pods with a nominated node, oldest first */
	uint32_t pods_assumed;
	uint32_t pods_pending;
	struct pool conditions; /* struct cache_conditions */
	uint64_t conditions_lost;

	struct pool nodes; /* ghosts (pods without their node) included */
	struct map nodes_by_name;
	struct cache_node_order order;
	uint32_t nodes_without_hostname; /* the label, that is */

	struct pool classes; /* struct cache_shared */
	struct map templates_by_hash;
	struct pool label_sets; /* struct cache_shared */
	struct map label_sets_by_hash;

	struct pool objects;
	struct map objects_by_name; /* hash of (kind, namespace, name) */
	struct list by_kind[KUBE_KINDS];
	/* Kinds, a bit each, of which some object could not be read or kept, and those objects. */
	uint32_t incomplete;
	uint32_t missing_more; /* kinds with more than found room: until the next list */
	uint32_t missing_count;
	struct cache_missing missing[CACHE_MISSING];
	uint64_t kind_generation[KUBE_KINDS]; /* one more with each change of an object of the kind
					       */

	struct cache_devices devices;
	struct pool assumed; /* struct cache_assumed: what became of volumes by our own doing */

	struct cache_unreads unreads;
	struct cache_images images;
	struct cache_topology topology;
	struct cache_counters counters;

	uint16_t list_round[KUBE_KINDS];

	uint64_t serials;
	struct scratch *work; /* for blobs that the cache builds itself */
	struct scratch work_memory;
	struct cache_log log;
	bool is_imagining; /* objects that come and go are no changes */

	uint64_t refused; /* objects that found no room; the picture is incomplete while it grows */

	uint64_t change_count; /* node changes so far; the newest is changes[(count - 1) % LOG] */
	uint32_t changes[CACHE_CHANGE_LOG]; /* stays last: not touched before it is written */
};

size_t cache_size(const struct cache_limits *limits); /* bytes cache_init() takes */
void cache_init(struct cache *cache, struct arena *arena, const struct cache_limits *limits);
void cache_print(const struct cache *cache); /* its part of a panic report */

/* ---- changes that the apiserver tells (the blobs of the decoded object are consumed) ---- */

MUST_USE enum cache_result cache_put_pod(
	struct cache *cache, const struct kube_pod *pod, uint32_t *index);
/* A pod that only exists until it is removed again, within one phase: no change is logged. */
MUST_USE enum cache_result cache_put_imagined_pod(
	struct cache *cache, const struct kube_pod *pod, uint32_t *index);
enum cache_result cache_remove_pod(struct cache *cache, uint32_t pod);
/*
 * A pod without a node is forgotten, though the apiserver still has it. No change is logged, and
 * none may be waiting in the log.
 */
void cache_drop_pod(struct cache *cache, uint32_t pod);
MUST_USE enum cache_result cache_put_node(
	struct cache *cache, const struct kube_node *node, uint32_t *index);
enum cache_result cache_remove_node(struct cache *cache, uint32_t node);
/* *index is 0 of one that no decision can depend on: it is not kept. */
MUST_USE enum cache_result cache_put_object(
	struct cache *cache, const struct kube_object *object, uint32_t *index);
enum cache_result cache_remove_object(struct cache *cache, uint32_t object);

/* ---- our own decisions ---- */

/* Counts as a change of the node for the readers of the change log. */
void cache_touch_node(struct cache *cache, uint32_t node);

/* pending -> assumed on the node: later pods must see the space as taken. */
MUST_USE enum cache_result cache_assume(struct cache *cache, uint32_t pod, uint32_t node);
/* assumed -> pending again. */
MUST_USE enum cache_result cache_forget(struct cache *cache, uint32_t pod);
/*
 * Overrides what the apiserver said last; 0 clears. Stays until the apiserver names a node, the pod
 * is assumed or bound: other news of the pod do not undo it.
 */
void cache_nominate(struct cache *cache, uint32_t pod, uint32_t node_name);

/* ---- in thought: all of it is taken back within one call, in the opposite order ---- */

/* A pod that has a node has none, ... */
void cache_imagine_off(struct cache *cache, uint32_t pod);
/* ... or this one, which is there; false: no memory, and it still has none. */
MUST_USE bool cache_imagine_on(struct cache *cache, uint32_t pod, uint32_t node);
/* ... or its own again. */
void cache_imagine_back(struct cache *cache, uint32_t pod, uint32_t node);
/*
 * Objects that are put while it is true, and removed, are no changes. Claims that name no
 * StorageClass get the default one, as admission gives it to them.
 */
static inline void cache_imagine_objects(struct cache *cache, bool is_imagining)
{
	cache->is_imagining = is_imagining;
}
/* The node takes no pods. */
void cache_imagine_closed(struct cache *cache, uint32_t node, bool is_closed);

/* ---- look-up ---- */

uint32_t cache_find_pod(const struct cache *cache, struct text namespace, struct text name);
uint32_t cache_find_node(const struct cache *cache, struct text name);
uint32_t cache_find_node_id(const struct cache *cache, uint32_t name);
uint32_t cache_find_object(
	const struct cache *cache, enum kube_kind kind, uint32_t namespace, uint32_t name);
/* The decoded facts of an object by kind and names, or NULL. */
const void *cache_object_blob(
	const struct cache *cache, enum kube_kind kind, uint32_t namespace, uint32_t name);

static inline struct cache_pod *cache_pod_at(const struct cache *cache, uint32_t pod)
{
	return pool_at(&cache->pods, pod);
}
/* The index of a record of the table. */
static inline uint32_t cache_pod_index(const struct cache *cache, const struct cache_pod *pod)
{
	size_t at = (size_t)((const uint8_t *)(const void *)pod - cache->pods.slots);
	return (uint32_t)(at / cache->pods.slot_size) + 1;
}
static inline struct cache_node *cache_node_at(const struct cache *cache, uint32_t node)
{
	return pool_at(&cache->nodes, node);
}
static inline const struct kube_pod_template *cache_template_at(
	const struct cache *cache, uint32_t class)
{
	const struct cache_shared *shared = pool_at(&cache->classes, class);
	return (const struct kube_pod_template *)(const void *)shared->blob;
}
static inline const struct kube_pod_template *cache_template_of(
	const struct cache *cache, const struct cache_pod *pod)
{
	return cache_template_at(cache, pod->class);
}
static inline const struct kube_labels *cache_labels_at(const struct cache *cache, uint32_t labels)
{
	if (labels == 0)
		return NULL;
	const struct cache_shared *shared = pool_at(&cache->label_sets, labels);
	return (const struct kube_labels *)(const void *)shared->blob;
}
static inline struct text cache_text(const struct cache *cache, uint32_t string)
{
	return intern_text(&cache->strings, string);
}
/* NULL: none. */
const struct cache_pod_claims *cache_pod_claims_of(
	const struct cache *cache, const struct cache_pod *pod);
/* Labels of a namespace by its id; NULL when unknown or without labels. */
const struct kube_labels *cache_namespace_labels(const struct cache *cache, uint32_t namespace);
/* False: it is no UUID. */
MUST_USE bool cache_parse_uid(struct text t, struct cache_uid *uid);
/* The uid as text, 36 characters or as it came. */
void cache_print_uid(const struct cache *cache, struct cache_uid uid, struct writer *out);

/* ---- relist: what was not seen between begin and end is gone ---- */

/*
 * A list of pods is asked for, be it told or not. What was bound by now it must show; what will be
 * bound before it is told it may not.
 */
void cache_list_asked(struct cache *cache, enum kube_kind kind);
void cache_list_begin(struct cache *cache, enum kube_kind kind);
/* The server may have given versions twice: pods of the same version are read again. */
void cache_distrust_versions(struct cache *cache);
/* Calls gone() for each index that was not put since begin, then removes it. */
void cache_list_end(struct cache *cache, enum kube_kind kind,
	void (*gone)(void *self, enum kube_kind kind, uint32_t index), void *self);

/* Derives every sum, count, list and index again from the pods and CHECKs that they agree. */
void cache_audit(const struct cache *cache);

#endif
