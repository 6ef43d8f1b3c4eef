/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * command - what people type: each command reads its flags and does its work, on a cluster or on
 * a picture of one that came from files. commands.c has the table of them.
 */
#ifndef BERTH_COMMAND_COMMAND_H
#define BERTH_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

/* The exit status. */
enum {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1,       /* bad input, or the answer could not be written */
	COMMAND_MISUSED = 2,      /* flags and arguments */
	COMMAND_UNSCHEDULABLE = 3 /* simulate, when that was asked for */
};

/* Where a command reads and writes; what "-" as a file stands for is `in`. */
struct command_io {
	int in;
	int out;
	int err;
	bool progress;  /* err is a terminal */
	bool is_alone;  /* the process is there for this command: what it needs no more may go */
	bool colour;    /* out is a terminal that shows colours */
	uint16_t width; /* columns of the terminal that out is; 0: it is none */
};

/* The standard three. */
struct command_io command_io(void);
/*
 * All files are open that will be read, and what is in them comes from anywhere: no other file can
 * be opened from here on, no port reached, and root is nobody, as far as the system offers it.
 */
void command_confine(const struct command_io *io);

/*
 * One command. Its help, its page of the manual and its completion are made of this, so that none
 * of them says what another does not.
 */
struct flag;
struct command {
	const char *name;
	const char *what;      /* a line in the list of commands */
	const char *arguments; /* behind the name in the usage; a line for each form */
	const char *about;     /* paragraphs, with their line feeds */
	const char *examples;  /* command lines, each with its line feed; NULL: none */
	const char *words;     /* "a|b": what its first word may be; NULL: anything */
	const struct flag *flags;
	uint8_t flag_count;
	void (*set_defaults)(void *flags); /* NULL: nothing is set but what is given */
	/* argv[0] is the command's name. Returns the exit status and leaves nothing behind. */
	int (*run)(const struct command_io *io, int argc, char **argv);
};

enum { COMMAND_FLAGS_MAX = 1024 /* bytes of the flags of a command */ };

/* In the order a newcomer meets them. */
extern const struct command *const commands[];
extern const uint32_t command_count;
extern const struct command run_command, simulate_command, explain_command, check_config_command,
	clock_command, update_command, completion_command, status_command, pending_command,
	nodes_command, history_command, page_command, headroom_command;

const struct command *command_find(struct text name); /* NULL: there is none */
/* Finds the command that argv[1] names and runs it. The exit status. */
int command_main(const struct command_io *io, int argc, char **argv);

/*
 * Reads the command's flags into `flags`; words move to the front of argv[1..]. False: *status is
 * the exit status, for help was given, or it was said what is wrong.
 */
MUST_USE bool command_begin(const struct command_io *io, const struct command *command, void *flags,
	int argc, char **argv, int *words, int *status);
/* The exit status. `all`: what has no effect, too. */
int command_help(const struct command_io *io, const struct command *command, bool all);
/* One line on err about flags or arguments; the exit status. */
int command_misused(const struct command_io *io, const struct command *command, struct text fault);

int run_run(const struct command_io *io, int argc, char **argv);
int simulate_run(const struct command_io *io, int argc, char **argv);
int explain_run(const struct command_io *io, int argc, char **argv);
int check_config_run(const struct command_io *io, int argc, char **argv);
int update_run(const struct command_io *io, int argc, char **argv);
int clock_run(const struct command_io *io, int argc, char **argv);
int status_run(const struct command_io *io, int argc, char **argv);
int pending_run(const struct command_io *io, int argc, char **argv);
int nodes_run(const struct command_io *io, int argc, char **argv);
int history_run(const struct command_io *io, int argc, char **argv);
int headroom_run(const struct command_io *io, int argc, char **argv);
int page_run(const struct command_io *io, int argc, char **argv);
int completion_run(const struct command_io *io, int argc, char **argv);

struct scheduler_config;
/* Writes the configuration to a file as check-config prints it. Returns the exit status. */
int check_config_write(
	const struct command_io *io, const struct scheduler_config *config, const char *path);

#endif
