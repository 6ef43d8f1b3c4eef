/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the volume plugins: how a pod's volume leads to a claim, a class, a volume.
 */
#ifndef BERTH_PLUGINS_VOLUME_PRIV_H
#define BERTH_PLUGINS_VOLUME_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "kube/object.h"
#include "kube/volume.h"
#include "plugins/plugins.h"

/* PLUGIN_ERROR, with these words in d->error. */
enum plugin_code volume_failed(struct cycle_state *d, const char *format, ...) PRINTF_LIKE(2, 3);
/* PLUGIN_ERROR because scratch is exhausted. */
enum plugin_code volume_no_room(struct cycle_state *d);

/* Whose volumes are looked at: the pod being decided, or one on a node. */
struct volume_pod {
	const struct kube_pod_template *class;
	struct text name;
	struct cache_uid uid;
};
struct volume_pod volume_pod_decided(const struct cycle_state *d);
struct volume_pod volume_pod_at(const struct cache *cache, uint32_t pod);

static inline const struct kube_volume *volume_list(const struct kube_pod_template *class)
{
	return KUBE_AT(class, class->volumes, struct kube_volume);
}
static inline bool volume_has_claim(const struct kube_volume *volume)
{
	return volume->kind == KUBE_VOLUME_CLAIM || volume->kind == KUBE_VOLUME_EPHEMERAL;
}

/* The name of the claim behind a volume: as the pod says it, or "<pod>-<volume>". */
enum { VOLUME_CLAIM_NAME_MAX = 512 /* more than the API lets a name have */ };
struct volume_claim_name {
	char bytes[VOLUME_CLAIM_NAME_MAX];
};
struct text volume_claim_name(const struct cache *cache, const struct volume_pod *pod,
	const struct kube_volume *volume, struct volume_claim_name *room);

/* Object indexes, 0 when there is no such object. */
uint32_t volume_find_claim(
	const struct cache *cache, const struct volume_pod *pod, const struct kube_volume *volume);
enum plugin_code volume_misses_claim(
	const struct cache *cache, struct text name, struct plugin_reasons *why);
uint32_t volume_find_pv(const struct cache *cache, uint32_t name);

static inline const struct cache_object *volume_object(const struct cache *cache, uint32_t object)
{
	return pool_at(&cache->objects, object);
}
static inline const void *volume_blob(const struct cache *cache, uint32_t object)
{
	return volume_object(cache, object)->blob;
}
/* All objects of a kind, in order of arrival: starts with 0 (none yet), ends with 0. */
uint32_t volume_next(const struct cache *cache, enum kube_kind kind, uint32_t object);
/* NULL when there is none. */
const struct kube_csi_node *volume_csi_node(
	const struct cache *cache, const struct cache_node *node);
const struct kube_storage_class *volume_class(const struct cache *cache, uint32_t name);

/* Is the claim there for this pod's ephemeral volume, and not for one that had the name before? */
bool volume_is_for_pod(
	const struct cache *cache, const struct kube_pvc *claim, const struct volume_pod *pod);
/* "PVC ns/claim was not created for pod ns/pod (pod is not owner)" */
#define VOLUME_NOT_OWNED "PVC %.*s/%.*s was not created for pod %.*s/%.*s (pod is not owner)"
#define VOLUME_NOT_OWNED_ARGS(cache, pod, claim)                                   \
	TEXT_ARGS(cache_text((cache), (pod)->class->namespace)), TEXT_ARGS(claim), \
		TEXT_ARGS(cache_text((cache), (pod)->class->namespace)), TEXT_ARGS((pod)->name)

/* Is the node, by its labels, one of those that the volume's node affinity names? */
bool volume_reaches(
	const struct cache *cache, const struct kube_pv *pv, const struct kube_labels *node_labels);

/* Takes the part before "__" off the front; false when *rest was exhausted. Trimmed. */
bool volume_cut_zone(struct text *rest, struct text *zone);

static inline bool volume_id_in(const void *blob, struct kube_span ids, uint32_t id)
{
	const uint32_t *list = KUBE_AT(blob, ids, uint32_t);
	for (uint32_t i = 0; i < ids.count; i++) {
		if (list[i] == id)
			return true;
	}
	return false;
}

/* ---- for hints ---- */

/* Is the event's claim, by namespace and name, behind one of the waiting pod's volumes? */
bool hint_names_claim(
	const struct plugin_waiting *w, const struct cache_event *event, bool ephemeral_too);
bool hint_has_volume(
	const struct kube_pod_template *class, bool (*is_one)(const struct kube_volume *));
bool volume_is_claim(const struct kube_volume *volume);
extern const struct plugin_registration volume_binding_events[]; /* volume_binding_hints.c */

/* What the plugins about volumes need to know; of pods that have a node as well. */
uint32_t volume_kinds(const struct plugin_demand *pod);

#endif
