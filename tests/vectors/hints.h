/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines of hints.jsonl: one event comes, and each plugin that is registered for it says whether
 * the pending pod should be tried again.
 */
#ifndef BERTH_TESTS_VECTORS_HINTS_H
#define BERTH_TESTS_VECTORS_HINTS_H

#include <stdbool.h>

#include "cache/cache.h"
#include "plugins/plugins.h"

struct hints {
	struct cache *cache;
	const struct plugin_profile *profile;
	uint32_t pod; /* the pending one */
	const char *name;
};

/* The change log: nobody follows what the objects of a case are made of. */
void hints_work_off(struct cache *cache);
/* Puts the event's old object into the picture: some lines have it in the event alone. */
void hints_before(struct cache *cache, struct scratch *scratch, struct json_value event);
/* Lets the event come and compares what is said with `expect`; prints every difference. */
bool hints_agree(struct hints *hints, struct scratch *scratch, struct json_value event,
	struct json_value expect);

#endif
