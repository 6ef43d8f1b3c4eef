/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Store: two-level segregated fit. Free blocks hang in lists by size: a class per power of two,
 * STORE_STEPS steps in each, and bitmaps of the lists that have something. A request looks in the
 * first list whose every block is large enough, so taking and giving cost the same however many
 * blocks there are.
 *
 * The region is a row of blocks without gaps. A block begins with a header of one unit: the size
 * of the block before it (0 for the first) and its own, in units, with the top bit set when it is
 * free. The payload follows; its unit number is the handle. A free block keeps its list's links
 * (handles) in the first unit of the payload.
 */
#include "base/store.h"

#include <string.h>

#include "base/memory.h"
#include "base/poison.h"

enum {
	STORE_HEADER = 1,    /* units */
	STORE_BLOCK_MIN = 2, /* header and links */
	STORE_SIZE_MIN = 1024,
	STORE_STEP_BITS = 4,
	STORE_NEAR_TRIES = 8
};
#define STORE_FREE (UINT32_C(1) << 31)
#define STORE_ALL  (~UINT32_C(0))

_Static_assert(STORE_STEPS == 1 << STORE_STEP_BITS, "steps of a class");
_Static_assert(STORE_CLASSES >= 31 - STORE_STEP_BITS + 1, "a class for every size in units");

struct store_header {
	uint32_t before; /* units of the block in front */
	uint32_t units;  /* own, with STORE_FREE */
} __attribute__((may_alias));

struct store_links {
	uint32_t next;
	uint32_t prev;
} __attribute__((may_alias));

struct store_place {
	uint32_t size_class;
	uint32_t step;
};

static void *store_unit(const struct store *store, uint32_t unit)
{
	return store->base + (size_t)unit * STORE_UNIT;
}

static POISON_BLIND struct store_header header_get(const struct store *store, uint32_t block)
{
	return *(struct store_header *)store_unit(store, block);
}

static POISON_BLIND void header_put(
	struct store *store, uint32_t block, uint32_t before, uint32_t units)
{
	*(struct store_header *)store_unit(store, block) = (struct store_header){before, units};
}

static POISON_BLIND struct store_links links_get(const struct store *store, uint32_t handle)
{
	return *(struct store_links *)store_unit(store, handle);
}

static POISON_BLIND void links_put(
	struct store *store, uint32_t handle, uint32_t next, uint32_t prev)
{
	*(struct store_links *)store_unit(store, handle) = (struct store_links){next, prev};
}

/* ---- lists of free blocks ---- */

static struct store_place place_of(uint32_t units)
{
	if (units < STORE_STEPS)
		return (struct store_place){0, units};
	uint32_t log = 31 - (uint32_t)__builtin_clz(units);
	return (struct store_place){
		.size_class = log - STORE_STEP_BITS + 1,
		.step = units >> (log - STORE_STEP_BITS) & (STORE_STEPS - 1),
	};
}

static void free_add(struct store *store, uint32_t block, uint32_t units)
{
	struct store_place place = place_of(units);
	uint32_t *first = &store->free_first[place.size_class][place.step];
	uint32_t handle = block + STORE_HEADER;
	links_put(store, handle, *first, 0);
	if (*first != 0)
		links_put(store, *first, links_get(store, *first).next, handle);
	*first = handle;
	store->class_bitmap |= UINT32_C(1) << place.size_class;
	store->step_bitmap[place.size_class] |= UINT32_C(1) << place.step;
}

static void free_remove(struct store *store, uint32_t block, uint32_t units)
{
	struct store_place place = place_of(units);
	uint32_t *first = &store->free_first[place.size_class][place.step];
	struct store_links links = links_get(store, block + STORE_HEADER);
	if (links.next != 0)
		links_put(store, links.next, links_get(store, links.next).next, links.prev);
	if (links.prev != 0) {
		links_put(store, links.prev, links.next, links_get(store, links.prev).prev);
		return;
	}
	CHECK(*first == block + STORE_HEADER);
	*first = links.next;
	if (*first != 0)
		return;
	store->step_bitmap[place.size_class] &= ~(UINT32_C(1) << place.step);
	if (store->step_bitmap[place.size_class] == 0)
		store->class_bitmap &= ~(UINT32_C(1) << place.size_class);
}

