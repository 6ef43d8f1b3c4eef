/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices: which slices offer devices to which node, and which devices are given to which claim.
 * All of it follows from the slices and claims in the cache, but for allocations that are on their
 * way: they count from the moment of the decision until the apiserver shows the claim with an
 * allocation, or it is known that there will be none. So no device is given twice.
 */
#ifndef BERTH_CACHE_DEVICES_H
#define BERTH_CACHE_DEVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "kube/resource.h"

struct cache;

struct cache_slice {
	uint32_t object;
	uint32_t driver; /* string ids, as in the slice */
	uint32_t pool;
	uint32_t node; /* its name; 0: devices of it can be reached from several nodes */
};

/* A device that a claim has, or a share of it. */
struct cache_given {
	uint32_t driver; /* string ids, as in the allocation */
	uint32_t pool;
	uint32_t device;
	uint32_t object;  /* the claim; 0: it has none yet */
	uint32_t pending; /* on its way: struct cache_pending; 0: as the apiserver says */
	uint32_t result;  /* place in the allocation's results */
	uint32_t next;    /* of the same allocation */
	uint32_t is_shared;
};

/* An allocation that is on its way. */
struct cache_pending {
	const struct kube_allocated *allocated;
	uint64_t serial;    /* never used twice */
	uint32_t handle;    /* of the blob */
	uint32_t object;    /* the claim; 0: it is not there yet */
	uint32_t namespace; /* string ids: its name, and its uid then */
	uint32_t name;
	uint32_t uid;
	uint32_t first;     /* struct cache_given */
	bool is_left;       /* its binding cycle has ended */
	struct mono unless; /* then: shown by now, or it never will be; of 0: not set yet */
};

/* What was sent may still be carried out for so long: a server's own limit, and some more. */
enum { CACHE_PENDING_LEFT_MS = 75 * 1000 };

struct cache_devices {
	struct pool slices;
	struct map slices_by_node; /* hash of the node's name */
	struct map slices_by_pool; /* hash of driver and pool */
	struct pool given;
	struct map given_by_device;
	struct pool pending;
	struct pool_lane first_lane;
	struct pool_lane pending_lane;
	uint32_t *first_of;   /* by object: its slice, or the first that is given to it */
	uint32_t *pending_of; /* by object: its allocation on the way */
	uint64_t generation;  /* one more with each change of the above */
	/*
	 * The generation of the last change that concerned this node alone (its own labels and
	 * amounts are meant, too), and of the last one that concerned more.
	 */
	struct pool_lane changed_lane;
	uint64_t *changed; /* by node */
	uint64_t changed_all;
	uint64_t dropped; /* allocations that were on their way, and will not be */
	uint32_t left;    /* allocations whose binding cycles have ended */
	bool is_scored;   /* a profile's scores count devices: they are part of the node then */
};

/* ---- look-up ---- */

/* Slices for this node alone; 0 as the node's name: the others. 0 ends. */
struct map_walk cache_slices_of_node(const struct cache *cache, uint32_t node);
uint32_t cache_slice_next_of_node(const struct cache *cache, struct map_walk *walk, uint32_t node);
struct map_walk cache_slices_of_pool(const struct cache *cache, uint32_t driver, uint32_t pool);
uint32_t cache_slice_next_of_pool(
	const struct cache *cache, struct map_walk *walk, uint32_t driver, uint32_t pool);
const struct cache_slice *cache_slice_at(const struct cache *cache, uint32_t slice);
const struct kube_slice *cache_slice_facts(const struct cache *cache, uint32_t slice);

/* To whom the device is given, with a device of string ids; 0 ends. */
struct map_walk cache_given_walk(
	const struct cache *cache, uint32_t driver, uint32_t pool, uint32_t device);
uint32_t cache_given_next(const struct cache *cache, struct map_walk *walk, uint32_t driver,
	uint32_t pool, uint32_t device);
const struct cache_given *cache_given_at(const struct cache *cache, uint32_t given);
/* The result of the allocation, and the blob it lives in. */
const struct kube_device_result *cache_given_result(
	const struct cache *cache, const struct cache_given *given, const void **blob);

/* What was worked out about the node's devices at that generation is still so. */
static inline bool cache_devices_are_as(
	const struct cache_devices *devices, uint32_t node, uint64_t generation)
{
	return devices->changed[node] <= generation && devices->changed_all <= generation;
}

/* The claim as the apiserver shows it; NULL: the object is no claim. */
const struct kube_claim *cache_claim_at(const struct cache *cache, uint32_t object);
/* 0: no allocation of the claim is on its way. */
uint32_t cache_pending_of(const struct cache *cache, uint32_t claim);
const struct cache_pending *cache_pending_at(const struct cache *cache, uint32_t pending);
/* The same while it is the one of that serial; NULL: it ended. */
const struct cache_pending *cache_pending_find(
	const struct cache *cache, uint32_t pending, uint64_t serial);

/* ---- our own decisions ---- */

/*
 * The claim (0: one of that name, which is not there yet) gets what `allocated` says, whose
 * references are consumed. 0: no room, or something is on its way for it already.
 */
MUST_USE uint32_t cache_pending_add(struct cache *cache, uint32_t claim, uint32_t namespace,
	uint32_t name, const struct kube_allocated *allocated);
/* It will not be. Harmless when it ended already by what the apiserver showed. */
void cache_pending_drop(struct cache *cache, uint32_t pending, uint64_t serial);
/*
 * It was written, or may have been, and nothing more is done for it: it counts until the apiserver
 * shows it, or has had CACHE_PENDING_LEFT_MS to and did not. Harmless as above.
 */
void cache_pending_leave(struct cache *cache, uint32_t pending, uint64_t serial);
/* `caught_up`: when claims were last listed, or shown up to a bookmark. */
void cache_pending_expire(struct cache *cache, struct mono now, struct mono caught_up);

#endif
