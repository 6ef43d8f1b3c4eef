/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of the calendar: RFC 3339 with nanoseconds, durations as Go writes them. For cel/ only.
 */
#ifndef BERTH_CEL_CALENDAR_H
#define BERTH_CEL_CALENDAR_H

#include "cel/value.h"

#define CEL_TIME_MIN INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define CEL_TIME_MAX INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

enum { CEL_TIME_SIZE = 40 };

/* False when it is no time; one out of range is an error value. */
MUST_USE bool cel_time_parse(struct text t, struct cel_value *time);
void cel_time_print(const struct cel_value *time, struct writer *out);
MUST_USE bool cel_duration_parse(struct text t, int64_t *nanos);
/* In seconds: "5400s", "0.25s". */
void cel_duration_print(int64_t nanos, struct writer *out);

#endif
