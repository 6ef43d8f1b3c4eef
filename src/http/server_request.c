/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The head of a request: request line and headers.
 *
 * What RFC 9112 leaves to the reader is decided towards refusing, as in net/http.c, since a proxy
 * before us may read it differently. Of targets only those that begin with '/' are taken: berth
 * is no proxy, and OPTIONS * has nothing to say here.
 */
#include "http/server_request_private.h"

#include <string.h>

#include "http/chars_private.h"

enum {
	STATUS_BAD_REQUEST = 400,
	STATUS_TARGET_TOO_LONG = 414,
	STATUS_EXPECTATION_FAILED = 417,
	STATUS_HEAD_TOO_LARGE = 431,
	STATUS_NOT_IMPLEMENTED = 501,
	STATUS_VERSION = 505,
	LENGTH_DIGITS_MAX = 18
};

static const struct {
	const char *name;
	enum net_method method;
} methods[] = {{"GET", NET_GET}, {"HEAD", NET_HEAD}, {"POST", NET_POST}, {"PUT", NET_PUT},
	{"PATCH", NET_PATCH}, {"DELETE", NET_DELETE}, {"OPTIONS", NET_OPTIONS}};

void server_request_start(struct server_request *request, char *at, uint32_t size)
{
	*request = (struct server_request){.state = SERVER_REQUEST_START, .at = at, .size = size};
}

static enum server_request_step refuse(
	struct server_request *request, uint16_t status, const char *fault)
{
	request->state = SERVER_REQUEST_FAILED;
	request->status = status;
	request->fault = fault;
	return SERVER_REQUEST_REFUSED;
}

static enum server_request_step refuse_bad(struct server_request *request, const char *fault)
{
	return refuse(request, STATUS_BAD_REQUEST, fault);
}

/* Never more than was read, which is never more than the size. */
static void keep(struct server_request *request, char c)
{
	CHECK(request->used < request->size);
	request->at[request->used++] = c;
}

/* ---- headers ---- */

static enum server_request_step take_length(struct server_request *request, struct text value)
{
	if (request->sized)
		return refuse_bad(request, "two Content-Length headers");
	if (value.size > LENGTH_DIGITS_MAX || !text_to_u64(value, &request->length))
		return refuse_bad(request, "Content-Length is not a number");
	request->sized = true;
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step take_coding(struct server_request *request, struct text value)
{
	if (request->chunked)
		return refuse_bad(request, "two Transfer-Encoding headers");
	if (!http_same_word(value, "chunked"))
		return refuse(
			request, STATUS_NOT_IMPLEMENTED, "a transfer coding other than chunked");
	request->chunked = true;
	return SERVER_REQUEST_NEED_MORE;
}

static void take_connection(struct server_request *request, struct text value)
{
	struct text part;

	while (text_cut(&value, ',', &part)) {
		part = text_trim(part);
		request->close_asked = request->close_asked || http_same_word(part, "close");
		request->keep_asked = request->keep_asked || http_same_word(part, "keep-alive");
	}
}

static enum server_request_step take_host(struct server_request *request, struct text value)
{
	if (request->seen_host)
		return refuse_bad(request, "two Host headers");
	for (size_t i = 0; i < value.size; i++)
		if (value.at[i] <= ' ' || value.at[i] >= 0x7f)
			return refuse_bad(request, "Host is not a name");
	request->seen_host = true;
	return SERVER_REQUEST_NEED_MORE;
}

/* Of these two the handler decides by the first one, and somebody before us perhaps by the last. */
static bool is_doubled(const struct server_request *request, struct text name)
{
	return (text_is_z(name, "authorization") || text_is_z(name, "content-type")) &&
		server_request_header(
			request, name.at[0] == 'a' ? "authorization" : "content-type", 1)
			.at != NULL;
}

static enum server_request_step take_header(struct server_request *request)
{
	struct text name = {
		request->at + request->name_from, request->value_from - 1 - request->name_from};
	struct text value;

