/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real numbers as text. Both ways ask one question, answered with whole numbers: which integer is
 * nearest to m * 2^a * 10^b? Writing asks for 17 digits of m * 2^a, reading for 53 bits of
 * m * 10^b.
 */
#include "base/real.h"

#include <math.h>
#include <stdlib.h>

enum {
	BIG_LIMBS = 46, /* 128 bits shifted by 1074, or times 10^345, and 64 bits to divide by */
	MANTISSA_BITS = 53,   /* of a double, the hidden one included */
	EXPONENT_MIN = -1074, /* of its last bit */
	EXPONENT_MAX = 971,
	DIGITS_LIMBS = 4, /* of what is read: 38 digits and more */
	DIGITS_EXACT = 17 /* tell all doubles apart */
};

struct big {
	int size;                 /* of the limbs in use, which are most often few */
	uint32_t limb[BIG_LIMBS]; /* lowest first */
};

static void big_times(struct big *b, uint32_t factor)
{
	uint64_t carry = 0;

	for (int i = 0; i < b->size; i++) {
		carry += (uint64_t)b->limb[i] * factor;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	CHECK(carry == 0);
}

static void big_power(struct big *b, int tens, int twos)
{
	for (; tens > 0; tens--)
		big_times(b, 10);
	for (; twos > 0; twos -= twos > 31 ? 31 : twos)
		big_times(b, (uint32_t)1 << (twos > 31 ? 31 : twos));
}

static int real_big_compare(const struct big *a, const struct big *b)
{
	for (int i = a->size - 1; i >= 0; i--)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] > b->limb[i] ? 1 : -1;
	return 0;
}

