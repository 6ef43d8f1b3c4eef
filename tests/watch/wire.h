/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A wire for tests: the bytes interface of net/ inside one process, with a clock that moves only
 * when nothing can be delivered. A server behind it is a function that sees whole requests.
 */
#ifndef BERTH_TESTS_WATCH_WIRE_H
#define BERTH_TESTS_WATCH_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/text.h"
#include "net/bytes.h"

enum { WIRE_STREAMS = 16, WIRE_REQUEST_MAX = 8192 };

struct wire_stream {
	bool taken;
	enum net_stream_state state;
	char request[WIRE_REQUEST_MAX];
	size_t request_size;
	char *reply;
	size_t reply_size, reply_room;
	size_t visible;    /* bytes of the reply that have arrived */
	size_t taken_off;  /* of those, dropped by the reader */
	bool ends, cuts;   /* when all has arrived */
	int64_t cut_after; /* bytes from now on, then it is cut; -1: never */
};

struct wire {
	int64_t now_us;
	size_t slice; /* bytes that arrive at a time; 0: all */
	bool refuses; /* connections */
	bool silent;  /* nothing is delivered */
	uint64_t opened;
	uint64_t waits;
	struct wire_stream streams[WIRE_STREAMS + 1];
	/* A request is there, its path with the query. */
	void (*answer)(void *self, struct wire *wire, uint32_t stream, struct text path);
	/* Before each wait: may send more; says when it will have more to send (INT64_MAX: never).
	 */
	int64_t (*pump)(void *self, struct wire *wire);
	void (*closed)(void *self, struct wire *wire, uint32_t stream);
	void *self;
};

void wire_init(struct wire *wire);
void wire_free(struct wire *wire);
struct net_bytes wire_bytes(struct wire *wire);
struct clock wire_clock(struct wire *wire);

/* ---- for servers ---- */

void wire_send(struct wire *wire, uint32_t stream, struct text bytes);
void wire_send_z(struct wire *wire, uint32_t stream, const char *bytes);
/* A whole answer with a length; `headers` may be "" or lines with CRLF. */
void wire_reply(
	struct wire *wire, uint32_t stream, int status, const char *headers, struct text body);
/* The head of an answer in chunks, one of its chunks, its end. */
void wire_open(struct wire *wire, uint32_t stream);
void wire_chunk(struct wire *wire, uint32_t stream, struct text bytes);
void wire_finish(struct wire *wire, uint32_t stream);
/* After what was sent: in order, or not. */
void wire_end(struct wire *wire, uint32_t stream);
void wire_cut(struct wire *wire, uint32_t stream);
void wire_cut_all(struct wire *wire);

#endif
