/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration v1beta2 and v1beta3, rewritten as v1 says it.
 *
 * What kube-scheduler did: v1beta3 (v1.23 to v1.28) differs from v1 by plugins that are gone.
 * v1beta2 (v1.22 to v1.27) had other default weights, and each extension point had its own default
 * list, with which the point's list of the file was merged: disabled names go, "*" empties, an
 * enabled default is replaced where it stands, others come behind; its multiPoint was read and
 * not used.
 *
 * What we do: a v1beta2 profile becomes one whose points name all plugins they have. Plugins that
 * did not exist then stand at the end of the lists: pods of today count on them. Plugins that
 * counted in-tree volumes are left out: NodeVolumeLimits counts those volumes today.
 */
#include "profile/scheduler_private.h"

enum { LIST_MAX = SCHEDULER_SET_MAX + 16 /* of the file, and the defaults of a point */ };

/* ---- defaults of v1beta2: "name=weight name ..." ---- */

static const char *const defaults[SCHEDULER_PLUGIN_SETS] = {
	[SCHEDULER_QUEUE_SORT] = "PrioritySort",
	[SCHEDULER_PRE_ENQUEUE] = "SchedulingGates DynamicResources DefaultPreemption",
	[SCHEDULER_PRE_FILTER] =
		"NodeResourcesFit NodePorts VolumeRestrictions PodTopologySpread InterPodAffinity "
		"VolumeBinding VolumeZone NodeAffinity NodeVolumeLimits DynamicResources "
		"NodeDeclaredFeatures",
	[SCHEDULER_FILTER] =
		"NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts "
		"NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone "
		"PodTopologySpread InterPodAffinity DynamicResources NodeDeclaredFeatures",
	[SCHEDULER_POST_FILTER] = "DynamicResources DefaultPreemption",
	[SCHEDULER_PRE_SCORE] =
		"InterPodAffinity PodTopologySpread TaintToleration NodeAffinity NodeResourcesFit "
		"NodeResourcesBalancedAllocation",
	[SCHEDULER_SCORE] =
		"NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 "
		"NodeResourcesFit=1 NodeAffinity=1 PodTopologySpread=2 TaintToleration=1 "
		"DynamicResources=2",
	[SCHEDULER_RESERVE] = "VolumeBinding DynamicResources",
	[SCHEDULER_PRE_BIND] = "VolumeBinding DynamicResources",
	[SCHEDULER_BIND] = "DefaultBinder",
};

static struct scheduler_plugin plugin_of(struct text word)
{
	uint64_t weight = 0;
	size_t end = text_find(word, '=');
	if (end < word.size)
		CHECK(text_to_u64(text_from(word, end + 1), &weight));
	return (struct scheduler_plugin){text_first(word, end), (int32_t)weight};
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

struct merged {
	struct scheduler_plugin list[LIST_MAX];
	uint32_t count;
};

/* The last one of a name counts; the others stay and are found out as registered twice. */
static void merge(const char *words, const struct scheduler_plugin_set *set, struct merged *to)
{
	const struct scheduler_plugin *own = CONFIG_LIST(set->enabled, struct scheduler_plugin);
	struct text rest = text_of(words);
	struct text word;
	uint64_t placed = 0;
	while (words != NULL && text_cut(&rest, ' ', &word)) {
		struct scheduler_plugin plugin = plugin_of(word);
		if (is_disabled(&set->disabled, "*", plugin.name))
			continue;
		for (uint32_t i = set->enabled.count; i > 0; i--) {
			if (!text_is(own[i - 1].name, plugin.name))
				continue;
			plugin = own[i - 1];
			placed |= UINT64_C(1) << (i - 1);
			break;
		}
		to->list[to->count++] = plugin;
	}
	for (uint32_t i = 0; i < set->enabled.count; i++)
		if ((placed >> i & 1) == 0)
			to->list[to->count++] = own[i];
}

static const struct scheduler_plugin all = {.name = {"*", 1}};

static void write_out(
	struct reading *r, enum scheduler_point point, struct scheduler_plugin_set *set)
{
	struct merged *merged = SCRATCH_ONE(r->scratch, struct merged);
	if (merged == NULL)
		return;
	CHECK(set->enabled.count <= SCHEDULER_SET_MAX);
	merge(defaults[point], set, merged);
	if (merged->count > SCHEDULER_SET_MAX)
		refuse(r, "plugins",
			"%s has %u plugins with the default ones, at most %u are possible",
			scheduler_point_field(point), merged->count, (unsigned)SCHEDULER_SET_MAX);
	set->enabled = (struct config_list){merged->list, merged->count};
	set->disabled = (struct config_list){&all, 1};
}

static void forget_multi_point(struct reading *r, struct scheduler_plugin_set *set)
{
	if (set->enabled.count > 0 || set->disabled.count > 0)
		remark(r, "plugins.multiPoint", "has no effect in v1beta2");
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
static void leave_out_sets(struct reading *r, struct scheduler_plugins *plugins)
{
	size_t before = reading_enter(r, "plugins");
	for (uint32_t point = 0; point < SCHEDULER_PLUGIN_SETS; point++) {
		struct scheduler_plugin_set *set = &plugins->sets[point];
		size_t here = reading_enter(r, scheduler_point_field((enum scheduler_point)point));
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
	if (version != SCHEDULER_V1BETA2 || r->scratch->overflowed)
		return;
	forget_multi_point(r, &profile->plugins.sets[SCHEDULER_MULTI_POINT]);
	for (uint32_t point = 0; point < SCHEDULER_POINTS; point++)
		if (defaults[point] != NULL)
			write_out(r, (enum scheduler_point)point, &profile->plugins.sets[point]);
}

/* ---- addresses ---- */

/* Only an empty address or one with port 0 was left in v1beta2: both mean that nobody listens. */
static void check_address(struct reading *r, const char *field, struct text address)
{
	if (address.size > 0 && !text_is_z(address, "0") && !text_ends(address, TEXT(":0")))
		refuse_text(r, field, address, "must be empty or with an explicit 0 port");
}

void scheduler_older_check(struct reading *r, const struct scheduler_file *file)
{
	check_address(r, "healthzBindAddress", file->healthz_address);
	check_address(r, "metricsBindAddress", file->metrics_address);
}
