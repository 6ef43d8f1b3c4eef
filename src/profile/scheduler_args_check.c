/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules for arguments of plugins, kube-scheduler's one by one and in its words.
 *
 * What kube-scheduler does: all are checked when the file is read, but those of NodeResourcesFit
 * only when a profile makes the plugin. What we do: all when the file is read; a file with bad
 * arguments of a plugin that no profile uses is the one that only we refuse.
 *
 * Added affinities are checked where they are turned into selectors (profile_args.c).
 */
#include "profile/scheduler_private.h"

/* ---- resources, shapes ---- */

void scheduler_weights_check(struct reading *r, const struct config_list *list)
{
	const struct scheduler_resource *resources = CONFIG_LIST(*list, struct scheduler_resource);
	size_t before = reading_enter(r, "resources");
	for (uint32_t i = 0; i < list->count; i++) {
		size_t here = reading_enter_index(r, i);
		if (resources[i].weight <= 0 || resources[i].weight > 100)
			refuse(r, "weight",
				"Invalid value: %lld: resource weight of %.*s not in valid range "
				"(0, 100]",
				(long long)resources[i].weight, CONFIG_SHOWN(resources[i].name));
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

void scheduler_shape_check(struct reading *r, const struct config_list *list)
{
	const struct scheduler_shape_point *shape =
		CONFIG_LIST(*list, struct scheduler_shape_point);
	size_t before = reading_enter(r, "shape");
	bool sorted = true;
	if (list->count == 0)
		refuse_missing(r, "", "at least one point must be specified");
	for (uint32_t i = 0; i < list->count; i++) {
		size_t here = reading_enter_index(r, i);
		if (i > 0 && sorted && shape[i - 1].utilization >= shape[i].utilization) {
			sorted = false;
			refuse_i64(r, "utilization", shape[i].utilization,
				"values must be sorted in increasing order");
		}
		if (shape[i].utilization < 0 || shape[i].utilization > 100)
			refuse_i64(r, "utilization", shape[i].utilization,
				"not in valid range [0, 100]");
		if (shape[i].score < 0 || shape[i].score > 10)
			refuse_i64(r, "score", shape[i].score, "not in valid range [0, 10]");
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

/* ---- NodeResourcesFit ---- */

static void check_ignored(
	struct reading *r, const char *field, const struct config_list *list, bool groups)
{
	const struct text *names = CONFIG_LIST(*list, struct text);
	size_t before = reading_enter(r, field);
	for (uint32_t i = 0; i < list->count; i++) {
		size_t here = reading_enter_index(r, i);
		if (groups && text_find(names[i], '/') < names[i].size)
			refuse_text(r, "", names[i], "resource group name can't contain '/'");
		(void)require_label_name(r, "", names[i]);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

static void check_strategy(struct reading *r, const struct scheduler_strategy *strategy)
{
	bool by_ratio = text_is_z(strategy->type, "RequestedToCapacityRatio");
	size_t before = reading_enter(r, "scoringStrategy");
	if (!by_ratio && !text_is_z(strategy->type, "LeastAllocated") &&
		!text_is_z(strategy->type, "MostAllocated"))
		refuse_unsupported(r, "type", strategy->type,
			"\"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"");
	scheduler_weights_check(r, &strategy->resources);
	size_t here = reading_enter(r, "requestedToCapacityRatio");
	if (by_ratio && strategy->ratio == NULL)
		refuse_missing(r, "", "must be specified when type is RequestedToCapacityRatio");
	else if (by_ratio)
		scheduler_shape_check(r, &strategy->ratio->shape);
	else if (strategy->ratio != NULL)
		refuse(r, "", "Forbidden: must be nil when type is not RequestedToCapacityRatio");
	reading_leave(r, here);
	reading_leave(r, before);
}

static void check_fit(struct reading *r, const struct scheduler_fit_args *args)
{
	check_ignored(r, "ignoredResources", &args->ignored, false);
	check_ignored(r, "ignoredResourceGroups", &args->ignored_groups, true);
	check_strategy(r, args->strategy);
}

/* ---- PodTopologySpread ---- */

static void check_constraint(struct reading *r, const struct scheduler_constraint *c)
{
	bool is_action = text_is_z(c->when_unsatisfiable, "DoNotSchedule") ||
		text_is_z(c->when_unsatisfiable, "ScheduleAnyway");
	if (c->max_skew <= 0)
		refuse_i64(r, "maxSkew", c->max_skew, "not in valid range (0, inf)");
	if (c->topology_key.size == 0)
		refuse_missing(r, "topologyKey", "can not be empty");
	else
		(void)require_label_name(r, "topologyKey", c->topology_key);
	if (c->when_unsatisfiable.size == 0)
		refuse_missing(r, "whenUnsatisfiable", "can not be empty");
	else if (!is_action)
		refuse_unsupported(r, "whenUnsatisfiable", c->when_unsatisfiable,
			"\"DoNotSchedule\", \"ScheduleAnyway\"");
	if (c->selector != NULL)
		refuse(r, "labelSelector",
			"Forbidden: constraint must not define a selector, as they deduced for "
			"each pod");
	if (c->match_label_keys.count > 0)
		remark(r, "matchLabelKeys", "have no effect on default constraints");
}

static void check_repeated(struct reading *r, const struct scheduler_constraint *list, uint32_t i)
{
	uint32_t first = 0;
	while (!text_is(list[first].topology_key, list[i].topology_key) ||
		!text_is(list[first].when_unsatisfiable, list[i].when_unsatisfiable))
		first++;
	if (first < i)
		refuse(r, "", "Duplicate value: \"{%.*s, %.*s}\"",
			CONFIG_SHOWN(list[i].topology_key),
			CONFIG_SHOWN(list[i].when_unsatisfiable));
}

static void check_spread(struct reading *r, const struct scheduler_spread_args *args)
{
	bool is_system = text_is_z(args->defaulting_type, "System");
	if (!is_system && !text_is_z(args->defaulting_type, "List"))
		refuse_unsupported(
			r, "defaultingType", args->defaulting_type, "\"System\", \"List\"");
	else if (is_system && args->constraints.count > 0)
		refuse_text(r, "defaultingType", args->defaulting_type,
			"when .defaultConstraints are not empty");
	const struct scheduler_constraint *list =
		CONFIG_LIST(args->constraints, struct scheduler_constraint);
	size_t before = reading_enter(r, "defaultConstraints");
	for (uint32_t i = 0; i < args->constraints.count; i++) {
		size_t here = reading_enter_index(r, i);
		check_constraint(r, &list[i]);
		check_repeated(r, list, i);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

/* ---- the others ---- */

static void check_balanced(struct reading *r, const struct scheduler_balanced_args *args)
{
	const struct scheduler_resource *resources =
		CONFIG_LIST(args->resources, struct scheduler_resource);
	size_t before = reading_enter(r, "resources");
	for (uint32_t i = 0; i < args->resources.count; i++) {
		size_t here = reading_enter_index(r, i);
		uint32_t first = 0;
		while (!text_is(resources[first].name, resources[i].name))
			first++;
		if (first < i)
			refuse_duplicate(r, "name", resources[i].name);
		if (resources[i].weight != 1)
			refuse_i64(r, "weight", resources[i].weight, "must be 1");
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

static void check_preemption(struct reading *r, const struct scheduler_preemption_args *args)
{
	int32_t percentage = args->min_candidate_percentage;
	int32_t absolute = args->min_candidate_absolute;
	if (percentage < 0 || percentage > 100)
		refuse_i64(r, "minCandidateNodesPercentage", percentage,
			"not in valid range [0, 100]");
	if (absolute < 0)
		refuse_i64(r, "minCandidateNodesAbsolute", absolute, "not in valid range [0, inf)");
	if (percentage == 0 && absolute == 0) {
		refuse_i64(r, "minCandidateNodesPercentage", percentage,
			"cannot be zero at the same time as minCandidateNodesAbsolute");
		refuse_i64(r, "minCandidateNodesAbsolute", absolute,
			"cannot be zero at the same time as minCandidateNodesPercentage");
	}
}

static void check_dynamic_resources(
	struct reading *r, const struct scheduler_dynamic_resources_args *args)
{
	if (args->filter_timeout_us < 0)
		refuse_us(r, "filterTimeout", args->filter_timeout_us, "must be zero or positive");
	if (args->binding_timeout_us < SCHEDULER_SECONDS(1))
		refuse_us(
			r, "bindingTimeout", args->binding_timeout_us, "must be at least 1 second");
}

static void check_apart(struct reading *r, const char *field, const struct config_list *list,
	const struct config_list *others)
{
	const struct text *labels = CONFIG_LIST(*list, struct text);
	const struct text *other = CONFIG_LIST(*others, struct text);
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < others->count; k++)
			if (text_is(labels[i], other[k]))
				refuse_text(r, field, labels[i],
					"detecting at least one label that is both wanted and "
					"not wanted");
}

static void check_node_label(struct reading *r, const struct scheduler_node_label_args *args)
{
	check_apart(r, "presentLabels", &args->present, &args->absent);
	check_apart(
		r, "presentLabelsPreference", &args->present_preferred, &args->absent_preferred);
}

void scheduler_args_check(struct reading *r, const struct scheduler_args *args)
{
	int32_t hard_weight = args->of.inter_pod_affinity.hard_weight;
	switch (args->kind) {
	case SCHEDULER_ARGS_FIT: check_fit(r, &args->of.fit); break;
	case SCHEDULER_ARGS_BALANCED: check_balanced(r, &args->of.balanced); break;
	case SCHEDULER_ARGS_INTER_POD_AFFINITY:
		if (hard_weight < 0 || hard_weight > 100)
			refuse_i64(r, "hardPodAffinityWeight", hard_weight,
				"not in valid range [0, 100]");
		break;
	case SCHEDULER_ARGS_SPREAD: check_spread(r, &args->of.spread); break;
	case SCHEDULER_ARGS_PREEMPTION: check_preemption(r, &args->of.preemption); break;
	case SCHEDULER_ARGS_VOLUME_BINDING:
		if (args->of.volume_binding.bind_timeout_seconds < 0)
			refuse_i64(r, "bindTimeoutSeconds",
				args->of.volume_binding.bind_timeout_seconds,
				"invalid BindTimeoutSeconds, should not be a negative value");
		break;
	case SCHEDULER_ARGS_DYNAMIC_RESOURCES:
		check_dynamic_resources(r, &args->of.dynamic_resources);
		break;
	case SCHEDULER_ARGS_NODE_LABEL: check_node_label(r, &args->of.node_label); break;
	case SCHEDULER_ARGS_NODE_AFFINITY:
	case SCHEDULER_ARGS_SERVICE_AFFINITY:
	case SCHEDULER_ARGS_OTHER: break;
	}
}
