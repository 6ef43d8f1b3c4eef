/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exchange: what was asked, and the answer on its way into a small buffer.
 *
 * Nothing here touches the connection: calls only change the buffer and marks, so that a handler
 * may answer from anywhere, also another exchange than the one it is called for; the connection's
 * next turn sends. What was written since the last sending becomes one chunk.
 */
#include <string.h>

#include "base/log.h"
#include "http/chars_private.h"
#include "http/server_private.h"

static struct net_server *server_of(const struct server_exchange *x)
{
	return x->connection->server;
}

static const struct server_exchange *of_const(const struct net_exchange *exchange)
{
	return (const struct server_exchange *)exchange;
}

/* Its turn is under way, or has to come before the loop sleeps. */
static void wake(struct server_exchange *x)
{
	struct net_server *server = server_of(x);

	if (server->turning != x->connection)
		server->member.dirty = true;
}

void server_exchange_start(struct server_exchange *x, struct server_connection *connection)
{
	struct net_server *server = connection->server;
	struct server_answer *a = &x->answer;

	CHECK(x->connection == NULL);
	x->connection = connection;
	x->handed = x->aborted = false;
	*a = (struct server_answer){.out = a->out, .size = a->size};
	x->exchange = (struct net_exchange){.self = server->setup.self,
		.index = (uint32_t)(x - server->exchanges),
		.peer = connection->peer,
		.https = server->setup.https};
	server_request_start(&x->request, x->head, server->setup.head_max);
}

struct text net_exchange_header(const struct net_exchange *exchange, const char *name, uint32_t n)
{
	return server_request_header(&of_const(exchange)->request, name, n);
}

struct text net_exchange_line(const struct net_exchange *exchange, uint32_t n)
{
	const struct server_request *request = &of_const(exchange)->request;
	struct text line,
		rest = {request->at + request->target_size,
			request->headers.used - request->target_size};

	while (text_cut(&rest, '\n', &line) && line.size > 0)
		if (n-- == 0)
			return line;
	return TEXT_NONE;
}

/* ---- the head of an answer ---- */

/* Lines that end in CR LF, each with a name: nothing that ends the head or begins a body. */
static bool are_headers(struct text lines)
{
	while (lines.size > 0) {
		size_t end = text_find(lines, '\r'), colon = text_find(lines, ':');

		if (end + 1 >= lines.size || lines.at[end + 1] != '\n' || colon == 0 || colon > end)
			return false;
		for (size_t i = 0; i < end; i++)
			if (i < colon ? !http_is_token(lines.at[i]) : !http_is_text(lines.at[i]))
				return false;
		lines = text_from(lines, end + 2);
	}
	return true;
}

static bool has_body(const struct server_exchange *x, uint16_t status)
{
	return x->request.method != NET_HEAD && status >= 200 && status != 204 && status != 304;
}

static void write_head(struct server_exchange *x, struct writer *w, const struct net_head *head)
{
	const struct net_server *server = server_of(x);
	const struct server_answer *a = &x->answer;

	write_format(
		w, "HTTP/1.1 %u %s\r\nDate: ", (unsigned)head->status, server_reason(head->status));
	server_write_date(w, clock_wall(net_clock(server->net)));
	write_z(w, "\r\n");
	if (head->content_type != NULL) {
		write_z(w, "Content-Type: ");
		write_z(w, head->content_type);
		write_z(w, "\r\n");
	}
	write_text(w, head->headers);
	if (head->status >= 200 && head->status != 204 && head->status != 304) {
		if (head->size != NET_SIZE_UNKNOWN) {
			write_z(w, "Content-Length: ");
			write_u64(w, head->size);
			write_z(w, "\r\n");
		} else if (!x->request.http_1_0) {
			write_z(w, "Transfer-Encoding: chunked\r\n");
		}
	}
	if (a->close)
		write_z(w, "Connection: close\r\n");
	else if (x->request.http_1_0)
		write_z(w, "Connection: keep-alive\r\n");
	write_z(w, "\r\n");
}

