/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The storage kinds: PersistentVolume, PersistentVolumeClaim, StorageClass, CSINode, CSIDriver,
 * CSIStorageCapacity, VolumeAttachment. One file each decodes them.
 */
#ifndef BERTH_KUBE_VOLUME_H
#define BERTH_KUBE_VOLUME_H

#include "kube/kube.h"

enum kube_access { KUBE_RWO = 1, KUBE_ROX = 2, KUBE_RWX = 4, KUBE_RWOP = 8 }; /* bits */

/* In-tree volume types that CSI drivers took over, and the one that is CSI itself. */
enum kube_volume_source {
	KUBE_SOURCE_OTHER,
	KUBE_SOURCE_CSI,
	KUBE_SOURCE_EBS,
	KUBE_SOURCE_GCE,
	KUBE_SOURCE_AZURE_DISK,
	KUBE_SOURCE_AZURE_FILE,
	KUBE_SOURCE_CINDER,
	KUBE_SOURCE_VSPHERE,
	KUBE_SOURCE_PORTWORX
};

struct kube_pv {
	struct kube_blob blob;
	uint32_t labels_zone[4]; /* values of the four zone/region labels, 0 when absent:
				    beta zone, beta region, topology zone, topology region */
	uint32_t has_label_zone; /* bits, same order */
	uint32_t class;          /* beta annotation wins over spec.storageClassName */
	int64_t capacity_bytes;
	uint32_t access;      /* enum kube_access bits */
	uint32_t volume_mode; /* string id; "Filesystem" filled in */
	uint32_t attributes_class;
	uint32_t source;    /* enum kube_volume_source */
	uint32_t driver;    /* CSI */
	uint32_t handle;    /* CSI volumeHandle, or the in-tree type's id */
	uint32_t has_claim; /* claimRef is not null */
	uint32_t claim_namespace;
	uint32_t claim_name;
	uint32_t claim_uid;
	uint32_t has_node_affinity;  /* spec.nodeAffinity.required is not null */
	struct kube_span node_terms; /* struct kube_node_term */
	uint32_t phase;
	uint32_t deleting;
	uint32_t bound_by_controller; /* annotation pv.kubernetes.io/bound-by-controller is there */
	uint32_t uid;
	struct kube_span labels; /* struct kube_label, sorted by key: for claim selectors */
};

struct kube_pvc {
	struct kube_blob blob;
	uint32_t uid;
	uint32_t volume_name;
	uint32_t class; /* beta annotation wins over spec.storageClassName */
	uint32_t has_class;
	uint32_t volume_mode; /* "Filesystem" filled in */
	uint32_t attributes_class;
	uint32_t access;
	uint32_t bind_completed; /* annotation pv.kubernetes.io/bind-completed is there */
	uint32_t has_selected_node;
	uint32_t selected_node;
	uint32_t has_annotations; /* any annotation at all */
	uint32_t has_request;
	int64_t request_bytes;
	struct kube_selector selector; /* NONE: every volume */
	uint32_t phase;
	uint32_t deleting;
	uint32_t owner_uid; /* of the controlling owner, 0 when none */
	uint32_t owner_is_pod;
};

struct kube_topology_expression {
	uint32_t key;
	struct kube_span values; /* uint32_t ids, sorted */
};
struct kube_topology_term {
	struct kube_span expressions; /* struct kube_topology_expression */
};

enum kube_binding_mode { KUBE_BINDING_UNSET, KUBE_BINDING_IMMEDIATE, KUBE_BINDING_WAIT };

struct kube_storage_class {
	struct kube_blob blob;
	uint32_t provisioner;
	uint32_t binding_mode;
	struct kube_span allowed_topologies; /* struct kube_topology_term */
	int64_t created_us;
	uint32_t is_default; /* of claims that name none */
	uint32_t reserved;
};

struct kube_csi_node_driver {
	uint32_t name;
	uint32_t node_id;
	int32_t limit; /* -1: none */
	uint32_t reserved;
};
struct kube_csi_node {
	struct kube_blob blob;
	struct kube_span drivers;  /* struct kube_csi_node_driver */
	struct kube_span migrated; /* uint32_t ids: the comma list of migrated-plugins */
};

struct kube_csi_driver {
	struct kube_blob blob;
	uint32_t storage_capacity;
	uint32_t prevent_if_missing;
};

struct kube_csi_capacity {
	struct kube_blob blob;
	uint32_t class;
	uint32_t has_capacity;
	int64_t capacity_bytes;
	int64_t maximum_bytes;
	uint32_t has_maximum;
	uint32_t reserved;
	struct kube_selector topology; /* NONE or INVALID: reaches no node */
};

struct kube_volume_attachment {
	struct kube_blob blob;
	uint32_t attacher;
	uint32_t node;
	uint32_t pv;
	uint32_t reserved;
};

extern const struct json_want kube_pv_want[], kube_pvc_want[], kube_storage_class_want[],
	kube_csi_node_want[], kube_csi_driver_want[], kube_csi_capacity_want[],
	kube_volume_attachment_want[];

#endif
