/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sockets: the real implementation of struct net_bytes, by mongoose's event manager. The only
 * file that drives mongoose; of mongoose only events, sockets and buffers are used.
 *
 * What mongoose does not do, and this file does:
 *  - its receive buffer grows without need: here it has one size, is_full holds the peer back
 *    when it is full, and what arrived before the end of a connection outlives the connection;
 *  - it sends at the next turn: here bytes go to the system at once, and only what the system
 *    does not take waits in a buffer;
 *  - its datagram sockets take anybody's answer: here they are connected.
 */
#include "net/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <mongoose.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/fence.h"

enum {
	SOCKET_RECEIVE_SIZE = 8 * 1024,
	SOCKET_SEND_SIZE = 4 * 1024,
	SOCKET_BLOCK_HEADER = 16, /* of the fence, for each of the three blocks of a stream */
	SOCKET_STREAM_SIZE = sizeof(struct mg_connection) + SOCKET_RECEIVE_SIZE + SOCKET_SEND_SIZE +
		3 * SOCKET_BLOCK_HEADER,
	/* A closed stream keeps its connection until the next turn: room for a few more. */
	SOCKET_OVERLAP = 2,
	/* Accepted and not read yet: they have no buffers, so there may be many. */
	SOCKET_WAITING_SIZE =
		NET_WAITING_STREAMS * (sizeof(struct mg_connection) + SOCKET_BLOCK_HEADER),
	SOCKET_KEEPALIVE_IDLE_S = 30,
	SOCKET_KEEPALIVE_INTERVAL_S = 10,
	SOCKET_KEEPALIVE_PROBES = 3
};

struct socket_stream {
	struct mg_connection *connection; /* NULL: not in use, or the connection is gone */
	uint8_t *rest;                    /* received bytes that outlived it; of mongoose's fence */
	size_t rest_size;
	size_t from; /* received bytes before this one were dropped */
	const char *fault;
	enum net_stream_state state;
	uint32_t listener; /* accepted by this one and not taken yet */
	bool taken;
	bool counted; /* among those that have buffers, or may have them */
};

struct sockets {
	struct mg_mgr manager;
	struct fence fence;
	struct socket_stream *streams; /* 1 .. streams_max, those without buffers included */
	uint32_t streams_max;
	uint32_t counted, counted_max;
};

/* mongoose takes its allocator as functions without an object: one set of sockets per process. */
static struct fence *socket_fence;

void *mg_calloc(size_t count, size_t size)
{
	return socket_fence == NULL ? NULL : fence_take(socket_fence, count, size);
}

void mg_free(void *pointer)
{
	if (pointer != NULL)
		fence_give(socket_fence, pointer);
}

/* mongoose asks for the time for its timers and for randomness nowhere that berth calls. */
uint64_t mg_millis(void)
{
	return 0;
}

void mg_random(void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	CHECK_NEVER("mongoose needs no randomness");
}

static struct socket_stream *stream_at(void *self, uint32_t stream)
{
	struct sockets *sockets = self;

	CHECK(stream >= 1 && stream <= sockets->streams_max);
	CHECK(sockets->streams[stream].taken);
	return &sockets->streams[stream];
}

static bool stream_count(struct sockets *sockets, struct socket_stream *s)
{
	if (s->counted || sockets->counted == sockets->counted_max)
		return s->counted;
	sockets->counted++;
	return s->counted = true;
}

static void stream_release(struct sockets *sockets, struct socket_stream *s)
{
	sockets->counted -= s->counted;
	*s = (struct socket_stream){.taken = false};
}

static uint32_t stream_take(struct sockets *sockets)
{
	for (uint32_t i = 1; i <= sockets->streams_max; i++) {
		if (sockets->streams[i].taken)
			continue;
		sockets->streams[i] = (struct socket_stream){.taken = true};
		return i;
	}
	return 0;
}

static int socket_fd(const struct mg_connection *c)
{
	return (int)(intptr_t)c->fd;
}

/* ---- mongoose's events ---- */

