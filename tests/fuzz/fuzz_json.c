/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cutter and the reader on any bytes. Byte 0 chooses shape, wants and buffer, byte 1 says how
 * many of the following bytes are sizes of slices, used round and round; the rest is the text.
 *
 * In slices and in one go the same must come out; a piece must be parsed by the reader; fed again
 * with everything wanted, it must come out as it is.
 */
// deps: base/real.c
// deps: json/*.c
// deps: base/text.c base/format.c base/scratch.c base/check.c base/budget.c base/trace.c
// deps: tests/fuzz/fuzz.c
// deps: base/arena.c base/pages.c base/memory.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "json/json.h"

enum { PIECE_BIG = 1 << 16, OUT_MAX = 1 << 20, SCRATCH_SIZE = 1 << 21 };

#define WANT_END           \
	{                  \
		NULL, NULL \
	}
static const struct json_want want_leaf[] = {{"name", NULL}, {"a", NULL}, {"", NULL}, WANT_END};
static const struct json_want want_star[] = {{"b", NULL}, {"*", want_leaf}, WANT_END};
static const struct json_want want_tree[] = {
	{"metadata", want_leaf}, {"spec", want_star}, {"a", want_star}, {"kind", NULL}, WANT_END};
static const struct json_want *const wants[] = {NULL, want_leaf, want_star, want_tree};

struct run {
	char out[OUT_MAX];
	size_t used;
	bool full;
	enum json_cut_result result;
	bool ended;
	uint64_t offset;
	const char *fault;
	struct json_cut *again; /* feeds each piece once more; NULL: not */
};

static struct run whole;
static struct run sliced;
static uint8_t scratch_memory[SCRATCH_SIZE];

static void must(bool fact, const char *what)
{
	if (fact)
		return;
	fprintf(stderr, "fuzz_json: %s\n", what);
	abort();
}

static struct json_cut *new_cutter(size_t piece_max)
{
	size_t size = json_cut_size(piece_max);
	void *block = malloc(size);

	must(block != NULL, "no memory");
	return json_cut_init(block, size, piece_max);
}

static void keep(struct run *run, const char *at, size_t size)
{
	if (run->full || size > OUT_MAX - run->used) {
		run->full = true;
		return;
	}
	memcpy(run->out + run->used, at, size);
	run->used += size;
}

/* Touches everything a reader can reach. */
static size_t read_value(struct json_value v)
{
	struct json_walk walk = json_walk(v);
	size_t bytes = json_scalar(v).size;
	uint32_t members = 0;

	for (; json_walk_next(&walk); members++)
		bytes += walk.key.size + read_value(walk.value);
	must(members == json_count(v), "members were miscounted");
	return bytes;
}

static bool take_again(void *self, struct json_piece piece)
{
	struct text *expected = self;

	must(piece.kind == JSON_PIECE_LINE, "a piece grew");
	must(text_is(piece.text, *expected), "a piece was not canonical");
	expected->at = NULL;
	return true;
}

static void check_piece(struct run *run, struct json_piece piece)
{
	struct scratch scratch;
	struct json_value root;
	struct text expected = piece.text;

	json_cut_start(run->again, JSON_CUT_LINES, NULL, NULL, take_again, &expected);
	must(json_cut_feed(run->again, piece.text) == JSON_CUT_MORE, "a piece is no JSON");
	must(json_cut_end(run->again), "a piece is not complete");
	must(expected.at == NULL, "a piece did not come again");

	scratch_init(&scratch, scratch_memory, SCRATCH_SIZE);
	must(json_parse(piece.text, &scratch, &root) == JSON_PARSED, "a piece was not parsed");
	must(text_is(json_raw(root), piece.text), "the root is not the whole piece");
	must(read_value(root) <= piece.text.size, "the reader made bytes up");
}

static bool take_piece(void *self, struct json_piece piece)
{
	struct run *run = self;
	char kind = (char)('0' + (int)piece.kind);
	char name[64];

	keep(run, &kind, 1);
	keep(run, piece.text.at, piece.text.size);
	keep(run, "\n", 1);
	if (piece.kind == JSON_PIECE_TOO_BIG)
		(void)json_scan_name(piece.text, name, sizeof(name));
	else if (run->again != NULL)
		check_piece(run, piece);
	return true;
}

static void cut_text(struct run *run, struct json_cut *cut, uint8_t choice, struct text text,
	const uint8_t *slices, size_t count)
{
	size_t at = 0;

	run->used = 0;
	run->full = false;
	run->result = JSON_CUT_MORE;
	json_cut_start(cut, (choice & 1) != 0 ? JSON_CUT_LIST : JSON_CUT_LINES,
		wants[choice >> 1 & 3], wants[choice >> 3 & 3], take_piece, run);
	for (size_t i = 0; at < text.size && run->result == JSON_CUT_MORE; i++) {
		size_t size = count == 0 ? text.size : (size_t)slices[i % count] + 1;
		char *slice;

		size = size > text.size - at ? text.size - at : size;
		/* a block of its own, so that reading beyond it is seen */
		slice = malloc(size);
		must(slice != NULL, "no memory");
		memcpy(slice, text.at + at, size);
		run->result = json_cut_feed(cut, (struct text){slice, size});
		free(slice);
		at += size;
	}
	run->ended = json_cut_end(cut);
	run->offset = json_cut_offset(cut);
	run->fault = json_cut_fault(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count;
	struct text text;
	struct json_cut *cut;

	if (size < 2 || size - 2 < data[1])
		return 0;
	count = data[1];
	text = (struct text){(const char *)data + 2 + count, size - 2 - count};
	cut = new_cutter((data[0] & 0x80) != 0 ? JSON_PIECE_MIN : PIECE_BIG);

	whole.again = new_cutter(PIECE_BIG);
	cut_text(&whole, cut, data[0], text, NULL, 0);
	cut_text(&sliced, cut, data[0], text, data + 2, count);
	must(whole.result == sliced.result, "slices changed the result");
	must(whole.ended == sliced.ended, "slices changed the end");
	must(whole.offset == sliced.offset, "slices changed the offset");
	must(whole.fault == sliced.fault, "slices changed the fault");
	must(whole.used == sliced.used, "slices changed the size of the pieces");
	must(memcmp(whole.out, sliced.out, whole.used) == 0, "slices changed the pieces");
	free(whole.again);
	free(cut);
	return 0;
}
