/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leader: may we decide now?
 *
 * A leader before us may have bound pods that our watch has not shown yet, and their places would
 * look free. So pods are listed anew after the lease was won and before the first decision; our
 * lists are never older than the moment they are asked for (watch/ask.c). The same goes for what we
 * decided when we led before: what is not bound by then is decided anew. Who starts up waits for
 * the first word about the lease before it lists pods at all, and needs no second list. Nor is
 * anything decided while the server was away and has not told its pods and nodes again: it may
 * have lost some of its last seconds.
 */
#include "base/log.h"
#include "scheduler/private.h"

static const char *const names[] = {
	[SCHEDULER_READY] = "ready",
	[SCHEDULER_NOT_LEADING] = "not-leading",
	[SCHEDULER_NOT_SYNCED] = "not-synced",
	[SCHEDULER_INCOMPLETE] = "incomplete",
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
	return SCHEDULER_READY;
}

void scheduler_note_wait(struct scheduler *s)
{
	enum scheduler_wait wait = scheduler_waits(s, scheduler_now(s));
	if (wait == s->leader.waits)
		return;
	s->leader.waits = wait;
	if (wait == SCHEDULER_INCOMPLETE)
		log_error("scheduler", "incomplete",
			"a pod on a node could not be read: nothing is bound until a list without "
			"it was told");
	else
		log_info("scheduler", names[wait], "pods=%u pending=%u nodes=%u",
			(unsigned)pool_used(&s->cache.pods), (unsigned)s->cache.pods_pending,
			(unsigned)s->cache.order.count);
}

static void leader_report(struct scheduler *s, const char *what)
{
	char note[LEASE_IDENTITY_MAX + 32];
	struct writer w;
	const struct scheduler_lease *setup = &s->setup.lease;
	writer_init(&w, note, sizeof(note));
	write_text(&w, setup->identity);
	write_z(&w, what);
	struct lease_stats lease = lease_stats(s->lease);
	const struct recorder_event event = {
		.regarding = {.api_version = TEXT("coordination.k8s.io/v1"),
			.kind = TEXT("Lease"),
			.namespace = setup->namespace,
			.name = setup->name,
			.uid = lease.uid,
			.resource_version = lease.resource_version},
		.type = TEXT("Normal"),
		.reason = TEXT("LeaderElection"),
		.note = writer_text(&w),
		.controller = cache_text(&s->cache, s->profiles[0].scheduler_name),
	};
	(void)recorder_record_leader(s->recorder, &event);
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
	if (!leads)
		return;
	if ((s->sync.wanted & WATCH_KIND(KUBE_POD)) == 0) {
		scheduler_start_informers(s, WATCH_KIND(KUBE_POD));
		return;
	}
	s->leader.barrier |= WATCH_KIND(KUBE_POD);
	watch_list_anew(s->watch, KUBE_POD);
}
