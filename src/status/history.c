/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happened: samples of each minute, and events with filters.
 *
 * /berth/v1/history?from=MS&to=MS
 *	{"minutes":1440,"events":10000,"bytes":2359296,      what is kept at most, ...
 *	 "eventsKept":712,"oldestEventMs":1790000000000,     ... and now
 *	 "columns":["atMs","pending","bound",...],
 *	 "samples":[[1790000060000,3,12,...],...]}           the oldest first
 *
 * /berth/v1/history/events?from=MS&to=MS&kind=a,b&q=TEXT&before=SERIAL&limit=N
 *	[{"serial":7,"atMs":1790000000123,"kind":"scheduled","pod":"d/web","node":"n1",
 *	  "feasible":3,"tookUs":12,"best":[["n1",312],["n2",300]]},        the newest first
 *	 {"serial":6,...,"kind":"unschedulable","pod":"d/web","message":"0/40 nodes ..."},
 *	 {"serial":5,...,"kind":"preemption","pod":"d/vip","node":"n1","victims":"d/a, d/b"},
 *	 {"serial":4,...,"kind":"node","node":"n1","message":"not ready"}]
 */
#include "status/private.h"

enum { SAMPLE_S = 60, EVENTS_LOOKS = 256, EVENTS_LIMIT = 1000 };

/* ---- a sample each minute ---- */

static uint16_t thousandths(int64_t used, int64_t has)
{
	if (has <= 0 || used <= 0)
		return 0;
	double part = (double)used / (double)has * 1000;
	return part < UINT16_MAX ? (uint16_t)part : UINT16_MAX;
}

static uint32_t since_last(uint64_t now, uint64_t *last)
{
	uint64_t more = now - *last;
	*last = now;
	return more < UINT32_MAX ? (uint32_t)more : UINT32_MAX;
}

static void history_take_sample(struct status *status)
{
	struct scheduler *s = status->s;
	struct status_counted *c = &status->counted;
	struct overview_sums sums;
	overview_sum(&s->cache, &sums);
	history_sample_put(&s->history,
		(struct history_sample){
			.at_s = clock_wall(&s->setup.clock).us / CLOCK_S_US,
			.pending = scheduler_pods_pending(s),
			.bound = since_last(s->stats.bound, &c->bound),
			.unschedulable = since_last(
				s->stats.attempts[SCHEDULER_UNSCHEDULABLE], &c->unschedulable),
			.errors = since_last(s->stats.attempts[SCHEDULER_ERROR], &c->errors),
			.lost = since_last(s->stats.bind_lost, &c->lost),
			.evicted = since_last(s->stats.victims, &c->evicted),
			.cpu = thousandths(sums.requested[0], sums.allocatable[0]),
			.memory = thousandths(sums.requested[1], sums.allocatable[1]),
			.not_ready = sums.count[OVERVIEW_NOT_READY],
		});
}

/* The next full minute of people's clock. */
static void history_arm(struct status *status, struct mono now)
{
	int64_t second = clock_wall(&status->s->setup.clock).us / CLOCK_S_US % SAMPLE_S;
	second = second < 0 ? 0 : second;
	net_timer_arm(
		status->setup.net, &status->minute, mono_after_ms(now, (SAMPLE_S - second) * 1000));
}

static void history_minute(struct net_timer *timer, struct mono now)
{
	struct status *status = LIST_OWNER(timer, struct status, minute);
	history_take_sample(status);
	history_arm(status, now);
}

void history_open(struct status *status)
{
	net_timer_init(&status->minute, history_minute);
	if (history_is_kept(&status->s->history))
		history_arm(status, net_now(status->setup.net));
}

/* ---- samples ---- */

/* Of a time in milliseconds. */
static int64_t history_time(const struct status_answer *a, const char *name, int64_t otherwise)
{
	int64_t value;
	struct text text = net_query_find(a->exchange->query, name);
	return text.size > 0 && text_to_i64(text, &value) ? value : otherwise;
}

static void history_put_sample(const struct history_sample *s, struct writer *w)
{
	const int64_t columns[] = {s->at_s * 1000, s->pending, s->bound, s->unschedulable,
		s->errors, s->lost, s->evicted, s->cpu, s->memory, s->p50_us, s->p99_us,
		s->not_ready};
	struct json_writer j;
	json_write_init(&j, w);
	json_open_array(&j);
	for (size_t i = 0; i < ARRAY_COUNT(columns); i++)
		json_put_i64(&j, columns[i]);
	json_close_array(&j);
}

