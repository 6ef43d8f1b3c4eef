/* SPDX-License-Identifier: GPL-2.0-only */
/* Streams inside one process. */
#include "watch/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

enum { WIRE_WAITS_MAX = 50 * 1000 * 1000 };

void wire_init(struct wire *wire)
{
	memset(wire, 0, sizeof(*wire));
	wire->now_us = 1000;
}

void wire_free(struct wire *wire)
{
	for (uint32_t i = 1; i <= WIRE_STREAMS; i++)
		free(wire->streams[i].reply);
	memset(wire, 0, sizeof(*wire));
}

static struct wire_stream *at(struct wire *wire, uint32_t stream)
{
	TEST_ASSERT_TRUE(stream >= 1 && stream <= WIRE_STREAMS);
	TEST_ASSERT_TRUE(wire->streams[stream].taken);
	return &wire->streams[stream];
}

/* ---- for servers ---- */

void wire_send(struct wire *wire, uint32_t stream, struct text bytes)
{
	struct wire_stream *s = at(wire, stream);

	if (s->reply_size + bytes.size > s->reply_room) {
		s->reply_room = (s->reply_size + bytes.size) * 2 + 4096;
		s->reply = realloc(s->reply, s->reply_room);
		TEST_ASSERT_NOT_NULL(s->reply);
	}
	if (bytes.size > 0)
		memcpy(s->reply + s->reply_size, bytes.at, bytes.size);
	s->reply_size += bytes.size;
}

void wire_send_z(struct wire *wire, uint32_t stream, const char *bytes)
{
	wire_send(wire, stream, text_of(bytes));
}

void wire_reply(
	struct wire *wire, uint32_t stream, int status, const char *headers, struct text body)
{
	char head[1024];

	snprintf(head, sizeof(head),
		"HTTP/1.1 %d Whatever\r\nContent-Type: application/json\r\n%s"
		"Content-Length: %zu\r\n\r\n",
		status, headers, body.size);
	wire_send_z(wire, stream, head);
	wire_send(wire, stream, body);
}

void wire_open(struct wire *wire, uint32_t stream)
{
	wire_send_z(wire, stream,
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		"Transfer-Encoding: chunked\r\n\r\n");
}

void wire_chunk(struct wire *wire, uint32_t stream, struct text bytes)
{
	char size[32];

	snprintf(size, sizeof(size), "%zx\r\n", bytes.size);
	wire_send_z(wire, stream, size);
	wire_send(wire, stream, bytes);
	wire_send_z(wire, stream, "\r\n");
}

void wire_finish(struct wire *wire, uint32_t stream)
{
	wire_send_z(wire, stream, "0\r\n\r\n");
}

void wire_end(struct wire *wire, uint32_t stream)
{
	at(wire, stream)->ends = true;
}

void wire_cut(struct wire *wire, uint32_t stream)
{
	at(wire, stream)->cuts = true;
}

void wire_cut_all(struct wire *wire)
{
	for (uint32_t i = 1; i <= WIRE_STREAMS; i++)
		if (wire->streams[i].taken)
			wire_cut(wire, i);
}

/* ---- the interface ---- */

static uint32_t wire_stream_open(
	void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct wire *wire = self;

	(void)to;
	TEST_ASSERT_EQUAL_INT(NET_STREAM_TCP, kind);
	for (uint32_t i = 1; i <= WIRE_STREAMS; i++) {
		struct wire_stream *s = &wire->streams[i];
		char *reply = s->reply;
		size_t room = s->reply_room;

		if (s->taken)
			continue;
		*s = (struct wire_stream){.taken = true,
			.state = wire->refuses ? NET_STREAM_FAILED : NET_STREAM_CONNECTING,
			.reply = reply,
			.reply_room = room,
			.cut_after = -1};
		wire->opened++;
		return i;
	}
	return 0;
}

static uint32_t wire_listen(void *self, const struct net_address *to)
{
	(void)self;
	(void)to;
	return 0;
}

static uint32_t wire_accept(void *self, uint32_t listener, struct net_address *peer)
{
	(void)self;
	(void)listener;
	(void)peer;
	return 0;
}

static enum net_stream_state wire_state(void *self, uint32_t stream)
{
	return at(self, stream)->state;
}

static const char *wire_fault(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return "refused by the test";
}

static struct text wire_received(void *self, uint32_t stream)
{
	struct wire_stream *s = at(self, stream);

	return (struct text){
		s->reply == NULL ? "" : s->reply + s->taken_off, s->visible - s->taken_off};
}

