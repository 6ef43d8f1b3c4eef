/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of the recorder, and what their answers mean.
 *
 * What kube-scheduler does: each event is tried up to 12 times, 10 s apart, when no answer comes;
 * an answer that refuses it is the end. When a patch finds that the server has forgotten the event,
 * the event is made again.
 *
 * What we do: the same; also a server that is busy or troubled (429, 5xx) is asked again, and the
 * pause is one for all: an event is no reason to knock at a server that is away. Waiting for a
 * connection, which bindings have, is not a try. That an event is there already is what was
 * wanted: an answer got lost.
 */
#include "base/log.h"
#include "bind/event_recorder_private.h"
#include "json/json.h"
#include "kube/time.h"

static const char events_group[] = "/apis/events.k8s.io/v1";

static void recorder_answered(struct api_call *call, enum api_verdict verdict);

static void recorder_pause_over(struct net_timer *timer, struct mono now)
{
	(void)now;
	recorder_send(LIST_OWNER(timer, struct recorder, pause));
}

void recorder_send_init(struct recorder *r)
{
	net_timer_init(&r->pause, recorder_pause_over);
	r->caller = (struct api_caller){
		.client = r->setup.client, .name = "events", .done = recorder_answered};
	api_caller_init(&r->caller);
	r->backoff = (struct net_backoff){
		.first_ms = 1000, .max_ms = 10 * 1000, .reset_ms = 60 * 1000, .jitter_percent = 25};
	for (uint32_t i = 0; i < RECORDER_SLOTS; i++)
		r->slots[i].recorder = r;
}

void recorder_send_stop(struct recorder *r)
{
	api_caller_close(&r->caller);
	net_timer_disarm(&r->pause);
}

/* ---- what is asked ---- */

static void recorder_discover(struct recorder *r)
{
	struct recorder_slot *slot = &r->slots[0];

	if (!api_call_is_over(&slot->call))
		return;
	slot->discovers = true;
	api_call_start(&slot->call, &r->caller,
		&(struct api_request){
			.purpose = API_EVENT, .method = NET_GET, .path = text_of(events_group)});
}

static struct body_reference reference(const struct recorder *r, const struct recorder_entry *e)
{
	return (struct body_reference){
		.api_version = recorder_field(r, e, RECORDER_API_VERSION),
		.kind = recorder_field(r, e, RECORDER_KIND),
		.namespace = recorder_field(r, e, RECORDER_NAMESPACE),
		.name = recorder_field(r, e, RECORDER_NAME),
		.uid = recorder_field(r, e, RECORDER_UID),
		.resource_version = recorder_field(r, e, RECORDER_RESOURCE_VERSION),
	};
}

static bool in_core(const struct recorder *r, const struct recorder_entry *e)
{
	return e->core || r->group == RECORDER_CORE;
}

static void write_whole(const struct recorder *r, const struct recorder_entry *e, struct text name,
	struct writer *body)
{
	char instance[RECORDER_INSTANCE_MAX + 1 + 256];
	struct writer w;
	struct body_event event = {
		.name = name,
		.regarding = reference(r, e),
		.time = e->first_time,
		.type = recorder_field(r, e, RECORDER_TYPE),
		.reason = recorder_field(r, e, RECORDER_REASON),
		.action = recorder_field(r, e, RECORDER_ACTION),
		.note = recorder_field(r, e, RECORDER_NOTE),
		.reporting_controller = recorder_field(r, e, RECORDER_CONTROLLER),
	};

	writer_init(&w, instance, sizeof(instance));
	write_text(&w, event.reporting_controller);
	write_char(&w, '-');
	write_text(&w, r->setup.instance);
	CHECK(!w.overflowed);
	event.reporting_instance = writer_text(&w);
	if (event.reporting_instance.size > RECORDER_INSTANCE_MAX)
		event.reporting_instance.size = RECORDER_INSTANCE_MAX;
	if (in_core(r, e))
		body_core_event(&event, body);
	else
		body_event(&event, body);
}

