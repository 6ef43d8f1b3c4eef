/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Report: what people read about a pod, as events and as the condition PodScheduled.
 */
#include <string.h>

#include "cache/conditions.h"
#include "scheduler/private.h"

enum { VERSION_MAX = 24, NOTE_MAX = 1024, OWED_LOOKS = 4096 };

#define SHELVED_MESSAGE                                                                           \
	"the scheduler has no memory for this pod now (--memory): it waits, and is tried by its " \
	"priority as soon as there is room"
static const struct text shelved_message = {SHELVED_MESSAGE, sizeof(SHELVED_MESSAGE) - 1};

void scheduler_pod_names(const struct scheduler *s, uint32_t pod, struct scheduler_pod_names *names)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct writer w;
	writer_init(&w, names->uid, sizeof(names->uid));
	cache_print_uid(&s->cache, p->uid, &w);
	names->pod = (struct body_pod){
		.namespace = cache_text(&s->cache, cache_template_of(&s->cache, p)->namespace),
		.name = cache_text(&s->cache, p->name),
		.uid = writer_text(&w),
	};
	if (w.overflowed) /* not a UUID, but whatever it is it is interned */
		names->pod.uid = cache_text(&s->cache, (uint32_t)p->uid.low);
}

/* Made from what the cache says of the pod by then. */
static bool report_can_wait(const char *reason)
{
	return strcmp(reason, "Scheduled") == 0 || strcmp(reason, "FailedScheduling") == 0;
}

void scheduler_report_event(struct scheduler *s, uint32_t pod, const struct plugin_profile *profile,
	const char *type, const char *reason, const char *action, struct text note)
{
	struct scheduler_pod_names names;
	struct cache_pod *p = cache_pod_at(&s->cache, pod);
	if (report_can_wait(reason) && !recorder_has_room(s->recorder)) {
		s->reports.owed += (p->flags & CACHE_POD_OWED) == 0;
		p->flags |= CACHE_POD_OWED;
		return;
	}
	if (report_can_wait(reason))
		p->flags &= (uint16_t)~CACHE_POD_OWED; /* this one says more */
	scheduler_pod_names(s, pod, &names);
	scheduler_report_event_of(s, &names.pod, cache_pod_at(&s->cache, pod)->version, profile,
		type, reason, action, note);
}

void scheduler_report_event_of(struct scheduler *s, const struct body_pod *pod, uint64_t version,
	const struct plugin_profile *profile, const char *type, const char *reason,
	const char *action, struct text note)
{
	char number[VERSION_MAX];
	struct writer w;
	if (profile == NULL)
		return;
	writer_init(&w, number, sizeof(number));
	if (version != 0)
		write_u64(&w, version);
	const struct recorder_event event = {
		.regarding = {.api_version = TEXT("v1"),
			.kind = TEXT("Pod"),
			.namespace = pod->namespace,
			.name = pod->name,
			.uid = pod->uid,
			.resource_version = writer_text(&w)},
		.type = text_of(type),
		.reason = text_of(reason),
		.action = text_of(action),
		.note = note,
		.controller = cache_text(&s->cache, profile->scheduler_name),
	};
	(void)recorder_record(s->recorder, &event); /* counted when there is no room */
}

void scheduler_report_condition(struct scheduler *s, uint32_t pod, const char *reason,
	struct text message, const struct text *nominated)
{
	struct scheduler_pod_names names;
	struct cache_status now;
	cache_pod_status(&s->cache, cache_pod_at(&s->cache, pod), &now);
	const struct body_condition condition = {
		.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = text_of(reason),
		.message = message,
		.observed_generation = now.generation,
	};
	struct body_status status = {
		.old = now.conditions,
		.old_count = now.count,
		.old_nominated = now.nominated,
		.condition = reason == NULL ? NULL : &condition,
		.set_nominated = nominated != NULL,
		.nominated = nominated == NULL ? TEXT_NONE : *nominated,
		.now = clock_wall(&s->setup.clock),
	};
	/* What is there is not known: a nomination that shall go is taken to be there. */
	if (!now.known && nominated != NULL && nominated->size == 0)
		status.old_nominated = TEXT("?");
	if (status_patcher_room(s->status_patcher) == 0)
		return; /* the next attempt says it again */
	scheduler_pod_names(s, pod, &names);
	(void)status_patcher_send(s->status_patcher, &names.pod, &status, pod);
}

/* ---- room for patches ---- */

bool scheduler_waits_for_patches(const struct scheduler *s)
{
	return status_patcher_room(s->status_patcher) < SCHEDULER_PATCHES_OF_AN_ATTEMPT &&
		mono_since_us(scheduler_now(s), s->reports.patched) <
		SCHEDULER_PATCH_STALL_MS * CLOCK_MS_US;
}

void scheduler_follow_patches(struct scheduler *s)
{
	struct status_patcher_stats stats = status_patcher_stats(s->status_patcher);
	uint64_t ended = stats.sent + stats.failed;
	if (ended != s->reports.patches_ended || stats.patches == 0)
		s->reports.patched = scheduler_now(s);
	s->reports.patches_ended = ended;
}

/* ---- events whose turn comes later ---- */

/*
 * A burst of bindings is faster than events may be written. The queue of events is bounded, so what
 * finds it full waits as one bit of its pod, and is made when there is room: where the pod was
 * scheduled to, or what its condition says. A pod that is gone by then needs no event.
 */
