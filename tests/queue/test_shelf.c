/* SPDX-License-Identifier: GPL-2.0-only */
/* Shelf: order, names, and what 100,000 pods cost. */
// deps: queue/shelf.c base/arena.c base/heap.c base/pool.c base/map.c base/hash.c base/memory.c
// deps: base/check.c base/format.c base/budget.c base/trace.c base/entropy.c base/intern.c
// deps: base/pages.c base/store.c base/text.c
#include "queue/shelf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unity.h"

enum { SMALL = 64, MANY = 100 * 1000, STRINGS = 4096, STORE = 1 << 20 };

static void *block;
static struct arena arena;
static struct store store;
static struct intern strings;
static struct shelf shelf;
static int64_t now_us;

static void open_shelf(uint32_t capacity)
{
	size_t size = shelf_size(capacity) + intern_size(STRINGS) + STORE + 4096;
	free(block);
	block = aligned_alloc(16, (size + 15) / 16 * 16);
	TEST_ASSERT_NOT_NULL(block);
	budget_reset();
	arena_init(&arena, block, size);
	store_init(&store, "texts", arena_take(&arena, STORE), STORE);
	intern_init(&strings, &arena, &store, STRINGS);
	shelf_init(&shelf, &arena, &strings, capacity, (struct mono){0});
	now_us = 0;
}

void setUp(void)
{
	open_shelf(SMALL);
}

void tearDown(void)
{
	shelf_audit(&shelf);
	free(block);
	block = NULL;
}

static uint32_t put_of(const char *namespace, const char *name, int32_t priority, uint32_t flags)
{
	struct shelf_entry entry = {.namespace = text_of(namespace),
		.name = text_of(name),
		.uid = {1, 2},
		.priority = priority,
		.flags = (uint8_t)flags};
	now_us += CLOCK_S_US;
	return shelf_put(&shelf, &entry, (struct mono){now_us});
}

static uint32_t put(const char *name, int32_t priority, uint32_t flags)
{
	return put_of("team", name, priority, flags);
}

static void take(const char *name)
{
	char room[SHELF_NAME_MAX];
	char text[SHELF_NAME_MAX + 1];
	uint32_t first = shelf_first(&shelf);
	TEST_ASSERT_NOT_EQUAL(0, first);
	TEST_ASSERT_TRUE(text_copy(
		shelf_name(&shelf, shelf_pod_at(&shelf, first), room), text, sizeof(text)));
	TEST_ASSERT_EQUAL_STRING(name, text);
	shelf_remove(&shelf, first);
}

static void test_shelf_when_pods_differ_then_the_most_important_is_first(void)
{
	put("tried-1", 0, SHELF_TRIED);
	put("gated-1", 100, SHELF_GATED);
	put("low-1", -5, 0);
	put("new-1", 0, 0);
	put("new-2", 0, 0);
	put("high-1", 7, SHELF_TRIED);
	TEST_ASSERT_EQUAL_UINT32(1, shelf.gated);
	TEST_ASSERT_EQUAL_UINT32(5, shelf.unreported);
	take("high-1");
	take("new-1");
	take("new-2");
	take("tried-1");
	take("low-1");
	take("gated-1");
	TEST_ASSERT_EQUAL_UINT32(0, shelf_first(&shelf));
	TEST_ASSERT_EQUAL_UINT32(0, shelf.gated + shelf.unreported);
}

/* As they go back: asked for, and then there. */
static void take_back(const char *name)
{
	shelf_set(&shelf, shelf_first(&shelf), SHELF_ASKED, true);
	uint32_t index = shelf_find(&shelf, TEXT("team"), text_of(name));
	if (index == 0)
		index = shelf_find(&shelf, TEXT("other"), text_of(name));
	TEST_ASSERT_NOT_EQUAL(0, index);
	TEST_ASSERT_TRUE((shelf_pod_at(&shelf, index)->flags & SHELF_ASKED) != 0);
	shelf_remove(&shelf, index);
}

