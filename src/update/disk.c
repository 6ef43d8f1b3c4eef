/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/disk.h"

#include <errno.h>
#include <unistd.h>

/* Into `to`, or out of `from` when that is NULL. */
static bool descriptor_move(int fd, uint64_t at, char *to, const char *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = to != NULL ? pread(fd, to + done, size - done, (off_t)(at + done))
				       : pwrite(fd, from + done, size - done, (off_t)(at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool descriptor_read(void *self, uint64_t at, void *to, size_t size)
{
	return descriptor_move(*(int *)self, at, to, NULL, size);
}

static bool descriptor_write(void *self, uint64_t at, const void *from, size_t size)
{
	return descriptor_move(*(int *)self, at, NULL, from, size);
}

static bool descriptor_sync(void *self)
{
	return fsync(*(int *)self) == 0;
}

struct disk disk_of_descriptor(int *fd)
{
	return (struct disk){.read = descriptor_read,
		.write = descriptor_write,
		.sync = descriptor_sync,
		.self = fd};
}
