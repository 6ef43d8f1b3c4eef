/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reasons: why a plugin rejects a pod, in its words.
 */
#include <stdio.h>

#include "plugins/plugins.h"

void plugin_because(struct plugin_reasons *why, const char *reason)
{
	if (why == NULL || why->count == PLUGIN_REASONS_MAX)
		return;
	why->list[why->count++] = text_of(reason);
}

void plugin_because_of(struct plugin_reasons *why, const char *format, ...)
{
	if (why == NULL || why->count == PLUGIN_REASONS_MAX)
		return;
	size_t size;
	char *rest = scratch_take_rest(why->scratch, &size);
	if (rest == NULL)
		return;
	struct writer w;
	writer_init(&w, rest, size);
	va_list args;
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	scratch_keep(why->scratch, rest, w.used);
	if (w.overflowed)
		why->scratch->overflowed = true;
	else
		why->list[why->count++] = writer_text(&w);
}
