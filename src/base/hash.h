/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hashing of untrusted bytes. The seed is chosen once per process (from the entropy interface)
 * so that labels that collide cannot be prepared; the simulator chooses it from its own seed.
 */
#ifndef BERTH_BASE_HASH_H
#define BERTH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Before the first map is filled: hashes of another seed are other hashes. */
void hash_seed(uint64_t seed);

/* One multiplication for 16 bytes. */
uint32_t hash_bytes(const void *bytes, size_t size);
uint32_t hash_pair(uint32_t a, uint32_t b);
uint32_t hash_more(uint32_t hash, uint32_t next); /* chain: order matters */

#endif
