/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time that rules see. It stands still between two refreshes, so that what they said of a pod
 * and a node can be remembered; with each refresh pods that a rule refused are tried again.
 */
#include "scheduler/private.h"

static int64_t refresh_us(const struct scheduler *s)
{
	int64_t least = 0;
	for (uint32_t i = 0; i < s->profile_count; i++) {
		int64_t own = s->profiles[i].refresh_us;
		if (own != 0 && (least == 0 || own < least))
			least = own;
	}
	return least;
}

struct mono scheduler_refresh_due(const struct scheduler *s)
{
	return refresh_us(s) == 0 ? MONO_NEVER : s->refresh_due;
}

static bool is_refreshed(const struct scheduler *s, uint32_t pod)
{
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	return profile != NULL && profile->refresh_us != 0;
}

void scheduler_refresh(struct scheduler *s)
{
	int64_t every = refresh_us(s);
	if (every == 0 || !mono_reached(scheduler_now(s), s->refresh_due))
		return;
	int64_t wall = clock_wall(&s->setup.clock).us;
	s->cache.now_us = wall;
	s->refresh_due = (struct mono){scheduler_now(s).us + every - wall % every};
	struct queue_walk walk = queue_walk(&s->queue, queue_waits_for_plugin(PLUGIN_RULES));
	for (uint32_t g; (g = queue_next_group(&s->queue, &walk)) != 0;)
		if (is_refreshed(s, queue_group_entry(&s->queue, g)->pod)) {
			struct queue_moved moved = queue_requeue_group(
				&s->queue, g, QUEUE_AFTER_BACKOFF, scheduler_now(s));
			s->stats.requeued += moved.active + moved.backoff;
		}
}
