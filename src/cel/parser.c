/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser: tokens to nodes, by recursive descent with a bound on how deep.
 *
 * Errors of syntax are worded as upstream's generated parser words the usual ones. It goes on after
 * the first to find more; we stop there.
 */
#include "cel/lexer.h"
#include "cel/program.h"

#include "base/real.h"

#define BEGINNINGS                                                                               \
	"{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, " \
	"STRING, BYTES, IDENTIFIER}"

struct parser {
	struct cel_compile *c;
	struct cel_token token;
	int32_t depth;
};

static int32_t parser_expr(struct parser *p);

static void parser_next(struct parser *p)
{
	p->token = cel_lex(p->c->source, p->token.offset + (uint32_t)p->token.text.size);
}

static bool parser_failed(const struct parser *p)
{
	return p->c->issues_count > 0 || p->c->full;
}

static int32_t parser_unexpected(struct parser *p, const char *expected)
{
	struct text found = p->token.text;

	if (parser_failed(p))
		return NODE_NONE;
	if (p->token.kind == CEL_TOKEN_BROKEN)
		cel_issue(p->c, p->token.offset, "Syntax error: token recognition error at: '%.*s'",
			TEXT_ARGS(found));
	else if (p->token.kind == CEL_TOKEN_END)
		cel_issue(p->c, p->token.offset,
			"Syntax error: mismatched input '<EOF>' expecting %s", expected);
	else
		cel_issue(p->c, p->token.offset,
			"Syntax error: mismatched input '%.*s' expecting %s", TEXT_ARGS(found),
			expected);
	return NODE_NONE;
}

static bool parser_take(struct parser *p, int kind)
{
	if (p->token.kind != kind)
		return false;
	parser_next(p);
	return true;
}

static bool parser_need(struct parser *p, int kind, const char *expected)
{
	if (parser_take(p, kind))
		return true;
	(void)parser_unexpected(p, expected);
	return false;
}

static void parser_push(struct parser *p, int32_t node)
{
	struct cel_compile *c = p->c;

	if (c->pending_count == c->limit)
		cel_give_up(c, "the expression has too many parts");
	else
		c->pending[c->pending_count++] = node;
}

/* A node of all that is pending since `mark`. */
static int32_t parser_gather(struct parser *p, int32_t mark, struct cel_node node, uint32_t offset)
{
	int32_t added = NODE_NONE;

	if (!parser_failed(p))
		added = cel_add_node(
			p->c, node, offset, p->c->pending + mark, p->c->pending_count - mark);
	p->c->pending_count = mark;
	return added;
}

static int32_t parser_call(
	struct parser *p, const char *name, uint32_t offset, const int32_t *kids, int32_t count)
{
	int32_t node;

	if (parser_failed(p))
		return NODE_NONE;
	node = cel_add_node(p->c, (struct cel_node){.op = CEL_OP_CALL}, offset, kids, count);
	if (node != NODE_NONE)
		p->c->names[node] = cel_add_name(p->c, text_of(name));
	return node;
}

static int32_t parser_constant(struct parser *p, struct cel_value value, uint32_t offset)
{
	int32_t constant = cel_add_constant(p->c, value);

	return cel_add_node(
		p->c, (struct cel_node){.op = CEL_OP_CONSTANT, .first = constant}, offset, NULL, 0);
}

/* ---- literals ---- */

