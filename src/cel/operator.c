/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Operators. Whole numbers do not wrap: what does not fit is an error.
 */
#include "cel/calendar.h"
#include "cel/function.h"

static bool operator_both(const struct cel_value *args, enum cel_kind kind)
{
	return args[0].kind == kind && args[1].kind == kind;
}

static struct cel_value operator_duration(bool overflows, int64_t nanos)
{
	return overflows ? cel_fault(CEL_FAULT_DURATION) : cel_typed(CEL_DURATION, nanos, 0);
}

/* A time so many nanoseconds later. */
static struct cel_value operator_shift(struct cel_value time, int64_t nanos)
{
	int64_t rest = (int64_t)time.size + nanos % CEL_NANOS;
	int64_t seconds = time.integer + nanos / CEL_NANOS;

	if (rest < 0) {
		rest += CEL_NANOS;
		seconds--;
	} else if (rest >= CEL_NANOS) {
		rest -= CEL_NANOS;
		seconds++;
	}
	if (seconds < CEL_TIME_MIN || seconds > CEL_TIME_MAX)
		return cel_fault(CEL_FAULT_TIMESTAMP);
	return cel_typed(CEL_TIMESTAMP, seconds, (uint32_t)rest);
}

static struct cel_value operator_join(struct cel_run *run, const struct cel_value *args)
{
	size_t size = (size_t)args[0].size + args[1].size;
	char *at;

	if (size > UINT32_MAX)
		return cel_fault(CEL_FAULT_MEMORY);
	at = cel_take(run, size + 1, 1);
	if (at == NULL)
		return cel_stopped(run);
	if (args[0].size > 0)
		memcpy(at, args[0].text, args[0].size);
	if (args[1].size > 0)
		memcpy(at + args[0].size, args[1].text, args[1].size);
	return (struct cel_value){.kind = args[0].kind, .size = (uint32_t)size, .text = at};
}

static struct cel_value operator_concatenate(struct cel_run *run, const struct cel_value *args)
{
	uint32_t first = cel_size(&args[0]);
	uint32_t second = cel_size(&args[1]);
	struct cel_value *items;

	if (first == 0 || second == 0)
		return args[first == 0 ? 1 : 0];
	items = cel_take(run, (uint64_t)first + second, sizeof(*items));
	if (items == NULL)
		return cel_stopped(run);
	for (uint32_t i = 0; i < first; i++)
		items[i] = cel_at(&args[0], i);
	for (uint32_t i = 0; i < second; i++)
		items[first + i] = cel_at(&args[1], i);
	return cel_list_of(items, first + second);
}

