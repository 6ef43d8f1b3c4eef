/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checker: what names and calls mean, and which type each node has. It goes on after an error, so
 * that all that is wrong is told at once.
 */
#include "cel/function.h"
#include "cel/named.h"
#include "cel/program.h"
#include "cel/types.h"

enum { CHECKED_NAME_MAX = 128 };

static uint16_t checker_node(struct cel_compile *c, int32_t node);

static struct text checker_name(const struct cel_compile *c, int32_t constant)
{
	return cel_text(&c->constants[constant]);
}

static uint16_t checker_known(struct cel_compile *c, uint16_t type)
{
	return cel_type_known(c->type_table, type, false);
}

static int checker_kind(const struct cel_compile *c, uint16_t type)
{
	return cel_type_at(c->type_table, type)->kind;
}

/* The text of a type, for an error. */
static struct text checker_text(struct cel_compile *c, uint16_t type)
{
	struct writer out;
	char *at = scratch_take(c->work, 512);

	if (at == NULL)
		return TEXT("?");
	writer_init(&out, at, 512);
	cel_type_print(c->type_table, cel_type_known(c->type_table, type, false), &out);
	return out.overflowed ? TEXT("(a long type)") : writer_text(&out);
}

static void checker_mismatch(struct cel_compile *c, int32_t node, uint16_t expected, uint16_t found)
{
	cel_issue(c, c->offsets[node], "expected type '%.*s' but found '%.*s'",
		TEXT_ARGS(checker_text(c, expected)), TEXT_ARGS(checker_text(c, found)));
}

/* ---- names ---- */

static uint16_t checker_undeclared(struct cel_compile *c, int32_t node, struct text name)
{
	cel_issue(c, c->offsets[node], "undeclared reference to '%.*s' (in container '')",
		TEXT_ARGS(name));
	return CEL_TYPE_FAULT;
}

/* Names of types are values. */
static uint16_t checker_type_name(struct cel_compile *c, int32_t node, struct text name)
{
	for (uint16_t kind = CEL_NULL; kind < CEL_LAZY; kind++) {
		struct text known = cel_kind_name((enum cel_kind)kind);
		struct cel_value value = cel_string(known);
		uint16_t of = kind;

		if (!text_is(name, known))
			continue;
		value.kind = CEL_TYPE;
		c->nodes[node] = (struct cel_node){
			.op = CEL_OP_CONSTANT, .first = cel_add_constant(c, value)};
		if (kind == CEL_LIST || kind == CEL_MAP || kind == CEL_OPTIONAL)
			of = cel_type_make(
				c->type_table, (enum cel_kind)kind, CEL_TYPE_DYN, CEL_TYPE_DYN);
		return cel_type_make(c->type_table, CEL_TYPE, of, 0);
	}
	return 0;
}

static uint16_t checker_variable(struct cel_compile *c, int32_t node, struct text name)
{
	const struct cel_declarations *d = c->declarations;

	for (uint32_t i = 0; i < d->variables_count; i++) {
		uint16_t type;

		if (!text_is_z(name, d->variables[i].name))
			continue;
		type = cel_type_parse(c->type_table, d->variables[i].type);
		CHECK(type != CEL_TYPE_FAULT);
		c->nodes[node] = (struct cel_node){.op = CEL_OP_VARIABLE, .number = (uint16_t)i};
		return type;
	}
	return 0;
}

static uint16_t checker_ident(struct cel_compile *c, int32_t node)
{
	struct text name = checker_name(c, c->nodes[node].first);
	bool absolute = c->nodes[node].flags != 0;
	uint16_t type;

	for (uint32_t i = absolute ? 0 : c->scope_count; i-- > 0;)
		if (text_is(c->scope[i].name, name)) {
			c->nodes[node] =
				(struct cel_node){.op = CEL_OP_LOCAL, .number = c->scope[i].slot};
			return c->scope[i].type;
		}
	type = checker_variable(c, node, name);
	if (type == 0)
		type = checker_type_name(c, node, name);
	return type != 0 ? type : checker_undeclared(c, node, name);
}

static uint16_t checker_enter(struct cel_compile *c, int32_t constant, uint16_t type)
{
	if (c->scope_count == CEL_SCOPE_MAX || c->slots == CEL_SLOTS_MAX) {
		cel_give_up(c, "the expression has too many variables");
		return 0;
	}
	c->scope[c->scope_count++] =
		(struct cel_scope){checker_name(c, constant), (uint16_t)c->slots, type};
	return (uint16_t)c->slots++;
}

