/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Release: which kube-scheduler we are.
 *
 * What kube-scheduler does: it is of one release, and runs with apiservers of that one and the
 * next. What we do: unless a release was asked for we are the scheduler that belongs to the
 * apiserver. It is asked before the first list of pods, which are counted as the release has it,
 * and now and then while we run, since servers are replaced under us. A server that does not say
 * its version is taken for a new one.
 */
#include "base/log.h"
#include "kube/passing.h"
#include "scheduler/private.h"

enum {
	RELEASE_AGAIN_MS = 1000,         /* while there is no answer */
	RELEASE_CHECK_MS = 5 * 60 * 1000 /* when there was one */
};

static const struct json_want release_want[] = {{"*", NULL}, {NULL, NULL}};

static void release_read(struct api_call *call, struct text json)
{
	struct scheduler *s = LIST_OWNER(call, struct scheduler, release.call);
	struct scheduler_release *r = &s->release;
	struct scratch_mark mark = scratch_mark(&s->scratch);
	struct json_value root;
	if (json_parse(json, &s->scratch, &root) == JSON_PARSED &&
		kube_release_decode(root, &r->found)) {
		struct writer w;
		r->is_read = true;
		writer_init(&w, r->server, sizeof(r->server) - 1);
		write_text(&w, json_text(json_get(root, "gitVersion")));
		r->server[w.used] = '\0';
	}
	scratch_rewind(&s->scratch, mark);
}

/* Pods that are on their way keep the profile they were decided by. */
static void release_use(struct scheduler *s, enum kube_release release)
{
	s->profiles = &s->all_profiles[release * s->profile_count];
	s->cycle.profiles = s->profiles;
	s->cache.release = release;
}

/* What was not asked for until the release is known. */
static void release_known(struct scheduler *s)
{
	struct scheduler_release *r = &s->release;
	uint32_t held = r->held;
	r->is_known = true;
	r->held = 0;
	scheduler_start_informers(s, held);
}

/* What is refused for now may be said later. */
static bool release_is_answer(const struct net_answer *answer)
{
	return answer->result == NET_OK && answer->status < 500 && answer->status != 401 &&
		answer->status != 429;
}

static void release_answered(struct api_call *call, enum api_verdict verdict)
{
	struct scheduler *s = LIST_OWNER(call, struct scheduler, release.call);
	struct scheduler_release *r = &s->release;
	bool is_answer = release_is_answer(&call->request.answer);
	(void)verdict;
	bool is_first = is_answer && !r->is_known;
	bool is_other = r->is_read && r->found != scheduler_release(s);
	if (is_first || is_other)
		log_info("scheduler", "release", "emulated_version=%s apiserver=%s status=%u",
			kube_release_name(r->is_read ? r->found : KUBE_RELEASE_DEFAULT),
			r->is_read ? r->server : "unknown", (unsigned)call->request.answer.status);
	if (is_other)
		release_use(s, r->found);
	if (is_first)
		release_known(s);
	else if (is_other && (s->sync.wanted & WATCH_KIND(KUBE_POD)) != 0)
		watch_list_anew(s->watch, KUBE_POD);
	net_timer_arm(s->net, &r->timer,
		mono_after_ms(scheduler_now(s), is_answer ? RELEASE_CHECK_MS : RELEASE_AGAIN_MS));
}

static void release_ask(struct net_timer *timer, struct mono now)
{
	struct scheduler *s = LIST_OWNER(timer, struct scheduler, release.timer);
	struct scheduler_release *r = &s->release;
	(void)now;
	r->is_read = false;
	api_call_start(&r->call, &r->caller,
		&(struct api_request){.purpose = API_CONFIG_READ,
			.method = NET_GET,
			.path = TEXT("/version"),
			.reader = {release_want, release_read, NULL}});
}

void scheduler_init_release(struct scheduler *s)
{
	struct scheduler_release *r = &s->release;
	r->is_known = !s->setup.follows_release;
	s->cache.release = scheduler_release(s);
	if (r->is_known)
		return;
	release_use(s, KUBE_RELEASE_DEFAULT);
	r->caller =
		(struct api_caller){.client = s->api, .name = "release", .done = release_answered};
	api_caller_init(&r->caller);
	net_timer_init(&r->timer, release_ask);
	net_timer_arm(s->net, &r->timer, scheduler_now(s));
}

void scheduler_close_release(struct scheduler *s)
{
	if (!s->setup.follows_release)
		return;
	net_timer_disarm(&s->release.timer);
	api_caller_close(&s->release.caller);
}
