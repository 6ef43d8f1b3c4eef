/* SPDX-License-Identifier: GPL-2.0-only */
/* From a pod's volume to its claim, class and volume: what the volume plugins have in common. */
#include "plugins/csi_translation.h"
#include "plugins/volume_priv.h"

#include <stdarg.h>

static const char volume_room_error[] = "not enough memory to decide about the pod's volumes";

enum plugin_code volume_no_room(struct cycle_state *d)
{
	d->error = volume_room_error;
	return PLUGIN_ERROR;
}

enum plugin_code volume_failed(struct cycle_state *d, const char *format, ...)
{
	size_t size;
	char *rest = scratch_take_rest(d->scratch, &size);
	if (rest == NULL)
		return volume_no_room(d);
	struct writer w;
	writer_init(&w, rest, size);
	va_list args;
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	write_char(&w, '\0');
	scratch_keep(d->scratch, rest, w.overflowed ? 0 : w.used);
	if (w.overflowed)
		return volume_no_room(d);
	d->error = rest;
	return PLUGIN_ERROR;
}

struct volume_pod volume_pod_decided(const struct cycle_state *d)
{
	return (struct volume_pod){d->pod.class, d->pod.name, d->pod.uid};
}

struct volume_pod volume_pod_at(const struct cache *cache, uint32_t pod)
{
	const struct cache_pod *at = cache_pod_at(cache, pod);
	return (struct volume_pod){
		cache_template_of(cache, at), cache_text(cache, at->name), at->uid};
}

struct text volume_claim_name(const struct cache *cache, const struct volume_pod *pod,
	const struct kube_volume *volume, struct volume_claim_name *room)
{
	CHECK(volume_has_claim(volume));
	struct text name = cache_text(cache, volume->name);
	if (volume->kind == KUBE_VOLUME_CLAIM)
		return name;
	struct writer w;
	writer_init(&w, room->bytes, sizeof(room->bytes));
	write_text(&w, pod->name);
	write_char(&w, '-');
	write_text(&w, name);
	/* No claim can have a name that long. */
	return w.overflowed ? TEXT("") : writer_text(&w);
}

uint32_t volume_find_claim(
	const struct cache *cache, const struct volume_pod *pod, const struct kube_volume *volume)
{
	uint32_t id = volume->name;
	if (volume->kind == KUBE_VOLUME_EPHEMERAL) {
		struct volume_claim_name room;
		struct text name = volume_claim_name(cache, pod, volume, &room);
		if (!intern_find(&cache->strings, name, &id))
			return 0;
	}
	if (id == INTERN_EMPTY)
		return 0;
	return cache_find_object(cache, KUBE_PVC, pod->class->namespace, id);
}

enum plugin_code volume_misses_claim(
	const struct cache *cache, struct text name, struct plugin_reasons *why)
{
	return plugin_misses(cache, KUBE_PVC, "persistentvolumeclaim", name, why);
}

uint32_t volume_find_pv(const struct cache *cache, uint32_t name)
{
	if (name == INTERN_EMPTY)
		return 0;
	return cache_find_object(cache, KUBE_PV, 0, name);
}

uint32_t volume_next(const struct cache *cache, enum kube_kind kind, uint32_t object)
{
	const struct pool *objects = &cache->objects;
	const struct list *all = &cache->by_kind[kind];
	const struct list *next = object == 0 ? all->next : volume_object(cache, object)->link.next;
	if (next == all)
		return 0;
	const uint8_t *slot =
		(const uint8_t *)(const void *)next - offsetof(struct cache_object, link);
	uint32_t index = (uint32_t)((size_t)(slot - objects->slots) / objects->slot_size) + 1;
	CHECK(pool_at(objects, index) == (const void *)slot);
	return index;
}

const struct kube_csi_node *volume_csi_node(
	const struct cache *cache, const struct cache_node *node)
{
	return cache_object_blob(cache, KUBE_CSI_NODE, 0, node->name);
}

const struct kube_storage_class *volume_class(const struct cache *cache, uint32_t name)
{
	if (name == INTERN_EMPTY)
		return NULL;
	return cache_object_blob(cache, KUBE_STORAGE_CLASS, 0, name);
}

