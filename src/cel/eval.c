/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evaluation: a walk over the tree. Errors are values that most operators hand on; && and || may
 * absorb them, and so do loops that end in one of these.
 *
 * Upstream charges a name 1 where it is evaluated, but nothing where it only is the way to
 * something else (an index, a branch of a choice): hence two ways to look at a node. Each selection
 * costs 1, and one more when what it selects from is no name.
 */
#include "cel/eval.h"

#include "cel/function.h"

enum { EVAL_ARGS_MAX = CEL_DEPTH_MAX, WORK_PER_COST = 64 };

enum eval_way { EVAL_VALUE, EVAL_THROUGH };

static struct cel_value eval_node(struct cel_run *run, int32_t number, enum eval_way way);

bool cel_charge(struct cel_run *run, uint64_t cost)
{
	if (run->stopped != 0)
		return false;
	run->cost += cost;
	if (run->cost <= run->cost_max)
		return true;
	run->stopped = CEL_FAULT_COST;
	return false;
}

static int32_t eval_kid(const struct cel_run *run, const struct cel_node *node, int32_t number)
{
	return run->program->kids[node->first + number];
}

/* A name that is bound is worked out when it is first asked for. */
static struct cel_value eval_local(struct cel_run *run, uint16_t slot)
{
	struct cel_value value = run->locals[slot];

	if (value.kind != CEL_LAZY)
		return value;
	value = eval_node(run, (int32_t)value.integer, EVAL_VALUE);
	run->locals[slot] = value;
	run->lazy++;
	return value;
}

/* ---- selection ---- */

/* The list's element; an error when there is none, CEL_LAZY when that is no error here. */
static struct cel_value eval_element(struct cel_run *run, const struct cel_value *list,
	const struct cel_value *index, bool maybe)
{
	struct cel_value whole = *index;
	uint32_t count = cel_size(list);

	if (index->kind == CEL_DOUBLE) {
		if (!(index->real >= -9e18 && index->real <= 9e18) ||
			(double)(int64_t)index->real != index->real) {
			char text[40];
			struct writer out;

			writer_init(&out, text, sizeof(text));
			cel_print(index, &out);
			return cel_fault_text(run, "unsupported index value %.*s in list",
				TEXT_ARGS(writer_text(&out)));
		}
		whole = cel_int((int64_t)index->real);
	} else if (index->kind != CEL_INT && index->kind != CEL_UINT) {
		return cel_fault_text(
			run, "unsupported index type '%s' in list", cel_kind_name(index->kind).at);
	}
	if (whole.natural < count && (whole.kind == CEL_UINT || whole.integer >= 0))
		return cel_at(list, (uint32_t)whole.natural);
	return maybe ? cel_typed(CEL_LAZY, 0, 0) : cel_fault_about(CEL_FAULT_NO_INDEX, *index);
}

/* What `key` selects from `from`; CEL_LAZY when it is not there and `maybe`. */
static struct cel_value eval_select(
	struct cel_run *run, const struct cel_value *from, const struct cel_value *key, bool maybe)
{
	struct cel_value value;

	if (from->kind == CEL_MAP) {
		if (cel_find(run, from, key, &value))
			return value;
		if (run->stopped != 0)
			return cel_stopped(run);
		return maybe ? cel_typed(CEL_LAZY, 0, 0) : cel_fault_about(CEL_FAULT_NO_KEY, *key);
	}
	if (from->kind == CEL_LIST)
		return eval_element(run, from, key, maybe);
	if (maybe)
		return cel_typed(CEL_LAZY, 0, 0);
	return cel_fault(CEL_FAULT_NO_OVERLOAD);
}

/* Selection from an optional, or an optional one: gives an optional. */
static struct cel_value eval_select_optional(
	struct cel_run *run, const struct cel_value *from, const struct cel_value *key)
{
	struct cel_value value = *from;

	if (from->kind == CEL_OPTIONAL) {
		if (from->items == NULL)
			return *from;
		value = *from->items;
	}
	value = eval_select(run, &value, key, true);
	if (value.kind == CEL_ERROR)
		return value;
	return cel_new_optional(run, value.kind == CEL_LAZY ? NULL : &value);
}

