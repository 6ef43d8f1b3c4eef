/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An update as a file, made by firmware/update-file:
 *
 *	4096 bytes	lines, then zeros: what is signed
 *	 512 bytes	the signature in hexadecimal, then zeros
 *	the rest	the files, each padded with zeros to a multiple of 512 bytes
 *
 *	berth-update 1
 *	version 0.2.0
 *	built 1795122040
 *	board x86_64
 *	file vmlinuz 8247232 5f70bf18a0...
 *	file initrd 3615933 e3b0c44298...
 *	end
 *
 * The signature is proven before a line is read.
 */
#ifndef BERTH_UPDATE_PACKAGE_H
#define BERTH_UPDATE_PACKAGE_H

#include "base/text.h"
#include "tls/signature.h"
#include "update/disk.h"

enum {
	PACKAGE_HEAD = 4096,
	PACKAGE_DATA = PACKAGE_HEAD + DISK_SECTOR,
	PACKAGE_FILES_MAX = 16,
	PACKAGE_NAME_MAX = 48,
	PACKAGE_FILE_MAX = 256 << 20
};

struct package_file {
	char name[PACKAGE_NAME_MAX + 1];
	uint32_t size;
	uint64_t at; /* from the start of the package */
	uint8_t hash[SIGNATURE_HASH];
};

struct package {
	char version[32], board[32];
	int64_t built; /* seconds since 1970 */
	struct package_file files[PACKAGE_FILES_MAX];
	uint32_t count;
	uint8_t hash[SIGNATURE_HASH]; /* of the lines: its name */
};

/* Reads the head through `source`, whose write and sync are not used. */
MUST_USE bool package_open(
	struct package *package, const struct disk *source, struct text keys, struct writer *fault);
/* Lines that are trusted; `package->hash` is not touched. */
MUST_USE bool package_parse(struct package *package, struct text lines, struct writer *fault);

void package_write_hash(struct writer *w, const uint8_t hash[SIGNATURE_HASH]);
MUST_USE bool package_read_hash(struct text hex, uint8_t hash[SIGNATURE_HASH]);

#endif
