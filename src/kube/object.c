/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of kinds, what decoders of kept objects have in common, and the want of mixed lists. */
#include "kube/object.h"

#include "kube/decode.h"
#include "kube/node.h"
#include "kube/volume.h"

#define ROW(name, plural, version, is_namespaced, noun)                                        \
	{                                                                                      \
		name, plural, version, is_namespaced, kube_##noun##_want, kube_##noun##_decode \
	}
const struct kube_kind_row kube_kinds[KUBE_KINDS] = {
	[KUBE_NO_KIND] = {"", "", "", false, NULL, NULL},
	[KUBE_POD] = {"Pod", "pods", "v1", true, kube_pod_want, NULL},
	[KUBE_NODE] = {"Node", "nodes", "v1", false, kube_node_want, NULL},
	[KUBE_NAMESPACE] = ROW("Namespace", "namespaces", "v1", false, namespace),
	[KUBE_SERVICE] = ROW("Service", "services", "v1", true, service),
	[KUBE_REPLICATION_CONTROLLER] = ROW("ReplicationController", "replicationcontrollers", "v1",
		true, replication_controller),
	[KUBE_REPLICA_SET] = ROW("ReplicaSet", "replicasets", "apps/v1", true, replica_set),
	[KUBE_STATEFUL_SET] = ROW("StatefulSet", "statefulsets", "apps/v1", true, stateful_set),
	[KUBE_PV] = ROW("PersistentVolume", "persistentvolumes", "v1", false, pv),
	[KUBE_PVC] = ROW("PersistentVolumeClaim", "persistentvolumeclaims", "v1", true, pvc),
	[KUBE_STORAGE_CLASS] =
		ROW("StorageClass", "storageclasses", "storage.k8s.io/v1", false, storage_class),
	[KUBE_CSI_NODE] = ROW("CSINode", "csinodes", "storage.k8s.io/v1", false, csi_node),
	[KUBE_CSI_DRIVER] = ROW("CSIDriver", "csidrivers", "storage.k8s.io/v1", false, csi_driver),
	[KUBE_CSI_CAPACITY] = ROW("CSIStorageCapacity", "csistoragecapacities", "storage.k8s.io/v1",
		true, csi_capacity),
	[KUBE_VOLUME_ATTACHMENT] = ROW("VolumeAttachment", "volumeattachments", "storage.k8s.io/v1",
		false, volume_attachment),
	[KUBE_PDB] = ROW("PodDisruptionBudget", "poddisruptionbudgets", "policy/v1", true, pdb),
	[KUBE_RESOURCE_CLAIM] =
		ROW("ResourceClaim", "resourceclaims", "resource.k8s.io/v1", true, resource_claim),
	[KUBE_RESOURCE_SLICE] =
		ROW("ResourceSlice", "resourceslices", "resource.k8s.io/v1", false, resource_slice),
	[KUBE_DEVICE_CLASS] =
		ROW("DeviceClass", "deviceclasses", "resource.k8s.io/v1", false, device_class),
	[KUBE_TAINT_RULE] =
		ROW("DeviceTaintRule", "devicetaintrules", "resource.k8s.io/v1", false, taint_rule),
};

enum kube_kind kube_kind_of(struct text kind)
{
	for (uint32_t i = KUBE_NO_KIND + 1; i < KUBE_KINDS; i++) {
		if (text_is_z(kind, kube_kinds[i].kind))
			return (enum kube_kind)i;
	}
	return KUBE_NO_KIND;
}

/* ---- the frame of decoders ---- */

static void object_begin(struct kube_build *b, struct json_value object, enum kube_kind kind,
	struct kube_object *out)
{
	kube_decode_begin(b);
	*out = (struct kube_object){.kind = kind};
	if (kube_kinds[kind].namespaced)
		kube_meta_decode_namespaced(b, object, &out->meta);
	else
		kube_meta_decode(b, object, &out->meta);
}

enum kube_result kube_object_decode(struct kube_build *b, struct json_value object,
	enum kube_kind kind, size_t head_size, kube_fill_fn *fill, struct kube_object *out)
{
	object_begin(b, object, kind, out);
	void *head = kube_build_start(b, head_size);
	if (head != NULL)
		fill(b, object, &out->meta, head);
	out->blob = kube_build_finish(b);
	return b->result;
}

enum kube_result kube_identity_decode(struct kube_build *b, struct json_value object,
	enum kube_kind kind, bool labels, struct kube_object *out)
{
	object_begin(b, object, kind, out);
	if (labels)
		out->labels = kube_labels_build(b, out->meta.labels, "metadata.labels");
	return b->result;
}

/* ---- everything any kind wants ---- */

