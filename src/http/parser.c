/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * HTTP answers: status line, headers, body by length, by chunks or to the end. As strict as
 * headers_private.h, and no switching of protocols.
 */
#include "http/parser_private.h"

#include <string.h>

#include "base/chars.h"
#include "base/clock.h"
#include "http/chars_private.h"

void http_start(struct http *http)
{
	memset(http, 0, sizeof(*http));
	http->retry_after_s = -1;
	http->date_s = -1;
}

void http_start_body(struct http *http, bool chunked, uint64_t size)
{
	http_start(http);
	http->left = chunked ? 0 : size;
	http->state = chunked ? HTTP_CHUNK_SIZE : size > 0 ? HTTP_BODY_SIZED : HTTP_FINISHED;
}

static enum http_step http_fail(struct http *http, const char *fault)
{
	http->state = HTTP_FAILED;
	http->fault = fault;
	return HTTP_BROKEN;
}

static enum http_step http_fail_too_big(struct http *http, const char *fault)
{
	http->too_big = true;
	http_fail(http, fault);
	return HTTP_TOO_BIG;
}

/* ---- headers that are looked at ---- */

/* "Sun, 06 Nov 1994 08:49:37 GMT", the one form that servers may send; else -1. */
static int64_t date_of(struct text value)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	static const struct {
		uint8_t at, size;
	} numbers[] = {{5, 2}, {12, 4}, {17, 2}, {20, 2}, {23, 2}};
	uint64_t n[ARRAY_COUNT(numbers)];
	int32_t month = 0;

	if (value.size != 29 || !text_ends(value, TEXT(" GMT")) || value.at[3] != ',')
		return -1;
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
		if (!text_to_u64((struct text){value.at + numbers[i].at, numbers[i].size}, &n[i]))
			return -1;
	while (month < 12 && memcmp(months + (size_t)month * 3, value.at + 8, 3) != 0)
		month++;
	if (month == 12 || n[1] < 1970 || n[0] < 1 || n[0] > 31 || n[2] > 23 || n[3] > 59 ||
		n[4] > 60)
		return -1;
	return wall_from_date((struct wall_date){.year = (int32_t)n[1],
				      .month = month + 1,
				      .day = (int32_t)n[0],
				      .hour = (int32_t)n[2],
				      .minute = (int32_t)n[3],
				      .second = (int32_t)n[4]})
		       .us /
		CLOCK_S_US;
}

static struct http_room answer_room(struct http *http)
{
	return (struct http_room){http->line, sizeof(http->line)};
}

static enum http_step take_answer_header(struct http *http)
{
	struct text name = http_headers_name(&http->headers, answer_room(http));
	struct text value = http_headers_value(&http->headers, answer_room(http));
	const char *fault = http->in_trailer
		? NULL
		: http_framing_take(&http->framing, &http->headers, answer_room(http));
	uint64_t seconds;

	http->headers.used = 0; /* only the line under way is kept */
	if (http->in_trailer)
		return HTTP_NEED_MORE;
	if (fault != NULL)
		return http_fail(http, fault);
	if (text_is_z(name, "date"))
		http->date_s = date_of(value);
	if (text_is_z(name, "retry-after") && value.size < 10 && text_to_u64(value, &seconds))
		http->retry_after_s = (int64_t)seconds;
	return HTTP_NEED_MORE;
}

/* ---- the end of the head ---- */

static enum http_step answer_head_is_complete(struct http *http)
{
	const struct http_framing *framing = &http->framing;
	const char *fault = http_framing_fault(framing, http->http_1_0);
	uint16_t status = http->status_read;

	if (http->in_trailer) {
		http->state = HTTP_FINISHED;
		return HTTP_DONE;
	}
	if (fault != NULL)
		return http_fail(http, fault);
	if (status < 200) {
		uint32_t interims = http->interims + 1;

		if (status == 101)
			return http_fail(http, "switching protocols was not asked for");
		if (interims > HTTP_INTERIM_MAX)
			return http_fail_too_big(http, "too many interim answers");
		http_start(http);
		http->interims = interims;
		return HTTP_NEED_MORE;
	}
	http->status = status;
	http->keep_alive = !framing->close_asked && !http->http_1_0;
	http->head_bytes = 0;
	http->left = framing->length;
	if (status == 204 || status == 304 || (framing->sized && framing->length == 0)) {
		http->state = HTTP_FINISHED;
		return HTTP_DONE;
	}
	if (framing->chunked) {
		http->state = HTTP_CHUNK_SIZE;
		http->line_at = 0;
		return HTTP_NEED_MORE;
	}
	if (!framing->sized)
		http->keep_alive = false;
	http->state = framing->sized ? HTTP_BODY_SIZED : HTTP_BODY_TO_END;
	return HTTP_NEED_MORE;
}

/* ---- one byte at a time: everything but bodies ---- */

/* "HTTP/1.1 200 reason": fixed up to the status, then any text. */
static enum http_step step_status_line(struct http *http, char c)
{
	static const char start[] = "HTTP/1.x ";
	uint32_t at = http->line_at++;

	if (at == 7) {
		if (c != '0' && c != '1')
			return http_fail(http, "not HTTP/1.1");
		http->http_1_0 = c == '0';
	} else if (at < 9) {
		if (c != start[at])
			return http_fail(http, "not an HTTP answer");
	} else if (at < 12) {
		if (c < '0' || c > '9')
			return http_fail(http, "the status is not a number");
		http->status_read = (uint16_t)(http->status_read * 10 + (c - '0'));
	} else if (c == '\r') {
		if (http->status_read < 100 || http->status_read > 599)
			return http_fail(http, "no such status");
		http->seen_cr = true;
	} else if ((at == 12 && c != ' ') || !http_is_text(c)) {
		return http_fail(http, "a broken status line");
	}
	return HTTP_NEED_MORE;
}