static const char *socket_error(const struct mg_connection *c)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (socket_fd(c) < 0 || getsockopt(socket_fd(c), SOL_SOCKET, SO_ERROR, &error, &size) != 0)
		error = errno;
	return error == 0 ? "the connection failed" : strerror(error);
}

static void give_buffer(struct mg_connection *c, struct socket_stream *s)
{
	struct sockets *sockets = (struct sockets *)c->mgr;

	c->is_full = 0;
	if (!stream_count(sockets, s) || !mg_iobuf_resize(&c->recv, SOCKET_RECEIVE_SIZE)) {
		s->state = NET_STREAM_FAILED;
		s->fault = "no memory for one more connection";
		c->is_closing = 1;
	}
}

static void on_open(struct mg_connection *c, struct socket_stream *s)
{
	s->connection = c;
	c->recv.align = 0;
	c->send.align = SOCKET_SEND_SIZE;
}

static void on_read(struct mg_connection *c)
{
	if (c->is_udp || c->recv.len >= c->recv.size)
		c->is_full = 1;
}

static void on_close(struct mg_connection *c, struct socket_stream *s)
{
	if (s->state == NET_STREAM_OPEN && c->recv.len > s->from) {
		s->rest = c->recv.buf;
		s->rest_size = c->recv.len;
		memset(&c->recv, 0, sizeof(c->recv));
	} else {
		s->from = 0;
	}
	if (s->state == NET_STREAM_CONNECTING && s->fault == NULL)
		s->fault = "the connection failed";
	s->state = s->state == NET_STREAM_OPEN ? NET_STREAM_ENDED : NET_STREAM_FAILED;
	s->connection = NULL;
}

static void tune(const struct mg_connection *c)
{
	int idle = SOCKET_KEEPALIVE_IDLE_S, interval = SOCKET_KEEPALIVE_INTERVAL_S,
	    probes = SOCKET_KEEPALIVE_PROBES;

	/* A peer that went away without a word is noticed in a minute; failure costs only that. */
	(void)setsockopt(socket_fd(c), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	(void)setsockopt(socket_fd(c), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	(void)setsockopt(socket_fd(c), IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static void on_event(struct mg_connection *c, int event, void *detail)
{
	struct socket_stream *s = c->fn_data;

	(void)detail;
	if (s == NULL)
		return;
	switch (event) {
	case MG_EV_OPEN:
		on_open(c, s);
		give_buffer(c, s);
		break;
	case MG_EV_CONNECT:
		if (s->state == NET_STREAM_CONNECTING)
			s->state = NET_STREAM_OPEN;
		if (!c->is_udp)
			tune(c);
		break;
	case MG_EV_READ: on_read(c); break;
	case MG_EV_WRITE:
		if (c->send.len == 0)
			mg_iobuf_free(&c->send);
		break;
	case MG_EV_ERROR:
		s->fault = socket_error(c);
		if (s->state == NET_STREAM_CONNECTING)
			s->state = NET_STREAM_FAILED;
		break;
	case MG_EV_CLOSE: on_close(c, s); break;
	default: break;
	}
}

/* Of a listener, and of an accepted connection until it has a stream of its own. */
static void on_listener_event(struct mg_connection *c, int event, void *detail)
{
	struct sockets *sockets = (struct sockets *)c->mgr;
	struct socket_stream *listener = c->fn_data;
	uint32_t stream;

	(void)detail;
	if (event != MG_EV_OPEN || c->is_listening || listener == NULL || !c->is_accepted)
		return;
	stream = stream_take(sockets);
	c->fn = on_event;
	if (stream == 0) {
		c->fn_data = NULL;
		c->is_closing = 1;
		return;
	}
	struct socket_stream *s = &sockets->streams[stream];
	s->listener = (uint32_t)(listener - sockets->streams);
	s->state = NET_STREAM_OPEN;
	c->fn_data = s;
	on_open(c, s);
	/* It gets its buffer when its owner asks what it sent. */
	c->is_full = 1;
	tune(c);
}

/* ---- struct net_bytes ---- */

static void address_url(
	char *url, size_t size, enum net_stream_kind kind, const struct net_address *address)
{
	struct writer w;

	writer_init(&w, url, size - 1);
	write_z(&w, kind == NET_STREAM_TCP ? "tcp://" : "udp://");
	net_address_write(&w, address);
	CHECK(!w.overflowed);
	url[w.used] = '\0';
}

/* The kernel then drops datagrams from anybody else, and reports a closed port. */
static bool connect_datagrams(struct mg_connection *c, const struct net_address *to)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(to->port)};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(to->port), .sin6_scope_id = to->scope};
	int fd = socket_fd(c), flags = fcntl(fd, F_GETFL, 0);

	memcpy(&v4.sin_addr, to->bytes, 4);
	memcpy(&v6.sin6_addr, to->bytes, 16);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
		fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
		return false;
	if (to->family == 6)
		return connect(fd, (const struct sockaddr *)&v6, sizeof(v6)) == 0;
	return connect(fd, (const struct sockaddr *)&v4, sizeof(v4)) == 0;
}

static void fail_now(struct socket_stream *s, const char *fault)
{
	if (s->connection != NULL) {
		s->connection->fn_data = NULL;
		s->connection->is_closing = 1;
		s->connection = NULL;
	}
	s->state = NET_STREAM_FAILED;
	if (s->fault == NULL)
		s->fault = fault;
}

static uint32_t sockets_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct sockets *sockets = self;
	uint32_t stream = stream_take(sockets);
	char url[NET_ADDRESS_TEXT_MAX + 16];

	if (stream == 0)
		return 0;
	struct socket_stream *s = &sockets->streams[stream];
	if (!stream_count(sockets, s)) {
		stream_release(sockets, s);
		return 0;
	}
	s->state = NET_STREAM_CONNECTING;
	address_url(url, sizeof(url), kind, to);
	struct mg_connection *c = mg_connect(&sockets->manager, url, on_event, s);
	if (c == NULL)
		fail_now(s, "no memory for one more connection");
	else if (c->is_closing)
		fail_now(s, "the connection failed");
	else if (kind == NET_STREAM_UDP && !connect_datagrams(c, to))
		fail_now(s, strerror(errno));
	return stream;
}

