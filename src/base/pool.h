/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool: slots of one size, named by index. Index 0 is never given out, so 0 means "none" wherever
 * an index is stored. The lowest free slot is taken first: what is in use stays together, and the
 * pages behind it go back to the budget that the pool grows in (base/pages.h).
 * Under AddressSanitizer a free slot is poisoned: a pointer kept too long is seen at its use.
 */
#ifndef BERTH_BASE_POOL_H
#define BERTH_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/pages.h"

/* An array by index that grows with its pool: there is an entry for every slot that is taken. */
struct pool_lane {
	struct page_span span;
	size_t unit;
	struct pool_lane *next;
};

struct pool {
	uint8_t *slots;  /* the first is slot 1 */
	uint64_t *taken; /* one bit per index */
	uint64_t *full;  /* one bit per word of `taken`: nothing is free in it */
	size_t slot_size;
	uint32_t capacity;  /* usable slots are 1..capacity */
	uint32_t top;       /* slots above this one are free */
	uint32_t free_from; /* word of `full` below which nothing is free */
	uint32_t reached;   /* the bits and the lanes go as far as this index */
	struct page_range range;
	struct page_span bits;
	struct pool_lane *lanes;
	struct pool_lane along; /* the slots, when there is a leader */
	struct budget budget;
};

void pool_init(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity);

/*
 * The same, but all of its slots are counted from the start: as long as fewer than `capacity` are
 * taken there is one, however full the budget is. For few slots, of what must go on then.
 */
void pool_init_fixed(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity);

/* Bytes that pool_init() takes from the arena at most. */
size_t pool_size(size_t slot_size, uint32_t capacity);

/*
 * Of no more slots than the leader has, whatever is taken when: a slot is there whenever fewer are
 * taken than of the leader. Nothing was taken of that yet.
 */
void pool_init_along(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	struct pool *leader);

/*
 * Zeroed array of one entry per index, 0 included. Above the top entries may become zero; until
 * then they stay as they were.
 */
void *pool_add_lane(struct pool *pool, struct pool_lane *lane, struct arena *arena, size_t unit);
size_t pool_lane_size(size_t unit, uint32_t capacity);

/* Zeroed slot, or 0 (counted as refused) when the pool is full or the budget is reached. */
MUST_USE uint32_t pool_take(struct pool *pool);
void pool_give(struct pool *pool, uint32_t index);

bool pool_has_room(const struct pool *pool); /* pool_take() would find a slot */

void pool_audit(const struct pool *pool); /* CHECKs the bits; for tests */

static inline uint32_t pool_used(const struct pool *pool)
{
	return (uint32_t)pool->budget.used;
}
static inline bool pool_is_taken(const struct pool *pool, uint32_t index)
{
	return index - 1 < pool->top && (pool->taken[index / 64] >> (index % 64) & 1) != 0;
}

/* The slot; CHECKs that it is in use. */
static inline void *pool_at(const struct pool *pool, uint32_t index)
{
	CHECK(pool_is_taken(pool, index));
	return pool->slots + (size_t)(index - 1) * pool->slot_size;
}

/* Indexes in use are in 1..pool_top(). */
static inline uint32_t pool_top(const struct pool *pool)
{
	return pool->top;
}

/*
 * Walking: the next index in use after `after`, 0 at the end. The slot just visited may be given
 * back; slots taken meanwhile are visited or not.
 *
 *	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
 */
static inline uint32_t pool_next(const struct pool *pool, uint32_t after)
{
	for (uint32_t i = after + 1; i <= pool->top; i = (i / 64 + 1) * 64) {
		uint64_t bits = pool->taken[i / 64] >> (i % 64);
		if (bits != 0)
			return i + (uint32_t)__builtin_ctzll(bits);
	}
	return 0;
}

#endif
