/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a scheduler reads of a pod, more or less, for tests and benches of the cutter. The tables
 * of the program itself are in src/kube.
 */
#ifndef BERTH_TESTS_JSON_POD_WANT_H
#define BERTH_TESTS_JSON_POD_WANT_H

#include "json/json.h"

#define WANT_END           \
	{                  \
		NULL, NULL \
	}

static const struct json_want pod_want_owner[] = {
	{"apiVersion", NULL}, {"kind", NULL}, {"name", NULL}, {"controller", NULL}, WANT_END};
static const struct json_want pod_want_metadata[] = {{"name", NULL}, {"namespace", NULL},
	{"uid", NULL}, {"resourceVersion", NULL}, {"generation", NULL}, {"creationTimestamp", NULL},
	{"deletionTimestamp", NULL}, {"labels", NULL}, {"ownerReferences", pod_want_owner},
	WANT_END};
static const struct json_want pod_want_port[] = {
	{"hostIP", NULL}, {"hostPort", NULL}, {"protocol", NULL}, WANT_END};
static const struct json_want pod_want_container[] = {{"name", NULL}, {"image", NULL},
	{"resources", NULL}, {"ports", pod_want_port}, {"restartPolicy", NULL}, WANT_END};
static const struct json_want pod_want_claim[] = {
	{"claimName", NULL}, {"readOnly", NULL}, WANT_END};
static const struct json_want pod_want_volume[] = {{"name", NULL},
	{"persistentVolumeClaim", pod_want_claim}, {"ephemeral", NULL}, {"csi", NULL}, WANT_END};
static const struct json_want pod_want_gate[] = {{"name", NULL}, WANT_END};
static const struct json_want pod_want_spec[] = {{"nodeName", NULL}, {"schedulerName", NULL},
	{"priority", NULL}, {"preemptionPolicy", NULL}, {"schedulingGates", pod_want_gate},
	{"nodeSelector", NULL}, {"affinity", NULL}, {"tolerations", NULL},
	{"topologySpreadConstraints", NULL}, {"initContainers", pod_want_container},
	{"containers", pod_want_container}, {"overhead", NULL}, {"resources", NULL},
	{"volumes", pod_want_volume}, {"hostNetwork", NULL}, {"resourceClaims", NULL}, WANT_END};
static const struct json_want pod_want_status[] = {{"phase", NULL}, {"nominatedNodeName", NULL},
	{"startTime", NULL}, {"conditions", NULL}, WANT_END};
static const struct json_want pod_want[] = {{"metadata", pod_want_metadata},
	{"spec", pod_want_spec}, {"status", pod_want_status}, WANT_END};

#endif
