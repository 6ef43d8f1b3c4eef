/* SPDX-License-Identifier: GPL-2.0-only */
/* Entropy: the system's, and a seeded generator (xoshiro256** by Blackman and Vigna). */
#include "base/entropy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/check.h"

/* For kernels older than 3.17, and for sandboxes that refuse the system call. */
static bool entropy_from_file(uint8_t *at, size_t size)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (size > 0) {
		ssize_t got = read(fd, at, size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		at += got;
		size -= (size_t)got;
	}
	close(fd);
	return size == 0;
}

static bool entropy_from_system(void *self, void *bytes, size_t size)
{
	uint8_t *at = bytes;
	(void)self;
	while (size > 0) {
		ssize_t got = getrandom(at, size, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return entropy_from_file(at, size);
		at += got;
		size -= (size_t)got;
	}
	return true;
}

struct entropy entropy_system(void)
{
	return (struct entropy){.fill = entropy_from_system};
}

void random_init(struct random *random, uint64_t seed)
{
	/* splitmix64: four different words, never all zero, whatever the seed. */
	for (size_t i = 0; i < ARRAY_COUNT(random->state); i++) {
		seed += UINT64_C(0x9e3779b97f4a7c15);
		uint64_t z = seed;
		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		random->state[i] = z ^ z >> 31;
	}
}

static uint64_t random_rotated(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = random_rotated(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = random_rotated(s[3], 45);
	return result;
}

uint32_t random_below(struct random *random, uint32_t bound)
{
	CHECK(bound > 0);
	/* Of the 2^32 values the first 2^32 mod bound would make low results more likely. */
	uint32_t skip = -bound % bound;
	uint32_t value;
	do {
		value = (uint32_t)(random_next(random) >> 32);
	} while (value < skip);
	return value % bound;
}

static bool entropy_from_seed(void *self, void *bytes, size_t size)
{
	struct random *random = self;
	uint8_t *at = bytes;
	while (size > 0) {
		uint64_t word = random_next(random);
		size_t part = size < sizeof(word) ? size : sizeof(word);
		memcpy(at, &word, part);
		at += part;
		size -= part;
	}
	return true;
}

struct entropy entropy_seeded(struct random *random)
{
	return (struct entropy){.fill = entropy_from_seed, .self = random};
}
