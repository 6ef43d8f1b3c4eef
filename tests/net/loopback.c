/* SPDX-License-Identifier: GPL-2.0-only */
/* Two pipes for each connection. */
#include "net/loopback.h"

#include <string.h>

#include "base/check.h"

enum { LOOPBACK_WAITS_MAX = 10 * 1000 * 1000 };

void loopback_init(struct loopback *loopback)
{
	memset(loopback, 0, offsetof(struct loopback, streams));
	for (uint32_t i = 0; i <= LOOPBACK_STREAMS; i++)
		loopback->streams[i].taken = false;
	loopback->now_us = 1000;
	loopback->has_end = true;
}

static struct loopback_stream *at(struct loopback *loopback, uint32_t stream)
{
	CHECK(stream >= 1 && stream <= LOOPBACK_STREAMS);
	CHECK(loopback->streams[stream].taken);
	return &loopback->streams[stream];
}

static uint32_t take(struct loopback *loopback)
{
	for (uint32_t i = 1; i <= LOOPBACK_STREAMS; i++) {
		if (loopback->streams[i].taken)
			continue;
		memset(&loopback->streams[i], 0, offsetof(struct loopback_stream, pipe));
		loopback->streams[i].taken = true;
		loopback->highest = i > loopback->highest ? i : loopback->highest;
		return i;
	}
	return 0;
}

static uint32_t loopback_open(void *self, enum net_stream_kind kind, const struct net_address *to)
{
	struct loopback *loopback = self;
	uint32_t near = take(loopback), far = take(loopback);

	CHECK(kind == NET_STREAM_TCP);
	CHECK(near != 0 && far != 0);
	loopback->streams[near].state = NET_STREAM_FAILED;
	for (uint32_t i = 1; i <= loopback->highest; i++) {
		struct loopback_stream *listener = &loopback->streams[i];

		if (!listener->taken || !listener->listens || listener->port != to->port)
			continue;
		loopback->streams[near].state = NET_STREAM_CONNECTING;
		loopback->streams[near].peer = far;
		loopback->streams[far].state = NET_STREAM_OPEN;
		loopback->streams[far].peer = near;
		loopback->streams[far].listener = i;
		return near;
	}
	loopback->streams[far].taken = false;
	return near;
}

static uint32_t loopback_listen(void *self, const struct net_address *to)
{
	uint32_t stream = take(self);

	at(self, stream)->listens = true;
	at(self, stream)->state = NET_STREAM_OPEN;
	at(self, stream)->port = to->port;
	return stream;
}

static uint32_t loopback_accept(void *self, uint32_t listener, struct net_address *peer)
{
	struct loopback *loopback = self;

	CHECK(at(loopback, listener)->listens);
	for (uint32_t i = 1; i <= loopback->highest; i++) {
		struct loopback_stream *s = &loopback->streams[i];

		if (!s->taken || s->listener != listener)
			continue;
		s->listener = 0;
		CHECK(net_address_parse(TEXT("192.0.2.7"), (uint16_t)(1000 + i), peer));
		return i;
	}
	return 0;
}

static enum net_stream_state loopback_state(void *self, uint32_t stream)
{
	return at(self, stream)->state;
}

static const char *loopback_fault(void *self, uint32_t stream)
{
	(void)self;
	(void)stream;
	return "refused by the test";
}

static struct text loopback_received(void *self, uint32_t stream)
{
	const struct loopback_stream *s = at(self, stream);

	return (struct text){s->pipe, s->here};
}

static void loopback_drop(void *self, uint32_t stream, size_t size)
{
	struct loopback_stream *s = at(self, stream);

	CHECK(size <= s->here);
	memmove(s->pipe, s->pipe + size, s->size - size);
	s->size -= size;
	s->here -= size;
	((struct loopback *)self)->dropped |= size > 0;
}

static size_t loopback_send(void *self, uint32_t stream, const void *bytes, size_t size)
{
	struct loopback *loopback = self;
	const struct loopback_stream *s = at(loopback, stream);
	size_t most = loopback->pipe_room == 0 ? LOOPBACK_PIPE : loopback->pipe_room;

	if (s->state != NET_STREAM_OPEN || s->peer == 0)
		return 0;
	struct loopback_stream *peer = at(loopback, s->peer);
	CHECK(!peer->end_sent);
	size_t room = peer->size < most ? most - peer->size : 0;
	size = size < room ? size : room;
	memcpy(peer->pipe + peer->size, bytes, size);
	peer->size += size;
	return size;
}

static size_t loopback_unsent(void *self, uint32_t stream)
{
	at(self, stream);
	return 0;
}

static void loopback_end(void *self, uint32_t stream)
{
	const struct loopback_stream *s = at(self, stream);

	if (s->peer != 0)
		at(self, s->peer)->end_sent = true;
}

static void loopback_close(void *self, uint32_t stream)
{
	struct loopback *loopback = self;
	struct loopback_stream *s = at(loopback, stream);

	if (s->peer != 0) {
		struct loopback_stream *peer = at(loopback, s->peer);

		/* As the system does: bytes that nobody read turn the close into a reset. */
		peer->end_sent = true;
		peer->cut_sent = s->size > 0;
		peer->peer = 0;
	}
	for (uint32_t i = 1; i <= loopback->highest; i++)
		if (loopback->streams[i].taken && loopback->streams[i].listener == stream)
			loopback_close(loopback, i);
	s->taken = false;
}

/* True when something has changed for the reader. */
static bool deliver(const struct loopback *loopback, struct loopback_stream *s)
{
	size_t more = s->size - s->here;

	if (s->state == NET_STREAM_CONNECTING) {
		s->state = NET_STREAM_OPEN;
		return true;
	}
	if (s->state != NET_STREAM_OPEN)
		return false;
	if (loopback->slice > 0 && more > loopback->slice)
		more = loopback->slice;
	s->here += more;
	if (s->here == s->size && s->end_sent) {
		s->state = s->cut_sent ? NET_STREAM_FAILED : NET_STREAM_ENDED;
		return true;
	}
	return more > 0;
}

static void loopback_wait(void *self, int64_t timeout_us)
{
	struct loopback *loopback = self;
	bool news = loopback->dropped;

	loopback->dropped = false;
	CHECK(loopback->waits++ < LOOPBACK_WAITS_MAX);
	for (uint32_t i = 1; i <= loopback->highest; i++)
		if (loopback->streams[i].taken)
			news |= deliver(loopback, &loopback->streams[i]);
	if (news || timeout_us == 0)
		loopback->now_us += 20;
	else
		loopback->now_us += timeout_us < 0 ? CLOCK_S_US : timeout_us;
}

struct net_bytes loopback_bytes(struct loopback *loopback)
{
	return (struct net_bytes){.open = loopback_open,
		.listen = loopback_listen,
		.accept = loopback_accept,
		.state = loopback_state,
		.fault = loopback_fault,
		.received = loopback_received,
		.drop = loopback_drop,
		.send = loopback_send,
		.unsent = loopback_unsent,
		.end = loopback->has_end ? loopback_end : NULL,
		.close = loopback_close,
		.wait = loopback_wait,
		.self = loopback};
}

static struct mono loopback_mono(void *self)
{
	const struct loopback *loopback = self;

	return (struct mono){loopback->now_us};
}

static struct wall loopback_wall(void *self)
{
	const struct loopback *loopback = self;

	return (struct wall){INT64_C(1790000000) * CLOCK_S_US + loopback->now_us};
}

struct clock loopback_clock(struct loopback *loopback)
{
	return (struct clock){.mono = loopback_mono, .wall = loopback_wall, .self = loopback};
}
