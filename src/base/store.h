/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Store: blocks of any size from one fixed region, named by 32-bit handles; constant time to
 * take and to give, neighbours merge (two-level segregated fit). It carries what has no fixed
 * size: strings, label sets, pod classes, and the fenced heaps of libraries. Handle 0 is
 * never given out. Blocks do not move; a pointer stays good until the block is given back.
 */
#ifndef BERTH_BASE_STORE_H
#define BERTH_BASE_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/check.h"
#include "base/pages.h"

enum {
	STORE_UNIT = 8, /* blocks are multiples of this; a handle counts units */
	STORE_CLASSES = 32,
	STORE_STEPS = 16
};

struct store {
	uint8_t *base;
	uint32_t units;
	uint32_t class_bitmap;
	uint32_t step_bitmap[STORE_CLASSES];
	uint32_t free_first[STORE_CLASSES][STORE_STEPS];
	struct page_range range;
	struct budget budget; /* in bytes, block headers included */
};

/*
 * `block` is aligned to 8, and so is every payload. Sizes up to 16 GiB are possible, less than
 * 1 KiB is a CHECK. Only the first page is touched. In use a block costs 8 bytes more than its
 * size rounded up to 8.
 */
void store_init(struct store *store, const char *name, void *block, size_t size);
/* In address space of the arena: in one that counts, only pages with blocks in them do. */
void store_init_for(struct store *store, struct arena *arena, const char *name, size_t size);
size_t store_arena_size(size_t size);

/* 0 (counted as refused) when nothing fits. The memory is not zeroed. Size 0 takes one unit. */
MUST_USE uint32_t store_take(struct store *store, size_t size);
MUST_USE uint32_t store_take_aligned(struct store *store, size_t size, size_t align);
void store_give(struct store *store, uint32_t handle);

/* Bytes usable behind the handle (at least what was asked for). */
size_t store_size(const struct store *store, uint32_t handle);

static inline void *store_at(const struct store *store, uint32_t handle)
{
	CHECK(handle != 0 && handle < store->units);
	return store->base + (size_t)handle * STORE_UNIT;
}
uint32_t store_handle(const struct store *store, const void *pointer);

/* Walks all blocks and CHECKs the structure; for tests. Returns the number of blocks in use. */
uint32_t store_audit(const struct store *store);

#endif
