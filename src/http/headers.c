/* SPDX-License-Identifier: GPL-2.0-only */
#include "http/headers_private.h"

#include <string.h>

#include "base/chars.h"
#include "http/chars_private.h"

/* More digits could be more than 64 bits. */
enum { LENGTH_DIGITS_MAX = 18 };

enum { AT_START, IN_NAME, IN_VALUE, AT_END };

static enum http_headers_step headers_fail(struct http_headers *headers, const char *fault)
{
	headers->fault = fault;
	return HTTP_HEADERS_BROKEN;
}

static void keep_char(struct http_headers *headers, struct http_room room, char c)
{
	if (headers->used < room.size)
		room.at[headers->used++] = c;
	else
		headers->is_cut = true;
}

static enum http_headers_step start_line(
	struct http_headers *headers, struct http_room room, uint16_t max, char c)
{
	if (c == '\r') {
		headers->state = AT_END;
		headers->seen_cr = true;
		return HTTP_HEADERS_MORE;
	}
	if (++headers->count > max) {
		headers->fault = "too many headers";
		return HTTP_HEADERS_TOO_MANY;
	}
	if (!http_is_token(c))
		return headers_fail(headers, "a header without a name");
	headers->state = IN_NAME;
	headers->is_cut = false;
	headers->name_from = headers->used;
	keep_char(headers, room, char_lower(c));
	return HTTP_HEADERS_MORE;
}

static enum http_headers_step name_byte(struct http_headers *headers, struct http_room room, char c)
{
	if (c != ':') {
		if (!http_is_token(c))
			return headers_fail(headers, "a broken header name");
		keep_char(headers, room, char_lower(c));
		return HTTP_HEADERS_MORE;
	}
	headers->name_size = headers->used - headers->name_from;
	keep_char(headers, room, ':');
	headers->value_from = headers->used;
	headers->state = IN_VALUE;
	return HTTP_HEADERS_MORE;
}

static enum http_headers_step value_byte(
	struct http_headers *headers, struct http_room room, char c)
{
	if (c == '\r') {
		headers->seen_cr = true;
		return HTTP_HEADERS_MORE;
	}
	if (!http_is_text(c))
		return headers_fail(headers, "a control character in a header");
	if (http_is_space(c) && headers->used == headers->value_from)
		return HTTP_HEADERS_MORE;
	keep_char(headers, room, c);
	return HTTP_HEADERS_MORE;
}

static enum http_headers_step line_is_over(struct http_headers *headers, struct http_room room)
{
	bool is_end = headers->state == AT_END;

	headers->state = AT_START;
	if (is_end)
		return HTTP_HEADERS_END;
	while (headers->used > headers->value_from && http_is_space(room.at[headers->used - 1]))
		headers->used--;
	return HTTP_HEADERS_LINE;
}

enum http_headers_step http_headers_feed(
	struct http_headers *headers, struct http_room room, uint16_t max, char c)
{
	if (headers->seen_cr) {
		headers->seen_cr = false;
		return c == '\n' ? line_is_over(headers, room)
				 : headers_fail(headers, "a lone carriage return");
	}
	switch (headers->state) {
	case AT_START: return start_line(headers, room, max, c);
	case IN_NAME: return name_byte(headers, room, c);
	case IN_VALUE: return value_byte(headers, room, c);
	default: CHECK_NEVER("the end is followed by a line feed");
	}
}

/* ---- the body ---- */

static const char *length_take(struct http_framing *framing, struct text value)
{
	if (framing->sized)
		return "two Content-Length headers";
	if (value.size > LENGTH_DIGITS_MAX || !text_to_u64(value, &framing->length))
		return "Content-Length is not a number";
	framing->sized = true;
	return NULL;
}

static const char *coding_take(struct http_framing *framing, struct text value)
{
	if (framing->chunked)
		return "two Transfer-Encoding headers";
	framing->other_coding = !text_is_folded(value, TEXT("chunked"));
	if (framing->other_coding)
		return "a transfer coding other than chunked";
	framing->chunked = true;
	return NULL;
}

const char *http_framing_take(
	struct http_framing *framing, const struct http_headers *headers, struct http_room room)
{
	struct text name = http_headers_name(headers, room);
	struct text value = http_headers_value(headers, room);
	struct text part;

	bool is_length = text_is_z(name, "content-length");
	if (is_length || text_is_z(name, "transfer-encoding"))
		return headers->is_cut ? "a header about the body is too long"
			: is_length    ? length_take(framing, value)
				       : coding_take(framing, value);
	if (!text_is_z(name, "connection"))
		return NULL;
	/* A list too long to look at may say close; a new connection is never wrong. */
	framing->close_asked = framing->close_asked || headers->is_cut;
	while (text_cut(&value, ',', &part)) {
		part = text_trim(part);
		framing->close_asked = framing->close_asked || text_is_folded(part, TEXT("close"));
		framing->keep_asked =
			framing->keep_asked || text_is_folded(part, TEXT("keep-alive"));
	}
	return NULL;
}

const char *http_framing_fault(const struct http_framing *framing, bool http_1_0)
{
	if (!framing->chunked)
		return NULL;
	if (framing->sized)
		return "Content-Length and chunked together";
	return http_1_0 ? "chunked in HTTP/1.0" : NULL;
}
