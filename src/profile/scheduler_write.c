/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration as YAML.
 *
 * What kube-scheduler does (--write-config-to): members in the order of the alphabet, everything
 * with its default. What we do: the same, but a rate limit of the client that nobody asked for is
 * left out, since it is not in effect.
 */
#include "profile/scheduler_write.h"

#include "kube/time.h"
#include "profile/scheduler_private.h"
#include "yaml/base64.h"
#include "yaml/write.h"

static void write_duration(struct yaml_writer *y, const char *key, int64_t us)
{
	struct writer *out = yaml_write_key(y, key);
	kube_duration_print(us, out);
	write_char(out, '\n');
}

static void write_optional_text(struct yaml_writer *y, const char *key, struct text t)
{
	if (t.size > 0)
		yaml_write_text(y, key, t);
}

static void write_head(struct yaml_writer *y, const char *kind)
{
	yaml_write_text(y, "apiVersion", TEXT(SCHEDULER_CONFIG_VERSION));
	yaml_write_text(y, "kind", text_of(kind));
}

static void write_texts(struct yaml_writer *y, const char *key, const struct config_list *list)
{
	const struct text *texts = CONFIG_LIST(*list, struct text);
	if (list->count == 0)
		return;
	yaml_write_down(y, key);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++)
		yaml_write_item_text(y, texts[i]);
}

/* ---- arguments ---- */

static void write_resources(struct yaml_writer *y, const struct config_list *list)
{
	const struct scheduler_resource *resources = CONFIG_LIST(*list, struct scheduler_resource);
	yaml_write_down(y, "resources");
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_text(y, "name", resources[i].name);
		yaml_write_i64(y, "weight", resources[i].weight);
		yaml_write_up(y);
	}
}

static void write_ratio(struct yaml_writer *y, const struct scheduler_ratio *ratio)
{
	if (ratio == NULL)
		return;
	const struct scheduler_shape_point *shape =
		CONFIG_LIST(ratio->shape, struct scheduler_shape_point);
	yaml_write_down(y, "requestedToCapacityRatio");
	yaml_write_down(y, "shape");
	yaml_write_up(y);
	for (uint32_t i = 0; i < ratio->shape.count; i++) {
		yaml_write_item(y);
		yaml_write_i64(y, "score", shape[i].score);
		yaml_write_i64(y, "utilization", shape[i].utilization);
		yaml_write_up(y);
	}
	yaml_write_up(y);
}

static void write_fit(struct yaml_writer *y, const struct scheduler_fit_args *args)
{
	write_texts(y, "ignoredResourceGroups", &args->ignored_groups);
	write_texts(y, "ignoredResources", &args->ignored);
	yaml_write_down(y, "scoringStrategy");
	write_ratio(y, args->strategy->ratio);
	write_resources(y, &args->strategy->resources);
	yaml_write_text(y, "type", args->strategy->type);
	yaml_write_up(y);
}

static void write_requirements(
	struct yaml_writer *y, const char *key, const struct config_list *list)
{
	const struct scheduler_requirement *requirements =
		CONFIG_LIST(*list, struct scheduler_requirement);
	if (list->count == 0)
		return;
	yaml_write_down(y, key);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_text(y, "key", requirements[i].key);
		yaml_write_text(y, "operator", requirements[i].op);
		write_texts(y, "values", &requirements[i].values);
		yaml_write_up(y);
	}
}

/* The caller is inside of a map that has a first line already, or of one that may be empty. */
static void write_term(struct yaml_writer *y, const struct scheduler_node_term *term)
{
	write_requirements(y, "matchExpressions", &term->expressions);
	write_requirements(y, "matchFields", &term->fields);
}

static bool is_empty(const struct scheduler_node_term *term)
{
	return term->expressions.count == 0 && term->fields.count == 0;
}

static void write_required(struct yaml_writer *y, const struct scheduler_required_nodes *required)
{
	const struct scheduler_node_term *terms =
		CONFIG_LIST(required->terms, struct scheduler_node_term);
	yaml_write_down(y, "requiredDuringSchedulingIgnoredDuringExecution");
	if (required->terms.count == 0)
		yaml_write_none(y, "nodeSelectorTerms", "[]");
	else
		yaml_write_down(y, "nodeSelectorTerms");
	for (uint32_t i = 0; i < required->terms.count; i++) {
		if (i == 0)
			yaml_write_up(y);
		yaml_write_item(y);
		if (is_empty(&terms[i]))
			yaml_write_none(y, "matchExpressions", "[]");
		write_term(y, &terms[i]);
		yaml_write_up(y);
	}
	yaml_write_up(y);
}

