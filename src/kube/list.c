/* SPDX-License-Identifier: GPL-2.0-only */
/* The envelope of a list: all of it but the items; or the Status that came instead of a list. */
#include "kube/decode.h"
#include "kube/passing.h"

static const struct json_want want_metadata[] = {
	{"resourceVersion", NULL},
	{"continue", NULL},
	{"remainingItemCount", NULL},
	{NULL, NULL},
};

const struct json_want kube_list_want[] = {
	KUBE_WANT_ENVELOPE,
	{"metadata", want_metadata},
	{"status", NULL}, /* of a Status */
	{NULL, NULL},
};

void kube_list_meta_decode(struct json_value envelope, struct kube_list_meta *meta)
{
	int64_t remaining;
	struct json_value metadata = json_get(envelope, "metadata");
	*meta = (struct kube_list_meta){.kind = json_text(json_get(envelope, "kind"))};
	meta->resource_version = json_text(json_get(metadata, "resourceVersion"));
	meta->continue_token = json_text(json_get(metadata, "continue"));
	if (json_i64(json_get(metadata, "remainingItemCount"), &remaining) && remaining > 0)
		meta->remaining = remaining;
}