/* "a.b.c" of a chain of names; empty when it is none. */
static struct text checker_path(struct cel_compile *c, int32_t node, char to[CHECKED_NAME_MAX])
{
	size_t at = CHECKED_NAME_MAX;

	for (;; node = cel_kid(c, node, 0)) {
		const struct cel_node *n = &c->nodes[node];
		struct text part;

		if (n->op != CEL_OP_NAME && (n->op != CEL_OP_SELECT || n->flags != 0))
			return TEXT_NONE;
		part = checker_name(c, n->op == CEL_OP_NAME ? n->first : n->count);
		if (part.size + 1 > at)
			return TEXT_NONE;
		at -= part.size;
		memcpy(to + at, part.at, part.size);
		if (n->op == CEL_OP_NAME)
			return (struct text){to + at, CHECKED_NAME_MAX - at};
		to[--at] = '.';
	}
}

/* ---- selection ---- */

static uint16_t checker_field(struct cel_compile *c, int32_t node, uint16_t object)
{
	struct text name = cel_type_at(c->type_table, object)->name;
	struct text field = checker_name(c, c->nodes[node].count);
	const struct cel_declarations *d = c->declarations;

	for (uint32_t i = 0; i < d->objects_count; i++) {
		const struct cel_object *o = &d->objects[i];

		for (uint32_t k = 0; text_is_z(name, o->name) && k < o->count; k++)
			if (text_is_z(field, o->fields[k].name))
				return cel_type_parse(c->type_table, o->fields[k].type);
	}
	cel_issue(c, c->offsets[node], "undefined field '%.*s'", TEXT_ARGS(field));
	return CEL_TYPE_FAULT;
}

/* What `.field` of the type is. */
static uint16_t checker_selected(struct cel_compile *c, int32_t node, uint16_t type)
{
	uint16_t dyn = CEL_TYPE_DYN;

	switch (checker_kind(c, type)) {
	case CEL_MAP: return cel_type_at(c->type_table, type)->of[1];
	/* Upstream's own types are objects without fields. */
	case CEL_QUANTITY:
	case CEL_SEMVER:
	case CEL_URL:
	case CEL_FORMAT:
	case CEL_TYPE_OBJECT: return checker_field(c, node, type);
	case CEL_TYPE_FREE: (void)cel_type_assign(c->type_table, &dyn, &type, 1); break;
	case CEL_TYPE_DYN:
	case CEL_TYPE_ANY:
	case CEL_TYPE_FAULT: break;
	default:
		cel_issue(c, c->offsets[node], "type '%.*s' does not support field selection",
			TEXT_ARGS(checker_text(c, type)));
	}
	return CEL_TYPE_DYN;
}

static uint16_t checker_select(struct cel_compile *c, int32_t node)
{
	uint8_t flags = c->nodes[node].flags;
	char path[CHECKED_NAME_MAX];
	bool optional = (flags & CEL_FLAG_OPTIONAL) != 0;
	struct text name = checker_path(c, node, path);
	uint16_t type;

	if (name.size > 0 && (type = checker_type_name(c, node, name)) != 0)
		return type;
	type = checker_known(c, checker_node(c, cel_kid(c, node, 0)));
	if (checker_kind(c, type) == CEL_OPTIONAL) {
		optional = true;
		type = cel_type_at(c->type_table, type)->of[0];
	}
	type = checker_selected(c, node, type);
	if ((flags & CEL_FLAG_TEST) != 0)
		return CEL_BOOL;
	return checker_known(
		c, optional ? cel_type_make(c->type_table, CEL_OPTIONAL, type, 0) : type);
}

/* ---- calls ---- */

static void checker_no_overload(struct cel_compile *c, int32_t node, const char *name,
	const uint16_t *args, uint32_t count, bool member)
{
	struct writer out;
	char *text = scratch_take(c->work, 1024);

	if (text == NULL)
		return;
	writer_init(&out, text, 1024);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0)
			write_z(&out, member ? "" : "(");
		else
			write_z(&out, i == 1 && member ? "" : ", ");
		cel_type_print(c->type_table, cel_type_known(c->type_table, args[i], true), &out);
		if (i == 0 && member)
			write_z(&out, ".(");
	}
	write_z(&out, count == 0 ? "()" : ")");
	cel_issue(c, c->offsets[node], "found no matching overload for '%s' applied to '%.*s'",
		name, TEXT_ARGS(out.overflowed ? TEXT("(long types)") : writer_text(&out)));
}

