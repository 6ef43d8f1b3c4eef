/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * http - a client of one HTTP server with a fixed number of connections, on top of the loop
 * (net/net.h). The other end is http/server.h.
 *
 * Memory is taken from the arena at start. When the heap of sockets or of TLS is full, the
 * connection that wanted more fails with a result, nothing else.
 */
#ifndef BERTH_HTTP_HTTP_H
#define BERTH_HTTP_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/list.h"
#include "base/text.h"
#include "net/net.h"

/* ---- a server and how to prove who we are; everything stays the caller's memory ---- */

struct net_target {
	const char *name; /* "apiserver": for logs and budgets */
	bool https;
	struct text host; /* a name or an IP literal without brackets */
	uint16_t port;
	struct text path_prefix; /* "" or "/k8s/clusters/c-1" */
	struct text server_name; /* asked for and verified; TEXT_NONE: the host */
	bool insecure_skip_verify;
	bool any_time; /* our clock may be wrong: see net_client_was_valid() */
	/* PEM text, or a file that is read again when it changes; text wins over file. */
	struct text ca, certificate, key, token;
	const char *ca_file, *certificate_file, *key_file, *token_file;
	struct text headers;            /* of each request, each line with its CR LF; TEXT_NONE */
	struct text username, password; /* basic authentication, when there is no token */
	struct text proxy;          /* as url_parse_proxy() reads it; TEXT_NONE: reached directly */
	uint32_t watch_connections; /* for NET_WATCH alone, each long-lived */
	uint32_t connections;       /* shared by all other classes, by priority */
	int64_t connect_timeout_ms; /* per address, TLS handshake included; 0: 10 s */
};

struct net_client;

/*
 * NULL when the target cannot work (broken PEM, unreadable file, ...): one line in `fault`.
 * Does not connect yet. A host name is resolved when it is first needed, without blocking.
 */
struct net_client *net_client_open(struct net *net, struct arena *arena,
	const struct net_target *target, struct writer *fault);
size_t net_client_size(const struct net_target *target);
/* Connections of TLS that it has at most: a tunnel through a proxy that speaks TLS has two each. */
uint32_t net_target_tls(const struct net_target *target);
/* Every request ends as NET_CANCELLED. Not from inside a callback of net/. */
void net_client_close(struct net_client *client);
/* Of a target with any_time, after an answer: whether the server's certificates were good then. */
bool net_client_was_valid(const struct net_client *client, struct wall when);

struct net_client_stats {
	uint64_t connects, connect_failures, handshakes, resumptions, requests, bytes_in, bytes_out;
	uint32_t open, busy, queued;
};
struct net_client_stats net_client_stats(const struct net_client *client);
/* When last an address of the server did not answer; 0: never. */
struct mono net_client_away(const struct net_client *client);

/* ---- requests ---- */

/*
 * In order of priority. A class may not use the last free shared connections, they are kept for
 * those above: of 4, bind may use 3, read 2, event 1 (never less than 1). When no address of the
 * server answers, everything that waits for a connection ends as NET_CONNECT_FAILED.
 */
enum net_class { NET_LEASE, NET_BIND, NET_READ, NET_EVENT, NET_WATCH };
enum { NET_CLASSES = NET_WATCH + 1 };
/* The last two only a server meets. */
enum net_method { NET_GET, NET_POST, NET_PUT, NET_PATCH, NET_DELETE, NET_HEAD, NET_OPTIONS };

enum net_result {
	NET_OK,             /* a complete answer; `status` says which */
	NET_CONNECT_FAILED, /* no address answered, or the name is not known */
	NET_TLS_FAILED,     /* handshake or certificate; nothing of the request was sent */
	NET_TIMEOUT,
	NET_RESET,    /* the connection ended before the answer did */
	NET_BROKEN,   /* not HTTP as it must be */
	NET_TOO_BIG,  /* a head over the limits, or an answer over body_max */
	NET_CANCELLED /* on_body said NET_STOP, or the client was closed */
};
const char *net_result_name(enum net_result result); /* "connect-failed" */

enum net_flow {
	NET_MORE,
	NET_PAUSE, /* after what is decrypted already (16 kB) no more until net_resume() */
	NET_STOP   /* ends as NET_CANCELLED */
};

struct net_answer {
	enum net_result result;
	uint16_t status;        /* known in on_body already; 0: no head arrived */
	bool sent;              /* the request may have reached the server and been carried out */
	int64_t retry_after_ms; /* -1: not said */
	int64_t date_s;         /* since 1970, by the server's clock; -1: not said */
	uint64_t body_size;     /* so far */
	int64_t took_us;        /* since net_send() */
	char detail[96];        /* for the log when result is not NET_OK */
};

/*
 * Owned by the caller; path and body stay good until on_done. All bytes of a body go through
 * on_body, in slices of any size. on_done is called exactly once (except after net_cancel()),
 * never from inside net_send(), and may send the same struct again. Of what happens twice: a GET
 * whose kept-alive connection turns out to be gone is sent once more on a new one.
 */
struct net_request {
	enum net_class class;
	enum net_method method;
	struct text path;         /* with the query, escaped, without the prefix */
	struct text content_type; /* of the body; TEXT_NONE: application/json */
	struct text body;
	/*
	 * NULL, or instead of the body's bytes (then body.at is NULL): copies those from `from` on,
	 * as many as fit, the same each time; body.size is how many there are.
	 */
	size_t (*copy_body)(const struct net_request *request, size_t from, char *to, size_t size);
	int64_t timeout_ms;      /* from net_send() to the end of the answer; 0: none */
	int64_t idle_timeout_ms; /* longest silence while an answer is due; 0: none; paused: stopped
				  */
	uint64_t body_max;       /* 0: no limit */
	/*
	 * Asked when a connection is about to take the request, which may be long after
	 * net_send(). False: it ends as NET_CONNECT_FAILED, unsent. NULL: always.
	 */
	bool (*may_send)(const struct net_request *request);
	enum net_flow (*on_body)(struct net_request *request, struct text bytes);
	void (*on_done)(struct net_request *request);
	struct net_answer answer;
	/* private */
	struct list link;
	struct net_client *client; /* NULL: not sent, or done */
	uint32_t connection;       /* 0: waits for one */
	struct mono asked;
	int64_t waited_us; /* for a connection and its turn */
	bool retried;      /* the connection was gone before the server can have seen it */
};
void net_send(struct net_client *client, struct net_request *request);
void net_cancel(struct net_request *request); /* no on_done; harmless when it is not active */
void net_resume(struct net_request *request);
static inline bool net_is_active(const struct net_request *request)
{
	return request->client != NULL;
}

#endif
