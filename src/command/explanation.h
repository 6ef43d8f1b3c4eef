/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An explanation (the JSON of cycle_explain()) as a table for people.
 */
#ifndef BERTH_COMMAND_EXPLANATION_H
#define BERTH_COMMAND_EXPLANATION_H

#include "base/scratch.h"
#include "command/output.h"

/*
 * A row for each node that was looked at: the feasible ones by score, then the others by name.
 * The JSON is canonical and is changed. False: scratch did not suffice, the table is not whole.
 */
MUST_USE bool explanation_print(struct text json, struct scratch *scratch, struct output *out);
/* ": goes to NODE.", or why it goes nowhere: what stands above the table, behind the pod's name. */
MUST_USE bool explanation_print_outcome(
	struct text json, struct scratch *scratch, struct output *out);

#endif
