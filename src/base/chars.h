/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Characters of ASCII, which those of the C library are only in some locales.
 */
#ifndef BERTH_BASE_CHARS_H
#define BERTH_BASE_CHARS_H

#include <stdbool.h>

static inline bool char_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool char_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline bool char_is_letter(char c)
{
	return char_is_lower((char)(c | 0x20));
}

static inline char char_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The value of a hexadecimal digit, or -1. */
static inline int char_hex(char c)
{
	if (char_is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
