/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP: reads one HTTP/1.1 answer from bytes in any slicing. Nothing is buffered but the few
 * header values that are looked at; the body passes through. Strict: what two readers could
 * understand in two ways is refused.
 */
#ifndef BERTH_HTTP_PARSER_PRIVATE_H
#define BERTH_HTTP_PARSER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "http/headers_private.h"

enum {
	HTTP_HEAD_MAX =
		64 * 1024, /* bytes of status line and headers, of chunk lines, of trailers */
	HTTP_HEADERS_MAX = 128,
	HTTP_INTERIM_MAX = 8, /* 1xx answers before the real one */
	HTTP_LINE_MAX = 96    /* of a header that is looked at: of longer ones the rest is not */
};

enum http_step {
	HTTP_NEED_MORE, /* every byte was taken */
	HTTP_BODY,      /* a part of the body; feed again */
	HTTP_DONE,      /* the answer is complete; bytes may be left over */
	HTTP_BROKEN,    /* `fault` says what */
	HTTP_TOO_BIG
};

enum http_state {
	HTTP_STATUS_LINE,
	HTTP_HEADERS,
	HTTP_BODY_SIZED,
	HTTP_BODY_TO_END,
	HTTP_CHUNK_SIZE,
	HTTP_CHUNK_EXTENSION,
	HTTP_CHUNK_DATA,
	HTTP_CHUNK_DATA_END,
	HTTP_FINISHED,
	HTTP_FAILED
};

struct http {
	enum http_state state;
	uint16_t status;       /* 0 until the head is complete */
	bool keep_alive;       /* good when done */
	int64_t retry_after_s; /* -1: not said (or said as a date) */
	int64_t date_s;        /* since 1970; -1: not said, or not as RFC 9110 wants it */
	const char *fault;
	/* private */
	bool seen_cr, in_trailer, http_1_0, too_big;
	uint16_t status_read;
	uint32_t line_at; /* position in the line under way */
	uint32_t head_bytes, interims;
	uint64_t left; /* bytes of body or chunk still to come */
	struct http_framing framing;
	struct http_headers headers;
	char line[HTTP_LINE_MAX]; /* the header under way */
};

void http_start(struct http *http);

/* For the body of a request whose head was read elsewhere: in chunks, or `size` bytes. */
void http_start_body(struct http *http, bool chunked, uint64_t size);

/*
 * Takes bytes off the front of *bytes until it has something to say. HTTP_BODY: *body is a
 * part of what *bytes was. Constant work per byte; body bytes are not looked at.
 */
MUST_USE enum http_step http_feed(struct http *http, struct text *bytes, struct text *body);

/* The peer closed in order: HTTP_DONE when that is how this answer ends, else HTTP_BROKEN. */
MUST_USE enum http_step http_end(struct http *http);

#endif
