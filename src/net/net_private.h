/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loop as its own files and its tests see it.
 */
#ifndef BERTH_NET_NET_PRIVATE_H
#define BERTH_NET_NET_PRIVATE_H

#include <stdbool.h>

#include "net/net.h"

struct net {
	struct clock clock;
	struct entropy entropy;
	struct random random; /* jitter, query ids' spread is not from here */
	struct net_bytes bytes;
	struct mono now, stopped;
	struct list timers; /* by due, the first is the next */
	struct list members;
	struct mono members_due;
	bool woken, hurried;
	char *scratch;
};

#endif
