/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Server: HTTP/1.1 (and 1.0), with TLS or without, for a fixed number of connections on top of
 * the loop (net/loop.h). A request and its answer are an exchange; the handler is called by
 * net_poll() and never waits: it answers at once, or later, piece by piece, when there is room.
 *
 *	static void on_request(struct net_exchange *e)
 *	{
 *		net_exchange_reply(e, &(struct net_head){.status = 200}, TEXT("ok"));
 *	}
 *
 * Memory is taken from the arena at start and does not grow, however long an answer is. Requests
 * are read strictly: what two readers could understand in two ways is a 400 that no handler sees.
 * A client that closes, even only his side, gets no answer any more.
 *
 * Work has a budget: in a net_poll() a connection begins one request and moves 32 kB at most, all
 * together requests_per_turn and 128 kB, and one message of one TLS handshake; a loop that is
 * hurried gives less, and to handshakes of strangers 6 % of its time at most.
 *
 * Places are scarce, and strangers may want them all: server.c says who gets one.
 */
#ifndef BERTH_HTTP_SERVER_H
#define BERTH_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/text.h"
#include "http/http.h"
#include "net/net.h"
#include "tls/tls.h"

enum {
	NET_REPLY_COPIED = 1024, /* a body that net_exchange_reply() need not be lent */
	NET_BODY_IN_HAND = 512
};
#define NET_SIZE_UNKNOWN UINT64_MAX

struct net_server;

/*
 * Owned by the server, the handler's from on_head or on_request until on_done. All texts stay
 * good until then, and are as they were sent: escaped.
 */
struct net_exchange {
	void *self;     /* of the setup */
	void *user;     /* the handler's own; NULL at first */
	uint32_t index; /* below exchanges_max, for a table of the handler's beside ours */
	enum net_method method;
	struct text path;  /* begins with '/', visible ASCII, up to the '?' */
	struct text query; /* behind the '?'; TEXT_NONE: there is none */
	struct text body;  /* what was collected; complete in on_request */
	uint64_t body_size;
	/*
	 * Set by on_head, for a long body that goes to on_body: its limit instead of the setup's;
	 * body_timeout_ms begins again with each slice. 0: none of this.
	 */
	uint64_t body_max;
	struct net_address peer;
	bool https;
	bool http_1_0;
	/*
	 * Set by on_head or on_body: no more of it is read before net_exchange_take_body(), but
	 * what is in hand, which is at most NET_BODY_IN_HAND bytes.
	 */
	bool holds_body;
	/*
	 * Set by on_head or later. on_body: the body comes here, in slices good for the call, and
	 * is not collected. on_room: an answer was begun and there is room, see
	 * net_exchange_write(). on_done: the last call, exactly once: all of the answer is on its
	 * way, or (`complete` is false) the client has gone, was too slow, or the exchange was
	 * aborted.
	 */
	void (*on_body)(struct net_exchange *exchange, struct text bytes);
	void (*on_room)(struct net_exchange *exchange);
	void (*on_done)(struct net_exchange *exchange, bool complete);
};

struct net_server_setup {
	const char *name; /* "status": for logs; stays the caller's, like all texts here */
	struct net_address
		address; /* "::" and "0.0.0.0" take both; port 0: net_server_port() tells */
	bool https;
	struct tls_limits limits;
	/* PEM text, or a file that is read again when it changes; text wins over file. */
	struct text certificate, key;
	const char *certificate_file, *key_file;
	/* Others for clients that ask for names: "CERTIFICATE,KEY:NAMES"; see tls_named(). */
	const struct text *named;
	uint32_t named_count; /* at most TLS_NAMED_MAX */
	/*
	 * Clients may show a certificate signed by one of these, or by a front proxy's CA: see
	 * net_exchange_client(). None at all: they are not asked for one.
	 */
	struct text client_ca, proxy_ca;
	const char *client_ca_file, *proxy_ca_file;
	uint32_t connections_max; /* with https: part of those of tls_setup() */
	uint32_t own_places;    /* of them and of exchanges_max, for peers on this machine alone */
	uint32_t exchanges_max; /* under way at once; others wait; 0: connections_max */
	uint32_t head_max;      /* bytes of request line and headers; 0: 8 kB */
	uint32_t body_room;     /* a body that is collected; larger ones are a 413; 0: none */
	uint64_t body_max;      /* a body that goes to on_body; 0: 1 MB */
	uint32_t answer_room;   /* bytes of an answer kept until they can be sent; 0: 4 kB */
	uint32_t requests_per_turn; /* handlers called in one net_poll(); 0: 16 */
	int64_t head_timeout_ms;    /* from the first byte to the whole head, TLS too; 0: 10 s */
	int64_t body_timeout_ms;    /* from the head to the whole body; 0: 30 s */
	int64_t idle_timeout_ms;    /* between two requests; 0: 90 s */
	int64_t stall_timeout_ms;   /* something is to be sent and nothing is taken; 0: 30 s */
	/*
	 * on_head (may be NULL): the head is there, the body is not. It may answer already, which
	 * ends the connection unless there is no body, choose on_body, or hold the body until it
	 * is known whether he may send it.
	 * on_request: all is there; not called when on_head began an answer.
	 */
	void (*on_head)(struct net_exchange *exchange);
	void (*on_request)(struct net_exchange *exchange);
	void *self;
};

