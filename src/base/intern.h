/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interned strings: equal text has the same 32-bit id, so that matching labels is comparing
 * integers. Ids are counted references; an id whose count falls to zero is free for reuse.
 * Id 0 is the empty string: always there, never counted.
 */
#ifndef BERTH_BASE_INTERN_H
#define BERTH_BASE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/store.h"
#include "base/text.h"

enum { INTERN_EMPTY = 0, INTERN_SIZE_MAX = 1 << 20 };

struct intern_string {
	uint32_t bytes; /* in the store */
	uint32_t size;
	uint32_t references;
	uint32_t hash;
};

struct intern {
	struct pool strings; /* of struct intern_string */
	struct map by_hash;
	struct store *bytes; /* shared with other owners */
};

/* `bytes` stays where it is; hash_seed() comes before. */
void intern_init(
	struct intern *intern, struct arena *arena, struct store *bytes, uint32_t capacity);
size_t intern_size(uint32_t capacity);

/*
 * The id of the text with one more reference. False when full or longer than INTERN_SIZE_MAX
 * (nothing is changed; the refusal is counted in the pool or the store).
 */
MUST_USE bool intern_take(struct intern *intern, struct text t, uint32_t *id);
void intern_keep(struct intern *intern, uint32_t id); /* one more reference */
void intern_give(struct intern *intern, uint32_t id); /* one less */

/* The id without taking a reference; false when the text is not interned. */
bool intern_find(const struct intern *intern, struct text t, uint32_t *id);

/* Good until the last reference is given back. */
static inline struct text intern_text(const struct intern *intern, uint32_t id)
{
	if (id == INTERN_EMPTY)
		return TEXT("");
	const struct intern_string *string = pool_at(&intern->strings, id);
	return (struct text){store_at(intern->bytes, string->bytes), string->size};
}

uint32_t intern_references(const struct intern *intern, uint32_t id); /* 0 for INTERN_EMPTY */
void intern_audit(const struct intern *intern); /* CHECKs that every id is found; for tests */

#endif
