/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that make profiles.
 */
#ifndef BERTH_PROFILE_PROFILE_PRIVATE_H
#define BERTH_PROFILE_PROFILE_PRIVATE_H

#include "profile/profile.h"

/* False: its feature is off, with which it does nothing. */
static inline bool profile_may_use(const struct feature_gates *gates, const struct plugin *plugin)
{
	return !plugin->needs_feature || feature_enabled(gates, plugin->feature);
}

/* Arguments of all plugins: those in the list (of struct scheduler_args), else defaults. */
enum profile_result profile_set_all_args(const struct profile_memory *memory,
	const struct config_list *given, struct plugin_profile *profile, struct writer *fault);
/*
 * Resources that extenders (struct scheduler_extender) count themselves: they take the place of the
 * profile's own ignored ones, if there are any.
 */
enum profile_result profile_ignore_managed(const struct profile_memory *memory,
	const struct config_list *extenders, struct plugin_profile *profile, struct writer *fault);

#endif
