/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the binder: one order on its way, and what its files do for each other.
 *
 *   binder.c         orders come in; memory, numbers
 *   binder_steps.c   which state follows which: the table, and the driver of requests and pauses
 *   binder_listen.c  answers: bytes to a word of what became of the pod
 *   binder_window.c  how many bindings at a time
 */
#ifndef BERTH_BIND_BINDER_PRIVATE_H
#define BERTH_BIND_BINDER_PRIVATE_H

#include "base/list.h"
#include "base/pool.h"
#include "base/scratch.h"
#include "bind/binder.h"
#include "json/json.h"
#include "net/backoff.h"

enum {
	BINDER_POST_MS = 30 * 1000,
	BINDER_READ_MS = 10 * 1000,
	BINDER_NODE_MAX = 253,
	BINDER_UID_MAX = 128,
	BINDER_BODY_MAX = 1280,            /* a binding of the longest valid names */
	BINDER_ANSWER_MAX = 64 * 1024,     /* to a binding; a Status has a few hundred bytes */
	BINDER_POD_MAX = 16 * 1024 * 1024, /* a pod, with all that is not read of it */
	BINDER_PIECE_MAX = 4096,           /* what is read of either */
	BINDER_SCRATCH = 16 * 1024,        /* tokens of a piece */
	BINDER_FAULTS_MAX = 10,            /* 5xx to one order, the pod seen unbound each time */
	BINDER_FAULTS_VIA = 5,             /* what an extender's silence counts as */
	BINDER_WINDOW_FIRST = 8,
	BINDER_BACK_MS = 1000 /* who waited for the server comes back spread over this time */
};

enum binder_state {
	BINDER_FREE,
	BINDER_POST,  /* the binding was sent, its answer is due */
	BINDER_AGAIN, /* a pause, then the binding */
	BINDER_CHECK, /* the pod is being read */
	BINDER_DOUBT, /* a pause, then the pod is read */
	BINDER_END    /* all is known; told at the next turn */
};
enum { BINDER_STATES = BINDER_END + 1 };

/* What is heard about an order. */
enum binder_word {
	BINDER_SAYS_BOUND,
	BINDER_SAYS_LOST,
	BINDER_SAYS_REFUSED,
	BINDER_SAYS_CONFLICT, /* a refusal that may mean anything: the pod says which */
	BINDER_SAYS_LATER,    /* not tried: the server is busy */
	BINDER_SAYS_UNSENT,   /* it never left */
	BINDER_SAYS_UNCLEAR,  /* it may have happened */
	BINDER_SAYS_UNBOUND,  /* the pod waits as before */
	BINDER_SAYS_NOTHING,  /* the pod could not be read */
	BINDER_SAYS_TIME      /* the pause is over */
};
enum { BINDER_WORDS = BINDER_SAYS_TIME + 1 };

enum binder_seen { BINDER_SEEN_NOTHING, BINDER_SEEN_OURS, BINDER_SEEN_LOST };

struct binder_flight {
	struct net_request request;
	struct net_timer timer;
	struct list link;
	struct binder *binder;
	uint32_t index; /* in the pool */
	uint32_t cut;   /* of an answer that comes in; 0: none */
	enum binder_state state;
	enum binder_word heard; /* by the answer that comes in; meaningless unless `judged` */
	bool judged;
	bool deaf;     /* the answer is not JSON */
	bool refused;  /* the server said no, and the pod is looked at before that is believed */
	bool doubted;  /* a binding may have happened that we were not told of */
	bool stranded; /* waits because the server was not there */
	enum binder_seen seen;
	struct binder_via via;
	uint32_t posts;
	uint32_t faults; /* answers of 5xx */
	uint64_t tag;
	struct mono started;
	struct mono sent;
	int64_t retry_after_ms; /* of the last answer; -1: not said */
	struct net_backoff backoff;
	size_t path_size;     /* of the binding's */
	size_t pod_path_size; /* the pod's is the beginning of it */
	size_t body_size;
	size_t node_size;
	size_t uid_size;
	size_t message_size;
	char path[BODY_PATH_MAX];
	char body[BINDER_BODY_MAX];
	char node[BINDER_NODE_MAX];
	char uid[BINDER_UID_MAX];
	char message[BINDER_MESSAGE_MAX];
};

/* ---- binder_window.c ---- */

struct binder_window {
	uint32_t size;
	uint32_t max;
	uint32_t good;     /* answers since the size was last looked at */
	int64_t lowest_us; /* latency; 0: not known yet */
	int64_t smooth_us;
	struct mono cut;
};

void binder_window_init(struct binder_window *window, uint32_t max);
/* A binding happened. `used`: how many were under way with it. */
void binder_window_good(struct binder_window *window, int64_t took_us, uint32_t used);
/* The server has too much to do; what was sent before the last time said nothing new. */
void binder_window_cut(struct binder_window *window, struct mono sent, struct mono now);

struct binder {
	struct net *net;
	struct net_client *client;
	bool (*may_write)(void *self);
	void (*done)(void *self, const struct binder_result *result);
	void *self;
	struct random random;
	struct pool flights;
	struct pool cuts;
	struct list in_flight;
	struct scratch scratch;
	struct binder_window window;
	struct net_timer pause; /* nothing new before */
	bool away;              /* the server did not answer last */
	uint32_t vias;          /* by way of an extender */
	uint32_t vias_outside;  /* of those: not unclear, and yet not in the window */
	struct binder_stats stats;
	char message[BINDER_MESSAGE_MAX]; /* of the order that done() is told of */
};

static inline bool binder_is_unclear(enum binder_state state)
{
	return state == BINDER_CHECK || state == BINDER_DOUBT;
}

/* ---- binder_steps.c ---- */

const char *binder_state_name(enum binder_state state);
/* An extender is being asked, or about to be. */
static inline bool binder_is_via(const struct binder_flight *flight)
{
	return flight->via.client != NULL && flight->state == BINDER_POST;
}
void binder_enter(struct binder_flight *flight, enum binder_state state);
/* Told at the next turn. */
void binder_settle(struct binder_flight *flight, enum binder_word word);
void binder_look(struct binder_flight *flight); /* settles it, if the watch has seen enough */
void binder_answered(struct net_request *request);
void binder_time(struct net_timer *timer, struct mono now);
void binder_forget(struct binder_flight *flight); /* gives it up and its memory back */

/* ---- binder_listen.c ---- */

enum net_flow binder_listen(struct net_request *request, struct text bytes);
void binder_listen_end(struct binder_flight *flight); /* the cutter goes back */
/* What the answer as a whole says; may set retry_after_ms. */
enum binder_word binder_judge(struct binder_flight *flight);
void binder_keep_message(struct binder_flight *flight, struct text message);
void binder_explain(struct binder_flight *flight, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
