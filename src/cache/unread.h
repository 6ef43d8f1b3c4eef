/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unread pods: too big, too deep, not understood, or without room. One that holds a place takes
 * there what is not known: it closes its own node for new ones, and nothing else, until it is
 * understood or gone. One that waits is in no other's way; it is remembered so that it is reported,
 * once by each leader.
 */
#ifndef BERTH_CACHE_UNREAD_H
#define BERTH_CACHE_UNREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/pool.h"
#include "base/text.h"
#include "cache/log.h"

struct cache;

struct cache_unread {
	uint32_t namespace; /* string ids */
	uint32_t name;
	uint32_t node; /* index; 0: it waits for one */
	uint16_t seen; /* list round it was last seen in */
	bool is_reported;
	struct cache_uid uid; /* zero: it has none that can be kept */
	const char *field;    /* what of it, ... */
	const char *reason;   /* ... and why; never freed */
};

struct cache_unread_cause {
	struct text uid;
	const char *field;
	const char *reason;
};

struct cache_unreads {
	struct pool pool;
	struct map by_name;
	uint32_t pending;    /* of them wait for a node, */
	uint32_t unreported; /* ... of all */
	/* Stray pods. */
	bool dropped;        /* some were, since a list of pods began last */
	uint32_t unsure;     /* nodes that came after that: CACHE_NODE_UNSURE or _LISTED */
	uint32_t dropped_at; /* where the last look for them ended */
};

enum cache_unread_put {
	CACHE_UNREAD_FULL, /* not even for this there is room */
	CACHE_UNREAD_KNOWN,
	CACHE_UNREAD_NEW
};

/* The pod closes that node; an empty one: it waits. */
MUST_USE enum cache_unread_put cache_unread_put(struct cache *cache, struct text namespace,
	struct text name, struct text node, const struct cache_unread_cause *cause);
static inline const struct cache_unread *cache_unread_at(
	const struct cache_unreads *unreads, uint32_t index)
{
	return pool_at(&unreads->pool, index);
}
/* One that was not reported yet, and is from now on; 0: all were. */
uint32_t cache_unread_report(struct cache *cache);
/* What was reported may not have arrived: once more. */
void cache_unread_report_again(struct cache *cache);
/* It is understood, or gone. */
void cache_unread_drop(struct cache *cache, struct text namespace, struct text name);
/* The list of pods has ended: one that it did not show is gone. False: there is none. */
bool cache_unread_drop_unlisted(struct cache *cache);

/*
 * Stray pods name a node that the apiserver has not shown. They take nothing from anybody, so they
 * are the first to go where memory is short: one placeholder node with all of them at a time, and
 * no change is logged (none may be waiting in the log). False: there is none. Should such a node
 * come after that, it takes no new pods until a list of pods that began later has ended.
 */
bool cache_drop_strays(struct cache *cache);
/* The same for a pod that there was no room for. False: the apiserver has shown its node. */
MUST_USE bool cache_is_stray(struct cache *cache, struct text node);
void cache_strays_list_begin(struct cache *cache);
/* The list has ended: a node opens. False: none is left. */
bool cache_strays_list_end(struct cache *cache);

#endif
