/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Status: how the apiserver says that something went wrong. Read leniently: it explains. And what
 * it says of itself at /version.
 */
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

/* "36", or "36+" of a build in between. */
static bool version_number(struct json_value v, uint64_t *number)
{
	struct text t = json_text(v);
	size_t digits = 0;
	while (digits < t.size && t.at[digits] >= '0' && t.at[digits] <= '9')
		digits++;
	return text_to_u64(text_first(t, digits), number);
}

bool kube_release_decode(struct json_value version, enum kube_release *release)
{
	uint64_t major, minor;
	if (!version_number(json_get(version, "major"), &major) ||
		!version_number(json_get(version, "minor"), &minor))
		return false;
	*release = major == 1 && minor <= 36 ? KUBE_1_36 : KUBE_1_37;
	return true;
}
