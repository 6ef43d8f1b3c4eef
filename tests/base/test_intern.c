/* SPDX-License-Identifier: GPL-2.0-only */
/* Intern: sameness, references, ids used again, both ways of being full, random steps. */
// deps: base/intern.c base/hash.c base/map.c base/pool.c base/store.c base/text.c base/arena.c
// deps: base/format.c
// deps: base/memory.c base/entropy.c base/check.c base/budget.c base/trace.c
// deps: base/pages.c
#include "base/intern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"
#include "base/hash.h"
#include "base/poison.h"
#include "check_expected.h"
#include "unity.h"

static _Alignas(16) uint8_t block[64 * 1024];
static _Alignas(16) uint8_t bytes[64 * 1024];
static struct arena arena;
static struct store store;
static struct intern intern;

static void start(uint32_t capacity, size_t store_bytes)
{
	budget_reset();
	arena_init(&arena, block, sizeof(block));
	store_init(&store, "bytes", bytes, store_bytes);
	intern_init(&intern, &arena, &store, capacity);
	TEST_ASSERT_LESS_OR_EQUAL_size_t(intern_size(capacity), sizeof(block) - arena_left(&arena));
}

void setUp(void)
{
	start(100, sizeof(bytes));
}

void tearDown(void)
{
	poison_lift(block, sizeof(block));
	poison_lift(bytes, sizeof(bytes));
}

static uint32_t take(struct text t)
{
	uint32_t id;
	TEST_ASSERT_TRUE(intern_take(&intern, t, &id));
	return id;
}

static void test_same_text_same_id(void)
{
	char copy[] = "app";
	uint32_t app = take(TEXT("app"));
	uint32_t web = take(TEXT("web"));
	TEST_ASSERT_NOT_EQUAL(INTERN_EMPTY, app);
	TEST_ASSERT_NOT_EQUAL(app, web);
	TEST_ASSERT_EQUAL_UINT32(app, take(text_of(copy)));
	TEST_ASSERT_EQUAL_UINT32(2, intern_references(&intern, app));
	TEST_ASSERT_EQUAL_UINT32(1, intern_references(&intern, web));
	copy[0] = 'x'; /* the text is a copy of its own */
	TEST_ASSERT_TRUE(text_is(TEXT("app"), intern_text(&intern, app)));
	intern_audit(&intern);
}

static void test_empty_is_always_there(void)
{
	uint32_t id = 5;
	TEST_ASSERT_EQUAL_UINT32(INTERN_EMPTY, take(TEXT("")));
	TEST_ASSERT_EQUAL_UINT32(INTERN_EMPTY, take(TEXT_NONE));
	TEST_ASSERT_TRUE(intern_find(&intern, TEXT(""), &id));
	TEST_ASSERT_EQUAL_UINT32(INTERN_EMPTY, id);
	intern_keep(&intern, INTERN_EMPTY);
	intern_give(&intern, INTERN_EMPTY);
	intern_give(&intern, INTERN_EMPTY);
	TEST_ASSERT_EQUAL_UINT32(0, intern_references(&intern, INTERN_EMPTY));
	TEST_ASSERT_EQUAL_size_t(0, intern_text(&intern, INTERN_EMPTY).size);
	TEST_ASSERT_NOT_NULL(intern_text(&intern, INTERN_EMPTY).at);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&intern.strings));
}

static void test_references(void)
{
	uint32_t id = take(TEXT("zone"));
	uint32_t found;
	intern_keep(&intern, id);
	intern_give(&intern, id);
	TEST_ASSERT_TRUE(intern_find(&intern, TEXT("zone"), &found));
	TEST_ASSERT_EQUAL_UINT32(id, found);
	TEST_ASSERT_EQUAL_UINT32(1, intern_references(&intern, id));
	intern_give(&intern, id);
	TEST_ASSERT_FALSE(intern_find(&intern, TEXT("zone"), &found));
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.used);
	CHECK_EXPECTED((intern_give(&intern, id), 0));
	CHECK_EXPECTED((intern_keep(&intern, id), 0));
	CHECK_EXPECTED((intern_text(&intern, id), 0));
}

static void test_ids_are_used_again(void)
{
	uint32_t id = take(TEXT("old"));
	intern_give(&intern, id);
	TEST_ASSERT_EQUAL_UINT32(id, take(TEXT("new")));
	TEST_ASSERT_TRUE(text_is(TEXT("new"), intern_text(&intern, id)));
	uint32_t found;
	TEST_ASSERT_FALSE(intern_find(&intern, TEXT("old"), &found));
	intern_audit(&intern);
}

static void test_bytes_of_any_value(void)
{
	static const char odd[] = {'a', '\0', 'b', (char)0xff, '\0'};
	uint32_t id = take((struct text){odd, sizeof(odd)});
	uint32_t shorter = take((struct text){odd, sizeof(odd) - 1});
	TEST_ASSERT_NOT_EQUAL(id, shorter);
	TEST_ASSERT_EQUAL_size_t(sizeof(odd), intern_text(&intern, id).size);
	TEST_ASSERT_EQUAL_MEMORY(odd, intern_text(&intern, id).at, sizeof(odd));
}

