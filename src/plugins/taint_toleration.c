/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TaintToleration: no pod where a taint forbids it; rather not where a taint advises against it.
 */
#include "plugins/hints.h"

static enum plugin_code taint_toleration_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (cache_untolerated(d->pod.class, view->node->facts) == NULL)
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) had untolerated taint(s)");
	return PLUGIN_UNRESOLVABLE;
}

static uint32_t taint_toleration_keep(struct cycle_state *d, uint32_t *nodes, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct kube_node_facts *facts = cache_node_at(d->cache, nodes[i])->facts;
		nodes[kept] = nodes[i];
		kept += facts->taints.count == 0 || cache_untolerated(d->pod.class, facts) == NULL;
	}
	return kept;
}

/* How many PreferNoSchedule taints the pod does not tolerate. */
static int64_t taint_toleration_score(struct cycle_state *d, uint32_t node)
{
	const struct kube_node_facts *facts = cache_node_at(d->cache, node)->facts;
	const struct kube_taint *taints = KUBE_AT(facts, facts->taints, struct kube_taint);
	const struct kube_pod_template *class = d->pod.class;
	const struct kube_toleration *list =
		KUBE_AT(class, class->tolerations, struct kube_toleration);
	int64_t count = 0;
	for (uint32_t t = 0; t < facts->taints.count; t++) {
		if (taints[t].effect != KUBE_PREFER_NO_SCHEDULE)
			continue;
		bool tolerated = false;
		for (uint32_t i = 0; i < class->tolerations.count && !tolerated; i++)
			tolerated = (list[i].effect == KUBE_EFFECT_ANY ||
					    list[i].effect == KUBE_PREFER_NO_SCHEDULE) &&
				kube_tolerates(&list[i], &taints[t]);
		count += !tolerated;
	}
	return count;
}

static void taint_toleration_scores(
	struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores)
{
	for (uint32_t i = 0; i < count; i++)
		scores[i] = cache_node_at(d->cache, nodes[i])->facts->taints.count == 0
			? 0
			: taint_toleration_score(d, nodes[i]);
}

/* ---- hints ---- */

static enum plugin_hint taint_toleration_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	bool was = event->old.there &&
		cache_untolerated(w->pod.class, cache_side_facts(&event->old)) == NULL;
	bool is = cache_untolerated(w->pod.class, cache_side_facts(&event->now)) == NULL;
	return hint_if(is && !was);
}

const struct plugin plugin_taint_toleration = {.name = "TaintToleration",
	.v1beta2 = {1, 0, 3, 7},
	.weight = 3,
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(PRE_FILTER),
	.points = PLUGIN_AT(PRE_SCORE),
	.helps = PLUGIN_HELPS({"", "Tolerate the taint, or remove it."}),
	.filter_is_local = true,
	.score_is_local = true,
	.filter = taint_toleration_filter,
	.keep = taint_toleration_keep,
	.score = taint_toleration_score,
	.scores = taint_toleration_scores,
	.normalise = PLUGIN_BY_LOWEST,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_TAINT, taint_toleration_hint_node},
		{KUBE_POD, CACHE_UPDATE_POD_TOLERATION | PLUGIN_OF_ITSELF, hint_self})};
