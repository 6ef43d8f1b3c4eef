/* SPDX-License-Identifier: GPL-2.0-only */
/* Entropy: the generator's known numbers, bounds without bias, and the system's source. */
// deps: base/entropy.c base/check.c base/format.c base/budget.c base/trace.c
#include "base/entropy.h"

#include <string.h>

#include "check_expected.h"
#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

/* The published first numbers of xoshiro256** from the state 1, 2, 3, 4. */
static void test_known_numbers(void)
{
	struct random random = {{1, 2, 3, 4}};
	static const uint64_t wanted[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
	};
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
		TEST_ASSERT_EQUAL_UINT64(wanted[i], random_next(&random));
}

/* The published first numbers of splitmix64 from 0. */
static void test_known_state(void)
{
	struct random random;
	random_init(&random, 0);
	TEST_ASSERT_EQUAL_UINT64(UINT64_C(0xe220a8397b1dcdaf), random.state[0]);
	TEST_ASSERT_EQUAL_UINT64(UINT64_C(0x6e789e6aa1b965f4), random.state[1]);
	TEST_ASSERT_EQUAL_UINT64(UINT64_C(0x06c45d188009454f), random.state[2]);
	TEST_ASSERT_EQUAL_UINT64(UINT64_C(0xf88bb8a8724c81ec), random.state[3]);
}

static void test_same_seed_same_numbers(void)
{
	struct random a;
	struct random b;
	struct random c;
	random_init(&a, 42);
	random_init(&b, 42);
	random_init(&c, 43);
	bool differs = false;
	for (int i = 0; i < 100; i++) {
		uint64_t next = random_next(&a);
		TEST_ASSERT_EQUAL_UINT64(next, random_next(&b));
		differs = differs || next != random_next(&c);
	}
	TEST_ASSERT_TRUE(differs);
}

static void test_below_is_even(void)
{
	static const uint32_t bounds[] = {1, 2, 3, 7, 10};
	struct random random;
	random_init(&random, 1);
	for (size_t b = 0; b < ARRAY_COUNT(bounds); b++) {
		uint32_t counts[10] = {0};
		for (uint32_t i = 0; i < 10000 * bounds[b]; i++) {
			uint32_t value = random_below(&random, bounds[b]);
			TEST_ASSERT_TRUE(value < bounds[b]);
			counts[value]++;
		}
		/* Five standard deviations of 10,000. */
		for (uint32_t i = 0; i < bounds[b]; i++)
			TEST_ASSERT_UINT32_WITHIN(500, 10000, counts[i]);
	}
	CHECK_EXPECTED(random_below(&random, 0));
}

/* Of 3 * 2^30 the third quarter would come twice as seldom by a plain remainder. */
static void test_below_without_bias(void)
{
	struct random random;
	random_init(&random, 2);
	uint32_t low = 0;
	for (int i = 0; i < 30000; i++)
		low += random_below(&random, 3u << 30) < 1u << 30;
	TEST_ASSERT_UINT32_WITHIN(410, 10000, low);
}

static void test_seeded_fill(void)
{
	struct random a;
	struct random b;
	random_init(&a, 5);
	random_init(&b, 5);
	struct entropy entropy = entropy_seeded(&a);
	uint8_t bytes[21];
	memset(bytes, 0xee, sizeof(bytes));
	TEST_ASSERT_TRUE(entropy.fill(entropy.self, bytes, 20));
	TEST_ASSERT_EQUAL_UINT8(0xee, bytes[20]);
	uint64_t words[3];
	for (int i = 0; i < 3; i++)
		words[i] = random_next(&b);
	TEST_ASSERT_EQUAL_MEMORY(words, bytes, 20);
	TEST_ASSERT_TRUE(entropy.fill(entropy.self, bytes, 0));
}

static void test_system_fill(void)
{
	struct entropy entropy = entropy_system();
	static uint8_t a[2000];
	static uint8_t b[2000];
	TEST_ASSERT_TRUE(entropy.fill(entropy.self, a, sizeof(a)));
	TEST_ASSERT_TRUE(entropy.fill(entropy.self, b, sizeof(b)));
	TEST_ASSERT_TRUE(memcmp(a, b, sizeof(a)) != 0);
	uint32_t bits = 0;
	for (size_t i = 0; i < sizeof(a); i++)
		bits += (uint32_t)__builtin_popcount(a[i]);
	TEST_ASSERT_UINT32_WITHIN(600, 8000, bits);
	TEST_ASSERT_TRUE(entropy.fill(entropy.self, a, 0));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_known_numbers);
	RUN_TEST(test_known_state);
	RUN_TEST(test_same_seed_same_numbers);
	RUN_TEST(test_below_is_even);
	RUN_TEST(test_below_without_bias);
	RUN_TEST(test_seeded_fill);
	RUN_TEST(test_system_fill);
	return UNITY_END();
}
