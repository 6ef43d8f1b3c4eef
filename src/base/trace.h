/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace: a fixed ring of small records of what the process did last. Costs a few nanoseconds;
 * a panic prints the ring, the simulator compares it between replays.
 */
#ifndef BERTH_BASE_TRACE_H
#define BERTH_BASE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

enum { TRACE_RECORDS = 256, TRACE_PRINTED = 64 };

struct trace_record {
	int64_t us;       /* monotonic */
	const char *what; /* a string constant: "cycle bound" */
	uint32_t a;       /* two numbers whose meaning `what` tells: pod index, node index */
	uint32_t b;
};

void trace_now(struct mono now); /* set once a turn; records carry it */
void trace(const char *what, uint32_t a, uint32_t b);
void trace_reset(void);
uint64_t trace_count(void);
/* 0 is the newest; false when there is no such record (any more). */
bool trace_get(uint32_t back, struct trace_record *record);
void trace_print(void); /* through check_print(), the last TRACE_PRINTED */

#endif
