/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Durations as Go writes them: numbers with units, one after the other ("1h15m30.918s").
 *
 * What Go does: nanoseconds in an int64; what does not fit is an error.
 * What we do: the same bounds, but microseconds come out, cut off towards zero.
 */
#include "kube/time.h"
#include "base/chars.h"

enum { NS_A_US = 1000, NS_A_MS = 1000 * NS_A_US, FRACTION_GUARD = 100 * 1000 };

#define NS_A_SECOND INT64_C(1000000000)

struct unit {
	const char *name;
	int64_t ns;
};

/* Both spellings of the micro sign, U+00B5 and U+03BC. */
static const struct unit units[] = {
	{"ns", 1},
	{"us", NS_A_US},
	{"\xc2\xb5s", NS_A_US},
	{"\xce\xbcs", NS_A_US},
	{"ms", NS_A_MS},
	{"s", NS_A_SECOND},
	{"m", 60 * NS_A_SECOND},
	{"h", 3600 * NS_A_SECOND},
};

static struct text take_until(struct text *t, bool digits)
{
	size_t size = 0;

	while (size < t->size && char_is_digit(t->at[size]) == digits &&
		(digits || t->at[size] != '.'))
		size++;
	struct text taken = text_first(*t, size);
	*t = text_from(*t, size);
	return taken;
}

static const struct unit *unit_of(struct text name)
{
	for (size_t i = 0; i < ARRAY_COUNT(units); i++)
		if (text_is_z(name, units[i].name))
			return &units[i];
	return NULL;
}

/* Digits behind the point in nanoseconds, cut off; what they are worth shrinks by ten each. */
static uint64_t fraction_ns(struct text digits, const struct unit *unit)
{
	uint64_t worth = (uint64_t)unit->ns * FRACTION_GUARD;
	uint64_t sum = 0;

	for (size_t i = 0; i < digits.size && worth > 0; i++) {
		worth /= 10;
		sum += worth * (uint64_t)(digits.at[i] - '0');
	}
	return sum / FRACTION_GUARD;
}

/* One number with its unit, added to *ns; |total| is below 2^63 or, without a sign, at it. */
static bool take_part(struct text *t, uint64_t *ns)
{
	const uint64_t most = (uint64_t)1 << 63;
	struct text whole = take_until(t, true);
	struct text fraction = TEXT_NONE;
	uint64_t number = 0;

	if (t->size > 0 && t->at[0] == '.') {
		*t = text_from(*t, 1);
		fraction = take_until(t, true);
	}
	if (whole.size + fraction.size == 0)
		return false;
	const struct unit *unit = unit_of(take_until(t, false));
	if (unit == NULL || (whole.size > 0 && !text_to_u64(whole, &number)))
		return false;
	if (number > most / (uint64_t)unit->ns)
		return false;
	number = number * (uint64_t)unit->ns + fraction_ns(fraction, unit);
	if (number > most || *ns > most - number)
		return false;
	*ns += number;
	return true;
}

bool kube_duration_parse(struct text t, int64_t *us)
{
	bool negative = t.size > 0 && t.at[0] == '-';
	uint64_t ns = 0;

	*us = 0;
	if (t.size > 0 && (t.at[0] == '-' || t.at[0] == '+'))
		t = text_from(t, 1);
	if (text_is(t, TEXT("0")))
		return true;
	if (t.size == 0)
		return false;
	while (t.size > 0)
		if (!take_part(&t, &ns))
			return false;
	if (!negative && ns > INT64_MAX)
		return false;
	*us = (int64_t)(ns / NS_A_US);
	if (negative)
		*us = -*us;
	return true;
}

/* number / one, one being a power of ten, without trailing zeros. */
static void print_fraction(uint64_t number, uint64_t one, struct writer *out)
{
	uint64_t rest = number % one;

	write_u64(out, number / one);
	if (rest == 0)
		return;
	write_char(out, '.');
	do {
		rest *= 10;
		write_char(out, (char)('0' + rest / one));
		rest %= one;
	} while (rest > 0);
}

void kube_duration_print(int64_t us, struct writer *out)
{
	uint64_t rest = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
	uint64_t minutes = rest / CLOCK_S_US / 60;

	if (us < 0)
		write_char(out, '-');
	if (rest == 0) {
		write_z(out, "0s");
	} else if (rest < CLOCK_MS_US) {
		write_u64(out, rest);
		write_z(out, "\xc2\xb5s");
	} else if (rest < CLOCK_S_US) {
		print_fraction(rest, CLOCK_MS_US, out);
		write_z(out, "ms");
	} else {
		if (minutes >= 60) {
			write_u64(out, minutes / 60);
			write_char(out, 'h');
		}
		if (minutes > 0) {
			write_u64(out, minutes % 60);
			write_char(out, 'm');
		}
		print_fraction(rest % ((uint64_t)60 * CLOCK_S_US), CLOCK_S_US, out);
		write_char(out, 's');
	}
}
