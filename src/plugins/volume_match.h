/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to VolumeBinding: what a claim could be served by - volumes waiting to be bound, or
 * capacity to make new ones - and which of it a node can reach.
 *
 * Storage is local more often than not: of ten thousand volumes a node reaches two. So options
 * that ask for one value of one node label are sorted by it, and a node looks only at those that
 * ask for its own values, and at those that cannot be sorted so.
 */
#ifndef BERTH_PLUGINS_VOLUME_MATCH_H
#define BERTH_PLUGINS_VOLUME_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/scratch.h"
#include "cache/cache.h"
#include "kube/volume.h"

struct volume_option {
	uint32_t key; /* the node label it asks for; 0: any node is worth a look */
	uint32_t value;
	int64_t size;   /* the smallest is taken first ... */
	uint32_t order; /* ... and of equals the first */
	uint32_t object;
	const void *blob; /* struct kube_pv or struct kube_csi_capacity */
};

struct volume_option_group { /* the options that ask for the same key */
	uint32_t key;
	uint32_t first;
	uint32_t count;
};

struct volume_options {
	struct volume_option *list; /* by key, value, size, order */
	uint32_t count;
	struct volume_option_group *groups;
	uint32_t group_count;
};

/* The label that requirements (all must hold) tie to one value, if any; else the key is 0. */
void volume_option_tie(
	const void *blob, struct kube_span requirements, struct volume_option *option);

/* Sorts the list and makes the groups. False when scratch is exhausted. */
MUST_USE bool volume_options_finish(struct volume_options *options, struct scratch *scratch);

/* Does the node get the option? The tied label has been compared already. */
typedef bool volume_option_fn(void *self, const struct volume_option *option);

/*
 * The best option for a node with these labels that fn says yes to, or NULL. Costs a binary search
 * for each key that options ask for, and fn for those that might be the best.
 */
const struct volume_option *volume_options_best(const struct volume_options *options,
	const struct kube_labels *node_labels, volume_option_fn *fn, void *self);

#endif
