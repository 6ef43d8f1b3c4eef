/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parsing of quantities.
 *
 * What kube-scheduler does: a scanner takes the text apart into sign, digits before and after the
 * point, and suffix. It is lenient (digits may be missing on both sides, so "." and "k" are 0).
 * Short numbers become an int64 with a decimal scale. All others become a long decimal that is
 * rounded away from zero to billionths, and, with a binary suffix, capped to 2^63-1. Which form
 * a number took can be seen later: they differ in what an overflow does.
 *
 * What we do: the same, but a number that could make a sum outgrow our limbs is refused. Upstream
 * has no such bound. Zeros of the long form lose their scale, which only a sum with a negative
 * number that overflows 64 bits could tell.
 */
#include "kube/quantity.h"

#include "base/chars.h"
#include "kube/quantity_big.h"

enum {
	NANO_TENS = 9, /* the finest scale is 10^-9 */
	BILLION = 1000 * 1000 * 1000,
	SMALL_DIGITS = 18,     /* of the small form */
	NANO_DIGITS_MAX = 110, /* 10^110 billionths are below the bound of quantity.h */
	CAP_DIGITS = 20,       /* so many digits before the point are above 2^63 */
	BINARY_FRACTION_MAX =
		64, /* digits; with 19 before the point they fit the limbs 2^60 times */
	BINARY_SMALL_DIGITS = 14 /* of which the suffix 2^10 takes three */
};

struct parts {
	bool negative;
	bool has_digits;   /* any at all, leading zeros included */
	struct text whole; /* digits before the point without leading zeros; may be empty */
	struct text fraction;
	struct text suffix;
};

struct scale {
	enum quantity_format format;
	int32_t exponent; /* of 2 for QUANTITY_BINARY_SI, else of 10 */
};

static bool is_suffix_letter(char c)
{
	switch (c) {
	case 'e':
	case 'E':
	case 'i':
	case 'n':
	case 'u':
	case 'm':
	case 'k':
	case 'K':
	case 'M':
	case 'G':
	case 'T':
	case 'P': return true;
	default: return false;
	}
}

static struct text take_digits(struct text t, size_t *at)
{
	size_t start = *at;

	while (*at < t.size && char_is_digit(t.at[*at]))
		(*at)++;
	return (struct text){t.at + start, *at - start};
}

static bool scan(struct text t, struct parts *parts)
{
	size_t at = 0;

	*parts = (struct parts){.negative = false};
	if (t.at[at] == '-' || t.at[at] == '+')
		parts->negative = t.at[at++] == '-';
	while (at < t.size && t.at[at] == '0') {
		parts->has_digits = true;
		at++;
	}
	parts->whole = take_digits(t, &at);
	if (at < t.size && t.at[at] == '.') {
		at++;
		parts->fraction = take_digits(t, &at);
	}
	parts->has_digits |= parts->whole.size > 0 || parts->fraction.size > 0;

	size_t suffix_start = at;
	while (at < t.size && is_suffix_letter(t.at[at]))
		at++;
	if (at < t.size && (t.at[at] == '-' || t.at[at] == '+'))
		at++;
	(void)take_digits(t, &at);
	parts->suffix = text_from(text_first(t, at), suffix_start);
	return at == t.size;
}

/* A suffix of "e" or "E" and a number. Only the low 32 bits count, as upstream cuts them. */
static bool exponent_of(struct text suffix, int32_t *exponent)
{
	struct text digits = text_from(suffix, 1);
	int64_t number;

	if (digits.size > 1 && digits.at[0] == '+' && digits.at[1] != '-')
		digits = text_from(digits, 1);
	if (!text_to_i64(digits, &number))
		return false;
	*exponent = (int32_t)(uint32_t)(uint64_t)number;
	return true;
}

/* Thousands of a letter: "k" is 10^3, "Ki" is 2^10. 0 for what is no letter of either kind. */
static int32_t thousands_of(char letter)
{
	switch (letter) {
	case 'n': return -3;
	case 'u': return -2;
	case 'm': return -1;
	case 'k':
	case 'K': return 1;
	case 'M': return 2;
	case 'G': return 3;
	case 'T': return 4;
	case 'P': return 5;
	case 'E': return 6;
	default: return 0;
	}
}

