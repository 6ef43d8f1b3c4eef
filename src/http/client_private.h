/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Client: a server, its connections, and the requests that wait for one. Private to net/.
 */
#ifndef BERTH_HTTP_CLIENT_PRIVATE_H
#define BERTH_HTTP_CLIENT_PRIVATE_H

#include <string.h>

#include "base/url.h"
#include "http/counts.h"
#include "http/credentials_private.h"
#include "http/parser_private.h"
#include "http/http.h"
#include "net/resolve.h"
#include "tls/stream.h"

enum {
	/* What one connection may read in one turn, so that a big list does not delay the lease. */
	TURN_BYTES = 128 * 1024,
	CONNECT_TIMEOUT_MS = 10 * 1000,
	/* Go's servers close idle connections after 90 s or more: we are first, so no request meets
	   that. */
	IDLE_MAX_MS = 60 * 1000,
	RECONNECT_PAUSE_MS = 100, /* after no address answered */
	TICKET_PAUSE_MS = 250,    /* at most; tickets come before the first answer */
	PATIENCE_MS = 4,          /* with the connections there are; at least and at most */
	PATIENCE_MAX_MS = 500,
	PATIENCE_OF_WATCHES = 4, /* so many times as long */
	RESOLVE_AGAIN_MS = 5 * 1000,
	CLIENT_HEAD_MAX = 512,
	TUNNEL_BYTES = 4 * 1024
};

enum connection_state {
	CONNECTION_CLOSED,
	CONNECTION_OPENING,    /* TCP */
	CONNECTION_TUNNELLING, /* the proxy is asked for a way to the server */
	CONNECTION_QUEUEING,   /* open, waits until fewer handshakes are under way */
	CONNECTION_SHAKING,
	CONNECTION_IDLE,
	CONNECTION_BUSY /* with a request */
};
enum { CONNECTION_STATES = CONNECTION_BUSY + 1 };

enum tunnel_phase {
	TUNNEL_TLS, /* with the proxy itself */
	TUNNEL_HELLO,
	TUNNEL_PASSWORD,
	TUNNEL_REQUEST,
	TUNNEL_HEAD /* of the answer to CONNECT */
};

/* The way to a proxy that speaks TLS, with the server's TLS inside. */
struct tunnel {
	struct tls_stream stream;
	enum net_stream_state state;
	uint32_t from, size; /* bytes that the TLS inside has not taken yet */
	char bytes[TUNNEL_BYTES];
};

/* Of a client. */
struct tunnels {
	struct tls_peer peer;
	struct tls_ticket ticket;
	struct net_bytes bytes; /* what the TLS inside sees; its numbers begin at 1 */
	struct tunnel *each;
};

struct net_connection {
	struct net_client *client;
	enum connection_state state;
	bool for_watch;
	bool stale;  /* credentials changed: not to be used again */
	bool reused; /* had a request before this one */
	bool heard;  /* a byte of the answer came */
	bool paused;
	bool again;               /* stopped by its budget, not by want of bytes */
	uint32_t address, tried;  /* index of the one it goes to; how many failed */
	int64_t shaking_us;       /* of our time that its handshake has taken */
	struct mono yields_until; /* its handshake to requests on shared connections */
	struct mono due;          /* of opening and idling */
	struct mono heard_at;
	size_t sent, size; /* bytes of the request */
	struct net_request *request;
	struct tls_stream stream;
	struct tunnel *tunnel; /* NULL: the stream is the way itself */
	enum tunnel_phase phase;
	bool said; /* what the phase has to say */
	struct http http;
};

