/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers: bytes are cut to the few fields that matter, and become one word. Nothing is taken from
 * an answer that did not come to its end in order, but that the server was busy: its head says so.
 *
 * A cutter is needed only while bytes come in, mostly within one turn, and the one given back last
 * is taken first: however many orders there may be, one or two cutters cost memory.
 */
#include "bind/binder_private.h"
#include "kube/passing.h"

static const struct json_want want_metadata[] = {
	{"uid", NULL}, {"deletionTimestamp", NULL}, {NULL, NULL}};
static const struct json_want want_spec[] = {{"nodeName", NULL}, {NULL, NULL}};
static const struct json_want want_pod[] = {
	{"kind", NULL}, {"metadata", want_metadata}, {"spec", want_spec}, {NULL, NULL}};

/* ---- messages ---- */

void binder_keep_message(struct binder_flight *flight, struct text message)
{
	message = text_utf8_first(message, sizeof(flight->message));
	if (message.size > 0)
		memcpy(flight->message, message.at, message.size);
	flight->message_size = message.size;
}

/* Our own words; a refusal of the server's keeps its own. */
void binder_explain(struct binder_flight *flight, const char *format, ...)
{
	struct writer w;
	va_list args;

	if (flight->refused && flight->message_size > 0)
		return;
	writer_init(&w, flight->message, sizeof(flight->message));
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	flight->message_size = w.used;
}

static void hear(struct binder_flight *flight, enum binder_word word)
{
	flight->heard = word;
	flight->judged = true;
}

/* ---- of a binding ---- */

static enum binder_word word_of(struct binder_flight *flight, const struct kube_status *status)
{
	const struct net_answer *answer = &flight->request.answer;
	struct body_reply reply = {
		.http = answer->status, .retry_after_seconds = -1, .status = status};
	uint32_t wait_s;

	if (answer->retry_after_ms >= 0)
		reply.retry_after_seconds = answer->retry_after_ms / 1000 > BODY_RETRY_MAX_S
			? BODY_RETRY_MAX_S
			: (int32_t)(answer->retry_after_ms / 1000);
	switch (bind_answer(&reply, &wait_s)) {
	case BIND_DONE: return BINDER_SAYS_BOUND;
	case BIND_CONFLICT: return BINDER_SAYS_CONFLICT;
	case BIND_GONE:
	case BIND_UID_MISMATCH: return BINDER_SAYS_LOST;
	case BIND_RETRY_LATER:
		flight->retry_after_ms = (int64_t)wait_s * 1000;
		return BINDER_SAYS_LATER;
	case BIND_REFUSED: return BINDER_SAYS_REFUSED;
	case BIND_UNCLEAR: return BINDER_SAYS_UNCLEAR;
	}
	CHECK_NEVER("an answer that is not in the list");
}

static void on_status(struct binder_flight *flight, struct json_value root)
{
	struct kube_status status;

	if (!kube_status_decode(root, &status))
		return;
	hear(flight, word_of(flight, &status));
	if (status.message.size > 0)
		binder_keep_message(flight, status.message);
}

/* ---- of a binding by an extender ---- */

static const struct json_want want_reply[] = {{"Error", NULL}, {"error", NULL}, {NULL, NULL}};

/* In upstream's words, as far as there are some. */
static void on_reply(struct binder_flight *flight, struct json_value root)
{
	struct json_value error = json_get(root, "Error");

	if (json_type(error) == JSON_NONE)
		error = json_get(root, "error");
	hear(flight, json_text(error).size > 0 ? BINDER_SAYS_CONFLICT : BINDER_SAYS_BOUND);
	if (json_text(error).size > 0)
		binder_keep_message(flight, json_text(error));
}

static enum binder_word judge_reply(struct binder_flight *flight)
{
	const struct net_answer *answer = &flight->request.answer;
	struct text url = flight->via.url;

	if (answer->result == NET_OK && answer->status == 200 && flight->judged)
		return flight->heard;
	if (answer->result == NET_OK) {
		binder_explain(flight,
			answer->status == 200
				? "failed %.*s with extender at URL %.*s, code %u: not JSON"
				: "failed %.*s with extender at URL %.*s, code %u",
			TEXT_ARGS(text_from(flight->via.path, 1)), TEXT_ARGS(url),
			(unsigned)answer->status);
		return BINDER_SAYS_CONFLICT;
	}
	binder_explain(flight, "Post \"%.*s\": %s: %s", TEXT_ARGS(url),
		net_result_name(answer->result), answer->detail);
	return answer->sent ? BINDER_SAYS_UNCLEAR : BINDER_SAYS_REFUSED;
}

/* ---- of a pod ---- */

static struct text node_of(const struct binder_flight *flight)
{
	return (struct text){flight->node, flight->node_size};
}

