/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SchedulingGates: a pod with gates does not enter the queue.
 */
#include "plugins/plugins.h"

const char *plugin_gated(
	const struct cache *cache, const struct kube_pod_template *class, struct scratch *scratch)
{
	if (class->gates.count == 0)
		return NULL;
	size_t size;
	char *rest = scratch_take_rest(scratch, &size);
	if (rest == NULL)
		return "waiting for scheduling gates";
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
	write_char(&w, '\0');
	scratch_keep(scratch, rest, w.used);
	return w.overflowed ? "waiting for scheduling gates" : rest;
}