/* Whether what is selected from is the way on, in upstream's sense: a name, a chain, a choice. */
static bool eval_is_way(const struct cel_node *node)
{
	return node->op == CEL_OP_VARIABLE || node->op == CEL_OP_LOCAL ||
		node->op == CEL_OP_SELECT || node->op == CEL_OP_INDEX || node->op == CEL_OP_CHOICE;
}

static struct cel_value eval_selected(struct cel_run *run, const struct cel_node *node,
	const struct cel_value *from, const struct cel_value *key)
{
	struct cel_value value;

	if ((node->flags & CEL_FLAG_TEST) != 0) {
		value = *from;
		if (value.kind == CEL_OPTIONAL) {
			if (value.items == NULL)
				return cel_bool(false);
			value = *value.items;
		}
		value = eval_select(run, &value, key, true);
		return value.kind == CEL_ERROR ? value : cel_bool(value.kind != CEL_LAZY);
	}
	if ((node->flags & CEL_FLAG_OPTIONAL) != 0 || from->kind == CEL_OPTIONAL)
		return eval_select_optional(run, from, key);
	return eval_select(run, from, key, false);
}

static struct cel_value eval_selection(
	struct cel_run *run, const struct cel_node *node, enum eval_way way)
{
	int32_t operand = eval_kid(run, node, 0);
	const struct cel_node *of = &run->program->nodes[operand];
	struct cel_value from;
	struct cel_value key;
	bool test = (node->flags & CEL_FLAG_TEST) != 0;

	from = eval_node(run, operand, test ? EVAL_VALUE : eval_is_way(of) ? way : EVAL_VALUE);
	if (from.kind == CEL_ERROR)
		return from;
	if (node->op == CEL_OP_SELECT) {
		key = run->program->constants[node->count];
	} else {
		key = eval_node(run, eval_kid(run, node, 1), EVAL_THROUGH);
		if (key.kind == CEL_ERROR)
			return key;
	}
	if (!test && !cel_charge(run, 1 + (!eval_is_way(of) && way == EVAL_VALUE)))
		return cel_stopped(run);
	return eval_selected(run, node, &from, &key);
}

/* ---- logic ---- */

static struct cel_value eval_logic(struct cel_run *run, const struct cel_node *node)
{
	bool decides = node->op == CEL_OP_OR;
	struct cel_value error = cel_bool(!decides);

	for (int32_t i = 0; i < node->count; i++) {
		struct cel_value value = eval_node(run, eval_kid(run, node, i), EVAL_VALUE);

		if (run->stopped != 0)
			return cel_stopped(run);
		if (value.kind == CEL_BOOL && value.truth == decides)
			return value;
		if (value.kind != CEL_BOOL && error.kind == CEL_BOOL)
			error = value.kind == CEL_ERROR ? value : cel_fault(CEL_FAULT_NO_OVERLOAD);
	}
	return error;
}

static struct cel_value eval_choice(struct cel_run *run, const struct cel_node *node)
{
	struct cel_value condition = eval_node(run, eval_kid(run, node, 0), EVAL_VALUE);

	if (condition.kind == CEL_ERROR)
		return condition;
	if (condition.kind != CEL_BOOL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	return eval_node(run, eval_kid(run, node, condition.truth ? 1 : 2), EVAL_THROUGH);
}

/* ---- calls ---- */

/* Upstream names the function, and the arguments' types when it looked at those only. */
static struct cel_value eval_no_overload(struct cel_run *run, const struct cel_function *f,
	const struct cel_value *args, uint32_t count)
{
	char text[200];
	struct writer out;

	if (f->name[0] == '_' || f->name[0] == '@' || f->name[0] == '!' || f->name[0] == '-')
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	writer_init(&out, text, sizeof(text));
	for (uint32_t i = 0; i < count; i++) {
		write_z(&out, i == 0 ? "" : ", ");
		write_text(&out, cel_kind_name(args[i].kind));
	}
	return cel_fault_text(
		run, "no such overload: %s(%.*s)", f->name, TEXT_ARGS(writer_text(&out)));
}

/* optional.or(x) and optional.orValue(x) do not look at x unless they need it. */
static struct cel_value eval_or(struct cel_run *run, const struct cel_node *node, bool unwraps)
{
	struct cel_value value = eval_node(run, eval_kid(run, node, 0), EVAL_VALUE);