	/* Spaces before the value were not kept. */
	while (request->used > request->value_from &&
		(request->at[request->used - 1] == ' ' || request->at[request->used - 1] == '\t'))
		request->used--;
	value = (struct text){
		request->at + request->value_from, request->used - request->value_from};
	keep(request, '\n');
	request->state = SERVER_REQUEST_HEADER_START;
	if (text_is_z(name, "content-length"))
		return take_length(request, value);
	if (text_is_z(name, "transfer-encoding"))
		return take_coding(request, value);
	if (text_is_z(name, "host"))
		return take_host(request, value);
	if (is_doubled(request, name))
		return refuse_bad(request, "a header twice that may be there once");
	if (text_is_z(name, "connection"))
		take_connection(request, value);
	if (text_is_z(name, "expect")) {
		if (!http_same_word(value, "100-continue"))
			return refuse(request, STATUS_EXPECTATION_FAILED,
				"an expectation other than 100-continue");
		request->expects_continue = true;
	}
	return SERVER_REQUEST_NEED_MORE;
}

struct text server_request_header(
	const struct server_request *request, const char *name, uint32_t n)
{
	struct text rest = {
		request->at + request->target_size, request->used - request->target_size};
	size_t name_size = strlen(name);

	while (rest.size > 0) {
		size_t end = text_find(rest, '\n');
		struct text line = text_first(rest, end);

		if (end == rest.size)
			break; /* of a line that is not complete there is nothing to say */
		rest = text_from(rest, end + 1);
		if (line.size > name_size && line.at[name_size] == ':' &&
			memcmp(line.at, name, name_size) == 0 && n-- == 0)
			return text_from(line, name_size + 1);
	}
	return TEXT_NONE;
}

/* ---- the end of the head ---- */

static enum server_request_step head_is_complete(struct server_request *request)
{
	struct text target = {request->at, request->target_size};
	size_t mark = text_find(target, '?');

