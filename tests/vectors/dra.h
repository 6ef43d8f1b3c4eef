/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices: what PreEnqueue says of the pod, and which devices it gets where it fits.
 */
#ifndef BERTH_TESTS_VECTORS_DRA_H
#define BERTH_TESTS_VECTORS_DRA_H

#include "cycle/cycle.h"
#include "json/json.h"

/* expect.preEnqueue, of lines that have devices. */
bool dra_gate_agrees(struct cycle *cycle, uint32_t pod, struct json_value expect, const char *name);
/* expect.allocations on expect.allocatedOn, as Reserve takes them. */
bool dra_agrees(struct cycle *cycle, uint32_t pod, struct json_value expect, const char *name);

#endif
