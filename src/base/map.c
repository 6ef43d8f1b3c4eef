/* SPDX-License-Identifier: GPL-2.0-only */
/* Map: a chain is split in two when the heads double; what was the order stays the order. */
#include "base/map.h"

#include <string.h>

enum { MAP_HEADS_MIN = 8 };
#define MAP_CAPACITY_MAX (UINT32_C(1) << 27)

/* A power of two, so that chains are about one entry long at the most. */
static uint32_t heads_for(uint32_t capacity)
{
	CHECK(capacity <= MAP_CAPACITY_MAX);
	uint32_t count = MAP_HEADS_MIN;
	while (count < capacity)
		count *= 2;
	return count;
}

size_t map_size(uint32_t capacity)
{
	size_t size = heads_for(capacity) * sizeof(uint32_t) +
		((size_t)capacity + 1) * sizeof(struct map_entry);
	return (size + 15) & ~(size_t)15; /* as arenas take it */
}

void map_init_in(struct map *map, void *block, uint32_t capacity)
{
	CHECK(block != NULL);
	uint32_t *heads = block;
	*map = (struct map){
		.heads = heads,
		.entries = (struct map_entry *)(void *)(heads + heads_for(capacity)),
		.mask = MAP_HEADS_MIN - 1,
		.mask_max = heads_for(capacity) - 1,
		.used_max = capacity,
	};
}

void map_init(struct map *map, struct arena *arena, uint32_t capacity)
{
	map_init_in(map, arena_take(arena, map_size(capacity)), capacity);
}

/* The chain of one head becomes the chains of two. */
static void split(struct map *map, uint32_t head, uint32_t heads)
{
	uint32_t *low = &map->heads[head];
	uint32_t *high = &map->heads[head + heads];
	for (uint32_t index = *low; index != 0;) {
		struct map_entry *entry = &map->entries[index];
		uint32_t next = entry->next;
		uint32_t **end = (entry->hash & heads) != 0 ? &high : &low;
		**end = index;
		*end = &entry->next;
		index = next;
	}
	*low = 0;
	*high = 0;
}

static void grow(struct map *map)
{
	uint32_t heads = map->mask + 1;
	for (uint32_t head = 0; head < heads; head++)
		split(map, head, heads);
	map->mask = heads * 2 - 1;
}

void map_add(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0 && index <= map->used_max);
	CHECK(map->used < map->used_max);
	if (map->used > map->mask && map->mask < map->mask_max)
		grow(map);
	uint32_t *head = &map->heads[hash & map->mask];
	map->entries[index] = (struct map_entry){hash, *head};
	*head = index;
	map->used++;
}

void map_remove(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0 && index <= map->used_max);
	CHECK(map->used > 0);
	uint32_t *link = &map->heads[hash & map->mask];
	while (*link != index) {
		CHECK(*link != 0);
		link = &map->entries[*link].next;
	}
	CHECK(map->entries[index].hash == hash);
	*link = map->entries[index].next;
	map->used--;
}

void map_clear(struct map *map)
{
	memset(map->heads, 0, ((size_t)map->mask + 1) * sizeof(map->heads[0]));
	map->used = 0;
}

void map_audit(const struct map *map)
{
	uint32_t used = 0;
	for (uint32_t head = 0; head <= map->mask; head++)
		for (uint32_t i = map->heads[head]; i != 0; i = map->entries[i].next) {
			CHECK(i <= map->used_max);
			CHECK((map->entries[i].hash & map->mask) == head);
			CHECK(++used <= map->used);
		}
	CHECK(used == map->used);
	CHECK(used <= map->used_max);
}
