/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration: its fields, its defaults, and the way from bytes to the struct.
 *
 * What kube-scheduler does: an absent field, a null and, for texts, durations and the client's
 * rates, an empty or zero value mean the default; an explicit 0 of another number is kept and
 * then refused where it makes no sense. Contention is profiled when anything is.
 */
#include "profile/scheduler_config.h"

#include "profile/scheduler_private.h"

#define AT(type, member) offsetof(struct type, member)
#define FIELDS(type, list, prepare)                                                     \
	{                                                                               \
		(list), ARRAY_COUNT(list), sizeof(struct type), (prepare), false, false \
	}

enum { PLUGIN_CONFIGS_MAX = 1024 };

/* ---- profiles ---- */

static const struct field plugin_list[] = {
	FIELD("name", FIELD_TEXT, AT(scheduler_plugin, name), NULL, 0),
	FIELD("weight", FIELD_I32, AT(scheduler_plugin, weight), NULL, 0),
};
static const struct fields plugin_fields = FIELDS(scheduler_plugin, plugin_list, NULL);

static const struct field set_list[] = {
	FIELD("enabled", FIELD_LIST, AT(scheduler_plugin_set, enabled), &plugin_fields,
		SCHEDULER_SET_MAX),
	FIELD("disabled", FIELD_LIST, AT(scheduler_plugin_set, disabled), &plugin_fields,
		SCHEDULER_SET_MAX),
};
static const struct fields set_fields = FIELDS(scheduler_plugin_set, set_list, NULL);

#define POINT(name, point) \
	FIELD(name, FIELD_OBJECT, AT(scheduler_plugins, sets[point]), &set_fields, 0)
static const struct field points_list[] = {
	POINT("preEnqueue", PLUGIN_AT_PRE_ENQUEUE),
	POINT("queueSort", PLUGIN_AT_QUEUE_SORT),
	POINT("preFilter", PLUGIN_AT_PRE_FILTER),
	POINT("filter", PLUGIN_AT_FILTER),
	POINT("postFilter", PLUGIN_AT_POST_FILTER),
	POINT("preScore", PLUGIN_AT_PRE_SCORE),
	POINT("score", PLUGIN_AT_SCORE),
	POINT("reserve", PLUGIN_AT_RESERVE),
	POINT("permit", PLUGIN_AT_PERMIT),
	POINT("preBind", PLUGIN_AT_PRE_BIND),
	POINT("bind", PLUGIN_AT_BIND),
	POINT("postBind", PLUGIN_AT_POST_BIND),
	POINT("multiPoint", SCHEDULER_MULTI_POINT),
	POINT("placementGenerate", PLUGIN_AT_PLACEMENT_GENERATE),
	POINT("placementScore", PLUGIN_AT_PLACEMENT_SCORE),
	POINT("podGroupPostFilter", PLUGIN_AT_POD_GROUP_POST_FILTER),
};
static const struct fields points_fields = FIELDS(scheduler_plugins, points_list, NULL);

const char *scheduler_point_field(uint32_t point)
{
	for (size_t i = 0; i < ARRAY_COUNT(points_list); i++)
		if (points_list[i].at ==
			AT(scheduler_plugins, sets[0]) +
				point * sizeof(struct scheduler_plugin_set))
			return points_list[i].name;
	CHECK_NEVER("a point without a field");
}

static const struct field plugin_config_list[] = {
	FIELD("name", FIELD_TEXT, AT(scheduler_plugin_config, name), NULL, 0),
	FIELD("args", FIELD_NODE, AT(scheduler_plugin_config, args), NULL, 0),
};
static const struct fields plugin_config_fields =
	FIELDS(scheduler_plugin_config, plugin_config_list, NULL);

