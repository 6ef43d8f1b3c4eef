/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strings that the scheduler knows by itself, as ids. Interned at start and kept for ever.
 */
#ifndef BERTH_CACHE_NAMES_H
#define BERTH_CACHE_NAMES_H

#include <stdint.h>

#include "base/intern.h"

#define CACHE_NAMES(X)                                             \
	X(metadata_name, "metadata.name")                          \
	X(hostname, "kubernetes.io/hostname")                      \
	X(zone, "topology.kubernetes.io/zone")                     \
	X(region, "topology.kubernetes.io/region")                 \
	X(beta_zone, "failure-domain.beta.kubernetes.io/zone")     \
	X(beta_region, "failure-domain.beta.kubernetes.io/region") \
	X(unschedulable, "node.kubernetes.io/unschedulable")       \
	X(any_ip, "0.0.0.0")                                       \
	X(cpu, "cpu")                                              \
	X(memory, "memory")                                        \
	X(ephemeral_storage, "ephemeral-storage")                  \
	X(pods, "pods")                                            \
	X(v1, "v1")                                                \
	X(apps_v1, "apps/v1")                                      \
	X(replication_controller, "ReplicationController")         \
	X(replica_set, "ReplicaSet")                               \
	X(stateful_set, "StatefulSet")                             \
	X(filesystem, "Filesystem")                                \
	X(available, "Available")                                  \
	X(bound, "Bound")                                          \
	X(lost, "Lost")                                            \
	X(no_provisioner, "kubernetes.io/no-provisioner")          \
	X(default_namespace, "default")

struct cache_names {
#define CACHE_NAME_MEMBER(name, text) uint32_t name;
	CACHE_NAMES(CACHE_NAME_MEMBER)
#undef CACHE_NAME_MEMBER
};

void cache_names_init(struct cache_names *names, struct intern *strings);

#endif
