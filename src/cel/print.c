/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values as text: as expressions write them, as upstream's errors show them, and format().
 */
#include "cel/address.h"
#include "cel/calendar.h"
#include "cel/decimal.h"
#include "cel/function.h"

#include <math.h>

enum { PRINT_DEPTH_MAX = 64, PRINT_DIGITS = 6 };

enum print_way {
	PRINT_PLAIN,
	PRINT_LITERAL,
	PRINT_INSIDE /* of a list in format() */
};

static void print_value(
	const struct cel_value *v, enum print_way way, uint32_t depth, struct writer *out);

/* In double quotes, as Go's %q. */
static void print_quoted(struct text t, struct writer *out)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\\"";
	static const char letters[] = "abfnrtv\\\"";

	write_char(out, '"');
	while (t.size > 0) {
		const char *found = t.at[0] == '\0' ? NULL : strchr(plain, t.at[0]);
		struct text rest = t;
		uint32_t point = cel_point(&rest);

		if (found != NULL)
			write_format(out, "\\%c", letters[found - plain]);
		else if (point == 0xfffd && t.size - rest.size == 1)
			write_format(out, "\\x%02x", (unsigned)(uint8_t)t.at[0]);
		else if (point < 0x20 || point == 0x7f)
			write_format(out, "\\x%02x", (unsigned)point);
		else
			write_text(out, text_first(t, t.size - rest.size));
		t = rest;
	}
	write_char(out, '"');
}

static void print_list(
	const struct cel_value *v, enum print_way way, uint32_t depth, struct writer *out)
{
	uint32_t count = cel_size(v);

	write_char(out, '[');
	for (uint32_t i = 0; i < count && !out->overflowed; i++) {
		struct cel_value item = cel_at(v, i);

		write_z(out, i > 0 ? ", " : "");
		print_value(&item, way == PRINT_PLAIN ? PRINT_LITERAL : way, depth + 1, out);
	}
	write_char(out, ']');
}

static void print_map(
	const struct cel_value *v, enum print_way way, uint32_t depth, struct writer *out)
{
	uint32_t count = cel_size(v);

	write_char(out, '{');
	for (uint32_t i = 0; i < count && !out->overflowed; i++) {
		struct cel_value key;
		struct cel_value value;

		cel_entry_at(v, i, &key, &value);
		write_z(out, i > 0 ? ", " : "");
		print_value(&key, way == PRINT_PLAIN ? PRINT_LITERAL : way, depth + 1, out);
		write_z(out, ": ");
		print_value(&value, way == PRINT_PLAIN ? PRINT_LITERAL : way, depth + 1, out);
	}
	write_char(out, '}');
}

static void print_semver(const struct cel_semver *s, struct writer *out)
{
	write_format(out, "%llu.%llu.%llu", (unsigned long long)s->number[0],
		(unsigned long long)s->number[1], (unsigned long long)s->number[2]);
	if (s->pre.at != NULL)
		write_format(out, "-%.*s", TEXT_ARGS(s->pre));
	if (s->build.at != NULL)
		write_format(out, "+%.*s", TEXT_ARGS(s->build));
}

static void print_call(
	const char *name, const struct cel_value *v, bool literal, struct writer *out)
{
	if (literal)
		write_format(out, "%s(\"", name);
	switch (v->kind) {
	case CEL_DURATION: cel_duration_print(v->integer, out); break;
	case CEL_TIMESTAMP: cel_time_print(v, out); break;
	case CEL_QUANTITY: quantity_print(v->quantity, out); break;
	case CEL_IP:
	case CEL_CIDR: cel_address_print(v->address, v->kind == CEL_CIDR, out); break;
	default: print_semver(v->semver, out); break;
	}
	write_z(out, literal ? "\")" : "");
}

static void print_text(const struct cel_value *v, enum print_way way, struct writer *out)
{
	if (way == PRINT_PLAIN) {
		write_text(out, cel_text(v));
		return;
	}
	if (v->kind == CEL_BYTES)
		write_char(out, 'b');
	print_quoted(cel_text(v), out);
}

