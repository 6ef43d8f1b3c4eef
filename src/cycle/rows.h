/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: rows remember, per pod class and node, what the node-local plugins said.
 */
#ifndef BERTH_CYCLE_ROWS_H
#define BERTH_CYCLE_ROWS_H

#include "cycle/evaluation.h"

enum { CYCLE_TAINTS_MAX = 14 };

struct cycle_row {
	uint64_t serial; /* of the class; 0 = the row is free */
	uint32_t class;
	const struct plugin_profile *profile;
	uint64_t followed; /* node changes (cache.change_count) that are worked in */
	uint64_t used;     /* decision that used it last */
	uint32_t scored;   /* bits by position in profile->score that the row holds */
	bool holds_taints; /* TaintToleration is among them */
	bool is_strange;   /* a score that no plugin should give, or none: left to the slow way */

	uint32_t fit_count; /* nodes whose verdict is 0 */
	/* of those: how many have each raw TaintToleration score; the last: more than that */
	uint32_t taint_counts[CYCLE_TAINTS_MAX + 2];
	uint32_t taints_most; /* the highest of them; CYCLE_TAINTS_MAX + 1: too high for `best` */
	int64_t taints_weight;
	uint64_t order_version; /* of the node order that settled ties in `best` */
	uint32_t *best;         /* by block of nodes: the best of it, see plain.c; 0: none fits */

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

enum { CYCLE_BLOCK = 64 /* nodes of one entry in `best` */ };

/* plain.c: the block of the node has to be looked at again. */
void cycle_row_settle(const struct evaluation *e, struct cycle_row *row, uint32_t block);

/* The row of the pod's class, up to date. */
struct cycle_row *cycle_row_of(struct evaluation *e);

#endif
