/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SchedulingGates: a pod with gates does not enter the queue.
 */
#include "plugins/hints.h"

static enum plugin_code scheduling_gates_pre_enqueue(
	const struct cache *cache, uint32_t pod, struct plugin_reasons *why)
{
	const struct kube_pod_template *class = cache_template_of(cache, cache_pod_at(cache, pod));
	if (class->gates.count == 0)
		return PLUGIN_SUCCESS;
	size_t size;
	char *rest = why == NULL ? NULL : scratch_take_rest(why->scratch, &size);
	if (rest == NULL) {
		plugin_because(why, "waiting for scheduling gates");
		return PLUGIN_UNRESOLVABLE;
	}
	struct writer w;
	writer_init(&w, rest, size);
	write_z(&w, "waiting for scheduling gates: [");
	const uint32_t *gates = KUBE_AT(class, class->gates, uint32_t);
	for (uint32_t i = 0; i < class->gates.count; i++) {
		if (i > 0)
			write_char(&w, ' ');
		write_text(&w, cache_text(cache, gates[i]));
	}
	write_char(&w, ']');
	scratch_keep(why->scratch, rest, w.used);
	if (w.overflowed)
		plugin_because(why, "waiting for scheduling gates");
	else if (why->count < PLUGIN_REASONS_MAX)
		why->list[why->count++] = writer_text(&w);
	return PLUGIN_UNRESOLVABLE;
}

const struct plugin plugin_scheduling_gates = {.name = "SchedulingGates",
	.defaults = PLUGIN_IN_ALL,
	.in_every_policy = true,
	.helps = PLUGIN_HELPS({"", "Whatever put the gates there has to take them away."}),
	.pre_enqueue = scheduling_gates_pre_enqueue,
	.events = PLUGIN_EVENTS({KUBE_POD, CACHE_UPDATE_POD_GATES | PLUGIN_OF_ITSELF, hint_self})};
