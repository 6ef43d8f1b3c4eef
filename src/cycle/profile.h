/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile - makes what the plugins read (plugins/args.h) out of what people write
 * (config/scheduler_config.h), or of nothing at all.
 */
#ifndef BERTH_CYCLE_PROFILE_H
#define BERTH_CYCLE_PROFILE_H

#include <stdbool.h>

#include "cache/cache.h"
#include "config/scheduler_config.h"
#include "plugins/args.h"
#include "plugins/plugins.h"

/* Does the plugin take part at the point at all? */
bool profile_implements(enum plugin_id id, enum scheduler_point point);
/* The profile's list for the point; NULL where none of ours does anything. */
struct plugin_uses *profile_uses(struct plugin_profile *profile, enum scheduler_point point);

/*
 * The profile "default-scheduler" as it is without any configuration. Its strings are interned
 * for ever; an interner without room for them is a sizing bug.
 */
void profile_defaults(struct cache *cache, struct plugin_profile *profile);

#endif
