/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences: mbedTLS and mongoose allocate and free while berth runs. Each gets a region of its own
 * that it cannot leave; a full fence is a NULL for the library and a count on the status page.
 *
 * Both libraries take their allocator as functions without an object, so the two regions are the
 * only state of this folder that is not in a struct somebody passes: one per process.
 */
#ifndef BERTH_NET_FENCE_H
#define BERTH_NET_FENCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/store.h"

enum fence { FENCE_MONGOOSE, FENCE_MBEDTLS };

/*
 * From now on the library's allocations come from `store`, which is empty, and whose region was
 * zero when it was made.
 */
void fence_set(enum fence fence, struct store *store);
/* No more than so many bytes of the region in use, until it is called again; UINT64_MAX: all. */
void fence_limit(enum fence fence, uint64_t used_max);
/* What is still in use is given up with the region. */
void fence_clear(enum fence fence);

#endif
