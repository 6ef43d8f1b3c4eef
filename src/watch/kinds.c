/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of kinds, for servers from v1.20 on.
 *
 * policy/v1 came with 1.21, v1beta1 went with 1.25. csistoragecapacities were v1beta1 in 1.21 and
 * v1 from 1.24 on. resource.k8s.io had shapes of its own before v1beta1 (1.32), which are not
 * spoken here.
 *
 * The role of the scheduler came to include csidrivers, csistoragecapacities and volumeattachments
 * only when schedulers came to read them. Who replaces an older one may not, and decides without
 * them as that one does.
 */
#include "watch/kinds.h"

#define RESOURCE_K8S_IO                                                                    \
	{                                                                                  \
		"resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1" \
	}
#define CERTAIN(version)                                        \
	{                                                       \
		{version}, NULL, WATCH_PIECE_OTHER, true, false \
	}
#define SPARE(is_certain, ...)                                         \
	{                                                              \
		__VA_ARGS__, NULL, WATCH_PIECE_OTHER, is_certain, true \
	}
#define OPTIONAL(...)                                              \
	{                                                          \
		__VA_ARGS__, NULL, WATCH_PIECE_OTHER, false, false \
	}

const struct watch_kind watch_kinds[KUBE_KINDS] = {
	/* Pods that have run to their end take no space. */
	[KUBE_POD] = {{"v1"},
		"fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed",
		WATCH_PIECE_POD, true, false},
	[KUBE_NODE] = {{"v1"}, NULL, WATCH_PIECE_NODE, true, false},
	[KUBE_NAMESPACE] = CERTAIN("v1"),
	[KUBE_SERVICE] = CERTAIN("v1"),
	[KUBE_REPLICATION_CONTROLLER] = CERTAIN("v1"),
	[KUBE_REPLICA_SET] = CERTAIN("apps/v1"),
	[KUBE_STATEFUL_SET] = CERTAIN("apps/v1"),
	[KUBE_PV] = CERTAIN("v1"),
	[KUBE_PVC] = CERTAIN("v1"),
	[KUBE_STORAGE_CLASS] = CERTAIN("storage.k8s.io/v1"),
	[KUBE_CSI_NODE] = CERTAIN("storage.k8s.io/v1"),
	[KUBE_CSI_DRIVER] = SPARE(true, {"storage.k8s.io/v1"}),
	[KUBE_CSI_CAPACITY] = SPARE(false, {"storage.k8s.io/v1", "storage.k8s.io/v1beta1"}),
	[KUBE_VOLUME_ATTACHMENT] = SPARE(true, {"storage.k8s.io/v1"}),
	[KUBE_PDB] = OPTIONAL({"policy/v1", "policy/v1beta1"}),
	[KUBE_RESOURCE_CLAIM] = {RESOURCE_K8S_IO, NULL, WATCH_PIECE_CLAIM, false, false},
	[KUBE_RESOURCE_SLICE] = {RESOURCE_K8S_IO, NULL, WATCH_PIECE_SLICE, false, false},
	[KUBE_DEVICE_CLASS] = SPARE(false, RESOURCE_K8S_IO),
	[KUBE_TAINT_RULE] = OPTIONAL(
		{"resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3"}),
};
