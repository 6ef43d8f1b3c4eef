/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Header lines, of requests, answers and trailers, one byte at a time, and what they say about the
 * body that follows.
 *
 * What RFC 9112 leaves to the reader is decided towards refusing, since a proxy between the two
 * ends may read it differently: lines end with CR LF and nothing else, no folded headers, no space
 * before a colon, one Content-Length of digits or one "chunked", never both, no other transfer
 * coding.
 */
#ifndef BERTH_HTTP_HEADERS_PRIVATE_H
#define BERTH_HTTP_HEADERS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

enum http_headers_step {
	HTTP_HEADERS_MORE,
	HTTP_HEADERS_LINE, /* a header is complete: http_headers_name() and _value() */
	HTTP_HEADERS_END,
	HTTP_HEADERS_BROKEN, /* `fault` says what */
	HTTP_HEADERS_TOO_MANY
};

struct http_headers {
	const char *fault;
	/* The header is longer than its room, and what did not fit was not kept. */
	bool is_cut;
	/* private */
	bool seen_cr;
	uint8_t state;
	uint16_t count;
	uint32_t used; /* of the room */
	uint32_t name_from, name_size, value_from;
};

/* Where lines are kept: "name:value", names in small letters. */
struct http_room {
	char *at;
	uint32_t size;
};

/* The next line begins at `used` of the room. */
MUST_USE enum http_headers_step http_headers_feed(
	struct http_headers *headers, struct http_room room, uint16_t max, char c);

static inline struct text http_headers_name(
	const struct http_headers *headers, struct http_room room)
{
	return (struct text){room.at + headers->name_from, headers->name_size};
}

/* Without the spaces around it. */
static inline struct text http_headers_value(
	const struct http_headers *headers, struct http_room room)
{
	return (struct text){room.at + headers->value_from, headers->used - headers->value_from};
}

/* ---- the body ---- */

struct http_framing {
	bool sized, chunked;
	bool other_coding; /* the fault is one that the reader may name apart */
	bool close_asked, keep_asked;
	uint64_t length; /* when sized */
};

/* What is wrong with the header, or NULL; headers about other things are passed over. */
const char *http_framing_take(
	struct http_framing *framing, const struct http_headers *headers, struct http_room room);
/* What is wrong with all of them together, or NULL. */
const char *http_framing_fault(const struct http_framing *framing, bool http_1_0);

#endif
