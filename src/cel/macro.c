/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Macros: calls that are not calls, since one of their arguments names a variable. Upstream expands
 * all of them to one general loop; here each is a node that says what it does, and costs what the
 * expansion costs (cel/loop.c).
 */
#include "cel/program.h"

enum macro_shape { MACRO_HAS, MACRO_LOOP, MACRO_BIND, MACRO_OPTIONAL, MACRO_SORT };

static const struct macro {
	const char *name;
	uint8_t shape;
	uint8_t loop;
	uint8_t names;  /* variables */
	uint8_t args;   /* with the variables, without a condition */
	bool condition; /* one more argument, before the last */
} macros[] = {
	{"has", MACRO_HAS, 0, 0, 1, false},
	{"all", MACRO_LOOP, CEL_LOOP_ALL, 1, 2, false},
	{"all", MACRO_LOOP, CEL_LOOP_ALL, 2, 3, false},
	{"exists", MACRO_LOOP, CEL_LOOP_EXISTS, 1, 2, false},
	{"exists", MACRO_LOOP, CEL_LOOP_EXISTS, 2, 3, false},
	{"exists_one", MACRO_LOOP, CEL_LOOP_EXISTS_ONE, 1, 2, false},
	{"exists_one", MACRO_LOOP, CEL_LOOP_EXISTS_ONE, 2, 3, false},
	{"existsOne", MACRO_LOOP, CEL_LOOP_EXISTS_ONE, 1, 2, false},
	{"existsOne", MACRO_LOOP, CEL_LOOP_EXISTS_ONE, 2, 3, false},
	{"filter", MACRO_LOOP, CEL_LOOP_FILTER, 1, 2, false},
	{"map", MACRO_LOOP, CEL_LOOP_LIST, 1, 2, false},
	{"map", MACRO_LOOP, CEL_LOOP_LIST, 1, 3, true},
	{"transformList", MACRO_LOOP, CEL_LOOP_LIST, 2, 3, false},
	{"transformList", MACRO_LOOP, CEL_LOOP_LIST, 2, 4, true},
	{"transformMap", MACRO_LOOP, CEL_LOOP_MAP, 2, 3, false},
	{"transformMap", MACRO_LOOP, CEL_LOOP_MAP, 2, 4, true},
	{"transformMapEntry", MACRO_LOOP, CEL_LOOP_ENTRIES, 2, 3, false},
	{"transformMapEntry", MACRO_LOOP, CEL_LOOP_ENTRIES, 2, 4, true},
	{"bind", MACRO_BIND, 0, 1, 3, false},
	{"optMap", MACRO_OPTIONAL, true, 1, 2, false},
	{"optFlatMap", MACRO_OPTIONAL, false, 1, 2, false},
	{"sortBy", MACRO_SORT, CEL_LOOP_LIST, 1, 2, false},
};

static const struct macro *macro_of(
	const struct cel_compile *c, struct text name, int32_t target, int32_t args)
{
	for (size_t i = 0; i < ARRAY_COUNT(macros); i++) {
		const struct macro *macro = &macros[i];

		if (macro->args != args || !text_is_z(name, macro->name) ||
			(macro->shape == MACRO_HAS) != (target == NODE_NONE))
			continue;
		if (macro->shape == MACRO_BIND &&
			(c->nodes[target].op != CEL_OP_NAME ||
				!text_is_z(cel_text(&c->constants[c->nodes[target].first]), "cel")))
			continue;
		return macro;
	}
	return NULL;
}

bool cel_is_macro(const struct cel_compile *c, struct text name, int32_t target, int32_t args)
{
	return macro_of(c, name, target, args) != NULL;
}

static int32_t macro_call(struct cel_compile *c, const char *name, bool member, uint32_t offset,
	int32_t kid, int32_t second)
{
	int32_t kids[2] = {kid, second};
	int32_t count = (kid != NODE_NONE) + (second != NODE_NONE);
	int32_t node = cel_add_node(c,
		(struct cel_node){.op = CEL_OP_CALL, .flags = member ? CEL_FLAG_MEMBER : 0}, offset,
		kids, count);

	if (node != NODE_NONE)
		c->names[node] = cel_add_name(c, text_of(name));
	return node;
}

/* The constant that is the variable's name; NODE_NONE and an issue when it is no name. */
static int32_t macro_variable(struct cel_compile *c, int32_t node, const char *otherwise)
{
	if (c->nodes[node].op == CEL_OP_NAME && c->nodes[node].flags == 0) {
		struct text name = cel_text(&c->constants[c->nodes[node].first]);

		if (!text_is_z(name, "__result__"))
			return c->nodes[node].first;
		otherwise = "iteration variable overwrites accumulator variable";
	}
	cel_issue(c, c->offsets[node], "%s", otherwise);
	return NODE_NONE;
}

static int32_t macro_has(struct cel_compile *c, uint32_t offset, int32_t node)
{
	if (c->nodes[node].op != CEL_OP_SELECT || c->nodes[node].flags != 0) {
		cel_issue(c, c->offsets[node], "invalid argument to has() macro");
		return NODE_NONE;
	}
	c->nodes[node].flags = CEL_FLAG_TEST;
	c->offsets[node] = offset;
	return node;
}

