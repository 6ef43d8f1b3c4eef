/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How full the volumes of a class would be: the fuller, the fewer points, unless the shape says
 * otherwise.
 */
#include "plugins/volume_capacity.h"

#include <math.h>

#include "plugins/shape.h"

struct volume_capacity *volume_capacity_of(
	struct volume_capacity *list, uint32_t *count, uint32_t class)
{
	for (uint32_t i = 0; i < *count; i++)
		if (list[i].class == class)
			return &list[i];
	list[*count] = (struct volume_capacity){.class = class};
	return &list[(*count)++];
}

int64_t volume_capacity_score(
	const struct plugin_shape *shape, const struct volume_capacity *list, uint32_t count)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < count; i++) {
		bool is_full = list[i].capacity == 0 || list[i].requested > list[i].capacity;
		sum += shape_score(
			shape, is_full ? 100 : shape_percent(list[i].requested, list[i].capacity));
	}
	return count == 0 ? 0 : (int64_t)round((double)sum / (double)count);
}

/* ---- arguments ---- */

static const struct field volume_binding_fields[] = {
	{.name = "bindTimeoutSeconds",
		.type = FIELD_I64,
		.at = offsetof(struct volume_binding_config, bind_timeout_seconds),
		.value = 600,
		.least = 0,
		.greatest = INT64_MAX,
		.why = "invalid BindTimeoutSeconds, should not be a negative value"},
	{.name = "shape",
		.type = FIELD_LIST,
		.at = offsetof(struct volume_binding_config, shape),
		.inside = &shape_form,
		.most = PLUGIN_SHAPE_MAX},
};

static void volume_binding_args_check(struct args_report *report, const void *of)
{
	const struct volume_binding_config *args = of;
	if (args->shape.count > 0)
		shape_check(report, "", &args->shape);
}

/* Thirty years are as good as for ever, and can be counted. */
static enum args_result volume_binding_args_make(
	const struct args_making *m, const void *from, void *made)
{
	static const struct plugin_shape usual = {.points = {{0, 10}, {100, 0}}, .count = 2};
	const struct volume_binding_config *args = from;
	struct volume_binding_args *to = made;
	const int64_t most = 1000 * 1000 * 1000;
	to->bind_timeout_seconds =
		args->bind_timeout_seconds < most ? args->bind_timeout_seconds : most;
	if (!feature_enabled(m->gates, FEATURE_StorageCapacityScoring))
		return ARGS_MADE;
	to->shape = usual;
	if (args->shape.count > 0)
		shape_make(&args->shape, &to->shape);
	return ARGS_MADE;
}

static const struct fields volume_binding_form = {.list = volume_binding_fields,
	.count = ARRAY_COUNT(volume_binding_fields),
	.size = sizeof(struct volume_binding_config)};
static const struct args_gated volume_binding_gated[] = {
	{"shape", {FEATURE_StorageCapacityScoring, FEATURE_StorageCapacityScoring},
		"Invalid value: unexpected field `shape`, remove it or turn on the feature gate "
		"StorageCapacityScoring"},
	{.field = NULL}};
const struct plugin_args volume_binding_arguments = {.fields = &volume_binding_form,
	.check = volume_binding_args_check,
	.size = sizeof(struct volume_binding_args),
	.make = volume_binding_args_make,
	.place = 7,
	.gated = volume_binding_gated};