static void test_shelf_when_a_namespace_has_many_then_others_have_their_turns(void)
{
	char name[32];
	for (uint32_t i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "team-%02u", (unsigned)i);
		put(name, 0, 0);
	}
	put_of("other", "other-00", 0, 0);
	put_of("other", "other-01", 0, 0);
	take_back("team-00");
	take_back("other-00");
	take_back("team-01");
	put_of("other", "other-02", 0, 0);
	take_back("other-01");
	take_back("other-02");
	take_back("team-02");
	for (uint32_t i = 3; i < 30; i++) {
		snprintf(name, sizeof(name), "team-%02u", (unsigned)i);
		take_back(name);
	}
	put_of("other", "other-03", 0, 0);
	take_back("other-03");
	take_back("team-30");
}

static void test_shelf_when_the_least_important_go_then_the_others_stay_together(void)
{
	char name[32];
	for (uint32_t i = 0; i < SMALL; i++) {
		snprintf(name, sizeof(name), "p-%u", (unsigned)i);
		put(name, (int32_t)(i % 4), 0);
	}
	const struct shelf_entry high = {
		.namespace = TEXT("other"), .name = TEXT("high-1"), .priority = 9};
	const struct shelf_entry low = {
		.namespace = TEXT("other"), .name = TEXT("low-1"), .priority = -9};
	TEST_ASSERT_EQUAL_UINT32(0, shelf_least(&shelf, &low));
	for (uint32_t left = SMALL - 1; left >= SMALL / 4; left--) {
		TEST_ASSERT_EQUAL_UINT32(1, shelf_drop(&shelf, shelf_least(&shelf, &high)));
		TEST_ASSERT_EQUAL_UINT32(left, shelf_count(&shelf));
		TEST_ASSERT_EQUAL_UINT32(left, pool_top(&shelf.pods));
		shelf_audit(&shelf);
	}
	for (uint32_t i = pool_next(&shelf.pods, 0); i != 0; i = pool_next(&shelf.pods, i))
		TEST_ASSERT_EQUAL_INT32(3, shelf_pod_at(&shelf, i)->priority);
	/* One that is on its way back is not dropped under way. */
	while (shelf_count(&shelf) > 1)
		TEST_ASSERT_EQUAL_UINT32(1, shelf_drop(&shelf, shelf_least(&shelf, NULL)));
	shelf_set(&shelf, shelf_first(&shelf), SHELF_ASKED, true);
	TEST_ASSERT_EQUAL_UINT32(0, shelf_least(&shelf, NULL));
}

static void test_shelf_when_one_was_asked_for_then_the_next_is_first(void)
{
	uint32_t a = put("a", 1, 0);
	put("b", 0, 0);
	shelf_set(&shelf, a, SHELF_ASKED, true);
	take("b");
	shelf_set(&shelf, a, SHELF_ASKED, false);
	put("b", 0, 0);
	take("a");
}

static void test_shelf_when_a_pod_comes_again_then_what_is_known_of_it_stays(void)
{
	uint32_t a = put("web-1-x", 0, SHELF_TRIED);
	put("web-1-y", 0, SHELF_TRIED);
	shelf_set(&shelf, a, SHELF_REPORTED | SHELF_ASKED, true);
	TEST_ASSERT_EQUAL_UINT32(a, put("web-1-x", 0, SHELF_GATED));
	const struct shelf_pod *pod = shelf_pod_at(&shelf, a);
	TEST_ASSERT_EQUAL_UINT8(SHELF_TRIED | SHELF_REPORTED | SHELF_GATED, pod->flags);
	TEST_ASSERT_EQUAL_UINT16(1, pod->since_s);
	TEST_ASSERT_EQUAL_UINT32(1, shelf.unreported);
	/* Of the same name, and another pod. */
	struct shelf_entry other = {
		.namespace = TEXT("team"), .name = TEXT("web-1-x"), .uid = {3, 4}};
	TEST_ASSERT_EQUAL_UINT32(a, shelf_put(&shelf, &other, (struct mono){now_us}));
	TEST_ASSERT_EQUAL_UINT8(0, shelf_pod_at(&shelf, a)->flags);
	TEST_ASSERT_EQUAL_UINT32(2, shelf.unreported);
	shelf_send_back(&shelf, a, (struct mono){now_us + CLOCK_S_US});
	take("web-1-x"); /* not tried comes first, whenever it came */
	take("web-1-y");
}

