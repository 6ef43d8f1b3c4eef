/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a text through the cutter in given slices and keeps everything that came out as one text:
 * a letter for the kind of each piece (I item, E envelope, L line, B too big), the piece, a line
 * feed. Two runs are the same when these texts and the ways they ended are.
 */
#ifndef BERTH_TESTS_JSON_COLLECT_H
#define BERTH_TESTS_JSON_COLLECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "json/json.h"

enum { COLLECT_MAX = 1 << 16 };

struct collect {
	char out[COLLECT_MAX];
	size_t used;
	uint32_t pieces;
	uint32_t stop_after; /* 0: never */
	enum json_cut_result result;
	bool ended;
	uint64_t offset;
	const char *fault;
};

/* How a text is to be cut. */
struct collect_job {
	enum json_cut_shape shape;
	const struct json_want *want;
	const struct json_want *envelope;
	size_t piece_max;
};

static inline bool collect_piece(void *self, struct json_piece piece)
{
	static const char letters[] = {[JSON_PIECE_ITEM] = 'I',
		[JSON_PIECE_ENVELOPE] = 'E',
		[JSON_PIECE_LINE] = 'L',
		[JSON_PIECE_TOO_BIG] = 'B'};
	struct collect *collect = self;

	TEST_ASSERT_TRUE(piece.text.size + 2 <= COLLECT_MAX - collect->used);
	collect->out[collect->used++] = letters[piece.kind];
	memcpy(collect->out + collect->used, piece.text.at, piece.text.size);
	collect->used += piece.text.size;
	collect->out[collect->used++] = '\n';
	collect->pieces++;
	/* the piece belongs to whoever gets it: nobody may rely on its bytes later */
	memset((char *)(uintptr_t)piece.text.at, '!', piece.text.size);
	return collect->stop_after == 0 || collect->pieces < collect->stop_after;
}

/* Feeds `size` bytes from a block of just that size, so that reading beyond it is seen. */
static inline enum json_cut_result collect_feed(struct json_cut *cut, const char *at, size_t size)
{
	char *block = malloc(size == 0 ? 1 : size);
	enum json_cut_result result;

	TEST_ASSERT_NOT_NULL(block);
	memcpy(block, at, size);
	result = json_cut_feed(cut, (struct text){block, size});
	free(block);
	return result;
}

static inline void collect_end(
	struct collect *collect, struct json_cut *cut, enum json_cut_result result)
{
	collect->result = result;
	collect->ended = json_cut_end(cut);
	collect->offset = json_cut_offset(cut);
	collect->fault = json_cut_fault(cut);
	TEST_ASSERT_EQUAL(result == JSON_CUT_BROKEN, collect->fault != NULL);
	TEST_ASSERT_TRUE(result != JSON_CUT_BROKEN || !collect->ended);
}

static inline struct json_cut *collect_cutter(size_t piece_max)
{
	size_t size = json_cut_size(piece_max);
	void *block = malloc(size);

	TEST_ASSERT_NOT_NULL(block);
	return json_cut_init(block, size, piece_max);
}

/* slices: sizes of the first slices, each at least 1; the last one repeats. */
static inline void collect_run(struct collect *collect, struct collect_job job, struct text text,
	const size_t *slices, size_t count)
{
	struct json_cut *cut = collect_cutter(job.piece_max);
	enum json_cut_result result = JSON_CUT_MORE;
	size_t at = 0;

	collect->used = 0;
	collect->pieces = 0;
	json_cut_start(cut, job.shape, job.want, job.envelope, collect_piece, collect);
	for (size_t i = 0; at < text.size && result == JSON_CUT_MORE; i++) {
		size_t size = slices[i < count ? i : count - 1];

		if (size > text.size - at)
			size = text.size - at;
		result = collect_feed(cut, text.at + at, size);
		at += size;
	}
	collect_end(collect, cut, result);
	free(cut);
}

static inline void collect_whole(struct collect *collect, struct collect_job job, struct text text)
{
	size_t slice = text.size == 0 ? 1 : text.size;

	collect_run(collect, job, text, &slice, 1);
}

static inline void collect_same(
	const struct collect *a, const struct collect *b, struct text text, size_t where)
{
	char message[160];

	snprintf(message, sizeof(message), "slice %zu of %.100s", where, text.at);
	TEST_ASSERT_EQUAL_MESSAGE(a->result, b->result, message);
	TEST_ASSERT_EQUAL_MESSAGE(a->ended, b->ended, message);
	TEST_ASSERT_EQUAL_MESSAGE(a->offset, b->offset, message);
	TEST_ASSERT_EQUAL_PTR_MESSAGE(a->fault, b->fault, message);
	TEST_ASSERT_EQUAL_MESSAGE(a->used, b->used, message);
	TEST_ASSERT_EQUAL_MEMORY_MESSAGE(a->out, b->out, a->used == 0 ? 1 : a->used, message);
}

/* Whole, byte by byte, in all small slices and cut in two at every position: always the same. */
static inline void collect_all_slicings(
	struct collect *whole, struct collect_job job, struct text text)
{
	static struct collect other;

	memset(whole->out, 0, 1);
	memset(other.out, 0, 1);
	other.stop_after = whole->stop_after;
	collect_whole(whole, job, text);
	for (size_t size = 1; size <= 40; size++) {
		collect_run(&other, job, text, &size, 1);
		collect_same(whole, &other, text, size);
	}
	for (size_t size = 1; size < text.size; size++) {
		size_t slices[2] = {size, text.size - size};

		collect_run(&other, job, text, slices, 2);
		collect_same(whole, &other, text, size);
	}
}

static inline struct text collect_out(const struct collect *collect)
{
	return (struct text){collect->out, collect->used};
}

static inline size_t read_data(const char *path, char *to, size_t max)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size = fread(to, 1, max, file);
	fclose(file);
	TEST_ASSERT_TRUE(size < max);
	return size;
}

#endif
