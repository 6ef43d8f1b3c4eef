/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What came out for the claims of a shape, node by node: a row for each of the shapes that were
 * asked about last. What is in it is stamped with the generation of the cache's devices.
 */
#include <string.h>

#include "dra/private.h"

enum { ROWS = 32, ROOM_MORE = 64 };

struct row {
	struct dra_shape shape; /* count and template of 0: free; its strings are held */
	uint64_t used;
};

struct dra_memory {
	struct cache *cache;
	struct row rows[ROWS];
	uint64_t clock;
	uint32_t row_count; /* that there is memory for */
	uint32_t room;      /* nodes that each row has an entry for */
	uint32_t room_max;
	struct page_span span;
	struct page_shedder shedder;
};

size_t dra_memory_size(uint32_t nodes)
{
	return sizeof(struct dra_memory) + 32 +
		arena_span_size(ROWS * ((size_t)nodes + 1) * sizeof(struct dra_seen));
}

static void hold_shape(struct dra_memory *memory, const struct dra_shape *shape, bool hold)
{
	struct intern *strings = &memory->cache->strings;
	for (uint32_t i = 0; i < shape->count; i++) {
		const uint32_t ids[] = {shape->claims[i].requests, shape->claims[i].constraints};
		for (uint32_t k = 0; k < ARRAY_COUNT(ids); k++) {
			if (hold)
				intern_keep(strings, ids[k]);
			else
				intern_give(strings, ids[k]);
		}
	}
}

static void forget_rows(struct dra_memory *memory, uint32_t from)
{
	for (uint32_t i = from; i < memory->row_count; i++) {
		hold_shape(memory, &memory->rows[i].shape, false);
		memory->rows[i] = (struct row){.used = 0};
	}
	if (from < memory->row_count)
		memory->row_count = from;
	page_span_shrink(
		&memory->span, (size_t)memory->row_count * memory->room * sizeof(struct dra_seen));
}

static bool memory_is_short(void *self)
{
	struct dra_memory *memory = self;
	if (memory->row_count == 0)
		return false;
	forget_rows(memory, memory->row_count / 2);
	return true;
}

struct dra_memory *dra_memory_make(struct arena *arena, struct cache *cache, uint32_t nodes)
{
	struct dra_memory *memory = arena_take(arena, sizeof(*memory));
	*memory = (struct dra_memory){.cache = cache, .room_max = nodes + 1};
	arena_take_span(arena, &memory->span, ROWS * ((size_t)nodes + 1) * sizeof(struct dra_seen));
	if (arena->budget != NULL)
		page_budget_add_shedder(arena->budget, &memory->shedder, memory_is_short, memory);
	return memory;
}

static struct dra_seen *seen_at(struct dra_memory *memory, uint32_t row)
{
	return (struct dra_seen *)(void *)memory->span.base + (size_t)row * memory->room;
}

/* Another one, or the one that was not asked about for the longest time. */
static uint32_t row_to_use(struct dra_memory *memory)
{
	size_t size = (size_t)memory->room * sizeof(struct dra_seen);
	uint32_t oldest = 0;
	if (memory->row_count < ROWS &&
		page_span_reach(&memory->span, (memory->row_count + 1) * size))
		return memory->row_count++;
	for (uint32_t i = 1; i < memory->row_count; i++)
		if (memory->rows[i].used < memory->rows[oldest].used)
			oldest = i;
	return memory->row_count == 0 ? ROWS : oldest;
}

struct dra_seen *dra_memory_row(struct dra_memory *memory, const struct dra_shape *shape)
{
	uint32_t top = pool_top(&memory->cache->nodes);
	if (top >= memory->room) { /* all are made again, larger */
		uint32_t room = top + top / 4 + ROOM_MORE;
		forget_rows(memory, 0);
		memory->room = room < memory->room_max ? room : memory->room_max;
	}
	for (uint32_t i = 0; i < memory->row_count; i++) {
		if (memcmp(&memory->rows[i].shape, shape, sizeof(*shape)) != 0)
			continue;
		memory->rows[i].used = ++memory->clock;
		return seen_at(memory, i);
	}
	uint32_t at = row_to_use(memory);
	if (at == ROWS)
		return NULL;
	hold_shape(memory, &memory->rows[at].shape, false);
	hold_shape(memory, shape, true);
	memory->rows[at] = (struct row){*shape, ++memory->clock};
	memset(seen_at(memory, at), 0, (size_t)memory->room * sizeof(struct dra_seen));
	return seen_at(memory, at);
}
