/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers: bytes are cut to the few fields that matter, of a Status or of the object asked for.
 *
 * A cutter is needed only while bytes come in, mostly within one turn, and the one given back last
 * is taken first: however many calls there may be, one or two cutters cost memory.
 */
#include "api/api_private.h"
#include "kube/passing.h"

/* ---- messages ---- */

void api_call_keep_message(struct api_call *call, struct text message)
{
	message = text_utf8_first(message, sizeof(call->message));
	if (message.size > 0)
		memcpy(call->message, message.at, message.size);
	call->message_size = message.size;
}

/* Our own words; a refusal that is being verified keeps the server's. */
void api_call_explain(struct api_call *call, const char *format, ...)
{
	struct writer w;
	va_list args;

	if (call->is_conflict && call->message_size > 0)
		return;
	writer_init(&w, call->message, sizeof(call->message));
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	call->message_size = w.used;
}

static void explain_by_answer(struct api_call *call)
{
	const struct net_answer *answer = &call->request.answer;

	if (answer->status != 0)
		api_call_explain(call, "the apiserver answered %u", (unsigned)answer->status);
	else
		api_call_explain(call, "%s: %s", net_result_name(answer->result), answer->detail);
}

/* ---- what is read ---- */

/* NULL: a Status is. */
static const struct api_reader *reader_of(const struct api_call *call)
{
	uint16_t status = call->request.answer.status;
	const struct api_reader *reader =
		call->state == API_VERIFYING ? &call->verify : &call->reader;

	return status >= 200 && status < 300 && reader->object != NULL ? reader : NULL;
}

static bool is_worth_reading(const struct api_call *call)
{
	uint16_t status = call->request.answer.status;

	if (reader_of(call) != NULL)
		return true;
	if (call->policy->is_foreign && call->state != API_VERIFYING)
		return false;
	return status >= 300 || call->policy->reads_success;
}

static void read_status(struct api_call *call, struct text json)
{
	struct scratch *scratch = &call->caller->client->scratch;
	struct kube_status status;
	struct json_value root;

	if (json_parse(json, scratch, &root) != JSON_PARSED || !kube_status_decode(root, &status))
		return;
	call->status = api_status_of(&status);
	if (status.message.size > 0 && !(call->state == API_VERIFYING && call->is_conflict))
		api_call_keep_message(call, status.message);
}

static bool answer_take_piece(void *self, struct json_piece piece)
{
	struct api_call *call = self;
	struct scratch *scratch = &call->caller->client->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	const struct api_reader *reader = reader_of(call);

	call->is_too_big = piece.kind == JSON_PIECE_TOO_BIG;
	call->has_object = !call->is_too_big;
	if (call->has_object && reader == NULL)
		read_status(call, piece.text);
	else if (call->has_object)
		reader->object(call, piece.text);
	scratch_rewind(scratch, mark);
	return false; /* one is all there is */
}

/* ---- bytes ---- */

/* False: no cutter is free, which costs no more than what the body says. */
static bool answer_begin(struct api_call *call)
{
	struct pool *cuts = &call->caller->client->cuts;
	const struct api_reader *reader = reader_of(call);

	call->cutter = reader != NULL ? reader->cut : NULL;
	if (call->cutter == NULL) {
		call->cut = pool_take(cuts);
		if (call->cut == 0)
			return false;
		call->cutter = json_cut_init(
			pool_at(cuts, call->cut), json_cut_size(API_PIECE_MAX), API_PIECE_MAX);
	}
	json_cut_start(call->cutter, JSON_CUT_LINES,
		reader != NULL ? reader->want : kube_status_want, NULL, answer_take_piece, call);
	return true;
}

enum net_flow api_answer_take(struct net_request *request, struct text bytes)
{
	struct api_call *call = LIST_OWNER(request, struct api_call, request);

	if (call->is_read || !is_worth_reading(call))
		return NET_MORE;
	call->is_read = (call->cutter == NULL && !answer_begin(call)) ||
		json_cut_feed(call->cutter, bytes) != JSON_CUT_MORE;
	return NET_MORE;
}

void api_answer_end(struct api_call *call)
{
	if (call->cut != 0)
		pool_give(&call->caller->client->cuts, call->cut);
	call->cut = 0;
	call->cutter = NULL;
}

void api_answer_reset(struct api_call *call)
{
	api_answer_end(call);
	call->is_read = call->has_object = call->is_too_big = call->is_judged = false;
	call->status = (struct api_status){.is_there = false};
}

/* ---- verdicts ---- */

void api_call_judge(struct api_call *call, enum api_verdict verdict)
{
	call->judged = verdict;
	call->is_judged = true;
}

/* A 404 counts only from an apiserver, not from a proxy before it. */
static enum api_verdict judge_verification(struct api_call *call)
{
	const struct net_answer *answer = &call->request.answer;
	int64_t most_ms = call->policy->wait_max_ms;

	call->wait_ms = answer->retry_after_ms < most_ms ? answer->retry_after_ms : most_ms;
	if (answer->result == NET_OK && answer->status == 404 && call->status.is_not_found) {
		if (call->message_size == 0)
			api_call_explain(call, "there is no such object");
		return API_GONE;
	}
	return answer->result == NET_OK && call->is_judged ? call->judged : API_UNCLEAR;
}

enum api_verdict api_answer_judge(struct api_call *call)
{
	const struct net_answer *answer = &call->request.answer;
	enum api_verdict verdict;

	call->wait_ms = -1;
	if (call->state == API_VERIFYING)
		return judge_verification(call);
	if (call->policy->is_foreign)
		return call->caller->judge(call);
	verdict = api_answer_means(call->policy, answer, &call->status, &call->wait_ms);
	if (verdict != API_DONE && call->message_size == 0)
		explain_by_answer(call);
	return verdict;
}
