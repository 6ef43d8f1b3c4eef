/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Audit: what no scheduler may do, looked for in what there is: more asked for on a node than it
 * has, pods on nodes that are not there, two pods on one node that forbid each other by name of
 * host. For the simulator, after whatever has happened.
 */
#ifndef BERTH_TOOLS_APISIM_AUDIT_H
#define BERTH_TOOLS_APISIM_AUDIT_H

#include "apisim/api.h"

enum { AUDIT_WORDS_MAX = 256 };

struct audit {
	uint32_t nodes, pods, pending;
	uint32_t overcommitted;      /* nodes that are asked for more cpu, memory or pods */
	uint32_t lost;               /* pods on nodes that are not there */
	uint32_t too_close;          /* pods beside one that they must not be beside */
	char words[AUDIT_WORDS_MAX]; /* of the first of these; "" when there is none */
};

/* Reads every pod: some 10 us each. Uses the API's scratch. */
void audit(struct apisim *api, struct audit *result);
static inline bool audit_is_clean(const struct audit *result)
{
	return result->overcommitted + result->lost + result->too_close == 0;
}

#endif
