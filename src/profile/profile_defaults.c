/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a profile is without configuration.
 *
 * What kube-scheduler does: its default is one list of plugins (MultiPoint), and each plugin gets
 * into the list of every extension point that its type implements, in the order of MultiPoint.
 *
 * What we do: enum plugin_id is in that order, and a table says which points a plugin implements.
 */
#include "profile/profile_private.h"

#define AT(point) (1u << SCHEDULER_##point)

static const uint32_t points_of[PLUGIN_COUNT] = {
	[PLUGIN_SCHEDULING_GATES] = AT(PRE_ENQUEUE),
	[PLUGIN_PRIORITY_SORT] = AT(QUEUE_SORT),
	[PLUGIN_NODE_UNSCHEDULABLE] = AT(FILTER),
	[PLUGIN_NODE_NAME] = AT(FILTER),
	[PLUGIN_TAINT_TOLERATION] = AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_NODE_AFFINITY] = AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_NODE_PORTS] = AT(PRE_FILTER) | AT(FILTER),
	[PLUGIN_FIT] =
		AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE) | AT(PLACEMENT_SCORE),
	[PLUGIN_VOLUME_RESTRICTIONS] = AT(PRE_FILTER) | AT(FILTER),
	[PLUGIN_NODE_VOLUME_LIMITS] = AT(PRE_FILTER) | AT(FILTER),
	[PLUGIN_VOLUME_BINDING] = AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE) |
		AT(RESERVE) | AT(PRE_BIND),
	[PLUGIN_VOLUME_ZONE] = AT(PRE_FILTER) | AT(FILTER),
	[PLUGIN_SPREAD] = AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_INTER_POD_AFFINITY] = AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_DYNAMIC_RESOURCES] = AT(PRE_ENQUEUE) | AT(PRE_FILTER) | AT(FILTER) |
		AT(POST_FILTER) | AT(SCORE) | AT(RESERVE) | AT(PRE_BIND),
	[PLUGIN_DEFAULT_PREEMPTION] = AT(PRE_ENQUEUE) | AT(POST_FILTER),
	[PLUGIN_BALANCED] = AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_IMAGE_LOCALITY] = AT(SCORE),
	[PLUGIN_DEFAULT_BINDER] = AT(BIND),
	[PLUGIN_NODE_DECLARED_FEATURES] = AT(PRE_FILTER) | AT(FILTER),
	[PLUGIN_NODE_LABEL] = AT(FILTER) | AT(SCORE),
	[PLUGIN_SERVICE_AFFINITY] = AT(PRE_FILTER) | AT(FILTER) | AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_SELECTOR_SPREAD] = AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_NODE_PREFER_AVOID_PODS] = AT(SCORE),
	[PLUGIN_NODE_RESOURCE_LIMITS] = AT(PRE_SCORE) | AT(SCORE),
	[PLUGIN_NODE_CONDITION] = AT(FILTER),
	[PLUGIN_MEMORY_PRESSURE] = AT(FILTER),
	[PLUGIN_DISK_PRESSURE] = AT(FILTER),
	[PLUGIN_PID_PRESSURE] = AT(FILTER),
	[PLUGIN_LEAST_ALLOCATED] = AT(SCORE),
	[PLUGIN_MOST_ALLOCATED] = AT(SCORE),
};

_Static_assert((int)PLUGIN_COUNT <= (int)PLUGIN_LIST_MAX, "a list has room for every plugin");

bool profile_implements(enum plugin_id id, enum scheduler_point point)
{
	CHECK(id < PLUGIN_COUNT);
	CHECK(point < SCHEDULER_POINTS);
	return (points_of[id] >> point & 1) != 0;
}

struct plugin_uses *profile_uses(struct plugin_profile *profile, enum scheduler_point point)
{
	switch (point) {
	case SCHEDULER_PRE_ENQUEUE: return &profile->pre_enqueue;
	case SCHEDULER_PRE_FILTER: return &profile->pre_filter;
	case SCHEDULER_FILTER: return &profile->filter;
	case SCHEDULER_POST_FILTER: return &profile->post_filter;
	case SCHEDULER_PRE_SCORE: return &profile->pre_score;
	case SCHEDULER_SCORE: return &profile->score;
	case SCHEDULER_RESERVE: return &profile->reserve;
	case SCHEDULER_PRE_BIND: return &profile->pre_bind;
	case SCHEDULER_BIND: return &profile->bind;
	case SCHEDULER_POST_BIND:
	case SCHEDULER_PERMIT:
	case SCHEDULER_QUEUE_SORT:
	case SCHEDULER_PLACEMENT_GENERATE:
	case SCHEDULER_PLACEMENT_SCORE:
	case SCHEDULER_PLUGIN_SETS:
	case SCHEDULER_POINTS: break;
	}
	return NULL;
}

static void default_uses(struct plugin_profile *profile)
{
	for (uint32_t point = 0; point < SCHEDULER_POINTS; point++) {
		struct plugin_uses *uses = profile_uses(profile, (enum scheduler_point)point);
		if (uses == NULL)
			continue;
		for (uint32_t id = 0; id < PLUGIN_DEFAULTS; id++)
			if (profile_implements((enum plugin_id)id, (enum scheduler_point)point))
				uses->list[uses->count++] = (struct plugin_use){(uint8_t)id,
					point == SCHEDULER_SCORE ? plugins[id].weight : 0};
	}
}

void profile_defaults(struct cache *cache, struct plugin_profile *profile)
{
	const struct profile_memory memory = {.cache = cache};
	const struct config_list none = {NULL, 0};
	*profile = (struct plugin_profile){0};
	CHECK(intern_take(&cache->strings, TEXT(SCHEDULER_DEFAULT_NAME), &profile->scheduler_name));
	default_uses(profile);
	enum profile_result result = profile_set_all_args(&memory, &none, profile, NULL);
	CHECK(result == PROFILE_OK);
}