/* Events of the core group count for themselves. */
static void write_core_count(uint32_t count, struct wall last, struct writer *body)
{
	char time[KUBE_TIME_SIZE];
	struct json_writer j;
	struct writer w;

	writer_init(&w, time, sizeof(time));
	kube_time_print(last, &w);
	json_write_init(&j, body);
	json_open_object(&j);
	json_member_i64(&j, "count", count);
	json_member_text(&j, "lastTimestamp", writer_text(&w));
	json_close_object(&j);
}

struct recorder_text {
	const struct recorder *recorder;
	const struct recorder_entry *entry;
	struct text name;
};

static bool write_event_body(const void *self, struct writer *body)
{
	const struct recorder_text *text = self;
	const struct recorder_entry *e = text->entry;

	if (!e->posted)
		write_whole(text->recorder, e, text->name, body);
	else if (in_core(text->recorder, e))
		write_core_count(e->count, e->last_time, body);
	else
		body_event_series(e->count, e->last_time, body);
	return true;
}

static void recorder_write(struct recorder_slot *slot, const struct recorder_entry *e)
{
	const struct recorder *r = slot->recorder;
	struct body_reference regarding = reference(r, e);
	char name_bytes[BODY_EVENT_NAME_MAX];
	struct writer name;

	writer_init(&name, name_bytes, sizeof(name_bytes));
	body_event_name(recorder_field(r, e, RECORDER_NAME), e->nanos, e->random, &name);
	slot->count = e->posted ? e->count : 1;
	slot->discovers = false;
	struct recorder_text text = {r, e, writer_text(&name)};

	api_call_start(&slot->call, &slot->recorder->caller,
		&(struct api_request){.purpose = API_EVENT,
			.method = e->posted ? NET_PATCH : NET_POST,
			.object = {in_core(r, e) ? "/api/v1" : events_group,
				body_event_namespace(&regarding), "events",
				e->posted ? text.name : TEXT_NONE, NULL},
			.content_type = e->posted ? TEXT("application/strategic-merge-patch+json")
						  : TEXT_NONE,
			.write = write_event_body,
			.self = &text,
			.room = slot->body,
			.room_size = sizeof(slot->body)});
}

/* ---- what the answer means ---- */

/* Waiting for a connection, which bindings have, is not a try. */
static bool was_not_tried(const struct net_answer *answer)
{
	return answer->result == NET_TIMEOUT && !answer->sent;
}

/* Any failure that may pass is API_RETRY. */
static enum api_verdict event_verdict(enum api_verdict verdict, bool patch)
{
	switch (verdict) {
	case API_UNCLEAR: return API_RETRY;
	/* An event that is there already is what was wanted: an answer got lost. */
	case API_CONFLICT: return patch ? API_RETRY : API_DONE;
	case API_GONE: return patch ? API_GONE : API_REFUSED;
	default: return verdict;
	}
}

static void recorder_back_off(struct recorder *r, int64_t wait_ms)
{
	struct mono now = clock_mono(&r->setup.clock);
	struct mono resume =
		mono_after_ms(now, net_backoff_next_ms(&r->backoff, now, &r->random, wait_ms));

	if (r->resume.us < resume.us)
		r->resume = resume;
}

static void event_written(struct recorder *r, struct recorder_entry *e, uint32_t count)
{
	bool first = !e->posted;

	r->stats.sent++;
	r->troubled = false;
	e->posted = true;
	e->tries = 0;
	e->told_count = count;
	e->told_at = clock_mono(&r->setup.clock);
	if (e->last)
		recorder_forget(r, e);
	else if (first && e->count > 1)
		recorder_enqueue(r, e); /* more of it came meanwhile */
	else
		recorder_keep(r, e);
}

static void event_refused(struct recorder *r, struct recorder_entry *e, const struct api_call *call)
{
	r->stats.failed++;
	/* Once: what is not allowed, or goes to a namespace that is deleted, fails often. */
	if (!r->troubled)
		log_warn("recorder", "event-failed",
			"namespace=%.*s name=%.*s status=%u error=\"%.*s\"",
			TEXT_ARGS(recorder_field(r, e, RECORDER_NAMESPACE)),
			TEXT_ARGS(recorder_field(r, e, RECORDER_NAME)),
			(unsigned)call->request.answer.status, TEXT_ARGS(api_call_message(call)));
	r->troubled = true;
	if (!e->posted || e->last) {
		recorder_forget(r, e);
		return;
	}
	/* The event is there, only its number is old: the next time is soon enough. */
	e->told_at = clock_mono(&r->setup.clock);
	e->told_count = e->count;
	recorder_keep(r, e);
}

