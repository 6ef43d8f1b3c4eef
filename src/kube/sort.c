/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting of what blobs hold: ids, pairs, requirements; mostly a handful, mostly in order
 * already. (qsort() of some C libraries allocates.)
 */
#include <string.h>

#include "kube/decode.h"

enum { SORT_FEW = 24, SORT_ELEMENT_MAX = 64 };

static const uint8_t *sort_at(const uint8_t *elements, size_t size, uint32_t i)
{
	return elements + size * i;
}

static bool sort_less(const uint8_t *a, const uint8_t *b, uint32_t key_words)
{
	for (uint32_t i = 0; i < key_words; i++) {
		uint32_t x, y;
		memcpy(&x, a + sizeof(x) * i, sizeof(x));
		memcpy(&y, b + sizeof(y) * i, sizeof(y));
		if (x != y)
			return x < y;
	}
	return false;
}

static void sort_few(uint8_t *elements, size_t size, uint32_t key_words, uint32_t count)
{
	uint8_t moving[SORT_ELEMENT_MAX];
	for (uint32_t i = 1; i < count; i++) {
		uint32_t to = i;
		memcpy(moving, sort_at(elements, size, i), size);
		while (to > 0 && sort_less(moving, sort_at(elements, size, to - 1), key_words))
			to--;
		memmove(elements + size * (to + 1), elements + size * to, size * (i - to));
		memcpy(elements + size * to, moving, size);
	}
}

/* Lets the element at `top` sink in the heap of `count`, the largest on top. */
static void sort_sink(
	uint8_t *elements, size_t size, uint32_t key_words, uint32_t top, uint32_t count)
{
	uint8_t moving[SORT_ELEMENT_MAX];
	memcpy(moving, elements + size * top, size);
	for (;;) {
		uint32_t child = top * 2 + 1;
		if (child >= count)
			break;
		if (child + 1 < count &&
			sort_less(sort_at(elements, size, child),
				sort_at(elements, size, child + 1), key_words))
			child++;
		if (!sort_less(moving, sort_at(elements, size, child), key_words))
			break;
		memcpy(elements + size * top, elements + size * child, size);
		top = child;
	}
	memcpy(elements + size * top, moving, size);
}

static void sort_many(uint8_t *elements, size_t size, uint32_t key_words, uint32_t count)
{
	uint8_t largest[SORT_ELEMENT_MAX];
	for (uint32_t i = count / 2; i > 0; i--)
		sort_sink(elements, size, key_words, i - 1, count);
	for (uint32_t left = count - 1; left > 0; left--) {
		memcpy(largest, elements, size);
		memcpy(elements, elements + size * left, size);
		memcpy(elements + size * left, largest, size);
		sort_sink(elements, size, key_words, 0, left);
	}
}

void kube_sort(void *elements, size_t element_size, uint32_t key_words, uint32_t count)
{
	CHECK(element_size <= SORT_ELEMENT_MAX);
	CHECK(key_words * sizeof(uint32_t) <= element_size);
	uint8_t *bytes = elements;
	uint32_t sorted = 1;
	while (sorted < count &&
		!sort_less(sort_at(bytes, element_size, sorted),
			sort_at(bytes, element_size, sorted - 1), key_words))
		sorted++;
	if (sorted >= count)
		return;
	if (count <= SORT_FEW)
		sort_few(bytes, element_size, key_words, count);
	else
		sort_many(bytes, element_size, key_words, count);
}

uint32_t kube_sorted_unique(void *elements, size_t element_size, uint32_t key_words, uint32_t count)
{
	uint8_t *bytes = elements;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *element = sort_at(bytes, element_size, i);
		if (kept > 0 &&
			!sort_less(sort_at(bytes, element_size, kept - 1), element, key_words))
			continue;
		if (kept != i)
			memcpy(bytes + element_size * kept, element, element_size);
		kept++;
	}
	return kept;
}
