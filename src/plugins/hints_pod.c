/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints of the plugins whose rules are about other pods.
 */
#include "plugins/hints_private.h"
#include "plugins/spread_state.h"

/* ---- InterPodAffinity ---- */

/* Hints see terms without the labels of namespaces. */
static bool term_takes(const struct kube_pod_template *owner, const struct kube_pod_term *term,
	uint32_t namespace, const struct kube_labels *labels)
{
	const uint32_t *ids = KUBE_AT(owner, term->namespaces, uint32_t);
	bool here = kube_selector_matches(owner, &term->namespace_selector, NULL);
	for (uint32_t i = 0; i < term->namespaces.count && !here; i++)
		here = ids[i] == namespace;
	return here && kube_selector_matches(owner, &term->selector, labels);
}

/* No terms take nobody. */
static bool all_terms_take(const struct kube_pod_template *owner, struct kube_span terms,
	uint32_t namespace, const struct kube_labels *labels)
{
	const struct kube_pod_term *list = KUBE_AT(owner, terms, struct kube_pod_term);
	for (uint32_t i = 0; i < terms.count; i++)
		if (!term_takes(owner, &list[i], namespace, labels))
			return false;
	return terms.count > 0;
}

static bool takes_side(
	const struct plugin_waiting *w, struct kube_span terms, const struct cache_side *side)
{
	return all_terms_take(
		w->pod.class, terms, cache_side_template(side)->namespace, side->labels);
}

enum plugin_hint hint_inter_pod(
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
		return hint_if(takes_side(w, class->affinity, &event->now));
	if (action == CACHE_DELETE) {
		const struct kube_pod_template *gone = cache_side_template(&event->old);
		return hint_if(takes_side(w, class->anti_affinity, &event->old) ||
			all_terms_take(gone, gone->anti_affinity, class->namespace, w->pod.labels));
	}
	bool came = !takes_side(w, class->affinity, &event->old) &&
		takes_side(w, class->affinity, &event->now);
	bool left = takes_side(w, class->anti_affinity, &event->old) &&
		!takes_side(w, class->anti_affinity, &event->now);
	return hint_if(came || left);
}

static bool value_of(const struct cache_side *side, uint32_t key, uint32_t *value)
{
	return side->there && kube_labels_get(side->labels, key, value);
}

/* The node is elsewhere now, by what the term is about. */
static bool has_left(const struct cache_event *event, uint32_t topology_key)
{
	uint32_t old = 0;
	uint32_t now = 0;

	return value_of(&event->old, topology_key, &old) &&
		!(value_of(&event->now, topology_key, &now) && old == now);
}

struct kept_away {
	const struct cache_event *event;
	bool ends; /* perhaps */
};

static void note_end(void *self, const struct cache_query *query, const struct cache_tally *tally)
{
	struct kept_away *kept = self;

	(void)tally;
	kept->ends |= !kept->event->old.there || has_left(kept->event, query->topology_key);
}

/* Pods that are somewhere keep the waiting pod away from there, and perhaps not from a new node, or
 * one that is elsewhere now. */
static bool may_come_closer(const struct plugin_waiting *w, const struct cache_event *event)
{
	struct kept_away kept = {event, false};

	cache_each_owned(w->cache, CACHE_OWN_ANTI, w->pod.class->namespace, w->pod.namespace_labels,
		w->pod.labels, note_end, &kept);
	return kept.ends;
}

/* A node that moves takes along the pods on it that keep the waiting pod away from where it was. */
static bool takes_along(const struct plugin_waiting *w, const struct cache_event *event)
{
	const struct kube_pod_template *class = w->pod.class;
	uint32_t next = cache_node_at(w->cache, event->index)->first_pod;

	while (next != 0) {
		const struct cache_pod *p = cache_pod_at(w->cache, next);
		const struct kube_pod_template *other = cache_template_of(w->cache, p);
		const struct kube_pod_term *list =
			KUBE_AT(other, other->anti_affinity, struct kube_pod_term);

		for (uint32_t i = 0; i < other->anti_affinity.count; i++)
			if (has_left(event, list[i].topology_key) &&
				term_takes(other, &list[i], class->namespace, w->pod.labels))
				return true;
		next = p->next;
	}
	return false;
}

enum plugin_hint hint_inter_pod_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	const struct kube_pod_template *class = w->pod.class;
	if (class->affinity_error != 0)
		return PLUGIN_HINT_QUEUE;
	const struct kube_pod_term *list = KUBE_AT(class, class->affinity, struct kube_pod_term);
	uint32_t old = 0;
	uint32_t now = 0;
	for (uint32_t i = 0; i < class->affinity.count; i++) {
		bool had = value_of(&event->old, list[i].topology_key, &old);
		bool has = value_of(&event->now, list[i].topology_key, &now);
		if (has && (!had || old != now))
			return PLUGIN_HINT_QUEUE;
	}
	list = KUBE_AT(class, class->anti_affinity, struct kube_pod_term);
	for (uint32_t i = 0; i < class->anti_affinity.count; i++)
		if (action == CACHE_ADD || has_left(event, list[i].topology_key))
			return PLUGIN_HINT_QUEUE;
	return PLUGIN_HINT_SKIP;
}

