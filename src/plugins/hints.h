/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints: what a pod that a plugin rejected waits for. A plugin registers the kinds of events that
 * may make it change its mind; for each such event its hint says whether this event could have
 * helped this pod.
 */
#ifndef BERTH_PLUGINS_HINTS_H
#define BERTH_PLUGINS_HINTS_H

#include "cache/cache.h"
#include "plugins/plugins.h"

enum plugin_hint { PLUGIN_HINT_SKIP, PLUGIN_HINT_QUEUE };

/* A pod that waits, in its newest version; `scratch` is for the hint's own use. */
struct plugin_waiting {
	struct cache *cache;
	const struct plugin_profile *profile;
	struct scratch *scratch;
	struct plugin_pod pod;
};

/* An event with one of its actions (core.md 15.2 fires them one by one). */
typedef enum plugin_hint plugin_hint_fn(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action);

struct plugin_registration {
	enum kube_kind kind;  /* KUBE_NO_KIND ends a list */
	uint32_t actions;     /* enum cache_action bits */
	plugin_hint_fn *hint; /* NULL: always queue */
};

/* True when the plugin is registered for the event; *hint is what it says then. */
bool plugin_hint_of(enum plugin_id id, const struct plugin_waiting *w,
	const struct cache_event *event, enum plugin_hint *hint);

/*
 * Does the event help all the same? When nodes come and move, upstream looks at the affinity terms
 * of the waiting pod, not at those of others that keep it away; and at the keys it is spread by,
 * not at whether it may be on that node at all. It flushes the pod minutes later.
 */
bool plugin_forgotten(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event);

/* The plugins that are registered for such an event at all, as bits. Costs no look at a pod. */
uint32_t plugin_waiters(enum kube_kind kind, uint32_t actions);

#endif
