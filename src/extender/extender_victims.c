/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Victims as whole pods, for extenders that keep none themselves (nodeCacheCapable: false).
 *
 * What kube-scheduler sends is what its informer keeps. Ours keeps a part, so each victim is read
 * from the apiserver, one after the other, and kept with the ask until that is over. One that is
 * gone by then, or finds no memory, is sent as what is known of it: its names and its priority.
 */
#include "extender/private.h"

bool extender_wants_whole_victims(const struct extender_ask *ask)
{
	for (uint32_t i = 0; i < ask->all->count; i++) {
		const struct extender *e = &ask->all->list[i];
		if ((ask->care >> i & 1) != 0 && !e->config->node_cache_capable &&
			e->url_size[EXTENDER_PREEMPT] > 0)
			return true;
	}
	return false;
}

/* The text stays where it is put; TEXT_NONE: there is no memory for it. Others may need what is
 * left. */
static struct text whole_keep(struct extender_whole *whole, struct text json, bool is_needed)
{
	size_t end = whole->used + json.size;
	if (json.size > EXTENDER_WHOLE_PODS_MAX - whole->used ||
		!(is_needed ? page_span_reach(&whole->span, end)
			    : page_span_reach_sparing(&whole->span, end)))
		return TEXT_NONE;
	char *to = (char *)whole->span.base + whole->used;
	memcpy(to, json.at, json.size);
	whole->used += json.size;
	return (struct text){to, json.size};
}

static void victim_next(struct extender_ask *ask)
{
	const struct cache *cache = ask->all->setup.cache;
	for (; ask->whole.next < ask->offers->victim_count; ask->whole.next++) {
		const struct extender_victim *victim = &ask->offers->victims[ask->whole.next];
		const struct api_object object = {.group = "/api/v1",
			.namespace = cache_text(cache, victim->namespace),
			.resource = "pods",
			.name = cache_text(cache, victim->name)};
		struct writer path;
		writer_init(&path, ask->path, sizeof(ask->path));
		if (!api_path_write(&object, &path) || path.overflowed)
			continue;
		extender_ask_read(ask, writer_text(&path));
		return;
	}
	extender_ask_preempts(ask);
}

/* The cutter that the pod itself lies in is needed for them. */
void extender_victims_read(struct extender_ask *ask)
{
	ask->step = EXTENDER_READS_VICTIMS;
	ask->whole.used = ask->whole.next = 0;
	for (uint32_t i = 0; i < ask->offers->victim_count; i++)
		ask->offers->victims[i].whole_size = 0;
	ask->pod_json = whole_keep(&ask->whole, ask->pod_json, true);
	if (ask->pod_json.at != NULL) {
		victim_next(ask);
		return;
	}
	extender_ask_fail(ask, "there is no memory for the pod and its victims");
	extender_ask_finish(ask);
}

void extender_victim_done(struct extender_ask *ask, enum api_verdict verdict)
{
	struct extender_victim *victim = &ask->offers->victims[ask->whole.next++];
	if (verdict == API_DONE && ask->read_json.at != NULL) {
		struct text json = whole_keep(&ask->whole, ask->read_json, false);
		victim->whole_at = json.at == NULL
			? 0
			: (uint32_t)(json.at - (const char *)ask->whole.span.base);
		victim->whole_size = (uint32_t)json.size;
	}
	victim_next(ask);
}
