/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading vector files: they go through the cutter like everything that arrives. */
#include "vectors/lines.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "json/json.h"

enum { CHUNK = 64 * 1024, PATH_SIZE = 1024 };

struct reader {
	void (*fn)(void *self, struct text line);
	void *self;
	bool too_big;
};

static bool on_piece(void *self, struct json_piece piece)
{
	struct reader *reader = self;
	reader->too_big = reader->too_big || piece.kind == JSON_PIECE_TOO_BIG;
	if (piece.kind == JSON_PIECE_LINE)
		reader->fn(reader->self, piece.text);
	return true;
}

static bool read_stream(FILE *file, struct json_cut *cut, struct reader *reader)
{
	static const struct json_want all[] = {{"*", NULL}, {NULL, NULL}};
	static char chunk[CHUNK];
	json_cut_start(cut, JSON_CUT_LINES, all, NULL, on_piece, reader);
	size_t size;
	while ((size = fread(chunk, 1, sizeof(chunk), file)) > 0)
		if (json_cut_feed(cut, (struct text){chunk, size}) != JSON_CUT_MORE)
			return false;
	return json_cut_end(cut) && !reader->too_big;
}

static bool read_file(
	const char *folder, const char *name, struct json_cut *cut, struct reader *reader)
{
	char path[PATH_SIZE];
	bool packed = text_ends(text_of(name), TEXT(".xz"));
	int size = packed ? snprintf(path, sizeof(path), "xz -dc '%s/%s'", folder, name)
			  : snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (size >= (int)sizeof(path))
		return false;
	FILE *file = packed ? popen(path, "r") : fopen(path, "r");
	if (file == NULL)
		return false;
	bool done = read_stream(file, cut, reader);
	int status = packed ? pclose(file) : fclose(file);
	if (!done || status != 0)
		printf("%s: cannot be read to its end\n", path);
	return done && status == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_wanted(const char *name, const char *only)
{
	struct text t = text_of(name);
	if (!text_ends(t, TEXT(".jsonl")) && !text_ends(t, TEXT(".jsonl.xz")))
		return false;
	struct text family = text_first(t, text_find(t, '.'));
	return only != NULL ? text_is_z(family, only) : true;
}

bool lines_each_file(const char *folder, const char *only, size_t line_max,
	void (*fn)(void *self, struct text line), void *self)
{
	struct dirent **list;
	int count = scandir(folder, &list, NULL, by_name);
	if (count < 0) {
		printf("%s: no such folder\n", folder);
		return false;
	}
	size_t size = json_cut_size(line_max);
	struct json_cut *cut = json_cut_init(memory_reserve(size), size, line_max);
	struct reader reader = {.fn = fn, .self = self};
	bool all = true;
	for (int i = 0; i < count; i++) {
		if (is_wanted(list[i]->d_name, only))
			all = read_file(folder, list[i]->d_name, cut, &reader) && all;
		free(list[i]);
	}
	free(list);
	memory_release(cut, size);
	return all;
}
