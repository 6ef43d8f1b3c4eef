/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How fast the cutter is: a pod list is made from the sample pods in tests/json/data, as the
 * apiserver sends it (no white space), and cut in slices of 16 kB with what a scheduler wants.
 *
 *   bench_json [MB [ROUNDS [list|heavy|pretty|whole]]]
 */
// deps: base/real.c
// deps: json/*.c
// deps: base/text.c base/format.c base/scratch.c base/check.c base/budget.c base/trace.c
// deps: base/arena.c base/pages.c base/memory.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json/json.h"
#include "../json/pod_want.h"

enum { SLICE = 16384, PIECE_MAX = 64 * 1024, SAMPLE_MAX = 64 * 1024 };

struct sample {
	char text[SAMPLE_MAX];
	size_t size;
};

struct bench {
	struct json_cut *cut;
	char *list;
	size_t size;
	size_t max;
	uint64_t pieces;
	uint64_t piece_bytes;
};

static void die(const char *why)
{
	fprintf(stderr, "bench_json: %s\n", why);
	exit(1);
}

static size_t read_file(const char *path, char *to, size_t max)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	if (file == NULL)
		die(path);
	size = fread(to, 1, max, file);
	fclose(file);
	return size;
}

static void *take(size_t size)
{
	void *block = malloc(size);

	if (block == NULL)
		die("no memory");
	return block;
}

static bool add_item(void *self, struct json_piece piece)
{
	struct bench *bench = self;

	if (piece.kind != JSON_PIECE_ITEM && piece.kind != JSON_PIECE_LINE)
		return true;
	if (bench->max - bench->size < piece.text.size + 1)
		return false;
	memcpy(bench->list + bench->size, piece.text.at, piece.text.size);
	bench->size += piece.text.size;
	bench->list[bench->size++] = ',';
	return true;
}

/* Appends the items of a file without white space. */
static void add_file(struct bench *bench, const char *path, enum json_cut_shape shape)
{
	static char text[SAMPLE_MAX];
	size_t size = read_file(path, text, sizeof(text));

	json_cut_start(bench->cut, shape, NULL, NULL, add_item, bench);
	if (json_cut_feed(bench->cut, (struct text){text, size}) == JSON_CUT_BROKEN)
		die(json_cut_fault(bench->cut));
}

static void make_list(struct bench *bench, size_t max, bool heavy_only)
{
	static const char head[] = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\","
				   "\"metadata\":{\"resourceVersion\":\"258\"},\"items\":[";

	bench->list = take(max + 2);
	bench->max = max;
	memcpy(bench->list, head, sizeof(head) - 1);
	bench->size = sizeof(head) - 1;
	for (size_t before = 0; before != bench->size;) {
		before = bench->size;
		add_file(bench, "tests/json/data/pod-heavy.json", JSON_CUT_LINES);
		if (!heavy_only)
			add_file(bench, "tests/json/data/list-pods-page1.json", JSON_CUT_LIST);
	}
	bench->size--; /* the last comma */
	bench->list[bench->size++] = ']';
	bench->list[bench->size++] = '}';
}

/* The list as the server indents it for people: page 1 over and over. */
static void make_pretty(struct bench *bench, size_t max)
{
	static char page[SAMPLE_MAX];
	size_t size = read_file("tests/json/data/list-pods-page1.json", page, sizeof(page));
	struct text text = {page, size};
	size_t from = 0;
	size_t to = text_find_last(text, ']');

	while (strncmp(page + from, "\"items\": [", 10) != 0)
		from++;
	from += 10;
	bench->list = take(max + SAMPLE_MAX);
	memcpy(bench->list, page, from);
	bench->size = from;
	while (bench->size < max) {
		memcpy(bench->list + bench->size, page + from, to - from);
		bench->size += to - from;
		bench->list[bench->size++] = ',';
	}
	bench->size--;
	memcpy(bench->list + bench->size, "]}", 2);
	bench->size += 2;
}

static bool count_piece(void *self, struct json_piece piece)
{
	struct bench *bench = self;

	if (piece.kind == JSON_PIECE_TOO_BIG)
		die("a piece did not fit");
	bench->pieces++;
	bench->piece_bytes += piece.text.size;
	return true;
}

static void cut_list(struct bench *bench, const struct json_want *want)
{
	json_cut_start(bench->cut, JSON_CUT_LIST, want, NULL, count_piece, bench);
	for (size_t at = 0; at < bench->size; at += SLICE) {
		size_t size = bench->size - at < SLICE ? bench->size - at : SLICE;
		struct text slice = {bench->list + at, size};

		if (json_cut_feed(bench->cut, slice) != JSON_CUT_MORE)
			die(json_cut_fault(bench->cut));
	}
	if (!json_cut_end(bench->cut))
		die("the list did not end");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	size_t max = (size_t)(argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
	const char *what = argc > 3 ? argv[3] : "list";
	size_t block = json_cut_size(PIECE_MAX);
	struct bench bench = {.pieces = 0};
	double best = 0;

	bench.cut = json_cut_init(take(block), block, PIECE_MAX);
	if (strcmp(what, "pretty") == 0)
		make_pretty(&bench, max);
	else
		make_list(&bench, max, strcmp(what, "heavy") == 0);
	for (unsigned long i = 0; i < rounds; i++) {
		double begin = seconds();
		double rate;

		bench.pieces = bench.piece_bytes = 0;
		cut_list(&bench, strcmp(what, "whole") == 0 ? NULL : pod_want);
		rate = (double)bench.size / (seconds() - begin) / 1e6;
		best = rate > best ? rate : best;
	}
	printf("json_cut %s: %.0f MB/s, %llu pods, %.0f bytes each, thinned to %.0f\n", what, best,
		(unsigned long long)bench.pieces, (double)bench.size / (double)bench.pieces,
		(double)bench.piece_bytes / (double)bench.pieces);
	free(bench.list);
	free(bench.cut);
	return 0;
}
