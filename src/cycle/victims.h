/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: the pods that would have to leave one node.
 */
#ifndef BERTH_CYCLE_VICTIMS_H
#define BERTH_CYCLE_VICTIMS_H

#include "cycle/evaluation.h"

struct victims {
	uint32_t node;  /* 0: none */
	uint32_t *pods; /* most important first */
	uint32_t count;
	uint32_t room;
	uint32_t violations;        /* victims that a disruption budget protects */
	struct cycle_status status; /* when there are none: why */
};

enum victims_result { VICTIMS_FOUND, VICTIMS_NONE, VICTIMS_FAILED /* out of scratch */ };

/* Uses scratch freely; the caller gives it back. */
enum victims_result victims_on_node(struct evaluation *e, uint32_t node, struct victims *found);

/* The victims that extenders left of an offer, if the pod fits without them as things are now. */
enum victims_result victims_of_offer(struct evaluation *e, const struct extender_offers *offers,
	const struct extender_offer *offer, struct victims *found);

/* Gives scratch back to the mark but keeps the list of pods (at the mark). */
bool victims_keep(struct evaluation *e, struct scratch_mark mark, struct victims *found);

/* Is `a` a better choice than `b` (core.md 17, step 9)? */
bool victims_better(const struct evaluation *e, const struct victims *a, const struct victims *b);

#endif
