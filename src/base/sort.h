/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting in place, without allocation: n log n at worst, linear for what is in order already.
 * (qsort() of some C libraries allocates, and musl's has three times the code.)
 */
#ifndef BERTH_BASE_SORT_H
#define BERTH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum { SORT_ELEMENT_MAX = 64 };

/* Less than 0: `a` comes first. Elements that compare equal end in any order. */
typedef int sort_compare_fn(const void *a, const void *b);

void sort(void *elements, size_t count, size_t element_size, sort_compare_fn *compare);
/* Bytewise. */
void sort_texts(struct text *texts, size_t count);

#endif
