/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of commands, and what is said about them: help, and what is wrong with a command line.
 */
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "command/command.h"
#include "command/flags.h"
#include "command/output.h"
#include "config/options.h"
#include "dependencies.h"
#include "limits.h"

static const struct command version_command, help_command;

const struct command *const commands[] = {
	&run_command,
	&status_command,
	&pending_command,
	&nodes_command,
	&history_command,
	&page_command,
	&explain_command,
	&headroom_command,
	&simulate_command,
	&check_config_command,
	&clock_command,
	&update_command,
	&completion_command,
	&version_command,
	&help_command,
};
const uint32_t command_count = ARRAY_COUNT(commands);

const struct command *command_find(struct text name)
{
	for (uint32_t i = 0; i < command_count; i++)
		if (text_is_z(name, commands[i]->name))
			return commands[i];
	return NULL;
}

/* ---- help ---- */

enum { LINES = 4096 /* of the flags of a command, but those of run */ };

static void put_usage(const struct command *c, struct output *out)
{
	struct text rest = text_of(c->arguments), form;
	const char *before = "usage: berth ";
	while (text_cut(&rest, '\n', &form)) {
		output_format(out, "%s%s%s%.*s\n", before, c->name, form.size > 0 ? " " : "",
			TEXT_ARGS(form));
		before = "       berth ";
	}
}

static void put_flags(const struct command *c, struct output *out)
{
	union {
		max_align_t aligned;
		char bytes[COMMAND_FLAGS_MAX];
	} defaults;
	char lines[LINES];
	struct writer w;
	writer_init(&w, lines, sizeof(lines));
	memset(&defaults, 0, sizeof(defaults));
	if (c->set_defaults != NULL)
		c->set_defaults(&defaults);
	flags_help(c->flags, c->flag_count, &defaults, &w);
	output_z(out, "\nflags:\n");
	output_bytes(out, writer_text(&w));
}

struct run_flags { /* too large for a small stack */
	struct options options;
	struct config_faults faults, notes;
	char words[OPTIONS_HELP_MAX];
	char scratch[1 << 20];
};

static void put_flags_of_run(bool all, struct output *out)
{
	struct run_flags *run = memory_reserve(sizeof(*run));
	char *none[] = {NULL};
	struct scratch scratch;
	struct writer w;
	if (run == NULL)
		return;
	scratch_init(&scratch, run->scratch, sizeof(run->scratch));
	writer_init(&w, run->words, sizeof(run->words));
	const struct options_question nothing = {
		.argv = none, .scratch = &scratch, .faults = &run->faults, .notes = &run->notes};
	(void)!options_load(&run->options, &nothing);
	options_help(&run->options, all, &w);
	output_z(out, "\n");
	output_bytes(out, writer_text(&w));
	memory_release(run, sizeof(*run));
}

/* The same for all that ask. */
static void put_about_asking(const struct command *c, struct output *out)
{
	for (uint32_t i = 0; i < c->flag_count; i++)
		if (strcmp(c->flags[i].name, "insecure") == 0)
			output_z(out,
				"\nA running berth is asked, with the credentials of $KUBECONFIG, "
				"~/.kube/config or\nk3s's file: who may list pods and nodes may "
				"read. A token is sent only where the\ncertificate is proven.\n");
}

