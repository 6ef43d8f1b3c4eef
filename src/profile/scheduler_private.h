/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that read a KubeSchedulerConfiguration.
 */
#ifndef BERTH_PROFILE_SCHEDULER_PRIVATE_H
#define BERTH_PROFILE_SCHEDULER_PRIVATE_H

#include "profile/scheduler_config.h"

#define SCHEDULER_CONFIG_VERSION SCHEDULER_CONFIG_GROUP "/v1"
#define SCHEDULER_VERSIONS                                                               \
	"\"" SCHEDULER_CONFIG_VERSION "\", \"" SCHEDULER_CONFIG_GROUP                    \
	"/v1beta3\", \"" SCHEDULER_CONFIG_GROUP "/v1beta2\", \"" SCHEDULER_CONFIG_GROUP  \
	"/v1beta1\", \"" SCHEDULER_CONFIG_GROUP "/v1alpha2\", \"" SCHEDULER_CONFIG_GROUP \
	"/v1alpha1\""

/* The newest first. */
enum scheduler_version {
	SCHEDULER_V1,
	SCHEDULER_V1BETA3,
	SCHEDULER_V1BETA2,
	SCHEDULER_V1BETA1,
	SCHEDULER_V1ALPHA2,
	SCHEDULER_V1ALPHA1
};
bool scheduler_version(struct text t, enum scheduler_version *version);

struct scheduler_algorithm { /* where a profile's plugins come from */
	struct text provider;
	const struct yaml_node *policy;
};

struct scheduler_alpha { /* what v1alpha1 and v1alpha2 have at the top */
	struct scheduler_algorithm algorithm;
	struct text name;
	struct config_optional hard_weight;
	struct config_optional bind_timeout;
	bool disable_preemption;
	struct text failure_domains;
	struct scheduler_plugins plugins;
	struct config_list args; /* struct scheduler_plugin_config */
};

struct scheduler_file { /* the configuration and what frames it */
	struct text api_version;
	struct text kind;
	struct scheduler_config config;
	enum scheduler_version version;
	struct text healthz_address; /* until v1beta2 */
	struct text metrics_address;
	struct scheduler_alpha alpha;
};

struct scheduler_plugin_config { /* an element of pluginConfig, its args not yet read */
	struct text name;
	const struct yaml_node *args; /* NULL: none */
};

enum { SCHEDULER_SET_MAX = 1024 /* plugins in a list */ };

/*
 * Defaults, and a reading at the only document's root. What is no YAML, or too much, is a fault,
 * or scratch is full.
 */
enum scheduler_config_result scheduler_read_begin(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes,
	struct reading **r);

/* We are at pluginConfig[i]; reads and checks. */
void scheduler_args_read(
	struct reading *r, const struct scheduler_plugin_config *from, struct scheduler_args *args);
/* We are at profiles[i]; what lists of plugins name, as the file of that version has them. */
void scheduler_plugins_check(
	struct reading *r, enum scheduler_version version, const struct scheduler_plugins *all);
/* Plugins of old releases whose names v1 refuses wherever a classic point enables them. */
bool scheduler_is_removed(struct text plugin);
/* All but the arguments and the lists, and without what only older versions have. */
void scheduler_config_check(struct reading *r, const struct scheduler_file *file);
void scheduler_extenders_check(struct reading *r, const struct config_list *extenders);

extern const struct fields scheduler_extender_fields;
extern const struct fields scheduler_policy_extender_fields; /* as policies have them */

/*
 * What differs in older versions, rewritten as v1 says it: for each profile, before arguments are
 * read. Lists are made in scratch.
 */
void scheduler_older_check(struct reading *r, const struct scheduler_file *file);
void scheduler_older_profile(
	struct reading *r, enum scheduler_version version, struct scheduler_profile *profile);

/* The same for v1alpha1 and v1alpha2: before profiles are read, with each, and at the end. */
extern const struct fields scheduler_algorithm_fields;
void scheduler_alpha_profiles(struct reading *r, struct scheduler_file *file);
void scheduler_alpha_args(
	struct reading *r, const struct scheduler_alpha *alpha, struct scheduler_profile *profile);
void scheduler_alpha_check(struct reading *r, struct scheduler_file *file);

#endif
