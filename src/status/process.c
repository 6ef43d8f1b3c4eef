/* SPDX-License-Identifier: GPL-2.0-only */
/* What the system knows about this process. Files of /proc that cannot be read leave zeroes. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "status/private.h"

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static size_t read_small(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t got = read(fd, to, size);
	(void)close(fd);
	return got > 0 ? (size_t)got : 0;
}

void process_facts(struct process_facts *facts)
{
	char line[256];
	struct rusage usage;
	struct rlimit files;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct text part;
	uint64_t pages;
	*facts = (struct process_facts){0};
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		facts->cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		facts->files_max = files.rlim_cur;
	struct text left = {line, read_small("/proc/self/statm", line, sizeof(line))};
	if (text_cut(&left, ' ', &part) && text_to_u64(part, &pages))
		facts->virtual_bytes = pages * page;
	if (text_cut(&left, ' ', &part) && text_to_u64(part, &pages))
		facts->resident_bytes = pages * page;
}
