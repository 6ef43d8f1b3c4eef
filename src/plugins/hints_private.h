/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints, private: what hints.c puts into its table.
 */
#ifndef BERTH_PLUGINS_HINTS_PRIVATE_H
#define BERTH_PLUGINS_HINTS_PRIVATE_H

#include "plugins/hints.h"

/* Is the event about the waiting pod itself? */
static inline bool hint_is_self(const struct plugin_waiting *w, const struct cache_event *event)
{
	return event->kind == KUBE_POD && event->index == w->pod.index && w->pod.index != 0;
}
/* The side that is there; of an update the new one. */
static inline const struct cache_side *hint_side(const struct cache_event *event)
{
	return event->now.there ? &event->now : &event->old;
}
static inline bool hint_is_placed(const struct cache_side *side)
{
	return side->node != 0 || side->nominated != 0;
}
static inline enum plugin_hint hint_if(bool fact)
{
	return fact ? PLUGIN_HINT_QUEUE : PLUGIN_HINT_SKIP;
}

plugin_hint_fn hint_self, hint_never, hint_label_node, hint_condition_node, hint_service_pod;
plugin_hint_fn hint_unschedulable_node, hint_unschedulable_pod, hint_taint_node;
plugin_hint_fn hint_affinity_node, hint_ports_pod, hint_fit_pod, hint_fit_node, hint_fit_class;
plugin_hint_fn hint_features_node, hint_features_pod;
plugin_hint_fn hint_inter_pod, hint_inter_pod_node, hint_spread_pod, hint_spread_node;
plugin_hint_fn hint_restrictions_pod, hint_restrictions_claim, hint_limits_csi_node,
	hint_limits_pod, hint_limits_claim, hint_limits_attachment;
plugin_hint_fn hint_binding_class, hint_binding_claim, hint_binding_csi_node,
	hint_binding_csi_driver, hint_binding_capacity;
plugin_hint_fn hint_zone_class, hint_zone_claim, hint_zone_volume;

#endif
