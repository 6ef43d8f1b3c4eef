/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cycle, private: one decision being worked out.
 */
#ifndef BERTH_CYCLE_EVALUATION_H
#define BERTH_CYCLE_EVALUATION_H

#include "cycle/cycle.h"

/* A rejection, as words. */
struct cycle_status {
	enum plugin_code code;
	uint8_t plugin; /* PLUGIN_COUNT: no plugin in particular */
	uint32_t reason_count;
	struct text *reasons;
};

struct cycle_nominated { /* a nominated pod that this decision must leave room for */
	uint32_t pod;
	uint32_t node;
};

struct cycle_row;

struct evaluation {
	struct cycle *cycle;
	const struct plugin_timer *timer;        /* NULL: nothing is timed */
	const struct plugin_timer *plugin_timer; /* the same for one pod in ten; else NULL */
	struct cycle_state d;

	const uint32_t *nodes; /* all of them, in order */
	uint32_t node_count;
	const uint32_t *candidates; /* those that prefilter left, in order */
	uint32_t candidate_count;

	struct cycle_nominated *nominated;
	uint32_t nominated_count;

	bool prefilter_rejected;
	struct cycle_status prefilter;
	struct plugin_set named_by; /* plugins that named the only nodes to look at */
	struct cycle_status absent; /* of nodes that were not looked at */

	struct cycle_status *statuses; /* by node index; code SUCCESS: feasible */
	const uint32_t *feasible;
	uint32_t feasible_count;
	struct plugin_set rejectors;
	bool extender_rejected;

	const struct cycle_extension *extension; /* NULL: no extender has a say */

	struct cycle_row *row;         /* the fast way only */
	const struct cycle_row *plain; /* the row that alone decided; NULL: more did */
	int64_t *totals;               /* by position in feasible */
	int64_t *plugin_scores; /* [score plugin position][feasible position], weighted; explain
				   only */
	struct plugin_set scored;
	const char *error;
	const char *failed_filter; /* the plugin that failed there; NULL: none */

	struct cycle_status
		*known; /* statuses met so far: nodes mostly refuse for the same reasons */
	uint32_t known_count;
};

enum { CYCLE_KNOWN_STATUSES = 64, CYCLE_SCORE_MAX = 100 };

/* ---- timing.c ---- */

/* Nothing is done where nothing is timed. `since` is set to now, where the next one starts. */
void evaluation_took_point(const struct evaluation *e, enum plugin_point point,
	enum plugin_code code, struct mono *since);

/* ---- status.c ---- */

/*
 * Keeps a status, giving scratch back to the mark: an equal one that is known is used again. The
 * reasons in `why` may lie behind the mark. False: out of scratch.
 */
bool evaluation_keep_status(struct evaluation *e, struct scratch_mark mark,
	const struct plugin_reasons *why, enum plugin_code code, uint8_t plugin,
	struct cycle_status *status);
/* Sets e->error in upstream's words, from d.error; plugin NULL: our own trouble. Returns false. */
bool evaluation_fail(struct evaluation *e, enum plugin_point point, const char *plugin);

/* ---- evaluate.c ---- */

/* Sets the pod, its nominated neighbours and the node list up. False: out of scratch. */
bool evaluation_begin(
	struct evaluation *e, struct cycle *cycle, uint32_t pod, enum cache_count_mode way);
/* False when an internal error ended it (e->error). */
bool evaluation_prefilter(struct evaluation *e);
/* Every candidate, one by one, with reasons. */
bool evaluation_filter(struct evaluation *e);
/* One filter of the profile on one node. */
enum plugin_code evaluation_run_filter(struct evaluation *e, uint8_t id,
	const struct cache_view *view, struct plugin_reasons *why);
/* Sets d.error: a profile may leave out the point where the plugin works its state out. */
void evaluation_miss_state(struct evaluation *e, const char *point, uint8_t id);
/* One node with nominated pods in two passes (core.md 7). `why` may be NULL. */
enum plugin_code evaluation_filter_node(
	struct evaluation *e, uint32_t node, struct plugin_reasons *why, uint8_t *plugin);

