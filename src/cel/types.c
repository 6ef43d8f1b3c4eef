/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types, unified as upstream's checker does it.
 */
#include "cel/types.h"

/*
 * A type can hold others twice (map(a, a)), so walking one could take time without end: steps are
 * bounded, and types that hold nothing free are not walked.
 */
enum {
	TYPES_MAX = 4096,
	FREE_MAX = 4096,
	NOTES_MAX = 4096,
	TYPES_FIRST = 64,
	STEPS_MAX = 1000 * 1000
};

struct cel_types {
	struct cel_compile *c;
	struct cel_type *list;
	uint32_t count;
	uint32_t max;
	uint16_t *bound; /* of each free type: what it stands for, or 0 */
	uint32_t frees;
	uint32_t frees_max;
	uint16_t *notes; /* free type, what it stood for before: to go back */
	uint32_t notes_count;
	uint32_t steps;
};

/* As messages write it; TEXT_NONE: it has no name of its own. */
static struct text type_name(uint32_t kind)
{
	switch ((int)kind) {
	case CEL_NULL: return TEXT("null");
	case CEL_DURATION: return TEXT("duration");
	case CEL_TIMESTAMP: return TEXT("timestamp");
	case CEL_TYPE_DYN: return TEXT("dyn");
	case CEL_TYPE_ANY: return TEXT("any");
	case CEL_TYPE_FAULT: return TEXT("!error!");
	default:
		return kind > CEL_ERROR && kind < CEL_LAZY ? cel_kind_name((enum cel_kind)kind)
							   : TEXT_NONE;
	}
}

struct cel_types *cel_types_init(struct cel_compile *c)
{
	struct cel_types *types = SCRATCH_ONE(c->work, struct cel_types);
	uint32_t max = TYPES_FIRST + (uint32_t)c->limit * 6;

	if (types == NULL)
		return NULL;
	types->c = c;
	types->max = max < TYPES_MAX ? max : TYPES_MAX;
	types->frees_max = max < FREE_MAX ? max : FREE_MAX;
	types->list = SCRATCH_ARRAY(c->work, struct cel_type, types->max);
	types->bound = SCRATCH_ARRAY(c->work, uint16_t, types->frees_max);
	types->notes = SCRATCH_ARRAY(c->work, uint16_t, NOTES_MAX * 2);
	if (types->notes == NULL)
		return NULL;
	for (uint32_t i = 0; i < CEL_TYPE_PLAIN; i++)
		types->list[i].kind = (uint8_t)i;
	types->count = CEL_TYPE_PLAIN;
	return types;
}

const struct cel_type *cel_type_at(const struct cel_types *types, uint16_t type)
{
	CHECK(type < types->count);
	return &types->list[type];
}

static bool type_step(struct cel_types *types)
{
	if (types->steps++ < STEPS_MAX)
		return true;
	cel_give_up(types->c, "the expression has too many types");
	return false;
}

static uint16_t type_add(struct cel_types *types, struct cel_type type)
{
	type.is_open = type.kind == CEL_TYPE_FREE;
	for (uint32_t i = 0; i < type.count; i++)
		type.is_open = type.is_open || types->list[type.of[i]].is_open;
	for (uint32_t i = CEL_TYPE_PLAIN; i < types->count; i++) {
		const struct cel_type *old = &types->list[i];

		if (old->kind == type.kind && old->count == type.count &&
			old->of[0] == type.of[0] && old->of[1] == type.of[1] &&
			text_is(old->name, type.name))
			return (uint16_t)i;
	}
	if (types->count == types->max) {
		cel_give_up(types->c, "the expression has too many types");
		return CEL_TYPE_FAULT;
	}
	types->list[types->count] = type;
	return (uint16_t)types->count++;
}

uint16_t cel_type_make(struct cel_types *types, enum cel_kind kind, uint16_t a, uint16_t b)
{
	uint8_t count = kind == CEL_MAP ? 2 : 1;

	return type_add(types,
		(struct cel_type){
			.kind = (uint8_t)kind, .count = count, .of = {a, count == 2 ? b : 0}});
}

uint16_t cel_type_free(struct cel_types *types)
{
	if (types->frees == types->frees_max) {
		cel_give_up(types->c, "the expression has too many types");
		return CEL_TYPE_FAULT;
	}
	types->bound[types->frees] = 0;
	return type_add(
		types, (struct cel_type){.kind = CEL_TYPE_FREE, .of = {(uint16_t)types->frees++}});
}

/* ---- text ---- */

struct type_reader {
	const char *at;
	uint16_t free[26]; /* of each letter, or 0 */
	uint32_t depth;
};

