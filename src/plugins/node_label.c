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
	if (node_label_fits(PLUGIN_ARGS(d->profile, NODE_LABEL, node_label_args),
		    cache_labels_at(d->cache, view->node->labels)))
		return PLUGIN_SUCCESS;
	plugin_because(why, "node(s) didn't have the requested labels");
	return PLUGIN_UNRESOLVABLE;
}

static int64_t node_label_score(struct cycle_state *d, uint32_t node)
{
	const struct node_label_args *args = PLUGIN_ARGS(d->profile, NODE_LABEL, node_label_args);
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
	return hint_if(node_label_fits(
		PLUGIN_ARGS(w->profile, NODE_LABEL, node_label_args), event->now.labels));
}

/* ---- arguments ---- */

#define LABELS(field, member)                                                               \
	{                                                                                   \
		.name = (field), .type = FIELD_TEXTS,                                       \
		.at = offsetof(struct node_label_config, member), .most = PLUGIN_LABELS_MAX \
	}
static const struct field node_label_fields[] = {
	LABELS("presentLabels", present),
	LABELS("absentLabels", absent),
	LABELS("presentLabelsPreference", present_preferred),
	LABELS("absentLabelsPreference", absent_preferred),
};
#undef LABELS

static void check_apart(struct args_report *report, const char *field,
	const struct config_list *list, const struct config_list *others)
{
	const struct text *labels = CONFIG_LIST(*list, struct text);
	const struct text *other = CONFIG_LIST(*others, struct text);
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < others->count; k++)
			if (text_is(labels[i], other[k]))
				report->refuse_text(report, field, labels[i],
					"detecting at least one label that is both wanted and "
					"not wanted");
}

static void node_label_args_check(struct args_report *report, const void *of)
{
	const struct node_label_config *args = of;
	check_apart(report, "presentLabels", &args->present, &args->absent);
	check_apart(report, "presentLabelsPreference", &args->present_preferred,
		&args->absent_preferred);
}

static enum args_result node_label_args_make(
	const struct args_making *m, const void *of, void *made)
{
	const struct node_label_config *from = of;
	struct node_label_args *to = made;
	bool kept = args_intern_list(m, &from->present, to->present.keys, &to->present.count) &&
		args_intern_list(m, &from->absent, to->absent.keys, &to->absent.count) &&
		args_intern_list(m, &from->present_preferred, to->present_preferred.keys,
			&to->present_preferred.count) &&
		args_intern_list(m, &from->absent_preferred, to->absent_preferred.keys,
			&to->absent_preferred.count);
	return kept ? ARGS_MADE : ARGS_FULL;
}

static const struct fields node_label_form = {.list = node_label_fields,
	.count = ARRAY_COUNT(node_label_fields),
	.size = sizeof(struct node_label_config)};
static const struct plugin_args node_label_arguments = {.fields = &node_label_form,
	.check = node_label_args_check,
	.size = sizeof(struct node_label_args),
	.make = node_label_args_make};

const struct plugin plugin_node_label = {.name = "NodeLabel",
	.args = &node_label_arguments,
	.weight = 1,
	.filter_is_local = true,
	.score_is_local = true,
	.filter = node_label_filter,
	.score = node_label_score,
	.events = PLUGIN_EVENTS(
		{KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, node_label_hint_node})};
