/* SPDX-License-Identifier: GPL-2.0-only */
/* Clock: the system's, and dates. */
#include "base/clock.h"

#include <time.h>

#include "base/check.h"

enum { DAYS_IN_ERA = 146097 /* 400 years */, DAYS_BEFORE_EPOCH = 719468 /* since 0000-03-01 */ };

static int64_t clock_read(clockid_t id)
{
	struct timespec now;
	CHECK(clock_gettime(id, &now) == 0);
	return (int64_t)now.tv_sec * CLOCK_S_US + now.tv_nsec / 1000;
}

/* Goes on while the machine is suspended: a lease that ran out meanwhile has run out. */
static struct mono clock_system_mono(void *self)
{
	(void)self;
	return (struct mono){clock_read(CLOCK_BOOTTIME)};
}

static struct wall clock_system_wall(void *self)
{
	(void)self;
	return (struct wall){clock_read(CLOCK_REALTIME)};
}

struct clock clock_system(void)
{
	return (struct clock){.mono = clock_system_mono, .wall = clock_system_wall};
}

static int64_t floor_divide(int64_t value, int64_t by)
{
	return value / by - (value % by < 0);
}

/*
 * Years are counted from March here: the leap day is then the last of its year, and the days
 * before month m are (153 m + 2) / 5.
 */
struct wall_date wall_date(struct wall wall)
{
	int64_t seconds = floor_divide(wall.us, CLOCK_S_US);
	int64_t us = wall.us % CLOCK_S_US;
	int64_t days = floor_divide(seconds, 86400);
	int32_t in_day = (int32_t)(seconds - days * 86400);
	int64_t era = floor_divide(days + DAYS_BEFORE_EPOCH, DAYS_IN_ERA);
	int32_t in_era = (int32_t)(days + DAYS_BEFORE_EPOCH - era * DAYS_IN_ERA);
	int32_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int32_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int32_t month = (5 * in_year + 2) / 153;
	return (struct wall_date){
		.year = (int32_t)(era * 400) + year + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = in_year - (153 * month + 2) / 5 + 1,
		.hour = in_day / 3600,
		.minute = in_day / 60 % 60,
		.second = in_day % 60,
		.us = (int32_t)(us < 0 ? us + CLOCK_S_US : us),
	};
}

struct wall wall_from_date(struct wall_date date)
{
	int64_t year = (int64_t)date.year - (date.month <= 2);
	int64_t month = date.month <= 2 ? date.month + 9 : date.month - 3;
	int64_t era = floor_divide(year, 400);
	int64_t in_era = year - era * 400;
	int64_t in_year = (153 * month + 2) / 5 + date.day - 1;
	int64_t days = era * DAYS_IN_ERA + in_era * 365 + in_era / 4 - in_era / 100 + in_year -
		DAYS_BEFORE_EPOCH;
	int64_t seconds = ((days * 24 + date.hour) * 60 + date.minute) * 60 + date.second;
	return (struct wall){seconds * CLOCK_S_US + date.us};
}
