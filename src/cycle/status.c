/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rejections as words, kept once however many nodes say the same.
 */
#include "cycle/evaluation.h"

static bool says_the_same(const struct cycle_status *status, const struct plugin_reasons *why,
	enum plugin_code code, uint8_t plugin)
{
	if (status->code != code || status->plugin != plugin || status->reason_count != why->count)
		return false;
	for (uint32_t i = 0; i < why->count; i++)
		if (!text_is(status->reasons[i], why->list[i]))
			return false;
	return true;
}

static bool copy_reasons(
	struct scratch *scratch, const struct plugin_reasons *why, struct cycle_status *status)
{
	status->reasons = SCRATCH_ARRAY(scratch, struct text, (size_t)why->count + 1);
	for (uint32_t i = 0; status->reasons != NULL && i < why->count; i++) {
		char *copy = scratch_take(scratch, why->list[i].size + 1);
		if (copy == NULL)
			return false;
		if (why->list[i].size > 0)
			memcpy(copy, why->list[i].at, why->list[i].size);
		status->reasons[i] = (struct text){copy, why->list[i].size};
	}
	return status->reasons != NULL;
}

bool evaluation_keep_status(struct evaluation *e, struct scratch_mark mark,
	const struct plugin_reasons *why, enum plugin_code code, uint8_t plugin,
	struct cycle_status *status)
{
	for (uint32_t i = 0; i < e->known_count; i++) {
		if (!says_the_same(&e->known[i], why, code, plugin))
			continue;
		*status = e->known[i];
		scratch_rewind(e->d.scratch, mark);
		return true;
	}
	/* A new one is rare: what it used of scratch stays used. */
	*status = (struct cycle_status){code, plugin, why->count, NULL};
	if (!copy_reasons(e->d.scratch, why, status)) {
		*status = (struct cycle_status){0}; /* the decision fails; this is not shown */
		return false;
	}
	if (e->known_count < CYCLE_KNOWN_STATUSES)
		e->known[e->known_count++] = *status;
	return true;
}

bool evaluation_fail(struct evaluation *e, enum plugin_point point, const char *plugin)
{
	const char *cause = e->d.error == NULL ? "out of scratch memory" : e->d.error;
	e->error = cause;
	e->failed_filter = point == PLUGIN_AT_FILTER ? plugin : NULL;
	size_t size;
	char *rest = plugin == NULL ? NULL : scratch_take_rest(e->d.scratch, &size);
	if (rest == NULL)
		return false;
	struct writer w;
	writer_init(&w, rest, size);
	if (point == PLUGIN_AT_PRE_FILTER)
		write_format(&w, "running PreFilter plugin \"%s\": %s", plugin, cause);
	else if (point == PLUGIN_AT_FILTER)
		write_format(&w, "running \"%s\" filter plugin: %s", plugin, cause);
	else if (point == PLUGIN_AT_PRE_SCORE)
		write_format(&w, "running PreScore plugin \"%s\": %s", plugin, cause);
	else
		write_format(
			&w, "running Score plugins: plugin \"%s\" failed with: %s", plugin, cause);
	write_char(&w, '\0');
	scratch_keep(e->d.scratch, rest, w.overflowed ? 0 : w.used);
	if (!w.overflowed)
		e->error = rest;
	return false;
}

void evaluation_miss_state(struct evaluation *e, const char *point, uint8_t id)
{
	enum { SIZE = 128 };
	char *at = scratch_take(e->d.scratch, SIZE);
	e->d.error = "the plugin's state was not found";
	if (at == NULL)
		return;
	struct writer w;
	writer_init(&w, at, SIZE - 1);
	write_format(&w, "reading \"%s%s\" from cycleState: not found", point, plugins[id]->name);
	if (!w.overflowed)
		e->d.error = at; /* scratch is zero behind what was written */
}
