/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorder: events come in, and those that say the same become one.
 *
 * What kube-scheduler does: two events are the same when all but their notes are. The first is
 * created. The second makes a series of it, by a patch that counts 2; from the third on only a
 * number in memory grows, which the server hears of every 30 minutes, and once more when nothing
 * was added for 6. The pod's resourceVersion is one of the things that must be the same.
 *
 * What we do: the same, with these bounds. The server is told of a number only when it has
 * changed. What is remembered has a fixed size: the series that was silent for longest is dropped.
 * A queue of fixed size waits to be sent; when it is full the newest event is dropped, since the
 * older ones say when it began. Nothing is ever dropped but from there, so what is in the table
 * is, or will be, on the server.
 */
#include "bind/event_recorder_private.h"

#include "base/hash.h"

/* As Kubernetes bounds them; what is longer would be refused. */
static const uint16_t field_max[RECORDER_FIELDS] = {
	[RECORDER_API_VERSION] = 128,
	[RECORDER_KIND] = 64,
	[RECORDER_NAMESPACE] = 63,
	[RECORDER_NAME] = 253,
	[RECORDER_UID] = 128,
	[RECORDER_RESOURCE_VERSION] = 64,
	[RECORDER_TYPE] = 16,
	[RECORDER_REASON] = 128,
	[RECORDER_ACTION] = 128,
	[RECORDER_CONTROLLER] = 253,
	[RECORDER_NOTE] = RECORDER_NOTE_KEPT,
};

/* ---- entries ---- */

struct text recorder_field(
	const struct recorder *r, const struct recorder_entry *e, enum recorder_field field)
{
	const char *at = store_at(&r->texts, e->text);

	for (uint32_t i = 0; i < (uint32_t)field; i++)
		at += e->sizes[i];
	return (struct text){at, e->sizes[field]};
}

uint32_t recorder_index(const struct recorder *r, const struct recorder_entry *e)
{
	const struct recorder_entry *first = (const void *)r->entries.slots;
	uint32_t index = 1 + (uint32_t)(e - first);

	CHECK(recorder_entry_at(r, index) == e);
	return index;
}

static struct recorder_entry *entry_of(struct list *link)
{
	return LIST_OWNER(link, struct recorder_entry, link);
}

void recorder_forget(struct recorder *r, struct recorder_entry *e)
{
	uint32_t index = recorder_index(r, e);

	CHECK(list_is_empty(&e->link));
	map_remove(&r->by_key, e->hash, index);
	store_give(&r->texts, e->text);
	pool_give(&r->entries, index);
}

static void unkeep(struct recorder *r, struct recorder_entry *e)
{
	CHECK(e->state == RECORDER_KEPT);
	CHECK(r->kept_count > 0);
	list_remove(&e->link);
	r->kept_count--;
}

/* The one that was silent for longest is dropped. */
static bool evict(struct recorder *r)
{
	struct list *link = list_first(&r->kept);

	if (link == NULL)
		return false;
	unkeep(r, entry_of(link));
	recorder_forget(r, entry_of(link));
	return true;
}

static void arm_sweep(struct recorder *r)
{
	struct list *link = list_first(&r->kept);

	if (link != NULL && !net_timer_is_armed(&r->sweep))
		net_timer_arm(api_client_net(r->setup.client), &r->sweep,
			mono_after_ms(entry_of(link)->used_at, RECORDER_IDLE_S * 1000));
}

void recorder_keep(struct recorder *r, struct recorder_entry *e)
{
	CHECK(e->posted);
	e->state = RECORDER_KEPT;
	e->tries = 0;
	list_add_last(&r->kept, &e->link);
	if (++r->kept_count > r->setup.series_max)
		evict(r);
	arm_sweep(r);
}

bool recorder_has_room(const struct recorder *r)
{
	return r->waiting_count + r->sending_count < r->setup.events_max;
}

void recorder_enqueue(struct recorder *r, struct recorder_entry *e)
{
	struct list *after = r->waiting.prev;

	/* From the end: only what is tried again belongs further to the front. */
	while (after != &r->waiting && entry_of(after)->number > e->number)
		after = after->prev;
	list_add_first(after, &e->link);
	e->state = RECORDER_WAITING;
	r->waiting_count++;
}

/* ---- the end of a series ---- */

static void send_patch(struct recorder *r, struct recorder_entry *e)
{
	unkeep(r, e);
	e->number = ++r->number;
	recorder_enqueue(r, e);
}

static void on_sweep(struct net_timer *timer, struct mono now)
{
	struct recorder *r = LIST_OWNER(timer, struct recorder, sweep);
	struct list *link;

	while ((link = list_first(&r->kept)) != NULL) {
		struct recorder_entry *e = entry_of(link);

		if (mono_since_us(now, e->used_at) < (int64_t)RECORDER_IDLE_S * CLOCK_S_US)
			break;
		if (e->count > e->told_count && recorder_has_room(r)) {
			e->last = true;
			send_patch(r, e);
		} else {
			unkeep(r, e);
			recorder_forget(r, e);
		}
	}
	arm_sweep(r);
	recorder_send(r);
}

