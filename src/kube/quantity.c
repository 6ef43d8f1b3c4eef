/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic of quantities.
 *
 * What kube-scheduler does: int64 with a decimal scale as long as that works, a long decimal from
 * the first overflow on (in a sum), and for good. Taking out an int64 rounds away from zero and
 * wraps in ways that depend on the form; nothing but overflow shows the difference.
 *
 * What we do: the same, with long decimals of a bounded size; quantity_parse() lets nothing in
 * that could outgrow them.
 */
#include "kube/quantity.h"

#include "kube/quantity_big.h"

enum {
	SCALE_MIN = -9,
	MILLI = -3,
	INT64_TENS = 18 /* 10^18 is the largest power of ten of 64 bits */
};

static const int64_t powers_of_ten[INT64_TENS + 1] = {
	1,
	10,
	100,
	1000,
	10000,
	100000,
	1000000,
	10000000,
	100000000,
	1000000000,
	10000000000,
	100000000000,
	1000000000000,
	10000000000000,
	100000000000000,
	1000000000000000,
	10000000000000000,
	100000000000000000,
	1000000000000000000,
};

struct quantity quantity_zero(void)
{
	return (struct quantity){.value = 0};
}

struct quantity quantity_of(int64_t value, int32_t scale)
{
	CHECK(scale >= -9 && scale <= INT64_TENS);
	return (struct quantity){.value = value, .scale = scale};
}

bool quantity_is_zero(const struct quantity *q)
{
	return q->is_big ? quantity_big_is_zero(&q->big) : q->value == 0;
}

static int sign_of(const struct quantity *q)
{
	if (quantity_is_zero(q))
		return 0;
	return (q->is_big ? q->is_negative : q->value < 0) ? -1 : 1;
}

