/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types: each distinct one has one number, so that equal types are equal numbers; and what is known
 * of the free ones, which names of functions' signatures bring in. For cel/ only.
 */
#ifndef BERTH_CEL_TYPES_H
#define BERTH_CEL_TYPES_H

#include "cel/program.h"

/* Numbers of the types without parameters; kinds of values are among them. */
enum {
	CEL_TYPE_DYN = CEL_KINDS,
	CEL_TYPE_ANY,
	CEL_TYPE_FAULT, /* of what was refused; goes with everything */
	CEL_TYPE_FREE,  /* kinds, not numbers: these two have names */
	CEL_TYPE_OBJECT,
	CEL_TYPE_PLAIN
};

struct cel_type {
	uint8_t kind; /* enum cel_kind or one of the above */
	uint8_t count;
	bool is_open; /* holds free types */
	uint16_t of[2];
	struct text name; /* CEL_TYPE_OBJECT */
};

struct cel_types;

enum { CEL_SIGNATURE_ARGS = 4 };

struct cel_signature {
	bool member;
	uint8_t count;
	uint16_t args[CEL_SIGNATURE_ARGS + 1]; /* the receiver first */
	uint16_t result;
};

struct cel_types *cel_types_init(struct cel_compile *c);
const struct cel_type *cel_type_at(const struct cel_types *types, uint16_t type);
uint16_t cel_type_make(struct cel_types *types, enum cel_kind kind, uint16_t a, uint16_t b);
uint16_t cel_type_free(struct cel_types *types);
/* Of a declaration; CEL_TYPE_FAULT when the text is none. */
uint16_t cel_type_parse(struct cel_types *types, const char *text);
/* "[type.](type, ...)type"; capital letters are free types, new ones each time. */
struct cel_signature cel_type_signature(struct cel_types *types, const char *text);
void cel_type_print(const struct cel_types *types, uint16_t type, struct writer *out);

/* Whether all of `from` can stand where `to` is asked for; learns about free types if so. */
bool cel_type_assign(
	struct cel_types *types, const uint16_t *from, const uint16_t *to, uint32_t count);
/* The type with all that is known; free ones that are unknown become dyn if asked. */
uint16_t cel_type_known(struct cel_types *types, uint16_t type, bool to_dyn);
/* Of two that go together. */
uint16_t cel_type_wider(struct cel_types *types, uint16_t a, uint16_t b);

#endif
