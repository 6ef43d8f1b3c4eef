/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle - one pod's way: prefilter, filter, score, pick; and when no node will do, the words that
 * say why, and whom it could preempt. The cycle decides and changes nothing; its caller
 * assumes the pod in the cache and binds it.
 */
#ifndef BERTH_CYCLE_CYCLE_H
#define BERTH_CYCLE_CYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/scratch.h"
#include "cache/cache.h"
#include "cycle/extension.h"
#include "plugins/timer.h"
#include "plugins/plugins.h"

struct cycle_rows;
struct dra;
struct evaluation;

/* The points of a decision, where it is noted which plugins took part. */
enum cycle_point { CYCLE_PRE_FILTER, CYCLE_FILTER, CYCLE_PRE_SCORE, CYCLE_SCORE, CYCLE_POINTS };

struct cycle_limits {
	uint32_t nodes;
	uint32_t rows;        /* pod templates whose verdicts are remembered at a time ... */
	size_t rows_bytes;    /* ... in so much memory, but for a few; 0: in as much as it takes */
	size_t scratch_bytes; /* for one decision */
};

struct cycle {
	struct cache *cache;
	const struct plugin_profile *profiles;
	uint32_t profile_count;
	struct scratch scratch;
	struct evaluation *evaluation; /* the latest; what a decision points to */
	struct cycle_rows *rows;       /* NULL: remember nothing, evaluate every node each time */
	struct dra *dra;               /* what is remembered of devices */
	uint64_t decisions;
	struct page_span chosen_span;
	uint64_t *chosen; /* by node: the decision that chose it last; ties go to the oldest */
	const struct clock *clock;        /* for plugins; NULL: none */
	const struct plugin_timer *timer; /* NULL: decisions are not timed */
	uint64_t timed;
	uint32_t rotation; /* where the next search starts when not all nodes are looked at */
};

enum cycle_outcome {
	CYCLE_PLACED,   /* node is where */
	CYCLE_REJECTED, /* message says why; maybe a preemption */
	CYCLE_FAILED,   /* an internal error: message says which */
	CYCLE_STALE     /* what extenders said helps no more: they are to be asked again */
};

struct cycle_preemption {
	bool tried;
	bool eligible;
	bool found;
	bool offered;          /* candidates are for extenders to look at */
	bool stale;            /* none of what they left holds any more */
	bool clear_nomination; /* upstream clears status.nominatedNodeName */
	uint32_t node;
	const uint32_t *victims; /* pod indexes, most important first */
	uint32_t victim_count;
	uint32_t violations;                        /* of disruption budgets */
	struct text message;                        /* PostFilterMsg */
	struct plugin_call calls[PLUGIN_CALLS_MAX]; /* that plugins ask for when it is parked */
	uint32_t call_count;
};

struct schedule_result {
	enum cycle_outcome outcome;
	uint32_t node;
	struct cycle_state *state;  /* placed: of the plugins, for Reserve */
	const uint32_t *candidates; /* cycle_candidates(): feasible_count nodes, in their order */
	bool is_scored;             /* there was a choice */
	int64_t score;              /* of the node, weighted */
	uint32_t feasible_count;
	uint32_t evaluated_count;
	struct plugin_set took_part[CYCLE_POINTS];
	struct plugin_set rejectors; /* plugins that rejected the pod for some node */
	bool extender_rejected;      /* extenders took nodes away (upstream's "Extender") */
	struct text message;         /* of the FailedScheduling event and the condition */
	const char *failed_filter;   /* failed: the plugin, if it was at Filter */
	struct cycle_preemption preemption;
};

size_t cycle_size(const struct cycle_limits *limits);
void cycle_init(struct cycle *cycle, struct arena *arena, const struct cycle_limits *limits,
	struct cache *cache, const struct plugin_profile *profiles, uint32_t profile_count);

void cycle_print(const struct cycle *cycle); /* its part of a panic report */

/* The profile of the pod's schedulerName, or NULL: another scheduler's pod. */
const struct plugin_profile *cycle_profile_of(const struct cycle *cycle, uint32_t pod);

/*
 * Decides about a pending pod. What the answer points to is good until the next call. Node-local
 * rules come from the remembered rows, counts from counters (fast), or all is worked out again
 * (recount): both give the same answer.
 */
void cycle_decide(struct cycle *cycle, uint32_t pod, enum cache_count_mode way,
	struct schedule_result *decision);

/*
 * The same up to where extenders have their say: placed with the candidates that are left for
 * them, of which none is chosen yet. `nominated`: a nominated node that will do is the only one.
 */
void cycle_candidates(
	struct cycle *cycle, uint32_t pod, bool nominated, struct schedule_result *decision);
/*
 * The decision after extenders had their say: of the nodes that they kept those that fit now, with
 * their points. Placed, rejected or failed as any other; stale when what they kept was taken
 * meanwhile, or when there are nodes now that they were not asked about.
 */
void cycle_decide_extended(struct cycle *cycle, uint32_t pod,
	const struct cycle_extension *extension, struct schedule_result *decision);

/* The caller took the decision: ties go to the node that was chosen longest ago. */
void cycle_chosen(struct cycle *cycle, uint32_t node);

/*
 * Where the pod would go now, without evicting others: placed, rejected or failed. A rejection has
 * its words when they are wanted, which costs as much as an explanation.
 */
void cycle_place(
	struct cycle *cycle, uint32_t pod, bool wants_words, struct schedule_result *result);
/*
 * The nodes that the pod, or one more like it, could go to now, in no order; good until the next
 * decision. Of a pod with a node the node counts as it is.
 */
const uint32_t *cycle_feasible(struct cycle *cycle, uint32_t pod, uint32_t *count);
/* Does the disruption budget of that namespace count the pod? */
bool cycle_budget_protects(
	const struct cache *cache, const struct kube_pdb *budget, uint32_t namespace, uint32_t pod);

struct cycle_ranked {
	uint32_t node;
	int64_t score;
};
/*
 * Of the decision just made, with scores: the chosen node and the best others, as many as `most`.
 * Returns how many there are.
 */
uint32_t cycle_rank(const struct cycle *cycle, const struct schedule_result *result,
	struct cycle_ranked *to, uint32_t most);

/* Of the same decision: false when the node was not scored. */
bool cycle_score_of(const struct cycle *cycle, uint32_t node, int64_t *score);

/* Everything about the pod, node by node and plugin by plugin, as JSON: keys of tests/vectors. */
void cycle_explain(
	struct cycle *cycle, uint32_t pod, enum cache_count_mode way, struct writer *out);

/*
 * The `most` best nodes for the pod and what each plugin gives them, as a JSON array, first the one
 * that cycle_decide() takes next when it looks at all nodes. Nothing is written when fewer than two
 * will do. Costs as much as an explanation.
 */
void cycle_best(struct cycle *cycle, uint32_t pod, uint32_t most, struct writer *out);

#endif
