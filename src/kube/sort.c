/* SPDX-License-Identifier: GPL-2.0-only */
/* Sorting of what blobs hold, by the words that it begins with: ids, pairs, requirements. */
#include <string.h>

#include "base/sort.h"
#include "kube/decode.h"

enum { KEY_WORDS_MAX = 3 };

static int compare_words(const void *a, const void *b, uint32_t key_words)
{
	uint32_t x[KEY_WORDS_MAX];
	uint32_t y[KEY_WORDS_MAX];
	memcpy(x, a, sizeof(*x) * key_words);
	memcpy(y, b, sizeof(*y) * key_words);
	for (uint32_t i = 0; i < key_words; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static int compare_word(const void *a, const void *b)
{
	return compare_words(a, b, 1);
}

static int compare_three_words(const void *a, const void *b)
{
	return compare_words(a, b, KEY_WORDS_MAX);
}

void kube_sort(void *elements, size_t element_size, uint32_t key_words, uint32_t count)
{
	CHECK(key_words == 1 || key_words == KEY_WORDS_MAX);
	CHECK(key_words * sizeof(uint32_t) <= element_size);
	sort(elements, count, element_size, key_words == 1 ? compare_word : compare_three_words);
}

uint32_t kube_sorted_unique(void *elements, size_t element_size, uint32_t key_words, uint32_t count)
{
	uint8_t *bytes = elements;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *element = bytes + element_size * i;
		uint8_t *to = bytes + element_size * kept;
		if (kept > 0 && compare_words(to - element_size, element, key_words) == 0)
			continue;
		if (kept != i)
			memcpy(to, element, element_size);
		kept++;
	}
	return kept;
}
