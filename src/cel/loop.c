/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loops: all, exists, exists_one, map, filter and those with two variables.
 *
 * Upstream expands each to a general loop with an accumulator; what its parts cost there is charged
 * here: to read the accumulator 1, to look whether to go on 2 or 3, to append an element 13 in all.
 *
 * What an element leaves in memory goes back before the next one, where nothing can point there:
 * the result is a bool or holds elements of the range, no bound name was worked out meanwhile, and
 * no error is kept. So a long list costs no more memory than a short one.
 */
#include "cel/eval.h"

#include "cel/function.h"

struct loop {
	struct cel_run *run;
	const struct cel_node *node;
	const int32_t *kids;
	struct cel_value range;
	uint32_t count;
	bool pairs;
};

static void loop_step(struct loop *loop, uint32_t index)
{
	struct cel_value *locals = loop->run->locals;
	struct cel_value key = cel_int(index);
	struct cel_value value = CEL_VALUE_NULL;

	if (loop->range.kind == CEL_LIST)
		value = cel_at(&loop->range, index);
	else
		cel_entry_at(&loop->range, index, &key, &value);
	locals[loop->kids[CEL_LOOP_FIRST]] =
		loop->pairs || loop->range.kind == CEL_MAP ? key : value;
	if (loop->pairs)
		locals[loop->kids[CEL_LOOP_SECOND]] = value;
}

/* Takes back what the element left, if nothing can point there. */
static void loop_forget(struct loop *loop, struct scratch_mark mark, uint32_t lazy)
{
	if (loop->run->lazy == lazy && loop->run->stopped == 0)
		scratch_rewind(loop->run->scratch, mark);
}

/* all: ends with the first false; exists: with the first true. */
static struct cel_value loop_quantify(struct loop *loop, bool decides)
{
	struct cel_run *run = loop->run;
	struct cel_value kept = cel_bool(!decides);

	for (uint32_t i = 0; i < loop->count; i++) {
		struct scratch_mark mark = scratch_mark(run->scratch);
		uint32_t lazy = run->lazy;
		struct cel_value value;

		if (!cel_charge(run, decides ? 4 : 3))
			return cel_stopped(run);
		loop_step(loop, i);
		value = cel_node_value(run, loop->kids[CEL_LOOP_BODY]);
		if (run->stopped != 0)
			return cel_stopped(run);
		if (value.kind == CEL_BOOL && value.truth == decides) {
			/* The look that ends the loop, if there was more. */
			if (i + 1 < loop->count && !cel_charge(run, decides ? 3 : 2))
				return cel_stopped(run);
			return value;
		}
		if (value.kind == CEL_BOOL || kept.kind == CEL_ERROR)
			loop_forget(loop, mark, lazy);
		else
			kept = value.kind == CEL_ERROR ? value : cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
	return kept;
}

/* The condition as a bool; an error when it is none. */
static struct cel_value loop_condition(struct loop *loop, enum cel_loop_kid kid)
{
	struct cel_value value = cel_node_value(loop->run, loop->kids[kid]);

	if (value.kind == CEL_ERROR || value.kind == CEL_BOOL)
		return value;
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

static struct cel_value loop_exactly_one(struct loop *loop)
{
	struct cel_run *run = loop->run;
	uint32_t found = 0;

	for (uint32_t i = 0; i < loop->count; i++) {
		struct scratch_mark mark = scratch_mark(run->scratch);
		uint32_t lazy = run->lazy;
		struct cel_value value;

		loop_step(loop, i);
		value = loop_condition(loop, CEL_LOOP_BODY);
		if (value.kind == CEL_ERROR)
			return value;
		found += value.truth;
		if (!cel_work(run, 1) || !cel_charge(run, value.truth ? 2 : 0))
			return cel_stopped(run);
		loop_forget(loop, mark, lazy);
	}
	if (!cel_charge(run, 1)) /* and 1 that every loop's end charges */
		return cel_stopped(run);
	return cel_bool(found == 1);
}

/* Whether the element is wanted: an error, or a bool. */
static struct cel_value loop_wanted(struct loop *loop, bool keeps_memory)
{
	struct cel_run *run = loop->run;
	struct scratch_mark mark = scratch_mark(run->scratch);
	uint32_t lazy = run->lazy;
	struct cel_value value;

	if (!cel_work(run, 1))
		return cel_stopped(run);
	if (loop->kids[CEL_LOOP_CONDITION] == NODE_NONE)
		return cel_bool(true);
	value = loop_condition(loop, CEL_LOOP_CONDITION);
	if (value.kind == CEL_BOOL && !keeps_memory)
		loop_forget(loop, mark, lazy);
	return value;
}

static struct cel_value loop_list(struct loop *loop)
{
	struct cel_run *run = loop->run;
	bool filters = loop->node->number == CEL_LOOP_FILTER;
	struct cel_value *items = cel_take(run, loop->count, sizeof(*items));
	uint32_t count = 0;

