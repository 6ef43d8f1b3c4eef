/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose object was too big? What was kept of it is canonical JSON with its end cut off, so a
 * simple walk over strings and brackets finds metadata.name and metadata.namespace, at the top
 * of an item or below `object` in a watch line.
 */
#include "json/json.h"

/* What is looked for on the way down; depth 1 is inside the piece's own braces. */
struct name_scan {
	struct text rest;
	uint32_t depth;
	uint32_t metadata_depth; /* 0: not inside it */
	struct text key;         /* the last key; TEXT_NONE when a value has followed it */
	struct text object_key;  /* the key at depth 1 that leads to where we are */
	struct text name;
	struct text namespace;
};

/* The string that begins at rest; false when its end was cut off. */
static bool take_string(struct name_scan *scan, struct text *string)
{
	size_t at = 1;

	while (at < scan->rest.size && scan->rest.at[at] != '"')
		at += scan->rest.at[at] == '\\' ? 2 : 1;
	if (at >= scan->rest.size)
		return false;
	*string = (struct text){scan->rest.at + 1, at - 1};
	scan->rest = text_from(scan->rest, at + 1);
	return true;
}

static void see_string(struct name_scan *scan, struct text string)
{
	if (scan->rest.size > 0 && scan->rest.at[0] == ':' && scan->key.at == NULL) {
		scan->key = string;
		if (scan->depth == 1)
			scan->object_key = string;
		return;
	}
	if (scan->depth == scan->metadata_depth) {
		if (text_is_z(scan->key, "name") && scan->name.at == NULL)
			scan->name = string;
		if (text_is_z(scan->key, "namespace") && scan->namespace.at == NULL)
			scan->namespace = string;
	}
	scan->key = TEXT_NONE;
}

/* False: all that matters was seen. */
static bool see_bracket(struct name_scan *scan, char bracket)
{
	if (bracket == '}' || bracket == ']')
		return scan->depth-- != scan->metadata_depth;
	scan->depth++;
	if (bracket == '{' && text_is_z(scan->key, "metadata") &&
		(scan->depth == 2 || (scan->depth == 3 && text_is_z(scan->object_key, "object"))))
		scan->metadata_depth = scan->depth;
	scan->key = TEXT_NONE;
	return true;
}

static void scan_name(struct name_scan *scan)
{
	struct text string;

	while (scan->rest.size > 0) {
		char c = scan->rest.at[0];

		if (c == '"') {
			if (!take_string(scan, &string))
				return;
			see_string(scan, string);
			continue;
		}
		if ((c == '{' || c == '[' || c == '}' || c == ']') && !see_bracket(scan, c))
			return;
		if (c == ',')
			scan->key = TEXT_NONE;
		scan->rest = text_from(scan->rest, 1);
	}
}

struct text json_scan_name(struct text piece, char *to, size_t size)
{
	struct name_scan scan = {.rest = piece, .key = TEXT_NONE};
	struct writer out;

	scan_name(&scan);
	if (scan.name.at == NULL)
		return TEXT_NONE;
	writer_init(&out, to, size);
	if (scan.namespace.at != NULL) {
		write_text(&out, scan.namespace);
		write_char(&out, '/');
	}
	write_text(&out, scan.name);
	return out.overflowed ? TEXT_NONE : writer_text(&out);
}
