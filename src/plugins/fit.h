/* SPDX-License-Identifier: GPL-2.0-only */
/* NodeResourcesFit: its arguments and its score, which are files of their own. */
#ifndef BERTH_PLUGINS_FIT_H
#define BERTH_PLUGINS_FIT_H

#include "plugins/plugins.h"

/* ---- arguments, as a configuration has them; fit_args.c ---- */

struct fit_ratio_config {         /* requestedToCapacityRatio */
	struct config_list shape; /* struct config_shape_point */
};
struct fit_strategy_config {
	struct text type;
	struct config_list resources;         /* struct config_resource */
	const struct fit_ratio_config *ratio; /* NULL: not given */
};
struct fit_config {
	struct config_list ignored;        /* struct text */
	struct config_list ignored_groups; /* struct text */
	const struct fit_strategy_config *strategy;
};
struct balanced_config {
	struct config_list resources; /* struct config_resource */
};
extern const struct plugin_args fit_arguments;
extern const struct plugin_args balanced_arguments;
extern const struct fields fit_resource_form; /* struct config_resource */

/* Its field is resources below `where`, which is "" or ends with a dot. */
void fit_weights_check(
	struct args_report *report, const char *where, const struct config_list *resources);

/* ---- the score ---- */

int64_t fit_score(struct cycle_state *d, uint32_t node);
void fit_scores(struct cycle_state *d, const uint32_t *nodes, uint32_t count, int64_t *scores);

#endif
