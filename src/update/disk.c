/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/disk.h"

#include <errno.h>
#include <unistd.h>

static bool descriptor_read(void *self, uint64_t at, void *to, size_t size)
{
	char *byte = to;

	while (size > 0) {
		ssize_t n = pread(*(int *)self, byte, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		byte += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

static bool descriptor_write(void *self, uint64_t at, const void *from, size_t size)
{
	const char *byte = from;

	while (size > 0) {
		ssize_t n = pwrite(*(int *)self, byte, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		byte += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
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
