/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One question to one extender. It waits for a free line, is sent, and its answer is kept by the
 * line's cutter until all of it is there.
 *
 * A question that met the end of a connection that had been kept open is sent once more: nothing
 * of it changes anything there. kube-scheduler's client does the same where it can tell.
 */
#include "extender/private.h"

enum { QUESTION_CLASS = NET_LEASE }; /* the one that may use every connection */

static bool on_piece(void *self, struct json_piece piece)
{
	struct extender_line *line = self;
	if (piece.kind == JSON_PIECE_TOO_BIG)
		line->too_big = true;
	else
		line->answer = piece.text;
	return false; /* as Go: what follows the first value is nobody's */
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct extender_line *line = LIST_OWNER(request, struct extender_line, request);
	if (request->answer.status != 200 || line->answer.at != NULL || line->too_big ||
		line->broken)
		return NET_MORE;
	line->broken = json_cut_feed(line->cut, bytes) == JSON_CUT_BROKEN;
	return NET_MORE;
}

/* ---- the end ---- */

/* In the words of kube-scheduler and of Go's HTTP client, as far as there are some. */
static void explain(const struct extender_call *call, const struct extender_line *line)
{
	const struct net_answer *answer = &line->request.answer;
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
			TEXT_ARGS(url), line->too_big ? "too big" : "not JSON");
}

static void send(struct extender_line *line);
static void dispatch(struct extender *e);

static void on_done(struct net_request *request)
{
	struct extender_line *line = LIST_OWNER(request, struct extender_line, request);
	struct extender_call *call = line->call;
	struct extender *e = call->extender;
	const struct net_answer *answer = &request->answer;
	bool ok = answer->result == NET_OK && answer->status == 200 && line->answer.at != NULL;
	if (answer->result == NET_RESET && answer->status == 0 && !call->again) {
		call->again = true;
		send(line);
		return;
	}
	if (answer->result == NET_CANCELLED) /* closed, as all of it is */
		return;
	if (ok)
		ok = extender_answer(call->ask, e, call->verb, line->answer);
	else
		explain(call, line);
	e->all->stats.failures += !ok;
	line->call = NULL;
	call->line = NULL;
	call->open = false;
	extender_ask_heard(call->ask, call, ok);
	dispatch(e);
}

/* ---- sending ---- */

static size_t copy_body(const struct net_request *request, size_t from, char *to, size_t size)
{
	const struct extender_line *line =
		LIST_OWNER((struct net_request *)(uintptr_t)request, struct extender_line, request);
	return extender_body(line->call, from, to, size);
}

static void send(struct extender_line *line)
{
	const struct extender_call *call = line->call;
	struct extender *e = call->extender;
	e->all->stats.questions++;
	line->answer = TEXT_NONE;
	line->too_big = line->broken = false;
	json_cut_start(line->cut, JSON_CUT_LINES,
		call->verb == EXTENDER_FILTER ? extender_want_filter : NULL, NULL, on_piece, line);
	line->request = (struct net_request){
		.class = (enum net_class)QUESTION_CLASS,
		.method = NET_POST,
		.path = text_from(extender_url(e, call->verb), e->path_at),
		.body = {NULL, extender_body(call, 0, NULL, 0)},
		.copy_body = copy_body,
		.timeout_ms = extender_timeout_ms(e->config),
		.on_body = on_body,
		.on_done = on_done,
	};
	net_send(e->client, &line->request);
}

static void dispatch(struct extender *e)
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
		send(line);
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
	dispatch(extender);
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
	net_cancel(&line->request);
	line->call = NULL;
	call->line = NULL;
	dispatch(call->extender);
}
