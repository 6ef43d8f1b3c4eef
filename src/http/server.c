/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Server: listening, who gets one of the places when there are too few, and the turn.
 *
 * When all places are taken, a new client gets that of one who has been answered and only has to
 * close; else of the one who has been idle longest; else of one who has been connected for two
 * seconds and asked nothing whole. Else the new one is turned away: those who are being answered
 * stay. So a handful of open connections that say nothing do not lock anybody out.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/sandbox.h"
#include "http/server_private.h"

/* ---- who comes ---- */

/* Without waiting for his request: TLS would cost us a handshake, so there he is just closed. */
static void turn_away(struct net_server *server, uint32_t stream)
{
	static const char answer[] =
		"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
		"Retry-After: 1\r\nContent-Length: 21\r\nConnection: close\r\n\r\n"
		"too many connections\n";
	const struct net_bytes *bytes = net_bytes(server->net);

	server->stats.turned_away++;
	if (!server->setup.https) {
		/* Bytes that nobody read turn the close into a reset. */
		bytes->drop(bytes->self, stream, bytes->received(bytes->self, stream).size);
		(void)bytes->send(bytes->self, stream, answer, sizeof(answer) - 1);
	}
	bytes->close(bytes->self, stream);
}

static struct server_connection *free_place(struct net_server *server)
{
	struct server_connection *best = NULL;
	uint32_t best_rank = UINT32_MAX;

	for (uint32_t i = 0; i < server->setup.connections_max; i++) {
		struct server_connection *c = &server->connections[i];

		if (c->state == SERVER_CLOSED)
			return c;
		uint32_t rank = server_connection_rank(c);
		if (rank < best_rank ||
			(best != NULL && rank == best_rank && c->since.us < best->since.us)) {
			best = c;
			best_rank = rank;
		}
	}
	if (best != NULL) {
		server->stats.displaced++;
		server_connection_close(best);
	}
	return best;
}

static void accept_some(struct net_server *server)
{
	const struct net_bytes *bytes = net_bytes(server->net);
	struct net_address peer;
	uint32_t stream;

	if (server->listener == 0)
		return;
	for (uint32_t i = 0; i < SERVER_ACCEPTS_MAX; i++) {
		if ((stream = bytes->accept(bytes->self, server->listener, &peer)) == 0)
			return;
		struct server_connection *place = free_place(server);
		if (place != NULL)
			server_connection_open(place, stream, &peer);
		else
			turn_away(server, stream);
	}
	/* There may be more of them. */
	server->member.dirty = true;
}

/* ---- certificates that change ---- */

/* The one before the last goes, and with it who still uses it. */
static bool load_identity(struct net_server *server, struct writer *fault)
{
	const struct tls_identity *old = server_identity_previous(&server->identity);

	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		if (server->connections[i].stream.tls.identity == old && old->users > 0)
			server_connection_close(&server->connections[i]);
	return server_identity_load(&server->identity, fault);
}

static void refresh_identity(struct net_server *server)
{
	char line[256];
	struct writer fault;

	if (!server_identity_is_outdated(&server->identity, net_now(server->net)))
		return;
	writer_init(&fault, line, sizeof(line));
	if (load_identity(server, &fault))
		log_info("net", "certificate-reloaded", "server=%s", server->setup.name);
	else
		log_warn("net", "certificate-not-reloaded", "server=%s fault=\"%.*s\"",
			server->setup.name, TEXT_ARGS(writer_text(&fault)));
}

bool net_server_trust(struct net_server *server, struct text client_ca, struct text proxy_ca,
	struct writer *fault)
{
	struct text client_before = server->setup.client_ca, proxy_before = server->setup.proxy_ca;

	if (!server->setup.https)
		return true;
	server->setup.client_ca = client_ca;
	server->setup.proxy_ca = proxy_ca;
	if (load_identity(server, fault))
		return true;
	server->setup.client_ca = client_before;
	server->setup.proxy_ca = proxy_before;
	return false;
}

/* ---- the turn ---- */

static struct mono server_turn(struct net_member *member, struct mono now)
{
	struct net_server *server = LIST_OWNER(member, struct net_server, member);
	uint32_t count = server->setup.connections_max;
	struct mono due = MONO_NEVER;

	server->handshake_steps = net_is_hurried(server->net) && !mono_reached(now, server->rested)
		? 0
		: SERVER_HANDSHAKE_STEPS_MAX;
	server->requests = server->setup.requests_per_turn;
	server->budget = net_is_hurried(server->net) ? SERVER_HURRIED_BYTES : SERVER_TURN_BYTES;
	refresh_identity(server);
	accept_some(server);
	uint32_t left = server->stats.open;
	for (uint32_t i = server->first, end = i + count; i < end && left > 0; i++) {
		struct server_connection *c = &server->connections[i < count ? i : i - count];

		if (c->state == SERVER_CLOSED)
			continue;
		left--;
		due = mono_earlier(due, server_connection_turn(c));
	}
	/* When budgets end early, somebody else is first next time. */
	server->first = (server->first + 1) % count;
	return due;
}

/* ---- opening and closing ---- */

static void set_default_u32(uint32_t *value, uint32_t otherwise)
{
	*value = *value == 0 ? otherwise : *value;
}

static void set_default_ms(int64_t *value, int64_t otherwise)
{
	*value = *value == 0 ? otherwise : *value;
}

