/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Map: linear hashing. There are `count` heads; those whose number would be beyond are served by
 * the head that was there before it came: the number without its highest bit. A new head takes
 * from that one what is its own; what was the order stays the order.
 */
#include "base/map.h"

#include <string.h>

enum {
	MAP_HEADS_MIN = 8,
	MAP_STEPS = 2,            /* heads that come or go with one entry, at most */
	MAP_SPAN_OVER = 64 * 1024 /* bytes of heads that may be there for nothing */
};
#define MAP_CAPACITY_MAX (UINT32_C(1) << 27)

/* So many heads at most that chains are about one entry long; a power of two. */
static uint32_t map_heads_for(uint32_t capacity)
{
	CHECK(capacity <= MAP_CAPACITY_MAX);
	uint32_t count = MAP_HEADS_MIN;
	while (count < capacity)
		count *= 2;
	return count;
}

static size_t map_heads_size(uint32_t capacity)
{
	return (map_heads_for(capacity) * sizeof(uint32_t) + 15) & ~(size_t)15;
}

static size_t map_entries_size(uint32_t capacity)
{
	return (((size_t)capacity + 1) * sizeof(struct map_entry) + 15) & ~(size_t)15;
}

size_t map_size(uint32_t capacity)
{
	return arena_span_size(map_heads_size(capacity)) +
		arena_span_size(map_entries_size(capacity));
}

static void map_start(struct map *map, struct map_entry *entries, uint32_t capacity)
{
	map->heads = (uint32_t *)(void *)map->span.base;
	map->entries = entries;
	map->count = MAP_HEADS_MIN;
	map->mask = MAP_HEADS_MIN - 1;
	map->used = 0;
	map->used_max = capacity;
	bool reached = page_span_reach(&map->span, MAP_HEADS_MIN * sizeof(uint32_t));
	CHECK(reached);
}

void map_init_in(struct map *map, void *block, uint32_t capacity)
{
	CHECK(block != NULL);
	size_t heads = map_heads_size(capacity);
	page_span_init(&map->span, NULL, block, heads);
	map_start(map, (struct map_entry *)(void *)((uint8_t *)block + heads), capacity);
}

void map_init(struct map *map, struct arena *arena, uint32_t capacity)
{
	arena_take_span(arena, &map->span, map_heads_size(capacity));
	map_start(map, arena_take(arena, map_entries_size(capacity)), capacity);
}

void map_init_for(struct map *map, struct arena *arena, struct pool *pool)
{
	arena_take_span(arena, &map->span, map_heads_size(pool->capacity));
	map_start(map, pool_add_lane(pool, &map->lane, arena, sizeof(struct map_entry)),
		pool->capacity);
}

/* The head that serves `head` while that is not there. */
static uint32_t map_partner(const struct map *map, uint32_t head)
{
	return head & (map->mask >> 1);
}

/* A new head takes its entries from its partner. */
static void map_split(struct map *map)
{
	uint32_t added = map->count;
	if (!page_span_reach(&map->span, ((size_t)added + 1) * sizeof(uint32_t)))
		return;
	if (added > map->mask)
		map->mask = map->mask * 2 + 1;
	map->count++;
	uint32_t *low = &map->heads[map_partner(map, added)];
	uint32_t *high = &map->heads[added];
	for (uint32_t index = *low; index != 0;) {
		struct map_entry *entry = &map->entries[index];
		uint32_t next = entry->next;
		uint32_t **end = (entry->hash & map->mask) == added ? &high : &low;
		**end = index;
		*end = &entry->next;
		index = next;
	}
	*low = 0;
	*high = 0;
}

/* The last head goes; its partner has its entries, behind its own. */
static void map_join(struct map *map)
{
	uint32_t gone = map->count - 1;
	uint32_t *end = &map->heads[map_partner(map, gone)];
	while (*end != 0)
		end = &map->entries[*end].next;
	*end = map->heads[gone];
	map->heads[gone] = 0;
	map->count = gone;
	if (gone == (map->mask >> 1) + 1 && gone > MAP_HEADS_MIN / 2)
		map->mask >>= 1;
	size_t needed = (size_t)map->count * sizeof(uint32_t);
	if (map->span.held - needed > MAP_SPAN_OVER)
		page_span_shrink(&map->span, needed);
}

void map_add(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0 && index <= map->used_max);
	CHECK(map->used < map->used_max);
	size_t heads_max = map->span.size / sizeof(uint32_t);
	for (int i = 0; i < MAP_STEPS && map->count < heads_max; i++)
		if (map->used >= map->count / 4 * 3)
			map_split(map);
	uint32_t *head = map_head(map, hash);
	map->entries[index] = (struct map_entry){hash, *head};
	*head = index;
	map->used++;
}

void map_remove(struct map *map, uint32_t hash, uint32_t index)
{
	CHECK(index != 0 && index <= map->used_max);
	CHECK(map->used > 0);
	uint32_t *link = map_head(map, hash);
	while (*link != index) {
		CHECK(*link != 0);
		link = &map->entries[*link].next;
	}
	CHECK(map->entries[index].hash == hash);
	*link = map->entries[index].next;
	map->used--;
	for (int i = 0; i < MAP_STEPS && map->count > MAP_HEADS_MIN; i++)
		if (map->used < map->count / 2)
			map_join(map);
}

void map_audit(const struct map *map)
{
	uint32_t used = 0;
	CHECK(map->count <= map->mask + 1 && map->count > map->mask / 2);
	for (uint32_t head = 0; head < map->count; head++)
		for (uint32_t i = map->heads[head]; i != 0; i = map->entries[i].next) {
			CHECK(i <= map->used_max);
			CHECK(map_head(map, map->entries[i].hash) == &map->heads[head]);
			CHECK(++used <= map->used);
		}
	CHECK(used == map->used);
	CHECK(used <= map->used_max);
}
