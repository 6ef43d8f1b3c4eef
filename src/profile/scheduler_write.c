/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration as YAML.
 *
 * What kube-scheduler does (--write-config-to): members in the order of the alphabet, everything
 * with its default. What we do: the same, but a rate limit of the client that was not asked for is
 * left out, since it is not in effect.
 */
#include "profile/scheduler_write.h"

#include "kube/time.h"
#include "profile/scheduler_private.h"
#include "base/base64.h"
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

/* ---- profiles ---- */

static void write_plugin_list(
	struct yaml_writer *y, const char *key, const struct config_list *list)
{
	const struct scheduler_plugin *named = CONFIG_LIST(*list, struct scheduler_plugin);
	if (list->count == 0)
		return;
	yaml_write_down(y, key);
	yaml_write_up(y);
	for (uint32_t i = 0; i < list->count; i++) {
		yaml_write_item(y);
		yaml_write_text(y, "name", named[i].name);
		if (named[i].weight != 0)
			yaml_write_i64(y, "weight", named[i].weight);
		yaml_write_up(y);
	}
}

static void write_plugins(struct yaml_writer *y, const struct scheduler_plugins *all)
{
	bool any = false;
	for (uint32_t point = 0; point < SCHEDULER_PLUGIN_SETS; point++) {
		const struct scheduler_plugin_set *set = &all->sets[point];
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

static void write_profiles(struct yaml_writer *y, const struct scheduler_config *config)
{
	const struct config_list *list = &config->profiles;
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
		scheduler_args_write(y, &config->gates, &profiles[i].args);
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
	write_profiles(y, config);
}
