/* SPDX-License-Identifier: GPL-2.0-only */
/* Arena: a fill mark in one block. */
#include "base/arena.h"

#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/poison.h"

enum { ARENA_ALIGN = 16 };

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
	return arena_advance(arena, size, ARENA_ALIGN);
}

size_t arena_left(const struct arena *arena)
{
	return arena->size - arena->used;
}
