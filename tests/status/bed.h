/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A scheduler with a small picture, its status server, and an apiserver that only reviews tokens
 * and access, in one process with virtual time, or on real sockets.
 */
#ifndef BERTH_TESTS_STATUS_BED_H
#define BERTH_TESTS_STATUS_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "tls/certificate.h"
#include "net/loopback.h"
#include "http/http.h"
#include "status/status.h"

enum { BED_SECURE = 10259, BED_PLAIN = 10251, BED_HEARD_MAX = 512 * 1024 };

extern struct scheduler bed_scheduler;
extern struct options bed_options; /* to be changed before bed_open() */
extern struct status *bed_status;
extern struct net *bed_net;
struct net_client *bed_client(void); /* of the apiserver */
extern struct loopback bed_loopback;
extern const char *bed_peer;              /* where clients come from */
extern uint32_t bed_tokens, bed_accesses; /* reviews that the apiserver did */
extern const char *bed_may;               /* path that user "carla" may read */
extern const char *bed_lists;             /* resources that she may list */
extern const char *bed_map;               /* the configmap of authorities; NULL: 404 */
extern bool bed_real;                     /* on sockets of the system, in real time */
extern int64_t bed_tick_us; /* virtual time that passes whenever the clock is read ... */
extern uint32_t bed_ticks;  /* ... so many times */
extern struct net_bytes bed_bytes;
extern char bed_asked[4096]; /* the latest review, as far as there is room */
extern uint32_t bed_groups;  /* of the user of the latest access review, by their commas */

void bed_init(void);
void bed_open(void);
void bed_close(void); /* audits the picture */
void bed_turns(uint32_t turns);

/* An object with ' for "; the kind stands in it. */
void bed_add(enum kube_kind kind, const char *json);
/* Three nodes in two zones; two pods that wait, of which one fits nowhere. */
void bed_fill(void);

struct bed_client {
	uint32_t stream;
	size_t size;
	bool ended;
	char heard[BED_HEARD_MAX];
};
void bed_dial(struct bed_client *client);
void bed_say(struct bed_client *client, const char *bytes);
void bed_hear(struct bed_client *client); /* what is there now */
void bed_hang_up(struct bed_client *client);

/* A whole answer over plain HTTP: the status line and all; the body of it. */
const char *bed_send(const char *request);
const char *bed_get(const char *path_and_headers);
const char *bed_body(void);
uint32_t bed_code(void);
const char *bed_post(const char *path, const char *headers, const char *body);

#endif
