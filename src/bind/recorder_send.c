/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of the recorder, and what their answers mean.
 *
 * What kube-scheduler does: each event is tried up to 12 times, 10 s apart, when no answer comes;
 * an answer that refuses it is the end. A patch of an event that the server has forgotten makes it
 * anew.
 *
 * What we do: the same; also a server that is busy or troubled (429, 5xx) is asked again, and the
 * pause is one for all: an event is no reason to knock at a server that is away. Waiting for a
 * connection, which bindings have, is not a try. That an event is there already is what was
 * wanted: an answer got lost.
 */
#include "base/log.h"
#include "bind/recorder_private.h"
#include "json/json.h"
#include "kube/time.h"

static void on_done(struct net_request *request);

static void on_pause_over(struct net_timer *timer, struct mono now)
{
	(void)now;
	recorder_send(LIST_OWNER(timer, struct recorder, pause));
}

void recorder_send_init(struct recorder *r)
{
	net_timer_init(&r->pause, on_pause_over);
	r->backoff = (struct net_backoff){
		.first_ms = 1000, .max_ms = 10 * 1000, .reset_ms = 60 * 1000, .jitter_percent = 25};
	for (uint32_t i = 0; i < RECORDER_FLIGHTS; i++)
		r->flights[i].recorder = r;
}

void recorder_send_stop(struct recorder *r)
{
	for (uint32_t i = 0; i < RECORDER_FLIGHTS; i++)
		net_cancel(&r->flights[i].request);
	net_timer_disarm(&r->pause);
}

/* ---- what is asked ---- */

static void ask(
	struct recorder_flight *flight, enum net_method method, struct text path, struct text body)
{
	struct net_request *request = &flight->request;

	CHECK(!net_is_active(request));
	request->class = NET_EVENT;
	request->method = method;
	request->path = path;
	request->body = body;
	request->content_type =
		method == NET_PATCH ? TEXT("application/strategic-merge-patch+json") : TEXT_NONE;
	request->timeout_ms = RECORDER_TIMEOUT_MS;
	request->body_max = RECORDER_ANSWER_MAX;
	request->on_done = on_done;
	net_send(flight->recorder->setup.client, request);
}

