/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The head of a request: request line and headers. Of targets only those that begin with '/' are
 * taken: berth is no proxy, and OPTIONS * has nothing to say here.
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
	STATUS_VERSION = 505
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

static enum server_request_step refuse_head(
	struct server_request *request, uint16_t status, const char *fault)
{
	request->state = SERVER_REQUEST_FAILED;
	request->status = status;
	request->fault = fault;
	return SERVER_REQUEST_REFUSED;
}

static enum server_request_step refuse_bad(struct server_request *request, const char *fault)
{
	return refuse_head(request, STATUS_BAD_REQUEST, fault);
}

static struct http_room request_room(const struct server_request *request)
{
	return (struct http_room){request->at, request->size};
}

/* Never more than was read, which is never more than the size. */
static void keep(struct server_request *request, char c)
{
	CHECK(request->headers.used < request->size);
	request->at[request->headers.used++] = c;
}

/* ---- headers ---- */

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

/* Of these two the handler decides by the first one, and a proxy before us perhaps by the last. */
static bool is_doubled(const struct server_request *request, struct text name)
{
	return (text_is_z(name, "authorization") || text_is_z(name, "content-type")) &&
		server_request_header(
			request, name.at[0] == 'a' ? "authorization" : "content-type", 1)
			.at != NULL;
}

static enum server_request_step take_request_header(struct server_request *request)
{
	struct text name = http_headers_name(&request->headers, request_room(request));
	struct text value = http_headers_value(&request->headers, request_room(request));
	const char *fault =
		http_framing_take(&request->framing, &request->headers, request_room(request));

	keep(request, '\n');
	if (fault != NULL)
		return refuse_head(request,
			request->framing.other_coding ? STATUS_NOT_IMPLEMENTED : STATUS_BAD_REQUEST,
			fault);
	if (text_is_z(name, "host"))
		return take_host(request, value);
	if (is_doubled(request, name))
		return refuse_bad(request, "a header twice that may be there once");
	if (text_is_z(name, "expect")) {
		if (!text_is_folded(value, TEXT("100-continue")))
			return refuse_head(request, STATUS_EXPECTATION_FAILED,
				"an expectation other than 100-continue");
		request->expects_continue = true;
	}
	return SERVER_REQUEST_NEED_MORE;
}

struct text server_request_header(
	const struct server_request *request, const char *name, uint32_t n)
{
	struct text rest = {
		request->at + request->target_size, request->headers.used - request->target_size};
	size_t name_size = strlen(name);

	while (rest.size > 0) {
		size_t end = text_find(rest, '\n');
		struct text line = text_first(rest, end);

		if (end == rest.size)
			break; /* of a line that is not complete there is nothing to say */
		rest = text_from(rest, end + 1);
		if (line.size > name_size && line.at[name_size] == ':' &&
			text_starts_folded(line, (struct text){name, name_size}) && n-- == 0)
			return text_from(line, name_size + 1);
	}
	return TEXT_NONE;
}

/* ---- the end of the head ---- */

static enum server_request_step request_head_is_complete(struct server_request *request)
{
	struct text target = {request->at, request->target_size};
	size_t mark = text_find(target, '?');
	const struct http_framing *framing = &request->framing;
	const char *fault = http_framing_fault(framing, request->http_1_0);

	if (fault != NULL)
		return refuse_bad(request, fault);
	if (!request->seen_host && !request->http_1_0)
		return refuse_bad(request, "no Host header");
	request->path = text_first(target, mark);
	request->query = mark == target.size ? TEXT_NONE : text_from(target, mark + 1);
	request->keep_alive = !framing->close_asked && (framing->keep_asked || !request->http_1_0);
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
			return refuse_head(request, STATUS_NOT_IMPLEMENTED, "no such method");
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
	return refuse_head(request, STATUS_NOT_IMPLEMENTED, "no such method");
}

static enum server_request_step step_target(struct server_request *request, char c)
{
	if (c == ' ' && request->headers.used > 0) {
		request->target_size = request->headers.used;
		request->line_at = 0;
		request->state = SERVER_REQUEST_VERSION;
		return SERVER_REQUEST_NEED_MORE;
	}
	if (request->headers.used == 0 && c != '/')
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
		return refuse_head(request, STATUS_VERSION, "neither HTTP/1.1 nor HTTP/1.0");
	if (at == 7) {
		if (c != '0' && c != '1')
			return refuse_head(
				request, STATUS_VERSION, "neither HTTP/1.1 nor HTTP/1.0");
		request->http_1_0 = c == '0';
	}
	if (at == 8) {
		if (c != '\r')
			return refuse_bad(request, "a broken request line");
		request->seen_cr = true;
	}
	return SERVER_REQUEST_NEED_MORE;
}

static enum server_request_step step_request_headers(struct server_request *request, char c)
{
	switch (http_headers_feed(
		&request->headers, request_room(request), SERVER_REQUEST_HEADERS_MAX, c)) {
	case HTTP_HEADERS_MORE: return SERVER_REQUEST_NEED_MORE;
	case HTTP_HEADERS_LINE: return take_request_header(request);
	case HTTP_HEADERS_END: return request_head_is_complete(request);
	case HTTP_HEADERS_TOO_MANY:
		return refuse_head(request, STATUS_HEAD_TOO_LARGE, request->headers.fault);
	default: return refuse_bad(request, request->headers.fault);
	}
}

/* A line feed that follows a carriage return: an empty line or the request line is complete. */
static void request_line_is_complete(struct server_request *request)
{
	if (request->state == SERVER_REQUEST_VERSION)
		request->state = SERVER_REQUEST_HEADERS;
}

static enum server_request_step step_request(struct server_request *request, char c)
{
	if (request->bytes++ == request->size)
		return request->state <= SERVER_REQUEST_TARGET
			? refuse_head(request, STATUS_TARGET_TOO_LONG, "the target is too long")
			: refuse_head(request, STATUS_HEAD_TOO_LARGE, "the head is too large");
	if (request->seen_cr) {
		request->seen_cr = false;
		if (c != '\n')
			return refuse_bad(request, "a lone carriage return");
		request_line_is_complete(request);
		return SERVER_REQUEST_NEED_MORE;
	}
	switch (request->state) {
	case SERVER_REQUEST_START: return step_start(request, c);
	case SERVER_REQUEST_METHOD: return step_method(request, c);
	case SERVER_REQUEST_TARGET: return step_target(request, c);
	case SERVER_REQUEST_VERSION: return step_version(request, c);
	case SERVER_REQUEST_HEADERS: return step_request_headers(request, c);
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
		enum server_request_step step = step_request(request, c);
		if (step != SERVER_REQUEST_NEED_MORE)
			return step;
	}
	return SERVER_REQUEST_NEED_MORE;
}