static void test_no_more_strings(void)
{
	char name[16];
	uint32_t id = 9;
	start(3, 4096);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		take(text_of(name));
	}
	TEST_ASSERT_FALSE(intern_take(&intern, TEXT("s3"), &id));
	TEST_ASSERT_EQUAL_UINT32(INTERN_EMPTY, id);
	TEST_ASSERT_EQUAL_UINT64(1, intern.strings.budget.refused);
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.refused);
	take(TEXT("s1")); /* what is known still works */
	intern_audit(&intern);
	intern_give(&intern, take(TEXT("s0")));
	uint32_t s0 = take(TEXT("s0"));
	for (int i = 0; i < 2; i++)
		intern_give(&intern, s0);
	TEST_ASSERT_TRUE(intern_take(&intern, TEXT("s3"), &id));
}

static void test_no_more_bytes(void)
{
	static char large[3000];
	uint32_t id;
	start(10, 4096);
	memset(large, 'x', sizeof(large));
	uint32_t first = take((struct text){large, sizeof(large)});
	large[0] = 'y';
	TEST_ASSERT_FALSE(intern_take(&intern, (struct text){large, sizeof(large)}, &id));
	TEST_ASSERT_EQUAL_UINT64(1, store.budget.refused);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&intern.strings));
	intern_audit(&intern);
	intern_give(&intern, first);
	TEST_ASSERT_TRUE(intern_take(&intern, (struct text){large, sizeof(large)}, &id));
}

static void test_too_long_is_refused(void)
{
	size_t size = (size_t)INTERN_SIZE_MAX + 1;
	char *large = malloc(size);
	TEST_ASSERT_NOT_NULL(large);
	memset(large, 'x', size);
	uint32_t id;
	TEST_ASSERT_FALSE(intern_take(&intern, (struct text){large, size}, &id));
	TEST_ASSERT_EQUAL_UINT64(1, intern.strings.budget.refused);
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.refused);
	free(large);
}

static void test_random_steps(void)
{
	enum { TEXTS = 400, CAPACITY = 200, STEPS = 200 * 1000, REFS_MAX = 3 };
	static struct {
		char text[300];
		uint32_t id;
		uint32_t references;
	} model[TEXTS];
	struct random random;
	uint32_t known = 0;
	random_init(&random, 8);
	hash_seed(8);
	start(CAPACITY, 20 * 1024);
	for (int i = 0; i < TEXTS; i++) {
		uint32_t tail = random_below(&random, 10) == 0 ? 280 : random_below(&random, 30);
		int head = snprintf(model[i].text, sizeof(model[i].text), "%d-", i);
		memset(model[i].text + head, 'x', tail);
		model[i].text[(uint32_t)head + tail] = '\0';
		model[i].references = 0;
	}
	for (uint32_t step = 1; step <= STEPS; step++) {
		uint32_t i = random_below(&random, TEXTS);
		bool filling = step / 5000 % 2 == 0;
		struct text t = text_of(model[i].text);
		uint32_t id;
		TEST_ASSERT_EQUAL(model[i].references > 0, intern_find(&intern, t, &id));
		if (model[i].references > 0) {
			TEST_ASSERT_EQUAL_UINT32(model[i].id, id);
			TEST_ASSERT_TRUE(text_is(t, intern_text(&intern, id)));
			TEST_ASSERT_EQUAL_UINT32(
				model[i].references, intern_references(&intern, id));
		}
		if (model[i].references < REFS_MAX &&
			random_below(&random, 10) < (filling ? 7u : 3u)) {
			bool taken = intern_take(&intern, t, &id);
			if (!taken) {
				TEST_ASSERT_EQUAL_UINT32(0, model[i].references);
				TEST_ASSERT_TRUE(known == CAPACITY ||
					store.budget.used > store.budget.capacity / 2);
				continue;
			}
			known += model[i].references == 0;
			model[i].id = id;
			model[i].references++;
		} else if (model[i].references > 0) {
			intern_give(&intern, model[i].id);
			model[i].references--;
			known -= model[i].references == 0;
		}
		TEST_ASSERT_EQUAL_UINT32(known, pool_used(&intern.strings));
		if (step % 2000 == 0) {
			intern_audit(&intern);
			TEST_ASSERT_EQUAL_UINT32(known, store_audit(&store));
		}
	}
	TEST_ASSERT_TRUE(intern.strings.budget.refused + store.budget.refused > 0);
	for (int i = 0; i < TEXTS; i++) {
		for (; model[i].references > 0; model[i].references--)
			intern_give(&intern, model[i].id);
	}
	TEST_ASSERT_EQUAL_UINT64(0, store.budget.used);
	intern_audit(&intern);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_same_text_same_id);
	RUN_TEST(test_empty_is_always_there);
	RUN_TEST(test_references);
	RUN_TEST(test_ids_are_used_again);
	RUN_TEST(test_bytes_of_any_value);
	RUN_TEST(test_no_more_strings);
	RUN_TEST(test_no_more_bytes);
	RUN_TEST(test_too_long_is_refused);
	RUN_TEST(test_random_steps);
	return UNITY_END();
}
