/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that a person wrote, read as a whole: it is small, or it is not what was meant.
 */
#ifndef BERTH_CONFIG_FILE_H
#define BERTH_CONFIG_FILE_H

#include <stdbool.h>

#include "base/check.h"
#include "base/scratch.h"
#include "base/text.h"

enum { CONFIG_FILE_MAX = 1024 * 1024 };

/* All bytes of a file or a pipe, in scratch. False with a few words in *fault. */
MUST_USE bool config_file_read(
	const char *path, struct scratch *scratch, struct text *content, const char **fault);
/* The same of what is open already, and stays so. */
MUST_USE bool config_fd_read(
	int fd, struct scratch *scratch, struct text *content, const char **fault);

#endif
