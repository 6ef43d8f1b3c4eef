/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Long arithmetic on magnitudes; schoolbook, as they have twelve limbs at most.
 */
#include "kube/quantity_big.h"

#include <string.h>

enum { BILLION = 1000 * 1000 * 1000, BILLION_TENS = 9, LIMB_BITS = 32 };

static uint32_t power_of_ten(uint32_t tens)
{
	uint32_t power = 1;

	CHECK(tens <= BILLION_TENS);
	while (tens-- > 0)
		power *= 10;
	return power;
}

void quantity_big_set(struct quantity_big *big, uint64_t value)
{
	memset(big, 0, sizeof(*big));
	big->limbs[0] = (uint32_t)value;
	big->limbs[1] = (uint32_t)(value >> LIMB_BITS);
}

bool quantity_big_is_zero(const struct quantity_big *big)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < QUANTITY_LIMBS; i++)
		any |= big->limbs[i];
	return any == 0;
}

bool quantity_big_is_storable(const struct quantity_big *big)
{
	return big->limbs[QUANTITY_LIMBS - 1] >> (LIMB_BITS - QUANTITY_SPARE_BITS) == 0;
}

uint64_t quantity_big_low(const struct quantity_big *big)
{
	return (uint64_t)big->limbs[1] << LIMB_BITS | big->limbs[0];
}

bool quantity_big_fits_64(const struct quantity_big *big)
{
	uint32_t any = 0;

	for (uint32_t i = 2; i < QUANTITY_LIMBS; i++)
		any |= big->limbs[i];
	return any == 0;
}

int quantity_big_compare(const struct quantity_big *a, const struct quantity_big *b)
{
	for (uint32_t i = QUANTITY_LIMBS; i-- > 0;)
		if (a->limbs[i] != b->limbs[i])
			return a->limbs[i] < b->limbs[i] ? -1 : 1;
	return 0;
}

bool quantity_big_multiply(struct quantity_big *big, uint32_t factor, uint32_t more)
{
	uint64_t carry = more;

	for (uint32_t i = 0; i < QUANTITY_LIMBS; i++) {
		carry += (uint64_t)big->limbs[i] * factor;
		big->limbs[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	return carry == 0;
}

bool quantity_big_scale_up(struct quantity_big *big, uint32_t tens)
{
	if (quantity_big_is_zero(big))
		return true;
	for (; tens >= BILLION_TENS; tens -= BILLION_TENS)
		if (!quantity_big_multiply(big, BILLION, 0))
			return false;
	return quantity_big_multiply(big, power_of_ten(tens), 0);
}

bool quantity_big_shift_up(struct quantity_big *big, uint32_t bits)
{
	for (; bits >= LIMB_BITS - 1; bits -= LIMB_BITS - 1)
		if (!quantity_big_multiply(big, (uint32_t)1 << (LIMB_BITS - 1), 0))
			return false;
	return quantity_big_multiply(big, (uint32_t)1 << bits, 0);
}

bool quantity_big_add(struct quantity_big *big, const struct quantity_big *more)
{
	uint64_t carry = 0;

	for (uint32_t i = 0; i < QUANTITY_LIMBS; i++) {
		carry += (uint64_t)big->limbs[i] + more->limbs[i];
		big->limbs[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	return carry == 0;
}

void quantity_big_subtract(struct quantity_big *big, const struct quantity_big *less)
{
	uint64_t borrow = 0;

	for (uint32_t i = 0; i < QUANTITY_LIMBS; i++) {
		uint64_t difference = (uint64_t)big->limbs[i] - less->limbs[i] - borrow;

		big->limbs[i] = (uint32_t)difference;
		borrow = difference >> LIMB_BITS != 0;
	}
	CHECK(borrow == 0);
}

uint32_t quantity_big_divide(struct quantity_big *big, uint32_t divisor)
{
	uint64_t rest = 0;

	CHECK(divisor != 0);
	for (uint32_t i = QUANTITY_LIMBS; i-- > 0;) {
		rest = rest << LIMB_BITS | big->limbs[i];
		big->limbs[i] = (uint32_t)(rest / divisor);
		rest %= divisor;
	}
	return (uint32_t)rest;
}

bool quantity_big_scale_down(struct quantity_big *big, uint32_t tens)
{
	bool remainder = false;

	for (; tens >= BILLION_TENS && !quantity_big_is_zero(big); tens -= BILLION_TENS)
		if (quantity_big_divide(big, BILLION) != 0)
			remainder = true;
	if (quantity_big_is_zero(big))
		return remainder;
	return quantity_big_divide(big, power_of_ten(tens)) != 0 || remainder;
}
