/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fence: calloc() and free() over a store.
 */
#include "base/fence.h"

#include <string.h>

#include "base/check.h"

/*
 * `fresh` is where what was in use ever ends, in bytes. Behind it a region is as zero as it came,
 * but for the head of the free block that begins there: what is fresh need not be touched to be
 * zero. A watch of small records never touches most of its 16 kB for one.
 */
enum { FENCE_FREE_HEAD = 2 * STORE_UNIT };

void fence_init(struct fence *fence, const char *name, void *memory, size_t size)
{
	*fence = (struct fence){.used_max = UINT64_MAX};
	store_init(&fence->store, name, memory, size);
}

void fence_close(struct fence *fence)
{
	budget_unregister(&fence->store.budget);
	fence->store.base = NULL;
}

void fence_limit(struct fence *fence, uint64_t used_max)
{
	fence->used_max = used_max;
}

static void *fence_zeroed(struct fence *fence, uint32_t handle, size_t size)
{
	uint8_t *block = store_at(&fence->store, handle);
	size_t from = (size_t)(block - fence->store.base);
	size_t used_to = fence->fresh + FENCE_FREE_HEAD;
	size_t end = from + store_size(&fence->store, handle);

	if (from < used_to)
		memset(block, 0, size < used_to - from ? size : used_to - from);
	if (fence->fresh < end)
		fence->fresh = end;
	return block;
}

void *fence_take(struct fence *fence, size_t count, size_t size)
{
	const struct budget *budget = &fence->store.budget;

	if (fence->store.base == NULL || (size != 0 && count > SIZE_MAX / size))
		return NULL;
	if (budget->used > fence->used_max || count * size > fence->used_max - budget->used)
		return NULL;
	uint32_t handle = store_take(&fence->store, count * size);
	return handle == 0 ? NULL : fence_zeroed(fence, handle, count * size);
}

void fence_give(struct fence *fence, void *pointer)
{
	if (pointer == NULL)
		return;
	CHECK(fence->store.base != NULL);
	store_give(&fence->store, store_handle(&fence->store, pointer));
}
