/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules, private: what its files share. A rule is compiled once (rules_args.c) and asked about a
 * pod and a node, which it sees in place (rules_view.c).
 */
#ifndef BERTH_PLUGINS_RULES_H
#define BERTH_PLUGINS_RULES_H

#include "cel/cel.h"
#include "plugins/plugins.h"

enum {
	RULES_MAX = 32,
	RULES_NAME_MAX = 63,
	RULES_MESSAGE_MAX = 256,
	RULES_SOURCE_MAX = 4096,
	RULES_WEIGHT_MAX = 100,
	RULES_WEIGHTS_MAX = 600, /* of all rules: sums of scores stay below 65,535 */
	RULES_SCORE_MAX = 100,
	RULES_NODES_FULL = 1024 /* more nodes than these share what they may cost */
};

/* What rules read, besides the node itself and what pods of one kind have in common. */
enum rules_reads {
	RULES_READ_PODS = 1, /* those that are on the node */
	RULES_READ_NOW = 2,
	RULES_READ_LABELS = 4,  /* what the pod's labels stand for */
	RULES_READ_TEMPLATE = 8 /* parts of the template that other local plugins do not look at */
};

struct rule {
	struct text name;
	struct text message;              /* empty: none */
	const struct cel_program *filter; /* NULL: none */
	const struct cel_program *score;  /* NULL: none */
	int32_t weight;
	uint32_t reads; /* of the filter: enum rules_reads bits */
};

struct rules_args {
	const struct rule *rules;
	uint32_t count;
	uint32_t reads; /* enum rules_reads bits of all */
	bool has_filters;
	bool has_scores;
	int64_t cost_max;
	int64_t refresh_us;
};

extern const struct plugin_args rules_arguments;

/* What the filters of one pod may cost on one node of so many, and what the scores may. */
uint64_t rules_cost_max(int64_t cost_max, uint32_t nodes);

/* ---- rules_view.c ---- */

enum rules_variable { RULES_POD, RULES_NODE, RULES_NOW, RULES_VARIABLES };

/* Everything that is declared; without now when it is not refreshed. */
extern const struct cel_declarations rules_declarations[2];

/* The bits of the field, or UINT32_MAX when there is none such. */
uint32_t rules_field_reads(enum rules_variable variable, struct text field);
/* Must the field be read by keys that stand in the rule? */
bool rules_field_is_keyed(enum rules_variable variable, struct text field);

struct rules_tally;

/* What one evaluation looks at. */
struct rules_view {
	struct cache *cache;
	const struct plugin_pod *pod;
	const struct cache_view *node;
	struct scratch *scratch;
	struct rules_tally *tallies; /* counts that were asked for */
	uint32_t steps;              /* that counting may still take */
};

void rules_view_init(struct rules_view *view, int64_t now_us, struct cel_value *variables);

#endif