static bool parser_digits(struct text t, uint64_t *value)
{
	bool hex = t.size > 2 && t.at[1] == 'x';

	*value = 0;
	if (!hex)
		return text_to_u64(t, value);
	for (size_t i = 2; i < t.size; i++) {
		char c = t.at[i];

		if (*value >> 60 != 0)
			return false;
		*value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return true;
}

static int32_t parser_int(struct parser *p, bool minus, uint32_t offset)
{
	uint64_t digits;
	bool fits = parser_digits(p->token.text, &digits) &&
		digits <= (uint64_t)INT64_MAX + (minus ? 1 : 0);

	parser_next(p);
	if (!fits) {
		cel_issue(p->c, offset, "invalid int literal");
		return NODE_NONE;
	}
	return parser_constant(p, cel_int((int64_t)(minus ? 0 - digits : digits)), offset);
}

static int32_t parser_uint(struct parser *p)
{
	uint32_t offset = p->token.offset;
	uint64_t digits;
	bool fits = parser_digits(text_first(p->token.text, p->token.text.size - 1), &digits);

	parser_next(p);
	if (!fits) {
		cel_issue(p->c, offset, "invalid uint literal");
		return NODE_NONE;
	}
	return parser_constant(p, cel_uint(digits), offset);
}

static int32_t parser_double(struct parser *p, bool minus, uint32_t offset)
{
	double value;
	bool fits = real_parse(p->token.text, &value);

	parser_next(p);
	if (!fits) {
		cel_issue(p->c, offset, "invalid double literal");
		return NODE_NONE;
	}
	return parser_constant(p, cel_double(minus ? -value : value), offset);
}

static int32_t parser_string(struct parser *p, enum cel_kind kind)
{
	uint32_t offset = p->token.offset;
	const char *error;
	struct text text = cel_unquote(p->token.text, p->c->keep, &error);
	struct cel_value value = cel_string(text);

	parser_next(p);
	if (error != NULL) {
		cel_issue(p->c, offset, "%s", error);
		return NODE_NONE;
	}
	value.kind = (uint8_t)kind;
	return parser_constant(p, value, offset);
}

/* ---- names and calls ---- */

static bool parser_is_reserved(struct text name)
{
	static const char *const reserved[] = {"as", "break", "const", "continue", "else", "for",
		"function", "if", "import", "let", "loop", "package", "namespace", "return", "var",
		"void", "while"};

	for (size_t i = 0; i < ARRAY_COUNT(reserved); i++)
		if (text_is_z(name, reserved[i]))
			return true;
	return false;
}

/* Arguments behind "(", which is the token; they stay pending. */
static void parser_arguments(struct parser *p)
{
	parser_next(p);
	if (parser_take(p, ')'))
		return;
	do
		parser_push(p, parser_expr(p));
	while (!parser_failed(p) && parser_take(p, ','));
	if (!parser_failed(p))
		(void)parser_need(p, ')', "')'");
}

static int32_t parser_named_call(struct parser *p, struct text name, int32_t target)
{
	int32_t mark = p->c->pending_count;
	uint32_t offset = p->token.offset;
	int32_t node;
	int32_t count;

	if (target != NODE_NONE)
		parser_push(p, target);
	parser_arguments(p);
	if (parser_failed(p)) {
		p->c->pending_count = mark;
		return NODE_NONE;
	}
	count = p->c->pending_count - mark - (target != NODE_NONE);
	if (cel_is_macro(p->c, name, target, count)) {
		node = cel_expand(p->c, name, offset, target,
			p->c->pending + p->c->pending_count - count, count);
		p->c->pending_count = mark;
		return node;
	}
	node = parser_gather(p, mark,
		(struct cel_node){
			.op = CEL_OP_CALL, .flags = target != NODE_NONE ? CEL_FLAG_MEMBER : 0},
		offset);
	if (node != NODE_NONE)
		p->c->names[node] = cel_add_name(p->c, name);
	return node;
}

/* [.] name or name(...) */
static int32_t parser_name(struct parser *p, bool dot)
{
	struct text name = p->token.text;
	uint32_t offset = p->token.offset;

	if (p->token.kind != CEL_TOKEN_IDENT)
		return parser_unexpected(p, "IDENTIFIER");
	if (parser_is_reserved(name)) {
		cel_issue(p->c, offset, "reserved identifier: %.*s", TEXT_ARGS(name));
		return NODE_NONE;
	}
	parser_next(p);
	if (p->token.kind == '(')
		return parser_named_call(p, name, NODE_NONE);
	return cel_add_node(p->c,
		(struct cel_node){.op = CEL_OP_NAME,
			.flags = dot ? CEL_FLAG_MEMBER : 0,
			.first = cel_add_name(p->c, name)},
		offset, NULL, 0);
}

/* ---- lists and maps ---- */

static void parser_maybe(struct parser *p, bool maybe, uint32_t offset)
{
	int32_t node = parser_expr(p);

	if (maybe && !parser_failed(p))
		node = cel_add_node(p->c, (struct cel_node){.op = CEL_OP_MAYBE}, offset, &node, 1);
	parser_push(p, node);
}

static int32_t parser_list(struct parser *p)
{
	int32_t mark = p->c->pending_count;
	uint32_t offset = p->token.offset;

	parser_next(p);
	while (!parser_failed(p) && p->token.kind != ']') {
		uint32_t at = p->token.offset;

		if (p->token.kind == ',' && p->c->pending_count == mark) {
			parser_next(p); /* "[,]" is an empty list to the grammar */
			break;
		}
		parser_maybe(p, parser_take(p, '?'), at);
		if (!parser_take(p, ','))
			break;
	}
	if (!parser_failed(p))
		(void)parser_need(p, ']', "']'");
	return parser_gather(p, mark, (struct cel_node){.op = CEL_OP_LIST}, offset);
}

static int32_t parser_map(struct parser *p)
{
	int32_t mark = p->c->pending_count;
	uint32_t offset = p->token.offset;

	parser_next(p);
	while (!parser_failed(p) && p->token.kind != '}') {
		uint32_t at = p->token.offset;
		bool maybe;

		if (p->token.kind == ',' && p->c->pending_count == mark) {
			parser_next(p);
			break;
		}
		maybe = parser_take(p, '?');
		parser_push(p, parser_expr(p));
		if (parser_failed(p) || !parser_need(p, ':', "':'"))
			break;
		parser_maybe(p, maybe, at);
		if (!parser_take(p, ','))
			break;
	}
	if (!parser_failed(p))
		(void)parser_need(p, '}', "'}'");
	return parser_gather(p, mark, (struct cel_node){.op = CEL_OP_MAP}, offset);
}

/* ---- operators, from those that bind most ---- */

static int32_t parser_primary(struct parser *p)
{
	struct cel_token token = p->token;
	int32_t node;

	switch (token.kind) {
	case CEL_TOKEN_INT: return parser_int(p, false, token.offset);
	case CEL_TOKEN_UINT: return parser_uint(p);
	case CEL_TOKEN_FLOAT: return parser_double(p, false, token.offset);
	case CEL_TOKEN_STRING: return parser_string(p, CEL_STRING);
	case CEL_TOKEN_BYTES: return parser_string(p, CEL_BYTES);
	case CEL_TOKEN_TRUE:
	case CEL_TOKEN_FALSE:
		parser_next(p);
		return parser_constant(p, cel_bool(token.kind == CEL_TOKEN_TRUE), token.offset);
	case CEL_TOKEN_NULL:
		parser_next(p);
		return parser_constant(p, CEL_VALUE_NULL, token.offset);
	case CEL_TOKEN_IDENT: return parser_name(p, false);
	case '.': parser_next(p); return parser_name(p, true);
	case '[': return parser_list(p);
	case '{': return parser_map(p);
	case '(':
		parser_next(p);
		node = parser_expr(p);
		if (!parser_failed(p))
			(void)parser_need(p, ')', "')'");
		return node;
	default: return parser_unexpected(p, BEGINNINGS);
	}
}

/* .name, .?name, .name(...) behind `operand` */
static int32_t parser_selection(struct parser *p, int32_t operand)
{
	uint32_t offset = p->token.offset;
	struct text name;
	bool maybe;
	bool escaped;

	parser_next(p);
	maybe = parser_take(p, '?');
	escaped = p->token.kind == CEL_TOKEN_ESCAPED;
	name = p->token.text;
	if (p->token.kind != CEL_TOKEN_IDENT && !escaped)
		return parser_unexpected(p, "IDENTIFIER");
	parser_next(p);
	if (escaped)
		name = (struct text){name.at + 1, name.size - 2};
	if (p->token.kind == '(' && !maybe && !escaped)
		return parser_named_call(p, name, operand);
	if (parser_failed(p))
		return NODE_NONE;
	operand = cel_add_node(p->c,
		(struct cel_node){.op = CEL_OP_SELECT, .flags = maybe ? CEL_FLAG_OPTIONAL : 0},
		offset, &operand, 1);
	if (operand != NODE_NONE)
		p->c->nodes[operand].count = cel_add_name(p->c, name);
	return operand;
}

static int32_t parser_index(struct parser *p, int32_t operand)
{
	uint32_t offset = p->token.offset;
	bool maybe;
	int32_t kids[2] = {operand, NODE_NONE};

	parser_next(p);
	maybe = parser_take(p, '?');
	kids[1] = parser_expr(p);
	if (parser_failed(p) || !parser_need(p, ']', "']'"))
		return NODE_NONE;
	return cel_add_node(p->c,
		(struct cel_node){.op = CEL_OP_INDEX, .flags = maybe ? CEL_FLAG_OPTIONAL : 0},
		offset, kids, 2);
}

static int32_t parser_member(struct parser *p, int32_t node)
{
	while (!parser_failed(p)) {
		if (p->token.kind == '.')
			node = parser_selection(p, node);
		else if (p->token.kind == '[')
			node = parser_index(p, node);
		else
			break;
	}
	if (!parser_failed(p) && p->token.kind == '{') {
		cel_issue(p->c, p->token.offset,
			"messages cannot be made here: there are no message types");
		return NODE_NONE;
	}
	return parser_failed(p) ? NODE_NONE : node;
}

/* A minus sign that stands before a number belongs to it. */
static int32_t parser_unary(struct parser *p)
{
	int sign = p->token.kind;
	uint32_t offset = p->token.offset;
	uint32_t count = 0;
	int32_t node;

	while ((sign == '!' || sign == '-') && p->token.kind == sign) {
		uint32_t at = p->token.offset;

		parser_next(p);
		if (sign == '-' && p->token.kind == CEL_TOKEN_INT) {
			node = parser_int(p, true, at);
			goto signs;
		}
		if (sign == '-' && p->token.kind == CEL_TOKEN_FLOAT) {
			node = parser_double(p, true, at);
			goto signs;
		}
		count++;
	}
	if (sign == '!' && p->token.kind == '-') {
		uint32_t at = p->token.offset;

		parser_next(p);
		if (p->token.kind == CEL_TOKEN_INT)
			node = parser_int(p, true, at);
		else if (p->token.kind == CEL_TOKEN_FLOAT)
			node = parser_double(p, true, at);
		else
			return parser_unexpected(p, "{NUM_FLOAT, NUM_INT}");
	} else {
		node = parser_primary(p);
	}
signs:
	node = parser_member(p, node);
	if (count % 2 == 0 || parser_failed(p))
		return node;
	return parser_call(p, sign == '!' ? "!_" : "-_", offset, &node, 1);
}

static const struct parser_operator {
	int token;
	int binds; /* the more, the closer */
	const char *name;
} parser_operators[] = {{'*', 3, "_*_"}, {'/', 3, "_/_"}, {'%', 3, "_%_"}, {'+', 2, "_+_"},
	{'-', 2, "_-_"}, {'<', 1, "_<_"}, {'>', 1, "_>_"}, {CEL_TOKEN_AT_MOST, 1, "_<=_"},
	{CEL_TOKEN_AT_LEAST, 1, "_>=_"}, {CEL_TOKEN_EQUAL, 1, "_==_"},
	{CEL_TOKEN_UNEQUAL, 1, "_!=_"}, {CEL_TOKEN_IN, 1, "@in"}};

static const struct parser_operator *parser_operator(int token)
{
	for (size_t i = 0; i < ARRAY_COUNT(parser_operators); i++)
		if (parser_operators[i].token == token)
			return &parser_operators[i];
	return NULL;
}

static int32_t parser_binary(struct parser *p, int binds)
{
	int32_t left = parser_unary(p);

	while (!parser_failed(p)) {
		const struct parser_operator *operator= parser_operator(p->token.kind);
		uint32_t offset = p->token.offset;
		int32_t kids[2] = {left, NODE_NONE};

		if (operator== NULL || operator->binds<binds)
			break;
		parser_next(p);
		kids[1] = parser_binary(p, operator->binds + 1);
		left = parser_call(p, operator->name, offset, kids, 2);
	}
	return left;
}

/* Chains are one node, as upstream balances them: they are not deep. */
static int32_t parser_chain(struct parser *p, int token)
{
	int32_t mark = p->c->pending_count;
	uint32_t offset = 0;
	bool is_or = token == CEL_TOKEN_OR;
	int32_t first = is_or ? parser_chain(p, CEL_TOKEN_AND) : parser_binary(p, 1);

	if (p->token.kind != token || parser_failed(p))
		return first;
	parser_push(p, first);
	while (!parser_failed(p) && p->token.kind == token) {
		offset = p->token.offset;
		parser_next(p);
		parser_push(p, is_or ? parser_chain(p, CEL_TOKEN_AND) : parser_binary(p, 1));
	}
	return parser_gather(
		p, mark, (struct cel_node){.op = is_or ? CEL_OP_OR : CEL_OP_AND}, offset);
}

static int32_t parser_expr(struct parser *p)
{
	int32_t kids[3];
	uint32_t offset;

	if (p->depth++ == CEL_DEPTH_MAX)
		cel_give_up(p->c, "expression recursion limit exceeded: 250");
	if (parser_failed(p))
		return NODE_NONE;
	kids[0] = parser_chain(p, CEL_TOKEN_OR);
	offset = p->token.offset;
	if (!parser_failed(p) && parser_take(p, '?')) {
		kids[1] = parser_chain(p, CEL_TOKEN_OR);
		if (!parser_failed(p) && parser_need(p, ':', "':'"))
			kids[2] = parser_expr(p);
		if (!parser_failed(p))
			kids[0] = cel_add_node(
				p->c, (struct cel_node){.op = CEL_OP_CHOICE}, offset, kids, 3);
	}
	p->depth--;
	return parser_failed(p) ? NODE_NONE : kids[0];
}

int32_t cel_parse(struct cel_compile *c)
{
	struct parser p = {.c = c};
	int32_t root;

	p.token = cel_lex(c->source, 0);
	root = parser_expr(&p);
	if (!parser_failed(&p) && p.token.kind != CEL_TOKEN_END)
		return parser_unexpected(&p, "<EOF>");
	return parser_failed(&p) ? NODE_NONE : root;
}