int command_help(const struct command_io *io, const struct command *c, bool all)
{
	struct output out;
	output_init(&out, io->out);
	put_usage(c, &out);
	output_z(&out, "\n");
	output_bytes(&out, text_of(c->about));
	put_about_asking(c, &out);
	if (c == &run_command)
		put_flags_of_run(all, &out);
	else if (c->flag_count > 0)
		put_flags(c, &out);
	if (c->examples != NULL)
		output_z(&out, "\nexamples:\n");
	struct text rest = text_of(c->examples), line;
	while (text_cut(&rest, '\n', &line))
		if (line.size > 0)
			output_format(&out, "  %.*s\n", TEXT_ARGS(line));
	output_flush(&out);
	return out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

static int list_commands(const struct command_io *io)
{
	struct output out;
	output_init(&out, io->out);
	output_z(&out,
		"berth is a Kubernetes scheduler in one small binary.\n\n"
		"usage: berth COMMAND [flags]\n\n");
	for (uint32_t i = 0; i < command_count; i++)
		output_format(&out, "  %-13s %s\n", commands[i]->name, commands[i]->what);
	output_z(&out,
		"\n'berth help COMMAND' has usage, flags with their defaults, and examples.\n");
	output_flush(&out);
	return out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

/* ---- what is wrong ---- */

int command_misused(const struct command_io *io, const struct command *c, struct text fault)
{
	struct output err;
	output_init(&err, io->err);
	output_format(
		&err, "berth: %.*s; 'berth %s --help' says more\n", TEXT_ARGS(fault), c->name);
	output_flush(&err);
	return COMMAND_MISUSED;
}

static int refuse_command(const struct command_io *io, const char *word)
{
	struct nearest nearest;
	struct output err;
	output_init(&err, io->err);
	nearest_init(&nearest, text_of(word));
	for (uint32_t i = 0; i < command_count; i++)
		nearest_try(&nearest, commands[i]->name);
	output_format(&err, "berth: unknown %s '%s'", word[0] == '-' ? "flag" : "command", word);
	if (nearest.best != NULL)
		output_format(&err, " (did you mean '%s'?)", nearest.best);
	output_z(&err, "; 'berth help' lists commands\n");
	output_flush(&err);
	return COMMAND_MISUSED;
}

bool command_begin(const struct command_io *io, const struct command *c, void *flags, int argc,
	char **argv, int *words, int *status)
{
	char room[512];
	struct writer fault;
	writer_init(&fault, room, sizeof(room));
	if (c->set_defaults != NULL)
		c->set_defaults(flags);
	enum flags_result read =
		flags_read(c->flags, c->flag_count, flags, argc, argv, words, &fault);
	if (read == FLAGS_HELP)
		*status = command_help(io, c, false);
	if (read == FLAGS_WRONG)
		*status = command_misused(io, c, writer_text(&fault));
	return read == FLAGS_READ;
}

/* ---- two small commands ---- */

struct help_flags {
	bool all;
};
static const struct flag help_flags[] = {{"all", 0, FLAG_BOOL, offsetof(struct help_flags, all),
	NULL, "of run: also flags without effect"}};

static int help_run(const struct command_io *io, int argc, char **argv)
{
	struct help_flags flags = {false};
	int words, status;
	if (!command_begin(io, &help_command, &flags, argc, argv, &words, &status))
		return status;
	if (words == 0)
		return list_commands(io);
	const struct command *c = command_find(text_of(argv[1]));
	return c == NULL ? refuse_command(io, argv[1]) : command_help(io, c, flags.all);
}

static const struct command help_command = {.name = "help",
	.what = "this list, or what a command does",
	.arguments = "[COMMAND]",
	.about = "Lists the commands, or says of one how it is used.\n",
	.flags = help_flags,
	.flag_count = ARRAY_COUNT(help_flags),
	.run = help_run};

static int version_run(const struct command_io *io, int argc, char **argv)
{
	struct output out;
	int words, status;
	if (!command_begin(io, &version_command, NULL, argc, argv, &words, &status))
		return status;
	if (words > 0)
		return command_misused(io, &version_command, TEXT("version takes no argument"));
	output_init(&out, io->out);
	output_z(&out, "berth " BERTH_VERSION "\nboard " BERTH_BOARD "\n");
	output_format(
		&out, "memory budget %llu MiB\n", (unsigned long long)LIMITS_MEMORY_BYTES >> 20);
	for (size_t i = 0; i < ARRAY_COUNT(dependencies); i++)
		output_format(&out, "%s\n", dependencies[i]);
	output_flush(&out);
	return out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

static const struct command version_command = {.name = "version",
	.what = "version, board, libraries and memory budget",
	.arguments = "",
	.about = "Says what this binary is made of.\n",
	.run = version_run};

int command_main(const struct command_io *io, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "help";
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	if (strcmp(word, "--version") == 0)
		word = "version";
	const struct command *c = command_find(text_of(word));
	return c == NULL ? refuse_command(io, word)
			 : c->run(io, argc - (argc > 1), argv + (argc > 1));
}
