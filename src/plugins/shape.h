/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A shape: points for how full something is, in straight lines between a few of them. How
 * configurations have it, and what it is worth.
 */
#ifndef BERTH_PLUGINS_SHAPE_H
#define BERTH_PLUGINS_SHAPE_H

#include "plugins/args.h"

extern const struct fields shape_form; /* struct config_shape_point */

/* Its field is shape below `where`, which is "" or ends with a dot. */
void shape_check(struct args_report *report, const char *where, const struct config_list *list);
void shape_make(const struct config_list *list, struct plugin_shape *shape);

/* 0..100 */
int64_t shape_score(const struct plugin_shape *shape, int64_t utilization);
/* Beyond 92 petabytes the product wraps, and it wraps upstream too. */
int64_t shape_percent(int64_t value, int64_t of);

#endif
