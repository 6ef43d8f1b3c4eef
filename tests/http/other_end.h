/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server for tests, on loopback, in processes of its own: one per connection, with ordinary
 * blocking sockets. What it does is in the path of the request:
 *
 *	/echo			connection, request, method, token, client certificate, body's size
 *	/size/N /chunked/N	N bytes
 *	/slow/MS		an answer after MS milliseconds
 *	/auth/TOKEN		401 unless that is the bearer token
 *	/retry-after		429
 *	/close			Connection: close
 *	/close-later		closes after the answer, without having said so
 *	/drop /drop-reused	closes without an answer (always; from the second request on)
 *	/half /stall		ten of a hundred bytes, then closes; then silence
 *	/hang			no answer
 *	/garbage /big-head	not HTTP; a head without end
 *	/to-end /to-cut		no length: ends with the connection, in order or not
 *
 * It is a proxy as well: CONNECT gets a tunnel to that port of loopback, a whole URL the answer of
 * /echo with "proxy-auth=" of what was shown; and with `socks` it speaks SOCKS5 and nothing else.
 */
#ifndef BERTH_TESTS_NET_OTHER_END_H
#define BERTH_TESTS_NET_OTHER_END_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SERVER_PEM_MAX = 4096 };

struct server_certificate {
	char certificate[SERVER_PEM_MAX];
	char key[SERVER_PEM_MAX];
};

/*
 * Signed by `issuer`, or by itself when that is NULL. `names`: "dns:localhost ip:127.0.0.1". Days
 * are relative to today.
 */
struct server_name {
	const char *common;
	const char *names;
	int from_days, to_days;
	bool rsa;
	bool constrained; /* may sign names below example.com only */
};
void server_make_certificate(struct server_certificate *made, const struct server_name *name,
	const struct server_certificate *issuer);

struct server_setup {
	const struct server_certificate *certificate; /* NULL: plain HTTP */
	const char *client_ca;                        /* PEM: a client certificate is demanded */
	bool only_tls12;
	bool no_handshake; /* accepts, and says nothing */
	bool socks;
	const char
		*proxy_user; /* NULL, or USER:PASSWORD that a tunnel needs, as base64 for CONNECT */
	uint16_t port;       /* 0: any */
};

struct server {
	pid_t pid;
	uint16_t port;
	struct server_counts {
		uint32_t connections; /* ever */
		uint32_t open, open_max;
		uint32_t requests;
	} volatile *counts; /* shared with its processes */
};

void server_start(struct server *server, const struct server_setup *setup);
void server_stop(struct server *server);

#endif
