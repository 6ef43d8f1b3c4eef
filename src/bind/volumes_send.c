/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests, one at a time for each order, and what their answers mean.
 *
 * What kube-scheduler does: 429 and 5xx with a Retry-After are sent again, ten times; every other
 * answer but a success is the error that the pod fails with, though the write may have happened.
 *
 * What we do: the same where it is certain that nothing happened. Where it is not (silence, a
 * broken connection, 5xx, a conflict after an attempt that may have gone through), the watch is
 * given some time to show it, and nothing is sent again. A failure of the nomination is logged
 * and nothing else.
 */
#include "base/log.h"
#include "bind/volumes_private.h"
#include "kube/passing.h"

enum answer_means { MEANS_DONE, MEANS_LATER, MEANS_CONFLICT, MEANS_NO, MEANS_UNCLEAR };

struct meaning {
	enum answer_means means;
	uint32_t wait_seconds;
};

/* ---- what an answer means ---- */

/* The apiserver's own words as they are; it is upstream's error. */
static void keep_words(struct volumes_flight *flight, const struct volumes_pen *pen,
	const struct kube_status *status)
{
	const struct net_answer *answer = &pen->request.answer;
	struct text words = TEXT("");
	if (status != NULL)
		words = text_utf8_first(status->message, sizeof(flight->message));
	if (words.size == 0) {
		if (answer->status != 0)
			volumes_say(flight, "the apiserver answered %u", (unsigned)answer->status);
		else
			volumes_say(
				flight, "%s: %s", net_result_name(answer->result), answer->detail);
		return;
	}
	memcpy(flight->message, words.at, words.size);
	flight->message_size = words.size;
}

static struct meaning meaning_of(const struct volumes_pen *pen, const struct kube_status *status)
{
	const struct net_answer *answer = &pen->request.answer;
	struct meaning meaning = {MEANS_NO, 0};
	struct body_reply reply = {
		.http = answer->status, .retry_after_seconds = -1, .status = status};
	if (answer->retry_after_ms >= 0)
		reply.retry_after_seconds = answer->retry_after_ms / 1000 > BODY_RETRY_MAX_S
			? BODY_RETRY_MAX_S
			: (int32_t)(answer->retry_after_ms / 1000);
	switch (bind_answer(&reply, &meaning.wait_seconds)) {
	case BIND_DONE: meaning.means = MEANS_DONE; break;
	case BIND_RETRY_LATER: meaning.means = MEANS_LATER; break;
	case BIND_CONFLICT:
	case BIND_UID_MISMATCH: meaning.means = MEANS_CONFLICT; break;
	case BIND_GONE:
	case BIND_REFUSED: meaning.means = MEANS_NO; break;
	case BIND_UNCLEAR: meaning.means = MEANS_UNCLEAR; break;
	}
	return meaning;
}

/* Leaves the words for a failure in the flight. */
static struct meaning judge(struct volumes_flight *flight, const struct volumes_pen *pen)
{
	const struct net_answer *answer = &pen->request.answer;
	struct kube_status body;
	const struct kube_status *status = NULL;
	/* Once the head is there it is done, however much of the object follows. */
	if (answer->status >= 200 && answer->status < 300)
		return (struct meaning){MEANS_DONE, 0};
	if (answer->status != 0 &&
		kube_status_read((struct text){pen->answer, pen->answer_size}, pen->volumes->cut,
			&pen->volumes->scratch, &body))
		status = &body;
	keep_words(flight, pen, status);
	if (answer->status != 0)
		return meaning_of(pen, status);
	return (struct meaning){answer->sent ? MEANS_UNCLEAR : MEANS_NO, 0};
}

/* ---- from one state to the next ---- */

static void wait_for_claims(struct volumes_flight *flight)
{
	flight->state = VOLUMES_WAIT;
	net_timer_arm(flight->volumes->setup.net, &flight->timer,
		mono_after_ms(net_now(flight->volumes->setup.net), flight->timeout_ms));
	volumes_look_soon(flight);
}

void volumes_go_on(struct volumes_flight *flight)
{
	struct volumes_piece *piece = volumes_piece_at(flight->volumes, flight->at);
	net_timer_disarm(&flight->timer);
	piece->written = true;
	flight->volumes->stats.written++;
	flight->state = VOLUMES_WRITE;
	flight->at = piece->next;
	flight->waits = 0;
	flight->repeated = false;
	if (flight->at == 0)
		wait_for_claims(flight);
	else
		volumes_make_ready(flight, true);
}

static void doubt(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	volumes->stats.unclear++;
	if (!volumes_piece_at(volumes, flight->at)->changes) {
		volumes_go_on(flight); /* done or not, it is the same */
		return;
	}
	flight->state = VOLUMES_DOUBT;
	net_timer_arm(volumes->setup.net, &flight->timer,
		mono_after_ms(net_now(volumes->setup.net), VOLUMES_DOUBT_MS));
	volumes_look_soon(flight);
}

static void try_later(struct volumes_flight *flight, uint32_t seconds)
{
	struct volumes *volumes = flight->volumes;
	flight->waits++;
	net_timer_arm(volumes->setup.net, &flight->timer,
		mono_after_ms(net_now(volumes->setup.net), (int64_t)seconds * 1000));
}

static void conflict(struct volumes_flight *flight)
{
	flight->volumes->stats.conflicts++;
	if (volumes_see(flight) == VOLUMES_OURS)
		volumes_go_on(flight);
	else if (flight->repeated)
		doubt(flight);
	else
		volumes_finish(flight, false);
}