/* ---- recording ---- */

static bool gather(const struct recorder_event *event, struct text fields[RECORDER_FIELDS])
{
	const struct body_reference *regarding = &event->regarding;

	fields[RECORDER_API_VERSION] = regarding->api_version;
	fields[RECORDER_KIND] = regarding->kind;
	fields[RECORDER_NAMESPACE] = regarding->namespace;
	fields[RECORDER_NAME] = regarding->name;
	fields[RECORDER_UID] = regarding->uid;
	fields[RECORDER_RESOURCE_VERSION] = regarding->resource_version;
	fields[RECORDER_TYPE] = event->type;
	fields[RECORDER_REASON] = event->reason;
	fields[RECORDER_ACTION] = event->action;
	fields[RECORDER_CONTROLLER] = event->controller;
	fields[RECORDER_NOTE] = event->note;
	if (fields[RECORDER_NOTE].size > RECORDER_NOTE_KEPT)
		fields[RECORDER_NOTE].size = RECORDER_NOTE_KEPT;
	for (uint32_t i = 0; i < RECORDER_FIELDS; i++)
		if (fields[i].size > field_max[i])
			return false;
	return true;
}

static uint32_t key_hash(const struct text fields[RECORDER_FIELDS], bool core)
{
	uint32_t hash = core ? 1 : 0;

	for (uint32_t i = 0; i < RECORDER_KEYS; i++)
		hash = hash_more(hash, hash_bytes(fields[i].at, fields[i].size));
	return hash;
}

static struct recorder_entry *find(const struct recorder *r,
	const struct text fields[RECORDER_FIELDS], bool core, uint32_t hash)
{
	struct map_walk walk = map_walk(&r->by_key, hash);
	uint32_t index;

	while ((index = map_next(&r->by_key, &walk)) != 0) {
		struct recorder_entry *e = recorder_entry_at(r, index);
		uint32_t i = 0;

		if (e->core != core || e->last)
			continue;
		while (i < RECORDER_KEYS &&
			text_is(recorder_field(r, e, (enum recorder_field)i), fields[i]))
			i++;
		if (i == RECORDER_KEYS)
			return e;
	}
	return NULL;
}

static void join(struct recorder *r, struct recorder_entry *e,
	const struct body_reference *regarding, struct mono now)
{
	r->stats.joined++;
	if (e->count < UINT32_MAX)
		e->count++;
	e->last_time = clock_wall(&r->setup.clock);
	e->used_at = now;
	if (e->state != RECORDER_KEPT)
		return; /* it will be seen when that is done */
	list_remove(&e->link);
	list_add_last(&r->kept, &e->link);
	bool due = e->told_count == 1 ||
		mono_since_us(now, e->told_at) >= (int64_t)RECORDER_TELL_S * CLOCK_S_US;
	if (due && recorder_has_room(r) &&
		recorder_rate_subject(r, regarding, recorder_field(r, e, RECORDER_REASON), now)) {
		send_patch(r, e);
		recorder_send(r);
	}
}

static uint32_t take_text(struct recorder *r, const struct text fields[RECORDER_FIELDS])
{
	uint32_t handle;
	size_t size = 0;

	for (uint32_t i = 0; i < RECORDER_FIELDS; i++)
		size += fields[i].size;
	while ((handle = store_take(&r->texts, size)) == 0)
		if (!evict(r))
			return 0;
	char *at = store_at(&r->texts, handle);

	for (uint32_t i = 0; i < RECORDER_FIELDS; i++) {
		if (fields[i].size > 0)
			memcpy(at, fields[i].at, fields[i].size);
		at += fields[i].size;
	}
	return handle;
}

static void add(struct recorder *r, const struct text fields[RECORDER_FIELDS], bool core,
	uint32_t hash, uint32_t text, struct mono now)
{
	uint32_t index = pool_take(&r->entries);

	CHECK(index != 0);
	struct recorder_entry *e = recorder_entry_at(r, index);

	e->core = core;
	e->hash = hash;
	e->text = text;
	for (uint32_t i = 0; i < RECORDER_FIELDS; i++)
		e->sizes[i] = (uint16_t)fields[i].size;
	e->count = 1;
	e->number = ++r->number;
	e->first_time = e->last_time = clock_wall(&r->setup.clock);
	/* Two in one microsecond, about one object, still have different names. */
	e->nanos = (uint64_t)e->first_time.us * 1000 + e->number % 1000;
	for (uint32_t i = 0; i < BODY_RANDOM; i++)
		e->random[i] = (uint8_t)random_next(&r->random);
	e->used_at = now;
	map_add(&r->by_key, hash, index);
	recorder_enqueue(r, e);
}

