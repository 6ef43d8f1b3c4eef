/* SPDX-License-Identifier: GPL-2.0-only */
/* Namespace: a name and labels. */
#include "kube/decode.h"

const struct json_want kube_namespace_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", kube_want_metadata},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

enum kube_result kube_namespace_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_identity_decode(b, object, KUBE_NAMESPACE, true, out);
}