static void nominated(struct volumes_flight *flight, struct meaning meaning)
{
	const struct volumes *volumes = flight->volumes;
	if (meaning.means != MEANS_DONE)
		log_warn("bind", "nomination-failed", "pod=%.*s/%.*s node=%.*s error=\"%.*s\"",
			TEXT_ARGS(volumes_text(volumes, flight->namespace)),
			TEXT_ARGS(volumes_text(volumes, flight->pod)),
			TEXT_ARGS(volumes_text(volumes, flight->node)), (int)flight->message_size,
			flight->message);
	flight->state = VOLUMES_WRITE;
	flight->waits = 0;
	flight->repeated = false;
	volumes_make_ready(flight, true);
}

static void answered(struct volumes_flight *flight, struct meaning meaning, uint16_t status)
{
	if (meaning.means == MEANS_LATER && flight->waits < VOLUMES_WAITS) {
		flight->repeated |= status != 429;
		try_later(flight, meaning.wait_seconds);
		return;
	}
	if (flight->state == VOLUMES_NOMINATE) {
		nominated(flight, meaning);
		return;
	}
	CHECK(flight->state == VOLUMES_WRITE);
	switch (meaning.means) {
	case MEANS_DONE: volumes_go_on(flight); return;
	case MEANS_CONFLICT: conflict(flight); return;
	case MEANS_UNCLEAR: doubt(flight); return;
	case MEANS_LATER:
	case MEANS_NO: break;
	}
	if (flight->repeated)
		doubt(flight);
	else
		volumes_finish(flight, false);
}

static void on_done(struct net_request *request)
{
	struct volumes_pen *pen = LIST_OWNER(request, struct volumes_pen, request);
	struct volumes *volumes = pen->volumes;
	struct volumes_flight *flight = volumes_flight_at(volumes, pen->flight);
	uint16_t status = request->answer.status;
	CHECK(flight->pen == pen->index);
	if (request->answer.result == NET_CANCELLED) {
		volumes->closing = true;
		return;
	}
	struct meaning meaning = judge(flight, pen);
	flight->pen = 0;
	pool_give(&volumes->pens, pen->index);
	answered(flight, meaning, status);
	volumes_send_next(volumes);
}

/* ---- sending ---- */

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	struct volumes_pen *pen = LIST_OWNER(request, struct volumes_pen, request);
	size_t room = sizeof(pen->answer) - pen->answer_size;
	if (request->answer.status < 300)
		return NET_MORE;
	if (bytes.size > room)
		bytes.size = room;
	memcpy(pen->answer + pen->answer_size, bytes.at, bytes.size);
	pen->answer_size += bytes.size;
	return NET_MORE;
}

static bool write_request(
	const struct volumes_flight *flight, struct volumes_pen *pen, struct text *type)
{
	const struct volumes *volumes = flight->volumes;
	struct writer path, body;
	bool good;
	writer_init(&path, pen->path, sizeof(pen->path));
	writer_init(&body, pen->body, sizeof(pen->body));
	if (flight->state == VOLUMES_NOMINATE) {
		*type = TEXT("application/strategic-merge-patch+json");
		good = volumes_write_nomination(flight, &path, &body);
	} else {
		*type = TEXT("application/merge-patch+json");
		good = volumes_write_piece(
			volumes, volumes_piece_at(volumes, flight->at), flight->node, &path, &body);
	}
	pen->request.path = writer_text(&path);
	pen->request.body = writer_text(&body);
	return good;
}

static bool may_send(const struct net_request *request)
{
	const struct volumes_pen *pen =
		LIST_OWNER((struct net_request *)(uintptr_t)request, struct volumes_pen, request);
	const struct volumes_setup *setup = &pen->volumes->setup;
	return setup->may_write == NULL || setup->may_write(setup->self);
}

static void send_request(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	struct text type;
	CHECK(flight->pen == 0);
	flight->pen = pool_take(&volumes->pens);
	struct volumes_pen *pen = pool_at(&volumes->pens, flight->pen);
	pen->volumes = volumes;
	pen->index = flight->pen;
	pen->flight = flight->index;
	if (!write_request(flight, pen, &type)) {
		volumes_drop_pen(flight);
		volumes_say(flight, "names and versions of the volumes make no request");
		volumes_fail_soon(flight);
		return;
	}
	pen->request.class = NET_BIND;
	pen->request.method = NET_PATCH;
	pen->request.content_type = type;
	pen->request.timeout_ms = VOLUMES_TOTAL_MS;
	pen->request.idle_timeout_ms = VOLUMES_SILENCE_MS;
	pen->request.may_send = may_send;
	pen->request.on_body = on_body;
	pen->request.on_done = on_done;
	net_send(volumes->setup.client, &pen->request);
}

void volumes_make_ready(struct volumes_flight *flight, bool first)
{
	CHECK(flight->state == VOLUMES_NOMINATE || flight->state == VOLUMES_WRITE);
	CHECK(list_is_empty(&flight->link));
	if (first)
		list_add_first(&flight->volumes->ready, &flight->link);
	else
		list_add_last(&flight->volumes->ready, &flight->link);
}

void volumes_send_next(struct volumes *volumes)
{
	struct list *link;
	while (!volumes->closing && pool_used(&volumes->pens) < VOLUMES_PENS &&
		(link = list_first(&volumes->ready)) != NULL) {
		list_remove(link);
		send_request(LIST_OWNER(link, struct volumes_flight, link));
	}
}

void volumes_drop_pen(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	if (flight->pen == 0)
		return;
	struct volumes_pen *pen = pool_at(&volumes->pens, flight->pen);
	net_cancel(&pen->request);
	pool_give(&volumes->pens, flight->pen);
	flight->pen = 0;
}
