/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: people's own, in CEL. A filter says where a pod may go, a score where it had better go.
 *
 * They are local in the sense of the cycle: the answer stays the same until the node, its pods, the
 * pod's template, its labels or the time that rules see changes; which of these a profile's rules
 * look at is known since they were compiled: rules_used() says it. What a rule may cost is bounded
 * for each node, so that the answer does not depend on which nodes were asked about before.
 */
#include "plugins/rules.h"

#include "plugins/hints.h"

enum { RULES_ERROR_SIZE = 256 };

struct rules_run {
	struct rules_view view;
	struct cel_value variables[RULES_VARIABLES];
	uint64_t cost_left;
};

static const struct rules_args *rules_args_of(const struct plugin_profile *profile)
{
	return PLUGIN_ARGS(profile, RULES, rules_args);
}

/* By powers of two, so that a node more or less does not change what a rule says of the others. */
uint64_t rules_cost_max(int64_t cost_max, uint32_t nodes)
{
	for (uint32_t full = RULES_NODES_FULL; nodes > full && full < UINT32_MAX / 2; full *= 2)
		cost_max /= 2;
	return (uint64_t)cost_max;
}

static void run_begin(struct rules_run *run, const struct plugin_profile *profile)
{
	rules_view_init(&run->view, plugin_now_us(run->view.cache, profile), run->variables);
	run->cost_left = rules_cost_max(
		rules_args_of(profile)->cost_max, pool_used(&run->view.cache->nodes));
}

static struct cel_value run_program(struct rules_run *run, const struct cel_program *program)
{
	uint64_t cost = 0;
	struct cel_value value =
		cel_evaluate(program, run->variables, run->cost_left, run->view.scratch, &cost);
	run->cost_left -= cost < run->cost_left ? cost : run->cost_left;
	return value;
}

/* ---- filter ---- */

/* The beginning of the error, which may repeat what a pod or a node says. */
static void because_of_error(
	const struct rule *rule, const char *error, size_t size, struct plugin_reasons *why)
{
	struct text t = {error, size};
	while (t.size > 0 && !text_is_utf8(t))
		t.size--;
	plugin_because_of(
		why, "node(s) where rule %.*s failed: %.*s", TEXT_ARGS(rule->name), TEXT_ARGS(t));
}

static void because_of_rule(const struct rule *rule, struct plugin_reasons *why)
{
	bool has_message = rule->message.size > 0;
	plugin_because_of(why, "node(s) refused by rule %.*s%s%.*s", TEXT_ARGS(rule->name),
		has_message ? ": " : "", TEXT_ARGS(rule->message));
}

/* True when the rule lets the pod pass. */
static bool rule_passes(struct rules_run *run, const struct rule *rule, struct plugin_reasons *why)
{
	char error[RULES_ERROR_SIZE];
	struct writer out;
	struct scratch_mark mark = scratch_mark(run->view.scratch);
	struct cel_value value = run_program(run, rule->filter);
	writer_init(&out, error, sizeof(error));
	if (value.kind != CEL_BOOL && why != NULL) {
		if (value.kind == CEL_ERROR)
			cel_print_error(&value, &out);
		else
			write_z(&out, "it is neither true nor false");
		if (out.overflowed) { /* what did not fit left nothing */
			out.overflowed = false;
			write_z(&out, "(a long value)");
		}
	}
	run->view.tallies = NULL;
	scratch_rewind(run->view.scratch, mark);
	if (value.kind != CEL_BOOL)
		because_of_error(rule, error, out.used, why);
	else if (!value.truth)
		because_of_rule(rule, why);
	return value.kind == CEL_BOOL && value.truth;
}

/* The first rule that refuses; NULL: none. */
static const struct rule *rules_refuse(
	struct rules_run *run, const struct plugin_profile *profile, struct plugin_reasons *why)
{
	const struct rules_args *args = rules_args_of(profile);
	run_begin(run, profile);
	for (uint32_t i = 0; i < args->count; i++)
		if (args->rules[i].filter != NULL && !rule_passes(run, &args->rules[i], why))
			return &args->rules[i];
	return NULL;
}

static enum plugin_code rules_pre_filter(struct cycle_state *d, struct plugin_reasons *why)
{
	(void)why;
	return rules_args_of(d->profile)->has_filters ? PLUGIN_SUCCESS : PLUGIN_SKIP;
}

static enum plugin_code rules_filter(
	struct cycle_state *d, const struct cache_view *node, struct plugin_reasons *why)
{
	struct rules_run run = {
		.view = {.cache = d->cache, .pod = &d->pod, .node = node, .scratch = d->scratch}};
	const struct rule *by = rules_refuse(&run, d->profile, why);
	if (by == NULL)
		return PLUGIN_SUCCESS;
	return (by->reads & RULES_READ_PODS) != 0 ? PLUGIN_UNSCHEDULABLE : PLUGIN_UNRESOLVABLE;
}

