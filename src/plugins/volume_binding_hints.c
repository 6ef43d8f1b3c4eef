/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeBinding: what its pods wait for.
 */
#include "plugins/hints.h"
#include "plugins/volume_priv.h"

static bool binding_same_expression(const struct kube_storage_class *a,
	const struct kube_topology_expression *x, const struct kube_storage_class *b,
	const struct kube_topology_expression *y)
{
	return x->key == y->key && x->values.count == y->values.count &&
		memcmp(KUBE_AT(a, x->values, uint32_t), KUBE_AT(b, y->values, uint32_t),
			x->values.count * sizeof(uint32_t)) == 0;
}

static bool binding_same_topologies(
	const struct kube_storage_class *a, const struct kube_storage_class *b)
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
			if (!binding_same_expression(a, &p[i], b, &q[i]))
				return false;
	}
	return true;
}

static enum plugin_hint binding_hint_class(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	return hint_if(!binding_same_topologies(
		(const struct kube_storage_class *)(const void *)event->old.blob,
		(const struct kube_storage_class *)(const void *)event->now.blob));
}

static enum plugin_hint binding_hint_claim(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_names_claim(w, event, true));
}

static enum plugin_hint binding_hint_csi_node(
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
static enum plugin_hint binding_hint_csi_driver(
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
		if (list[i].kind == KUBE_VOLUME_CSI && list[i].id == event->name)
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

/* The largest volume that fits: what the driver says of one, or what there is in all. */
static bool binding_capacity_limit(const struct kube_csi_capacity *capacity, int64_t *limit)
{
	*limit = capacity->has_maximum != 0 ? capacity->maximum_bytes : capacity->capacity_bytes;
	return capacity->has_maximum != 0 || capacity->has_capacity != 0;
}

static enum plugin_hint binding_hint_capacity(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	if (action == CACHE_ADD)
		return PLUGIN_HINT_QUEUE;
	int64_t old;
	int64_t now;
	bool had = binding_capacity_limit(
		(const struct kube_csi_capacity *)(const void *)event->old.blob, &old);
	bool has = binding_capacity_limit(
		(const struct kube_csi_capacity *)(const void *)event->now.blob, &now);
	return hint_if(has && (!had || now > old));
}

const struct plugin_registration volume_binding_events[] = {
	{KUBE_STORAGE_CLASS, CACHE_ADD | CACHE_UPDATE, binding_hint_class},
	{KUBE_PVC, CACHE_ADD | CACHE_UPDATE, binding_hint_claim},
	{KUBE_PV, CACHE_ADD | CACHE_UPDATE, NULL},
	{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, NULL},
	{KUBE_CSI_NODE, CACHE_ADD | CACHE_UPDATE, binding_hint_csi_node},
	{KUBE_CSI_DRIVER, CACHE_UPDATE, binding_hint_csi_driver},
	{KUBE_CSI_CAPACITY, CACHE_ADD | CACHE_UPDATE, binding_hint_capacity},
	{KUBE_NO_KIND, 0, NULL}};
