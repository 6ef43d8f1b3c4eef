/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Server: listening, who gets one of the places when there are too few, and the turn.
 *
 * When all places are taken, a newcomer gets that of one who has been answered and only has to
 * close; else of one on whose connection nothing moves, by chance; else of one between two
 * requests, by chance. Else of one who has only just begun, if its address holds more places than
 * the newcomer's by two or more. Else the new one waits for its turn a while, and then is turned
 * away: those who are being answered stay. So neither many connections of one address nor silent
 * ones of many lock anybody out, and by chance, so that no place can be kept by knowing whose
 * turn it is.
 *
 * A peer that showed good credentials lately comes before a new one, and both before those who
 * took places for nothing (server_peers.c): they may have the place of one of these that has only
 * begun, wait before it, and have handshakes of their own.
 *
 * Some places are for peers on this machine alone, such as a kubelet's probes: strangers never
 * have them all, and cannot take the place of such a peer while it holds no more than these.
 * Beyond these a peer on this machine is like a new one. A crowd of them cannot be told from a
 * probe, so all of it waits in one line, in which no place is lost, and what is silent gives way
 * soon.
 */
#include <errno.h>
#include <string.h>

#include "base/log.h"
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
		/* Bytes that were not read turn the close into a reset. */
		bytes->drop(bytes->self, stream, bytes->received(bytes->self, stream).size);
		(void)bytes->send(bytes->self, stream, answer, sizeof(answer) - 1);
	}
	bytes->close(bytes->self, stream);
}

static uint32_t places_of_peer(const struct net_server *server, const struct net_address *peer)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		count += server->connections[i].state != SERVER_CLOSED &&
			net_address_is_same_peer(&server->connections[i].peer, peer);
	return count;
}

static uint32_t own_places_taken(const struct net_server *server)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		count += server->connections[i].state != SERVER_CLOSED &&
			server_connection_is_own(&server->connections[i]);
	return count;
}

struct newcomer {
	bool is_own;
	enum server_standing standing;
	uint32_t own_taken, places; /* of all its machine, of its address */
};

/* Of a peer that would be one more on this machine. */
static enum server_standing standing_beyond(
	const struct net_server *server, enum server_standing standing)
{
	return standing == SERVER_PEER_OWN && own_places_taken(server) >= server->setup.own_places
		? SERVER_PEER_NEW
		: standing;
}

static enum server_claim claim_against(
	const struct server_connection *c, const struct newcomer *newcomer)
{
	return server_connection_claim(c,
		newcomer->is_own && server_connection_is_own(c) ? SERVER_OWN_GRACE_MS
								: SERVER_GRACE_MS);
}

/* How readily the place is given to the newcomer; 0: not at all. */
static uint32_t place_rank(const struct net_server *server, const struct server_connection *c,
	const struct newcomer *newcomer)
{
	enum server_standing standing = c->standing;

	if (standing == SERVER_PEER_OWN && newcomer->own_taken > server->setup.own_places)
		standing = SERVER_PEER_NEW;
	if (standing == SERVER_PEER_OWN && !newcomer->is_own)
		return 0;
	switch (claim_against(c, newcomer)) {
	case SERVER_LEAVES: return 4;
	case SERVER_SILENT: return 3;
	case SERVER_RESTS: return 2;
	case SERVER_WAITS:
		if (newcomer->standing != standing)
			return newcomer->standing > standing;
		return places_of_peer(server, &c->peer) > newcomer->places + 1;
	default: return 0;
	}
}

static struct server_connection *displace_for(struct net_server *server,
	const struct net_address *newcomer, enum server_standing standing)
{
	struct server_connection *best = NULL;
	uint32_t best_rank = 0, equals = 0;
	struct newcomer n = {.is_own = standing == SERVER_PEER_OWN,
		.standing = standing_beyond(server, standing),
		.own_taken = own_places_taken(server),
		.places = places_of_peer(server, newcomer)};

	for (uint32_t i = 0; i < server->setup.connections_max; i++) {
		struct server_connection *c = &server->connections[i];
		uint32_t rank = c->state == SERVER_CLOSED ? 0 : place_rank(server, c, &n);

		if (rank == 0 || rank < best_rank)
			continue;
		equals = rank > best_rank ? 1 : equals + 1;
		best_rank = rank;
		if (random_below(&server->random, equals) == 0)
			best = c;
	}
	if (best != NULL) {
		server->stats.displaced++;
		if (claim_against(best, &n) == SERVER_SILENT)
			server_connection_close_wasted(best);
		else
			server_connection_close(best);
	}
	return best;
}

