/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stream: the one place where plain bytes and TLS look alike.
 */
#include "tls/stream.h"

#include <string.h>

void stream_open(struct tls_stream *stream, const struct net_bytes *bytes, uint32_t number)
{
	CHECK(stream->number == 0);
	CHECK(stream->tls.identity == NULL);
	stream->bytes = bytes;
	stream->number = number;
}

void stream_close(struct tls_stream *stream)
{
	tls_stop(&stream->tls);
	if (stream->number != 0)
		stream->bytes->close(stream->bytes->self, stream->number);
	stream->number = 0;
}

enum net_stream_state stream_state(const struct tls_stream *stream)
{
	if (stream->number == 0)
		return NET_STREAM_FAILED;
	return stream->bytes->state(stream->bytes->self, stream->number);
}

bool stream_start_client(struct tls_stream *stream, struct tls_identity *identity,
	const struct tls_peer *peer, struct tls_ticket *ticket, struct mono now)
{
	return tls_start(&stream->tls, identity, peer, ticket, stream->bytes, stream->number, now);
}

bool stream_start_server(struct tls_stream *stream, struct tls_identity *identity, struct mono now)
{
	return tls_start_server(&stream->tls, identity, stream->bytes, stream->number, now);
}

void stream_stop_tls(struct tls_stream *stream)
{
	tls_stop(&stream->tls);
}

static enum stream_flow stream_flow_of(enum tls_step step)
{
	switch (step) {
	case TLS_DONE: return STREAM_MOVED;
	case TLS_WAIT: return STREAM_WAIT;
	case TLS_END: return STREAM_ENDED;
	default: return STREAM_CUT;
	}
}

enum stream_flow stream_read(struct tls_stream *stream, char *to, size_t size, size_t *got)
{
	*got = 0;
	if (stream_is_secured(stream))
		return stream_flow_of(tls_read(&stream->tls, to, size, got));
	struct text received = stream_received(stream);
	if (received.size == 0) {
		switch (stream_state(stream)) {
		case NET_STREAM_OPEN: return STREAM_WAIT;
		case NET_STREAM_ENDED: return STREAM_ENDED;
		default: return STREAM_CUT;
		}
	}
	*got = received.size < size ? received.size : size;
	memcpy(to, received.at, *got);
	stream->bytes->drop(stream->bytes->self, stream->number, *got);
	return STREAM_MOVED;
}

enum stream_flow stream_write(struct tls_stream *stream, struct text part, size_t *sent)
{
	*sent = 0;
	if (stream_is_secured(stream))
		return stream_flow_of(tls_write(&stream->tls, part.at, part.size, sent));
	*sent = stream->bytes->send(stream->bytes->self, stream->number, part.at, part.size);
	if (*sent > 0)
		return STREAM_MOVED;
	return stream_state(stream) == NET_STREAM_OPEN ? STREAM_WAIT : STREAM_CUT;
}

const char *stream_fault(const struct tls_stream *stream)
{
	if (stream_is_secured(stream))
		return stream->tls.fault;
	return stream->number == 0 ? "no stream is free"
				   : stream->bytes->fault(stream->bytes->self, stream->number);
}

struct text stream_received(const struct tls_stream *stream)
{
	return stream->bytes->received(stream->bytes->self, stream->number);
}

void stream_drop_received(struct tls_stream *stream)
{
	stream->bytes->drop(stream->bytes->self, stream->number, stream_received(stream).size);
}
