/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several pods at once, all or none.
 *
 * Each is decided as the cluster is with those before it in place, in the order given; so pods of
 * a group see each other's affinity, spreading and requests. Nothing is tried again in another
 * order, and nothing is preempted for a group.
 */
#ifndef BERTH_CYCLE_GROUP_H
#define BERTH_CYCLE_GROUP_H

#include "cycle/binding_points.h"
#include "cycle/cycle.h"

struct cycle_member {
	uint32_t pod; /* in cache.pods, pending */
	uint64_t tag; /* see struct plugin_binding */
	struct binding_points *points;
	uint32_t node;      /* 0: it has none */
	uint32_t nominated; /* where it was nominated before, a string id */
	uint32_t evaluated, feasible;
};

/*
 * True: every member is assumed on its node, reserved there and was asked about at Permit: it is
 * BINDING_PERMITTED, or waits. False: all is as it was before; *failed is the member for which
 * there was no node, or whose place a plugin refused, and `result` says why, until the next
 * decision.
 */
MUST_USE bool cycle_assume_group(struct cycle *cycle, struct binding_waiting *waiting,
	struct mono now, struct cycle_member *members, uint32_t count,
	struct schedule_result *result, uint32_t *failed);

/* The last first: no member is on its node any more, nor reserved. None may be bound yet. */
void cycle_undo_group(struct cycle *cycle, struct cycle_member *members, uint32_t count);

#endif
