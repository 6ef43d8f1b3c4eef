/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scratch: memory for one piece of work, given back all at once. Overflow sticks: after the
 * first take that did not fit every further one returns NULL too, so code may take ten times
 * and look at `overflowed` once. Taken memory is zeroed.
 *
 * Under AddressSanitizer memory behind the fill mark is poisoned, so that use after a rewind is
 * seen.
 */
#ifndef BERTH_BASE_SCRATCH_H
#define BERTH_BASE_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/pages.h"

enum { SCRATCH_REST_MAX = 256 * 1024 };

struct scratch {
	uint8_t *base;
	size_t size;
	size_t used;
	size_t used_max;
	size_t rest; /* bytes that scratch_take_rest() gave */
	bool overflowed;
	struct page_span span;
};

struct scratch_mark {
	size_t used;
	bool overflowed;
};

/* The start is rounded up and the size down to 16: every take is aligned to 16. */
void scratch_init(struct scratch *scratch, void *block, size_t size);
/* In address space of the arena; work that is begun may use the reserve of its budget. */
void scratch_init_for(struct scratch *scratch, struct arena *arena, size_t size);
void *scratch_take(struct scratch *scratch, size_t size);
void scratch_reset(struct scratch *scratch);

/* Everything taken after the mark goes back, and so does an overflow that came after it. */
struct scratch_mark scratch_mark(const struct scratch *scratch);
void scratch_rewind(struct scratch *scratch, struct scratch_mark mark);

/*
 * Printing of unknown length: take what is left (not zeroed; where it costs pages, no more than
 * SCRATCH_REST_MAX), then keep the first `size` bytes of it. Nothing else can be taken in between.
 */
void *scratch_take_rest(struct scratch *scratch, size_t *size);
void scratch_keep(struct scratch *scratch, void *rest, size_t size);

/* Overflow-safe array: NULL (and overflowed) when count * size does not fit. */
void *scratch_take_array(struct scratch *scratch, size_t count, size_t size);
#define SCRATCH_ARRAY(scratch, type, count) \
	((type *)scratch_take_array((scratch), (count), sizeof(type)))
#define SCRATCH_ONE(scratch, type) ((type *)scratch_take((scratch), sizeof(type)))

#endif
