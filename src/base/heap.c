/* SPDX-License-Identifier: GPL-2.0-only */
/* Heap: binary, in an array; the children of position i are 2i+1 and 2i+2. */
#include "base/heap.h"

#include "base/arena.h"

size_t heap_size(uint32_t capacity)
{
	CHECK(capacity < UINT32_MAX / 2 / sizeof(uint32_t)); /* 32-bit sizes hold it too */
	return pool_lane_size(sizeof(uint32_t), capacity) + 16;
}

void heap_init(struct heap *heap, struct arena *arena, uint32_t capacity,
	bool (*before)(const void *self, uint32_t a, uint32_t b),
	void (*moved)(void *self, uint32_t entry, uint32_t position), void *self)
{
	CHECK(before != NULL);
	*heap = (struct heap){
		.entries = arena_take_raw(arena, (size_t)capacity * sizeof(uint32_t)),
		.capacity = capacity,
		.before = before,
		.moved = moved,
		.self = self,
	};
}

void heap_init_for(struct heap *heap, struct arena *arena, struct pool *pool,
	bool (*before)(const void *self, uint32_t a, uint32_t b),
	void (*moved)(void *self, uint32_t entry, uint32_t position), void *self)
{
	CHECK(before != NULL);
	*heap = (struct heap){
		.capacity = pool->capacity,
		.before = before,
		.moved = moved,
		.self = self,
	};
	heap->entries = pool_add_lane(pool, &heap->lane, arena, sizeof(uint32_t));
}

static void heap_put(struct heap *heap, uint32_t position, uint32_t entry)
{
	heap->entries[position] = entry;
	if (heap->moved != NULL)
		heap->moved(heap->self, entry, position);
}

/* `entry` belongs at `position` or above. */
static void heap_rise(struct heap *heap, uint32_t position, uint32_t entry)
{
	while (position > 0) {
		uint32_t parent = (position - 1) / 2;
		if (!heap->before(heap->self, entry, heap->entries[parent]))
			break;
		heap_put(heap, position, heap->entries[parent]);
		position = parent;
	}
	heap_put(heap, position, entry);
}

/* `entry` belongs at `position` or below. */
static void heap_sink(struct heap *heap, uint32_t position, uint32_t entry)
{
	for (;;) {
		uint32_t child = 2 * position + 1;
		if (child >= heap->count)
			break;
		const uint32_t *entries = heap->entries;
		if (child + 1 < heap->count &&
			heap->before(heap->self, entries[child + 1], entries[child]))
			child++;
		if (!heap->before(heap->self, entries[child], entry))
			break;
		heap_put(heap, position, entries[child]);
		position = child;
	}
	heap_put(heap, position, entry);
}

bool heap_add(struct heap *heap, uint32_t entry)
{
	CHECK(heap->count <= heap->capacity);
	if (heap->count == heap->capacity)
		return false;
	heap->count++;
	heap_rise(heap, heap->count - 1, entry);
	return true;
}

uint32_t heap_first(const struct heap *heap)
{
	CHECK(heap->count > 0);
	return heap->entries[0];
}

uint32_t heap_take_first(struct heap *heap)
{
	uint32_t first = heap_first(heap);
	heap_remove(heap, 0);
	return first;
}

static void heap_settle(struct heap *heap, uint32_t position, uint32_t entry)
{
	if (position > 0 && heap->before(heap->self, entry, heap->entries[(position - 1) / 2]))
		heap_rise(heap, position, entry);
	else
		heap_sink(heap, position, entry);
}

void heap_remove(struct heap *heap, uint32_t position)
{
	CHECK(position < heap->count);
	uint32_t removed = heap->entries[position];
	heap->count--;
	if (position < heap->count)
		heap_settle(heap, position, heap->entries[heap->count]);
	if (heap->moved != NULL)
		heap->moved(heap->self, removed, HEAP_OUT);
}

void heap_changed(struct heap *heap, uint32_t position)
{
	CHECK(position < heap->count);
	heap_settle(heap, position, heap->entries[position]);
}

void heap_audit(const struct heap *heap)
{
	CHECK(heap->count <= heap->capacity);
	for (uint32_t i = 1; i < heap->count; i++) {
		uint32_t parent = heap->entries[(i - 1) / 2];
		CHECK(!heap->before(heap->self, heap->entries[i], parent));
	}
}