static void on_pod(struct binder_flight *flight, struct json_value root)
{
	struct text uid = json_text(json_path(root, "metadata.uid"));
	struct text node = json_text(json_path(root, "spec.nodeName"));
	struct json_value deletion = json_path(root, "metadata.deletionTimestamp");

	if (!text_is_z(json_text(json_get(root, "kind")), "Pod") || uid.size == 0)
		return;
	if (flight->uid_size > 0 && !text_is(uid, (struct text){flight->uid, flight->uid_size})) {
		binder_explain(flight, "another pod has its name: its uid is %.*s", TEXT_ARGS(uid));
		hear(flight, BINDER_SAYS_LOST);
	} else if (node.size > 0 && text_is(node, node_of(flight))) {
		hear(flight, BINDER_SAYS_BOUND);
	} else if (node.size > 0) {
		binder_explain(flight, "the pod is on node %.*s", TEXT_ARGS(node));
		hear(flight, BINDER_SAYS_LOST);
	} else if (json_type(deletion) == JSON_STRING) {
		binder_explain(flight, "the pod is being deleted");
		hear(flight, BINDER_SAYS_LOST);
	} else {
		hear(flight, BINDER_SAYS_UNBOUND);
	}
}

/* Who says that there is no such pod must be an apiserver, not what stands before it. */
static void on_no_pod(struct binder_flight *flight, struct json_value root)
{
	struct kube_status status;

	if (!kube_status_decode(root, &status) || flight->request.answer.status != 404 ||
		!text_is_z(status.reason, "NotFound"))
		return;
	if (!flight->refused)
		binder_keep_message(flight, status.message);
	if (flight->message_size == 0)
		binder_explain(flight, "there is no such pod");
	hear(flight, BINDER_SAYS_LOST);
}

/* ---- from bytes to words ---- */

static bool is_pod(const struct binder_flight *flight)
{
	return flight->state == BINDER_CHECK && flight->request.answer.status == 200;
}

static bool on_piece(void *self, struct json_piece piece)
{
	struct binder_flight *flight = self;
	struct scratch *scratch = &flight->binder->scratch;
	struct scratch_mark mark = scratch_mark(scratch);
	struct json_value root;

	if (piece.kind == JSON_PIECE_TOO_BIG)
		return false;
	if (json_parse(piece.text, scratch, &root) == JSON_PARSED) {
		if (is_pod(flight))
			on_pod(flight, root);
		else if (flight->state == BINDER_CHECK)
			on_no_pod(flight, root);
		else if (binder_is_via(flight))
			on_reply(flight, root);
		else
			on_status(flight, root);
	}
	scratch_rewind(scratch, mark);
	return false; /* one is all there is */
}

enum net_flow binder_listen(struct net_request *request, struct text bytes)
{
	struct binder_flight *flight = LIST_OWNER(request, struct binder_flight, request);
	struct pool *cuts = &flight->binder->cuts;

	if (flight->deaf)
		return NET_MORE;
	if (flight->cut == 0) {
		flight->cut = pool_take(cuts);
		CHECK(flight->cut != 0); /* there is one for each order */
		struct json_cut *cut = json_cut_init(pool_at(cuts, flight->cut),
			json_cut_size(BINDER_PIECE_MAX), BINDER_PIECE_MAX);

		json_cut_start(cut, JSON_CUT_LINES,
			is_pod(flight)                  ? want_pod
				: binder_is_via(flight) ? want_reply
							: kube_status_want,
			NULL, on_piece, flight);
	}
	if (json_cut_feed(pool_at(cuts, flight->cut), bytes) != JSON_CUT_MORE)
		flight->deaf = true;
	return NET_MORE;
}

void binder_listen_end(struct binder_flight *flight)
{
	if (flight->cut != 0)
		pool_give(&flight->binder->cuts, flight->cut);
	flight->cut = 0;
	flight->judged = flight->deaf = false;
}

static enum binder_word judge_binding(struct binder_flight *flight)
{
	const struct net_answer *answer = &flight->request.answer;
	enum binder_word word;

	if (answer->result != NET_OK) {
		if (!answer->sent)
			return BINDER_SAYS_UNSENT;
		if (answer->status == 429)
			return word_of(flight, NULL);
		return BINDER_SAYS_UNCLEAR;
	}
	word = flight->judged ? flight->heard : word_of(flight, NULL);
	if (word != BINDER_SAYS_BOUND && flight->message_size == 0)
		binder_explain(flight, "the apiserver answered %u", (unsigned)answer->status);
	return word;
}

static enum binder_word judge_pod(struct binder_flight *flight)
{
	const struct net_answer *answer = &flight->request.answer;

	if (answer->result == NET_OK && flight->judged)
		return flight->heard;
	flight->retry_after_ms = answer->retry_after_ms;
	if (flight->retry_after_ms > BODY_RETRY_MAX_S * 1000)
		flight->retry_after_ms = BODY_RETRY_MAX_S * 1000;
	return BINDER_SAYS_NOTHING;
}

enum binder_word binder_judge(struct binder_flight *flight)
{
	if (binder_is_via(flight))
		return judge_reply(flight);
	return flight->state == BINDER_CHECK ? judge_pod(flight) : judge_binding(flight);
}
