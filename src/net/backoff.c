/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Backoff: waits that double, are spread, and start over after a quiet time.
 */
#include "net/backoff.h"

#include "base/check.h"

/* Above this a Retry-After is an error of the server's, not a wish. */
enum { BACKOFF_RETRY_AFTER_MAX_MS = 10 * 60 * 1000 };

int64_t net_backoff_next_ms(
	struct net_backoff *backoff, struct mono now, struct random *random, int64_t retry_after_ms)
{
	CHECK(backoff->first_ms > 0);
	CHECK(backoff->max_ms >= backoff->first_ms);

	if (backoff->next_ms == 0 ||
		mono_since_us(now, backoff->last) >
			(backoff->reset_ms + backoff->next_ms) * CLOCK_MS_US)
		backoff->next_ms = backoff->first_ms;
	int64_t wait_ms = backoff->next_ms;
	int64_t factor = backoff->factor == 0 ? 2 : backoff->factor;
	backoff->next_ms = wait_ms > backoff->max_ms / factor ? backoff->max_ms : wait_ms * factor;
	backoff->last = now;

	uint32_t stretch_max = (uint32_t)(wait_ms * backoff->jitter_percent / 100);
	if (stretch_max > 0)
		wait_ms += random_below(random, stretch_max + 1);
	if (retry_after_ms > BACKOFF_RETRY_AFTER_MAX_MS)
		retry_after_ms = BACKOFF_RETRY_AFTER_MAX_MS;
	return wait_ms < retry_after_ms ? retry_after_ms : wait_ms;
}

void net_backoff_reset(struct net_backoff *backoff)
{
	backoff->next_ms = 0;
}
