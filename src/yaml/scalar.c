/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scalars of YAML 1.1, as go-yaml v2 reads them: yes, on and y are booleans; 010 is eight; 1_000
 * is a thousand; 0x, 0b and 0o are understood; a date is text.
 */
#include "yaml/scalar.h"

#include "base/real.h"

enum { SCALAR_NUMBER_MAX = 128 };

static const struct {
	char word[6];
	uint8_t kind; /* enum yaml_kind */
	bool value;
} words[] = {
	{"", YAML_NULL, false},
	{"~", YAML_NULL, false},
	{"null", YAML_NULL, false},
	{"Null", YAML_NULL, false},
	{"NULL", YAML_NULL, false},
	{"true", YAML_BOOL, true},
	{"True", YAML_BOOL, true},
	{"TRUE", YAML_BOOL, true},
	{"y", YAML_BOOL, true},
	{"Y", YAML_BOOL, true},
	{"yes", YAML_BOOL, true},
	{"Yes", YAML_BOOL, true},
	{"YES", YAML_BOOL, true},
	{"on", YAML_BOOL, true},
	{"On", YAML_BOOL, true},
	{"ON", YAML_BOOL, true},
	{"false", YAML_BOOL, false},
	{"False", YAML_BOOL, false},
	{"FALSE", YAML_BOOL, false},
	{"n", YAML_BOOL, false},
	{"N", YAML_BOOL, false},
	{"no", YAML_BOOL, false},
	{"No", YAML_BOOL, false},
	{"NO", YAML_BOOL, false},
	{"off", YAML_BOOL, false},
	{"Off", YAML_BOOL, false},
	{"OFF", YAML_BOOL, false},
};

static bool is_special_float(struct text t)
{
	static const char specials[][6] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf",
		"+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

	for (size_t i = 0; i < ARRAY_COUNT(specials); i++)
		if (text_is_z(t, specials[i]))
			return true;
	return false;
}

struct integer {
	bool negative;
	uint64_t magnitude;
};

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Sign, then 0x 0b 0o or a leading 0 (octal). Underscores are only for the eye. */
static bool parse_integer(struct text t, struct integer *value)
{
	unsigned base = 10, digits = 0;

	*value = (struct integer){false, 0};
	if (t.size > 0 && (t.at[0] == '-' || t.at[0] == '+')) {
		value->negative = t.at[0] == '-';
		t = text_from(t, 1);
	}
	if (t.size > 1 && t.at[0] == '0') {
		char c = (char)(t.at[1] | 0x20);
		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		t = text_from(t, base != 8 || c == 'o' ? 2 : 1);
	}
	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] == '_')
			continue;
		unsigned digit = (unsigned)digit_of(t.at[i]);
		if (digit >= base || value->magnitude > (UINT64_MAX - digit) / base)
			return false;
		value->magnitude = value->magnitude * base + digit;
		digits++;
	}
	return digits > 0 && (!value->negative || value->magnitude <= (uint64_t)INT64_MAX + 1);
}

/* Underscores may stand anywhere in it. */
static bool parse_float(struct text t, double *value)
{
	char copy[SCALAR_NUMBER_MAX];
	size_t used = 0;

	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] == '_')
			continue;
		if (used == sizeof(copy))
			return false;
		copy[used++] = t.at[i];
	}
	return real_parse((struct text){copy, used}, value);
}

static enum yaml_kind kind_of_plain(struct text t)
{
	struct integer integer;
	double number;

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is_z(t, words[i].word))
			return (enum yaml_kind)words[i].kind;
	if (is_special_float(t))
		return YAML_FLOAT;
	/* Only a digit, a sign or a dot can begin a number: most words end here. */
	if (t.at[0] != '.' && t.at[0] != '-' && t.at[0] != '+' && (t.at[0] < '0' || t.at[0] > '9'))
		return YAML_TEXT;
	if (t.at[0] != '.' && parse_integer(t, &integer))
		return YAML_INTEGER;
	return parse_float(t, &number) ? YAML_FLOAT : YAML_TEXT;
}

