/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tunnel: the way to a server through a proxy, before the first byte for the server.
 *
 *	http://      CONNECT host:port, then the server's TLS
 *	https://     TLS with the proxy first, proven by the authority that proves the server,
 *	             as in Go; the server's TLS goes inside
 *	socks5://    hello, perhaps user and password (RFC 1929), host and port (RFC 1928);
 *	             the proxy looks the name up
 *
 * Requests for a server without TLS need no tunnel: an HTTP proxy gets them with the whole URL.
 *
 * What is to be said is written again for each attempt to send it and goes on where it stopped, as
 * requests do.
 */
#include "base/base64.h"
#include "http/client_private.h"

enum { TUNNEL_MESSAGE_MAX = 2560, SOCKS_ANSWER_MAX = 4 + 1 + 255 + 2 };

/* ---- TLS inside: bytes over the stream to the proxy ---- */

static struct tunnel *tunnel_at(void *self, uint32_t number)
{
	const struct tunnels *tunnels = self;

	return &tunnels->each[number - 1];
}

static void note_flow(struct tunnel *tunnel, enum stream_flow flow)
{
	if (flow == STREAM_ENDED)
		tunnel->state = NET_STREAM_ENDED;
	else if (flow == STREAM_CUT)
		tunnel->state = NET_STREAM_FAILED;
}

static enum net_stream_state tunnel_state(void *self, uint32_t number)
{
	return tunnel_at(self, number)->state;
}

static const char *tunnel_fault(void *self, uint32_t number)
{
	return stream_fault(&tunnel_at(self, number)->stream);
}

static struct text tunnel_received(void *self, uint32_t number)
{
	struct tunnel *tunnel = tunnel_at(self, number);
	size_t got = 0;

	if (tunnel->from == tunnel->size && tunnel->state == NET_STREAM_OPEN) {
		note_flow(tunnel,
			stream_read(&tunnel->stream, tunnel->bytes, sizeof(tunnel->bytes), &got));
		tunnel->from = 0;
		tunnel->size = (uint32_t)got;
	}
	return (struct text){tunnel->bytes + tunnel->from, tunnel->size - tunnel->from};
}

static void tunnel_drop(void *self, uint32_t number, size_t size)
{
	struct tunnel *tunnel = tunnel_at(self, number);

	CHECK(size <= tunnel->size - tunnel->from);
	tunnel->from += (uint32_t)size;
}

static size_t tunnel_send(void *self, uint32_t number, const void *bytes, size_t size)
{
	struct tunnel *tunnel = tunnel_at(self, number);
	size_t sent = 0;

	if (tunnel->state == NET_STREAM_OPEN)
		note_flow(tunnel, stream_write(&tunnel->stream, (struct text){bytes, size}, &sent));
	return sent;
}

static void tunnel_keep(void *self, uint32_t number)
{
	(void)self; /* the way is closed behind what is inside: tunnel_close() */
	(void)number;
}

/* ---- setting up ---- */

static bool is_inside(const struct net_target *target)
{
	return target->https && text_starts(target->proxy, TEXT("https://"));
}

uint32_t net_target_tls(const struct net_target *target)
{
	uint32_t layers = (uint32_t)target->https + text_starts(target->proxy, TEXT("https://"));

	return layers * (target->connections + target->watch_connections);
}

size_t tunnels_size(const struct net_target *target)
{
	size_t each = (target->connections + target->watch_connections) * sizeof(struct tunnel);

	return (is_inside(target) ? sizeof(struct tunnels) + each + 2 * 16 : 0) +
		target->proxy.size * 2 + 64;
}

/* In base64 it has at most 4/3 of what it has in the URL. */
static void write_proxy_header(struct net_client *client, struct arena *arena)
{
	char pair[URL_PROXY_NAME_MAX * 2 + 1];
	size_t size = client->target.proxy.size * 2 + 48;
	struct writer plain, header;

	if (client->proxy.user.at == NULL || client->proxy.kind == URL_PROXY_SOCKS5)
		return;
	writer_init(&plain, pair, sizeof(pair));
	CHECK(url_write_decoded(&plain, client->proxy.user));
	write_char(&plain, ':');
	CHECK(url_write_decoded(&plain, client->proxy.password));
	writer_init(&header, arena_take(arena, size), size);
	write_z(&header, "Proxy-Authorization: Basic ");
	base64_write(writer_text(&plain), &header);
	write_z(&header, "\r\n");
	CHECK(!plain.overflowed && !header.overflowed);
	explicit_bzero(pair, sizeof(pair));
	client->proxy_header = writer_text(&header);
}

