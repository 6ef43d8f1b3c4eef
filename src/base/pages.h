/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages: one memory budget for everything that grows. Address space costs nothing; what counts is
 * the sum of the pages that are committed, for whatever. So each growing thing has address
 * space for the case that it alone needs the whole budget, and nothing is full while there is room
 * elsewhere.
 *
 *	page_range   pages anywhere in it: pools and stores. A page in which nothing is left is
 *	             kept for the next time; when there are too many of them, or others need them,
 *	             they go back to the system.
 *	page_span    the first pages of it: arrays and tables.
 *
 * The last part of the budget is a reserve. Its pages are given only while page_budget.may_use
 * allows it: what cannot be refused without harm finds room when all else is full. Its first half
 * also serves the few pods that are worked on then, so that scheduling goes on, and a quarter of
 * it the small records of pods that gave way. Its last quarter is not for pods that have a node: so
 * there is a queue, and a record of some that wait, however full of those memory is.
 *
 * Without a budget (NULL) nothing is counted: the owner's block was counted as a whole.
 */
#ifndef BERTH_BASE_PAGES_H
#define BERTH_BASE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/check.h"

struct page_range;
struct page_span;

/* Of the reserve, in quarters. */
enum page_reserve {
	PAGE_RESERVE_NONE,
	PAGE_RESERVE_RECORDS = 1,
	PAGE_RESERVE_WORK = 2,
	PAGE_RESERVE_KNOWN = 3,
	PAGE_RESERVE_ALL = 4
};

/* Something that can be made again: gives pages back when asked, true when it did. */
struct page_shedder {
	bool (*shed)(void *self);
	void *self;
	struct page_shedder *next;
};

struct page_budget {
	struct budget budget; /* in bytes */
	size_t page_size;
	size_t limit; /* in pages */
	size_t reserve;
	size_t used;
	size_t idle;               /* of those used: nothing is in them */
	bool may_exceed;           /* while all is set up: what it came to is asked at the end */
	bool may_shed;             /* what can be made again is not in use now */
	enum page_reserve may_use; /* by what is taken now */
	struct page_range *ranges;
	struct page_shedder *shedders; /* asked in the order in which they came */
};

/* Of 32 pages, a bit each. */
struct page_bits {
	uint32_t held; /* it is committed */
	uint32_t idle; /* ... and nothing is in it */
};

struct page_range {
	struct page_budget *budget;
	struct page_range *next;
	uint8_t *base;
	size_t count; /* pages there is address space for */
	struct page_bits *bits;
	size_t held_count;
	size_t idle_count;
};

struct page_span {
	struct page_budget *budget;
	uint8_t *base;
	size_t size; /* bytes there is address space for */
	size_t held; /* bytes that are committed: whole pages, or all of `size` without a budget */
};

/* `bytes` in all, `reserve` of them for what must not be refused. */
void page_budget_init(struct page_budget *budget, size_t bytes, size_t reserve);
void page_budget_add_shedder(struct page_budget *budget, struct page_shedder *shedder,
	bool (*shed)(void *self), void *self);
/*
 * While something gives way: what can be made again goes first, and this part of the reserve may be
 * used. Callers hold nothing that can be made again. NULL: nothing is counted.
 */
static inline void page_budget_make_way(struct page_budget *budget, enum page_reserve part)
{
	if (budget == NULL)
		return;
	budget->may_shed = true;
	budget->may_use = part;
}
static inline void page_budget_made_way(struct page_budget *budget)
{
	if (budget == NULL)
		return;
	budget->may_shed = false;
	budget->may_use = PAGE_RESERVE_ALL; /* later callers may use all of it */
}
/* What is taken for good while everything is set up. */
void page_budget_take_fixed(struct page_budget *budget, size_t bytes);
size_t page_budget_round(const struct page_budget *budget, size_t bytes); /* up to whole pages */
/* Bytes that can still be committed, the reserve not counted; idle pages are. */
size_t page_budget_left(const struct page_budget *budget);
/* More than this part of the reserve is in use, idle pages not counted: others should give way. */
bool page_budget_is_pressed(const struct page_budget *budget, enum page_reserve part);
/* Gives all pages back in which nothing is. */
void page_budget_trim(struct page_budget *budget);
/* CHECKs the sums; for tests. */
void page_budget_audit(const struct page_budget *budget);

/* `bits` is zeroed and has page_range_bits_size(). `base` begins a page, `size` is whole pages. */
void page_range_init(struct page_range *range, struct page_budget *budget, void *base, size_t size,
	struct page_bits *bits);
size_t page_range_bits_size(size_t page_size, size_t size);
/*
 * The pages of these bytes are there and in use. False: the budget is reached; pages among them
 * that were idle are not idle now, so the caller says again what is empty.
 */
MUST_USE bool page_range_hold(struct page_range *range, size_t from, size_t to);
/* Nothing is in the pages that lie between. */
void page_range_empty(struct page_range *range, size_t from, size_t to);

void page_span_init(struct page_span *span, struct page_budget *budget, void *base, size_t size);
/* The first `bytes` may be used; zero when new. False: the budget is reached, nothing changed. */
MUST_USE bool page_span_reach(struct page_span *span, size_t bytes);
/* The same for what can do with less: behind it the reserve, and as much again, stays free. */
MUST_USE bool page_span_reach_sparing(struct page_span *span, size_t bytes);
/* Only the first `bytes` are needed. */
void page_span_shrink(struct page_span *span, size_t bytes);

#endif
