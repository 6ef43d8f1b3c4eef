/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of plugins: which plugins have some, their fields and defaults.
 *
 * What kube-scheduler does: the args of plugin X are an object of kind XArgs, whose apiVersion
 * and kind may be left out; when there is no such kind the args are kept for whoever may know
 * them, and no in-tree plugin does.
 */
#include "profile/scheduler_private.h"

#define AT(member) offsetof(struct frame, member)
#define FIELDS(type, list, prepare)                                                     \
	{                                                                               \
		(list), ARRAY_COUNT(list), sizeof(struct type), (prepare), false, false \
	}
#define HEAD                                                  \
	{"apiVersion", FIELD_TEXT, AT(api_version), NULL, 0}, \
	{                                                     \
		"kind", FIELD_TEXT, AT(kind), NULL, 0         \
	}

enum { TERMS_MAX = 256, REQUIREMENTS_MAX = 256, VALUES_MAX = 4096 };

struct frame { /* what an args object is read into */
	struct text api_version;
	struct text kind;
	struct scheduler_args args;
	const struct yaml_node *shape; /* of VolumeBinding */
};

/* ---- resources, shapes ---- */

static const struct scheduler_resource default_resources[] = {
	{{"cpu", 3}, 1},
	{{"memory", 6}, 1},
};
static const struct config_list default_resource_list = {
	default_resources, ARRAY_COUNT(default_resources)};

static void prepare_resource(void *to)
{
	*(struct scheduler_resource *)to = (struct scheduler_resource){.weight = 1};
}
static const struct field resource_list[] = {
	{"name", FIELD_TEXT, offsetof(struct scheduler_resource, name), NULL, 0},
	{"weight", FIELD_WEIGHT, offsetof(struct scheduler_resource, weight), NULL, 0},
};
const struct fields scheduler_resource_fields =
	FIELDS(scheduler_resource, resource_list, prepare_resource);

static const struct field point_list[] = {
	{"utilization", FIELD_I32, offsetof(struct scheduler_shape_point, utilization), NULL, 0},
	{"score", FIELD_I32, offsetof(struct scheduler_shape_point, score), NULL, 0},
};
const struct fields scheduler_point_fields = FIELDS(scheduler_shape_point, point_list, NULL);

/* ---- NodeResourcesFit ---- */

static const struct scheduler_strategy default_strategy = {
	.type = {"LeastAllocated", 14},
	.resources = {default_resources, ARRAY_COUNT(default_resources)},
};

static const struct field ratio_list[] = {
	{"shape", FIELD_LIST, offsetof(struct scheduler_ratio, shape), &scheduler_point_fields,
		SCHEDULER_SHAPE_MAX},
};
static const struct fields ratio_fields = FIELDS(scheduler_ratio, ratio_list, NULL);

static void prepare_strategy(void *to)
{
	*(struct scheduler_strategy *)to =
		(struct scheduler_strategy){.resources = default_resource_list};
}
static const struct field strategy_list[] = {
	{"type", FIELD_TEXT, offsetof(struct scheduler_strategy, type), NULL, 0},
	{"resources", FIELD_LIST, offsetof(struct scheduler_strategy, resources),
		&scheduler_resource_fields, SCHEDULER_RESOURCES_MAX},
	{"requestedToCapacityRatio", FIELD_POINTER, offsetof(struct scheduler_strategy, ratio),
		&ratio_fields, 0},
};
static const struct fields strategy_fields =
	FIELDS(scheduler_strategy, strategy_list, prepare_strategy);

static const struct field fit_list[] = {
	HEAD,
	{"ignoredResources", FIELD_TEXTS, AT(args.of.fit.ignored), NULL, SCHEDULER_IGNORED_MAX},
	{"ignoredResourceGroups", FIELD_TEXTS, AT(args.of.fit.ignored_groups), NULL,
		SCHEDULER_IGNORED_MAX},
	{"scoringStrategy", FIELD_POINTER, AT(args.of.fit.strategy), &strategy_fields, 0},
};

/* ---- NodeResourcesBalancedAllocation, InterPodAffinity ---- */

