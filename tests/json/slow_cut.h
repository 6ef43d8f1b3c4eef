/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cutter once more, slow and obvious: recursive, over a whole text, without limits of memory.
 * It writes what collect.h writes.
 */
#ifndef BERTH_TESTS_JSON_SLOW_CUT_H
#define BERTH_TESTS_JSON_SLOW_CUT_H

#include "json/collect.h"

struct slow {
	const unsigned char *at;
	const unsigned char *end;
	bool broken; /* or not complete */
	char *out;
	size_t used;
	int depth;
	struct collect_job job;
};

static inline bool slow_value(struct slow *slow, const struct json_want *inside, bool keep);

static inline void slow_put(struct slow *slow, bool keep, char byte)
{
	TEST_ASSERT_TRUE(slow->used < COLLECT_MAX);
	if (keep)
		slow->out[slow->used++] = byte;
}

static inline int slow_peek(const struct slow *slow)
{
	return slow->at < slow->end ? *slow->at : -1;
}

static inline bool slow_break(struct slow *slow)
{
	slow->broken = true;
	return false;
}

static inline void slow_space(struct slow *slow)
{
	while (slow_peek(slow) == ' ' || slow_peek(slow) == '\t' || slow_peek(slow) == '\n' ||
		slow_peek(slow) == '\r')
		slow->at++;
}

static inline bool slow_digits(struct slow *slow, bool keep)
{
	bool any = false;

	for (; slow_peek(slow) >= '0' && slow_peek(slow) <= '9'; any = true)
		slow_put(slow, keep, (char)*slow->at++);
	return any;
}

static inline bool slow_number(struct slow *slow, bool keep)
{
	if (slow_peek(slow) == '-')
		slow_put(slow, keep, (char)*slow->at++);
	if (slow_peek(slow) == '0') {
		slow_put(slow, keep, (char)*slow->at++);
		if (slow_peek(slow) >= '0' && slow_peek(slow) <= '9')
			return slow_break(slow);
	} else if (!slow_digits(slow, keep)) {
		return slow_break(slow);
	}
	if (slow_peek(slow) == '.') {
		slow_put(slow, keep, (char)*slow->at++);
		if (!slow_digits(slow, keep))
			return slow_break(slow);
	}
	if (slow_peek(slow) == 'e' || slow_peek(slow) == 'E') {
		slow_put(slow, keep, (char)*slow->at++);
		if (slow_peek(slow) == '+' || slow_peek(slow) == '-')
			slow_put(slow, keep, (char)*slow->at++);
		if (!slow_digits(slow, keep))
			return slow_break(slow);
	}
	/* inside something the number has not ended yet */
	return slow->at < slow->end || slow->depth == 0 ? true : slow_break(slow);
}

static inline int slow_hex4(struct slow *slow)
{
	int value = 0;

	for (int i = 0; i < 4; i++, slow->at++) {
		static const char digits[] = "0123456789abcdef0123456789ABCDEF";
		const char *digit = slow_peek(slow) <= 0 ? NULL : strchr(digits, *slow->at);

		if (digit == NULL)
			return -1;
		value = value * 16 + (int)((digit - digits) % 16);
	}
	return value;
}

/* The code point of an escape behind its backslash, or -1. */
static inline long slow_escape(struct slow *slow)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char points[] = "\"\\/\b\f\n\r\t";
	const char *letter = slow_peek(slow) <= 0 ? NULL : strchr(letters, *slow->at);
	long high;
	long low;

	if (letter != NULL) {
		slow->at++;
		return points[letter - letters];
	}
	if (slow_peek(slow) != 'u')
		return -1;
	slow->at++;
	high = slow_hex4(slow);
	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || slow->end - slow->at < 2 || memcmp(slow->at, "\\u", 2) != 0)
		return -1;
	slow->at += 2;
	low = slow_hex4(slow);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	return 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
}