static enum http_step step_answer_headers(struct http *http, char c)
{
	switch (http_headers_feed(&http->headers, answer_room(http), HTTP_HEADERS_MAX, c)) {
	case HTTP_HEADERS_MORE: return HTTP_NEED_MORE;
	case HTTP_HEADERS_LINE: return take_answer_header(http);
	case HTTP_HEADERS_END: return answer_head_is_complete(http);
	case HTTP_HEADERS_TOO_MANY: return http_fail_too_big(http, http->headers.fault);
	default: return http_fail(http, http->headers.fault);
	}
}

static enum http_step step_chunk_size(struct http *http, char c)
{
	int digit = char_hex(c);

	if (digit >= 0) {
		if (http->line_at++ == 0)
			http->left = 0;
		if (http->line_at > 15)
			return http_fail(http, "a chunk of impossible size");
		http->left = http->left * 16 + (uint64_t)digit;
		return HTTP_NEED_MORE;
	}
	if (http->line_at == 0)
		return http_fail(http, "a chunk without a size");
	if (c == '\r') {
		http->seen_cr = true;
		return HTTP_NEED_MORE;
	}
	if (c != ';' && c != ' ' && c != '\t')
		return http_fail(http, "the size of a chunk is not a number");
	http->state = HTTP_CHUNK_EXTENSION;
	return HTTP_NEED_MORE;
}

static enum http_step step_chunk_extension(struct http *http, char c)
{
	if (c == '\r')
		http->seen_cr = true;
	else if (!http_is_text(c))
		return http_fail(http, "a control character in a chunk extension");
	return HTTP_NEED_MORE;
}

/* A line feed that follows a carriage return: a line other than a header is complete. */
static enum http_step answer_line_is_complete(struct http *http)
{
	switch (http->state) {
	case HTTP_STATUS_LINE: http->state = HTTP_HEADERS; break;
	case HTTP_CHUNK_SIZE:
	case HTTP_CHUNK_EXTENSION:
		http->line_at = 0;
		http->in_trailer = http->left == 0;
		http->state = http->in_trailer ? HTTP_HEADERS : HTTP_CHUNK_DATA;
		break;
	case HTTP_CHUNK_DATA_END:
		http->head_bytes = 0;
		http->state = HTTP_CHUNK_SIZE;
		break;
	default: CHECK_NEVER("no carriage return is taken elsewhere");
	}
	return HTTP_NEED_MORE;
}

static enum http_step step_answer(struct http *http, char c)
{
	if (++http->head_bytes > HTTP_HEAD_MAX)
		return http_fail_too_big(http, "the head is too big");
	if (http->seen_cr) {
		http->seen_cr = false;
		return c == '\n' ? answer_line_is_complete(http)
				 : http_fail(http, "a lone carriage return");
	}
	switch (http->state) {
	case HTTP_STATUS_LINE: return step_status_line(http, c);
	case HTTP_HEADERS: return step_answer_headers(http, c);
	case HTTP_CHUNK_SIZE: return step_chunk_size(http, c);
	case HTTP_CHUNK_EXTENSION: return step_chunk_extension(http, c);
	case HTTP_CHUNK_DATA_END:
		http->seen_cr = c == '\r';
		return http->seen_cr ? HTTP_NEED_MORE
				     : http_fail(http, "a chunk longer than its size");
	default: CHECK_NEVER("bodies are not read byte by byte");
	}
}

/* ---- bodies ---- */

static enum http_step take_body(struct http *http, struct text *bytes, struct text *body)
{
	size_t size = bytes->size;

	if (http->state != HTTP_BODY_TO_END && size > http->left)
		size = (size_t)http->left;
	*body = text_first(*bytes, size);
	*bytes = text_from(*bytes, size);
	if (http->state == HTTP_BODY_TO_END)
		return HTTP_BODY;
	http->left -= size;
	if (http->left == 0)
		http->state = http->state == HTTP_BODY_SIZED ? HTTP_FINISHED : HTTP_CHUNK_DATA_END;
	return HTTP_BODY;
}

enum http_step http_feed(struct http *http, struct text *bytes, struct text *body)
{
	*body = TEXT_NONE;
	if (http->state == HTTP_FINISHED)
		return HTTP_DONE;
	if (http->state == HTTP_FAILED)
		return http->too_big ? HTTP_TOO_BIG : HTTP_BROKEN;

	while (bytes->size > 0) {
		if (http->state == HTTP_BODY_SIZED || http->state == HTTP_BODY_TO_END ||
			http->state == HTTP_CHUNK_DATA)
			return take_body(http, bytes, body);
		char c = bytes->at[0];
		*bytes = text_from(*bytes, 1);
		enum http_step step = step_answer(http, c);
		if (step != HTTP_NEED_MORE)
			return step;
	}
	return HTTP_NEED_MORE;
}

enum http_step http_end(struct http *http)
{
	if (http->state == HTTP_FINISHED)
		return HTTP_DONE;
	if (http->state != HTTP_BODY_TO_END)
		return http->state == HTTP_FAILED ? HTTP_BROKEN
						  : http_fail(http, "the answer was cut off");
	http->state = HTTP_FINISHED;
	return HTTP_DONE;
}