static const struct json_want any_metadata[] = {
	KUBE_WANT_META(NULL),
	{"creationTimestamp", NULL},
	{"finalizers", NULL},
	{NULL, NULL},
};

static const struct json_want any_spec[] = {
	/* Pod */
	{"nodeName", NULL}, /* and VolumeAttachment */
	{"schedulerName", NULL},
	{"priority", NULL},
	{"preemptionPolicy", NULL},
	{"schedulingGates", NULL},
	{"nodeSelector", NULL},
	{"affinity", NULL},
	{"tolerations", NULL},
	{"topologySpreadConstraints", NULL},
	{"containers", kube_want_containers},
	{"initContainers", kube_want_containers},
	{"ephemeralContainers", kube_want_ephemeral},
	{"overhead", NULL},
	{"resources", kube_want_resources}, /* and PersistentVolumeClaim */
	{"volumes", kube_want_pod_volumes},
	{"hostNetwork", NULL},
	{"hostUsers", NULL},
	{"resourceClaims", NULL},
	/* Node */
	{"unschedulable", NULL},
	{"taints", NULL},
	/* whatever selects pods, and PersistentVolumeClaim */
	{"selector", NULL},
	/* PersistentVolume and PersistentVolumeClaim */
	{"capacity", NULL},
	{"accessModes", NULL},
	{"volumeMode", NULL},
	{"volumeName", NULL},
	{"storageClassName", NULL},
	{"volumeAttributesClassName", NULL},
	{"claimRef", kube_want_claim_ref},
	{"nodeAffinity", NULL},
	{"csi", kube_want_csi_source},
	{"awsElasticBlockStore", kube_want_volume_id},
	{"gcePersistentDisk", kube_want_gce_disk},
	{"azureDisk", kube_want_azure_disk},
	{"azureFile", kube_want_azure_file},
	{"cinder", kube_want_volume_id},
	{"vsphereVolume", kube_want_vsphere_volume},
	{"portworxVolume", kube_want_volume_id},
	/* CSINode, CSIDriver, VolumeAttachment */
	{"drivers", kube_want_csi_drivers},
	{"storageCapacity", NULL},
	{"preventPodSchedulingIfMissing", NULL},
	{"attacher", NULL},
	{"source", kube_want_attachment_source},
	/* DeviceClass */
	{"selectors", NULL},
	{"config", NULL},
	{"extendedResourceName", NULL},
	/* ResourceClaim, ResourceSlice, DeviceTaintRule */
	{"devices", NULL},
	{"driver", NULL},
	{"pool", kube_want_slice_pool},
	{"allNodes", NULL},
	{"perDeviceNodeSelection", NULL},
	{"sharedCounters", NULL},
	{"deviceSelector", NULL},
	{"taint", NULL},
	/* ReplicaSet, StatefulSet, ReplicationController; Deployment and the like */
	{"replicas", NULL},
	{"strategy", NULL},
	{"template", NULL},
	{"volumeClaimTemplates", NULL},
	{"parallelism", NULL},
	{"completions", NULL},
	{"jobTemplate", NULL},
	{"priorityClassName", NULL},
	{NULL, NULL},
};

static const struct json_want any_status[] = {
	/* Pod */
	{"phase", NULL}, /* and volumes */
	{"nominatedNodeName", NULL},
	{"startTime", NULL},
	{"conditions", kube_want_pod_conditions}, /* and Node */
	{"containerStatuses", kube_want_container_statuses},
	{"initContainerStatuses", kube_want_container_statuses},
	{"resources", kube_want_resources},
	{"allocatedResources", NULL},
	{"resourceClaimStatuses", NULL},
	{"extendedResourceClaimStatus", NULL},
	/* ReplicaSet, StatefulSet, ReplicationController */
	{"replicas", NULL},
	/* Node */
	{"allocatable", NULL},
	{"images", kube_want_node_images},
	{"declaredFeatures", NULL},
	/* PodDisruptionBudget, ResourceClaim */
	{"disruptionsAllowed", NULL},
	{"disruptedPods", NULL},
	{"allocation", NULL},
	{"reservedFor", NULL},
	{"devices", NULL},
	{NULL, NULL},
};

const struct json_want kube_any_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", any_metadata},
	{"spec", any_spec},
	{"status", any_status},
	/* StorageClass and CSIStorageCapacity have neither spec nor status. */
	{"provisioner", NULL},
	{"volumeBindingMode", NULL},
	{"allowedTopologies", NULL},
	{"storageClassName", NULL},
	{"nodeTopology", NULL},
	{"capacity", NULL},
	{"maximumVolumeSize", NULL},
	/* PriorityClass */
	{"value", NULL},
	{"globalDefault", NULL},
	{"preemptionPolicy", NULL},
	{NULL, NULL},
};
