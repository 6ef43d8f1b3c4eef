/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Our malloc. With musl it takes the place of libc's in this very program; with glibc it is
 * compiled under other names, so that the sanitizers keep theirs. The functions are called
 * through pointers the compiler cannot see through.
 */
// deps: base/memory.c base/store.c base/entropy.c base/check.c base/budget.c base/trace.c
// deps: base/format.c
// deps: base/arena.c base/pages.c
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/entropy.h"
#include "base/memory.h"
#include "check_expected.h"
#include "unity.h"

#define MEMORY_MALLOC_UNDER_TEST
#define MEMORY_MALLOC_BYTES (256 * 1024)

#ifdef __GLIBC__
#define malloc             malloc_tested
#define calloc             calloc_tested
#define realloc            realloc_tested
#define free               free_tested
#define memalign           memalign_tested
#define aligned_alloc      aligned_alloc_tested
#define posix_memalign     posix_memalign_tested
#define malloc_usable_size malloc_usable_size_tested
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void free(void *pointer);
void *aligned_alloc(size_t align, size_t size);
int posix_memalign(void **pointer, size_t align, size_t size);
#endif

#include "../../src/base/memory_malloc.c"

static void *(*volatile take)(size_t) = malloc;
static void *(*volatile take_zeroed)(size_t, size_t) = calloc;
static void *(*volatile take_again)(void *, size_t) = realloc;
static void *(*volatile take_at)(size_t, size_t) = aligned_alloc;
static int (*volatile take_posix)(void **, size_t, size_t) = posix_memalign;
static void (*volatile give)(void *) = free;

static size_t used_before;

void setUp(void)
{
	give(take(1)); /* there from now on, whatever libc has done */
	used_before = memory_malloc_used();
}

void tearDown(void)
{
	memory_unseal();
	memory_seal_is_deadly(false);
	store_audit(&heap.store);
	TEST_ASSERT_EQUAL_size_t(used_before, memory_malloc_used());
}

static void test_alignment_and_size(void)
{
	void *taken[200];
	for (size_t size = 0; size < ARRAY_COUNT(taken); size++) {
		taken[size] = take(size);
		TEST_ASSERT_NOT_NULL(taken[size]);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken[size] % 16);
		TEST_ASSERT_TRUE(malloc_usable_size(taken[size]) >= size);
		TEST_ASSERT_TRUE(malloc_usable_size(taken[size]) < size + 24);
		memset(taken[size], (int)size, size);
	}
	store_audit(&heap.store);
	for (size_t size = 0; size < ARRAY_COUNT(taken); size++) {
		for (size_t i = 0; i < size; i++)
			TEST_ASSERT_EQUAL_UINT8(size, ((uint8_t *)taken[size])[i]);
		give(taken[size]);
	}
	give(NULL);
	TEST_ASSERT_EQUAL_size_t(0, malloc_usable_size(NULL));
}

static void test_used_is_told(void)
{
	void *taken = take(1000);
	TEST_ASSERT_TRUE(memory_malloc_used() >= used_before + 1000);
	TEST_ASSERT_TRUE(memory_malloc_used() <= used_before + 1032);
	give(taken);
}

static void test_calloc(void)
{
	uint8_t *dirty = take(500);
	memset(dirty, 0xee, 500);
	give(dirty);
	uint8_t *taken = take_zeroed(50, 10);
	TEST_ASSERT_NOT_NULL(taken);
	for (int i = 0; i < 500; i++)
		TEST_ASSERT_EQUAL_UINT8(0, taken[i]);
	give(taken);
	errno = 0;
	TEST_ASSERT_NULL(take_zeroed(SIZE_MAX / 2, 3));
	TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
	taken = take_zeroed(0, 10);
	TEST_ASSERT_NOT_NULL(taken);
	give(taken);
}

static void test_realloc(void)
{
	uint8_t *taken = take_again(NULL, 10);
	TEST_ASSERT_NOT_NULL(taken);
	memset(taken, 7, 10);
	TEST_ASSERT_EQUAL_PTR(taken, take_again(taken, 5));
	void *wall = take(1);
	taken = take_again(taken, 5000);
	TEST_ASSERT_NOT_NULL(taken);
	for (int i = 0; i < 10; i++)
		TEST_ASSERT_EQUAL_UINT8(7, taken[i]);
	errno = 0;
	TEST_ASSERT_NULL(take_again(taken, MEMORY_MALLOC_BYTES));
	TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
	TEST_ASSERT_EQUAL_UINT8(7, taken[9]); /* still ours */
	give(taken);
	give(wall);
}

