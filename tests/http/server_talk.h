/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the server on a network inside the process share: the handler, and clients
 * that speak byte by byte.
 *
 *	/hello /lent /204 /304	small answers; one that is lent
 *	/size/N /chunked/N	N bytes, as there is room
 *	/later /events		talk_later, to be answered, or begun, by the test
 *	/wake			answers talk_later, then itself
 *	/headers		more headers; the second X-Name
 *	/short /long /abort /split /huge-head	answers that are wrong
 *	/early /slices /enough	with talk_on_head: 404 at once; the body in slices; 409 in the
 *middle else			method, path, query, body
 */
#ifndef BERTH_TESTS_NET_SERVER_TALK_H
#define BERTH_TESTS_NET_SERVER_TALK_H

#include <stdbool.h>
#include <stdint.h>

#include "net/loopback.h"
#include "http/server.h"
#include "http/server_private.h"

enum { TALK_HEARD_MAX = 64 * 1024, TALK_PORT = 8080, TALK_CLIENTS = 64, TALK_LENT = 20000 };

#define TALK_DATE "Mon, 21 Sep 2026 14:13:20 GMT"
#define A         "HTTP/1.1 200 OK\r\nDate: " TALK_DATE "\r\n"
#define H         " HTTP/1.1\r\nHost: a\r\n"

struct client {
	uint32_t stream;
	char heard[TALK_HEARD_MAX];
	size_t heard_size;
};

struct work {
	struct net_exchange *exchange; /* under way */
	uint64_t left, produced;
};

extern struct loopback talk_loopback;
extern struct arena talk_arena;
extern struct net *talk_net;
extern struct net_server *talk_server;
extern struct net_server_setup talk_setup; /* to be changed before talk_serve() */
extern struct client talk_clients[TALK_CLIENTS];
extern struct work talk_works[64]; /* by the index of the exchange */
extern uint32_t talk_requests, talk_complete, talk_cut;
extern struct net_exchange *talk_later; /* until it is answered or done */
extern size_t talk_slices;
extern char talk_lent[TALK_LENT];
extern uint32_t talk_patience; /* turns without a byte after which nothing more is expected */

void talk_init(void);
void talk_serve(void);
void talk_close(void);
void talk_turn(uint32_t turns);
void talk_on_head(struct net_exchange *e);

void talk_dial(struct client *client);
void talk_hang_up(struct client *client);
void talk_say(struct client *client, const char *bytes);
void talk_hear(struct client *client);
void talk_listen(struct client *client); /* until nothing more comes */
void talk_ask(struct client *client, const char *bytes);
void talk_expect(const struct client *client, const char *part);
bool talk_has_ended(const struct client *client);

#endif