/* The type of the overload's result; 0: it does not take these. */
static uint16_t checker_overload(struct cel_compile *c, const char *overload, const uint16_t *args,
	uint32_t count, bool member)
{
	struct cel_signature s;

	if ((*overload != '(') != member)
		return 0;
	s = cel_type_signature(c->type_table, overload);
	if (s.count != count || !cel_type_assign(c->type_table, args, s.args, count))
		return 0;
	return checker_known(c, s.result);
}

/* The type of the result of the first overload that takes these; dyn when several differ. */
static uint16_t checker_resolve(struct cel_compile *c, uint32_t row, const uint16_t *args,
	uint32_t count, bool member, uint16_t *first)
{
	uint16_t result = 0;

	do {
		const char *at = cel_function_at(row)->overloads + 1;

		for (; *at != '\0'; at = cel_overload_after(at)) {
			uint16_t type = checker_overload(c, at, args, count, member);

			if (type == 0)
				continue;
			if (result == 0) {
				*first = (uint16_t)row;
				result = type;
			} else if (result != CEL_TYPE_DYN && result != CEL_TYPE_ANY &&
				type != result) {
				result = CEL_TYPE_DYN;
			}
		}
	} while (cel_function_goes_on(row++));
	return result;
}

static uint16_t checker_apply(
	struct cel_compile *c, int32_t node, const char *name, const uint16_t *args, uint32_t count)
{
	bool member = (c->nodes[node].flags & CEL_FLAG_MEMBER) != 0;
	int32_t row = cel_function_find(text_of(name));
	uint16_t first = 0;
	uint16_t result;

	CHECK(row >= 0);
	result = checker_resolve(c, (uint32_t)row, args, count, member, &first);
	if (result != 0 && c->nodes[node].op == CEL_OP_CALL)
		c->nodes[node].number = first;
	if (result != 0)
		return result;
	if (!c->full)
		checker_no_overload(c, node, name, args, count, member);
	return CEL_TYPE_FAULT;
}

/* a.b.f(x) where a.b.f is a function: the target is no argument. */
static int32_t checker_namespaced(struct cel_compile *c, int32_t node, struct text name)
{
	char path[CHECKED_NAME_MAX];
	char whole[2 * CHECKED_NAME_MAX];
	struct text prefix = checker_path(c, cel_kid(c, node, 0), path);
	struct writer out;
	int32_t row;

	if (prefix.size == 0 || name.size >= CHECKED_NAME_MAX)
		return NODE_NONE;
	writer_init(&out, whole, sizeof(whole));
	write_text(&out, prefix);
	write_char(&out, '.');
	write_text(&out, name);
	row = cel_function_find(writer_text(&out));
	if (row >= 0) {
		c->nodes[node].first++;
		c->nodes[node].count--;
		c->nodes[node].flags = 0;
	}
	return row;
}

/* format.name(), which is a constant that costs as much as a call. */
static bool checker_format(struct cel_compile *c, int32_t node, struct text name)
{
	char path[CHECKED_NAME_MAX];
	struct cel_value format;

	if (c->nodes[node].count != 1 ||
		!text_is_z(checker_path(c, cel_kid(c, node, 0), path), "format") ||
		!cel_format_find(name, &format))
		return false;
	c->nodes[node] = (struct cel_node){
		.op = CEL_OP_READY, .first = cel_add_constant(c, format), .count = 1};
	return true;
}

static uint16_t checker_call(struct cel_compile *c, int32_t node)
{
	struct text name = checker_name(c, c->names[node]);
	bool member = (c->nodes[node].flags & CEL_FLAG_MEMBER) != 0;
	uint16_t args[CEL_SIGNATURE_ARGS + 2];
	uint32_t count = 0;
	int32_t row = member ? checker_namespaced(c, node, name) : NODE_NONE;

	if (member && row < 0 && checker_format(c, node, name))
		return CEL_FORMAT;
	if (row < 0)
		row = cel_function_find(name);
	for (int32_t i = 0; i < c->nodes[node].count; i++) {
		uint16_t type = checker_node(c, cel_kid(c, node, i));

		if (count < ARRAY_COUNT(args))
			args[count++] = type;
	}
	if (row < 0)
		return checker_undeclared(c, node, name);
	return checker_apply(c, node, cel_function_at((uint32_t)row)->name, args, count);
}

static uint16_t checker_index(struct cel_compile *c, int32_t node)
{
	uint16_t args[2] = {
		checker_node(c, cel_kid(c, node, 0)), checker_node(c, cel_kid(c, node, 1))};
	bool maybe = (c->nodes[node].flags & CEL_FLAG_OPTIONAL) != 0;

	return checker_apply(c, node, maybe ? "_[?_]" : "_[_]", args, 2);
}

