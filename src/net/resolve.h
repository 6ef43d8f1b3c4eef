/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resolve: addresses of a name, without blocking and without memory: literals, /etc/hosts, then
 * the name servers of /etc/resolv.conf by UDP, IPv4 and IPv6 together.
 */
#ifndef BERTH_NET_RESOLVE_H
#define BERTH_NET_RESOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/entropy.h"
#include "base/text.h"
#include "net/bytes.h"

enum {
	RESOLVE_NAME_MAX = 253,
	RESOLVE_ADDRESSES_MAX = 8,
	RESOLVE_SERVERS_MAX = 3,
	RESOLVE_SEARCH_MAX = 6,
	RESOLVE_SEARCH_BYTES = 512,
	RESOLVE_FILE_MAX = 64 * 1024, /* of either file; what is behind is not looked at */
	RESOLVE_TRY_MS = 2000,
	RESOLVE_TRIES_MAX = 3 /* of each name, over all servers */
};

enum resolve_step { RESOLVE_WAIT, RESOLVE_DONE, RESOLVE_FAILED };

struct resolve {
	const struct net_bytes *bytes;
	struct entropy entropy;
	const char *hosts_path;
	const char *servers_path;
	char name[RESOLVE_NAME_MAX + 1];
	uint16_t port;
	struct net_address addresses[RESOLVE_ADDRESSES_MAX];
	uint32_t count;
	const char *fault;
	/* private: the query under way */
	bool running;
	uint32_t stream;
	uint16_t ids[2]; /* of the questions for A and AAAA */
	bool answered[2], known[2];
	struct mono due;
	uint32_t tries;
	uint32_t candidate; /* 0 .. search_count: which form of the name is asked for */
	struct net_address servers[RESOLVE_SERVERS_MAX];
	uint32_t server_count;
	char search[RESOLVE_SEARCH_BYTES]; /* domains, each with a zero */
	uint32_t search_count;
	uint32_t ndots;
	char asked[RESOLVE_NAME_MAX + 1];
};

/* The name stays the caller's. False: not a name that DNS could know. */
MUST_USE bool resolve_init(struct resolve *r, const struct net_bytes *bytes, struct entropy entropy,
	struct text name, uint16_t port);

/* Starts again; r->addresses keeps what it had until there is something better. */
void resolve_start(struct resolve *r, struct mono now);
/* RESOLVE_FAILED: r->fault says why. Reads two small files at the first step. */
MUST_USE enum resolve_step resolve_step(struct resolve *r, struct mono now);
static inline struct mono resolve_due(const struct resolve *r)
{
	return r->running ? r->due : MONO_NEVER;
}
void resolve_stop(struct resolve *r);

#endif
