/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heap: a priority queue of indexes, the smallest first by the owner's order. Owners keep the
 * position the heap tells them, so that any entry can be removed or moved in log(n).
 */
#ifndef BERTH_BASE_HEAP_H
#define BERTH_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/pool.h"

struct heap {
	uint32_t *entries;
	uint32_t count;
	uint32_t capacity;
	bool (*before)(const void *self, uint32_t a, uint32_t b);
	void (*moved)(void *self, uint32_t entry, uint32_t position); /* HEAP_OUT when it left */
	void *self;
	struct pool_lane lane;
};

#define HEAP_OUT UINT32_MAX

/* `moved` may be NULL when the owner never removes or changes entries in the middle. */
void heap_init(struct heap *heap, struct arena *arena, uint32_t capacity,
	bool (*before)(const void *self, uint32_t a, uint32_t b),
	void (*moved)(void *self, uint32_t entry, uint32_t position), void *self);
/* Of slots of the pool, in which nothing was taken yet: has room for all that are taken. */
void heap_init_for(struct heap *heap, struct arena *arena, struct pool *pool,
	bool (*before)(const void *self, uint32_t a, uint32_t b),
	void (*moved)(void *self, uint32_t entry, uint32_t position), void *self);
size_t heap_size(uint32_t capacity);

MUST_USE bool heap_add(struct heap *heap, uint32_t entry); /* false when full */
uint32_t heap_first(const struct heap *heap);              /* CHECKs that it is not empty */
uint32_t heap_take_first(struct heap *heap);
void heap_remove(struct heap *heap, uint32_t position);
void heap_changed(struct heap *heap, uint32_t position); /* the entry there has a new rank */
void heap_audit(const struct heap *heap);                /* CHECKs the order; for tests */

#endif
