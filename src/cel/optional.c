/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Optional values. or() and orValue() are the evaluator's, since they may not look at what follows.
 */
#include "cel/function.h"

struct cel_value cel_optional_of(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return cel_new_optional(run, &args[0]);
}

static bool optional_is_zero(const struct cel_value *v)
{
	switch (v->kind) {
	case CEL_NULL: return true;
	case CEL_BOOL: return !v->truth;
	case CEL_INT:
	case CEL_UINT:
	case CEL_DURATION: return v->integer == 0;
	case CEL_DOUBLE: return v->real == 0;
	case CEL_STRING:
	case CEL_BYTES: return v->size == 0;
	case CEL_LIST:
	case CEL_MAP: return cel_size(v) == 0;
	case CEL_OPTIONAL: return v->items == NULL;
	default: return false;
	}
}

struct cel_value cel_optional_of_non_zero(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return cel_new_optional(run, optional_is_zero(&args[0]) ? NULL : &args[0]);
}

struct cel_value cel_optional_none(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)args;
	(void)count;
	return cel_new_optional(run, NULL);
}

struct cel_value cel_has_value(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	return args[0].kind == CEL_OPTIONAL ? cel_bool(args[0].items != NULL)
					    : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_value_of(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)count;
	if (args[0].kind != CEL_OPTIONAL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return args[0].items == NULL ? cel_fault(CEL_FAULT_NO_VALUE) : *args[0].items;
}

struct cel_value cel_or(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)run;
	(void)args;
	(void)count;
	CHECK_NEVER("the evaluator does it");
}

struct cel_value cel_or_value(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	return cel_or(run, args, count);
}

struct cel_value cel_unwrap(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	uint32_t size = args[0].kind == CEL_LIST ? cel_size(&args[0]) : 0;
	struct cel_value *items = cel_take(run, size, sizeof(*items));
	uint32_t kept = 0;

	(void)count;
	if (args[0].kind != CEL_LIST)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (run->stopped != 0)
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++) {
		struct cel_value item = cel_at(&args[0], i);

		if (item.kind != CEL_OPTIONAL)
			return cel_fault_text(run, "value is not optional");
		if (item.items != NULL)
			items[kept++] = *item.items;
	}
	return cel_list_of(items, kept);
}
