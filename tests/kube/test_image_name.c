/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of images.
 */
// deps: base/*.c kube/image_name.c
#include "kube/image_name.h"

#include "unity.h"

static _Alignas(16) uint8_t block[256];
static struct scratch scratch;

void setUp(void)
{
	scratch_init(&scratch, block, sizeof(block));
}

void tearDown(void)
{
}

static void test_names(void)
{
	static const struct {
		const char *name;
		const char *expected;
	} rows[] = {
		{"nginx", "nginx:latest"},
		{"nginx:1.25", "nginx:1.25"},
		{"library/nginx", "library/nginx:latest"},
		{"registry.example:5000/nginx", "registry.example:5000/nginx:latest"},
		{"registry.example:5000/nginx:1", "registry.example:5000/nginx:1"},
		{"repo/nginx@sha256:0123", "repo/nginx@sha256:0123"},
		{"nginx:1@sha256:0123", "nginx:1@sha256:0123"},
		{"nginx:", "nginx:"},
		{"a:b/", "a:b/:latest"},
		{"/", "/:latest"},
		{"", ":latest"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct text expected = text_of(rows[i].expected);
		struct text name = kube_image_name(&scratch, text_of(rows[i].name));

		TEST_ASSERT_EQUAL_UINT_MESSAGE(expected.size, name.size, rows[i].name);
		TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.at, name.at, name.size, rows[i].name);
	}
}

static void test_named_ones_take_no_scratch(void)
{
	struct text name = TEXT("nginx:1");

	TEST_ASSERT_EQUAL_PTR(name.at, kube_image_name(&scratch, name).at);
	TEST_ASSERT_EQUAL_UINT(0, scratch.used);
}

static void test_full_scratch(void)
{
	scratch_init(&scratch, block, 8);
	TEST_ASSERT_NULL(kube_image_name(&scratch, TEXT("nginx")).at);
	TEST_ASSERT_TRUE(scratch.overflowed);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_names);
	RUN_TEST(test_named_ones_take_no_scratch);
	RUN_TEST(test_full_scratch);
	return UNITY_END();
}
