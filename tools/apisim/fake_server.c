/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections of a fake server: requests are put together, answers are sent on as there is room. */
#include "apisim/fake_server.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FAKE_WALL_S = 1790000000 };

static const struct net_address fake_address = {.family = 4, .bytes = {127, 0, 0, 1}, .port = 8080};

static struct fake_stream *stream_at(struct fake_server *server, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= FAKE_STREAMS);
	return &server->streams[stream];
}

/* ---- answers ---- */

void fake_server_send(struct fake_server *server, uint32_t stream, struct text bytes)
{
	struct fake_stream *s = stream_at(server, stream);

	CHECK(s->taken);
	if (s->reply_size + bytes.size > s->reply_room) {
		s->reply_room = (s->reply_size + bytes.size) * 2 + 4096;
		s->reply = realloc(s->reply, s->reply_room);
		CHECK(s->reply != NULL);
	}
	if (bytes.size > 0)
		memcpy(s->reply + s->reply_size, bytes.at, bytes.size);
	s->reply_size += bytes.size;
}

void fake_server_send_z(struct fake_server *server, uint32_t stream, const char *bytes)
{
	fake_server_send(server, stream, text_of(bytes));
}

void fake_server_reply(struct fake_server *server, uint32_t stream, int status, const char *headers,
	struct text body)
{
	char head[1024];

	snprintf(head, sizeof(head),
		"HTTP/1.1 %d Whatever\r\nContent-Type: application/json\r\n%s"
		"Content-Length: %zu\r\n\r\n",
		status, headers, body.size);
	fake_server_send_z(server, stream, head);
	fake_server_send(server, stream, body);
}

void fake_server_open(struct fake_server *server, uint32_t stream)
{
	fake_server_send_z(server, stream,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		"Transfer-Encoding: chunked\r\n\r\n");
}

void fake_server_chunk(struct fake_server *server, uint32_t stream, struct text bytes)
{
	char size[32];

	snprintf(size, sizeof(size), "%zx\r\n", bytes.size);
	fake_server_send_z(server, stream, size);
	fake_server_send(server, stream, bytes);
	fake_server_send_z(server, stream, "\r\n");
}

void fake_server_finish(struct fake_server *server, uint32_t stream)
{
	fake_server_send_z(server, stream, "0\r\n\r\n");
}

void fake_server_end(struct fake_server *server, uint32_t stream)
{
	stream_at(server, stream)->ends = true;
}

void fake_server_cut(struct fake_server *server, uint32_t stream)
{
	stream_at(server, stream)->cuts = true;
}

void fake_server_cut_all(struct fake_server *server)
{
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		if (server->streams[i].taken)
			fake_server_cut(server, i);
}

/* ---- connections ---- */

static void stream_free(struct fake_server *server, uint32_t stream)
{
	struct fake_stream *s = &server->streams[stream];

	server->far.close(server->far.self, s->far);
	s->taken = false;
	if (server->closed != NULL)
		server->closed(server->self, server, stream);
}

static void stream_reset(struct fake_server *server, uint32_t stream)
{
	network_cut_stream(&server->network, server->streams[stream].far);
	stream_free(server, stream);
}

static void accept_all(struct fake_server *server)
{
	struct net_address peer;
	uint32_t far;

	while ((far = server->far.accept(server->far.self, server->listener, &peer)) != 0) {
		uint32_t i = 1;

		while (i <= FAKE_STREAMS && server->streams[i].taken)
			i++;
		CHECK(i <= FAKE_STREAMS);
		struct fake_stream *s = &server->streams[i];

		s->taken = true;
		s->far = far;
		s->near = server->network.streams[far].peer;
		s->cut_after = s->takes = -1;
		s->ends = s->cuts = s->begun = false;
		s->request_size = s->whole_size = s->reply_size = s->reply_sent = 0;
	}
}

static struct text header_of(const char *head, const char *name)
{
	const char *at = strstr(head, name);

