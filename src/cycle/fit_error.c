/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words of a pod that fits nowhere: how many nodes refuse it for which reason.
 */

#include "base/sort.h"
#include "cycle/evaluation.h"
#include "cycle/refusal.h"

enum { FIT_REASONS_MAX = 512 };

struct reason {
	struct text text;
	uint32_t nodes; /* how many gave it */
};

struct tally { /* distinct reasons */
	struct reason *reasons;
	size_t count, room;
};

static void tally_add(struct tally *tally, struct text reason, uint32_t nodes)
{
	struct reason *r = tally->reasons, *end = r + tally->count;
	while (r < end && (r->text.at != reason.at || r->text.size != reason.size) &&
		!text_is(r->text, reason))
		r++;
	if (r < end)
		r->nodes += nodes;
	else if (tally->count < tally->room)
		tally->reasons[tally->count++] = (struct reason){reason, nodes};
}

static void tally_status(struct tally *tally, const struct cycle_status *status, uint32_t nodes)
{
	for (uint32_t i = 0; i < status->reason_count && nodes > 0; i++)
		tally_add(tally, status->reasons[i], nodes);
}

/* "<count> <reason>" sorted bytewise, so that "10 x" comes before "2 y". */
static void write_tally(struct scratch *scratch, const struct tally *tally, struct writer *out)
{
	struct text *lines = SCRATCH_ARRAY(scratch, struct text, tally->count + 1);
	for (size_t i = 0; lines != NULL && i < tally->count; i++) {
		struct text reason = tally->reasons[i].text;
		size_t size = reason.size + 12;
		char *line = scratch_take(scratch, size);
		if (line == NULL)
			return;
		struct writer w;
		writer_init(&w, line, size);
		write_u64(&w, tally->reasons[i].nodes);
		write_char(&w, ' ');
		write_text(&w, reason);
		lines[i] = writer_text(&w);
	}
	if (lines == NULL)
		return;
	sort_texts(lines, tally->count);
	for (size_t i = 0; i < tally->count; i++) {
		write_z(out, i == 0 ? " " : ", ");
		write_text(out, lines[i]);
	}
	if (tally->count > 0)
		write_char(out, '.');
}

static void tally_nodes(struct evaluation *e, const struct cycle_status *statuses,
	const struct cycle_status *absent, struct tally *tally)
{
	uint32_t with_status = 0;
	for (uint32_t i = 0; statuses != NULL && i < e->node_count; i++) {
		const struct cycle_status *status = &statuses[e->nodes[i]];
		if (status->code == PLUGIN_SUCCESS)
			continue;
		with_status++;
		tally_status(tally, status, 1);
	}
	tally_status(tally, absent, e->node_count - with_status);
}

struct text fit_error_text(struct evaluation *e, const struct cycle_status *statuses,
	const struct cycle_status *absent, struct text prefilter_message, struct text post_message)
{
	struct scratch *scratch = e->d.scratch;
	size_t room;
	struct tally tally = {.reasons = scratch_take_rest(scratch, &room)};
	tally.room = room / sizeof(struct reason);
	if (tally.room > FIT_REASONS_MAX)
		tally.room = FIT_REASONS_MAX;
	if (prefilter_message.size == 0 && tally.room > 0)
		tally_nodes(e, statuses, absent, &tally);
	scratch_keep(scratch, tally.reasons, tally.count * sizeof(struct reason));
	room = 128 + prefilter_message.size + post_message.size;
	for (size_t i = 0; i < tally.count; i++)
		room += tally.reasons[i].text.size + 16;
	char *at = scratch_take(scratch, room);
	if (at == NULL)
		return TEXT("no room for the reasons");
	struct writer w;
	writer_init(&w, at, room);
	write_format(&w, "0/%u nodes are available:", e->node_count);
	if (prefilter_message.size > 0)
		write_format(&w, " %.*s.", TEXT_ARGS(prefilter_message));
	else
		write_tally(scratch, &tally, &w);
	if (post_message.size > 0) {
		write_char(&w, ' ');
		write_text(&w, post_message);
	}
	return writer_text(&w);
}

struct text cycle_refusal_text(const struct plugin_reasons *why, struct scratch *scratch)
{
	struct reason reasons[PLUGIN_REASONS_MAX];
	struct tally tally = {.reasons = reasons, .room = PLUGIN_REASONS_MAX};
	size_t room = 64;
	for (uint32_t i = 0; i < why->count; i++) {
		tally_add(&tally, why->list[i], 1);
		room += why->list[i].size + 16;
	}
	char *at = scratch_take(scratch, room);
	if (at == NULL)
		return TEXT("no room for the reasons");
	struct writer w;
	writer_init(&w, at, room);
	write_z(&w, "0/1 nodes are available:");
	write_tally(scratch, &tally, &w);
	return writer_text(&w);
}

struct text cycle_status_message(struct evaluation *e, const struct cycle_status *status)
{
	size_t room = 1;
	for (uint32_t i = 0; i < status->reason_count; i++)
		room += status->reasons[i].size + 2;
	char *at = scratch_take(e->d.scratch, room);
	if (at == NULL)
		return TEXT("no room for the reasons");
	struct writer w;
	writer_init(&w, at, room);
	for (uint32_t i = 0; i < status->reason_count; i++) {
		if (i > 0)
			write_z(&w, ", ");
		write_text(&w, status->reasons[i]);
	}
	return writer_text(&w);
}