void net_exchange_begin(struct net_exchange *exchange, const struct net_head *head)
{
	struct server_exchange *x = server_exchange_of(exchange);
	struct server_answer *a = &x->answer;
	bool sized = head->size != NET_SIZE_UNKNOWN;
	struct writer w;

	CHECK(!a->begun);
	CHECK(head->status >= 200 && head->status <= 599);
	a->begun = a->wants_room = true;
	a->no_body = !has_body(x, head->status);
	a->chunked = !sized && !a->no_body && !x->request.http_1_0;
	a->left = head->size;
	a->close = !x->request.keep_alive || x->body.state != HTTP_FINISHED ||
		(!sized && !a->no_body && x->request.http_1_0);
	/* Room for a small reply is kept free. */
	writer_init(&w, a->out + a->used, a->size - a->used - NET_REPLY_COPIED);
	if (are_headers(head->headers))
		write_head(x, &w, head);
	if (w.used == 0 || w.overflowed) {
		log_error("net", "answer-head-refused", "server=%s status=%u",
			server_of(x)->setup.name, (unsigned)head->status);
		writer_init(&w, a->out + a->used, a->size - a->used - NET_REPLY_COPIED);
		a->close = a->no_body = true;
		write_head(x, &w, &(struct net_head){.status = 500});
	}
	a->used += (uint32_t)w.used;
	if (a->no_body)
		a->finished = true;
	wake(x);
}

bool net_exchange_has_begun(const struct net_exchange *exchange)
{
	return of_const(exchange)->answer.begun;
}

/* ---- the body ---- */

static size_t frame_size(const struct server_answer *a)
{
	if (!a->chunked)
		return 0;
	return (a->chunk_open ? 0 : SERVER_CHUNK_BEFORE) + SERVER_CHUNK_BEHIND + SERVER_CHUNK_LAST;
}

size_t net_exchange_room(const struct net_exchange *exchange)
{
	const struct server_exchange *x = of_const(exchange);
	const struct server_answer *a = &x->answer;
	size_t taken = a->used + frame_size(a);

	if (!a->begun || a->finished || x->aborted || taken >= a->size)
		return 0;
	return a->size - taken;
}

bool server_exchange_has_room(const struct server_exchange *x)
{
	const struct server_answer *a = &x->answer;

	return a->wants_room && !a->finished && !x->aborted &&
		net_exchange_room(&x->exchange) >= server_of(x)->setup.answer_room / 2;
}

/* The client learns that it does not have all, and cannot think that it does. */
static void cut_off(struct server_exchange *x, const char *why)
{
	log_error("net", "answer-cut-off", "server=%s fault=\"%s\"", server_of(x)->setup.name, why);
	net_exchange_abort(&x->exchange);
}

size_t net_exchange_write(struct net_exchange *exchange, struct text bytes)
{
	struct server_exchange *x = server_exchange_of(exchange);
	struct server_answer *a = &x->answer;
	size_t size = bytes.size, room = net_exchange_room(exchange);

	CHECK(a->begun);
	/* The client is gone: a handler that writes until all is taken comes to an end. */
	if (a->no_body || a->finished || x->aborted)
		return size;
	if (size > a->left) {
		cut_off(x, "more was written than was said");
		return size;
	}
	if (size > room) {
		a->wants_room = true;
		size = room;
	}
	if (size == 0)
		return 0;
	if (a->chunked && !a->chunk_open) {
		a->chunk_open = true;
		a->chunk_from = a->used;
		a->used += SERVER_CHUNK_BEFORE;
	}
	memcpy(a->out + a->used, bytes.at, size);
	a->used += (uint32_t)size;
	if (a->left != NET_SIZE_UNKNOWN)
		a->left -= size;
	wake(x);
	return size;
}

void net_exchange_want_room(struct net_exchange *exchange)
{
	struct server_exchange *x = server_exchange_of(exchange);

	x->answer.wants_room = true;
	wake(x);
}