static void big_minus(struct big *a, const struct big *b)
{
	int64_t carry = 0;

	for (int i = 0; i < a->size; i++) {
		carry += (int64_t)a->limb[i] - b->limb[i];
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

static void big_half(struct big *b)
{
	for (int i = 0; i < b->size; i++)
		b->limb[i] = b->limb[i] >> 1 | (i + 1 < b->size ? b->limb[i + 1] << 31 : 0);
}

/* A whole number, and whether it is a little more than that. */
struct digits {
	uint32_t limb[DIGITS_LIMBS];
	bool more;
};

/* The integer nearest to m * 2^twos * 10^tens; UINT64_MAX when it has 64 bits or more. */
static uint64_t real_nearest_integer(const struct digits *m, int twos, int tens)
{
	/* m, ten as four bits at most, room for the division, rounded up */
	int size = (32 * DIGITS_LIMBS + abs(twos) + 4 * abs(tens) + 64) / 32 + 1;
	struct big n = {.size = size < BIG_LIMBS ? size : BIG_LIMBS};
	struct big d = {.size = n.size, .limb = {1}};
	uint64_t q = 0;
	int order;

	memcpy(n.limb, m->limb, sizeof(m->limb));
	big_power(&n, tens, twos);
	big_power(&d, -tens, -twos);
	big_power(&d, 0, 63);
	if (real_big_compare(&n, &d) >= 0)
		return UINT64_MAX;
	for (int bit = 0; bit < 63; bit++) {
		big_half(&d);
		q <<= 1;
		if (real_big_compare(&n, &d) >= 0) {
			big_minus(&n, &d);
			q |= 1;
		}
	}
	big_times(&n, 2);
	order = real_big_compare(&n, &d);
	return q + (order > 0 || (order == 0 && (m->more || (q & 1) != 0)));
}

/* ---- reading ---- */

struct decimal {
	struct digits digits;
	int tens; /* digits * 10^tens */
	int size; /* digits in front of 10^tens, without zeros at the beginning */
	bool any; /* digits were seen */
};

static size_t read_digits(struct text t, size_t at, struct decimal *d, bool fraction)
{
	for (; at < t.size && t.at[at] >= '0' && t.at[at] <= '9'; at++) {
		uint64_t carry = (uint64_t)(t.at[at] - '0');

		d->any = true;
		if (d->digits.limb[DIGITS_LIMBS - 1] >= UINT32_MAX / 10) {
			d->digits.more = d->digits.more || carry != 0;
			d->tens += !fraction;
			continue;
		}
		d->size += d->size > 0 || carry != 0;
		d->tens -= fraction;
		for (int i = 0; i < DIGITS_LIMBS; i++) {
			carry += (uint64_t)d->digits.limb[i] * 10;
			d->digits.limb[i] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	return at;
}

static bool read_decimal(struct text t, struct decimal *d, bool *minus)
{
	struct decimal exponent = {0};
	size_t at = 0;
	bool down;

	*minus = t.size > 0 && t.at[0] == '-';
	at += t.size > 0 && (t.at[0] == '-' || t.at[0] == '+');
	at = read_digits(t, at, d, false);
	if (at < t.size && t.at[at] == '.')
		at = read_digits(t, at + 1, d, true);
	if (!d->any)
		return false;
	if (at < t.size && (t.at[at] == 'e' || t.at[at] == 'E')) {
		at++;
		down = at < t.size && t.at[at] == '-';
		at += at < t.size && (t.at[at] == '-' || t.at[at] == '+');
		at = read_digits(t, at, &exponent, false);
		if (!exponent.any)
			return false;
		if (exponent.size > 5)
			exponent.digits.limb[0] = 100000;
		d->tens += (down ? -1 : 1) * (int)exponent.digits.limb[0];
	}
	return at == t.size;
}

bool real_parse(struct text t, double *value)
{
	struct decimal d = {0};
	int twos = EXPONENT_MIN, step;
	uint64_t m;
	bool minus;

	if (t.size > 10000 || !read_decimal(t, &d, &minus))
		return false;
	if (d.size != 0 && d.size + d.tens > 309)
		return false;
	*value = minus ? -0.0 : 0.0;
	if (d.size == 0 || d.size + d.tens < -330)
		return true;
	/* The smallest exponent with which it fits 53 bits: rounding up may ask for the next. */
	for (step = 1024; step > 0; step /= 2)
		if (real_nearest_integer(&d.digits, -(twos + step - 1), d.tens) >> MANTISSA_BITS !=
			0)
			twos += step;
	m = real_nearest_integer(&d.digits, -twos, d.tens);
	if (twos > EXPONENT_MAX)
		return false;
	*value = ldexp((double)m, twos);
	if (minus)
		*value = -*value;
	return isfinite(*value) != 0;
}

/* ---- writing ---- */

static uint64_t real_power_of_ten(int tens)
{
	uint64_t power = 1;

	for (; tens > 0; tens--)
		power *= 10;
	return power;
}

/* value = result * 10^(*tens - digits + 1), and the result has so many digits. */
static uint64_t digits_of(double value, int digits, int *tens)
{
	uint64_t whole, least = real_power_of_ten(digits - 1);
	struct digits m = {0};
	int twos;

	whole = (uint64_t)ldexp(frexp(value, &twos), MANTISSA_BITS);
	m.limb[0] = (uint32_t)whole;
	m.limb[1] = (uint32_t)(whole >> 32);
	twos -= MANTISSA_BITS;
	for (*tens = (twos + MANTISSA_BITS) * 30103 / 100000 - 2;; (*tens)++) {
		uint64_t result = real_nearest_integer(&m, twos, digits - 1 - *tens);
		if (result < least * 10)
			return result;
	}
}

void real_write(struct writer *w, double value, int digits)
{
	char text[DIGITS_EXACT + 1];
	struct writer t;
	int tens, count;
	uint64_t m;

	CHECK(isfinite(value) != 0);
	CHECK(digits >= 1);
	CHECK(digits <= DIGITS_EXACT);
	if (signbit(value) != 0)
		write_char(w, '-');
	value = fabs(value);
	if (!(value > 0)) {
		write_char(w, '0');
		return;
	}
	m = digits_of(value, digits, &tens);
	writer_init(&t, text, sizeof(text));
	write_u64(&t, m);
	for (count = (int)t.used; count > 1 && text[count - 1] == '0'; count--)
		continue;
	if (tens < -4 || tens >= digits) {
		write_char(w, text[0]);
		if (count > 1)
			write_format(w, ".%.*s", count - 1, text + 1);
		write_format(w, "e%c%02d", tens < 0 ? '-' : '+', tens < 0 ? -tens : tens);
	} else if (tens < 0) {
		write_format(w, "0.%.*s%.*s", -tens - 1, "000", count, text);
	} else {
		for (int i = 0; i < count || i <= tens; i++) {
			if (i == tens + 1)
				write_char(w, '.');
			write_char(w, i < count ? text[i] : '0');
		}
	}
}

void real_write_shortest(struct writer *w, double value)
{
	for (int digits = 15; digits <= DIGITS_EXACT; digits++) {
		char text[40];
		struct writer t;
		double again;
		writer_init(&t, text, sizeof(text));
		real_write(&t, value, digits);
		bool same =
			real_parse(writer_text(&t), &again) && !(again < value) && !(again > value);
		if (same || digits == DIGITS_EXACT) {
			write_text(w, writer_text(&t));
			return;
		}
	}
}
