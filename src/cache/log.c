/* SPDX-License-Identifier: GPL-2.0-only */
/* The change log: a ring that begins at its start again whenever it is empty. */
#include "cache/private.h"

size_t cache_log_size(uint32_t capacity)
{
	return capacity * sizeof(struct cache_change) + 16;
}

void cache_log_init(struct cache *cache, struct arena *arena, uint32_t capacity)
{
	CHECK(capacity == 0 || capacity >= CACHE_LOG_MIN);
	cache->log = (struct cache_log){.capacity = capacity};
	if (capacity > 0)
		cache->log.ring = arena_take_raw(arena, capacity * sizeof(struct cache_change));
}

/* ---- holding on to the old version ---- */

void cache_log_release(struct cache *cache, const struct cache_held *held)
{
	if (held->template != 0)
		cache_unshare_template(cache, held->template);
	if (held->labels != 0)
		cache_unshare_labels(cache, held->labels);
	if (held->blob != NULL)
		cache_free_blob(cache, held->blob, held->handle);
	for (uint32_t i = 0; i < CACHE_HELD_STRINGS; i++)
		intern_give(&cache->strings, held->strings[i]);
}

/* The ids that an event has by value. */
static void log_strings(struct cache *cache, const struct cache_event *event,
	void (*each)(struct intern *strings, uint32_t id))
{
	const uint32_t ids[] = {event->namespace, event->name, event->old.node, event->now.node,
		event->old.assumed, event->now.assumed, event->old.nominated, event->now.nominated};
	for (uint32_t i = 0; i < ARRAY_COUNT(ids); i++)
		each(&cache->strings, ids[i]);
}

/* ---- writing ---- */

void cache_log_append(struct cache *cache, struct cache_change *change)
{
	struct cache_log *log = &cache->log;
	log->appended++;
	if (log->capacity == 0 || cache->is_imagining) {
		cache_log_release(cache, &change->held);
		return;
	}
	CHECK(log->count < log->capacity); /* asked for before: cache_log_has_room() */
	CHECK(change->event.old.there || change->event.now.there);
	cache_event_actions(&change->event);
	log_strings(cache, &change->event, intern_keep);
	log->ring[(log->first + log->count) % log->capacity] = *change;
	log->count++;
	if (log->count > log->count_max)
		log->count_max = log->count;
}

/* ---- reading ---- */

bool cache_log_has_room(const struct cache *cache)
{
	const struct cache_log *log = &cache->log;
	return log->capacity == 0 || log->capacity - log->count >= CACHE_LOG_PER_OBJECT;
}

uint32_t cache_log_count(const struct cache *cache)
{
	return cache->log.count;
}

const struct cache_change *cache_log_at(const struct cache *cache, uint32_t at)
{
	const struct cache_log *log = &cache->log;
	CHECK(at < log->count);
	return &log->ring[(log->first + at) % log->capacity];
}

void cache_log_drop(struct cache *cache)
{
	struct cache_log *log = &cache->log;
	CHECK(log->count > 0);
	const struct cache_change *change = &log->ring[log->first];
	log_strings(cache, &change->event, intern_give);
	cache_log_release(cache, &change->held);
	log->first = (log->first + 1) % log->capacity;
	if (--log->count == 0)
		log->first = 0; /* few pages are touched as long as little happens at a time */
}

/* ---- audit ---- */

uint32_t cache_log_holds_templates(const struct cache *cache)
{
	uint32_t held = 0;
	for (uint32_t i = 0; i < cache->log.count; i++)
		held += cache_log_at(cache, i)->held.template != 0;
	return held;
}

uint32_t cache_log_holds_labels(const struct cache *cache)
{
	uint32_t held = 0;
	for (uint32_t i = 0; i < cache->log.count; i++)
		held += cache_log_at(cache, i)->held.labels != 0;
	return held;
}
