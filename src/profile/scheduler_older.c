/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration v1beta1, v1beta2 and v1beta3, rewritten as v1 says it.
 *
 * What kube-scheduler did: v1beta3 (v1.23 to v1.28) differs from v1 by plugins that are gone.
 * v1beta2 (v1.22 to v1.27) had other default weights, and each extension point had its own default
 * list, with which the point's list of the file was merged: disabled names go, "*" empties, an
 * enabled default is replaced where it stands, others come behind; its multiPoint was read and
 * not used. v1beta1 (v1.19 to v1.22) scored by NodeResourcesLeastAllocated where v1beta2 has
 * NodeResourcesFit, and by NodePreferAvoidPods; and it opened ports without TLS.
 *
 * What we do: a v1beta2 profile becomes one whose points name all plugins they have. Plugins that
 * did not exist then stand at the end of the lists: pods of today count on them. Plugins that
 * counted in-tree volumes are left out: NodeVolumeLimits counts those volumes today.
 */
#include "plugins/plugins.h"
#include "profile/scheduler_private.h"

/* ---- default lists of v1beta2 ---- */

/* Whether the plugin is in the point's list, and its place; those without one come last. */
static bool is_listed(const struct plugin *plugin, enum scheduler_version version, uint32_t point,
	uint32_t *place)
{
	const struct plugin_v1beta2 *older = &plugin->v1beta2;
	bool is_scoring = point == PLUGIN_AT_SCORE || point == PLUGIN_AT_PRE_SCORE;
	bool is_default = plugin->defaults != 0;
	/* Those that are gone have a weight only there. */
	if (version >= SCHEDULER_V1BETA1 && point == PLUGIN_AT_SCORE)
		is_default = plugin != &plugin_fit;
	*place = 0;
	if (point == PLUGIN_AT_PRE_FILTER)
		*place = older->pre_filter;
	else if (point == PLUGIN_AT_PRE_SCORE)
		*place = older->pre_score;
	else if (point == PLUGIN_AT_SCORE)
		*place = older->score;
	if (*place == 0)
		*place = PLUGIN_COUNT;
	return is_default && plugin_has_point(plugin, (enum plugin_point)point) &&
		(!is_scoring || older->weight > 0);
}

static uint32_t list_defaults(
	enum scheduler_version version, uint32_t point, struct scheduler_plugin *list)
{
	uint32_t places[PLUGIN_COUNT];
	uint32_t count = 0;
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		const struct plugin *plugin = plugins[id];
		uint32_t place, at;
		if (!is_listed(plugin, version, point, &place))
			continue;
		for (at = count++; at > 0 && places[at - 1] > place; at--) {
			list[at] = list[at - 1];
			places[at] = places[at - 1];
		}
		places[at] = place;
		list[at] = (struct scheduler_plugin){text_of(plugin->name),
			point == PLUGIN_AT_SCORE ? plugin->v1beta2.weight : 0};
	}
	return count;
}

/* ---- merging ---- */

static bool is_disabled(const struct config_list *disabled, const char *name, struct text also)
{
	const struct scheduler_plugin *list = CONFIG_LIST(*disabled, struct scheduler_plugin);
	for (uint32_t i = 0; i < disabled->count; i++)
		if (text_is_z(list[i].name, name) || text_is(list[i].name, also))
			return true;
	return false;
}

/* The last one of a name counts; the others stay and are found out as registered twice. */
static uint32_t merge(const struct scheduler_plugin *defaults, uint32_t count,
	const struct scheduler_plugin_set *set, struct scheduler_plugin *to, bool *placed)
{
	const struct scheduler_plugin *own = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	uint32_t merged = 0;
	for (uint32_t k = 0; k < count; k++) {
		struct scheduler_plugin plugin = defaults[k];
		if (is_disabled(&set->disabled, "*", plugin.name))
			continue;
		for (uint32_t i = set->enabled.count; i > 0; i--) {
			if (!text_is(own[i - 1].name, plugin.name))
				continue;
			plugin = own[i - 1];
			placed[i - 1] = true;
			break;
		}
		to[merged++] = plugin;
	}
	for (uint32_t i = 0; i < set->enabled.count; i++)
		if (!placed[i])
			to[merged++] = own[i];
	return merged;
}

