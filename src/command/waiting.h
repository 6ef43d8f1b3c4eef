/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pods of a dump that wait for a node, in the order in which a scheduler takes them up.
 */
#ifndef BERTH_COMMAND_WAITING_H
#define BERTH_COMMAND_WAITING_H

#include <stdint.h>

#include "command/offline.h"

struct waiting {
	int64_t created_us;
	uint32_t pod;
	uint32_t order;
	int32_t priority;
};

/*
 * Highest priority first, then the oldest, then as they stand in the dump. The list has room for
 * all pending pods of the picture.
 */
uint32_t waiting_collect(const struct offline *o, struct waiting *list);

#endif
