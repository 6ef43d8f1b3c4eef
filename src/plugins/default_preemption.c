/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DefaultPreemption: pods of lower priority make way. Which of them, and where, is the framework's
 * search, because it asks the filters of the whole profile.
 */
#include "plugins/hints.h"

static enum plugin_code default_preemption_post_filter(
	struct cycle_state *d, const struct plugin_rescue *rescue, struct plugin_reasons *why)
{
	(void)d;
	return rescue->preempt(rescue->self, why);
}

static const struct field preemption_fields[] = {
	{.name = "minCandidateNodesPercentage",
		.type = FIELD_I32,
		.at = offsetof(struct preemption_args, min_candidate_percentage),
		.value = 10,
		.least = 0,
		.greatest = 100,
		.why = "not in valid range [0, 100]"},
	{.name = "minCandidateNodesAbsolute",
		.type = FIELD_I32,
		.at = offsetof(struct preemption_args, min_candidate_absolute),
		.value = 100,
		.least = 0,
		.greatest = INT32_MAX,
		.why = "not in valid range [0, inf)"},
};

static void preemption_args_check(struct args_report *report, const void *of)
{
	const struct preemption_args *args = of;
	if (args->min_candidate_percentage != 0 || args->min_candidate_absolute != 0)
		return;
	report->refuse(report, "minCandidateNodesPercentage",
		"Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute");
	report->refuse(report, "minCandidateNodesAbsolute",
		"Invalid value: 0: cannot be zero at the same time as "
		"minCandidateNodesPercentage");
}

static const struct fields preemption_form = {.list = preemption_fields,
	.count = ARRAY_COUNT(preemption_fields),
	.size = sizeof(struct preemption_args)};
static const struct plugin_args preemption_arguments = {.fields = &preemption_form,
	.check = preemption_args_check,
	.size = sizeof(struct preemption_args),
	.place = 6};

const struct plugin plugin_default_preemption = {.name = "DefaultPreemption",
	.args = &preemption_arguments,
	.defaults = PLUGIN_IN_ALL,
	.points_since_1_37 = PLUGIN_AT(POD_GROUP_POST_FILTER),
	.in_every_policy = true,
	.points = PLUGIN_AT(PRE_ENQUEUE),
	.post_filter = default_preemption_post_filter,
	.events = PLUGIN_EVENTS({KUBE_POD, CACHE_DELETE, hint_never})};
