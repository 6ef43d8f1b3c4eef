/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text functions. Positions count code points; an odd byte counts as one.
 */
#include "cel/function.h"

static bool string_args(const struct cel_value *args, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (args[i].kind != CEL_STRING)
			return false;
	return true;
}

struct cel_value cel_count(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	switch (args[0].kind) {
	case CEL_STRING:
	case CEL_BYTES:
	case CEL_LIST:
	case CEL_MAP: return cel_int(cel_size(&args[0]));
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

/* Bytes of the first `points` code points; more than there are: SIZE_MAX. */
static size_t string_offset(struct text t, int64_t points)
{
	struct text rest = t;

	for (; points > 0 && rest.size > 0; points--)
		(void)cel_point(&rest);
	return points > 0 ? SIZE_MAX : t.size - rest.size;
}

/* Where `part` is first found at or after `from`; SIZE_MAX: nowhere. */
static size_t string_search(struct text t, struct text part, size_t from)
{
	if (part.size == 0)
		return from;
	for (size_t i = from; i + part.size <= t.size; i++)
		if (t.at[i] == part.at[0] && memcmp(t.at + i, part.at, part.size) == 0)
			return i;
	return SIZE_MAX;
}

struct cel_value cel_contains(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text part = cel_text(&args[1]);

	(void)count;
	if (!string_args(args, 2))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!cel_work(run, text.size / 16 * (part.size / 16 + 1)))
		return cel_stopped(run);
	return cel_bool(string_search(text, part, 0) != SIZE_MAX);
}

struct cel_value cel_starts_with(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return string_args(args, 2) ? cel_bool(text_starts(cel_text(&args[0]), cel_text(&args[1])))
				    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_ends_with(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return string_args(args, 2) ? cel_bool(text_ends(cel_text(&args[0]), cel_text(&args[1])))
				    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

static struct cel_value string_no_index(struct cel_run *run, int64_t index)
{
	return cel_fault_text(run, "index out of range: %lld", (long long)index);
}

struct cel_value cel_char_at(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text rest;
	size_t at;

	(void)count;
	if (args[0].kind != CEL_STRING || args[1].kind != CEL_INT)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	at = args[1].integer < 0 ? SIZE_MAX : string_offset(text, args[1].integer);
	if (at == SIZE_MAX)
		return string_no_index(run, args[1].integer);
	text = rest = text_from(text, at);
	if (rest.size > 0)
		(void)cel_point(&rest);
	return cel_string(text_first(text, text.size - rest.size));
}

/* ---- indexes ---- */

static struct cel_value string_list_index(
	struct cel_run *run, const struct cel_value *args, bool last)
{
	uint32_t size = cel_size(&args[0]);

	if (!cel_work(run, size / 8))
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++) {
		uint32_t at = last ? size - 1 - i : i;
		struct cel_value item = cel_at(&args[0], at);

		if (cel_equal(run, &item, &args[1]))
			return cel_int(at);
	}
	return cel_int(-1);
}

/* The offset in code points: *from in bytes, or that it is behind the end. */
static bool string_start(struct text text, int64_t offset, size_t *from)
{
	*from = string_offset(text, offset);
	return *from != SIZE_MAX && *from < text.size;
}

struct cel_value cel_index_of(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text part = cel_text(&args[1]);
	int64_t offset = count == 3 ? args[2].integer : 0;
	size_t at;

	if (args[0].kind == CEL_LIST && count == 2)
		return string_list_index(run, args, false);
	if (!string_args(args, 2) || (count == 3 && args[2].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (offset < 0)
		return string_no_index(run, offset);
	if (!cel_work(run, text.size / 16 * (part.size / 16 + 1)))
		return cel_stopped(run);
	if (part.size == 0) {
		uint32_t points = cel_points(text);

		return cel_int(offset > points ? points : offset);
	}
	if (!string_start(text, offset, &at))
		return cel_int(-1);
	at = string_search(text, part, at);
	return cel_int(at == SIZE_MAX ? -1 : (int64_t)cel_points(text_first(text, at)));
}

struct cel_value cel_last_index_of(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text part = cel_text(&args[1]);
	uint32_t points = args[0].kind == CEL_STRING ? cel_points(text) : 0;
	int64_t offset = count == 3 ? args[2].integer : (int64_t)points - 1;
	size_t at;

	if (args[0].kind == CEL_LIST && count == 2)
		return string_list_index(run, args, true);
	if (!string_args(args, 2) || (count == 3 && args[2].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!cel_work(run, text.size / 16 * (part.size / 16 + 1)))
		return cel_stopped(run);
	if (count == 3 && offset < 0)
		return string_no_index(run, offset);
	if (part.size == 0)
		return cel_int(count == 2 || offset > points ? points : offset);
	if (text.size < part.size || !string_start(text, offset, &at))
		return cel_int(-1);
	if (at > text.size - part.size)
		at = text.size - part.size;
	for (at++; at-- > 0;)
		if (memcmp(text.at + at, part.at, part.size) == 0)
			return cel_int(cel_points(text_first(text, at)));
	return cel_int(-1);
}

/* ---- new text ---- */

static struct cel_value string_case(
	struct cel_run *run, const struct cel_value *v, char first, char last)
{
	struct text text = cel_text(v);
	char *to;

	if (v->kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	to = cel_take(run, text.size + 1, 1);
	if (to == NULL)
		return cel_stopped(run);
	for (size_t i = 0; i < text.size; i++)
		to[i] = text.at[i] >= first && text.at[i] <= last ? (char)(text.at[i] ^ 0x20)
								  : text.at[i];
	return cel_string((struct text){to, text.size});
}

struct cel_value cel_lower(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return string_case(run, &args[0], 'A', 'Z');
}

struct cel_value cel_upper(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return string_case(run, &args[0], 'a', 'z');
}

/* What is written grows at the end of the run's memory. */
static struct writer string_writer(struct cel_run *run)
{
	struct writer out;
	size_t size;
	void *at = scratch_take_rest(run->scratch, &size);

	writer_init(&out, at, at == NULL ? 0 : size);
	return out;
}

static struct cel_value string_written(struct cel_run *run, const struct writer *out)
{
	if (out->at != NULL)
		scratch_keep(run->scratch, out->at, out->used);
	if (out->overflowed || out->at == NULL)
		run->stopped = run->stopped == 0 ? CEL_FAULT_MEMORY : run->stopped;
	if (!cel_work(run, out->used / 16))
		return cel_stopped(run);
	return cel_string(writer_text(out));
}

struct cel_value cel_replace(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text old = cel_text(&args[1]);
	int64_t left = count == 4 ? args[3].integer : -1;
	struct writer out;

	if (!string_args(args, 3) || (count == 4 && args[3].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	out = string_writer(run);
	while (left != 0) {
		size_t at = string_search(text, old, 0);
		struct text rest = text;

		if (at == SIZE_MAX)
			break;
		write_text(&out, text_first(text, at));
		write_text(&out, cel_text(&args[2]));
		left -= left > 0;
		if (old.size > 0) {
			text = text_from(text, at + old.size);
			continue;
		}
		/* Nothing stands before each code point and at the end. */
		if (text.size == 0)
			break;
		(void)cel_point(&rest);
		write_text(&out, text_first(text, text.size - rest.size));
		text = rest;
	}
	write_text(&out, text);
	return string_written(run, &out);
}

static uint32_t string_pieces(struct text text, struct text separator, int64_t limit)
{
	uint32_t pieces = 1;
	size_t at = 0;

	if (separator.size == 0)
		pieces = cel_points(text);
	else
		while ((at = string_search(text, separator, at)) != SIZE_MAX) {
			at += separator.size;
			pieces++;
		}
	return limit >= 0 && pieces > limit ? (uint32_t)limit : pieces;
}

struct cel_value cel_split(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text separator = cel_text(&args[1]);
	int64_t limit = count == 3 ? args[2].integer : -1;
	struct cel_value *items;
	uint32_t pieces;

	if (!string_args(args, 2) || (count == 3 && args[2].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!cel_work(run, text.size / 16 + 1))
		return cel_stopped(run);
	pieces = string_pieces(text, separator, limit);
	items = cel_take(run, pieces, sizeof(*items));
	if (items == NULL)
		return cel_stopped(run);
	for (uint32_t i = 0; i < pieces; i++) {
		struct text rest = text;
		size_t at;

		if (i + 1 == pieces) {
			at = text.size;
		} else if (separator.size == 0) {
			(void)cel_point(&rest);
			at = text.size - rest.size;
		} else {
			at = string_search(text, separator, 0);
		}
		items[i] = cel_string(text_first(text, at));
		if (i + 1 < pieces)
			text = text_from(text, at + separator.size);
	}
	return cel_list_of(items, pieces);
}

struct cel_value cel_substring(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	int64_t start = args[1].integer;
	int64_t end = count == 3 ? args[2].integer : 0;
	size_t from;
	size_t to = text.size;

	if (args[0].kind != CEL_STRING || args[1].kind != CEL_INT ||
		(count == 3 && args[2].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (count == 3 && start > end)
		return cel_fault_text(run, "invalid substring range. start: %lld, end: %lld",
			(long long)start, (long long)end);
	from = start < 0 ? SIZE_MAX : string_offset(text, start);
	if (from == SIZE_MAX)
		return string_no_index(run, start);
	if (count == 3)
		to = string_offset(text, end);
	if (to == SIZE_MAX)
		return string_no_index(run, end);
	return cel_string((struct text){text.at + from, to - from});
}

/* White space of Unicode, as Go has it. */
static bool string_is_space(uint32_t point)
{
	return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xa0 ||
		point == 0x1680 || (point >= 0x2000 && point <= 0x200a) || point == 0x2028 ||
		point == 0x2029 || point == 0x202f || point == 0x205f || point == 0x3000;
}

struct cel_value cel_trim(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text = cel_text(&args[0]);
	struct text rest = text;
	size_t end = 0;

	(void)run;
	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	while (rest.size > 0 && string_is_space(cel_point(&rest)))
		text = rest;
	for (rest = text; rest.size > 0;)
		if (!string_is_space(cel_point(&rest)))
			end = text.size - rest.size;
	return cel_string(text_first(text, end));
}

struct cel_value cel_join(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct writer out;
	uint32_t size;

	if (args[0].kind != CEL_LIST || (count == 2 && args[1].kind != CEL_STRING))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(&args[0]);
	for (uint32_t i = 0; i < size; i++) {
		struct cel_value item = cel_at(&args[0], i);

		if (item.kind != CEL_STRING)
			return cel_fault_text(
				run, "join: invalid input: %s", cel_kind_name(item.kind).at);
	}
	out = string_writer(run);
	for (uint32_t i = 0; i < size; i++) {
		struct cel_value item = cel_at(&args[0], i);

		if (i > 0 && count == 2)
			write_text(&out, cel_text(&args[1]));
		write_text(&out, cel_text(&item));
	}
	return string_written(run, &out);
}

struct cel_value cel_quote(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\\"";
	static const char letters[] = "abfnrtv\\\"";
	struct text text = cel_text(&args[0]);
	struct writer out;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	out = string_writer(run);
	write_char(&out, '"');
	while (text.size > 0) {
		const char *found = text.at[0] == '\0' ? NULL : strchr(plain, text.at[0]);
		struct text rest = text;
		uint32_t point = cel_point(&rest);

		if (found != NULL) {
			write_char(&out, '\\');
			write_char(&out, letters[found - plain]);
		} else if (point == 0xfffd) {
			write_z(&out, "\xef\xbf\xbd");
		} else {
			write_text(&out, text_first(text, text.size - rest.size));
		}
		text = rest;
	}
	write_char(&out, '"');
	return string_written(run, &out);
}
