/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * berth: finds the command, runs it, nothing else. What a command is made of is wired in command/.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "command/command.h"
#include "command/output.h"
#include "dependencies.h"
#include "limits.h"

struct command {
	const char *name;
	const char *arguments;
	const char *what;
	int (*run)(const struct command_io *io, int argc, char **argv);
};

static int help_run(const struct command_io *io, int argc, char **argv);
static int version_run(const struct command_io *io, int argc, char **argv);

/* In the order a newcomer meets them; help prints this table. */
static const struct command commands[] = {
	{"run", "--kubeconfig FILE", "schedule a cluster", run_run},
	{"simulate", "FILE...", "schedule the pending pods of a dump, offline", simulate_run},
	{"explain", "NS/POD --cluster FILE", "why a pod goes where it goes, or nowhere",
		explain_run},
	{"check-config", "FILE", "validate a configuration and print it", check_config_run},
	{"clock", "--kubeconfig FILE", "the apiserver's time, for a machine that has none",
		clock_run},
	{"update", "FILE --disk DISK", "put a signed update on a disk of the appliance",
		update_run},
	{"version", "", "version, board, libraries and memory budget", version_run},
	{"help", "", "this page", help_run},
};

static const size_t commands_count = sizeof(commands) / sizeof(commands[0]);

static int usage_error(const struct command_io *io, const char *what, const char *word)
{
	struct output err;
	output_init(&err, io->err);
	output_format(&err, "berth: %s '%s'; 'berth help' lists commands and flags\n", what, word);
	output_flush(&err);
	return COMMAND_MISUSED;
}

static int version_run(const struct command_io *io, int argc, char **argv)
{
	struct output out;
	if (argc > 1)
		return usage_error(io, "version takes no argument", argv[1]);
	output_init(&out, io->out);
	output_z(&out, "berth " BERTH_VERSION "\nboard " BERTH_BOARD "\n");
	output_format(
		&out, "memory budget %llu MiB\n", (unsigned long long)LIMITS_MEMORY_BYTES >> 20);
	for (size_t i = 0; i < sizeof(dependencies) / sizeof(dependencies[0]); i++)
		output_format(&out, "%s\n", dependencies[i]);
	output_flush(&out);
	return 0;
}

static int help_run(const struct command_io *io, int argc, char **argv)
{
	struct output out;
	if (argc > 1)
		return usage_error(io, "help takes no argument", argv[1]);
	output_init(&out, io->out);
	output_z(&out,
		"berth finds every pod its berth: a Kubernetes scheduler in one small binary.\n\n"
		"usage: berth COMMAND [flags]\n\n");
	for (size_t i = 0; i < commands_count; i++) {
		const struct command *c = &commands[i];
		int width = 30 - (int)strlen(c->name);
		output_format(&out, "  %s %-*s %s\n", c->name, width, c->arguments, c->what);
	}
	output_flush(&out);
	return 0;
}

/* Else a socket gets one of their numbers, and the log or a crash report is sent to a peer. */
static void open_missing_stdio(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

/* Invoked as kube-scheduler: the arguments are flags only. */
static bool is_kube_scheduler(const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	return name != NULL && strcmp(name, "kube-scheduler") == 0;
}

int main(int argc, char **argv)
{
	open_missing_stdio();
	check_version(BERTH_VERSION " (" BERTH_BOARD ")");
	check_catch_signals();
	const struct command_io io = command_io();
	const char *word = argc > 1 ? argv[1] : "help";

	if (is_kube_scheduler(argv[0]))
		return run_run(&io, argc, argv);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	if (strcmp(word, "--version") == 0)
		word = "version";
	for (size_t i = 0; i < commands_count; i++)
		if (strcmp(word, commands[i].name) == 0)
			return commands[i].run(&io, argc - 1, argv + 1);
	return usage_error(&io, word[0] == '-' ? "unknown flag" : "unknown command", word);
}
