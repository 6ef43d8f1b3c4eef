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

struct page_budget;
struct page_span;

struct arena {
	uint8_t *base;
	size_t size;
	size_t used;
	bool zeroed; /* the block was zero at first: what is taken need not be touched */
	struct page_budget *budget; /* counts what is taken; NULL: not counted */
	size_t fixed;               /* bytes that it has counted */
};

/* Any block; what is taken gets zeroed then. The start is rounded up to 16. */
void arena_init(struct arena *arena, void *block, size_t size);

/* A block that is zero already (memory_reserve): pages cost nothing until their owner writes. */
void arena_init_zeroed(struct arena *arena, void *block, size_t size);

/*
 * A zero block larger than the budget: what is taken is counted, but for the spans, which count
 * their pages as they reach them.
 */
void arena_init_counted(struct arena *arena, void *block, size_t size, struct page_budget *budget);

/* Zeroed, aligned to 16 (or `align`, a power of two). */
void *arena_take(struct arena *arena, size_t size);
void *arena_take_aligned(struct arena *arena, size_t size, size_t align);

/* As it is, for owners that write before they read: neither zeroed nor touched. Aligned to 16. */
void *arena_take_raw(struct arena *arena, size_t size);
size_t arena_left(const struct arena *arena);

/*
 * Address space for what grows; a small one, or one of an arena that is not counted, is there as a
 * whole. At most arena_span_size(size) bytes of the arena.
 */
void arena_take_span(struct arena *arena, struct page_span *span, size_t size);
size_t arena_span_size(size_t size);

#define ARENA_ARRAY(arena, type, count) \
	((type *)arena_take((arena), sizeof(type) * (size_t)(count)))

#endif