static void print_value(
	const struct cel_value *v, enum print_way way, uint32_t depth, struct writer *out)
{
	bool literal = way != PRINT_PLAIN;

	if (out->overflowed)
		return;
	if (depth > PRINT_DEPTH_MAX) {
		write_z(out, "...");
		return;
	}
	switch (v->kind) {
	case CEL_NULL: write_z(out, "null"); break;
	case CEL_BOOL: write_z(out, v->truth ? "true" : "false"); break;
	case CEL_INT: write_i64(out, v->integer); break;
	case CEL_UINT:
		write_u64(out, v->natural);
		write_z(out, way == PRINT_LITERAL ? "u" : "");
		break;
	case CEL_DOUBLE: cel_print_double(v->real, out); break;
	case CEL_STRING:
	case CEL_BYTES: print_text(v, way, out); break;
	case CEL_DURATION: print_call("duration", v, literal, out); break;
	case CEL_TIMESTAMP: print_call("timestamp", v, literal, out); break;
	case CEL_QUANTITY: print_call("quantity", v, literal, out); break;
	case CEL_SEMVER: print_call("semver", v, literal, out); break;
	case CEL_IP: print_call("ip", v, literal, out); break;
	case CEL_CIDR: print_call("cidr", v, literal, out); break;
	case CEL_LIST: print_list(v, way, depth, out); break;
	case CEL_MAP: print_map(v, way, depth, out); break;
	case CEL_TYPE: write_text(out, cel_text(v)); break;
	case CEL_OPTIONAL:
		if (v->items == NULL) {
			write_z(out, "optional.none()");
			break;
		}
		write_z(out, "optional.of(");
		print_value(v->items, PRINT_LITERAL, depth + 1, out);
		write_char(out, ')');
		break;
	case CEL_ERROR: cel_print_error(v, out); break;
	default: write_text(out, cel_kind_name(v->kind)); break;
	}
}

void cel_print(const struct cel_value *value, struct writer *out)
{
	print_value(value, PRINT_LITERAL, 0, out);
}

void cel_print_plain(const struct cel_value *value, struct writer *out)
{
	print_value(value, PRINT_PLAIN, 0, out);
}

void cel_print_error(const struct cel_value *error, struct writer *out)
{
	static const char *const texts[] = {[CEL_FAULT_TEXT] = "",
		[CEL_FAULT_NO_OVERLOAD] = "no such overload",
		[CEL_FAULT_NO_KEY] = "no such key: ",
		[CEL_FAULT_NO_INDEX] = "index out of bounds: ",
		[CEL_FAULT_DIVISION] = "division by zero",
		[CEL_FAULT_MODULUS] = "modulus by zero",
		[CEL_FAULT_INT] = "integer overflow",
		[CEL_FAULT_UINT] = "unsigned integer overflow",
		[CEL_FAULT_DURATION] = "duration overflow",
		[CEL_FAULT_TIMESTAMP] = "timestamp overflow",
		[CEL_FAULT_NAN] = "NaN values cannot be ordered",
		[CEL_FAULT_NO_VALUE] = "optional.none() dereference",
		[CEL_FAULT_UTF8] = "invalid UTF-8 in bytes, cannot convert to string",
		[CEL_FAULT_COST] = "operation cancelled: actual cost limit exceeded",
		[CEL_FAULT_MEMORY] = "operation cancelled: it needs more memory than it may take"};
	struct cel_value about = *error;

	CHECK(error->kind == CEL_ERROR && error->fault < ARRAY_COUNT(texts));
	write_z(out, texts[error->fault]);
	about.kind = error->about;
	if (error->fault == CEL_FAULT_TEXT || error->fault == CEL_FAULT_NO_KEY ||
		error->fault == CEL_FAULT_NO_INDEX)
		cel_print_plain(&about, out);
}

/* ---- format ---- */

struct print_format {
	struct cel_run *run;
	struct writer out;
	struct cel_value error; /* or null */
};

static void print_refuse(struct print_format *f, const char *what, const struct cel_value *arg)
{
	static const char tail[] = ", was given ";

	/* The writer has all that is left of the memory: close it before taking more. */
	scratch_keep(f->run->scratch, f->out.at, 0);
	f->out.overflowed = true;
	f->error = cel_fault_text(
		f->run, "error during formatting: %s%s%s", what, tail, cel_kind_name(arg->kind).at);
}

static bool print_inside(const struct cel_value *v, struct print_format *f)
{
	switch (v->kind) {
	case CEL_DOUBLE:
		if (!isfinite(v->real)) {
			write_char(&f->out, '"');
			cel_print_fixed(v->real, PRINT_DIGITS, false, &f->out);
			write_char(&f->out, '"');
		} else {
			cel_print_fixed(v->real, PRINT_DIGITS, false, &f->out);
		}
		return true;
	case CEL_NULL:
	case CEL_BOOL:
	case CEL_INT:
	case CEL_UINT:
	case CEL_STRING:
	case CEL_BYTES:
	case CEL_DURATION:
	case CEL_TIMESTAMP:
	case CEL_TYPE: print_value(v, PRINT_INSIDE, 0, &f->out); return true;
	default: return false;
	}
}

static void print_nested(struct print_format *f, const struct cel_value *v, uint32_t depth);

