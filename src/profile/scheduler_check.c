/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules for a KubeSchedulerConfiguration, kube-scheduler's one by one and in its words. What
 * is accepted though it changes nothing here is remarked. A rule of its leader elector, which is
 * made later, stands here too: the file could not be used.
 */
#include "base/nearest.h"
#include "plugins/plugins.h"
#include "profile/scheduler_private.h"

static const char *const removed_plugins[] = {
	"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"};

#define REMOVED_WHY                                                                            \
	"was invalid in version \"" SCHEDULER_CONFIG_VERSION "\" (KubeSchedulerConfiguration " \
	"is version \"" SCHEDULER_CONFIG_VERSION "\")"

bool scheduler_is_removed(struct text plugin)
{
	for (size_t i = 0; i < ARRAY_COUNT(removed_plugins); i++)
		if (text_is_z(plugin, removed_plugins[i]))
			return true;
	return false;
}

static void check_percentage(struct reading *r, const struct config_optional *percentage)
{
	if (percentage->given && (percentage->value < 0 || percentage->value > 100))
		refuse_i64(r, "percentageOfNodesToScore", percentage->value,
			"not in valid range [0-100]");
}

/* ---- plugins of a profile ---- */

static bool is_classic(uint32_t point)
{
	return point != SCHEDULER_MULTI_POINT && point != PLUGIN_AT_PLACEMENT_GENERATE &&
		point != PLUGIN_AT_PLACEMENT_SCORE && point != PLUGIN_AT_POD_GROUP_POST_FILTER;
}

struct listing { /* where a name stands */
	enum scheduler_version version;
	bool is_classic;
	bool is_enabled;
};

static bool is_plugin(struct text name, struct nearest *nearest)
{
	nearest_init(nearest, name);
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		nearest_try(nearest, plugins[id]->name);
	return plugin_find(name) < PLUGIN_COUNT;
}

/* Disabling what is not there changes nothing; the author may have meant another one. */
static void check_name(struct reading *r, struct text name, const struct listing *in)
{
	struct nearest nearest;
	bool is_removed = scheduler_is_removed(name);
	if (name.size == 0)
		refuse_missing(r, "name", "the name of a plugin");
	else if (is_removed && in->is_enabled && in->is_classic && in->version == SCHEDULER_V1)
		refuse_text(r, "", name, REMOVED_WHY);
	else if (is_removed && (!in->is_enabled || in->version != SCHEDULER_V1))
		return;
	else if (is_plugin(name, &nearest))
		return;
	else if (in->is_enabled)
		refuse_misnamed(r, "name", name, "plugin does not exist", &nearest);
	else if (!text_is_z(name, "*"))
		remark(r, "name", "has no effect: no such plugin");
}