static int32_t macro_loop(struct cel_compile *c, const struct macro *macro, uint32_t offset,
	int32_t target, const int32_t *args)
{
	bool quantifies = macro->loop <= CEL_LOOP_EXISTS_ONE;
	const char *otherwise = macro->names == 2 ? "argument must be a simple name"
		: quantifies                      ? "argument must be a simple name"
						  : "argument is not an identifier";
	struct cel_node node = {.op = CEL_OP_LOOP,
		.flags = macro->names == 2 ? CEL_FLAG_PAIRS : 0,
		.number = macro->loop};
	int32_t kids[CEL_LOOP_KIDS] = {target, macro_variable(c, args[0], otherwise), NODE_NONE,
		args[macro->args - 1], macro->condition ? args[macro->args - 2] : NODE_NONE};

	if (macro->names == 2)
		kids[CEL_LOOP_SECOND] = macro_variable(c, args[1], otherwise);
	if (c->issues_count > 0)
		return NODE_NONE;
	if (macro->names == 2 &&
		text_is(cel_text(&c->constants[kids[CEL_LOOP_FIRST]]),
			cel_text(&c->constants[kids[CEL_LOOP_SECOND]]))) {
		cel_issue(c, c->offsets[args[1]], "duplicate variable name: %.*s",
			TEXT_ARGS(cel_text(&c->constants[kids[CEL_LOOP_FIRST]])));
		return NODE_NONE;
	}
	if (macro->loop == CEL_LOOP_FILTER)
		kids[CEL_LOOP_CONDITION] = kids[CEL_LOOP_BODY];
	return cel_add_node(c, node, offset, kids, CEL_LOOP_KIDS);
}

static int32_t macro_bind(
	struct cel_compile *c, uint32_t offset, int32_t name, int32_t value, int32_t body)
{
	int32_t kids[CEL_BIND_KIDS] = {name, value, body};

	return cel_add_node(c, (struct cel_node){.op = CEL_OP_BIND}, offset, kids, CEL_BIND_KIDS);
}

/* target.hasValue() ? [optional.of](bind name to target.value() in body) : optional.none() */
static int32_t macro_optional(struct cel_compile *c, const struct macro *macro, uint32_t offset,
	int32_t target, const int32_t *args)
{
	int32_t name = macro_variable(c, args[0],
		macro->loop ? "optMap() variable name must be a simple identifier"
			    : "optFlatMap() variable name must be a simple identifier");
	int32_t kids[3];
	int32_t body;

	if (name == NODE_NONE)
		return NODE_NONE;
	kids[0] = macro_call(c, "hasValue", true, offset, target, NODE_NONE);
	body = macro_call(c, "value", true, offset, target, NODE_NONE);
	kids[1] = macro_bind(c, offset, name, body, args[1]);
	if (macro->loop)
		kids[1] = macro_call(c, "optional.of", false, offset, kids[1], NODE_NONE);
	kids[2] = macro_call(c, "optional.none", false, offset, NODE_NONE, NODE_NONE);
	return cel_add_node(c, (struct cel_node){.op = CEL_OP_CHOICE}, offset, kids, 3);
}

/* bind @input to target in @input.@sortByAssociatedKeys(@input.map(name, key)) */
static int32_t macro_sort(struct cel_compile *c, const struct macro *macro, uint32_t offset,
	int32_t target, const int32_t *args)
{
	int32_t name = cel_add_name(c, TEXT("@__sortBy_input__"));
	struct cel_node use = {.op = CEL_OP_NAME, .first = name};
	int32_t first = cel_add_node(c, use, offset, NULL, 0);
	int32_t second = cel_add_node(c, use, offset, NULL, 0);
	int32_t keys = first == NODE_NONE || second == NODE_NONE
		? NODE_NONE
		: macro_loop(c, macro, offset, first, args);

	if (keys == NODE_NONE)
		return NODE_NONE;
	return macro_bind(c, offset, name, target,
		macro_call(c, "@sortByAssociatedKeys", true, offset, second, keys));
}

int32_t cel_expand(struct cel_compile *c, struct text name, uint32_t offset, int32_t target,
	const int32_t *args, int32_t count)
{
	const struct macro *macro = macro_of(c, name, target, count);
	int32_t variable;

	CHECK(macro != NULL);
	switch (macro->shape) {
	case MACRO_HAS: return macro_has(c, offset, args[0]);
	case MACRO_LOOP: return macro_loop(c, macro, offset, target, args);
	case MACRO_OPTIONAL: return macro_optional(c, macro, offset, target, args);
	case MACRO_SORT: return macro_sort(c, macro, offset, target, args);
	default:
		variable = macro_variable(
			c, args[0], "cel.bind() variable names must be simple identifiers");
		return variable == NODE_NONE ? NODE_NONE
					     : macro_bind(c, offset, variable, args[1], args[2]);
	}
}
