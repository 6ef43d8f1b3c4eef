/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flight: a pod is assumed on its node, its claims, if any, are bound, its binding is on its way.
 * What the answer says and what the watch says may come in any order; the flight ends with the
 * answer, the pod's place is ours until the watch shows the pod on its node or the flight has
 * failed.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum { MESSAGE_MAX = 2048 };

/* Who binds the pod, if it is not the apiserver. */
static bool is_via(const struct scheduler *s, const struct scheduler_flight *flight,
	struct extender_binder *by)
{
	return s->extenders != NULL && !flight->direct &&
		scheduler_is_pod(s, flight->pod, flight->uid) &&
		extenders_binder(s->extenders,
			cache_template_of(&s->cache, cache_pod_at(&s->cache, flight->pod)), by);
}

/* Has it room to be bound now? It waits until it has. */
static void bind(struct scheduler *s, uint32_t index)
{
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	struct scheduler_words words;
	struct extender_binder by;
	bool via = is_via(s, flight, &by);
	if (!(via ? binder_has_room_via(s->binder) : binder_has_room(s->binder))) {
		flight->state = SCHEDULER_CLEARED;
		s->cleared++;
		return;
	}
	flight->state = SCHEDULER_BINDS;
	flight->stage_began = clock_mono(&s->setup.clock);
	scheduler_words(s, flight->pod, &words);
	const struct binder_order order = {
		.pod = words.pod,
		.node = cache_text(&s->cache, flight->node_name),
		.via = {via ? by.client : NULL, by.url, by.path, by.timeout_ms},
		.tag = index,
	};
	binder_bind(s->binder, &order);
}

static void bind_claims(struct scheduler *s, uint32_t index, const struct schedule_result *decision,
	uint32_t nominated)
{
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	const struct volumes_order order = {
		.tag = index,
		.pod = flight->pod,
		.node = flight->node,
		.nominated = nominated,
		.choices = decision->volumes,
		.choice_count = decision->volume_count,
		.timeout_ms = PLUGIN_ARGS(flight->profile, VOLUME_BINDING, volume_binding_args)
				      ->bind_timeout_seconds *
			1000,
	};
	flight->state = SCHEDULER_CLAIMS;
	flight->stage_began = flight->began;
	volumes_begin(s->volumes, &order);
}

void scheduler_take_off(struct scheduler *s, uint32_t entry, const struct schedule_result *decision,
	uint32_t nominated)
{
	uint32_t index = pool_take(&s->flights);
	CHECK(index != 0); /* asked for before the attempt */
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	*flight = (struct scheduler_flight){
		.uid = cache_pod_at(&s->cache, e->pod)->uid,
		.pod = e->pod,
		.entry = entry,
		.node = decision->node,
		.node_name = cache_node_at(&s->cache, decision->node)->name,
		.attempts = e->attempts,
		.profile = cycle_profile_of(&s->cycle, e->pod),
		.began = s->metrics.attempt_began,
		.first_attempt = e->first_attempt,
	};
	intern_keep(&s->cache.strings, flight->node_name);
	if (decision->volume_count > 0)
		bind_claims(s, index, decision, nominated);
	else
		bind(s, index);
}

static void end(struct scheduler *s, uint32_t index)
{
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	intern_give(&s->cache.strings, flight->node_name);
	pool_give(&s->flights, index);
}

/* Not ours to bind any more, and the binding was not sent: the flight is over. */
static void call_off(struct scheduler *s, uint32_t index)
{
	const struct scheduler_flight *flight = pool_at(&s->flights, index);
	if (flight->state == SCHEDULER_CLAIMS)
		volumes_cancel(s->volumes, index);
	else
		s->cleared--;
	end(s, index);
}

/* 0: it has not taken off, its extenders are asked. */
static uint32_t flight_at_pod(const struct scheduler *s, uint32_t entry)
{
	uint32_t i = pool_next(&s->flights, 0);
	while (i != 0 && ((struct scheduler_flight *)pool_at(&s->flights, i))->entry != entry)
		i = pool_next(&s->flights, i);
	return i;
}

