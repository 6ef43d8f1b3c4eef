/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PrioritySort: the more important pod first, then the one that came first. The queue keeps that
 * order itself, and a profile cannot have another one.
 */
#include "plugins/plugins.h"

const struct plugin plugin_priority_sort = {.name = "PrioritySort",
	.defaults = PLUGIN_IN_ALL,
	.in_every_policy = true,
	.points = PLUGIN_AT(QUEUE_SORT)};
