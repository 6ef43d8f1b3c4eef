/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: rows remember, per pod class and node, what the node-local plugins said.
 */
#ifndef BERTH_CYCLE_ROWS_H
#define BERTH_CYCLE_ROWS_H

#include "cycle/evaluation.h"

struct cycle_row {
	uint64_t serial; /* of the class; 0 = the row is free */
	uint32_t class;
	const struct plugin_profile *profile;
	uint64_t followed; /* node changes (cache.change_count) that are worked in */
	uint64_t used;     /* decision that used it last */
	uint32_t scored;   /* bits by position in profile->score that the row holds */
	bool is_strange;   /* met a score that no plugin should give: left to the slow way */

	/* by node index */
	uint8_t *verdict;    /* 0: no local plugin objects */
	int32_t *fixed;      /* weighted sum of the local scores that need no normalising */
	int32_t *taints;     /* raw TaintToleration */
	int32_t *preference; /* raw NodeAffinity */
};

struct cycle_rows {
	struct cycle_row *rows;
	uint32_t count;
	uint32_t nodes;
	uint64_t uses;
};

size_t cycle_rows_size(const struct cycle_limits *limits);
struct cycle_rows *cycle_rows_make(struct arena *arena, const struct cycle_limits *limits);

/*
 * Is the verdict of the profile's filter `at` part of the row? Not behind a filter that can fail:
 * an error counts wherever the filters before it let the pod pass.
 */
bool cycle_row_has_filter(const struct plugin_uses *filters, uint32_t at);

/* The row of the pod's class, up to date. */
struct cycle_row *cycle_row_of(struct evaluation *e);

#endif
