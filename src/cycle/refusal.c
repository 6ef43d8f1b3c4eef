/* SPDX-License-Identifier: GPL-2.0-only */
/* What a refusal after the choice comes to. */
#include "cycle/refusal.h"

struct text cycle_plugin_error(
	const char *point, const char *plugin, struct text error, struct scratch *scratch)
{
	size_t room = strlen(point) + strlen(plugin) + error.size + 32;
	char *at = scratch_take(scratch, room);
	if (at == NULL)
		return error;
	struct writer w;
	writer_init(&w, at, room);
	write_format(&w, "running %s plugin \"%s\": %.*s", point, plugin, TEXT_ARGS(error));
	CHECK(!w.overflowed);
	return writer_text(&w);
}

void cycle_refused(const struct binding_points *points, enum plugin_code code, const char *point,
	const struct plugin_reasons *why, struct scratch *scratch, struct schedule_result *result)
{
	bool is_rejection = code == PLUGIN_UNSCHEDULABLE || code == PLUGIN_UNRESOLVABLE ||
		code == PLUGIN_PENDING;
	CHECK(points->rejector < PLUGIN_COUNT);
	*result = (struct schedule_result){
		.outcome = is_rejection ? CYCLE_REJECTED : CYCLE_FAILED,
		.preemption.clear_nomination = true,
	};
	if (is_rejection) {
		result->message = cycle_refusal_text(why, scratch);
		plugin_set_add(&result->rejectors, points->rejector);
		return;
	}
	result->message = cycle_plugin_error(point, plugins[points->rejector]->name,
		why->count > 0 ? why->list[0] : TEXT("no reason was given"), scratch);
}
