/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration, as a plain struct: what the file says, with defaults filled in and
 * validated as kube-scheduler does.
 */
#ifndef BERTH_CONFIG_SCHEDULER_CONFIG_H
#define BERTH_CONFIG_SCHEDULER_CONFIG_H

/* Where plugins can be enabled, in the order in which kube-scheduler sets the points up. */
enum scheduler_point {
	SCHEDULER_PRE_FILTER,
	SCHEDULER_FILTER,
	SCHEDULER_POST_FILTER,
	SCHEDULER_RESERVE,
	SCHEDULER_PRE_SCORE,
	SCHEDULER_SCORE,
	SCHEDULER_PRE_BIND,
	SCHEDULER_BIND,
	SCHEDULER_POST_BIND,
	SCHEDULER_PERMIT,
	SCHEDULER_PRE_ENQUEUE,
	SCHEDULER_QUEUE_SORT,
	SCHEDULER_PLACEMENT_GENERATE,
	SCHEDULER_PLACEMENT_SCORE,
	SCHEDULER_POINTS,
	SCHEDULER_MULTI_POINT = SCHEDULER_POINTS, /* a short way to name several of the above */
	SCHEDULER_PLUGIN_SETS
};

#endif