static void discover(struct recorder *r)
{
	struct recorder_flight *flight = &r->flights[0];

	if (net_is_active(&flight->request))
		return;
	flight->discovers = true;
	ask(flight, NET_GET, TEXT("/apis/events.k8s.io/v1"), TEXT_NONE);
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

static bool write_path(const struct recorder *r, const struct recorder_entry *e, struct text name,
	struct writer *path)
{
	struct body_reference regarding = reference(r, e);
	struct text namespace = body_event_namespace(&regarding);

	if (!in_core(r, e))
		return body_path_event(namespace, name, path);
	if (!body_path_core_events(namespace, path))
		return false;
	if (name.at == NULL)
		return true;
	write_char(path, '/');
	return body_write_segment(name, path);
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

/* False when it cannot be written: names that are none, texts that are too much. */
static bool ask_for(struct recorder_flight *flight, const struct recorder_entry *e)
{
	const struct recorder *r = flight->recorder;
	char name_bytes[BODY_EVENT_NAME_MAX];
	struct writer name, path, body;

	writer_init(&name, name_bytes, sizeof(name_bytes));
	writer_init(&path, flight->path, sizeof(flight->path));
	writer_init(&body, flight->body, sizeof(flight->body));
	body_event_name(recorder_field(r, e, RECORDER_NAME), e->nanos, e->random, &name);
	if (!write_path(r, e, e->posted ? writer_text(&name) : TEXT_NONE, &path))
		return false;
	if (!e->posted)
		write_whole(r, e, writer_text(&name), &body);
	else if (in_core(r, e))
		write_core_count(e->count, e->last_time, &body);
	else
		body_event_series(e->count, e->last_time, &body);
	if (path.overflowed || body.overflowed)
		return false;
	flight->count = e->posted ? e->count : 1;
	ask(flight, e->posted ? NET_PATCH : NET_POST, writer_text(&path), writer_text(&body));
	return true;
}

/* ---- what the answer means ---- */

enum verdict { VERDICT_DONE, VERDICT_AGAIN, VERDICT_NOT_TRIED, VERDICT_GONE, VERDICT_REFUSED };

static enum verdict judge(const struct net_answer *answer, bool patch)
{
	if (answer->result == NET_TIMEOUT && !answer->sent)
		return VERDICT_NOT_TRIED;
	if (answer->result != NET_OK)
		return VERDICT_AGAIN;
	if (answer->status >= 200 && answer->status < 300)
		return VERDICT_DONE;
	if (answer->status == 401 || answer->status == 429 || answer->status >= 500)
		return VERDICT_AGAIN;
	if (answer->status == 409)
		return patch ? VERDICT_AGAIN : VERDICT_DONE;
	return answer->status == 404 && patch ? VERDICT_GONE : VERDICT_REFUSED;
}

static void back_off(struct recorder *r, const struct net_answer *answer)
{
	struct mono now = clock_mono(&r->setup.clock);
	struct mono resume = mono_after_ms(
		now, net_backoff_next_ms(&r->backoff, now, &r->random, answer->retry_after_ms));

	if (r->resume.us < resume.us)
		r->resume = resume;
}

static void told(struct recorder *r, struct recorder_entry *e, uint32_t count)
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

static void refused(struct recorder *r, struct recorder_entry *e, const struct net_answer *answer)
{
	r->stats.failed++;
	/* Once: who may not write events, or writes into a namespace that goes, does so often. */
	if (!r->troubled)
		log_warn("recorder", "failed", "namespace=%.*s name=%.*s result=%s status=%u",
			TEXT_ARGS(recorder_field(r, e, RECORDER_NAMESPACE)),
			TEXT_ARGS(recorder_field(r, e, RECORDER_NAME)),
			net_result_name(answer->result), (unsigned)answer->status);
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

/* Nobody made a series of it for so long that it has expired. */
static void gone(struct recorder *r, struct recorder_entry *e)
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

static void answered(struct recorder *r, struct recorder_flight *flight)
{
	const struct net_answer *answer = &flight->request.answer;
	struct recorder_entry *e = recorder_entry_at(r, flight->entry);
	enum verdict verdict = judge(answer, e->posted);

	CHECK(e->state == RECORDER_FLYING);
	CHECK(r->flying_count > 0);
	flight->entry = 0;
	r->flying_count--;
	if (verdict == VERDICT_AGAIN) {
		back_off(r, answer);
		if (++e->tries >= RECORDER_TRIES)
			verdict = VERDICT_REFUSED;
	} else if (verdict != VERDICT_NOT_TRIED) {
		net_backoff_reset(&r->backoff);
	}
	switch (verdict) {
	case VERDICT_DONE: told(r, e, flight->count); break;
	case VERDICT_AGAIN:
	case VERDICT_NOT_TRIED: recorder_enqueue(r, e); break;
	case VERDICT_GONE: gone(r, e); break;
	case VERDICT_REFUSED: refused(r, e, answer); break;
	}
}

static void discovered(struct recorder *r, struct recorder_flight *flight)
{
	const struct net_answer *answer = &flight->request.answer;
	enum verdict verdict = judge(answer, false);

	flight->discovers = false;
	switch (verdict) {
	case VERDICT_DONE:
		r->group = RECORDER_EVENTS;
		net_backoff_reset(&r->backoff);
		break;
	case VERDICT_NOT_TRIED: break;
	case VERDICT_AGAIN: back_off(r, answer); break;
	default: /* whoever may not look may write to the group that is always there */
		r->group = RECORDER_CORE;
		log_info("recorder", "core", "status=%u: no events.k8s.io/v1",
			(unsigned)answer->status);
		break;
	}
}

static void on_done(struct net_request *request)
{
	struct recorder_flight *flight = LIST_OWNER(request, struct recorder_flight, request);
	struct recorder *r = flight->recorder;

	if (flight->discovers)
		discovered(r, flight);
	else
		answered(r, flight);
	if (request->answer.result == NET_CANCELLED)
		return; /* the client is being closed */
	recorder_send(r);
}

/* ---- the queue ---- */

static struct recorder_flight *free_flight(struct recorder *r)
{
	for (uint32_t i = 0; i < RECORDER_FLIGHTS; i++)
		if (!net_is_active(&r->flights[i].request))
			return &r->flights[i];
	return NULL;
}

static void send_first(struct recorder *r, struct recorder_flight *flight)
{
	struct recorder_entry *e = LIST_OWNER(list_first(&r->waiting), struct recorder_entry, link);

	list_remove(&e->link);
	r->waiting_count--;
	if (!ask_for(flight, e)) {
		flight->request.answer = (struct net_answer){.result = NET_BROKEN};
		refused(r, e, &flight->request.answer);
		return;
	}
	e->state = RECORDER_FLYING;
	flight->entry = recorder_index(r, e);
	r->flying_count++;
}

static bool may_send(const struct recorder *r)
{
	return r->started && !r->held &&
		(r->group == RECORDER_UNKNOWN || !list_is_empty(&r->waiting));
}

void recorder_send(struct recorder *r)
{
	struct mono now = clock_mono(&r->setup.clock);
	struct recorder_flight *flight;
	struct mono when = r->resume;

	while (may_send(r)) {
		if (!mono_reached(now, when)) {
			net_timer_arm(r->setup.net, &r->pause, when);
			return;
		}
		if (r->group == RECORDER_UNKNOWN) {
			discover(r);
			return;
		}
		if ((flight = free_flight(r)) == NULL)
			return;
		if (recorder_rate_all(r, now, &when))
			send_first(r, flight);
	}
}
