/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the system knows about this process. The file of /proc stays open: in the sandbox no other
 * one can be opened. Where there is none, its facts are zeroes.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "status/private.h"

void process_open(struct process *process)
{
	struct rlimit limit;
	process->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	/* Its size is the number of descriptors, since Linux 6.2. */
	process->files = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	process->files_max = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
	process->virtual_max_bytes = getrlimit(RLIMIT_AS, &limit) == 0 ? limit.rlim_cur : 0;
}

void process_close(const struct process *process)
{
	if (process->statm >= 0)
		(void)close(process->statm);
	if (process->files >= 0)
		(void)close(process->files);
}

static double process_seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

void process_facts(const struct process *process, struct process_facts *facts)
{
	char line[256];
	struct rusage usage;
	uint64_t page = memory_page_size();
	struct text part;
	uint64_t pages;
	struct stat files;
	*facts = (struct process_facts){
		.files_max = process->files_max, .virtual_max_bytes = process->virtual_max_bytes};
	if (fstat(process->files, &files) == 0)
		facts->files_open = (uint64_t)files.st_size;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		facts->cpu_s =
			process_seconds_of(usage.ru_utime) + process_seconds_of(usage.ru_stime);
	ssize_t got = pread(process->statm, line, sizeof(line), 0);
	struct text left = {line, got > 0 ? (size_t)got : 0};
	if (text_cut(&left, ' ', &part) && text_to_u64(part, &pages))
		facts->virtual_bytes = pages * page;
	if (text_cut(&left, ' ', &part) && text_to_u64(part, &pages))
		facts->resident_bytes = pages * page;
}
