/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Resources: what is served, one row per group, version and resource. Rows of one resource in
 * several versions share what is stored: `stored` is the number of the first.
 */
#ifndef BERTH_TOOLS_APISIM_RESOURCES_H
#define BERTH_TOOLS_APISIM_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum resource_number {
	RESOURCE_NONE,
	RESOURCE_NAMESPACES,
	RESOURCE_NODES,
	RESOURCE_PODS,
	RESOURCE_EVENTS, /* kept as events.k8s.io/v1 */
	RESOURCE_CORE_EVENTS,
	RESOURCE_SERVICES,
	RESOURCE_CONFIG_MAPS,
	RESOURCE_REPLICATION_CONTROLLERS,
	RESOURCE_PVS,
	RESOURCE_PVCS,
	RESOURCE_REPLICA_SETS,
	RESOURCE_STATEFUL_SETS,
	RESOURCE_DEPLOYMENTS,
	RESOURCE_DAEMON_SETS,
	RESOURCE_JOBS,
	RESOURCE_STORAGE_CLASSES,
	RESOURCE_CSI_NODES,
	RESOURCE_CSI_DRIVERS,
	RESOURCE_CSI_CAPACITIES,
	RESOURCE_VOLUME_ATTACHMENTS,
	RESOURCE_PDBS,
	RESOURCE_PRIORITY_CLASSES,
	RESOURCE_LEASES,
	RESOURCE_CLAIMS,
	RESOURCE_CLAIM_TEMPLATES,
	RESOURCE_SLICES,
	RESOURCE_DEVICE_CLASSES,
	/* The same in older versions. */
	RESOURCE_PDBS_V1BETA1,
	RESOURCE_CSI_CAPACITIES_V1BETA1,
	RESOURCE_CLAIMS_V1BETA1,
	RESOURCE_SLICES_V1BETA1,
	RESOURCE_DEVICE_CLASSES_V1BETA1,
	RESOURCES
};

enum resource_trait {
	RESOURCE_NAMESPACED = 1 << 0,
	RESOURCE_HAS_STATUS = 1 << 1,      /* .../status; the main one leaves the status alone */
	RESOURCE_HAS_GENERATION = 1 << 2,  /* counts changes of spec */
	RESOURCE_RETURNS_DELETED = 1 << 3, /* DELETE answers the object, not a Status */
	RESOURCE_CREATED_BY_PUT = 1 << 4,  /* PUT of what is not there creates it */
	RESOURCE_NEEDS_VERSION = 1 << 5,   /* PUT must say the resourceVersion */
};

struct resource {
	const char *group; /* "" is core */
	const char *version;
	const char *plural;
	const char *kind;
	const char *singular;
	const char *short_name; /* or NULL */
	uint32_t traits;        /* enum resource_trait */
	const char *key;        /* how its keys begin, below /registry/ */
	const char *bookmark;   /* what else an empty object of it has */
	/* Releases 1.x that serve it: from, and up to; 0: from long ago, or still. */
	uint32_t since, until;
};

extern const struct resource resources[RESOURCES];

bool resource_is_served(enum resource_number number, uint32_t release);
/* RESOURCE_NONE when there is none of that name in that release. */
enum resource_number resource_find(
	struct text group, struct text version, struct text plural, uint32_t release);
bool resource_group_served(struct text group, struct text version, uint32_t release);
/* Of any release. */
enum resource_number resource_of_kind(struct text apisim_version, struct text kind);
/* What is kept for it. */
enum resource_number resource_stored(enum resource_number number);
/* "v1", "apps/v1" */
void resource_api_version(enum resource_number number, struct writer *out);
/* "pods", "leases.coordination.k8s.io" */
void resource_name(enum resource_number number, struct writer *out);

#endif