	if (at == NULL)
		return TEXT_NONE;
	at += strlen(name);
	return (struct text){at, strcspn(at, "\r")};
}

/* A head is there: how much is the whole request? */
static size_t whole_size(const char *head)
{
	const char *end = strstr(head, "\r\n\r\n");
	struct text length;

	if (end == NULL)
		return 0;
	length = header_of(head, "Content-Length: ");
	return (size_t)(end - head) + 4 + (length.at != NULL ? strtoul(length.at, NULL, 10) : 0);
}

static void answer_request(struct fake_server *server, uint32_t stream)
{
	struct fake_stream *s = &server->streams[stream];
	static char copy[FAKE_REQUEST_MAX];
	struct fake_request request = {.stream = stream};

	CHECK(s->request_size == s->whole_size); /* one after the other */
	memcpy(copy, s->request, s->request_size + 1);
	request.method = (struct text){copy, strcspn(copy, " ")};
	request.path.at = copy + request.method.size + 1;
	request.path.size = strcspn(request.path.at, " ");
	request.content_type = header_of(copy, "Content-Type: ");
	char *body = strstr(copy, "\r\n\r\n") + 4;
	body[-4] = '\0';
	request.body = (struct text){body, s->whole_size - (size_t)(body - copy)};
	s->request_size = s->whole_size = 0;
	s->begun = false;
	server->answer(server->self, server, &request);
}

static void read_request(struct fake_server *server, uint32_t stream)
{
	struct fake_stream *s = &server->streams[stream];
	enum net_stream_state state = server->far.state(server->far.self, s->far);
	struct text bytes = server->far.received(server->far.self, s->far);

	CHECK(s->request_size + bytes.size < FAKE_REQUEST_MAX);
	if (bytes.size > 0)
		memcpy(s->request + s->request_size, bytes.at, bytes.size);
	s->request_size += bytes.size;
	s->request[s->request_size] = '\0';
	server->far.drop(server->far.self, s->far, bytes.size);
	if (state == NET_STREAM_FAILED || state == NET_STREAM_ENDED) {
		stream_free(server, stream);
		return;
	}
	s->whole_size = whole_size(s->request);
	if (s->whole_size > 0 && s->request_size >= s->whole_size)
		answer_request(server, stream);
}

static void send_reply(struct fake_server *server, uint32_t stream)
{
	struct fake_stream *s = &server->streams[stream];
	size_t size = s->reply_size - s->reply_sent;

	if (s->cut_after >= 0 && size > (size_t)s->cut_after)
		size = (size_t)s->cut_after;
	if (size > 0)
		size = server->far.send(server->far.self, s->far, s->reply + s->reply_sent, size);
	s->reply_sent += size;
	if (s->cut_after >= 0)
		s->cut_after -= (int64_t)size;
	bool is_all = s->reply_sent == s->reply_size;

	if (is_all)
		s->reply_sent = s->reply_size = 0;
	if (s->cut_after == 0 || (is_all && s->cuts)) {
		stream_reset(server, stream);
	} else if (is_all && s->ends) {
		server->far.end(server->far.self, s->far);
		s->ends = false;
	}
}

/* The rest of the world, as the network calls it. */
static int64_t fake_server_poll(void *self)
{
	struct fake_server *server = self;
	int64_t next_us = INT64_MAX;

	accept_all(server);
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		if (server->streams[i].taken)
			read_request(server, i);
	if (server->pump != NULL)
		next_us = server->pump(server->self, server);
	for (uint32_t i = 1; i <= FAKE_STREAMS && !server->silent; i++)
		if (server->streams[i].taken)
			send_reply(server, i);
	return next_us;
}

/* ---- the client's end ---- */

static uint32_t near_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct fake_server *server = self;
	struct net_address address = fake_address;

	(void)to; /* whatever is asked for, it is this one */
	server->opened++;
	server->client->unreachable = server->refuses;
	uint32_t stream = server->near.open(server->near.self, kind, &address);

	accept_all(server); /* so that what is sent on it can be cut from the first byte on */
	return stream;
}

