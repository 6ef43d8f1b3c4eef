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

/* ---- from one state to the next ---- */

static void wait_for_claims(struct volumes_flight *flight)
{
	flight->state = VOLUMES_WAIT;
	net_timer_arm(flight->volumes->net, &flight->timer,
		mono_after_ms(net_now(flight->volumes->net), flight->timeout_ms));
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
	net_timer_arm(volumes->net, &flight->timer,
		mono_after_ms(net_now(volumes->net), VOLUMES_DOUBT_MS));
	volumes_look_soon(flight);
}

static void try_later(struct volumes_flight *flight, int64_t wait_ms)
{
	struct volumes *volumes = flight->volumes;
	flight->waits++;
	net_timer_arm(volumes->net, &flight->timer, mono_after_ms(net_now(volumes->net), wait_ms));
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

static void nominated(struct volumes_flight *flight, enum api_verdict verdict)
{
	const struct volumes *volumes = flight->volumes;
	if (verdict != API_DONE)
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

static void write_answered(
	struct volumes_flight *flight, enum api_verdict verdict, uint16_t status, int64_t wait_ms)
{
	if (verdict == API_RETRY && wait_ms >= 0 && flight->waits < VOLUMES_WAITS) {
		flight->repeated |= status != 429;
		try_later(flight, wait_ms);
		return;
	}
	if (flight->state == VOLUMES_NOMINATE) {
		nominated(flight, verdict);
		return;
	}
	CHECK(flight->state == VOLUMES_WRITE);
	switch (verdict) {
	case API_DONE: volumes_go_on(flight); return;
	case API_CONFLICT:
	case API_GONE: conflict(flight); return;
	case API_UNCLEAR: doubt(flight); return;
	case API_RETRY:
	case API_REFUSED: break;
	}
	if (flight->repeated)
		doubt(flight);
	else
		volumes_finish(flight, false);
}

void volumes_answered(struct api_call *call, enum api_verdict verdict)
{
	struct volumes_slot *slot = LIST_OWNER(call, struct volumes_slot, call);
	struct volumes *volumes = slot->volumes;
	struct volumes_flight *flight = volumes_flight_at(volumes, slot->flight);

	CHECK(flight->slot == slot->index);
	/* The apiserver's own message as it is; it is upstream's error. */
	CHECK(call->message_size <= sizeof(flight->message));
	memcpy(flight->message, call->message, call->message_size);
	flight->message_size = call->message_size;
	uint16_t status = call->request.answer.status;
	int64_t wait_ms = call->wait_ms;

	flight->slot = 0;
	pool_give(&volumes->slots, slot->index);
	write_answered(flight, verdict, status, wait_ms);
	volumes_send_next(volumes);
}

/* ---- sending ---- */

static bool write_piece_body(const void *self, struct writer *out)
{
	const struct volumes_flight *flight = self;
	const struct volumes *volumes = flight->volumes;

	return volumes_write_piece(
		volumes, volumes_piece_at(volumes, flight->at), flight->node, out);
}

static bool write_nomination_body(const void *self, struct writer *out)
{
	return volumes_write_nomination(self, out);
}

static void send_request(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	bool is_nomination = flight->state == VOLUMES_NOMINATE;

	CHECK(flight->slot == 0);
	flight->slot = pool_take(&volumes->slots);
	struct volumes_slot *slot = pool_at(&volumes->slots, flight->slot);
	slot->volumes = volumes;
	slot->index = flight->slot;
	slot->flight = flight->index;
	api_call_start(&slot->call, &volumes->writes,
		&(struct api_request){.purpose = API_VOLUME_WRITE,
			.method = NET_PATCH,
			.object = is_nomination ? volumes_pod_object(flight)
						: volumes_piece_object(volumes,
							  volumes_piece_at(volumes, flight->at)),
			.content_type = is_nomination
				? TEXT("application/strategic-merge-patch+json")
				: TEXT("application/merge-patch+json"),
			.write = is_nomination ? write_nomination_body : write_piece_body,
			.self = flight,
			.room = slot->body,
			.room_size = sizeof(slot->body)});
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
	while (pool_used(&volumes->slots) < VOLUMES_SLOTS &&
		(link = list_first(&volumes->ready)) != NULL) {
		list_remove(link);
		send_request(LIST_OWNER(link, struct volumes_flight, link));
	}
}

void volumes_drop_slot(struct volumes_flight *flight)
{
	struct volumes *volumes = flight->volumes;
	if (flight->slot == 0)
		return;
	struct volumes_slot *slot = pool_at(&volumes->slots, flight->slot);
	api_call_cancel(&slot->call);
	pool_give(&volumes->slots, flight->slot);
	flight->slot = 0;
}
