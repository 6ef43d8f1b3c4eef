/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timer - how long extension points take, and for some pods each plugin there.
 *
 * What kube-scheduler does: it times every point of every pod, and for one pod in ten every call of
 * a plugin. What we do: the same points, with one reading of the clock between two of them. Plugins
 * answer for many nodes at a time here, and one that is remembered does not answer at all: what is
 * timed is a plugin's pass over the nodes it was asked about, never a single node.
 */
#ifndef BERTH_PLUGINS_TIMER_H
#define BERTH_PLUGINS_TIMER_H

#include "base/clock.h"
#include "plugins/plugins.h"

enum { PLUGIN_SAMPLED = 10 /* one pod in so many, as upstream */ };

/* What is timed: an enum plugin_point, or what belongs to one and no profile lists. */
enum { PLUGIN_TIMED_UNRESERVE = PLUGIN_POINTS, PLUGIN_TIMED_PRE_FLIGHT, PLUGIN_TIMED };

struct plugin_timer {
	const struct clock *clock;
	/* The profile by its place in the list of profiles. */
	void (*point)(void *self, uint32_t profile, enum plugin_point point, enum plugin_code code,
		int64_t took_us);
	void (*plugin)(void *self, enum plugin_id plugin, uint32_t timed, enum plugin_code code,
		int64_t took_us);
	void *self;
};

/* Both do nothing where the timer is NULL. */
struct mono plugin_timer_start(const struct plugin_timer *timer);
/* `since` is set to now, where the next one starts. */
void plugin_timer_took(const struct plugin_timer *timer, uint8_t plugin, uint32_t timed,
	enum plugin_code code, struct mono *since);

#endif
