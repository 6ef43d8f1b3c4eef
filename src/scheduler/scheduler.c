/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduler: its parts are set up, its loop is turned, it ends in order.
 */
#include "scheduler/scheduler.h"

#include "base/log.h"
#include "scheduler/private.h"

enum {
	STOP_EVENTS_MS = 2000, /* for events that are still to be sent */
	SCRATCH_SURE = 128 * 1024,
	/* Answers come in over connections, of which there are fewer, extenders' included. */
	ANSWERS_MAX = 32
};

/* Every kind that a plugin looks at. */
static const uint32_t all_kinds = WATCH_ALL_KINDS;

/* ---- setting up ---- */

size_t scheduler_bindings_size(uint32_t pre_binds, uint32_t queue)
{
	return pre_bind_size(pre_binds) + pool_size(sizeof(struct scheduler_binding), pre_binds) +
		pool_lane_size(sizeof(uint32_t), queue);
}

size_t scheduler_size(const struct scheduler_limits *l)
{
	return cache_size(&l->cache) + cycle_size(&l->cycle) + queue_size(l->queue) +
		watch_size(all_kinds) + api_client_size(ANSWERS_MAX) + binder_size(l->bindings) +
		status_patcher_size(l->patches) + evictor_size(l->victims) +
		recorder_size(l->events, l->series) + lease_size() +
		scheduler_bindings_size(l->pre_binds, l->queue) + pre_bind_size(1) +
		pool_size(sizeof(struct scheduler_binding), l->bindings) +
		pool_size(sizeof(struct scheduler_preemption), SCHEDULER_PREEMPTIONS_MAX) +
		pool_size(sizeof(struct scheduler_victim), l->victims) +
		arena_span_size(l->scratch_bytes) + history_size(l->history_bytes) + 1024;
}

size_t scheduler_space(void)
{
	return watch_space(all_kinds);
}

static void scheduler_print(const void *self)
{
	const struct scheduler *s = self;
	check_print("scheduler %s bindings %u preemptions %u pending %u wanted %x known %x\n",
		scheduler_wait_name(s->leader.waits), (unsigned)pool_used(&s->bindings.pool),
		(unsigned)pool_used(&s->preemptions.pool), (unsigned)s->cache.pods_pending,
		(unsigned)s->sync.wanted, (unsigned)s->sync.known);
}

static void print_cache(const void *self)
{
	cache_print(&((const struct scheduler *)self)->cache);
}

static void print_queue(const void *self)
{
	queue_print(&((const struct scheduler *)self)->queue);
}

static void print_cycle(const void *self)
{
	cycle_print(&((const struct scheduler *)self)->cycle);
}

/* Asked before a binding is sent, a volume given away, or a victim told to go. */
bool scheduler_may_write(void *self)
{
	const struct scheduler *s = self;
	return s->lease == NULL ||
		(s->leader.barrier == 0 && lease_holds(s->lease, clock_mono(&s->setup.clock)));
}

void scheduler_init(struct scheduler *s, const struct scheduler_setup *setup)
{
	const struct scheduler_limits *l = &setup->limits;
	s->setup = *setup;
	s->net = setup->net;
	cache_init(&s->cache, setup->arena, &l->cache);
	scratch_init_for(&s->scratch, setup->arena, l->scratch_bytes);
	/* Most objects need no more: they can be read however full the budget is. */
	CHECK(page_span_reach(&s->scratch.span,
		l->scratch_bytes < SCRATCH_SURE ? l->scratch_bytes : SCRATCH_SURE));
	pool_init(&s->bindings.pool, setup->arena, "binding cycles",
		sizeof(struct scheduler_binding), l->bindings + l->pre_binds);
	pool_init(&s->preemptions.pool, setup->arena, "preemptions",
		sizeof(struct scheduler_preemption), SCHEDULER_PREEMPTIONS_MAX);
	pool_init(&s->preemptions.victims, setup->arena, "victims", sizeof(struct scheduler_victim),
		l->victims);
	s->api = api_client_open(&(struct api_setup){
		.net = setup->net,
		.server = setup->client,
		.arena = setup->arena,
		.entropy = setup->entropy,
		.answers_max = ANSWERS_MAX,
		.may_write = scheduler_may_write,
		.self = s,
	});
	history_init(&s->history, setup->arena, l->history_bytes);
	sink_open(&s->decision_log, setup->decision_log);
	net_timer_init(&s->sync.relist, scheduler_relist_due);
	s->sync.relist_ms = SCHEDULER_RELIST_MS;
	check_register((struct check_dump){"scheduler", scheduler_print, s});
	check_register((struct check_dump){"cache", print_cache, s});
	check_register((struct check_dump){"queue", print_queue, s});
	check_register((struct check_dump){"cycle", print_cycle, s});
}

