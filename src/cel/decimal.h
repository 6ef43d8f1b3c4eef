/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doubles as text, as Go prints them. For cel/ only.
 */
#ifndef BERTH_CEL_DECIMAL_H
#define BERTH_CEL_DECIMAL_H

#include "base/text.h"

/* %g: as few digits as read back as the same number; NaN, +Inf, -Inf. */
void cel_print_double(double value, struct writer *out);

/*
 * %f and %e with exactly so many digits behind the point, rounded from the exact value, as
 * upstream's formatting for its default language shows them: "1,234.50", "1.2345 x 10^03" (with
 * signs of multiplication and superscripts).
 */
void cel_print_fixed(double value, uint32_t digits, bool groups, struct writer *out);
void cel_print_scientific(double value, uint32_t digits, struct writer *out);

#endif
