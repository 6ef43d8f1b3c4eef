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
	return memset(store_at(store, handle), 0, count * size);
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
	fences[fence] = store;
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
