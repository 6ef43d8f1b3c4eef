/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Times of the calendar, and what functions ask of them. Zones are UTC or an offset; berth has no
 * table of the world's zones, and says so as upstream does where it has none.
 */
#include "cel/calendar.h"

#include "cel/function.h"
#include "kube/time.h"

enum { DAY = 24 * 60 * 60, NANO_DIGITS = 9 };

struct calendar {
	struct wall_date date;
	int32_t year_day; /* from 0 */
	int32_t week_day; /* from Sunday */
};

static int64_t calendar_floor(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static struct calendar calendar_of(int64_t seconds)
{
	struct calendar c = {.date = wall_date((struct wall){seconds * CLOCK_S_US})};
	struct wall_date new_year = {.year = c.date.year, .month = 1, .day = 1};
	int64_t days = calendar_floor(seconds, DAY);

	c.week_day = (int32_t)((days % 7 + 7 + 4) % 7); /* 1970 began with a Thursday */
	c.year_day =
		(int32_t)(days - calendar_floor(wall_from_date(new_year).us / CLOCK_S_US, DAY));
	return c;
}

/* ---- text ---- */

bool cel_time_parse(struct text t, struct cel_value *time)
{
	char text[64];
	struct writer out;
	size_t point = text_find(t, '.');
	size_t end = point;
	uint32_t nanos = 0;
	uint32_t digits = 0;
	struct wall wall;
	int64_t seconds;

	if (t.size > sizeof(text))
		return false;
	if (point != t.size) {
		for (end = point + 1; end < t.size && t.at[end] >= '0' && t.at[end] <= '9'; end++)
			if (digits < NANO_DIGITS) {
				nanos = nanos * 10 + (uint32_t)(t.at[end] - '0');
				digits++;
			}
		if (digits == 0)
			return false;
		for (; digits < NANO_DIGITS; digits++)
			nanos *= 10;
	}
	writer_init(&out, text, sizeof(text));
	write_text(&out, text_first(t, point));
	write_text(&out, text_from(t, end));
	if (!kube_time_parse(writer_text(&out), &wall))
		return false;
	seconds = calendar_floor(wall.us, CLOCK_S_US);
	*time = seconds < CEL_TIME_MIN || seconds > CEL_TIME_MAX
		? cel_fault(CEL_FAULT_TIMESTAMP)
		: cel_typed(CEL_TIMESTAMP, seconds, nanos);
	return true;
}

static void calendar_fraction(uint32_t nanos, struct writer *out)
{
	uint32_t digits = NANO_DIGITS;

	if (nanos == 0)
		return;
	for (; nanos % 10 == 0; digits--)
		nanos /= 10;
	write_char(out, '.');
	write_format(out, "%0*u", (int)digits, (unsigned)nanos);
}

void cel_time_print(const struct cel_value *time, struct writer *out)
{
	struct wall_date date = wall_date((struct wall){time->integer * CLOCK_S_US});

	write_format(out, "%04d-%02d-%02dT%02d:%02d:%02d", (int)date.year, (int)date.month,
		(int)date.day, (int)date.hour, (int)date.minute, (int)date.second);
	calendar_fraction(time->size, out);
	write_char(out, 'Z');
}

/* Nanoseconds of a unit at the beginning of the text, which it takes off; 0: none. */
static uint64_t calendar_unit(struct text *t)
{
	static const struct {
		struct text name;
		uint64_t nanos;
	} units[] = {{{"ns", 2}, 1}, {{"us", 2}, 1000}, {{"\xc2\xb5s", 3}, 1000},
		{{"\xce\xbcs", 3}, 1000}, {{"ms", 2}, 1000000}, {{"s", 1}, CEL_NANOS},
		{{"m", 1}, UINT64_C(60) * CEL_NANOS}, {{"h", 1}, UINT64_C(3600) * CEL_NANOS}};

	for (size_t i = 0; i < ARRAY_COUNT(units); i++)
		if (text_starts(*t, units[i].name)) {
			struct text rest = text_from(*t, units[i].name.size);

			/* "m" is no prefix of "ms" here, as that stands before it */
			*t = rest;
			return units[i].nanos;
		}
	return 0;
}

/* One number with its unit; false when there is none or it is too large. */
static bool calendar_part(struct text *t, uint64_t *nanos)
{
	uint64_t whole = 0;
	uint64_t fraction = 0;
	uint64_t scale = 1;
	uint64_t unit;
	bool any = false;

	for (; t->size > 0 && t->at[0] >= '0' && t->at[0] <= '9'; *t = text_from(*t, 1)) {
		any = true;
		if (__builtin_mul_overflow(whole, 10, &whole) ||
			__builtin_add_overflow(whole, (uint64_t)(t->at[0] - '0'), &whole))
			return false;
	}
	if (t->size > 0 && t->at[0] == '.')
		for (*t = text_from(*t, 1); t->size > 0 && t->at[0] >= '0' && t->at[0] <= '9';
			*t = text_from(*t, 1)) {
			any = true;
			if (scale < UINT64_C(1000000000000000)) {
				fraction = fraction * 10 + (uint64_t)(t->at[0] - '0');
				scale *= 10;
			}
		}
	unit = any ? calendar_unit(t) : 0;
	if (unit == 0 || __builtin_mul_overflow(whole, unit, &whole))
		return false;
	if (fraction > 0)
		whole += (uint64_t)((double)fraction * ((double)unit / (double)scale));
	return !__builtin_add_overflow(*nanos, whole, nanos) && *nanos <= (uint64_t)INT64_MAX + 1;
}

bool cel_duration_parse(struct text t, int64_t *nanos)
{
	bool minus = t.size > 0 && t.at[0] == '-';
	uint64_t sum = 0;

	if (t.size > 0 && (minus || t.at[0] == '+'))
		t = text_from(t, 1);
	*nanos = 0;
	if (text_is_z(t, "0"))
		return true;
	if (t.size == 0)
		return false;
	while (t.size > 0)
		if (!calendar_part(&t, &sum))
			return false;
	if (sum > INT64_MAX && !minus)
		return false;
	*nanos = (int64_t)(minus ? 0 - sum : sum);
	return true;
}

void cel_duration_print(int64_t nanos, struct writer *out)
{
	uint64_t amount = nanos < 0 ? 0 - (uint64_t)nanos : (uint64_t)nanos;

	if (nanos < 0)
		write_char(out, '-');
	write_u64(out, amount / CEL_NANOS);
	calendar_fraction((uint32_t)(amount % CEL_NANOS), out);
	write_char(out, 's');
}

/* ---- functions ---- */

/* Seconds east of UTC; false and an error when the zone is none that is known. */
static bool calendar_zone(
	struct cel_run *run, const struct cel_value *zone, int64_t *east, struct cel_value *error)
{
	struct text text = cel_text(zone);
	size_t colon = text_find(text, ':');
	struct text hours;
	int64_t hour;
	int64_t minute;

	*east = 0;
	*error = cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (zone->kind != CEL_STRING)
		return false;
	if (colon == text.size) {
		if (text.size == 0 || text_is_z(text, "UTC"))
			return true;
		*error = cel_fault_text(run, "unknown time zone %.*s", TEXT_ARGS(text));
		return false;
	}
	hours = text_first(text, colon);
	if (hours.size > 0 && hours.at[0] == '+')
		hours = text_from(hours, 1);
	if (!text_to_i64(hours, &hour) || !text_to_i64(text_from(text, colon + 1), &minute) ||
		hour < -1000 || hour > 1000) {
		*error = cel_fault_text(run, "strconv.Atoi: parsing \"%.*s\": invalid syntax",
			TEXT_ARGS(text_first(text, colon)));
		return false;
	}
	if (minute < 0 || minute > 59) {
		*error = cel_fault_text(
			run, "timezone offset minutes out of range [0, 59]: %.*s", TEXT_ARGS(text));
		return false;
	}
	*east = (hour * 60 + (text.at[0] == '-' ? -minute : minute)) * 60;
	return true;
}

enum calendar_part {
	CALENDAR_YEAR,
	CALENDAR_MONTH,
	CALENDAR_YEAR_DAY,
	CALENDAR_MONTH_DAY,
	CALENDAR_DATE,
	CALENDAR_WEEK_DAY,
	CALENDAR_HOURS,
	CALENDAR_MINUTES,
	CALENDAR_SECONDS,
	CALENDAR_MILLIS
};

static struct cel_value calendar_of_duration(int64_t nanos, enum calendar_part part)
{
	switch (part) {
	case CALENDAR_HOURS: return cel_int(nanos / CEL_NANOS / 3600);
	case CALENDAR_MINUTES: return cel_int(nanos / CEL_NANOS / 60);
	case CALENDAR_SECONDS: return cel_int(nanos / CEL_NANOS);
	case CALENDAR_MILLIS: return cel_int(nanos / (CEL_NANOS / 1000));
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

static struct cel_value calendar_get(
	struct cel_run *run, const struct cel_value *args, uint32_t count, enum calendar_part part)
{
	int64_t east = 0;
	struct cel_value error;
	struct calendar c;

	if (args[0].kind == CEL_DURATION && count == 1)
		return calendar_of_duration(args[0].integer, part);
	if (args[0].kind != CEL_TIMESTAMP)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (count == 2 && !calendar_zone(run, &args[1], &east, &error))
		return error;
	c = calendar_of(args[0].integer + east);
	switch (part) {
	case CALENDAR_YEAR: return cel_int(c.date.year);
	case CALENDAR_MONTH: return cel_int(c.date.month - 1);
	case CALENDAR_YEAR_DAY: return cel_int(c.year_day);
	case CALENDAR_MONTH_DAY: return cel_int(c.date.day - 1);
	case CALENDAR_DATE: return cel_int(c.date.day);
	case CALENDAR_WEEK_DAY: return cel_int(c.week_day);
	case CALENDAR_HOURS: return cel_int(c.date.hour);
	case CALENDAR_MINUTES: return cel_int(c.date.minute);
	case CALENDAR_SECONDS: return cel_int(c.date.second);
	case CALENDAR_MILLIS: return cel_int(args[0].size / (CEL_NANOS / 1000));
	}
	CHECK_NEVER("a part has a number");
}

#define CALENDAR_FUNCTION(name, part)                                                            \
	struct cel_value name(struct cel_run *run, const struct cel_value *args, uint32_t count) \
	{                                                                                        \
		return calendar_get(run, args, count, part);                                     \
	}
CALENDAR_FUNCTION(cel_get_year, CALENDAR_YEAR)
CALENDAR_FUNCTION(cel_get_month, CALENDAR_MONTH)
CALENDAR_FUNCTION(cel_get_year_day, CALENDAR_YEAR_DAY)
CALENDAR_FUNCTION(cel_get_month_day, CALENDAR_MONTH_DAY)
CALENDAR_FUNCTION(cel_get_date, CALENDAR_DATE)
CALENDAR_FUNCTION(cel_get_week_day, CALENDAR_WEEK_DAY)
CALENDAR_FUNCTION(cel_get_hours, CALENDAR_HOURS)
CALENDAR_FUNCTION(cel_get_minutes, CALENDAR_MINUTES)
CALENDAR_FUNCTION(cel_get_seconds, CALENDAR_SECONDS)
CALENDAR_FUNCTION(cel_get_millis, CALENDAR_MILLIS)
