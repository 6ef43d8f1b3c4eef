/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of quantities and versions.
 */
#include "cel/function.h"
#include "cel/semver.h"

enum { VERSION_MAX = 512, REASON_MAX = 512 };

/* ---- quantities ---- */

static struct cel_value amount_value(struct cel_run *run, const struct quantity *q)
{
	struct quantity *copy = cel_take(run, 1, sizeof(*copy));

	if (copy == NULL)
		return cel_stopped(run);
	*copy = *q;
	return cel_quantity(copy);
}

struct cel_value cel_new_quantity(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct quantity q;
	enum quantity_result result;

	(void)count;
	if (args[0].kind != CEL_STRING)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	result = quantity_parse(cel_text(&args[0]), &q);
	return result == QUANTITY_OK ? amount_value(run, &q)
				     : cel_fault_text(run, "%s", quantity_error(result));
}

struct cel_value cel_is_quantity(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct quantity q;

	(void)run;
	(void)count;
	return args[0].kind == CEL_STRING
		? cel_bool(quantity_parse(cel_text(&args[0]), &q) == QUANTITY_OK)
		: cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_sign(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct quantity zero = quantity_zero();

	(void)run;
	(void)count;
	return args[0].kind == CEL_QUANTITY ? cel_int(quantity_compare(args[0].quantity, &zero))
					    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* As an int64 of whole units, when the quantity is held as one. */
static bool amount_is_whole(const struct quantity *q, int64_t *value)
{
	*value = q->value;
	if (q->is_big || q->scale < 0)
		return false;
	for (int32_t i = 0; i < q->scale && *value != 0; i++)
		if (__builtin_mul_overflow(*value, 10, value))
			return false;
	return true;
}

struct cel_value cel_is_integer(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t value;

	(void)run;
	(void)count;
	return args[0].kind == CEL_QUANTITY ? cel_bool(amount_is_whole(args[0].quantity, &value))
					    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_as_integer(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t value;

	(void)count;
	if (args[0].kind != CEL_QUANTITY)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return amount_is_whole(args[0].quantity, &value)
		? cel_int(value)
		: cel_fault_text(run, "cannot convert value to integer");
}

struct cel_value cel_approximate(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return args[0].kind == CEL_QUANTITY ? cel_double(quantity_approximate(args[0].quantity))
					    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

static struct cel_value amount_sum(struct cel_run *run, const struct cel_value *args, bool minus)
{
	struct quantity sum;
	struct quantity other;

	if (args[0].kind != CEL_QUANTITY ||
		(args[1].kind != CEL_QUANTITY && args[1].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	sum = *args[0].quantity;
	other = args[1].kind == CEL_INT ? quantity_of(args[1].integer, 0) : *args[1].quantity;
	if (args[1].kind == CEL_INT)
		other.format = QUANTITY_DECIMAL_EXPONENT;
	if (minus)
		quantity_negate(&other);
	quantity_add(&sum, &other);
	return quantity_is_storable(&sum)
		? amount_value(run, &sum)
		: cel_fault_text(run, "%s", quantity_error(QUANTITY_TOO_LONG));
}

struct cel_value cel_plus(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return amount_sum(run, args, false);
}

struct cel_value cel_minus(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return amount_sum(run, args, true);
}

/* ---- both ---- */

static bool amount_order(const struct cel_value *args, int *order)
{
	if (args[0].kind != args[1].kind)
		return false;
	if (args[0].kind == CEL_QUANTITY)
		*order = quantity_compare(args[0].quantity, args[1].quantity);
	else if (args[0].kind == CEL_SEMVER)
		*order = cel_semver_compare(args[0].semver, args[1].semver);
	else
		return false;
	return true;
}

struct cel_value cel_is_greater(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int order;

	(void)run;
	(void)count;
	return amount_order(args, &order) ? cel_bool(order > 0) : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_is_lower(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int order;

	(void)run;
	(void)count;
	return amount_order(args, &order) ? cel_bool(order < 0) : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_compare_to(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int order;

	(void)run;
	(void)count;
	return amount_order(args, &order) ? cel_int(order) : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* ---- versions ---- */

static bool amount_version_args(const struct cel_value *args, uint32_t count)
{
	return args[0].kind == CEL_STRING && (count == 1 || args[1].kind == CEL_BOOL);
}

/* NULL, or what is wrong; the text is the run's own when it was normalized. */
static const char *amount_version(struct cel_run *run, const struct cel_value *args, uint32_t count,
	struct cel_semver *semver, struct text *part)
{
	struct text text = cel_text(&args[0]);
	char normal[VERSION_MAX];
	struct writer out;
	struct cel_value copy;

	if (count == 1 || !args[1].truth)
		return cel_semver_parse(text, semver, part);
	*part = TEXT_NONE;
	writer_init(&out, normal, sizeof(normal));
	if (!cel_semver_normalize(text, &out))
		return "short version cannot contain PreRelease/Build meta data";
	copy = cel_new_string(run, writer_text(&out));
	if (copy.kind == CEL_ERROR)
		return "out of memory";
	return cel_semver_parse(cel_text(&copy), semver, part);
}

struct cel_value cel_new_semver(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_semver *semver;
	struct text part;
	const char *error;
	char reason[REASON_MAX];
	struct writer out;

	if (!amount_version_args(args, count))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	semver = cel_take(run, 1, sizeof(*semver));
	if (semver == NULL)
		return cel_stopped(run);
	error = amount_version(run, args, count, semver, &part);
	if (error == NULL)
		return (struct cel_value){.kind = CEL_SEMVER, .semver = semver};
	writer_init(&out, reason, sizeof(reason));
	cel_write_reason(&out, error, part);
	return cel_fault_text(run, "%.*s", TEXT_ARGS(writer_text(&out)));
}

struct cel_value cel_is_semver(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	struct cel_semver semver;
	struct text part;

	if (!amount_version_args(args, count))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return cel_bool(amount_version(run, args, count, &semver, &part) == NULL);
}

static struct cel_value amount_part(const struct cel_value *v, uint32_t number)
{
	return v->kind == CEL_SEMVER ? cel_int((int64_t)v->semver->number[number])
				     : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_major(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return amount_part(&args[0], 0);
}

struct cel_value cel_minor(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return amount_part(&args[0], 1);
}

struct cel_value cel_patch(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return amount_part(&args[0], 2);
}
