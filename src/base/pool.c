/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool: free slots are chained through their own first bytes, starting with the one given back
 * last; when there is none the next fresh slot is used. So neither init nor an idle pool touches
 * slots, and a slot costs one bit beside itself.
 */
#include "base/pool.h"

#include <string.h>

#include "base/poison.h"

enum { POOL_ALIGN = 16 };

struct pool_link {
	uint32_t next;
} __attribute__((may_alias));

static size_t pool_slot_rounded(size_t slot_size)
{
	size_t unit = sizeof(struct pool_link);
	CHECK(slot_size > 0);
	CHECK(slot_size <= SIZE_MAX - unit);
	return (slot_size + unit - 1) / unit * unit;
}

static size_t pool_slots_size(size_t slot_size, uint32_t capacity)
{
	size_t rounded = pool_slot_rounded(slot_size);
	CHECK(capacity > 0);
	CHECK(capacity < UINT32_MAX - 32);
	CHECK(rounded <= (SIZE_MAX / 2) / capacity);
	return (rounded * capacity + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
}

static size_t pool_bits_size(uint32_t capacity)
{
	size_t bytes = ((size_t)capacity / 32 + 1) * sizeof(uint32_t);
	return (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
}

size_t pool_size(size_t slot_size, uint32_t capacity)
{
	return pool_slots_size(slot_size, capacity) + pool_bits_size(capacity);
}

void pool_init(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity)
{
	size_t slots_size = pool_slots_size(slot_size, capacity);
	pool->slots = arena_take_raw(arena, slots_size);
	pool->taken = arena_take(arena, pool_bits_size(capacity));
	pool->slot_size = pool_slot_rounded(slot_size);
	pool->capacity = capacity;
	pool->free_first = 0;
	pool->fresh = 0;
	budget_register(&pool->budget, name, "count", capacity);
	poison_lay(pool->slots, slots_size);
}

static void *pool_slot(const struct pool *pool, uint32_t index)
{
	return pool->slots + (size_t)(index - 1) * pool->slot_size;
}

static POISON_BLIND uint32_t pool_link(const struct pool *pool, uint32_t index)
{
	return ((struct pool_link *)pool_slot(pool, index))->next;
}

static POISON_BLIND void pool_set_link(const struct pool *pool, uint32_t index, uint32_t next)
{
	((struct pool_link *)pool_slot(pool, index))->next = next;
}

uint32_t pool_take(struct pool *pool)
{
	if (!budget_take(&pool->budget, 1))
		return 0;
	uint32_t index = pool->free_first;
	if (index != 0) {
		CHECK(index <= pool->fresh);
		pool->free_first = pool_link(pool, index);
	} else {
		CHECK(pool->fresh < pool->capacity);
		index = ++pool->fresh;
	}
	CHECK(!pool_is_taken(pool, index));
	pool->taken[index / 32] |= UINT32_C(1) << (index % 32);
	poison_lift(pool_slot(pool, index), pool->slot_size);
	memset(pool_slot(pool, index), 0, pool->slot_size);
	return index;
}

void pool_give(struct pool *pool, uint32_t index)
{
	CHECK(pool_is_taken(pool, index));
	pool->taken[index / 32] &= ~(UINT32_C(1) << (index % 32));
	pool_set_link(pool, index, pool->free_first);
	pool->free_first = index;
	budget_give(&pool->budget, 1);
	poison_lay(pool_slot(pool, index), pool->slot_size);
}

void pool_audit(const struct pool *pool)
{
	uint32_t used = 0;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
		used++;
	CHECK(used == pool->budget.used);
	CHECK(pool->fresh <= pool->capacity);
	uint32_t free_count = 0;
	for (uint32_t i = pool->free_first; i != 0; i = pool_link(pool, i)) {
		CHECK(i <= pool->fresh);
		CHECK(!pool_is_taken(pool, i));
		CHECK(free_count < pool->fresh);
		free_count++;
	}
	CHECK(used + free_count == pool->fresh);
}
