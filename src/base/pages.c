/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages: a page is committed by being counted; the system gives it when it is touched. It goes
 * back with madvise(), after which it reads as zero.
 */
#include "base/pages.h"

#include <sys/mman.h>

#include "base/memory.h"

enum {
	IDLE_MIN = 8,    /* pages of a range that wait for the next time ... */
	IDLE_SHARE = 16, /* ... and one of so many that are in use */
	WORD_BITS = 32
};

void page_budget_init(struct page_budget *budget, size_t bytes, size_t reserve)
{
	CHECK(reserve <= bytes);
	*budget = (struct page_budget){.page_size = memory_page_size()};
	budget->limit = bytes / budget->page_size;
	budget->reserve = reserve / budget->page_size;
	budget_register(
		&budget->budget, "memory", "bytes", (uint64_t)budget->limit * budget->page_size);
}

void page_budget_add_shedder(struct page_budget *budget, struct page_shedder *shedder,
	bool (*shed)(void *self), void *self)
{
	CHECK(shed != NULL);
	struct page_shedder **end = &budget->shedders;
	while (*end != NULL)
		end = &(*end)->next;
	*shedder = (struct page_shedder){.shed = shed, .self = self};
	*end = shedder;
}

static size_t page_budget_upto(const struct page_budget *budget, enum page_reserve part)
{
	return budget->limit -
		budget->reserve * (size_t)(PAGE_RESERVE_ALL - part) / PAGE_RESERVE_ALL;
}

static size_t page_budget_top(const struct page_budget *budget)
{
	if (budget->may_exceed)
		return SIZE_MAX;
	return page_budget_upto(budget, budget->may_use);
}

static void page_budget_count(struct page_budget *budget)
{
	budget->budget.used = (uint64_t)budget->used * budget->page_size;
	if (budget->budget.used_max < budget->budget.used)
		budget->budget.used_max = budget->budget.used;
}

static bool page_budget_fits(const struct page_budget *budget, size_t pages)
{
	size_t top = page_budget_top(budget);
	return budget->used <= top && pages <= top - budget->used;
}

static bool page_budget_take(struct page_budget *budget, size_t pages)
{
	if (!page_budget_fits(budget, pages) && budget->idle > 0)
		page_budget_trim(budget);
	for (struct page_shedder *s = budget->shedders; s != NULL && budget->may_shed; s = s->next)
		while (!page_budget_fits(budget, pages) && s->shed(s->self))
			page_budget_trim(budget);
	if (!page_budget_fits(budget, pages)) {
		budget->budget.refused++;
		return false;
	}
	budget->used += pages;
	page_budget_count(budget);
	return true;
}

static void page_budget_give(struct page_budget *budget, uint8_t *at, size_t pages)
{
	CHECK(pages <= budget->used);
	CHECK(madvise(at, pages * budget->page_size, MADV_DONTNEED) == 0);
	budget->used -= pages;
	page_budget_count(budget);
}

size_t page_budget_round(const struct page_budget *budget, size_t bytes)
{
	return (bytes + budget->page_size - 1) / budget->page_size * budget->page_size;
}

size_t page_budget_left(const struct page_budget *budget)
{
	size_t top = budget->limit - budget->reserve;
	size_t used = budget->used - budget->idle;
	return used < top ? (top - used) * budget->page_size : 0;
}

bool page_budget_is_pressed(const struct page_budget *budget, enum page_reserve part)
{
	return budget->used - budget->idle > page_budget_upto(budget, part);
}

void page_budget_take_fixed(struct page_budget *budget, size_t bytes)
{
	size_t pages = page_budget_round(budget, bytes) / budget->page_size;
	CHECK(page_budget_fits(budget, pages) || pages <= budget->limit - budget->used);
	budget->used += pages;
	page_budget_count(budget);
}

/* ---- ranges ---- */

static uint32_t page_bit(size_t page)
{
	return UINT32_C(1) << (page % WORD_BITS);
}

static size_t page_words(size_t pages)
{
	return (pages + WORD_BITS - 1) / WORD_BITS;
}

size_t page_range_bits_size(size_t page_size, size_t size)
{
	return page_words(size / page_size) * sizeof(struct page_bits);
}

void page_range_init(struct page_range *range, struct page_budget *budget, void *base, size_t size,
	struct page_bits *bits)
{
	CHECK((uintptr_t)base % budget->page_size == 0);
	CHECK(size % budget->page_size == 0);
	*range = (struct page_range){
		.budget = budget,
		.next = budget->ranges,
		.base = base,
		.count = size / budget->page_size,
		.bits = bits,
	};
	budget->ranges = range;
}

