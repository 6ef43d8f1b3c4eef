/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extender - HTTP servers of other people that have a say in where pods go: they take nodes away,
 * give points, choose other victims, or bind (profile/scheduler_config.h).
 *
 * An ask is one pod whose extenders are asked. It takes its time: who asked goes on with other
 * pods, and judges what was said by the cluster as it is then. An extender hears of one pod at a
 * time, from the first question to the decision: those that hand out devices while they filter
 * count on that. So asks run beside each other only when no extender has a part in both, and one
 * that is slow holds up its own pods alone.
 *
 *	extender.c         setting up: who is there, who cares for a pod
 *	extender_ask.c     one pod's way: it is read, filters in turn, scores at once, victims
 *	extender_call.c    one question: a line to the server, its answer
 *	extender_nodes.c   whole nodes, for those that want them
 *	extender_body.c    what is sent
 *	extender_answer.c  what came back
 */
#ifndef BERTH_EXTENDER_EXTENDER_H
#define BERTH_EXTENDER_EXTENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "cache/cache.h"
#include "cycle/extension.h"
#include "http/http.h"
#include "profile/scheduler_config.h"

enum {
	EXTENDER_ASKS = SCHEDULER_EXTENDERS_MAX, /* pods at a time, none of an extender's twice */
	EXTENDER_LINES = 1,                      /* questions to one extender at a time */
	EXTENDER_BINDS = 8,                      /* and bindings, when it binds (bind/binder.h) */
	EXTENDER_POD_MAX = 512 * 1024,  /* a pod as it is sent: annotations have half of that */
	EXTENDER_WORDS_MAX = 64 * 1024, /* bytes of reasons, about one pod */
	EXTENDER_ERROR_MAX = 1024
};

enum extender_verb { EXTENDER_FILTER, EXTENDER_SCORE, EXTENDER_PREEMPT, EXTENDER_BIND };
enum { EXTENDER_VERBS = EXTENDER_BIND + 1 };

/* ---- all extenders of a configuration ---- */

struct extenders;

struct extenders_setup {
	struct net *net;
	struct net_client *apiserver;
	struct api_client *api;
	struct arena *arena;
	struct cache *cache;            /* interns names of resources, for ever */
	const struct config_list *list; /* struct scheduler_extender; stays the caller's */
	uint32_t nodes;                 /* the most that there can be */
	/* An ask is over; from inside net_poll(). It keeps its place until extender_end(). */
	void (*done)(void *self, uint32_t ask);
	void *self;
};

/* NULL with one line in `fault`: one of them cannot work as it is configured. */
struct extenders *extenders_open(const struct extenders_setup *setup, struct writer *fault);
size_t extenders_size(const struct config_list *list, uint32_t nodes);
void extenders_close(struct extenders *x); /* without callbacks */

/* Connections, for the sockets and for TLS. */
uint32_t extenders_streams(const struct config_list *list, bool tls_only);

/* Those that care for pods of the class, as bits; with the verb. */
uint32_t extenders_for(
	const struct extenders *x, const struct kube_pod_template *class, enum extender_verb verb);
/* May a pod of the class be asked about now: does none of its extenders hear of another one? */
bool extenders_have_turn(const struct extenders *x, const struct kube_pod_template *class);
/* Extenders that filter, score or preempt for pods of the class, as bits. */
uint32_t extenders_heard(const struct extenders *x, const struct kube_pod_template *class);

/* ---- asks ---- */

struct extender_order {
	uint32_t pod;
	struct text path; /* of the pod, on the apiserver */
	/* Nodes that plugins leave, in their order; NULL: only victims are in question. */
	const uint32_t *nodes;
	uint32_t node_count;
};

/* 1..EXTENDER_ASKS. CHECKs that it is the pod's turn. */
uint32_t extender_ask(struct extenders *x, const struct extender_order *order);
/* To be filled in before extender_ask_victims(); what they leave is marked when done. */
struct extender_offers *extender_offers(struct extenders *x, uint32_t ask);
void extender_ask_victims(struct extenders *x, uint32_t ask); /* at once, or after done() */
/* The decision is made: its extenders may hear of another pod, while its words are still read. */
void extender_give_turn(struct extenders *x, uint32_t ask);
void extender_end(struct extenders *x, uint32_t ask); /* at any time; done() is not called */

const struct extender_words *extender_words(const struct extenders *x, uint32_t ask);
/* Why the ask failed; empty when it did not. */
struct text extender_error(const struct extenders *x, uint32_t ask);

/* ---- bindings, which bind/ sends ---- */

struct extender_binder {
	struct net_client *client;
	struct text url;
	struct text path;
	int64_t timeout_ms;
	bool ignorable;
};
/* False: the apiserver binds pods of the class. */
bool extenders_binder(const struct extenders *x, const struct kube_pod_template *class,
	struct extender_binder *binder);

struct extenders_stats {
	uint32_t asks, lines;
	uint64_t questions, failures;
};
struct extenders_stats extenders_stats(const struct extenders *x);

#endif