/* What plugins write is written as it is read. */
static const char *scheduler_version_of(void *self, enum kube_kind kind)
{
	const struct scheduler *s = self;
	return watch_stats(s->watch, kind).api_version;
}

static void scheduler_init_writers(struct scheduler *s)
{
	const struct scheduler_setup *setup = &s->setup;
	const struct scheduler_limits *l = &setup->limits;
	s->binder = binder_init(&(struct binder_setup){
		.client = s->api,
		.arena = setup->arena,
		.orders_max = l->bindings,
		.done = scheduler_binding_done,
		.self = s,
	});
	s->status_patcher = status_patcher_init(&(struct status_patcher_setup){
		.client = s->api,
		.arena = setup->arena,
		.patches_max = l->patches,
	});
	s->evictor = evictor_init(&(struct evictor_setup){
		.client = s->api,
		.arena = setup->arena,
		.clock = setup->clock,
		.victims_max = l->victims,
		.evicted = scheduler_evicted,
		.self = s,
	});
	s->pre_bind = pre_bind_init(&(struct pre_bind_setup){
		.client = s->api,
		.arena = setup->arena,
		.cache = &s->cache,
		.clock = setup->clock,
		.orders_max = l->pre_binds,
		.version_of = scheduler_version_of,
		.refused = scheduler_one_off_refused,
		.done = scheduler_pre_bind_done,
		.self = s,
	});
	s->recorder = recorder_init(&(struct recorder_setup){
		.client = s->api,
		.arena = setup->arena,
		.clock = setup->clock,
		.entropy = setup->entropy,
		.instance = setup->hostname,
		.events_max = l->events,
		.series_max = l->series,
	});
}

/* Another replica leads: the picture is kept warm. */
static void scheduler_other_leads(void *self, struct text identity)
{
	struct scheduler *s = self;
	if (identity.size > 0 && !text_is(identity, s->setup.lease.identity))
		scheduler_start_informers(s, WATCH_KIND(KUBE_POD));
}

static bool scheduler_init_lease(struct scheduler *s)
{
	const struct scheduler_lease *l = &s->setup.lease;
	if (!l->elect) {
		s->leader.leading = true;
		return true;
	}
	s->lease = lease_init(&(struct lease_setup){
		.client = s->api,
		.arena = s->setup.arena,
		.clock = s->setup.clock,
		.entropy = s->setup.entropy,
		.namespace = l->namespace,
		.name = l->name,
		.identity = l->identity,
		.duration_ms = l->duration_ms,
		.renew_deadline_ms = l->renew_deadline_ms,
		.retry_period_ms = l->retry_period_ms,
		.changed = scheduler_lease_changed,
		.holder = scheduler_other_leads,
		.self = s,
	});
	return s->lease != NULL;
}

