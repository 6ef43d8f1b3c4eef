/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Face: the API behind an HTTP server, on real sockets or on a network inside the process.
 *
 *	net_poll(net, ...);   requests come in
 *	face_turn(face);      what has changed goes out to those who watch
 */
#ifndef BERTH_TOOLS_APISIM_FACE_H
#define BERTH_TOOLS_APISIM_FACE_H

#include "apisim/api.h"
#include "http/server.h"

enum { FACE_EXCHANGES_MAX = APISIM_STREAMS_MAX, FACE_BODY_ROOM = 1 << 20 };

struct face_setup {
	struct net_address address;
	struct text certificate, key; /* PEM; TEXT_NONE: without TLS */
	uint32_t connections_max;     /* <= FACE_EXCHANGES_MAX */
	uint32_t body_room;           /* 0: FACE_BODY_ROOM; per connection */
	/* Instead of apisim_ask(), which it may call: a bad mood. NULL: nobody is between. */
	void (*ask)(void *self, struct apisim *api, const struct apisim_request *request,
		struct apisim_answer *answer);
	void *self;
};

struct face {
	struct apisim *api;
	struct net *net;
	struct net_server *server;
	void (*ask)(void *self, struct apisim *api, const struct apisim_request *request,
		struct apisim_answer *answer);
	void *self;
	struct {
		struct net_exchange *exchange;
		uint32_t stream; /* 0: over */
		bool has_room;   /* it waits for news, not for room */
	} watchers[FACE_EXCHANGES_MAX];
	uint32_t top; /* none above was ever used */
};

/* Streams of the bytes interface, and arena bytes, that it takes. */
uint32_t face_streams(const struct face_setup *setup);
size_t face_size(const struct face_setup *setup);
/* NULL: the server cannot listen; a line in `fault`. */
struct face *face_open(struct apisim *api, struct net *net, struct arena *arena,
	const struct face_setup *setup, struct writer *fault);
bool face_turn(struct face *face); /* false: nothing had */
/* When there is something to do without a request: a watch ends, or gets a bookmark. */
struct mono face_next(const struct face *face);
uint16_t face_port(const struct face *face);
void face_close(struct face *face);

#endif