static void check_list(struct reading *r, const struct config_list *list, const struct listing *in)
{
	const struct scheduler_plugin *named = CONFIG_LIST(*list, struct scheduler_plugin);
	size_t before = reading_enter(r, in->is_enabled ? "enabled" : "disabled");
	for (uint32_t i = 0; i < list->count; i++) {
		size_t here = reading_enter_index(r, i);
		check_name(r, named[i].name, in);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

void scheduler_plugins_check(
	struct reading *r, enum scheduler_version version, const struct scheduler_plugins *all)
{
	size_t before = reading_enter(r, "plugins");
	for (uint32_t point = 0; point < SCHEDULER_PLUGIN_SETS; point++) {
		const struct scheduler_plugin_set *set = &all->sets[point];
		struct listing in = {version, is_classic(point), true};
		if (version >= SCHEDULER_V1BETA2 && point == SCHEDULER_MULTI_POINT)
			continue; /* not used there */
		size_t here = reading_enter(r, scheduler_point_field(point));
		check_list(r, &set->enabled, &in);
		in.is_enabled = false;
		check_list(r, &set->disabled, &in);
		if (point == PLUGIN_AT_POD_GROUP_POST_FILTER && set->enabled.count > 0)
			remark(r, "", "has no effect: there are no groups of pods here");
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

static void check_args_names(
	struct reading *r, const struct scheduler_profile *profile, enum scheduler_version version)
{
	const struct scheduler_args *args = CONFIG_LIST(profile->args, struct scheduler_args);
	size_t before = reading_enter(r, "pluginConfig");
	for (uint32_t i = 0; i < profile->args.count; i++) {
		size_t here = reading_enter_index(r, i);
		uint32_t first = 0;
		while (!text_is(args[first].plugin, args[i].plugin))
			first++;
		if (first < i && args[i].plugin.size > 0)
			refuse_duplicate(r, "", args[i].plugin);
		if (scheduler_is_removed(args[i].plugin) && version == SCHEDULER_V1)
			refuse_text(r, "", args[i].plugin, REMOVED_WHY);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

/* ---- profiles ---- */

static bool same_plugins(const struct config_list *a, const struct config_list *b)
{
	const struct scheduler_plugin *of_a = CONFIG_LIST(*a, struct scheduler_plugin);
	const struct scheduler_plugin *of_b = CONFIG_LIST(*b, struct scheduler_plugin);
	bool same = a->count == b->count;
	for (uint32_t i = 0; i < a->count && same; i++)
		same = text_is(of_a[i].name, of_b[i].name) && of_a[i].weight == of_b[i].weight;
	return same;
}

/* The queue is one for all profiles, so its order must be one. */
static void check_queue_sort(
	struct reading *r, const struct scheduler_profile *profiles, uint32_t i)
{
	const struct scheduler_plugin_set *first = &profiles[0].plugins.sets[PLUGIN_AT_QUEUE_SORT];
	const struct scheduler_plugin_set *own = &profiles[i].plugins.sets[PLUGIN_AT_QUEUE_SORT];
	if (i == 0 && own->enabled.count > 1)
		refuse_i64(r, "plugins.queueSort.Enabled", own->enabled.count,
			"only one queue sort plugin can be enabled");
	if (!same_plugins(&first->enabled, &own->enabled) ||
		!same_plugins(&first->disabled, &own->disabled))
		refuse(r, "plugins.queueSort", "Invalid value: must be the same for all profiles");
}

static const struct scheduler_args *args_of(
	const struct scheduler_profile *profile, struct text plugin)
{
	const struct scheduler_args *args = CONFIG_LIST(profile->args, struct scheduler_args);
	for (uint32_t i = 0; i < profile->args.count; i++)
		if (text_is(args[i].plugin, plugin))
			return &args[i];
	return NULL;
}

/* No queue sort plugin of ours has arguments: they are equal when they are the same words. */
static void check_queue_sort_args(
	struct reading *r, const struct scheduler_profile *profiles, uint32_t i)
{
	const struct config_list *first = &profiles[0].plugins.sets[PLUGIN_AT_QUEUE_SORT].enabled;
	if (i == 0 || first->count == 0)
		return;
	struct text plugin = CONFIG_LIST(*first, struct scheduler_plugin)[0].name;
	const struct scheduler_args *wanted = args_of(&profiles[0], plugin);
	const struct scheduler_args *own = args_of(&profiles[i], plugin);
	if (own == NULL || plugin.size == 0)
		return;
	bool same = wanted != NULL && yaml_is_same(wanted->raw, own->raw);
	if (!same)
		refuse(r, "pluginConfig.args",
			"Invalid value: queueSort must be the same for all profiles");
}

static void check_profile(struct reading *r, const struct scheduler_profile *profiles, uint32_t i)
{
	const struct scheduler_profile *profile = &profiles[i];
	uint32_t first = 0;
	while (!text_is(profiles[first].name, profile->name))
		first++;
	if (profile->name.size == 0)
		refuse_missing(r, "schedulerName", "");
	else if (first < i)
		refuse(r, "schedulerName", "Duplicate value: profiles[%u].schedulerName", first);
	check_percentage(r, &profile->percentage_of_nodes);
	check_queue_sort(r, profiles, i);
	check_queue_sort_args(r, profiles, i);
}

static void check_profiles(struct reading *r, const struct scheduler_file *file)
{
	const struct config_list *list = &file->config.profiles;
	const struct scheduler_profile *profiles = CONFIG_LIST(*list, struct scheduler_profile);
	size_t before = reading_enter(r, "profiles");
	for (uint32_t i = 0; i < list->count; i++) {
		size_t here = reading_enter_index(r, i);
		check_profile(r, profiles, i);
		check_args_names(r, &profiles[i], file->version);
		reading_leave(r, here);
	}
	reading_leave(r, before);
}

/* ---- leader election, client connection ---- */

static void check_positive(struct reading *r, const char *field, int64_t us)
{
	if (us <= 0)
		refuse_us(r, field, us, "must be greater than zero");
}

static void check_election_field(
	struct reading *r, const struct scheduler_leader_election *election)
{
	if (!election->elect)
		return;
	size_t before = reading_enter(r, "leaderElection");
	check_positive(r, "leaseDuration", election->lease_duration_us);
	check_positive(r, "renewDeadline", election->renew_deadline_us);
	check_positive(r, "retryPeriod", election->retry_period_us);
	if (election->lease_duration_us <= election->renew_deadline_us)
		refuse_us(r, "leaseDuration", election->renew_deadline_us,
			"must be greater than `RenewDeadline`");
	if (election->renew_deadline_us > 0 && election->retry_period_us > 0 &&
		1.2 * (double)election->retry_period_us >= (double)election->renew_deadline_us)
		refuse_us(r, "renewDeadline", election->renew_deadline_us,
			"renewDeadline must be greater than retryPeriod*JitterFactor (1.2)");
	if (!text_is_z(election->resource_lock, "leases"))
		refuse_text(r, "resourceLock", election->resource_lock,
			"resourceLock value must be \"leases\"");
	reading_leave(r, before);
}

static void check_connection(struct reading *r, const struct scheduler_client_connection *c)
{
	if (c->burst < 0)
		refuse_i64(r, "clientConnection.burst", c->burst, "must be non-negative");
}

/* ---- what is accepted and changes nothing ---- */

/* Who writes a default says nothing. */
static void remark_when(struct reading *r, bool other, const char *field, const char *what)
{
	if (other)
		remark(r, field, what);
}

static void remark_effects(struct reading *r, const struct scheduler_config *config)
{
	static const char no_profile[] = "has no effect: there is no Go runtime to profile";
	const struct scheduler_client_connection *c = &config->client_connection;
	remark_when(r, config->parallelism > 0 && config->parallelism != 16, "parallelism",
		"has no effect: one thread decides");
	remark_when(r, !config->enable_profiling, "enableProfiling", no_profile);
	remark_when(r, !config->enable_contention_profiling && config->enable_profiling,
		"enableContentionProfiling", no_profile);
	remark_when(r, config->delay_cache_until_active, "delayCacheUntilActive",
		"has no effect: the cache is always filled");
	remark_when(r, c->accept_content_types.size > 0, "clientConnection.acceptContentTypes",
		"has no effect: JSON is spoken");
	remark_when(r,
		!text_is_z(c->content_type, "application/vnd.kubernetes.protobuf") &&
			!text_is_z(c->content_type, "application/json"),
		"clientConnection.contentType", "has no effect: JSON is spoken");
}

void scheduler_config_check(struct reading *r, const struct scheduler_file *file)
{
	const struct scheduler_config *config = &file->config;
	CHECK(config->profiles.count > 0);
	CHECK(r->path.used == 0);
	if (config->parallelism <= 0)
		refuse_i64(r, "parallelism", config->parallelism,
			"should be an integer value greater than zero");
	check_percentage(r, &config->percentage_of_nodes);
	if (config->pod_initial_backoff_seconds <= 0)
		refuse_i64(r, "podInitialBackoffSeconds", config->pod_initial_backoff_seconds,
			"must be greater than 0");
	if (config->pod_max_backoff_seconds < config->pod_initial_backoff_seconds)
		refuse_i64(r, "podMaxBackoffSeconds", config->pod_max_backoff_seconds,
			"must be greater than or equal to PodInitialBackoffSeconds");
	check_election_field(r, &config->leader_election);
	check_connection(r, &config->client_connection);
	check_profiles(r, file);
	scheduler_extenders_check(r, &config->extenders);
	remark_effects(r, config);
}
