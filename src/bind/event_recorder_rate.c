/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many events are written.
 *
 * What kube-scheduler does: its events client sends 50 a second and 100 at once. The filter that
 * the older recorder has, 25 events about one object and then one in five minutes, is missing from
 * the newer one: a pod that is changed all the time by its controller and fits nowhere is written
 * to etcd as often as it is tried.
 *
 * What we do: both. Events are the bulk of what a scheduler writes, and SD cards wear out. The
 * filter counts by reason: who has failed often is still said to be scheduled, or preempted.
 */
#include "base/hash.h"
#include "bind/event_recorder_private.h"

static bool try_take(
	struct rate *rate, struct mono now, int64_t every_us, int64_t burst, struct mono *when)
{
	*when = rate_due(rate, now, every_us, burst);
	if (!mono_reached(now, *when))
		return false;
	rate_take(rate, now, every_us);
	return true;
}

bool recorder_rate_all(struct recorder *r, struct mono now, struct mono *when)
{
	return try_take(&r->rate, now, CLOCK_S_US / RECORDER_PER_SECOND, RECORDER_BURST, when);
}

static struct recorder_subject *subject_at(const struct recorder *r, uint32_t index)
{
	return pool_at(&r->subjects, index);
}

static uint32_t make_room(struct recorder *r)
{
	/* Full is how it usually is: nothing is refused. */
	if (pool_used(&r->subjects) < r->subjects.capacity)
		return pool_take(&r->subjects);
	/* One that was silent for long has all of its burst again, or most of it. */
	struct recorder_subject *oldest =
		LIST_OWNER(list_first(&r->subjects_used), struct recorder_subject, link);

	uint32_t index =
		1 + (uint32_t)(oldest - (struct recorder_subject *)(void *)r->subjects.slots);
	CHECK(subject_at(r, index) == oldest);
	map_remove(&r->by_subject, oldest->hash, index);
	list_remove(&oldest->link);
	oldest->rate.busy_until = (struct mono){0};
	return index;
}

bool recorder_rate_subject(struct recorder *r, const struct body_reference *regarding,
	struct text reason, struct mono now)
{
	uint32_t hash = hash_bytes(regarding->uid.at, regarding->uid.size);
	struct recorder_subject *subject;
	struct mono when;

	hash = hash_more(hash, hash_bytes(regarding->namespace.at, regarding->namespace.size));
	hash = hash_more(hash, hash_bytes(regarding->name.at, regarding->name.size));
	hash = hash_more(hash, hash_bytes(reason.at, reason.size));
	struct map_walk walk = map_walk(&r->by_subject, hash);
	/* Two objects of one hash share a rate, which does no harm. */
	uint32_t index = map_next(&r->by_subject, &walk);

	if (index == 0) {
		index = make_room(r);
		subject = subject_at(r, index);
		subject->hash = hash;
		map_add(&r->by_subject, hash, index);
	} else {
		subject = subject_at(r, index);
		list_remove(&subject->link);
	}
	list_add_last(&r->subjects_used, &subject->link);
	return try_take(&subject->rate, now, (int64_t)RECORDER_POD_EVERY_S * CLOCK_S_US,
		RECORDER_POD_BURST, &when);
}

void recorder_rate_init(struct recorder *r, struct arena *arena)
{
	uint32_t subjects = r->setup.series_max;

	list_init(&r->subjects_used);
	pool_init(&r->subjects, arena, "event sources", sizeof(struct recorder_subject), subjects);
	map_init(&r->by_subject, arena, subjects);
}

size_t recorder_rate_size(uint32_t subjects)
{
	return pool_size(sizeof(struct recorder_subject), subjects) + map_size(subjects);
}
