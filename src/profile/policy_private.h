/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Private to the files that read policies: which names there were, and what they are today.
 */
#ifndef BERTH_PROFILE_POLICY_PRIVATE_H
#define BERTH_PROFILE_POLICY_PRIVATE_H

#include "profile/policy.h"
#include "profile/scheduler_private.h"

enum policy_fate {
	POLICY_MAPPED, /* to plugins */
	POLICY_NOTHING /* accepted, and nothing is lost */
};

/* Rows that have an argument; with it they may have any name. */
#define POLICY_LABELS_PRESENCE       "CheckNodeLabelPresence"
#define POLICY_SERVICE_AFFINITY      "CheckServiceAffinity"
#define POLICY_LABEL_PREFERENCE      "NodeLabel"
#define POLICY_SERVICE_ANTI_AFFINITY "ServiceAffinity"
#define POLICY_RATIO                 "RequestedToCapacityRatioPriority"

enum { POLICY_PRIORITIES_MAX = 32 };

struct policy_row {
	const char *name;
	const char
		*what; /* plugins, "NodePorts NodeName"; a priority has one. Or why none is lost */
	uint8_t fate;  /* enum policy_fate */
	bool by_default; /* when a policy does not say which */
	bool always;     /* even when it says otherwise */
	int16_t weight;  /* of priorities, by default */
};

/* In the order in which predicates were asked. */
extern const struct policy_row policy_predicates[];
extern const uint32_t policy_predicate_count;
extern const struct policy_row policy_priorities[];
extern const uint32_t policy_priority_count;

#endif