static uint32_t sockets_listen(void *self, const struct net_address *at)
{
	struct sockets *sockets = self;
	uint32_t stream = stream_take(sockets);
	char url[NET_ADDRESS_TEXT_MAX + 16];

	if (stream == 0)
		return 0;
	struct socket_stream *s = &sockets->streams[stream];
	address_url(url, sizeof(url), NET_STREAM_TCP, at);
	s->connection = mg_listen(&sockets->manager, url, on_listener_event, s);
	if (s->connection == NULL || !stream_count(sockets, s)) {
		stream_release(sockets, s);
		return 0;
	}
	s->state = NET_STREAM_OPEN;
	return stream;
}

static void address_from(const struct mg_addr *from, struct net_address *address)
{
	*address = (struct net_address){.family = from->is_ip6 ? 6 : 4,
		.port = ntohs(from->port),
		.scope = from->is_ip6 ? from->scope_id : 0};
	memcpy(address->bytes, from->ip, from->is_ip6 ? 16 : 4);
}

/*
 * A peer on this machine comes from the address it goes to: loopback, or one of the machine's
 * own. No other can, as the answers would not find back.
 */
static bool peer_is_own(const struct mg_connection *c)
{
	struct sockaddr_storage own, peer;
	socklen_t own_size = sizeof(own), peer_size = sizeof(peer);

	memset(&own, 0, sizeof(own));
	memset(&peer, 0, sizeof(peer));
	if (getsockname(socket_fd(c), (struct sockaddr *)&own, &own_size) != 0 ||
		getpeername(socket_fd(c), (struct sockaddr *)&peer, &peer_size) != 0 ||
		own.ss_family != peer.ss_family)
		return false;
	if (own.ss_family == AF_INET6)
		return memcmp(&((const struct sockaddr_in6 *)&own)->sin6_addr,
			       &((const struct sockaddr_in6 *)&peer)->sin6_addr,
			       sizeof(struct in6_addr)) == 0;
	return own.ss_family == AF_INET &&
		((const struct sockaddr_in *)&own)->sin_addr.s_addr ==
		((const struct sockaddr_in *)&peer)->sin_addr.s_addr;
}

