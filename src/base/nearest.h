/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nearest: which of the names that there are was meant by one that there is not.
 */
#ifndef BERTH_BASE_NEAREST_H
#define BERTH_BASE_NEAREST_H

#include <stdint.h>

#include "base/text.h"

enum { NEAREST_NAME_MAX = 64 /* longer ones resemble nothing */ };

struct nearest {
	struct text wanted;
	const char *best; /* NULL: none is near enough */
	uint32_t fewest;
};

/*
 * An edit (a letter more, less, or another) for every three letters, and one, is a slip; but not a
 * name of which nothing is left.
 */
void nearest_init(struct nearest *n, struct text wanted);
/* Letters of either case are alike, and so are '-' and '_'. */
void nearest_try(struct nearest *n, const char *name);

#endif
