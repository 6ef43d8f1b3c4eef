/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that read dumps.
 */
#ifndef BERTH_COMMAND_DUMP_PRIVATE_H
#define BERTH_COMMAND_DUMP_PRIVATE_H

#include "command/dump.h"

/* A file being read. */
struct source {
	struct dump *dump;
	const char *name;
	int fd;
	char *at; /* dump.input: bytes start..end are not taken yet */
	size_t start;
	size_t end;
	bool ended;
	int error;     /* errno of a read that failed */
	uint64_t line; /* of the byte at start */
	uint64_t taken;
	uint64_t size; /* of the whole file; 0: unknown */

	/* the list or object being read */
	uint64_t piece_line; /* where the object begins that is being cut */
	uint32_t pieces;     /* of the list, so far */
	char list_kind[64];  /* of items that do not say theirs; "" */
	bool is_list;
};

static inline struct text source_left(const struct source *s)
{
	return (struct text){s->at + s->start, s->end - s->start};
}
/* Reads more behind what is there; false at the end, when there is no room, or on an error. */
bool source_fill(struct source *s);
/* Takes bytes off the front, counting lines. */
void source_take(struct source *s, size_t size);

/* "berth: FILE:LINE: ..."; line 0 is the file as a whole. */
void dump_broken(struct source *s, uint64_t line, const char *format, ...) PRINTF_LIKE(3, 4);
void dump_warn(struct source *s, uint64_t line, const char *format, ...) PRINTF_LIKE(3, 4);
/* The rest of the file cannot be read. */
enum dump_result dump_unreadable(struct source *s, uint64_t line, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* An object as the cutter leaves it. False: no room in the picture, stop. */
bool dump_piece(struct source *s, struct json_piece piece);

extern const struct json_want dump_list_want[]; /* of a list without its items */

/* The kind of a list's items: "PodList" is a list of Pod. */
void source_set_list_kind(struct source *s, struct text kind);

/* dump_json.c, dump_yaml.c */
enum dump_result dump_read_json(struct source *s);
enum dump_result dump_read_yaml(struct source *s);

#endif
