/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evaluation of nodes. For cel/ only.
 */
#ifndef BERTH_CEL_EVAL_H
#define BERTH_CEL_EVAL_H

#include "cel/program.h"

/* The value of a node, its cost counted as upstream counts it. */
struct cel_value cel_node_value(struct cel_run *run, int32_t node);
/* cel/loop.c */
struct cel_value cel_loop_value(struct cel_run *run, const struct cel_node *node);

/* Counts; false (and stopped) when that was too much. */
MUST_USE bool cel_charge(struct cel_run *run, uint64_t cost);

#endif
