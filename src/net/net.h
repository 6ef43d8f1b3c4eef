/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * net - the loop: waiting for bytes and for time. One struct net per process; what composes the
 * program turns it. Bytes come and go by net/bytes.h, addresses of names from net/resolve.h.
 *
 * Only this folder knows mongoose, whose event manager is under the real implementation of bytes.
 */
#ifndef BERTH_NET_NET_H
#define BERTH_NET_NET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/entropy.h"
#include "base/list.h"
#include "net/bytes.h"

struct net; /* one per process */

struct net_setup {
	struct arena *arena;
	struct clock clock;
	struct entropy entropy;
	struct net_bytes bytes; /* net_socket_bytes(), or the simulator's */
};
struct net *net_init(const struct net_setup *setup);
size_t net_size(void);           /* arena bytes that net_init() takes */
void net_close(struct net *net); /* tests, simulator */

/*
 * One turn: sleeps until bytes arrive, the next timer is due or timeout_us has passed (-1: no
 * limit, 0: not at all); reads the clock once; moves every connection on; fires timers. All
 * callbacks of this folder are called from here.
 */
void net_poll(struct net *net, int64_t timeout_us);
struct mono net_now(const struct net *net); /* as read by the last turn */
const struct clock *net_clock(const struct net *net);
struct entropy net_entropy(const struct net *net);
const struct net_bytes *net_bytes(const struct net *net);
/* NET_SCRATCH_SIZE bytes that are good within one step of one member. */
enum { NET_SCRATCH_SIZE = 16 * 1024 };
char *net_scratch(struct net *net);
/* When last a turn came later than it was due, by so much that we had been stopped; 0: never. */
enum { NET_STOPPED_MS = 10 * 1000 };
struct mono net_stopped(const struct net *net);
void net_wake(struct net *net); /* the next net_poll() does not sleep */
/* Whether there is work that waits, for requests of ours as well: strangers get less of the time.
 */
void net_hurry(struct net *net, bool hurried);
bool net_is_hurried(const struct net *net);

/* What wants a call each turn: a client, a server. */
struct net_member {
	struct list link;
	/*
	 * Moves everything on. Returns when it wants to be called again even if no bytes arrive:
	 * `now` for at once, MONO_NEVER for not at all.
	 */
	struct mono (*turn)(struct net_member *member, struct mono now);
	bool dirty; /* something was asked for since its last turn */
};
void net_join(struct net *net, struct net_member *member);
void net_leave(struct net_member *member);

/* The owner embeds it, so arming cannot fail. Cost: linear in the timers due later. */
struct net_timer {
	struct list link;
	struct mono due;
	void (*fire)(struct net_timer *timer, struct mono now); /* no longer armed when called */
};
void net_timer_init(
	struct net_timer *timer, void (*fire)(struct net_timer *timer, struct mono now));
void net_timer_arm(struct net *net, struct net_timer *timer, struct mono due); /* again: moves it */
void net_timer_disarm(struct net_timer *timer);
static inline bool net_timer_is_armed(const struct net_timer *timer)
{
	return !list_is_empty(&timer->link);
}

#endif