static bool record(struct recorder *r, const struct recorder_event *event, bool core)
{
	struct mono now = clock_mono(&r->setup.clock);
	struct text fields[RECORDER_FIELDS];
	struct recorder_entry *e;
	uint32_t text;

	r->stats.recorded++;
	if (!gather(event, fields)) {
		r->stats.failed++;
		return false;
	}
	uint32_t hash = key_hash(fields, core);

	if ((e = find(r, fields, core, hash)) != NULL) {
		join(r, e, &event->regarding, now);
		return true;
	}
	if (!recorder_has_room(r)) {
		r->stats.dropped_full++;
		return false;
	}
	if (!recorder_rate_subject(r, &event->regarding, event->reason, now)) {
		r->stats.dropped_rate++;
		return false;
	}
	if ((text = take_text(r, fields)) == 0) {
		r->stats.dropped_full++;
		return false;
	}
	add(r, fields, core, hash, text, now);
	recorder_send(r);
	return true;
}

bool recorder_record(struct recorder *r, const struct recorder_event *event)
{
	return record(r, event, false);
}

bool recorder_record_leader(struct recorder *r, const struct recorder_event *event)
{
	return record(r, event, true);
}

/* ---- what else callers do ---- */

/* Waiting, on their way, kept; and one that is kept before another is dropped. */
static uint32_t entries_max(uint32_t events_max, uint32_t series_max)
{
	return events_max + series_max + 1;
}

static size_t texts_size(uint32_t events_max, uint32_t series_max)
{
	size_t size = (size_t)(events_max + series_max) * RECORDER_TEXT_MEAN;

	/* Whatever the numbers are, one of each kind always fits. */
	return size < 16 * 1024 ? 16 * 1024 : size;
}

static void dump(const void *self)
{
	const struct recorder *r = self;

	check_print("  waiting %u, sending %u, kept %u, sent %llu, failed %llu\n",
		(unsigned)r->waiting_count, (unsigned)r->sending_count, (unsigned)r->kept_count,
		(unsigned long long)r->stats.sent, (unsigned long long)r->stats.failed);
}

struct recorder *recorder_init(const struct recorder_setup *setup)
{
	struct recorder *r = arena_take(setup->arena, sizeof(*r));
	uint32_t entries = entries_max(setup->events_max, setup->series_max);
	size_t texts = texts_size(setup->events_max, setup->series_max);
	uint64_t seed = 1;

	CHECK(setup->events_max > 0);
	CHECK(setup->series_max > 0);
	r->setup = *setup;
	if (setup->instance.size > sizeof(r->instance))
		r->setup.instance.size = sizeof(r->instance);
	if (setup->instance.size > 0)
		memcpy(r->instance, setup->instance.at, r->setup.instance.size);
	r->setup.instance.at = r->instance;
	/* For names and jitter, which only have to be different. */
	(void)setup->entropy.fill(setup->entropy.self, &seed, sizeof(seed));
	random_init(&r->random, seed);
	pool_init_fixed(
		&r->entries, setup->arena, "events", sizeof(struct recorder_entry), entries);
	map_init(&r->by_key, setup->arena, entries);
	store_init(&r->texts, "event texts", arena_take_raw(setup->arena, texts), texts);
	list_init(&r->waiting);
	list_init(&r->kept);
	recorder_rate_init(r, setup->arena);
	net_timer_init(&r->sweep, on_sweep);
	recorder_send_init(r);
	check_register((struct check_dump){"recorder", dump, r});
	return r;
}

size_t recorder_size(uint32_t events_max, uint32_t series_max)
{
	uint32_t entries = entries_max(events_max, series_max);

	return sizeof(struct recorder) + pool_size(sizeof(struct recorder_entry), entries) +
		map_size(entries) + texts_size(events_max, series_max) +
		recorder_rate_size(series_max) + 6 * 16;
}

void recorder_start(struct recorder *r)
{
	r->started = true;
	recorder_send(r);
}

void recorder_close(struct recorder *r)
{
	recorder_send_stop(r);
	net_timer_disarm(&r->sweep);
	r->started = false;
	budget_unregister(&r->entries.budget);
	budget_unregister(&r->texts.budget);
	budget_unregister(&r->subjects.budget);
	check_unregister(r);
}

void recorder_hold(struct recorder *r, bool held)
{
	if (r->held == held)
		return;
	r->held = held;
	recorder_send(r);
}

struct recorder_stats recorder_stats(const struct recorder *r)
{
	struct recorder_stats stats = r->stats;

	stats.waiting = r->waiting_count + r->sending_count;
	stats.remembered = r->kept_count;
	return stats;
}

bool recorder_is_idle(const struct recorder *r)
{
	return r->waiting_count + r->sending_count == 0;
}
