/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hash: 16 bytes at a time go through one 64x64 -> 128 bit multiplication whose halves are folded
 * together. Both factors are mixed with keys unknown outside, so collisions cannot be
 * prepared: which bits a changed input bit flips depends on the other, secret, factor.
 */
#include "base/hash.h"

#include <string.h>

struct hash_keys {
	uint64_t start;
	uint64_t left;
	uint64_t right;
};

/* Good without a seed as well; hash_seed() makes them secret. */
static struct hash_keys keys = {
	UINT64_C(0x6a1f3c59d7e4b825),
	UINT64_C(0xb3d94e6f2c8a5171),
	UINT64_C(0x9e0d75a3f16c42bb),
};

static uint64_t hash_fold(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = (unsigned __int128)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
	uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low;
	uint64_t cross = a_high * b_low + (low >> 32);
	uint64_t middle = a_low * b_high + (uint32_t)cross;
	uint64_t high = a_high * b_high + (cross >> 32) + (middle >> 32);
	return (middle << 32 | (uint32_t)low) ^ high;
#endif
}

static uint64_t hash_load8(const uint8_t *at)
{
	uint64_t word;
	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t hash_load4(const uint8_t *at)
{
	uint32_t word;
	memcpy(&word, at, sizeof(word));
	return word;
}

/* Bits of every key depend on all bits of the seed (the finaliser of splitmix64). */
static uint64_t hash_spread(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void hash_seed(uint64_t seed)
{
	keys.start = hash_spread(&seed);
	keys.left = hash_spread(&seed);
	keys.right = hash_spread(&seed);
}

static uint32_t hash_finish(uint64_t a, uint64_t b, uint64_t state)
{
	uint64_t mixed = hash_fold(a ^ keys.left, b ^ state);
	mixed = hash_fold(mixed ^ keys.start, keys.right);
	return (uint32_t)(mixed ^ mixed >> 32);
}

uint32_t hash_bytes(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t state = keys.start ^ (uint64_t)size * keys.right;
	size_t left = size;
	for (; left > 16; left -= 16, at += 16)
		state = hash_fold(hash_load8(at) ^ keys.left, hash_load8(at + 8) ^ state);
	/* 0 to 16 bytes are left; overlapping loads spare a loop, the size keeps them apart. */
	uint64_t a = 0;
	uint64_t b = 0;
	if (left >= 8) {
		a = hash_load8(at);
		b = hash_load8(at + left - 8);
	} else if (left >= 4) {
		a = hash_load4(at);
		b = hash_load4(at + left - 4);
	} else if (left > 0) {
		a = (uint64_t)at[0] << 16 | (uint64_t)at[left / 2] << 8 | at[left - 1];
	}
	return hash_finish(a, b, state);
}

uint32_t hash_pair(uint32_t a, uint32_t b)
{
	return hash_finish(a, b, keys.right);
}

uint32_t hash_more(uint32_t hash, uint32_t next)
{
	return hash_finish((uint64_t)hash << 32 | next, 0, keys.right);
}
