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
_Static_assert(ARRAY_COUNT(policy_priorities) <= POLICY_PRIORITIES_MAX, "each has its weight");
