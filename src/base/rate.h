/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate - how often something may be done: some of it at once, then one after the other.
 *
 * Each keeps the rate busy for `every`, behind those before it; within a burst that work may be
 * owed.
 */
#ifndef BERTH_BASE_RATE_H
#define BERTH_BASE_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct rate {
	struct mono busy_until;
};

static inline int64_t rate_busy_us(const struct rate *rate, struct mono now, int64_t every_us)
{
	return (mono_reached(now, rate->busy_until) ? now.us : rate->busy_until.us) + every_us;
}
/* When the next one may be done. */
static inline struct mono rate_due(
	const struct rate *rate, struct mono now, int64_t every_us, int64_t burst)
{
	return (struct mono){rate_busy_us(rate, now, every_us) - every_us * burst};
}
/* One is done. */
static inline void rate_take(struct rate *rate, struct mono now, int64_t every_us)
{
	rate->busy_until.us = rate_busy_us(rate, now, every_us);
}

#endif
