/* SPDX-License-Identifier: GPL-2.0-only */
/* The registry: objects, versions, the past; against a plain list of everything that happened. */
// deps: base/*.c tools/apisim/registry.c
#include "apisim/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "base/entropy.h"

enum {
	SIZE = 4 << 20,
	SCRATCH = 1 << 20,
	HISTORY = 200,
	NAMES = 30,
	STEPS = 3000,
	KINDS = 2,
	FIRST = 41
};

static void *memory, *scratch_memory;
static struct registry r;
static struct scratch scratch;

void setUp(void)
{
	memory = calloc(1, SIZE);
	scratch_memory = malloc(SCRATCH);
	registry_init(&r, memory, SIZE, HISTORY, FIRST);
	scratch_init(&scratch, scratch_memory, SCRATCH);
}

void tearDown(void)
{
	struct arena arena;

	arena_init(&arena, memory, SIZE);
	free(memory);
	arena_init(&arena, scratch_memory, SCRATCH);
	free(scratch_memory);
}

static struct text json_of(char *to, size_t size, const char *more)
{
	snprintf(to, size, "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"%llu\"}%s}",
		(unsigned long long)(r.version + 1), more);
	return text_of(to);
}

static void put(uint32_t resource, const char *key, const char *node, const char *phase)
{
	char text[256];
	struct registry_state state = {.key = text_of(key),
		.json = json_of(text, sizeof(text), ",\"spec\":{}"),
		.node = text_of(node),
		.phase = text_of(phase)};

	TEST_ASSERT_TRUE(registry_put(&r, resource, &state));
}

static void remove_key(uint32_t resource, const char *key)
{
	char text[256];

	TEST_ASSERT_TRUE(
		registry_delete(&r, resource, text_of(key), json_of(text, sizeof(text), "")));
}

static void objects_come_change_and_go(void)
{
	put(1, "b/x", "", "");
	put(1, "a/y", "n1", "Pending");
	put(1, "a-b/z", "", "");
	TEST_ASSERT_EQUAL_UINT32(3, registry_count(&r, 1));
	TEST_ASSERT_EQUAL_UINT32(0, registry_count(&r, 2));
	/* By the bytes of the keys: '-' comes before '/'. */
	const struct revision *first = registry_revision(&r, registry_nth(&r, 1, 0));
	TEST_ASSERT_TRUE(text_is(revision_key(first), TEXT("a-b/z")));
	const struct revision *y = registry_revision(&r, registry_find(&r, 1, TEXT("a/y")));
	TEST_ASSERT_TRUE(text_is(revision_namespace(y), TEXT("a")));
	TEST_ASSERT_TRUE(text_is(revision_name(y), TEXT("y")));
	TEST_ASSERT_TRUE(text_is(revision_node(y), TEXT("n1")));
	TEST_ASSERT_TRUE(text_is(revision_phase(y), TEXT("Pending")));
	TEST_ASSERT_EQUAL_UINT64(FIRST + 2, y->version);
	TEST_ASSERT_TRUE(text_is(
		(struct text){revision_json(y).at + y->version_at, y->version_size}, TEXT("43")));
	put(1, "a/y", "n2", "Running");
	remove_key(1, "b/x");
	TEST_ASSERT_EQUAL_UINT32(0, registry_find(&r, 1, TEXT("b/x")));
	const struct registry_change *change = registry_change(&r, r.version);
	TEST_ASSERT_TRUE(change->deleted);
	TEST_ASSERT_TRUE(change->before != 0 && change->after != 0);
	change = registry_change(&r, FIRST + 4);
	TEST_ASSERT_TRUE(text_is(revision_node(registry_revision(&r, change->before)), TEXT("n1")));
	TEST_ASSERT_NULL(registry_change(&r, FIRST));
	TEST_ASSERT_NULL(registry_change(&r, r.version + 1));
	registry_compact(&r, r.version);
	TEST_ASSERT_NULL(registry_change(&r, r.version));
	TEST_ASSERT_EQUAL_UINT32(2, registry_count(&r, 1));
}

/* What was where, written down plainly. */
static uint64_t book[STEPS + 1][KINDS][NAMES];

static void compare(uint64_t version, uint32_t kind)
{
	uint32_t count, expected = 0;
	const uint64_t *names = book[version - FIRST][kind];

	scratch_reset(&scratch);
	const uint32_t *list = registry_at(&r, kind, version, &scratch, &count);
	for (uint32_t name = 0; name < NAMES; name++) {
		char key[32];

		if (names[name] == 0)
			continue;
		snprintf(key, sizeof(key), "ns/%02u", (unsigned)name);
		TEST_ASSERT_TRUE(expected < count);
		const struct revision *state = registry_revision(&r, list[expected++]);
		TEST_ASSERT_TRUE(text_is_z(revision_key(state), key));
		TEST_ASSERT_EQUAL_UINT64(names[name], state->version);
	}
	TEST_ASSERT_EQUAL_UINT32(expected, count);
}