/* The list of exactly this size may hold blocks that are too small: look at a few. */
static uint32_t free_find_near(const struct store *store, uint32_t units)
{
	struct store_place place = place_of(units);
	uint32_t handle = store->free_first[place.size_class][place.step];
	for (int tries = 0; handle != 0 && tries < STORE_NEAR_TRIES; tries++) {
		if ((header_get(store, handle - STORE_HEADER).units & ~STORE_FREE) >= units)
			return handle;
		handle = links_get(store, handle).next;
	}
	return 0;
}

/* Handle of a free block with at least `units`, 0 when there is none. */
static uint32_t free_find(const struct store *store, uint32_t units)
{
	uint32_t rounded = units;
	if (units >= STORE_STEPS) {
		uint32_t log = 31 - (uint32_t)__builtin_clz(units);
		rounded += (UINT32_C(1) << (log - STORE_STEP_BITS)) - 1;
	}
	struct store_place place = place_of(rounded);
	uint32_t steps = store->step_bitmap[place.size_class] & STORE_ALL << place.step;
	if (steps == 0) {
		uint32_t classes = store->class_bitmap & (STORE_ALL << place.size_class) << 1;
		if (classes == 0)
			return free_find_near(store, units);
		place.size_class = (uint32_t)__builtin_ctz(classes);
		steps = store->step_bitmap[place.size_class];
		CHECK(steps != 0);
	}
	return store->free_first[place.size_class][__builtin_ctz(steps)];
}

/* ---- the row of blocks ---- */

static void block_tell_next(struct store *store, uint32_t block, uint32_t units)
{
	uint32_t next = block + units;
	if (next < store->units)
		header_put(store, next, units, header_get(store, next).units);
}

static void block_set_free(struct store *store, uint32_t block, uint32_t before, uint32_t units)
{
	header_put(store, block, before, units | STORE_FREE);
	block_tell_next(store, block, units);
	free_add(store, block, units);
}

void store_init(struct store *store, const char *name, void *block, size_t size)
{
	CHECK(block != NULL);
	CHECK((uintptr_t)block % STORE_UNIT == 0);
	CHECK(size >= STORE_SIZE_MIN);
	CHECK(size / STORE_UNIT < STORE_FREE);
	memset(store, 0, sizeof(*store));
	store->base = block;
	store->units = (uint32_t)(size / STORE_UNIT);
	budget_register(&store->budget, name, "bytes", (uint64_t)store->units * STORE_UNIT);
	poison_lay(block, size);
	block_set_free(store, 0, 0, store->units);
}

size_t store_arena_size(size_t size)
{
	return arena_span_size(size) + page_range_bits_size(memory_page_size(), size) + 64;
}

void store_init_for(struct store *store, struct arena *arena, const char *name, size_t size)
{
	struct page_span span;
	arena_take_span(arena, &span, size);
	store_init(store, name, span.base, span.size);
	if (span.budget == NULL)
		return;
	page_range_init(&store->range, span.budget, span.base, span.size,
		arena_take(arena, page_range_bits_size(span.budget->page_size, span.size)));
	bool held = page_range_hold(&store->range, 0, STORE_BLOCK_MIN * STORE_UNIT);
	CHECK(held);
}

/* Units of a block for `size` bytes, 0 when no block of this store could be so large. */
static uint32_t units_for(const struct store *store, size_t size)
{
	if (size > ((size_t)store->units - STORE_HEADER) * STORE_UNIT)
		return 0;
	uint32_t payload = (uint32_t)((size + STORE_UNIT - 1) / STORE_UNIT);
	return STORE_HEADER + (payload == 0 ? 1 : payload);
}

/* Makes `need` of the `have` units at `block` (in no list) a block in use; the rest stays free. */
static uint32_t block_use(
	struct store *store, uint32_t block, uint32_t before, uint32_t have, uint32_t need)
{
	CHECK(have >= need);
	uint32_t rest = have - need;
	if (rest < STORE_BLOCK_MIN) {
		need = have;
		rest = 0;
	}
	header_put(store, block, before, need);
	if (rest > 0)
		block_set_free(store, block + need, need, rest);
	else
		block_tell_next(store, block, need);
	bool fits = budget_take(&store->budget, (uint64_t)need * STORE_UNIT);
	CHECK(fits);
	uint32_t handle = block + STORE_HEADER;
	poison_lift(store_unit(store, handle), (size_t)(need - STORE_HEADER) * STORE_UNIT);
	return handle;
}

