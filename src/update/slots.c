/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/slots.h"

#include <string.h>

enum { PATH_MAX_BYTES = 80, CHUNK = 64 * 1024 };

static char other_slot(char slot)
{
	return slot == 'a' ? 'b' : 'a';
}

/* ---- files of one sector ---- */

/* Where the sector is; 0: there is no such file, or it is smaller. */
static uint64_t sector_of(struct slots *slots, const char *path)
{
	struct fat_file file;
	uint64_t at;

	if (!fat_find(&slots->fat, text_of(path), &file) || file.is_folder || file.size == 0)
		return 0;
	struct fat_place place = fat_start(&file);
	return fat_next(&slots->fat, &place, CHUNK, &at) > 0 ? at : 0;
}

static bool write_sector(struct slots *slots, uint64_t at, const char sector[DISK_SECTOR])
{
	const struct disk *disk = slots->disk;

	return at != 0 && disk->write(disk->self, at, sector, DISK_SECTOR) &&
		disk->sync(disk->self);
}

static bool write_lines(struct slots *slots, const char *path, const struct writer *lines)
{
	char sector[DISK_SECTOR] = {0};

	CHECK(!lines->overflowed && lines->used < sizeof(sector));
	memcpy(sector, lines->at, lines->used);
	return write_sector(slots, sector_of(slots, path), sector);
}

static bool read_lines(
	struct slots *slots, const char *path, char sector[DISK_SECTOR], struct text *lines)
{
	uint64_t at = sector_of(slots, path);

	if (at == 0 || !slots->disk->read(slots->disk->self, at, sector, DISK_SECTOR))
		return false;
	*lines = (struct text){sector, DISK_SECTOR};
	*lines = text_first(*lines, text_find(*lines, '\0'));
	/* A record that is whole says so at its end; a sector that was torn does not. */
	return text_ends(*lines, TEXT("\nend\n"));
}

/* ---- what the records say ---- */

static void read_state(struct slots *slots)
{
	char sector[DISK_SECTOR];
	struct text lines, line, key;
	struct slots_state *s = &slots->state;
	uint64_t number;

	memset(s, 0, sizeof(*s));
	if (!read_lines(slots, "slots/state", sector, &lines))
		return;
	while (text_cut(&lines, '\n', &line)) {
		(void)text_cut(&line, ' ', &key);
		if (text_is_z(key, "trial") && (text_is_z(line, "a") || text_is_z(line, "b")))
			s->trial = line.at[0];
		if (text_is_z(key, "attempts") && text_to_u64(line, &number))
			s->attempts =
				number < SLOTS_ATTEMPTS_MAX ? (uint32_t)number : SLOTS_ATTEMPTS_MAX;
		if (text_is_z(key, "failed"))
			s->has_failed = package_read_hash(line, s->failed);
	}
}

static bool write_state(struct slots *slots)
{
	char lines[DISK_SECTOR];
	struct writer w;
	const struct slots_state *s = &slots->state;

	writer_init(&w, lines, sizeof(lines));
	write_z(&w, "berth-state 1\n");
	if (s->trial != 0)
		write_format(&w, "trial %.*s\nattempts %u\n", 1, &s->trial, s->attempts);
	if (s->has_failed) {
		write_z(&w, "failed ");
		package_write_hash(&w, s->failed);
		write_z(&w, "\n");
	}
	write_z(&w, "end\n");
	return write_lines(slots, "slots/state", &w);
}

static void slot_path(char to[PATH_MAX_BYTES], char slot, const char *name)
{
	struct writer w;

	writer_init(&w, to, PATH_MAX_BYTES - 1);
	write_format(&w, "slots/%.*s/%s", 1, &slot, name);
	to[w.used] = '\0';
}

bool slots_about(struct slots *slots, char slot, struct slots_about *about)
{
	char path[PATH_MAX_BYTES], sector[DISK_SECTOR];
	struct text lines, line, key;

	memset(about, 0, sizeof(*about));
	slot_path(path, slot, "about");
	if (!read_lines(slots, path, sector, &lines))
		return false;
	while (text_cut(&lines, '\n', &line)) {
		(void)text_cut(&line, ' ', &key);
		if (text_is_z(key, "version") &&
			!text_copy(line, about->version, sizeof(about->version)))
			return false;
		if (text_is_z(key, "built") && !text_to_i64(line, &about->built))
			return false;
		if (text_is_z(key, "hash") && !package_read_hash(line, about->hash))
			return false;
	}
	return about->built > 0;
}