static const struct field balanced_list[] = {
	HEAD,
	{"resources", FIELD_LIST, AT(args.of.balanced.resources), &scheduler_resource_fields,
		SCHEDULER_RESOURCES_MAX},
};

static const struct field inter_pod_affinity_list[] = {
	HEAD,
	{"hardPodAffinityWeight", FIELD_I32, AT(args.of.inter_pod_affinity.hard_weight), NULL, 0},
	{"ignorePreferredTermsOfExistingPods", FIELD_BOOL,
		AT(args.of.inter_pod_affinity.ignore_preferred_of_existing), NULL, 0},
};

/* ---- NodeAffinity ---- */

static const struct field requirement_list[] = {
	{"key", FIELD_TEXT, offsetof(struct scheduler_requirement, key), NULL, 0},
	{"operator", FIELD_TEXT, offsetof(struct scheduler_requirement, op), NULL, 0},
	{"values", FIELD_TEXTS, offsetof(struct scheduler_requirement, values), NULL, VALUES_MAX},
};
static const struct fields requirement_fields =
	FIELDS(scheduler_requirement, requirement_list, NULL);

static const struct field term_list[] = {
	{"matchExpressions", FIELD_LIST, offsetof(struct scheduler_node_term, expressions),
		&requirement_fields, REQUIREMENTS_MAX},
	{"matchFields", FIELD_LIST, offsetof(struct scheduler_node_term, fields),
		&requirement_fields, REQUIREMENTS_MAX},
};
static const struct fields term_fields = FIELDS(scheduler_node_term, term_list, NULL);

static const struct field required_list[] = {
	{"nodeSelectorTerms", FIELD_LIST, offsetof(struct scheduler_required_nodes, terms),
		&term_fields, TERMS_MAX},
};
static const struct fields required_fields = FIELDS(scheduler_required_nodes, required_list, NULL);

static const struct field preferred_list[] = {
	{"weight", FIELD_I32, offsetof(struct scheduler_preferred_nodes, weight), NULL, 0},
	{"preference", FIELD_OBJECT, offsetof(struct scheduler_preferred_nodes, term), &term_fields,
		0},
};
static const struct fields preferred_fields =
	FIELDS(scheduler_preferred_nodes, preferred_list, NULL);

static const struct field added_list[] = {
	{"requiredDuringSchedulingIgnoredDuringExecution", FIELD_POINTER,
		offsetof(struct scheduler_node_affinity, required), &required_fields, 0},
	{"preferredDuringSchedulingIgnoredDuringExecution", FIELD_LIST,
		offsetof(struct scheduler_node_affinity, preferred), &preferred_fields, TERMS_MAX},
};
static const struct fields added_fields = FIELDS(scheduler_node_affinity, added_list, NULL);

static const struct field node_affinity_list[] = {
	HEAD,
	{"addedAffinity", FIELD_POINTER, AT(args.of.node_affinity.added), &added_fields, 0},
};

/* ---- PodTopologySpread ---- */

static const struct field constraint_list[] = {
	{"maxSkew", FIELD_I32, offsetof(struct scheduler_constraint, max_skew), NULL, 0},
	{"topologyKey", FIELD_TEXT, offsetof(struct scheduler_constraint, topology_key), NULL, 0},
	{"whenUnsatisfiable", FIELD_TEXT, offsetof(struct scheduler_constraint, when_unsatisfiable),
		NULL, 0},
	{"labelSelector", FIELD_NODE, offsetof(struct scheduler_constraint, selector), NULL, 0},
	{"minDomains", FIELD_OPTIONAL, offsetof(struct scheduler_constraint, min_domains), NULL, 0},
	{"nodeAffinityPolicy", FIELD_TEXT, offsetof(struct scheduler_constraint, affinity_policy),
		NULL, 0},
	{"nodeTaintsPolicy", FIELD_TEXT, offsetof(struct scheduler_constraint, taints_policy), NULL,
		0},
	{"matchLabelKeys", FIELD_TEXTS, offsetof(struct scheduler_constraint, match_label_keys),
		NULL, VALUES_MAX},
};
static const struct fields constraint_fields = FIELDS(scheduler_constraint, constraint_list, NULL);