/* Units to skip so that the payload is aligned and what is skipped can be a block of its own. */
static uint32_t block_skip(const struct store *store, uint32_t block, size_t align)
{
	uintptr_t payload = (uintptr_t)store_unit(store, block + STORE_HEADER);
	uint32_t skip = (uint32_t)(-payload % align / STORE_UNIT);
	if (skip > 0 && skip < STORE_BLOCK_MIN)
		skip += (uint32_t)(align / STORE_UNIT);
	return skip;
}

/* Whole pages of the free block that are among these units, too, have nothing in them. */
static void store_empty(
	struct store *store, uint32_t block, uint32_t units, uint32_t from, uint32_t to)
{
	if (store->range.budget == NULL)
		return;
	size_t page = store->range.budget->page_size;
	size_t first = (size_t)from * STORE_UNIT / page * page;
	size_t last = page_budget_round(store->range.budget, (size_t)to * STORE_UNIT);
	size_t inner = ((size_t)block + STORE_BLOCK_MIN) * STORE_UNIT;
	size_t end = ((size_t)block + units) * STORE_UNIT;
	first = first < inner ? inner : first;
	last = last > end ? end : last;
	if (first < last)
		page_range_empty(&store->range, first, last);
}

/* Pages for `need` of the units behind what is skipped, and for the links of what is left. */
static bool store_hold(
	struct store *store, uint32_t block, uint32_t have, uint32_t skip, uint32_t need)
{
	uint32_t from = block + skip;
	uint32_t to =
		have - skip - need < STORE_BLOCK_MIN ? block + have : from + need + STORE_BLOCK_MIN;
	if (page_range_hold(&store->range, (size_t)from * STORE_UNIT, (size_t)to * STORE_UNIT))
		return true;
	store_empty(store, block, have, from, to);
	return false;
}

/* Takes a free block of `search` units or more and uses `need` of them, behind what is skipped. */
static uint32_t block_take(struct store *store, uint32_t search, uint32_t need, size_t align)
{
	uint32_t found = search == 0 ? 0 : free_find(store, search);
	if (found == 0) {
		store->budget.refused++;
		return 0;
	}
	uint32_t block = found - STORE_HEADER;
	struct store_header header = header_get(store, block);
	CHECK((header.units & STORE_FREE) != 0);
	uint32_t have = header.units & ~STORE_FREE;
	uint32_t skip = block_skip(store, block, align);
	CHECK(skip < have);
	if (!store_hold(store, block, have, skip, need)) {
		store->budget.refused++;
		return 0;
	}
	free_remove(store, block, have);
	if (skip > 0) {
		header_put(store, block, header.before, skip | STORE_FREE);
		free_add(store, block, skip);
		header.before = skip;
	}
	return block_use(store, block + skip, header.before, have - skip, need);
}

uint32_t store_take(struct store *store, size_t size)
{
	uint32_t need = units_for(store, size);
	return block_take(store, need, need, STORE_UNIT);
}

uint32_t store_take_aligned(struct store *store, size_t size, size_t align)
{
	CHECK(align != 0 && (align & (align - 1)) == 0);
	if (align <= STORE_UNIT)
		return store_take(store, size);
	uint32_t need = units_for(store, size);
	size_t skip_most = align / STORE_UNIT + STORE_BLOCK_MIN - 1;
	bool possible = need != 0 && skip_most <= store->units - need;
	return block_take(store, possible ? need + (uint32_t)skip_most : 0, need, align);
}

