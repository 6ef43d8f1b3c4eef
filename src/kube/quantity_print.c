/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Printing of quantities: no fraction, the largest suffix that leaves none, in the family of
 * suffixes the quantity was written with. A binary quantity that is no integer, or is below 1024,
 * is printed in decimal. Exponents for which a family has no suffix are left out, as upstream
 * does: 1000E prints as "1".
 */
#include "kube/quantity.h"

#include "kube/quantity_big.h"

enum {
	DIGITS_MAX = QUANTITY_LIMBS * 10,
	CHUNK_DIGITS = 9,
	BILLION = 1000 * 1000 * 1000,
	KIBI = 1024
};

static struct quantity_big magnitude(const struct quantity *q)
{
	struct quantity_big big = q->big;

	if (!q->is_big)
		quantity_big_set(&big, q->value < 0 ? 0 - (uint64_t)q->value : (uint64_t)q->value);
	return big;
}

static bool is_negative(const struct quantity *q)
{
	return q->is_big ? q->is_negative : q->value < 0;
}

/* Takes the factor out as often as it goes; *big is not zero. */
static int32_t take_factors(struct quantity_big *big, uint32_t factor)
{
	CHECK(!quantity_big_is_zero(big));
	for (int32_t times = 0;; times++) {
		struct quantity_big smaller = *big;

		if (quantity_big_divide(&smaller, factor) != 0)
			return times;
		*big = smaller;
	}
}

static void print_digits(struct quantity_big big, struct writer *out)
{
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	do {
		uint32_t chunk = quantity_big_divide(&big, BILLION);

		for (int i = 0; i < CHUNK_DIGITS; i++, chunk /= 10)
			digits[--at] = (char)('0' + chunk % 10);
		CHECK(at >= CHUNK_DIGITS || quantity_big_is_zero(&big));
	} while (!quantity_big_is_zero(&big));
	while (at + 1 < sizeof(digits) && digits[at] == '0')
		at++;
	write_bytes(out, digits + at, sizeof(digits) - at);
}

static void print_decimal(const struct quantity *q, bool with_exponent, struct writer *out)
{
	static const char *const suffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
	struct quantity_big big = magnitude(q);
	int32_t tens = q->scale + take_factors(&big, 10);

	print_digits(big, out);
	for (; tens % 3 != 0; tens--)
		write_char(out, '0');
	CHECK(tens >= -9);
	if (with_exponent && tens != 0) {
		write_char(out, 'e');
		write_i64(out, tens);
	} else if (!with_exponent && tens <= 18) {
		write_z(out, suffixes[(tens + 9) / 3]);
	}
}

static void print_binary(struct quantity_big big, struct writer *out)
{
	static const char *const suffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
	int32_t times = take_factors(&big, KIBI);

	print_digits(big, out);
	if (times < (int32_t)ARRAY_COUNT(suffixes))
		write_z(out, suffixes[times]);
}

/* True and the integer magnitude when a binary suffix can show the value. */
static bool wants_binary(const struct quantity *q, struct quantity_big *big)
{
	struct quantity_big kibi;

	if (q->format != QUANTITY_BINARY_SI)
		return false;
	*big = magnitude(q);
	if (q->scale < 0 && quantity_big_scale_down(big, (uint32_t)-q->scale))
		return false;
	if (q->scale > 0 && !quantity_big_scale_up(big, (uint32_t)q->scale))
		return false;
	quantity_big_set(&kibi, KIBI);
	return quantity_big_compare(big, &kibi) >= 0;
}

void quantity_print(const struct quantity *q, struct writer *out)
{
	struct quantity_big big;

	if (quantity_is_zero(q)) {
		write_char(out, '0');
		return;
	}
	if (is_negative(q))
		write_char(out, '-');
	if (wants_binary(q, &big))
		print_binary(big, out);
	else
		print_decimal(q, q->format == QUANTITY_DECIMAL_EXPONENT, out);
}

void quantity_print_parsed(const struct quantity *q, struct text t, struct writer *out)
{
	if (q->keeps_text)
		write_text(out, t);
	else
		quantity_print(q, out);
}
