/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VolumeBinding: points for free capacity (StorageCapacityScoring), and the arguments, of which
 * the shape is about them.
 */
#ifndef BERTH_PLUGINS_VOLUME_CAPACITY_H
#define BERTH_PLUGINS_VOLUME_CAPACITY_H

#include "plugins/args.h"

/* What the pod's claims of one storage class take of what there is. */
struct volume_capacity {
	uint32_t class; /* string id */
	int64_t requested;
	int64_t capacity;
};

/* The entry of the class, made at the end of the list when there is none. */
struct volume_capacity *volume_capacity_of(
	struct volume_capacity *list, uint32_t *count, uint32_t class);
/* 0..100: the mean of all classes. */
int64_t volume_capacity_score(
	const struct plugin_shape *shape, const struct volume_capacity *list, uint32_t count);

extern const struct plugin_args volume_binding_arguments;

#endif
