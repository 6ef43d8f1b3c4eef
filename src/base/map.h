/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Map: hash -> index of a thing that lives elsewhere (a pool slot, an array entry). An index is in
 * a map once at most, and no larger than the capacity. The map keeps (hash, index); the caller says
 * whether an index is the one wanted.
 *
 * Chains by index under a table of heads. The table grows and shrinks in place, a head at a time
 * (linear hashing), so a map costs pages for what is in it and not for what could be, and no add
 * costs more than another. Without memory for more heads the chains get longer.
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
#include "base/pages.h"
#include "base/pool.h"

struct map_entry { /* of index i: entries[i] */
	uint32_t hash;
	uint32_t next; /* 0 ends the chain */
};

struct map {
	uint32_t *heads;
	struct map_entry *entries;
	uint32_t count; /* of heads in use */
	uint32_t mask;  /* the power of two that is no less than `count`, less one */
	uint32_t used;
	uint32_t used_max; /* capacity asked for */
	struct page_span span;
	struct pool_lane lane;
};

struct map_walk {
	uint32_t hash;
	uint32_t at;
};

/* Holds `capacity` entries; takes map_size(capacity) bytes from the arena. */
void map_init(struct map *map, struct arena *arena, uint32_t capacity);
void map_init_in(struct map *map, void *block, uint32_t capacity); /* zeroed block of map_size() */
/* Of slots of the pool, in which nothing was taken yet: the entries grow with it. */
void map_init_for(struct map *map, struct arena *arena, struct pool *pool);
size_t map_size(uint32_t capacity);

/*
 * Several entries may have the same hash. `index` is in 1..capacity and not in the map yet, so
 * there is always room.
 */
void map_add(struct map *map, uint32_t hash, uint32_t index);
/* CHECKs that exactly this (hash, index) is there. */
void map_remove(struct map *map, uint32_t hash, uint32_t index);
void map_audit(const struct map *map); /* CHECKs that every entry can be found; for tests */

static inline uint32_t *map_head(const struct map *map, uint32_t hash)
{
	uint32_t head = hash & map->mask;
	return &map->heads[head < map->count ? head : hash & (map->mask >> 1)];
}
static inline struct map_walk map_walk(const struct map *map, uint32_t hash)
{
	return (struct map_walk){hash, *map_head(map, hash)};
}
static inline uint32_t map_next(const struct map *map, struct map_walk *walk)
{
	while (walk->at != 0) {
		uint32_t index = walk->at;
		walk->at = map->entries[index].next;
		if (map->entries[index].hash == walk->hash)
			return index;
	}
	return 0;
}

#endif
