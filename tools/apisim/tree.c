/* SPDX-License-Identifier: GPL-2.0-only */
/* JSON that can be edited. */
#include "apisim/tree.h"

static const struct json_want everything[] = {{"*", NULL}, {NULL, NULL}};

enum { TREE_TOKEN_MAX = 64 /* bytes */ };

/* ---- in ---- */

struct tree *tree_make(enum json_type type, struct scratch *scratch)
{
	struct tree *t = SCRATCH_ONE(scratch, struct tree);

	CHECK(t != NULL);
	t->type = type;
	return t;
}

/* The nesting is bounded by the cutter. */
static struct tree *convert(struct json_value v, struct scratch *scratch)
{
	struct tree *t = tree_make(json_type(v), scratch);

	if (t->type != JSON_OBJECT && t->type != JSON_ARRAY) {
		t->text = json_scalar(v);
		return t;
	}
	for (struct json_walk walk = json_walk(v); json_walk_next(&walk);) {
		struct tree *child = convert(walk.value, scratch);

		child->key = walk.key;
		tree_append(t, child);
	}
	return t;
}

/* Taking all that is left is not for nothing under a sanitizer. What the size was. */
static size_t limit(struct scratch *scratch, size_t most)
{
	size_t whole = scratch->size;

	if (most < whole - scratch->used)
		scratch->size = scratch->used + (most + 15) / 16 * 16;
	return whole;
}

static struct tree *parse(struct text json, struct scratch *scratch)
{
	struct json_value root;
	size_t whole = limit(scratch, (json.size / 2 + 2) * TREE_TOKEN_MAX);
	enum json_parse_result result = json_parse(json, scratch, &root);

	scratch->size = whole;
	return result == JSON_PARSED ? convert(root, scratch) : NULL;
}

/*
 * Most that is read is what tree_write() wrote, without spaces and escapes, and a simulator spends
 * its time here. Whatever looks different is left to parse(), and so is judging it.
 */
struct plain {
	const char *at, *end;
	struct scratch *scratch;
	uint32_t depth, count;
};