static bool scale_of(struct text suffix, struct scale *scale)
{
	int32_t thousands;

	*scale = (struct scale){QUANTITY_DECIMAL_SI, 0};
	if (suffix.size == 0)
		return true;
	thousands = thousands_of(suffix.at[0]);
	if (suffix.size == 1) {
		scale->exponent = 3 * thousands;
		return thousands != 0 && suffix.at[0] != 'K';
	}
	if (suffix.size == 2 && suffix.at[1] == 'i') {
		scale->format = QUANTITY_BINARY_SI;
		scale->exponent = 10 * thousands;
		return thousands > 0 && suffix.at[0] != 'k';
	}
	scale->format = QUANTITY_DECIMAL_EXPONENT;
	return (suffix.at[0] == 'e' || suffix.at[0] == 'E') &&
		exponent_of(suffix, &scale->exponent);
}

static uint64_t small_number(struct text digits, uint64_t number)
{
	for (size_t i = 0; i < digits.size; i++)
		number = number * 10 + (uint64_t)(digits.at[i] - '0');
	return number;
}

/* Whether upstream takes the text for canonical, and prints it again as it is. */
static bool decimal_keeps_text(const struct parts *parts, int64_t scale, uint64_t number)
{
	if (scale % 3 != 0 || parts->whole.size == 0)
		return false;
	return parts->whole.size + parts->fraction.size < 3 || number % 1000 != 0;
}

/* The small form; false when the number needs the big one. */
static bool parse_small(const struct parts *parts, struct scale scale, struct quantity *q)
{
	size_t whole_size = parts->whole.size == 0 ? 1 : parts->whole.size;
	size_t size = whole_size + parts->fraction.size;
	bool is_binary = scale.format == QUANTITY_BINARY_SI;
	int64_t tens = is_binary ? 0 : (int64_t)scale.exponent - (int64_t)parts->fraction.size;

	if (is_binary) {
		if (parts->fraction.size > 0 ||
			size + 3 * (size_t)(scale.exponent / 10) > BINARY_SMALL_DIGITS)
			return false;
	} else if (size > SMALL_DIGITS || tens < -NANO_TENS) {
		return false;
	}
	uint64_t number = small_number(parts->fraction, small_number(parts->whole, 0));

	CHECK(tens >= -NANO_TENS && tens <= INT32_MAX);
	q->keeps_text = is_binary ? (number & 7) != 0 : decimal_keeps_text(parts, tens, number);
	q->scale = (int32_t)tens;
	q->value = (int64_t)(is_binary ? number << scale.exponent : number);
	if (parts->negative)
		q->value = -q->value;
	return true;
}

static bool big_append(struct quantity_big *big, struct text digits)
{
	for (size_t i = 0; i < digits.size; i++)
		if (!quantity_big_multiply(big, 10, (uint32_t)(digits.at[i] - '0')))
			return false;
	return true;
}

/* Adds the unit of the last place: rounding is away from zero. */
static bool big_round_up(struct quantity_big *big, bool remainder)
{
	return !remainder || quantity_big_multiply(big, 1, 1);
}

/* The magnitude in billionths, for a decimal suffix or exponent. False when it is too long. */
static bool parse_big_decimal(const struct parts *parts, int32_t exponent, struct quantity *q)
{
	struct text whole = parts->whole;
	struct text fraction = parts->fraction;
	int64_t tens = NANO_TENS + (int64_t)exponent - (int64_t)fraction.size;
	bool remainder = false;

	/* Digits below a billionth count only as "there was something". */
	for (; tens < 0 && fraction.size > 0; tens++, fraction.size--)
		remainder |= fraction.at[fraction.size - 1] != '0';
	for (; tens < 0 && whole.size > 0; tens++, whole.size--)
		remainder |= whole.at[whole.size - 1] != '0';
	if (!big_append(&q->big, whole) || !big_append(&q->big, fraction) ||
		!quantity_big_scale_up(&q->big, tens < 0 ? 0 : (uint32_t)tens))
		return false;
	q->scale = -NANO_TENS;
	return big_round_up(&q->big, remainder);
}

