/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * malloc and its family over one fixed block, for what the C library itself asks for while berth
 * is set up. After the seal each request is counted by memory.c, and
 * deadly where it is meant to be; giving back is always allowed.
 *
 * One thread.
 *
 * malloc promises an alignment of 16 where the store promises 8. Blocks here always have an even
 * number of units, so headers stay on even units and payloads on odd ones, and the store begins 8
 * bytes behind a multiple of 16.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/store.h"

#ifndef MEMORY_MALLOC_BYTES
#define MEMORY_MALLOC_BYTES (64 * 1024)
#endif

enum { MALLOC_ALIGN = 16 };

_Static_assert(MEMORY_MALLOC_BYTES % MALLOC_ALIGN == 0, "an even number of units");
_Static_assert(_Alignof(max_align_t) <= MALLOC_ALIGN, "malloc's promise");

/*
 * Hosted builds (glibc) and tests that link all of base/ keep the malloc they have; the test of
 * this file includes it.
 */
#if defined(MEMORY_MALLOC_UNDER_TEST) || (!defined(__GLIBC__) && !defined(BERTH_TEST))

void *memalign(size_t align, size_t size);
size_t malloc_usable_size(void *pointer);

static struct {
	bool ready;
	struct store store;
	_Alignas(MALLOC_ALIGN) uint8_t block[MEMORY_MALLOC_BYTES + MALLOC_ALIGN];
} heap;

static void *heap_request(size_t size, size_t align)
{
	if (!heap.ready) {
		heap.ready = true;
		store_init(&heap.store, "malloc", heap.block + STORE_UNIT, MEMORY_MALLOC_BYTES);
		memory_malloc_is(&heap.store.budget);
	}
	if (memory_phase() == MEMORY_SEALED)
		memory_late_request(size);
	uint32_t handle = 0;
	if (size <= MEMORY_MALLOC_BYTES) {
		/* 16 k + 8 bytes of payload and 8 of header. */
		size_t odd = (size + STORE_UNIT - 1) / MALLOC_ALIGN * MALLOC_ALIGN + STORE_UNIT;
		handle = store_take_aligned(&heap.store, odd, align);
	}
	if (handle == 0) {
		errno = ENOMEM;
		return NULL;
	}
	void *taken = store_at(&heap.store, handle);
	CHECK((uintptr_t)taken % align == 0);
	return taken;
}

void *malloc(size_t size)
{
	return heap_request(size, MALLOC_ALIGN);
}

void *calloc(size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	void *taken = heap_request(count * size, MALLOC_ALIGN);
	if (taken != NULL)
		memset(taken, 0, count * size);
	return taken;
}

void free(void *pointer)
{
	if (pointer == NULL)
		return;
	int error = errno;
	/* Keys may have been in it. */
	explicit_bzero(pointer, malloc_usable_size(pointer));
	store_give(&heap.store, store_handle(&heap.store, pointer));
	errno = error;
}

size_t malloc_usable_size(void *pointer)
{
	if (pointer == NULL)
		return 0;
	return store_size(&heap.store, store_handle(&heap.store, pointer));
}

void *realloc(void *pointer, size_t size)
{
	size_t have = malloc_usable_size(pointer);
	if (pointer != NULL && size <= have)
		return pointer;
	void *taken = heap_request(size, MALLOC_ALIGN);
	if (taken == NULL || pointer == NULL)
		return taken;
	memcpy(taken, pointer, have);
	free(pointer);
	return taken;
}

void *memalign(size_t align, size_t size)
{
	if (align == 0 || (align & (align - 1)) != 0) {
		errno = EINVAL;
		return NULL;
	}
	return heap_request(size, align < MALLOC_ALIGN ? MALLOC_ALIGN : align);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **pointer, size_t align, size_t size)
{
	if (align < sizeof(void *) || (align & (align - 1)) != 0)
		return EINVAL;
	int error = errno;
	void *taken = memalign(align, size);
	errno = error;
	if (taken == NULL)
		return ENOMEM;
	*pointer = taken;
	return 0;
}

#endif