void net_exchange_finish(struct net_exchange *exchange)
{
	struct server_exchange *x = server_exchange_of(exchange);
	struct server_answer *a = &x->answer;

	CHECK(a->begun);
	if (a->finished || x->aborted)
		return;
	if (a->left != NET_SIZE_UNKNOWN && a->left > 0) {
		cut_off(x, "less was written than was said");
		return;
	}
	a->finished = true;
	wake(x);
}

void net_exchange_abort(struct net_exchange *exchange)
{
	struct server_exchange *x = server_exchange_of(exchange);

	x->aborted = true;
	wake(x);
}

void net_exchange_reply(
	struct net_exchange *exchange, const struct net_head *head, struct text body)
{
	struct server_exchange *x = server_exchange_of(exchange);
	struct net_head whole = *head;

	whole.size = body.size;
	net_exchange_begin(exchange, &whole);
	if (x->answer.finished)
		return;
	size_t copied = net_exchange_write(exchange, body);
	CHECK(copied == body.size || copied >= NET_REPLY_COPIED);
	x->answer.lent = text_from(body, copied);
	x->answer.left = 0;
	net_exchange_finish(exchange);
}

void server_exchange_refuse(struct server_exchange *x, uint16_t status, const char *fault)
{
	struct net_server *server = server_of(x);
	char line[128];
	struct writer w;

	server->stats.refused++;
	writer_init(&w, line, sizeof(line));
	write_z(&w, fault);
	write_char(&w, '\n');
	x->request.keep_alive = false;
	net_exchange_reply(&x->exchange,
		&(struct net_head){.status = status, .content_type = "text/plain; charset=utf-8"},
		writer_text(&w));
}

/* ---- sending ---- */

/* All that was final is sent: what was written since then moves to the front and is final. */
static void seal(struct server_answer *a)
{
	static const char digits[] = "0123456789abcdef";

	if (a->sealed > 0) {
		memmove(a->out, a->out + a->sealed, a->used - a->sealed);
		a->used -= a->sealed;
		a->chunk_from -= a->chunk_open ? a->sealed : 0;
		a->sent = a->sealed = 0;
	}
	if (a->chunk_open) {
		uint32_t size = a->used - a->chunk_from - SERVER_CHUNK_BEFORE;
		char *before = a->out + a->chunk_from;

		for (uint32_t i = 0; i < 4; i++)
			before[i] = digits[size >> (12 - 4 * i) & 15];
		memcpy(before + 4, "\r\n", 2);
		memcpy(a->out + a->used, "\r\n", SERVER_CHUNK_BEHIND);
		a->used += SERVER_CHUNK_BEHIND;
		a->chunk_open = false;
	}
	if (a->finished && a->chunked && !a->ended) {
		CHECK(a->used + SERVER_CHUNK_LAST <= a->size);
		memcpy(a->out + a->used, "0\r\n\r\n", SERVER_CHUNK_LAST);
		a->used += SERVER_CHUNK_LAST;
		a->ended = true;
	}
	a->sealed = a->used;
}

struct text server_exchange_next(struct server_exchange *x)
{
	struct server_answer *a = &x->answer;

	if (a->sent == a->sealed)
		seal(a);
	if (a->sent < a->sealed)
		return (struct text){a->out + a->sent, a->sealed - a->sent};
	return a->lent;
}

void server_exchange_sent(struct server_exchange *x, size_t size)
{
	struct server_answer *a = &x->answer;

	if (a->sent < a->sealed) {
		CHECK(size <= a->sealed - a->sent);
		a->sent += (uint32_t)size;
	} else {
		a->lent = text_from(a->lent, size);
	}
}

bool server_exchange_is_over(const struct server_exchange *x)
{
	const struct server_answer *a = &x->answer;

	return a->begun && a->finished && a->sent == a->used && a->lent.size == 0 &&
		(!a->chunked || a->ended);
}

void net_exchange_client(const struct net_exchange *exchange, struct tls_client_names *names)
{
	const struct server_exchange *x = (const struct server_exchange *)exchange;

	tls_client_names(&x->connection->stream.tls, names);
}