static void test_too_much(void)
{
	errno = 0;
	TEST_ASSERT_NULL(take(MEMORY_MALLOC_BYTES));
	TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
	TEST_ASSERT_NULL(take(SIZE_MAX));
	TEST_ASSERT_NULL(take(SIZE_MAX - 7));
	TEST_ASSERT_NULL(take_at(64, SIZE_MAX));
	TEST_ASSERT_NULL(take_at(64, MEMORY_MALLOC_BYTES));
	TEST_ASSERT_TRUE(heap.store.budget.refused >= 2);
}

static void test_alignments(void)
{
	for (size_t align = 1; align <= 8192; align *= 2) {
		void *first = take(1);
		void *taken = take_at(align, 100);
		TEST_ASSERT_NOT_NULL(taken);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken % align);
		TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken % 16);
		memset(taken, 1, 100);
		give(first);
		give(taken);
	}
	errno = 0;
	TEST_ASSERT_NULL(take_at(48, 100));
	TEST_ASSERT_EQUAL_INT(EINVAL, errno);
	TEST_ASSERT_NULL(take_at(0, 100));
	void *taken = NULL;
	TEST_ASSERT_EQUAL_INT(0, take_posix(&taken, 256, 10));
	TEST_ASSERT_EQUAL_UINT32(0, (uintptr_t)taken % 256);
	give(taken);
	TEST_ASSERT_EQUAL_INT(EINVAL, take_posix(&taken, 2, 10));
	TEST_ASSERT_EQUAL_INT(EINVAL, take_posix(&taken, 96, 10));
	TEST_ASSERT_EQUAL_INT(ENOMEM, take_posix(&taken, 64, SIZE_MAX / 2));
}

static void test_the_seal(void)
{
	void *early = take(100);
	uint64_t before = memory_late_requests();
	memory_seal();
	void *late = take(100);
	TEST_ASSERT_NOT_NULL(late);
	TEST_ASSERT_EQUAL_UINT64(before + 1, memory_late_requests());
	late = take_again(late, 10); /* stays where it is: no request */
	TEST_ASSERT_EQUAL_UINT64(before + 1, memory_late_requests());
	give(early);
	give(late);
	TEST_ASSERT_EQUAL_UINT64(before + 1, memory_late_requests());
	memory_seal_is_deadly(true);
	CHECK_EXPECTED(take(100));
	CHECK_EXPECTED(take_zeroed(1, 100));
	CHECK_EXPECTED(take_again(NULL, 100));
	CHECK_EXPECTED(take_at(64, 100));
	give(NULL);
}

static void test_wrong_pointers_are_bugs(void)
{
	uint8_t *taken = take(100);
	int elsewhere;
	memset(taken, 0xff, 100);
	CHECK_EXPECTED((give(taken + 8), 0));
	CHECK_EXPECTED((give(taken + 1), 0));
	CHECK_EXPECTED((give(&elsewhere), 0));
	give(taken);
	CHECK_EXPECTED((give(taken), 0));
}

static void test_free_keeps_errno(void)
{
	void *taken = take(10);
	errno = 4711;
	give(taken);
	TEST_ASSERT_EQUAL_INT(4711, errno);
}

static void test_random_steps(void)
{
	enum { LIVE = 300, STEPS = 100 * 1000 };
	static uint8_t *live[LIVE];
	static uint32_t sizes[LIVE];
	struct random random;
	random_init(&random, 10);
	for (uint32_t step = 0; step < STEPS; step++) {
		uint32_t i = random_below(&random, LIVE);
		uint32_t size = random_below(&random, random_below(&random, 8) == 0 ? 8000 : 200);
		uint32_t kept = size < sizes[i] ? size : sizes[i];
		if (live[i] != NULL && random_below(&random, 2) == 0) {
			give(live[i]);
			live[i] = NULL;
			sizes[i] = 0;
			continue;
		}
		uint8_t *taken = live[i] == NULL && step % 2 == 0 ? take_at(64, size)
								  : take_again(live[i], size);
		if (taken == NULL)
			continue;
		for (uint32_t k = 0; k < kept; k++)
			TEST_ASSERT_EQUAL_UINT8(i, taken[k]);
		memset(taken, (int)i, size);
		live[i] = taken;
		sizes[i] = size;
		if (step % 500 == 0)
			store_audit(&heap.store);
	}
	for (uint32_t i = 0; i < LIVE; i++)
		give(live[i]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_alignment_and_size);
	RUN_TEST(test_used_is_told);
	RUN_TEST(test_calloc);
	RUN_TEST(test_realloc);
	RUN_TEST(test_too_much);
	RUN_TEST(test_alignments);
	RUN_TEST(test_the_seal);
	RUN_TEST(test_wrong_pointers_are_bugs);
	RUN_TEST(test_free_keeps_errno);
	RUN_TEST(test_random_steps);
	return UNITY_END();
}
