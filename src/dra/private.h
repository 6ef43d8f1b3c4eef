/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dra, private: what the files of this folder share with each other only.
 */
#ifndef BERTH_DRA_PRIVATE_H
#define BERTH_DRA_PRIVATE_H

#include "dra/dra.h"
#include "kube/quantity.h"

/* ---- pools.c: what the node can reach ---- */

struct dra_counter {
	uint32_t set;
	uint32_t name;
	struct quantity left; /* what allocations leave, less what this attempt takes */
};

struct dra_pool {
	uint32_t driver;
	uint32_t pool;
	struct dra_slice *slices; /* with devices, by name */
	uint32_t slice_count;
	bool is_incomplete;
	bool is_invalid;
	bool has_conditions;
	struct dra_slice *sets; /* slices with counters */
	uint32_t set_count;
	struct dra_slice *others; /* of the same generation, for other nodes */
	uint32_t other_count;
	struct dra_counter *counters; /* NULL: not asked for yet */
	uint32_t counter_count;
};

struct dra_pools {
	struct dra_pool *list;
	uint32_t count;
};

MUST_USE bool dra_pools_gather(
	struct dra_run *run, const struct cache_node *node, struct dra_pools *pools);

/* ---- select.c ---- */

/* Do the selectors of the class and of the ask take the device? DRA_ERROR with run->error. */
enum dra_verdict dra_selects(struct dra_run *run, const struct dra_claim *claim,
	const struct dra_ask *ask, const struct dra_slice *slice, uint32_t device);

/* ---- memory.c ---- */

struct dra_memory;
size_t dra_memory_size(uint32_t nodes);
struct dra_memory *dra_memory_make(struct arena *arena, struct cache *cache, uint32_t nodes);
struct dra_seen *dra_memory_row(struct dra_memory *memory, const struct dra_shape *shape);

/* ---- amounts.c ---- */

/* Whether anybody has the device as a whole (*given) or a share of it (*shared). */
void dra_look_given(const struct dra_run *run, const struct kube_slice *slice, uint32_t device,
	bool *given, bool *shared);
/*
 * Does what is asked for fit into the device, besides what `taken` (by capacity; NULL: nothing)
 * of it is taken? DRA_NONE: it does not.
 */
enum dra_verdict dra_capacity_fits(struct dra_run *run, const struct dra_claim *claim,
	const struct dra_ask *ask, const struct kube_slice *slice, const struct kube_device *device,
	const struct quantity *taken, struct quantity *consumed);
/* What claims have of the device's capacities, added to `taken`. */
void dra_capacity_taken(const struct dra_run *run, const struct kube_slice *slice,
	const struct kube_device *device, struct quantity *taken);
/* The pool's counters are worked out, once per node; they stay in scratch. False: no room. */
MUST_USE bool dra_counters_ready(struct dra_run *run, struct dra_pool *pool);
/* False: the counters do not suffice, and nothing was taken. */
bool dra_counters_take(struct dra_run *run, struct dra_pool *pool, const struct kube_slice *slice,
	const struct kube_device *device);
void dra_counters_give(const struct dra_run *run, struct dra_pool *pool,
	const struct kube_slice *slice, const struct kube_device *device);

/* ---- dra.c ---- */

/* Sets run->error; DRA_ERROR. */
enum dra_verdict dra_fail(struct dra_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
static inline struct text dra_text(const struct dra_run *run, uint32_t id)
{
	return cache_text(run->cache, id);
}
static inline bool dra_step(struct dra_run *run, int64_t steps)
{
	run->steps -= steps;
	return run->steps >= 0;
}
/* For printf: driver/pool/device */
#define DRA_DEVICE "%.*s/%.*s/%.*s"
#define DRA_DEVICE_ARGS(run, slice, device)                                                     \
	TEXT_ARGS(dra_text((run), (slice)->driver)), TEXT_ARGS(dra_text((run), (slice)->pool)), \
		TEXT_ARGS(dra_text((run), (device)->name))

/* The attribute by its full name; NULL: the device has none. */
const struct kube_attribute *dra_attribute(const struct dra_run *run,
	const struct kube_slice *slice, const struct kube_device *device, struct text name);

#endif
