/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies (kind Policy, releases before v1.23) and algorithm providers (before v1.22), said as a
 * configuration of today: predicates and priorities are plugins now.
 */
#ifndef BERTH_PROFILE_POLICY_H
#define BERTH_PROFILE_POLICY_H

#include "profile/scheduler_config.h"

/*
 * Reads a policy's bytes, YAML or JSON, as scheduler_config_read_on() reads a configuration. What
 * no plugin of today does is a fault, by name.
 */
MUST_USE enum scheduler_config_result policy_read_on(struct text bytes, struct scratch *scratch,
	struct scheduler_config *config, struct config_faults *faults, struct config_faults *notes);

/* Is that what the bytes are? False also for what cannot be read. */
bool policy_is(struct text bytes, struct scratch *scratch);

/* Reads either: what the bytes say they are. Both lists are emptied first. */
MUST_USE enum scheduler_config_result policy_or_config_read(struct text bytes,
	struct scratch *scratch, struct scheduler_config *config, struct config_faults *faults,
	struct config_faults *notes);

/* False: no provider has that name. Takes no memory. */
MUST_USE bool policy_provider(struct text name, struct scheduler_config *config);

#endif
