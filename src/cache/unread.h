/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unread pods: they hold a place on a node, and what they take there is not known: too big, too
 * deep, not understood, or without room. Such a pod closes its own node for new ones, and nothing
 * else, until it is understood or gone.
 */
#ifndef BERTH_CACHE_UNREAD_H
#define BERTH_CACHE_UNREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"
#include "base/text.h"

struct cache;

struct cache_unread {
	uint32_t namespace; /* string ids */
	uint32_t name;
	uint32_t node; /* index */
	uint16_t seen; /* list round it was last seen in */
};

struct cache_unreads {
	struct pool pool;
	struct map by_name;
};

/* The pod closes that node. False: not even for this there is room. */
MUST_USE bool cache_unread_put(
	struct cache *cache, struct text namespace, struct text name, struct text node);
/* It is understood, or gone. */
void cache_unread_drop(struct cache *cache, struct text namespace, struct text name);
/* The list of pods has ended: one that it did not show is gone. False: there is none. */
bool cache_unread_drop_unlisted(struct cache *cache);

#endif