static void wire_drop(void *self, uint32_t stream, size_t size)
{
	struct wire_stream *s = at(self, stream);

	TEST_ASSERT_TRUE(size <= s->visible - s->taken_off);
	s->taken_off += size;
	if (s->taken_off < s->reply_size)
		return;
	s->reply_size = s->visible = s->taken_off = 0;
}

static size_t wire_take(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct wire *wire = self;
	struct wire_stream *s = at(wire, stream);

	if (s->state != NET_STREAM_OPEN)
		return 0;
	TEST_ASSERT_TRUE(s->request_size + size < sizeof(s->request));
	memcpy(s->request + s->request_size, bytes, size);
	s->request_size += size;
	s->request[s->request_size] = '\0';
	return size;
}

static size_t wire_unsent(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return 0;
}

static void wire_close(void *self, uint32_t stream)
{
	struct wire *wire = self;

	at(wire, stream)->taken = false;
	if (wire->closed != NULL)
		wire->closed(wire->self, wire, stream);
}

/* A whole request: GET PATH HTTP/1.1 ... and no body. */
static void hear(struct wire *wire, uint32_t stream)
{
	struct wire_stream *s = at(wire, stream);
	char path[WIRE_REQUEST_MAX];
	char *end = strstr(s->request, "\r\n\r\n");
	const char *space;

	if (end == NULL)
		return;
	TEST_ASSERT_EQUAL_STRING_LEN("GET ", s->request, 4);
	space = strchr(s->request + 4, ' ');
	TEST_ASSERT_NOT_NULL(space);
	size_t size = (size_t)(space - s->request) - 4;
	memcpy(path, s->request + 4, size);
	s->request_size = 0;
	s->request[0] = '\0';
	wire->answer(wire->self, wire, stream, (struct text){path, size});
}

/* True when something has changed for the reader. */
static bool deliver(struct wire *wire, struct wire_stream *s)
{
	size_t more = s->reply_size - s->visible;

	if (s->state == NET_STREAM_CONNECTING) {
		s->state = NET_STREAM_OPEN;
		return true;
	}
	if (s->state != NET_STREAM_OPEN)
		return false;
	if (wire->slice > 0 && more > wire->slice)
		more = wire->slice;
	if (s->cut_after >= 0 && more > (size_t)s->cut_after)
		more = (size_t)s->cut_after;
	s->visible += more;
	if (s->cut_after >= 0)
		s->cut_after -= (int64_t)more;
	if (s->cut_after == 0 || (s->cuts && s->visible == s->reply_size)) {
		s->state = NET_STREAM_FAILED;
		return true;
	}
	if (s->ends && s->visible == s->reply_size) {
		s->state = NET_STREAM_ENDED;
		return true;
	}
	return more > 0;
}

static void wire_wait(void *self, int64_t timeout_us)
{
	struct wire *wire = self;
	int64_t next = INT64_MAX;
	bool news = false;

	TEST_ASSERT_TRUE_MESSAGE(wire->waits++ < WIRE_WAITS_MAX, "the loop does not rest");
	for (uint32_t i = 1; i <= WIRE_STREAMS; i++)
		if (wire->streams[i].taken && wire->streams[i].request_size > 0)
			hear(wire, i);
	if (wire->pump != NULL)
		next = wire->pump(wire->self, wire);
	for (uint32_t i = 1; i <= WIRE_STREAMS; i++)
		if (wire->streams[i].taken && !wire->silent)
			news |= deliver(wire, &wire->streams[i]);
	if (news || timeout_us == 0) {
		wire->now_us += 20;
		return;
	}
	if (timeout_us < 0)
		timeout_us = CLOCK_S_US;
	if (next - wire->now_us < timeout_us)
		timeout_us = next > wire->now_us ? next - wire->now_us : 1;
	wire->now_us += timeout_us;
}

struct net_bytes wire_bytes(struct wire *wire)
{
	return (struct net_bytes){.open = wire_stream_open,
		.listen = wire_listen,
		.accept = wire_accept,
		.state = wire_state,
		.fault = wire_fault,
		.received = wire_received,
		.drop = wire_drop,
		.send = wire_take,
		.unsent = wire_unsent,
		.close = wire_close,
		.wait = wire_wait,
		.self = wire};
}

static struct mono wire_mono(void *self)
{
	const struct wire *wire = self;

	return (struct mono){wire->now_us};
}

static struct wall wire_wall(void *self)
{
	const struct wire *wire = self;

	return (struct wall){INT64_C(1790000000) * CLOCK_S_US + wire->now_us};
}

struct clock wire_clock(struct wire *wire)
{
	return (struct clock){.mono = wire_mono, .wall = wire_wall, .self = wire};
}
