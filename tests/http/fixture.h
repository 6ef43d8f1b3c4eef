/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A client and a server for tests: certificates made once, a clock that can be moved, requests
 * that remember what happened to them.
 */
#ifndef BERTH_TESTS_NET_FIXTURE_H
#define BERTH_TESTS_NET_FIXTURE_H

#include "http/client_private.h"
#include "http/http.h"
#include "http/other_end.h"

enum { FIXTURE_BODY_MAX = 4096, FIXTURE_MEMORY = 16 << 20 };

/* Made once per program. */
extern struct server_certificate fixture_ca, fixture_other_ca, fixture_server, fixture_user;
void fixture_make_certificates(void);

struct fixture {
	void *memory;
	struct arena arena;
	struct net_bytes bytes;
	struct net *net;
	struct net_client *client;
	struct net_target target; /* to be changed before fixture_open() */
	struct server server;
	uint32_t tls_connections_max;
	int64_t clock_ahead_us; /* added to the real time */
	char fault[256];
};

struct fixture_request {
	struct net_request request;
	uint32_t done;         /* how often on_done was called */
	uint32_t order;        /* the how-manieth request of all to end */
	struct net_answer end; /* as on_done saw it */
	enum net_flow flow;    /* what on_body says */
	bool cancels;          /* on_body cancels it */
	size_t body_size;
	char body[FIXTURE_BODY_MAX];
};

/* A target for the fixture's server: https by 127.0.0.1, the right CA, 2 connections and 2 for
 * watches. */
void fixture_init(struct fixture *f);
void fixture_serve(struct fixture *f, const struct server_setup *setup);
/* NULL and f->fault when the target is refused. */
struct net_client *fixture_open(struct fixture *f);
void fixture_close(struct fixture *f);

void fixture_send(
	struct fixture *f, struct fixture_request *r, enum net_method method, const char *path);
/* False after five seconds. */
bool fixture_wait(struct fixture *f, struct fixture_request *r);
void fixture_turn(struct fixture *f, int64_t ms);
/* One GET from beginning to end. */
void fixture_get(struct fixture *f, struct fixture_request *r, const char *path);

#endif