static bool write_about(struct slots *slots, char slot, const struct package *package)
{
	char path[PATH_MAX_BYTES], lines[DISK_SECTOR];
	struct writer w;

	writer_init(&w, lines, sizeof(lines));
	if (package != NULL) {
		write_format(&w, "berth-slot 1\nversion %s\nbuilt %lld\nhash ", package->version,
			(long long)package->built);
		package_write_hash(&w, package->hash);
		write_z(&w, "\nend\n");
	}
	slot_path(path, slot, "about");
	return write_lines(slots, path, &w);
}

/* ---- the letter that says what starts ---- */

static const struct {
	const char *path, *before;
} letters[] = {{"loader/loader.conf", "default berth-"}, {"config.txt", "os_prefix=slots/"}};

/* The letter behind `before` at the beginning of a line of the first sector; NULL: none. */
static char *letter_in(char *sector, const char *before)
{
	size_t size = strlen(before);

	for (size_t i = 0; i + size < DISK_SECTOR; i++)
		if ((i == 0 || sector[i - 1] == '\n') && memcmp(sector + i, before, size) == 0 &&
			(sector[i + size] == 'a' || sector[i + size] == 'b'))
			return sector + i + size;
	return NULL;
}

static bool read_letter(struct slots *slots)
{
	char sector[DISK_SECTOR];

	slots->normal = 0;
	for (size_t i = 0; i < ARRAY_COUNT(letters) && slots->normal == 0; i++) {
		uint64_t at = sector_of(slots, letters[i].path);
		const char *letter;

		if (at != 0 && slots->disk->read(slots->disk->self, at, sector, DISK_SECTOR) &&
			(letter = letter_in(sector, letters[i].before)) != NULL)
			slots->normal = *letter;
	}
	return slots->normal != 0;
}

/* Each loader reads one of them, so for each the change is one sector. */
static bool write_letter(struct slots *slots, char slot)
{
	char sector[DISK_SECTOR];

	for (size_t i = 0; i < ARRAY_COUNT(letters); i++) {
		uint64_t at = sector_of(slots, letters[i].path);

		if (at == 0 || !slots->disk->read(slots->disk->self, at, sector, DISK_SECTOR))
			continue;
		char *letter = letter_in(sector, letters[i].before);
		if (letter == NULL || *letter == slot)
			continue;
		*letter = slot;
		if (!write_sector(slots, at, sector))
			return false;
	}
	slots->normal = slot;
	return true;
}

bool slots_open(struct slots *slots, const struct disk *disk, struct writer *fault)
{
	memset(slots, 0, sizeof(*slots));
	slots->disk = disk;
	if (!fat_open(&slots->fat, disk, fault))
		return false;
	if (!read_letter(slots) || sector_of(slots, "slots/state") == 0) {
		write_z(fault, "it is not a disk of the appliance, or its loader.conf is damaged");
		return false;
	}
	read_state(slots);
	return true;
}

/* ---- installing ---- */

static bool find_slot_file(struct slots *slots, char slot, const struct package_file *file,
	struct fat_file *place, struct writer *fault)
{
	char path[PATH_MAX_BYTES];

	slot_path(path, slot, file->name);
	if (fat_find(&slots->fat, text_of(path), place) && !place->is_folder &&
		place->size >= file->size)
		return true;
	write_format(fault, "there is no room for its file %s on this disk", file->name);
	return false;
}