static void write_preferred(struct yaml_writer *y, const struct config_list *list)
{
	const struct scheduler_preferred_nodes *preferred =
		CONFIG_LIST(*list, struct scheduler_preferred_nodes);
	if (list->count == 0)
		return;
	yaml_write_down(y, "preferredDuringSchedulingIgnoredDuringExecution");
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_i64(y, "weight", preferred[i].weight);
		if (is_empty(&preferred[i].term)) {
			yaml_write_none(y, "preference", "{}");
		} else {
			yaml_write_down(y, "preference");
			write_term(y, &preferred[i].term);
			yaml_write_up(y);
		}
		yaml_write_up(y);
	}
}

static void write_added(struct yaml_writer *y, const struct scheduler_node_affinity *added)
{
	if (added == NULL)
		return;
	if (added->required == NULL && added->preferred.count == 0) {
		yaml_write_none(y, "addedAffinity", "{}");
		return;
	}
	yaml_write_down(y, "addedAffinity");
	write_preferred(y, &added->preferred);
	if (added->required != NULL)
		write_required(y, added->required);
	yaml_write_up(y);
}

static void write_spread(struct yaml_writer *y, const struct scheduler_spread_args *args)
{
	const struct scheduler_constraint *list =
		CONFIG_LIST(args->constraints, struct scheduler_constraint);
	if (args->constraints.count > 0) {
		yaml_write_down(y, "defaultConstraints");
		yaml_write_up(y);
	}
	for (uint32_t i = 0; i < args->constraints.count; i++) {
		yaml_write_item(y);
		write_texts(y, "matchLabelKeys", &list[i].match_label_keys);
		yaml_write_i64(y, "maxSkew", list[i].max_skew);
		if (list[i].min_domains.given)
			yaml_write_i64(y, "minDomains", list[i].min_domains.value);
		write_optional_text(y, "nodeAffinityPolicy", list[i].affinity_policy);
		write_optional_text(y, "nodeTaintsPolicy", list[i].taints_policy);
		yaml_write_text(y, "topologyKey", list[i].topology_key);
		yaml_write_text(y, "whenUnsatisfiable", list[i].when_unsatisfiable);
		yaml_write_up(y);
	}
	yaml_write_text(y, "defaultingType", args->defaulting_type);
}

static void write_args(struct yaml_writer *y, const struct scheduler_args *args)
{
	switch (args->kind) {
	case SCHEDULER_ARGS_FIT: write_fit(y, &args->of.fit); break;
	case SCHEDULER_ARGS_BALANCED: write_resources(y, &args->of.balanced.resources); break;
	case SCHEDULER_ARGS_INTER_POD_AFFINITY:
		yaml_write_i64(y, "hardPodAffinityWeight", args->of.inter_pod_affinity.hard_weight);
		yaml_write_bool(y, "ignorePreferredTermsOfExistingPods",
			args->of.inter_pod_affinity.ignore_preferred_of_existing);
		break;
	case SCHEDULER_ARGS_NODE_AFFINITY: write_added(y, args->of.node_affinity.added); break;
	case SCHEDULER_ARGS_SPREAD: write_spread(y, &args->of.spread); break;
	case SCHEDULER_ARGS_PREEMPTION:
		yaml_write_i64(
			y, "minCandidateNodesAbsolute", args->of.preemption.min_candidate_absolute);
		yaml_write_i64(y, "minCandidateNodesPercentage",
			args->of.preemption.min_candidate_percentage);
		break;
	case SCHEDULER_ARGS_VOLUME_BINDING:
		yaml_write_i64(
			y, "bindTimeoutSeconds", args->of.volume_binding.bind_timeout_seconds);
		break;
	case SCHEDULER_ARGS_DYNAMIC_RESOURCES:
		write_duration(y, "bindingTimeout", args->of.dynamic_resources.binding_timeout_us);
		write_duration(y, "filterTimeout", args->of.dynamic_resources.filter_timeout_us);
		break;
	case SCHEDULER_ARGS_NODE_LABEL:
		write_texts(y, "absentLabels", &args->of.node_label.absent);
		write_texts(y, "absentLabelsPreference", &args->of.node_label.absent_preferred);
		write_texts(y, "presentLabels", &args->of.node_label.present);
		write_texts(y, "presentLabelsPreference", &args->of.node_label.present_preferred);
		break;
	case SCHEDULER_ARGS_SERVICE_AFFINITY:
		write_texts(y, "affinityLabels", &args->of.service_affinity.together);
		write_texts(y, "antiAffinityLabelsPreference", &args->of.service_affinity.apart);
		break;
	case SCHEDULER_ARGS_OTHER: break;
	}
}