	if (run->stopped != 0)
		return cel_stopped(run);
	for (uint32_t i = 0; i < loop->count; i++) {
		struct cel_value value;

		loop_step(loop, i);
		value = loop_wanted(loop, false);
		if (value.kind == CEL_ERROR)
			return value;
		if (!value.truth)
			continue;
		/* A list of one constant is one to upstream. */
		if (!cel_charge(run,
			    !filters &&
					    run->program->nodes[loop->kids[CEL_LOOP_BODY]].op ==
						    CEL_OP_CONSTANT
				    ? 2
				    : filters ? 13
					      : 12))
			return cel_stopped(run);
		value = filters ? run->locals[loop->kids[CEL_LOOP_FIRST]]
				: cel_node_value(run, loop->kids[CEL_LOOP_BODY]);
		if (value.kind == CEL_ERROR)
			return value;
		items[count++] = value;
	}
	return cel_list_of(items, count);
}

/* Inserts all entries of a map that was made for one element. */
static struct cel_value loop_insert(struct loop *loop, struct cel_map *map, struct cel_value value)
{
	struct cel_run *run = loop->run;
	struct cel_value put = CEL_VALUE_NULL;
	struct cel_value key = run->locals[loop->kids[CEL_LOOP_FIRST]];
	struct cel_value inner = value;
	uint32_t count = 1;

	if (loop->node->number == CEL_LOOP_ENTRIES) {
		if (value.kind != CEL_MAP)
			return cel_fault(CEL_FAULT_NO_OVERLOAD);
		count = cel_size(&value);
	}
	for (uint32_t i = 0; i < count && put.kind != CEL_ERROR; i++) {
		if (loop->node->number == CEL_LOOP_ENTRIES)
			cel_entry_at(&value, i, &key, &inner);
		if (map->count == map->max)
			put = cel_map_grow(run, map);
		if (put.kind != CEL_ERROR)
			put = cel_map_put(run, map, key, inner);
	}
	if (put.kind == CEL_ERROR && put.fault == CEL_FAULT_NO_KEY) {
		char text[100];
		struct writer out;

		writer_init(&out, text, sizeof(text));
		cel_print_plain(&key, &out);
		return cel_fault_text(run, "insert failed: key %.*s already exists",
			TEXT_ARGS(writer_text(&out)));
	}
	return put;
}

static struct cel_value loop_map(struct loop *loop)
{
	struct cel_run *run = loop->run;
	struct cel_map *map;
	struct cel_value result = cel_map_init(run, loop->count, &map);

	for (uint32_t i = 0; i < loop->count && result.kind != CEL_ERROR; i++) {
		struct cel_value value;

		loop_step(loop, i);
		value = loop_wanted(loop, false);
		if (value.kind == CEL_ERROR)
			return value;
		if (!value.truth)
			continue;
		if (!cel_charge(run, loop->node->number == CEL_LOOP_MAP ? 3 : 2))
			return cel_stopped(run);
		value = cel_node_value(run, loop->kids[CEL_LOOP_BODY]);
		if (value.kind == CEL_ERROR)
			return value;
		value = loop_insert(loop, map, value);
		if (value.kind == CEL_ERROR)
			return value;
	}
	return result;
}

struct cel_value cel_loop_value(struct cel_run *run, const struct cel_node *node)
{
	struct loop loop = {.run = run,
		.node = node,
		.kids = run->program->kids + node->first,
		.pairs = (node->flags & CEL_FLAG_PAIRS) != 0};
	struct cel_value value;

	loop.range = cel_node_value(run, loop.kids[CEL_LOOP_RANGE]);
	if (loop.range.kind == CEL_ERROR)
		return loop.range;
	if (loop.range.kind != CEL_LIST && loop.range.kind != CEL_MAP)
		return cel_fault_text(
			run, "got '%s', expected iterable type", cel_kind_name(loop.range.kind).at);
	loop.count = cel_size(&loop.range);
	switch ((enum cel_loop)node->number) {
	case CEL_LOOP_ALL: value = loop_quantify(&loop, false); break;
	case CEL_LOOP_EXISTS: value = loop_quantify(&loop, true); break;
	case CEL_LOOP_EXISTS_ONE: value = loop_exactly_one(&loop); break;
	case CEL_LOOP_LIST:
	case CEL_LOOP_FILTER: value = loop_list(&loop); break;
	default: value = loop_map(&loop); break;
	}
	if (!cel_charge(run, 1))
		return cel_stopped(run);
	return value;
}
