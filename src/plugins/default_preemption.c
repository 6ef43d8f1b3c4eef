/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DefaultPreemption: pods of lower priority make way. The search is in the cycle, which can run
 * the filters of a profile on a node with pods taken off; see cycle/preemption.c.
 */
#include "plugins/hints.h"

const struct plugin plugin_default_preemption = {.name = "DefaultPreemption",
	.defaults = PLUGIN_IN_ALL,
	.in_every_policy = true,
	.points = PLUGIN_AT(PRE_ENQUEUE) | PLUGIN_AT(POST_FILTER),
	.events = PLUGIN_EVENTS({KUBE_POD, CACHE_DELETE, hint_never})};