static void write_plugin_config(struct yaml_writer *y, const struct scheduler_args *args)
{
	char kind[64];
	yaml_write_item(y);
	struct writer out;
	writer_init(&out, kind, sizeof(kind) - 1);
	write_format(&out, "%.*sArgs", CONFIG_SHOWN(args->plugin));
	kind[out.used] = '\0';
	yaml_write_down(y, "args");
	write_head(y, kind);
	write_args(y, args);
	yaml_write_up(y);
	yaml_write_text(y, "name", args->plugin);
	yaml_write_up(y);
}

/*
 * Those of the file in their order, then those that nobody wrote. What no plugin reads is not in
 * effect.
 */
static void write_plugin_configs(struct yaml_writer *y, const struct config_list *given)
{
	const struct scheduler_args *list = CONFIG_LIST(*given, struct scheduler_args);
	uint32_t seen = 0;
	yaml_write_down(y, "pluginConfig");
	yaml_write_up(y);
	for (uint32_t i = 0; i < given->count; i++) {
		if (list[i].kind == SCHEDULER_ARGS_OTHER)
			continue;
		write_plugin_config(y, &list[i]);
		seen |= UINT32_C(1) << list[i].kind;
	}
	for (uint32_t kind = 0; kind < SCHEDULER_ARGS_DEFAULTS; kind++) {
		struct scheduler_args args;
		if ((seen >> kind & 1) != 0)
			continue;
		scheduler_args_defaults((enum scheduler_args_kind)kind, &args);
		write_plugin_config(y, &args);
	}
}

/* ---- profiles ---- */

static void write_plugin_list(
	struct yaml_writer *y, const char *key, const struct config_list *list)
{
	const struct scheduler_plugin *plugins = CONFIG_LIST(*list, struct scheduler_plugin);
	if (list->count == 0)
		return;
	yaml_write_down(y, key);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_text(y, "name", plugins[i].name);
		if (plugins[i].weight != 0)
			yaml_write_i64(y, "weight", plugins[i].weight);
		yaml_write_up(y);
	}
}

static void write_plugins(struct yaml_writer *y, const struct scheduler_plugins *plugins)
{
	bool any = false;
	for (uint32_t point = 0; point < SCHEDULER_PLUGIN_SETS; point++) {
		const struct scheduler_plugin_set *set = &plugins->sets[point];
		if (set->enabled.count == 0 && set->disabled.count == 0)
			continue;
		if (!any)
			yaml_write_down(y, "plugins");
		any = true;
		yaml_write_down(y, scheduler_point_field(point));
		write_plugin_list(y, "disabled", &set->disabled);
		write_plugin_list(y, "enabled", &set->enabled);
		yaml_write_up(y);
	}
	if (any)
		yaml_write_up(y);
}

static void write_profiles(struct yaml_writer *y, const struct config_list *list)
{
	const struct scheduler_profile *profiles = CONFIG_LIST(*list, struct scheduler_profile);
	yaml_write_down(y, "profiles");
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct config_optional *percentage = &profiles[i].percentage_of_nodes;
		yaml_write_item(y);
		if (profiles[i].check_all)
			yaml_write_bool(y, "alwaysCheckAllPredicates", true);
		if (percentage->given)
			yaml_write_i64(y, "percentageOfNodesToScore", percentage->value);
		write_plugin_configs(y, &profiles[i].args);
		write_plugins(y, &profiles[i].plugins);
		yaml_write_text(y, "schedulerName", profiles[i].name);
		yaml_write_up(y);
	}
}

/* ---- extenders ---- */

static void write_data(struct yaml_writer *y, const char *key, struct text bytes)
{
	if (bytes.size == 0)
		return;
	struct writer *out = yaml_write_key(y, key);
	write_char(out, '"');
	base64_write(bytes, out);
	write_z(out, "\"\n");
}

