/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Map: hash -> index of a thing that lives elsewhere (a pool slot, an array entry). Open
 * addressing with backward-shift deletion, fixed capacity, at most 7/8 full. The map keeps
 * (hash, index); the caller says whether an index is the one wanted.
 *
 *	struct map_walk walk = map_walk(map, hash);
 *	for (uint32_t i; (i = map_next(map, &walk)) != 0;)
 *		if (things[i] is the one)
 *			return i;
 *
 * Adding or removing ends all walks.
 */
#ifndef BERTH_BASE_MAP_H
#define BERTH_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/check.h"

struct map_slot {
	uint32_t hash;
	uint32_t index; /* 0 = empty */
};

struct map {
	struct map_slot *slots;
	uint32_t mask;
	uint32_t used;
	uint32_t used_max; /* capacity asked for */
};

struct map_walk {
	uint32_t hash;
	uint32_t at;
};

/* Holds `capacity` entries; takes map_size(capacity) bytes from the arena. */
void map_init(struct map *map, struct arena *arena, uint32_t capacity);
void map_init_in(struct map *map, void *block, uint32_t capacity); /* zeroed block of map_size() */
size_t map_size(uint32_t capacity);

/* Several entries may have the same hash. False when full. `index` is not 0. */
MUST_USE bool map_add(struct map *map, uint32_t hash, uint32_t index);
/* CHECKs that exactly this (hash, index) is there. */
void map_remove(struct map *map, uint32_t hash, uint32_t index);
void map_clear(struct map *map);
void map_audit(const struct map *map); /* CHECKs that every entry can be found; for tests */

static inline struct map_walk map_walk(const struct map *map, uint32_t hash)
{
	return (struct map_walk){hash, hash & map->mask};
}
static inline uint32_t map_next(const struct map *map, struct map_walk *walk)
{
	for (;;) {
		const struct map_slot *slot = &map->slots[walk->at];
		if (slot->index == 0)
			return 0;
		walk->at = (walk->at + 1) & map->mask;
		if (slot->hash == walk->hash)
			return slot->index;
	}
}

#endif
