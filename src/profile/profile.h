/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * profile - makes what the plugins read (plugins/args.h) out of what people write
 * (config/scheduler_config.h), or of nothing at all.
 */
#ifndef BERTH_PROFILE_PROFILE_H
#define BERTH_PROFILE_PROFILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/scratch.h"
#include "cache/cache.h"
#include "plugins/args.h"
#include "plugins/plugins.h"
#include "profile/scheduler_config.h"

/*
 * The profile "default-scheduler" as it is without any configuration. Its strings are interned
 * for ever; an interner without room for them is a sizing bug.
 */
void profile_defaults(struct cache *cache, struct plugin_profile *profile);
/* The same with these gates, and as their release has it. */
void profile_defaults_with(
	struct cache *cache, const struct feature_gates *gates, struct plugin_profile *profile);

enum profile_result {
	PROFILE_OK,
	PROFILE_REFUSED, /* kube-scheduler would not start either; the fault says why, as it does */
	PROFILE_FULL     /* strings, arena or scratch did not suffice */
};

/* Where profiles live and what they are made with. */
struct profile_memory {
	struct cache *cache;     /* interns their strings, for ever */
	struct arena *arena;     /* keeps added affinities */
	struct scratch *scratch; /* as it was before, afterwards */
};

/*
 * One profile for each of the configuration's, in order; `profiles` has room for them. Of a
 * refused configuration the first fault is told.
 */
MUST_USE enum profile_result profiles_build(const struct profile_memory *memory,
	const struct scheduler_config *config, struct plugin_profile *profiles,
	struct writer *fault);

/*
 * The configuration with MultiPoint written out: its lists name what they have, so that it means
 * the same wherever and whenever it is read. False when scratch, where lists are made, is full.
 */
MUST_USE bool profiles_write_out(const struct scheduler_config *config, struct scratch *scratch,
	struct scheduler_config *written_out);

#endif
