/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fence: what a library gets is zero, fresh or used before; it stays inside the region and the
 * limit; what was never in use is not touched.
 */
// deps: base/*.c
#include <string.h>
#include <unity.h>

#include "base/arena.h"
#include "base/entropy.h"
#include "base/fence.h"
#include "base/memory.h"

enum { REGION = 128 * 1024, BLOCKS = 64, STEPS = 20000, LARGEST = 9000 };

static struct fence fence;
static uint8_t *region;

void setUp(void)
{
	region = memory_reserve(REGION);
	TEST_ASSERT_NOT_NULL(region);
	fence_init(&fence, "test", region, REGION);
}

void tearDown(void)
{
	fence_close(&fence);
	memory_release(region, REGION);
}

static void all_zero(const uint8_t *block, size_t size)
{
	for (size_t i = 0; i < size; i++)
		TEST_ASSERT_EQUAL_UINT8(0, block[i]);
}

static void test_fence_take_after_use_is_zero(void)
{
	uint8_t *blocks[BLOCKS] = {NULL};
	struct random random;
	uint32_t given = 0;

	random_init(&random, 7);
	for (int step = 0; step < STEPS; step++) {
		uint32_t i = random_below(&random, BLOCKS);
		size_t size = random_below(&random, LARGEST);

		if (blocks[i] != NULL) {
			fence_give(&fence, blocks[i]);
			blocks[i] = NULL;
			continue;
		}
		blocks[i] = fence_take(&fence, 1, size);
		if (blocks[i] == NULL)
			continue; /* full, which happens */
		all_zero(blocks[i], size);
		memset(blocks[i], 0xa5, size);
		given++;
	}
	TEST_ASSERT_GREATER_THAN_UINT32(STEPS / 4, given);
	TEST_ASSERT_GREATER_THAN_UINT64(0, fence.store.budget.refused);
	store_audit(&fence.store);
}

static void test_fence_take_over_the_limit_fails(void)
{
	fence_limit(&fence, 8 * 1024);
	void *first = fence_take(&fence, 1, 6 * 1024);
	TEST_ASSERT_NOT_NULL(first);
	TEST_ASSERT_NULL(fence_take(&fence, 1, 6 * 1024));
	fence_limit(&fence, UINT64_MAX);
	TEST_ASSERT_NOT_NULL(fence_take(&fence, 1, 6 * 1024));
	TEST_ASSERT_NULL(fence_take(&fence, SIZE_MAX / 2, 4));
	fence_give(&fence, first);
	fence_give(&fence, NULL);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_fence_take_after_use_is_zero);
	RUN_TEST(test_fence_take_over_the_limit_fails);
	return UNITY_END();
}
