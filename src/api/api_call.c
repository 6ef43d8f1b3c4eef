/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of a call, as a table: what is done in a state, and which state follows which verdict.
 *
 * A call that may have been carried out, and whose policy verifies, keeps its place until that is
 * known: the object is read, and the very same request goes out again when it is as before, so
 * that the one that may still be under way does no harm. Two answers are not taken at their word:
 * a conflict, which may be the success of a try before it, or of the process before us, and a
 * refusal after a try that may have succeeded. Both times the object says what is true.
 *
 * Pauses grow per call. When the server was away and is back, calls that wait for it do not sit out
 * their pause.
 */
#include "api/api_private.h"
#include "base/log.h"
#include "base/trace.h"
#include "http/counts.h"

enum {
	VERIFY_TIMEOUT_MS = 10 * 1000,
	VERIFY_ANSWER_MAX = 16 * 1024 * 1024, /* an object, with all that is not read of it */
	BACK_SPREAD_MS = 1000 /* calls that waited for the server are resent spread over this */
};

typedef void call_enter_fn(struct api_call *call);
static call_enter_fn call_send, call_verify, call_pause, call_end;

static const struct {
	const char *name;
	call_enter_fn *enter;
	enum api_state on[API_VERDICTS]; /* of a policy that verifies */
} call_states[API_STATES] = {
	[API_FREE] = {.name = "free"},
	[API_SENT] = {"sent", call_send,
		{[API_DONE] = API_ENDING,
			[API_GONE] = API_ENDING,
			[API_CONFLICT] = API_VERIFYING,
			[API_RETRY] = API_PAUSED,
			[API_UNCLEAR] = API_VERIFY_PAUSED,
			[API_REFUSED] = API_ENDING}},
	[API_PAUSED] = {.name = "paused", .enter = call_pause},
	[API_VERIFYING] = {"verifying", call_verify,
		{[API_DONE] = API_ENDING,
			[API_GONE] = API_ENDING,
			[API_CONFLICT] = API_VERIFY_PAUSED,
			[API_RETRY] = API_SENT,
			[API_UNCLEAR] = API_VERIFY_PAUSED,
			[API_REFUSED] = API_ENDING}},
	[API_VERIFY_PAUSED] = {.name = "verify paused", .enter = call_pause},
	[API_ENDING] = {.name = "ending", .enter = call_end},
};

/* ---- states ---- */

static bool is_unclear(enum api_state state)
{
	return state == API_VERIFYING || state == API_VERIFY_PAUSED;
}

static void call_set_state(struct api_call *call, enum api_state state)
{
	struct api_caller *caller = call->caller;

	CHECK(!net_is_active(&call->request));
	CHECK(!net_timer_is_armed(&call->timer));
	caller->unclear -= is_unclear(call->state) ? 1 : 0;
	caller->unclear += is_unclear(state) ? 1 : 0;
	CHECK(caller->unclear <= caller->count);
	call->state = state;
	trace(call->policy->name, (uint32_t)call->sends, (uint32_t)state);
}

static void call_enter(struct api_call *call, enum api_state state)
{
	CHECK(state != API_FREE);
	call_set_state(call, state);
	call_states[state].enter(call);
}

static bool call_may_write(const struct api_call *call)
{
	const struct api_setup *setup = &call->caller->client->setup;

	return !call->policy->leaders_only || setup->may_write == NULL ||
		setup->may_write(setup->self);
}

/* A process that was stopped after it had decided must not write when it goes on. */
static bool call_may_send(const struct net_request *request)
{
	const struct api_call *call =
		LIST_OWNER((struct net_request *)(uintptr_t)request, struct api_call, request);

	return !(call->is_settled && call->settled != API_DONE) && call_may_write(call);
}

