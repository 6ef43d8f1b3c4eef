/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool: a fixed number of slots of one size, named by index. Index 0 is never given out, so 0
 * means "none" wherever an index is stored. Freed slots are reused last-in first-out.
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

struct pool {
	uint8_t *slots;  /* the first is slot 1; a free one begins with the index of the next */
	uint32_t *taken; /* one bit per index */
	size_t slot_size;
	uint32_t capacity; /* usable slots are 1..capacity */
	uint32_t free_first;
	uint32_t fresh; /* slots above this one were never used and cost no memory yet */
	struct budget budget;
};

void pool_init(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity);

/* Bytes that pool_init() takes from the arena. */
size_t pool_size(size_t slot_size, uint32_t capacity);

/* Zeroed slot, or 0 (counted as refused) when the pool is full. */
MUST_USE uint32_t pool_take(struct pool *pool);
void pool_give(struct pool *pool, uint32_t index);

void pool_audit(const struct pool *pool); /* CHECKs free list and bits; for tests */

static inline uint32_t pool_used(const struct pool *pool)
{
	return (uint32_t)pool->budget.used;
}
static inline bool pool_is_taken(const struct pool *pool, uint32_t index)
{
	return index - 1 < pool->fresh && (pool->taken[index / 32] >> (index % 32) & 1) != 0;
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
	return pool->fresh;
}

/*
 * Walking: the next index in use after `after`, 0 at the end. The slot just visited may be given
 * back; slots taken meanwhile are visited or not.
 *
 *	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
 */
static inline uint32_t pool_next(const struct pool *pool, uint32_t after)
{
	for (uint32_t i = after + 1; i <= pool->fresh; i = (i / 32 + 1) * 32) {
		uint32_t bits = pool->taken[i / 32] >> (i % 32);
		if (bits != 0)
			return i + (uint32_t)__builtin_ctz(bits);
	}
	return 0;
}

#endif