static void leave_queue(struct scheduler *s, uint32_t index, bool is_on_its_node)
{
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	flight->entry = 0; /* it leaves the queue now */
	if (flight->state == SCHEDULER_BINDS)
		binder_seen(s->binder, index, is_on_its_node);
	else
		call_off(s, index);
}

void scheduler_seen_in_flight(struct scheduler *s, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	uint32_t index = flight_at_pod(s, p->waiting);
	if (index == 0) {
		scheduler_drop_ask(s, p->waiting);
		return;
	}
	const struct scheduler_flight *flight = pool_at(&s->flights, index);
	uint32_t expected = flight->node_name;
	bool is_on_its_node = cache_node_at(&s->cache, p->node)->name == expected;
	/* Bound elsewhere by somebody else: upstream wakes nobody for the place it had here. */
	if (!is_on_its_node && cache_find_node_id(&s->cache, expected) != 0)
		scheduler_wake_for_space(s, pod, expected);
	leave_queue(s, index, is_on_its_node);
}

void scheduler_gone_in_flight(struct scheduler *s, uint32_t entry)
{
	uint32_t index = flight_at_pod(s, entry);
	if (index == 0)
		scheduler_drop_ask(s, entry);
	else
		leave_queue(s, index, false);
}

static void count(
	struct scheduler *s, const struct scheduler_flight *flight, enum scheduler_result result)
{
	scheduler_count_attempt(&s->metrics, (uint32_t)(flight->profile - s->profiles), result,
		mono_since_us(scheduler_now(s), flight->began));
}

static void count_stage(struct scheduler *s, const struct scheduler_flight *flight,
	enum scheduler_stage stage, bool well)
{
	int64_t took_us = mono_since_us(scheduler_now(s), flight->stage_began);
	scheduler_observe(&s->metrics.stages[flight->profile - s->profiles][stage][!well],
		&scheduler_scale_point, took_us < 0 ? 0 : (uint64_t)took_us);
}

static void count_bound(struct scheduler *s, const struct scheduler_flight *flight)
{
	struct scheduler_metrics *m = &s->metrics;
	uint32_t tries = flight->attempts < SCHEDULER_ATTEMPTS_MAX ? flight->attempts
								   : SCHEDULER_ATTEMPTS_MAX;
	int64_t waited_us = mono_since_us(scheduler_now(s), flight->first_attempt);
	count(s, flight, SCHEDULER_SCHEDULED);
	scheduler_observe(&m->tries, &scheduler_scale_tries, flight->attempts);
	if (tries > 0 && waited_us >= 0)
		scheduler_observe(&m->sli[tries - 1], &scheduler_scale_sli, (uint64_t)waited_us);
}

static void bound(struct scheduler *s, const struct scheduler_flight *flight)
{
	char note[MESSAGE_MAX];
	struct writer w;
	struct scheduler_words words;
	s->stats.bound++;
	s->stats.attempts[SCHEDULER_SCHEDULED]++;
	count_bound(s, flight);
	if (!scheduler_is_pod(s, flight->pod, flight->uid))
		return; /* deleted meanwhile: nobody is left to tell */
	struct cache_pod *pod = cache_pod_at(&s->cache, flight->pod);
	scheduler_words(s, flight->pod, &words);
	writer_init(&w, note, sizeof(note));
	body_note_scheduled(&words.pod, cache_text(&s->cache, flight->node_name), &w);
	scheduler_tell_event(
		s, flight->pod, flight->profile, "Normal", "Scheduled", "Binding", writer_text(&w));
	if (flight->entry != 0) {
		pod->waiting = 0;
		queue_remove(&s->queue, flight->entry);
	}
}

/* Upstream's words: the error of the plugin that failed. */
static struct text message_of(const char *what, struct text message, char *room, size_t size)
{
	struct writer w;
	size_t most = size / 2;
	writer_init(&w, room, size);
	write_z(&w, what);
	write_text(&w, text_first(message, message.size < most ? message.size : most));
	return writer_text(&w);
}

/* Its place is free again. A node that went away meanwhile has none to offer. */
static void give_back(struct scheduler *s, const struct scheduler_flight *flight)
{
	if (cache_forget(&s->cache, flight->pod) == CACHE_OK &&
		cache_find_node_id(&s->cache, flight->node_name) != 0)
		scheduler_wake_for_space(s, flight->pod, flight->node_name);
}