static void write_tls(struct yaml_writer *y, const struct scheduler_extender_tls *tls)
{
	if (tls == NULL)
		return;
	yaml_write_down(y, "tlsConfig");
	write_data(y, "caData", tls->ca_data);
	write_optional_text(y, "caFile", tls->ca_file);
	write_data(y, "certData", tls->cert_data);
	write_optional_text(y, "certFile", tls->cert_file);
	yaml_write_bool(y, "insecure", tls->insecure);
	write_data(y, "keyData", tls->key_data);
	write_optional_text(y, "keyFile", tls->key_file);
	write_optional_text(y, "serverName", tls->server_name);
	yaml_write_up(y);
}

static void write_managed(struct yaml_writer *y, const struct config_list *list)
{
	const struct scheduler_managed_resource *managed =
		CONFIG_LIST(*list, struct scheduler_managed_resource);
	if (list->count == 0)
		return;
	yaml_write_down(y, "managedResources");
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_bool(y, "ignoredByScheduler", managed[i].ignored_by_scheduler);
		yaml_write_text(y, "name", managed[i].name);
		yaml_write_up(y);
	}
}

static void write_extenders(struct yaml_writer *y, const struct config_list *list)
{
	const struct scheduler_extender *extenders = CONFIG_LIST(*list, struct scheduler_extender);
	if (list->count == 0)
		return;
	yaml_write_down(y, "extenders");
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct scheduler_extender *e = &extenders[i];
		yaml_write_item(y);
		write_optional_text(y, "bindVerb", e->bind_verb);
		yaml_write_bool(y, "enableHTTPS", e->enable_https);
		write_optional_text(y, "filterVerb", e->filter_verb);
		write_duration(y, "httpTimeout", e->timeout_us);
		yaml_write_bool(y, "ignorable", e->ignorable);
		write_managed(y, &e->managed);
		yaml_write_bool(y, "nodeCacheCapable", e->node_cache_capable);
		write_optional_text(y, "preemptVerb", e->preempt_verb);
		write_optional_text(y, "prioritizeVerb", e->prioritize_verb);
		write_tls(y, e->tls);
		yaml_write_text(y, "urlPrefix", e->url_prefix);
		yaml_write_i64(y, "weight", e->weight);
		yaml_write_up(y);
	}
}

/* ---- the rest ---- */

static void write_connection(struct yaml_writer *y, const struct scheduler_client_connection *c)
{
	yaml_write_down(y, "clientConnection");
	yaml_write_text(y, "acceptContentTypes", c->accept_content_types);
	if (c->limited)
		yaml_write_i64(y, "burst", c->burst);
	yaml_write_text(y, "contentType", c->content_type);
	yaml_write_text(y, "kubeconfig", c->kubeconfig);
	if (c->limited)
		yaml_write_real(y, "qps", c->qps);
	yaml_write_up(y);
}

static void write_election(struct yaml_writer *y, const struct scheduler_leader_election *e)
{
	yaml_write_down(y, "leaderElection");
	yaml_write_bool(y, "leaderElect", e->elect);
	write_duration(y, "leaseDuration", e->lease_duration_us);
	write_duration(y, "renewDeadline", e->renew_deadline_us);
	yaml_write_text(y, "resourceLock", e->resource_lock);
	yaml_write_text(y, "resourceName", e->resource_name);
	yaml_write_text(y, "resourceNamespace", e->resource_namespace);
	write_duration(y, "retryPeriod", e->retry_period_us);
	yaml_write_up(y);
}

void scheduler_config_write(const struct scheduler_config *config, struct writer *out)
{
	struct yaml_writer writer;
	struct yaml_writer *y = &writer;
	CHECK(config->profiles.count > 0);
	yaml_write_init(y, out);
	yaml_write_text(y, "apiVersion", TEXT(SCHEDULER_CONFIG_VERSION));
	write_connection(y, &config->client_connection);
	yaml_write_bool(y, "delayCacheUntilActive", config->delay_cache_until_active);
	yaml_write_bool(y, "enableContentionProfiling", config->enable_contention_profiling);
	yaml_write_bool(y, "enableProfiling", config->enable_profiling);
	write_extenders(y, &config->extenders);
	yaml_write_text(y, "kind", TEXT("KubeSchedulerConfiguration"));
	write_election(y, &config->leader_election);
	yaml_write_i64(y, "parallelism", config->parallelism);
	yaml_write_i64(y, "percentageOfNodesToScore", config->percentage_of_nodes.value);
	yaml_write_i64(y, "podInitialBackoffSeconds", config->pod_initial_backoff_seconds);
	yaml_write_i64(y, "podMaxBackoffSeconds", config->pod_max_backoff_seconds);
	write_profiles(y, &config->profiles);
}