/*
 * Listens. NULL when it cannot (address in use, broken PEM, ...): one line in `fault`. Takes
 * net_server_streams() of the streams that the bytes interface has.
 */
struct net_server *net_server_open(struct net *net, struct arena *arena,
	const struct net_server_setup *setup, struct writer *fault);
size_t net_server_size(const struct net_server_setup *setup); /* arena bytes */
uint32_t net_server_streams(const struct net_server_setup *setup);
uint16_t net_server_port(const struct net_server *server);
/* New CAs for connections that come from now on. False with a line: the old ones stay. */
MUST_USE bool net_server_trust(struct net_server *server, struct text client_ca,
	struct text proxy_ca, struct writer *fault);
/* Ends every exchange with on_done. Not from inside a callback of net/. */
void net_server_close(struct net_server *server);

struct net_server_stats {
	uint64_t connections, turned_away, displaced; /* there was no room; made room for another */
	uint64_t handshakes, handshake_failures, requests, refused; /* 4xx and 501 by ourselves */
	uint64_t timeouts, cut; /* answers that did not reach their end */
	uint64_t bytes_in, bytes_out;
	uint32_t open, busy; /* now: connections, exchanges */
};
struct net_server_stats net_server_stats(const struct net_server *server);

/* ---- what was asked ---- */

/* Value of the nth (from 0) header of that name, in any case; or TEXT_NONE. */
struct text net_exchange_header(const struct net_exchange *exchange, const char *name, uint32_t n);

/* The nth header as "name:value", the name in small letters; or TEXT_NONE. */
struct text net_exchange_line(const struct net_exchange *exchange, uint32_t n);

/* Raw value of a parameter ("" when it has none), the first one of that name; or TEXT_NONE. */
struct text net_query_find(struct text query, const char *name);
/* Takes %XX (and '+' in a query) back. False: broken, or `to` has overflowed. */
MUST_USE bool net_unescape(struct text escaped, bool in_query, struct writer *to);

/* Who the client is by its certificate. */
void net_exchange_client(const struct net_exchange *exchange, struct tls_client_names *names);

/*
 * The peer showed good credentials: its address has a better chance of a place from now on.
 */
void net_exchange_vouch(struct net_exchange *exchange);

/* The body that was held may come now; its time begins. */
void net_exchange_take_body(struct net_exchange *exchange);

/* ---- the answer; all of this from anywhere between on_head and on_done ---- */

struct net_head {
	uint16_t status;
	const char *content_type; /* NULL: no such header */
	struct text headers;      /* more of them, each line with its CR LF; TEXT_NONE */
	uint64_t size;            /* of the body; NET_SIZE_UNKNOWN: in chunks, or to the end */
};
/* A whole answer. A body over NET_REPLY_COPIED bytes stays good until on_done. */
void net_exchange_reply(
	struct net_exchange *exchange, const struct net_head *head, struct text body);

/* Or in pieces: begin once, write while there is room, finish. */
void net_exchange_begin(struct net_exchange *exchange, const struct net_head *head);
size_t net_exchange_room(const struct net_exchange *exchange);
/*
 * Copies as much as there is room for and says how much. When that was not all (or after
 * net_exchange_want_room()) on_room is called once room has come: at least half of answer_room.
 * After begin it is called once without being asked for. What is written is sent in this turn
 * or the next, one chunk for all that came together. A body that HEAD must not have is taken
 * and forgotten.
 */
size_t net_exchange_write(struct net_exchange *exchange, struct text bytes);
void net_exchange_want_room(struct net_exchange *exchange);
/* Of a size that was said, all must have been written: else the client is cut off. */
void net_exchange_finish(struct net_exchange *exchange);
bool net_exchange_has_begun(const struct net_exchange *exchange);
/* The client sees that the answer is not complete. on_done follows, not from inside this call. */
void net_exchange_abort(struct net_exchange *exchange);

#endif
