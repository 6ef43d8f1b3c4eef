/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that read a KubeSchedulerConfiguration.
 */
#ifndef BERTH_CONFIG_SCHEDULER_PRIVATE_H
#define BERTH_CONFIG_SCHEDULER_PRIVATE_H

#include "config/scheduler_config.h"

#define SCHEDULER_CONFIG_VERSION SCHEDULER_CONFIG_GROUP "/v1"

struct scheduler_file { /* the configuration and what frames it */
	struct text api_version;
	struct text kind;
	struct scheduler_config config;
};

struct scheduler_plugin_config { /* an element of pluginConfig, its args not yet read */
	struct text name;
	const struct yaml_node *args; /* NULL: none */
};

/* Name of the field of a point or of multiPoint. */
const char *scheduler_point_field(enum scheduler_point point);

/* We are at pluginConfig[i]; reads and checks. */
void scheduler_args_read(
	struct reading *r, const struct scheduler_plugin_config *from, struct scheduler_args *args);
/* We are at pluginConfig[i].args. */
void scheduler_args_check(struct reading *r, const struct scheduler_args *args);
/* All but the arguments. */
void scheduler_config_check(struct reading *r, const struct scheduler_config *config);

#endif