static const struct field spread_list[] = {
	HEAD,
	{"defaultConstraints", FIELD_LIST, AT(args.of.spread.constraints), &constraint_fields,
		SCHEDULER_CONSTRAINTS_MAX},
	{"defaultingType", FIELD_TEXT, AT(args.of.spread.defaulting_type), NULL, 0},
};

/* ---- DefaultPreemption, VolumeBinding, DynamicResources ---- */

static const struct field preemption_list[] = {
	HEAD,
	{"minCandidateNodesPercentage", FIELD_I32, AT(args.of.preemption.min_candidate_percentage),
		NULL, 0},
	{"minCandidateNodesAbsolute", FIELD_I32, AT(args.of.preemption.min_candidate_absolute),
		NULL, 0},
};

static const struct field volume_binding_list[] = {
	HEAD,
	{"bindTimeoutSeconds", FIELD_I64, AT(args.of.volume_binding.bind_timeout_seconds), NULL, 0},
	{"shape", FIELD_NODE, AT(shape), NULL, 0},
};

static const struct field dynamic_resources_list[] = {
	HEAD,
	{"filterTimeout", FIELD_DURATION, AT(args.of.dynamic_resources.filter_timeout_us), NULL, 0},
	{"bindingTimeout", FIELD_DURATION, AT(args.of.dynamic_resources.binding_timeout_us), NULL,
		0},
};

/* ---- NodeLabel, ServiceAffinity ---- */

#define LABELS(name, member)                                                \
	{                                                                   \
		(name), FIELD_TEXTS, AT(member), NULL, SCHEDULER_LABELS_MAX \
	}

static const struct field node_label_list[] = {
	HEAD,
	LABELS("presentLabels", args.of.node_label.present),
	LABELS("absentLabels", args.of.node_label.absent),
	LABELS("presentLabelsPreference", args.of.node_label.present_preferred),
	LABELS("absentLabelsPreference", args.of.node_label.absent_preferred),
};

static const struct field service_affinity_list[] = {
	HEAD,
	LABELS("affinityLabels", args.of.service_affinity.together),
	LABELS("antiAffinityLabelsPreference", args.of.service_affinity.apart),
};

/* ---- who has what ---- */

static const struct kind_row {
	const char *plugin;
	const char *kind;
	struct fields fields;
} kinds[SCHEDULER_ARGS_KINDS] = {
	[SCHEDULER_ARGS_FIT] = {"NodeResourcesFit", "NodeResourcesFitArgs",
		FIELDS(frame, fit_list, NULL)},
	[SCHEDULER_ARGS_BALANCED] = {"NodeResourcesBalancedAllocation",
		"NodeResourcesBalancedAllocationArgs", FIELDS(frame, balanced_list, NULL)},
	[SCHEDULER_ARGS_INTER_POD_AFFINITY] = {"InterPodAffinity", "InterPodAffinityArgs",
		FIELDS(frame, inter_pod_affinity_list, NULL)},
	[SCHEDULER_ARGS_NODE_AFFINITY] = {"NodeAffinity", "NodeAffinityArgs",
		FIELDS(frame, node_affinity_list, NULL)},
	[SCHEDULER_ARGS_SPREAD] = {"PodTopologySpread", "PodTopologySpreadArgs",
		FIELDS(frame, spread_list, NULL)},
	[SCHEDULER_ARGS_PREEMPTION] = {"DefaultPreemption", "DefaultPreemptionArgs",
		FIELDS(frame, preemption_list, NULL)},
	[SCHEDULER_ARGS_VOLUME_BINDING] = {"VolumeBinding", "VolumeBindingArgs",
		FIELDS(frame, volume_binding_list, NULL)},
	[SCHEDULER_ARGS_DYNAMIC_RESOURCES] = {"DynamicResources", "DynamicResourcesArgs",
		FIELDS(frame, dynamic_resources_list, NULL)},
	[SCHEDULER_ARGS_NODE_LABEL] = {"NodeLabel", "NodeLabelArgs",
		FIELDS(frame, node_label_list, NULL)},
	[SCHEDULER_ARGS_SERVICE_AFFINITY] = {"ServiceAffinity", "ServiceAffinityArgs",
		FIELDS(frame, service_affinity_list, NULL)},
};

