/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Team, an example of a plugin of one's own (src/plugins/README.md): a pod with a label such as
 * "example.com/team: gold" goes to nodes with the same label and value only, and there rather to
 * where more pods still have a place. The label's key is an argument:
 *
 *	pluginConfig: [{name: Team, args: {label: example.com/squad, leastFree: 2}}]
 */
#include "plugins/hints.h"

struct team_config { /* the arguments as a configuration has them */
	struct text label;
	int32_t least_free;
};
struct team_args {      /* and as the filter wants them */
	uint32_t label; /* string id of the key */
	int32_t least_free;
};

/* The pod does not care, or the node is of its team. */
static bool team_takes(const struct team_args *args, const struct kube_labels *pod_labels,
	const struct kube_labels *node_labels)
{
	uint32_t wanted;
	uint32_t value;
	return !kube_labels_get(pod_labels, args->label, &wanted) ||
		(kube_labels_get(node_labels, args->label, &value) && value == wanted);
}

static int64_t team_free(const struct cache_node *node)
{
	return node->facts->allocatable.pods - (int64_t)node->sums.pods;
}

/* ---- filter ---- */

static enum plugin_code team_filter(
	struct cycle_state *d, const struct cache_view *view, struct plugin_reasons *why)
{
	const struct team_args *args = PLUGIN_ARGS(d->profile, TEAM, team_args);
	if (!team_takes(args, d->pod.labels, cache_labels_at(d->cache, view->node->labels))) {
		plugin_because(why, "node(s) were of another team");
		return PLUGIN_UNRESOLVABLE; /* that no pod leaves helps */
	}
	if (view->node->facts->allocatable.pods - (int64_t)view->sums->pods < args->least_free) {
		plugin_because(why, "node(s) had too few places left in the team");
		return PLUGIN_UNSCHEDULABLE; /* that one leaves may */
	}
	return PLUGIN_SUCCESS;
}

/* ---- score ---- */

static int64_t team_score(struct cycle_state *d, uint32_t node)
{
	int64_t left = team_free(cache_node_at(d->cache, node));
	return left > 0 ? left : 0;
}

/* ---- what a pod waits for that it rejected ---- */

static enum plugin_hint team_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(team_takes(
		PLUGIN_ARGS(w->profile, TEAM, team_args), w->pod.labels, event->now.labels));
}

/* ---- the table ---- */

static const struct field team_fields[] = {
	{.name = "label",
		.type = FIELD_TEXT,
		.at = offsetof(struct team_config, label),
		.text = "example.com/team"},
	{.name = "leastFree",
		.type = FIELD_I32,
		.at = offsetof(struct team_config, least_free),
		.value = 1,
		.least = 1,
		.greatest = 1000,
		.why = "not in valid range [1, 1000]"},
};

/* What rows cannot say. */
static void team_args_check(struct args_report *report, const void *config)
{
	const struct team_config *from = config;
	(void)report->require_label(report, "label", from->label);
}

static enum args_result team_args_make(const struct args_making *m, const void *config, void *args)
{
	const struct team_config *from = config;
	struct team_args *to = args;
	to->least_free = from->least_free;
	return args_intern(m, from->label, &to->label) ? ARGS_MADE : ARGS_FULL;
}

static const struct fields team_form = {
	.list = team_fields, .count = ARRAY_COUNT(team_fields), .size = sizeof(struct team_config)};
static const struct plugin_args team_arguments = {.fields = &team_form,
	.check = team_args_check,
	.size = sizeof(struct team_args),
	.make = team_args_make};

const struct plugin plugin_team = {.name = "Team",
	.weight = 1,
	.args = &team_arguments,
	.helps = PLUGIN_HELPS({"node(s) were of another team", "A node with the team's label."},
		{"", "Fewer pods on the nodes of the team, or another node in it."}),
	/* The places that are left depend on the node alone; the labels of a pod are its own. */
	.score_is_local = true,
	.filter = team_filter,
	.score = team_score,
	.normalise = PLUGIN_BY_HIGHEST,
	.events = PLUGIN_EVENTS({KUBE_NODE, CACHE_ADD | CACHE_UPDATE_NODE_LABEL, team_hint_node},
		{KUBE_POD, CACHE_DELETE, NULL})};
