/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conversions between kinds.
 */
#include "cel/calendar.h"
#include "cel/function.h"

#include <math.h>

#include "base/chars.h"
#include "base/real.h"

enum {
	CONVERTED_SIZE = 64,
	HEX_CUT = 64 - 53,    /* bits that a double has no room for */
	HEX_TWOS_MIN = -1074, /* of a double's last bit */
	HEX_EXPONENT_MAX = 100 * 1000,
	HEX_TEXT = 256
};

static struct cel_value convert_refused(
	struct cel_run *run, const struct cel_value *from, enum cel_kind to)
{
	return cel_fault_text(run, "type conversion error from '%s' to '%s'",
		cel_kind_name(from->kind).at, cel_kind_name(to).at);
}

struct cel_value cel_to_dyn(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return args[0];
}

struct cel_value cel_to_type(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value type = cel_string(cel_kind_name(args[0].kind));

	(void)run;
	(void)count;
	type.kind = CEL_TYPE;
	return type;
}

struct cel_value cel_to_bool(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	static const char *const words[] = {
		"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"};

	(void)count;
	if (args[0].kind == CEL_BOOL)
		return args[0];
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is_z(cel_text(&args[0]), words[i]))
			return cel_bool(i < ARRAY_COUNT(words) / 2);
	return convert_refused(run, &args[0], CEL_BOOL);
}

struct cel_value cel_to_bytes(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value bytes = args[0];

	(void)run;
	(void)count;
	if (bytes.kind != CEL_STRING && bytes.kind != CEL_BYTES)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	bytes.kind = CEL_BYTES;
	return bytes;
}

/* Compares without regard to case; `word` is in lower case. */
static bool convert_is_word(struct text t, const char *word)
{
	if (t.size != strlen(word))
		return false;
	for (size_t i = 0; i < t.size; i++)
		if ((t.at[i] | 0x20) != word[i])
			return false;
	return true;
}

/* bits * 2^twos, rounded once, half to even; `more`: and a little more than that. */
static double convert_round(uint64_t bits, int64_t twos, bool more)
{
	int64_t cut = HEX_CUT;
	uint64_t kept = 0;
	uint64_t rest;

	if (bits == 0)
		return 0;
	for (; bits >> 63 == 0; bits <<= 1)
		twos--;
	if (twos + cut < HEX_TWOS_MIN)
		cut = HEX_TWOS_MIN - twos;
	if (cut > 64)
		return 0;
	if (cut < 64)
		kept = bits >> cut;
	rest = bits << (64 - cut); /* behind what is kept; half of one is 2^63 */
	if (rest > UINT64_C(1) << 63 || (rest == UINT64_C(1) << 63 && (more || kept % 2 != 0)))
		kept++;
	return ldexp((double)kept, (int)(twos + cut));
}

/* What stands behind 0x. */
static bool convert_from_hex(struct text t, double *value)
{
	uint64_t bits = 0;
	int64_t twos = 0;
	int64_t exponent;
	bool any = false;
	bool point = false;
	bool more = false;

	for (; t.size > 0 && (char_hex(t.at[0]) >= 0 || (t.at[0] == '.' && !point));
		t = text_from(t, 1)) {
		if (t.at[0] == '.') {
			point = true;
			continue;
		}
		any = true;
		if (bits >> 60 == 0) {
			bits = bits << 4 | (uint64_t)char_hex(t.at[0]);
			twos -= point ? 4 : 0;
		} else {
			more = more || t.at[0] != '0';
			twos += point ? 0 : 4;
		}
	}
	if (!any || t.size < 2 || (t.at[0] | 0x20) != 'p')
		return false;
	t = text_from(t, t.at[1] == '+' ? 2 : 1);
	if (!text_to_i64(t, &exponent) || exponent > HEX_EXPONENT_MAX ||
		exponent < -HEX_EXPONENT_MAX)
		return false;
	*value = convert_round(bits, twos + exponent, more);
	return isfinite(*value) != 0;
}

/* Without the underscores that may separate digits; false when one does not. */
static bool convert_join_digits(struct text t, bool hex, struct writer *out)
{
	for (size_t i = 0; i < t.size; i++) {
		char before = i > 0 ? t.at[i - 1] : ' ';
		char behind = i + 1 < t.size ? t.at[i + 1] : ' ';

		if (t.at[i] != '_')
			write_char(out, t.at[i]);
		else if (char_hex(behind) < 0 || (!hex && !char_is_digit(behind)) ||
			(hex ? char_hex(before) < 0 && i != 2 : !char_is_digit(before)))
			return false;
	}
	return !out->overflowed;
}

/* A number without its sign. */
static bool convert_digits(struct text t, double *value)
{
	bool hex = t.size > 2 && t.at[0] == '0' && (t.at[1] | 0x20) == 'x';
	char joined[HEX_TEXT];
	struct writer out;

	if (text_find(t, '_') != t.size) {
		writer_init(&out, joined, sizeof(joined));
		if (!convert_join_digits(t, hex, &out))
			return false;
		t = writer_text(&out);
	}
	if (hex)
		return convert_from_hex(text_from(t, 2), value);
	return t.size > 0 && t.at[0] != '-' && t.at[0] != '+' && real_parse(t, value);
}

