/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduling cycle of a group: a plugin says which pods belong together with the one that was
 * popped, and all of them are given a node, or none.
 */
#include "base/log.h"
#include "cycle/group.h"
#include "scheduler/private.h"

enum { GROUP_MESSAGE_MAX = 1024 };

/* What is known of the group while it is decided; in scratch. */
struct group {
	uint32_t plugin; /* that made it one */
	uint32_t count;
	uint32_t *entries; /* in the queue, by member */
	struct cycle_member *members;
};

/* The plugin of the pod's profile that has a group for it; PLUGIN_COUNT: it goes alone. */
static uint32_t group_plugin(const struct scheduler *s, uint32_t pod, uint32_t *count)
{
	const struct plugin_profile *profile = cycle_profile_of(&s->cycle, pod);
	const struct plugin_uses *uses = &profile->at[PLUGIN_AT_PERMIT];
	for (uint32_t i = 0; i < uses->count; i++) {
		uint32_t id = uses->list[i].id;
		*count = plugins[id]->group == NULL
			? 0
			: plugins[id]->group(profile, &s->cache, pod, NULL, 0);
		if (*count > 1)
			return id;
	}
	return PLUGIN_COUNT;
}

/* Pods that wait for something else first do without; the plugin's Permit will miss them. */
static void group_add(struct scheduler *s, struct group *g, uint32_t pod, uint32_t popped)
{
	const struct cache_pod *p = cache_pod_at(&s->cache, pod);
	uint32_t entry = p->waiting;
	CHECK(p->node == 0);
	bool is_ready = entry == popped ||
		(entry != 0 && !scheduler_is_extended(s, pod) &&
			(p->flags & CACHE_POD_DELETING) == 0 && scheduler_knows_kinds(s, p) &&
			!pre_bind_undoes(s->pre_bind, p->uid) && queue_take(&s->queue, entry));
	if (!is_ready)
		return;
	g->entries[g->count] = entry;
	g->members[g->count++] = (struct cycle_member){.pod = pod};
}

/* False: there is no memory for so many. */
static bool group_collect(struct scheduler *s, struct group *g, uint32_t popped, uint32_t count)
{
	uint32_t pod = queue_entry_at(&s->queue, popped)->pod;
	uint32_t *pods = SCRATCH_ARRAY(&s->scratch, uint32_t, count);
	g->entries = SCRATCH_ARRAY(&s->scratch, uint32_t, count);
	g->members = SCRATCH_ARRAY(&s->scratch, struct cycle_member, count);
	if (g->members == NULL)
		return false;
	uint32_t found = plugins[g->plugin]->group(
		cycle_profile_of(&s->cycle, pod), &s->cache, pod, pods, count);
	CHECK(found == count); /* nothing has changed */
	for (uint32_t i = 0; i < count; i++)
		group_add(s, g, pods[i], popped);
	return true;
}

/* ---- none ---- */

static void group_park(
	struct scheduler *s, const struct group *g, struct schedule_result *result, uint32_t failed)
{
	char room[GROUP_MESSAGE_MAX];
	struct scheduler_pod_names names;
	struct writer w;
	scheduler_pod_names(s, g->members[failed].pod, &names);
	writer_init(&w, room, sizeof(room));
	write_format(&w, "pod %.*s/%.*s of the same group: ", TEXT_ARGS(names.pod.namespace),
		TEXT_ARGS(names.pod.name));
	write_text(&w, text_utf8_first(result->message, sizeof(room) - w.used));
	result->preemption = (struct cycle_preemption){.clear_nomination = true};
	if (result->outcome == CYCLE_REJECTED)
		plugin_set_add(&result->rejectors, g->plugin);
	struct schedule_result other = *result;
	other.message = writer_text(&w);
	for (uint32_t i = 0; i < g->count; i++)
		scheduler_park(s, g->entries[i], i == failed ? result : &other);
}

static void group_give_bindings(struct scheduler *s, const struct group *g, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		scheduler_give_binding(s, (uint32_t)g->members[i].tag);
}

static void group_fail(
	struct scheduler *s, const struct group *g, uint32_t failed, const char *message)
{
	struct schedule_result result = {.outcome = CYCLE_FAILED, .message = text_of(message)};
	group_park(s, g, &result, failed);
}

/* ---- all ---- */

static bool group_take_bindings(struct scheduler *s, const struct group *g)
{
	for (uint32_t i = 0; i < g->count; i++) {
		uint32_t index = scheduler_take_binding(s);
		if (index == 0) {
			group_give_bindings(s, g, i);
			return false;
		}
		g->members[i].tag = index;
		g->members[i].points = scheduler_points_of(s, index);
	}
	return true;
}

static void group_start(struct scheduler *s, const struct group *g)
{
	struct schedule_result refused;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct cycle_member *m = &g->members[i];
		const struct schedule_result placed = {.outcome = CYCLE_PLACED,
			.node = m->node,
			.feasible_count = m->feasible,
			.evaluated_count = m->evaluated};
		scheduler_record_result(s, m->pod, &placed);
		if (!scheduler_start_reserved(
			    s, (uint32_t)m->tag, g->entries[i], &placed, m->nominated, &refused))
			scheduler_park(s, g->entries[i], &refused);
	}
}

bool scheduler_decide_group(struct scheduler *s, uint32_t popped)
{
	uint32_t count, failed = 0;
	uint32_t pod = queue_entry_at(&s->queue, popped)->pod;
	struct schedule_result result;
	struct group g = {.plugin = group_plugin(s, pod, &count)};
	/* While its last attempt is being taken back it is parked, alone. */
	if (g.plugin == PLUGIN_COUNT ||
		pre_bind_undoes(s->pre_bind, cache_pod_at(&s->cache, pod)->uid))
		return false;
	struct scratch_mark mark = scratch_mark(&s->scratch);
	if (!group_collect(s, &g, popped, count)) {
		scratch_rewind(&s->scratch, mark);
		struct cycle_member member = {.pod = pod};
		const struct group alone = {g.plugin, 1, &popped, &member};
		group_fail(s, &alone, 0, "not enough memory to look at the group of the pod");
		return true;
	}
	if (!group_take_bindings(s, &g)) {
		group_fail(s, &g, 0, "not enough memory for the binding cycles of the group");
	} else if (cycle_assume_group(&s->cycle, &s->bindings.waiting, scheduler_now(s), g.members,
			   g.count, &result, &failed)) {
		group_start(s, &g);
	} else {
		group_give_bindings(s, &g, g.count);
		scheduler_record_result(s, g.members[failed].pod, &result);
		group_park(s, &g, &result, failed);
	}
	scratch_rewind(&s->scratch, mark);
	return true;
}
