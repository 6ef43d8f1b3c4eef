/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads: what people write are Deployments and the like; their pods are what is scheduled. An
 * object that no server has seen yet (it has no uid) becomes the pods that its controller would
 * make, less those that run for it already. Claims of StatefulSets are made, priority classes are
 * looked up. All of that is done when everything has been read, in any order.
 *
 * Pods that run of another template are replaced, as far as a scheduler can see that (another image
 * is another template, another variable is not). What a Deployment's controller does, a rolling
 * update with maxSurge and maxUnavailable, is done while the new ones are placed. Pods of others
 * are taken away first: theirs wait for the old one to be gone.
 */
#ifndef BERTH_COMMAND_WORKLOAD_H
#define BERTH_COMMAND_WORKLOAD_H

#include "command/dump_private.h"

/* A piece of this kind has its turn at the end. `asked`: even if a server has seen it. */
bool workload_is_one(struct text kind, struct json_value object, bool asked);
void workload_keep(struct source *s, struct text kind, struct text piece);
/* Everything was read. */
void workload_expand(struct dump *d);
/* Address space for dump.kept; false: the system has none. */
bool workload_open(struct dump *d);
/* Texts of the workloads are gone. */
void workload_close(struct dump *d);

#endif