/* As Go's ParseFloat. */
static bool convert_to_real(struct text t, double *value)
{
	bool minus = t.size > 0 && t.at[0] == '-';
	struct text word = t.size > 0 && (minus || t.at[0] == '+') ? text_from(t, 1) : t;

	*value = INFINITY;
	if (!convert_digits(word, value) && !convert_is_word(word, "inf") &&
		!convert_is_word(word, "infinity")) {
		*value = NAN;
		return convert_is_word(t, "nan");
	}
	if (minus)
		*value = -*value;
	return true;
}

struct cel_value cel_to_double(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	double value;

	(void)count;
	switch (args[0].kind) {
	case CEL_DOUBLE: return args[0];
	case CEL_INT: return cel_double((double)args[0].integer);
	case CEL_UINT: return cel_double((double)args[0].natural);
	case CEL_STRING:
		return convert_to_real(cel_text(&args[0]), &value)
			? cel_double(value)
			: convert_refused(run, &args[0], CEL_DOUBLE);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

struct cel_value cel_to_int(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct text text;
	int64_t value;

	(void)count;
	switch (args[0].kind) {
	case CEL_INT: return args[0];
	case CEL_DURATION:
	case CEL_TIMESTAMP: return cel_int(args[0].integer);
	case CEL_UINT:
		return args[0].natural > INT64_MAX ? cel_fault(CEL_FAULT_INT)
						   : cel_int(args[0].integer);
	case CEL_DOUBLE:
		return args[0].real > -0x1p63 && args[0].real < 0x1p63
			? cel_int((int64_t)args[0].real)
			: cel_fault(CEL_FAULT_INT);
	case CEL_STRING:
		text = cel_text(&args[0]);
		if (text.size > 1 && text.at[0] == '+' && text.at[1] != '-')
			text = text_from(text, 1);
		return text_to_i64(text, &value) ? cel_int(value)
						 : convert_refused(run, &args[0], CEL_INT);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

struct cel_value cel_to_uint(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	uint64_t value;

	(void)count;
	switch (args[0].kind) {
	case CEL_UINT: return args[0];
	case CEL_INT:
		return args[0].integer < 0 ? cel_fault(CEL_FAULT_UINT) : cel_uint(args[0].natural);
	case CEL_DOUBLE:
		return args[0].real >= 0 && args[0].real < 0x1p64 ? cel_uint((uint64_t)args[0].real)
								  : cel_fault(CEL_FAULT_UINT);
	case CEL_STRING:
		return text_to_u64(cel_text(&args[0]), &value)
			? cel_uint(value)
			: convert_refused(run, &args[0], CEL_UINT);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

struct cel_value cel_to_string(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	char text[CONVERTED_SIZE];
	struct writer out;
	struct cel_value string = args[0];

	(void)count;
	writer_init(&out, text, sizeof(text));
	switch (args[0].kind) {
	case CEL_STRING: return args[0];
	case CEL_BYTES:
		string.kind = CEL_STRING;
		return text_is_utf8(cel_text(&args[0])) ? string : cel_fault(CEL_FAULT_UTF8);
	case CEL_BOOL:
	case CEL_INT:
	case CEL_UINT:
	case CEL_DOUBLE: cel_print_plain(&args[0], &out); break;
	case CEL_DURATION: cel_duration_print(args[0].integer, &out); break;
	case CEL_TIMESTAMP: cel_time_print(&args[0], &out); break;
	case CEL_IP:
	case CEL_CIDR: cel_print_plain(&args[0], &out); break;
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
	return cel_new_string(run, writer_text(&out));
}

struct cel_value cel_to_duration(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t nanos;

	(void)count;
	if (args[0].kind == CEL_DURATION)
		return args[0];
	if (args[0].kind == CEL_STRING && cel_duration_parse(cel_text(&args[0]), &nanos))
		return cel_typed(CEL_DURATION, nanos, 0);
	/* Whole numbers are declared to convert, and never do. */
	if (args[0].kind == CEL_STRING || args[0].kind == CEL_INT)
		return convert_refused(run, &args[0], CEL_DURATION);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_to_timestamp(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value time;

	(void)count;
	switch (args[0].kind) {
	case CEL_TIMESTAMP: return args[0];
	case CEL_INT:
		if (args[0].integer < CEL_TIME_MIN || args[0].integer > CEL_TIME_MAX)
			return cel_fault(CEL_FAULT_TIMESTAMP);
		return cel_typed(CEL_TIMESTAMP, args[0].integer, 0);
	case CEL_STRING:
		return cel_time_parse(cel_text(&args[0]), &time)
			? time
			: convert_refused(run, &args[0], CEL_TIMESTAMP);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}
