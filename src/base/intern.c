/* SPDX-License-Identifier: GPL-2.0-only */
/* Intern: records in a pool, found through a map of hashes, bytes in a shared store. */
#include "base/intern.h"

#include <string.h>

#include "base/hash.h"

size_t intern_size(uint32_t capacity)
{
	return pool_size(sizeof(struct intern_string), capacity) + map_size(capacity);
}

void intern_init(struct intern *intern, struct arena *arena, struct store *bytes, uint32_t capacity)
{
	CHECK(bytes != NULL);
	pool_init(&intern->strings, arena, "strings", sizeof(struct intern_string), capacity);
	map_init_for(&intern->by_hash, arena, &intern->strings);
	intern->bytes = bytes;
}

static uint32_t intern_look(const struct intern *intern, struct text t, uint32_t hash)
{
	struct map_walk walk = map_walk(&intern->by_hash, hash);
	for (uint32_t id; (id = map_next(&intern->by_hash, &walk)) != 0;) {
		if (text_is(t, intern_text(intern, id)))
			return id;
	}
	return 0;
}

bool intern_find(const struct intern *intern, struct text t, uint32_t *id)
{
	*id = INTERN_EMPTY;
	if (t.size == 0)
		return true;
	*id = intern_look(intern, t, hash_bytes(t.at, t.size));
	return *id != 0;
}

static bool intern_add(struct intern *intern, struct text t, uint32_t hash, uint32_t *id)
{
	if (t.size > INTERN_SIZE_MAX) {
		intern->strings.budget.refused++;
		return false;
	}
	uint32_t added = pool_take(&intern->strings);
	if (added == 0)
		return false;
	uint32_t bytes = store_take(intern->bytes, t.size);
	if (bytes == 0) {
		pool_give(&intern->strings, added);
		return false;
	}
	memcpy(store_at(intern->bytes, bytes), t.at, t.size);
	struct intern_string *string = pool_at(&intern->strings, added);
	*string = (struct intern_string){bytes, (uint32_t)t.size, 1, hash};
	map_add(&intern->by_hash, hash, added);
	*id = added;
	return true;
}

bool intern_take(struct intern *intern, struct text t, uint32_t *id)
{
	*id = INTERN_EMPTY;
	if (t.size == 0)
		return true;
	uint32_t hash = hash_bytes(t.at, t.size);
	uint32_t known = intern_look(intern, t, hash);
	if (known == 0)
		return intern_add(intern, t, hash, id);
	intern_keep(intern, known);
	*id = known;
	return true;
}

void intern_keep(struct intern *intern, uint32_t id)
{
	if (id == INTERN_EMPTY)
		return;
	struct intern_string *string = pool_at(&intern->strings, id);
	CHECK(string->references > 0);
	CHECK(string->references < UINT32_MAX);
	string->references++;
}

void intern_give(struct intern *intern, uint32_t id)
{
	if (id == INTERN_EMPTY)
		return;
	struct intern_string *string = pool_at(&intern->strings, id);
	CHECK(string->references > 0);
	string->references--;
	if (string->references > 0)
		return;
	map_remove(&intern->by_hash, string->hash, id);
	store_give(intern->bytes, string->bytes);
	pool_give(&intern->strings, id);
}

uint32_t intern_references(const struct intern *intern, uint32_t id)
{
	if (id == INTERN_EMPTY)
		return 0;
	const struct intern_string *string = pool_at(&intern->strings, id);
	return string->references;
}

void intern_audit(const struct intern *intern)
{
	pool_audit(&intern->strings);
	map_audit(&intern->by_hash);
	CHECK(intern->by_hash.used == pool_used(&intern->strings));
	const struct pool *strings = &intern->strings;
	for (uint32_t id = pool_next(strings, 0); id != 0; id = pool_next(strings, id)) {
		const struct intern_string *string = pool_at(strings, id);
		struct text t = intern_text(intern, id);
		CHECK(string->references > 0);
		CHECK(string->size <= store_size(intern->bytes, string->bytes));
		CHECK(string->hash == hash_bytes(t.at, t.size));
		CHECK(intern_look(intern, t, string->hash) == id);
	}
}
