/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assumed volumes: what a PersistentVolume or a claim will be once our writes have arrived, for
 * decisions that come before that.
 *
 * What kube-scheduler does: an assumed copy stands in for an object as long as the object has the
 * version that the copy was made of. Whatever the watch shows of it next ends the assumption.
 * What we do: the same. Several pods may assume the same of an object (they share a claim); it
 * ends with the last of them, or with the object's next version.
 */
#ifndef BERTH_CACHE_ASSUMED_H
#define BERTH_CACHE_ASSUMED_H

#include <stdint.h>

#include "cache/cache.h"

enum {
	/*
	 * An object has at most one, so there are as many as objects; but its number in the object
	 * has 16 bits. Beyond that a pod with claims is tried again after a while, and its
	 * condition says why: others have to be in PreBind with 65,534 claims and volumes then.
	 */
	CACHE_ASSUMED_MAX = UINT16_MAX - 1,
	CACHE_ASSUMED_IDS = 3
};

struct cache_assumed {
	const struct kube_blob *blob; /* the object as it will be */
	uint32_t handle;              /* in the store */
	uint32_t object;
	uint32_t holders;
	uint32_t ids[CACHE_ASSUMED_IDS]; /* strings that the copy names and the object does not */
};

/*
 * The volume is bound to the claim; the claim was given to the node. Both are object indexes,
 * node_name is a string id. CACHE_FULL: nothing was changed. CACHE_CONFLICT: something else is
 * assumed of it.
 */
MUST_USE enum cache_result cache_assume_volume(struct cache *cache, uint32_t pv, uint32_t claim);
MUST_USE enum cache_result cache_assume_provision(
	struct cache *cache, uint32_t claim, uint32_t node_name);

/*
 * One holder less of what was assumed when the object had this version. Harmless when that ended
 * already, or the object is another one by now.
 */
void cache_forget_assumed(struct cache *cache, uint32_t object, uint64_t version);

/* The facts of an object, with what is assumed about it. */
const void *cache_assumed_blob(const struct cache *cache, uint32_t object);

#endif
