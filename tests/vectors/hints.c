/* SPDX-License-Identifier: GPL-2.0-only */
/* What requeues which pod: the plugins are asked about the event that the change log shows. */
#include "vectors/hints.h"

#include <stdio.h>
#include <stdlib.h>

#include "cache/feed.h"
#include "plugins/hints.h"

enum { HINT_SCRATCH = 1 << 20 };

struct asking {
	struct hints *hints;
	bool told;
	bool registered[PLUGIN_COUNT];
	enum plugin_hint said[PLUGIN_COUNT];
};

static enum kube_kind kind_of(struct json_value event)
{
	return kube_kind_of(json_text(json_get(event, "kind")));
}

static bool feed(
	struct cache *cache, struct scratch *scratch, struct json_value event, const char *side)
{
	struct cache_fed fed;
	struct json_value object = json_get(event, side);
	scratch_reset(scratch);
	return json_type(object) != JSON_OBJECT ||
		cache_feed(cache, scratch, kind_of(event), object, &fed);
}

static bool unfeed(struct cache *cache, enum kube_kind kind, struct json_value object)
{
	return cache_unfeed(cache, kind, json_text(json_path(object, "metadata.namespace")),
		       json_text(json_path(object, "metadata.name"))) == CACHE_OK;
}

void hints_work_off(struct cache *cache)
{
	while (cache_log_count(cache) > 0)
		cache_log_drop(cache);
}

void hints_before(struct cache *cache, struct scratch *scratch, struct json_value event)
{
	if (!feed(cache, scratch, event, "old"))
		printf("the event's old object is refused\n");
}

/* The pod in its newest version, and everybody's opinion. */
static void ask(struct asking *asking, const struct cache_event *event)
{
	static uint64_t room[HINT_SCRATCH / sizeof(uint64_t)];
	struct cache *cache = asking->hints->cache;
	struct scratch scratch;
	scratch_init(&scratch, room, sizeof(room));
	struct plugin_waiting w = {.cache = cache,
		.profile = asking->hints->profile,
		.scratch = &scratch,
		.pod = plugin_pod_of(cache, asking->hints->pod)};
	asking->told = true;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		asking->registered[id] =
			plugin_hint_of((enum plugin_id)id, &w, event, &asking->said[id]);
}

static bool compare(const struct asking *asking, struct json_value expect)
{
	bool same = true;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		if (plugins[id]->defaults == 0)
			continue;
		struct text want = json_text(json_get(expect, plugins[id]->name));
		const char *got = !asking->registered[id]       ? ""
			: asking->said[id] == PLUGIN_HINT_QUEUE ? "Queue"
								: "Skip";
		if (text_is_z(want, got))
			continue;
		printf("%s: %s\n    want %.*s\n    got  %s\n", asking->hints->name,
			plugins[id]->name, TEXT_ARGS(want), got);
		same = false;
	}
	return same;
}

bool hints_agree(struct hints *hints, struct scratch *scratch, struct json_value event,
	struct json_value expect)
{
	struct asking asking = {.hints = hints};
	struct cache *cache = hints->cache;
	struct json_value now = json_get(event, "new");
	/* Some lines show what is added among the objects already. */
	if (text_is_z(json_text(json_get(event, "type")), "ADDED"))
		(void)unfeed(cache, kind_of(event), now);
	hints_work_off(cache);
	bool fed = json_type(now) == JSON_OBJECT
		? feed(cache, scratch, event, "new")
		: unfeed(cache, kind_of(event), json_get(event, "old"));
	for (; cache_log_count(cache) > 0; cache_log_drop(cache))
		ask(&asking, &cache_log_at(cache, 0)->event);
	if (!fed) {
		printf("%s: the event's object is refused\n", hints->name);
		return false;
	}
	cache_audit(cache);
	return compare(&asking, expect);
}
