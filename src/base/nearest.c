/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that resemble each other. */
#include "base/nearest.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static char plain(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c | 0x20);
	return c == '_' ? '-' : c;
}

/* How many letters are to be put in, left out or changed to make one name of the other. */
static uint32_t distance(struct text a, struct text b)
{
	uint32_t row[NEAREST_NAME_MAX + 1];
	for (uint32_t k = 0; k <= b.size; k++)
		row[k] = k;
	for (uint32_t i = 0; i < a.size; i++) {
		uint32_t corner = row[0]++;
		for (uint32_t k = 0; k < b.size; k++) {
			uint32_t change = corner + (plain(a.at[i]) != plain(b.at[k]));
			corner = row[k + 1];
			row[k + 1] = least(change, least(row[k], corner) + 1);
		}
	}
	return row[b.size];
}

void nearest_init(struct nearest *n, struct text wanted)
{
	uint32_t size = (uint32_t)wanted.size;
	*n = (struct nearest){wanted, NULL, least(size / 3 + 2, size)};
}

void nearest_try(struct nearest *n, const char *name)
{
	struct text t = text_of(name);
	if (t.size > NEAREST_NAME_MAX || n->wanted.size > NEAREST_NAME_MAX)
		return;
	uint32_t edits = distance(n->wanted, t);
	if (edits >= n->fewest)
		return;
	n->fewest = edits;
	n->best = name;
}
