/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flight: a pod is assumed on its node, its binding is on its way. What the answer says and what
 * the watch says may come in any order; the flight ends with the answer, the pod's place is ours
 * until the watch shows the pod on its node or the flight has failed.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum { MESSAGE_MAX = 2048 };

void scheduler_take_off(struct scheduler *s, uint32_t entry, uint32_t node)
{
	uint32_t index = pool_take(&s->flights);
	CHECK(index != 0); /* asked for before the attempt */
	struct scheduler_flight *flight = pool_at(&s->flights, index);
	const struct queue_entry *e = queue_entry_at(&s->queue, entry);
	struct scheduler_words words;
	*flight = (struct scheduler_flight){
		.uid = cache_pod_at(&s->cache, e->pod)->uid,
		.pod = e->pod,
		.entry = entry,
		.node = node,
		.attempts = e->attempts,
		.profile = cycle_profile_of(&s->cycle, e->pod),
		.began = s->metrics.attempt_began,
		.first_attempt = e->first_attempt,
	};
	scheduler_words(s, e->pod, &words);
	const struct binder_order order = {
		.pod = words.pod,
		.node = cache_text(&s->cache, cache_node_at(&s->cache, node)->name),
		.tag = index,
	};
	binder_bind(s->binder, &order);
}

void scheduler_seen_in_flight(struct scheduler *s, uint32_t pod, uint32_t node, bool there)
{
	for (uint32_t i = pool_next(&s->flights, 0); i != 0; i = pool_next(&s->flights, i)) {
		struct scheduler_flight *flight = pool_at(&s->flights, i);
		if (flight->pod != pod)
			continue;
		if (!there)
			binder_seen(s->binder, i, false);
		else if (node != 0)
			binder_seen(s->binder, i, node == flight->node);
		if (!there || node != 0)
			flight->entry = 0; /* it leaves the queue now */
		return;
	}
}

static void count(
	struct scheduler *s, const struct scheduler_flight *flight, enum scheduler_result result)
{
	scheduler_count_attempt(&s->metrics, (uint32_t)(flight->profile - s->profiles), result,
		mono_since_us(s->now, flight->began));
}

static void count_bound(struct scheduler *s, const struct scheduler_flight *flight)
{
	struct scheduler_metrics *m = &s->metrics;
	uint32_t tries = flight->attempts < SCHEDULER_ATTEMPTS_MAX ? flight->attempts
								   : SCHEDULER_ATTEMPTS_MAX;
	int64_t waited_us = mono_since_us(s->now, flight->first_attempt);
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
	body_note_scheduled(&words.pod,
		cache_text(&s->cache, cache_node_at(&s->cache, flight->node)->name), &w);
	scheduler_tell_event(
		s, flight->pod, flight->profile, "Normal", "Scheduled", "Binding", writer_text(&w));
	if (flight->entry != 0) {
		pod->waiting = 0;
		queue_remove(&s->queue, flight->entry);
	}
}

/* Upstream's words: the error of the plugin that binds. */
static struct text message_of(const struct binder_result *result, char *room, size_t size)
{
	struct writer w;
	writer_init(&w, room, size);
	write_z(&w, "running Bind plugin \"DefaultBinder\": ");
	write_text(&w,
		text_first(result->message,
			result->message.size < size / 2 ? result->message.size : size / 2));
	return writer_text(&w);
}

static void not_bound(struct scheduler *s, const struct scheduler_flight *flight,
	const struct binder_result *result)
{
	char room[MESSAGE_MAX];
	bool lost = result->outcome == BINDER_LOST;
	s->stats.bind_lost += lost;
	s->stats.bind_refused += !lost;
	s->stats.attempts[SCHEDULER_ERROR]++;
	count(s, flight, SCHEDULER_ERROR);
	if (!scheduler_is_pod(s, flight->pod, flight->uid))
		return;
	struct text message = message_of(result, room, sizeof(room));
	if (cache_forget(&s->cache, flight->pod) == CACHE_OK)
		scheduler_wake_for_space(s, flight->pod, flight->node);
	if (flight->entry == 0)
		return; /* the watch has told more by now */
	scheduler_count_incoming(&s->metrics, SCHEDULER_ATTEMPT_FAILED,
		queue_error(&s->queue, flight->entry, s->now));
	scheduler_tell_event(s, flight->pod, flight->profile, "Warning", "FailedScheduling",
		"Scheduling", message);
	const struct text none = TEXT("");
	/* A pod that is another's by now is not told that it waits. */
	if (!lost)
		scheduler_tell_condition(s, flight->pod, "SchedulerError", message, &none);
}

void scheduler_landed(void *self, const struct binder_result *result)
{
	struct scheduler *s = self;
	uint32_t index = (uint32_t)result->tag;
	struct scheduler_flight flight = *(struct scheduler_flight *)pool_at(&s->flights, index);
	pool_give(&s->flights, index);
	s->now = net_now(s->net);
	if (flight.entry != 0 && !scheduler_is_pod(s, flight.pod, flight.uid))
		CHECK(false); /* a pod that goes leaves the queue first */
	if (result->outcome == BINDER_BOUND)
		bound(s, &flight);
	else
		not_bound(s, &flight, result);
}
