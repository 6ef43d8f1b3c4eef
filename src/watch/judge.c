/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an answer that did not work means. The server says the same thing in many ways: as the
 * status of the answer, as a Status in its body, as an ERROR line in a watch that is 200; by code,
 * by reason, or, older ones, in words only.
 */
#include <stdarg.h>

#include "watch/reflector.h"

enum { SHOWN_REASON_MAX = 40, SHOWN_MESSAGE_MAX = 140 };
_Static_assert(SHOWN_REASON_MAX + SHOWN_MESSAGE_MAX + 16 < WATCH_ERROR_MAX, "an error has room");

static struct text head(struct text t, size_t size)
{
	return text_first(t, t.size < size ? t.size : size);
}

void watch_judge(struct watch_reflector *r, enum watch_outcome outcome, const char *format, ...)
{
	struct writer w;
	va_list args;

	if (r->outcome != WATCH_FINE)
		return;
	r->outcome = outcome;
	writer_init(&w, r->error, sizeof(r->error) - 1);
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	r->error[w.used] = '\0';
}

static enum watch_outcome outcome_of_code(const struct watch_reflector *r, int32_t code)
{
	switch (code) {
	case 410: return WATCH_EXPIRED;
	case 404: return WATCH_NOT_FOUND;
	case 400:
	case 405:
	case 406:
	case 415:
	case 422:
	case 501: return WATCH_REFUSED;
	case 500:
		/* How a server says that it cannot stream a list; see steps.c. */
		return r->state == WATCH_STREAM ? WATCH_REFUSED : WATCH_TROUBLE;
	default: return WATCH_TROUBLE;
	}
}

static bool is_expired(const struct kube_status *status)
{
	return status->code == 410 || text_is_z(status->reason, "Expired") ||
		text_is_z(status->reason, "Gone") ||
		text_contains(status->message, TEXT("too old resource version"));
}

/* Ours is ahead of this server, which is behind the others or was set back. */
static bool is_too_new(const struct kube_status *status)
{
	return text_contains(status->message, TEXT("Too large resource version"));
}

void watch_judge_status(struct watch_reflector *r, const struct kube_status *status)
{
	enum watch_outcome outcome = outcome_of_code(r, status->code);

	if (is_expired(status))
		outcome = WATCH_EXPIRED;
	else if (is_too_new(status) || status->code == 0 ||
		(status->code == 500 && r->state == WATCH_FOLLOW))
		outcome = WATCH_ODD;
	if (status->retry_after_seconds > 0 && r->retry_after_ms < 0)
		r->retry_after_ms = (int64_t)status->retry_after_seconds * 1000;
	watch_judge(r, outcome, "%d %.*s: %.*s", (int)status->code,
		TEXT_ARGS(head(status->reason, SHOWN_REASON_MAX)),
		TEXT_ARGS(head(status->message, SHOWN_MESSAGE_MAX)));
}

void watch_judge_answer(struct watch_reflector *r)
{
	const struct net_answer *answer = &r->request.answer;

	if (answer->status != 0 && answer->status != 200) {
		watch_judge(r, outcome_of_code(r, answer->status), "status %u",
			(unsigned)answer->status);
		return;
	}
	if (answer->result == NET_OK) {
		if (!watch_listen_end(r))
			watch_judge(r, WATCH_ODD, "the answer ends in the middle of an object");
		return;
	}
	/* A server that does not know of streaming lists begins one and never says that it ends. */
	watch_judge(r,
		answer->result == NET_TIMEOUT && r->state == WATCH_STREAM ? WATCH_REFUSED
									  : WATCH_TROUBLE,
		"%s: %s", net_result_name(answer->result), answer->detail);
}