static void call_send(struct api_call *call)
{
	struct net_request *request = &call->request;
	const struct api_policy *policy = call->policy;
	struct api_client *client = call->caller->client;

	api_answer_reset(call);
	call->is_conflict = call->is_stranded = false;
	call->message_size = 0;
	call->sent_at = net_now(client->setup.net);
	call->caller->repeated += call->sends++ > 0 ? 1 : 0;
	request->class = policy->class;
	request->method = call->method;
	request->may_send = policy->leaders_only ? call_may_send : NULL;
	request->path = call->path_text;
	request->content_type = call->content_type;
	request->body = call->body;
	request->copy_body = call->copy;
	request->timeout_ms = policy->timeout_ms > 0 ? policy->timeout_ms : call->timeout_ms;
	request->idle_timeout_ms = policy->silence_ms;
	request->body_max = policy->answer_max;
	if (!client->is_closed)
		net_send(call->server != NULL ? call->server : client->setup.server, request);
}

/* Certainty comes before the next write; other reads may wait for all of them. */
static void call_verify(struct api_call *call)
{
	struct net_request *request = &call->request;
	const struct api_client *client = call->caller->client;

	api_answer_reset(call);
	call->is_stranded = false;
	request->class = NET_BIND;
	request->method = NET_GET;
	request->may_send = NULL;
	request->path = (struct text){call->path, call->object_size};
	request->content_type = request->body = TEXT_NONE;
	request->copy_body = NULL;
	request->timeout_ms = VERIFY_TIMEOUT_MS;
	request->idle_timeout_ms = 0;
	request->body_max = VERIFY_ANSWER_MAX;
	if (!client->is_closed)
		net_send(client->setup.server, request);
}

static void call_pause(struct api_call *call)
{
	struct api_client *client = call->caller->client;
	struct mono now = net_now(client->setup.net);
	int64_t ms = call->wait_ms;

	/* What is asked for beside the tries is obeyed to the letter, else it is a lower limit. */
	if (ms < 0 || call->policy->waits == 0) {
		/* All that were sent away at once were told the same time. */
		if (ms > 0)
			ms += random_below(&client->random, (uint32_t)(ms / 4) + 1);
		ms = net_backoff_next_ms(&call->backoff, now, &client->random, ms);
	}
	net_timer_arm(client->setup.net, &call->timer, mono_after_ms(now, ms));
}

/* ---- the end ---- */

static void call_release(struct api_call *call)
{
	net_cancel(&call->request);
	net_timer_disarm(&call->timer);
	api_answer_end(call);
	call_set_state(call, API_FREE);
	list_remove(&call->link);
	CHECK(call->caller->count > 0);
	call->caller->count--;
}

static void call_end(struct api_call *call)
{
	call_release(call);
	call->caller->done(call, call->verdict);
}

static void call_end_soon(struct api_call *call, enum api_verdict verdict)
{
	struct net *net = call->caller->client->setup.net;

	net_timer_disarm(&call->timer);
	call_set_state(call, API_ENDING);
	call->verdict = verdict;
	net_timer_arm(net, &call->timer, net_now(net));
}

/* ---- from one state to the next ---- */

/* What is known from elsewhere, or `otherwise`. */
static enum api_verdict call_known(struct api_call *call, enum api_verdict otherwise)
{
	if (!call->is_settled)
		return otherwise;
	if (call->settled != API_DONE)
		api_call_explain(call, "%s", call->settled_message);
	return call->settled;
}

/* An answer may mean more, for what was answered before. */
static enum api_verdict call_weigh(struct api_call *call, enum api_verdict verdict)
{
	bool enough = call->faults >= call->policy->faults;

	if (!call->policy->verifies)
		return verdict;
	if (call->state == API_SENT && verdict == API_REFUSED && call->may_be_done)
		verdict = API_CONFLICT;
	else if (call->state == API_SENT && verdict == API_RETRY && enough)
		verdict = API_UNCLEAR;
	else if (call->state == API_VERIFYING && verdict == API_RETRY &&
		(call->is_conflict || enough))
		verdict = API_REFUSED;
	/* This answer may leave open what has been seen elsewhere. */
	return call_states[call->state].on[verdict] == API_ENDING ? verdict
								  : call_known(call, verdict);
}