/* It was not added to for so long that the server has forgotten it. */
static void event_expired(struct recorder *r, struct recorder_entry *e)
{
	if (e->last || e->again) {
		recorder_forget(r, e);
		return;
	}
	e->again = true;
	e->posted = false;
	e->tries = 0;
	recorder_enqueue(r, e);
}

static void event_answered(struct recorder *r, struct recorder_slot *slot, enum api_verdict verdict)
{
	const struct api_call *call = &slot->call;
	struct recorder_entry *e = recorder_entry_at(r, slot->entry);
	bool is_try = !was_not_tried(&call->request.answer);

	CHECK(e->state == RECORDER_SENDING);
	CHECK(r->sending_count > 0);
	slot->entry = 0;
	r->sending_count--;
	verdict = event_verdict(verdict, e->posted);
	if (verdict == API_RETRY && is_try) {
		recorder_back_off(r, call->wait_ms);
		if (++e->tries >= RECORDER_TRIES)
			verdict = API_REFUSED;
	} else if (is_try) {
		net_backoff_reset(&r->backoff);
	}
	switch (verdict) {
	case API_DONE: event_written(r, e, slot->count); break;
	case API_RETRY: recorder_enqueue(r, e); break;
	case API_GONE: event_expired(r, e); break;
	default: event_refused(r, e, call); break;
	}
}

static void recorder_discovered(
	struct recorder *r, const struct api_call *call, enum api_verdict verdict)
{
	const struct net_answer *answer = &call->request.answer;

	switch (event_verdict(verdict, false)) {
	case API_DONE:
		r->group = RECORDER_EVENTS;
		net_backoff_reset(&r->backoff);
		break;
	case API_RETRY:
		if (!was_not_tried(answer))
			recorder_back_off(r, call->wait_ms);
		break;
	default: /* without the right to look, write to the group that is always there */
		r->group = RECORDER_CORE;
		log_info("recorder", "core-events", "status=%u: events.k8s.io/v1 is not served",
			(unsigned)answer->status);
		break;
	}
}

static void recorder_answered(struct api_call *call, enum api_verdict verdict)
{
	struct recorder_slot *slot = LIST_OWNER(call, struct recorder_slot, call);
	struct recorder *r = slot->recorder;

	if (slot->discovers)
		recorder_discovered(r, call, verdict);
	else
		event_answered(r, slot, verdict);
	recorder_send(r);
}

/* ---- the queue ---- */

static struct recorder_slot *free_slot(struct recorder *r)
{
	for (uint32_t i = 0; i < RECORDER_SLOTS; i++)
		if (api_call_is_over(&r->slots[i].call))
			return &r->slots[i];
	return NULL;
}

static void send_first_event(struct recorder *r, struct recorder_slot *slot)
{
	struct recorder_entry *e = LIST_OWNER(list_first(&r->waiting), struct recorder_entry, link);

	list_remove(&e->link);
	r->waiting_count--;
	e->state = RECORDER_SENDING;
	slot->entry = recorder_index(r, e);
	r->sending_count++;
	recorder_write(slot, e);
}

static bool has_events_to_send(const struct recorder *r)
{
	return r->started && !r->held &&
		(r->group == RECORDER_UNKNOWN || !list_is_empty(&r->waiting));
}

void recorder_send(struct recorder *r)
{
	struct mono now = clock_mono(&r->setup.clock);
	struct recorder_slot *slot;
	struct mono when = r->resume;

	while (has_events_to_send(r)) {
		if (!mono_reached(now, when)) {
			net_timer_arm(api_client_net(r->setup.client), &r->pause, when);
			return;
		}
		if (r->group == RECORDER_UNKNOWN) {
			recorder_discover(r);
			return;
		}
		if ((slot = free_slot(r)) == NULL)
			return;
		if (recorder_rate_all(r, now, &when))
			send_first_event(r, slot);
	}
}
