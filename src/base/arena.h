/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arena: what lives as long as the process. Memory is taken while MEMORY_SETUP lasts and never
 * given back. Too small an arena is a sizing bug (CHECK), not something that happens at run time.
 *
 * Under AddressSanitizer what lives in an arena (pools, stores, scratch) poisons what is not in
 * use; arena_init() on the same block lifts that, so call it before touching a block again.
 */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
	uint8_t *base;
	size_t size;
	size_t used;
	bool zeroed; /* the block was zero at first: what is taken need not be touched */
};

/* Any block; what is taken gets zeroed then. The start is rounded up to 16. */
void arena_init(struct arena *arena, void *block, size_t size);

/* A block that is zero already (memory_reserve): pages cost nothing until their owner writes. */
void arena_init_zeroed(struct arena *arena, void *block, size_t size);

/* Zeroed, aligned to 16 (or `align`, a power of two). */
void *arena_take(struct arena *arena, size_t size);
void *arena_take_aligned(struct arena *arena, size_t size, size_t align);

/* As it is, for owners that write before they read: neither zeroed nor touched. Aligned to 16. */
void *arena_take_raw(struct arena *arena, size_t size);
size_t arena_left(const struct arena *arena);

#define ARENA_ARRAY(arena, type, count) \
	((type *)arena_take((arena), sizeof(type) * (size_t)(count)))

#endif
