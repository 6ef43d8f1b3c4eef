/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time of the API. The calendar is the proleptic Gregorian one, without leap seconds.
 */
#include "kube/time.h"

enum {
	SECONDS_A_MINUTE = 60,
	SECONDS_AN_HOUR = 60 * SECONDS_A_MINUTE,
	SECONDS_A_DAY = 24 * SECONDS_AN_HOUR,
	YEAR_MAX = 9999,
	MICRO_DIGITS = 6
};

struct civil {
	int32_t year;
	int32_t month; /* 1 to 12 */
	int32_t day;   /* 1 to 31 */
};

static const int16_t days_before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static bool is_leap(int32_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Of the years 0 to year - 1; year 0 is a leap year. */
static int32_t days_before_year(int32_t year)
{
	if (year == 0)
		return 0;
	int32_t last = year - 1;
	return year * 365 + last / 4 - last / 100 + last / 400 + 1;
}

static int32_t days_before_month(int32_t year, int32_t month)
{
	return days_before[month - 1] + (month > 2 && is_leap(year));
}

static int32_t days_in_month(int32_t year, int32_t month)
{
	return days_before[month] - days_before[month - 1] + (month == 2 && is_leap(year));
}

/* Since 1970-01-01. */
static int32_t days_of(struct civil date)
{
	CHECK(date.year >= 0 && date.year <= YEAR_MAX);
	CHECK(date.month >= 1 && date.month <= 12);
	return days_before_year(date.year) - days_before_year(1970) +
		days_before_month(date.year, date.month) + date.day - 1;
}

static struct civil civil_of(int32_t days)
{
	struct civil date;

	days += days_before_year(1970);
	CHECK(days >= 0 && days < days_before_year(YEAR_MAX + 1));
	date.year = days / 366; /* never too late; a year is at most 366 days */
	while (days_before_year(date.year + 1) <= days)
		date.year++;
	days -= days_before_year(date.year);
	date.month = 1;
	while (date.month < 12 && days_before_month(date.year, date.month + 1) <= days)
		date.month++;
	date.day = days - days_before_month(date.year, date.month) + 1;
	return date;
}

/* ---- parsing ---- */

static bool take_char(struct text *t, char c)
{
	if (t->size == 0 || t->at[0] != c)
		return false;
	*t = text_from(*t, 1);
	return true;
}

/* Exactly `count` digits; the number is in least..most. */
static bool take_number(struct text *t, size_t count, int32_t least, int32_t most, int32_t *number)
{
	*number = 0;
	if (t->size < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (t->at[i] < '0' || t->at[i] > '9')
			return false;
		*number = *number * 10 + (t->at[i] - '0');
	}
	*t = text_from(*t, count);
	return *number >= least && *number <= most;
}

static bool take_date(struct text *t, struct civil *date)
{
	return take_number(t, 4, 0, YEAR_MAX, &date->year) && take_char(t, '-') &&
		take_number(t, 2, 1, 12, &date->month) && take_char(t, '-') &&
		take_number(t, 2, 1, days_in_month(date->year, date->month), &date->day);
}

static bool take_clock(struct text *t, int32_t *seconds)
{
	int32_t hour, minute, second;

	if (!take_number(t, 2, 0, 23, &hour) || !take_char(t, ':') ||
		!take_number(t, 2, 0, 59, &minute) || !take_char(t, ':') ||
		!take_number(t, 2, 0, 59, &second))
		return false;
	*seconds = hour * SECONDS_AN_HOUR + minute * SECONDS_A_MINUTE + second;
	return true;
}

static bool take_fraction(struct text *t, int32_t *micros)
{
	size_t digits = 0;

	*micros = 0;
	if (!take_char(t, '.'))
		return true;
	for (; t->size > 0 && t->at[0] >= '0' && t->at[0] <= '9'; digits++) {
		if (digits < MICRO_DIGITS)
			*micros = *micros * 10 + (t->at[0] - '0');
		*t = text_from(*t, 1);
	}
	for (size_t i = digits; i < MICRO_DIGITS; i++)
		*micros *= 10;
	return digits > 0;
}

static bool take_offset(struct text *t, int32_t *seconds)
{
	int32_t hours, minutes;
	bool west;

	*seconds = 0;
	if (take_char(t, 'Z'))
		return true;
	west = take_char(t, '-');
	if (!west && !take_char(t, '+'))
		return false;
	if (!take_number(t, 2, 0, 23, &hours) || !take_char(t, ':') ||
		!take_number(t, 2, 0, 59, &minutes))
		return false;
	*seconds = hours * SECONDS_AN_HOUR + minutes * SECONDS_A_MINUTE;
	if (west)
		*seconds = -*seconds;
	return true;
}

bool kube_time_parse(struct text t, struct wall *time)
{
	struct civil date = {0, 1, 1};
	int32_t seconds, micros, offset;

	time->us = 0;
	if (!take_date(&t, &date) || !take_char(&t, 'T') || !take_clock(&t, &seconds) ||
		!take_fraction(&t, &micros) || !take_offset(&t, &offset) || t.size > 0)
		return false;
	time->us =
		((int64_t)days_of(date) * SECONDS_A_DAY + seconds - offset) * CLOCK_S_US + micros;
	return true;
}

/* ---- printing ---- */

static void print_number(int32_t number, int digits, struct writer *out)
{
	char text[8];

	CHECK(number >= 0 && digits <= (int)sizeof(text));
	for (int i = digits; i-- > 0; number /= 10)
		text[i] = (char)('0' + number % 10);
	CHECK(number == 0);
	write_bytes(out, text, (size_t)digits);
}

static int64_t clamped_us(int64_t us)
{
	int64_t first_day = days_of((struct civil){0, 1, 1});
	int64_t last_day = days_of((struct civil){YEAR_MAX, 12, 31});
	int64_t first_us = first_day * SECONDS_A_DAY * CLOCK_S_US;
	int64_t last_us = (last_day + 1) * SECONDS_A_DAY * CLOCK_S_US - 1;

	return us < first_us ? first_us : us > last_us ? last_us : us;
}

static void print_wall(struct wall time, bool with_micros, struct writer *out)
{
	int64_t us = clamped_us(time.us);
	int32_t micros = (int32_t)(us % CLOCK_S_US);
	int64_t seconds = us / CLOCK_S_US;

	if (micros < 0) {
		micros += CLOCK_S_US;
		seconds--;
	}
	int32_t days = (int32_t)(seconds / SECONDS_A_DAY);
	int32_t second = (int32_t)(seconds % SECONDS_A_DAY);
	if (second < 0) {
		second += SECONDS_A_DAY;
		days--;
	}

	struct civil date = civil_of(days);
	print_number(date.year, 4, out);
	write_char(out, '-');
	print_number(date.month, 2, out);
	write_char(out, '-');
	print_number(date.day, 2, out);
	write_char(out, 'T');
	print_number(second / SECONDS_AN_HOUR, 2, out);
	write_char(out, ':');
	print_number(second / SECONDS_A_MINUTE % 60, 2, out);
	write_char(out, ':');
	print_number(second % 60, 2, out);
	if (with_micros) {
		write_char(out, '.');
		print_number(micros, MICRO_DIGITS, out);
	}
	write_char(out, 'Z');
}

void kube_time_print(struct wall time, struct writer *out)
{
	print_wall(time, false, out);
}

void kube_time_print_micro(struct wall time, struct writer *out)
{
	print_wall(time, true, out);
}
