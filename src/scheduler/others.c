/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Others: another scheduler that binds pods of ours while we lead.
 *
 * A lease keeps two of a kind apart. Schedulers that run without one (k3s on a single server starts
 * its own so) nothing keeps apart: both decide about the same pods, each is refused about half of
 * them, and nodes can be given away twice. We see it by the pods: one that waited for us, and that
 * we have assumed nowhere, is on a node. It is told in the log, in an event, on the page and by a
 * metric; with --yield-to-others we stand by until the other one has been quiet for a while.
 *
 * Who led before us may have bound pods that are shown only now: for as long as a lease lasts
 * nothing is reported.
 */
#include "base/log.h"
#include "scheduler/private.h"

enum {
	SETTLE_MS =
		5 * 1000, /* without a lease: what was bound before we started is shown by then */
	TELL_AGAIN_S = 5 * 60,
	YIELD_AFTER = 3, /* bindings ... */
	YIELD_WITHIN_S = 60,
	YIELD_QUIET_S = 60,      /* then the other one has stopped */
	YIELD_AGAIN_S = 10 * 60, /* the first binding of theirs is enough for so long */
	OTHERS_NOTE_MAX = 1024
};

/* By another scheduler: it was nowhere, or assumed to be elsewhere. */
static bool is_bound_by_others(const struct scheduler *s, const struct cache_event *event)
{
	const struct cache_side *old = &event->old, *now = &event->now;
	if (!old->there || !now->there || old->node != 0 || now->node == 0 ||
		old->assumed == now->node)
		return false;
	for (uint32_t i = 0; i < s->profile_count; i++)
		if (s->profiles[i].scheduler_name == cache_side_template(old)->scheduler_name)
			return true;
	return false;
}

static int64_t settle_us(const struct scheduler *s)
{
	int64_t ms = s->lease == NULL ? SETTLE_MS : s->setup.lease.duration_ms;
	return ms * CLOCK_MS_US;
}

static bool is_ours_to_decide(const struct scheduler *s)
{
	bool decides = s->leader.waits == SCHEDULER_READY || s->leader.waits == SCHEDULER_YIELDING;
	return decides && mono_since_us(scheduler_now(s), s->others.decides_since) >= settle_us(s);
}

static void others_report(struct scheduler *s, struct text note)
{
	const struct recorder_event event = {
		.regarding = {.api_version = TEXT("v1"),
			.kind = TEXT("Namespace"),
			.namespace = TEXT("kube-system"),
			.name = TEXT("kube-system")},
		.type = TEXT("Warning"),
		.reason = TEXT("AnotherScheduler"),
		.note = note,
		.controller = cache_text(&s->cache, s->profiles[0].scheduler_name),
	};
	(void)recorder_record_leader(s->recorder, &event);
}

static void others_tell(struct scheduler *s, const struct cache_event *event)
{
	char room[OTHERS_NOTE_MAX];
	struct writer w;
	struct scheduler_others *o = &s->others;
	bool is_again = o->told &&
		mono_since_us(scheduler_now(s), o->told_at) < TELL_AGAIN_S * (int64_t)CLOCK_S_US;
	if (is_again)
		return;
	o->told = true;
	o->told_at = scheduler_now(s);
	writer_init(&w, room, sizeof(room));
	write_format(&w, "another scheduler binds pods of %.*s: %.*s/%.*s to %.*s",
		TEXT_ARGS(cache_text(&s->cache, cache_side_template(&event->old)->scheduler_name)),
		TEXT_ARGS(cache_text(&s->cache, event->namespace)),
		TEXT_ARGS(cache_text(&s->cache, event->name)),
		TEXT_ARGS(cache_text(&s->cache, event->now.node)));
	struct text note = text_utf8_first(writer_text(&w), w.used);
	log_warn("scheduler", "another-scheduler",
		"bindings=%llu note=\"%.*s\" help=\"stop one of the two (k3s: "
		"--disable-scheduler); "
		"--yield-to-others makes berth stand by\"",
		(unsigned long long)o->bindings, TEXT_ARGS(note));
	others_report(s, note);
}

static void others_yield(struct scheduler *s)
{
	struct scheduler_others *o = &s->others;
	struct mono now = scheduler_now(s);
	bool did = o->yielded &&
		mono_since_us(now, o->yielded_at) < YIELD_AGAIN_S * (int64_t)CLOCK_S_US;
	if (!s->setup.yields || o->yields || (!did && o->recent < YIELD_AFTER))
		return;
	o->yields = o->yielded = true;
	log_warn("scheduler", "yields",
		"another scheduler is at work: nothing is decided here until it has been quiet for "
		"%d s",
		YIELD_QUIET_S);
}

void scheduler_note_others(struct scheduler *s, const struct cache_event *event)
{
	struct scheduler_others *o = &s->others;
	struct mono now = scheduler_now(s);
	if (!is_bound_by_others(s, event) || !is_ours_to_decide(s))
		return;
	if (mono_since_us(now, o->began) > YIELD_WITHIN_S * (int64_t)CLOCK_S_US) {
		o->began = now;
		o->recent = 0;
	}
	o->bindings++;
	o->recent++;
	o->latest = now;
	others_tell(s, event);
	others_yield(s);
}

struct mono scheduler_others_due(const struct scheduler *s)
{
	return s->others.yields ? mono_after_ms(s->others.latest, YIELD_QUIET_S * 1000)
				: MONO_NEVER;
}

void scheduler_follow_others(struct scheduler *s, enum scheduler_wait before)
{
	struct scheduler_others *o = &s->others;
	bool decided = before == SCHEDULER_READY || before == SCHEDULER_YIELDING;
	if (!decided)
		o->decides_since = scheduler_now(s);
	if (!o->yields || !mono_reached(scheduler_now(s), scheduler_others_due(s)))
		return;
	o->yields = false;
	o->yielded_at = scheduler_now(s);
	o->recent = 0;
	log_info("scheduler", "decides-again", "the other scheduler has been quiet for %d s",
		YIELD_QUIET_S);
}
