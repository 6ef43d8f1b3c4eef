/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of what is served. */
#include "apisim/resources.h"

#define NAMESPACED   RESOURCE_NAMESPACED
#define STATUS       RESOURCE_HAS_STATUS
#define GENERATION   RESOURCE_HAS_GENERATION
#define RETURNS      RESOURCE_RETURNS_DELETED
#define BY_PUT       RESOURCE_CREATED_BY_PUT
#define VERSIONED    RESOURCE_NEEDS_VERSION
#define WORKLOAD     (NAMESPACED | STATUS | GENERATION)
#define STORAGE      "storage.k8s.io", "v1"
#define DEVICES      "resource.k8s.io", "v1"
#define OLD_DEVICES  "resource.k8s.io", "v1beta1"
#define CLAIM_TRAITS (NAMESPACED | STATUS | RETURNS)
#define NODE_REST                                                                         \
	",\"spec\":{},\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":0}}" \
	",\"nodeInfo\":{\"machineID\":\"\",\"systemUUID\":\"\",\"bootID\":\"\""           \
	",\"kernelVersion\":\"\",\"osImage\":\"\",\"containerRuntimeVersion\":\"\""       \
	",\"kubeletVersion\":\"\",\"kubeProxyVersion\":\"\",\"operatingSystem\":\"\""     \
	",\"architecture\":\"\"}}"

const struct resource resources[RESOURCES] = {
	[RESOURCE_NONE] = {"", "", "", "", "", NULL, 0, "", "", 0, 0},
	[RESOURCE_NAMESPACES] = {"", "v1", "namespaces", "Namespace", "namespace", "ns", STATUS,
		"namespaces", ",\"spec\":{},\"status\":{}", 0, 0},
	[RESOURCE_NODES] = {"", "v1", "nodes", "Node", "node", "no", STATUS, "minions", NODE_REST,
		0, 0},
	[RESOURCE_PODS] = {"", "v1", "pods", "Pod", "pod", "po", WORKLOAD | RETURNS, "pods",
		",\"spec\":{\"containers\":null},\"status\":{}", 0, 0},
	[RESOURCE_EVENTS] = {"events.k8s.io", "v1", "events", "Event", "event", "ev",
		NAMESPACED | BY_PUT, "events", "", 0, 0},
	[RESOURCE_CORE_EVENTS] = {"", "v1", "events", "Event", "event", "ev", NAMESPACED | BY_PUT,
		"events", "", 0, 0},
	[RESOURCE_SERVICES] = {"", "v1", "services", "Service", "service", "svc",
		NAMESPACED | STATUS | RETURNS, "services/specs", "", 0, 0},
	[RESOURCE_CONFIG_MAPS] = {"", "v1", "configmaps", "ConfigMap", "configmap", "cm",
		NAMESPACED, "configmaps", "", 0, 0},
	[RESOURCE_REPLICATION_CONTROLLERS] = {"", "v1", "replicationcontrollers",
		"ReplicationController", "replicationcontroller", "rc", WORKLOAD, "controllers", "",
		0, 0},
	[RESOURCE_PVS] = {"", "v1", "persistentvolumes", "PersistentVolume", "persistentvolume",
		"pv", STATUS | RETURNS, "persistentvolumes", ",\"spec\":{},\"status\":{}", 0, 0},
	[RESOURCE_PVCS] = {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim",
		"persistentvolumeclaim", "pvc", NAMESPACED | STATUS | RETURNS,
		"persistentvolumeclaims", ",\"spec\":{\"resources\":{}},\"status\":{}", 0, 0},
	[RESOURCE_REPLICA_SETS] = {"apps", "v1", "replicasets", "ReplicaSet", "replicaset", "rs",
		WORKLOAD, "replicasets", "", 0, 0},
	[RESOURCE_STATEFUL_SETS] = {"apps", "v1", "statefulsets", "StatefulSet", "statefulset",
		"sts", WORKLOAD, "statefulsets", "", 0, 0},
	[RESOURCE_DEPLOYMENTS] = {"apps", "v1", "deployments", "Deployment", "deployment", "deploy",
		WORKLOAD, "deployments", "", 0, 0},
	[RESOURCE_DAEMON_SETS] = {"apps", "v1", "daemonsets", "DaemonSet", "daemonset", "ds",
		WORKLOAD, "daemonsets", "", 0, 0},
	[RESOURCE_JOBS] = {"batch", "v1", "jobs", "Job", "job", NULL, WORKLOAD, "jobs", "", 0, 0},
	[RESOURCE_STORAGE_CLASSES] = {STORAGE, "storageclasses", "StorageClass", "storageclass",
		"sc", RETURNS, "storageclasses", ",\"provisioner\":\"\"", 0, 0},
	[RESOURCE_CSI_NODES] = {STORAGE, "csinodes", "CSINode", "csinode", NULL,
		RETURNS | VERSIONED, "csinodes", ",\"spec\":{\"drivers\":null}", 0, 0},
	[RESOURCE_CSI_DRIVERS] = {STORAGE, "csidrivers", "CSIDriver", "csidriver", NULL,
		RETURNS | GENERATION, "csidrivers", ",\"spec\":{}", 0, 0},
	[RESOURCE_CSI_CAPACITIES] = {STORAGE, "csistoragecapacities", "CSIStorageCapacity",
		"csistoragecapacity", NULL, NAMESPACED | RETURNS, "csistoragecapacities",
		",\"storageClassName\":\"\"", 24, 0},
	[RESOURCE_VOLUME_ATTACHMENTS] = {STORAGE, "volumeattachments", "VolumeAttachment",
		"volumeattachment", NULL, STATUS | RETURNS, "volumeattachments", "", 0, 0},
	[RESOURCE_PDBS] = {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget",
		"poddisruptionbudget", "pdb", WORKLOAD | VERSIONED, "poddisruptionbudgets", "", 21,
		0},
	[RESOURCE_PRIORITY_CLASSES] = {"scheduling.k8s.io", "v1", "priorityclasses",
		"PriorityClass", "priorityclass", "pc", GENERATION, "priorityclasses",
		",\"value\":0", 0, 0},
	[RESOURCE_LEASES] = {"coordination.k8s.io", "v1", "leases", "Lease", "lease", NULL,
		NAMESPACED | BY_PUT | VERSIONED, "leases", ",\"spec\":{}", 0, 0},
	[RESOURCE_CLAIMS] = {DEVICES, "resourceclaims", "ResourceClaim", "resourceclaim", NULL,
		NAMESPACED | STATUS | RETURNS, "resourceclaims",
		",\"spec\":{\"devices\":{}},\"status\":{}", 34, 0},
	[RESOURCE_CLAIM_TEMPLATES] = {DEVICES, "resourceclaimtemplates", "ResourceClaimTemplate",
		"resourceclaimtemplate", NULL, NAMESPACED | RETURNS, "resourceclaimtemplates", "",
		34, 0},
	[RESOURCE_SLICES] = {DEVICES, "resourceslices", "ResourceSlice", "resourceslice", NULL,
		GENERATION | RETURNS, "resourceslices", "", 34, 0},
	[RESOURCE_DEVICE_CLASSES] = {DEVICES, "deviceclasses", "DeviceClass", "deviceclass", NULL,
		GENERATION | RETURNS, "deviceclasses", ",\"spec\":{}", 34, 0},
	[RESOURCE_PDBS_V1BETA1] = {"policy", "v1beta1", "poddisruptionbudgets",
		"PodDisruptionBudget", "poddisruptionbudget", "pdb", WORKLOAD | VERSIONED,
		"poddisruptionbudgets", "", 5, 24},
	[RESOURCE_CSI_CAPACITIES_V1BETA1] = {"storage.k8s.io", "v1beta1", "csistoragecapacities",
		"CSIStorageCapacity", "csistoragecapacity", NULL, NAMESPACED | RETURNS,
		"csistoragecapacities", ",\"storageClassName\":\"\"", 21, 26},
	[RESOURCE_CLAIMS_V1BETA1] = {OLD_DEVICES, "resourceclaims", "ResourceClaim",
		"resourceclaim", NULL, CLAIM_TRAITS, "resourceclaims", "", 32, 37},
	[RESOURCE_SLICES_V1BETA1] = {OLD_DEVICES, "resourceslices", "ResourceSlice",
		"resourceslice", NULL, GENERATION | RETURNS, "resourceslices", "", 32, 37},
	[RESOURCE_DEVICE_CLASSES_V1BETA1] = {OLD_DEVICES, "deviceclasses", "DeviceClass",
		"deviceclass", NULL, GENERATION | RETURNS, "deviceclasses", "", 32, 37},
};