static uint32_t sockets_accept(void *self, uint32_t listener, struct net_address *peer)
{
	struct sockets *sockets = self;

	stream_at(self, listener);
	for (uint32_t i = 1; i <= sockets->streams_max; i++) {
		struct socket_stream *s = &sockets->streams[i];

		if (!s->taken || s->listener != listener)
			continue;
		*peer = (struct net_address){.family = 0};
		if (s->connection != NULL) {
			address_from(&s->connection->rem, peer);
			peer->is_own = peer_is_own(s->connection);
		}
		s->listener = 0;
		return i;
	}
	return 0;
}

static enum net_stream_state sockets_state(void *self, uint32_t stream)
{
	return stream_at(self, stream)->state;
}

static const char *sockets_fault(void *self, uint32_t stream)
{
	const char *fault = stream_at(self, stream)->fault;

	return fault == NULL ? "" : fault;
}

static struct text sockets_received(void *self, uint32_t stream)
{
	struct socket_stream *s = stream_at(self, stream);

	if (s->connection != NULL && s->connection->recv.buf == NULL &&
		!s->connection->is_closing && !s->connection->is_listening)
		give_buffer(s->connection, s);
	const uint8_t *at = s->connection != NULL ? s->connection->recv.buf : s->rest;
	size_t size = s->connection != NULL ? s->connection->recv.len : s->rest_size;

	if (size <= s->from)
		return (struct text){"", 0};
	return (struct text){(const char *)at + s->from, size - s->from};
}

static void sockets_drop(void *self, uint32_t stream, size_t size)
{
	struct socket_stream *s = stream_at(self, stream);

	CHECK(size <= sockets_received(self, stream).size);
	s->from += size;
	if (sockets_received(self, stream).size > 0)
		return;
	s->from = 0;
	if (s->connection != NULL) {
		s->connection->recv.len = 0;
		s->connection->is_full = 0;
	}
	mg_free(s->rest);
	s->rest = NULL;
	s->rest_size = 0;
}

static size_t sockets_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct mg_connection *c = stream_at(self, stream)->connection;
	const char *at = bytes;
	long sent = 0;

	if (c == NULL || c->is_closing || c->is_connecting || size == 0)
		return 0;
	if (c->send.len == 0) {
		sent = mg_io_send(c, bytes, size);
		if (sent == MG_IO_WAIT)
			sent = 0;
		if (sent < 0) {
			/* What the peer said before it went may still be there to read. */
			return 0;
		}
	}
	size_t left = size - (size_t)sent, room = SOCKET_SEND_SIZE - c->send.len;
	if (c->is_udp || left == 0)
		return (size_t)sent;
	left = left < room ? left : room;
	if (left > 0 && !mg_send(c, at + sent, left))
		left = 0;
	return (size_t)sent + left;
}

static size_t sockets_unsent(void *self, uint32_t stream)
{
	const struct mg_connection *c = stream_at(self, stream)->connection;

	return c == NULL ? 0 : c->send.len;
}

static void sockets_end(void *self, uint32_t stream)
{
	const struct mg_connection *c = stream_at(self, stream)->connection;

	CHECK(sockets_unsent(self, stream) == 0);
	/* It fails when the peer has gone, which reading tells. */
	if (c != NULL && !c->is_closing && !c->is_connecting)
		(void)shutdown(socket_fd(c), SHUT_WR);
}

static uint16_t sockets_port(void *self, uint32_t listener)
{
	const struct mg_connection *c = stream_at(self, listener)->connection;

	return c == NULL ? 0 : ntohs(c->loc.port);
}