static struct net_server_setup with_defaults(const struct net_server_setup *setup)
{
	struct net_server_setup full = *setup;

	set_default_u32(&full.exchanges_max, full.connections_max);
	set_default_u32(&full.head_max, SERVER_HEAD_MAX);
	set_default_u32(&full.answer_room, SERVER_ANSWER_ROOM);
	set_default_u32(&full.requests_per_turn, SERVER_REQUESTS_PER_TURN);
	full.body_max = full.body_max == 0 ? SERVER_BODY_MAX : full.body_max;
	set_default_ms(&full.head_timeout_ms, SERVER_HEAD_TIMEOUT_MS);
	set_default_ms(&full.body_timeout_ms, SERVER_BODY_TIMEOUT_MS);
	set_default_ms(&full.idle_timeout_ms, SERVER_IDLE_TIMEOUT_MS);
	set_default_ms(&full.stall_timeout_ms, SERVER_STALL_TIMEOUT_MS);
	CHECK(full.connections_max > 0);
	CHECK(full.exchanges_max <= full.connections_max);
	CHECK(full.answer_room >= 2 * NET_REPLY_COPIED);
	CHECK(full.answer_room <= 60 * 1024); /* the size of a chunk has four digits */
	CHECK(full.on_request != NULL);
	return full;
}

static uint32_t out_size(const struct net_server_setup *full)
{
	return full->answer_room + SERVER_HEAD_ROOM;
}

size_t net_server_size(const struct net_server_setup *setup)
{
	struct net_server_setup full = with_defaults(setup);
	size_t exchange = sizeof(struct server_exchange) + full.head_max + full.body_room +
		out_size(&full) + 3 * 16;

	return sizeof(struct net_server) + full.exchanges_max * exchange +
		full.connections_max * sizeof(struct server_connection) + 3 * 16;
}

uint32_t net_server_streams(const struct net_server_setup *setup)
{
	return setup->connections_max + 2; /* who listens, and the one who is turned away */
}

static void make_exchanges(struct net_server *server, struct arena *arena)
{
	const struct net_server_setup *setup = &server->setup;

	list_init(&server->free_exchanges);
	server->exchanges = ARENA_ARRAY(arena, struct server_exchange, setup->exchanges_max);
	for (uint32_t i = 0; i < setup->exchanges_max; i++) {
		struct server_exchange *x = &server->exchanges[i];

		x->head = arena_take_raw(arena, setup->head_max);
		x->answer.size = out_size(setup);
		x->answer.out = arena_take_raw(arena, x->answer.size);
		if (setup->body_room > 0)
			x->collected = arena_take_raw(arena, setup->body_room);
		list_add_last(&server->free_exchanges, &x->link);
	}
}

static bool start_to_listen(struct net_server *server, struct writer *fault)
{
	const struct net_bytes *bytes = net_bytes(server->net);
	const struct net_address *address = &server->setup.address;

	server->listener = bytes->listen(bytes->self, address);
	if (server->listener == 0) {
		write_z(fault, "cannot listen on ");
		net_address_write(fault, address);
		write_format(fault, ": %s", strerror(errno));
		return false;
	}
	server->port =
		bytes->port == NULL ? address->port : bytes->port(bytes->self, server->listener);
	return true;
}

struct net_server *net_server_open(struct net *net, struct arena *arena,
	const struct net_server_setup *setup, struct writer *fault)
{
	struct net_server *server = arena_take(arena, sizeof(*server));

	sandbox_reads(setup->certificate_file);
	sandbox_reads(setup->key_file);
	sandbox_reads(setup->client_ca_file);
	sandbox_reads(setup->proxy_ca_file);
	server->net = net;
	server->setup = with_defaults(setup);
	if (setup->https && !tls_is_set_up()) {
		write_z(fault, "https is not set up");
		return NULL;
	}
	if (!server_identity_init(&server->identity, &server->setup, net_now(net), fault))
		return NULL;
	if (!start_to_listen(server, fault)) {
		server_identity_close(&server->identity);
		return NULL;
	}
	make_exchanges(server, arena);
	server->connections =
		ARENA_ARRAY(arena, struct server_connection, server->setup.connections_max);
	for (uint32_t i = 0; i < server->setup.connections_max; i++) {
		server->connections[i].server = server;
		server->connections[i].due = MONO_NEVER;
	}
	if (setup->https)
		tls_reserve(server->setup.connections_max);
	server->member.turn = server_turn;
	net_join(net, &server->member);
	return server;
}

uint16_t net_server_port(const struct net_server *server)
{
	return server->port;
}

struct net_server_stats net_server_stats(const struct net_server *server)
{
	return server->stats;
}

static void stop_listening(struct net_server *server)
{
	const struct net_bytes *bytes = net_bytes(server->net);

	if (server->listener != 0)
		bytes->close(bytes->self, server->listener);
	server->listener = 0;
}

void net_server_drain(struct net_server *server)
{
	server->draining = true;
	stop_listening(server);
	server->member.dirty = true;
}

bool net_server_is_drained(const struct net_server *server)
{
	return server->draining && server->stats.open == 0;
}

void net_server_close(struct net_server *server)
{
	CHECK(server->turning == NULL);
	stop_listening(server);
	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		server_connection_close(&server->connections[i]);
	net_leave(&server->member);
	if (server->setup.https)
		tls_release(server->setup.connections_max);
	server_identity_close(&server->identity);
}
