/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pod. What pods of one template have in common is the pod class: everything the scheduler
 * reads of a pod but its identity, labels, controller, node and status, and the one node that a
 * DaemonSet made it for. Equal classes are stored once.
 */
#ifndef BERTH_KUBE_POD_H
#define BERTH_KUBE_POD_H

#include "kube/kube.h"

/* A term of (anti-)affinity, its namespaces resolved to ids. */
struct kube_pod_term {
	uint32_t topology_key;
	int32_t weight;              /* preferred terms; 0 for required ones */
	struct kube_span namespaces; /* uint32_t ids, sorted; the pod's own one filled in */
	struct kube_selector namespace_selector; /* NONE: null; SET with none: every namespace */
	struct kube_selector selector;
};

enum kube_policy { KUBE_POLICY_HONOR, KUBE_POLICY_IGNORE };

struct kube_spread {
	uint32_t topology_key;
	int32_t max_skew;
	int32_t min_domains; /* 1 when not set */
	uint32_t hard;       /* 1: DoNotSchedule */
	uint32_t node_affinity_policy;
	uint32_t node_taints_policy;
	struct kube_selector selector; /* labelSelector */
	struct kube_span
		match_label_keys; /* uint32_t ids, in order; resolved against the pod's labels */
};

struct kube_host_port {
	uint32_t ip;       /* string id; "0.0.0.0" filled in */
	uint32_t protocol; /* string id; "TCP" filled in */
	uint32_t port;
	uint32_t reserved;
};

enum kube_volume_kind {
	KUBE_VOLUME_CLAIM,      /* persistentVolumeClaim: name = claimName */
	KUBE_VOLUME_EPHEMERAL,  /* ephemeral: name = the volume's name; claim is <pod>-<volume> */
	KUBE_VOLUME_GCE,        /* gcePersistentDisk: id = pdName */
	KUBE_VOLUME_EBS,        /* awsElasticBlockStore: id = volumeID */
	KUBE_VOLUME_ISCSI,      /* id = iqn */
	KUBE_VOLUME_RBD,        /* monitors, pool, id = image */
	KUBE_VOLUME_CSI,        /* in-line csi: id = driver */
	KUBE_VOLUME_AZURE_DISK, /* id = diskURI (migratable in-line types: name = volume's name) */
	KUBE_VOLUME_AZURE_FILE,
	KUBE_VOLUME_CINDER,
	KUBE_VOLUME_VSPHERE,
	KUBE_VOLUME_PORTWORX
};

struct kube_volume {
	uint32_t kind;
	uint32_t name;
	uint32_t id;
	uint32_t pool;
	uint32_t read_only;
	struct kube_span monitors; /* uint32_t ids, sorted */
};

struct kube_resource_claim {
	uint32_t name;          /* in the pod */
	uint32_t claim_name;    /* resourceClaimName or 0 */
	uint32_t template_name; /* resourceClaimTemplateName or 0 */
	uint32_t reserved;
};

/* Resources that stand for the device class of the name behind it. */
#define KUBE_CLASS_RESOURCE "deviceclass.resource.kubernetes.io/"

/* What a container asks for of a resource that devices may stand for. */
struct kube_extended {
	uint32_t container; /* place among init containers and containers */
	uint32_t container_name;
	uint32_t resource;
	uint32_t place;    /* among the names of the container's requests */
	uint32_t is_short; /* of an init container that runs to its end */
	uint32_t reserved;
	int64_t count;
};

enum kube_feature { /* plugins.md 19; bits */
	KUBE_FEATURE_RESTART_ALL_CONTAINERS = 1,
	KUBE_FEATURE_USER_NAMESPACES_HOST_NETWORK = 2,
	KUBE_FEATURE_VOLUME_BIND_MOUNT_OPTIONS = 4 /* since v1.37 */
};

struct kube_preferred_nodes {
	struct kube_node_term term;
	int32_t weight;
	uint32_t reserved;
};

/*
 * What rules about a pod and one node alone look at stands together, at the front of the struct and
 * at the front of what lies behind it: classes that are equal there need to be asked once.
 */
struct kube_pod_template {
	struct kube_blob blob;

