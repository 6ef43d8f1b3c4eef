/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Secrets: certificates, keys and tokens, as text or in files that are replaced while berth runs.
 * Private to net/.
 */
#ifndef BERTH_TLS_SECRET_H
#define BERTH_TLS_SECRET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/check.h"
#include "base/text.h"

enum { SECRET_PEM_MAX = 64 * 1024 };

/* What told the file's last version apart. */
struct secret_file {
	dev_t device;
	ino_t inode;
	off_t size;
	int64_t changed_ns;
};

/* One stat(). A file that vanished counts as changed; reading it then says why. */
bool secret_file_changed(const char *path, const struct secret_file *known);
/* Opens a regular file of at most size_max bytes. -1 with the reason in `fault`. */
int secret_file_open(
	const char *path, size_t size_max, struct secret_file *seen, struct writer *fault);
MUST_USE bool secret_read(int fd, char *to, size_t size);

/*
 * PEM in the fence of TLS, its terminating zero counted in size, for as long as mbedTLS parses it.
 * Text wins over file; when there is neither, that is TEXT_NONE. Give it back in any case.
 */
MUST_USE bool secret_pem_load(struct text text, const char *path, struct secret_file *seen,
	struct text *pem, struct writer *fault);
void secret_pem_give(struct text *pem);

/* What an identity is made of: texts, or files that are read again when they change. */
enum { SECRET_CA, SECRET_CERTIFICATE, SECRET_KEY, SECRET_PROXY_CA, SECRET_PARTS };
struct secret_part {
	struct text text;
	const char *file; /* NULL: none; text wins */
	struct secret_file seen;
};
struct tls_identity;
struct tls_pem;

/* Before the sandbox is entered, which lets the file be read. False: there is neither. */
bool secret_part_set(struct secret_part *part, struct text text, const char *file);
/* A stat() for each file. */
bool secret_parts_changed(const struct secret_part parts[SECRET_PARTS]);
/* In the place of what `into` was, which may no longer be used. `pem` has the rest of it. */
MUST_USE bool secret_identity_make(struct tls_identity *into,
	struct secret_part parts[SECRET_PARTS], struct tls_pem *pem, struct writer *fault);

#endif