/* Step i of a life of its own: something comes, changes or goes. */
static void step(struct random *random, uint32_t i, uint32_t *kind)
{
	uint32_t name = random_below(random, NAMES);
	char key[32];

	*kind = random_below(random, KINDS);
	snprintf(key, sizeof(key), "ns/%02u", (unsigned)name);
	memcpy(book[i], book[i - 1], sizeof(book[i]));
	if (book[i][*kind][name] != 0 && random_below(random, 3) == 0) {
		remove_key(*kind, key);
		book[i][*kind][name] = 0;
	} else {
		put(*kind, key, "", "");
		book[i][*kind][name] = r.version;
	}
	TEST_ASSERT_EQUAL_UINT64(FIRST + i, r.version);
}

static void the_past_is_as_it_was(void)
{
	struct random random;

	random_init(&random, 5);
	memset(book[0], 0, sizeof(book[0]));
	for (uint32_t i = 1; i <= STEPS; i++) {
		uint32_t kind;

		step(&random, i, &kind);
		uint64_t back = random_below(&random, (uint32_t)(r.version + 2 - r.oldest));
		compare(r.version - back, kind);
		if (random_below(&random, 500) == 0)
			registry_compact(&r, r.version - 3);
	}
	/* The oldest state is the one before the oldest change. */
	compare(r.oldest - 1, 0);
	TEST_ASSERT_TRUE(r.version - r.oldest < HISTORY);
	store_audit(&r.store);
}

/* What was undone never was, and the same versions are given again. */
static void changes_are_taken_back(void)
{
	struct random random;
	uint32_t kind;

	random_init(&random, 6);
	memset(book[0], 0, sizeof(book[0]));
	for (uint32_t i = 1; i <= STEPS; i++) {
		step(&random, i, &kind);
		if (random_below(&random, 30) != 0)
			continue;
		uint32_t undone = random_below(&random, 60);
		uint64_t oldest = r.oldest - 1, to = r.version < undone ? 0 : r.version - undone;

		registry_set_back(&r, to);
		TEST_ASSERT_EQUAL_UINT64(to < oldest ? oldest : to, r.version);
		i = (uint32_t)(r.version - FIRST);
		for (kind = 0; kind < KINDS; kind++)
			compare(r.version, kind);
		compare(r.oldest - 1, 0);
		store_audit(&r.store);
		if (random_below(&random, 20) == 0)
			break;
	}
	registry_compact(&r, r.version);
	for (kind = 0; kind < KINDS; kind++)
		for (uint32_t name = 0; name < NAMES; name++) {
			char key[32];

			snprintf(key, sizeof(key), "ns/%02u", (unsigned)name);
			if (registry_find(&r, kind, text_of(key)) != 0)
				remove_key(kind, key);
		}
	registry_compact(&r, r.version);
	TEST_ASSERT_EQUAL_UINT32(KINDS, store_audit(&r.store));
}

static void nothing_is_lost(void)
{
	for (int round = 0; round < 3; round++) {
		put(1, "a/x", "", "");
		put(1, "a/x", "", "");
		remove_key(1, "a/x");
	}
	registry_compact(&r, r.version);
	/* What is left is the list of the shelf. */
	TEST_ASSERT_EQUAL_UINT32(1, store_audit(&r.store));
	put(1, "a/x", "", "");
	uint32_t held = registry_find(&r, 1, TEXT("a/x"));
	registry_hold(&r, held);
	remove_key(1, "a/x");
	registry_compact(&r, r.version);
	TEST_ASSERT_TRUE(text_is(revision_name(registry_revision(&r, held)), TEXT("x")));
	registry_let_go(&r, held);
	TEST_ASSERT_EQUAL_UINT32(1, store_audit(&r.store));
}

static void a_full_registry_gives_up_the_past(void)
{
	static char text[64 * 1024];
	char more[32];
	uint32_t kept = 0;
	struct registry_state state = {.node = TEXT(""), .phase = TEXT("")};

	for (;; kept++) {
		int head = snprintf(text, sizeof(text),
			"{\"metadata\":{\"resourceVersion\":\"%llu\"},\"x\":\"",
			(unsigned long long)(r.version + 1));

		memset(text + head, 'x', 50000);
		snprintf(text + head + 50000, 8, "\"}");
		snprintf(more, sizeof(more), "k%04u", (unsigned)kept);
		state.key = text_of(more);
		state.json = text_of(text);
		if (!registry_put(&r, 1, &state))
			break;
		TEST_ASSERT_TRUE(kept < 1000);
	}
	TEST_ASSERT_TRUE(kept > 50);
	TEST_ASSERT_EQUAL_UINT64(r.version + 1, r.oldest);
	TEST_ASSERT_EQUAL_UINT32(kept, registry_count(&r, 1));
	for (uint32_t i = 0; i < 3; i++) {
		snprintf(more, sizeof(more), "k%04u", (unsigned)i);
		/* Even to delete takes a little room. */
		remove_key(1, more);
	}
	TEST_ASSERT_EQUAL_UINT32(kept - 3, registry_count(&r, 1));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(objects_come_change_and_go);
	RUN_TEST(the_past_is_as_it_was);
	RUN_TEST(changes_are_taken_back);
	RUN_TEST(nothing_is_lost);
	RUN_TEST(a_full_registry_gives_up_the_past);
	return UNITY_END();
}
