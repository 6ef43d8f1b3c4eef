/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command - what people type: each command reads its flags and does its work, on a cluster or on
 * a picture of one that came from files. main.c has the table of commands.
 */
#ifndef BERTH_COMMAND_COMMAND_H
#define BERTH_COMMAND_COMMAND_H

#include <stdbool.h>

/* The exit status. */
enum {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1, /* bad input, or the answer could not be written */
	COMMAND_MISUSED = 2 /* flags and arguments */
};

/* Where a command reads and writes; what "-" as a file stands for is `in`. */
struct command_io {
	int in;
	int out;
	int err;
	bool progress; /* err is a terminal that somebody looks at */
	bool is_alone; /* the process is there for this command: what it needs no more may go */
};

/* The standard three. */
struct command_io command_io(void);
/*
 * All files are open that will be read, and what is in them comes from anywhere: no other file can
 * be opened from here on, no port reached, and root is nobody, as far as the system offers it.
 */
void command_confine(const struct command_io *io);

/* argv[0] is the command's name. Each returns the exit status and leaves nothing behind. */
int run_run(const struct command_io *io, int argc, char **argv);
int simulate_run(const struct command_io *io, int argc, char **argv);
int explain_run(const struct command_io *io, int argc, char **argv);
int check_config_run(const struct command_io *io, int argc, char **argv);
int update_run(const struct command_io *io, int argc, char **argv);
int clock_run(const struct command_io *io, int argc, char **argv);

struct scheduler_config;
/* Writes the configuration to a file as check-config prints it. Returns the exit status. */
int check_config_write(
	const struct command_io *io, const struct scheduler_config *config, const char *path);

#endif