bool scheduler_start(
	struct scheduler *s, const struct plugin_profile *profiles, uint32_t profile_count)
{
	const struct scheduler_setup *setup = &s->setup;
	s->all_profiles = profiles;
	s->profiles = profiles;
	s->profile_count = profile_count;
	cycle_init(
		&s->cycle, setup->arena, &setup->limits.cycle, &s->cache, profiles, profile_count);
	s->timer = (struct plugin_timer){.clock = &s->setup.clock,
		.point = scheduler_point_took,
		.plugin = scheduler_plugin_took,
		.self = &s->metrics};
	s->cycle.timer = &s->timer;
	s->cycle.clock = &s->setup.clock;
	queue_init(&s->queue, setup->arena,
		&(struct queue_settings){
			.capacity = setup->limits.queue,
			.backoff_initial_us = setup->backoff_initial_us,
			.backoff_max_us = setup->backoff_max_us,
			.unschedulable_max_us = setup->unschedulable_max_us,
			.gate = scheduler_gate,
			.self = s,
			.strings = &s->cache.strings,
		},
		scheduler_now(s));
	scheduler_init_bindings(s);
	scheduler_init_writers(s);
	if (!scheduler_init_lease(s))
		return false;
	s->watch = watch_init(&(struct watch_setup){
		.net = setup->net,
		.client = setup->client,
		.entropy = setup->entropy,
		.arena = setup->arena,
		.scratch = &s->scratch,
		.sink = scheduler_sink(s),
		.kinds = all_kinds,
		.pod_want = s->cache.pod_wants.object,
		.page_first = true,
	});
	scheduler_init_requeue(s);
	scheduler_init_release(s);
	s->leader.waits = scheduler_waits(s, scheduler_now(s));
	recorder_start(s->recorder);
	if (s->lease != NULL)
		lease_start(s->lease);
	scheduler_start_informers(s,
		s->lease != NULL ? SCHEDULER_VITAL_KINDS & ~WATCH_KIND(KUBE_POD)
				 : SCHEDULER_VITAL_KINDS);
	return true;
}

/* ---- the loop ---- */

static int64_t scheduler_sleep_us(const struct scheduler *s, int64_t timeout_us)
{
	bool may = scheduler_waits(s, scheduler_now(s)) == SCHEDULER_READY;
	if (may && (scheduler_can_schedule(s) || scheduler_has_answer(s)))
		return 0;
	struct mono due = queue_next_due(&s->queue);
	struct mono next = scheduler_pace_due(s);
	if (may && s->queue.pods[QUEUE_ACTIVE] > 0 && !mono_reached(scheduler_now(s), next) &&
		next.us < due.us)
		due = next;
	next = mono_after_ms(s->reports.patched, SCHEDULER_PATCH_STALL_MS);
	if (may && scheduler_waits_for_patches(s) && next.us < due.us)
		due = next;
	next = scheduler_stale_due(s);
	if (may && next.us < due.us)
		due = next;
	next = scheduler_relief_due(s);
	if (next.us < due.us)
		due = next;
	due = mono_earlier(due, scheduler_others_due(s));
	if (s->cache.devices.left > 0)
		due = mono_earlier(due, mono_after_ms(scheduler_now(s), CACHE_PENDING_LEFT_MS / 8));
	due = mono_earlier(due, scheduler_refresh_due(s));
	if (due.us == MONO_NEVER.us)
		return timeout_us;
	/* The clock has moved on since it was read; being early once is harmless. */
	int64_t left = mono_since_us(due, clock_mono(&s->setup.clock));
	if (left < 0)
		left = 0;
	return timeout_us >= 0 && timeout_us < left ? timeout_us : left;
}

static void flush_timers(struct scheduler *s)
{
	scheduler_refresh(s);
	struct queue_flushed flushed =
		queue_flush(&s->queue, scheduler_now(s), SCHEDULER_FLUSH_MAX);
	s->metrics.incoming[SCHEDULER_BACKOFF_COMPLETE][0] += flushed.completed;
	s->metrics.incoming[SCHEDULER_WAITED_TOO_LONG][0] += flushed.leftovers.active;
	s->metrics.incoming[SCHEDULER_WAITED_TOO_LONG][1] += flushed.leftovers.backoff;
	scheduler_relieve(s);
}

static void schedule_pods(struct scheduler *s)
{
	CHECK(cache_log_count(&s->cache) == 0); /* what is decided on is what the queue knows */
	struct mono start = clock_mono(&s->setup.clock);
	struct mono now = start;
	while (mono_since_us(now, start) < SCHEDULER_DECIDE_US) {
		/* A process that was stopped for a while must find out before it writes. */
		if (scheduler_waits(s, now) != SCHEDULER_READY)
			break;
		scheduler_requeue_held(s);
		if (!scheduler_decide_answered(s) && !schedule_one(s))
			break;
		now = clock_mono(&s->setup.clock);
	}
}

/* Requests are handed out already; the next poll of the network carries them. */
static void write_out(struct scheduler *s)
{
	bool busy = s->queue.pods[QUEUE_ACTIVE] > 0 && s->leader.waits == SCHEDULER_READY;
	net_hurry(s->net, busy);
	/* Events are for people, who can wait; the last third of the room is kept flowing. */
	struct recorder_stats events = recorder_stats(s->recorder);
	recorder_hold(s->recorder, busy && events.waiting < s->setup.limits.events / 3 * 2);
	scheduler_report_owed(s);
}

