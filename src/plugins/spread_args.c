/* SPDX-License-Identifier: GPL-2.0-only */
/* PodTopologySpread, its arguments: constraints for pods that have none. */
#include "plugins/spread_state.h"

enum { VALUES_MAX = 4096 };

#define AT(member) offsetof(struct spread_constraint_config, member)
static const struct field constraint_fields[] = {
	{.name = "maxSkew",
		.type = FIELD_I32,
		.at = AT(max_skew),
		.least = 1,
		.greatest = INT32_MAX,
		.why = "not in valid range (0, inf)"},
	{.name = "topologyKey", .type = FIELD_TEXT, .is_shown = true, .at = AT(topology_key)},
	{.name = "whenUnsatisfiable",
		.type = FIELD_TEXT,
		.is_shown = true,
		.at = AT(when_unsatisfiable),
		.choices = "\"DoNotSchedule\", \"ScheduleAnyway\""},
	{.name = "labelSelector",
		.type = FIELD_FORBIDDEN,
		.why = "Forbidden: constraint must not define a selector, as they deduced for "
		       "each pod"},
	FIELD("minDomains", FIELD_OPTIONAL, AT(min_domains), NULL, 0),
	FIELD("nodeAffinityPolicy", FIELD_TEXT, AT(affinity_policy), NULL, 0),
	FIELD("nodeTaintsPolicy", FIELD_TEXT, AT(taints_policy), NULL, 0),
	FIELD("matchLabelKeys", FIELD_TEXTS, AT(match_label_keys), NULL, VALUES_MAX),
};
#undef AT
static const struct fields constraint_form = {.list = constraint_fields,
	.count = ARRAY_COUNT(constraint_fields),
	.size = sizeof(struct spread_constraint_config)};

static const struct field spread_fields[] = {
	FIELD("defaultConstraints", FIELD_LIST, offsetof(struct spread_config, constraints),
		&constraint_form, PLUGIN_CONSTRAINTS_MAX),
	{.name = "defaultingType",
		.type = FIELD_TEXT,
		.at = offsetof(struct spread_config, defaulting_type),
		.text = "System",
		.choices = "\"System\", \"List\""},
};
static const struct fields spread_form = {.list = spread_fields,
	.count = ARRAY_COUNT(spread_fields),
	.size = sizeof(struct spread_config)};

static void constraint_check(
	struct args_report *report, const struct spread_constraint_config *list, uint32_t i)
{
	const struct spread_constraint_config *c = &list[i];
	struct args_path path;
	uint32_t first = 0;
	(void)args_path(&path, "defaultConstraints[%u].topologyKey", i);
	if (c->topology_key.size == 0)
		report->refuse(report, path.bytes, "Required value: can not be empty");
	else
		(void)report->require_label(report, path.bytes, c->topology_key);
	if (c->when_unsatisfiable.size == 0)
		report->refuse(report,
			args_path(&path, "defaultConstraints[%u].whenUnsatisfiable", i),
			"Required value: can not be empty");
	if (c->match_label_keys.count > 0)
		report->remark(report, args_path(&path, "defaultConstraints[%u].matchLabelKeys", i),
			"have no effect on default constraints");
	while (!text_is(list[first].topology_key, c->topology_key) ||
		!text_is(list[first].when_unsatisfiable, c->when_unsatisfiable))
		first++;
	if (first < i)
		report->refuse(report, args_path(&path, "defaultConstraints[%u]", i),
			"Duplicate value: \"{%.*s, %.*s}\"", ARGS_SHOWN(c->topology_key),
			ARGS_SHOWN(c->when_unsatisfiable));
}

/* An empty type is as good as none. */
static bool is_system(const struct spread_config *args)
{
	return args->defaulting_type.size == 0 || text_is_z(args->defaulting_type, "System");
}

static void spread_args_check(struct args_report *report, const void *of)
{
	const struct spread_config *args = of;
	const struct spread_constraint_config *list =
		CONFIG_LIST(args->constraints, struct spread_constraint_config);
	if (is_system(args) && args->constraints.count > 0)
		report->refuse_text(report, "defaultingType", TEXT("System"),
			"when .defaultConstraints are not empty");
	for (uint32_t i = 0; i < args->constraints.count; i++)
		constraint_check(report, list, i);
}

static enum args_result spread_args_make(const struct args_making *m, const void *of, void *made)
{
	const struct spread_config *from = of;
	const struct spread_constraint_config *list =
		CONFIG_LIST(from->constraints, struct spread_constraint_config);
	struct spread_args *to = made;
	to->is_list = !is_system(from);
	for (uint32_t i = 0; i < from->constraints.count; i++) {
		struct spread_default *c = &to->constraints[to->constraint_count++];
		c->max_skew = list[i].max_skew;
		c->hard = text_is_z(list[i].when_unsatisfiable, "DoNotSchedule");
		c->min_domains = list[i].min_domains.given ? list[i].min_domains.value : 1;
		c->ignores_affinity = list[i].affinity_policy.size > 0 &&
			!text_is_z(list[i].affinity_policy, "Honor");
		c->honors_taints = text_is_z(list[i].taints_policy, "Honor");
		if (!args_intern(m, list[i].topology_key, &c->topology_key))
			return ARGS_FULL;
	}
	return ARGS_MADE;
}

const struct plugin_args spread_arguments = {.fields = &spread_form,
	.check = spread_args_check,
	.size = sizeof(struct spread_args),
	.make = spread_args_make,
	.place = 5};
