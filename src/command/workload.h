/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads: what people write are Deployments and the like; their pods are what is scheduled. An
 * object that no server has seen yet (it has no uid) becomes the pods that its controller would
 * make, less those that run for it already. Claims of StatefulSets are made, priority classes are
 * looked up. All of that is done when everything has been read, in any order.
 */
#ifndef BERTH_COMMAND_WORKLOAD_H
#define BERTH_COMMAND_WORKLOAD_H

#include "command/dump_private.h"

/* A piece of this kind has its turn at the end. */
bool workload_is_one(struct text kind, struct json_value object);
void workload_keep(struct source *s, struct text kind, struct text piece);
/* Everything was read. */
void workload_expand(struct dump *d);
/* Texts of the workloads are gone. */
void workload_close(struct dump *d);

#endif
