/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NodeResourcesFit and NodeResourcesBalancedAllocation, their arguments.
 *
 * What kube-scheduler does: those of NodeResourcesFit are checked only when a profile makes the
 * plugin. What we do: always; a file with bad arguments of a plugin that no profile uses is the one
 * that only we refuse.
 */
#include "plugins/fit.h"
#include "plugins/shape.h"

/* ---- resources ---- */

static const struct config_resource default_resources[] = {
	{{"cpu", 3}, 1},
	{{"memory", 6}, 1},
};
static const struct config_list default_resource_list = {
	default_resources, ARRAY_COUNT(default_resources)};

static const struct field resource_fields[] = {
	{.name = "name",
		.type = FIELD_TEXT,
		.is_shown = true,
		.at = offsetof(struct config_resource, name)},
	{.name = "weight",
		.type = FIELD_WEIGHT,
		.at = offsetof(struct config_resource, weight),
		.value = 1},
};
const struct fields fit_resource_form = {.list = resource_fields,
	.count = ARRAY_COUNT(resource_fields),
	.size = sizeof(struct config_resource)};

void fit_weights_check(
	struct args_report *report, const char *where, const struct config_list *list)
{
	const struct config_resource *resources = CONFIG_LIST(*list, struct config_resource);
	struct args_path path;
	for (uint32_t i = 0; i < list->count; i++)
		if (resources[i].weight <= 0 || resources[i].weight > 100)
			report->refuse(report, args_path(&path, "%sresources[%u].weight", where, i),
				"Invalid value: %lld: resource weight of %.*s not in valid range "
				"(0, 100]",
				(long long)resources[i].weight, ARGS_SHOWN(resources[i].name));
}

static bool make_resources(const struct args_making *m, const struct config_list *list,
	struct plugin_resource_weight *to, uint32_t *count)
{
	const struct config_resource *from = CONFIG_LIST(*list, struct config_resource);
	const struct cache_names *names = &m->cache->names;
	CHECK(list->count <= PLUGIN_RESOURCES_MAX);
	for (*count = 0; *count < list->count; (*count)++) {
		to[*count].weight = from[*count].weight;
		if (!args_intern(m, from[*count].name, &to[*count].name))
			return false;
		if (to[*count].name != names->cpu && to[*count].name != names->memory)
			m->cache->devices.is_scored = true;
	}
	return true;
}

/* ---- NodeResourcesFit ---- */

static const struct fit_strategy_config default_strategy = {
	.type = {"LeastAllocated", 14},
	.resources = {default_resources, ARRAY_COUNT(default_resources)},
};

static const struct field ratio_fields[] = {
	FIELD("shape", FIELD_LIST, offsetof(struct fit_ratio_config, shape), &shape_form,
		PLUGIN_SHAPE_MAX),
};
static const struct fields ratio_form = {.list = ratio_fields,
	.count = ARRAY_COUNT(ratio_fields),
	.size = sizeof(struct fit_ratio_config)};

static void prepare_strategy(void *to)
{
	((struct fit_strategy_config *)to)->resources = default_resource_list;
}
static const struct field strategy_fields[] = {
	{.name = "type",
		.type = FIELD_TEXT,
		.is_shown = true,
		.at = offsetof(struct fit_strategy_config, type)},
	{.name = "resources",
		.type = FIELD_LIST,
		.is_shown = true,
		.at = offsetof(struct fit_strategy_config, resources),
		.inside = &fit_resource_form,
		.most = PLUGIN_RESOURCES_MAX},
	FIELD("requestedToCapacityRatio", FIELD_POINTER,
		offsetof(struct fit_strategy_config, ratio), &ratio_form, 0),
};
static const struct fields strategy_form = {.list = strategy_fields,
	.count = ARRAY_COUNT(strategy_fields),
	.size = sizeof(struct fit_strategy_config),
	.prepare = prepare_strategy};

static void prepare_fit(void *to)
{
	((struct fit_config *)to)->strategy = &default_strategy;
}
static const struct field fit_fields[] = {
	FIELD("ignoredResources", FIELD_TEXTS, offsetof(struct fit_config, ignored), NULL,
		PLUGIN_IGNORED_MAX),
	FIELD("ignoredResourceGroups", FIELD_TEXTS, offsetof(struct fit_config, ignored_groups),
		NULL, PLUGIN_IGNORED_MAX),
	FIELD("scoringStrategy", FIELD_POINTER, offsetof(struct fit_config, strategy),
		&strategy_form, 0),
};
static const struct fields fit_form = {.list = fit_fields,
	.count = ARRAY_COUNT(fit_fields),
	.size = sizeof(struct fit_config),
	.prepare = prepare_fit};