static void ending_released(void *self)
{
	struct scheduler *s = self;
	s->ending.done = true;
}

static bool ending_is_quiet(const struct scheduler *s)
{
	return pool_used(&s->bindings.pool) == 0 && pool_used(&s->preemptions.victims) == 0 &&
		status_patcher_stats(s->status_patcher).patches == 0 &&
		evictor_stats(s->evictor).victims == 0;
}

static void ending_go_on(struct scheduler *s)
{
	int64_t left_us = mono_since_us(s->ending.due, scheduler_now(s));
	bool late = left_us <= 0;
	int64_t events_us = (int64_t)(SCHEDULER_STOP_MS - STOP_EVENTS_MS) * CLOCK_MS_US;
	if (s->ending.releasing || (!late && !ending_is_quiet(s)))
		return;
	if (!late && left_us > events_us && !recorder_is_idle(s->recorder))
		return;
	s->ending.releasing = true;
	if (s->lease != NULL)
		lease_release(s->lease, ending_released);
	else
		s->ending.done = true;
}

/* From the end of the sleep, which only the network knows: its clock was read there. */
static void count_turn(struct scheduler *s, struct mono read, struct mono decided)
{
	int64_t busy_us = mono_since_us(clock_mono(&s->setup.clock), scheduler_now(s));
	s->metrics.busy_us += (uint64_t)busy_us;
	s->metrics.network_us += (uint64_t)mono_since_us(read, scheduler_now(s));
	s->metrics.decide_us += (uint64_t)mono_since_us(decided, read);
	if (busy_us > s->metrics.turn_us_max)
		s->metrics.turn_us_max = busy_us;
}

void scheduler_turn(struct scheduler *s, int64_t timeout_us)
{
	s->stats.turns++;
	net_poll(s->net,
		scheduler_sleep_us(s, timeout_us)); /* what changed is applied, and logged */
	struct mono read = clock_mono(&s->setup.clock);
	cache_pending_expire(
		&s->cache, scheduler_now(s), watch_caught_up(s->watch, KUBE_RESOURCE_CLAIM));
	scheduler_requeue_for_changes(s);
	scheduler_follow_patches(s);
	flush_timers(s);
	if (!list_is_empty(&s->bindings.ready) && scheduler_may_write(s))
		scheduler_send_bindings(s);
	schedule_pods(s);
	scheduler_settle_bindings(s);
	struct mono decided = clock_mono(&s->setup.clock);
	write_out(s);
	scheduler_note_wait(s);
	if (s->ending.begun)
		ending_go_on(s);
	count_turn(s, read, decided);
}

/* ---- the end ---- */

static void ending_due(struct net_timer *timer, struct mono now)
{
	/* Only there to wake the loop. */
	(void)timer;
	(void)now;
}

void scheduler_stop(struct scheduler *s)
{
	if (s->ending.begun)
		return;
	log_info("scheduler", "Requested to terminate, exiting", "bindings=%u",
		(unsigned)pool_used(&s->bindings.pool));
	s->ending.begun = true;
	s->ending.due = mono_after_ms(net_now(s->net), SCHEDULER_STOP_MS);
	net_timer_init(&s->ending.timer, ending_due);
	net_timer_arm(s->net, &s->ending.timer, s->ending.due);
	net_wake(s->net);
}

bool scheduler_is_stopped(const struct scheduler *s)
{
	return s->ending.done;
}

void scheduler_close(struct scheduler *s)
{
	net_timer_disarm(&s->sync.relist);
	scheduler_close_release(s);
	if (s->ending.begun)
		net_timer_disarm(&s->ending.timer);
	watch_close(s->watch);
	binder_close(s->binder);
	pre_bind_close(s->pre_bind);
	net_timer_disarm(&s->bindings.permit);
	status_patcher_close(s->status_patcher);
	evictor_close(s->evictor);
	recorder_close(s->recorder);
	if (s->extenders != NULL)
		extenders_close(s->extenders);
	if (s->lease != NULL)
		lease_close(s->lease);
	api_client_close(s->api);
	check_unregister(s);
}
