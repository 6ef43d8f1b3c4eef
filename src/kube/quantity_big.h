/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Magnitudes of QUANTITY_LIMBS limbs, least significant first: the little of long arithmetic that
 * quantities need. For quantity*.c only.
 */
#ifndef BERTH_KUBE_QUANTITY_BIG_H
#define BERTH_KUBE_QUANTITY_BIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "kube/quantity.h"

void quantity_big_set(struct quantity_big *big, uint64_t value);
bool quantity_big_is_zero(const struct quantity_big *big);
/* Less than 2^(32 * QUANTITY_LIMBS - QUANTITY_SPARE_BITS). */
bool quantity_big_is_storable(const struct quantity_big *big);
uint64_t quantity_big_low(const struct quantity_big *big); /* the low 64 bits */
bool quantity_big_fits_64(const struct quantity_big *big);
int quantity_big_compare(const struct quantity_big *a, const struct quantity_big *b);

/* big = big * factor + more, and big + more; false when that does not fit (big is spoilt then). */
MUST_USE bool quantity_big_multiply(struct quantity_big *big, uint32_t factor, uint32_t more);
MUST_USE bool quantity_big_scale_up(struct quantity_big *big, uint32_t tens); /* by 10^tens */
MUST_USE bool quantity_big_shift_up(struct quantity_big *big, uint32_t bits);
MUST_USE bool quantity_big_add(struct quantity_big *big, const struct quantity_big *more);
/* CHECKs that less <= big. */
void quantity_big_subtract(struct quantity_big *big, const struct quantity_big *less);

/* Divides; the remainder comes back. */
uint32_t quantity_big_divide(struct quantity_big *big, uint32_t divisor);
/* Divides by 10^tens; true when that left a remainder. */
bool quantity_big_scale_down(struct quantity_big *big, uint32_t tens);

#endif
