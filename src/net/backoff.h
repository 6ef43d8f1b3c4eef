/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backoff: how long to wait before the next attempt. Doubles, or grows by `factor`, from `first_ms`
 * to `max_ms`, each wait stretched by a random part of itself (0 .. jitter_percent), and starts
 * over when no attempt was needed for `reset_ms`. A server's Retry-After is a lower limit.
 */
#ifndef BERTH_NET_BACKOFF_H
#define BERTH_NET_BACKOFF_H

#include <stdint.h>

#include "base/clock.h"
#include "base/entropy.h"

struct net_backoff {
	int64_t first_ms;
	int64_t max_ms;
	int64_t reset_ms;
	uint32_t jitter_percent;
	uint32_t factor; /* 0: 2 */
	/* private */
	int64_t next_ms;
	struct mono last;
};

/* What client-go's reflectors use: 0.8 s to 30 s, jitter 100 %, reset after 2 min. */
#define NET_BACKOFF_WATCH      \
	((struct net_backoff){ \
		.first_ms = 800, .max_ms = 30000, .reset_ms = 120000, .jitter_percent = 100})

/* Counts a failed attempt and says how long to wait now. retry_after_ms < 0: the server named none.
 */
int64_t net_backoff_next_ms(struct net_backoff *backoff, struct mono now, struct random *random,
	int64_t retry_after_ms);
void net_backoff_reset(struct net_backoff *backoff);

#endif