/* Is it sent again? Counts it. */
static bool call_tries_again(struct api_call *call)
{
	const struct api_policy *policy = call->policy;

	if (call->wait_ms >= 0 && policy->waits > 0)
		return call->waits++ < policy->waits;
	return policy->tries == 0 || ++call->tries < policy->tries;
}

static enum api_state call_next(struct api_call *call, enum api_verdict verdict)
{
	if (call->policy->verifies)
		return call_states[call->state].on[verdict];
	return verdict == API_RETRY && call_tries_again(call) ? API_PAUSED : API_ENDING;
}

static void call_follow(struct api_call *call, enum api_verdict verdict)
{
	const struct net_answer *answer = &call->request.answer;
	enum api_state next = call_next(call, verdict);

	/* Another one may decide by now. */
	if (next == API_SENT && !call_may_write(call))
		next = API_PAUSED;
	call->is_conflict |= verdict == API_CONFLICT;
	if (verdict == API_UNCLEAR && call->state == API_SENT && call->policy->verifies) {
		call->may_be_done = true;
		call->caller->doubted++;
		log_warn("api", "unclear", "call=\"%s\" path=%.*s result=%s status=%u error=\"%s\"",
			call->policy->name, TEXT_ARGS(call->path_text),
			net_result_name(answer->result), (unsigned)answer->status, answer->detail);
	}
	if (verdict == API_RETRY && next == API_PAUSED)
		net_client_count_retry(
			call->server != NULL ? call->server : call->caller->client->setup.server,
			&call->request);
	call->verdict = verdict;
	call_enter(call, next);
}

/* ---- the server ---- */

/* It answers again: those who wait for it need not wait longer. */
static void server_is_back(struct api_client *client)
{
	struct net *net = client->setup.net;

	client->is_away = false;
	for (struct list *at = client->callers.next; at != &client->callers; at = at->next) {
		struct list *calls = &LIST_OWNER(at, struct api_caller, link)->calls;

		for (struct list *link = calls->next; link != calls; link = link->next) {
			struct api_call *call = LIST_OWNER(link, struct api_call, link);
			struct mono soon = mono_after_ms(
				net_now(net), random_below(&client->random, BACK_SPREAD_MS));

			if (call->is_stranded && net_timer_is_armed(&call->timer) &&
				call->timer.due.us > soon.us)
				net_timer_arm(net, &call->timer, soon);
		}
	}
}

/* A reset is the fate of one request; who cannot be reached, or says nothing, is away for all. */
static void note_server(struct api_call *call)
{
	struct api_client *client = call->caller->client;
	const struct net_answer *answer = &call->request.answer;

	call->is_stranded = answer->status == 0 &&
		(answer->result == NET_CONNECT_FAILED || answer->result == NET_TLS_FAILED ||
			answer->result == NET_TIMEOUT);
	if (call->is_stranded)
		client->is_away = true;
	else if (answer->status != 0 && client->is_away)
		server_is_back(client);
}

static void note_faults(struct api_call *call, enum api_verdict verdict)
{
	const struct net_answer *answer = &call->request.answer;
	bool is_fault = call->policy->is_foreign ? verdict == API_UNCLEAR : answer->status >= 500;

	call->faults += is_fault ? 1 : 0;
	call->may_be_done |= is_fault;
}

static void call_answered(struct net_request *request)
{
	struct api_call *call = LIST_OWNER(request, struct api_call, request);
	enum api_verdict verdict;

	/* The connections are closed, and the caller will be, too. */
	if (request->answer.result == NET_CANCELLED) {
		call->caller->client->is_closed = true;
		return;
	}
	verdict = api_answer_judge(call);
	api_answer_end(call);
	if (call->server == NULL || call->state == API_VERIFYING)
		note_server(call);
	if (call->state == API_SENT) {
		note_faults(call, verdict);
		if (call->caller->answered != NULL)
			call->caller->answered(call, verdict);
	}
	call_follow(call, call_weigh(call, verdict));
}