static enum scheduler_args_kind kind_of(struct text plugin)
{
	uint32_t kind = 0;
	while (kind < SCHEDULER_ARGS_KINDS && !text_is_z(plugin, kinds[kind].plugin))
		kind++;
	return (enum scheduler_args_kind)kind;
}

void scheduler_args_defaults(enum scheduler_args_kind kind, struct scheduler_args *args)
{
	CHECK(kind < SCHEDULER_ARGS_KINDS);
	*args = (struct scheduler_args){.plugin = text_of(kinds[kind].plugin), .kind = kind};
	switch (kind) {
	case SCHEDULER_ARGS_FIT: args->of.fit.strategy = &default_strategy; break;
	case SCHEDULER_ARGS_BALANCED: args->of.balanced.resources = default_resource_list; break;
	case SCHEDULER_ARGS_INTER_POD_AFFINITY: args->of.inter_pod_affinity.hard_weight = 1; break;
	case SCHEDULER_ARGS_NODE_AFFINITY: break;
	case SCHEDULER_ARGS_SPREAD: args->of.spread.defaulting_type = TEXT("System"); break;
	case SCHEDULER_ARGS_PREEMPTION:
		args->of.preemption.min_candidate_percentage = 10;
		args->of.preemption.min_candidate_absolute = 100;
		break;
	case SCHEDULER_ARGS_VOLUME_BINDING:
		args->of.volume_binding.bind_timeout_seconds = 600;
		break;
	case SCHEDULER_ARGS_DYNAMIC_RESOURCES:
		args->of.dynamic_resources.filter_timeout_us = SCHEDULER_SECONDS(10);
		args->of.dynamic_resources.binding_timeout_us = SCHEDULER_SECONDS(600);
		break;
	case SCHEDULER_ARGS_NODE_LABEL:
	case SCHEDULER_ARGS_SERVICE_AFFINITY:
	case SCHEDULER_ARGS_OTHER: break;
	}
}

/* ---- reading ---- */

static bool check_kind(struct reading *r, const struct frame *frame, const struct kind_row *row)
{
	enum scheduler_version version;
	if (frame->kind.size > 0 && !text_is_z(frame->kind, row->kind))
		refuse_unsupported(r, "kind", frame->kind, row->kind);
	else if (frame->api_version.size > 0 && !scheduler_version(frame->api_version, &version))
		refuse_unsupported(r, "apiVersion", frame->api_version, SCHEDULER_VERSIONS);
	else
		return true;
	return false;
}

void scheduler_args_read(
	struct reading *r, const struct scheduler_plugin_config *from, struct scheduler_args *args)
{
	enum scheduler_args_kind kind = kind_of(from->name);
	*args = (struct scheduler_args){.plugin = from->name, .kind = kind, .raw = from->args};
	if (from->name.size == 0)
		refuse_missing(r, "name", "the name of a plugin");
	if (kind == SCHEDULER_ARGS_OTHER && from->args != NULL)
		remark(r, "args", "have no effect: no plugin reads them");
	if (kind == SCHEDULER_ARGS_OTHER)
		return;
	struct frame frame = {.shape = NULL};
	scheduler_args_defaults(kind, &frame.args);
	size_t before = reading_enter(r, "args");
	if (from->args != NULL)
		fields_read(r, from->args, &kinds[kind].fields, &frame);
	if (frame.args.kind == SCHEDULER_ARGS_SPREAD &&
		frame.args.of.spread.defaulting_type.size == 0)
		frame.args.of.spread.defaulting_type = TEXT("System");
	*args = frame.args;
	args->raw = from->args;
	if (frame.shape != NULL)
		refuse(r, "shape",
			"Invalid value: unexpected field `shape`, remove it or turn on the feature "
			"gate StorageCapacityScoring");
	if (check_kind(r, &frame, &kinds[kind]) && !r->scratch->overflowed)
		scheduler_args_check(r, args);
	reading_leave(r, before);
}