static uint16_t type_named(struct cel_types *types, struct text name)
{
	for (uint16_t i = 0; i < CEL_TYPE_PLAIN; i++)
		if (name.size > 0 && text_is(name, type_name(i)))
			return i;
	for (uint32_t i = 0; i < types->c->declarations->objects_count; i++)
		if (text_is_z(name, types->c->declarations->objects[i].name))
			return type_add(
				types, (struct cel_type){.kind = CEL_TYPE_OBJECT, .name = name});
	return CEL_TYPE_FAULT;
}

/* One type; at most three levels, as declarations and signatures have them. */
static uint16_t type_read(struct cel_types *types, struct type_reader *r)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
	size_t size = strspn(r->at, letters);
	struct text name = {r->at, size};
	uint16_t of[2] = {CEL_TYPE_DYN, CEL_TYPE_DYN};
	uint16_t type;

	/* The point behind a receiver is not part of its name. */
	if (size > 0 && name.at[size - 1] == '.')
		name.size = --size;
	r->at += size;
	if (size == 1 && name.at[0] >= 'A' && name.at[0] <= 'Z') {
		uint16_t *free = &r->free[name.at[0] - 'A'];

		if (*free == 0)
			*free = cel_type_free(types);
		return *free;
	}
	type = type_named(types, name);
	if (type != CEL_LIST && type != CEL_MAP && type != CEL_TYPE && type != CEL_OPTIONAL)
		return type;
	if (*r->at != '(' || r->depth == 4)
		return type == CEL_LIST || type == CEL_OPTIONAL
			? cel_type_make(types, (enum cel_kind)type, CEL_TYPE_DYN, 0)
			: type;
	r->at++;
	r->depth++;
	of[0] = type_read(types, r);
	if (type == CEL_MAP && *r->at == ',') {
		r->at += strspn(r->at, ", ");
		of[1] = type_read(types, r);
	}
	r->depth--;
	if (*r->at++ != ')')
		return CEL_TYPE_FAULT;
	return cel_type_make(types, (enum cel_kind)type, of[0], of[1]);
}

uint16_t cel_type_parse(struct cel_types *types, const char *text)
{
	struct type_reader r = {.at = text};
	uint16_t type = type_read(types, &r);

	return *r.at == '\0' ? type : CEL_TYPE_FAULT;
}

struct cel_signature cel_type_signature(struct cel_types *types, const char *text)
{
	struct type_reader r = {.at = text};
	struct cel_signature s = {.member = *text != '('};

	if (s.member) {
		s.args[s.count++] = type_read(types, &r);
		CHECK(*r.at == '.');
		r.at++;
	}
	CHECK(*r.at == '(');
	r.at++;
	while (*r.at != ')') {
		CHECK(s.count <= CEL_SIGNATURE_ARGS);
		s.args[s.count++] = type_read(types, &r);
		r.at += strspn(r.at, ", ");
	}
	r.at++;
	s.result = type_read(types, &r);
	return s;
}

void cel_type_print(const struct cel_types *types, uint16_t type, struct writer *out)
{
	const struct cel_type *t = cel_type_at(types, type);

	if (out->overflowed)
		return;
	if (t->kind == CEL_TYPE_OBJECT) {
		write_text(out, t->name);
		return;
	}
	if (t->kind == CEL_TYPE_FREE) {
		write_format(out, "_var%u", (unsigned)t->of[0]);
		return;
	}
	write_text(out, type_name(t->kind));
	for (uint32_t i = 0; i < t->count; i++) {
		write_z(out, i == 0 ? "(" : ", ");
		cel_type_print(types, t->of[i], out);
	}
	if (t->count > 0)
		write_char(out, ')');
}

/* ---- unification ---- */

static bool type_is_wild(const struct cel_type *t)
{
	return t->kind == CEL_TYPE_DYN || t->kind == CEL_TYPE_ANY || t->kind == CEL_TYPE_FAULT;
}

static uint16_t type_bound(const struct cel_types *types, uint16_t type)
{
	const struct cel_type *t = &types->list[type];

	return t->kind == CEL_TYPE_FREE ? types->bound[t->of[0]] : 0;
}

static bool type_bind(struct cel_types *types, uint16_t free, uint16_t to)
{
	uint16_t number = types->list[free].of[0];

	if (types->notes_count == NOTES_MAX) {
		cel_give_up(types->c, "the expression has too many types");
		return false;
	}
	types->notes[types->notes_count * 2] = number;
	types->notes[types->notes_count * 2 + 1] = types->bound[number];
	types->notes_count++;
	types->bound[number] = to;
	return true;
}