bool resource_is_served(enum resource_number number, uint32_t release)
{
	const struct resource *row = &resources[number];

	return number != RESOURCE_NONE && release >= row->since &&
		(row->until == 0 || release <= row->until);
}

enum resource_number resource_find(
	struct text group, struct text version, struct text plural, uint32_t release)
{
	for (uint32_t i = 1; i < RESOURCES; i++)
		if (text_is_z(plural, resources[i].plural) &&
			text_is_z(group, resources[i].group) &&
			text_is_z(version, resources[i].version) && resource_is_served(i, release))
			return i;
	return RESOURCE_NONE;
}

enum resource_number resource_of_kind(struct text apisim_version, struct text kind)
{
	size_t slash = text_find(apisim_version, '/');
	struct text group =
		slash == apisim_version.size ? TEXT("") : text_first(apisim_version, slash);
	struct text version = slash == apisim_version.size ? apisim_version
							   : text_from(apisim_version, slash + 1);

	for (uint32_t i = 1; i < RESOURCES; i++)
		if (text_is_z(kind, resources[i].kind) && text_is_z(group, resources[i].group) &&
			text_is_z(version, resources[i].version))
			return i;
	return RESOURCE_NONE;
}

bool resource_group_served(struct text group, struct text version, uint32_t release)
{
	for (uint32_t i = 1; i < RESOURCES; i++)
		if (text_is_z(group, resources[i].group) &&
			text_is_z(version, resources[i].version) && resource_is_served(i, release))
			return true;
	return false;
}

enum resource_number resource_stored(enum resource_number number)
{
	switch (number) {
	case RESOURCE_CORE_EVENTS: return RESOURCE_EVENTS;
	case RESOURCE_PDBS_V1BETA1: return RESOURCE_PDBS;
	case RESOURCE_CSI_CAPACITIES_V1BETA1: return RESOURCE_CSI_CAPACITIES;
	case RESOURCE_CLAIMS_V1BETA1: return RESOURCE_CLAIMS;
	case RESOURCE_SLICES_V1BETA1: return RESOURCE_SLICES;
	case RESOURCE_DEVICE_CLASSES_V1BETA1: return RESOURCE_DEVICE_CLASSES;
	default: return number;
	}
}

void resource_api_version(enum resource_number number, struct writer *out)
{
	if (resources[number].group[0] != '\0') {
		write_z(out, resources[number].group);
		write_char(out, '/');
	}
	write_z(out, resources[number].version);
}

void resource_name(enum resource_number number, struct writer *out)
{
	write_z(out, resources[number].plural);
	if (resources[number].group[0] != '\0') {
		write_char(out, '.');
		write_z(out, resources[number].group);
	}
}