static struct server_connection *place_for(struct net_server *server,
	const struct net_address *newcomer, enum server_standing standing)
{
	uint32_t own = server->setup.own_places, taken = own > 0 ? own_places_taken(server) : 0;
	uint32_t kept = own > taken && standing != SERVER_PEER_OWN ? own - taken : 0;

	if (server->stats.open + kept >= server->setup.connections_max)
		return displace_for(server, newcomer, standing);
	for (uint32_t i = 0; i < server->setup.connections_max; i++)
		if (server->connections[i].state == SERVER_CLOSED)
			return &server->connections[i];
	CHECK_NEVER("fewer are open than there are places");
}

/* False: there is no room, also not that of one who may wait less. */
static bool make_room_to_wait(struct net_server *server, const struct server_waiting *newcomer)
{
	bool own = newcomer->standing == SERVER_PEER_OWN;
	uint32_t count = 0, last = 0;

	for (uint32_t i = 0; i < server->waiting_count; i++) {
		const struct server_waiting *w = &server->waiting[i];

		count += own ? w->standing == SERVER_PEER_OWN
			     : net_address_is_same_peer(&w->peer, &newcomer->peer);
		if (w->standing <= server->waiting[last].standing)
			last = i;
	}
	if (count >= (own ? SERVER_WAITING_OF_OWN : SERVER_WAITING_OF_PEER))
		return false;
	if (server->waiting_count < SERVER_WAITING_MAX)
		return true;
	if (server->waiting[last].standing >= (own ? SERVER_PEER_NEW : newcomer->standing))
		return false;
	turn_away(server, server->waiting[last].stream);
	server->waiting_count--;
	memmove(&server->waiting[last], &server->waiting[last + 1],
		(server->waiting_count - last) * sizeof(server->waiting[0]));
	return true;
}

static bool give_place(struct net_server *server, const struct server_waiting *w)
{
	struct server_connection *place = place_for(server, &w->peer, w->standing);

	if (place == NULL)
		return false;
	server_connection_open(place, w->stream, &w->peer, w->standing);
	/* Its first turn is the next one. */
	server->member.dirty = true;
	return true;
}

/* One that came first is not overtaken. */
static bool waits_as_well(const struct net_server *server, enum server_standing standing)
{
	for (uint32_t i = 0; i < server->waiting_count; i++)
		if (server->waiting[i].standing >= standing)
			return true;
	return false;
}

static void admit(struct net_server *server, uint32_t stream, const struct net_address *peer)
{
	struct mono now = net_now(server->net);
	bool own = server->setup.own_places > 0 && peer->is_own;
	struct server_waiting w = {.stream = stream,
		.peer = *peer,
		.standing = own ? SERVER_PEER_OWN : server_peer_standing(&server->peers, peer, now),
		.since = now};

	if (!waits_as_well(server, w.standing) && give_place(server, &w))
		return;
	if (make_room_to_wait(server, &w))
		server->waiting[server->waiting_count++] = w;
	else
		turn_away(server, stream);
}

/* The better standing first, then who came first. Who gets no place waits on. */
static void admit_waiting(struct net_server *server)
{
	struct mono now = net_now(server->net);
	uint32_t kept = 0;

	for (uint32_t standing = SERVER_STANDINGS; standing-- > 0;)
		for (uint32_t i = 0; i < server->waiting_count; i++) {
			struct server_waiting *w = &server->waiting[i];

			if (w->stream != 0 && standing_beyond(server, w->standing) == standing &&
				give_place(server, w))
				w->stream = 0;
		}
	for (uint32_t i = 0; i < server->waiting_count; i++) {
		struct server_waiting w = server->waiting[i];

		if (w.stream == 0)
			continue;
		if (mono_reached(now, mono_after_ms(w.since, SERVER_WAITING_MS)))
			turn_away(server, w.stream);
		else
			server->waiting[kept++] = w;
	}
	server->waiting_count = kept;
}

static void accept_some(struct net_server *server)
{
	const struct net_bytes *bytes = net_bytes(server->net);
	struct mono now = net_now(server->net);
	struct net_address peer;
	uint32_t stream;

	if (server->listener == 0)
		return;
	if (mono_reached(now, server->accept_due)) {
		server->accept_due = mono_after_ms(now, SERVER_ACCEPT_MS);
		server->accepts = net_is_hurried(server->net) ? SERVER_HURRIED_ACCEPTS_MAX
							      : SERVER_ACCEPTS_MAX;
		admit_waiting(server);
	} else if (!net_is_hurried(server->net)) {
		server->accepts = SERVER_ACCEPTS_MAX;
	}
	for (; server->accepts > 0; server->accepts--) {
		if ((stream = bytes->accept(bytes->self, server->listener, &peer)) == 0)
			return;
		admit(server, stream, &peer);
	}
	/* There may be more of them. */
	if (!net_is_hurried(server->net))
		server->member.dirty = true;
}

/* ---- certificates that change ---- */

/* The one before the last goes, and with it who still uses it. */
static bool load_serving_identity(struct net_server *server, struct writer *fault)
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
	if (load_serving_identity(server, &fault))
		log_info("net", "certificate-reloaded", "server=%s", server->setup.name);
	else
		log_warn("net", "certificate-not-reloaded", "server=%s fault=\"%.*s\"",
			server->setup.name, TEXT_ARGS(writer_text(&fault)));
}

