/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads: which parts of a variable an expression can look at, seen from its tree alone.
 */
#include "cel/function.h"
#include "cel/program.h"

/* Where the kid stands below the node; -1: it does not. */
static int32_t reads_place(const struct cel_program *p, const struct cel_node *node, int32_t kid)
{
	bool is_leaf = node->op == CEL_OP_CONSTANT || node->op == CEL_OP_READY;
	int32_t count = is_leaf ? 0 : node->op == CEL_OP_SELECT ? 1 : node->count;
	for (int32_t i = 0; i < count; i++) {
		bool is_name = node->op == CEL_OP_LOOP
			? i == CEL_LOOP_FIRST || i == CEL_LOOP_SECOND
			: node->op == CEL_OP_BIND && i == CEL_BIND_NAME;
		if (!is_name && p->kids[node->first + i] == kid)
			return i;
	}
	return -1;
}

static struct text reads_constant(const struct cel_program *p, int32_t kid)
{
	const struct cel_node *node = &p->nodes[kid];
	bool is_constant = node->op == CEL_OP_CONSTANT || node->op == CEL_OP_READY;
	const struct cel_value *value = is_constant ? &p->constants[node->first] : NULL;
	return is_constant && value->kind == CEL_STRING ? cel_text(value) : TEXT_NONE;
}

/* What the node takes of the kid at that place; TEXT_NONE: that may be anything. */
static struct text reads_key(const struct cel_program *p, const struct cel_node *node, int32_t at)
{
	if (node->op == CEL_OP_SELECT)
		return cel_text(&p->constants[node->count]);
	if (node->op == CEL_OP_INDEX && at == 0)
		return reads_constant(p, p->kids[node->first + 1]);
	if (node->op == CEL_OP_CALL && at == 1 && cel_function_at(node->number)->call == cel_in)
		return reads_constant(p, p->kids[node->first]);
	return TEXT_NONE;
}

/* Parents come behind their kids. */
static void reads_below(const struct cel_program *p, int32_t field_node, struct text field,
	cel_read_fn *fn, void *self)
{
	bool is_alone = true;
	for (int32_t i = field_node + 1; i < p->nodes_count; i++) {
		int32_t at = reads_place(p, &p->nodes[i], field_node);
		if (at < 0)
			continue;
		is_alone = false;
		fn(self, field, reads_key(p, &p->nodes[i], at));
	}
	if (is_alone)
		fn(self, field, TEXT_NONE);
}

static void reads_of(const struct cel_program *p, int32_t variable, cel_read_fn *fn, void *self)
{
	bool is_alone = true;
	for (int32_t i = variable + 1; i < p->nodes_count; i++) {
		int32_t at = reads_place(p, &p->nodes[i], variable);
		if (at < 0)
			continue;
		struct text field = reads_key(p, &p->nodes[i], at);
		is_alone = false;
		if (field.at == NULL || p->nodes[i].op == CEL_OP_CALL)
			fn(self, TEXT_NONE, TEXT_NONE);
		else
			reads_below(p, i, field, fn, self);
	}
	if (is_alone)
		fn(self, TEXT_NONE, TEXT_NONE);
}

void cel_each_read(
	const struct cel_program *program, uint32_t variable, cel_read_fn *fn, void *self)
{
	for (int32_t i = 0; i < program->nodes_count; i++)
		if (program->nodes[i].op == CEL_OP_VARIABLE && program->nodes[i].number == variable)
			reads_of(program, i, fn, self);
}