static int64_t wrapping_product(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* *product = value * 10^tens; false when that is not an int64. */
static bool small_scale_up(int64_t value, int64_t tens, int64_t *product)
{
	*product = value;
	if (value == 0 || tens == 0)
		return true;
	if (tens > INT64_TENS)
		return false;

	int64_t most = INT64_MAX / powers_of_ten[tens];
	if (value > most || value < -most)
		return false;
	*product = value * powers_of_ten[tens];
	return true;
}

static void become_big(struct quantity *q)
{
	if (q->is_big)
		return;
	q->is_big = true;
	q->is_negative = q->value < 0;
	quantity_big_set(&q->big, q->is_negative ? 0 - (uint64_t)q->value : (uint64_t)q->value);
	q->value = 0;
	/* As when parsed: a long zero has no scale that others would have to be brought to. */
	if (quantity_big_is_zero(&q->big))
		q->scale = 0;
}

/* Brings the one of the coarser scale to the scale of the other. */
static void big_align(struct quantity *a, struct quantity *b)
{
	struct quantity *coarse = a->scale > b->scale ? a : b;
	int32_t finest = a->scale > b->scale ? b->scale : a->scale;

	CHECK(a->is_big && b->is_big);
	if (!quantity_big_scale_up(&coarse->big, (uint32_t)(coarse->scale - finest)))
		CHECK_NEVER("quantity_parse keeps quantities short enough to be aligned");
	coarse->scale = finest;
}

static int big_compare(const struct quantity *a, const struct quantity *b)
{
	struct quantity left = *a;
	struct quantity right = *b;

	become_big(&left);
	become_big(&right);
	big_align(&left, &right);
	return quantity_big_compare(&left.big, &right.big);
}

int quantity_compare(const struct quantity *a, const struct quantity *b)
{
	int sign = sign_of(a);
	int64_t left = a->value;
	int64_t right = b->value;

	if (sign != sign_of(b))
		return sign < sign_of(b) ? -1 : 1;
	if (sign == 0)
		return 0;
	if (a->is_big || b->is_big ||
		(a->scale > b->scale &&
			!small_scale_up(left, (int64_t)a->scale - b->scale, &left)) ||
		(b->scale > a->scale &&
			!small_scale_up(right, (int64_t)b->scale - a->scale, &right)))
		return sign * big_compare(a, b);
	return (left > right) - (left < right);
}

static bool add_overflows(int64_t a, int64_t b)
{
	return b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b;
}

static bool small_add(struct quantity *sum, const struct quantity *q)
{
	int64_t left = sum->value;
	int64_t right = q->value;

	if (right == 0)
		return true;
	if (left == 0) {
		sum->value = right;
		sum->scale = q->scale;
		return true;
	}
	if (sum->scale > q->scale && !small_scale_up(left, (int64_t)sum->scale - q->scale, &left))
		return false;
	if (q->scale > sum->scale && !small_scale_up(right, (int64_t)q->scale - sum->scale, &right))
		return false;
	if (add_overflows(left, right))
		return false;
	sum->value = left + right;
	if (sum->scale > q->scale)
		sum->scale = q->scale;
	return true;
}

static void big_add(struct quantity *sum, const struct quantity *q)
{
	struct quantity addend = *q;

	become_big(sum);
	become_big(&addend);
	big_align(sum, &addend);
	if (sum->is_negative == addend.is_negative) {
		if (!quantity_big_add(&sum->big, &addend.big))
			CHECK_NEVER("quantity_parse keeps quantities short enough to be added");
		return;
	}
	if (quantity_big_compare(&sum->big, &addend.big) < 0) {
		struct quantity_big smaller = sum->big;

		sum->big = addend.big;
		sum->is_negative = addend.is_negative;
		addend.big = smaller;
	}
	quantity_big_subtract(&sum->big, &addend.big);
	if (quantity_big_is_zero(&sum->big))
		sum->is_negative = false;
}

void quantity_add(struct quantity *sum, const struct quantity *q)
{
	sum->keeps_text = false;
	if (quantity_is_zero(sum))
		sum->format = q->format;
	if (sum->is_big || q->is_big || !small_add(sum, q))
		big_add(sum, q);
}

void quantity_negate(struct quantity *q)
{
	q->keeps_text = false;
	if (!q->is_big && q->value == INT64_MIN)
		become_big(q);
	if (q->is_big)
		q->is_negative = !q->is_negative && !quantity_big_is_zero(&q->big);
	else
		q->value = -q->value;
}

bool quantity_is_storable(const struct quantity *q)
{
	struct quantity copy = *q;

	become_big(&copy);
	return quantity_big_scale_up(&copy.big, (uint32_t)(copy.scale - SCALE_MIN)) &&
		quantity_big_is_storable(&copy.big);
}

double quantity_approximate(const struct quantity *q)
{
	double base = q->is_big ? 0 : (double)q->value;
	double power = 1;

	for (uint32_t i = QUANTITY_LIMBS; q->is_big && i-- > 0;)
		base = base * 0x1p32 + q->big.limbs[i];
	for (int32_t tens = q->scale < 0 ? -q->scale : q->scale; tens > 0; tens--)
		power *= 10;
	if (q->is_big && q->is_negative)
		base = -base;
	return q->scale < 0 ? base / power : base * power;
}

void quantity_max(struct quantity *largest, const struct quantity *q)
{
	bool was_big = largest->is_big;

	if (quantity_compare(q, largest) <= 0)
		return;
	*largest = *q;
	/* Upstream's comparison turns its operand into a long decimal when the other one is. */
	if (was_big)
		become_big(largest);
}

/* value * 10^tens, tens < 0: rounded away from zero. */
static int64_t small_scale_down(int64_t value, int64_t tens)
{
	if (tens < -INT64_TENS)
		return (value > 0) - (value < 0);

	int64_t divisor = powers_of_ten[-tens];
	int64_t rest = value % divisor;
	return value / divisor + (rest > 0) - (rest < 0);
}

static int64_t small_at_scale(const struct quantity *q, int32_t scale)
{
	int64_t tens = (int64_t)q->scale - scale;
	int64_t product;

	if (tens < 0)
		return small_scale_down(q->value, tens);
	if (small_scale_up(q->value, tens, &product))
		return product;
	/* What upstream does in one multiplication wraps; where it takes several it gives up. */
	if ((tens <= 3 || tens == 6 || tens == 9) && q->value != INT64_MIN)
		return wrapping_product(q->value, powers_of_ten[tens]);
	return 0;
}

/*
 * For positive numbers up to 2^63 and for all negative ones upstream works on the low 64 bits,
 * and a remainder counts upwards, also below zero.
 */
static int64_t big_at_scale(const struct quantity *q, int32_t scale)
{
	int32_t tens = q->scale - scale;
	struct quantity_big big = q->big;
	uint64_t low = quantity_big_low(&big);
	int64_t number = (int64_t)(q->is_negative ? 0 - low : low);

	if (tens > INT64_TENS)
		return wrapping_product(number, INT64_MIN); /* what 10^19 becomes as an int64 */
	if (tens >= 0)
		return wrapping_product(number, powers_of_ten[tens]);
	CHECK(tens >= -INT64_TENS);
	if (q->is_negative || (quantity_big_fits_64(&big) && low < INT64_MAX)) {
		int64_t divisor = powers_of_ten[-tens];

		return number / divisor + (number % divisor != 0);
	}
	bool remainder = quantity_big_scale_down(&big, (uint32_t)-tens);
	return (int64_t)(quantity_big_low(&big) + remainder);
}

int64_t quantity_value(const struct quantity *q)
{
	return q->is_big ? big_at_scale(q, 0) : small_at_scale(q, 0);
}

int64_t quantity_milli(const struct quantity *q)
{
	return q->is_big ? big_at_scale(q, MILLI) : small_at_scale(q, MILLI);
}
