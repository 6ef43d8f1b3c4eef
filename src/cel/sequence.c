/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of lists and sets.
 */
#include "cel/function.h"

static bool sequence_is_list(const struct cel_value *v)
{
	return v->kind == CEL_LIST;
}

static struct cel_value *sequence_take(struct cel_run *run, uint64_t count)
{
	return cel_take(run, count, sizeof(struct cel_value));
}

/* Looks at pairs of elements: work that costs units can stay behind. */
static bool sequence_work(struct cel_run *run, uint64_t a, uint64_t b)
{
	return cel_work(run, a * b / 8 + 1);
}

struct cel_value cel_is_sorted(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	uint32_t size;

	(void)run;
	(void)count;
	if (!sequence_is_list(&args[0]))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(&args[0]);
	for (uint32_t i = 1; i < size; i++) {
		struct cel_value before = cel_at(&args[0], i - 1);
		struct cel_value after = cel_at(&args[0], i);
		enum cel_order order = cel_compare(&before, &after);

		if (order == CEL_INCOMPARABLE)
			return cel_fault(CEL_FAULT_NO_OVERLOAD);
		if (order == CEL_MORE)
			return cel_bool(false);
	}
	return cel_bool(true);
}

static struct cel_value sequence_sum(
	struct cel_run *run, const struct cel_value *list, struct cel_value zero)
{
	struct cel_value pair[2] = {zero, zero};
	uint32_t size;

	if (!sequence_is_list(list))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(list);
	for (uint32_t i = 0; i < size && pair[0].kind != CEL_ERROR; i++) {
		pair[1] = cel_at(list, i);
		/* Where the checker knew nothing, the first element says what is summed up. */
		if (i == 0 && pair[1].kind != zero.kind && cel_is_number(&pair[1]))
			pair[0] = (struct cel_value){.kind = pair[1].kind};
		pair[0] = cel_add(run, pair, 2);
	}
	return pair[0];
}

#define SUM_FUNCTION(name, zero)                                                                 \
	struct cel_value name(struct cel_run *run, const struct cel_value *args, uint32_t count) \
	{                                                                                        \
		CHECK(count == 1);                                                               \
		return sequence_sum(run, &args[0], zero);                                        \
	}
SUM_FUNCTION(cel_sum_ints, cel_int(0))
SUM_FUNCTION(cel_sum_uints, cel_uint(0))
SUM_FUNCTION(cel_sum_doubles, cel_double(0))
SUM_FUNCTION(cel_sum_durations, cel_typed(CEL_DURATION, 0, 0))

static struct cel_value sequence_extreme(
	struct cel_run *run, const struct cel_value *list, enum cel_order worse, const char *name)
{
	struct cel_value best;
	uint32_t size;

	if (!sequence_is_list(list))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(list);
	if (size == 0)
		return cel_fault_text(run, "%s called on empty list", name);
	best = cel_at(list, 0);
	for (uint32_t i = 1; i < size; i++) {
		struct cel_value next = cel_at(list, i);
		enum cel_order order = cel_compare(&best, &next);

		if (order == CEL_INCOMPARABLE)
			return cel_fault(CEL_FAULT_NO_OVERLOAD);
		if (order == worse)
			best = next;
	}
	return best;
}

struct cel_value cel_min(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return sequence_extreme(run, &args[0], CEL_MORE, "min");
}

struct cel_value cel_max(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return sequence_extreme(run, &args[0], CEL_LESS, "max");
}

static bool sequence_holds(
	struct cel_run *run, const struct cel_value *list, const struct cel_value *item)
{
	uint32_t size = cel_size(list);

	for (uint32_t i = 0; i < size; i++) {
		struct cel_value other = cel_at(list, i);

		if (cel_equal(run, &other, item))
			return true;
	}
	return false;
}

struct cel_value cel_includes(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (!sequence_is_list(&args[0]))
		return cel_bool(cel_equal(run, &args[0], &args[1]));
	if (!cel_work(run, cel_size(&args[0]) / 8))
		return cel_stopped(run);
	return cel_bool(sequence_holds(run, &args[0], &args[1]));
}

