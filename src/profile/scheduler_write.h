/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A configuration as it is in effect, written as a KubeSchedulerConfiguration (v1): with all
 * defaults, and with the arguments of all plugins that have some. Read again it is the same.
 */
#ifndef BERTH_PROFILE_SCHEDULER_WRITE_H
#define BERTH_PROFILE_SCHEDULER_WRITE_H

#include "profile/scheduler_config.h"

/* Plugins are written as the profiles have them: merging with defaults is known further up. */
void scheduler_config_write(const struct scheduler_config *config, struct writer *out);

#endif