	if (value.kind == CEL_ERROR)
		return value;
	if (value.kind != CEL_OPTIONAL)
		return cel_fault(CEL_FAULT_NO_OVERLOAD);
	if (value.items == NULL)
		return eval_node(run, eval_kid(run, node, 1), EVAL_VALUE);
	return unwraps ? *value.items : value;
}

/* x in [constants] is free: upstream makes a set of these. */
static bool eval_is_free(const struct cel_run *run, const struct cel_node *node,
	const struct cel_function *f, const struct cel_value *args)
{
	return f->overloads[0] == CEL_COST_IN && args[1].kind == CEL_LIST &&
		run->program->nodes[eval_kid(run, node, 1)].op == CEL_OP_CONSTANT;
}

static struct cel_value eval_call(struct cel_run *run, const struct cel_node *node)
{
	const struct cel_function *f = cel_function_at(node->number);
	struct cel_value args[5];
	struct cel_value result;
	uint32_t count = (uint32_t)node->count;

	if (f->call == cel_or || f->call == cel_or_value)
		return eval_or(run, node, f->call == cel_or_value);
	CHECK(count <= ARRAY_COUNT(args));
	for (uint32_t i = 0; i < count; i++) {
		args[i] = eval_node(run, eval_kid(run, node, (int32_t)i), EVAL_VALUE);
		if (args[i].kind == CEL_ERROR)
			return args[i];
	}
	run->regex = (node->flags & CEL_FLAG_REGEX) != 0
		? run->program->constants[eval_kid(run, node, node->count)].self
		: NULL;
	result = f->call(run, args, count);
	if (run->stopped != 0)
		return cel_stopped(run);
	if (!eval_is_free(run, node, f, args) &&
		!cel_charge(run, cel_call_cost(run, f, args, count, &result)))
		return cel_stopped(run);
	if (result.kind == CEL_ERROR && result.fault == CEL_FAULT_NO_OVERLOAD)
		return eval_no_overload(run, f, args, count);
	return result;
}

/* ---- lists and maps ---- */

/* An element, or what ?x holds: CEL_LAZY when that is nothing. */
static struct cel_value eval_element_of(struct cel_run *run, int32_t kid, bool *maybe)
{
	const struct cel_node *node = &run->program->nodes[kid];
	struct cel_value value;

	*maybe = node->op == CEL_OP_MAYBE;
	value = eval_node(run, *maybe ? eval_kid(run, node, 0) : kid, EVAL_VALUE);
	if (!*maybe || value.kind == CEL_ERROR)
		return value;
	if (value.kind == CEL_OPTIONAL)
		return value.items == NULL ? cel_typed(CEL_LAZY, 0, 0) : *value.items;
	return cel_fault_text(
		run, "cannot initialize optional list element from non-optional value");
}

static struct cel_value eval_list(struct cel_run *run, const struct cel_node *node)
{
	struct cel_value *items = cel_take(run, (uint64_t)node->count, sizeof(*items));
	uint32_t count = 0;
	bool maybe;

	if (items == NULL && run->stopped != 0)
		return cel_stopped(run);
	for (int32_t i = 0; i < node->count; i++) {
		struct cel_value value = eval_element_of(run, eval_kid(run, node, i), &maybe);

		if (value.kind == CEL_ERROR)
			return value;
		if (value.kind != CEL_LAZY)
			items[count++] = value;
	}
	if (!cel_charge(run, 10))
		return cel_stopped(run);
	return cel_list_of(items, count);
}

static struct cel_value eval_map(struct cel_run *run, const struct cel_node *node)
{
	struct cel_map *map;
	struct cel_value result = cel_map_init(run, (uint32_t)node->count / 2, &map);
	bool maybe;

