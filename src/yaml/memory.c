/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What libyaml allocates: a fence of fixed size, so that a document may be read at any time, also
 * after the seal and by any peer. What is given back is wiped: keys and tokens were in it.
 *
 * vendor/build.mk gives libyaml these functions in place of malloc and its family. Tests keep
 * that of their C library, so that the sanitizers see every block.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fence.h"

void *yaml_library_malloc(size_t size);
void *yaml_library_realloc(void *pointer, size_t size);
void yaml_library_free(void *pointer);
char *yaml_library_strdup(const char *text);

#ifndef BERTH_TEST

/* Its buffers of 80 kB, and the longest scalar while it grows: the old block and the new one. */
enum { YAML_MEMORY = 512 * 1024 };

static struct {
	struct fence fence;
	bool ready;
	_Alignas(16) uint8_t block[YAML_MEMORY];
} yaml_memory;

static size_t yaml_block_size(const void *pointer)
{
	const struct store *store = &yaml_memory.fence.store;

	return store_size(store, store_handle(store, pointer));
}

void *yaml_library_malloc(size_t size)
{
	if (!yaml_memory.ready) {
		yaml_memory.ready = true;
		fence_init(&yaml_memory.fence, "yaml", yaml_memory.block, YAML_MEMORY);
	}
	return fence_take(&yaml_memory.fence, 1, size);
}

void yaml_library_free(void *pointer)
{
	if (pointer == NULL)
		return;
	explicit_bzero(pointer, yaml_block_size(pointer));
	fence_give(&yaml_memory.fence, pointer);
}

void *yaml_library_realloc(void *pointer, size_t size)
{
	size_t have = pointer == NULL ? 0 : yaml_block_size(pointer);

	if (pointer != NULL && size <= have)
		return pointer;
	void *larger = yaml_library_malloc(size);
	if (larger == NULL || pointer == NULL)
		return larger;
	memcpy(larger, pointer, have);
	yaml_library_free(pointer);
	return larger;
}

#else

void *yaml_library_malloc(size_t size)
{
	return malloc(size);
}

void yaml_library_free(void *pointer)
{
	free(pointer);
}

void *yaml_library_realloc(void *pointer, size_t size)
{
	return realloc(pointer, size);
}

#endif

char *yaml_library_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = yaml_library_malloc(size);

	if (copy != NULL)
		memcpy(copy, text, size);
	return copy;
}
