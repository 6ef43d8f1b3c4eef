/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the answer to a patch or a deletion means.
 *
 * What kube-scheduler does: 429 and 5xx with a Retry-After are waited for; a patch is tried again
 * after 500, 503, 409 and when nobody listens; 404 is an error of a patch, and fine for a victim;
 * all else is an error.
 *
 * What we do: the same, and three things more. 429 is waited for without a time, too: it says that
 * nothing was done. A patch whose connection broke or whose answer did not come is sent again,
 * since it says the same twice; a deletion is not, as another pod may have the name by then. A 404
 * that no apiserver signed is a proxy's, and says nothing about the pod.
 */
#include "bind/patcher_private.h"
#include "kube/passing.h"

static int64_t wait_ms(const struct net_answer *answer, const struct kube_status *status)
{
	if (answer->retry_after_ms >= 0)
		return answer->retry_after_ms;
	if (status != NULL && status->retry_after_seconds > 0)
		return (int64_t)status->retry_after_seconds * 1000;
	return answer->status == 429 ? BODY_RETRY_DEFAULT_S * 1000 : -1;
}

static enum patcher_verdict judge_status(
	const struct patcher_errand *errand, const struct kube_status *status, int64_t *wait)
{
	const struct net_answer *answer = &errand->request.answer;
	bool patch = errand->step == PATCHER_PATCH;

	if (answer->status == 404 && status != NULL && text_is_z(status->reason, "NotFound"))
		return PATCHER_NOT_FOUND;
	*wait = wait_ms(answer, status);
	if (*wait >= 0 && (answer->status == 429 || answer->status >= 500))
		return PATCHER_LATER;
	if (patch && (answer->status == 409 || answer->status == 500 || answer->status == 503))
		return PATCHER_AGAIN;
	return PATCHER_HOPELESS;
}

static enum patcher_verdict judge_silence(const struct patcher_errand *errand)
{
	const struct net_answer *answer = &errand->request.answer;

	if (!answer->sent)
		return PATCHER_AGAIN;
	bool is_lost = answer->result == NET_RESET || answer->result == NET_TIMEOUT;
	if (is_lost && errand->step == PATCHER_PATCH)
		return PATCHER_AGAIN;
	return PATCHER_HOPELESS;
}

static void write_fault(const struct net_answer *answer, const struct kube_status *status,
	struct patcher_judged *judged)
{
	/* One byte is the zero's, one is what write_format() needs. */
	struct writer out = {.at = judged->fault, .size = sizeof(judged->fault) - 1};
	size_t size;

	if (answer->status == 0)
		write_format(&out, "%s: %s", net_result_name(answer->result), answer->detail);
	else
		write_format(&out, "status %u", (unsigned)answer->status);
	if (answer->status != 0 && status != NULL) {
		write_z(&out, ": ");
		size = out.size - out.used;
		write_text(&out,
			text_first(status->message,
				status->message.size < size ? status->message.size : size));
	}
	judged->fault[out.used] = '\0';
}

void patcher_judge(struct patcher_errand *errand, struct patcher_judged *judged)
{
	const struct net_answer *answer = &errand->request.answer;
	struct kube_status body;
	const struct kube_status *status = NULL;

	judged->wait_ms = -1;
	judged->fault[0] = '\0';
	/* Once the head is there it is done, however much of the pod follows. */
	if (answer->status >= 200 && answer->status < 300) {
		judged->verdict = PATCHER_OK;
		return;
	}
	if (answer->status != 0 &&
		kube_status_read((struct text){errand->answer, errand->answer_size},
			errand->patcher->cut, &errand->patcher->scratch, &body))
		status = &body;
	judged->verdict = answer->status == 0 ? judge_silence(errand)
					      : judge_status(errand, status, &judged->wait_ms);
	write_fault(answer, status, judged);
}