struct cel_value cel_slice(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t start = args[1].integer;
	int64_t end = args[2].integer;
	struct cel_value *items;
	uint32_t size;

	(void)count;
	if (!sequence_is_list(&args[0]) || args[1].kind != CEL_INT || args[2].kind != CEL_INT)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	size = cel_size(&args[0]);
	if (start < 0 || end < 0)
		return cel_fault_text(run,
			"cannot slice(%lld, %lld), negative indexes not supported",
			(long long)start, (long long)end);
	if (start > end)
		return cel_fault_text(run,
			"cannot slice(%lld, %lld), start index must be less than or equal to end "
			"index",
			(long long)start, (long long)end);
	if (end > size)
		return cel_fault_text(run, "cannot slice(%lld, %lld), list is length %u",
			(long long)start, (long long)end, (unsigned)size);
	if (args[0].host == NULL)
		return cel_list_of(args[0].items + start, (uint32_t)(end - start));
	items = sequence_take(run, (uint64_t)(end - start));
	if (items == NULL)
		return cel_stopped(run);
	for (int64_t i = start; i < end; i++)
		items[i - start] = cel_at(&args[0], (uint32_t)i);
	return cel_list_of(items, (uint32_t)(end - start));
}

/* Counts what flattening gives, or writes it; false when the run stopped. */
static bool sequence_flatten(struct cel_run *run, const struct cel_value *list, int64_t depth,
	struct cel_value *items, uint64_t *count)
{
	uint32_t size = cel_size(list);
	bool fits = run->depth < CEL_STACK_MAX && cel_work(run, size + 1);

	if (!fits && run->stopped == 0)
		run->stopped = CEL_FAULT_COST;
	run->depth++;
	for (uint32_t i = 0; i < size && fits; i++) {
		struct cel_value item = cel_at(list, i);

		if (depth > 0 && item.kind == CEL_LIST) {
			fits = sequence_flatten(run, &item, depth - 1, items, count);
		} else {
			if (items != NULL)
				items[*count] = item;
			(*count)++;
		}
	}
	run->depth--;
	return fits;
}

struct cel_value cel_flatten(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t depth = count == 2 ? args[1].integer : 1;
	struct cel_value *items;
	uint64_t size = 0;

	if (!sequence_is_list(&args[0]) || (count == 2 && args[1].kind != CEL_INT))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (depth < 0)
		return cel_fault_text(run, "level must be non-negative");
	if (!sequence_flatten(run, &args[0], depth, NULL, &size))
		return cel_stopped(run);
	items = sequence_take(run, size);
	size = 0;
	if (items == NULL || !sequence_flatten(run, &args[0], depth, items, &size))
		return cel_stopped(run);
	return cel_list_of(items, (uint32_t)size);
}

struct cel_value cel_range(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	int64_t size = args[0].integer < 0 ? 0 : args[0].integer;
	struct cel_value *items;

	(void)count;
	if (args[0].kind != CEL_INT)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (size > UINT32_MAX) {
		run->stopped = CEL_FAULT_COST;
		return cel_stopped(run);
	}
	items = sequence_take(run, (uint64_t)size);
	if (items == NULL)
		return cel_stopped(run);
	for (int64_t i = 0; i < size; i++)
		items[i] = cel_int(i);
	return cel_list_of(items, (uint32_t)size);
}

struct cel_value cel_reverse(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	uint32_t size = sequence_is_list(&args[0]) ? cel_size(&args[0]) : 0;
	struct cel_value *items = sequence_take(run, size);

	(void)count;
	if (!sequence_is_list(&args[0]))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (items == NULL)
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++)
		items[i] = cel_at(&args[0], size - 1 - i);
	return cel_list_of(items, size);
}

struct cel_value cel_distinct(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	uint32_t size = sequence_is_list(&args[0]) ? cel_size(&args[0]) : 0;
	struct cel_value *items = sequence_take(run, size);
	struct cel_value kept = cel_list_of(items, 0);

	(void)count;
	if (!sequence_is_list(&args[0]))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (items == NULL || !sequence_work(run, size, size))
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++) {
		struct cel_value item = cel_at(&args[0], i);

		if (!sequence_holds(run, &kept, &item))
			items[kept.size++] = item;
	}
	return kept;
}

/* ---- sorting ---- */

