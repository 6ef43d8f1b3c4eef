/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command says: bytes collected and written to a descriptor. Names come from files that
 * anybody may have written, so for people what would move a terminal's cursor becomes '?'.
 */
#ifndef BERTH_COMMAND_OUTPUT_H
#define BERTH_COMMAND_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/check.h"
#include "base/text.h"

enum { OUTPUT_BUFFER = 8192, OUTPUT_FORMAT_MAX = 1024 /* what one output_format() may print */ };

struct output {
	int fd;
	int error; /* errno of the first write that failed; nothing is written after it */
	size_t used;
	char buffer[OUTPUT_BUFFER];
};

void output_init(struct output *o, int fd);
void output_flush(struct output *o);
void output_bytes(struct output *o, struct text bytes); /* as they are */
void output_text(struct output *o, struct text t);      /* for people: without control characters */
void output_z(struct output *o, const char *zero_terminated);
/* Cut off after OUTPUT_FORMAT_MAX bytes; for people. */
void output_format(struct output *o, const char *format, ...) PRINTF_LIKE(2, 3);
/* In a column of that width; a text that is wider pushes the others. */
void output_column(struct output *o, struct text t, size_t width);
/* Columns that a text takes: characters, not bytes. */
size_t output_width(struct text t);

#endif