bool net_server_trust(struct net_server *server, struct text client_ca, struct text proxy_ca,
	struct writer *fault)
{
	struct secret_part *parts = server->identity.parts;
	struct text client_before = parts[SECRET_CA].text;
	struct text proxy_before = parts[SECRET_PROXY_CA].text;

	if (!server->setup.https)
		return true;
	parts[SECRET_CA].text = client_ca;
	parts[SECRET_PROXY_CA].text = proxy_ca;
	if (load_serving_identity(server, fault))
		return true;
	parts[SECRET_CA].text = client_before;
	parts[SECRET_PROXY_CA].text = proxy_before;
	return false;
}

/* ---- the turn ---- */

static void begin_turn(struct net_server *server, struct mono now)
{
	bool hurried = net_is_hurried(server->net);

	for (uint32_t standing = 0; standing < SERVER_STANDINGS; standing++)
		server->handshakes[standing].steps =
			hurried && !mono_reached(now, server->handshakes[standing].rested)
			? 0
			: SERVER_HANDSHAKE_STEPS_MAX;
	server->requests = server->setup.requests_per_turn;
	server->budget = hurried ? SERVER_HURRIED_BYTES : SERVER_TURN_BYTES;
}

static struct mono server_turn_connections(struct net_server *server, enum server_standing standing)
{
	uint32_t count = server->setup.connections_max;
	struct mono due = MONO_NEVER;

	for (uint32_t i = server->first, end = i + count; i < end; i++) {
		struct server_connection *c = &server->connections[i < count ? i : i - count];

		if (c->state != SERVER_CLOSED && c->standing == standing)
			due = mono_earlier(due, server_connection_turn(c));
	}
	return due;
}

static struct mono server_turn(struct net_member *member, struct mono now)
{
	struct net_server *server = LIST_OWNER(member, struct net_server, member);
	struct mono due = MONO_NEVER;

	begin_turn(server, now);
	refresh_identity(server);
	for (uint32_t standing = SERVER_STANDINGS; standing-- > 0 && server->stats.open > 0;) {
		if (standing < SERVER_PEER_VOUCHED && net_is_hurried(server->net) &&
			server->budget > SERVER_HURRIED_STRANGERS_BYTES)
			server->budget = SERVER_HURRIED_STRANGERS_BYTES;
		due = mono_earlier(due, server_turn_connections(server, standing));
	}
	/* Now that all that came has been looked at, what is silent is so by its own fault. */
	accept_some(server);
	/* When budgets end early, another connection is first next time. */
	server->first = (server->first + 1) % server->setup.connections_max;
	/* A peer waits for a place, or may have come and not been looked at. */
	if (server->waiting_count > 0 || server->accepts == 0)
		due = mono_earlier(due, server->accept_due);
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
	CHECK(full.own_places < full.exchanges_max);
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

	return sizeof(struct net_server) + server_identity_size(setup) +
		full.exchanges_max * exchange +
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

static bool is_all_of_ipv4(const struct net_address *address)
{
	static const uint8_t none[4];

	return address->family == 4 && memcmp(address->bytes, none, sizeof(none)) == 0;
}

static bool start_to_listen(struct net_server *server, struct writer *fault)
{
	const struct net_bytes *bytes = net_bytes(server->net);
	const struct net_address *address = &server->setup.address;

	struct net_address all = {.family = 6, .port = address->port};

	/* All of IPv4 means all addresses, as Go has it; where there is no IPv6, what was said. */
	if (is_all_of_ipv4(address))
		server->listener = bytes->listen(bytes->self, &all);
	if (server->listener == 0)
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

	uint64_t seed = 1;

	server->net = net;
	server->setup = with_defaults(setup);
	(void)net_entropy(net).fill(net_entropy(net).self, &seed, sizeof(seed));
	random_init(&server->random, seed);
	if (setup->https && !tls_is_set_up()) {
		write_z(fault, "https is not set up");
		return NULL;
	}
	if (!server_identity_init(&server->identity, &server->setup, arena, net_now(net), fault)) {
		server_identity_close(&server->identity);
		return NULL;
	}
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

void net_exchange_vouch(struct net_exchange *exchange)
{
	struct server_connection *c = server_exchange_of(exchange)->connection;

	server_peer_vouched(&c->server->peers, &c->peer, net_now(c->server->net));
	if (c->standing < SERVER_PEER_VOUCHED)
		c->standing = SERVER_PEER_VOUCHED;
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

	for (uint32_t i = 0; i < server->waiting_count; i++)
		bytes->close(bytes->self, server->waiting[i].stream);
	server->waiting_count = 0;
	if (server->listener != 0)
		bytes->close(bytes->self, server->listener);
	server->listener = 0;
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
