/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Randomness comes through one small interface: the system's for keys and identities, a seeded
 * generator for the simulator (and for jitter, which only has to be spread).
 */
#ifndef BERTH_BASE_ENTROPY_H
#define BERTH_BASE_ENTROPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct entropy {
	/* Fills all bytes; false when the source failed. */
	bool (*fill)(void *self, void *bytes, size_t size);
	void *self;
};

struct entropy entropy_system(void);

/* xoshiro256**: fast, seeded, not for secrets. */
struct random {
	uint64_t state[4];
};
void random_init(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
uint32_t random_below(struct random *random, uint32_t bound); /* bound > 0, without bias */
struct entropy entropy_seeded(struct random *random);

#endif
