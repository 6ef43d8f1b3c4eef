/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pool: a bit per slot says what is in use, a second one per 64 of them where nothing is free. So
 * the lowest free slot is found by looking at one bit for 64 slots, and neither init nor an idle
 * pool touches slots.
 */
#include "base/pool.h"

#include <string.h>

#include "base/memory.h"
#include "base/poison.h"

enum {
	POOL_ALIGN = 16,
	POOL_WORD = 64,
	POOL_UNIT = 4,          /* slots are multiples of this */
	POOL_RANGE_MIN = 32768, /* bytes of slots; a smaller pool is counted as a whole */
	POOL_REACH = 256,       /* lanes reach so many slots further at a time */
	POOL_LANES_OVER = 4096  /* they go back when they are that much too long, and a quarter */
};

static size_t pool_slot_rounded(size_t slot_size)
{
	CHECK(slot_size > 0);
	CHECK(slot_size <= SIZE_MAX - POOL_UNIT);
	return (slot_size + POOL_UNIT - 1) / POOL_UNIT * POOL_UNIT;
}

static size_t pool_slots_size(size_t slot_size, uint32_t capacity)
{
	size_t rounded = pool_slot_rounded(slot_size);
	CHECK(capacity > 0);
	CHECK(capacity < UINT32_MAX - POOL_WORD * POOL_WORD);
	CHECK(rounded <= (SIZE_MAX / 2) / capacity);
	return (rounded * capacity + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
}

/* Bytes with a bit for each of `count` things, the last one included. */
static size_t pool_bits_size(size_t count)
{
	size_t bytes = (count / POOL_WORD + 1) * sizeof(uint64_t);
	return (bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
}

size_t pool_size(size_t slot_size, uint32_t capacity)
{
	size_t slots = pool_slots_size(slot_size, capacity);
	size_t bits = pool_bits_size(capacity);
	size_t pages = slots < POOL_RANGE_MIN
		? 0
		: (page_range_bits_size(memory_page_size(), slots) / POOL_ALIGN + 2) * POOL_ALIGN;
	return arena_span_size(slots + pool_slot_rounded(slot_size)) + arena_span_size(bits) +
		pool_bits_size(capacity / POOL_WORD + 1) + pages;
}

static void pool_start(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity, bool is_fixed)
{
	size_t slots_size = pool_slots_size(slot_size, capacity);
	struct page_span slots;
	*pool = (struct pool){.slot_size = pool_slot_rounded(slot_size), .capacity = capacity};
	pool->full = arena_take(arena, pool_bits_size(capacity / POOL_WORD + 1));
	arena_take_span(arena, &pool->bits, pool_bits_size(capacity));
	if (arena->budget != NULL && slots_size >= POOL_RANGE_MIN && !is_fixed) {
		arena_take_span(arena, &slots, slots_size);
		page_range_init(&pool->range, arena->budget, slots.base, slots.size,
			arena_take(
				arena, page_range_bits_size(arena->budget->page_size, slots.size)));
		pool->slots = slots.base;
	} else {
		pool->slots = arena_take_raw(arena, slots_size);
	}
	pool->taken = (uint64_t *)(void *)pool->bits.base;
	if (pool->bits.budget == NULL)
		pool->reached = capacity;
	budget_register(&pool->budget, name, "count", capacity);
	poison_lay(pool->slots, slots_size);
}

void pool_init(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity)
{
	pool_start(pool, arena, name, slot_size, capacity, false);
}

void pool_init_fixed(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	uint32_t capacity)
{
	pool_start(pool, arena, name, slot_size, capacity, true);
}

void pool_init_along(struct pool *pool, struct arena *arena, const char *name, size_t slot_size,
	struct pool *leader)
{
	uint32_t capacity = leader->capacity;
	*pool = (struct pool){.slot_size = pool_slot_rounded(slot_size), .capacity = capacity};
	pool->full = arena_take(arena, pool_bits_size(capacity / POOL_WORD + 1));
	pool->taken = arena_take(arena, pool_bits_size(capacity));
	pool->slots = pool_add_lane(leader, &pool->along, arena, pool->slot_size);
	pool->reached = capacity;
	budget_register(&pool->budget, name, "count", capacity);
	poison_lay(pool->slots, pool_slots_size(slot_size, capacity));
}

/* ---- lanes ---- */

size_t pool_lane_size(size_t unit, uint32_t capacity)
{
	CHECK(unit <= (SIZE_MAX / 2) / ((size_t)capacity + 1));
	return arena_span_size(((size_t)capacity + 1) * unit);
}

void *pool_add_lane(struct pool *pool, struct pool_lane *lane, struct arena *arena, size_t unit)
{
	CHECK(pool->top == 0 || arena->budget == NULL);
	arena_take_span(arena, &lane->span, ((size_t)pool->capacity + 1) * unit);
	lane->unit = unit;
	if (lane->span.budget != NULL) {
		lane->next = pool->lanes;
		pool->lanes = lane;
		pool->reached = 0;
	}
	return lane->span.base;
}

/* False: the budget is reached. What was reached for nothing is there for the next time. */
static bool pool_reach(struct pool *pool, uint32_t index)
{
	uint32_t to = pool->capacity - index < POOL_REACH ? pool->capacity : index + POOL_REACH;
	if (!page_span_reach(&pool->bits, pool_bits_size(to)))
		return false;
	for (struct pool_lane *lane = pool->lanes; lane != NULL; lane = lane->next)
		if (!page_span_reach(&lane->span, ((size_t)to + 1) * lane->unit))
			return false;
	pool->reached = to;
	return true;
}

static void pool_lower(struct pool *pool)
{
	uint32_t word = pool->top / POOL_WORD;
	while (word > 0 && pool->taken[word] == 0)
		word--;
	uint64_t bits = pool->taken[word];
	pool->top = bits == 0 ? 0 : word * POOL_WORD + 63 - (uint32_t)__builtin_clzll(bits);
	if (pool->lanes == NULL || pool->reached - pool->top < POOL_LANES_OVER + pool->top / 4)
		return;
	pool->reached = pool->top + POOL_REACH;
	for (struct pool_lane *lane = pool->lanes; lane != NULL; lane = lane->next)
		page_span_shrink(&lane->span, ((size_t)pool->reached + 1) * lane->unit);
}

/* ---- slots ---- */

static void *pool_slot(const struct pool *pool, uint32_t index)
{
	return pool->slots + (size_t)(index - 1) * pool->slot_size;
}

/* The lowest that is free, which may be above the capacity. */
static uint32_t pool_lowest(const struct pool *pool)
{
	uint32_t at = pool->free_from;
	while (pool->full[at] == UINT64_MAX)
		at++;
	uint32_t word = at * POOL_WORD + (uint32_t)__builtin_ctzll(~pool->full[at]);
	uint32_t lowest = word * POOL_WORD;
	/* A word that nothing was taken of yet may not be there. */
	if (lowest > pool->top)
		return lowest == 0 ? 1 : lowest;
	uint64_t taken = pool->taken[word] | (word == 0); /* there is no slot 0 */
	CHECK(taken != UINT64_MAX);
	return lowest + (uint32_t)__builtin_ctzll(~taken);
}

static void pool_mark_taken(struct pool *pool, uint32_t index)
{
	uint32_t word = index / POOL_WORD;
	pool->taken[word] |= UINT64_C(1) << (index % POOL_WORD);
	pool->free_from = word / POOL_WORD;
	if ((pool->taken[word] | (word == 0)) == UINT64_MAX)
		pool->full[word / POOL_WORD] |= UINT64_C(1) << (word % POOL_WORD);
	if (index > pool->top)
		pool->top = index;
}

/* Nothing is in the pages of this slot that no neighbour is in. */
static void pool_give_pages(struct pool *pool, uint32_t index)
{
	if (pool->range.budget == NULL)
		return;
	size_t page = pool->range.budget->page_size;
	size_t from = (size_t)(index - 1) * pool->slot_size / page * page;
	size_t to = page_budget_round(pool->range.budget, (size_t)index * pool->slot_size);
	uint32_t before = index - 1;
	while ((size_t)before * pool->slot_size > from && !pool_is_taken(pool, before))
		before--;
	uint32_t after = index + 1;
	while ((size_t)(after - 1) * pool->slot_size < to && !pool_is_taken(pool, after))
		after++;
	if (from < (size_t)before * pool->slot_size)
		from = (size_t)before * pool->slot_size;
	if (to > (size_t)(after - 1) * pool->slot_size)
		to = (size_t)(after - 1) * pool->slot_size;
	page_range_empty(&pool->range, from, to);
}

static bool pool_hold(struct pool *pool, uint32_t index)
{
	if (index > pool->capacity || (index > pool->reached && !pool_reach(pool, index)))
		return false;
	if (page_range_hold(&pool->range, (size_t)(index - 1) * pool->slot_size,
		    (size_t)index * pool->slot_size))
		return true;
	pool_give_pages(pool, index);
	return false;
}

bool pool_has_room(const struct pool *pool)
{
	if (pool_used(pool) == pool->capacity)
		return false;
	if (pool->range.budget == NULL)
		return true;
	/* In a page that is there, or in one more; lanes may need one each. */
	uint32_t index = pool_lowest(pool);
	size_t lanes = 1;
	for (const struct pool_lane *lane = pool->lanes; lane != NULL; lane = lane->next)
		lanes++;
	return (index <= pool->top && index <= pool->reached) ||
		page_budget_left(pool->range.budget) >= (lanes + 1) * pool->range.budget->page_size;
}

uint32_t pool_take(struct pool *pool)
{
	uint32_t index = pool_lowest(pool);
	if (!pool_hold(pool, index)) {
		pool->budget.refused++;
		return 0;
	}
	bool fits = budget_take(&pool->budget, 1);
	CHECK(fits);
	CHECK(!pool_is_taken(pool, index));
	pool_mark_taken(pool, index);
	poison_lift(pool_slot(pool, index), pool->slot_size);
	memset(pool_slot(pool, index), 0, pool->slot_size);
	return index;
}

void pool_give(struct pool *pool, uint32_t index)
{
	CHECK(pool_is_taken(pool, index));
	uint32_t word = index / POOL_WORD;
	pool->taken[word] &= ~(UINT64_C(1) << (index % POOL_WORD));
	pool->full[word / POOL_WORD] &= ~(UINT64_C(1) << (word % POOL_WORD));
	if (word / POOL_WORD < pool->free_from)
		pool->free_from = word / POOL_WORD;
	budget_give(&pool->budget, 1);
	poison_lay(pool_slot(pool, index), pool->slot_size);
	if (index == pool->top)
		pool_lower(pool);
	pool_give_pages(pool, index);
}

void pool_audit(const struct pool *pool)
{
	uint32_t used = 0;
	for (uint32_t i = pool_next(pool, 0); i != 0; i = pool_next(pool, i))
		used++;
	CHECK(used == pool->budget.used);
	CHECK(pool->top <= pool->capacity);
	CHECK(pool->top == 0 || pool_is_taken(pool, pool->top));
	for (uint32_t word = 0; word <= pool->top / POOL_WORD && pool->top != 0; word++) {
		bool full = (pool->taken[word] | (word == 0)) == UINT64_MAX;
		uint64_t bits = pool->full[word / POOL_WORD];
		CHECK((bits >> (word % POOL_WORD) & 1) == full);
		CHECK(full || word / POOL_WORD >= pool->free_from);
	}
}
