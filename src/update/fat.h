/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * FAT32, read by ourselves and never changed: files are found and read, and where their bytes lie
 * on the disk is given. Who writes there changes what is in a file, not where it is or how long, so
 * no cut of the power can damage the file system.
 *
 * What is on the disk comes from anywhere: every number of it is checked, and no walk is longer
 * than the disk has clusters.
 */
#ifndef BERTH_UPDATE_FAT_H
#define BERTH_UPDATE_FAT_H

#include "base/text.h"
#include "update/disk.h"

enum { FAT_NAME_MAX = 64 /* longer names are not ours */ };

struct fat {
	const struct disk *disk;
	uint64_t table_at, data_at; /* bytes from the start of the disk */
	uint32_t cluster_size;      /* bytes */
	uint32_t clusters_end;      /* the first number that is no cluster */
	uint32_t root;
	uint64_t cached; /* the sector of the table that is in `sector`; 0: none */
	uint8_t sector[DISK_SECTOR];
};

/* Of a disk with a partition table the first FAT32 in it. False with one line in `fault`. */
MUST_USE bool fat_open(struct fat *fat, const struct disk *disk, struct writer *fault);

struct fat_file {
	uint32_t cluster; /* 0: it is empty */
	uint32_t size;    /* of a folder: 0 */
	bool is_folder;
};

/* "kubeconfig", "loader/loader.conf": letters are the same in both cases. False: not there. */
MUST_USE bool fat_find(struct fat *fat, struct text path, struct fat_file *file);
/* Each file at the top, until `visit` says false. */
void fat_each(struct fat *fat,
	bool (*visit)(void *self, struct text name, const struct fat_file *file), void *self);

/* A place in a file that moves forward. */
struct fat_place {
	uint32_t cluster;
	uint32_t left;  /* bytes of the file from here on */
	uint32_t steps; /* clusters passed */
};
struct fat_place fat_start(const struct fat_file *file);
/*
 * The next bytes that lie together, at most `max`, a multiple of DISK_SECTOR, of which the last
 * sector may be padded. 0: the end, or the disk is damaged (then place->left is not 0).
 */
uint32_t fat_next(struct fat *fat, struct fat_place *place, uint32_t max, uint64_t *at);

/* The whole file, when it has at most `size` bytes. */
MUST_USE bool fat_read(
	struct fat *fat, const struct fat_file *file, char *to, size_t size, size_t *got);

#endif
