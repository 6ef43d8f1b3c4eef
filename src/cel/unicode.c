/* SPDX-License-Identifier: GPL-2.0-only */
#include "cel/unicode.h"

#include "cel/unicode_table.h"

enum unicode_kind {
	UNICODE_LU,
	UNICODE_LL,
	UNICODE_L, /* other letters, and so on */
	UNICODE_M,
	UNICODE_ND,
	UNICODE_N,
	UNICODE_P,
	UNICODE_S,
	UNICODE_Z,
	UNICODE_C,
	UNICODE_LU_LL, /* one of each in turn */
	UNICODE_LL_LU
};

enum { UNICODE_SCRIPT = 1 << 15 };

/* Kinds as bits; or a script. */
static const struct {
	char name[11];
	uint8_t script;
	uint16_t kinds;
} unicode_classes[] = {{"L", 0, 1 << UNICODE_LU | 1 << UNICODE_LL | 1 << UNICODE_L},
	{"Lu", 0, 1 << UNICODE_LU}, {"Ll", 0, 1 << UNICODE_LL}, {"M", 0, 1 << UNICODE_M},
	{"N", 0, 1 << UNICODE_ND | 1 << UNICODE_N}, {"Nd", 0, 1 << UNICODE_ND},
	{"P", 0, 1 << UNICODE_P}, {"S", 0, 1 << UNICODE_S}, {"Z", 0, 1 << UNICODE_Z},
	{"C", 0, 1 << UNICODE_C}, {"Arabic", 1, UNICODE_SCRIPT}, {"Armenian", 2, UNICODE_SCRIPT},
	{"Cyrillic", 3, UNICODE_SCRIPT}, {"Devanagari", 4, UNICODE_SCRIPT},
	{"Georgian", 5, UNICODE_SCRIPT}, {"Greek", 6, UNICODE_SCRIPT}, {"Han", 7, UNICODE_SCRIPT},
	{"Hangul", 8, UNICODE_SCRIPT}, {"Hebrew", 9, UNICODE_SCRIPT},
	{"Hiragana", 10, UNICODE_SCRIPT}, {"Katakana", 11, UNICODE_SCRIPT},
	{"Latin", 12, UNICODE_SCRIPT}, {"Thai", 13, UNICODE_SCRIPT}};

uint32_t cel_unicode_class(struct text name, bool folds)
{
	const uint32_t cases = 1 << UNICODE_LU | 1 << UNICODE_LL;

	for (size_t i = 0; i < ARRAY_COUNT(unicode_classes); i++) {
		uint32_t kinds = unicode_classes[i].kinds;

		if (text_is_z(name, unicode_classes[i].name))
			return kinds | unicode_classes[i].script |
				(folds && (kinds & cases) != 0 ? cases : 0);
	}
	return 0;
}

/* The run that the code point is in, and how far from its beginning. */
static uint32_t unicode_run(
	const uint8_t *at, const uint8_t *end, uint32_t point, uint32_t *distance)
{
	uint32_t run = 0;

	for (*distance = point; at < end;) {
		uint32_t size = *at & 15;

		run = *at++ >> 4;
		if (size == 14) {
			size += *at++;
		} else if (size == 15) {
			size = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
			at += 3;
		}
		if (*distance < size)
			break;
		*distance -= size;
	}
	return run;
}

bool cel_unicode_has(uint32_t class, uint32_t point)
{
	uint32_t distance;
	uint32_t run;

	if ((class & UNICODE_SCRIPT) != 0)
		return unicode_run(unicode_scripts, unicode_scripts + sizeof(unicode_scripts),
			       point, &distance) == class - UNICODE_SCRIPT;
	run = unicode_run(unicode_kinds, unicode_kinds + sizeof(unicode_kinds), point, &distance);
	if (run >= UNICODE_LU_LL)
		run = (run == UNICODE_LL_LU) == (distance % 2 == 0) ? UNICODE_LL : UNICODE_LU;
	return (class >> run & 1) != 0;
}