bool plugin_forgotten(
	enum plugin_id id, const struct plugin_waiting *w, const struct cache_event *event)
{
	if (event->kind != KUBE_NODE)
		return false;
	/* A node that is chosen no more takes its domain along, and the fewest are more then. */
	if (id == PLUGIN_SPREAD)
		return event->old.there && event->now.there &&
			cache_labels_selected(
				w->cache, w->pod.class, event->old.labels, event->name) !=
			cache_labels_selected(
				w->cache, w->pod.class, event->now.labels, event->name);
	return id == PLUGIN_INTER_POD_AFFINITY &&
		(may_come_closer(w, event) || (event->old.there && takes_along(w, event)));
}

/* ---- PodTopologySpread ---- */

/* The waiting pod's hard constraints, not counted; NULL when that is an error (then: queue). */
static struct spread_state *hard_rules(const struct plugin_waiting *w)
{
	struct cycle_state d = {
		.cache = w->cache, .profile = w->profile, .scratch = w->scratch, .pod = w->pod};
	return spread_rules(&d, true);
}

static void drop_rules(const struct plugin_waiting *w, struct spread_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		kube_blob_drop(&state->constraints[i].query->blob, &w->cache->strings);
}

static bool concerns(const struct plugin_waiting *w, const struct cache_event *event,
	const struct cache_side *side)
{
	return !side->there || hint_is_self(w, event) ||
		(hint_is_placed(side) &&
			cache_side_template(side)->namespace == w->pod.class->namespace);
}

static bool any_selects(const struct spread_state *state, const struct kube_labels *labels)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (spread_selects(&state->constraints[i], labels))
			return true;
	return false;
}

static bool any_selects_anew(const struct spread_state *state, const struct cache_event *event)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (spread_selects(&state->constraints[i], event->old.labels) !=
			spread_selects(&state->constraints[i], event->now.labels))
			return true;
	return false;
}

static bool any_honors_taints(const struct spread_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (state->constraints[i].rule.node_taints_policy == KUBE_POLICY_HONOR)
			return true;
	return false;
}

static bool pod_may_help(const struct plugin_waiting *w, const struct cache_event *event,
	const struct spread_state *state)
{
	if (!event->old.there || !event->now.there)
		return any_selects(state, hint_side(event)->labels);
	bool tolerates_other = cache_side_template(&event->old)->tolerations.count !=
		cache_side_template(&event->now)->tolerations.count;
	if (hint_is_self(w, event) && tolerates_other && any_honors_taints(state))
		return true;
	return event->old.labels != event->now.labels && any_selects_anew(state, event);
}

enum plugin_hint hint_spread_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	if (!concerns(w, event, &event->old) || !concerns(w, event, &event->now))
		return PLUGIN_HINT_SKIP;
	struct scratch_mark mark = scratch_mark(w->scratch);
	struct spread_state *state = hard_rules(w);
	bool queue = state == NULL || pod_may_help(w, event, state);
	if (state != NULL)
		drop_rules(w, state);
	scratch_rewind(w->scratch, mark);
	return hint_if(queue);
}

static bool has_all_keys(const struct spread_state *state, const struct cache_side *side)
{
	uint32_t value;
	for (uint32_t i = 0; i < state->count; i++)
		if (!value_of(side, state->constraints[i].rule.topology_key, &value))
			return false;
	return true;
}

static bool domains_moved(const struct spread_state *state, const struct cache_event *event)
{
	uint32_t old = 0;
	uint32_t now = 0;
	for (uint32_t i = 0; i < state->count; i++) {
		uint32_t key = state->constraints[i].rule.topology_key;
		if (value_of(&event->old, key, &old) != value_of(&event->now, key, &now) ||
			old != now)
			return true;
	}
	return false;
}

static bool taints_differ(const struct cache_event *event)
{
	const struct kube_node_facts *a = cache_side_facts(&event->old);
	const struct kube_node_facts *b = cache_side_facts(&event->now);
	return a->taints.count != b->taints.count ||
		memcmp(KUBE_AT(a, a->taints, struct kube_taint),
			KUBE_AT(b, b->taints, struct kube_taint),
			a->taints.count * sizeof(struct kube_taint)) != 0;
}

static bool node_may_help(const struct cache_event *event, const struct spread_state *state)
{
	if (!event->old.there || !event->now.there)
		return has_all_keys(state, hint_side(event));
	bool had = has_all_keys(state, &event->old);
	bool has = has_all_keys(state, &event->now);
	return had != has || (has && (domains_moved(state, event) || taints_differ(event)));
}

enum plugin_hint hint_spread_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	struct scratch_mark mark = scratch_mark(w->scratch);
	struct spread_state *state = hard_rules(w);
	bool queue = state == NULL || node_may_help(event, state);
	if (state != NULL)
		drop_rules(w, state);
	scratch_rewind(w->scratch, mark);
	return hint_if(queue);
}

/* ---- ServiceAffinity ---- */

/* Pods of a Service are of one namespace; which of them is the example may change with any. */
enum plugin_hint hint_service_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(hint_is_self(w, event) ||
		(hint_is_placed(hint_side(event)) && event->namespace == w->pod.class->namespace));
}
