/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the server share. Private to net/.
 */
#ifndef BERTH_HTTP_SERVER_PRIVATE_H
#define BERTH_HTTP_SERVER_PRIVATE_H

#include "base/list.h"
#include "http/parser_private.h"
#include "http/server.h"
#include "http/server_identity_private.h"
#include "http/server_request_private.h"
#include "tls/stream.h"

enum {
	/* Decrypted bytes that were not asked for yet: they may belong to the next request. */
	SERVER_AHEAD_SIZE = NET_BODY_IN_HAND,
	SERVER_HEAD_MAX = 8 * 1024,
	SERVER_BODY_MAX = 1024 * 1024,
	SERVER_ANSWER_ROOM = 4 * 1024,
	SERVER_HEAD_ROOM = 512, /* of an answer's head that does not take away from its room */
	SERVER_HEAD_TIMEOUT_MS = 10 * 1000,
	SERVER_BODY_TIMEOUT_MS = 30 * 1000,
	SERVER_IDLE_TIMEOUT_MS = 90 * 1000,
	SERVER_STALL_TIMEOUT_MS = 30 * 1000,
	/* For the client to read an answer and close, before a reset could destroy it. */
	SERVER_LINGER_MS = 1000,
	/*
	 * When others come, a connection may be closed on which nothing has moved for so long, or
	 * whose handshake or head takes longer than that in all.
	 */
	SERVER_GRACE_MS = 250,
	/* The same when both are on this machine, and for a handshake of the one alone. */
	SERVER_OWN_GRACE_MS = 100,
	SERVER_OWN_HANDSHAKE_MS = 50,
	SERVER_BEGINNING_MAX_MS = 1000,
	/* ---- a turn ---- */
	SERVER_ACCEPTS_MAX = 8,
	SERVER_HURRIED_ACCEPTS_MAX = 2,
	SERVER_REQUESTS_PER_TURN = 16,
	SERVER_CONNECTION_BYTES = 32 * 1024, /* in and out */
	SERVER_TURN_BYTES = 128 * 1024,
	/*
	 * A step of a handshake is milliseconds of arithmetic. While the loop is hurried a step
	 * that took one is followed by some without one (server_connection.c), and fewer bytes are
	 * moved.
	 */
	SERVER_HANDSHAKE_STEPS_MAX = 1,
	/*
	 * Of TLS_SERVER_HANDSHAKES_MAX: for peers on this machine, for others, for those of them
	 * that waste none.
	 */
	SERVER_OWN_HANDSHAKES = 1,
	SERVER_OTHER_HANDSHAKES = 2,
	SERVER_BETTER_HANDSHAKES = 1,
	/* Those who wait for a place are looked at so often; while hurried all who come, too. */
	SERVER_ACCEPT_MS = 5,
	/*
	 * For a place that is given up: so many at a time, so many of one address, of all on this
	 * machine, so long.
	 */
	SERVER_WAITING_MAX = NET_WAITING_STREAMS - 2,
	SERVER_WAITING_OF_PEER = 16,
	SERVER_WAITING_OF_OWN = SERVER_WAITING_MAX - 3 * SERVER_WAITING_OF_PEER,
	SERVER_WAITING_MS = 3000,
	SERVER_HURRIED_BYTES = 16 * 1024,
	SERVER_HURRIED_STRANGERS_BYTES = 2 * 1024, /* of them, for peers that are not known */
	/* ---- peers ---- */
	SERVER_PEERS = 128,
	SERVER_PEER_FORGET_MS = 5 * 60 * 1000
};

/* Around what is written at a time: "0abc\r\n" before, "\r\n" behind, "0\r\n\r\n" at the end. */
enum { SERVER_CHUNK_BEFORE = 6, SERVER_CHUNK_BEHIND = 2, SERVER_CHUNK_LAST = 5 };

/* The bytes of an answer that wait to be sent: out[sent .. sealed) is final, the rest may grow. */
struct server_answer {
	char *out;
	uint32_t size, used, sealed, sent;
	bool begun, finished, ended; /* ended: the last chunk stands in `out` */
	bool chunked, chunk_open, no_body, close;
	uint32_t chunk_from;
	uint64_t left;    /* of a size that was said, still to be written */
	struct text lent; /* sent behind `out` */
	bool wants_room;
};

struct server_exchange {
	struct net_exchange exchange; /* first: what is const is found by a cast */
	struct list link;             /* among the free ones */
	struct server_connection *connection;
	struct server_request request;
	struct http body;
	struct server_answer answer;
	bool handed; /* to the handler: on_done is due */
	bool aborted;
	char *head, *collected;
};

enum server_state {
	SERVER_CLOSED,
	SERVER_QUEUEING, /* https: waits for the first bytes, and for other handshakes */
	SERVER_SHAKING,
	SERVER_IDLE, /* for the first byte of a request, and for an exchange */
	SERVER_READING_HEAD,
	SERVER_READING_BODY,
	SERVER_ANSWERING,
	SERVER_LINGERING /* all was said; the client is to close */
};
enum { SERVER_STATES = SERVER_LINGERING + 1 };

