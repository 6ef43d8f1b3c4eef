/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Secrets: files that are seen to change, and PEM that is wiped after use.
 */
#include "tls/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sandbox.h"
#include "base/store.h"
#include "tls/tls.h"

static struct secret_file file_seen(const struct stat *st)
{
	return (struct secret_file){.device = st->st_dev,
		.inode = st->st_ino,
		.size = st->st_size,
		.changed_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec};
}

static bool file_is_same(const struct secret_file *a, const struct secret_file *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
		a->changed_ns == b->changed_ns;
}

bool secret_file_changed(const char *path, const struct secret_file *known)
{
	struct stat st;

	if (path == NULL)
		return false;
	if (stat(path, &st) != 0)
		return true;
	struct secret_file seen = file_seen(&st);
	return !file_is_same(&seen, known);
}

bool secret_read(int fd, char *to, size_t size)
{
	while (size > 0) {
		ssize_t got = read(fd, to, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
	}
	return true;
}

int secret_file_open(
	const char *path, size_t size_max, struct secret_file *seen, struct writer *fault)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		write_format(fault, "%s: %s", path, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		write_format(fault, "%s: not a regular file", path);
	else if (st.st_size <= 0)
		write_format(fault, "%s: is empty", path);
	else if ((uint64_t)st.st_size > size_max)
		write_format(fault, "%s: larger than %zu bytes", path, size_max);
	else {
		*seen = file_seen(&st);
		return fd;
	}
	close(fd);
	return -1;
}

/* ---- PEM, for as long as mbedTLS parses it ---- */

void secret_pem_give(struct text *pem)
{
	if (pem->at == NULL)
		return;
	uint32_t handle = store_handle(tls_fence(), pem->at);
	mbedtls_platform_zeroize(store_at(tls_fence(), handle), pem->size);
	store_give(tls_fence(), handle);
	*pem = TEXT_NONE;
}

static char *pem_take(size_t size, struct text *pem, struct writer *fault)
{
	uint32_t handle = store_take(tls_fence(), size + 1);

	if (handle == 0) {
		write_format(fault, "no memory for %zu bytes of PEM", size);
		return NULL;
	}
	char *at = store_at(tls_fence(), handle);
	at[size] = '\0';
	*pem = (struct text){at, size + 1};
	return at;
}

static bool pem_from_file(
	const char *path, struct secret_file *seen, struct text *pem, struct writer *fault)
{
	int fd = secret_file_open(path, SECRET_PEM_MAX, seen, fault);

	if (fd < 0)
		return false;
	char *at = pem_take((size_t)seen->size, pem, fault);
	bool read = at != NULL && secret_read(fd, at, (size_t)seen->size);
	if (at != NULL && !read)
		write_format(fault, "%s: cannot be read", path);
	close(fd);
	return read;
}

bool secret_pem_load(struct text text, const char *path, struct secret_file *seen, struct text *pem,
	struct writer *fault)
{
	if (text.at != NULL) {
		char *at = pem_take(text.size, pem, fault);
		if (at != NULL && text.size > 0)
			memcpy(at, text.at, text.size);
		return at != NULL;
	}
	return path == NULL || pem_from_file(path, seen, pem, fault);
}

/* ---- identities of them ---- */

bool secret_part_set(struct secret_part *part, struct text text, const char *file)
{
	part->text = text;
	part->file = file;
	sandbox_reads(file);
	return text.at != NULL || file != NULL;
}

bool secret_parts_changed(const struct secret_part parts[SECRET_PARTS])
{
	bool changed = false;

	for (uint32_t i = 0; i < SECRET_PARTS && !changed; i++)
		changed = parts[i].text.at == NULL &&
			secret_file_changed(parts[i].file, &parts[i].seen);
	return changed;
}

bool secret_identity_make(struct tls_identity *into, struct secret_part parts[SECRET_PARTS],
	struct tls_pem *pem, struct writer *fault)
{
	struct text *const texts[SECRET_PARTS] = {
		&pem->ca, &pem->certificate, &pem->key, &pem->proxy_ca};
	struct secret_file seen[SECRET_PARTS];
	bool made = true;

	tls_identity_drop(into);
	for (uint32_t i = 0; i < SECRET_PARTS && made; i++) {
		seen[i] = parts[i].seen;
		made = secret_pem_load(parts[i].text, parts[i].file, &seen[i], texts[i], fault);
	}
	made = made && tls_identity_make(into, pem, fault);
	for (uint32_t i = 0; i < SECRET_PARTS; i++) {
		secret_pem_give(texts[i]);
		if (made)
			parts[i].seen = seen[i];
	}
	return made;
}