	/* plugins.md 0.1: the same pod, asked for different ends */
	struct kube_resources fit;  /* filter: not status aware, with pod level */
	struct kube_resources used; /* on a node: status aware, with pod level */
	struct kube_resources
		score; /* NodeResourcesFit score: without pod level, 100m/200Mi filled in */
	int64_t limit_cpu_milli; /* containers' limits added up, or a larger init container's */
	int64_t limit_memory_bytes;
	uint32_t has_node_selector;  /* not null, though maybe empty */
	uint32_t has_required_nodes; /* requiredDuringScheduling... is not null */
	uint32_t is_for_node; /* each required term also asks for the one node that the pod is for
			       */
	struct kube_span node_selector;   /* struct kube_label, sorted by key */
	struct kube_span required_nodes;  /* struct kube_node_term */
	struct kube_span preferred_nodes; /* struct kube_preferred_nodes */
	struct kube_span tolerations;     /* struct kube_toleration */
	struct kube_span host_ports;      /* struct kube_host_port, sorted, without doubles */
	uint32_t features;                /* enum kube_feature bits */

	uint32_t local_end; /* bytes of the blob before what the rest refers to */
	uint32_t local_hash;
	uint32_t namespace;
	uint32_t scheduler_name; /* "default-scheduler" filled in */
	int32_t priority;
	uint32_t preempts;        /* 0: preemptionPolicy Never */
	uint32_t container_count; /* init containers + containers */
	uint32_t image_volume_count;
	int64_t used_nonzero_cpu_milli; /* on a node, 100m/200Mi filled in */
	int64_t used_nonzero_memory_bytes;

	struct kube_span affinity; /* struct kube_pod_term, required */
	struct kube_span anti_affinity;
	struct kube_span preferred_affinity;
	struct kube_span preferred_anti_affinity;
	uint32_t has_pod_affinity; /* any podAffinity or podAntiAffinity object, even empty */
	uint32_t affinity_error; /* string id of "requiredAffinityTerms: <e>" ..., 0 when all parsed
				  */

	struct kube_span spread;  /* struct kube_spread */
	struct kube_span images;  /* uint32_t ids of normalised names; containers' and volumes', as
				     they come */
	struct kube_span volumes; /* struct kube_volume of the kinds above */
	struct kube_span gates;   /* uint32_t ids */
	struct kube_span resource_claims; /* struct kube_resource_claim */
	struct kube_span extended;        /* struct kube_extended, init containers first */
	struct kube_span annotations; /* struct kube_label, sorted by key: those that are wanted */
	struct kube_span
		mentioned; /* uint32_t ids: every resource name in requests or limits (extenders) */
};

/* Equal in all that rules about one node look at. */
bool kube_pod_is_local_twin(const struct kube_pod_template *a, const struct kube_pod_template *b);

struct kube_condition {
	struct text type;
	struct text status;
	struct text reason;
	struct text message;
	struct text last_probe_time;
	struct text last_transition_time;
	int64_t observed_generation; /* 0 when absent */
};

/* One pod as it came; text slices point into the piece, blobs into scratch. */
struct kube_pod {
	struct kube_meta meta;
	struct kube_pod_template *class; /* finished blob, not kept by anybody yet */
	struct kube_labels *labels;      /* the same */
	struct text for_node; /* metadata.name that each required term asks for, see is_for_node */
	struct text node_name;
	struct text nominated_node_name;
	struct text phase;
	bool has_start_time;
	struct wall start_time;
	struct wall creation_time;         /* 0 when absent */
	struct kube_condition *conditions; /* in scratch */
	uint32_t condition_count;
	struct json_value resource_claim_statuses;
	struct text extended_claim; /* status.extendedResourceClaimStatus.resourceClaimName */
	uint32_t disruption_target; /* condition DisruptionTarget=True, reason PreemptionByScheduler
				     */
};

extern const struct json_want kube_pod_want[];

/* The same, and annotations that are read: what is kept of pods while they arrive. */
enum { KUBE_POD_METADATA_WANTS = 11, KUBE_POD_OBJECT_WANTS = 10 };
struct kube_pod_wants {
	struct json_want annotations[KUBE_WANTED_MAX + 2]; /* that of bookmarks is the first */
	struct json_want metadata[KUBE_POD_METADATA_WANTS];
	struct json_want object[KUBE_POD_OBJECT_WANTS];
};
void kube_pod_wants_init(struct kube_pod_wants *wants);

/* On anything but KUBE_OK no references are held. */
MUST_USE enum kube_result kube_pod_decode(
	struct kube_build *b, struct json_value object, struct kube_pod *pod);

#endif
