/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files. Their size is not believed: what is read is bounded, so a device or a pipe without an end
 * is refused like any other file that is too large.
 */
#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool file_fail(const char **fault, const char *what)
{
	*fault = what;
	return false;
}

static const char too_large[] = "larger than 1 MiB, which no configuration is";

/* One byte more than a file may have tells that it has more. */
static bool read_all(int fd, char *to, size_t room, size_t *used, const char **fault)
{
	size_t most = room < CONFIG_FILE_MAX + 1 ? room : CONFIG_FILE_MAX + 1;
	for (*used = 0; *used < most;) {
		ssize_t got = read(fd, to + *used, most - *used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return file_fail(fault, strerror(errno));
		if (got == 0)
			return true;
		*used += (size_t)got;
	}
	return file_fail(
		fault, *used > CONFIG_FILE_MAX ? too_large : "no memory for what is in it");
}

bool config_fd_read(int fd, struct scratch *scratch, struct text *content, const char **fault)
{
	size_t room, used = 0;
	struct stat about;
	bool is_known = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
	char *at = scratch_take_rest(scratch, &room);
	bool done = is_known && about.st_size > CONFIG_FILE_MAX
		? file_fail(fault, too_large)
		: read_all(fd, at, room, &used, fault);
	scratch_keep(scratch, at, done ? used : 0);
	*content = done ? (struct text){at, used} : TEXT_NONE;
	return done;
}

bool config_file_read(
	const char *path, struct scratch *scratch, struct text *content, const char **fault)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	*content = TEXT_NONE;
	if (fd < 0)
		return file_fail(fault, strerror(errno));
	bool done = config_fd_read(fd, scratch, content, fault);
	(void)close(fd);
	return done;
}
