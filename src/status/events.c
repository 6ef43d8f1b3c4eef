/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events for the page: each second an overview and the latest decisions, for as long as a page
 * listens. One that has not taken the last one gets none meanwhile; nothing is kept for it. It is
 * written once and copied to all who have heard as much as the first one: all, as a rule.
 */
#include "status/private.h"

enum { BEAT_MS = 1000, DECISIONS_MAX = 12, BEST_WANTED = 4 };

static void events_put_decisions(struct status_answer *a, struct writer *w)
{
	const struct scheduler_metrics *m = &a->status->s->metrics;
	for (; a->serial < m->serial; a->serial++) {
		const struct scheduler_record *r = scheduler_record_at(m, a->serial + 1);
		size_t before = w->used;
		struct json_writer j;
		if (r == NULL)
			continue;
		write_z(w, "event: decision\ndata: ");
		json_write_init(&j, w);
		json_open_object(&j);
		decisions_put(m, r, &j);
		json_close_object(&j);
		write_z(w, "\n\n");
		if (w->overflowed) {
			w->used = before;
			w->overflowed = false;
			return;
		}
	}
}

/* What was just written for a page that had heard as much. */
struct said {
	const struct status_answer *to; /* NULL: none */
	uint64_t after;
};

static void events_write(struct status_answer *a, struct said *said)
{
	const uint64_t serial = a->status->s->metrics.serial;
	struct writer w;
	struct json_writer j;
	if (a->sent < a->size)
		return;
	if (serial - a->serial > DECISIONS_MAX)
		a->serial = serial - DECISIONS_MAX;
	if (said->to != NULL && said->after == a->serial) {
		memcpy(a->piece, said->to->piece, said->to->size);
		a->size = said->to->size;
		a->serial = said->to->serial;
	} else {
		*said = (struct said){a, a->serial};
		writer_init(&w, a->piece, sizeof(a->piece));
		write_z(&w, "event: overview\ndata: ");
		json_write_init(&j, &w);
		overview_put(a->status, &j);
		write_z(&w, "\n\n");
		events_put_decisions(a, &w);
		a->size = w.used;
	}
	a->sent = 0;
	status_go_on(a);
}

static void beat_door(struct status_door *door, struct said *said)
{
	for (uint32_t i = 0; i < door->answer_count; i++)
		if (door->answers[i].exchange != NULL && door->answers[i].listens)
			events_write(&door->answers[i], said);
}

void events_beat(struct net_timer *timer, struct mono now)
{
	struct status *status = LIST_OWNER(timer, struct status, beat);
	struct said said = {NULL, 0};
	if (status->listeners == 0)
		return;
	beat_door(&status->secure, &said);
	beat_door(&status->plain, &said);
	status->s->metrics.best_wanted = BEST_WANTED;
	net_timer_arm(status->setup.net, &status->beat, mono_after_ms(now, BEAT_MS));
}

void events_answer(struct status_answer *a)
{
	struct status *status = a->status;
	if (status->listeners == STATUS_LISTENERS) {
		status_refuse(a, 503, "too many clients of /berth/v1/events");
		return;
	}
	if (a->exchange->method == NET_HEAD) {
		status_reply(a, 200, "text/event-stream", TEXT_NONE);
		return;
	}
	status->listeners++;
	a->listens = true;
	a->serial = 0;
	status_stream(a, "text/event-stream", NULL);
	events_write(a, &(struct said){NULL, 0});
	if (!net_timer_is_armed(&status->beat))
		net_timer_arm(status->setup.net, &status->beat,
			mono_after_ms(net_now(status->setup.net), BEAT_MS));
}
