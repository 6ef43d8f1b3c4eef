/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doubles as text. A double is a whole number times a power of two, so its decimal digits end: all
 * of them are made, then cut off.
 */
#include "cel/decimal.h"

#include <math.h>

#include "base/real.h"

enum {
	DECIMAL_LIMBS = 40,    /* 32 bits each: 1,074 and some */
	DECIMAL_DIGITS = 1400, /* 309 in front of the point, 1,074 behind */
	DECIMAL_FRACTION_BITS = 1074 + 32,
	BILLION = 1000 * 1000 * 1000,
	BILLION_DIGITS = 9
};

struct decimal {
	char digits[DECIMAL_DIGITS];
	uint32_t count;
	uint32_t point; /* digits in front of it */
};

static bool decimal_is_odd(double value, struct writer *out)
{
	if (isfinite(value))
		return false;
	write_z(out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
	return true;
}

/* Digits of a whole number, which is used up; no leading zeros. */
static void decimal_whole(struct decimal *d, uint32_t *limbs, uint32_t size)
{
	char reversed[DECIMAL_DIGITS];
	uint32_t count = 0;

	while (size > 0) {
		uint64_t rest = 0;

		for (uint32_t i = size; i-- > 0;) {
			rest = rest << 32 | limbs[i];
			limbs[i] = (uint32_t)(rest / BILLION);
			rest %= BILLION;
		}
		while (size > 0 && limbs[size - 1] == 0)
			size--;
		for (uint32_t i = 0; i < BILLION_DIGITS; i++, rest /= 10)
			reversed[count++] = (char)('0' + rest % 10);
	}
	while (count > 0 && reversed[count - 1] == '0')
		count--;
	while (count > 0)
		d->digits[d->count++] = reversed[--count];
	d->point = d->count;
}

/* Digits of limbs / 2^(32 * size), to the last one. */
static void decimal_fraction(struct decimal *d, uint32_t *limbs, uint32_t size)
{
	for (bool more = true; more && d->count + BILLION_DIGITS <= DECIMAL_DIGITS;) {
		uint64_t carry = 0;

		more = false;
		for (uint32_t i = 0; i < size; i++) {
			carry += (uint64_t)limbs[i] * BILLION;
			limbs[i] = (uint32_t)carry;
			more = more || limbs[i] != 0;
			carry >>= 32;
		}
		for (uint32_t i = 0, unit = BILLION / 10; i < BILLION_DIGITS; i++, unit /= 10)
			d->digits[d->count++] = (char)('0' + carry / unit % 10);
	}
}

static void decimal_of(double value, struct decimal *d)
{
	uint32_t limbs[DECIMAL_LIMBS] = {0};
	int exponent;
	uint64_t mantissa = (uint64_t)(frexp(fabs(value), &exponent) * 0x1p53);
	int shift = exponent - 53;

	d->count = d->point = 0;
	for (int bit = 0; bit < 53; bit++) {
		int at = bit + shift + (shift < 0 ? DECIMAL_FRACTION_BITS : 0);

		if ((mantissa >> bit & 1) != 0)
			limbs[at / 32] |= (uint32_t)1 << at % 32;
	}
	if (shift >= 0) {
		decimal_whole(d, limbs, DECIMAL_LIMBS);
	} else {
		uint32_t low = DECIMAL_FRACTION_BITS / 32;
		uint32_t odd = DECIMAL_FRACTION_BITS % 32;
		uint32_t whole[DECIMAL_LIMBS] = {0};

		for (int bit = 0; bit < 53; bit++)
			if ((mantissa >> bit & 1) != 0 && bit + shift >= 0)
				whole[(bit + shift) / 32] |= (uint32_t)1 << (bit + shift) % 32;
		decimal_whole(d, whole, 2);
		/* The fraction is what lies below its bits; brought to whole limbs. */
		for (uint32_t i = low + 1; i-- > 0;)
			limbs[i] = limbs[i] << (32 - odd) % 32 |
				(i > 0 && odd != 0 ? limbs[i - 1] >> odd : 0);
		decimal_fraction(d, limbs, low + (odd != 0));
	}
}

static char decimal_digit(const struct decimal *d, uint32_t at)
{
	return at < d->count ? d->digits[at] : '0';
}

/* Keeps `count` digits; halves go to the even digit. True: one more digit in front. */
static bool decimal_round(struct decimal *d, uint32_t count)
{
	bool up;
	bool exact = true;

	if (count >= d->count)
		return false;
	for (uint32_t i = count + 1; i < d->count; i++)
		exact = exact && d->digits[i] == '0';
	up = d->digits[count] > '5' ||
		(d->digits[count] == '5' &&
			(!exact || (count > 0 && (d->digits[count - 1] - '0') % 2 != 0)));
	d->count = count;
	for (uint32_t i = count; up && i-- > 0;) {
		up = d->digits[i] == '9';
		d->digits[i] = up ? '0' : (char)(d->digits[i] + 1);
	}
	if (!up)
		return false;
	memmove(d->digits + 1, d->digits, d->count);
	d->digits[0] = '1';
	d->count++;
	return true;
}

void cel_print_fixed(double value, uint32_t digits, bool groups, struct writer *out)
{
	struct decimal d;

	if (decimal_is_odd(value, out))
		return;
	decimal_of(value, &d);
	if (digits < DECIMAL_DIGITS && decimal_round(&d, d.point + digits))
		d.point++;
	if (signbit(value))
		write_char(out, '-');
	if (d.point == 0)
		write_char(out, '0');
	for (uint32_t i = 0; i < d.point; i++) {
		if (groups && i > 0 && (d.point - i) % 3 == 0)
			write_char(out, ',');
		write_char(out, decimal_digit(&d, i));
	}
	if (digits > 0)
		write_char(out, '.');
	for (uint32_t i = 0; i < digits && !out->overflowed; i++)
		write_char(out, decimal_digit(&d, d.point + i));
}

static void decimal_superscript(int value, struct writer *out)
{
	static const char *const signs[] = {"\xe2\x81\xb0", "\xc2\xb9", "\xc2\xb2", "\xc2\xb3",
		"\xe2\x81\xb4", "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8",
		"\xe2\x81\xb9"};

	if (value < 0)
		write_z(out, "\xe2\x81\xbb");
	value = value < 0 ? -value : value;
	if (value >= 100)
		write_z(out, signs[value / 100]);
	write_z(out, signs[value / 10 % 10]);
	write_z(out, signs[value % 10]);
}

void cel_print_scientific(double value, uint32_t digits, struct writer *out)
{
	struct decimal d;
	uint32_t first = 0;
	int exponent;

	if (decimal_is_odd(value, out))
		return;
	decimal_of(value, &d);
	while (first < d.count && d.digits[first] == '0')
		first++;
	exponent = first == d.count ? 0 : (int)d.point - (int)first - 1;
	if (first == d.count)
		first = d.point;
	if (digits < DECIMAL_DIGITS && decimal_round(&d, first + digits + 1)) {
		exponent++;
	} else if (first > 0 && decimal_digit(&d, first - 1) != '0') {
		first--;
		exponent++;
	}
	if (signbit(value))
		write_char(out, '-');
	write_char(out, decimal_digit(&d, first));
	if (digits > 0)
		write_char(out, '.');
	for (uint32_t i = 1; i <= digits && !out->overflowed; i++)
		write_char(out, decimal_digit(&d, first + i));
	write_z(out,
		"\xe2\x80\xaf\xc3\x97\xe2\x80\xaf"
		"10");
	decimal_superscript(exponent, out);
}

/* The digits without point and exponent, and where the point is. */
static uint32_t decimal_shortest(double value, char digits[24], int *point)
{
	char text[40];
	struct writer out;
	struct text t;
	uint32_t count = 0;
	bool seen = false;
	int64_t exponent = 0;

	writer_init(&out, text, sizeof(text));
	real_write_shortest(&out, fabs(value));
	t = writer_text(&out);
	if (text_find(t, 'e') != t.size) {
		struct text tail = text_from(t, text_find(t, 'e') + 1);

		if (tail.size > 0 && tail.at[0] == '+')
			tail = text_from(tail, 1);
		if (!text_to_i64(tail, &exponent))
			exponent = 0;
		t = text_first(t, text_find(t, 'e'));
	}
	*point = 0;
	for (size_t i = 0; i < t.size; i++) {
		seen = seen || t.at[i] == '.';
		if (t.at[i] == '.')
			continue;
		if (count == 0 && t.at[i] == '0') {
			*point -= seen;
			continue;
		}
		*point += !seen;
		digits[count++] = t.at[i];
	}
	while (count > 0 && digits[count - 1] == '0')
		count--;
	*point += (int)exponent;
	return count;
}

void cel_print_double(double value, struct writer *out)
{
	char digits[24];
	int point;
	uint32_t count;

	if (decimal_is_odd(value, out))
		return;
	if (signbit(value))
		write_char(out, '-');
	count = decimal_shortest(value, digits, &point);
	if (count == 0) {
		write_char(out, '0');
		return;
	}
	if (point - 1 < -4 || point - 1 >= 6) {
		write_char(out, digits[0]);
		if (count > 1)
			write_char(out, '.');
		write_bytes(out, digits + 1, count - 1);
		write_format(out, "e%c%02d", point - 1 < 0 ? '-' : '+',
			point - 1 < 0 ? 1 - point : point - 1);
		return;
	}
	if (point <= 0)
		write_z(out, "0.");
	for (int i = point; i < 0; i++)
		write_char(out, '0');
	for (int i = 0; i < (int)count || i < point; i++) {
		if (i == point && i > 0)
			write_char(out, '.');
		write_char(out, i < (int)count ? digits[i] : '0');
	}
}