/* Whether the free type occurs in the other one. */
static bool type_occurs(struct cel_types *types, uint16_t free, uint16_t in)
{
	const struct cel_type *t;

	for (; free != in && type_bound(types, in) != 0; in = type_bound(types, in))
		if (!type_step(types))
			return true;
	t = &types->list[in];
	if (free == in || !type_step(types))
		return true;
	if (!t->is_open || t->kind == CEL_TYPE_FREE)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		if (type_occurs(types, free, t->of[i]))
			return true;
	return false;
}

static bool type_is_wider(const struct cel_types *types, uint16_t a, uint16_t b)
{
	const struct cel_type *left = &types->list[a];
	const struct cel_type *right = &types->list[b];

	if (left->kind == CEL_TYPE_DYN || left->kind == CEL_TYPE_ANY || left->kind == CEL_TYPE_FREE)
		return true;
	if (right->kind == CEL_TYPE_DYN || right->kind == CEL_TYPE_ANY ||
		right->kind == CEL_TYPE_FREE || left->kind != right->kind)
		return false;
	if (left->kind == CEL_TYPE)
		return true;
	if (left->count == 0 || left->count != right->count)
		return a == b;
	for (uint32_t i = 0; i < left->count; i++)
		if (!type_is_wider(types, left->of[i], right->of[i]))
			return false;
	return true;
}

uint16_t cel_type_wider(struct cel_types *types, uint16_t a, uint16_t b)
{
	return type_is_wider(types, a, b) ? a : b;
}

static bool type_unify(struct cel_types *types, uint16_t a, uint16_t b);

/* Whether `free` can stand for the other type; *had when something was known of it. */
static bool type_substitute(struct cel_types *types, uint16_t other, uint16_t free, bool *had)
{
	uint16_t bound = type_bound(types, free);

	*had = bound != 0;
	if (other == free)
		return *had = true;
	if (bound != 0) {
		if (other == bound)
			return true;
		if (!type_unify(types, other, bound))
			return false;
		bound = cel_type_wider(types, other, bound);
		return type_occurs(types, free, bound) || type_bind(types, free, bound);
	}
	return !type_occurs(types, free, other) && type_bind(types, free, other);
}

/* What may also be null, as in upstream's first checker. */
static bool type_is_nullable(const struct cel_type *t)
{
	switch (t->kind) {
	case CEL_NULL:
	case CEL_OPTIONAL:
	case CEL_DURATION:
	case CEL_TIMESTAMP:
	case CEL_QUANTITY:
	case CEL_SEMVER:
	case CEL_IP:
	case CEL_CIDR:
	case CEL_URL:
	case CEL_FORMAT:
	case CEL_TYPE_OBJECT: return true;
	default: return false;
	}
}

static bool type_unify(struct cel_types *types, uint16_t a, uint16_t b)
{
	const struct cel_type *left = &types->list[a];
	const struct cel_type *right = &types->list[b];
	bool had;

	if (a == b)
		return true;
	if (!type_step(types))
		return false;
	if (right->kind == CEL_TYPE_FREE) {
		if (type_substitute(types, a, b, &had))
			return true;
		if (had)
			return false;
	}
	if (left->kind == CEL_TYPE_FREE)
		return type_substitute(types, b, a, &had);
	if (type_is_wild(left) || type_is_wild(right))
		return true;
	if (left->kind == CEL_NULL)
		return type_is_nullable(right);
	if (right->kind == CEL_NULL)
		return type_is_nullable(left);
	if (left->kind != right->kind)
		return false;
	if (left->kind == CEL_TYPE)
		return true;
	if (left->count != right->count || left->count == 0)
		return a == b;
	for (uint32_t i = 0; i < left->count; i++)
		if (!type_unify(types, types->list[a].of[i], types->list[b].of[i]))
			return false;
	return true;
}

bool cel_type_assign(
	struct cel_types *types, const uint16_t *from, const uint16_t *to, uint32_t count)
{
	types->notes_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (type_unify(types, from[i], to[i]))
			continue;
		while (types->notes_count > 0) {
			types->notes_count--;
			types->bound[types->notes[types->notes_count * 2]] =
				types->notes[types->notes_count * 2 + 1];
		}
		return false;
	}
	return true;
}

uint16_t cel_type_known(struct cel_types *types, uint16_t type, bool to_dyn)
{
	struct cel_type t;

	while (type_bound(types, type) != 0 && type_step(types))
		type = type_bound(types, type);
	t = *cel_type_at(types, type);
	if (!t.is_open || !type_step(types))
		return type;
	if (t.kind == CEL_TYPE_FREE)
		return to_dyn ? CEL_TYPE_DYN : type;
	for (uint32_t i = 0; i < t.count; i++)
		t.of[i] = cel_type_known(types, t.of[i], to_dyn);
	return type_add(types, t);
}