static uint16_t checker_choice(struct cel_compile *c, int32_t node)
{
	uint16_t args[3];

	for (int32_t i = 0; i < 3; i++)
		args[i] = checker_node(c, cel_kid(c, node, i));
	return checker_apply(c, node, "_?_:_", args, 3);
}

static void checker_bool(struct cel_compile *c, int32_t kid)
{
	uint16_t expected = CEL_BOOL;

	if (!cel_type_assign(c->type_table, &c->types[kid], &expected, 1))
		checker_mismatch(c, kid, CEL_BOOL, c->types[kid]);
}

static uint16_t checker_logic(struct cel_compile *c, int32_t node)
{
	for (int32_t i = 0; i < c->nodes[node].count; i++)
		(void)checker_node(c, cel_kid(c, node, i));
	for (int32_t i = 0; i < c->nodes[node].count; i++)
		checker_bool(c, cel_kid(c, node, i));
	return CEL_BOOL;
}

/* ---- lists and maps ---- */

/* Kubernetes wants elements of one type: dyn beside int is mixed, too. */
static uint16_t checker_join(struct cel_compile *c, int32_t kid, uint16_t joined, uint16_t type)
{
	if (joined == 0)
		return type;
	if (!cel_type_assign(c->type_table, &joined, &type, 1)) {
		checker_mismatch(c, kid, joined, type);
		return CEL_TYPE_FAULT;
	}
	if (checker_kind(c, cel_type_known(c->type_table, joined, true)) !=
			checker_kind(c, cel_type_known(c->type_table, type, true)) &&
		joined != CEL_TYPE_FAULT && type != CEL_TYPE_FAULT)
		checker_mismatch(c, kid, joined, type);
	return cel_type_wider(c->type_table, joined, type);
}

/* The type of an element or entry; of ?x what the optional holds. */
static uint16_t checker_element(struct cel_compile *c, int32_t kid)
{
	uint16_t type;

	if (c->nodes[kid].op != CEL_OP_MAYBE)
		return checker_node(c, kid);
	kid = cel_kid(c, kid, 0);
	type = checker_known(c, checker_node(c, kid));
	if (checker_kind(c, type) == CEL_OPTIONAL)
		return cel_type_at(c->type_table, type)->of[0];
	if (type != CEL_TYPE_DYN && type != CEL_TYPE_ANY && type != CEL_TYPE_FAULT)
		checker_mismatch(c, kid, cel_type_make(c->type_table, CEL_OPTIONAL, type, 0), type);
	return type;
}

static uint16_t checker_list(struct cel_compile *c, int32_t node)
{
	uint16_t joined = 0;

	for (int32_t i = 0; i < c->nodes[node].count; i++) {
		int32_t kid = cel_kid(c, node, i);
		uint16_t type = checker_element(c, kid);

		joined = checker_join(c, kid, joined, type);
	}
	if (joined == 0)
		joined = cel_type_free(c->type_table);
	return cel_type_make(c->type_table, CEL_LIST, joined, 0);
}

static uint16_t checker_map(struct cel_compile *c, int32_t node)
{
	uint16_t joined[2] = {0, 0};

	for (int32_t i = 0; i < c->nodes[node].count; i++) {
		int32_t kid = cel_kid(c, node, i);
		uint16_t type = checker_element(c, kid);

		joined[i % 2] = checker_join(c, kid, joined[i % 2], type);
	}
	for (int32_t i = 0; i < 2; i++)
		if (joined[i] == 0)
			joined[i] = cel_type_free(c->type_table);
	return cel_type_make(c->type_table, CEL_MAP, joined[0], joined[1]);
}

/* ---- loops ---- */

static void checker_range(struct cel_compile *c, int32_t kid, bool pairs, uint16_t vars[2])
{
	uint16_t range = checker_known(c, c->types[kid]);
	const struct cel_type *t = cel_type_at(c->type_table, range);
	uint16_t dyn = CEL_TYPE_DYN;

	vars[0] = vars[1] = CEL_TYPE_DYN;
	switch ((int)t->kind) {
	case CEL_LIST:
		vars[0] = pairs ? CEL_INT : t->of[0];
		vars[1] = t->of[0];
		break;
	case CEL_MAP:
		vars[0] = t->of[0];
		vars[1] = t->of[1];
		break;
	case CEL_TYPE_DYN:
	case CEL_TYPE_FAULT:
	case CEL_TYPE_FREE: (void)cel_type_assign(c->type_table, &dyn, &range, 1); break;
	default: /* CEL_TYPE_ANY, too, as upstream has it */
		cel_issue(c, c->offsets[kid],
			"expression of type '%.*s' cannot be range of a comprehension (must be "
			"list, map, or dynamic)",
			TEXT_ARGS(checker_text(c, range)));
		vars[0] = vars[1] = CEL_TYPE_FAULT;
	}
}