/* Merges runs of indexes; equal keys stay in their order. */
static void sequence_merge(const struct cel_value *keys, const uint32_t *from, uint32_t *to,
	uint32_t size, uint32_t width)
{
	for (uint32_t begin = 0; begin < size; begin += 2 * width) {
		uint32_t middle = begin + width < size ? begin + width : size;
		uint32_t end = middle + width < size ? middle + width : size;
		uint32_t a = begin;
		uint32_t b = middle;

		for (uint32_t i = begin; i < end; i++) {
			bool second = a == middle ||
				(b < end &&
					cel_compare(&keys[from[b]], &keys[from[a]]) == CEL_LESS);

			to[i] = second ? from[b++] : from[a++];
		}
	}
}

static struct cel_value sequence_sort(
	struct cel_run *run, const struct cel_value *list, const struct cel_value *by)
{
	uint32_t size = cel_size(list);
	struct cel_value *keys = sequence_take(run, size);
	struct cel_value *items = sequence_take(run, size);
	uint32_t *from = cel_take(run, size, sizeof(*from));
	uint32_t *to = cel_take(run, size, sizeof(*to));

	if (to == NULL || run->stopped != 0)
		return cel_stopped(run);
	for (uint32_t i = 0; i < size; i++) {
		keys[i] = cel_at(by, i);
		from[i] = i;
		if (cel_compare(&keys[i], &keys[i]) == CEL_INCOMPARABLE)
			return cel_fault_text(run, "list elements must be comparable");
		if (keys[i].kind != keys[0].kind)
			return cel_fault_text(run, "list elements must have the same type");
	}
	for (uint32_t width = 1; width < size; width *= 2) {
		uint32_t *old = from;

		sequence_merge(keys, from, to, size, width);
		from = to;
		to = old;
	}
	for (uint32_t i = 0; i < size; i++)
		items[i] = cel_at(list, from[i]);
	return cel_list_of(items, size);
}

struct cel_value cel_sort(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return sequence_is_list(&args[0]) ? sequence_sort(run, &args[0], &args[0])
					  : cel_fault(CEL_FAULT_NO_OVERLOAD);
}

struct cel_value cel_sort_by(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (!sequence_is_list(&args[0]) || !sequence_is_list(&args[1]) ||
		cel_size(&args[0]) != cel_size(&args[1]))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return sequence_sort(run, &args[0], &args[1]);
}

static struct cel_value end_of_list(struct cel_run *run, const struct cel_value *list, bool last)
{
	struct cel_value item;

	if (!sequence_is_list(list))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (cel_size(list) == 0)
		return cel_new_optional(run, NULL);
	item = cel_at(list, last ? cel_size(list) - 1 : 0);
	return cel_new_optional(run, &item);
}

struct cel_value cel_first(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return end_of_list(run, &args[0], false);
}

struct cel_value cel_last(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	return end_of_list(run, &args[0], true);
}

/* ---- sets ---- */

/* Whether `set` holds all of `part`, or any of it. */
static bool sequence_covers(
	struct cel_run *run, const struct cel_value *set, const struct cel_value *part, bool any)
{
	uint32_t size = cel_size(part);

	for (uint32_t i = 0; i < size; i++) {
		struct cel_value item = cel_at(part, i);

		if (sequence_holds(run, set, &item) == any)
			return any;
	}
	return !any;
}

static bool sequence_are_sets(const struct cel_value *args)
{
	return sequence_is_list(&args[0]) && sequence_is_list(&args[1]);
}

struct cel_value cel_set_contains(struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (!sequence_are_sets(args))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!sequence_work(run, cel_size(&args[0]), cel_size(&args[1])))
		return cel_stopped(run);
	return cel_bool(sequence_covers(run, &args[0], &args[1], false));
}

struct cel_value cel_set_equivalent(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (!sequence_are_sets(args))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!sequence_work(run, cel_size(&args[0]), cel_size(&args[1])))
		return cel_stopped(run);
	return cel_bool(sequence_covers(run, &args[0], &args[1], false) &&
		sequence_covers(run, &args[1], &args[0], false));
}

struct cel_value cel_set_intersects(
	struct cel_run *run, const struct cel_value *args, uint32_t count)
{
	(void)count;
	if (!sequence_are_sets(args))
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (!sequence_work(run, cel_size(&args[0]), cel_size(&args[1])))
		return cel_stopped(run);
	return cel_bool(sequence_covers(run, &args[1], &args[0], true));
}
