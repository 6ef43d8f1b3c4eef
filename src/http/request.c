/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests as bytes. Nothing is stored: a request is a row of parts that exist anyway, and the
 * piece that the connection can take next is copied out of them.
 */
#include <string.h>

#include "http/client_private.h"

enum { REQUEST_PARTS = 20, REQUEST_NUMBER_MAX = 24 };

static const char *const method_names[] = {
	[NET_GET] = "GET ",
	[NET_POST] = "POST ",
	[NET_PUT] = "PUT ",
	[NET_PATCH] = "PATCH ",
	[NET_DELETE] = "DELETE ",
};

struct parts {
	struct text at[REQUEST_PARTS];
	uint32_t count;
	size_t size;
	char number[REQUEST_NUMBER_MAX];
};

static void add_part(struct parts *parts, struct text part)
{
	CHECK(parts->count < REQUEST_PARTS);
	parts->at[parts->count++] = part;
	parts->size += part.size;
}

static void add_body_headers(struct parts *parts, const struct net_request *request)
{
	struct writer w;

	if (request->body.size == 0 &&
		(request->method == NET_GET || request->method == NET_DELETE))
		return;
	writer_init(&w, parts->number, sizeof(parts->number));
	write_u64(&w, request->body.size);
	CHECK(!w.overflowed);
	add_part(parts, TEXT("Content-Type: "));
	add_part(parts,
		request->content_type.at == NULL ? TEXT("application/json")
						 : request->content_type);
	add_part(parts, TEXT("\r\nContent-Length: "));
	add_part(parts, writer_text(&w));
	add_part(parts, TEXT("\r\n"));
}

static void make_parts(
	struct parts *parts, const struct net_client *client, const struct net_request *request)
{
	const struct credentials *credentials = &client->credentials;

	parts->count = 0;
	parts->size = 0;
	add_part(parts, text_of(method_names[request->method]));
	if (client->proxy.kind != URL_PROXY_NONE && !tunnel_is_wanted(client)) {
		add_part(parts, TEXT("http://"));
		add_part(parts, text_of(client->host));
	}
	add_part(parts, client->target.path_prefix);
	add_part(parts, request->path);
	add_part(parts, TEXT(" HTTP/1.1\r\n"));
	add_part(parts, (struct text){client->head, client->head_size});
	if (credentials->authorization_size > 0) {
		add_part(parts, TEXT("Authorization: "));
		add_part(parts,
			(struct text){credentials->authorization, credentials->authorization_size});
		add_part(parts, TEXT("\r\n"));
	}
	if (client->proxy_header.size > 0 && !tunnel_is_wanted(client))
		add_part(parts, client->proxy_header);
	if (client->target.headers.size > 0)
		add_part(parts, client->target.headers);
	add_body_headers(parts, request);
	add_part(parts, TEXT("\r\n"));
	add_part(parts, request->body);
}

static bool is_visible(struct text t)
{
	for (size_t i = 0; i < t.size; i++)
		if (t.at[i] <= ' ' || t.at[i] >= 0x7f)
			return false;
	return true;
}

/* Names that came over the wire end up in paths: what is not escaped must not become a header. */
const char *request_fault(const struct net_request *request)
{
	if (request->method > NET_DELETE)
		return "a method that is not for clients";
	if (request->path.size == 0 || request->path.at[0] != '/' || !is_visible(request->path))
		return "the path is not escaped";
	if (request->content_type.at != NULL && !is_visible(request->content_type))
		return "the content type has spaces";
	return NULL;
}

size_t request_size(const struct net_client *client, const struct net_request *request)
{
	struct parts parts;

	make_parts(&parts, client, request);
	return parts.size;
}

size_t request_copy(const struct net_client *client, const struct net_request *request, size_t from,
	char *to, size_t size)
{
	struct parts parts;
	size_t used = 0;

	make_parts(&parts, client, request);
	for (uint32_t i = 0; i < parts.count && used < size; i++) {
		struct text part = parts.at[i];

		if (from >= part.size) {
			from -= part.size;
			continue;
		}
		if (part.at == NULL) /* the body, which its own function copies */
			break;
		size_t n = part.size - from < size - used ? part.size - from : size - used;
		memcpy(to + used, part.at + from, n);
		used += n;
		from = 0;
	}
	if (request->copy_body != NULL && used < size)
		used += request->copy_body(request, from, to + used, size - used);
	return used;
}
