/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * binder - gives pods to nodes: POSTs of bindings, as many in flight as the apiserver takes.
 *
 * At most once. A binding that may have happened (timeout, reset, 5xx after it was sent) is never
 * guessed about: the pod is read, and the same binding to the same node is sent again only when
 * the pod is seen unbound. An order is done when its fate is known for certain; as long as the
 * server is away it stays in flight.
 */
#ifndef BERTH_BIND_BINDER_H
#define BERTH_BIND_BINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"
#include "bind/body.h"

enum {
	BINDER_VIAS_MAX = 8 /* in flight by way of an extender */
};

enum binder_outcome {
	BINDER_BOUND, /* the pod is on our node */
	/* It is not ours to bind any more: gone, going, another pod, on another node. */
	BINDER_LOST,
	/*
	 * It is not bound, and asking again will not help: the apiserver's words say why. A
	 * conflict is one too when the pod is seen unbound after it, and so are ten answers of 5xx.
	 */
	BINDER_REFUSED
};

/* An extender that binds in place of the apiserver; texts stay the caller's. */
struct binder_via {
	struct net_client *client; /* NULL: the apiserver binds */
	struct text url;           /* for messages */
	struct text path;
	int64_t timeout_ms;
};

struct binder_order {
	struct body_pod pod; /* names are copied */
	struct text node;
	struct binder_via via;
	uint64_t tag; /* the caller's; unique among those in flight */
};

struct binder_result {
	uint64_t tag;
	enum binder_outcome outcome;
	/* Of the apiserver, or ours where it has none; empty when bound. Good in done() only. */
	struct text message;
	int64_t took_us; /* since binder_bind() */
};

struct binder_setup {
	struct api_client *client;
	struct arena *arena;
	uint32_t orders_max; /* in flight */
	/* From inside net_poll(), never from binder_bind(); may call binder_bind(). */
	void (*done)(void *self, const struct binder_result *result);
	void *self;
};

struct binder;

struct binder *binder_init(const struct binder_setup *setup);
size_t binder_size(uint32_t orders_max);
void binder_close(struct binder *binder); /* what is in flight is given up without callbacks */

/*
 * Is there room for one more now? Those that wait for certainty take none from the others. The
 * window shrinks on 429 and when answers get slow, and grows back with each good answer.
 */
bool binder_has_room(const struct binder *binder);
/* For one by way of an extender: these are few, and do not count against the window. */
bool binder_has_room_via(const struct binder *binder);
void binder_bind(struct binder *binder, const struct binder_order *order); /* CHECKs the room */

/*
 * The watch showed the pod: on our node (ours), or not ours to bind any more. Settles an order
 * that waits for certainty at the next turn; one whose answer is still due keeps waiting for it.
 * An unknown tag is ignored. Cost: linear in what is in flight.
 */
void binder_seen(struct binder *binder, uint64_t tag, bool ours);

struct binder_stats {
	uint32_t in_flight, in_flight_max, window;
	uint32_t unclear; /* wait for certainty now */
	uint64_t bound, lost, refused, throttled, doubted, again;
};
struct binder_stats binder_stats(const struct binder *binder);

#endif
