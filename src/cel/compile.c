/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiling: parse, check, work out what is constant, keep.
 *
 * Everything is made at the end of `keep` and `work`, sized by the number of tokens. What is
 * constant is worked out by the evaluator itself, in `keep`; errors among constants stay for the
 * evaluation to meet, except those that upstream refuses: literals of times and patterns.
 */
#include "cel/eval.h"
#include "cel/function.h"
#include "cel/lexer.h"
#include "cel/program.h"
#include "cel/regex.h"
#include "cel/types.h"

enum {
	ISSUE_SIZE = 2048,
	ISSUE_OF_PROGRAM = CEL_SOURCE_MAX + 1, /* upstream finds it behind compiling */
	NODES_PER_TOKEN = 2,
	NODES_MORE = 8,
	COST_OF_CONSTANTS = 30000,
	WORK_OF_CONSTANTS = 1000
};

/* ---- errors ---- */

void cel_give_up(struct cel_compile *c, const char *reason)
{
	if (!c->full)
		c->reason = reason;
	c->full = true;
}

void cel_issue(struct cel_compile *c, uint32_t offset, const char *format, ...)
{
	struct cel_issue *issue;
	struct writer out;
	char *text;
	va_list args;
	uint32_t at;

	if (c->issues_count == CEL_ISSUES_MAX || c->full)
		return;
	text = scratch_take(c->work, ISSUE_SIZE);
	if (text == NULL) {
		cel_give_up(c, "out of memory");
		return;
	}
	writer_init(&out, text, ISSUE_SIZE);
	va_start(args, format);
	write_format_v(&out, format, args);
	va_end(args);
	/* in order of their places */
	for (at = c->issues_count++; at > 0 && c->issues[at - 1].offset > offset; at--)
		c->issues[at] = c->issues[at - 1];
	issue = &c->issues[at];
	issue->offset = offset;
	issue->text = out.overflowed ? TEXT("(a text too long)") : writer_text(&out);
}

/* The line, and a mark below the place; as upstream shows it. */
static void compile_print_place(struct text source, uint32_t offset, struct writer *errors)
{
	size_t begin = text_find_last(text_first(source, offset), '\n');
	size_t size;
	struct text before;

	begin = begin == offset ? 0 : begin + 1;
	size = text_find(text_from(source, begin), '\n');
	write_z(errors, "\n | ");
	for (size_t i = begin; i < begin + size; i++)
		write_char(errors, source.at[i] == '\t' ? ' ' : source.at[i]);
	write_z(errors, "\n | ");
	before = (struct text){source.at + begin, offset - begin};
	while (before.size > 0)
		write_z(errors, cel_point(&before) < 0x80 ? "." : "\xef\xbc\x8e");
	write_z(errors,
		offset < source.size && (uint8_t)source.at[offset] >= 0x80 ? "\xef\xbc\xbe" : "^");
}

static void compile_print_issues(const struct cel_compile *c, struct writer *errors)
{
	if (c->issues_count > 0 && c->issues[0].offset == ISSUE_OF_PROGRAM) {
		write_format(
			errors, "program instantiation failed: %.*s", TEXT_ARGS(c->issues[0].text));
		return;
	}
	write_z(errors, "compilation failed: ");
	if (c->full)
		write_format(errors, "ERROR: <input>:-1:0: %s", c->reason);
	for (uint32_t i = 0; i < c->issues_count && !c->full; i++) {
		const struct cel_issue *issue = &c->issues[i];
		struct text before = text_first(c->source, issue->offset);
		uint32_t line = 1;
		size_t begin;

		for (size_t k = 0; k < before.size; k++)
			line += before.at[k] == '\n';
		begin = text_find_last(before, '\n');
		if (begin != before.size)
			before = text_from(before, begin + 1);
		write_format(errors, "%sERROR: <input>:%u:%u: %.*s", i == 0 ? "" : "\n",
			(unsigned)line, (unsigned)cel_points(before) + 1, TEXT_ARGS(issue->text));
		compile_print_place(c->source, issue->offset, errors);
	}
}

