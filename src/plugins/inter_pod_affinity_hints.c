/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * InterPodAffinity: what its pods wait for.
 */
#include "plugins/hints.h"
#include "plugins/inter_pod_affinity_state.h"

/* Hints see terms without the labels of namespaces. */

/* Without terms no pod is taken. */
static bool affinity_all_terms_take(const struct kube_pod_template *owner, struct kube_span terms,
	uint32_t namespace, const struct kube_labels *labels)
{
	const struct kube_pod_term *list = KUBE_AT(owner, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++)
		if (!affinity_term_takes(owner, &list[i], namespace, NULL, labels))
			return false;
	return terms.count > 0;
}

static bool affinity_any_term_takes(const struct kube_pod_template *owner, struct kube_span terms,
	uint32_t namespace, const struct kube_labels *labels)
{
	const struct kube_pod_term *list = KUBE_AT(owner, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++)
		if (affinity_term_takes(owner, &list[i], namespace, NULL, labels))
			return true;
	return false;
}

/* Does anti-affinity keep such a pod away? Until v1.36 the hint asks all terms to say so. */
static bool affinity_repels(const struct plugin_waiting *w, const struct kube_pod_template *owner,
	uint32_t namespace, const struct kube_labels *labels)
{
	return w->profile->gates.release < KUBE_1_37
		? affinity_all_terms_take(owner, owner->anti_affinity, namespace, labels)
		: affinity_any_term_takes(owner, owner->anti_affinity, namespace, labels);
}

static bool affinity_takes_side(const struct plugin_waiting *w, const struct cache_side *side)
{
	return affinity_all_terms_take(w->pod.class, w->pod.class->affinity,
		cache_side_template(side)->namespace, side->labels);
}

static bool affinity_repels_side(const struct plugin_waiting *w, const struct cache_side *side)
{
	return affinity_repels(w, w->pod.class, cache_side_template(side)->namespace, side->labels);
}

static enum plugin_hint affinity_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_pod_template *class = w->pod.class;
	if (class->affinity_error != 0)
		return PLUGIN_HINT_QUEUE;
	bool update = event->old.there && event->now.there;
	if (update && hint_is_self(w, event))
		return PLUGIN_HINT_QUEUE;
	if (!hint_is_placed(hint_side(event)))
		return PLUGIN_HINT_SKIP;
	if (action == CACHE_ADD)
		return hint_if(affinity_takes_side(w, &event->now));
	if (action == CACHE_DELETE) {
		const struct kube_pod_template *gone = cache_side_template(&event->old);
		return hint_if(affinity_repels_side(w, &event->old) ||
			affinity_repels(w, gone, class->namespace, w->pod.labels));
	}
	bool came = !affinity_takes_side(w, &event->old) && affinity_takes_side(w, &event->now);
	bool left = affinity_repels_side(w, &event->old) && !affinity_repels_side(w, &event->now);
	return hint_if(came || left);
}

/* The node is elsewhere now, by what the term is about. */
static bool affinity_has_left(const struct cache_event *event, uint32_t topology_key)
{
	uint32_t old = 0;
	uint32_t now = 0;

	return hint_label(&event->old, topology_key, &old) &&
		!(hint_label(&event->now, topology_key, &now) && old == now);
}

struct kept_away {
	const struct cache_event *event;
	bool ends; /* perhaps */
};

static void affinity_note_end(
	void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	struct kept_away *kept = self;

	(void)tally;
	kept->ends |=
		!kept->event->old.there || affinity_has_left(kept->event, query->topology_key);
}

/* Pods that are somewhere keep the waiting pod away from there, and perhaps not from a new node, or
 * one that is elsewhere now. */
static bool affinity_may_come_closer(
	const struct plugin_waiting *w, const struct cache_event *event)
{
	struct kept_away kept = {event, false};

	cache_each_owned(w->cache, CACHE_OWN_ANTI, w->pod.class->namespace, w->pod.namespace_labels,
		w->pod.labels, affinity_note_end, &kept);
	return kept.ends;
}

/* A node that moves takes along the pods on it that keep the waiting pod away from where it was. */
static bool affinity_takes_along(const struct plugin_waiting *w, const struct cache_event *event)
{
	const struct kube_pod_template *class = w->pod.class;
	uint32_t node = cache_find_node_id(w->cache, event->name); /* it may be gone by now */
	uint32_t next = node == 0 ? 0 : cache_node_at(w->cache, node)->first_pod;

	while (next != 0) {
		const struct cache_pod *p = cache_pod_at(w->cache, next);
		const struct kube_pod_template *other = cache_template_of(w->cache, p);
		const struct kube_pod_term *list =
			KUBE_AT(other, other->anti_affinity, struct kube_pod_term);

		for (uint32_t i = 0; i < other->anti_affinity.count; i++)
			if (affinity_has_left(event, list[i].topology_key) &&
				affinity_term_takes(
					other, &list[i], class->namespace, NULL, w->pod.labels))
				return true;
		next = p->next;
	}
	return false;
}

static enum plugin_hint affinity_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_pod_template *class = w->pod.class;
	if (class->affinity_error != 0)
		return PLUGIN_HINT_QUEUE;
	const struct kube_pod_term *list = KUBE_AT(class, class->affinity, struct kube_pod_term);
	uint32_t old = 0;
	uint32_t now = 0;
	for (uint32_t i = 0; i < class->affinity.count; i++) {
		bool had = hint_label(&event->old, list[i].topology_key, &old);
		bool has = hint_label(&event->now, list[i].topology_key, &now);
		if (has && (!had || old != now))
			return PLUGIN_HINT_QUEUE;
	}
	list = KUBE_AT(class, class->anti_affinity, struct kube_pod_term);
	for (uint32_t i = 0; i < class->anti_affinity.count; i++)
		if (action == CACHE_ADD || affinity_has_left(event, list[i].topology_key))
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

/* Upstream looks at the terms of the waiting pod, not at those of others that keep it away. */
bool inter_pod_affinity_helps_beyond_hint(
	const struct plugin_waiting *w, const struct cache_event *event)
{
	return event->kind == KUBE_NODE &&
		(affinity_may_come_closer(w, event) ||
			(event->old.there && affinity_takes_along(w, event)));
}

const struct plugin_registration inter_pod_affinity_events[] = {
	{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL, affinity_hint_pod},
	{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, affinity_hint_node},
	{KUBE_NO_KIND, 0, NULL}};
