/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A network inside one process, with virtual time: hosts that open streams to each other's ports.
 * Each host is a struct net_bytes for a struct net of its own.
 *
 * Time passes in two ways. A host that leads lets it pass when it waits: first `others` is called
 * until nothing is left to do in the rest of the world, then the clock goes to the next thing that
 * is due, at most to the host's timeout. Or nobody leads, all are polled without waiting, and
 * network_pass() moves the clock.
 */
#ifndef BERTH_TOOLS_APISIM_NETWORK_H
#define BERTH_TOOLS_APISIM_NETWORK_H

#include "base/clock.h"
#include "base/entropy.h"
#include "net/bytes.h"

enum {
	NETWORK_STREAMS = 512,
	NETWORK_HOSTS = 8,
	NETWORK_PIPE = 64 * 1024 /* bytes on their way or not yet read, each direction */
};

struct network;

struct network_host {
	struct network *network;
	struct net_address address;
	bool leads;
	bool unreachable; /* nobody can open a stream to it, or from it */
	bool silent;      /* nothing arrives here or comes from here, streams stay open */
	bool news;
	size_t slice; /* bytes that arrive here at once; 0: as the network says */
};

/* One end. */
struct network_stream {
	bool taken, listens;
	uint8_t host;
	enum net_stream_state state;
	uint32_t peer;     /* 0: it has gone */
	uint32_t listener; /* waits to be accepted by this one */
	uint16_t port;
	bool end_sent, cut_sent; /* by the peer */
	bool full;               /* the peer waits for room */
	size_t from, size, here; /* bytes in the pipe: the first, how many; of those, arrived */
	int64_t due_us;          /* when the rest arrives */
	int64_t lag_us;          /* so much later than others */
	char *pipe;
};

struct network {
	int64_t now_us, wall_us; /* wall time is wall_us + now_us */
	struct random random;
	int64_t delay_us, jitter_us; /* of each flight of bytes */
	size_t slice;                /* bytes that arrive at once; 0: all that are on their way */
	int64_t next_us;             /* nothing arrives before */
	uint64_t waits, bytes, cuts;
	/*
	 * The rest of the world: does what there is to do now and says when it is next due
	 * (INT64_MAX: never). Called by a host that leads, from its wait().
	 */
	int64_t (*others)(void *self);
	void *self;
	uint32_t hosts;
	uint32_t top; /* no stream above is taken */
	struct network_host host[NETWORK_HOSTS];
	struct network_stream streams[NETWORK_STREAMS + 1];
};

/* Pipes are taken from the arena: network_size() bytes, touched when used. */
void network_init(struct network *n, struct arena *arena, uint64_t seed, int64_t wall_us);
size_t network_size(void);
struct network_host *network_host(struct network *n, struct net_address address, bool leads);
struct net_bytes network_bytes(struct network_host *host);
struct clock network_clock(struct network *n);
/* Delivers what is due. True: somebody has news. */
bool network_deliver(struct network *n);
/* The clock goes to the next arrival, at most so far. */
void network_pass(struct network *n, int64_t us);
/* Resets all streams of a host, or one of them by chance; listeners stay. */
void network_cut(struct network_host *host);
void network_cut_one(struct network *n);
void network_cut_stream(struct network *n, uint32_t stream);
/* All streams of a host, and what is on its way to those whose peer has gone does not arrive. */
void network_power_off(struct network_host *host);

#endif