/* ---- server_peers.c ---- */

/* The later, the sooner it gets what is scarce. */
enum server_standing {
	SERVER_PEER_WASTEFUL, /* took a place and asked for nothing, or did not take the answer */
	SERVER_PEER_NEW,
	SERVER_PEER_VOUCHED, /* showed good credentials */
	SERVER_PEER_OWN      /* is on this machine */
};
enum { SERVER_STANDINGS = SERVER_PEER_OWN + 1 };

struct server_peers {
	struct server_peer {
		struct net_address address; /* family 0: free */
		struct mono seen;
		bool vouched; /* else wasteful */
	} list[SERVER_PEERS];
};
enum server_standing server_peer_standing(
	struct server_peers *peers, const struct net_address *address, struct mono now);
void server_peer_wasted(
	struct server_peers *peers, const struct net_address *address, struct mono now);
void server_peer_vouched(
	struct server_peers *peers, const struct net_address *address, struct mono now);

struct server_connection {
	struct net_server *server;
	enum server_state state;
	struct net_address peer;
	enum server_standing standing;
	struct mono since; /* when the state began */
	struct mono due;
	struct mono moved; /* when bytes went either way, or nothing was there to be sent */
	bool stuck;        /* something is to be sent, and the client does not take it */
	bool used;         /* had an exchange before */
	bool ended;        /* we have said that no more comes */
	bool had_request;  /* in this turn: others come first */
	bool again;        /* stopped by its budget, not by want of bytes */
	size_t budget;
	struct server_exchange *exchange;
	struct tls_stream stream;
	uint32_t ahead_from, ahead_size;
	char ahead[SERVER_AHEAD_SIZE];
};

struct net_server {
	struct net_member member;
	struct net *net;
	struct net_server_setup setup;
	struct server_identity identity;
	uint32_t listener;
	uint16_t port;
	struct server_connection *connections;
	struct server_connection *turning; /* whose turn it is: writing to it needs no wake */
	uint32_t first;                    /* who comes first in this turn */
	struct server_exchange *exchanges;
	struct list free_exchanges;
	bool exchange_wanted; /* a request waits for one */
	uint32_t requests;    /* what this turn has left */
	/* Of handshakes, apart for each standing. */
	struct server_handshakes {
		uint32_t steps;     /* what this turn has left */
		struct mono rested; /* no step before, when hurried */
	} handshakes[SERVER_STANDINGS];
	struct mono accept_due;
	uint32_t accepts;       /* before accept_due, when hurried */
	struct server_waiting { /* for a place, the first one first */
		uint32_t stream;
		struct net_address peer;
		enum server_standing standing;
		struct mono since;
	} waiting[SERVER_WAITING_MAX];
	uint32_t waiting_count;
	struct server_peers peers;
	struct random random;
	size_t budget;
	struct net_server_stats stats;
};

/* ---- server_connection.c ---- */

void server_connection_open(struct server_connection *connection, uint32_t stream,
	const struct net_address *peer, enum server_standing standing);
/* Moves it on as far as bytes and budgets allow; says when time alone will have something to do. */
struct mono server_connection_turn(struct server_connection *connection);
/* At once; on_done when an exchange was under way. */
void server_connection_close(struct server_connection *connection);
/* The same, by its own fault: its peer is remembered when it used the place for nothing. */
void server_connection_close_wasted(struct server_connection *connection);
/* How much a connection needs its place when another one wants it, after so much silence. */
enum server_claim {
	SERVER_HOLDS,  /* it is being answered */
	SERVER_WAITS,  /* for us, or it has only just begun */
	SERVER_RESTS,  /* between two requests */
	SERVER_SILENT, /* nothing moves */
	SERVER_LEAVES  /* all was said */
};
enum server_claim server_connection_claim(
	const struct server_connection *connection, int64_t grace_ms);
static inline bool server_connection_is_own(const struct server_connection *connection)
{
	return connection->standing == SERVER_PEER_OWN;
}

/* ---- server_exchange.c ---- */

static inline struct server_exchange *server_exchange_of(struct net_exchange *exchange)
{
	return LIST_OWNER(exchange, struct server_exchange, exchange);
}
void server_exchange_start(struct server_exchange *x, struct server_connection *connection);
/* An answer of our own to what no handler sees. Ends the connection. */
void server_exchange_refuse(struct server_exchange *x, uint16_t status, const char *fault);
/* Makes what was written final, when all before it is sent. The bytes to send next, maybe none. */
struct text server_exchange_next(struct server_exchange *x);
void server_exchange_sent(struct server_exchange *x, size_t size);
bool server_exchange_has_room(const struct server_exchange *x);
/* Nothing more will come and nothing is left to send. */
bool server_exchange_is_over(const struct server_exchange *x);

/* ---- server_words.c ---- */

const char *server_reason(uint16_t status);
void server_write_date(struct writer *w, struct wall now);

#endif
