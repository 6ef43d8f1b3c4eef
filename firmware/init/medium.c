/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The partition that a person edits on a laptop. It is read, never mounted and never written, so
 * that a cut of the power cannot hurt it.
 */
#include "firmware/init/init.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "update/fat.h"

enum { FILE_MAX = 64 * 1024, FILES_MAX = 32 };

struct copying {
	struct fat *fat;
	struct medium *medium;
};

static bool is_plain_name(struct text name)
{
	if (name.size == 0 || name.size > FAT_NAME_MAX || name.at[0] == '.')
		return false;
	for (size_t i = 0; i < name.size; i++) {
		char c = name.at[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			    c == '-' || c == '_' || c == '.'))
			return false;
	}
	return true;
}

static bool copy_file(void *self, struct text name, const struct fat_file *file)
{
	static char content[FILE_MAX];
	static const char *const ours[] = {"kubeconfig", "berth.yaml", "berth.conf"};
	struct copying *copying = self;
	char path[sizeof(RUN_FOLDER) + FAT_NAME_MAX + 2], plain[FAT_NAME_MAX + 1];
	size_t size;

	if (file->is_folder || file->size > sizeof(content) || !is_plain_name(name) ||
		!text_copy(name, plain, sizeof(plain)))
		return true;
	/* Some systems write short names in capitals. */
	for (size_t i = 0; i < ARRAY_COUNT(ours); i++)
		if (strcasecmp(plain, ours[i]) == 0)
			memcpy(plain, ours[i], strlen(ours[i]) + 1);
	if (!fat_read(copying->fat, file, content, sizeof(content), &size)) {
		say("%s on %s cannot be read", plain, copying->medium->device);
		return true;
	}
	file_path(path, sizeof(path), RUN_FOLDER, plain, NULL);
	if (!file_write(path, (struct text){content, size}, 0400, BERTH_USER))
		say("%s cannot be written", path);
	if (strcmp(plain, "kubeconfig") == 0)
		copying->medium->has_kubeconfig = size > 0;
	if (strcmp(plain, "berth.yaml") == 0)
		copying->medium->has_scheduler = size > 0;
	memset(content, 0, size); /* keys may have been in it */
	return ++copying->medium->files < FILES_MAX;
}

static bool try_device(struct medium *medium, const char *name)
{
	static struct fat fat;
	struct fat_file file;
	struct writer fault;
	char words[64];

	(void)snprintf(medium->device, sizeof(medium->device), "/dev/%.24s", name);
	int fd = open(medium->device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const struct disk disk = disk_of_descriptor(&fd);
	writer_init(&fault, words, sizeof(words));
	bool ours = fat_open(&fat, &disk, &fault) &&
		(fat_find(&fat, TEXT("slots/state"), &file) ||
			fat_find(&fat, TEXT("berth.conf"), &file));
	if (ours)
		fat_each(&fat, copy_file, &(struct copying){&fat, medium});
	(void)close(fd);
	return ours;
}

bool medium_find(struct medium *medium)
{
	struct dirent *entry;
	bool found = false;
	DIR *folder = opendir("/sys/class/block");

	memset(medium, 0, sizeof(*medium));
	while (!found && folder != NULL && (entry = readdir(folder)) != NULL) {
		char partition[300];

		file_path(partition, sizeof(partition), "/sys/class/block", entry->d_name,
			"partition");
		/* Partitions are found through their disk. */
		if (entry->d_name[0] == '.' || access(partition, F_OK) == 0 ||
			strncmp(entry->d_name, "loop", 4) == 0 ||
			strncmp(entry->d_name, "ram", 3) == 0)
			continue;
		found = try_device(medium, entry->d_name);
	}
	if (folder != NULL)
		(void)closedir(folder);
	if (!found)
		medium->device[0] = '\0';
	return found;
}
