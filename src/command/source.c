/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of a file of a dump, and who reads them. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/dump_private.h"
#include "command/sniff.h"

bool source_fill(struct source *s)
{
	if (s->start > 0) {
		memmove(s->at, s->at + s->start, s->end - s->start);
		s->end -= s->start;
		s->start = 0;
	}
	while (!s->ended && s->error == 0 && s->end < DUMP_INPUT) {
		ssize_t got = read(s->fd, s->at + s->end, DUMP_INPUT - s->end);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			s->error = errno;
			return false;
		}
		if (got == 0) {
			s->ended = true;
			return false;
		}
		s->end += (size_t)got;
		return true;
	}
	return false;
}

void source_take(struct source *s, size_t size)
{
	CHECK(size <= s->end - s->start);
	const char *at = s->at + s->start;
	const char *end = at + size;
	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		s->line++;
		at++;
	}
	s->start += size;
	s->taken += size;
}

static uint64_t source_size_of(int fd)
{
	struct stat about;
	bool is_file = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
	return is_file && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

static enum dump_result read_as(struct source *s)
{
	size_t skip;
	enum sniff_format format = sniff_format(source_left(s), &skip);
	while (format == SNIFF_EMPTY && source_fill(s))
		format = sniff_format(source_left(s), &skip);
	source_take(s, skip);
	switch (format) {
	case SNIFF_JSON: return dump_read_json(s);
	case SNIFF_YAML: return dump_read_yaml(s);
	case SNIFF_GZIP:
		return dump_unreadable(s, 0, "compressed; unpack it first: gzip -dc %s", s->name);
	case SNIFF_UTF16:
		return dump_unreadable(s, 0, "UTF-16; write it as UTF-8 (a shell of Windows?)");
	case SNIFF_EMPTY: break;
	}
	return s->error != 0 ? DUMP_READ : dump_unreadable(s, 0, "empty");
}

enum dump_result dump_read(struct dump *d, const char *name, int fd)
{
	struct source s = {.dump = d, .name = name, .fd = fd, .at = d->input, .line = 1};
	s.size = source_size_of(fd);
	(void)!source_fill(&s);
	enum dump_result result = read_as(&s);
	if (s.error != 0)
		return dump_unreadable(&s, 0, "%s", strerror(s.error));
	return result;
}
