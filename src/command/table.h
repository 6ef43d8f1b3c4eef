/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table: rows of JSON as columns that fit the terminal. What a row does not have, or has as
 * something else, is "-".
 */
#ifndef BERTH_COMMAND_TABLE_H
#define BERTH_COMMAND_TABLE_H

#include "command/command.h"
#include "command/output.h"
#include "json/json.h"

enum table_cell {
	CELL_SCALAR,
	CELL_STATE,      /* in colour */
	CELL_STATES,     /* {"unschedulable":60,"active":1} */
	CELL_NODE_STATE, /* the row's whole: Ready, NotReady, ... */
	CELL_LIST,
	CELL_SECONDS,  /* how long */
	CELL_SINCE_MS, /* since when: how long */
	CELL_TIME_MS,  /* when, UTC */
	CELL_CPU,      /* of milli: one, or a pair [requested, allocatable] */
	CELL_BYTES,    /* the same */
	CELL_COUNT     /* the same */
};

struct table_column {
	const char *title;
	const char *path; /* "a|b": the first that is there; "1": of an array the second */
	uint8_t cell;     /* enum table_cell */
	bool is_wide;     /* of -o wide alone */
};

struct table {
	const struct command_io *io;
	struct output *out;
	struct scratch *scratch;
	const struct table_column *columns;
	uint32_t count; /* TABLE_COLUMNS_MAX at most */
	bool is_wide;
	int64_t now_ms;
};
enum { TABLE_COLUMNS_MAX = 16, TABLE_CELL_MAX = 4096 };

void table_print(const struct table *table, const struct text *rows, uint32_t count);

/* "3d4h", "12s" */
void table_write_time(struct writer *w, int64_t seconds);
void table_write_bytes(struct writer *w, int64_t bytes); /* "3.4Gi" */
/* "1.2/4 30%" by the column's kind. */
void table_write_cell(const struct table *table, const struct table_column *c,
	struct json_value row, struct writer *w);
/* In colour when there is any, by the state; `shown` is as much of it as fits. */
void table_put_state(
	const struct command_io *io, struct output *out, struct text state, struct text shown);

#endif
