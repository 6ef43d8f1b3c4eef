/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints: what a pod that a plugin rejected waits for. A plugin registers the kinds of events that
 * may make it change its mind; for each such event its hint says whether this event could have
 * helped this pod. Here are the questions to the registrations, and what hints of several plugins
 * compare.
 */
#ifndef BERTH_PLUGINS_HINTS_H
#define BERTH_PLUGINS_HINTS_H

#include "plugins/plugins.h"

/* True when the plugin is registered for the event; *hint is what it says then. */
bool plugin_hint_of(enum plugin_id id, const struct plugin_waiting *w,
	const struct cache_event *event, enum plugin_hint *hint);
/* Would the event make the plugin look again: by its hint, or beyond it? */
bool plugin_event_helps(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event);
/* The first action of the event that the plugin is registered for; 0: none. */
uint32_t plugin_event_action(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event);
/* The plugins that may be registered for such an event at all. Costs no look at a pod. */
struct plugin_set plugin_waiters(enum kube_kind kind, uint32_t actions);

/* ---- for the hints of plugins ---- */

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
static inline bool hint_label(const struct cache_side *side, uint32_t key, uint32_t *value)
{
	return side->there && kube_labels_get(side->labels, key, value);
}

/* The waiting pod itself has changed. */
plugin_hint_fn hint_self;
/* The event is only registered so that it counts as one that was waited for. */
plugin_hint_fn hint_never;

#endif
