/* SPDX-License-Identifier: GPL-2.0-only */
/* The standard three descriptors. */
#include <unistd.h>

#include "command/command.h"

struct command_io command_io(void)
{
	return (struct command_io){
		STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, isatty(STDERR_FILENO) == 1};
}