/* Upstream sorts entries by the text of their keys. */
static void print_sorted(struct print_format *f, const struct cel_value *v, uint32_t depth)
{
	uint32_t count = cel_size(v);
	struct cel_value last = CEL_VALUE_NULL;

	if (!cel_work(f->run, (uint64_t)count * count / 8))
		return;
	for (uint32_t i = 0; i < count && f->error.kind == CEL_NULL; i++) {
		struct cel_value best = CEL_VALUE_NULL;
		struct cel_value value = CEL_VALUE_NULL;

		for (uint32_t k = 0; k < count; k++) {
			struct cel_value key;
			struct cel_value at;

			cel_entry_at(v, k, &key, &at);
			if ((i == 0 || cel_compare(&key, &last) == CEL_MORE) &&
				(best.kind == CEL_NULL || cel_compare(&key, &best) == CEL_LESS)) {
				best = key;
				value = at;
			}
		}
		write_z(&f->out, i > 0 ? ", " : "");
		print_nested(f, &best, depth);
		write_char(&f->out, ':');
		print_nested(f, &value, depth);
		last = best;
	}
}

static void print_nested(struct print_format *f, const struct cel_value *v, uint32_t depth)
{
	uint32_t count;

	if (f->out.overflowed || f->error.kind != CEL_NULL || f->run->stopped != 0)
		return;
	if ((v->kind == CEL_LIST || v->kind == CEL_MAP) && depth == PRINT_DEPTH_MAX) {
		f->run->stopped = CEL_FAULT_COST;
		return;
	}
	if (v->kind == CEL_LIST) {
		count = cel_size(v);
		write_char(&f->out, '[');
		for (uint32_t i = 0; i < count && f->error.kind == CEL_NULL; i++) {
			struct cel_value item = cel_at(v, i);

			write_z(&f->out, i > 0 ? ", " : "");
			print_nested(f, &item, depth + 1);
		}
		write_char(&f->out, ']');
	} else if (v->kind == CEL_MAP) {
		write_char(&f->out, '{');
		print_sorted(f, v, depth + 1);
		write_char(&f->out, '}');
	} else if (!print_inside(v, f)) {
		print_refuse(f, "no formatting function", v);
	}
}

static void print_as_string(struct print_format *f, const struct cel_value *v)
{
	switch (v->kind) {
	case CEL_LIST:
	case CEL_MAP: print_nested(f, v, 0); break;
	case CEL_DURATION: cel_duration_print(v->integer, &f->out); break;
	case CEL_TIMESTAMP: cel_time_print(v, &f->out); break;
	case CEL_NULL:
	case CEL_BOOL:
	case CEL_INT:
	case CEL_UINT:
	case CEL_DOUBLE:
	case CEL_STRING:
	case CEL_BYTES:
	case CEL_TYPE: cel_print_plain(v, &f->out); break;
	default:
		print_refuse(f,
			"string clause can only be used on strings, bools, bytes, ints, doubles, "
			"maps, lists, types, durations, and timestamps",
			v);
	}
}

