/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * berth: what must be so before any command runs. The table of commands is in command/commands.c.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "command/command.h"

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
	return is_kube_scheduler(argv[0]) ? run_run(&io, argc, argv)
					  : command_main(&io, argc, argv);
}
