/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the answer to a binding means for the pod.
 *
 * What kube-scheduler does: 429 and 5xx with a Retry-After are sent again, all else but a success
 * is an error, and the pod goes to backoff.
 *
 * What we do: the same, but told apart by what can be known. 429 says that nothing was tried,
 * whether it names a time or not. 5xx with a time says so too; should the binding have happened
 * nevertheless, the second one meets a conflict, which is looked into. 5xx without is unclear:
 * the apiserver may have died behind the write. A 404 that no apiserver signed is a proxy's, and
 * says nothing about the pod.
 */
#include "bind/body.h"

static bool has_reason(const struct kube_status *status, const char *reason)
{
	return status != NULL && text_is_z(status->reason, reason);
}

static enum bind_answer later(int32_t seconds, uint32_t *wait_seconds)
{
	*wait_seconds = (uint32_t)(seconds > BODY_RETRY_MAX_S ? BODY_RETRY_MAX_S : seconds);
	return BIND_RETRY_LATER;
}

enum bind_answer bind_answer(const struct body_reply *reply, uint32_t *wait_seconds)
{
	const struct kube_status *status = reply->status;
	int32_t seconds = reply->retry_after_seconds;

	*wait_seconds = 0;
	if (seconds < 0 && status != NULL && status->retry_after_seconds > 0)
		seconds = status->retry_after_seconds;
	if (reply->http >= 200 && reply->http < 300)
		return status != NULL && text_is_z(status->status, "Failure") ? BIND_UNCLEAR
									      : BIND_DONE;
	if (reply->http == 429)
		return later(seconds < 0 ? BODY_RETRY_DEFAULT_S : seconds, wait_seconds);
	if (reply->http >= 500 && seconds >= 0)
		return later(seconds, wait_seconds);
	if (reply->http == 409)
		return status != NULL && status->cause_uid_mismatch ? BIND_UID_MISMATCH
								    : BIND_CONFLICT;
	if (reply->http == 404 && has_reason(status, "NotFound"))
		return BIND_GONE;
	/* 408: the request was read, the answer given up. */
	if (reply->http >= 300 && reply->http < 500 && reply->http != 408)
		return BIND_REFUSED;
	return BIND_UNCLEAR;
}
