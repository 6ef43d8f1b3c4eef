/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pods ask for and what nodes have, in integers.
 */
#ifndef BERTH_KUBE_POD_REQUESTS_H
#define BERTH_KUBE_POD_REQUESTS_H

#include "kube/kube.h"
#include "kube/pod.h"

enum {
	/*
	 * Different names in one object, and init containers and containers of a pod. More is
	 * malformed: a pod that waits is reported, one on a node closes it (cache/unread.h). A
	 * node's device plugins register some hundreds at most, a kubelet runs some hundreds of
	 * containers; the work for an object grows with the square of these numbers, 20 ms at the
	 * bounds.
	 */
	KUBE_RESOURCE_NAMES_MAX = 4096,
	KUBE_POD_CONTAINERS_MAX = 1024
};

/*
 * Fills `fit`, `used`, `score`, the used_nonzero_* and `mentioned` of the class under construction
 * from the whole pod. Temporary quantities are taken from the builder's scratch.
 */
void kube_pod_requests(
	struct kube_build *b, struct json_value pod, struct kube_pod_template *class);

/* A map of resource names to quantities, such as a node's status.allocatable. */
void kube_resource_list(
	struct kube_build *b, struct json_value map, const char *field, struct kube_resources *out);

/* Whether a name other than cpu, memory, ephemeral-storage and pods counts, and as what. */
bool kube_resource_is_tracked(struct text name, bool *is_extended);

#endif
