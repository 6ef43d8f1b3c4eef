/* SPDX-License-Identifier: GPL-2.0-only */
/* The standard three descriptors, and no more than these. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "command/command.h"

struct command_io command_io(void)
{
	struct winsize size = {.ws_col = 0};
	const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
	bool is_terminal = isatty(STDOUT_FILENO) == 1;
	if (!is_terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
		size.ws_col = 0;
	return (struct command_io){
		.in = STDIN_FILENO,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
		.progress = isatty(STDERR_FILENO) == 1,
		.is_alone = true,
		.colour = is_terminal && (plain == NULL || plain[0] == '\0') &&
			(terminal == NULL || strcmp(terminal, "dumb") != 0),
		.width = size.ws_col,
	};
}

void command_confine(const struct command_io *io)
{
	char words[SANDBOX_WORDS_MAX];
	struct writer in_force, missing;
	if (!io->is_alone)
		return;
	writer_init(&in_force, words, sizeof(words));
	writer_init(&missing, words, sizeof(words));
	sandbox_confine(&in_force, &missing);
}
