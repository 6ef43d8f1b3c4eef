/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sniffing: what bytes are, before anything reads them for good.
 */
#ifndef BERTH_COMMAND_SNIFF_H
#define BERTH_COMMAND_SNIFF_H

#include "base/text.h"

enum sniff_format {
	SNIFF_EMPTY, /* white space */
	SNIFF_JSON,
	SNIFF_YAML, /* or anything else that is text */
	SNIFF_GZIP,
	SNIFF_UTF16
};

/* Of a file's first bytes; *skip is what stands before the text (a byte order mark). */
enum sniff_format sniff_format(struct text bytes, size_t *skip);

enum sniff_shape {
	SNIFF_MORE, /* these bytes do not say */
	SNIFF_LIST, /* an object with items */
	SNIFF_OBJECT
};

/*
 * Of bytes that begin with '{'. kind is the list's, TEXT_NONE when it does not stand before the
 * items; first_item is where the first of them begins, 0 when that is not among the bytes.
 * Broken JSON is an object: its reader finds out.
 */
enum sniff_shape sniff_shape(struct text bytes, struct text *kind, size_t *first_item);

/* White space of JSON and YAML. */
static inline bool sniff_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
