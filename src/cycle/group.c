/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several pods at once, all or none.
 */
#include "cycle/group.h"

#include "cycle/refusal.h"

static void group_undo_one(struct cycle *cycle, struct cycle_member *member)
{
	CHECK(member->node != 0);
	if (member->points.stage != BINDING_ENDED)
		binding_undo(&member->points);
	CHECK(cache_forget(cycle->cache, member->pod) == CACHE_OK);
	member->node = 0;
}

void cycle_undo_group(struct cycle *cycle, struct cycle_member *members, uint32_t count)
{
	for (uint32_t i = count; i > 0; i--)
		group_undo_one(cycle, &members[i - 1]);
}

static bool group_place_one(struct cycle *cycle, const struct binding_waiting *waiting,
	struct mono now, struct cycle_member *member, struct schedule_result *result)
{
	cycle_decide(cycle, member->pod, CACHE_COUNT_FAST, result);
	if (result->outcome != CYCLE_PLACED)
		return false;
	if (cache_assume(cycle->cache, member->pod, result->node) != CACHE_OK) {
		result->outcome = CYCLE_FAILED;
		result->message = TEXT("not enough memory to assume a pod of the group");
		return false;
	}
	member->node = result->node;
	const struct plugin_binding b = {
		.cache = cycle->cache,
		.profile = cycle_profile_of(cycle, member->pod),
		.scratch = &cycle->scratch,
		.tag = member->tag,
		.pod = member->pod,
		.node = cache_node_at(cycle->cache, result->node)->name,
		.now = now,
	};
	struct plugin_reasons why = {.scratch = &cycle->scratch};
	binding_begin(&member->points, waiting, &b);
	enum plugin_code code = binding_reserve(&member->points, result->state, &why);
	if (code != PLUGIN_SUCCESS) {
		cycle_refused(&member->points, code, "Reserve", &why, &cycle->scratch, result);
		group_undo_one(cycle, member);
		return false;
	}
	cycle_chosen(cycle, result->node);
	return true;
}

bool cycle_assume_group(struct cycle *cycle, const struct binding_waiting *waiting, struct mono now,
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
	return true;
}
