/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PodTopologySpread: what its pods wait for.
 */
#include "plugins/hints.h"
#include "plugins/spread_state.h"

/* The waiting pod's hard constraints, not counted; NULL when that is an error (then: queue). */
static struct spread_state *spread_hard_rules(const struct plugin_waiting *w)
{
	struct cycle_state d = {
		.cache = w->cache, .profile = w->profile, .scratch = w->scratch, .pod = w->pod};
	struct spread_state *state = SCRATCH_ONE(w->scratch, struct spread_state);
	return state != NULL && spread_rules(&d, true, state) ? state : NULL;
}

static void spread_drop_rules(const struct plugin_waiting *w, struct spread_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		kube_blob_drop(&state->constraints[i].query->blob, &w->cache->strings);
}

static bool spread_concerns(const struct plugin_waiting *w, const struct cache_event *event,
	const struct cache_side *side)
{
	return !side->there || hint_is_self(w, event) ||
		(hint_is_placed(side) &&
			cache_side_template(side)->namespace == w->pod.class->namespace);
}

static bool spread_any_selects(const struct spread_state *state, const struct kube_labels *labels)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (spread_selects(&state->constraints[i], labels))
			return true;
	return false;
}

static bool spread_any_selects_anew(
	const struct spread_state *state, const struct cache_event *event)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (spread_selects(&state->constraints[i], event->old.labels) !=
			spread_selects(&state->constraints[i], event->now.labels))
			return true;
	return false;
}

static bool spread_any_honors_taints(const struct spread_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (state->constraints[i].rule.node_taints_policy == KUBE_POLICY_HONOR)
			return true;
	return false;
}

static bool spread_pod_may_help(const struct plugin_waiting *w, const struct cache_event *event,
	const struct spread_state *state)
{
	if (!event->old.there || !event->now.there)
		return spread_any_selects(state, hint_side(event)->labels);
	bool tolerates_other = cache_side_template(&event->old)->tolerations.count !=
		cache_side_template(&event->now)->tolerations.count;
	if (hint_is_self(w, event) && tolerates_other && spread_any_honors_taints(state))
		return true;
	return event->old.labels != event->now.labels && spread_any_selects_anew(state, event);
}

static enum plugin_hint spread_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	if (!spread_concerns(w, event, &event->old) || !spread_concerns(w, event, &event->now))
		return PLUGIN_HINT_SKIP;
	struct scratch_mark mark = scratch_mark(w->scratch);
	struct spread_state *state = spread_hard_rules(w);
	bool queue = state == NULL || spread_pod_may_help(w, event, state);
	if (state != NULL)
		spread_drop_rules(w, state);
	scratch_rewind(w->scratch, mark);
	return hint_if(queue);
}

static bool spread_has_all_keys(const struct spread_state *state, const struct cache_side *side)
{
	uint32_t value;
	for (uint32_t i = 0; i < state->count; i++)
		if (!hint_label(side, state->constraints[i].rule.topology_key, &value))
			return false;
	return true;
}

static bool spread_domains_moved(const struct spread_state *state, const struct cache_event *event)
{
	uint32_t old = 0;
	uint32_t now = 0;
	for (uint32_t i = 0; i < state->count; i++) {
		uint32_t key = state->constraints[i].rule.topology_key;
		if (hint_label(&event->old, key, &old) != hint_label(&event->now, key, &now) ||
			old != now)
			return true;
	}
	return false;
}

static bool spread_taints_differ(const struct cache_event *event)
{
	const struct kube_node_facts *a = cache_side_facts(&event->old);
	const struct kube_node_facts *b = cache_side_facts(&event->now);
	return a->taints.count != b->taints.count ||
		memcmp(KUBE_AT(a, a->taints, struct kube_taint),
			KUBE_AT(b, b->taints, struct kube_taint),
			a->taints.count * sizeof(struct kube_taint)) != 0;
}

static bool spread_node_may_help(const struct cache_event *event, const struct spread_state *state)
{
	if (!event->old.there || !event->now.there)
		return spread_has_all_keys(state, hint_side(event));
	bool had = spread_has_all_keys(state, &event->old);
	bool has = spread_has_all_keys(state, &event->now);
	return had != has ||
		(has && (spread_domains_moved(state, event) || spread_taints_differ(event)));
}

static enum plugin_hint spread_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	struct scratch_mark mark = scratch_mark(w->scratch);
	struct spread_state *state = spread_hard_rules(w);
	bool queue = state == NULL || spread_node_may_help(event, state);
	if (state != NULL)
		spread_drop_rules(w, state);
	scratch_rewind(w->scratch, mark);
	return hint_if(queue);
}

/* A node that is chosen no more takes its domain along, and the fewest are more then. */
bool spread_helps_beyond_hint(const struct plugin_waiting *w, const struct cache_event *event)
{
	return event->kind == KUBE_NODE && event->old.there && event->now.there &&
		cache_labels_selected(
			w->cache, w->pod.class, w->pod.for_node, event->old.labels, event->name) !=
		cache_labels_selected(
			w->cache, w->pod.class, w->pod.for_node, event->now.labels, event->name);
}

const struct plugin_registration spread_events[] = {
	{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_POD_LABEL | CACHE_UPDATE_POD_TOLERATION,
		spread_hint_pod},
	{KUBE_NODE, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE_NODE_LABEL | CACHE_UPDATE_NODE_TAINT,
		spread_hint_node},
	{KUBE_NO_KIND, 0, NULL}};
