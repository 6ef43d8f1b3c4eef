/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The change log: every change that the apiserver sent, in order, until it is worked off. Applying
 * a change calls no other module; those that follow changes read them here, in a phase of its own,
 * when the cache is at its newest state already. So an entry has both versions of the object, and
 * keeps the old one: templates, label sets, strings and blobs are given back with the entry. The
 * new version lives as long as the object or, after its next change, as long as that change's
 * entry, which is later in the log.
 *
 * The log is bounded. Before changes are applied room is looked for and the log worked off.
 */
#ifndef BERTH_CACHE_LOG_H
#define BERTH_CACHE_LOG_H

#include "cache/event.h"

enum {
	CACHE_LOG_PER_OBJECT = 4, /* so many changes follow from one object at most */
	CACHE_LOG_MIN = 2 * CACHE_LOG_PER_OBJECT,
	CACHE_HELD_STRINGS = 3
};

/* 128 bits: a canonical UUID as it is; any other text as (CACHE_UID_TEXT, string id). */
struct cache_uid {
	uint64_t high;
	uint64_t low;
};
#define CACHE_UID_TEXT UINT64_MAX

/* What an old version holds on to. */
struct cache_held {
	const struct kube_blob *blob; /* its own, or NULL */
	uint32_t handle;              /* of the blob */
	uint32_t template;
	uint32_t labels;
	uint32_t strings[CACHE_HELD_STRINGS];
};

struct cache_change {
	struct cache_event event;
	struct cache_uid uid; /* pods: whether the pod of that index is still the one */
	uint32_t waiting;     /* pods that are gone: what cache_pod.waiting was */
	struct cache_held held;
};

struct cache_log {
	struct cache_change *ring;
	uint32_t capacity; /* 0: not read, nothing is kept */
	uint32_t first;
	uint32_t count;
	uint32_t count_max;
	uint64_t appended; /* so far: does it stand still, so does what the apiserver says */
};

/* Is there room for whatever the next object changes? Always when the log is not read. */
bool cache_log_has_room(const struct cache *cache);
/* Changes that are to be worked off. */
uint32_t cache_log_count(const struct cache *cache);
/* The `at`th of them, 0: the oldest. Good until it is dropped; event.actions are filled in. */
const struct cache_change *cache_log_at(const struct cache *cache, uint32_t at);
/* The oldest is worked off. */
void cache_log_drop(struct cache *cache);

#endif
