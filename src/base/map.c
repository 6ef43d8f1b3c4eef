/* SPDX-License-Identifier: GPL-2.0-only */
/* Map: linear probing; removing shifts back what was pushed away, so there are no tombstones. */
#include "base/map.h"

#include <string.h>

enum { MAP_SLOTS_MIN = 8 };
#define MAP_CAPACITY_MAX (UINT32_C(1) << 27)

/* The power of two of which `capacity` is at most 7/8. */
static uint32_t map_slot_count(uint32_t capacity)
{
	CHECK(capacity <= MAP_CAPACITY_MAX);
	uint32_t count = MAP_SLOTS_MIN;
	while (count - count / 8 < capacity)
		count *= 2;
	return count;
}

size_t map_size(uint32_t capacity)
{
	return map_slot_count(capacity) * sizeof(struct map_slot);
}

void map_init_in(struct map *map, void *block, uint32_t capacity)
{
	CHECK(block != NULL);
	*map = (struct map){
		.slots = block,
		.mask = map_slot_count(capacity) - 1,
		.used_max = capacity,
	};
}

void map_init(struct map *map, struct arena *arena, uint32_t capacity)
{
	map_init_in(map, arena_take(arena, map_size(capacity)), capacity);
}

bool map_add(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0);
	if (map->used == map->used_max)
		return false;
	uint32_t at = hash & map->mask;
	while (map->slots[at].index != 0)
		at = (at + 1) & map->mask;
	map->slots[at] = (struct map_slot){hash, index};
	map->used++;
	return true;
}

void map_remove(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0);
	CHECK(map->used > 0);
	uint32_t hole = hash & map->mask;
	while (map->slots[hole].index != index || map->slots[hole].hash != hash) {
		CHECK(map->slots[hole].index != 0);
		hole = (hole + 1) & map->mask;
	}
	for (uint32_t at = (hole + 1) & map->mask; map->slots[at].index != 0;
		at = (at + 1) & map->mask) {
		uint32_t pushed = (at - map->slots[at].hash) & map->mask;
		/* Who was pushed at least as far as the hole is away may take the hole's place. */
		if (pushed >= ((at - hole) & map->mask)) {
			map->slots[hole] = map->slots[at];
			hole = at;
		}
	}
	map->slots[hole] = (struct map_slot){0, 0};
	map->used--;
}

void map_clear(struct map *map)
{
	memset(map->slots, 0, ((size_t)map->mask + 1) * sizeof(struct map_slot));
	map->used = 0;
}

void map_audit(const struct map *map)
{
	uint32_t used = 0;
	for (uint32_t at = 0; at <= map->mask; at++) {
		if (map->slots[at].index == 0)
			continue;
		used++;
		for (uint32_t i = map->slots[at].hash & map->mask; i != at; i = (i + 1) & map->mask)
			CHECK(map->slots[i].index != 0);
	}
	CHECK(used == map->used);
	CHECK(used <= map->used_max);
	CHECK(used <= map->mask);
}