/* In base 2, 8 or 16. */
static void print_based(struct print_format *f, uint64_t value, uint32_t bits, bool upper)
{
	char digits[64];
	uint32_t count = 0;

	do {
		uint32_t digit = (uint32_t)(value & ((1U << bits) - 1));

		digits[count++] =
			(char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
		value >>= bits;
	} while (value != 0);
	while (count > 0)
		write_char(&f->out, digits[--count]);
}

static bool print_whole(
	struct print_format *f, const struct cel_value *v, uint32_t bits, bool upper)
{
	if (v->kind == CEL_INT && v->integer < 0)
		write_char(&f->out, '-');
	if (v->kind == CEL_INT)
		print_based(f, v->integer < 0 ? 0 - v->natural : v->natural, bits, upper);
	else if (v->kind == CEL_UINT)
		print_based(f, v->natural, bits, upper);
	else
		return false;
	return true;
}

static void print_hex(struct print_format *f, const struct cel_value *v, bool upper)
{
	if (v->kind == CEL_STRING || v->kind == CEL_BYTES)
		for (uint32_t i = 0; i < v->size; i++)
			write_format(
				&f->out, upper ? "%02X" : "%02x", (unsigned)(uint8_t)v->text[i]);
	else if (!print_whole(f, v, 4, upper))
		print_refuse(
			f, "only integers, byte buffers, and strings can be formatted as hex", v);
}

static void print_real(
	struct print_format *f, const struct cel_value *v, uint32_t digits, bool scientific)
{
	static const char *const odd[] = {"NaN", "Infinity", "-Infinity"};
	static const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
	double value = v->real;
	bool known = v->kind == CEL_DOUBLE;

	for (size_t i = 0; i < ARRAY_COUNT(odd) && v->kind == CEL_STRING; i++)
		if (text_is_z(cel_text(v), odd[i])) {
			value = values[i];
			known = true;
		}
	if (!known)
		print_refuse(f,
			scientific ? "scientific clause can only be used on doubles"
				   : "fixed-point clause can only be used on doubles",
			v);
	else if (!isfinite(value))
		write_z(&f->out,
			isnan(value)        ? "NaN"
				: value > 0 ? "\xe2\x88\x9e"
					    : "-\xe2\x88\x9e");
	else if (scientific)
		cel_print_scientific(value, digits, &f->out);
	else
		cel_print_fixed(value, digits, true, &f->out);
}

static void print_clause(
	struct print_format *f, char clause, uint32_t digits, const struct cel_value *v)
{
	switch (clause) {
	case 's': print_as_string(f, v); break;
	case 'd':
		if (v->kind == CEL_INT)
			write_i64(&f->out, v->integer);
		else if (v->kind == CEL_UINT)
			write_u64(&f->out, v->natural);
		else
			print_refuse(f, "decimal clause can only be used on integers", v);
		break;
	case 'f': print_real(f, v, digits, false); break;
	case 'e': print_real(f, v, digits, true); break;
	case 'b':
		if (v->kind == CEL_BOOL)
			write_char(&f->out, v->truth ? '1' : '0');
		else if (!print_whole(f, v, 1, false))
			print_refuse(f, "only integers and bools can be formatted as binary", v);
		break;
	case 'o':
		if (!print_whole(f, v, 3, false))
			print_refuse(f, "octal clause can only be used on integers", v);
		break;
	default: print_hex(f, v, clause == 'X'); break;
	}
}

static void print_bad_clause(struct print_format *f, const char *why)
{
	scratch_keep(f->run->scratch, f->out.at, 0);
	f->out.overflowed = true;
	f->error = cel_fault_text(f->run, "could not parse formatting clause: %s", why);
}

/* The clause at the front of the text, behind its '%'. */
static void print_next(struct print_format *f, struct text *t, const struct cel_value *arg)
{
	uint32_t digits = PRINT_DIGITS;
	char why[] = "unrecognized formatting clause \"?\"";

	if (t->size > 0 && t->at[0] == '.') {
		for (*t = text_from(*t, 1), digits = 0;
			t->size > 0 && t->at[0] >= '0' && t->at[0] <= '9'; *t = text_from(*t, 1))
			digits = digits > 1000 * 1000 ? digits
						      : digits * 10 + (uint32_t)(t->at[0] - '0');
		if (t->size == 0) {
			print_bad_clause(f,
				"error while parsing precision: could not find end of precision "
				"specifier");
			return;
		}
	}
	if (t->at[0] == '\0' || strchr("sdfebxXo", t->at[0]) == NULL) {
		why[sizeof(why) - 3] = t->at[0];
		print_bad_clause(f, why);
		return;
	}
	print_clause(f, t->at[0], digits, arg);
	*t = text_from(*t, 1);
}

struct cel_value cel_format(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct print_format f = {.run = run, .error = CEL_VALUE_NULL};
	struct text t = cel_text(&args[0]);
	uint32_t next = 0;
	size_t size;
	void *at;

	(void)count;
	if (args[0].kind != CEL_STRING || args[1].kind != CEL_LIST)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	at = scratch_take_rest(run->scratch, &size);
	writer_init(&f.out, at, at == NULL ? 0 : size);
	while (t.size > 0 && f.error.kind == CEL_NULL && run->stopped == 0) {
		size_t plain = text_find(t, '%');
		struct cel_value arg;

		write_text(&f.out, text_first(t, plain));
		t = text_from(t, plain);
		if (t.size == 0)
			break;
		t = text_from(t, 1);
		if (t.size > 0 && t.at[0] == '%') {
			write_char(&f.out, '%');
			t = text_from(t, 1);
		} else if (next >= cel_size(&args[1]) || t.size == 0) {
			scratch_keep(run->scratch, f.out.at, 0);
			return t.size == 0 && next < cel_size(&args[1])
				? cel_fault_text(run, "unexpected end of string")
				: cel_fault_text(run, "index %u out of range", (unsigned)next);
		} else {
			arg = cel_at(&args[1], next++);
			print_next(&f, &t, &arg);
		}
	}
	if (f.error.kind != CEL_NULL)
		return f.error;
	if (f.out.at != NULL)
		scratch_keep(run->scratch, f.out.at, f.out.used);
	if (f.out.overflowed || f.out.at == NULL)
		run->stopped = run->stopped == 0 ? CEL_FAULT_MEMORY : run->stopped;
	if (!cel_work(run, f.out.used / 16))
		return cel_stopped(run);
	return cel_string(writer_text(&f.out));
}
