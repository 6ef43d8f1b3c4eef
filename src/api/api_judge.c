/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an answer means.
 *
 * What kube-scheduler does: 429 and 5xx with a Retry-After are sent again, all else but a success
 * is an error.
 *
 * What we do: the same, but told apart by what can be known. 429 says that nothing was tried,
 * whether it names a time or not. 5xx with a time says so too; should it have happened
 * nevertheless, the second one meets a conflict, which is looked into. 5xx without is unclear: the
 * apiserver may have died behind the write. A 404 that no apiserver signed is a proxy's, and says
 * nothing about the object.
 */
#include "api/api.h"
#include "kube/passing.h"

struct api_status api_status_of(const struct kube_status *status)
{
	return (struct api_status){.is_there = true,
		.is_failure = text_is_z(status->status, "Failure"),
		.is_not_found = text_is_z(status->reason, "NotFound"),
		.is_uid_mismatch = status->cause_uid_mismatch,
		.retry_after_s = status->retry_after_seconds};
}

static int64_t wait_asked_ms(const struct net_answer *answer, const struct api_status *status)
{
	if (answer->retry_after_ms >= 0)
		return answer->retry_after_ms;
	if (status->retry_after_s > 0)
		return (int64_t)status->retry_after_s * 1000;
	return answer->status == 429 ? API_WAIT_DEFAULT_MS : -1;
}

static bool is_repeated(const struct api_policy *policy, uint16_t status)
{
	for (uint32_t i = 0; i < API_REPEATED_MAX; i++)
		if (policy->repeated[i] == status && status != 0)
			return true;
	return false;
}

/* There is an answer, or enough of one. */
static enum api_verdict status_means(const struct api_policy *policy,
	const struct net_answer *answer, const struct api_status *status)
{
	uint16_t code = answer->status;

	if (is_repeated(policy, code))
		return API_RETRY;
	if (code == 409)
		return status->is_uid_mismatch ? API_GONE : API_CONFLICT;
	if (code == 404 && (policy->trusts_404 || status->is_not_found))
		return API_GONE;
	/* 408: the request was read, the answer given up. */
	if (code >= 300 && code < 500 && code != 408)
		return API_REFUSED;
	return API_UNCLEAR;
}

enum api_verdict api_answer_means(const struct api_policy *policy, const struct net_answer *answer,
	const struct api_status *status, int64_t *wait_ms)
{
	bool is_whole = answer->result == NET_OK || answer->status == 429 ||
		(answer->status != 0 && policy->head_is_enough);

	*wait_ms = -1;
	if (!is_whole && !answer->sent)
		return API_RETRY;
	if (!is_whole)
		return policy->repeats_lost && answer->status == 0 &&
				(answer->result == NET_RESET || answer->result == NET_TIMEOUT)
			? API_RETRY
			: API_UNCLEAR;
	if (answer->status >= 200 && answer->status < 300)
		return status->is_failure ? API_UNCLEAR : API_DONE;
	int64_t asked_ms = wait_asked_ms(answer, status);

	if (asked_ms >= 0 && (answer->status == 429 || answer->status >= 500)) {
		*wait_ms = asked_ms < policy->wait_max_ms ? asked_ms : policy->wait_max_ms;
		return API_RETRY;
	}
	return status_means(policy, answer, status);
}

bool api_answer_is_refusal(const struct net_answer *answer)
{
	if (!answer->sent)
		return true;
	return (answer->result == NET_OK || answer->status == 429) && answer->status >= 400 &&
		answer->status < 500 && answer->status != 408;
}
