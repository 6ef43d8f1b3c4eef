/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Quantity: resource.Quantity of the API ("100m", "1.5Gi", "3e2"), exact. Value and arithmetic
 * follow upstream's two forms (an int64 with a decimal scale, or an arbitrary-precision decimal)
 * as far as their difference can be seen: rounding, caps and wrapping on overflow.
 */
#ifndef BERTH_KUBE_QUANTITY_H
#define BERTH_KUBE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "base/text.h"

enum quantity_format { QUANTITY_DECIMAL_SI, QUANTITY_BINARY_SI, QUANTITY_DECIMAL_EXPONENT };

enum {
	QUANTITY_LIMBS = 12, /* 32 bits each */
	/*
	 * What is parsed stays below 2^368 billionths (about 6e101), so that the sum of 65,536
	 * quantities still fits the limbs: more than one JSON object can hold.
	 */
	QUANTITY_SPARE_BITS = 16
};

struct quantity_big { /* a magnitude, least significant limb first */
	uint32_t limbs[QUANTITY_LIMBS];
};

struct quantity {
	int64_t value;  /* small form: value * 10^scale */
	int32_t scale;  /* of both forms; never below -9 */
	uint8_t format; /* enum quantity_format */
	bool is_big;
	bool is_negative;        /* big form */
	bool keeps_text;         /* upstream would print the very text this was parsed from */
	struct quantity_big big; /* big form */
};

enum quantity_result {
	QUANTITY_OK,
	QUANTITY_EMPTY_OR_MALFORMED, /* "quantities must match the regular expression ..." */
	QUANTITY_BAD_NUMBER,         /* "unable to parse numeric part of quantity" */
	QUANTITY_BAD_SUFFIX,         /* "unable to parse quantity's suffix" */
	QUANTITY_TOO_LONG            /* beyond what berth holds exactly; refused */
};

/* Does not trim: the decoder of the API does that before. On anything but OK *q is zero. */
MUST_USE enum quantity_result quantity_parse(struct text t, struct quantity *q);
const char *quantity_error(enum quantity_result result); /* upstream's words; "" for OK */

struct quantity quantity_zero(void);
struct quantity quantity_of(int64_t value, int32_t scale); /* value * 10^scale; -9 <= scale <= 18 */
bool quantity_is_zero(const struct quantity *q);
int quantity_compare(const struct quantity *a, const struct quantity *b); /* exact: -1, 0, 1 */
void quantity_add(struct quantity *sum, const struct quantity *q);
void quantity_negate(struct quantity *q);
/* As small as what is parsed; a sum need not be, and only such quantities may be added up. */
bool quantity_is_storable(const struct quantity *q);
double quantity_approximate(const struct quantity *q); /* as upstream works it out */
void quantity_max(struct quantity *largest, const struct quantity *q);

int64_t quantity_value(const struct quantity *q); /* rounded up to an integer */
int64_t quantity_milli(const struct quantity *q); /* thousandths, rounded up */

/* Canonical form, computed from the value. */
void quantity_print(const struct quantity *q, struct writer *out);
/*
 * What upstream prints for a quantity it parsed from `t` and did not compute with: the text
 * itself where it looks canonical at a glance ("1.", "+5" and "00012" do), else as above.
 */
void quantity_print_parsed(const struct quantity *q, struct text t, struct writer *out);

#endif
