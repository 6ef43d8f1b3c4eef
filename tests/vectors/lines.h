/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of the vector files of a folder: NAME.jsonl, or NAME.jsonl.xz through xz.
 */
#ifndef BERTH_TESTS_VECTORS_LINES_H
#define BERTH_TESTS_VECTORS_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Calls fn for each line, canonical JSON; only != NULL: of that family alone. */
bool lines_each_file(const char *folder, const char *only, size_t line_max,
	void (*fn)(void *self, struct text line), void *self);

#endif