static void call_due(struct net_timer *timer, struct mono now)
{
	struct api_call *call = LIST_OWNER(timer, struct api_call, timer);

	(void)now;
	if (call->caller->client->is_closed)
		return;
	switch (call->state) {
	case API_PAUSED:
		/* Who has tries left uses them up; who has no end waits until we lead. */
		call_enter(call,
			call->policy->tries == 0 && !call_may_write(call) ? API_PAUSED : API_SENT);
		break;
	case API_VERIFY_PAUSED: call_enter(call, API_VERIFYING); break;
	case API_ENDING: call_end(call); break;
	default: CHECK_NEVER("a timer of a call that does not wait");
	}
}

/* ---- what callers do ---- */

/* The path of the object is the beginning of that of its subresource. */
static bool call_describe_path(struct api_call *call, const struct api_request *request)
{
	struct api_object object = request->object;
	struct writer path;

	call->path_text = request->path;
	if (object.resource == NULL)
		return request->path.size > 0;
	object.subresource = NULL;
	writer_init(&path, call->path, sizeof(call->path));
	if (!api_path_write(&object, &path))
		return false;
	call->object_size = path.used;
	if (request->object.subresource != NULL) {
		write_char(&path, '/');
		write_z(&path, request->object.subresource);
	}
	if (request->path.at == NULL)
		call->path_text = writer_text(&path);
	return !path.overflowed;
}

static bool call_describe(struct api_call *call, const struct api_request *request)
{
	struct writer room;

	if (!call_describe_path(call, request))
		return false;
	if (request->write == NULL)
		return true;
	writer_init(&room, request->room, request->room_size);
	bool good = request->write(request->self, &room);
	call->body = writer_text(&room);
	return good && !room.overflowed;
}

void api_call_start(
	struct api_call *call, struct api_caller *caller, const struct api_request *request)
{
	const struct api_policy *policy = &api_policies[request->purpose];

	CHECK((uint32_t)request->purpose < API_PURPOSES);
	CHECK(call->state == API_FREE);
	CHECK(!policy->is_foreign || caller->judge != NULL);
	CHECK(!policy->verifies || request->verify.object != NULL);
	CHECK(policy->timeout_ms > 0 || request->timeout_ms > 0);
	memset(call, 0, offsetof(struct api_call, path));
	call->caller = caller;
	call->policy = policy;
	call->method = request->method;
	call->server = request->server;
	call->reader = request->reader;
	call->verify = request->verify;
	call->content_type = request->content_type;
	call->body = request->body;
	call->copy = request->copy;
	call->timeout_ms = request->timeout_ms;
	call->backoff = policy->backoff;
	call->request.on_body = api_answer_take;
	call->request.on_done = call_answered;
	net_timer_init(&call->timer, call_due);
	list_add_last(&caller->calls, &call->link);
	caller->count++;
	if (call_describe(call, request)) {
		call_enter(call, API_SENT);
		return;
	}
	api_call_keep_message(call, TEXT("the names make no request"));
	call_end_soon(call, API_REFUSED);
}

void api_call_cancel(struct api_call *call)
{
	if (call->state != API_FREE)
		call_release(call);
}

void api_call_settle(struct api_call *call, enum api_verdict verdict, const char *message)
{
	CHECK(verdict == API_DONE || verdict == API_GONE);
	if (call->state == API_FREE || call->state == API_ENDING)
		return;
	call->is_settled = true;
	call->settled = verdict;
	call->settled_message = message;
	if (!net_is_active(&call->request))
		call_end_soon(call, call_known(call, verdict));
}

/* ---- callers ---- */

void api_caller_init(struct api_caller *caller)
{
	CHECK(caller->done != NULL);
	list_init(&caller->calls);
	list_init(&caller->link);
	list_add_last(&caller->client->callers, &caller->link);
}

void api_caller_close(struct api_caller *caller)
{
	struct list *link;

	while ((link = list_first(&caller->calls)) != NULL)
		api_call_cancel(LIST_OWNER(link, struct api_call, link));
	CHECK(caller->count == 0);
	CHECK(caller->unclear == 0);
	list_remove(&caller->link);
}
