/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attempt: the next pod of the queue. It gets a node and takes off, or people are told why not and
 * it waits for something to change (core.md 4, 13).
 */
#include "base/log.h"
#include "scheduler/private.h"

enum {
	PATCHES_OF_AN_ATTEMPT = 1 + 8, /* its own, and nominations that it takes over */
	NOTE_MAX = 1024
};

bool scheduler_can_attempt(const struct scheduler *s)
{
	return binder_has_room(s->binder) && pool_used(&s->flights) < s->flights.capacity &&
		patcher_room(s->patcher) >= PATCHES_OF_AN_ATTEMPT &&
		s->queue.pods[QUEUE_ACTIVE] + s->queue.pods[QUEUE_BACKOFF] > 0;
}

/* ---- it was not placed ---- */

/* The condition and the nomination are one patch, made against what the apiserver knows. */
static void tell(struct scheduler *s, uint32_t pod, const struct cycle_decision *decision,
	const char *reason)
{
	const struct cycle_preemption *p = &decision->preemption;
	struct text nominated = TEXT("");
	if (p->found)
		nominated = cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name);
	scheduler_tell_condition(s, pod, reason, decision->message,
		p->found || p->clear_nomination ? &nominated : NULL);
	if (p->found)
		scheduler_preempt(s, pod, p);
	else if (p->clear_nomination)
		cache_nominate(&s->cache, pod, INTERN_EMPTY);
}

/* In upstream's order: back to the queue, nominator, event, patch. */
static void failed(struct scheduler *s, uint32_t entry, const struct cycle_decision *decision)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	bool rejected = decision->outcome == CYCLE_REJECTED;
	const char *reason = rejected ? "Unschedulable" : "SchedulerError";
	s->stats.attempts[rejected ? SCHEDULER_UNSCHEDULABLE : SCHEDULER_ERROR]++;
	/* Victims that find no room to be told: the same again, after a while. */
	bool crowded = decision->preemption.found &&
		!scheduler_can_preempt(s, decision->preemption.victim_count);
	if (crowded) {
		(void)queue_error(&s->queue, entry, s->now);
		return;
	}
	if (rejected && decision->rejectors != 0)
		queue_park(&s->queue, entry, decision->rejectors, 0, s->now);
	else
		(void)queue_error(&s->queue, entry, s->now);
	scheduler_tell_event(
		s, pod, profile, "Warning", "FailedScheduling", "Scheduling", decision->message);
	tell(s, pod, decision, reason);
	log_debug("scheduler", "rejected", "pod=%.*s message=\"%.*s\"",
		TEXT_ARGS(cache_text(&s->cache, cache_pod_at(&s->cache, pod)->name)),
		TEXT_ARGS(decision->message));
}

/* ---- it was placed ---- */

static void assume_failed(struct scheduler *s, uint32_t entry, enum cache_result result)
{
	struct cycle_decision decision = {.outcome = CYCLE_FAILED};
	decision.message = result == CACHE_FULL
		? TEXT("the pod finds no room in the scheduler's own memory")
		: TEXT("the node went away while the pod was placed");
	failed(s, entry, &decision);
}

static void place(struct scheduler *s, uint32_t entry, const struct cycle_decision *decision)
{
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	enum cache_result result = cache_assume(&s->cache, pod, decision->node);
	if (result != CACHE_OK) {
		assume_failed(s, entry, result);
		return;
	}
	cycle_chosen(&s->cycle, decision->node);
	scheduler_take_off(s, entry, decision->node);
}

/* A pod that is being deleted is not tried, and told so (core.md 4.3). */
static void skip_deleting(struct scheduler *s, uint32_t entry)
{
	struct scheduler_words words;
	char note[NOTE_MAX];
	struct writer w;
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	scheduler_words(s, pod, &words);
	writer_init(&w, note, sizeof(note));
	write_z(&w, "skip schedule deleting pod: ");
	write_text(&w, words.pod.namespace);
	write_char(&w, '/');
	write_text(&w, words.pod.name);
	scheduler_tell_event(s, pod, cycle_profile_of(&s->cycle, pod), "Warning",
		"FailedScheduling", "Scheduling", writer_text(&w));
	cache_pod_at(&s->cache, pod)->waiting = 0;
	queue_remove(&s->queue, entry);
}

bool scheduler_attempt(struct scheduler *s)
{
	struct cycle_decision decision;
	if (!scheduler_can_attempt(s))
		return false;
	uint32_t entry = queue_pop(&s->queue);
	if (entry == 0)
		return false;
	uint32_t pod = queue_entry_at(&s->queue, entry)->pod;
	CHECK(cache_pod_at(&s->cache, pod)->waiting == entry);
	if ((cache_pod_at(&s->cache, pod)->flags & CACHE_POD_DELETING) != 0) {
		skip_deleting(s, entry);
		return true;
	}
	cycle_decide(&s->cycle, pod, CACHE_TALLY_FAST, &decision);
	if (decision.outcome == CYCLE_PLACED)
		place(s, entry, &decision);
	else
		failed(s, entry, &decision);
	return true;
}