static uint32_t near_listen(void *self, const struct net_address *to)
{
	(void)self;
	(void)to;
	return 0;
}

static uint32_t near_accept(void *self, uint32_t listener, struct net_address *peer)
{
	(void)self;
	(void)listener;
	(void)peer;
	return 0;
}

static enum net_stream_state near_state(void *self, uint32_t stream)
{
	struct fake_server *server = self;

	return server->near.state(server->near.self, stream);
}

static const char *near_fault(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return "refused by the test";
}

static struct text near_received(void *self, uint32_t stream)
{
	struct fake_server *server = self;

	return server->near.received(server->near.self, stream);
}

static void near_drop(void *self, uint32_t stream, size_t size)
{
	struct fake_server *server = self;

	server->near.drop(server->near.self, stream, size);
}

static struct fake_stream *stream_of_near(struct fake_server *server, uint32_t near)
{
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		if (server->streams[i].taken && server->streams[i].near == near)
			return &server->streams[i];
	return NULL;
}

static size_t near_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct fake_server *server = self;
	struct fake_stream *s = server->begins == NULL ? NULL : stream_of_near(server, stream);
	bool is_cut = false;

	if (s != NULL && !s->begun && size > 0) {
		s->begun = true;
		s->takes = server->begins(server->self, server, (uint32_t)(s - server->streams),
			*(const char *)bytes);
	}
	if (s != NULL && s->takes >= 0 && size > (size_t)s->takes) {
		size = (size_t)s->takes;
		is_cut = true;
	}
	size = server->near.send(server->near.self, stream, bytes, size);
	if (s != NULL && s->takes >= 0)
		s->takes -= (int64_t)size;
	if (is_cut)
		network_cut_stream(&server->network, stream);
	return size;
}

static size_t near_unsent(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return 0;
}

static void near_close(void *self, uint32_t stream)
{
	struct fake_server *server = self;

	server->near.close(server->near.self, stream);
}

static void near_wait(void *self, int64_t timeout_us)
{
	struct fake_server *server = self;

	CHECK(server->waits++ < FAKE_WAITS_MAX); /* or the loop does not rest */
	server->client->slice = server->slice;
	server->near.wait(server->near.self, timeout_us);
}

struct net_bytes fake_server_bytes(struct fake_server *server)
{
	return (struct net_bytes){.open = near_open,
		.listen = near_listen,
		.accept = near_accept,
		.state = near_state,
		.fault = near_fault,
		.received = near_received,
		.drop = near_drop,
		.send = near_send,
		.unsent = near_unsent,
		.close = near_close,
		.wait = near_wait,
		.self = server};
}

uint32_t fake_server_connections(const struct fake_server *server)
{
	const struct network *n = &server->network;
	uint32_t count = 0;

	for (uint32_t i = 1; i <= NETWORK_STREAMS; i++)
		count += n->streams[i].taken && &n->host[n->streams[i].host] == server->client;
	return count;
}

struct clock fake_server_clock(struct fake_server *server)
{
	return network_clock(&server->network);
}

void fake_server_init(struct fake_server *server)
{
	struct arena arena;

	memset(server, 0, sizeof(*server));
	server->block = memory_reserve(network_size());
	CHECK(server->block != NULL);
	arena_init(&arena, server->block, network_size());
	network_init(&server->network, &arena, 1, (int64_t)FAKE_WALL_S * CLOCK_S_US);
	server->client = network_host(
		&server->network, (struct net_address){.family = 4, .bytes = {127, 0, 0, 2}}, true);
	server->server = network_host(&server->network, fake_address, false);
	server->near = network_bytes(server->client);
	server->far = network_bytes(server->server);
	server->listener = server->far.listen(server->far.self, &fake_address);
	server->network.others = fake_server_poll;
	server->network.self = server;
}

void fake_server_free(struct fake_server *server)
{
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++)
		free(server->streams[i].reply);
	memory_release(server->block, network_size());
	memset(server, 0, sizeof(*server));
}
