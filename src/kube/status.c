/* SPDX-License-Identifier: GPL-2.0-only */
/* Status: how the apiserver says that something went wrong. Read leniently: it explains. */
#include "kube/passing.h"

#include "kube/decode.h"

const struct json_want kube_status_want[] = {
	KUBE_WANT_ENVELOPE,
	{"status", NULL},
	{NULL, NULL},
};

static int32_t status_number(struct json_value v)
{
	int64_t value;
	return json_i64(v, &value) && value >= 0 && value <= INT32_MAX ? (int32_t)value : 0;
}

bool kube_status_decode(struct json_value object, struct kube_status *status)
{
	*status = (struct kube_status){.status = TEXT_NONE};
	if (!text_is_z(json_text(json_get(object, "kind")), "Status"))
		return false;
	status->status = json_text(json_get(object, "status"));
	status->message = json_text(json_get(object, "message"));
	status->reason = json_text(json_get(object, "reason"));
	status->code = status_number(json_get(object, "code"));
	status->retry_after_seconds = status_number(json_path(object, "details.retryAfterSeconds"));
	/* There is no machine-readable word for it. */
	status->cause_uid_mismatch =
		text_contains(status->message, TEXT("Precondition failed: UID in precondition"));
	return true;
}
