/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time comes through one small interface. Monotonic and wall time are different types, so that
 * they cannot be mixed by accident. The clock is read once a turn of the loop and passed down.
 */
#ifndef BERTH_BASE_CLOCK_H
#define BERTH_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct mono {
	int64_t us; /* since an arbitrary start; never goes back */
};
struct wall {
	int64_t us; /* since 1970-01-01T00:00:00Z; may jump */
};

struct clock {
	struct mono (*mono)(void *self);
	struct wall (*wall)(void *self);
	void *self;
};

enum { CLOCK_MS_US = 1000, CLOCK_S_US = 1000 * 1000 };
#define MONO_NEVER ((struct mono){INT64_MAX})

/* The real one; the only place that asks the system for time. */
struct clock clock_system(void);

static inline struct mono clock_mono(const struct clock *clock)
{
	return clock->mono(clock->self);
}
static inline struct wall clock_wall(const struct clock *clock)
{
	return clock->wall(clock->self);
}
static inline struct mono mono_after_ms(struct mono start, int64_t ms)
{
	return (struct mono){start.us + ms * CLOCK_MS_US};
}
static inline int64_t mono_since_us(struct mono later, struct mono earlier)
{
	return later.us - earlier.us;
}
static inline struct mono mono_earlier(struct mono a, struct mono b)
{
	return a.us < b.us ? a : b;
}
static inline bool mono_reached(struct mono now, struct mono due)
{
	return now.us >= due.us;
}

/* UTC by the proleptic Gregorian calendar; no leap seconds, like Kubernetes. */
struct wall_date {
	int32_t year;
	int32_t month; /* 1..12 */
	int32_t day;   /* 1..31 */
	int32_t hour;
	int32_t minute;
	int32_t second;
	int32_t us;
};
struct wall_date wall_date(struct wall wall);
struct wall wall_from_date(struct wall_date date); /* CHECKs nothing: days may be 0 or 400 */

#endif
