/* SPDX-License-Identifier: GPL-2.0-only */
/* The standard three descriptors, and no more than these. */
#include <unistd.h>

#include "base/sandbox.h"
#include "command/command.h"

struct command_io command_io(void)
{
	return (struct command_io){
		STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, isatty(STDERR_FILENO) == 1, true};
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