static void check_ignored(
	struct args_report *report, const char *field, const struct config_list *list, bool groups)
{
	const struct text *names = CONFIG_LIST(*list, struct text);
	struct args_path path;
	for (uint32_t i = 0; i < list->count; i++) {
		(void)args_path(&path, "%s[%u]", field, i);
		if (groups && text_find(names[i], '/') < names[i].size)
			report->refuse_text(report, path.bytes, names[i],
				"resource group name can't contain '/'");
		(void)report->require_label(report, path.bytes, names[i]);
	}
}

static void check_strategy(struct args_report *report, const struct fit_strategy_config *strategy)
{
	static const char ratio[] = "scoringStrategy.requestedToCapacityRatio";
	bool by_ratio = text_is_z(strategy->type, "RequestedToCapacityRatio");
	if (!by_ratio && !text_is_z(strategy->type, "LeastAllocated") &&
		!text_is_z(strategy->type, "MostAllocated"))
		report->refuse_unsupported(report, "scoringStrategy.type", strategy->type,
			"\"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"");
	fit_weights_check(report, "scoringStrategy.", &strategy->resources);
	if (by_ratio && strategy->ratio == NULL)
		report->refuse(report, ratio,
			"Required value: must be specified when type is RequestedToCapacityRatio");
	else if (by_ratio)
		shape_check(report, "scoringStrategy.requestedToCapacityRatio.",
			&strategy->ratio->shape);
	else if (strategy->ratio != NULL)
		report->refuse(report, ratio,
			"Forbidden: must be nil when type is not RequestedToCapacityRatio");
}

static void fit_args_check(struct args_report *report, const void *of)
{
	const struct fit_config *args = of;
	check_ignored(report, "ignoredResources", &args->ignored, false);
	check_ignored(report, "ignoredResourceGroups", &args->ignored_groups, true);
	check_strategy(report, args->strategy);
}

static enum fit_strategy strategy_of(struct text type)
{
	if (text_is_z(type, "MostAllocated"))
		return FIT_MOST_ALLOCATED;
	return text_is_z(type, "LeastAllocated") ? FIT_LEAST_ALLOCATED
						 : FIT_REQUESTED_TO_CAPACITY_RATIO;
}

static enum args_result fit_args_make(const struct args_making *m, const void *of, void *made)
{
	const struct fit_config *from = of;
	const struct fit_strategy_config *strategy = from->strategy;
	struct fit_args *to = made;
	to->strategy = strategy_of(strategy->type);
	if (strategy->ratio != NULL)
		shape_make(&strategy->ratio->shape, &to->shape);
	bool kept = args_intern_list(m, &from->ignored, to->ignored, &to->ignored_count) &&
		args_intern_list(
			m, &from->ignored_groups, to->ignored_groups, &to->ignored_group_count) &&
		make_resources(m, &strategy->resources, to->resources, &to->resource_count);
	return kept ? ARGS_MADE : ARGS_FULL;
}

const struct plugin_args fit_arguments = {.fields = &fit_form,
	.check = fit_args_check,
	.size = sizeof(struct fit_args),
	.make = fit_args_make,
	.place = 1};

/* ---- NodeResourcesBalancedAllocation ---- */

static void prepare_balanced(void *to)
{
	((struct balanced_config *)to)->resources = default_resource_list;
}
static const struct field balanced_fields[] = {
	{.name = "resources",
		.type = FIELD_LIST,
		.is_shown = true,
		.at = offsetof(struct balanced_config, resources),
		.inside = &fit_resource_form,
		.most = PLUGIN_RESOURCES_MAX},
};
static const struct fields balanced_form = {.list = balanced_fields,
	.count = ARRAY_COUNT(balanced_fields),
	.size = sizeof(struct balanced_config),
	.prepare = prepare_balanced};

static void balanced_args_check(struct args_report *report, const void *of)
{
	const struct balanced_config *args = of;
	const struct config_resource *resources =
		CONFIG_LIST(args->resources, struct config_resource);
	struct args_path path;
	for (uint32_t i = 0; i < args->resources.count; i++) {
		uint32_t first = 0;
		while (!text_is(resources[first].name, resources[i].name))
			first++;
		if (first < i)
			report->refuse_duplicate(report, args_path(&path, "resources[%u].name", i),
				resources[i].name);
		if (resources[i].weight != 1)
			report->refuse(report, args_path(&path, "resources[%u].weight", i),
				"Invalid value: %lld: must be 1", (long long)resources[i].weight);
	}
}

static enum args_result balanced_args_make(const struct args_making *m, const void *of, void *made)
{
	const struct balanced_config *from = of;
	struct balanced_args *to = made;
	return make_resources(m, &from->resources, to->resources, &to->resource_count) ? ARGS_MADE
										       : ARGS_FULL;
}

const struct plugin_args balanced_arguments = {.fields = &balanced_form,
	.check = balanced_args_check,
	.size = sizeof(struct balanced_args),
	.make = balanced_args_make,
	.place = 2};