/* ---- score ---- */

/* 0..100; what is no number is 0. */
static int64_t rules_score_of(const struct cel_value *value)
{
	double real = 0;
	switch (value->kind) {
	case CEL_INT: real = (double)value->integer; break;
	case CEL_UINT: real = (double)value->natural; break;
	case CEL_DOUBLE: real = value->real; break;
	default: break;
	}
	if (!(real > 0))
		return 0;
	return real < RULES_SCORE_MAX ? (int64_t)real : RULES_SCORE_MAX;
}

static enum plugin_code rules_pre_score(struct cycle_state *d)
{
	return rules_args_of(d->profile)->has_scores ? PLUGIN_SUCCESS : PLUGIN_SKIP;
}

static int64_t rules_score(struct cycle_state *d, uint32_t node)
{
	const struct rules_args *args = rules_args_of(d->profile);
	const struct cache_view view = cache_view_of(d->cache, node);
	struct rules_run run = {
		.view = {.cache = d->cache, .pod = &d->pod, .node = &view, .scratch = d->scratch}};
	int64_t score = 0;
	run_begin(&run, d->profile);
	for (uint32_t i = 0; i < args->count; i++) {
		if (args->rules[i].score == NULL)
			continue;
		struct scratch_mark mark = scratch_mark(d->scratch);
		struct cel_value value = run_program(&run, args->rules[i].score);
		score += args->rules[i].weight * rules_score_of(&value);
		run.view.tallies = NULL;
		scratch_rewind(d->scratch, mark);
	}
	return score;
}

/* ---- what a pod waits for that it rejected ---- */

static bool passes_now(const struct plugin_waiting *w, uint32_t node_name)
{
	uint32_t node = cache_find_node_id(w->cache, node_name);
	if (node == 0 || cache_node_at(w->cache, node)->facts == NULL)
		return false;
	const struct cache_view view = cache_view_of(w->cache, node);
	struct rules_run run = {
		.view = {.cache = w->cache, .pod = &w->pod, .node = &view, .scratch = w->scratch}};
	return rules_refuse(&run, w->profile, NULL) == NULL;
}

static enum plugin_hint rules_hint_node(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	(void)action;
	return hint_if(passes_now(w, event->name));
}

/* Its own labels, or the pods of a node, as far as rules look at them. */
static enum plugin_hint rules_hint_pod(
	const struct plugin_waiting *w, const struct cache_event *event, uint32_t action)
{
	uint32_t reads = rules_args_of(w->profile)->reads;
	const struct cache_side *side = hint_side(event);
	(void)action;
	if (hint_is_self(w, event))
		return hint_if((reads & (RULES_READ_LABELS | RULES_READ_TEMPLATE)) != 0);
	if ((reads & RULES_READ_PODS) == 0 || side->node == 0)
		return PLUGIN_HINT_SKIP;
	return hint_if(passes_now(w, side->node));
}

static void rules_used(struct plugin_profile *profile)
{
	const struct rules_args *args = rules_args_of(profile);
	if ((args->reads & RULES_READ_LABELS) != 0)
		profile->local_reads |= PLUGIN_READS_LABELS;
	if ((args->reads & RULES_READ_TEMPLATE) != 0)
		profile->local_reads |= PLUGIN_READS_TEMPLATE;
	if ((args->reads & RULES_READ_NOW) != 0)
		profile->refresh_us = args->refresh_us;
}

const struct plugin plugin_rules = {.name = "Rules",
	.weight = 1,
	.with_args = true,
	/* Before the plugins of volumes: what comes behind a filter that can fail is not
	   remembered. */
	.earlier = {12, 12},
	.args = &rules_arguments,
	.helps = PLUGIN_HELPS({"node(s) where rule",
				      "A rule that has an answer for such pods and nodes: has(), "
				      "orValue(), or a larger maxCost."},
		{"", "A node or a pod of which the rule in the configuration holds."}),
	.filter_is_local = true,
	.score_is_local = true,
	.used = rules_used,
	.pre_filter = rules_pre_filter,
	.filter = rules_filter,
	.pre_score = rules_pre_score,
	.score = rules_score,
	.normalise = PLUGIN_BY_HIGHEST,
	.events = PLUGIN_EVENTS({KUBE_NODE, CACHE_ADD | CACHE_UPDATE, rules_hint_node},
		{KUBE_POD, CACHE_ADD | CACHE_DELETE | CACHE_UPDATE, rules_hint_pod})};
