/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A FAT32 file system in memory, as mkfs.vfat and mcopy would make it, a sector a cluster: for
 * tests that break it, or cut the power.
 */
#ifndef BERTH_TESTS_UPDATE_FAT_IMAGE_H
#define BERTH_TESTS_UPDATE_FAT_IMAGE_H

#include "update/disk.h"

enum {
	FAT_IMAGE_RESERVED = 2,
	FAT_IMAGE_TABLE = 4, /* sectors: 512 clusters */
	FAT_IMAGE_SECTORS = FAT_IMAGE_RESERVED + FAT_IMAGE_TABLE + 510
};

struct fat_image {
	uint8_t bytes[FAT_IMAGE_SECTORS * DISK_SECTOR];
	uint32_t next;       /* the first free cluster */
	uint32_t gap;        /* clusters left out between two of a file */
	int64_t writes_left; /* then the power is gone; INT64_MAX: never */
	uint32_t writes;
	struct disk disk;
};

void fat_image_make(struct fat_image *image);
/* A folder ("slots", "slots/a") whose parent is there. */
void fat_image_folder(struct fat_image *image, const char *path);
void fat_image_file(struct fat_image *image, const char *path, const void *content, uint32_t size);

#endif
