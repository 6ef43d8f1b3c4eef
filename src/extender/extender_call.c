/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One question to one extender. It waits for a free line, is sent, and its answer is kept by the
 * line's cutter until all of it is there.
 *
 * A question that met the end of a connection that had been kept open is sent once more: nothing
 * of it changes anything there. kube-scheduler's client does the same where it can tell.
 */
#include "extender/private.h"

/* As Go: what follows the first value is not looked at. */
static void question_read(struct api_call *call, struct text json)
{
	LIST_OWNER(call, struct extender_line, api)->answer = json;
}

/* ---- the end ---- */

/* In the words of kube-scheduler and of Go's HTTP client, as far as there are some. */
static void question_explain(const struct extender_call *call, const struct extender_line *line)
{
	const struct net_answer *answer = &line->api.request.answer;
	struct text url = extender_url(call->extender, call->verb);
	struct text verb = text_from(url, call->extender->path_at + 1);
	if (answer->result == NET_TIMEOUT)
		extender_ask_fail(call->ask,
			"Post \"%.*s\": context deadline exceeded (Client.Timeout exceeded while "
			"awaiting headers)",
			TEXT_ARGS(url));
	else if (answer->result != NET_OK)
		extender_ask_fail(call->ask, "Post \"%.*s\": %s: %s", TEXT_ARGS(url),
			net_result_name(answer->result), answer->detail);
	else if (answer->status != 200)
		extender_ask_fail(call->ask, "failed %.*s with extender at URL %.*s, code %u",
			TEXT_ARGS(verb), TEXT_ARGS(url), (unsigned)answer->status);
	else
		extender_ask_fail(call->ask,
			"failed %.*s with extender at URL %.*s: the answer is %s", TEXT_ARGS(verb),
			TEXT_ARGS(url), line->api.is_too_big ? "too big" : "not JSON");
}

static void extender_dispatch(struct extender *e);

/* A question that met the end of a connection that had been kept open is sent once more. */
static enum api_verdict question_judge(struct api_call *call)
{
	const struct extender_line *line = LIST_OWNER(call, struct extender_line, api);
	const struct net_answer *answer = &call->request.answer;

	if (answer->result == NET_OK && answer->status == 200 && line->answer.at != NULL)
		return API_DONE;
	return answer->result == NET_RESET && answer->status == 0 ? API_RETRY : API_REFUSED;
}

static void question_done(struct api_call *api, enum api_verdict verdict)
{
	struct extender_line *line = LIST_OWNER(api, struct extender_line, api);
	struct extender_call *call = line->call;
	struct extender *e = call->extender;
	bool ok = verdict == API_DONE;

	e->all->stats.questions += api->sends;
	if (ok)
		ok = extender_answer(call->ask, e, call->verb, line->answer);
	else
		question_explain(call, line);
	e->all->stats.failures += !ok;
	line->call = NULL;
	call->line = NULL;
	call->open = false;
	extender_ask_heard(call->ask, call, ok);
	extender_dispatch(e);
}

void extender_calls_open(struct extender *e)
{
	e->caller = (struct api_caller){.client = e->all->setup.api,
		.name = "extender questions",
		.done = question_done,
		.judge = question_judge};
	api_caller_init(&e->caller);
}

/* ---- sending ---- */

static size_t question_copy(const struct net_request *request, size_t from, char *to, size_t size)
{
	const struct extender_line *line = LIST_OWNER(
		(struct net_request *)(uintptr_t)request, struct extender_line, api.request);
	return extender_body(line->call, from, to, size);
}

static void question_send(struct extender_line *line)
{
	const struct extender_call *call = line->call;
	struct extender *e = call->extender;

	line->answer = TEXT_NONE;
	api_call_start(&line->api, &e->caller,
		&(struct api_request){.purpose = API_EXTENDER_QUESTION,
			.method = NET_POST,
			.path = text_from(extender_url(e, call->verb), e->path_at),
			.body = {NULL, extender_body(call, 0, NULL, 0)},
			.copy = question_copy,
			.reader = {call->verb == EXTENDER_FILTER ? extender_want_filter : NULL,
				question_read, line->cut},
			.server = e->client,
			.timeout_ms = extender_timeout_ms(e->config)});
}

static void extender_dispatch(struct extender *e)
{
	for (uint32_t i = 0; i < EXTENDER_LINES && !list_is_empty(&e->waiting); i++) {
		struct extender_line *line = &e->lines[i];
		if (line->call != NULL)
			continue;
		struct list *link = list_first(&e->waiting);
		struct extender_call *call = LIST_OWNER(link, struct extender_call, link);
		list_remove(link);
		line->call = call;
		call->line = line;
		question_send(line);
	}
}

void extender_call_begin(
	struct extender_ask *ask, struct extender *extender, enum extender_verb verb)
{
	struct extender_call *call = &ask->calls[extender - extender->all->list];
	CHECK(!call->open);
	*call = (struct extender_call){
		.ask = ask, .extender = extender, .verb = verb, .open = true};
	ask->open++;
	list_init(&call->link);
	list_add_last(&extender->waiting, &call->link);
	extender_dispatch(extender);
}

void extender_call_cancel(struct extender_call *call)
{
	struct extender_line *line = call->line;
	if (!call->open)
		return;
	call->open = false;
	call->ask->open--;
	if (line == NULL) {
		list_remove(&call->link);
		return;
	}
	api_call_cancel(&line->api);
	line->call = NULL;
	call->line = NULL;
	extender_dispatch(call->extender);
}