	if (request->chunked && (request->sized || request->http_1_0))
		return refuse_bad(request,
			request->sized ? "Content-Length and chunked together"
				       : "chunked in HTTP/1.0");
	if (!request->seen_host && !request->http_1_0)
		return refuse_bad(request, "no Host header");
	request->path = text_first(target, mark);
	request->query = mark == target.size ? TEXT_NONE : text_from(target, mark + 1);
	request->keep_alive = request->http_1_0 ? request->keep_asked && !request->close_asked
						: !request->close_asked;
	if (request->http_1_0)
		request->expects_continue = false;
	request->state = SERVER_REQUEST_FINISHED;
	return SERVER_REQUEST_DONE;
}

/* ---- one byte at a time ---- */

static enum server_request_step step_start(struct server_request *request, char c)
{
	if (c == '\r' && request->line_at == 0) {
		request->line_at = 1;
		request->seen_cr = true;
		return SERVER_REQUEST_NEED_MORE;
	}
	if (!http_is_token(c))
		return refuse_bad(request, "not an HTTP request");
	request->method_name[request->method_size++] = c;
	request->state = SERVER_REQUEST_METHOD;
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step step_method(struct server_request *request, char c)
{
	struct text name = {request->method_name, request->method_size};

	if (c != ' ') {
		if (!http_is_token(c))
			return refuse_bad(request, "not an HTTP request");
		if (request->method_size == SERVER_REQUEST_METHOD_MAX)
			return refuse(request, STATUS_NOT_IMPLEMENTED, "no such method");
		request->method_name[request->method_size++] = c;
		return SERVER_REQUEST_NEED_MORE;
	}
	for (size_t i = 0; i < ARRAY_COUNT(methods); i++) {
		if (!text_is_z(name, methods[i].name))
			continue;
		request->method = methods[i].method;
		request->state = SERVER_REQUEST_TARGET;
		return SERVER_REQUEST_NEED_MORE;
	}
	return refuse(request, STATUS_NOT_IMPLEMENTED, "no such method");
}

static enum server_request_step step_target(struct server_request *request, char c)
{
	if (c == ' ' && request->used > 0) {
		request->target_size = request->used;
		request->line_at = 0;
		request->state = SERVER_REQUEST_VERSION;
		return SERVER_REQUEST_NEED_MORE;
	}
	if (request->used == 0 && c != '/')
		return refuse_bad(request, "a target that does not begin with /");
	if (c <= ' ' || c >= 0x7f || strchr("#\"<>\\^`{|}", c) != NULL)
		return refuse_bad(request, "a character in the target that is not escaped");
	keep(request, c);
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step step_version(struct server_request *request, char c)
{
	static const char start[] = "HTTP/1.";
	uint32_t at = request->line_at++;

	if (at < 5 && c != start[at])
		return refuse_bad(request, "not an HTTP request");
	if (at >= 5 && at < 7 && c != start[at])
		return refuse(request, STATUS_VERSION, "neither HTTP/1.1 nor HTTP/1.0");
	if (at == 7) {
		if (c != '0' && c != '1')
			return refuse(request, STATUS_VERSION, "neither HTTP/1.1 nor HTTP/1.0");
		request->http_1_0 = c == '0';
	}
	if (at == 8) {
		if (c != '\r')
			return refuse_bad(request, "a broken request line");
		request->seen_cr = true;
	}
	return SERVER_REQUEST_NEED_MORE;
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static enum server_request_step step_header_start(struct server_request *request, char c)
{
	if (c == '\r') {
		request->state = SERVER_REQUEST_END;
		request->seen_cr = true;
		return SERVER_REQUEST_NEED_MORE;
	}
	if (++request->headers > SERVER_REQUEST_HEADERS_MAX)
		return refuse(request, STATUS_HEAD_TOO_LARGE, "too many headers");
	if (!http_is_token(c))
		return refuse_bad(request, "a header without a name");
	request->name_from = request->used;
	keep(request, small(c));
	request->state = SERVER_REQUEST_HEADER_NAME;
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step step_header_name(struct server_request *request, char c)
{
	if (c != ':' && !http_is_token(c))
		return refuse_bad(request, "a broken header name");
	keep(request, small(c));
	if (c == ':') {
		request->value_from = request->used;
		request->state = SERVER_REQUEST_HEADER_VALUE;
	}
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step step_header_value(struct server_request *request, char c)
{
	if (c == '\r') {
		request->seen_cr = true;
		return SERVER_REQUEST_NEED_MORE;
	}
	if (!http_is_text(c))
		return refuse_bad(request, "a control character in a header");
	if (request->used == request->value_from && (c == ' ' || c == '\t'))
		return SERVER_REQUEST_NEED_MORE;
	keep(request, c);
	return SERVER_REQUEST_NEED_MORE;
}

/* A line feed that follows a carriage return: the line is complete. */
static enum server_request_step line_is_complete(struct server_request *request)
{
	switch (request->state) {
	case SERVER_REQUEST_START: return SERVER_REQUEST_NEED_MORE;
	case SERVER_REQUEST_VERSION:
		request->state = SERVER_REQUEST_HEADER_START;
		return SERVER_REQUEST_NEED_MORE;
	case SERVER_REQUEST_HEADER_VALUE: return take_header(request);
	case SERVER_REQUEST_END: return head_is_complete(request);
	default: CHECK_NEVER("no carriage return is taken elsewhere");
	}
}

static enum server_request_step step_byte(struct server_request *request, char c)
{
	if (request->bytes++ == request->size)
		return request->state <= SERVER_REQUEST_TARGET
			? refuse(request, STATUS_TARGET_TOO_LONG, "the target is too long")
			: refuse(request, STATUS_HEAD_TOO_LARGE, "the head is too large");
	if (request->seen_cr) {
		request->seen_cr = false;
		return c == '\n' ? line_is_complete(request)
				 : refuse_bad(request, "a lone carriage return");
	}
	switch (request->state) {
	case SERVER_REQUEST_START: return step_start(request, c);
	case SERVER_REQUEST_METHOD: return step_method(request, c);
	case SERVER_REQUEST_TARGET: return step_target(request, c);
	case SERVER_REQUEST_VERSION: return step_version(request, c);
	case SERVER_REQUEST_HEADER_START: return step_header_start(request, c);
	case SERVER_REQUEST_HEADER_NAME: return step_header_name(request, c);
	case SERVER_REQUEST_HEADER_VALUE: return step_header_value(request, c);
	default: CHECK_NEVER("a head that is over takes no bytes");
	}
}

enum server_request_step server_request_feed(struct server_request *request, struct text *bytes)
{
	if (request->state == SERVER_REQUEST_FINISHED)
		return SERVER_REQUEST_DONE;
	if (request->state == SERVER_REQUEST_FAILED)
		return SERVER_REQUEST_REFUSED;
	while (bytes->size > 0) {
		char c = bytes->at[0];

		*bytes = text_from(*bytes, 1);
		enum server_request_step step = step_byte(request, c);
		if (step != SERVER_REQUEST_NEED_MORE)
			return step;
	}
	return SERVER_REQUEST_NEED_MORE;
}
