/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Objects that are kept whole: one blob per object, found by (kind, namespace, name). The table
 * in object.c has one row per kind: its name, its want tree, its decoder. Pods and nodes are not
 * among them; they have records of their own.
 */
#ifndef BERTH_KUBE_OBJECT_H
#define BERTH_KUBE_OBJECT_H

#include "kube/kube.h"

enum kube_kind {
	KUBE_NO_KIND,
	KUBE_POD,
	KUBE_NODE,
	KUBE_NAMESPACE,
	KUBE_SERVICE,
	KUBE_REPLICATION_CONTROLLER,
	KUBE_REPLICA_SET,
	KUBE_STATEFUL_SET,
	KUBE_PV,
	KUBE_PVC,
	KUBE_STORAGE_CLASS,
	KUBE_CSI_NODE,
	KUBE_CSI_DRIVER,
	KUBE_CSI_CAPACITY,
	KUBE_VOLUME_ATTACHMENT,
	KUBE_PDB,
	KUBE_RESOURCE_CLAIM,
	KUBE_RESOURCE_SLICE,
	KUBE_DEVICE_CLASS,
	KUBE_TAINT_RULE, /* DeviceTaintRule */
	KUBE_KINDS
};

/* Service, ReplicationController (plain maps), ReplicaSet, StatefulSet (label selectors). */
struct kube_selecting {
	struct kube_blob blob;
	struct kube_selector selector;
};

struct kube_pdb {
	struct kube_blob blob;
	struct kube_selector selector;
	int32_t disruptions_allowed;
	uint32_t reserved;
	struct kube_span disrupted; /* uint32_t ids of pod names */
};

/* One object as it came. blob is NULL for Namespace, which has no other facts. */
struct kube_object {
	enum kube_kind kind;
	struct kube_meta meta;
	struct kube_blob *blob;
	struct kube_labels *labels; /* Namespace only, else NULL */
	bool is_needless; /* no decision can depend on it: it is as if it were not there */
};

struct kube_kind_row {
	const char *kind;        /* "PersistentVolume" */
	const char *plural;      /* "persistentvolumes" */
	const char *api_version; /* "v1", "storage.k8s.io/v1", ... the newest */
	bool namespaced;
	const struct json_want *want; /* of the bare object */
	enum kube_result (*decode)(struct kube_build *b, struct json_value object,
		struct kube_object *out); /* NULL for pods and nodes */
};

extern const struct kube_kind_row kube_kinds[KUBE_KINDS];

enum kube_kind kube_kind_of(struct text kind); /* by "kind" of an object; KUBE_NO_KIND if unknown */

/* Everything any kind wants: for lists of mixed kinds. */
extern const struct json_want kube_any_want[];

#endif
