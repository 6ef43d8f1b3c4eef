/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stream of bytes that is plain, or secured by TLS once that was started. Both ends of HTTP use
 * it and need not know which.
 */
#ifndef BERTH_TLS_STREAM_H
#define BERTH_TLS_STREAM_H

#include "tls/tls.h"

enum stream_flow {
	STREAM_MOVED, /* all that was asked for, or some of it */
	STREAM_WAIT,  /* for bytes, or for room to send */
	STREAM_ENDED, /* the other side ended it in order */
	STREAM_CUT    /* stream_fault() says why */
};

struct tls_stream {
	const struct net_bytes *bytes;
	uint32_t number; /* of `bytes`; 0: none */
	struct tls tls;  /* in use once TLS was started */
};

/* `number` may be 0: it has no room for one more, and the stream has failed. */
void stream_open(struct tls_stream *stream, const struct net_bytes *bytes, uint32_t number);
/* Says goodbye if there is room for it. Harmless when it is not open. */
void stream_close(struct tls_stream *stream);
static inline bool stream_is_open(const struct tls_stream *stream)
{
	return stream->number != 0;
}
enum net_stream_state stream_state(const struct tls_stream *stream);

/* From here on it is TLS. False: stream_fault() says why. */
MUST_USE bool stream_start_client(struct tls_stream *stream, struct tls_identity *identity,
	const struct tls_peer *peer, struct tls_ticket *ticket, struct mono now);
MUST_USE bool stream_start_server(
	struct tls_stream *stream, struct tls_identity *identity, struct mono now);
static inline bool stream_is_secured(const struct tls_stream *stream)
{
	return stream->tls.identity != NULL;
}
/* Gives TLS's memory back; what still comes is not deciphered. The bytes below stay open. */
void stream_stop_tls(struct tls_stream *stream);

enum stream_flow stream_read(struct tls_stream *stream, char *to, size_t size, size_t *got);
/* After STREAM_WAIT call again with the same bytes; *sent counts what is done with. */
enum stream_flow stream_write(struct tls_stream *stream, struct text part, size_t *sent);
/* A few words for the log; "" when there is nothing to say. */
const char *stream_fault(const struct tls_stream *stream);

/* ---- below TLS ---- */

/* Bytes that came and were not read. */
struct text stream_received(const struct tls_stream *stream);
void stream_drop_received(struct tls_stream *stream);

#endif
