/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command says. */
#include "command/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#include "base/format.h"

void output_init(struct output *o, int fd)
{
	o->fd = fd;
	o->error = 0;
	o->used = 0;
}

static void write_all(struct output *o, const char *at, size_t size)
{
	while (size > 0 && o->error == 0) {
		ssize_t written = write(o->fd, at, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			o->error = written < 0 ? errno : EIO;
			return;
		}
		at += written;
		size -= (size_t)written;
	}
}

void output_flush(struct output *o)
{
	write_all(o, o->buffer, o->used);
	o->used = 0;
}

void output_bytes(struct output *o, struct text bytes)
{
	if (bytes.size > OUTPUT_BUFFER - o->used)
		output_flush(o);
	if (bytes.size > OUTPUT_BUFFER) {
		write_all(o, bytes.at, bytes.size);
		return;
	}
	if (bytes.size > 0)
		memcpy(o->buffer + o->used, bytes.at, bytes.size);
	o->used += bytes.size;
}

/* C0 with DEL, and C1 in UTF-8. Line feeds too: a name must not forge a line. */
static bool is_control(struct text t, size_t at)
{
	uint8_t byte = (uint8_t)t.at[at];
	if (byte == 0xc2)
		return at + 1 < t.size && (uint8_t)t.at[at + 1] < 0xa0;
	return byte < 0x20 || byte == 0x7f;
}

void output_text(struct output *o, struct text t)
{
	for (size_t start = 0; start < t.size;) {
		size_t end = start;
		while (end < t.size && !is_control(t, end))
			end++;
		output_bytes(o, text_first(text_from(t, start), end - start));
		if (end < t.size)
			output_bytes(o, TEXT("?"));
		start = end + 1 + (end < t.size && (uint8_t)t.at[end] == 0xc2);
	}
}

void output_z(struct output *o, const char *zero_terminated)
{
	output_bytes(o, text_of(zero_terminated));
}

void output_format(struct output *o, const char *format, ...)
{
	char line[OUTPUT_FORMAT_MAX];
	va_list args;
	va_start(args, format);
	size_t used = format_into(line, sizeof(line), format, args);
	va_end(args);
	if (used > sizeof(line))
		used = sizeof(line);
	bool has_line_feed = used > 0 && line[used - 1] == '\n';
	output_text(o, (struct text){line, used - has_line_feed});
	if (has_line_feed)
		output_bytes(o, TEXT("\n"));
}

size_t output_width(struct text t)
{
	size_t width = 0;
	for (size_t i = 0; i < t.size; i++)
		width += ((uint8_t)t.at[i] & 0xc0) != 0x80;
	return width;
}

void output_column(struct output *o, struct text t, size_t width)
{
	output_text(o, t);
	for (size_t i = output_width(t); i < width; i++)
		output_bytes(o, TEXT(" "));
}
