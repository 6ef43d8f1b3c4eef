/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a pattern is compiled to. For regex*.c only.
 */
#ifndef BERTH_CEL_REGEX_CODE_H
#define BERTH_CEL_REGEX_CODE_H

#include "cel/regex.h"

enum cel_regex_op {
	CEL_REGEX_MATCH,
	CEL_REGEX_RANGE, /* one code point from x to y */
	CEL_REGEX_SET,   /* one of the x ranges that follow as DATA; y: none of them */
	CEL_REGEX_DATA,  /* from x to y; or x below 0: see CEL_REGEX_CLASS */
	CEL_REGEX_SPLIT, /* go on at x, or else at y; relative */
	CEL_REGEX_JUMP,  /* to x, relative */
	CEL_REGEX_BEGIN,
	CEL_REGEX_END,
	CEL_REGEX_LINE_BEGIN,
	CEL_REGEX_LINE_END,
	CEL_REGEX_WORD /* x: a boundary of words is here, or is not */
};

/*
 * A range that is a class of Unicode: its low bits are the class (cel/unicode.h) and whether all
 * others are meant. Classes stand behind the ranges and apart from each other.
 */
enum { CEL_REGEX_OTHERS = 1 << 16 };
#define CEL_REGEX_CLASS UINT32_C(0x80000000)

struct cel_regex_range {
	uint32_t from;
	uint32_t to;
};

struct cel_regex_code {
	int32_t op;
	int32_t x;
	int32_t y;
};

struct cel_regex {
	const struct cel_regex_code *code;
	int32_t count;
	bool anchored; /* matches at the begin of the text only */
};

#endif