static const struct field profile_list[] = {
	FIELD("schedulerName", FIELD_TEXT, AT(scheduler_profile, name), NULL, 0),
	FIELD("percentageOfNodesToScore", FIELD_OPTIONAL,
		AT(scheduler_profile, percentage_of_nodes), NULL, 0),
	FIELD("alwaysCheckAllPredicates", FIELD_BOOL, AT(scheduler_profile, check_all), NULL, 0),
	FIELD("plugins", FIELD_OBJECT, AT(scheduler_profile, plugins), &points_fields, 0),
	FIELD("pluginConfig", FIELD_LIST, AT(scheduler_profile, args), &plugin_config_fields,
		PLUGIN_CONFIGS_MAX),
};
static const struct fields profile_fields = FIELDS(scheduler_profile, profile_list, NULL);

/* ---- the rest ---- */

static const struct field election_list[] = {
	FIELD("leaderElect", FIELD_BOOL, AT(scheduler_leader_election, elect), NULL, 0),
	FIELD("leaseDuration", FIELD_DURATION, AT(scheduler_leader_election, lease_duration_us),
		NULL, 0),
	FIELD("renewDeadline", FIELD_DURATION, AT(scheduler_leader_election, renew_deadline_us),
		NULL, 0),
	FIELD("retryPeriod", FIELD_DURATION, AT(scheduler_leader_election, retry_period_us), NULL,
		0),
	FIELD("resourceLock", FIELD_TEXT, AT(scheduler_leader_election, resource_lock), NULL, 0),
	FIELD("resourceName", FIELD_TEXT, AT(scheduler_leader_election, resource_name), NULL, 0),
	FIELD("resourceNamespace", FIELD_TEXT, AT(scheduler_leader_election, resource_namespace),
		NULL, 0),
	/* v1alpha1 */
	FIELD("lockObjectName", FIELD_TEXT, AT(scheduler_leader_election, resource_name), NULL, 0),
	FIELD("lockObjectNamespace", FIELD_TEXT, AT(scheduler_leader_election, resource_namespace),
		NULL, 0),
};

static void prepare_election(void *to)
{
	*(struct scheduler_leader_election *)to = (struct scheduler_leader_election){.elect = true};
}

static const struct fields election_fields = {election_list, ARRAY_COUNT(election_list) - 2,
	sizeof(struct scheduler_leader_election), prepare_election, false, false};
static const struct fields alpha_election_fields =
	FIELDS(scheduler_leader_election, election_list, prepare_election);

static const struct field connection_list[] = {
	FIELD("kubeconfig", FIELD_TEXT, AT(scheduler_client_connection, kubeconfig), NULL, 0),
	FIELD("acceptContentTypes", FIELD_TEXT,
		AT(scheduler_client_connection, accept_content_types), NULL, 0),
	FIELD("contentType", FIELD_TEXT, AT(scheduler_client_connection, content_type), NULL, 0),
	FIELD("qps", FIELD_REAL, AT(scheduler_client_connection, qps), NULL, 0),
	FIELD("burst", FIELD_I32, AT(scheduler_client_connection, burst), NULL, 0),
};
static const struct fields connection_fields =
	FIELDS(scheduler_client_connection, connection_list, NULL);

