/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of net/ share and nobody else sees.
 */
#ifndef BERTH_NET_PRIVATE_H
#define BERTH_NET_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/list.h"
#include "base/text.h"
#include "net/loop.h"

enum {
	/* Plain bytes read at once: a TLS record. All connections share the buffer. */
	NET_PLAIN_SIZE = 16 * 1024,
	/* What one connection may read in one turn, so that a big list does not delay the lease. */
	NET_TURN_BYTES = 128 * 1024,
	/* Handshakes need far more memory than open connections: so many at a time. */
	NET_HANDSHAKES_MAX = 2,
	/* Those of our clients are counted apart: strangers must not keep us from the apiserver. */
	NET_SERVER_HANDSHAKES_MAX = 2
};

/* Somebody who wants a call each turn: a client. */
struct net_member {
	struct list link;
	/*
	 * Moves everything on. Returns when it wants to be called again even if no bytes arrive:
	 * `now` for at once, MONO_NEVER for not at all.
	 */
	struct mono (*turn)(struct net_member *member, struct mono now);
	bool dirty; /* something was asked for since its last turn */
};

struct net {
	struct clock clock;
	struct entropy entropy;
	struct random random; /* jitter, query ids' spread is not from here */
	struct net_bytes bytes;
	struct mono now, stopped;
	struct list timers; /* by due, the first is the next */
	struct list members;
	struct mono members_due;
	bool woken, hurried;
	bool has_tls;
	uint32_t handshakes;        /* under way, of clients */
	uint32_t server_handshakes; /* under way, of servers */
	char *plain; /* NET_PLAIN_SIZE bytes, good within one step of one connection */
};

void net_join(struct net *net, struct net_member *member);
void net_leave(struct net_member *member);

static inline struct mono mono_earlier(struct mono a, struct mono b)
{
	return a.us < b.us ? a : b;
}

/* As much of it as fits. */
static inline void fault_copy(char *to, size_t size, const char *fault)
{
	size_t used = strlen(fault);

	used = used < size - 1 ? used : size - 1;
	memcpy(to, fault, used);
	to[used] = '\0';
}

#endif