/* The type of what the loop makes. */
static uint16_t checker_made(struct cel_compile *c, int32_t node, const uint16_t vars[2])
{
	int32_t body = cel_kid(c, node, CEL_LOOP_BODY);
	uint16_t type = checker_known(c, c->types[body]);
	uint16_t map;

	switch (c->nodes[node].number) {
	case CEL_LOOP_LIST: return cel_type_make(c->type_table, CEL_LIST, type, 0);
	case CEL_LOOP_FILTER: return cel_type_make(c->type_table, CEL_LIST, vars[0], 0);
	case CEL_LOOP_MAP: return cel_type_make(c->type_table, CEL_MAP, vars[0], type);
	case CEL_LOOP_ENTRIES:
		map = cel_type_make(c->type_table, CEL_MAP, cel_type_free(c->type_table),
			cel_type_free(c->type_table));
		if (cel_type_assign(c->type_table, &type, &map, 1))
			return checker_known(c, map);
		checker_mismatch(c, body, map, type);
		return CEL_TYPE_FAULT;
	default: return CEL_BOOL;
	}
}

static uint16_t checker_loop(struct cel_compile *c, int32_t node)
{
	bool pairs = (c->nodes[node].flags & CEL_FLAG_PAIRS) != 0;
	int32_t *kids = c->kids + c->nodes[node].first;
	uint32_t scope = c->scope_count;
	uint16_t vars[2];

	(void)checker_node(c, kids[CEL_LOOP_RANGE]);
	checker_range(c, kids[CEL_LOOP_RANGE], pairs, vars);
	kids[CEL_LOOP_FIRST] = checker_enter(c, kids[CEL_LOOP_FIRST], vars[0]);
	if (pairs)
		kids[CEL_LOOP_SECOND] = checker_enter(c, kids[CEL_LOOP_SECOND], vars[1]);
	if (kids[CEL_LOOP_CONDITION] != NODE_NONE) {
		(void)checker_node(c, kids[CEL_LOOP_CONDITION]);
		checker_bool(c, kids[CEL_LOOP_CONDITION]);
	}
	(void)checker_node(c, kids[CEL_LOOP_BODY]);
	if (c->nodes[node].number <= CEL_LOOP_EXISTS_ONE)
		checker_bool(c, kids[CEL_LOOP_BODY]);
	c->scope_count = scope;
	return checker_made(c, node, vars);
}

static uint16_t checker_bind(struct cel_compile *c, int32_t node)
{
	int32_t *kids = c->kids + c->nodes[node].first;
	uint32_t scope = c->scope_count;
	uint16_t type = checker_node(c, kids[CEL_BIND_VALUE]);

	kids[CEL_BIND_NAME] = checker_enter(c, kids[CEL_BIND_NAME], type);
	type = checker_node(c, kids[CEL_BIND_BODY]);
	c->scope_count = scope;
	return checker_known(c, type);
}

/* A node that two others share (optMap) is looked at once. */
static uint16_t checker_node(struct cel_compile *c, int32_t node)
{
	uint16_t type = CEL_TYPE_FAULT;

	if (c->types[node] != 0 || c->full)
		return c->full ? CEL_TYPE_FAULT : c->types[node];
	switch ((enum cel_op)c->nodes[node].op) {
	case CEL_OP_CONSTANT: type = c->constants[c->nodes[node].first].kind; break;
	case CEL_OP_NAME: type = checker_ident(c, node); break;
	case CEL_OP_SELECT: type = checker_select(c, node); break;
	case CEL_OP_INDEX: type = checker_index(c, node); break;
	case CEL_OP_AND:
	case CEL_OP_OR: type = checker_logic(c, node); break;
	case CEL_OP_CHOICE: type = checker_choice(c, node); break;
	case CEL_OP_CALL: type = checker_call(c, node); break;
	case CEL_OP_LIST: type = checker_list(c, node); break;
	case CEL_OP_MAP: type = checker_map(c, node); break;
	case CEL_OP_LOOP: type = checker_loop(c, node); break;
	case CEL_OP_BIND: type = checker_bind(c, node); break;
	default: CHECK_NEVER("a node that the parser makes");
	}
	c->types[node] = type;
	return type;
}

uint16_t cel_check(struct cel_compile *c, int32_t root)
{
	uint16_t type = checker_node(c, root);

	return cel_type_known(c->type_table, type, true);
}