static const struct field config_fields_list[] = {
	FIELD("apiVersion", FIELD_TEXT, AT(scheduler_file, api_version), NULL, 0),
	FIELD("kind", FIELD_TEXT, AT(scheduler_file, kind), NULL, 0),
	FIELD("parallelism", FIELD_I32, AT(scheduler_file, config.parallelism), NULL, 0),
	FIELD("leaderElection", FIELD_OBJECT, AT(scheduler_file, config.leader_election),
		&election_fields, 0),
	FIELD("clientConnection", FIELD_OBJECT, AT(scheduler_file, config.client_connection),
		&connection_fields, 0),
	FIELD("enableProfiling", FIELD_BOOL, AT(scheduler_file, config.enable_profiling), NULL, 0),
	FIELD("enableContentionProfiling", FIELD_BOOL,
		AT(scheduler_file, config.enable_contention_profiling), NULL, 0),
	FIELD("percentageOfNodesToScore", FIELD_OPTIONAL,
		AT(scheduler_file, config.percentage_of_nodes), NULL, 0),
	FIELD("podInitialBackoffSeconds", FIELD_I64,
		AT(scheduler_file, config.pod_initial_backoff_seconds), NULL, 0),
	FIELD("podMaxBackoffSeconds", FIELD_I64, AT(scheduler_file, config.pod_max_backoff_seconds),
		NULL, 0),
	FIELD("profiles", FIELD_LIST, AT(scheduler_file, config.profiles), &profile_fields,
		SCHEDULER_PROFILES_MAX),
	FIELD("extenders", FIELD_LIST, AT(scheduler_file, config.extenders),
		&scheduler_extender_fields, SCHEDULER_EXTENDERS_MAX),
	FIELD("delayCacheUntilActive", FIELD_BOOL,
		AT(scheduler_file, config.delay_cache_until_active), NULL, 0),
	FIELD("healthzBindAddress", FIELD_TEXT, AT(scheduler_file, healthz_address), NULL, 0),
	FIELD("metricsBindAddress", FIELD_TEXT, AT(scheduler_file, metrics_address), NULL, 0),
	FIELD("leaderElection", FIELD_OBJECT, AT(scheduler_file, config.leader_election),
		&alpha_election_fields, 0),
	FIELD("schedulerName", FIELD_TEXT, AT(scheduler_file, alpha.name), NULL, 0),
	FIELD("algorithmSource", FIELD_OBJECT, AT(scheduler_file, alpha.algorithm),
		&scheduler_algorithm_fields, 0),
	FIELD("hardPodAffinitySymmetricWeight", FIELD_OPTIONAL,
		AT(scheduler_file, alpha.hard_weight), NULL, 0),
	FIELD("disablePreemption", FIELD_BOOL, AT(scheduler_file, alpha.disable_preemption), NULL,
		0),
	FIELD("bindTimeoutSeconds", FIELD_OPTIONAL, AT(scheduler_file, alpha.bind_timeout), NULL,
		0),
	FIELD("failureDomains", FIELD_TEXT, AT(scheduler_file, alpha.failure_domains), NULL, 0),
	FIELD("plugins", FIELD_OBJECT, AT(scheduler_file, alpha.plugins), &points_fields, 0),
	FIELD("pluginConfig", FIELD_LIST, AT(scheduler_file, alpha.args), &plugin_config_fields,
		PLUGIN_CONFIGS_MAX),
};
/* At the end of the list; of two fields of one name the later one counts. */
enum { FIELDS_OF_ALPHA = 9, FIELDS_OF_OLDER = 2 + FIELDS_OF_ALPHA };

/* ---- defaults ---- */

static const struct scheduler_profile default_profile = {
	.name = {SCHEDULER_DEFAULT_NAME, sizeof(SCHEDULER_DEFAULT_NAME) - 1}};

static void prepare_config(void *to)
{
	struct scheduler_config *config = &((struct scheduler_file *)to)->config;
	config->parallelism = 16;
	config->pod_initial_backoff_seconds = 1;
	config->pod_max_backoff_seconds = 10;
	config->enable_profiling = true;
	config->enable_contention_profiling = true;
	prepare_election(&config->leader_election);
}

static const struct fields config_fields = {config_fields_list,
	ARRAY_COUNT(config_fields_list) - FIELDS_OF_OLDER, sizeof(struct scheduler_file),
	prepare_config, false, false};
static const struct fields older_fields = {config_fields_list,
	ARRAY_COUNT(config_fields_list) - FIELDS_OF_ALPHA, sizeof(struct scheduler_file),
	prepare_config, false, false};
static const struct fields alpha_fields =
	FIELDS(scheduler_file, config_fields_list, prepare_config);

static void default_text(struct text *t, const char *otherwise)
{
	if (t->size == 0)
		*t = text_of(otherwise);
}

static void default_us(int64_t *us, int64_t otherwise)
{
	if (*us == 0)
		*us = otherwise;
}

