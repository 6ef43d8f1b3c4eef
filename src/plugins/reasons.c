/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reasons, and what plugins share: the generic normaliser.
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

void plugin_normalize_default(int64_t *scores, uint32_t count, bool reverse)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < count; i++)
		most = scores[i] > most ? scores[i] : most;
	for (uint32_t i = 0; i < count; i++) {
		int64_t scaled = most == 0 ? scores[i] : 100 * scores[i] / most;
		if (reverse)
			scaled = most == 0 ? 100 : 100 - scaled;
		scores[i] = scaled;
	}
}