	for (int32_t i = 0; i < node->count && result.kind == CEL_MAP; i += 2) {
		struct cel_value key = eval_node(run, eval_kid(run, node, i), EVAL_VALUE);
		struct cel_value value;
		struct cel_value put = CEL_VALUE_NULL;

		if (key.kind == CEL_ERROR)
			return key;
		value = eval_element_of(run, eval_kid(run, node, i + 1), &maybe);
		if (value.kind == CEL_ERROR)
			return value;
		if (value.kind != CEL_LAZY)
			put = cel_map_put(run, map, key, value);
		/* Of two entries with one key the later one counts. */
		if (put.kind == CEL_ERROR && put.fault == CEL_FAULT_NO_KEY)
			put = cel_map_replace(run, map, key, value);
		if (put.kind == CEL_ERROR)
			return put;
	}
	if (!cel_charge(run, 30))
		return cel_stopped(run);
	return result;
}

/* ---- */

static struct cel_value eval_bind(struct cel_run *run, const struct cel_node *node)
{
	run->locals[eval_kid(run, node, CEL_BIND_NAME)] =
		cel_typed(CEL_LAZY, eval_kid(run, node, CEL_BIND_VALUE), 0);
	return eval_node(run, eval_kid(run, node, CEL_BIND_BODY), EVAL_VALUE);
}

static struct cel_value eval_inner(
	struct cel_run *run, const struct cel_node *node, enum eval_way way)
{
	switch ((enum cel_op)node->op) {
	case CEL_OP_SELECT:
	case CEL_OP_INDEX: return eval_selection(run, node, way);
	case CEL_OP_AND:
	case CEL_OP_OR: return eval_logic(run, node);
	case CEL_OP_CHOICE: return eval_choice(run, node);
	case CEL_OP_CALL: return eval_call(run, node);
	case CEL_OP_LIST: return eval_list(run, node);
	case CEL_OP_MAP: return eval_map(run, node);
	case CEL_OP_LOOP: return cel_loop_value(run, node);
	case CEL_OP_BIND: return eval_bind(run, node);
	default: CHECK_NEVER("a node that compiling leaves");
	}
}

static struct cel_value eval_node(struct cel_run *run, int32_t number, enum eval_way way)
{
	const struct cel_node *node = &run->program->nodes[number];
	struct cel_value value;

	if (run->stopped != 0)
		return cel_stopped(run);
	switch ((enum cel_op)node->op) {
	case CEL_OP_CONSTANT: return run->program->constants[node->first];
	case CEL_OP_READY:
		if (!cel_charge(run, (uint64_t)node->count))
			return cel_stopped(run);
		return run->program->constants[node->first];
	case CEL_OP_VARIABLE:
		if (way == EVAL_VALUE && !cel_charge(run, 1))
			return cel_stopped(run);
		return run->variables[node->number];
	case CEL_OP_LOCAL:
		if (way == EVAL_VALUE && !cel_charge(run, 1))
			return cel_stopped(run);
		return eval_local(run, node->number);
	default: break;
	}
	/* What is bound is worked out inside of what asks for it: deeper than the tree is. */
	if (++run->depth > 2 * CEL_DEPTH_MAX)
		run->stopped = CEL_FAULT_COST;
	value = eval_inner(run, node, way);
	run->depth--;
	return run->stopped != 0 ? cel_stopped(run) : value;
}

struct cel_value cel_node_value(struct cel_run *run, int32_t node)
{
	return eval_node(run, node, EVAL_VALUE);
}

struct cel_value cel_evaluate(const struct cel_program *program, const struct cel_value *variables,
	uint64_t cost_max, struct scratch *scratch, uint64_t *cost)
{
	struct cel_run run = {.program = program,
		.variables = variables,
		.scratch = scratch,
		.cost_max = cost_max,
		.work = cost_max < UINT64_MAX / WORK_PER_COST ? (cost_max + 1024) * WORK_PER_COST
							      : UINT64_MAX};
	struct cel_value value;

	if (program->slots > 0)
		run.locals = cel_take(&run, program->slots, sizeof(*run.locals));
	value = run.stopped != 0 ? cel_stopped(&run) : cel_node_value(&run, program->root);
	if (cost != NULL)
		*cost = run.cost;
	return value;
}
