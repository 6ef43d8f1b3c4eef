/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small apiserver that really binds, on the wire of tests/watch: pods, bindings with the rules
 * that a real one has, and everything that can happen to a request, by plan.
 */
#ifndef BERTH_TESTS_BIND_BINDER_SERVER_H
#define BERTH_TESTS_BIND_BINDER_SERVER_H

#include "apisim/fake_server.h"

enum {
	SERVER_PODS = 256,
	SERVER_PLANS = 64,
	SERVER_PENDING = 512,
	SERVER_REQUEST_MAX = 2048,
	SERVER_TEXT_MAX = 64
};

/* One life of a pod: a pod that is made again under its name is another entry. */
struct server_pod {
	char name[SERVER_TEXT_MAX];
	char uid[SERVER_TEXT_MAX];
	char node[SERVER_TEXT_MAX]; /* stays when it is gone */
	bool there, deleting, gated;
	bool late;      /* it got its node when nobody waited for the answer any more */
	uint32_t asked; /* bindings that came in for it */
};

enum server_way {
	SERVER_WORKS,
	SERVER_CUTS_REQUEST, /* after `bytes` of it */
	SERVER_CUTS,         /* the whole request came, nothing is done */
	SERVER_CUTS_ANSWER,  /* done, but only `bytes` of the answer come */
	SERVER_SILENT,       /* nothing is done, nothing is said */
	SERVER_MUTE,         /* done, nothing is said */
	SERVER_LATE,         /* nothing is said; done after `delay_ms` */
	SERVER_SAYS,         /* `status`, `headers`, `body`, cut after `bytes`; nothing is done */
	SERVER_LIES          /* the same, but done */
};

struct server_plan {
	enum server_way way;
	uint32_t bytes;
	int64_t delay_ms; /* of the answer, too */
	int status;
	const char *headers;
	const char *body;
};

struct server_pending {
	int64_t due_us;
	uint32_t stream; /* 0: nobody waits for it */
	uint32_t turn;
	struct server_plan plan;
	char request[SERVER_REQUEST_MAX];
};

struct server {
	struct fake_server wire;
	struct server_pod pods[SERVER_PODS];
	uint32_t pod_count;
	struct server_plan plans[SERVER_PLANS]; /* of the requests to come; then it works */
	uint32_t plan_first, plan_end;
	/* Asked for when there is no plan; may be NULL. */
	struct server_plan (*choose)(void *self, bool binding);
	void (*changed)(void *self, struct server_pod *pod); /* a pod got its node; may be NULL */
	void *self;
	int64_t latency_us;
	bool one_by_one; /* as if behind it were one slow disk */
	int64_t free_us;
	bool late; /* what is carried out now */
	struct server_pending pending[SERVER_PENDING];
	uint32_t pending_count;
	struct {
		struct server_plan plan;
		bool planned;
		uint32_t turn;
	} streams[FAKE_STREAMS + 1];
	uint64_t bindings, reads, bound, conflicts; /* that came in; that happened */
	uint32_t under_way, under_way_max;
};

void server_init(struct server *server);
struct server_pod *server_add(struct server *server, const char *name, const char *uid);
struct server_pod *server_find(struct server *server, const char *name); /* NULL: not there */
void server_plan(struct server *server, struct server_plan plan);

#endif
