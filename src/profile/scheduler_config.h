/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1, and v1beta3 and v1beta2 rewritten as
 * it) as a plain struct: what the file says, defaults filled in, checked by kube-scheduler's rules.
 * Texts are slices and lists arrays in the caller's scratch; nothing is interned, no plugin is
 * made: that is profile/profile.h.
 */
#ifndef BERTH_PROFILE_SCHEDULER_CONFIG_H
#define BERTH_PROFILE_SCHEDULER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/scratch.h"
#include "base/text.h"
#include "kube/feature_gates.h"
#include "plugins/registry.h"
#include "profile/arguments.h"
#include "profile/faults.h"

#define SCHEDULER_CONFIG_GROUP "kubescheduler.config.k8s.io"
#define SCHEDULER_DEFAULT_NAME "default-scheduler"

enum { SCHEDULER_PROFILES_MAX = 16, SCHEDULER_EXTENDERS_MAX = 16, SCHEDULER_MANAGED_MAX = 64 };

/* Where plugins can be enabled: at each enum plugin_point, and, for several at once, here. */
enum { SCHEDULER_MULTI_POINT = PLUGIN_POINTS, SCHEDULER_PLUGIN_SETS };

#define SCHEDULER_SECONDS(n) ((int64_t)(n)*1000 * 1000)

/* Of a number of seconds in a file; thirty years are as good as for ever, and can be counted. */
static inline int64_t scheduler_seconds(int64_t n)
{
	const int64_t most = 1000 * 1000 * 1000;
	return n < most ? n : most;
}

struct scheduler_plugin {
	struct text name;
	int32_t weight; /* 0: not given */
};
struct scheduler_plugin_set {
	struct config_list enabled;  /* struct scheduler_plugin */
	struct config_list disabled; /* struct scheduler_plugin */
};
struct scheduler_plugins {
	struct scheduler_plugin_set sets[SCHEDULER_PLUGIN_SETS];
};

struct scheduler_profile {
	struct text name; /* schedulerName */
	struct config_optional percentage_of_nodes;
	struct scheduler_plugins plugins;
	struct config_list args; /* struct scheduler_args, from pluginConfig */
	bool check_all;          /* alwaysCheckAllPredicates, of policies until v1.22 */
	uint32_t line;           /* of the file, where it stands; 0: in none */
};

struct scheduler_leader_election {
	bool elect;
	int64_t lease_duration_us;
	int64_t renew_deadline_us;
	int64_t retry_period_us;
	struct text resource_lock;
	struct text resource_name;
	struct text resource_namespace;
};

struct scheduler_client_connection {
	struct text kubeconfig;
	struct text accept_content_types;
	struct text content_type;
	double qps;
	int32_t burst;
	bool limited; /* a rate was asked for: qps is not the default */
};

struct scheduler_managed_resource {
	struct text name;
	bool ignored_by_scheduler;
};
struct scheduler_extender_tls { /* data wins over files */
	bool insecure;
	struct text server_name;
	struct text cert_file, key_file, ca_file;
	struct text cert_data, key_data, ca_data; /* PEM */
};
struct scheduler_extender {
	struct text url_prefix; /* url_parse() takes it */
	struct text filter_verb, preempt_verb, prioritize_verb, bind_verb; /* empty: not asked */
	int64_t weight;
	bool enable_https;
	const struct scheduler_extender_tls *tls; /* NULL: not given */
	int64_t timeout_us;
	bool node_cache_capable;
	bool ignorable;
	struct config_list managed; /* struct scheduler_managed_resource; none: all pods */
};

struct scheduler_config {
	int32_t parallelism;
	struct config_optional percentage_of_nodes;
	int64_t pod_initial_backoff_seconds;
	int64_t pod_max_backoff_seconds;
	bool enable_profiling;
	bool enable_contention_profiling;
	bool delay_cache_until_active;
	struct scheduler_leader_election leader_election;
	struct scheduler_client_connection client_connection;
	struct config_list profiles;  /* struct scheduler_profile */
	struct config_list extenders; /* struct scheduler_extender, in the order of the file */
	struct feature_gates gates;   /* not of the file */
};

/* Name of the field of a point or of multiPoint. */
const char *scheduler_point_field(uint32_t point);

/* What there is without a file: one profile, all defaults. Takes no memory. */
void scheduler_config_defaults(struct scheduler_config *config);

enum scheduler_config_result {
	SCHEDULER_CONFIG_OK,
	SCHEDULER_CONFIG_BROKEN, /* faults say why */
	SCHEDULER_CONFIG_FULL    /* scratch did not suffice */
};

/*
 * Reads a file's bytes, YAML or JSON. `faults` gets all that is wrong, `notes` what is accepted
 * and has no effect here; both are emptied first. Costs O(bytes).
 */
MUST_USE enum scheduler_config_result scheduler_config_read(struct text bytes,
	struct scratch *scratch, struct scheduler_config *config, struct config_faults *faults,
	struct config_faults *notes);

/* The same for lists that may have something in them. */
MUST_USE enum scheduler_config_result scheduler_config_read_on(struct text bytes,
	struct scratch *scratch, struct scheduler_config *config, struct config_faults *faults,
	struct config_faults *notes);

#endif
