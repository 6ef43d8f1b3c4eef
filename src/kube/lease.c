/* SPDX-License-Identifier: GPL-2.0-only */
/* Lease: who leads, since when, until when. */
#include "kube/decode.h"
#include "kube/passing.h"

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
	{"metadata", kube_want_metadata_annotated},
	{"spec", want_spec},
	{"status", NULL}, /* of a Status */
	{NULL, NULL},
};

static const struct kube_field lease_fields[] = {
	KUBE_FIELD("spec.holderIdentity", kube_lease, holder),
	KUBE_FIELD("spec.leaseDurationSeconds", kube_lease, duration_seconds),
	KUBE_FIELD("spec.acquireTime", kube_lease, acquire_time),
	KUBE_FIELD("spec.renewTime", kube_lease, renew_time),
	KUBE_FIELD("spec.leaseTransitions", kube_lease, transitions),
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
	KUBE_READ_FIELDS(b, json_get(object, "spec"), "spec", lease_fields, lease);
	lease->has_holder = lease->holder.at != NULL;
	return b->result;
}