bool yaml_scalar_kind(struct text t, const char *tag, bool plain, enum yaml_kind *kind)
{
	static const struct {
		char tag[6];
		uint8_t kind;
	} tags[] = {{"null", YAML_NULL}, {"bool", YAML_BOOL}, {"int", YAML_INTEGER},
		{"float", YAML_FLOAT}};
	static const char prefix[] = "tag:yaml.org,2002:";

	*kind = YAML_TEXT;
	if (tag == NULL) {
		if (plain)
			*kind = kind_of_plain(t);
		return true;
	}
	struct text rest = text_of(tag);
	if (!text_starts(rest, TEXT(prefix)))
		return text_is_z(rest, "!"); /* "not what it looks like": text */
	rest = text_from(rest, sizeof(prefix) - 1);
	if (text_is_z(rest, "str"))
		return true;
	enum yaml_kind is = kind_of_plain(t);
	for (size_t i = 0; i < ARRAY_COUNT(tags); i++) {
		if (!text_is_z(rest, tags[i].tag))
			continue;
		*kind = (enum yaml_kind)tags[i].kind;
		return is == *kind || (*kind == YAML_FLOAT && is == YAML_INTEGER);
	}
	return false;
}

static bool write_integer(struct text t, struct writer *out)
{
	struct integer value;

	if (!parse_integer(t, &value))
		return false;
	if (value.negative && value.magnitude != 0)
		write_char(out, '-');
	write_u64(out, value.magnitude);
	return true;
}

/* The shortest text that reads back as the same number. */
static bool write_float(struct text t, struct writer *out)
{
	double value;

	if (!parse_float(t, &value))
		return false;
	if (!(value < 0) && !(value > 0)) {
		write_char(out, '0'); /* and not -0, which is never meant */
		return true;
	}
	real_write_shortest(out, value);
	return true;
}

bool yaml_scalar_write(enum yaml_kind kind, struct text t, struct writer *out)
{
	bool value = false;

	if (kind == YAML_INTEGER)
		return write_integer(t, out);
	if (kind == YAML_FLOAT)
		return write_float(t, out);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text_is_z(t, words[i].word))
			value = words[i].value;
	write_z(out, kind == YAML_NULL ? "null" : value ? "true" : "false");
	return true;
}

/*
 * Characters that YAML does not take as they are, or takes for line breaks: C1 with NEL, the
 * separators of lines and paragraphs, byte order marks, what is no character. 0: none of them.
 */
static unsigned delicate(const unsigned char *at, size_t size)
{
	if (size == 2 && at[0] == 0xc2 && at[1] < 0xa0)
		return at[1];
	if (size == 3 && at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9))
		return 0x2000u + (at[2] & 0x3fu);
	bool is_last = size == 3 && at[0] == 0xef;
	if (is_last && at[1] == 0xbb && at[2] == 0xbf)
		return 0xfeff;
	return is_last && at[1] == 0xbf && at[2] >= 0xbe ? 0xffc0u + (at[2] & 0x3fu) : 0;
}

static void write_escaped(struct writer *out, unsigned char c)
{
	if (c == '\n')
		write_z(out, "\\n");
	else if (c < 0x20 || c == 0x7f)
		write_format(out, "\\u%04x", c);
	else
		write_format(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
}

void yaml_write_quoted(struct text t, struct writer *out)
{
	write_char(out, '"');
	for (size_t i = 0; i < t.size;) {
		size_t size = text_utf8_next(text_from(t, i));
		unsigned code = delicate((const unsigned char *)t.at + i, size);
		if (size <= 1)
			write_escaped(out, (unsigned char)t.at[i]);
		else if (code != 0)
			write_format(out, "\\u%04x", code);
		else
			write_bytes(out, t.at + i, size);
		i += size == 0 ? 1 : size;
	}
	write_char(out, '"');
}
