/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time of the API: RFC 3339 as metav1.Time ("2026-11-18T08:00:00Z") and metav1.MicroTime
 * ("2026-11-18T08:00:00.000000Z"), to and from microseconds since 1970; and Go's durations.
 */
#ifndef BERTH_KUBE_TIME_H
#define BERTH_KUBE_TIME_H

#include "base/clock.h"
#include "base/text.h"

enum { KUBE_TIME_SIZE = 28 /* with a terminating zero */ };

/*
 * Years 0000 to 9999, any offset below 24 hours, any number of fraction digits (beyond micros
 * cut off); strict otherwise.
 */
MUST_USE bool kube_time_parse(struct text t, struct wall *time);
/* Times outside of the years 0000 to 9999 print as the nearest one inside. */
void kube_time_print(struct wall time, struct writer *out);       /* seconds, Z */
void kube_time_print_micro(struct wall time, struct writer *out); /* micros, Z */

/* Go's time.ParseDuration: "15s", "1m30s", "100ms", "0", "1.5h"; below a microsecond cut off. */
MUST_USE bool kube_duration_parse(struct text t, int64_t *us);
/* As Go prints it: "15s", "1m30s", "0s". */
void kube_duration_print(int64_t us, struct writer *out);

#endif
