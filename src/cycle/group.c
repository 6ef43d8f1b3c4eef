/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several pods at once, all or none.
 */
#include "cycle/group.h"

#include "cycle/refusal.h"

static void group_undo_one(struct cycle *cycle, struct cycle_member *member)
{
	CHECK(member->node != 0);
	if (member->points->stage != BINDING_ENDED)
		binding_undo(member->points);
	CHECK(cache_forget(cycle->cache, member->pod) == CACHE_OK);
	member->node = 0;
}

void cycle_undo_group(struct cycle *cycle, struct cycle_member *members, uint32_t count)
{
	for (uint32_t i = count; i > 0; i--)
		group_undo_one(cycle, &members[i - 1]);
}

static bool group_reserve_one(struct cycle *cycle, const struct binding_waiting *waiting,
	struct mono now, struct cycle_member *member, struct schedule_result *result)
{
	const struct plugin_binding b = {
		.cache = cycle->cache,
		.profile = cycle_profile_of(cycle, member->pod),
		.scratch = &cycle->scratch,
		.tag = member->tag,
		.pod = member->pod,
		.node = cache_node_at(cycle->cache, result->node)->name,
		.now = now,
		.wall = cycle->clock == NULL ? (struct wall){0} : clock_wall(cycle->clock),
	};
	struct plugin_reasons why = {.scratch = &cycle->scratch};
	binding_begin(member->points, waiting, &b);
	enum plugin_code code = binding_reserve(member->points, result->state, &why);
	if (code == PLUGIN_SUCCESS)
		return true;
	cycle_refused(member->points, code, "Reserve", &why, &cycle->scratch, result);
	return false;
}

static bool group_place_one(struct cycle *cycle, const struct binding_waiting *waiting,
	struct mono now, struct cycle_member *member, struct schedule_result *result)
{
	cycle_decide(cycle, member->pod, CACHE_COUNT_FAST, result);
	if (result->outcome != CYCLE_PLACED)
		return false;
	member->nominated = cache_pod_at(cycle->cache, member->pod)->nominated;
	if (cache_assume(cycle->cache, member->pod, result->node) != CACHE_OK) {
		*result = (struct schedule_result){.outcome = CYCLE_FAILED,
			.message = TEXT("not enough memory to assume a pod of the group")};
		return false;
	}
	member->node = result->node;
	member->evaluated = result->evaluated_count;
	member->feasible = result->feasible_count;
	if (!group_reserve_one(cycle, waiting, now, member, result)) {
		group_undo_one(cycle, member);
		return false;
	}
	cycle_chosen(cycle, result->node);
	return true;
}

/* When all have a place: a plugin that counts them at Permit finds them all. */
static bool group_permit_one(struct cycle *cycle, struct binding_waiting *waiting,
	struct cycle_member *member, struct schedule_result *result)
{
	struct plugin_reasons why = {.scratch = &cycle->scratch};
	enum plugin_code code = binding_permit(member->points, waiting, &why);
	if (code == PLUGIN_SUCCESS || code == PLUGIN_WAIT)
		return true;
	cycle_refused(member->points, code, "Permit", &why, &cycle->scratch, result);
	return false;
}

bool cycle_assume_group(struct cycle *cycle, struct binding_waiting *waiting, struct mono now,
	struct cycle_member *members, uint32_t count, struct schedule_result *result,
	uint32_t *failed)
{
	CHECK(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		members[i].node = 0;
		if (group_place_one(cycle, waiting, now, &members[i], result))
			continue;
		*failed = i;
		cycle_undo_group(cycle, members, i);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (group_permit_one(cycle, waiting, &members[i], result))
			continue;
		*failed = i;
		cycle_undo_group(cycle, members, count);
		return false;
	}
	return true;
}
