/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Drivers. /lib/modules/list has lines `pattern file file...`: what a device says of itself that
 * wants the first file, and the files that it needs before, in their order. Made by
 * firmware/initramfs from Debian's kernel package.
 */
#include "firmware/init/init.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ALIAS_MAX = 512, PASSES = 6, MATCHED_MAX = 4096 };

static struct {
	struct text list;
	uint8_t matched[MATCHED_MAX / 8]; /* lines whose modules are there */
	uint32_t loaded;
} modules;

static bool load_one(struct text name)
{
	char path[128];
	int fd;

	if (name.size > 64)
		return false;
	(void)snprintf(path, sizeof(path), MODULES_FOLDER "/%.*s", TEXT_ARGS(name));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	long result = syscall(SYS_finit_module, fd, "", 0);
	int why = errno;
	(void)close(fd);
	if (result == 0)
		modules.loaded++;
	else if (why != EEXIST && why != ENODEV)
		say("driver %.*s: error %d", TEXT_ARGS(name), why);
	return result == 0 || why == EEXIST;
}

/* The first file is the driver; the others come before it. */
static void load_line(struct text files)
{
	struct text driver, file;

	if (!text_cut(&files, ' ', &driver))
		return;
	while (text_cut(&files, ' ', &file))
		if (file.size > 0)
			(void)load_one(file);
	(void)load_one(driver);
}

static void match(const char *alias)
{
	struct text rest = modules.list, line, pattern;
	char text[ALIAS_MAX];

	for (uint32_t i = 0; i < MATCHED_MAX && text_cut(&rest, '\n', &line); i++) {
		if ((modules.matched[i / 8] & 1u << i % 8) != 0 ||
			!text_cut(&line, ' ', &pattern) || line.at == NULL ||
			!text_copy(pattern, text, sizeof(text)) || fnmatch(text, alias, 0) != 0)
			continue;
		modules.matched[i / 8] |= (uint8_t)(1u << i % 8);
		load_line(line);
	}
}

static void match_bus(const char *bus)
{
	char path[512], alias[ALIAS_MAX];
	struct dirent *entry;

	file_path(path, sizeof(path), "/sys/bus", bus, "devices");
	DIR *folder = opendir(path);
	if (folder == NULL)
		return;
	while ((entry = readdir(folder)) != NULL) {
		char folder_of_device[300];

		if (entry->d_name[0] == '.')
			continue;
		file_path(folder_of_device, sizeof(folder_of_device), "/sys/bus", bus, "devices");
		file_path(path, sizeof(path), folder_of_device, entry->d_name, "modalias");
		if (file_read(path, alias, sizeof(alias)) > 0)
			match(alias);
	}
	(void)closedir(folder);
}

static bool open_list(void)
{
	struct stat info;
	int fd = open(MODULES_FOLDER "/list", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &info) == 0 && info.st_size > 0) {
		void *at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (at != MAP_FAILED)
			modules.list = (struct text){at, (size_t)info.st_size};
	}
	(void)close(fd);
	return modules.list.at != NULL;
}

uint32_t modules_load(void)
{
	struct dirent *entry;
	uint32_t before = modules.loaded;

	if (modules.list.at == NULL && !open_list())
		return 0;
	match("always");
	/* A driver of a bus brings new devices to light. */
	for (int pass = 0; pass < PASSES; pass++) {
		uint32_t loaded = modules.loaded;
		DIR *buses = opendir("/sys/bus");

		while (buses != NULL && (entry = readdir(buses)) != NULL)
			if (entry->d_name[0] != '.')
				match_bus(entry->d_name);
		if (buses != NULL)
			(void)closedir(buses);
		if (modules.loaded == loaded)
			break;
	}
	/* The kernel's own, where the machine has none. */
	if (access("/dev/watchdog", F_OK) != 0)
		match("watchdog");
	return modules.loaded - before;
}