bool tunnels_init(struct net_client *client, struct arena *arena, struct writer *fault)
{
	const struct net_target *target = &client->target;
	const char *what;

	if (target->proxy.size == 0)
		return true;
	if (!url_parse_proxy(target->proxy, &client->proxy, &what)) {
		write_format(fault, "the proxy's address: %s", what);
		return false;
	}
	if (target->host.size > RESOLVE_NAME_MAX) {
		write_z(fault, "the server's name is too long");
		return false;
	}
	write_proxy_header(client, arena);
	if (!is_inside(target))
		return true;
	struct tunnels *tunnels = client->tunnels = arena_take(arena, sizeof(*tunnels));
	tunnels->bytes = (struct net_bytes){.state = tunnel_state,
		.fault = tunnel_fault,
		.received = tunnel_received,
		.drop = tunnel_drop,
		.send = tunnel_send,
		.close = tunnel_keep,
		.self = tunnels};
	tunnels->each =
		ARENA_ARRAY(arena, struct tunnel, target->connections + target->watch_connections);
	if (tls_peer_set(&tunnels->peer, client->proxy.host))
		return true;
	write_z(fault, "the proxy's name is not one that a certificate can have");
	return false;
}

/* ---- what is written ---- */

static void put_socks_name(struct writer *w, struct text name)
{
	char room[URL_PROXY_NAME_MAX];
	struct writer plain;

	writer_init(&plain, room, sizeof(room));
	CHECK(url_write_decoded(&plain, name));
	write_char(w, (char)plain.used);
	write_text(w, writer_text(&plain));
	explicit_bzero(room, sizeof(room));
}

static void put_socks_request(struct writer *w, const struct net_target *target)
{
	struct net_address address;

	write_bytes(w, "\5\1", 3); /* version, connect, a zero */
	if (!net_address_parse(target->host, target->port, &address)) {
		write_bytes(w, "\3", 1);
		write_char(w, (char)target->host.size);
		write_text(w, target->host);
	} else {
		write_bytes(w, address.family == 6 ? "\4" : "\1", 1);
		write_bytes(w, address.bytes, address.family == 6 ? 16 : 4);
	}
	write_char(w, (char)(target->port >> 8));
	write_char(w, (char)target->port);
}

static void put_message(const struct net_connection *connection, struct writer *w)
{
	const struct net_client *client = connection->client;
	bool has_user = client->proxy.user.at != NULL;

	switch (connection->phase) {
	case TUNNEL_TLS: break;
	case TUNNEL_HELLO:
		write_bytes(w, has_user ? "\5\2\0\2" : "\5\1\0", has_user ? 4 : 3);
		break;
	case TUNNEL_PASSWORD:
		write_bytes(w, "\1", 1);
		put_socks_name(w, client->proxy.user);
		put_socks_name(w, client->proxy.password);
		break;
	case TUNNEL_REQUEST: put_socks_request(w, &client->target); break;
	case TUNNEL_HEAD:
		write_format(w, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: berth/%s\r\n",
			client->host, client->host, BERTH_VERSION);
		write_text(w, client->proxy_header);
		write_z(w, "\r\n");
		break;
	}
}

static void say(struct net_connection *connection)
{
	char room[TUNNEL_MESSAGE_MAX];
	struct writer w;
	size_t sent = 0;
	enum stream_flow flow = STREAM_MOVED;

	writer_init(&w, room, sizeof(room));
	put_message(connection, &w);
	CHECK(!w.overflowed);
	while (flow == STREAM_MOVED && connection->sent < w.used) {
		flow = stream_write(tunnel_way(connection),
			text_from(writer_text(&w), connection->sent), &sent);
		connection->sent += sent;
	}
	connection->said = connection->sent == w.used;
	explicit_bzero(room, sizeof(room));
}

/* ---- what is answered ---- */

static enum tls_step refused(struct writer *fault, const char *what, unsigned code)
{
	write_format(fault, "the proxy %s (%u)", what, code);
	return TLS_FAILED;
}

/* TLS_AGAIN: on with the next phase; *size is what was used. */
static enum tls_step judge_socks(
	struct net_connection *connection, struct text t, size_t *size, struct writer *fault)
{
	const uint8_t *at = (const uint8_t *)t.at;
	bool has_user = connection->client->proxy.user.at != NULL;

	*size = 2;
	if (t.size < *size)
		return TLS_WAIT;
	if (at[0] != (connection->phase == TUNNEL_PASSWORD ? 1 : 5))
		return refused(fault, "does not speak SOCKS5", at[0]);
	switch (connection->phase) {
	case TUNNEL_HELLO:
		if (at[1] != 0 && (at[1] != 2 || !has_user))
			return refused(fault, "wants credentials of another kind", at[1]);
		connection->phase = at[1] == 2 ? TUNNEL_PASSWORD : TUNNEL_REQUEST;
		return TLS_AGAIN;
	case TUNNEL_PASSWORD:
		if (at[1] != 0)
			return refused(fault, "does not take the user and password", at[1]);
		connection->phase = TUNNEL_REQUEST;
		return TLS_AGAIN;
	default: break;
	}
	if (at[1] != 0)
		return refused(fault, "does not reach the server", at[1]);
	if (t.size < 5)
		return TLS_WAIT;
	*size = at[3] == 1 ? 10u : at[3] == 4 ? 22u : 7u + at[4];
	return t.size < *size ? TLS_WAIT : TLS_DONE;
}