struct net_client {
	struct net_member member;
	struct net *net;
	struct net_target target;
	struct url_proxy proxy;
	struct tunnels *tunnels;  /* NULL: no proxy with TLS, or no TLS inside */
	struct text proxy_header; /* Proxy-Authorization, with its CR LF; TEXT_NONE: none */
	struct credentials credentials;
	struct resolve resolve;
	bool resolve_wanted; /* the known addresses do not answer */
	struct mono resolved;
	uint32_t good_address;              /* the one that answered last */
	struct net_connection *connections; /* shared ones first, then those for watches */
	uint32_t connection_count;
	struct mono open_after[2]; /* shared, watch */
	struct mono short_until;   /* then another shared connection is opened */
	int64_t handshake_us;      /* of our time that the last one took */
	struct mono away;          /* when last an address did not answer */
	struct mono ticket_due;    /* until then the first handshake's ticket is waited for */
	struct list queues[NET_CLASSES];
	struct list refused; /* not fit to be sent: they end at the next turn */
	uint32_t queued;
	struct mono queue_due; /* no queued request ends before */
	struct net_client_stats stats;
	struct net_counts counts;
	bool reachable, unreachable; /* as last logged */
	bool closing;
	char host[NET_ADDRESS_TEXT_MAX + RESOLVE_NAME_MAX];
	char head[CLIENT_HEAD_MAX]; /* headers that all requests have */
	size_t head_size;
};

/* As much of it as fits. */
static inline void fault_copy(char *to, size_t size, const char *fault)
{
	size_t used = strlen(fault);

	used = used < size - 1 ? used : size - 1;
	memcpy(to, fault, used);
	to[used] = '\0';
}

/*
 * Of our own time, in which nothing else is done, a handshake takes more than most answers do. So
 * long it is worth to wait for something cheaper.
 */
static inline int64_t client_patience_ms(const struct net_client *client)
{
	int64_t ms = client->handshake_us / CLOCK_MS_US;

	ms = ms > PATIENCE_MS ? ms : PATIENCE_MS;
	return ms < PATIENCE_MAX_MS ? ms : PATIENCE_MAX_MS;
}
/* A request waits for a shared connection, or for its answer on one. */
bool client_is_asking(const struct net_client *client);

/* ---- connection.c ---- */

/* Starts to connect; the client is told how it ends. */
void connection_open(struct net_connection *connection);
void connection_take(struct net_connection *connection, struct net_request *request);
/* Moves it on as far as bytes allow; says when time alone will have something to do. */
struct mono connection_turn(struct net_connection *connection);
/* Closes without telling the request, which the caller deals with. */
void connection_close(struct net_connection *connection);

/* ---- tunnel.c ---- */

/* Whether the proxy is asked for a way to the server; else it gets each request itself. */
static inline bool tunnel_is_wanted(const struct net_client *client)
{
	return client->proxy.kind == URL_PROXY_SOCKS5 ||
		(client->proxy.kind != URL_PROXY_NONE && client->target.https);
}
/* Whether the first TLS of a connection is with the proxy. */
static inline bool tunnel_is_secured(const struct net_client *client)
{
	return client->proxy.kind == URL_PROXY_HTTPS;
}
size_t tunnels_size(const struct net_target *target);
MUST_USE bool tunnels_init(struct net_client *client, struct arena *arena, struct writer *fault);
void tunnel_begin(struct net_connection *connection);
enum tls_step tunnel_step(struct net_connection *connection, struct writer *fault);
/* The stream inside begins. */
void tunnel_enter(struct net_connection *connection);
void tunnel_close(struct net_connection *connection);
static inline struct tls_stream *tunnel_way(struct net_connection *connection)
{
	return connection->tunnel != NULL ? &connection->tunnel->stream : &connection->stream;
}

/* ---- client.c, called by connection.c ---- */

void client_opened(struct net_client *client, struct net_connection *connection);
void client_not_opened(struct net_client *client, struct net_connection *connection,
	enum net_result result, const char *fault);
/* Ends the request of the connection: idle or closed afterwards, then on_done. */
void client_done(struct net_client *client, struct net_connection *connection,
	enum net_result result, const char *detail, bool keep);

/* ---- request.c ---- */

/* NULL, or why it cannot be sent. */
const char *request_fault(const struct net_request *request);
size_t request_size(const struct net_client *client, const struct net_request *request);
/* The bytes from `from` on, as many as fit; the same each time. */
size_t request_copy(const struct net_client *client, const struct net_request *request, size_t from,
	char *to, size_t size);

#endif