/* ---- nodes ---- */

int32_t cel_add_node(struct cel_compile *c, struct cel_node node, uint32_t offset,
	const int32_t *kids, int32_t count)
{
	uint16_t depth = 0;
	int32_t number = c->nodes_count;

	if (c->issues_count > 0 || c->full)
		return NODE_NONE;
	if (number == c->limit || c->kids_count + count > c->limit * 2) {
		cel_give_up(c, "the expression has too many parts");
		return NODE_NONE;
	}
	for (int32_t i = 0; i < count; i++) {
		bool is_node = node.op == CEL_OP_LOOP
			? i == CEL_LOOP_RANGE || i >= CEL_LOOP_BODY
			: node.op != CEL_OP_BIND || i != CEL_BIND_NAME;

		if (is_node && kids[i] != NODE_NONE && c->depths[kids[i]] > depth)
			depth = c->depths[kids[i]];
		c->kids[c->kids_count + i] = kids[i];
	}
	if (depth == CEL_DEPTH_MAX) {
		cel_give_up(c, "expression recursion limit exceeded: 250");
		return NODE_NONE;
	}
	if (node.op != CEL_OP_CONSTANT && node.op != CEL_OP_NAME)
		node.first = c->kids_count;
	if (node.op != CEL_OP_SELECT)
		node.count = count;
	c->kids_count += count;
	c->depths[number] = depth + 1;
	c->offsets[number] = offset;
	c->nodes[number] = node;
	c->nodes_count++;
	return number;
}

int32_t cel_add_constant(struct cel_compile *c, struct cel_value value)
{
	if (c->constants_count == c->limit) {
		cel_give_up(c, "the expression has too many parts");
		return 0;
	}
	c->constants[c->constants_count] = value;
	return c->constants_count++;
}

int32_t cel_add_name(struct cel_compile *c, struct text name)
{
	return cel_add_constant(c, cel_string(name));
}

/* ---- constants ---- */

static bool compile_is_constant(const struct cel_compile *c, int32_t node)
{
	return node != NODE_NONE &&
		(c->nodes[node].op == CEL_OP_CONSTANT || c->nodes[node].op == CEL_OP_READY);
}

/* Literals that upstream looks at while it compiles. */
static void compile_validate(struct cel_compile *c, int32_t node, const struct cel_value *result)
{
	static const char *const names[] = {"duration", "timestamp"};
	const char *name = cel_function_at(c->nodes[node].number)->name;
	int32_t first = cel_kid(c, node, 0);

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0 && result->kind == CEL_ERROR &&
			result->fault != CEL_FAULT_MEMORY)
			cel_issue(c, c->offsets[first], "invalid %s argument", names[i]);
}

/* Works out a node whose kids are constants; an error stays a node. */
static void compile_fold(struct cel_compile *c, int32_t node)
{
	struct cel_program program = {
		.nodes = c->nodes, .kids = c->kids, .constants = c->constants};
	struct scratch_mark mark = scratch_mark(c->keep);
	struct cel_run run = {.program = &program,
		.scratch = c->keep,
		.cost_max = COST_OF_CONSTANTS,
		.work = WORK_OF_CONSTANTS};
	bool literal = c->nodes[node].op != CEL_OP_CALL;
	struct cel_value value = cel_node_value(&run, node);

	if (!literal && c->nodes[node].count > 0)
		compile_validate(c, node, &value);
	if (value.kind == CEL_ERROR || run.cost > INT32_MAX) {
		scratch_rewind(c->keep, mark);
		return;
	}
	c->nodes[node] =
		(struct cel_node){.op = literal || run.cost == 0 ? CEL_OP_CONSTANT : CEL_OP_READY,
			.first = cel_add_constant(c, value),
			.count = literal ? 0 : (int32_t)run.cost};
}