static void fill_in(struct scheduler_config *config)
{
	struct scheduler_leader_election *election = &config->leader_election;
	default_us(&election->lease_duration_us, SCHEDULER_SECONDS(15));
	default_us(&election->renew_deadline_us, SCHEDULER_SECONDS(10));
	default_us(&election->retry_period_us, SCHEDULER_SECONDS(2));
	default_text(&election->resource_lock, "leases");
	default_text(&election->resource_name, "kube-scheduler");
	default_text(&election->resource_namespace, "kube-system");
	struct scheduler_client_connection *connection = &config->client_connection;
	default_text(&connection->content_type, "application/vnd.kubernetes.protobuf");
	connection->limited = connection->qps > 0;
	if (!(connection->qps < 0) && !(connection->qps > 0))
		connection->qps = 50;
	if (connection->burst == 0)
		connection->burst = 100;
	if (config->profiles.count == 0)
		config->profiles = (struct config_list){&default_profile, 1};
	const struct feature_choices none = {.given = {0}};
	feature_gates_set(&config->gates, &none, KUBE_RELEASE_DEFAULT);
}

bool scheduler_version(struct text t, enum scheduler_version *version)
{
	static const char group[] = SCHEDULER_CONFIG_GROUP "/";
	static const char versions[][9] = {
		"v1", "v1beta3", "v1beta2", "v1beta1", "v1alpha2", "v1alpha1"};
	if (!text_starts(t, text_of(group)))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(versions); i++) {
		if (!text_is_z(text_from(t, sizeof(group) - 1), versions[i]))
			continue;
		*version = (enum scheduler_version)i;
		return true;
	}
	return false;
}

void scheduler_config_defaults(struct scheduler_config *config)
{
	struct scheduler_file file = {.config = {.parallelism = 0}};
	prepare_config(&file);
	fill_in(&file.config);
	*config = file.config;
}

/* ---- from bytes ---- */

/* Of a file of another kind or version the fields mean nothing: nothing else is looked at. */
static bool check_type(struct reading *r, const struct yaml_node *root, enum scheduler_version *is)
{
	const struct yaml_node *version = yaml_get(root, "apiVersion");
	const struct yaml_node *kind = yaml_get(root, "kind");
	if (root->kind != YAML_MAP)
		refuse(r, "", "must be an object of kind KubeSchedulerConfiguration, found %s",
			yaml_kind_name(root->kind));
	else if (version == NULL || version->text.size == 0)
		refuse_missing(r, "apiVersion", "must be \"" SCHEDULER_CONFIG_VERSION "\"");
	else if (kind == NULL || kind->text.size == 0)
		refuse_missing(r, "kind", "must be \"KubeSchedulerConfiguration\"");
	else if (!text_is_z(kind->text, "KubeSchedulerConfiguration"))
		refuse_unsupported(r, "kind", kind->text, "\"KubeSchedulerConfiguration\"");
	else if (!scheduler_version(version->text, is))
		refuse_unsupported(r, "apiVersion", version->text, SCHEDULER_VERSIONS);
	else
		return true;
	return false;
}

/* pluginConfig was kept as nodes; its args are read now that each plugin's name is known. */
static void read_profile(struct reading *r, enum scheduler_version version,
	struct scheduler_profile *profile, bool only)
{
	scheduler_plugins_check(r, version, &profile->plugins);
	scheduler_older_profile(r, version, profile);
	const struct scheduler_plugin_config *from =
		CONFIG_LIST(profile->args, struct scheduler_plugin_config);
	struct scheduler_args *to =
		SCRATCH_ARRAY(r->scratch, struct scheduler_args, profile->args.count + 1);
	if (profile->name.size == 0 && only)
		profile->name = default_profile.name;
	if (to == NULL)
		return;
	size_t before = reading_enter(r, "pluginConfig");
	for (uint32_t i = 0; i < profile->args.count; i++) {
		size_t here = reading_enter_index(r, i);
		scheduler_args_read(r, &from[i], &to[i]);
		reading_leave(r, here);
	}
	reading_leave(r, before);
	profile->args.items = to;
}