static enum tls_step hear_socks(struct net_connection *connection, struct writer *fault)
{
	struct text t = stream_received(&connection->stream);
	size_t size = 0;
	enum tls_step step = judge_socks(connection, t, &size, fault);

	if (step != TLS_DONE && step != TLS_AGAIN)
		return step;
	if (t.size > size)
		return refused(fault, "says more than it was asked", (unsigned)t.size);
	stream_drop_received(&connection->stream);
	connection->sent = 0;
	connection->said = false;
	return step;
}

/* Only the head is looked at: what a refusal says besides is for people with a browser. */
static enum tls_step hear_head(struct net_connection *connection, struct writer *fault)
{
	char byte;
	size_t got;
	struct http *http = &connection->http;

	/* Byte by byte, so that nothing behind the head is taken: it is the server's. */
	while (http->status == 0) {
		struct text part, body;
		enum stream_flow flow = stream_read(tunnel_way(connection), &byte, 1, &got);
		if (got == 0 && flow == STREAM_WAIT)
			return TLS_WAIT;
		if (got == 0) {
			write_z(fault, "the proxy ended the connection");
			return TLS_FAILED;
		}
		part = (struct text){&byte, got};
		enum http_step step = http_feed(http, &part, &body);
		if (step == HTTP_BROKEN || step == HTTP_TOO_BIG)
			return refused(fault, http->fault, 0);
	}
	if (http->status / 100 != 2)
		return refused(fault,
			http->status == 407 ? "wants other credentials"
					    : "does not reach the server",
			http->status);
	return TLS_DONE;
}

/* ---- the driver ---- */

void tunnel_begin(struct net_connection *connection)
{
	const struct net_client *client = connection->client;

	connection->phase = client->proxy.kind == URL_PROXY_SOCKS5 ? TUNNEL_HELLO
		: connection->tunnel != NULL                       ? TUNNEL_TLS
								   : TUNNEL_HEAD;
	connection->sent = 0;
	connection->said = false;
	http_start(&connection->http);
}

static enum tls_step shake_with_proxy(struct net_connection *connection, struct writer *fault)
{
	struct net_client *client = connection->client;
	struct tls_stream *way = tunnel_way(connection);
	struct mono now = net_now(client->net);
	enum tls_step step = TLS_FAILED;

	if (!stream_is_secured(way) && tls_handshakes(false) >= TLS_HANDSHAKES_MAX)
		return stream_state(way) == NET_STREAM_OPEN ? TLS_WAIT : TLS_FAILED;
	if (stream_is_secured(way) ||
		stream_start_client(way, credentials_identity(&client->credentials),
			&client->tunnels->peer, &client->tunnels->ticket, now))
		step = tls_handshake(&way->tls, now);
	if (step == TLS_FAILED)
		write_format(fault, "the proxy: %s", stream_fault(way));
	if (step != TLS_DONE)
		return step;
	client->stats.handshakes++;
	connection->phase = TUNNEL_HEAD;
	net_wake(client->net);
	return TLS_AGAIN;
}

enum tls_step tunnel_step(struct net_connection *connection, struct writer *fault)
{
	enum tls_step step = TLS_AGAIN;

	while (step == TLS_AGAIN) {
		if (connection->phase == TUNNEL_TLS) {
			step = shake_with_proxy(connection, fault);
			continue;
		}
		if (!connection->said)
			say(connection);
		step = connection->phase == TUNNEL_HEAD ? hear_head(connection, fault)
							: hear_socks(connection, fault);
	}
	if (step == TLS_WAIT && stream_state(tunnel_way(connection)) != NET_STREAM_OPEN) {
		write_z(fault, "the proxy ended the connection");
		return TLS_FAILED;
	}
	return step;
}

void tunnel_enter(struct net_connection *connection)
{
	struct tunnels *tunnels = connection->client->tunnels;

	if (connection->tunnel == NULL)
		return;
	connection->tunnel->state = NET_STREAM_OPEN;
	connection->tunnel->from = connection->tunnel->size = 0;
	stream_open(&connection->stream, &tunnels->bytes,
		1 + (uint32_t)(connection->tunnel - tunnels->each));
}

void tunnel_close(struct net_connection *connection)
{
	if (connection->tunnel != NULL)
		stream_close(&connection->tunnel->stream);
}
