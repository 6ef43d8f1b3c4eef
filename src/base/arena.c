/* SPDX-License-Identifier: GPL-2.0-only */
/* Arena: a fill mark in one block. */
#include "base/arena.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/poison.h"

enum {
	ARENA_ALIGN = 16,
	ARENA_SPAN_MIN = 32 * 1024 /* less is not worth a page of its own */
};

static void arena_start(struct arena *arena, void *block, size_t size, bool zeroed)
{
	CHECK(block != NULL);
	size_t skip = -(uintptr_t)block % ARENA_ALIGN;
	CHECK(size >= skip);
	*arena = (struct arena){
		.base = (uint8_t *)block + skip,
		.size = size - skip,
		.zeroed = zeroed,
	};
	poison_lift(block, size);
}

void arena_init(struct arena *arena, void *block, size_t size)
{
	arena_start(arena, block, size, false);
}

void arena_init_zeroed(struct arena *arena, void *block, size_t size)
{
	arena_start(arena, block, size, true);
}

void arena_init_counted(struct arena *arena, void *block, size_t size, struct page_budget *budget)
{
	CHECK(budget != NULL);
	arena_start(arena, block, size, true);
	arena->budget = budget;
}

/* Rounded up to pages once, not with each take. */
static void arena_count(struct arena *arena, size_t size)
{
	if (arena->budget == NULL)
		return;
	size_t before = page_budget_round(arena->budget, arena->fixed);
	arena->fixed += size;
	page_budget_take_fixed(
		arena->budget, page_budget_round(arena->budget, arena->fixed) - before);
}

static void *arena_advance(struct arena *arena, size_t size, size_t align)
{
	CHECK(memory_phase() == MEMORY_SETUP);
	size_t skip = -(uintptr_t)(arena->base + arena->used) % align;
	size_t left = arena->size - arena->used;
	CHECK(skip <= left);
	CHECK(size <= left - skip);
	void *taken = arena->base + arena->used + skip;
	arena->used += skip + size;
	return taken;
}

void *arena_take_aligned(struct arena *arena, size_t size, size_t align)
{
	CHECK(align != 0);
	CHECK((align & (align - 1)) == 0);
	void *taken = arena_advance(arena, size, align < ARENA_ALIGN ? ARENA_ALIGN : align);
	arena_count(arena, size);
	if (!arena->zeroed)
		memset(taken, 0, size);
	return taken;
}

void *arena_take(struct arena *arena, size_t size)
{
	return arena_take_aligned(arena, size, ARENA_ALIGN);
}

void *arena_take_raw(struct arena *arena, size_t size)
{
	arena_count(arena, size);
	return arena_advance(arena, size, ARENA_ALIGN);
}

size_t arena_span_size(size_t size)
{
	size = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	return size < ARENA_SPAN_MIN ? size + ARENA_ALIGN : size + 2 * memory_page_size();
}

void arena_take_span(struct arena *arena, struct page_span *span, size_t size)
{
	struct page_budget *budget = size < ARENA_SPAN_MIN ? NULL : arena->budget;
	if (budget == NULL) {
		page_span_init(span, NULL, arena_take(arena, size), size);
		return;
	}
	size = page_budget_round(budget, size);
	page_span_init(span, budget, arena_advance(arena, size, budget->page_size), size);
}

size_t arena_left(const struct arena *arena)
{
	return arena->size - arena->used;
}