static void report_owed_one(struct scheduler *s, uint32_t pod)
{
	struct cache_pod *p = cache_pod_at(&s->cache, pod);
	struct scheduler_pod_names names;
	struct cache_status status;
	char note[NOTE_MAX];
	struct writer w;
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	p->flags &= (uint16_t)~CACHE_POD_OWED;
	writer_init(&w, note, sizeof(note));
	if (p->node != 0) {
		scheduler_pod_names(s, pod, &names);
		body_note_scheduled(&names.pod,
			cache_text(&s->cache, cache_node_at(&s->cache, p->node)->name), &w);
		scheduler_report_event(
			s, pod, profile, "Normal", "Scheduled", "Binding", writer_text(&w));
		return;
	}
	cache_pod_status(&s->cache, p, &status);
	for (uint32_t i = 0; i < status.count; i++)
		if (text_is_z(status.conditions[i].type, "PodScheduled") &&
			text_is_z(status.conditions[i].status, "False"))
			scheduler_report_event(s, pod, profile, "Warning", "FailedScheduling",
				"Scheduling", status.conditions[i].message);
}

void scheduler_report_owed(struct scheduler *s)
{
	const struct pool *pods = &s->cache.pods;
	for (uint32_t looks = 0; s->reports.owed > 0 && looks < OWED_LOOKS; looks++) {
		if (!recorder_has_room(s->recorder))
			return;
		s->reports.at = pool_next(pods, s->reports.at);
		if (s->reports.at == 0) {
			/* Those that are gone were counted; all that are left were met in this lap.
			 */
			if (s->reports.met == 0)
				s->reports.owed = 0;
			s->reports.met = 0;
			return;
		}
		if ((cache_pod_at(&s->cache, s->reports.at)->flags & CACHE_POD_OWED) == 0)
			continue;
		s->reports.met++;
		if ((cache_pod_at(&s->cache, s->reports.at)->flags & CACHE_POD_ASSUMED) != 0)
			continue; /* on its way: its message is not yet true */
		s->reports.owed--;
		report_owed_one(s, s->reports.at);
	}
}

void scheduler_report_condition_of(
	struct scheduler *s, const struct body_pod *pod, struct text reason, struct text message)
{
	const struct body_condition condition = {
		.type = TEXT("PodScheduled"),
		.status = TEXT("False"),
		.reason = reason,
		.message = message,
	};
	const struct body_status status = {
		.condition = &condition,
		.now = clock_wall(&s->setup.clock),
	};
	if (status_patcher_room(s->status_patcher) > 0)
		(void)status_patcher_send(s->status_patcher, pod, &status, 0);
}

/* ---- pods that there is no memory for ---- */

bool scheduler_may_report(const struct scheduler *s)
{
	return status_patcher_room(s->status_patcher) >= s->setup.limits.patches / 2 &&
		recorder_stats(s->recorder).waiting < s->setup.limits.events / 2;
}

/*
 * Who was tried stays unschedulable, for those who add nodes when they read that. Who was not must
 * not look so: it may fit.
 */
void scheduler_report_shelved(struct scheduler *s, const struct shelf_entry *pod)
{
	char uid[64];
	struct writer w;
	bool tried = (pod->flags & SHELF_TRIED) != 0;
	writer_init(&w, uid, sizeof(uid));
	if (pod->uid[0] != CACHE_UID_TEXT && (pod->uid[0] | pod->uid[1]) != 0)
		cache_print_uid(&s->cache, (struct cache_uid){pod->uid[0], pod->uid[1]}, &w);
	const struct body_pod names = {
		.namespace = pod->namespace,
		.name = pod->name,
		.uid = writer_text(&w),
	};
	scheduler_report_event_of(s, &names, 0, &s->profiles[0], "Warning", "FailedScheduling",
		"Scheduling", shelved_message);
	scheduler_report_condition_of(
		s, &names, tried ? TEXT("Unschedulable") : TEXT("SchedulerError"), shelved_message);
}

void scheduler_report_shelf(struct scheduler *s)
{
	struct shelf *shelf = &s->queue.shelf;
	struct scheduler_pressure *p = &s->pressure;
	struct mono now = scheduler_now(s);
	if (shelf->unreported == 0 || s->leader.waits != SCHEDULER_READY)
		return;
	for (uint32_t looks = 0; looks < SCHEDULER_SHED_BATCH; looks++) {
		if (!mono_reached(now, p->report_next) || !scheduler_may_report(s))
			return;
		p->report_at = pool_next(&shelf->pods, p->report_at);
		if (p->report_at == 0)
			return; /* from the beginning, in the next turn */
		const struct shelf_pod *pod = shelf_pod_at(shelf, p->report_at);
		if ((pod->flags & (SHELF_REPORTED | SHELF_GATED)) != 0 ||
			shelf_waited_us(shelf, pod, now) < SCHEDULER_SHELF_SILENT_MS * CLOCK_MS_US)
			continue;
		char room[SHELF_NAME_MAX];
		const struct shelf_entry entry = shelf_entry_of(shelf, p->report_at, room);
		scheduler_report_shelved(s, &entry);
		shelf_set(shelf, p->report_at, SHELF_REPORTED, true);
		p->report_next = (struct mono){now.us + CLOCK_S_US / SCHEDULER_SHELF_REPORTS};
	}
}

uint8_t scheduler_said(struct json_value object)
{
	uint8_t said = 0;
	struct json_walk walk = json_walk(json_path(object, "status.conditions"));
	while (json_walk_next(&walk)) { /* no other condition has one of these */
		if (text_is(json_text(json_get(walk.value, "message")), shelved_message))
			said |= SHELF_REPORTED;
		if (text_is_z(json_text(json_get(walk.value, "reason")), "Unschedulable"))
			said |= SHELF_TRIED;
	}
	return said;
}