static void page_range_wake(struct page_range *range, size_t page)
{
	range->bits[page / WORD_BITS].idle &= ~page_bit(page);
	range->idle_count--;
	range->budget->idle--;
}

static void page_range_give(struct page_range *range, size_t page)
{
	page_range_wake(range, page);
	range->bits[page / WORD_BITS].held &= ~page_bit(page);
	range->held_count--;
	page_budget_give(range->budget, range->base + page * range->budget->page_size, 1);
}

bool page_range_hold(struct page_range *range, size_t from, size_t to)
{
	if (range->budget == NULL)
		return true;
	CHECK(from < to);
	size_t first = from / range->budget->page_size;
	size_t last = (to - 1) / range->budget->page_size;
	CHECK(last < range->count);
	size_t missing = 0;
	/* Awake before pages are asked for: that may give idle ones away. */
	for (size_t page = first; page <= last; page++) {
		const struct page_bits *bits = &range->bits[page / WORD_BITS];
		if ((bits->held & page_bit(page)) == 0)
			missing++;
		else if ((bits->idle & page_bit(page)) != 0)
			page_range_wake(range, page);
	}
	if (missing == 0)
		return true;
	if (!page_budget_take(range->budget, missing))
		return false;
	for (size_t page = first; page <= last; page++)
		range->bits[page / WORD_BITS].held |= page_bit(page);
	range->held_count += missing;
	return true;
}

void page_range_empty(struct page_range *range, size_t from, size_t to)
{
	if (range->budget == NULL)
		return;
	size_t size = range->budget->page_size;
	for (size_t page = (from + size - 1) / size; page < to / size; page++) {
		struct page_bits *bits = &range->bits[page / WORD_BITS];
		if ((bits->held & ~bits->idle & page_bit(page)) == 0)
			continue;
		bits->idle |= page_bit(page);
		range->idle_count++;
		range->budget->idle++;
		if (range->idle_count > IDLE_MIN + range->held_count / IDLE_SHARE)
			page_range_give(range, page);
	}
}

static void page_range_trim(struct page_range *range)
{
	for (size_t word = 0; range->idle_count > 0; word++) {
		CHECK(word < page_words(range->count));
		while (range->bits[word].idle != 0)
			page_range_give(range,
				word * WORD_BITS + (size_t)__builtin_ctz(range->bits[word].idle));
	}
}

void page_budget_trim(struct page_budget *budget)
{
	for (struct page_range *range = budget->ranges; range != NULL; range = range->next)
		page_range_trim(range);
	CHECK(budget->idle == 0);
}

void page_budget_audit(const struct page_budget *budget)
{
	size_t held = 0;
	size_t idle = 0;
	for (const struct page_range *range = budget->ranges; range != NULL; range = range->next) {
		size_t held_here = 0;
		size_t idle_here = 0;
		for (size_t word = 0; word < page_words(range->count); word++) {
			const struct page_bits *bits = &range->bits[word];
			CHECK((bits->idle & ~bits->held) == 0);
			held_here += (size_t)__builtin_popcount(bits->held);
			idle_here += (size_t)__builtin_popcount(bits->idle);
		}
		CHECK(held_here == range->held_count);
		CHECK(idle_here == range->idle_count);
		held += held_here;
		idle += idle_here;
	}
	CHECK(idle == budget->idle);
	CHECK(held <= budget->used);
	CHECK(budget->used <= budget->limit);
}

/* ---- spans ---- */

void page_span_init(struct page_span *span, struct page_budget *budget, void *base, size_t size)
{
	*span = (struct page_span){.budget = budget, .base = base, .size = size};
	if (budget == NULL)
		span->held = size;
	else
		CHECK((uintptr_t)base % budget->page_size == 0);
}

bool page_span_reach(struct page_span *span, size_t bytes)
{
	if (bytes <= span->held)
		return true;
	CHECK(bytes <= span->size);
	size_t held = page_budget_round(span->budget, bytes);
	if (!page_budget_take(span->budget, (held - span->held) / span->budget->page_size))
		return false;
	span->held = held;
	return true;
}

bool page_span_reach_sparing(struct page_span *span, size_t bytes)
{
	const struct page_budget *budget = span->budget;
	bool is_spare = bytes <= span->held ||
		page_budget_left(budget) >=
			bytes - span->held + budget->reserve * budget->page_size;
	return is_spare && page_span_reach(span, bytes);
}

void page_span_shrink(struct page_span *span, size_t bytes)
{
	if (span->budget == NULL)
		return;
	size_t held = page_budget_round(span->budget, bytes);
	if (held >= span->held)
		return;
	page_budget_give(
		span->budget, span->base + held, (span->held - held) / span->budget->page_size);
	span->held = held;
}