/* `theirs`: the pod belongs to somebody else by now, and is not told that it waits. */
static void failed(struct scheduler *s, const struct scheduler_flight *flight, struct text message,
	bool theirs)
{
	const struct text none = TEXT("");
	s->stats.attempts[SCHEDULER_ERROR]++;
	count(s, flight, SCHEDULER_ERROR);
	if (!scheduler_is_pod(s, flight->pod, flight->uid))
		return;
	give_back(s, flight);
	if (flight->entry == 0)
		return; /* the watch has told more by now */
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED,
		queue_error(&s->queue, flight->entry, scheduler_now(s)));
	scheduler_tell_event(s, flight->pod, flight->profile, "Warning", "FailedScheduling",
		"Scheduling", message);
	if (!theirs)
		scheduler_tell_condition(s, flight->pod, "SchedulerError", message, &none);
}

static void not_bound(struct scheduler *s, const struct scheduler_flight *flight,
	const struct binder_result *result)
{
	char room[MESSAGE_MAX];
	struct extender_binder by;
	bool lost = result->outcome == BINDER_LOST;
	s->stats.bind_lost += lost;
	s->stats.bind_refused += !lost;
	failed(s, flight,
		message_of(is_via(s, flight, &by) ? "" : "running Bind plugin \"DefaultBinder\": ",
			result->message, room, sizeof(room)),
		lost);
}

/*
 * Another one may have led since, and given away the place that was kept here alone. Pods were told
 * anew by now, so one that was not seen on its node was not bound, unless its answer is still due.
 */
void scheduler_recall_flights(struct scheduler *s)
{
	for (uint32_t i = pool_next(&s->flights, 0); i != 0; i = pool_next(&s->flights, i)) {
		const struct scheduler_flight flight =
			*(struct scheduler_flight *)pool_at(&s->flights, i);
		if (flight.entry == 0)
			continue;
		if (flight.state == SCHEDULER_BINDS) {
			binder_seen(s->binder, i, false);
			continue;
		}
		call_off(s, i);
		failed(s, &flight, TEXT("the lease was lost before the pod was bound"), true);
	}
}

/* ---- claims ---- */

void scheduler_claims_bound(void *self, const struct volumes_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	char room[MESSAGE_MAX];
	count_stage(s, flight, SCHEDULER_STAGE_CLAIMS, result->ok);
	if (result->ok) {
		flight->state = SCHEDULER_CLEARED;
		s->cleared++;
		return;
	}
	scheduler_requeue_for_changes(s); /* what came before the answer */
	if (!pool_is_taken(&s->flights, index))
		return; /* the pod is gone, or somebody else's */
	const struct scheduler_flight ended = *flight;
	failed(s, &ended,
		message_of("running PreBind plugin \"VolumeBinding\": ", result->message, room,
			sizeof(room)),
		false);
	end(s, index);
}

void scheduler_launch_cleared(struct scheduler *s)
{
	for (uint32_t i = pool_next(&s->flights, 0); i != 0 && s->cleared > 0;
		i = pool_next(&s->flights, i)) {
		const struct scheduler_flight *flight = pool_at(&s->flights, i);
		if (flight->state != SCHEDULER_CLEARED)
			continue;
		s->cleared--;
		bind(s, i);
	}
}

/* ---- the answer ---- */

void scheduler_landed(void *self, const struct binder_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	struct extender_binder by;
	scheduler_requeue_for_changes(s); /* what came before the answer */
	/* A pod that goes leaves the queue first. */
	CHECK(flight->entry == 0 || scheduler_is_pod(s, flight->pod, flight->uid));
	count_stage(s, flight, SCHEDULER_STAGE_BIND, result->outcome == BINDER_BOUND);
	if (result->outcome == BINDER_REFUSED && flight->entry != 0 && is_via(s, flight, &by) &&
		by.ignorable) {
		log_warn("extender", "ignored", "error=\"%.*s\"", TEXT_ARGS(result->message));
		flight->direct = true;
		flight->state = SCHEDULER_CLEARED;
		s->cleared++;
		return;
	}
	if (result->outcome == BINDER_BOUND)
		bound(s, flight);
	else
		not_bound(s, flight, result);
	end(s, index);
}
