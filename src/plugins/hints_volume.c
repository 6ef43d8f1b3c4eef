/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints of the plugins about volumes.
 */
#include "plugins/csi_translation.h"
#include "plugins/hints_private.h"
#include "plugins/volume_priv.h"
#include "plugins/volume_table.h"

static struct volume_pod waiting_pod(const struct plugin_waiting *w)
{
	return (struct volume_pod){w->pod.class, w->pod.name, w->pod.uid};
}

/* Is the event's claim, by namespace and name, behind one of the pod's volumes? */
static bool names_claim(
	const struct plugin_waiting *w, const struct cache_event *event, bool ephemeral_too)
{
	const struct kube_pod_template *class = w->pod.class;
	if (event->namespace != class->namespace)
		return false;
	struct volume_pod pod = waiting_pod(w);
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

static bool has_volume(
	const struct kube_pod_template *class, bool (*is_one)(const struct kube_volume *))
{
	const struct kube_volume *list = volume_list(class);
	for (uint32_t i = 0; i < class->volumes.count; i++)
		if (is_one(&list[i]))
			return true;
	return false;
}

static bool is_claim(const struct kube_volume *volume)
{
	return volume->kind == KUBE_VOLUME_CLAIM;
}

static bool is_limited(const struct kube_volume *volume)
{
	return volume_has_claim(volume) || csi_source_of_volume(volume->kind) != KUBE_SOURCE_OTHER;
}

static bool is_inline_csi(const struct kube_volume *volume)
{
	return volume->kind == KUBE_VOLUME_CSI;
}

/* ---- VolumeRestrictions ---- */

static bool share_claim(const struct kube_pod_template *a, const struct kube_pod_template *b)
{
	const struct kube_volume *list_a = volume_list(a);
	const struct kube_volume *list_b = volume_list(b);
	for (uint32_t i = 0; i < a->volumes.count; i++)
		for (uint32_t j = 0; j < b->volumes.count; j++)
			if (is_claim(&list_a[i]) && is_claim(&list_b[j]) &&
				list_a[i].name == list_b[j].name)
				return true;
	return false;
}

enum plugin_hint hint_restrictions_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_pod_template *gone = cache_side_template(&event->old);
	if (gone->namespace != w->pod.class->namespace)
		return PLUGIN_HINT_SKIP;
	return hint_if(volume_restrictions_conflict(w->pod.class, gone) ||
		share_claim(w->pod.class, gone));
}

enum plugin_hint hint_restrictions_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(names_claim(w, event, false));
}

/* ---- NodeVolumeLimits ---- */

static int32_t limit_of(const struct kube_csi_node *node, uint32_t driver)
{
	const struct kube_csi_node_driver *list =
		KUBE_AT(node, node->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < node->drivers.count; i++)
		if (list[i].name == driver && list[i].limit > 0)
			return list[i].limit;
	return 0;
}

enum plugin_hint hint_limits_csi_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	const struct kube_csi_node *old =
		(const struct kube_csi_node *)(const void *)event->old.blob;
	const struct kube_csi_node *now =
		(const struct kube_csi_node *)(const void *)event->now.blob;
	const struct kube_csi_node_driver *list =
		KUBE_AT(now, now->drivers, struct kube_csi_node_driver);
	for (uint32_t i = 0; i < now->drivers.count; i++)
		if (limit_of(now, list[i].name) > limit_of(old, list[i].name))
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

enum plugin_hint hint_limits_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	return hint_if(hint_is_placed(&event->old) &&
		has_volume(cache_side_template(&event->old), is_limited));
}

enum plugin_hint hint_limits_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(names_claim(w, event, true));
}

/* The detached volume's driver is the one that took over one of the pod's in-line volumes. */
static bool has_inline_of(const struct plugin_waiting *w, uint32_t driver)
{
	struct csi_names names;
	csi_names_find(w->cache, &names);
	const struct kube_volume *list = volume_list(w->pod.class);
	for (uint32_t i = 0; i < w->pod.class->volumes.count; i++) {
		enum kube_volume_source source = csi_source_of_volume(list[i].kind);
		if (source != KUBE_SOURCE_OTHER && names.driver[source] == driver)
			return true;
	}
	return false;
}

enum plugin_hint hint_limits_attachment(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_volume_attachment *gone =
		(const struct kube_volume_attachment *)(const void *)event->old.blob;
	return hint_if(has_volume(w->pod.class, is_claim) || has_inline_of(w, gone->attacher));
}

