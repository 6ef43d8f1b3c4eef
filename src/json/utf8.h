/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef BERTH_JSON_UTF8_H
#define BERTH_JSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* What must follow a first byte: `left` more bytes, the next of them from min to max. */
struct utf8_lead {
	uint8_t left; /* 0: no such first byte */
	uint8_t min;
	uint8_t max;
};

static inline struct utf8_lead utf8_lead(uint8_t first)
{
	if (first < 0xc2 || first > 0xf4)
		return (struct utf8_lead){0, 0, 0};
	if (first < 0xe0)
		return (struct utf8_lead){1, 0x80, 0xbf};
	if (first < 0xf0)
		return (struct utf8_lead){
			2, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf};
	return (struct utf8_lead){3, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf};
}

/* Bytes of the character of two or more bytes at `at`; 0 when broken or longer than `size`. */
static inline size_t utf8_size(const char *at, size_t size)
{
	struct utf8_lead lead = utf8_lead((uint8_t)at[0]);

	if (lead.left == 0 || size <= lead.left)
		return 0;
	if ((uint8_t)at[1] < lead.min || (uint8_t)at[1] > lead.max)
		return 0;
	for (size_t i = 2; i <= lead.left; i++)
		if (((uint8_t)at[i] & 0xc0) != 0x80)
			return 0;
	return lead.left + (size_t)1;
}

/* Writes a code point (no surrogate) and returns how many bytes it took. */
static inline size_t utf8_put(char to[4], uint32_t point)
{
	if (point < 0x80) {
		to[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		to[0] = (char)(0xc0 | point >> 6);
		to[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		to[0] = (char)(0xe0 | point >> 12);
		to[1] = (char)(0x80 | (point >> 6 & 0x3f));
		to[2] = (char)(0x80 | (point & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | point >> 18);
	to[1] = (char)(0x80 | (point >> 12 & 0x3f));
	to[2] = (char)(0x80 | (point >> 6 & 0x3f));
	to[3] = (char)(0x80 | (point & 0x3f));
	return 4;
}

#endif
