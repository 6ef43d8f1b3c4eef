/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of plugins, as written in pluginConfig: read, checked and written by the table that
 * each plugin has of its own.
 */
#ifndef BERTH_PROFILE_ARGUMENTS_H
#define BERTH_PROFILE_ARGUMENTS_H

#include "plugins/plugins.h"
#include "profile/fields.h"

enum { SCHEDULER_ARGS_BYTES = 256 /* at most, of such a struct */ };

struct scheduler_args {
	struct text plugin;
	enum plugin_id id;           /* PLUGIN_COUNT: it is not in-tree, or has no arguments */
	const struct yaml_node *raw; /* as in the file; NULL: none */
	const void *values;          /* the plugin's struct for configurations, in scratch */
};

/* A plugin's arguments when there are none in the file: its values. NULL: out of scratch. */
void *scheduler_args_defaults(
	enum plugin_id id, struct scratch *scratch, struct scheduler_args *args);
/* The values as the plugin's header declares them. */
#define SCHEDULER_ARGS(args, type) ((const struct type *)(args)->values)

/* A report whose faults are below where the reading is. */
struct args_reading {
	struct args_report report; /* first */
	struct reading *r;
};
struct args_report *args_report_on(struct args_reading *to, struct reading *r);

/* Those of all plugins, from the list (of struct scheduler_args) or as they are by default. */
enum args_result scheduler_args_make_all(const struct args_making *m,
	const struct config_list *given, struct plugin_profile *profile);
/* The list in its order, then those of other plugins that a default profile may have. */
void scheduler_args_write(
	struct yaml_writer *y, const struct feature_gates *gates, const struct config_list *given);

#endif
