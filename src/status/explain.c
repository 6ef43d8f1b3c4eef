/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Explain: one waiting pod, node by node and plugin by plugin.
 *
 * The picture changes with every turn, so an explanation is made in one go and kept until it is
 * read. There is one room for it: one at a time, and a pause between two, so that a page that asks
 * again and again costs no more than a decision now and then.
 */
#include "status/private.h"

bool explain_take_words(struct status_answer *a)
{
	struct status *status = a->status;
	struct mono now = net_now(status->setup.net);
	if (status->words_of != NULL ||
		!mono_reached(now, mono_after_ms(status->explained, STATUS_PAUSE_MS))) {
		status_refuse(a, 503, "another pod is being explained; ask again");
		return false;
	}
	status->explained = now;
	status->words_of = a;
	return true;
}

void explain_give_words(struct status_answer *a)
{
	if (a->status->words_of == a)
		a->status->words_of = NULL;
}

/* Why it is not explained; NULL: nothing speaks against it. */
static const char *obstacle(const struct scheduler *s, uint32_t pod)
{
	if (pod == 0)
		return "there is no such pod in the picture of the cluster";
	if (cache_pod_at(&s->cache, pod)->node != 0)
		return "the pod has a node; why it went there is not kept";
	if (cycle_profile_of(&s->cycle, pod) == NULL)
		return "spec.schedulerName is not that of any profile";
	return NULL;
}

void explain_answer(struct status_answer *a)
{
	struct scheduler *s = a->status->s;
	char name[512];
	struct text pod = status_parameter(a, "pod", name, sizeof(name));
	size_t slash = text_find(pod, '/');
	struct writer w;
	if (slash == pod.size) {
		status_refuse(a, 400, "a pod is named as ?pod=NAMESPACE/NAME");
		return;
	}
	uint32_t index =
		cache_find_pod(&s->cache, text_first(pod, slash), text_from(pod, slash + 1));
	const char *fault = obstacle(s, index);
	if (fault != NULL) {
		status_refuse(a, index == 0 ? 404 : 409, "%s", fault);
		return;
	}
	if (!explain_take_words(a))
		return;
	writer_init(&w, a->status->words, a->status->words_size);
	cycle_explain(&s->cycle, index, CACHE_TALLY_FAST, &w);
	if (w.overflowed)
		status_refuse(a, 507, "no room for the answer; raise --memory");
	else
		status_reply(a, 200, status_json, writer_text(&w));
}
