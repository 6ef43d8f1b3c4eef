/* SPDX-License-Identifier: GPL-2.0-only */
#include "update/package.h"

#include <string.h>

#include "base/chars.h"

/* How many bytes; 0: it is not hexadecimal, or too much. */
static size_t from_hex(struct text hex, uint8_t *to, size_t max)
{
	if (hex.size % 2 != 0 || hex.size / 2 > max)
		return 0;
	for (size_t i = 0; i < hex.size / 2; i++) {
		int high = char_hex(hex.at[2 * i]), low = char_hex(hex.at[2 * i + 1]);

		if (high < 0 || low < 0)
			return 0;
		to[i] = (uint8_t)(high << 4 | low);
	}
	return hex.size / 2;
}

bool package_read_hash(struct text hex, uint8_t hash[SIGNATURE_HASH])
{
	return from_hex(hex, hash, SIGNATURE_HASH) == SIGNATURE_HASH;
}

void package_write_hash(struct writer *w, const uint8_t hash[SIGNATURE_HASH])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SIGNATURE_HASH; i++) {
		write_char(w, digits[hash[i] >> 4]);
		write_char(w, digits[hash[i] & 15]);
	}
}

/* ---- lines ---- */

/* It becomes part of a path. */
static bool is_file_name(struct text name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.at[i] <= ' ' || name.at[i] >= 0x7f || name.at[i] == '/' ||
			name.at[i] == '\\')
			return false;
	return name.size > 0 && name.at[0] != '.';
}

static bool read_file_line(struct package *package, struct text value, uint64_t *at)
{
	struct text name, size, hash;
	uint64_t bytes;

	if (package->count == PACKAGE_FILES_MAX || !text_cut(&value, ' ', &name) ||
		!text_cut(&value, ' ', &size) || !text_cut(&value, ' ', &hash) || value.at != NULL)
		return false;
	struct package_file *file = &package->files[package->count];
	if (!is_file_name(name) || !text_copy(name, file->name, sizeof(file->name)) ||
		!text_to_u64(size, &bytes) || bytes == 0 || bytes > PACKAGE_FILE_MAX ||
		!package_read_hash(hash, file->hash))
		return false;
	file->size = (uint32_t)bytes;
	file->at = *at;
	*at += (bytes + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR;
	package->count++;
	return true;
}

static bool read_package_line(struct package *package, struct text line, uint64_t *at)
{
	struct text key;

	if (!text_cut(&line, ' ', &key) || line.at == NULL)
		return false;
	if (text_is_z(key, "version"))
		return text_copy(line, package->version, sizeof(package->version));
	if (text_is_z(key, "board"))
		return text_copy(line, package->board, sizeof(package->board));
	if (text_is_z(key, "built"))
		return text_to_i64(line, &package->built) && package->built > 0;
	return text_is_z(key, "file") && read_file_line(package, line, at);
}

bool package_parse(struct package *package, struct text lines, struct writer *fault)
{
	uint64_t at = PACKAGE_DATA;
	struct text line;
	bool ended = false;

	package->count = 0;
	package->built = 0;
	package->version[0] = package->board[0] = '\0';
	if (!text_cut(&lines, '\n', &line) || !text_is_z(line, "berth-update 1")) {
		write_z(fault, "it is not an update of a kind that this berth knows");
		return false;
	}
	while (!ended && text_cut(&lines, '\n', &line)) {
		ended = text_is_z(line, "end");
		if (!ended && !read_package_line(package, line, &at)) {
			write_format(fault, "its line '%.*s' cannot be read",
				(int)(line.size < 60 ? line.size : 60), line.at);
			return false;
		}
	}
	if (ended && package->count > 0 && package->built > 0 && package->version[0] != '\0' &&
		package->board[0] != '\0')
		return true;
	write_z(fault, "its head is not complete");
	return false;
}

bool package_open(
	struct package *package, const struct disk *source, struct text keys, struct writer *fault)
{
	static char head[PACKAGE_DATA];
	uint8_t signature[SIGNATURE_MAX];
	struct signature_hash hash;

	if (!source->read(source->self, 0, head, sizeof(head))) {
		write_z(fault, "it cannot be read, or is too short");
		return false;
	}
	signature_hash_start(&hash);
	signature_hash_add(&hash, head, PACKAGE_HEAD);
	signature_hash_end(&hash, package->hash);
	struct text hex = {head + PACKAGE_HEAD, DISK_SECTOR};
	hex = text_trim(text_first(hex, text_find(hex, '\0')));
	size_t size = from_hex(hex, signature, sizeof(signature));
	if (keys.size == 0) {
		write_z(fault, "there are no keys that could prove it");
		return false;
	}
	if (size == 0) {
		write_z(fault, "it has no signature");
		return false;
	}
	if (!signature_is_good(keys, package->hash, (struct text){(char *)signature, size})) {
		write_z(fault, "its signature is by none of the keys that are trusted here");
		return false;
	}
	struct text lines = {head, PACKAGE_HEAD};
	return package_parse(package, text_first(lines, text_find(lines, '\0')), fault);
}
