/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How benches make clusters: objects are printed, cut, parsed and fed as those that come over the
 * wire. Whatever goes wrong ends the program.
 */
#ifndef BERTH_TESTS_BENCH_FEED_H
#define BERTH_TESTS_BENCH_FEED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cache/feed.h"

enum { FEED_JSON_ROOM = 4096, FEED_SCRATCH = 1 << 20, FEED_PIECE = 1 << 16 };

static struct {
	struct cache *cache;
	struct scratch scratch;
	struct json_cut *cut;
} feeder;

static inline void die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

static inline size_t feed_size(void)
{
	return FEED_SCRATCH + json_cut_size(FEED_PIECE) + 4096;
}

static inline void feed_init(struct cache *cache, struct arena *arena)
{
	size_t cut = json_cut_size(FEED_PIECE);
	feeder.cache = cache;
	scratch_init(&feeder.scratch, arena_take_raw(arena, FEED_SCRATCH), FEED_SCRATCH);
	feeder.cut = json_cut_init(arena_take_raw(arena, cut), cut, FEED_PIECE);
}

static inline bool feed_piece(void *self, struct json_piece piece)
{
	struct json_value object;
	struct cache_fed fed;
	(void)self;
	scratch_reset(&feeder.scratch);
	if (json_parse(piece.text, &feeder.scratch, &object) != JSON_PARSED ||
		!cache_feed(feeder.cache, &feeder.scratch,
			kube_kind_of(json_text(json_get(object, "kind"))), object, &fed))
		die("an object is refused");
	return true;
}

/* ' stands for ". */
static void feed(const char *format, ...) PRINTF_LIKE(1, 2);
static void feed(const char *format, ...)
{
	char json[FEED_JSON_ROOM];
	va_list args;
	va_start(args, format);
	int size = vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	if (size < 0 || size >= (int)sizeof(json))
		die("an object is too long");
	for (int i = 0; i < size; i++)
		if (json[i] == '\'')
			json[i] = '"';
	json_cut_start(feeder.cut, JSON_CUT_LINES, kube_any_want, NULL, feed_piece, NULL);
	if (json_cut_feed(feeder.cut, (struct text){json, (size_t)size}) != JSON_CUT_MORE ||
		!json_cut_end(feeder.cut))
		die("an object is not JSON");
}

#endif
