/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs a command inside of the test and keeps what it said.
 */
#ifndef BERTH_TESTS_COMMAND_RUN_H
#define BERTH_TESTS_COMMAND_RUN_H

#include "command/command.h"

enum { SAID_MAX = 256 << 10, ARGUMENTS_MAX = 32 };

struct said {
	int status;
	char out[SAID_MAX];
	char err[SAID_MAX];
};

/* Of the terminal that standard output is; none at first. */
struct terminal {
	bool colour;
	uint16_t width;
};
extern struct terminal terminal;

typedef int command_fn(const struct command_io *io, int argc, char **argv);

/* `input` is what "-" reads; NULL: nothing. argv[0] is the command's name; NULL ends argv. */
void run(struct said *said, command_fn *fn, const char *input, const char *const *argv);
/* The same with a program of that path. */
void run_program(
	struct said *said, const char *program, const char *input, const char *const *argv);

/* What was said is what stands in the file, which WRITE_OK=1 writes: look at it before it is
 * committed.
 */
void compare_with_file(const struct said *said, const char *path);

#define RUN(said, fn, input, ...) \
	run((said), (fn), (input), (const char *const[]){"command", __VA_ARGS__, NULL})

#endif