struct cel_value cel_add(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value result;
	bool overflows;

	(void)count;
	switch (args[0].kind == args[1].kind ? args[0].kind : CEL_ERROR) {
	case CEL_INT:
		result = args[0];
		overflows =
			__builtin_add_overflow(args[0].integer, args[1].integer, &result.integer);
		return overflows ? cel_fault(CEL_FAULT_INT) : result;
	case CEL_UINT:
		result = args[0];
		overflows =
			__builtin_add_overflow(args[0].natural, args[1].natural, &result.natural);
		return overflows ? cel_fault(CEL_FAULT_UINT) : result;
	case CEL_DOUBLE: return cel_double(args[0].real + args[1].real);
	case CEL_STRING:
	case CEL_BYTES: return operator_join(run, args);
	case CEL_LIST: return operator_concatenate(run, args);
	case CEL_DURATION:
		result = args[0];
		overflows =
			__builtin_add_overflow(args[0].integer, args[1].integer, &result.integer);
		return operator_duration(overflows, result.integer);
	default: break;
	}
	if (args[0].kind == CEL_DURATION && args[1].kind == CEL_TIMESTAMP)
		return operator_shift(args[1], args[0].integer);
	if (args[0].kind == CEL_TIMESTAMP && args[1].kind == CEL_DURATION)
		return operator_shift(args[0], args[1].integer);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

static struct cel_value operator_between(const struct cel_value *args)
{
	int64_t seconds = args[0].integer - args[1].integer;
	int64_t nanos;

	if (__builtin_mul_overflow(seconds, (int64_t)CEL_NANOS, &nanos) ||
		__builtin_add_overflow(
			nanos, (int64_t)args[0].size - (int64_t)args[1].size, &nanos))
		return cel_fault(CEL_FAULT_DURATION);
	return cel_typed(CEL_DURATION, nanos, 0);
}

struct cel_value cel_subtract(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value result = args[0];

	(void)run;
	(void)count;
	if (operator_both(args, CEL_INT))
		return __builtin_sub_overflow(args[0].integer, args[1].integer, &result.integer)
			? cel_fault(CEL_FAULT_INT)
			: result;
	if (operator_both(args, CEL_UINT))
		return __builtin_sub_overflow(args[0].natural, args[1].natural, &result.natural)
			? cel_fault(CEL_FAULT_UINT)
			: result;
	if (operator_both(args, CEL_DOUBLE))
		return cel_double(args[0].real - args[1].real);
	if (operator_both(args, CEL_DURATION)) {
		bool overflows =
			__builtin_sub_overflow(args[0].integer, args[1].integer, &result.integer);

		return operator_duration(overflows, result.integer);
	}
	if (operator_both(args, CEL_TIMESTAMP))
		return operator_between(args);
	if (args[0].kind == CEL_TIMESTAMP && args[1].kind == CEL_DURATION) {
		if (args[1].integer == INT64_MIN)
			return cel_fault(CEL_FAULT_TIMESTAMP);
		return operator_shift(args[0], -args[1].integer);
	}
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_multiply(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value result = args[0];

	(void)run;
	(void)count;
	if (operator_both(args, CEL_INT))
		return __builtin_mul_overflow(args[0].integer, args[1].integer, &result.integer)
			? cel_fault(CEL_FAULT_INT)
			: result;
	if (operator_both(args, CEL_UINT))
		return __builtin_mul_overflow(args[0].natural, args[1].natural, &result.natural)
			? cel_fault(CEL_FAULT_UINT)
			: result;
	if (operator_both(args, CEL_DOUBLE))
		return cel_double(args[0].real * args[1].real);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_divide(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	if (operator_both(args, CEL_INT)) {
		if (args[1].integer == 0)
			return cel_fault(CEL_FAULT_DIVISION);
		if (args[0].integer == INT64_MIN && args[1].integer == -1)
			return cel_fault(CEL_FAULT_INT);
		return cel_int(args[0].integer / args[1].integer);
	}
	if (operator_both(args, CEL_UINT))
		return args[1].natural == 0 ? cel_fault(CEL_FAULT_DIVISION)
					    : cel_uint(args[0].natural / args[1].natural);
	if (operator_both(args, CEL_DOUBLE))
		return cel_double(args[0].real / args[1].real);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_modulo(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	if (operator_both(args, CEL_INT)) {
		if (args[1].integer == 0)
			return cel_fault(CEL_FAULT_MODULUS);
		if (args[0].integer == INT64_MIN && args[1].integer == -1)
			return cel_fault(CEL_FAULT_INT);
		return cel_int(args[0].integer % args[1].integer);
	}
	if (operator_both(args, CEL_UINT))
		return args[1].natural == 0 ? cel_fault(CEL_FAULT_MODULUS)
					    : cel_uint(args[0].natural % args[1].natural);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_negate(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	switch (args[0].kind) {
	case CEL_INT:
		return args[0].integer == INT64_MIN ? cel_fault(CEL_FAULT_INT)
						    : cel_int(-args[0].integer);
	case CEL_DOUBLE: return cel_double(-args[0].real);
	case CEL_DURATION:
		return args[0].integer == INT64_MIN ? cel_fault(CEL_FAULT_DURATION)
						    : cel_typed(CEL_DURATION, -args[0].integer, 0);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

struct cel_value cel_not(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return args[0].kind == CEL_BOOL ? cel_bool(!args[0].truth)
					: cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* Kubernetes' own values do not compare with others, while all others are merely unequal. */
static bool operator_is_apart(const struct cel_value *args)
{
	return args[0].kind >= CEL_QUANTITY && args[0].kind <= CEL_FORMAT &&
		args[0].kind != args[1].kind;
}

struct cel_value cel_is_equal(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (operator_is_apart(args))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(cel_equal(run, &args[0], &args[1]));
}

struct cel_value cel_is_unequal(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value equal = cel_is_equal(run, args, count);

	return equal.kind == CEL_BOOL ? cel_bool(!equal.truth) : equal;
}

static struct cel_value operator_order(
	const struct cel_value *args, bool less, bool same, bool more)
{
	switch (cel_compare(&args[0], &args[1])) {
	case CEL_LESS: return cel_bool(less);
	case CEL_SAME: return cel_bool(same);
	case CEL_MORE: return cel_bool(more);
	case CEL_UNORDERED: return cel_fault(CEL_FAULT_NAN);
	default: return cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
}

struct cel_value cel_is_less(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return operator_order(args, true, false, false);
}

struct cel_value cel_is_at_most(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return operator_order(args, true, true, false);
}

struct cel_value cel_is_more(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return operator_order(args, false, false, true);
}

struct cel_value cel_is_at_least(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return operator_order(args, false, true, true);
}

struct cel_value cel_in(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_value value;
	uint32_t size;

	(void)count;
	if (args[1].kind == CEL_MAP)
		return cel_bool(cel_find(run, &args[1], &args[0], &value));
	if (args[1].kind != CEL_LIST)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(&args[1]);
	if (!cel_work(run, size / 8))
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++) {
		value = cel_at(&args[1], i);
		if (cel_equal(run, &value, &args[0]))
			return cel_bool(true);
	}
	return cel_bool(false);
}
