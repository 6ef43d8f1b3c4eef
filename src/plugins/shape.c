/* SPDX-License-Identifier: GPL-2.0-only */
#include "plugins/shape.h"

#include "cache/cache.h"

static const struct field shape_fields[] = {
	FIELD("utilization", FIELD_I32, offsetof(struct config_shape_point, utilization), NULL, 0),
	FIELD("score", FIELD_I32, offsetof(struct config_shape_point, score), NULL, 0),
};
const struct fields shape_form = {.list = shape_fields,
	.count = ARRAY_COUNT(shape_fields),
	.size = sizeof(struct config_shape_point)};

static void shape_point_check(struct args_report *report, const char *where, uint32_t i,
	const struct config_shape_point *point)
{
	struct args_path path;
	if (point->utilization < 0 || point->utilization > 100)
		report->refuse(report, args_path(&path, "%sshape[%u].utilization", where, i),
			"Invalid value: %d: not in valid range [0, 100]", point->utilization);
	if (point->score < 0 || point->score > 10)
		report->refuse(report, args_path(&path, "%sshape[%u].score", where, i),
			"Invalid value: %d: not in valid range [0, 10]", point->score);
}

void shape_check(struct args_report *report, const char *where, const struct config_list *list)
{
	const struct config_shape_point *shape = CONFIG_LIST(*list, struct config_shape_point);
	struct args_path path;
	bool sorted = true;
	if (list->count == 0)
		report->refuse(report, args_path(&path, "%sshape", where),
			"Required value: at least one point must be specified");
	for (uint32_t i = 0; i < list->count; i++) {
		if (i > 0 && sorted && shape[i - 1].utilization >= shape[i].utilization) {
			sorted = false;
			report->refuse(report,
				args_path(&path, "%sshape[%u].utilization", where, i),
				"Invalid value: %d: values must be sorted in increasing order",
				shape[i].utilization);
		}
		shape_point_check(report, where, i, &shape[i]);
	}
}

void shape_make(const struct config_list *list, struct plugin_shape *shape)
{
	const struct config_shape_point *from = CONFIG_LIST(*list, struct config_shape_point);
	CHECK(list->count <= PLUGIN_SHAPE_MAX);
	shape->count = list->count;
	for (uint32_t i = 0; i < list->count; i++)
		shape->points[i] = (struct plugin_shape_point){from[i].utilization, from[i].score};
}

int64_t shape_score(const struct plugin_shape *shape, int64_t utilization)
{
	const struct plugin_shape_point *points = shape->points;
	for (uint32_t i = 0; i < shape->count; i++) {
		if (utilization > points[i].utilization)
			continue;
		if (i == 0)
			return points[0].score * 10;
		int64_t x0 = points[i - 1].utilization;
		int64_t y0 = points[i - 1].score * 10;
		return y0 +
			(points[i].score * 10 - y0) * (utilization - x0) /
			(points[i].utilization - x0);
	}
	return shape->count == 0 ? 0 : points[shape->count - 1].score * 10;
}

int64_t shape_percent(int64_t value, int64_t of)
{
	int64_t hundredfold = cache_times(value, 100);
	return of == -1 ? cache_minus(0, hundredfold) : hundredfold / of;
}
