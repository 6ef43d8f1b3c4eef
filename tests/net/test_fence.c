/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences: what the libraries get is zero, fresh or used before; it stays inside the region and the
 * limit; what was never in use is not touched.
 */
// deps: base/*.c net/fence.c
// libs: mbedtls mongoose
#include <mongoose.h>
#include <string.h>
#include <unity.h>

#include "base/arena.h"
#include "base/entropy.h"
#include "base/memory.h"
#include "net/fence.h"

enum { REGION = 128 * 1024, BLOCKS = 64, STEPS = 20000, LARGEST = 9000 };

static struct store store;
static uint8_t *region;

/* Of sockets; they are another module's. */
uint64_t mg_millis(void);
uint64_t mg_millis(void)
{
	return 0;
}

void mg_random(void *bytes, size_t size)
{
	memset(bytes, 0, size);
}

void setUp(void)
{
	region = memory_reserve(REGION);
	TEST_ASSERT_NOT_NULL(region);
	store_init(&store, "test", region, REGION);
	fence_set(FENCE_MONGOOSE, &store);
}

void tearDown(void)
{
	fence_clear(FENCE_MONGOOSE);
	budget_unregister(&store.budget);
	memory_release(region, REGION);
}

static void all_zero(const uint8_t *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		TEST_ASSERT_EQUAL_UINT8(0, block[i]);
}

static void test_whatever_was_there_it_is_zero(void)
{
	uint8_t *blocks[BLOCKS] = {NULL};
	struct random random;
	uint32_t given = 0;

	random_init(&random, 7);
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = random_below(&random, BLOCKS);
		size_t size = random_below(&random, LARGEST);

		if (blocks[i] != NULL) {
			mg_free(blocks[i]);
			blocks[i] = NULL;
			continue;
		}
		blocks[i] = mg_calloc(1, size);
		if (blocks[i] == NULL)
			continue; /* full, which happens */
		all_zero(blocks[i], size);
		memset(blocks[i], 0xa5, size);
		given++;
	}
	TEST_ASSERT_GREATER_THAN_UINT32(STEPS / 4, given);
	TEST_ASSERT_GREATER_THAN_UINT64(0, store.budget.refused);
	store_audit(&store);
}

static void test_limit_holds(void)
{
	fence_limit(FENCE_MONGOOSE, 8 * 1024);
	void *first = mg_calloc(1, 6 * 1024);
	TEST_ASSERT_NOT_NULL(first);
	TEST_ASSERT_NULL(mg_calloc(1, 6 * 1024));
	fence_limit(FENCE_MONGOOSE, UINT64_MAX);
	TEST_ASSERT_NOT_NULL(mg_calloc(1, 6 * 1024));
	TEST_ASSERT_NULL(mg_calloc(SIZE_MAX / 2, 4));
	mg_free(first);
	mg_free(NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_whatever_was_there_it_is_zero);
	RUN_TEST(test_limit_holds);
	return UNITY_END();
}