static void read_profiles(struct reading *r, struct scheduler_file *file)
{
	struct scheduler_config *config = &file->config;
	struct scheduler_profile *to =
		SCRATCH_ARRAY(r->scratch, struct scheduler_profile, config->profiles.count + 1);
	const struct scheduler_profile *from =
		CONFIG_LIST(config->profiles, struct scheduler_profile);
	if (to == NULL)
		return;
	size_t before = reading_enter(r, "profiles");
	for (uint32_t i = 0; i < config->profiles.count; i++) {
		size_t here = reading_enter_index(r, i);
		to[i] = from[i];
		to[i].line = reading_place(r).line;
		read_profile(r, file->version, &to[i], config->profiles.count == 1);
		if (file->version >= SCHEDULER_V1ALPHA2)
			scheduler_alpha_args(r, &file->alpha, &to[i]);
		reading_leave(r, here);
	}
	reading_leave(r, before);
	config->profiles.items = to;
}

enum scheduler_config_result scheduler_read_begin(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes,
	struct reading **r)
{
	struct yaml_node *root;
	struct yaml_fault fault;
	scheduler_config_defaults(config);
	enum yaml_result result = yaml_read(bytes, scratch, &root, &fault);
	*r = SCRATCH_ONE(scratch, struct reading);
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	reading_init(*r, root, scratch, faults, notes);
	struct config_place place = {0, 0};
	if (result == YAML_BROKEN) {
		place = (struct config_place){fault.line, fault.column};
		config_fault(faults, place, TEXT_NONE, "%s", fault.what);
	} else if (result == YAML_END) {
		config_fault(faults, place, TEXT_NONE, "is empty");
	}
	return result == YAML_DOCUMENT ? SCHEDULER_CONFIG_OK : SCHEDULER_CONFIG_BROKEN;
}

static bool is_given(const struct yaml_node *root, const char *field)
{
	const struct yaml_node *node = yaml_get(root, field);
	return node != NULL && node->kind != YAML_NULL;
}

enum scheduler_config_result scheduler_config_read_on(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes)
{
	struct reading *r;
	uint32_t before = config_faults_count(faults);
	enum scheduler_config_result parsed =
		scheduler_read_begin(bytes, scratch, config, faults, notes, &r);
	struct scheduler_file *file = SCRATCH_ONE(scratch, struct scheduler_file);
	if (parsed != SCHEDULER_CONFIG_OK)
		return parsed;
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	const struct yaml_node *root = r->root;
	r->source = bytes;
	if (!check_type(r, root, &file->version))
		return SCHEDULER_CONFIG_BROKEN;
	bool is_alpha = file->version >= SCHEDULER_V1ALPHA2;
	fields_read(r, root,
		is_alpha                                     ? &alpha_fields
			: file->version >= SCHEDULER_V1BETA2 ? &older_fields
							     : &config_fields,
		file);
	if (is_alpha)
		scheduler_alpha_profiles(r, file);
	if (!is_given(root, "enableContentionProfiling") && !file->config.enable_profiling)
		file->config.enable_contention_profiling = false;
	if (!scratch->overflowed)
		read_profiles(r, file);
	if (scratch->overflowed)
		return SCHEDULER_CONFIG_FULL;
	if (is_alpha)
		scheduler_alpha_check(r, file);
	fill_in(&file->config);
	scheduler_older_check(r, file);
	scheduler_config_check(r, file);
	*config = file->config;
	return config_faults_count(faults) == before ? SCHEDULER_CONFIG_OK
						     : SCHEDULER_CONFIG_BROKEN;
}

enum scheduler_config_result scheduler_config_read(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes)
{
	config_faults_init(faults);
	config_faults_init(notes);
	return scheduler_config_read_on(bytes, scratch, config, faults, notes);
}
