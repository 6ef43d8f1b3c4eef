/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feed: an object of JSON, decoded and put into the picture.
 */
#ifndef BERTH_CACHE_FEED_H
#define BERTH_CACHE_FEED_H

#include "cache/cache.h"

struct cache_fed {
	enum kube_result decoded;
	enum cache_result put;   /* when decoded is KUBE_OK */
	bool is_too_big;         /* to be decoded: no memory of the picture would help */
	uint32_t index;          /* among pods, nodes or objects; 0: not kept (a finished pod) */
	const char *fault_field; /* when decoded is KUBE_MALFORMED */
	const char *fault_reason;
	struct text namespace; /* as far as it was read, for messages */
	struct text name;
};

/* True when the object is in the picture (or need not be). Scratch is the caller's to give back. */
bool cache_feed(struct cache *cache, struct scratch *scratch, enum kube_kind kind,
	struct json_value object, struct cache_fed *fed);

/* Removes the object of that kind and name; CACHE_UNKNOWN when it is not there. */
/* An object, no pod, is there and not known; it is known now, or gone; or all are listed again. */
void cache_miss(struct cache *cache, enum kube_kind kind, struct text namespace, struct text name);
void cache_miss_no_more(
	struct cache *cache, enum kube_kind kind, struct text namespace, struct text name);
void cache_miss_none(struct cache *cache, enum kube_kind kind);

enum cache_result cache_unfeed(
	struct cache *cache, enum kube_kind kind, struct text namespace, struct text name);

#endif
