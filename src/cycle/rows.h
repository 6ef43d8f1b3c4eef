/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: rows remember, per pod class and node, what the node-local plugins said. Classes
 * that are equal in what those look at (kube/pod.h) share a row.
 */
#ifndef BERTH_CYCLE_ROWS_H
#define BERTH_CYCLE_ROWS_H

#include "cycle/evaluation.h"

/* A raw score that is normalised by the highest of the nodes that take part. */
struct cycle_scale {
	uint16_t *raw; /* by node index, where the pod fits */
	int64_t weight;
	int32_t most;     /* the highest of all nodes that fit; never negative */
	int32_t settled;  /* the one that `worth` is worked out with */
	uint32_t holders; /* nodes that fit and have it */
	bool is_held;     /* the profile asks for this score, and the class has it */
	bool is_reversed; /* the highest raw score gets 0 */
};

/* Plugins whose scores are local and normalised; more than the two of upstream come with others. */
enum { CYCLE_SCALES_MAX = 8 };

enum {
	CYCLE_BLOCK = 64,      /* nodes of one entry in `best`, and worked out at a time; bits */
	CYCLE_LOCAL_MAX = 1024 /* bytes of a class; what is beyond is not shared with its twins */
};
#define CYCLE_UNFIT INT32_MIN /* instead of a worth: some local plugin objects, or no node */

struct cycle_row {
	uint64_t serial; /* of the class it was made for */
	uint64_t labels; /* serial of the labels, where the profile's local plugins read them */
	int64_t now_us;  /* that its local plugins saw */
	const struct plugin_profile *profile;
	uint32_t local_hash; /* 0: not for twins, the class is too large, or all of it is read */
	struct kube_pod_template *local; /* the class up to local_end, for its twins */
	bool is_strange;   /* a score that no plugin should give, or none: left to the slow way */
	uint32_t top;      /* the highest index of a node that was there */
	uint64_t followed; /* node changes (cache.change_count) that are worked in */
	struct plugin_set scored; /* whose scores the row holds */

	uint32_t fit_count; /* nodes whose worth is not CYCLE_UNFIT */
	uint32_t scale_count;
	struct cycle_scale scales[CYCLE_SCALES_MAX];
	uint64_t order_version; /* of the node order that settled ties in `best` */
	uint32_t *best;         /* by block of nodes: the best of it, see plain.c; 0: none fits */

	uint32_t *fit;        /* the nodes that fit, in order; see cycle_row_fit() */
	uint64_t fit_version; /* of the node order that `fit` follows; 0: it is out of date */

	/* By node index: weighted sum of the local scores, as if all that fit were feasible. */
	int32_t *worth;
};

struct cycle_rows {
	struct cycle_row *rows;
	uint32_t count;   /* no more than these ... */
	size_t bytes_max; /* ... and no more than fit into so much, but for ROWS_MIN */
	uint32_t used;    /* rows from here on were never begun, or were given up */
	uint32_t room;    /* nodes by index 0 and up that each has entries for */
	uint32_t room_max;
	struct page_span memory; /* of one row after the other */
	struct page_shedder shedder;
	uint32_t latest; /* the row that was used last */
	uint32_t made;
	uint32_t fitting[CYCLE_BLOCK]; /* while nodes are worked out */
	int64_t scores[CYCLE_BLOCK];
	uint64_t *touched; /* a bit by node, while a row follows */
	uint32_t scale_count;
	uint8_t scale_of[PLUGIN_COUNT]; /* its place in the scales of a row; CYCLE_SCALES_MAX: none
					 */
};

size_t cycle_rows_size(const struct cycle_limits *limits);
struct cycle_rows *cycle_rows_make(struct arena *arena, const struct cycle_limits *limits);

/*
 * Is the verdict of the profile's filter `at` part of the row? Not behind a filter that can fail:
 * an error counts wherever the filters before it let the pod pass.
 */
bool cycle_row_has_filter(const struct plugin_uses *filters, uint32_t at);

/* plain.c: the block of the node has to be looked at again. */
void cycle_row_settle(const struct evaluation *e, struct cycle_row *row, uint32_t block);

/* The row of the pod's class, up to date; NULL when there is no memory for any. */
struct cycle_row *cycle_row_of(struct evaluation *e);
/* The nodes that no local plugin objects to, in order; row->fit_count of them. */
const uint32_t *cycle_row_fit(const struct evaluation *e, struct cycle_row *row);

/* Weighted and normalised to 0..100 by the highest. */
int64_t cycle_scaled(const struct cycle_row *row, uint32_t scale, uint32_t node, int32_t most);

#endif
