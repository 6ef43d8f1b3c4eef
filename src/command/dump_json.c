/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON of a dump: objects and lists, one after the other, cut while they are read.
 *
 * Lines. The cutter does not say where in the bytes it was when an object ended, so it is fed in
 * segments that end with lines that only close something: an object of indented JSON ends with
 * its segment. What is not indented stands on one line.
 */
#include <string.h>

#include "command/dump_private.h"
#include "command/sniff.h"

enum { SEGMENT_INDENT_MAX = 8 };

/* Does the line close an object at little depth? */
static bool is_closing(const char *at, const char *end)
{
	for (int i = 0; at < end && i <= SEGMENT_INDENT_MAX; at++, i++)
		if (*at == '}')
			return true;
		else if (*at != ' ' && *at != '\t')
			return false;
	return false;
}

static struct text dump_json_segment(const struct source *s)
{
	struct text left = source_left(s);
	const char *line = left.at;
	const char *end = left.at + left.size;
	for (;;) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));
		if (feed == NULL)
			return left;
		if (is_closing(line, feed))
			return text_first(left, (size_t)(feed + 1 - left.at));
		line = feed + 1;
	}
}

static bool dump_json_on_piece(void *self, struct json_piece piece)
{
	struct source *s = self;
	/* The end of the list: what comes behind it is for the next one. */
	if (piece.kind == JSON_PIECE_ENVELOPE) {
		if (text_contains(piece.text, TEXT("\"lacks\":true")))
			dump_warn(s, 0,
				"it is what berth keeps, without volumes, claims, images, budgets, "
				"affinity and spreading: pods that have them may be placed where "
				"they do not fit");
		return false;
	}
	if (!dump_piece(s, piece))
		return false;
	return s->is_list;
}

/* ---- one document ---- */

/* Bytes that begin with '{': a list or an object? */
static void find_shape(struct source *s)
{
	struct text kind;
	size_t first_item;
	enum sniff_shape shape = sniff_shape(source_left(s), &kind, &first_item);
	while (shape == SNIFF_MORE && source_fill(s))
		shape = sniff_shape(source_left(s), &kind, &first_item);
	s->is_list = shape == SNIFF_LIST;
	s->piece_line = s->line;
	for (size_t i = 0; i < first_item; i++)
		s->piece_line += s->at[s->start + i] == '\n';
	source_set_list_kind(s, kind);
}

static void dump_json_start_cut(struct source *s)
{
	s->pieces = 0;
	bool is_array = s->at[s->start] == '[';
	if (is_array) {
		s->is_list = true;
		s->piece_line = s->line;
		source_set_list_kind(s, TEXT_NONE);
	} else {
		find_shape(s);
	}
	json_cut_start(s->dump->cut, s->is_list ? JSON_CUT_LIST : JSON_CUT_LINES, kube_any_want,
		dump_list_want, dump_json_on_piece, s);
	/* An array is the items of a list without its envelope. */
	if (is_array)
		(void)!json_cut_feed(s->dump->cut, TEXT("{\"items\":"));
}

static enum dump_result dump_json_refuse(struct source *s)
{
	source_take(s, 0);
	return dump_unreadable(s, s->line, "not JSON: %s", json_cut_fault(s->dump->cut));
}

/* The file ended inside of the document. */
static enum dump_result end_early(struct source *s, bool is_array)
{
	if (is_array && json_cut_feed(s->dump->cut, TEXT("}")) == JSON_CUT_STOPPED)
		return s->dump->full ? DUMP_FULL : DUMP_READ;
	return dump_unreadable(
		s, s->line, "ends in the middle of %s", s->is_list ? "a list" : "an object");
}

static enum dump_result dump_json_read_document(struct source *s)
{
	bool is_array = s->at[s->start] == '[';
	dump_json_start_cut(s);
	for (;;) {
		if (s->start == s->end && !source_fill(s))
			return end_early(s, is_array);
		uint32_t pieces = s->pieces;
		struct text bytes = dump_json_segment(s);
		uint64_t before = json_cut_offset(s->dump->cut);
		enum json_cut_result result = json_cut_feed(s->dump->cut, bytes);
		source_take(s, (size_t)(json_cut_offset(s->dump->cut) - before));
		if (s->dump->full)
			return DUMP_FULL;
		if (result == JSON_CUT_BROKEN)
			return dump_json_refuse(s);
		if (result == JSON_CUT_STOPPED)
			return DUMP_READ;
		if (s->pieces != pieces)
			s->piece_line = s->line;
		progress_tell(s->dump->progress, "reading", s->name, s->taken, s->size);
	}
}

enum dump_result dump_read_json(struct source *s)
{
	for (;;) {
		while (s->start < s->end && sniff_is_space(s->at[s->start]))
			source_take(s, 1);
		if (s->start == s->end) {
			if (source_fill(s))
				continue;
			return DUMP_READ;
		}
		char first = s->at[s->start];
		if (first != '{' && first != '[')
			return dump_unreadable(s, s->line,
				"'%c' where an object or a list of objects should begin",
				first < ' ' || first > '~' ? '?' : first);
		enum dump_result result = dump_json_read_document(s);
		if (result != DUMP_READ)
			return result;
	}
}