/* The header of a block in use; CHECKs what can be checked about a handle. */
static struct store_header block_in_use(const struct store *store, uint32_t handle)
{
	CHECK(handle >= STORE_HEADER && handle < store->units);
	uint32_t block = handle - STORE_HEADER;
	struct store_header header = header_get(store, block);
	CHECK((header.units & STORE_FREE) == 0);
	CHECK(header.units >= STORE_BLOCK_MIN);
	CHECK(header.units <= store->units - block);
	if (header.units < store->units - block)
		CHECK(header_get(store, block + header.units).before == header.units);
	return header;
}

void store_give(struct store *store, uint32_t handle)
{
	struct store_header header = block_in_use(store, handle);
	uint32_t block = handle - STORE_HEADER;
	uint32_t units = header.units;
	uint32_t before = header.before;
	uint32_t given_from = block;
	uint32_t given_to = block + units;
	poison_lay(store_unit(store, handle), (size_t)(units - STORE_HEADER) * STORE_UNIT);
	budget_give(&store->budget, (uint64_t)units * STORE_UNIT);
	uint32_t next = block + units;
	uint32_t next_units = next < store->units ? header_get(store, next).units : 0;
	if ((next_units & STORE_FREE) != 0) {
		next_units &= ~STORE_FREE;
		free_remove(store, next, next_units);
		units += next_units;
		given_to += STORE_BLOCK_MIN;
	}
	if (before != 0) {
		CHECK(before <= block);
		struct store_header front = header_get(store, block - before);
		CHECK((front.units & ~STORE_FREE) == before);
		if ((front.units & STORE_FREE) != 0) {
			block -= before;
			units += before;
			free_remove(store, block, before);
			before = front.before;
		}
	}
	block_set_free(store, block, before, units);
	store_empty(store, block, units, given_from, given_to);
}

size_t store_size(const struct store *store, uint32_t handle)
{
	return (size_t)(block_in_use(store, handle).units - STORE_HEADER) * STORE_UNIT;
}

uint32_t store_handle(const struct store *store, const void *pointer)
{
	const uint8_t *at = pointer;
	CHECK(at >= store->base);
	size_t offset = (size_t)(at - store->base);
	CHECK(offset % STORE_UNIT == 0);
	CHECK(offset / STORE_UNIT < store->units);
	uint32_t handle = (uint32_t)(offset / STORE_UNIT);
	block_in_use(store, handle);
	return handle;
}

/* ---- audit ---- */

/* The number of blocks in all lists; CHECKs the lists and their bitmaps. */
static uint32_t audit_lists(const struct store *store)
{
	uint32_t count = 0;
	for (uint32_t size_class = 0; size_class < STORE_CLASSES; size_class++) {
		bool some = (store->class_bitmap >> size_class & 1) != 0;
		CHECK(some == (store->step_bitmap[size_class] != 0));
		for (uint32_t step = 0; step < STORE_STEPS; step++) {
			uint32_t handle = store->free_first[size_class][step];
			CHECK((store->step_bitmap[size_class] >> step & 1) == (handle != 0));
			uint32_t prev = 0;
			while (handle != 0) {
				uint32_t units = header_get(store, handle - STORE_HEADER).units;
				struct store_place place = place_of(units & ~STORE_FREE);
				CHECK((units & STORE_FREE) != 0);
				CHECK(place.size_class == size_class && place.step == step);
				CHECK(links_get(store, handle).prev == prev);
				prev = handle;
				handle = links_get(store, handle).next;
				count++;
			}
		}
	}
	return count;
}

uint32_t store_audit(const struct store *store)
{
	uint32_t in_use = 0;
	uint32_t free_count = 0;
	uint64_t units_used = 0;
	uint32_t before = 0;
	bool was_free = false;
	for (uint32_t block = 0; block < store->units;) {
		struct store_header header = header_get(store, block);
		bool is_free = (header.units & STORE_FREE) != 0;
		uint32_t units = header.units & ~STORE_FREE;
		CHECK(header.before == before);
		CHECK(units >= STORE_BLOCK_MIN);
		CHECK(units <= store->units - block);
		CHECK(!(is_free && was_free));
		free_count += is_free;
		in_use += !is_free;
		units_used += is_free ? 0 : units;
		was_free = is_free;
		before = units;
		block += units;
	}
	CHECK(units_used * STORE_UNIT == store->budget.used);
	CHECK(audit_lists(store) == free_count);
	return in_use;
}
