/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes: the interface between berth and the network, one of the three to the world (with time
 * and entropy). net/socket.c is the real one; the simulator has streams inside the process.
 *
 * Streams are named by a number, never 0. No call blocks but wait(). An implementation keeps
 * what it received in a bounded buffer per stream and stops reading when it is full: who does
 * not drop bytes holds the peer back.
 */
#ifndef BERTH_NET_BYTES_H
#define BERTH_NET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

struct net_address {
	uint8_t family; /* 4 or 6; 0 is no address */
	uint8_t bytes[16];
	uint16_t port;
	uint32_t scope; /* of an IPv6 link-local address */
	bool is_own;    /* of a peer that was accepted: it came from the address it came to */
};

enum { NET_ADDRESS_TEXT_MAX = 64 };

/* "10.0.0.1", "::1", "fe80::1%2" (no brackets, no port). */
MUST_USE bool net_address_parse(struct text literal, uint16_t port, struct net_address *address);
/* "10.0.0.1:443", "[::1]:443" */
void net_address_write(struct writer *out, const struct net_address *address);
bool net_address_is(const struct net_address *a, const struct net_address *b);
/* The peer behind it, whatever the port: of IPv6 each has 64 bits of addresses. */
bool net_address_is_same_peer(const struct net_address *a, const struct net_address *b);

enum net_stream_kind { NET_STREAM_TCP, NET_STREAM_UDP };

enum net_stream_state {
	NET_STREAM_CONNECTING,
	NET_STREAM_OPEN,
	NET_STREAM_ENDED, /* the peer will send no more; what was received is still there */
	NET_STREAM_FAILED /* refused, reset, unreachable; only close() makes sense */
};

struct net_bytes {
	/* A stream to the address, or 0 when there is no room for one more. */
	uint32_t (*open)(void *self, enum net_stream_kind kind, const struct net_address *to);
	/*
	 * A stream that waits for peers, and 0 or the next peer that came. 0: cannot listen. What
	 * the peer sends is read from the system once received() was called the first time.
	 */
	uint32_t (*listen)(void *self, const struct net_address *at);
	uint32_t (*accept)(void *self, uint32_t listener, struct net_address *peer);
	enum net_stream_state (*state)(void *self, uint32_t stream);
	/* Why it failed, a few words for the log. */
	const char *(*fault)(void *self, uint32_t stream);
	/*
	 * The bytes that arrived and were not dropped yet, contiguous (of UDP: one datagram).
	 * Good until the next call for this stream, or wait().
	 */
	struct text (*received)(void *self, uint32_t stream);
	void (*drop)(void *self, uint32_t stream, size_t size);
	/* Takes as many bytes as there is room for (a datagram whole or not) and says how many. */
	size_t (*send)(void *self, uint32_t stream, const void *bytes, size_t size);
	size_t (*unsent)(void *self, uint32_t stream); /* taken, but not yet given to the system */
	/*
	 * After what was sent nothing more will come; receiving goes on. Only when nothing is
	 * unsent. NULL: cannot be said.
	 */
	void (*end)(void *self, uint32_t stream);
	/* The port of a listener that was to take any. NULL: it has the one it asked for. */
	uint16_t (*port)(void *self, uint32_t listener);
	/* The number is free for reuse at once; bytes not yet given to the system are lost. */
	void (*close)(void *self, uint32_t stream);
	/* Until some stream has news, or the time has passed. -1: no limit. */
	void (*wait)(void *self, int64_t timeout_us);
	void *self;
};

/*
 * The system's sockets, by mongoose's event manager, at most `streams_max` of them, and
 * NET_WAITING_STREAMS that were accepted and whose bytes were not asked for yet: these have no
 * buffers. Everything it will ever take comes from the arena: net_socket_size(streams_max) bytes.
 */
enum { NET_WAITING_STREAMS = 256 };
struct net_bytes net_socket_bytes(struct arena *arena, uint32_t streams_max);
size_t net_socket_size(uint32_t streams_max);
void net_socket_close(struct net_bytes *bytes); /* tests: another one may be made */

#endif
