/* SPDX-License-Identifier: GPL-2.0-only */
/* Scratch: a fill mark that goes back. */
#include "base/scratch.h"

#include <string.h>

#include "base/poison.h"

enum { SCRATCH_ALIGN = 16 };

void scratch_init(struct scratch *scratch, void *block, size_t size)
{
	CHECK(block != NULL);
	size_t skip = -(uintptr_t)block % SCRATCH_ALIGN;
	/* A block that is all lost to alignment is a scratch without room, like any other. */
	if (skip > size)
		skip = size;
	*scratch = (struct scratch){
		.base = (uint8_t *)block + skip,
		.size = (size - skip) / SCRATCH_ALIGN * SCRATCH_ALIGN,
	};
	page_span_init(&scratch->span, NULL, scratch->base, scratch->size);
	poison_lay(scratch->base, scratch->size);
}

void scratch_init_for(struct scratch *scratch, struct arena *arena, size_t size)
{
	struct page_span span;
	arena_take_span(arena, &span, size);
	scratch_init(scratch, span.base, span.size);
	if (span.budget != NULL)
		scratch->span = span;
}

static bool scratch_reach(struct scratch *scratch, size_t bytes)
{
	if (bytes <= scratch->span.held)
		return true;
	struct page_budget *budget = scratch->span.budget;
	enum page_reserve before = budget->may_use;
	budget->may_use = PAGE_RESERVE_ALL;
	bool reached = page_span_reach(&scratch->span, bytes);
	budget->may_use = before;
	return reached;
}

/* What is left is a multiple of SCRATCH_ALIGN, so rounding up what fits still fits. */
static size_t scratch_rounded(size_t size)
{
	return (size + SCRATCH_ALIGN - 1) / SCRATCH_ALIGN * SCRATCH_ALIGN;
}

static void scratch_filled(struct scratch *scratch)
{
	CHECK(scratch->used <= scratch->size);
	if (scratch->used_max < scratch->used)
		scratch->used_max = scratch->used;
}

void *scratch_take(struct scratch *scratch, size_t size)
{
	if (scratch->overflowed || size > scratch->size - scratch->used ||
		!scratch_reach(scratch, scratch->used + size)) {
		scratch->overflowed = true;
		return NULL;
	}
	uint8_t *taken = scratch->base + scratch->used;
	scratch->used += scratch_rounded(size);
	scratch_filled(scratch);
	poison_lift(taken, size);
	memset(taken, 0, size);
	return taken;
}

void *scratch_take_array(struct scratch *scratch, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size) {
		scratch->overflowed = true;
		return NULL;
	}
	return scratch_take(scratch, count * size);
}

void scratch_reset(struct scratch *scratch)
{
	scratch_rewind(scratch, (struct scratch_mark){0, false});
}

struct scratch_mark scratch_mark(const struct scratch *scratch)
{
	return (struct scratch_mark){scratch->used, scratch->overflowed};
}

void scratch_rewind(struct scratch *scratch, struct scratch_mark mark)
{
	CHECK(mark.used <= scratch->used);
	poison_lay(scratch->base + mark.used, scratch->used - mark.used);
	scratch->used = mark.used;
	scratch->overflowed = mark.overflowed;
}

void *scratch_take_rest(struct scratch *scratch, size_t *size)
{
	*size = 0;
	if (scratch->overflowed)
		return NULL;
	uint8_t *rest = scratch->base + scratch->used;
	*size = scratch->size - scratch->used;
	if (scratch->span.budget != NULL && *size > SCRATCH_REST_MAX)
		*size = SCRATCH_REST_MAX;
	if (!scratch_reach(scratch, scratch->used + *size))
		*size = scratch->span.held - scratch->used;
	scratch->rest = *size;
	scratch->used = scratch->size;
	poison_lift(rest, *size);
	return rest;
}

void scratch_keep(struct scratch *scratch, void *rest, size_t size)
{
	if (rest == NULL) {
		CHECK(scratch->overflowed);
		CHECK(size == 0);
		return;
	}
	size_t start = (size_t)((uint8_t *)rest - scratch->base);
	CHECK(scratch->used == scratch->size);
	CHECK(start <= scratch->size);
	CHECK(size <= scratch->rest);
	scratch->used = start + scratch_rounded(size);
	scratch_filled(scratch);
	poison_lay(scratch->base + start + size, scratch->rest - size);
}
