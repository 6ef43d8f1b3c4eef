/* SPDX-License-Identifier: GPL-2.0-only */
/* Insertion for a handful, mostly in order already; a heap for many. */
#include "base/sort.h"

#include <string.h>

#include "base/check.h"

enum { SORT_FEW = 24 };

struct sorting {
	uint8_t *elements;
	size_t size; /* of each */
	sort_compare_fn *compare;
};

static uint8_t *sort_at(const struct sorting *s, size_t i)
{
	return s->elements + s->size * i;
}

static void sort_few(const struct sorting *s, size_t count, size_t sorted)
{
	uint8_t moving[SORT_ELEMENT_MAX];
	for (size_t i = sorted; i < count; i++) {
		size_t to = i;
		memcpy(moving, sort_at(s, i), s->size);
		while (to > 0 && s->compare(moving, sort_at(s, to - 1)) < 0)
			to--;
		memmove(sort_at(s, to + 1), sort_at(s, to), s->size * (i - to));
		memcpy(sort_at(s, to), moving, s->size);
	}
}

/* Lets `moving` sink from `top` in the heap of `count`, the last in order on top. */
static void sort_sink(const struct sorting *s, const uint8_t *moving, size_t top, size_t count)
{
	for (;;) {
		size_t child = top * 2 + 1;
		if (child >= count)
			break;
		if (child + 1 < count && s->compare(sort_at(s, child), sort_at(s, child + 1)) < 0)
			child++;
		if (s->compare(moving, sort_at(s, child)) >= 0)
			break;
		memcpy(sort_at(s, top), sort_at(s, child), s->size);
		top = child;
	}
	memcpy(sort_at(s, top), moving, s->size);
}

static void sort_many(const struct sorting *s, size_t count)
{
	uint8_t moving[SORT_ELEMENT_MAX];
	for (size_t i = count / 2; i > 0; i--) {
		memcpy(moving, sort_at(s, i - 1), s->size);
		sort_sink(s, moving, i - 1, count);
	}
	for (size_t left = count - 1; left > 0; left--) {
		memcpy(moving, sort_at(s, left), s->size);
		memcpy(sort_at(s, left), sort_at(s, 0), s->size);
		sort_sink(s, moving, 0, left);
	}
}

void sort(void *elements, size_t count, size_t element_size, sort_compare_fn *compare)
{
	CHECK(element_size <= SORT_ELEMENT_MAX);
	const struct sorting s = {elements, element_size, compare};
	size_t sorted = 1;
	while (sorted < count && compare(sort_at(&s, sorted - 1), sort_at(&s, sorted)) <= 0)
		sorted++;
	if (count <= SORT_FEW)
		sort_few(&s, count, sorted);
	else if (sorted < count)
		sort_many(&s, count);
}

static int compare_texts(const void *a, const void *b)
{
	return text_compare(*(const struct text *)a, *(const struct text *)b);
}

void sort_texts(struct text *texts, size_t count)
{
	sort(texts, count, sizeof(*texts), compare_texts);
}
