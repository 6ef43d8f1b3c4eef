/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timing - how long a decision's extension points take, and for some decisions each plugin there.
 *
 * What kube-scheduler does: it times every point of every pod, and for one pod in ten every call of
 * a plugin. What we do: the same points, with one reading of the clock between two of them. Plugins
 * answer for many nodes at a time here, and one that is remembered does not answer at all: what is
 * timed is a plugin's pass over the nodes it was asked about, never a single node.
 */
#ifndef BERTH_CYCLE_TIMING_H
#define BERTH_CYCLE_TIMING_H

#include "base/clock.h"
#include "plugins/plugins.h"

enum { CYCLE_SAMPLED = 10 /* one decision in so many, as upstream */ };

struct evaluation;

struct cycle_timer {
	const struct clock *clock;
	/* The profile by its place in the cycle's list. */
	void (*point)(void *self, uint32_t profile, enum plugin_point point, enum plugin_code code,
		int64_t took_us);
	void (*plugin)(void *self, enum plugin_id plugin, enum plugin_point point,
		enum plugin_code code, int64_t took_us);
	void *self;
};

/* Both are free of cost where nothing is timed. */
struct mono evaluation_start_point(const struct evaluation *e);
struct mono evaluation_start_plugin(const struct evaluation *e);
/* `since` is set to now, where the next one starts. */
void evaluation_took_point(const struct evaluation *e, enum plugin_point point,
	enum plugin_code code, struct mono *since);
void evaluation_took_plugin(const struct evaluation *e, uint8_t plugin, enum plugin_point point,
	enum plugin_code code, struct mono *since);

#endif
