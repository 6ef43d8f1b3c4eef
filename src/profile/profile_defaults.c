/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a profile is without configuration.
 *
 * What kube-scheduler does: its default is one list of plugins (MultiPoint), and each plugin gets
 * into the list of every extension point that its type implements, in the order of MultiPoint.
 *
 * What we do: the same, from the tables of the plugins, whose registry is in that order.
 */
#include "profile/profile_private.h"

_Static_assert((int)SCHEDULER_POINTS == (int)PLUGIN_POINTS, "the same points, by the same numbers");
_Static_assert((int)SCHEDULER_PRE_FILTER == (int)PLUGIN_AT_PRE_FILTER, "from the first");
_Static_assert((int)SCHEDULER_SCORE == (int)PLUGIN_AT_SCORE, "over the middle");
_Static_assert((int)SCHEDULER_PERMIT == (int)PLUGIN_AT_PERMIT, "over the middle");
_Static_assert((int)SCHEDULER_PLACEMENT_SCORE == (int)PLUGIN_AT_PLACEMENT_SCORE, "to the last");

bool profile_implements(enum plugin_id id, enum scheduler_point point)
{
	CHECK(id < PLUGIN_COUNT);
	CHECK(point < SCHEDULER_POINTS);
	return plugin_has_point(plugins[id], (enum plugin_point)point);
}

bool profile_is_default(enum plugin_id id)
{
	return (plugins[id]->defaults & PLUGIN_IN_1_36) != 0;
}

static void default_uses(struct plugin_profile *profile)
{
	for (uint32_t at = 0; at < PLUGIN_POINTS; at++)
		for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
			if (profile_is_default((enum plugin_id)id) &&
				plugin_has_point(plugins[id], (enum plugin_point)at))
				plugin_use_at(profile, (enum plugin_point)at, (enum plugin_id)id,
					at == PLUGIN_AT_SCORE ? plugins[id]->weight : 0);
}

void profile_defaults(struct cache *cache, struct plugin_profile *profile)
{
	const struct profile_memory memory = {.cache = cache};
	const struct config_list none = {NULL, 0};
	const struct feature_choices no_choices = {.given = {0}};
	*profile = (struct plugin_profile){0};
	feature_gates_set(&profile->gates, &no_choices, KUBE_RELEASE_DEFAULT);
	CHECK(intern_take(&cache->strings, TEXT(SCHEDULER_DEFAULT_NAME), &profile->scheduler_name));
	default_uses(profile);
	enum profile_result result = profile_set_all_args(&memory, &none, profile, NULL);
	CHECK(result == PROFILE_OK);
}