static void cap(struct quantity *q)
{
	quantity_big_set(&q->big, INT64_MAX);
	q->scale = 0;
}

/* The same for a binary suffix. */
static bool parse_big_binary(const struct parts *parts, int32_t exponent, struct quantity *q)
{
	struct text fraction = parts->fraction;
	struct quantity_big most;

	while (fraction.size > 0 && fraction.at[fraction.size - 1] == '0')
		fraction.size--;
	if (parts->whole.size >= CAP_DIGITS) {
		cap(q);
		return true;
	}
	if (fraction.size > BINARY_FRACTION_MAX || !big_append(&q->big, parts->whole) ||
		!big_append(&q->big, fraction) ||
		!quantity_big_shift_up(&q->big, (uint32_t)exponent))
		return false;

	bool remainder = false;
	uint32_t tens = (uint32_t)fraction.size;
	if (tens > NANO_TENS)
		remainder = quantity_big_scale_down(&q->big, tens - NANO_TENS);
	else if (!quantity_big_scale_up(&q->big, NANO_TENS - tens))
		return false;
	q->scale = -NANO_TENS;
	if (!big_round_up(&q->big, remainder))
		return false;
	quantity_big_set(&most, INT64_MAX);
	if (!quantity_big_scale_up(&most, NANO_TENS))
		CHECK_NEVER("2^63 billionths fit");
	if (quantity_big_compare(&q->big, &most) > 0)
		cap(q);

	/* What is below 1 is printed in decimal. */
	quantity_big_set(&most, BILLION);
	if (!quantity_big_is_zero(&q->big) && quantity_big_compare(&q->big, &most) < 0)
		q->format = QUANTITY_DECIMAL_SI;
	return true;
}

static bool parse_big(const struct parts *parts, struct scale scale, struct quantity *q)
{
	bool fits = scale.format == QUANTITY_BINARY_SI
		? parse_big_binary(parts, scale.exponent, q)
		: parse_big_decimal(parts, scale.exponent, q);

	q->is_big = true;
	q->is_negative = parts->negative;
	if (!fits || !quantity_big_is_storable(&q->big))
		return false;
	if (quantity_big_is_zero(&q->big)) {
		q->is_negative = false;
		q->scale = 0;
	}
	return true;
}

/* The same bound as for the long form, which a sum may turn it into. */
static bool small_is_storable(const struct quantity *q)
{
	struct quantity_big big;

	if (q->scale <= NANO_DIGITS_MAX - NANO_TENS - SMALL_DIGITS)
		return true;
	quantity_big_set(&big, q->value < 0 ? 0 - (uint64_t)q->value : (uint64_t)q->value);
	return quantity_big_scale_up(&big, (uint32_t)q->scale + NANO_TENS) &&
		quantity_big_is_storable(&big);
}

enum quantity_result quantity_parse(struct text t, struct quantity *q)
{
	struct parts parts;
	struct scale scale;
	enum quantity_result result = QUANTITY_OK;

	*q = quantity_zero();
	if (t.size == 0 || !scan(t, &parts))
		return QUANTITY_EMPTY_OR_MALFORMED;
	if (!scale_of(parts.suffix, &scale))
		return QUANTITY_BAD_SUFFIX;
	q->format = (uint8_t)scale.format;
	if (parse_small(&parts, scale, q)) {
		if (!small_is_storable(q))
			result = QUANTITY_TOO_LONG;
	} else if (!parts.has_digits) {
		result = QUANTITY_BAD_NUMBER;
	} else if (!parse_big(&parts, scale, q)) {
		result = QUANTITY_TOO_LONG;
	}
	if (result != QUANTITY_OK)
		*q = quantity_zero();
	return result;
}

const char *quantity_error(enum quantity_result result)
{
	switch (result) {
	case QUANTITY_OK: return "";
	case QUANTITY_EMPTY_OR_MALFORMED:
		return "quantities must match the regular expression "
		       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
	case QUANTITY_BAD_NUMBER: return "unable to parse numeric part of quantity";
	case QUANTITY_BAD_SUFFIX: return "unable to parse quantity's suffix";
	case QUANTITY_TOO_LONG: return "quantity is larger or longer than can be added up exactly";
	}
	CHECK_NEVER("a result has a text");
}