static void sockets_close(void *self, uint32_t stream)
{
	struct sockets *sockets = self;
	struct socket_stream *s = stream_at(self, stream);

	if (s->connection != NULL) {
		s->connection->fn_data = NULL;
		s->connection->is_closing = 1;
	}
	mg_free(s->rest);
	for (uint32_t i = 1; i <= sockets->streams_max; i++)
		if (sockets->streams[i].taken && sockets->streams[i].listener == stream)
			sockets_close(self, i);
	stream_release(sockets, s);
}

/* Moves what is left over to the front, and stops listening while no peer can be taken in. */
static bool prepare_to_wait(struct sockets *sockets)
{
	bool room = false, at_once = false;

	for (uint32_t i = 1; i <= sockets->streams_max; i++) {
		struct socket_stream *s = &sockets->streams[i];

		room = room || !s->taken;
		if (!s->taken || s->connection == NULL || s->from == 0)
			continue;
		struct mg_iobuf *received = &s->connection->recv;
		memmove(received->buf, received->buf + s->from, received->len - s->from);
		received->len -= s->from;
		s->from = 0;
		if (!s->connection->is_udp)
			s->connection->is_full = 0;
	}
	for (struct mg_connection *c = sockets->manager.conns; c != NULL; c = c->next) {
		at_once = at_once || c->is_closing;
		if (c->is_listening)
			c->is_full = !room;
	}
	return at_once;
}

static void sockets_wait(void *self, int64_t timeout_us)
{
	struct sockets *sockets = self;
	int64_t ms = timeout_us < 0 ? -1 : (timeout_us + CLOCK_MS_US - 1) / CLOCK_MS_US;

	if (ms > INT32_MAX)
		ms = INT32_MAX;
	/* Closed connections go first, so that they do not hold memory while others wait for it. */
	if (prepare_to_wait(sockets))
		mg_mgr_poll(&sockets->manager, 0);
	else
		mg_mgr_poll(&sockets->manager, (int)ms);
}

/* ---- making one ---- */

static size_t socket_fence_size(uint32_t streams_max)
{
	return ((size_t)streams_max + SOCKET_OVERLAP) * SOCKET_STREAM_SIZE + SOCKET_WAITING_SIZE +
		1024;
}

size_t net_socket_size(uint32_t streams_max)
{
	return sizeof(struct sockets) +
		(streams_max + NET_WAITING_STREAMS + 1) * sizeof(struct socket_stream) +
		socket_fence_size(streams_max) + 3 * 16;
}

struct net_bytes net_socket_bytes(struct arena *arena, uint32_t streams_max)
{
	struct sockets *sockets = arena_take(arena, sizeof(*sockets));

	CHECK(offsetof(struct sockets, manager) == 0);
	sockets->counted_max = streams_max;
	sockets->streams_max = streams_max + NET_WAITING_STREAMS;
	sockets->streams = ARENA_ARRAY(arena, struct socket_stream, sockets->streams_max + 1);
	CHECK(socket_fence == NULL);
	fence_init(&sockets->fence, "sockets", arena_take(arena, socket_fence_size(streams_max)),
		socket_fence_size(streams_max));
	socket_fence = &sockets->fence;
	mg_mgr_init(&sockets->manager);
	return (struct net_bytes){.open = sockets_open,
		.listen = sockets_listen,
		.accept = sockets_accept,
		.state = sockets_state,
		.fault = sockets_fault,
		.received = sockets_received,
		.drop = sockets_drop,
		.send = sockets_send,
		.unsent = sockets_unsent,
		.end = sockets_end,
		.port = sockets_port,
		.close = sockets_close,
		.wait = sockets_wait,
		.self = sockets};
}

void net_socket_close(struct net_bytes *bytes)
{
	struct sockets *sockets = bytes->self;

	for (uint32_t i = 1; i <= sockets->streams_max; i++)
		if (sockets->streams[i].taken)
			sockets_close(sockets, i);
	mg_mgr_free(&sockets->manager);
	fence_close(&sockets->fence);
	socket_fence = NULL;
}
