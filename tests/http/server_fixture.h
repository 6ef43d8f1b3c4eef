/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the server on real sockets share: one loop with the server and up to four of
 * berth's own clients, a clock that can be moved, certificates made once.
 *
 *	/who	the names in the client's certificate
 *	/big	bed_big, lent
 *	/body	what was sent
 *	/stream	events without end, as fast as they are taken
 *	else	"fine"
 */
#ifndef BERTH_TESTS_NET_SERVER_BED_H
#define BERTH_TESTS_NET_SERVER_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "tls/certificate.h"
#include "http/http.h"
#include "http/server.h"

enum { BED_CLIENTS = 4, BED_BODY_MAX = 4096, BED_BIG = 300 * 1024 };

extern struct net *bed_net;
extern struct net_server *bed_server;
extern struct net_server_setup bed_setup; /* to be changed before bed_serve() */
extern struct net_client *bed_clients[BED_CLIENTS];
extern struct net_target bed_targets[BED_CLIENTS]; /* before a client is first used */
extern struct tls_certificate bed_own, bed_other_own, bed_ca, bed_other_ca, bed_user, bed_stranger,
	bed_proxy;
extern char bed_fault[256];
extern int64_t bed_clock_ahead_us;

/* What the handler met. */
extern uint32_t bed_begun, bed_complete, bed_cut;
extern uint64_t bed_produced;
extern struct net_exchange *bed_stream; /* under way, or NULL */
extern char bed_big[BED_BIG];

void bed_init(void);
void bed_try_to_serve(void); /* bed_server stays NULL when it cannot */
void bed_serve(void);
void bed_close(void); /* CHECKs that all memory came back */
void bed_turn(int64_t timeout_us);
void bed_turns(uint32_t turns);

struct asked {
	struct net_request request;
	uint32_t done;
	struct net_answer end;
	size_t size;
	char body[BED_BODY_MAX];
};
struct net_client *bed_client(uint32_t client);
void bed_start(uint32_t client, struct asked *asked, const char *path);
void bed_finish(struct asked *asked);
/* A GET that must be answered with 200: the body. */
const char *bed_get(uint32_t client, const char *path);
enum net_flow bed_on_body(struct net_request *request, struct text part);

/* A stranger's socket, not blocking. */
int bed_dial(void);
void bed_say(int fd, const void *bytes, size_t size);
void bed_say_z(int fd, const char *text);
/* What comes in so many turns. Ends with the connection: *ended. */
size_t bed_hear(int fd, char *to, size_t size, uint32_t turns, bool *ended);

#endif
