/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fence: a heap for a library that allocates and frees while berth runs. It is a region of fixed
 * size that the library cannot leave; a full fence is a NULL for the library and a count on the
 * status page.
 *
 * Libraries take their allocator as functions without an object, so the caller of a library
 * keeps its fence in a static variable.
 */
#ifndef BERTH_BASE_FENCE_H
#define BERTH_BASE_FENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/store.h"

struct fence {
	struct store store;
	/* private */
	uint64_t used_max;
	size_t fresh;
};

/* `memory` is zero. */
void fence_init(struct fence *fence, const char *name, void *memory, size_t size);
/* What is still in use is given up with the region. */
void fence_close(struct fence *fence);
/* No more than so many bytes of the region in use, until it is called again; UINT64_MAX: all. */
void fence_limit(struct fence *fence, uint64_t used_max);
/* Zeroed, as calloc() has it. NULL: it does not fit, or the fence is closed. */
void *fence_take(struct fence *fence, size_t count, size_t size);
void fence_give(struct fence *fence, void *pointer); /* NULL is nothing */

#endif
