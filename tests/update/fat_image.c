/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/fat_image.h"

#include <string.h>

enum { ROOT = 2, END = 0x0fffffff, DATA = FAT_IMAGE_RESERVED + FAT_IMAGE_TABLE };

static bool image_read(void *self, uint64_t at, void *to, size_t size)
{
	struct fat_image *image = self;

	CHECK(at % DISK_SECTOR == 0 && size % DISK_SECTOR == 0);
	if (at + size > sizeof(image->bytes))
		return false;
	memcpy(to, image->bytes + at, size);
	return true;
}

/* Sector by sector: a cut leaves those before whole and those behind as they were. */
static bool image_write(void *self, uint64_t at, const void *from, size_t size)
{
	struct fat_image *image = self;
	const uint8_t *bytes = from;

	CHECK(at % DISK_SECTOR == 0 && size % DISK_SECTOR == 0);
	CHECK(at + size <= sizeof(image->bytes));
	for (size_t i = 0; i < size; i += DISK_SECTOR) {
		if (image->writes_left == 0)
			return false;
		image->writes_left -= image->writes_left != INT64_MAX;
		image->writes++;
		memcpy(image->bytes + at + i, bytes + i, DISK_SECTOR);
	}
	return true;
}

static bool image_sync(void *self)
{
	return ((struct fat_image *)self)->writes_left != 0;
}

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)value;
	at[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value);
	put16(at + 2, value >> 16);
}

static uint8_t *cluster_at(struct fat_image *image, uint32_t cluster)
{
	return image->bytes + (DATA + cluster - ROOT) * DISK_SECTOR;
}

static void chain(struct fat_image *image, uint32_t cluster, uint32_t next)
{
	put32(image->bytes + FAT_IMAGE_RESERVED * DISK_SECTOR + cluster * 4, next);
}

void fat_image_make(struct fat_image *image)
{
	uint8_t *boot = image->bytes;

	memset(image, 0, sizeof(*image));
	put16(boot + 11, DISK_SECTOR);
	boot[13] = 1;
	put16(boot + 14, FAT_IMAGE_RESERVED);
	boot[16] = 1;
	put32(boot + 32, FAT_IMAGE_SECTORS);
	put32(boot + 36, FAT_IMAGE_TABLE);
	put32(boot + 44, ROOT);
	memcpy(boot + 82, "FAT32   ", 8);
	put16(boot + 510, 0xaa55);
	chain(image, ROOT, END);
	image->next = ROOT + 1;
	image->writes_left = INT64_MAX;
	image->disk = (struct disk){
		.read = image_read, .write = image_write, .sync = image_sync, .self = image};
}

static uint32_t take_clusters(struct fat_image *image, const void *content, uint32_t size)
{
	uint32_t first = 0, last = 0;

	for (uint32_t at = 0; at < size; at += DISK_SECTOR) {
		uint32_t cluster = image->next, part = size - at;

		image->next += 1 + image->gap;
		CHECK(image->next < FAT_IMAGE_TABLE * DISK_SECTOR / 4);
		memcpy(cluster_at(image, cluster), (const uint8_t *)content + at,
			part < DISK_SECTOR ? part : DISK_SECTOR);
		if (last != 0)
			chain(image, last, cluster);
		chain(image, cluster, END);
		first = first == 0 ? cluster : first;
		last = cluster;
	}
	return first;
}

/* A folder has one cluster: room for five long names. */
static uint32_t folder_of(struct fat_image *image, const char **path)
{
	uint32_t folder = ROOT;
	const char *slash;

	while ((slash = strchr(*path, '/')) != NULL) {
		const uint8_t *entry = cluster_at(image, folder);
		size_t length = (size_t)(slash - *path);

		while (memcmp(entry, *path, length) != 0 || entry[length] != ' ')
			entry += 32;
		folder = (uint32_t)entry[26] | (uint32_t)entry[27] << 8;
		*path = slash + 1;
	}
	return folder;
}

static void add_entry(struct fat_image *image, uint32_t folder, const char *name, uint32_t cluster,
	uint32_t size, bool is_folder)
{
	static const uint8_t places[] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};
	uint8_t *entry = cluster_at(image, folder);
	size_t length = strlen(name), parts = (length + 12) / 13;

	while (entry[0] != 0)
		entry += 32;
	for (size_t part = is_folder ? 0 : parts; part > 0; part--, entry += 32) {
		entry[0] = (uint8_t)(part | (part == parts ? 0x40 : 0));
		entry[11] = 0x0f;
		for (size_t i = 0; i < 13; i++) {
			size_t at = (part - 1) * 13 + i;

			put16(entry + places[i],
				at < length            ? (uint8_t)name[at]
					: at == length ? 0
						       : 0xffff);
		}
	}
	memset(entry, ' ', 11);
	memcpy(entry, is_folder ? name : "SHORT~1", is_folder ? length : 7);
	entry[11] = is_folder ? 0x10 : 0x20;
	put16(entry + 26, cluster);
	put16(entry + 20, cluster >> 16);
	put32(entry + 28, size);
	CHECK(entry + 32 < cluster_at(image, folder) + DISK_SECTOR);
}

void fat_image_folder(struct fat_image *image, const char *path)
{
	static const uint8_t empty[DISK_SECTOR];
	uint32_t folder = folder_of(image, &path);

	add_entry(image, folder, path, take_clusters(image, empty, sizeof(empty)), 0, true);
}

void fat_image_file(struct fat_image *image, const char *path, const void *content, uint32_t size)
{
	uint32_t folder = folder_of(image, &path);

	add_entry(image, folder, path, take_clusters(image, content, size), size, false);
}