/* ---- VolumeBinding ---- */

static bool same_expression(const struct kube_storage_class *a,
	const struct kube_topology_expression *x, const struct kube_storage_class *b,
	const struct kube_topology_expression *y)
{
	return x->key == y->key && x->values.count == y->values.count &&
		memcmp(KUBE_AT(a, x->values, uint32_t), KUBE_AT(b, y->values, uint32_t),
			x->values.count * sizeof(uint32_t)) == 0;
}

static bool same_topologies(const struct kube_storage_class *a, const struct kube_storage_class *b)
{
	if (a->allowed_topologies.count != b->allowed_topologies.count)
		return false;
	const struct kube_topology_term *x =
		KUBE_AT(a, a->allowed_topologies, struct kube_topology_term);
	const struct kube_topology_term *y =
		KUBE_AT(b, b->allowed_topologies, struct kube_topology_term);
	for (uint32_t t = 0; t < a->allowed_topologies.count; t++) {
		if (x[t].expressions.count != y[t].expressions.count)
			return false;
		const struct kube_topology_expression *p =
			KUBE_AT(a, x[t].expressions, struct kube_topology_expression);
		const struct kube_topology_expression *q =
			KUBE_AT(b, y[t].expressions, struct kube_topology_expression);
		for (uint32_t i = 0; i < x[t].expressions.count; i++)
			if (!same_expression(a, &p[i], b, &q[i]))
				return false;
	}
	return true;
}

enum plugin_hint hint_binding_class(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	return hint_if(
		!same_topologies((const struct kube_storage_class *)(const void *)event->old.blob,
			(const struct kube_storage_class *)(const void *)event->now.blob));
}

enum plugin_hint hint_binding_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(names_claim(w, event, true));
}

enum plugin_hint hint_binding_csi_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	const struct kube_csi_node *old =
		(const struct kube_csi_node *)(const void *)event->old.blob;
	const struct kube_csi_node *now =
		(const struct kube_csi_node *)(const void *)event->now.blob;
	return hint_if(old->migrated.count != now->migrated.count ||
		memcmp(KUBE_AT(old, old->migrated, uint32_t), KUBE_AT(now, now->migrated, uint32_t),
			now->migrated.count * sizeof(uint32_t)) != 0);
}

/* Only a driver that no longer watches its capacity can help, and only who uses it in-line. */
enum plugin_hint hint_binding_csi_driver(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	const struct kube_csi_driver *old =
		(const struct kube_csi_driver *)(const void *)event->old.blob;
	const struct kube_csi_driver *now =
		(const struct kube_csi_driver *)(const void *)event->now.blob;
	if (old->storage_capacity == 0 || now->storage_capacity != 0)
		return PLUGIN_HINT_SKIP;
	const struct kube_volume *list = volume_list(w->pod.class);
	for (uint32_t i = 0; i < w->pod.class->volumes.count; i++)
		if (is_inline_csi(&list[i]) && list[i].id == event->name)
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

/* The largest volume that fits: what the driver says of one, or what there is in all. */
static bool capacity_limit(const struct kube_csi_capacity *capacity, int64_t *limit)
{
	*limit = capacity->has_maximum != 0 ? capacity->maximum_bytes : capacity->capacity_bytes;
	return capacity->has_maximum != 0 || capacity->has_capacity != 0;
}

enum plugin_hint hint_binding_capacity(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	int64_t old;
	int64_t now;
	bool had = capacity_limit(
		(const struct kube_csi_capacity *)(const void *)event->old.blob, &old);
	bool has = capacity_limit(
		(const struct kube_csi_capacity *)(const void *)event->now.blob, &now);
	return hint_if(has && (!had || now > old));
}

/* ---- VolumeZone ---- */

enum plugin_hint hint_zone_class(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)action;
	const struct kube_storage_class *now =
		(const struct kube_storage_class *)(const void *)event->now.blob;
	return hint_if(now->binding_mode == KUBE_BINDING_WAIT);
}

enum plugin_hint hint_zone_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(names_claim(w, event, false));
}

enum plugin_hint hint_zone_volume(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	const struct kube_pv *old = (const struct kube_pv *)(const void *)event->old.blob;
	const struct kube_pv *now = (const struct kube_pv *)(const void *)event->now.blob;
	return hint_if(old->has_label_zone != now->has_label_zone ||
		memcmp(old->labels_zone, now->labels_zone, sizeof(now->labels_zone)) != 0);
}
