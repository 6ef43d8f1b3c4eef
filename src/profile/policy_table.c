/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What became of predicates and priorities, by their names in policies.
 *
 * What kube-scheduler v1.19 to v1.22 did: it read policies as lists of plugins, by such a table;
 * NodeUnschedulable and TaintToleration were always there, and PrioritySort, DefaultPreemption and
 * DefaultBinder, which never were predicates or priorities. What we do: the same, with the plugins
 * that came later behind the others, since pods of today count on them.
 */
#include "profile/policy_private.h"

#define MAPPED(name, plugins)                                    \
	{                                                        \
		(name), (plugins), POLICY_MAPPED, true, false, 0 \
	}
#define ALWAYS(name, plugins)                                   \
	{                                                       \
		(name), (plugins), POLICY_MAPPED, true, true, 0 \
	}
#define WHEN_NAMED(name, plugins)                                 \
	{                                                         \
		(name), (plugins), POLICY_MAPPED, false, false, 0 \
	}
#define NOTHING(name, why)                                     \
	{                                                      \
		(name), (why), POLICY_NOTHING, false, false, 0 \
	}
#define WEIGHTED(name, weight, plugin)                                 \
	{                                                              \
		(name), (plugin), POLICY_MAPPED, true, false, (weight) \
	}

const struct policy_row policy_predicates[] = {
	WHEN_NAMED("CheckNodeCondition", "CheckNodeCondition"),
	ALWAYS("CheckNodeUnschedulable", "NodeUnschedulable"),
	MAPPED("GeneralPredicates", "NodeResourcesFit NodeName NodePorts NodeAffinity"),
	WHEN_NAMED("HostName", "NodeName"),
	WHEN_NAMED("PodFitsHostPorts", "NodePorts"),
	WHEN_NAMED("PodFitsPorts", "NodePorts"),
	WHEN_NAMED("MatchNodeSelector", "NodeAffinity"),
	WHEN_NAMED("PodFitsResources", "NodeResourcesFit"),
	MAPPED("NoDiskConflict", "VolumeRestrictions"),
	ALWAYS("PodToleratesNodeTaints", "TaintToleration"),
	WHEN_NAMED("PodToleratesNodeNoExecuteTaints", "TaintToleration"),
	WHEN_NAMED(POLICY_LABELS_PRESENCE, "NodeLabel"),
	WHEN_NAMED(POLICY_SERVICE_AFFINITY, "ServiceAffinity"),
	MAPPED("MaxEBSVolumeCount", "NodeVolumeLimits"),
	MAPPED("MaxGCEPDVolumeCount", "NodeVolumeLimits"),
	MAPPED("MaxCSIVolumeCountPred", "NodeVolumeLimits"),
	MAPPED("MaxAzureDiskVolumeCount", "NodeVolumeLimits"),
	WHEN_NAMED("MaxCinderVolumeCount", "NodeVolumeLimits"),
	MAPPED("CheckVolumeBinding", "VolumeBinding"),
	WHEN_NAMED("NoVolumeNodeConflict", "VolumeBinding"),
	MAPPED("NoVolumeZoneConflict", "VolumeZone"),
	WHEN_NAMED("CheckNodeMemoryPressure", "CheckNodeMemoryPressure"),
	WHEN_NAMED("CheckNodePIDPressure", "CheckNodePIDPressure"),
	WHEN_NAMED("CheckNodeDiskPressure", "CheckNodeDiskPressure"),
	MAPPED("EvenPodsSpread", "PodTopologySpread"),
	MAPPED("MatchInterPodAffinity", "InterPodAffinity"),
};
const uint32_t policy_predicate_count = ARRAY_COUNT(policy_predicates);