static void test_shelf_when_names_are_odd_then_each_is_found(void)
{
	static const char *const names[] = {"a", "a-", "a-b", "-", "-b", "a--b", "a-12345678",
		"a-123456789", "1234567", "12345678", "123456789", "a-1234567"};
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++)
		TEST_ASSERT_NOT_EQUAL(0, put(names[i], 0, 0));
	TEST_ASSERT_EQUAL_UINT32(ARRAY_COUNT(names), shelf_count(&shelf));
	for (uint32_t i = 0; i < ARRAY_COUNT(names); i++) {
		uint32_t found = shelf_find(&shelf, TEXT("team"), text_of(names[i]));
		TEST_ASSERT_NOT_EQUAL(0, found);
		TEST_ASSERT_EQUAL_UINT32(0, shelf_find(&shelf, TEXT("other"), text_of(names[i])));
		shelf_remove(&shelf, found);
		TEST_ASSERT_EQUAL_UINT32(0, shelf_find(&shelf, TEXT("team"), text_of(names[i])));
		shelf_audit(&shelf);
	}
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&strings.strings));
}

static void test_shelf_when_it_is_full_then_nothing_is_changed(void)
{
	char name[32];
	for (uint32_t i = 0; i < SMALL; i++) {
		snprintf(name, sizeof(name), "p-%u", (unsigned)i);
		TEST_ASSERT_NOT_EQUAL(0, put(name, 0, 0));
	}
	TEST_ASSERT_EQUAL_UINT32(0, put("one-more", 9, 0));
	TEST_ASSERT_NOT_EQUAL(0, put("p-3", 9, 0)); /* it is there */
	TEST_ASSERT_EQUAL_UINT32(SMALL, shelf_count(&shelf));
	take("p-3");
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&strings.strings));
}

/* In committed pages of a budget, as they are when the program runs. */
static void test_shelf_when_it_holds_100000_then_a_few_megabytes_are_enough(void)
{
	static struct page_budget budget;
	static struct arena space;
	size_t size = shelf_size(MANY) + intern_size(MANY) + store_arena_size(64 << 20) + 65536;
	char name[64];
	budget_reset();
	void *memory = memory_reserve(size);
	TEST_ASSERT_NOT_NULL(memory);
	page_budget_init(&budget, 64 << 20, 0);
	arena_init_counted(&space, memory, size, &budget);
	store_init_for(&store, &space, "texts", 64 << 20);
	intern_init(&strings, &space, &store, MANY);
	shelf_init(&shelf, &space, &strings, MANY, (struct mono){0});
	uint64_t before = budget.budget.used;
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "workload-%u-7f9c6d-%05u", (unsigned)(i / 50),
			(unsigned)(i * 7919 % 100000));
		TEST_ASSERT_NOT_EQUAL(0, put(name, (int32_t)(i % 3), 0));
	}
	uint64_t each = (budget.budget.used - before) / MANY;
	TEST_ASSERT_LESS_THAN_UINT64_MESSAGE(75, each, "bytes of a shelved pod");
	shelf_audit(&shelf);
	for (uint32_t i = 0; i < MANY; i++)
		shelf_remove(&shelf, shelf_first(&shelf));
	page_budget_audit(&budget);
	memory_release(memory, size);
	open_shelf(SMALL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_shelf_when_pods_differ_then_the_most_important_is_first);
	RUN_TEST(test_shelf_when_a_namespace_has_many_then_others_have_their_turns);
	RUN_TEST(test_shelf_when_the_least_important_go_then_the_others_stay_together);
	RUN_TEST(test_shelf_when_one_was_asked_for_then_the_next_is_first);
	RUN_TEST(test_shelf_when_a_pod_comes_again_then_what_is_known_of_it_stays);
	RUN_TEST(test_shelf_when_names_are_odd_then_each_is_found);
	RUN_TEST(test_shelf_when_it_is_full_then_nothing_is_changed);
	RUN_TEST(test_shelf_when_it_holds_100000_then_a_few_megabytes_are_enough);
	return UNITY_END();
}
