/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_server - an HTTP server that does as a test says, behind the same network as the simulated
 * apiserver: a client's struct net_bytes on one end, whole requests and bytes of answers on the
 * other. Time moves only when nothing can be delivered.
 */
#ifndef BERTH_TOOLS_APISIM_FAKE_SERVER_H
#define BERTH_TOOLS_APISIM_FAKE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "apisim/network.h"
#include "base/text.h"

enum { FAKE_STREAMS = 16, FAKE_REQUEST_MAX = 24 * 1024, FAKE_WAITS_MAX = 50 * 1000 * 1000 };

/* A whole request; its texts are good until answer() returns. */
struct fake_request {
	uint32_t stream;
	struct text method, path; /* with the query */
	struct text content_type;
	struct text body;
};

struct fake_stream {
	bool taken;         /* connected */
	bool begun;         /* a request is coming in */
	uint32_t near, far; /* of the network */
	int64_t cut_after;  /* bytes of answers from now on, then it is reset; -1: never */
	int64_t takes;      /* bytes of the request, then it is reset; -1: all */
	bool ends, cuts;    /* when all is sent */
	size_t request_size, whole_size; /* of the request; 0: its head is not there yet */
	size_t reply_size, reply_sent, reply_room;
	char *reply;
	char request[FAKE_REQUEST_MAX];
};

struct fake_server {
	struct network network;
	struct network_host *client, *server;
	struct net_bytes near, far;
	uint32_t listener;
	void *block;
	size_t slice; /* bytes of answers that arrive at a time; 0: all */
	bool refuses; /* connections */
	bool silent;  /* no byte of an answer arrives */
	uint64_t opened;
	uint64_t waits;
	struct fake_stream streams[FAKE_STREAMS + 1];
	/* A request begins: after how many bytes of it is the connection reset? -1: never. */
	int64_t (*begins)(void *self, struct fake_server *server, uint32_t stream, char first);
	void (*answer)(void *self, struct fake_server *server, const struct fake_request *request);
	/* Before each wait: may send more; says when it will have more to send (INT64_MAX: never).
	 */
	int64_t (*pump)(void *self, struct fake_server *server);
	void (*closed)(void *self, struct fake_server *server, uint32_t stream);
	void *self;
};

void fake_server_init(struct fake_server *server);
void fake_server_free(struct fake_server *server);
struct net_bytes fake_server_bytes(struct fake_server *server);
struct clock fake_server_clock(struct fake_server *server);
/* Connections that the client has not closed. */
uint32_t fake_server_connections(const struct fake_server *server);
static inline int64_t fake_server_now_us(const struct fake_server *server)
{
	return server->network.now_us;
}

/* ---- answers ---- */

void fake_server_send(struct fake_server *server, uint32_t stream, struct text bytes);
void fake_server_send_z(struct fake_server *server, uint32_t stream, const char *bytes);
/* A whole answer with a length; `headers` may be "" or lines with CRLF. */
void fake_server_reply(struct fake_server *server, uint32_t stream, int status, const char *headers,
	struct text body);
/* The head of an answer in chunks, one of its chunks, its end. */
void fake_server_open(struct fake_server *server, uint32_t stream);
void fake_server_chunk(struct fake_server *server, uint32_t stream, struct text bytes);
void fake_server_finish(struct fake_server *server, uint32_t stream);
/* After what was sent: in order, or not. */
void fake_server_end(struct fake_server *server, uint32_t stream);
void fake_server_cut(struct fake_server *server, uint32_t stream);
void fake_server_cut_all(struct fake_server *server);

#endif