/* ---- score.c ---- */

/* Does the plugin run before scoring, in this profile? */
static inline bool evaluation_has_pre_score(const struct evaluation *e, uint8_t id)
{
	return plugins[id]->pre_score != NULL &&
		plugin_set_has(&e->d.profile->at[PLUGIN_AT_PRE_SCORE].set, id);
}
bool evaluation_prescore(struct evaluation *e);
/* Totals of the feasible nodes; with_detail keeps each plugin's part. */
bool evaluation_score(struct evaluation *e, bool with_detail);
/* Position of the best: among equals the one chosen longest ago, then the first. */
uint32_t evaluation_best(const struct evaluation *e);

/* ---- fast.c ---- */

bool evaluation_can_be_fast(const struct evaluation *e);
bool evaluation_filter_fast(struct evaluation *e);
bool evaluation_score_fast(struct evaluation *e); /* after filter_fast */

/* ---- cycle.c ---- */

/* Up to prefilter; false: that is all there is to decide. */
bool evaluation_prepare(struct evaluation *e, struct cycle *cycle, uint32_t pod,
	enum cache_count_mode way, struct schedule_result *decision);
bool evaluation_try_nominated(struct evaluation *e, uint32_t *node);
/* The feasible nodes, fast when that is possible (then e->row is set). False: an error. */
bool evaluation_search(struct evaluation *e);
/* With a percentage: the first that are feasible from where the last search ended. */
void evaluation_rotate(struct evaluation *e);
/* One of the feasible nodes. */
void evaluation_choose(struct evaluation *e, struct schedule_result *decision);
void evaluation_failed(struct evaluation *e, struct schedule_result *decision);
void evaluation_rejected(struct evaluation *e, struct schedule_result *decision);

/* ---- extended.c ---- */

/* Each node that extenders took away gets their words. */
bool evaluation_take_words(struct evaluation *e);
/* Points of extenders, onto the totals. */
void evaluation_add_words(struct evaluation *e);

/* ---- plain.c ---- */

/* The chosen node, when node-local rules alone decide; 0: they do not, or no node will do. */
uint32_t evaluation_plain(struct evaluation *e, uint32_t *feasible_count, int64_t *score);

/* ---- what_if.c: a node with pods put on or taken off in thought ---- */

struct what_if {
	struct evaluation *e;
	struct cache_view view;
	struct cache_sums sums;
	uint32_t *with;
	uint32_t *without;
	struct kube_host_port *erased;
	uint32_t erased_room;
	uint32_t room; /* of each list */
	uint32_t scalar_room;
};

/* False: out of scratch. Room is for that many pods put on, and as many taken off. */
bool what_if_begin(struct what_if *w, struct evaluation *e, uint32_t node, uint32_t room);
void what_if_add(struct what_if *w, uint32_t pod);
void what_if_unadd(struct what_if *w, uint32_t pod);   /* takes back an add */
void what_if_remove(struct what_if *w, uint32_t pod);  /* a pod of the node */
void what_if_restore(struct what_if *w, uint32_t pod); /* takes back a remove */
void what_if_end(struct what_if *w);                   /* plugins forget what moved */
/* Filters of the view, nominated pods in two passes. */
enum plugin_code what_if_filter(struct what_if *w, struct plugin_reasons *why, uint8_t *plugin);

/* ---- fit_error.c ---- */

/* The text of core.md 10. statuses may be NULL: then every node has `absent`. */
struct text fit_error_text(struct evaluation *e, const struct cycle_status *statuses,
	const struct cycle_status *absent, struct text prefilter_message, struct text post_message);
struct text cycle_status_message(struct evaluation *e, const struct cycle_status *status);

/* ---- preemption.c ---- */

/* PostFilter: DynamicResources' words and DefaultPreemption. */
void evaluation_post_filter(struct evaluation *e, struct cycle_preemption *preemption);

#endif
