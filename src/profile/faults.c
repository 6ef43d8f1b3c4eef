/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults: bounded in number and in bytes; what finds no room is counted. */
#include "profile/faults.h"

void config_faults_init(struct config_faults *faults)
{
	faults->count = 0;
	faults->dropped = 0;
	faults->source = TEXT_NONE;
	writer_init(&faults->out, faults->bytes, sizeof(faults->bytes));
}

/*
 * A fault is opened even when the list is full, so that callers need not ask: the slot behind the
 * last one is used as long as there is one, and what does not fit is forgotten at the end.
 */
struct writer *config_fault_begin(
	struct config_faults *faults, struct config_place place, struct text path)
{
	struct writer *out = &faults->out;
	size_t start = out->used;
	write_text(out, path);
	if (faults->count < CONFIG_FAULTS_MAX)
		faults->list[faults->count] = (struct config_fault){.source = faults->source,
			.place = place,
			.path = {faults->bytes + start, out->used - start}};
	return out;
}

void config_fault_end(struct config_faults *faults)
{
	struct writer *out = &faults->out;
	if (faults->count == CONFIG_FAULTS_MAX || out->overflowed) {
		faults->dropped++;
		out->overflowed = true;
		return;
	}
	struct config_fault *fault = &faults->list[faults->count++];
	size_t start = (size_t)(fault->path.at - faults->bytes) + fault->path.size;
	for (size_t i = start; i < out->used; i++)
		if ((unsigned char)faults->bytes[i] < 0x20 || faults->bytes[i] == 0x7f)
			faults->bytes[i] = '?';
	fault->message = (struct text){faults->bytes + start, out->used - start};
}

void config_fault(struct config_faults *faults, struct config_place place, struct text path,
	const char *format, ...)
{
	struct writer *out = config_fault_begin(faults, place, path);
	va_list args;
	va_start(args, format);
	write_format_v(out, format, args);
	va_end(args);
	config_fault_end(faults);
}

void config_fault_mark_unread(struct config_faults *faults)
{
	if (faults->dropped == 0 && faults->count > 0)
		faults->list[faults->count - 1].unread = true;
}

bool config_fault_is_below_unread(const struct config_faults *faults, struct text path)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		struct text above = faults->list[i].path;
		if (!faults->list[i].unread || !text_starts(path, above))
			continue;
		if (path.size == above.size || path.at[above.size] == '.' ||
			path.at[above.size] == '[')
			return true;
	}
	return false;
}

static bool is_before(struct config_place a, struct config_place b)
{
	return a.line < b.line || (a.line == b.line && a.column < b.column);
}

void config_faults_sort(struct config_faults *faults)
{
	for (uint32_t i = 1; i < faults->count; i++) {
		struct config_fault fault = faults->list[i];
		uint32_t to = i;
		while (to > 0 && is_before(fault.place, faults->list[to - 1].place)) {
			faults->list[to] = faults->list[to - 1];
			to--;
		}
		faults->list[to] = fault;
	}
}

/* Broken UTF-8 and controls are shown as bytes: the message goes to terminals and logs. */
void config_write_quoted(struct writer *out, struct text t)
{
	size_t end = t.size < CONFIG_VALUE_SHOWN ? t.size : CONFIG_VALUE_SHOWN;
	write_char(out, '"');
	for (size_t i = 0; i < end;) {
		unsigned char c = (unsigned char)t.at[i];
		size_t size = text_utf8_next(text_from(t, i));
		if (c == '"' || c == '\\')
			write_format(out, "\\%c", c);
		else if (c == '\n')
			write_z(out, "\\n");
		else if (c == '\t')
			write_z(out, "\\t");
		else if (c < 0x20 || c == 0x7f || size == 0)
			write_format(out, "\\x%02x", c);
		else
			write_bytes(out, t.at + i, size);
		i += size == 0 ? 1 : size;
	}
	write_z(out, end < t.size ? "...\"" : "\"");
}

void config_faults_print(const struct config_faults *faults, struct text file, struct writer *out)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		const struct config_fault *fault = &faults->list[i];
		write_text(out, fault->source.at == NULL ? file : fault->source);
		if (fault->place.line > 0)
			write_format(out, ":%u:%u", fault->place.line, fault->place.column);
		write_z(out, ": ");
		if (fault->path.size > 0) {
			write_text(out, fault->path);
			write_z(out, ": ");
		}
		write_text(out, fault->message);
		write_char(out, '\n');
	}
	if (faults->dropped > 0) {
		write_text(out, file);
		write_format(out, ": and %u more\n", faults->dropped);
	}
}
