/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tree: a JSON value that can be edited. It lives in scratch memory with everything it names;
 * members keep their order. A node has one parent: who moves it elsewhere takes it away there.
 *
 * The scratch must have TREE_SCRATCH_MIN bytes left before a parse: what a parse may give is
 * bounded by TREE_TEXT_MAX and JSON_TOKENS_MAX, so running out is a broken invariant.
 */
#ifndef BERTH_TOOLS_APISIM_TREE_H
#define BERTH_TOOLS_APISIM_TREE_H

#include "json/json.h"

enum {
	TREE_TEXT_MAX = 3 << 20, /* of one value; what an apiserver takes as a body */
	TREE_SCRATCH_MIN = 16 << 20
};

struct tree {
	enum json_type type;
	struct text key;  /* of a member */
	struct text text; /* a string unescaped; other scalars as they stand */
	struct tree *first, *last, *next;
};

/* Anything that claims to be JSON. NULL: it is not; *fault says why. */
struct tree *tree_parse(
	struct text json, struct json_cut *cut, struct scratch *scratch, const char **fault);
/* What tree_write() wrote. */
struct tree *tree_read(struct text json, struct scratch *scratch);
void tree_write(const struct tree *t, struct json_writer *out);
/* Its text, in the scratch. */
struct text tree_print(const struct tree *t, struct scratch *scratch);

struct tree *tree_get(const struct tree *object, const char *key); /* NULL: none */
struct tree *tree_get_text(const struct tree *object, struct text key);
struct tree *tree_path(const struct tree *object, const char *dotted);
struct text tree_text(const struct tree *object, const char *dotted); /* TEXT_NONE: no string */
bool tree_has(const struct tree *object, const char *dotted);         /* there and not null */
int64_t tree_i64(const struct tree *object, const char *dotted, int64_t otherwise);
uint32_t tree_count(const struct tree *t);

struct tree *tree_make(enum json_type type, struct scratch *scratch);
struct tree *tree_make_text(struct text text, struct scratch *scratch);
void tree_append(struct tree *array, struct tree *element);
/* In place of a member of that name, or as the last one. `key` and `value` are kept, not copied. */
void tree_put(struct tree *object, struct text key, struct tree *value);
void tree_put_text(struct tree *object, const char *key, struct text value, struct scratch *s);
void tree_put_i64(struct tree *object, const char *key, int64_t value, struct scratch *s);
void tree_put_raw(struct tree *object, const char *key, const char *json, struct scratch *s);
/* The member if it is of that type, else a new empty one in its place. */
struct tree *tree_want(
	struct tree *object, const char *key, enum json_type type, struct scratch *scratch);
/* Takes it out; NULL when it was not there. */
struct tree *tree_take(struct tree *object, const char *key);
struct tree *tree_take_child(struct tree *parent, struct tree *child);
/* Becomes the first. */
void tree_lead(struct tree *object, const char *key);

#endif
