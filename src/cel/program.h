/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs: the tree of an expression as arrays of indexes, and what compiling keeps besides until
 * it is done. For cel/ only.
 *
 * The kids of a node are node numbers in `kids`, from `first` on, `count` of them, unless noted
 * otherwise.
 */
#ifndef BERTH_CEL_PROGRAM_H
#define BERTH_CEL_PROGRAM_H

#include "cel/value.h"

enum { NODE_NONE = -1 };

enum cel_op {
	CEL_OP_CONSTANT, /* first: constant */
	CEL_OP_READY,    /* the same, worked out from constants; count: what that costs each time */
	CEL_OP_NAME,     /* first: constant that is the name; gone after checking */
	CEL_OP_VARIABLE, /* number: of the declaration */
	CEL_OP_LOCAL,    /* number: slot */
	CEL_OP_SELECT,   /* one kid; count: constant that is the field's name */
	CEL_OP_INDEX,
	CEL_OP_AND,
	CEL_OP_OR,
	CEL_OP_CHOICE, /* condition ? one : other */
	CEL_OP_CALL,   /* number: of the function */
	CEL_OP_LIST,
	CEL_OP_MAP,   /* key, value, key, value, ... */
	CEL_OP_MAYBE, /* ?x: element or value of an entry that may be missing */
	CEL_OP_LOOP,  /* number: enum cel_loop; kids: enum cel_loop_kid */
	CEL_OP_BIND   /* kids: enum cel_bind_kid */
};

enum cel_flag {
	CEL_FLAG_OPTIONAL = 1, /* a.?b, a[?b] */
	CEL_FLAG_TEST = 2,     /* has(a.b) */
	CEL_FLAG_MEMBER = 4,   /* the first kid of the call stood before the point */
	CEL_FLAG_PAIRS = 8,    /* the loop has two variables */
	CEL_FLAG_REGEX = 16    /* kid `count` is the constant that is the compiled pattern */
};

enum cel_loop {
	CEL_LOOP_ALL,
	CEL_LOOP_EXISTS,
	CEL_LOOP_EXISTS_ONE,
	CEL_LOOP_LIST,   /* map, filter, transformList */
	CEL_LOOP_FILTER, /* the element itself */
	CEL_LOOP_MAP,    /* transformMap */
	CEL_LOOP_ENTRIES /* transformMapEntry */
};

/* Names of variables are constants, slots after checking. */
enum cel_loop_kid {
	CEL_LOOP_RANGE,
	CEL_LOOP_FIRST,
	CEL_LOOP_SECOND,
	CEL_LOOP_BODY,
	CEL_LOOP_CONDITION, /* or NODE_NONE */
	CEL_LOOP_KIDS
};
enum cel_bind_kid { CEL_BIND_NAME, CEL_BIND_VALUE, CEL_BIND_BODY, CEL_BIND_KIDS };

struct cel_node {
	uint8_t op;
	uint8_t flags;
	uint16_t number;
	int32_t first;
	int32_t count;
};

struct cel_program {
	const struct cel_node *nodes;
	const int32_t *kids;
	const struct cel_value *constants;
	int32_t nodes_count;
	int32_t root;
	uint32_t slots;
	struct text type;
};

/* ---- compiling ---- */

enum { CEL_ISSUES_MAX = 16, CEL_SCOPE_MAX = 256, CEL_SLOTS_MAX = 4096 };

struct cel_issue {
	uint32_t offset;
	struct text text;
};

struct cel_scope {
	struct text name;
	uint16_t slot;
	uint16_t type;
};

struct cel_compile {
	const struct cel_declarations *declarations;
	struct text source; /* in keep */
	struct scratch *work;
	struct scratch *keep;

	struct cel_node *nodes;
	uint32_t *offsets; /* of each node, in the source */
	uint16_t *depths;
	uint16_t *types;
	int32_t *kids;
	struct cel_value *constants;
	int32_t *pending; /* kids of nodes that are being read */
	int32_t *names;   /* of each call: constant */
	int32_t limit;    /* of all of these */
	int32_t nodes_count;
	int32_t kids_count;
	int32_t constants_count;
	int32_t pending_count;

	struct cel_issue issues[CEL_ISSUES_MAX];
	uint32_t issues_count;
	bool full; /* of memory or of limits: `reason` */
	const char *reason;

	struct cel_scope scope[CEL_SCOPE_MAX];
	uint32_t scope_count;
	uint32_t slots;
	struct cel_types *type_table;
};

/* Notes an error at an offset of the source. */
void cel_issue(struct cel_compile *c, uint32_t offset, const char *format, ...) PRINTF_LIKE(3, 4);
/* Gives up: nothing can be said but this. */
void cel_give_up(struct cel_compile *c, const char *reason);

/* A node with kids; NODE_NONE when compiling has given up. */
int32_t cel_add_node(struct cel_compile *c, struct cel_node node, uint32_t offset,
	const int32_t *kids, int32_t count);
int32_t cel_add_constant(struct cel_compile *c, struct cel_value value);
int32_t cel_add_name(struct cel_compile *c, struct text name);
static inline int32_t cel_kid(const struct cel_compile *c, int32_t node, int32_t number)
{
	return c->kids[c->nodes[node].first + number];
}

/* cel/parser.c: the root, or NODE_NONE with an issue. */
int32_t cel_parse(struct cel_compile *c);
/* cel/macro.c: a node in the place of the call; NODE_NONE when it is none (or an issue). */
bool cel_is_macro(const struct cel_compile *c, struct text name, int32_t target, int32_t args);
int32_t cel_expand(struct cel_compile *c, struct text name, uint32_t offset, int32_t target,
	const int32_t *args, int32_t count);
/* cel/checker.c: resolves names and overloads; the root's type. */
uint16_t cel_check(struct cel_compile *c, int32_t root);

#endif