bool volume_is_for_pod(
	const struct cache *cache, const struct kube_pvc *claim, const struct volume_pod *pod)
{
	if (claim->owner_uid == 0)
		return false;
	if (pod->uid.high == CACHE_UID_TEXT)
		return pod->uid.low == claim->owner_uid;
	char bytes[64];
	struct writer w;
	writer_init(&w, bytes, sizeof(bytes));
	cache_print_uid(cache, pod->uid, &w);
	return !w.overflowed && text_is(writer_text(&w), cache_text(cache, claim->owner_uid));
}

bool volume_reaches(
	const struct cache *cache, const struct kube_pv *pv, const struct kube_labels *node_labels)
{
	if (!pv->has_node_affinity)
		return true;
	/* Upstream looks at the node's labels alone: matchFields see a node without a name. */
	struct kube_node_match match = {
		&cache->strings, node_labels, 0, cache->names.metadata_name};
	const struct kube_node_term *terms = KUBE_AT(pv, pv->node_terms, struct kube_node_term);
	for (uint32_t i = 0; i < pv->node_terms.count; i++) {
		if (kube_node_term_matches(pv, &terms[i], &match))
			return true;
	}
	return false;
}

bool volume_cut_zone(struct text *rest, struct text *zone)
{
	if (rest->at == NULL)
		return false;
	size_t end = 0;
	while (end + 1 < rest->size && !(rest->at[end] == '_' && rest->at[end + 1] == '_'))
		end++;
	if (end + 1 >= rest->size) {
		*zone = text_trim(*rest);
		*rest = TEXT_NONE;
		return true;
	}
	*zone = text_trim(text_first(*rest, end));
	*rest = text_from(*rest, end + 2);
	return true;
}

/* ---- for hints ---- */

bool hint_names_claim(
	const struct plugin_waiting *w, const struct cache_event *event, bool ephemeral_too)
{
	const struct kube_pod_template *class = w->pod.class;
	if (event->namespace != class->namespace)
		return false;
	struct volume_pod pod = {class, w->pod.name, w->pod.uid};
	struct text claim = cache_text(w->cache, event->name);
	const struct kube_volume *list = volume_list(class);
	for (uint32_t i = 0; i < class->volumes.count; i++) {
		if (!volume_has_claim(&list[i]) ||
			(list[i].kind == KUBE_VOLUME_EPHEMERAL && !ephemeral_too))
			continue;
		struct volume_claim_name room;
		if (text_is(volume_claim_name(w->cache, &pod, &list[i], &room), claim))
			return true;
	}
	return false;
}

bool hint_has_volume(
	const struct kube_pod_template *class, bool (*is_one)(const struct kube_volume *))
{
	const struct kube_volume *list = volume_list(class);
	for (uint32_t i = 0; i < class->volumes.count; i++)
		if (is_one(&list[i]))
			return true;
	return false;
}

bool volume_is_claim(const struct kube_volume *volume)
{
	return volume->kind == KUBE_VOLUME_CLAIM;
}

/* ---- kinds ---- */

uint32_t volume_kinds(const struct plugin_demand *pod)
{
	const struct kube_volume *list = volume_list(pod->class);
	uint32_t kinds = 0;
	for (uint32_t i = 0; i < pod->class->volumes.count; i++) {
		if (volume_has_claim(&list[i]) || list[i].kind == KUBE_VOLUME_CSI)
			return PLUGIN_KIND(KUBE_PVC) | PLUGIN_KIND(KUBE_PV) |
				PLUGIN_KIND(KUBE_STORAGE_CLASS) | PLUGIN_KIND(KUBE_CSI_NODE) |
				PLUGIN_KIND(KUBE_CSI_DRIVER) | PLUGIN_KIND(KUBE_CSI_CAPACITY) |
				PLUGIN_KIND(KUBE_VOLUME_ATTACHMENT);
		/* A disk in the pod's own words counts as one of the driver that took it over. */
		if (csi_is_switched(csi_source_of_volume(list[i].kind)))
			kinds = PLUGIN_KIND(KUBE_PV) | PLUGIN_KIND(KUBE_CSI_NODE) |
				PLUGIN_KIND(KUBE_CSI_DRIVER) | PLUGIN_KIND(KUBE_VOLUME_ATTACHMENT);
	}
	return kinds;
}