static const struct scheduler_plugin all = {.name = {"*", 1}};

static void write_older(struct reading *r, enum scheduler_version version, uint32_t point,
	struct scheduler_plugin_set *set)
{
	struct scheduler_plugin defaults[PLUGIN_COUNT];
	uint32_t count = list_defaults(version, point, defaults);
	if (count == 0)
		return; /* nothing to merge with */
	struct scheduler_plugin *list =
		SCRATCH_ARRAY(r->scratch, struct scheduler_plugin, count + set->enabled.count + 1);
	bool *placed = SCRATCH_ARRAY(r->scratch, bool, set->enabled.count + 1);
	if (list == NULL || placed == NULL)
		return;
	count = merge(defaults, count, set, list, placed);
	set->enabled = (struct config_list){list, count};
	set->disabled = (struct config_list){&all, 1};
}

static void forget_multi_point(struct reading *r, struct scheduler_plugin_set *set)
{
	if (set->enabled.count > 0 || set->disabled.count > 0)
		remark(r, "plugins.multiPoint", "has no effect before v1beta3");
	*set = (struct scheduler_plugin_set){.enabled = {NULL, 0}};
}

/* ---- what is gone ---- */

static void leave_out(struct reading *r, const char *field, struct config_list *list)
{
	const struct scheduler_plugin *from = CONFIG_LIST(*list, struct scheduler_plugin);
	struct scheduler_plugin *to =
		SCRATCH_ARRAY(r->scratch, struct scheduler_plugin, list->count + 1);
	uint32_t count = 0;
	size_t before = reading_enter(r, field);
	for (uint32_t i = 0; i < list->count && to != NULL; i++) {
		size_t here = reading_enter_index(r, i);
		if (scheduler_is_removed(from[i].name))
			remark(r, "", "has no effect: NodeVolumeLimits counts these volumes too");
		else
			to[count++] = from[i];
		reading_leave(r, here);
	}
	reading_leave(r, before);
	*list = (struct config_list){to, count};
}

/* pluginConfig[i] keep their places: paths of faults count from 0. */
static void leave_out_sets(struct reading *r, struct scheduler_plugins *all_sets)
{
	size_t before = reading_enter(r, "plugins");
	for (uint32_t point = 0; point < SCHEDULER_PLUGIN_SETS; point++) {
		struct scheduler_plugin_set *set = &all_sets->sets[point];
		size_t here = reading_enter(r, scheduler_point_field(point));
		if (set->enabled.count > 0)
			leave_out(r, "enabled", &set->enabled);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

void scheduler_older_profile(
	struct reading *r, enum scheduler_version version, struct scheduler_profile *profile)
{
	if (version == SCHEDULER_V1)
		return;
	leave_out_sets(r, &profile->plugins);
	if (version < SCHEDULER_V1BETA2 || r->scratch->overflowed)
		return;
	forget_multi_point(r, &profile->plugins.sets[SCHEDULER_MULTI_POINT]);
	for (uint32_t point = 0; point < PLUGIN_POINTS; point++)
		if (point != PLUGIN_AT_PLACEMENT_SCORE && point != PLUGIN_AT_POD_GROUP_POST_FILTER)
			write_older(r, version, point, &profile->plugins.sets[point]);
}

/* ---- addresses ---- */

/* Only an empty address or one with port 0 was left in v1beta2: both mean that no port is opened.
 */
static void check_address(
	struct reading *r, enum scheduler_version version, const char *field, struct text address)
{
	if (address.size == 0 || text_is_z(address, "0") || text_ends(address, TEXT(":0")))
		return;
	if (version >= SCHEDULER_V1BETA1)
		remark(r, field, "has no effect: --http-port and --http-address are for that");
	else
		refuse_text(r, field, address, "must be empty or with an explicit 0 port");
}

void scheduler_older_check(struct reading *r, const struct scheduler_file *file)
{
	check_address(r, file->version, "healthzBindAddress", file->healthz_address);
	check_address(r, file->version, "metricsBindAddress", file->metrics_address);
}
