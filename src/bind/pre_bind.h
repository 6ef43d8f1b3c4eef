/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pre_bind - what comes between Permit and the binding of a pod: its plugins are asked for the next
 * step of PreBind (cycle/binding_points.h), and what they ask for is done, calls to the apiserver
 * and waiting for changes of the cluster or for time.
 *
 * The pod's status.nominatedNodeName is set first, as upstream does for pods that have
 * work before their binding or wait at Permit. Calls are few at a time and the pods take turns;
 * those of one namespace never have all of them, so that a webhook that hangs holds up its own.
 * What is under way otherwise is bounded by the one budget alone: pods whose provisioner hangs cost
 * a few hundred bytes each and delay no other pod.
 */
#ifndef BERTH_BIND_PRE_BIND_H
#define BERTH_BIND_PRE_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "cycle/binding_points.h"

enum {
	PRE_BIND_CALLS = 4,           /* at a time ... */
	PRE_BIND_CALLS_OF_A_PEER = 3, /* ... of the pods of one namespace */
	PRE_BIND_BODY_MAX = 16 * 1024,
	PRE_BIND_WAITS = 10 /* asked for by Retry-After, per call */
};

struct pre_bind_order {
	/*
	 * Reserved, and asked for its pre-flight; it stays where it is until the end. When it is
	 * still BINDING_WAITS, pre_bind_go_on() says that it does no more.
	 */
	struct binding_points *points;
	/*
	 * String id of the node that the pod was nominated for before it was assumed; 0: none. When
	 * it is this one, its status needs no patch.
	 */
	uint32_t nominated;
};

struct pre_bind_result {
	uint64_t tag;
	enum plugin_step step; /* done, rejected or failed */
	struct text message;   /* why; good until done() returns */
};

/* One-off calls, see struct plugin_handle; all is copied. */
struct pre_bind_one_off {
	uint32_t pod;
	struct cache_uid uid;
	uint32_t namespace; /* string id: whose turn it is that they are sent in */
	const struct plugin_call *calls;
	uint32_t count;
	bool is_undo; /* of what an attempt has written: it must not meet the next one */
};

struct pre_bind_setup {
	struct api_client *client;
	struct arena *arena;
	struct cache *cache;
	struct clock clock;
	uint32_t orders_max; /* address space; what counts is the budget */
	/* "resource.k8s.io/v1beta2", as the kind is served; NULL, "": as it is in the newest. */
	const char *(*version_of)(void *self, enum kube_kind kind);
	/* A one-off call was refused, or is given up; may be NULL. May call pre_bind_*(). */
	void (*refused)(void *self, uint32_t pod, struct cache_uid uid);
	/* From inside net_poll(), the order is over by then; may call pre_bind_*(). */
	void (*done)(void *self, const struct pre_bind_result *result);
	void *self;
};

struct pre_bind;

struct pre_bind *pre_bind_init(const struct pre_bind_setup *setup);
size_t pre_bind_size(uint32_t orders_max);
/* What is under way is given up without callbacks. Before the client is closed. */
void pre_bind_close(struct pre_bind *pre_bind);

/* What the order is called from now on; 0, and nothing begun: the budget is reached. */
MUST_USE uint32_t pre_bind_begin(struct pre_bind *pre_bind, const struct pre_bind_order *order);
/* Permit lets the pod pass. */
void pre_bind_go_on(struct pre_bind *pre_bind, uint32_t order);
/* It has failed for another reason, which done() is told when the pod's nomination is answered. */
void pre_bind_fail(
	struct pre_bind *pre_bind, uint32_t order, enum plugin_step step, struct text message);
/* The pod is gone: done() will not be called. 0, or one that is over, is ignored. */
void pre_bind_cancel(struct pre_bind *pre_bind, uint32_t order);

/* False: there is no memory for them, and nothing is sent. */
MUST_USE bool pre_bind_send(struct pre_bind *pre_bind, const struct pre_bind_one_off *one_off);
/* Such a call may be carried out at any moment: the pod must not be assumed meanwhile. */
bool pre_bind_undoes(const struct pre_bind *pre_bind, struct cache_uid uid);

/* One change of the log. Nothing happens before the next net_poll(). */
void pre_bind_changed(struct pre_bind *pre_bind, const struct cache_event *event);

struct pre_bind_stats {
	uint32_t under_way, waiting; /* now; waiting: for changes, or time */
	uint32_t one_off;            /* of those under way */
	uint64_t begun, done, failed, cancelled;
	uint64_t written;            /* calls that were answered well */
	uint64_t conflicts, unclear; /* answers */
};
struct pre_bind_stats pre_bind_stats(const struct pre_bind *pre_bind);

#endif
