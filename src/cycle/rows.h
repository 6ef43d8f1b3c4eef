/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: rows remember, per pod class and node, what the node-local plugins said.
 */
#ifndef BERTH_CYCLE_ROWS_H
#define BERTH_CYCLE_ROWS_H

#include "cycle/evaluation.h"

/* A raw score that is normalised by the highest of the nodes that take part. */
struct cycle_scale {
	int32_t *raw; /* by node index, where the pod fits */
	int64_t weight;
	int32_t most;     /* the highest of all nodes that fit; never negative */
	int32_t settled;  /* the one that `worth` is worked out with */
	uint32_t holders; /* nodes that fit and have it */
	bool is_held;     /* the profile asks for this score, and the class has it */
};

enum { CYCLE_TAINTS, CYCLE_PREFERENCE, CYCLE_SCALES };

struct cycle_row {
	uint64_t serial; /* of the class; 0 = the row is free */
	uint32_t class;
	const struct plugin_profile *profile;
	uint64_t followed; /* node changes (cache.change_count) that are worked in */
	uint64_t used;     /* decision that used it last */
	uint32_t scored;   /* bits by position in profile->score that the row holds */
	bool is_strange;   /* a score that no plugin should give, or none: left to the slow way */

	uint32_t fit_count;                      /* nodes whose verdict is 0 */
	struct cycle_scale scales[CYCLE_SCALES]; /* TaintToleration, NodeAffinity */
	uint64_t order_version;                  /* of the node order that settled ties in `best` */
	uint32_t *best; /* by block of nodes: the best of it, see plain.c; 0: none fits */

	uint32_t *fit;        /* the nodes that fit, in order; see cycle_row_fit() */
	uint64_t fit_version; /* of the node order that `fit` follows; 0: it is out of date */

	/* by node index */
	uint8_t *verdict; /* 0: no local plugin objects */
	int32_t *fixed;   /* weighted sum of the local scores that need no normalising */
	int32_t *worth;   /* with the scales added, as if all nodes that fit were feasible */
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
/* The nodes that no local plugin objects to, in order; row->fit_count of them. */
const uint32_t *cycle_row_fit(const struct evaluation *e, struct cycle_row *row);

/* Weighted and normalised to 0..100 by the highest (plugins.md 5 and 6). */
int64_t cycle_scaled(const struct cycle_row *row, uint32_t scale, uint32_t node, int32_t most);

#endif
