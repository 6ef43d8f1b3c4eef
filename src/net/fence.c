/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences: the allocators that the libraries call, over a store each.
 */
#include "net/fence.h"

#include <string.h>

#include <mbedtls/platform.h>
#include <mongoose.h>

#include "base/check.h"

static struct store *fences[2];
static uint64_t limits[2] = {UINT64_MAX, UINT64_MAX};
/*
 * Where what was in use ever ends, in bytes. Behind it a region is as zero as it came, but for the
 * head of the free block that begins there: what is fresh need not be touched to be zero. A watch
 * of small records never touches most of its 16 kB for one.
 */
static size_t fresh[2];
enum { FENCE_FREE_HEAD = 2 * STORE_UNIT };

static void *zeroed(enum fence fence, uint32_t handle, size_t size)
{
	struct store *store = fences[fence];
	uint8_t *block = store_at(store, handle);
	size_t from = (size_t)(block - store->base);
	size_t used_to = fresh[fence] + FENCE_FREE_HEAD;
	size_t end = from + store_size(store, handle);

	if (from < used_to)
		memset(block, 0, size < used_to - from ? size : used_to - from);
	if (fresh[fence] < end)
		fresh[fence] = end;
	return block;
}

static void *fence_take(enum fence fence, size_t count, size_t size)
{
	struct store *store = fences[fence];

	if (store == NULL || (size != 0 && count > SIZE_MAX / size))
		return NULL;
	if (store->budget.used > limits[fence] || count * size > limits[fence] - store->budget.used)
		return NULL;
	uint32_t handle = store_take(store, count * size);
	if (handle == 0)
		return NULL;
	return zeroed(fence, handle, count * size);
}

static void fence_give(enum fence fence, void *pointer)
{
	if (pointer == NULL)
		return;
	CHECK(fences[fence] != NULL);
	store_give(fences[fence], store_handle(fences[fence], pointer));
}

void *mg_calloc(size_t count, size_t size)
{
	return fence_take(FENCE_MONGOOSE, count, size);
}

void mg_free(void *pointer)
{
	fence_give(FENCE_MONGOOSE, pointer);
}

static void *mbedtls_take(size_t count, size_t size)
{
	return fence_take(FENCE_MBEDTLS, count, size);
}

static void mbedtls_give(void *pointer)
{
	fence_give(FENCE_MBEDTLS, pointer);
}

void fence_set(enum fence fence, struct store *store)
{
	CHECK(fences[fence] == NULL);
	CHECK(store->budget.used == 0);
	fences[fence] = store;
	fresh[fence] = 0;
	limits[fence] = UINT64_MAX;
	if (fence == FENCE_MBEDTLS)
		mbedtls_platform_set_calloc_free(mbedtls_take, mbedtls_give);
}

void fence_limit(enum fence fence, uint64_t used_max)
{
	limits[fence] = used_max;
}

void fence_clear(enum fence fence)
{
	fences[fence] = NULL;
}