static bool copy_package_file(struct slots *slots, const struct package_file *file,
	const struct fat_file *to, const struct disk *source)
{
	static char chunk[CHUNK];
	struct fat_place place = fat_start(to);
	uint64_t done = 0, at;
	uint32_t run;

	while ((run = fat_next(&slots->fat, &place, sizeof(chunk), &at)) > 0) {
		uint64_t left = done < file->size ? file->size - done : 0;
		size_t part = (size_t)((left + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR);

		part = part < run ? part : run;
		memset(chunk, 0, run);
		if (part > 0 && !source->read(source->self, file->at + done, chunk, part))
			return false;
		if (left < part)
			memset(chunk + left, 0, part - (size_t)left);
		if (!slots->disk->write(slots->disk->self, at, chunk, run))
			return false;
		done += run;
	}
	return place.left == 0;
}

/* What lies on the disk, read again: it is what was signed. */
static bool is_package_written(
	struct slots *slots, const struct package_file *file, const struct fat_file *to)
{
	static char chunk[CHUNK];
	struct fat_place place = fat_start(to);
	struct signature_hash hash;
	uint8_t found[SIGNATURE_HASH];
	uint64_t left = file->size, at;
	uint32_t run;

	signature_hash_start(&hash);
	while (left > 0 && (run = fat_next(&slots->fat, &place, sizeof(chunk), &at)) > 0) {
		size_t part = left < run ? (size_t)left : run;

		if (!slots->disk->read(slots->disk->self, at, chunk, run))
			break;
		signature_hash_add(&hash, chunk, part);
		left -= part;
	}
	signature_hash_end(&hash, found);
	return left == 0 && memcmp(found, file->hash, sizeof(found)) == 0;
}

static bool may_install(
	struct slots *slots, const struct package *package, bool downgrade, struct writer *fault)
{
	struct slots_about normal;

	if (strcmp(package->board, BERTH_BOARD) != 0) {
		write_format(
			fault, "it is for board %s, and this is %s", package->board, BERTH_BOARD);
		return false;
	}
	if (downgrade)
		return true;
	if (!slots_about(slots, slots->normal, &normal)) {
		write_z(fault, "nobody knows how old what runs is; a downgrade must be asked for");
		return false;
	}
	if (package->built >= normal.built)
		return true;
	write_format(fault, "it is older (%s) than what runs (%s); a downgrade must be asked for",
		package->version, normal.version);
	return false;
}

bool slots_install(struct slots *slots, const struct package *package, const struct disk *source,
	bool downgrade, struct writer *fault)
{
	char slot = other_slot(slots->normal);
	struct fat_file places[PACKAGE_FILES_MAX];

	if (slots->state.trial == slots->normal) {
		/* Where the loader cannot be told: the other slot is the way back. */
		write_z(fault, "what starts by default is on trial itself; start it first");
		return false;
	}
	if (!may_install(slots, package, downgrade, fault))
		return false;
	for (uint32_t i = 0; i < package->count; i++)
		if (!find_slot_file(slots, slot, &package->files[i], &places[i], fault))
			return false;
	/* From here on the slot must not be started. */
	slots->state.trial = 0;
	slots->state.attempts = 0;
	bool written = write_state(slots) && write_about(slots, slot, NULL);
	for (uint32_t i = 0; i < package->count && written; i++)
		written = copy_package_file(slots, &package->files[i], &places[i], source);
	written = written && slots->disk->sync(slots->disk->self);
	if (!written) {
		write_z(fault, "it cannot be written, or is cut off; what runs is untouched");
		return false;
	}
	for (uint32_t i = 0; i < package->count; i++)
		if (!is_package_written(slots, &package->files[i], &places[i])) {
			write_format(fault, "its file %s is damaged; what runs is untouched",
				package->files[i].name);
			return false;
		}
	slots->state.trial = slot;
	if (write_about(slots, slot, package) && write_state(slots))
		return true;
	write_z(fault, "it cannot be written; what runs is untouched");
	return false;
}

/* ---- starting ---- */

static bool fail_trial(struct slots *slots)
{
	struct slots_about about;

	if (slots_about(slots, slots->state.trial, &about)) {
		slots->state.has_failed = true;
		memcpy(slots->state.failed, about.hash, sizeof(about.hash));
	}
	slots->state.trial = 0;
	slots->state.attempts = 0;
	return write_state(slots);
}

enum slots_next slots_started(struct slots *slots, char running, struct writer *news)
{
	char trial = slots->state.trial;

	if (trial == 0)
		return SLOTS_GO_ON;
	if (running == trial) {
		write_format(news, "slot %.*s is on trial", 1, &running);
		return SLOTS_ON_TRIAL;
	}
	if (slots->state.attempts >= SLOTS_ATTEMPTS_MAX) {
		write_format(news, "slot %.*s did not start; it is not tried again", 1, &trial);
		(void)fail_trial(slots);
		return SLOTS_GO_ON;
	}
	slots->state.attempts++;
	if (!write_state(slots)) {
		write_z(news, "the disk cannot be written; the update waits");
		return SLOTS_GO_ON;
	}
	write_format(news, "slot %.*s is tried, attempt %u", 1, &trial, slots->state.attempts);
	if ((slots->start_once != NULL && slots->start_once(slots->self, trial)) ||
		write_letter(slots, trial))
		return SLOTS_RESTART;
	write_z(news, "; the loader cannot be told");
	return SLOTS_GO_ON;
}

bool slots_confirm(struct slots *slots, char running)
{
	if (slots->state.trial != running)
		return slots->state.trial == 0 && slots->normal == running;
	if (!write_letter(slots, running))
		return false;
	slots->state.trial = 0;
	slots->state.attempts = 0;
	return write_state(slots);
}

bool slots_give_up(struct slots *slots, char running)
{
	if (slots->state.trial != running)
		return false;
	/* First the way back, then what is remembered: a cut between the two tries once more. */
	return (slots->normal != running || write_letter(slots, other_slot(running))) &&
		fail_trial(slots);
}
