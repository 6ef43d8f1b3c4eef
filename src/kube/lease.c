/* SPDX-License-Identifier: GPL-2.0-only */
/* Lease: who leads, since when, until when. */
#include "kube/decode.h"
#include "kube/passing.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(NULL),
	{NULL, NULL},
};

static const struct json_want want_spec[] = {
	{"holderIdentity", NULL},
	{"leaseDurationSeconds", NULL},
	{"acquireTime", NULL},
	{"renewTime", NULL},
	{"leaseTransitions", NULL},
	{NULL, NULL},
};

const struct json_want kube_lease_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"spec", want_spec},
	{"status", NULL}, /* of a Status */
	{NULL, NULL},
};

enum kube_result kube_lease_decode(
	struct kube_build *b, struct json_value object, struct kube_lease *lease)
{
	struct kube_meta meta;
	kube_decode_begin(b);
	kube_meta_decode_namespaced(b, object, &meta);
	*lease = (struct kube_lease){
		.name = meta.name,
		.resource_version = meta.resource_version,
		.uid = meta.uid,
		.labels = meta.labels,
		.annotations = meta.annotations,
	};
	struct json_walk walk = kube_read_object(b, json_get(object, "spec"), "spec");
	while (json_walk_next(&walk)) {
		if (KUBE_IS(walk.key, "holderIdentity")) {
			lease->holder = kube_read_text(b, walk.value, "spec.holderIdentity");
			lease->has_holder = lease->holder.at != NULL;
		} else if (KUBE_IS(walk.key, "leaseDurationSeconds")) {
			lease->duration_seconds =
				kube_read_i32(b, walk.value, 0, "spec.leaseDurationSeconds");
		} else if (KUBE_IS(walk.key, "acquireTime")) {
			lease->acquire_time = kube_read_text(b, walk.value, "spec.acquireTime");
		} else if (KUBE_IS(walk.key, "renewTime")) {
			lease->renew_time = kube_read_text(b, walk.value, "spec.renewTime");
		} else if (KUBE_IS(walk.key, "leaseTransitions")) {
			lease->transitions =
				kube_read_i32(b, walk.value, 0, "spec.leaseTransitions");
		}
	}
	return b->result;
}
