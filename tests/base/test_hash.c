/* SPDX-License-Identifier: GPL-2.0-only */
/* Hash: every byte counts, every length is its own, buckets fill evenly, all targets agree. */
// deps: base/hash.c
#include "base/hash.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unity.h"

void setUp(void)
{
	hash_seed(1);
}

void tearDown(void)
{
}

static uint32_t hash_z(const char *text)
{
	return hash_bytes(text, strlen(text));
}

/* Blocks of exactly the size: reading outside is seen. Flips every bit at every place. */
static void test_every_bit_counts(void)
{
	for (size_t size = 0; size <= 70; size++) {
		uint8_t *bytes = malloc(size == 0 ? 1 : size);
		TEST_ASSERT_NOT_NULL(bytes);
		memset(bytes, 'a', size == 0 ? 1 : size);
		uint32_t before = hash_bytes(bytes, size);
		TEST_ASSERT_EQUAL_UINT32(before, hash_bytes(bytes, size));
		for (size_t bit = 0; bit < size * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
			TEST_ASSERT_TRUE(before != hash_bytes(bytes, size));
			bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		free(bytes);
	}
}

/* Overlapping loads must not make "a" and "aa" alike. */
static void test_every_length_is_its_own(void)
{
	static uint8_t bytes[100];
	uint32_t hashes[101];
	for (size_t size = 0; size <= 100; size++) {
		hashes[size] = hash_bytes(bytes, size);
		for (size_t other = 0; other < size; other++)
			TEST_ASSERT_TRUE(hashes[other] != hashes[size]);
	}
}

static void test_place_in_memory_does_not_count(void)
{
	uint8_t bytes[64];
	uint32_t first = 0;
	for (size_t shift = 0; shift < 16; shift++) {
		for (size_t i = 0; i < 40; i++)
			bytes[shift + i] = (uint8_t)(i * 7);
		uint32_t hash = hash_bytes(bytes + shift, 40);
		if (shift == 0)
			first = hash;
		TEST_ASSERT_EQUAL_UINT32(first, hash);
	}
}

static void test_seeds_differ(void)
{
	uint32_t one = hash_z("kubernetes.io/hostname");
	uint32_t pair = hash_pair(1, 2);
	uint32_t more = hash_more(1, 2);
	hash_seed(2);
	TEST_ASSERT_TRUE(one != hash_z("kubernetes.io/hostname"));
	TEST_ASSERT_TRUE(pair != hash_pair(1, 2));
	TEST_ASSERT_TRUE(more != hash_more(1, 2));
	hash_seed(1);
	TEST_ASSERT_EQUAL_UINT32(one, hash_z("kubernetes.io/hostname"));
}

static void test_order_matters(void)
{
	TEST_ASSERT_TRUE(hash_pair(1, 2) != hash_pair(2, 1));
	TEST_ASSERT_TRUE(hash_more(hash_more(0, 1), 2) != hash_more(hash_more(0, 2), 1));
	TEST_ASSERT_TRUE(hash_more(0, 0) != hash_more(hash_more(0, 0), 0));
	TEST_ASSERT_TRUE(hash_pair(0, 0) != 0);
}

enum { BUCKETS = 1 << 14, KEYS = 1 << 14 };

/*
 * As many keys as buckets: a share of 1/e stays empty and the fullest has about 8. The low and
 * the high bits must both be good; maps take the low ones.
 */
static void buckets_are_even(uint32_t (*hash)(uint32_t key))
{
	static uint8_t low[BUCKETS];
	static uint8_t high[BUCKETS];
	memset(low, 0, sizeof(low));
	memset(high, 0, sizeof(high));
	for (uint32_t key = 0; key < KEYS; key++) {
		uint32_t h = hash(key);
		low[h % BUCKETS]++;
		high[h >> 18]++;
	}
	uint32_t empty_low = 0;
	uint32_t empty_high = 0;
	for (uint32_t i = 0; i < BUCKETS; i++) {
		empty_low += low[i] == 0;
		empty_high += high[i] == 0;
		TEST_ASSERT_TRUE(low[i] < 14);
		TEST_ASSERT_TRUE(high[i] < 14);
	}
	TEST_ASSERT_UINT32_WITHIN(300, 6027, empty_low);
	TEST_ASSERT_UINT32_WITHIN(300, 6027, empty_high);
}

static uint32_t hash_of_name(uint32_t key)
{
	char name[64];
	int size = snprintf(name, sizeof(name), "node-%u.example.internal", (unsigned)key);
	return hash_bytes(name, (size_t)size);
}

static uint32_t hash_of_short_name(uint32_t key)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%u", (unsigned)key);
	return hash_bytes(name, (size_t)size);
}

static uint32_t hash_of_word(uint32_t key)
{
	uint64_t word = (uint64_t)key << 40;
	return hash_bytes(&word, sizeof(word));
}

static uint32_t hash_of_pair(uint32_t key)
{
	return hash_pair(key / 128, key % 128);
}

static uint32_t hash_of_chain(uint32_t key)
{
	return hash_more(hash_more(17, key / 128), key % 128);
}

static void test_buckets_are_even(void)
{
	for (uint64_t seed = 0; seed < 10; seed++) {
		hash_seed(seed);
		buckets_are_even(hash_of_name);
		buckets_are_even(hash_of_short_name);
		buckets_are_even(hash_of_word);
		buckets_are_even(hash_of_pair);
		buckets_are_even(hash_of_chain);
	}
}

/* Differences in the top bits of neighbouring words must not cancel, whatever the seed. */
static void test_no_prepared_collisions(void)
{
	uint32_t same = 0;
	for (uint64_t seed = 0; seed < 200; seed++) {
		uint64_t a[4] = {1, 2, 3, 4};
		hash_seed(seed);
		uint32_t before = hash_bytes(a, sizeof(a));
		for (int bit = 0; bit < 64; bit++) {
			uint64_t b[4] = {1 ^ UINT64_C(1) << 63, 2 ^ UINT64_C(1) << bit, 3, 4};
			same += before == hash_bytes(b, sizeof(b));
			uint64_t c[4] = {1, 2 ^ UINT64_C(1) << 63, 3 ^ UINT64_C(1) << bit, 4};
			same += before == hash_bytes(c, sizeof(c));
		}
	}
	TEST_ASSERT_EQUAL_UINT32(0, same);
}

static void test_all_targets_agree(void)
{
	TEST_ASSERT_EQUAL_HEX32(0xf2b0b671, hash_z(""));
	TEST_ASSERT_EQUAL_HEX32(0xb0113da3, hash_z("app"));
	TEST_ASSERT_EQUAL_HEX32(0xfbd2ca77, hash_z("kubernetes.io/hostname"));
	TEST_ASSERT_EQUAL_HEX32(0xe9cb4f1e, hash_pair(1, UINT32_MAX));
	TEST_ASSERT_EQUAL_HEX32(0x051e5213, hash_more(UINT32_MAX, 7));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_every_bit_counts);
	RUN_TEST(test_every_length_is_its_own);
	RUN_TEST(test_place_in_memory_does_not_count);
	RUN_TEST(test_seeds_differ);
	RUN_TEST(test_order_matters);
	RUN_TEST(test_buckets_are_even);
	RUN_TEST(test_no_prepared_collisions);
	RUN_TEST(test_all_targets_agree);
	return UNITY_END();
}
