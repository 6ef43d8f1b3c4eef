/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PodTopologySpread, private: constraints as they apply to one pod.
 */
#ifndef BERTH_PLUGINS_SPREAD_STATE_H
#define BERTH_PLUGINS_SPREAD_STATE_H

#include "plugins/plugins.h"

/* ---- arguments, as a configuration has them; spread_args.c ---- */

struct spread_constraint_config {
	int32_t max_skew;
	struct text topology_key;
	struct text when_unsatisfiable;
	struct config_optional min_domains;
	struct text affinity_policy;         /* "Honor" unless given */
	struct text taints_policy;           /* "Ignore" unless given */
	struct config_list match_label_keys; /* struct text; without effect */
};
struct spread_config {
	struct text defaulting_type;
	struct config_list constraints; /* struct spread_constraint_config */
};
extern const struct plugin_args spread_arguments;

/* ---- constraints ---- */

struct spread_constraint {
	struct kube_spread rule;   /* its selector is not used: the query's is */
	struct cache_query *query; /* selects the pods and includes the nodes; in scratch */
	struct cache_tally tally;
	/* for spread_kin() */
	bool first_service; /* those of the first Service alone are meant */
	bool with_deleting; /* those that are being deleted count too */

	bool selects_all; /* an empty selector: counts nothing, but the pod itself matches */
	bool self;        /* the pod matches its own selector */

	/* hard: the two smallest counts, so that one domain may change in thought */
	int32_t smallest;
	int32_t second;
	uint32_t smallest_domain;
	uint32_t domain_count;
	int32_t moved; /* pods put on (+) or taken off (-) the one node changed in thought */

	/* soft */
	double weight;
};

struct spread_state {
	struct spread_constraint *constraints;
	uint32_t count;
	uint32_t moved_node;
	bool require_all;   /* nodes that lack one of the keys do not take part */
	bool all_have_keys; /* soft: every node has all of them */
	uint8_t *ignored;   /* soft: by position in d->feasible; NULL: none */
};

/*
 * The constraints of one hardness that apply to the pod: its own, or the profile's defaults when
 * it has none at all, into a zeroed state. False with d->error set when a selector does not parse
 * or scratch ran out; count 0 when there are none.
 */
MUST_USE bool spread_constraints(struct cycle_state *d, bool hard, struct spread_state *state);

/* The same without counting: each query holds references that the caller drops. */
MUST_USE bool spread_rules(struct cycle_state *d, bool hard, struct spread_state *state);

/*
 * Counts the pods that serve the same purpose as this one: by the value of c->rule.topology_key,
 * by node when that is the host name. No such purpose: c->query stays NULL. False with d->error
 * set when scratch ran out.
 */
bool spread_kin(struct cycle_state *d, struct spread_constraint *c);

/* Does the constraint's selector match (empty selectors match everything)? */
bool spread_selects(const struct spread_constraint *constraint, const struct kube_labels *labels);

/* Kinds that say which other pods serve the same purpose as a waiting one. */
uint32_t spread_kinds_of_kin(const struct plugin_demand *pod);

/* spread_hints.c */
extern const struct plugin_registration spread_events[];
bool spread_helps_beyond_hint(const struct plugin_waiting *w, const struct cache_event *event);

#endif