static bool skip(struct plain *p, char c)
{
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

static bool plain_string(struct plain *p, struct text *string)
{
	if (!skip(p, '"'))
		return false;
	const char *quote = memchr(p->at, '"', (size_t)(p->end - p->at));
	if (quote == NULL)
		return false;
	*string = (struct text){p->at, (size_t)(quote - p->at)};
	p->at = quote + 1;
	return true;
}

/*
 * The text of a value, brackets and all: managers of fields nest theirs as deep as they like, and
 * nobody here looks into them.
 */
static struct tree *plain_whole(struct plain *p)
{
	struct tree *t = tree_make(JSON_NUMBER, p->scratch);
	const char *from = p->at;
	size_t depth = 0;
	bool quoted = false;

	for (; p->at < p->end; p->at++) {
		if (*p->at == '"')
			quoted = !quoted;
		else if (!quoted && (*p->at == '{' || *p->at == '['))
			depth++;
		else if (!quoted && (*p->at == '}' || *p->at == ']') && --depth == 0)
			break;
	}
	if (p->at == p->end || *from != '{')
		return NULL;
	p->at++;
	t->text = (struct text){from, (size_t)(p->at - from)};
	return t;
}

static struct tree *plain_value(struct plain *p);

/* NULL unless it ends in order. */
static struct tree *plain_members(struct plain *p, struct tree *t, char end)
{
	if (++p->depth > JSON_DEPTH_MAX)
		return NULL;
	p->at++;
	while (!skip(p, end)) {
		struct text key = TEXT_NONE;
		struct tree *child;

		if (t->first != NULL && !skip(p, ','))
			return NULL;
		if (t->type == JSON_OBJECT && (!plain_string(p, &key) || !skip(p, ':')))
			return NULL;
		child = text_is(key, TEXT("fieldsV1")) ? plain_whole(p) : plain_value(p);
		if (child == NULL)
			return NULL;
		child->key = key;
		tree_append(t, child);
	}
	p->depth--;
	return t;
}

static struct tree *plain_value(struct plain *p)
{
	const char *from = p->at;

	if (from == p->end || ++p->count > JSON_TOKENS_MAX / 2)
		return NULL;
	switch (*from) {
	case '{': return plain_members(p, tree_make(JSON_OBJECT, p->scratch), '}');
	case '[': return plain_members(p, tree_make(JSON_ARRAY, p->scratch), ']');
	default: break;
	}
	struct tree *t = tree_make(JSON_NULL, p->scratch);
	if (*from == '"') {
		t->type = JSON_STRING;
		return plain_string(p, &t->text) ? t : NULL;
	}
	while (p->at < p->end && strchr("\t\r\n ,}]", *p->at) == NULL)
		p->at++;
	t->text = (struct text){from, (size_t)(p->at - from)};
	if (text_is(t->text, TEXT("true")) || text_is(t->text, TEXT("false")))
		t->type = JSON_BOOL;
	else if (*from == '-' || (*from >= '0' && *from <= '9'))
		t->type = JSON_NUMBER;
	else if (!text_is(t->text, TEXT("null")))
		return NULL;
	return t;
}

struct tree *tree_read(struct text json, struct scratch *scratch)
{
	char *copy = scratch_take(scratch, json.size + 1);

	CHECK(copy != NULL);
	memcpy(copy, json.at, json.size);
	json.at = copy;
	if (memchr(copy, '\\', json.size) == NULL) {
		struct scratch_mark mark = scratch_mark(scratch);
		struct plain p = {.at = copy, .end = copy + json.size, .scratch = scratch};
		struct tree *t = plain_value(&p);
		if (t != NULL && p.at == p.end)
			return t;
		scratch_rewind(scratch, mark);
	}
	return parse(json, scratch);
}

struct reading {
	struct scratch *scratch;
	struct tree *tree;
	uint32_t pieces;
	bool too_big;
};

static bool on_piece(void *self, struct json_piece piece)
{
	struct reading *reading = self;

	if (piece.kind == JSON_PIECE_TOO_BIG || reading->pieces++ > 0) {
		reading->too_big = true;
		return false;
	}
	reading->tree = tree_read(piece.text, reading->scratch);
	reading->too_big = reading->tree == NULL;
	return !reading->too_big;
}

struct tree *tree_parse(
	struct text json, struct json_cut *cut, struct scratch *scratch, const char **fault)
{
	struct reading reading = {.scratch = scratch};

	json_cut_start(cut, JSON_CUT_LINES, everything, NULL, on_piece, &reading);
	enum json_cut_result result = json_cut_feed(cut, json);
	if (result == JSON_CUT_BROKEN) {
		*fault = json_cut_fault(cut);
		return NULL;
	}
	if (reading.too_big) {
		*fault = "too much for one value";
		return NULL;
	}
	if (!json_cut_end(cut) || reading.tree == NULL) {
		*fault = "unexpected end of JSON input";
		return NULL;
	}
	return reading.tree;
}

/* ---- out ---- */

void tree_write(const struct tree *t, struct json_writer *out)
{
	switch (t->type) {
	case JSON_STRING: json_put_text(out, t->text); break;
	case JSON_NULL: json_put_null(out); break;
	case JSON_OBJECT:
		json_open_object(out);
		for (const struct tree *c = t->first; c != NULL; c = c->next) {
			json_key_text(out, c->key);
			tree_write(c, out);
		}
		json_close_object(out);
		break;
	case JSON_ARRAY:
		json_open_array(out);
		for (const struct tree *c = t->first; c != NULL; c = c->next)
			tree_write(c, out);
		json_close_array(out);
		break;
	default: json_put_raw(out, t->text); break;
	}
}

struct text tree_print(const struct tree *t, struct scratch *scratch)
{
	size_t size, whole = limit(scratch, TREE_TEXT_MAX);
	char *to = scratch_take_rest(scratch, &size);
	struct writer w;
	struct json_writer j;

	CHECK(to != NULL);
	writer_init(&w, to, size);
	json_write_init(&j, &w);
	tree_write(t, &j);
	CHECK(!w.overflowed);
	scratch_keep(scratch, to, writer_text(&w).size);
	scratch->size = whole;
	return writer_text(&w);
}

/* ---- looking ---- */

struct tree *tree_get_text(const struct tree *object, struct text key)
{
	if (object == NULL || object->type != JSON_OBJECT)
		return NULL;
	for (struct tree *c = object->first; c != NULL; c = c->next)
		if (text_is(c->key, key))
			return c;
	return NULL;
}

struct tree *tree_get(const struct tree *object, const char *key)
{
	return tree_get_text(object, text_of(key));
}

struct tree *tree_path(const struct tree *object, const char *dotted)
{
	struct text rest = text_of(dotted), part;
	const struct tree *at = object;
	struct tree *found = NULL;

	while (text_cut(&rest, '.', &part)) {
		found = tree_get_text(at, part);
		if (found == NULL)
			return NULL;
		at = found;
	}
	return found;
}

struct text tree_text(const struct tree *object, const char *dotted)
{
	const struct tree *t = tree_path(object, dotted);

	return t == NULL || t->type != JSON_STRING ? TEXT_NONE : t->text;
}

bool tree_has(const struct tree *object, const char *dotted)
{
	const struct tree *t = tree_path(object, dotted);

	return t != NULL && t->type != JSON_NULL;
}

int64_t tree_i64(const struct tree *object, const char *dotted, int64_t otherwise)
{
	const struct tree *t = tree_path(object, dotted);
	int64_t value;

	if (t == NULL || t->type != JSON_NUMBER || !text_to_i64(t->text, &value))
		return otherwise;
	return value;
}

uint32_t tree_count(const struct tree *t)
{
	uint32_t count = 0;

	if (t != NULL)
		for (const struct tree *c = t->first; c != NULL; c = c->next)
			count++;
	return count;
}

/* ---- changing ---- */

struct tree *tree_make_text(struct text text, struct scratch *scratch)
{
	struct tree *t = tree_make(JSON_STRING, scratch);

	t->text = text.at == NULL ? TEXT("") : text;
	return t;
}

void tree_append(struct tree *array, struct tree *element)
{
	element->next = NULL;
	if (array->last != NULL)
		array->last->next = element;
	else
		array->first = element;
	array->last = element;
}

void tree_put(struct tree *object, struct text key, struct tree *value)
{
	struct tree *old = tree_get_text(object, key);

	CHECK(object->type == JSON_OBJECT);
	value->key = key;
	if (old == NULL) {
		tree_append(object, value);
		return;
	}
	if (old == value)
		return;
	value->next = old->next;
	if (object->last == old)
		object->last = value;
	if (object->first == old) {
		object->first = value;
		return;
	}
	for (struct tree *c = object->first; c != NULL; c = c->next)
		if (c->next == old)
			c->next = value;
}

void tree_put_text(struct tree *object, const char *key, struct text value, struct scratch *s)
{
	tree_put(object, text_of(key), tree_make_text(value, s));
}

void tree_put_i64(struct tree *object, const char *key, int64_t value, struct scratch *s)
{
	struct tree *t = tree_make(JSON_NUMBER, s);
	char *digits = scratch_take(s, 24);
	struct writer w;

	CHECK(digits != NULL);
	writer_init(&w, digits, 24);
	write_i64(&w, value);
	t->text = writer_text(&w);
	tree_put(object, text_of(key), t);
}

void tree_put_raw(struct tree *object, const char *key, const char *json, struct scratch *s)
{
	struct tree *t = tree_read(text_of(json), s);

	CHECK(t != NULL);
	tree_put(object, text_of(key), t);
}

struct tree *tree_want(
	struct tree *object, const char *key, enum json_type type, struct scratch *scratch)
{
	struct tree *t = tree_get(object, key);

	if (t != NULL && t->type == type)
		return t;
	t = tree_make(type, scratch);
	tree_put(object, text_of(key), t);
	return t;
}

struct tree *tree_take_child(struct tree *parent, struct tree *child)
{
	struct tree *before = NULL;

	for (struct tree *c = parent->first; c != NULL && c != child; c = c->next)
		before = c;
	if (before == NULL)
		parent->first = child->next;
	else
		before->next = child->next;
	if (parent->last == child)
		parent->last = before;
	child->next = NULL;
	return child;
}

struct tree *tree_take(struct tree *object, const char *key)
{
	struct tree *t = tree_get(object, key);

	return t == NULL ? NULL : tree_take_child(object, t);
}

void tree_lead(struct tree *object, const char *key)
{
	struct tree *t = tree_take(object, key);

	if (t == NULL)
		return;
	t->next = object->first;
	object->first = t;
	if (object->last == NULL)
		object->last = t;
}
