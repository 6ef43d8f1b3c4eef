/* SPDX-License-Identifier: GPL-2.0-only */
/* Text: slices, numbers, UTF-8, and the bounded writer. */
#include "base/text.h"

#include <inttypes.h>

#include "base/chars.h"
#include "base/format.h"

bool text_is_z(struct text a, const char *zero_terminated)
{
	size_t i = 0;
	if (zero_terminated == NULL)
		return a.size == 0;
	/* No size is counted first: of most that are compared the first byte differs. */
	while (i < a.size && zero_terminated[i] != '\0' && zero_terminated[i] == a.at[i])
		i++;
	return i == a.size && zero_terminated[i] == '\0';
}

bool text_is_folded(struct text a, struct text b)
{
	bool same = a.size == b.size;
	for (size_t i = 0; i < a.size && same; i++)
		same = char_lower(a.at[i]) == char_lower(b.at[i]);
	return same;
}

int text_compare(struct text a, struct text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size == 0 ? 0 : memcmp(a.at, b.at, size);
	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

bool text_starts(struct text t, struct text prefix)
{
	return prefix.size <= t.size && text_is(text_first(t, prefix.size), prefix);
}

bool text_starts_folded(struct text t, struct text prefix)
{
	if (t.size < prefix.size)
		return false;
	for (size_t i = 0; i < prefix.size; i++)
		if (t.at[i] != char_lower(prefix.at[i]))
			return false;
	return true;
}

bool text_ends(struct text t, struct text suffix)
{
	return suffix.size <= t.size && text_is(text_from(t, t.size - suffix.size), suffix);
}

static bool text_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct text text_trim(struct text t)
{
	while (t.size > 0 && text_is_blank(t.at[0]))
		t = text_from(t, 1);
	while (t.size > 0 && text_is_blank(t.at[t.size - 1]))
		t.size--;
	return t;
}

size_t text_find(struct text t, char byte)
{
	const char *found = t.size == 0 ? NULL : memchr(t.at, byte, t.size);
	return found == NULL ? t.size : (size_t)(found - t.at);
}

size_t text_find_last(struct text t, char byte)
{
	for (size_t i = t.size; i-- > 0;) {
		if (t.at[i] == byte)
			return i;
	}
	return t.size;
}

bool text_contains(struct text t, struct text part)
{
	if (part.size == 0)
		return true;
	while (t.size >= part.size) {
		t = text_from(t, text_find(t, part.at[0]));
		if (text_starts(t, part))
			return true;
		if (t.size > 0)
			t = text_from(t, 1);
	}
	return false;
}

bool text_cut(struct text *rest, char separator, struct text *part)
{
	if (rest->at == NULL) {
		*part = TEXT_NONE;
		return false;
	}
	size_t end = text_find(*rest, separator);
	*part = text_first(*rest, end);
	*rest = end == rest->size ? TEXT_NONE : text_from(*rest, end + 1);
	return true;
}

bool text_to_u64(struct text t, uint64_t *value)
{
	*value = 0;
	if (t.size == 0)
		return false;
	uint64_t sum = 0;
	for (size_t i = 0; i < t.size; i++) {
		if (t.at[i] < '0' || t.at[i] > '9')
			return false;
		unsigned digit = (unsigned)(t.at[i] - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	return true;
}

bool text_to_i64(struct text t, int64_t *value)
{
	uint64_t amount;
	bool negative = t.size > 0 && t.at[0] == '-';
	*value = 0;
	if (!text_to_u64(negative ? text_from(t, 1) : t, &amount))
		return false;
	if (amount > (uint64_t)INT64_MAX + negative)
		return false;
	/* -(amount - 1) - 1: the smallest number has no positive twin. */
	if (negative && amount > 0)
		*value = -(int64_t)(amount - 1) - 1;
	else
		*value = (int64_t)amount;
	return true;
}

bool text_to_bool(struct text t, bool *value)
{
	static const char words[][6] = {
		"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"};
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		if (!text_is_z(t, words[i]))
			continue;
		*value = i < ARRAY_COUNT(words) / 2;
		return true;
	}
	return false;
}

bool text_copy(struct text t, char *to, size_t size)
{
	bool fits = t.size < size;
	if (size > 0)
		to[fits ? t.size : 0] = '\0';
	if (fits && t.size > 0)
		memcpy(to, t.at, t.size);
	return fits;
}

/* ---- UTF-8 ---- */

static bool utf8_follows(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

/*
 * The lead byte tells the length; for four leads the second byte is bounded further, which is
 * what keeps out overlong forms (E0, F0), surrogates (ED) and all above U+10FFFF (F4).
 */
size_t text_utf8_next(struct text t)
{
	if (t.size == 0)
		return 0;
	const unsigned char *at = (const unsigned char *)t.at;
	unsigned char lead = at[0];
	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	if (t.size < size)
		return 0;
	unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < size; i++) {
		if (!utf8_follows(at[i]))
			return 0;
	}
	return size;
}

struct text text_utf8_first(struct text t, size_t size)
{
	size_t used = 0, next;
	while ((next = text_utf8_next(text_from(t, used))) != 0 && used + next <= size)
		used += next;
	return text_first(t, used);
}

/* Nearly all text is ASCII: eight bytes at a time without a set top bit. */
static size_t utf8_plain(struct text t)
{
	size_t i = 0;
	for (uint64_t word; t.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, t.at + i, sizeof(word));
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	return i;
}

bool text_is_utf8(struct text t)
{
	while (t.size > 0) {
		t = text_from(t, utf8_plain(t));
		size_t size = text_utf8_next(t);
		if (size == 0)
			return t.size == 0;
		t = text_from(t, size);
	}
	return true;
}

/* ---- writer ---- */

void writer_init(struct writer *w, void *at, size_t size)
{
	CHECK(at != NULL || size == 0);
	*w = (struct writer){.at = at, .size = size};
}

void write_bytes(struct writer *w, const void *bytes, size_t size)
{
	CHECK(w->used <= w->size);
	if (w->overflowed || size > w->size - w->used) {
		w->overflowed = true;
		return;
	}
	if (size > 0)
		memcpy(w->at + w->used, bytes, size);
	w->used += size;
}

void write_text(struct writer *w, struct text t)
{
	write_bytes(w, t.at, t.size);
}

void write_z(struct writer *w, const char *zero_terminated)
{
	write_text(w, text_of(zero_terminated));
}

void write_char(struct writer *w, char c)
{
	write_bytes(w, &c, 1);
}

void write_percent_encoded(struct writer *w, struct text t, const char *also)
{
	static const char hex_digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < t.size; i++) {
		char c = t.at[i];
		uint8_t byte = (uint8_t)c;
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (is_letter || (c >= '0' && c <= '9') ||
			(c != '\0' && (strchr("-_.~", c) != NULL || strchr(also, c) != NULL))) {
			write_char(w, c);
		} else {
			write_char(w, '%');
			write_char(w, hex_digits[byte >> 4]);
			write_char(w, hex_digits[byte & 15]);
		}
	}
}

void write_u64(struct writer *w, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value > 0);
	write_bytes(w, digits + at, sizeof(digits) - at);
}

void write_i64(struct writer *w, int64_t value)
{
	char digits[21];
	struct writer number;
	writer_init(&number, digits, sizeof(digits));
	if (value < 0)
		write_char(&number, '-');
	write_u64(&number, value < 0 ? -(uint64_t)value : (uint64_t)value);
	write_text(w, writer_text(&number));
}

void write_format_v(struct writer *w, const char *format, va_list args)
{
	CHECK(w->used <= w->size);
	size_t left = w->size - w->used;
	if (w->overflowed)
		return;
	size_t size = format_into(w->at + w->used, left, format, args);
	if (size > left) {
		w->overflowed = true;
		return;
	}
	w->used += size;
}

void write_format(struct writer *w, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	write_format_v(w, format, args);
	va_end(args);
}
