/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sink: lines into a descriptor that was handed over (a pipe, a socket, a file, a terminal),
 * without ever waiting: a line that is not taken at once is dropped and counted. Its reader meets
 * whole lines only.
 */
#ifndef BERTH_BASE_SINK_H
#define BERTH_BASE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { SINK_LINE_MAX = 4096 /* a pipe takes so many as a whole (PIPE_BUF) */ };

struct sink {
	int fd;           /* 0: it is closed */
	uint64_t dropped; /* since the last line that was taken */
	uint64_t dropped_all;
	size_t left; /* of a line of which a socket took a part */
	char rest[SINK_LINE_MAX];
};

void sink_open(struct sink *sink, int fd);
static inline bool sink_is_open(const struct sink *sink)
{
	return sink->fd > 0;
}
/* What the next line has to say about those before it. */
static inline uint64_t sink_dropped(const struct sink *sink)
{
	return sink->dropped;
}
/* Ends with a line feed. An empty one counts as dropped. */
void sink_put(struct sink *sink, struct text line);

#endif
