/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeLabel, which kube-scheduler had until v1.22: nodes by labels that they must have or must not
 * have, and by labels that they had better have or not have, whatever the values.
 */
#include "plugins/hints.h"

static uint32_t count_labels(
	const struct plugin_label_list *list, const struct kube_labels *labels, bool present)
{
	uint32_t count = 0;
	uint32_t value;
	for (uint32_t i = 0; i < list->count; i++)
		count += kube_labels_get(labels, list->keys[i], &value) == present;
	return count;
}

static bool node_label_fits(const struct node_label_args *args, const struct kube_labels *labels)
{
	return count_labels(&args->present, labels, true) == args->present.count &&
		count_labels(&args->absent, labels, false) == args->absent.count;
}

static enum plugin_code node_label_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	if (node_label_fits(&d->profile->node_label, cache_labels_at(d->cache, view->node->labels)))
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't have the requested labels");
	return PLUGIN_UNRESOLVABLE;
}

static int64_t node_label_score(struct cycle_state *d, uint32_t node)
{
	const struct node_label_args *args = &d->profile->node_label;
	const struct kube_labels *labels =
		cache_labels_at(d->cache, cache_node_at(d->cache, node)->labels);
	uint32_t all = args->present_preferred.count + args->absent_preferred.count;
	uint32_t right = count_labels(&args->present_preferred, labels, true) +
		count_labels(&args->absent_preferred, labels, false);
	return all == 0 ? 0 : 100 * (int64_t)right / all;
}

/* ---- hints ---- */

static enum plugin_hint node_label_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(node_label_fits(&w->profile->node_label, event->now.labels));
}

const struct plugin plugin_node_label = {.name = "NodeLabel",
	.weight = 1,
	.filter_is_local = true,
	.score_is_local = true,
	.filter = node_label_filter,
	.score = node_label_score,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, node_label_hint_node})};
