/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/fat.h"

#include <string.h>

enum {
	PARTITIONS = 4,
	PARTITIONS_AT = 446,
	PARTITION_SIZE = 16,
	ENTRY_SIZE = 32,
	CLUSTER_FIRST = 2,
	CLUSTER_MASK = 0x0fffffff,
	CLUSTER_MAX = 0x0ffffff5,
	CLUSTER_SIZE_MAX = 64 * 1024,
	FOLDER_MAX = 4096, /* clusters; a larger folder is none of ours */
	LONG_PART = 13,
	ATTRIBUTE_LABEL = 0x08,
	ATTRIBUTE_FOLDER = 0x10,
	ATTRIBUTE_LONG = 0x0f
};

static uint32_t get16(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t get32(const uint8_t *at)
{
	return get16(at) | get16(at + 2) << 16;
}

/* ---- the file system ---- */

/* False: this is no FAT32, or none that we can read. */
static bool fat_open_at(struct fat *fat, uint64_t start, const uint8_t *boot)
{
	uint32_t reserved = get16(boot + 14), tables = boot[16], table = get32(boot + 36);
	uint32_t sectors = get32(boot + 32), per_cluster = boot[13];

	if (boot[510] != 0x55 || boot[511] != 0xaa || memcmp(boot + 82, "FAT32   ", 8) != 0)
		return false;
	if (get16(boot + 11) != DISK_SECTOR || per_cluster == 0 ||
		(per_cluster & (per_cluster - 1)) != 0 || tables == 0 || tables > 2 ||
		reserved == 0 || table == 0)
		return false;
	uint64_t data = reserved + (uint64_t)tables * table;
	if (per_cluster * DISK_SECTOR > CLUSTER_SIZE_MAX || sectors <= data)
		return false;
	uint64_t clusters = (sectors - data) / per_cluster;
	if (clusters > (uint64_t)table * DISK_SECTOR / 4)
		clusters = (uint64_t)table * DISK_SECTOR / 4;
	if (clusters > CLUSTER_MAX - CLUSTER_FIRST)
		return false;
	fat->table_at = start + (uint64_t)reserved * DISK_SECTOR;
	fat->data_at = start + data * DISK_SECTOR;
	fat->cluster_size = per_cluster * DISK_SECTOR;
	fat->clusters_end = (uint32_t)clusters + CLUSTER_FIRST;
	fat->root = get32(boot + 44);
	return true;
}

bool fat_open(struct fat *fat, const struct disk *disk, struct writer *fault)
{
	uint8_t first[DISK_SECTOR], boot[DISK_SECTOR];

	memset(fat, 0, sizeof(*fat));
	fat->disk = disk;
	if (!disk->read(disk->self, 0, first, sizeof(first))) {
		write_z(fault, "the disk cannot be read");
		return false;
	}
	if (fat_open_at(fat, 0, first))
		return true;
	if (first[510] == 0x55 && first[511] == 0xaa)
		for (int i = 0; i < PARTITIONS; i++) {
			const uint8_t *entry = first + PARTITIONS_AT + i * PARTITION_SIZE;
			uint64_t start = (uint64_t)get32(entry + 8) * DISK_SECTOR;

			if (entry[4] != 0 && start != 0 &&
				disk->read(disk->self, start, boot, sizeof(boot)) &&
				fat_open_at(fat, start, boot))
				return true;
		}
	write_z(fault, "there is no FAT32 file system on it");
	return false;
}

static bool is_cluster(const struct fat *fat, uint32_t cluster)
{
	return cluster >= CLUSTER_FIRST && cluster < fat->clusters_end;
}

static uint64_t cluster_place_of(const struct fat *fat, uint32_t cluster)
{
	return fat->data_at + (uint64_t)(cluster - CLUSTER_FIRST) * fat->cluster_size;
}

/* 0: there is none, or the table cannot be read. */
static uint32_t behind(struct fat *fat, uint32_t cluster)
{
	uint64_t at = fat->table_at + (uint64_t)cluster * 4;
	uint64_t sector = at - at % DISK_SECTOR;

	if (fat->cached != sector) {
		fat->cached = 0;
		if (!fat->disk->read(fat->disk->self, sector, fat->sector, DISK_SECTOR))
			return 0;
		fat->cached = sector;
	}
	uint32_t next = get32(fat->sector + at % DISK_SECTOR) & CLUSTER_MASK;
	return is_cluster(fat, next) ? next : 0;
}

/* ---- folders ---- */

struct name {
	char at[FAT_NAME_MAX + 2 * LONG_PART];
	uint32_t size;
	bool is_long; /* its parts came before the entry, last first */
};

/* Characters beyond ASCII become '?': no name of ours has one. */
static void take_long_part(struct name *name, const uint8_t *entry)
{
	static const uint8_t places[LONG_PART] = {1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30};
	uint32_t number = entry[0] & 0x1f, from = (number - 1) * LONG_PART;

	if ((entry[0] & 0x40) != 0) {
		memset(name, 0, sizeof(*name));
		name->is_long = true;
	}
	if (number == 0 || from + LONG_PART > sizeof(name->at)) {
		name->is_long = false;
		return;
	}
	for (uint32_t i = 0; i < LONG_PART; i++) {
		uint32_t c = get16(entry + places[i]);

		if (c == 0 || c == 0xffff)
			break;
		name->at[from + i] = c < 0x80 ? (char)c : '?';
		if (name->size < from + i + 1)
			name->size = from + i + 1;
	}
}

static void take_short_name(struct name *name, const uint8_t *entry)
{
	name->size = 0;
	for (int i = 0; i < 11; i++) {
		if (entry[i] == ' ')
			continue;
		if (i >= 8 && memchr(name->at, '.', name->size) == NULL)
			name->at[name->size++] = '.';
		name->at[name->size++] = (char)entry[i];
	}
}

struct search {
	bool (*visit)(void *self, struct text name, const struct fat_file *file);
	void *self;
	struct name name;
};

/* False: no further entry is wanted, or there is none. */
static bool visit_entry(struct search *search, const uint8_t *entry)
{
	uint8_t attributes = entry[11];
	struct name *name = &search->name;

	if (entry[0] == 0)
		return false;
	if (entry[0] == 0xe5) {
		name->is_long = false;
		return true;
	}
	if ((attributes & 0x3f) == ATTRIBUTE_LONG) {
		take_long_part(name, entry);
		return true;
	}
	if (!name->is_long)
		take_short_name(name, entry);
	name->is_long = false;
	if ((attributes & ATTRIBUTE_LABEL) != 0 || name->size == 0)
		return true;
	const struct fat_file file = {
		.cluster = get16(entry + 26) | (get16(entry + 20) & 0x0fff) << 16,
		.size = get32(entry + 28),
		.is_folder = (attributes & ATTRIBUTE_FOLDER) != 0};
	return search->visit(search->self, (struct text){name->at, name->size}, &file);
}

static void visit_folder(struct fat *fat, uint32_t cluster, struct search *search)
{
	uint8_t sector[DISK_SECTOR];

	for (uint32_t n = 0; n < FOLDER_MAX && is_cluster(fat, cluster); n++) {
		for (uint32_t in = 0; in < fat->cluster_size; in += DISK_SECTOR) {
			if (!fat->disk->read(fat->disk->self, cluster_place_of(fat, cluster) + in,
				    sector, sizeof(sector)))
				return;
			for (uint32_t i = 0; i < DISK_SECTOR; i += ENTRY_SIZE)
				if (!visit_entry(search, sector + i))
					return;
		}
		cluster = behind(fat, cluster);
	}
}

struct wanted {
	struct text name;
	struct fat_file *file;
	bool found;
};

static bool visit_wanted(void *self, struct text name, const struct fat_file *file)
{
	struct wanted *wanted = self;

	wanted->found = text_is_folded(name, wanted->name);
	if (wanted->found)
		*wanted->file = *file;
	return !wanted->found;
}

bool fat_find(struct fat *fat, struct text path, struct fat_file *file)
{
	struct text part;

	*file = (struct fat_file){.cluster = fat->root, .is_folder = true};
	while (text_cut(&path, '/', &part)) {
		struct wanted wanted = {.name = part, .file = file};
		struct search search = {.visit = visit_wanted, .self = &wanted};

		if (!file->is_folder)
			return false;
		visit_folder(fat, file->cluster, &search);
		if (!wanted.found)
			return false;
	}
	return true;
}

void fat_each(struct fat *fat,
	bool (*visit)(void *self, struct text name, const struct fat_file *file), void *self)
{
	struct search search = {.visit = visit, .self = self};

	visit_folder(fat, fat->root, &search);
}

/* ---- files ---- */

struct fat_place fat_start(const struct fat_file *file)
{
	return (struct fat_place){.cluster = file->cluster, .left = file->size};
}

uint32_t fat_next(struct fat *fat, struct fat_place *place, uint32_t max, uint64_t *at)
{
	uint32_t size = fat->cluster_size, steps_max = fat->clusters_end;

	if (place->left == 0 || !is_cluster(fat, place->cluster) || place->steps >= steps_max)
		return 0;
	CHECK(max >= fat->cluster_size);
	*at = cluster_place_of(fat, place->cluster);
	for (;;) {
		uint32_t here = place->cluster;

		place->cluster = behind(fat, here);
		place->steps++;
		if (size >= place->left || place->cluster != here + 1 ||
			size + fat->cluster_size > max || place->steps >= steps_max)
			break;
		size += fat->cluster_size;
	}
	if (size >= place->left) {
		size = (place->left + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR;
		place->left = 0;
	} else {
		place->left -= size;
	}
	return size;
}

bool fat_read(struct fat *fat, const struct fat_file *file, char *to, size_t size, size_t *got)
{
	struct fat_place place = fat_start(file);
	uint8_t sector[DISK_SECTOR];
	uint64_t at;
	uint32_t run;

	*got = 0;
	if (file->is_folder || file->size > size)
		return false;
	while ((run = fat_next(fat, &place, CLUSTER_SIZE_MAX, &at)) > 0)
		for (uint32_t in = 0; in < run; in += DISK_SECTOR) {
			size_t part =
				file->size - *got < DISK_SECTOR ? file->size - *got : DISK_SECTOR;

			if (!fat->disk->read(fat->disk->self, at + in, sector, sizeof(sector)))
				return false;
			memcpy(to + *got, sector, part);
			*got += part;
		}
	return *got == file->size;
}
