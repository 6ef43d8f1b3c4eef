/* SPDX-License-Identifier: GPL-2.0-only */
/* Namespace: a name and labels. */
#include "kube/decode.h"

static const struct json_want want_metadata[] = {
	KUBE_WANT_META(kube_want_bookmark),
	{NULL, NULL},
};

const struct json_want kube_namespace_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"status", kube_want_nothing},
	{NULL, NULL},
};

enum kube_result kube_namespace_decode(
	struct kube_build *b, struct json_value object, struct kube_object *out)
{
	return kube_identity_decode(b, object, KUBE_NAMESPACE, true, out);
}
