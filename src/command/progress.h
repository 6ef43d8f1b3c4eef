/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress: one line of a terminal that says how far it is, a few times a second.
 */
#ifndef BERTH_COMMAND_PROGRESS_H
#define BERTH_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "command/output.h"

enum { PROGRESS_EVERY_US = 200 * 1000 };

struct progress {
	struct output *to;
	struct clock clock;
	struct mono due;
	bool wanted; /* false: nothing is ever shown */
	bool shown;
};

void progress_init(struct progress *p, struct output *to, struct clock clock, bool wanted);
/* "berth: reading nodes.json: 45 %"; total 0: unknown. Cheap when it is not due. */
void progress_tell(
	struct progress *p, const char *what, const char *name, uint64_t done, uint64_t total);
void progress_clear(struct progress *p); /* before anything else goes to the terminal */

#endif