static void history_put_head(const struct history *h, struct writer *w)
{
	static const char *const names[] = {"atMs", "pending", "bound", "unschedulable", "errors",
		"lost", "evicted", "cpuPermille", "memoryPermille", "p50Us", "p99Us", "notReady"};
	struct json_writer j;
	json_write_init(&j, w);
	json_open_object(&j);
	json_member_i64(&j, "minutes", h->minutes);
	json_member_i64(&j, "events", HISTORY_EVENTS);
	json_member_i64(&j, "bytes", (int64_t)h->capacity);
	json_member_i64(&j, "eventsKept", (int64_t)history_events(h));
	json_member_i64(&j, "oldestEventMs", history_oldest(h).us / CLOCK_MS_US);
	json_member_array(&j, "columns");
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		json_put_z(&j, names[i]);
	json_close_array(&j);
	write_z(w, ",\"samples\":[");
}

/* `serial` is the number of the next sample from the start of the process: some may be gone. */
static bool history_step(struct status_answer *a, struct writer *w)
{
	const struct history *h = &a->status->s->history;
	if (a->part == 0) {
		history_put_head(h, w);
		a->part = 1;
		a->serial = h->samples > h->minutes ? h->samples - h->minutes : 0;
		return true;
	}
	if (a->serial >= h->samples) {
		write_z(w, "\n]}\n");
		return false;
	}
	const struct history_sample *s =
		history_sample_at(h, h->samples - 1 - (uint32_t)a->serial++);
	if (s == NULL || s->at_s * 1000 < history_time(a, "from", 0) ||
		s->at_s * 1000 > history_time(a, "to", INT64_MAX))
		return true;
	write_z(w, a->any ? ",\n" : "\n");
	a->any = true;
	history_put_sample(s, w);
	return true;
}

void history_answer(struct status_answer *a)
{
	status_stream(a, status_json, history_step);
}

/* ---- events ---- */

static bool is_of_kind(const struct status_answer *a, enum history_kind kind)
{
	struct text rest = net_query_find(a->exchange->query, "kind");
	struct text part;
	if (rest.size == 0)
		return true;
	while (text_cut(&rest, ',', &part))
		if (text_is_z(part, history_kind_names[kind]))
			return true;
	return false;
}

static bool is_wanted(const struct status_answer *a, const struct history_event *event)
{
	struct text filter = text_of(a->filter);
	return event->at.us / CLOCK_MS_US <= history_time(a, "to", INT64_MAX) &&
		is_of_kind(a, event->kind) &&
		(filter.size == 0 || text_contains(event->pod, filter) ||
			text_contains(event->node, filter) ||
			(event->kind == HISTORY_PREEMPTION && text_contains(event->words, filter)));
}

void history_put_event(const struct history_event *event, struct json_writer *j)
{
	json_member_i64(j, "serial", (int64_t)event->serial);
	json_member_i64(j, "atMs", event->at.us / CLOCK_MS_US);
	json_member_z(j, "kind", history_kind_names[event->kind]);
	if (event->pod.size > 0)
		json_member_text(j, "pod", event->pod);
	if (event->node.size > 0)
		json_member_text(j, "node", event->node);
	if (event->kind <= HISTORY_ERROR) {
		json_member_i64(j, "feasible", event->feasible);
		json_member_i64(j, "tookUs", event->took_us);
	}
	if (event->words.size == 0)
		return;
	if (event->kind == HISTORY_SCHEDULED) {
		json_key(j, "best");
		json_put_raw(j, event->words);
	} else {
		json_member_text(
			j, event->kind == HISTORY_PREEMPTION ? "victims" : "message", event->words);
	}
}

static bool history_event_step(struct status_answer *a, struct writer *w)
{
	const struct history *h = &a->status->s->history;
	int64_t from = history_time(a, "from", INT64_MIN);
	struct history_walk walk = {a->serial, a->at};
	struct history_event event;
	struct json_writer j;
	for (uint32_t looks = 0; looks < EVENTS_LOOKS; looks++) {
		if (a->row == a->limit || !history_older(h, &walk, &event) ||
			event.at.us / CLOCK_MS_US < from)
			return rows_end(a, w);
		a->serial = walk.serial;
		a->at = walk.at;
		if ((a->part != 0 && event.serial >= a->part) || !is_wanted(a, &event))
			continue;
		a->row++;
		rows_begin(a, w, &j);
		history_put_event(&event, &j);
		json_close_object(&j);
		return true;
	}
	return true;
}

void history_events_answer(struct status_answer *a)
{
	struct text filter = status_parameter(a, "q", a->filter, sizeof(a->filter) - 1);
	a->filter[filter.size] = '\0';
	a->limit = status_number(a, "limit", EVENTS_LIMIT);
	a->part = status_number(a, "before", 0);
	status_stream(a, status_json, history_event_step);
}
