/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leader: may we decide now?
 *
 * A leader before us may have bound pods that our watch has not shown yet, and their places would
 * look free. So pods are listed again after the lease was won and before the first decision; our
 * lists are never older than the moment they are asked for (watch/ask.c). The same goes for what we
 * decided when we led before: what is not bound by then is decided again. A start waits for
 * the first word about the lease before it lists pods at all, and needs no second list. Nor is
 * anything decided while the server was away and has not told its pods and nodes again: it may
 * have lost some of its last seconds.
 *
 * Nor on a picture that has not been confirmed for SCHEDULER_STALE_MS. A watch that is open and
 * says nothing may be one that nothing comes through any more, and others may have filled nodes
 * that look free. A list, an event, a bookmark (one a minute) confirm it, or a watch that the
 * server takes up from where we are. Silence is noticed after 200 s and the watch is opened again;
 * where no bookmarks come it is opened every 150 s. So in five minutes one such way fails and
 * another one has time to work, and a replica that runs into the limit has no watch that works.
 * What is on its way when that happens still ends: bindings go to the server, which knows better.
 */
#include "base/log.h"
#include "scheduler/private.h"

static const char *const names[] = {
	[SCHEDULER_READY] = "ready",
	[SCHEDULER_NOT_LEADING] = "not-leading",
	[SCHEDULER_NOT_SYNCED] = "not-synced",
	[SCHEDULER_INCOMPLETE] = "incomplete",
	[SCHEDULER_STALE] = "stale",
	[SCHEDULER_YIELDING] = "yielding",
	[SCHEDULER_STOPPING] = "stopping",
};

const char *scheduler_wait_name(enum scheduler_wait wait)
{
	return names[wait];
}

static bool leader_is_synced(const struct scheduler *s)
{
	uint32_t needed = SCHEDULER_VITAL_KINDS | (s->sync.wanted & WATCH_KIND(KUBE_NAMESPACE));
	return (needed & ~s->sync.known) == 0 && s->leader.barrier == 0 &&
		!watch_is_in_doubt(s->watch, KUBE_POD) && !watch_is_in_doubt(s->watch, KUBE_NODE);
}

/* When the picture is too old, if nothing confirms it before. */
struct mono scheduler_stale_due(const struct scheduler *s)
{
	static const enum kube_kind kinds[] = {KUBE_POD, KUBE_NODE};
	struct mono due = MONO_NEVER;
	for (uint32_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct mono at = watch_confirmed(s->watch, kinds[i]);
		if (at.us == 0)
			continue; /* never listed: that is not synced */
		at = mono_after_ms(at, SCHEDULER_STALE_MS);
		if (at.us < due.us)
			due = at;
	}
	return due;
}

enum scheduler_wait scheduler_waits(const struct scheduler *s, struct mono now)
{
	if (s->ending.begun)
		return SCHEDULER_STOPPING;
	if (s->lease != NULL && !(s->leader.leading && lease_holds(s->lease, now)))
		return SCHEDULER_NOT_LEADING;
	if (!leader_is_synced(s))
		return SCHEDULER_NOT_SYNCED;
	if ((s->sync.damaged & WATCH_KIND(KUBE_POD)) != 0)
		return SCHEDULER_INCOMPLETE;
	if (mono_reached(now, scheduler_stale_due(s)))
		return SCHEDULER_STALE;
	return s->others.yields ? SCHEDULER_YIELDING : SCHEDULER_READY;
}

static void leader_report_stale(struct scheduler *s);

void scheduler_note_wait(struct scheduler *s)
{
	scheduler_follow_others(s, s->leader.waits);
	enum scheduler_wait wait = scheduler_waits(s, scheduler_now(s));
	if (wait == s->leader.waits)
		return;
	s->leader.waits = wait;
	if (wait == SCHEDULER_INCOMPLETE)
		log_error("scheduler", "incomplete",
			"a pod on a node could not be read: nothing is bound until a list without "
			"it was told");
	else if (wait == SCHEDULER_STALE)
		leader_report_stale(s);
	else
		log_info("scheduler", names[wait], "pods=%u pending=%u nodes=%u",
			(unsigned)pool_used(&s->cache.pods), (unsigned)s->cache.pods_pending,
			(unsigned)s->cache.order.count);
}

/* About the lease, which is the only object that is ours. */
static void leader_event(
	struct scheduler *s, struct text type, struct text reason, struct text note)
{
	const struct scheduler_lease *setup = &s->setup.lease;
	if (s->lease == NULL)
		return;
	struct lease_stats lease = lease_stats(s->lease);
	const struct recorder_event event = {
		.regarding = {.api_version = TEXT("coordination.k8s.io/v1"),
			.kind = TEXT("Lease"),
			.namespace = setup->namespace,
			.name = setup->name,
			.uid = lease.uid,
			.resource_version = lease.resource_version},
		.type = type,
		.reason = reason,
		.note = note,
		.controller = cache_text(&s->cache, s->profiles[0].scheduler_name),
	};
	(void)recorder_record_leader(s->recorder, &event);
}

static void leader_report(struct scheduler *s, const char *what)
{
	char note[LEASE_IDENTITY_MAX + 32];
	struct writer w;
	writer_init(&w, note, sizeof(note));
	write_text(&w, s->setup.lease.identity);
	write_z(&w, what);
	leader_event(s, TEXT("Normal"), TEXT("LeaderElection"), writer_text(&w));
}

static void leader_report_stale(struct scheduler *s)
{
	log_error("scheduler", "stale",
		"no list, event or bookmark of pods or nodes for %u s: nothing is decided until "
		"one "
		"comes; is something between here and the apiserver holding watches back?",
		SCHEDULER_STALE_MS / 1000u);
	leader_event(s, TEXT("Warning"), TEXT("SchedulingPaused"),
		TEXT("the watch of pods or nodes is silent: nothing is scheduled until the "
		     "apiserver confirms what is known of them"));
}

void scheduler_relisted(struct scheduler *s, enum kube_kind kind)
{
	s->leader.barrier &= ~WATCH_KIND(kind);
}

void scheduler_lease_changed(void *self, bool leads)
{
	struct scheduler *s = self;
	s->leader.leading = leads;
	leader_report(s, leads ? " became leader" : " stopped leading");
	if (!leads && s->ending.begun)
		return; /* given back */
	if (!leads) {
		log_error("scheduler", "Leaderelection lost", "berth stands by and asks again");
		return;
	}
	if ((s->sync.wanted & WATCH_KIND(KUBE_POD)) == 0) {
		scheduler_start_informers(s, WATCH_KIND(KUBE_POD));
		return;
	}
	/* What was reported while the lease was lost may not have arrived. */
	cache_unread_report_again(&s->cache);
	shelf_report_again(&s->queue.shelf);
	s->leader.barrier |= WATCH_KIND(KUBE_POD);
	watch_list_anew(s->watch, KUBE_POD);
}
