/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The head of a request, read from bytes in any slicing into a buffer of the caller's. As strict as
 * headers_private.h. The body is http_start_body()'s. Private to http/.
 */
#ifndef BERTH_HTTP_SERVER_REQUEST_PRIVATE_H
#define BERTH_HTTP_SERVER_REQUEST_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"
#include "http/headers_private.h"
#include "http/http.h"

enum {
	SERVER_REQUEST_HEADERS_MAX = 100,
	SERVER_REQUEST_METHOD_MAX = 8 /* longer ones are unknown ones */
};

enum server_request_step {
	SERVER_REQUEST_NEED_MORE, /* every byte was taken */
	SERVER_REQUEST_DONE,      /* the head is complete; bytes may be left over */
	SERVER_REQUEST_REFUSED    /* `status` and `fault` say what to answer before closing */
};

enum server_request_state {
	SERVER_REQUEST_START, /* an empty line may come first */
	SERVER_REQUEST_METHOD,
	SERVER_REQUEST_TARGET,
	SERVER_REQUEST_VERSION,
	SERVER_REQUEST_HEADERS,
	SERVER_REQUEST_FINISHED,
	SERVER_REQUEST_FAILED
};

struct server_request {
	/* good when done */
	enum net_method method;
	struct text path, query;
	bool http_1_0, keep_alive, expects_continue;
	struct http_framing framing;
	/* good when refused */
	uint16_t status;
	const char *fault;
	/* private */
	enum server_request_state state;
	bool seen_cr, seen_host;
	char *at; /* the target, then "name:value\n" for each header, names in small letters */
	uint32_t size;
	uint32_t target_size;
	uint32_t bytes; /* of the head so far: as many as are kept, or more */
	uint32_t line_at;
	uint32_t method_size;
	struct http_headers headers; /* whose `used` counts the target, too */
	char method_name[SERVER_REQUEST_METHOD_MAX];
};

/* `size` is also the limit of the head. */
void server_request_start(struct server_request *request, char *at, uint32_t size);

/* Takes bytes off the front of *bytes. Constant work per byte, linear in headers at their end. */
MUST_USE enum server_request_step server_request_feed(
	struct server_request *request, struct text *bytes);

/* The nth value of a header; TEXT_NONE. Also while the head is not complete. */
struct text server_request_header(
	const struct server_request *request, const char *name, uint32_t n);

#endif
