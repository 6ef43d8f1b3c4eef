/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events and the plugins that wait for them.
 */
#include "plugins/hints.h"

enum plugin_hint hint_self(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event));
}

enum plugin_hint hint_never(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)w;
	(void)event;
	(void)action;
	return PLUGIN_HINT_SKIP;
}

/* ---- registrations ---- */

/* The registered mask must cover what came: a plain update only counts for those that take all. */
static bool registration_covers(
	const struct plugin_registration *r, enum kube_kind kind, uint32_t action)
{
	uint32_t actions = r->actions & ~(PLUGIN_OF_ITSELF | PLUGIN_SINCE_1_37);
	return r->kind == kind && (actions & action) != 0 && action <= actions;
}

/* Until v1.36. */
static bool registration_takes_taints_too(
	const struct plugin_registration *r, enum kube_kind kind, uint32_t action)
{
	return kind == KUBE_NODE && action == CACHE_UPDATE_NODE_TAINT && r->kind == KUBE_NODE &&
		(r->actions & CACHE_ADD) != 0 && (r->actions & CACHE_UPDATE_NODE_TAINT) == 0;
}

static bool registration_is_for(const struct plugin_registration *r, const struct plugin_waiting *w,
	const struct cache_event *event)
{
	bool is_older = w->profile->gates.release < KUBE_1_37;
	return is_older ? (r->actions & PLUGIN_SINCE_1_37) == 0
			: (r->actions & PLUGIN_OF_ITSELF) == 0 || hint_is_self(w, event);
}

/* The next single action of the set: upstream fires one event for each; an update is one. */
static uint32_t next_action(uint32_t *actions)
{
	uint32_t action = *actions == CACHE_UPDATE ? CACHE_UPDATE : *actions & -*actions;
	*actions &= ~action;
	return action;
}

/* Does the row stand for this action; by what it says, or because all rows of its kind do? */
static bool is_registered(const struct plugin_registration *r, const struct plugin_waiting *w,
	const struct cache_event *event, uint32_t action, bool *covers)
{
	*covers = registration_covers(r, event->kind, action);
	return *covers ? registration_is_for(r, w, event)
		       : w->profile->gates.release < KUBE_1_37 &&
			registration_takes_taints_too(r, event->kind, action);
}

bool plugin_hint_of(enum plugin_id id, const struct plugin_waiting *w,
	const struct cache_event *event, enum plugin_hint *hint)
{
	CHECK(id < PLUGIN_COUNT);
	bool registered = false, covers;
	*hint = PLUGIN_HINT_SKIP;
	uint32_t left = event->actions;
	while (left != 0) {
		uint32_t action = next_action(&left);
		const struct plugin_registration *r = plugins[id]->events;
		for (; r != NULL && r->kind != KUBE_NO_KIND; r++) {
			if (!is_registered(r, w, event, action, &covers))
				continue;
			registered = true;
			if (!covers || r->hint == NULL ||
				r->hint(w, event, action) == PLUGIN_HINT_QUEUE)
				*hint = PLUGIN_HINT_QUEUE;
		}
	}
	return registered;
}

uint32_t plugin_event_action(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event)
{
	bool covers;
	uint32_t left = event->actions;
	while (left != 0) {
		uint32_t action = next_action(&left);
		const struct plugin_registration *r = plugins[id]->events;
		for (; r != NULL && r->kind != KUBE_NO_KIND; r++)
			if (is_registered(r, w, event, action, &covers))
				return action;
	}
	return 0;
}

bool plugin_event_helps(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event)
{
	enum plugin_hint hint;
	if (!plugin_hint_of(id, w, event, &hint))
		return false;
	return hint == PLUGIN_HINT_QUEUE ||
		(plugins[id]->helps_beyond_hint != NULL &&
			plugins[id]->helps_beyond_hint(w, event));
}

struct plugin_set plugin_waiters(enum kube_kind kind, uint32_t actions)
{
	struct plugin_set waiters = {{0}};
	uint32_t left = actions;
	while (left != 0) {
		uint32_t action = next_action(&left);
		for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
			const struct plugin_registration *r = plugins[id]->events;
			for (; r != NULL && r->kind != KUBE_NO_KIND; r++)
				if (registration_covers(r, kind, action) ||
					registration_takes_taints_too(r, kind, action))
					plugin_set_add(&waiters, id);
		}
	}
	return waiters;
}