/* A code point as UTF-8 has it, or -1. */
static inline long slow_utf8(struct slow *slow)
{
	static const long smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	int first = *slow->at++;
	int size = first < 0x80 ? 1
		: first < 0xc0  ? 0
		: first < 0xe0  ? 2
		: first < 0xf0  ? 3
		: first < 0xf8  ? 4
				: 0;
	long point = size == 1 ? first : first & (0x7f >> size);

	if (size == 0)
		return -1;
	for (int i = 1; i < size; i++) {
		if (slow_peek(slow) < 0x80 || slow_peek(slow) > 0xbf)
			return -1;
		point = point * 64 + (*slow->at++ & 0x3f);
	}
	if (point < smallest[size] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
		return -1;
	return point;
}

static inline void slow_put_point(struct slow *slow, bool keep, long point)
{
	char bytes[8];

	if (point == '"' || point == '\\')
		snprintf(bytes, sizeof(bytes), "\\%c", (char)point);
	else if (point == '\b' || point == '\t' || point == '\n' || point == '\f' || point == '\r')
		snprintf(bytes, sizeof(bytes), "\\%c", "btn?fr"[point - '\b']);
	else if (point < 0x20)
		snprintf(bytes, sizeof(bytes), "\\u%04lx", point);
	else if (point < 0x80)
		snprintf(bytes, sizeof(bytes), "%c", (char)point);
	else if (point < 0x800)
		snprintf(bytes, sizeof(bytes), "%c%c", (char)(0xc0 + point / 64),
			(char)(0x80 + point % 64));
	else if (point < 0x10000)
		snprintf(bytes, sizeof(bytes), "%c%c%c", (char)(0xe0 + point / 4096),
			(char)(0x80 + point / 64 % 64), (char)(0x80 + point % 64));
	else
		snprintf(bytes, sizeof(bytes), "%c%c%c%c", (char)(0xf0 + point / 262144),
			(char)(0x80 + point / 4096 % 64), (char)(0x80 + point / 64 % 64),
			(char)(0x80 + point % 64));
	for (const char *b = bytes; *b != '\0'; b++)
		slow_put(slow, keep, *b);
}

static inline bool slow_string(struct slow *slow, bool keep)
{
	if (slow_peek(slow) != '"')
		return slow_break(slow);
	slow_put(slow, keep, (char)*slow->at++);
	while (slow_peek(slow) >= 0x20 && slow_peek(slow) != '"') {
		long point;

		if (slow_peek(slow) == '\\') {
			slow->at++;
			point = slow_escape(slow);
		} else {
			point = slow_utf8(slow);
		}
		if (point < 0)
			return slow_break(slow);
		slow_put_point(slow, keep, point);
	}
	if (slow_peek(slow) != '"')
		return slow_break(slow);
	slow_put(slow, keep, (char)*slow->at++);
	return true;
}

static inline bool slow_byte(struct slow *slow, bool keep, int byte)
{
	slow_space(slow);
	if (slow_peek(slow) != byte)
		return slow_break(slow);
	slow->at++;
	slow_put(slow, keep, (char)byte);
	return true;
}

static inline bool slow_comma(struct slow *slow)
{
	slow_space(slow);
	if (slow_peek(slow) != ',')
		return false;
	slow->at++;
	return true;
}

/* Is the key (with its quotes, canonical) wanted, and what of its value? */
static inline bool slow_wants(const struct json_want *inside, const char *key, size_t size,
	const struct json_want **below)
{
	*below = NULL;
	if (size - 2 > JSON_KEY_MAX)
		return false;
	if (inside == NULL)
		return true;
	for (; inside->key != NULL; inside++) {
		*below = inside->inside;
		if (strcmp(inside->key, "*") == 0)
			return true;
		if (strlen(inside->key) == size - 2 && memcmp(inside->key, key + 1, size - 2) == 0)
			return true;
	}
	return false;
}

/* One piece from `from` on is complete: of one that is too big nothing is said. */
static inline void slow_piece(struct slow *slow, size_t from, char letter, size_t max)
{
	if (slow->used - from > max) {
		slow->used = from;
		letter = 'B';
	}
	memmove(slow->out + from + 1, slow->out + from, slow->used - from);
	slow->out[from] = letter;
	slow->used++;
	slow_put(slow, true, '\n');
}

static inline bool slow_member(
	struct slow *slow, const struct json_want *inside, bool keep, bool *any)
{
	const struct json_want *below = NULL;
	size_t from = slow->used;
	size_t key = from + (*any ? 1 : 0);

	if (*any)
		slow_put(slow, keep, ',');
	slow_space(slow);
	if (!slow_string(slow, keep))
		return false;
	if (keep && !slow_wants(inside, slow->out + key, slow->used - key, &below)) {
		slow->used = from;
		keep = false;
	}
	*any |= keep;
	return slow_byte(slow, keep, ':') && slow_value(slow, below, keep);
}

static inline bool slow_container(struct slow *slow, const struct json_want *inside, bool keep)
{
	bool object = slow_peek(slow) == '{';
	int end = object ? '}' : ']';
	bool any = false;

	if (slow->depth == JSON_NESTING_MAX)
		return slow_break(slow);
	slow->depth++;
	slow_put(slow, keep, (char)*slow->at++);
	slow_space(slow);
	if (slow_peek(slow) != end) {
		do {
			if (!object && any)
				slow_put(slow, keep, ',');
			if (object && !slow_member(slow, inside, keep, &any))
				return false;
			if (!object && !slow_value(slow, inside, keep))
				return false;
			any |= !object;
			slow_space(slow);
		} while (slow_comma(slow));
	}
	slow->depth--;
	return slow_byte(slow, keep, end);
}

static inline bool slow_value(struct slow *slow, const struct json_want *inside, bool keep)
{
	static const char *const literals[] = {"null", "true", "false"};
	int byte;

	slow_space(slow);
	byte = slow_peek(slow);
	if (byte == '{' || byte == '[')
		return slow_container(slow, inside, keep);
	if (byte == '"')
		return slow_string(slow, keep);
	if (byte == '-' || (byte >= '0' && byte <= '9'))
		return slow_number(slow, keep);
	for (int i = 0; i < 3; i++) {
		size_t size = strlen(literals[i]);

		if (slow->end - slow->at < (ptrdiff_t)size ||
			memcmp(slow->at, literals[i], size) != 0)
			continue;
		for (size_t k = 0; k < size; k++)
			slow_put(slow, keep, (char)*slow->at++);
		return true;
	}
	return slow_break(slow);
}

static inline bool slow_lines(struct slow *slow)
{
	for (slow_space(slow); slow->at < slow->end; slow_space(slow)) {
		size_t from = slow->used;
		int first = slow_peek(slow);
		int next;

		if (!slow_value(slow, slow->job.want, true))
			slow->used = from;
		if (slow->broken)
			return false;
		slow_piece(slow, from, 'L', slow->job.piece_max);
		next = slow_peek(slow);
		if (first != '{' && first != '[' && first != '"' && next >= 0 && next != ' ' &&
			next != '\n' && next != '\r' && next != '\t')
			return slow_break(slow);
	}
	return true;
}

static inline bool slow_items(struct slow *slow)
{
	size_t from = slow->used;

	slow_space(slow);
	if (slow_peek(slow) == 'n')
		return slow_value(slow, NULL, false);
	if (slow_peek(slow) != '[')
		return slow_break(slow);
	slow->at++;
	slow->depth = 2;
	slow_space(slow);
	if (slow_peek(slow) != ']') {
		do {
			from = slow->used;
			if (!slow_value(slow, slow->job.want, true)) {
				slow->used = from;
				return false;
			}
			slow_piece(slow, from, 'I', slow->job.piece_max);
			slow_space(slow);
		} while (slow_comma(slow));
	}
	slow->depth = 1;
	return slow_byte(slow, false, ']');
}

/* A member of the list itself goes to `envelope`; its items go out at once. */
static inline bool slow_list_member(struct slow *slow, char *envelope, size_t *size, bool *full)
{
	size_t max = slow->job.piece_max;
	struct slow member;
	bool any = *size > 1;

	slow_space(slow);
	member = *slow;
	member.out = envelope;
	member.used = *size;
	if (!slow_string(&member, true))
		return slow_break(slow);
	if (member.used - *size != 7 || memcmp(envelope + *size, "\"items\"", 7) != 0) {
		member = *slow;
		member.out = envelope;
		member.used = *size;
		if (!slow_member(&member, slow->job.envelope, true, &any))
			return slow_break(slow);
		*size = *full ? *size : member.used;
		slow->at = member.at;
		return true;
	}
	slow->at = member.at;
	if (!slow_byte(slow, false, ':'))
		return false;
	slow_space(slow);
	max = JSON_ENVELOPE_MAX < max ? JSON_ENVELOPE_MAX : max;
	if (slow_peek(slow) == '[' && *size > max) {
		*size = max;
		*full = true;
	}
	return slow_items(slow);
}

static inline bool slow_list(struct slow *slow)
{
	static char envelope[COLLECT_MAX];
	size_t size = 1;
	bool full = false;

	envelope[0] = '{';
	slow->depth = 1;
	if (!slow_byte(slow, false, '{'))
		return false;
	slow_space(slow);
	if (slow_peek(slow) != '}') {
		do {
			if (!slow_list_member(slow, envelope, &size, &full))
				return false;
			slow_space(slow);
		} while (slow_comma(slow));
	}
	if (!slow_byte(slow, false, '}'))
		return false;
	envelope[size++] = '}';
	memcpy(slow->out + slow->used, envelope, size);
	slow->used += size;
	slow_piece(slow, slow->used - size, 'E', full ? size - 1 : slow->job.piece_max);
	slow_space(slow);
	return slow->at == slow->end ? true : slow_break(slow);
}

/* Returns whether the text was complete; what came out is in `out` either way. */
static inline bool slow_cut(struct collect_job job, struct text text, char *out, size_t *used)
{
	const unsigned char *at = (const unsigned char *)text.at;
	struct slow slow = {.at = at, .end = at + text.size, .out = out, .job = job};
	bool good = job.shape == JSON_CUT_LIST ? slow_list(&slow) : slow_lines(&slow);

	*used = slow.used;
	return good;
}

#endif