const struct policy_row policy_priorities[] = {
	WEIGHTED("BalancedResourceAllocation", 1, "NodeResourcesBalancedAllocation"),
	NOTHING("EqualPriority", "makes no difference between nodes"),
	WEIGHTED("EvenPodsSpreadPriority", 2, "PodTopologySpread"),
	WEIGHTED("ImageLocalityPriority", 1, "ImageLocality"),
	WEIGHTED("InterPodAffinityPriority", 1, "InterPodAffinity"),
	WEIGHTED("LeastRequestedPriority", 1, "NodeResourcesFit"),
	WHEN_NAMED("MostRequestedPriority", "NodeResourcesFit"),
	WEIGHTED("NodeAffinityPriority", 1, "NodeAffinity"),
	WHEN_NAMED(POLICY_LABEL_PREFERENCE, "NodeLabel"),
	WEIGHTED("NodePreferAvoidPodsPriority", 10000, "NodePreferAvoidPods"),
	WHEN_NAMED(POLICY_RATIO, "NodeResourcesFit"),
	WHEN_NAMED("ResourceLimitsPriority", "NodeResourceLimits"),
	WEIGHTED("SelectorSpreadPriority", 1, "SelectorSpread"),
	WHEN_NAMED(POLICY_SERVICE_ANTI_AFFINITY, "ServiceAffinity"),
	WHEN_NAMED("ServiceSpreadingPriority", "SelectorSpread"),
	WEIGHTED("TaintTolerationPriority", 1, "TaintToleration"),
};
const uint32_t policy_priority_count = ARRAY_COUNT(policy_priorities);

_Static_assert(ARRAY_COUNT(policy_predicates) <= 64, "each has its bit");
_Static_assert(ARRAY_COUNT(policy_priorities) <= POLICY_LIST_MAX, "each has its weight");

#define AT(point)   (1u << SCHEDULER_##point)
#define FILTERS     (AT(PRE_FILTER) | AT(FILTER))
#define SCORES      (AT(PRE_SCORE) | AT(SCORE))
#define BINDS       (AT(RESERVE) | AT(PRE_BIND))
#define ONLY_FILTER AT(FILTER)

const struct policy_plugin policy_plugins[] = {
	{"SchedulingGates", AT(PRE_ENQUEUE), 0, true},
	{"PrioritySort", AT(QUEUE_SORT), 0, true},
	{"NodeUnschedulable", ONLY_FILTER, 0, false},
	{"NodeName", ONLY_FILTER, 0, false},
	{"TaintToleration", ONLY_FILTER, SCORES, false},
	{"NodeAffinity", FILTERS, SCORES, false},
	{"NodePorts", FILTERS, 0, false},
	{"NodeResourcesFit", FILTERS, SCORES, false},
	{"VolumeRestrictions", FILTERS, 0, false},
	{"NodeVolumeLimits", FILTERS, 0, false},
	{"VolumeBinding", FILTERS | BINDS, 0, false},
	{"VolumeZone", FILTERS, 0, false},
	{"PodTopologySpread", FILTERS, SCORES, false},
	{"InterPodAffinity", FILTERS, SCORES, false},
	{"DynamicResources", AT(PRE_ENQUEUE) | FILTERS | AT(POST_FILTER) | BINDS, 0, true},
	{"DefaultPreemption", AT(PRE_ENQUEUE) | AT(POST_FILTER), 0, true},
	{"NodeResourcesBalancedAllocation", 0, SCORES, false},
	{"ImageLocality", 0, AT(SCORE), false},
	{"DefaultBinder", AT(BIND), 0, true},
	{"NodeDeclaredFeatures", FILTERS, 0, true},
	{"NodeLabel", ONLY_FILTER, AT(SCORE), false},
	{"ServiceAffinity", FILTERS, SCORES, false},
	{"SelectorSpread", 0, SCORES, false},
	{"NodePreferAvoidPods", 0, AT(SCORE), false},
	{"NodeResourceLimits", 0, AT(SCORE), false},
	{"CheckNodeCondition", ONLY_FILTER, 0, false},
	{"CheckNodeMemoryPressure", ONLY_FILTER, 0, false},
	{"CheckNodePIDPressure", ONLY_FILTER, 0, false},
	{"CheckNodeDiskPressure", ONLY_FILTER, 0, false},
	{"NodeResourcesLeastAllocated", 0, AT(SCORE), false},
	{"NodeResourcesMostAllocated", 0, AT(SCORE), false},
};
const uint32_t policy_plugin_count = ARRAY_COUNT(policy_plugins);
_Static_assert(ARRAY_COUNT(policy_plugins) <= POLICY_LIST_MAX, "a list has room for all");
