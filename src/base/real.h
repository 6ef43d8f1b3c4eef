/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Real numbers as text, exactly: the nearest double of a decimal, the nearest decimal of a double,
 * ties to even. Slow (microseconds) and small; configuration files and metrics have few of them.
 */
#ifndef BERTH_BASE_REAL_H
#define BERTH_BASE_REAL_H

#include "base/text.h"

/*
 * [-+]? digits [. digits] [e [-+] digits], at least one digit, nothing around it. Of digits after
 * the thirty-eighth it counts only whether one is not zero. False when it is something else, or too
 * large for a double.
 */
MUST_USE bool real_parse(struct text t, double *value);

/* With so many significant digits at most, as printf's %.*g writes it. `value` must be finite. */
void real_write(struct writer *w, double value, int digits);

/* With as few digits from 15 on as read back as the same number. */
void real_write_shortest(struct writer *w, double value);

#endif