static bool compile_is_conversion(const char *name)
{
	static const char *const names[] = {
		"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint"};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A pattern that is known is compiled once; the function finds it in run->regex. */
static void compile_pattern(struct cel_compile *c, int32_t node)
{
	const struct cel_function *f = cel_function_at(c->nodes[node].number);
	struct cel_value value = {.kind = CEL_NULL};
	struct text pattern;
	struct cel_regex *regex;
	struct cel_regex_error error;
	int32_t kids[4];

	if (!cel_is_regex(f) || c->nodes[node].count > 3 ||
		!compile_is_constant(c, cel_kid(c, node, 1)) ||
		c->nodes[cel_kid(c, node, 1)].op != CEL_OP_CONSTANT)
		return;
	value = c->constants[c->nodes[cel_kid(c, node, 1)].first];
	if (value.kind != CEL_STRING)
		return;
	pattern = cel_text(&value);
	regex = cel_regex_compile(pattern, c->keep, &error);
	if (regex == NULL) {
		if (c->keep->overflowed)
			cel_give_up(c, "out of memory");
		else if (f->call == cel_matches && (c->nodes[node].flags & CEL_FLAG_MEMBER) != 0)
			cel_issue(c, c->offsets[cel_kid(c, node, 1)], "invalid matches argument");
		else
			cel_issue(
				c, ISSUE_OF_PROGRAM, CEL_REGEX_ERROR, CEL_REGEX_ERROR_ARGS(error));
		return;
	}
	for (int32_t i = 0; i < c->nodes[node].count; i++)
		kids[i] = cel_kid(c, node, i);
	if (c->kids_count + 4 > c->limit * 2 + NODES_MORE * 4)
		return;
	c->nodes[node].first = c->kids_count;
	c->nodes[node].flags |= CEL_FLAG_REGEX;
	value = (struct cel_value){.kind = CEL_LAZY, .self = regex};
	for (int32_t i = 0; i < c->nodes[node].count; i++)
		c->kids[c->kids_count++] = kids[i];
	c->kids[c->kids_count++] = cel_add_constant(c, value);
}

/* Kids were made before their parents, so one pass from the front is enough. */
static void compile_constants(struct cel_compile *c)
{
	for (int32_t node = 0; node < c->nodes_count && c->issues_count == 0 && !c->full; node++) {
		const struct cel_node *n = &c->nodes[node];
		bool constant = n->op == CEL_OP_CALL || n->op == CEL_OP_LIST || n->op == CEL_OP_MAP;
		bool conversion;

		for (int32_t i = 0; i < n->count && constant; i++)
			constant = compile_is_constant(c, cel_kid(c, node, i)) &&
				(n->op == CEL_OP_CALL ||
					c->nodes[cel_kid(c, node, i)].op == CEL_OP_CONSTANT);
		conversion = n->op == CEL_OP_CALL && n->count == 1 &&
			compile_is_conversion(cel_function_at(n->number)->name) && constant &&
			c->nodes[cel_kid(c, node, 0)].op == CEL_OP_CONSTANT;
		if (constant && c->types[node] != 0)
			compile_fold(c, node);
		if (conversion && c->nodes[node].op == CEL_OP_READY) {
			c->nodes[node].op = CEL_OP_CONSTANT; /* upstream does this one, too */
			c->nodes[node].count = 0;
		}
		if (c->nodes[node].op == CEL_OP_CALL && c->types[node] != 0)
			compile_pattern(c, node);
	}
}

/* ---- */

static int32_t compile_limit(struct text source)
{
	struct cel_token token = {.kind = CEL_TOKEN_IDENT};
	int32_t tokens = 0;

	for (; token.kind != CEL_TOKEN_END; tokens++)
		token = cel_lex(source, token.offset + (uint32_t)token.text.size);
	return tokens * NODES_PER_TOKEN + NODES_MORE;
}

static bool compile_init(struct cel_compile *c, struct text source)
{
	char *copy = scratch_take(c->keep, source.size + 1);
	size_t limit;

	if (copy == NULL)
		return false;
	if (source.size > 0)
		memcpy(copy, source.at, source.size);
	c->source = (struct text){copy, source.size};
	c->limit = compile_limit(c->source);
	limit = (size_t)c->limit;
	c->nodes = SCRATCH_ARRAY(c->work, struct cel_node, limit);
	c->offsets = SCRATCH_ARRAY(c->work, uint32_t, limit);
	c->depths = SCRATCH_ARRAY(c->work, uint16_t, limit);
	c->types = SCRATCH_ARRAY(c->work, uint16_t, limit);
	c->kids = SCRATCH_ARRAY(c->work, int32_t, limit * 2 + (size_t)NODES_MORE * 4);
	c->constants = SCRATCH_ARRAY(c->work, struct cel_value, limit);
	c->pending = SCRATCH_ARRAY(c->work, int32_t, limit);
	c->names = SCRATCH_ARRAY(c->work, int32_t, limit);
	c->type_table = cel_types_init(c);
	return !c->work->overflowed && c->type_table != NULL;
}

static const struct cel_program *compile_keep(struct cel_compile *c, int32_t root, uint16_t type)
{
	struct cel_program *p = SCRATCH_ONE(c->keep, struct cel_program);
	struct cel_node *nodes = SCRATCH_ARRAY(c->keep, struct cel_node, c->nodes_count);
	int32_t *kids = SCRATCH_ARRAY(c->keep, int32_t, c->kids_count + 1);
	struct cel_value *constants =
		SCRATCH_ARRAY(c->keep, struct cel_value, c->constants_count + 1);
	struct writer out;
	size_t size;
	char *text = scratch_take_rest(c->keep, &size);

	if (c->keep->overflowed || text == NULL) {
		cel_give_up(c, "out of memory");
		return NULL;
	}
	writer_init(&out, text, size < 256 ? size : 256);
	cel_type_print(c->type_table, type, &out);
	scratch_keep(c->keep, text, out.used);
	memcpy(nodes, c->nodes, (size_t)c->nodes_count * sizeof(*nodes));
	memcpy(kids, c->kids, (size_t)c->kids_count * sizeof(*kids));
	memcpy(constants, c->constants, (size_t)c->constants_count * sizeof(*constants));
	*p = (struct cel_program){.nodes = nodes,
		.kids = kids,
		.constants = constants,
		.nodes_count = c->nodes_count,
		.root = root,
		.slots = c->slots,
		.type = out.overflowed ? TEXT("(a long type)") : writer_text(&out)};
	return p;
}

static const struct cel_program *compile_run(struct cel_compile *c, struct text source)
{
	int32_t root;
	uint16_t type;

	if (!compile_init(c, source)) {
		cel_give_up(c, "out of memory");
		return NULL;
	}
	root = cel_parse(c);
	if (root == NODE_NONE || c->full)
		return NULL;
	type = cel_check(c, root);
	if (c->issues_count > 0 || c->full)
		return NULL;
	compile_constants(c);
	return c->issues_count > 0 || c->full ? NULL : compile_keep(c, root, type);
}

const struct cel_program *cel_compile(const struct cel_declarations *declarations,
	struct text source, struct scratch *work, struct scratch *keep, struct writer *errors)
{
	struct scratch_mark work_mark = scratch_mark(work);
	struct scratch_mark keep_mark = scratch_mark(keep);
	struct cel_compile *c = SCRATCH_ONE(work, struct cel_compile);
	const struct cel_program *program = NULL;

	if (source.size > CEL_SOURCE_MAX) {
		write_format(errors,
			"compilation failed: ERROR: <input>:-1:0: expression code point size "
			"exceeds limit: size: %u, limit %u",
			(unsigned)source.size, (unsigned)CEL_SOURCE_MAX);
	} else if (c == NULL) {
		write_z(errors, "compilation failed: ERROR: <input>:-1:0: out of memory");
	} else {
		c->declarations = declarations;
		c->work = work;
		c->keep = keep;
		program = compile_run(c, source);
		if (program == NULL)
			compile_print_issues(c, errors);
	}
	scratch_rewind(work, work_mark);
	if (program == NULL)
		scratch_rewind(keep, keep_mark);
	return program;
}

struct text cel_result_type(const struct cel_program *program)
{
	return program->type;
}
