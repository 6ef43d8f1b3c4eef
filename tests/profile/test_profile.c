/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles: the default one, lists merged and expanded, arguments, added affinities, faults. */
// deps: yaml/*.c profile/*.c
// deps: plugins/*.c cache/*.c kube/*.c json/*.c base/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
#include "profile/profile_fixture.h"

#include <stdio.h>

#include "profile/policy_private.h"
#include "profile/scheduler_write.h"

/* ---- the default ---- */

#define DEFAULT_PRE_FILTER                                                              \
	"NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits "  \
	"VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources " \
	"NodeDeclaredFeatures"
#define V1BETA2_FILTER "NodeUnschedulable NodeName TaintToleration " DEFAULT_PRE_FILTER
#define DEFAULT_FILTER "NodeName NodeUnschedulable TaintToleration " DEFAULT_PRE_FILTER
#define DEFAULT_SCORE                                                          \
	"TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 " \
	"PodTopologySpread=2 InterPodAffinity=2 DynamicResources=2 "           \
	"NodeResourcesBalancedAllocation=1 ImageLocality=1"

static void check_default(const struct plugin_profile *p)
{
	const struct cache_names *names = &picture.cache.names;
	TEST_ASSERT_TRUE(
		text_is_z(cache_text(&picture.cache, p->scheduler_name), "default-scheduler"));
	TEST_ASSERT_EQUAL_INT32(0, p->percentage_of_nodes);
	TEST_ASSERT_EQUAL_STRING("SchedulingGates DynamicResources DefaultPreemption",
		show(&p->at[PLUGIN_AT_PRE_ENQUEUE], false));
	TEST_ASSERT_EQUAL_STRING(DEFAULT_FILTER, show(&p->at[PLUGIN_AT_PRE_FILTER], false));
	TEST_ASSERT_EQUAL_STRING(DEFAULT_FILTER, show(&p->at[PLUGIN_AT_FILTER], false));
	TEST_ASSERT_EQUAL_STRING(
		"DynamicResources DefaultPreemption", show(&p->at[PLUGIN_AT_POST_FILTER], false));
	TEST_ASSERT_EQUAL_STRING(
		"TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread "
		"InterPodAffinity NodeResourcesBalancedAllocation",
		show(&p->at[PLUGIN_AT_PRE_SCORE], false));
	TEST_ASSERT_EQUAL_STRING(DEFAULT_SCORE, show(&p->at[PLUGIN_AT_SCORE], true));
	TEST_ASSERT_EQUAL_STRING(
		"VolumeBinding DynamicResources", show(&p->at[PLUGIN_AT_RESERVE], false));
	TEST_ASSERT_EQUAL_STRING(
		"VolumeBinding DynamicResources", show(&p->at[PLUGIN_AT_PRE_BIND], false));
	TEST_ASSERT_EQUAL_STRING("DefaultBinder", show(&p->at[PLUGIN_AT_BIND], false));
	TEST_ASSERT_EQUAL(FIT_LEAST_ALLOCATED, PLUGIN_ARGS(p, FIT, fit_args)->strategy);
	TEST_ASSERT_EQUAL_UINT32(2, PLUGIN_ARGS(p, FIT, fit_args)->resource_count);
	TEST_ASSERT_EQUAL_UINT32(names->cpu, PLUGIN_ARGS(p, FIT, fit_args)->resources[0].name);
	TEST_ASSERT_EQUAL_INT64(1, PLUGIN_ARGS(p, FIT, fit_args)->resources[0].weight);
	TEST_ASSERT_EQUAL_UINT32(names->memory, PLUGIN_ARGS(p, FIT, fit_args)->resources[1].name);
	TEST_ASSERT_EQUAL_UINT32(0, PLUGIN_ARGS(p, FIT, fit_args)->shape.count);
	TEST_ASSERT_EQUAL_UINT32(0, PLUGIN_ARGS(p, FIT, fit_args)->ignored_count);
	TEST_ASSERT_EQUAL_UINT32(0, PLUGIN_ARGS(p, FIT, fit_args)->ignored_group_count);
	TEST_ASSERT_EQUAL_UINT32(2, PLUGIN_ARGS(p, BALANCED, balanced_args)->resource_count);
	TEST_ASSERT_EQUAL_UINT32(
		names->memory, PLUGIN_ARGS(p, BALANCED, balanced_args)->resources[1].name);
	TEST_ASSERT_EQUAL_INT32(
		1, PLUGIN_ARGS(p, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight);
	TEST_ASSERT_FALSE(PLUGIN_ARGS(p, INTER_POD_AFFINITY, inter_pod_affinity_args)
				  ->ignore_preferred_of_existing);
	TEST_ASSERT_FALSE(PLUGIN_ARGS(p, SPREAD, spread_args)->is_list);
	TEST_ASSERT_NULL(PLUGIN_ARGS(p, NODE_AFFINITY, node_affinity_args)->added);
	TEST_ASSERT_EQUAL_INT32(
		10, PLUGIN_ARGS(p, DEFAULT_PREEMPTION, preemption_args)->min_candidate_percentage);
	TEST_ASSERT_EQUAL_INT32(
		100, PLUGIN_ARGS(p, DEFAULT_PREEMPTION, preemption_args)->min_candidate_absolute);
	TEST_ASSERT_EQUAL_INT64(
		600, PLUGIN_ARGS(p, VOLUME_BINDING, volume_binding_args)->bind_timeout_seconds);
}

static void test_default(void)
{
	struct scheduler_config config;
	profile_defaults(&picture.cache, &profiles[0]);
	check_default(&profiles[0]);
	memset(profiles, 0xff, sizeof(profiles));
	scheduler_config_defaults(&config);
	const struct profile_memory memory = {&picture.cache, &arena, &scratch};
	TEST_ASSERT_EQUAL(PROFILE_OK, build_with(&memory, &config));
	check_default(&profiles[0]);
	memset(profiles, 0xff, sizeof(profiles));
	TEST_ASSERT_EQUAL(PROFILE_OK, build(HEAD));
	check_default(&profiles[0]);
}

/* ---- lists ---- */

struct list_case {
	const char *yaml;
	const char *filter; /* NULL: as by default */
	const char *score;
};

static const struct list_case list_cases[] = {
	{PLUGINS(""), NULL, NULL},
	/* one point: what its own list names too comes first, in that list's order */
	{PLUGINS("score: {enabled: [{name: ImageLocality, weight: 5}, {name: NodeAffinity}]}"),
		NULL,
		"ImageLocality=5 NodeAffinity=1 TaintToleration=3 NodeResourcesFit=1 "
		"VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 DynamicResources=2 "
		"NodeResourcesBalancedAllocation=1"},
	/* disabled and enabled again: behind all others */
	{PLUGINS("score: {disabled: [{name: TaintToleration}, {name: VolumeBinding}], "
		 "enabled: [{name: TaintToleration, weight: 9}, {name: ImageLocality, weight: "
		 "4}]}"),
		NULL,
		"ImageLocality=4 NodeAffinity=2 NodeResourcesFit=1 PodTopologySpread=2 "
		"InterPodAffinity=2 DynamicResources=2 NodeResourcesBalancedAllocation=1 "
		"TaintToleration=9"},
	{PLUGINS("score: {disabled: [{name: '*'}]}"), NULL, ""},
	{PLUGINS("score: {disabled: [{name: '*'}], enabled: [{name: NodeAffinity, weight: 7}]}, "
		 "filter: {disabled: [{name: '*'}], enabled: [{name: NodeName}]}"),
		"NodeName", "NodeAffinity=7"},
	{PLUGINS("filter: {disabled: [{name: Nobody}, {name: NodePorts}]}, "
		 "preFilter: {disabled: [{name: '*'}]}"),
		"NodeName NodeUnschedulable TaintToleration NodeAffinity NodeResourcesFit "
		"VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread "
		"InterPodAffinity DynamicResources NodeDeclaredFeatures",
		NULL},
	/* MultiPoint: replaced where it stands, with its own weight */
	{PLUGINS("multiPoint: {enabled: [{name: ImageLocality, weight: 8}, {name: NodeAffinity}]}"),
		NULL,
		"TaintToleration=3 NodeAffinity=1 NodeResourcesFit=1 VolumeBinding=1 "
		"PodTopologySpread=2 InterPodAffinity=2 DynamicResources=2 "
		"NodeResourcesBalancedAllocation=1 ImageLocality=8"},
	/* MultiPoint: disabled and enabled again goes behind */
	{PLUGINS("multiPoint: {disabled: [{name: NodeResourcesFit}], "
		 "enabled: [{name: NodeResourcesFit, weight: 6}]}"),
		"NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts "
		"VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread "
		"InterPodAffinity DynamicResources NodeDeclaredFeatures NodeResourcesFit",
		"TaintToleration=3 NodeAffinity=2 VolumeBinding=1 PodTopologySpread=2 "
		"InterPodAffinity=2 DynamicResources=2 NodeResourcesBalancedAllocation=1 "
		"ImageLocality=1 NodeResourcesFit=6"},
	{PLUGINS("multiPoint: {disabled: [{name: '*'}], enabled: [{name: DefaultBinder}, "
		 "{name: PrioritySort}, {name: TaintToleration, weight: 2}, {name: NodeName}]}"),
		"TaintToleration NodeName", "TaintToleration=2"},
	/* the point's weight before MultiPoint's; MultiPoint disabled for the point */
	{PLUGINS("multiPoint: {enabled: [{name: NodeAffinity, weight: 30}]}, "
		 "score: {enabled: [{name: NodeAffinity, weight: 40}], "
		 "disabled: [{name: ImageLocality}]}"),
		NULL,
		"NodeAffinity=40 TaintToleration=3 NodeResourcesFit=1 VolumeBinding=1 "
		"PodTopologySpread=2 InterPodAffinity=2 DynamicResources=2 "
		"NodeResourcesBalancedAllocation=1"},
	{PLUGINS("score: {enabled: [{name: ImageLocality, weight: 2147483647}, "
		 "{name: NodeAffinity, weight: -3}], disabled: [{name: '*'}]}"),
		NULL, "ImageLocality=2147483647 NodeAffinity=-3"},
	/* points where none of ours does anything */
	{PLUGINS("placementScore: {enabled: [{name: NodeResourcesFit}]}, "
		 "permit: {disabled: [{name: '*'}]}"),
		NULL, NULL},
};

static void test_lists(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(list_cases); i++) {
		const struct list_case *c = &list_cases[i];
		TEST_ASSERT_EQUAL_MESSAGE(PROFILE_OK, build(c->yaml), fault_bytes);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(c->filter == NULL ? DEFAULT_FILTER : c->filter,
			show(&profiles[0].at[PLUGIN_AT_FILTER], false), c->yaml);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(c->score == NULL ? DEFAULT_SCORE : c->score,
			show(&profiles[0].at[PLUGIN_AT_SCORE], true), c->yaml);
	}
}

static const char *filters_of(const struct feature_choices *choices, enum kube_release release)
{
	struct scheduler_config config;
	scheduler_config_defaults(&config);
	feature_gates_set(&config.gates, choices, release);
	const struct profile_memory memory = {&picture.cache, &arena, &scratch};
	TEST_ASSERT_EQUAL(PROFILE_OK, build_with(&memory, &config));
	return show(&profiles[0].at[PLUGIN_AT_FILTER], false);
}

static void test_default_list_follows_the_release(void)
{
	const struct feature_choices none = {.given = {0}};
	const char *in_1_36 = "NodeUnschedulable NodeName TaintToleration ";
	const char *in_1_37 = "NodeName NodeUnschedulable TaintToleration ";
	TEST_ASSERT_EQUAL_STRING_LEN(in_1_36, filters_of(&none, KUBE_1_36), strlen(in_1_36));
	TEST_ASSERT_EQUAL_STRING_LEN(in_1_37, filters_of(&none, KUBE_1_37), strlen(in_1_37));
}

static void test_plugin_whose_feature_is_off_takes_no_part(void)
{
	struct feature_choices choices = {.given = {0}};
	writer_init(&fault, fault_bytes, sizeof(fault_bytes));
	TEST_ASSERT_NOT_NULL(strstr(filters_of(&choices, KUBE_1_36), "NodeDeclaredFeatures"));
	TEST_ASSERT_TRUE(
		feature_choices_read(&choices, TEXT("NodeDeclaredFeatures=false"), &fault));
	TEST_ASSERT_NULL(strstr(filters_of(&choices, KUBE_1_36), "NodeDeclaredFeatures"));
	/* locked in v1.37 */
	TEST_ASSERT_NOT_NULL(strstr(filters_of(&choices, KUBE_1_37), "NodeDeclaredFeatures"));
}

static void test_faults(void)
{
	static const struct {
		const char *yaml;
		const char *wanted;
	} cases[] = {
		{PLUGINS("permit: {enabled: [{name: NodeName}]}"),
			"plugin \"NodeName\" does not extend PermitPlugin plugin"},
		{PLUGINS("preScore: {enabled: [{name: ImageLocality}]}"),
			"plugin \"ImageLocality\" does not extend PreScorePlugin plugin"},
		{PLUGINS("filter: {enabled: [{name: NodeName}, {name: NodeName}]}"),
			"plugin \"NodeName\" already registered as \"FilterPlugin\""},
		{PLUGINS("multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}"),
			"plugin \"NodeName\" already registered as \"PreFilterPlugin\""},
		{PLUGINS("queueSort: {disabled: [{name: PrioritySort}]}"),
			"only one queue sort plugin required for profile with scheduler name "
			"\"default-scheduler\", but got 0"},
		{PLUGINS("bind: {disabled: [{name: '*'}]}"),
			"at least one bind plugin is needed for profile with scheduler name "
			"\"default-scheduler\""},
		{PLUGINS("multiPoint: {disabled: [{name: '*'}]}"),
			"only one queue sort plugin required for profile with scheduler name "
			"\"default-scheduler\", but got 0"},
		{ARGS("NodeAffinity",
			 "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
			 "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Is}]}]}}}"),
			"initializing plugin \"NodeAffinity\": parsing "
			"addedAffinity.requiredDuringSchedulingIgnoredDuringExecution: "
			"nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "
			"\"Is\": supported values: \"In\", \"NotIn\", \"Exists\", "
			"\"DoesNotExist\", \"Gt\", \"Lt\""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char wanted[1024];
		snprintf(wanted, sizeof(wanted),
			"creating profile for scheduler name default-scheduler (line 3): %s",
			cases[i].wanted);
		TEST_ASSERT_EQUAL_MESSAGE(PROFILE_REFUSED, build(cases[i].yaml), cases[i].yaml);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, fault_bytes, cases[i].yaml);
	}
}

static void test_broken_preference(void)
{
	TEST_ASSERT_EQUAL(PROFILE_REFUSED,
		build(ARGS("NodeAffinity",
			"{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
			"[{weight: 1, preference: {matchExpressions: [{key: a, operator: Gt, "
			"values: [x]}]}}]}}")));
	TEST_ASSERT_NOT_NULL(strstr(fault_bytes,
		"parsing addedAffinity.preferredDuringSchedulingIgnoredDuringExecution: "));
	/* without weight it is never looked at */
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeAffinity",
			"{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
			"[{weight: 0, preference: {matchExpressions: [{key: a, operator: Gt, "
			"values: [x]}]}}]}}")));
}

static void test_profiles(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(HEAD "percentageOfNodesToScore: 30\nprofiles:\n"
			   "- {schedulerName: a}\n"
			   "- {schedulerName: b, percentageOfNodesToScore: 70}\n"
			   "- {schedulerName: c, percentageOfNodesToScore: 0, "
			   "plugins: {score: {disabled: [{name: '*'}]}}}\n"));
	TEST_ASSERT_EQUAL_INT32(30, profiles[0].percentage_of_nodes);
	TEST_ASSERT_EQUAL_INT32(70, profiles[1].percentage_of_nodes);
	TEST_ASSERT_EQUAL_INT32(0, profiles[2].percentage_of_nodes);
	TEST_ASSERT_TRUE(text_is_z(cache_text(&picture.cache, profiles[1].scheduler_name), "b"));
	TEST_ASSERT_EQUAL_STRING(DEFAULT_SCORE, show(&profiles[1].at[PLUGIN_AT_SCORE], true));
	TEST_ASSERT_EQUAL_UINT32(0, profiles[2].at[PLUGIN_AT_SCORE].count);
	TEST_ASSERT_EQUAL(PROFILE_REFUSED,
		build(HEAD "profiles: [{schedulerName: a}, {schedulerName: b, "
			   "plugins: {bind: {disabled: [{name: '*'}]}}}]\n"));
	TEST_ASSERT_EQUAL_STRING(
		"creating profile for scheduler name b (line 3): at least one bind plugin "
		"is needed for profile with scheduler name \"b\"",
		fault_bytes);
}

/* ---- arguments ---- */

static void test_fit_args(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeResourcesFit",
			"{ignoredResources: [a, example.com/b], ignoredResourceGroups: [c.org], "
			"scoringStrategy: {type: RequestedToCapacityRatio, resources: [{name: "
			"example.com/gpu, weight: 3}, {name: cpu}], requestedToCapacityRatio: "
			"{shape: [{utilization: 10, score: 9}, {utilization: 80, score: 2}]}}}")));
	const struct fit_args *fit = PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args);
	TEST_ASSERT_EQUAL(FIT_REQUESTED_TO_CAPACITY_RATIO, fit->strategy);
	TEST_ASSERT_EQUAL_UINT32(2, fit->ignored_count);
	is_string("a", fit->ignored[0]);
	is_string("example.com/b", fit->ignored[1]);
	TEST_ASSERT_EQUAL_UINT32(1, fit->ignored_group_count);
	is_string("c.org", fit->ignored_groups[0]);
	TEST_ASSERT_EQUAL_UINT32(2, fit->resource_count);
	is_string("example.com/gpu", fit->resources[0].name);
	TEST_ASSERT_EQUAL_INT64(3, fit->resources[0].weight);
	TEST_ASSERT_EQUAL_UINT32(picture.cache.names.cpu, fit->resources[1].name);
	TEST_ASSERT_EQUAL_INT64(1, fit->resources[1].weight);
	TEST_ASSERT_EQUAL_UINT32(2, fit->shape.count);
	TEST_ASSERT_EQUAL_INT64(80, fit->shape.points[1].utilization);
	TEST_ASSERT_EQUAL_INT64(2, fit->shape.points[1].score);
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}")));
	TEST_ASSERT_EQUAL(FIT_MOST_ALLOCATED, fit->strategy);
	TEST_ASSERT_EQUAL_UINT32(2, fit->resource_count);
}

static void test_other_args(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(HEAD
			"profiles:\n- pluginConfig:\n"
			"  - {name: NodeResourcesBalancedAllocation, args: {resources: [{name: "
			"x/y}]}}\n"
			"  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 55, "
			"ignorePreferredTermsOfExistingPods: true}}\n"
			"  - {name: PodTopologySpread, args: {defaultingType: List, "
			"defaultConstraints: [{maxSkew: 4, topologyKey: rack, whenUnsatisfiable: "
			"DoNotSchedule}, {maxSkew: 5, topologyKey: rack, whenUnsatisfiable: "
			"ScheduleAnyway}]}}\n"
			"  - {name: DefaultPreemption, args: {minCandidateNodesPercentage: 0, "
			"minCandidateNodesAbsolute: 7}}\n"
			"  - {name: VolumeBinding, args: {bindTimeoutSeconds: 0}}\n"
			"  - {name: DynamicResources, args: {filterTimeout: 1s}}\n"));
	const struct plugin_profile *p = &profiles[0];
	TEST_ASSERT_EQUAL_UINT32(1, PLUGIN_ARGS(p, BALANCED, balanced_args)->resource_count);
	is_string("x/y", PLUGIN_ARGS(p, BALANCED, balanced_args)->resources[0].name);
	TEST_ASSERT_EQUAL_INT32(
		55, PLUGIN_ARGS(p, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight);
	TEST_ASSERT_TRUE(PLUGIN_ARGS(p, INTER_POD_AFFINITY, inter_pod_affinity_args)
				 ->ignore_preferred_of_existing);
	TEST_ASSERT_TRUE(PLUGIN_ARGS(p, SPREAD, spread_args)->is_list);
	TEST_ASSERT_EQUAL_UINT32(2, PLUGIN_ARGS(p, SPREAD, spread_args)->constraint_count);
	is_string("rack", PLUGIN_ARGS(p, SPREAD, spread_args)->constraints[0].topology_key);
	TEST_ASSERT_EQUAL_INT32(4, PLUGIN_ARGS(p, SPREAD, spread_args)->constraints[0].max_skew);
	TEST_ASSERT_TRUE(PLUGIN_ARGS(p, SPREAD, spread_args)->constraints[0].hard);
	TEST_ASSERT_FALSE(PLUGIN_ARGS(p, SPREAD, spread_args)->constraints[1].hard);
	TEST_ASSERT_EQUAL_INT32(
		0, PLUGIN_ARGS(p, DEFAULT_PREEMPTION, preemption_args)->min_candidate_percentage);
	TEST_ASSERT_EQUAL_INT32(
		7, PLUGIN_ARGS(p, DEFAULT_PREEMPTION, preemption_args)->min_candidate_absolute);
	TEST_ASSERT_EQUAL_INT64(
		0, PLUGIN_ARGS(p, VOLUME_BINDING, volume_binding_args)->bind_timeout_seconds);
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("VolumeBinding", "{bindTimeoutSeconds: 9223372036854775807}")));
	TEST_ASSERT_EQUAL_INT64(1000000000,
		PLUGIN_ARGS_OF(&profiles[0], VOLUME_BINDING, volume_binding_args)
			->bind_timeout_seconds);
}

static void is_shut_out(
	enum kube_release release, const char *choice, const char *config, const char *why)
{
	struct feature_choices choices = {.given = {0}};
	struct feature_gates gates;
	TEST_ASSERT_TRUE(
		feature_choices_read(&choices, text_of(choice), &(struct writer){.size = 0}));
	feature_gates_set(&gates, &choices, release);
	own_gates = &gates;
	TEST_ASSERT_EQUAL(why == NULL ? PROFILE_OK : PROFILE_REFUSED, build(config));
	if (why != NULL)
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(fault_bytes, why), fault_bytes);
	own_gates = NULL;
}

static void test_timeouts_of_devices_need_their_features(void)
{
	static const char filter[] = ARGS("DynamicResources", "{filterTimeout: 10s}");
	static const char binding[] = ARGS("DynamicResources", "{bindingTimeout: 600s}");
	static const char none[] =
		ARGS("DynamicResources", "{filterTimeout: null, bindingTimeout: null}");
	static const char why[] = "initializing plugin \"DynamicResources\": bindingTimeout: "
				  "Forbidden: DRADeviceBindingConditions or "
				  "DRAResourceClaimDeviceStatus feature gate is disabled";
	for (enum kube_release r = KUBE_1_36; r < KUBE_RELEASES; r++) {
		is_shut_out(r, "", filter, NULL);
		is_shut_out(r, "", binding, NULL);
		is_shut_out(r, "DRASchedulerFilterTimeout=false", filter,
			"initializing plugin \"DynamicResources\": filterTimeout: Forbidden: "
			"DRASchedulingFilterTimeout feature gate is disabled");
		is_shut_out(r, "DRASchedulerFilterTimeout=false", binding, NULL);
		is_shut_out(r, "DRADeviceBindingConditions=false", binding, why);
		is_shut_out(r, "DRADeviceBindingConditions=false", filter, NULL);
		is_shut_out(r, "DRASchedulerFilterTimeout=false,DRADeviceBindingConditions=false",
			none, NULL);
	}
	is_shut_out(KUBE_1_36, "DRADeviceBindingConditions=true,DRAResourceClaimDeviceStatus=false",
		binding, why);
}

static void test_a_shape_for_free_capacity_needs_its_feature(void)
{
	static const char shape[] = ARGS("VolumeBinding", "{shape: [{utilization: 5, score: 3}]}");
	struct feature_choices choices = {.given = {0}};
	struct feature_gates gates;
	own_gates = &gates;
	feature_gates_set(&gates, &choices, KUBE_1_36);
	TEST_ASSERT_EQUAL(PROFILE_REFUSED, build(shape));
	TEST_ASSERT_NOT_NULL(
		strstr(fault_bytes, "turn on the feature gate StorageCapacityScoring"));
	TEST_ASSERT_EQUAL(PROFILE_OK, build(ARGS("VolumeBinding", "{}")));
	const struct plugin_shape *made =
		&PLUGIN_ARGS(&profiles[0], VOLUME_BINDING, volume_binding_args)->shape;
	TEST_ASSERT_EQUAL_UINT32(0, made->count);
	TEST_ASSERT_TRUE(feature_choices_read(
		&choices, TEXT("StorageCapacityScoring=true"), &(struct writer){.size = 0}));
	feature_gates_set(&gates, &choices, KUBE_1_36);
	TEST_ASSERT_EQUAL(PROFILE_OK, build(shape));
	TEST_ASSERT_EQUAL_UINT32(1, made->count);
	TEST_ASSERT_EQUAL_INT64(3, made->points[0].score);
	feature_gates_set(&gates, &(struct feature_choices){.given = {0}}, KUBE_1_37);
	TEST_ASSERT_EQUAL(PROFILE_OK, build(ARGS("VolumeBinding", "{}")));
	TEST_ASSERT_EQUAL_UINT32(2, made->count);
	TEST_ASSERT_EQUAL_INT64(10, made->points[0].score);
	own_gates = NULL;
	is_shut_out(KUBE_1_36, "", ARGS("VolumeBinding", "{shape: []}"),
		"shape: Invalid value: unexpected field `shape`, remove it");
	is_shut_out(KUBE_1_37, "", ARGS("VolumeBinding", "{shape: []}"), NULL);
}

static void test_points_are_those_of_the_release(void)
{
	static const char groups[] =
		PLUGINS("podGroupPostFilter: {enabled: [{name: DefaultPreemption}]}");
	static const char early[] = PLUGINS("preFilter: {enabled: [{name: NodeName}]}");
	struct feature_gates gates;
	own_gates = &gates;
	feature_gates_set(&gates, &(struct feature_choices){.given = {0}}, KUBE_1_36);
	TEST_ASSERT_EQUAL(PROFILE_REFUSED, build(groups));
	TEST_ASSERT_NOT_NULL(strstr(fault_bytes, "unknown field \"podGroupPostFilter\""));
	TEST_ASSERT_EQUAL(PROFILE_REFUSED, build(early));
	TEST_ASSERT_NOT_NULL(strstr(fault_bytes, "does not extend PreFilterPlugin"));
	feature_gates_set(&gates, &(struct feature_choices){.given = {0}}, KUBE_1_37);
	TEST_ASSERT_EQUAL(PROFILE_OK, build(groups));
	TEST_ASSERT_EQUAL_UINT32(1, notes.count); /* no effect */
	TEST_ASSERT_EQUAL(PROFILE_OK, build(early));
	own_gates = NULL;
}

/* ---- added affinities ---- */

#define REQUIRED(term)                                                      \
	"{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
	"{nodeSelectorTerms: [" term "]}}}"

static enum plugin_code added_filter(const char *node)
{
	picture.profile = profiles[0];
	struct cycle_state *d = picture_decide("default", "p");
	return plugins[PLUGIN_NODE_AFFINITY]->filter(d, picture_view(node), picture_why());
}

static void test_added_affinity_required(void)
{
	static const struct {
		const char *yaml;
		bool first, second; /* may the pod go there? */
	} cases[] = {
		{ARGS("NodeAffinity", "{}"), true, true},
		{ARGS("NodeAffinity", "{addedAffinity: {}}"), true, true},
		{ARGS("NodeAffinity",
			 "{addedAffinity: "
			 "{requiredDuringSchedulingIgnoredDuringExecution: {}}}"),
			false, false},
		{ARGS("NodeAffinity",
			 REQUIRED("{matchExpressions: [{key: disk, operator: In, values: [ssd, "
				  "hdd]}]}")),
			true, false},
		{ARGS("NodeAffinity",
			 REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: "
				  "[n2]}]}")),
			false, true},
		{ARGS("NodeAffinity",
			 REQUIRED("{matchFields: [{key: metadata.name, operator: NotIn, values: "
				  "[\"q\\\"\\\\\\n\"]}]}")),
			true, true},
		{ARGS("NodeAffinity",
			 REQUIRED(
				 "{matchExpressions: [{key: cores, operator: Gt, values: ['3']}]}, "
				 "{}")),
			false, true},
	};
	picture_add("{'kind':'Node','metadata':{'name':'n1','labels':{'disk':'ssd'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2','labels':{'cores':'4'}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{}}");
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		TEST_ASSERT_EQUAL_MESSAGE(PROFILE_OK, build(cases[i].yaml), fault_bytes);
		TEST_ASSERT_EQUAL_MESSAGE(cases[i].first ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE,
			added_filter("n1"), cases[i].yaml);
		TEST_ASSERT_EQUAL_MESSAGE(cases[i].second ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE,
			added_filter("n2"), cases[i].yaml);
		if (!cases[i].second)
			TEST_ASSERT_EQUAL_STRING(
				"node(s) didn't match scheduler-enforced node affinity",
				picture_reasons());
	}
}

static void test_added_affinity_preferred(void)
{
	uint32_t first =
		picture_add("{'kind':'Node','metadata':{'name':'n1','labels':{'disk':'ssd'}}}");
	uint32_t second = picture_add("{'kind':'Node','metadata':{'name':'n2'}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{}}");
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeAffinity",
			"{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
			"[{weight: 7, preference: {matchExpressions: [{key: disk, operator: "
			"Exists}]}}, {weight: 4, preference: {matchExpressions: [{key: none, "
			"operator: DoesNotExist}]}}]}}")));
	picture.profile = profiles[0];
	struct cycle_state *d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugins[PLUGIN_NODE_AFFINITY]->pre_score(d));
	TEST_ASSERT_EQUAL_INT64(11, plugins[PLUGIN_NODE_AFFINITY]->score(d, first));
	TEST_ASSERT_EQUAL_INT64(4, plugins[PLUGIN_NODE_AFFINITY]->score(d, second));
}

/* ---- bounds ---- */

static const char big_yaml[] = ARGS("NodeAffinity",
	REQUIRED("{matchExpressions: [{key: disk, operator: In, values: "
		 "[s1, s2, s3]}, {key: other, operator: Exists}]}"));

static void test_little_memory(void)
{
	static uint8_t small_block[4096];
	struct scheduler_config config;
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
		scheduler_config_read(TEXT(big_yaml), &scratch, &config, &faults, &notes));
	uint32_t before = picture.cache.strings.strings.budget.used;
	struct arena small;
	arena_init(&small, small_block, 64);
	struct profile_memory memory = {&picture.cache, &small, &scratch};
	TEST_ASSERT_EQUAL(PROFILE_FULL, build_with(&memory, &config));
	uint32_t full = 0;
	enum profile_result result = PROFILE_FULL;
	for (size_t size = 0; result == PROFILE_FULL; size += 64, full++) {
		struct scratch little;
		TEST_ASSERT_LESS_OR_EQUAL_size_t(sizeof(small_block), size);
		arena_init(&small, small_block, sizeof(small_block)); /* lifts the poison */
		scratch_init(&little, small_block, size);
		memory = (struct profile_memory){&picture.cache, &arena, &little};
		result = build_with(&memory, &config);
		if (result == PROFILE_FULL) /* what was tried left only the profile's name */
			TEST_ASSERT_LESS_OR_EQUAL_UINT32(
				before + 1, picture.cache.strings.strings.budget.used);
	}
	TEST_ASSERT_EQUAL(PROFILE_OK, result);
	TEST_ASSERT_GREATER_THAN_UINT32(4, full);
	arena_init(&small, small_block, sizeof(small_block));
}

static void test_no_room_for_strings(void)
{
	struct scheduler_config config;
	char name[32];
	uint32_t id;
	uint32_t filled = 0;
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
		scheduler_config_read(
			TEXT(ARGS("NodeResourcesFit", "{ignoredResources: [one, two]}")), &scratch,
			&config, &faults, &notes));
	while (true) {
		struct writer w;
		writer_init(&w, name, sizeof(name));
		write_format(&w, "filler-%u", filled++);
		if (!intern_take(&picture.cache.strings, writer_text(&w), &id))
			break;
	}
	const struct profile_memory memory = {&picture.cache, &arena, &scratch};
	TEST_ASSERT_EQUAL(PROFILE_FULL, build_with(&memory, &config));
	for (uint32_t room = 1; room <= 3; room++) {
		struct writer w;
		writer_init(&w, name, sizeof(name));
		write_format(&w, "filler-%u", room);
		TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, writer_text(&w), &id));
		intern_give(&picture.cache.strings, id);
		TEST_ASSERT_EQUAL(
			room == 3 ? PROFILE_OK : PROFILE_FULL, build_with(&memory, &config));
	}
}

static void test_default_constraints_in_full(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("PodTopologySpread",
			"{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
			"whenUnsatisfiable: DoNotSchedule, minDomains: 3, nodeAffinityPolicy: "
			"Ignore, nodeTaintsPolicy: Honor, matchLabelKeys: [x]}, {maxSkew: 1, "
			"topologyKey: b, whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: "
			"Honor, nodeTaintsPolicy: Ignore}]}")));
	const struct spread_default *c =
		PLUGIN_ARGS_OF(&profiles[0], SPREAD, spread_args)->constraints;
	TEST_ASSERT_EQUAL_INT32(3, c[0].min_domains);
	TEST_ASSERT_TRUE(c[0].ignores_affinity);
	TEST_ASSERT_TRUE(c[0].honors_taints);
	TEST_ASSERT_EQUAL_INT32(1, c[1].min_domains);
	TEST_ASSERT_FALSE(c[1].ignores_affinity);
	TEST_ASSERT_FALSE(c[1].honors_taints);
	TEST_ASSERT_EQUAL_UINT32(1, notes.count);
}

static void test_what_extenders_ignore(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeResourcesFit",
			"{ignoredResources: [own]}") "extenders:\n- urlPrefix: http://a\n  "
						     "managedResources:\n"
						     "  - {name: example.com/a, "
						     "ignoredByScheduler: true}\n"
						     "  - {name: example.com/b}\n"
						     "- urlPrefix: http://b\n  managedResources:\n"
						     "  - {name: example.com/c, "
						     "ignoredByScheduler: true}\n"));
	TEST_ASSERT_EQUAL_UINT32(2, PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args)->ignored_count);
	is_string("example.com/a", PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args)->ignored[0]);
	is_string("example.com/c", PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args)->ignored[1]);
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(ARGS("NodeResourcesFit",
			"{ignoredResources: [own]}") "extenders: [{urlPrefix: 'http://a', "
						     "managedResources: "
						     "[{name: example.com/b}]}]\n"));
	TEST_ASSERT_EQUAL_UINT32(1, PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args)->ignored_count);
	is_string("own", PLUGIN_ARGS_OF(&profiles[0], FIT, fit_args)->ignored[0]);
}

#define OLDER(version, profile)                                 \
	"apiVersion: kubescheduler.config.k8s.io/" version "\n" \
	"kind: KubeSchedulerConfiguration\nprofiles: [{" profile "}]\n"

static void test_v1beta3_is_v1(void)
{
	TEST_ASSERT_EQUAL(PROFILE_OK, build(OLDER("v1beta3", "")));
	check_default(&profiles[0]);
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(OLDER("v1beta3",
			"plugins: {multiPoint: {enabled: [{name: GCEPDLimits}], disabled: [{name: "
			"EBSLimits}]}, filter: {enabled: [{name: AzureDiskLimits}]}}")));
	check_default(&profiles[0]);
	TEST_ASSERT_EQUAL_UINT32(2, notes.count);
}

/* Other weights, and lists that are merged where they stand. */
static void test_v1beta2(void)
{
	const struct plugin_profile *p = &profiles[0];
	TEST_ASSERT_EQUAL(PROFILE_OK, build(OLDER("v1beta2", "")));
	TEST_ASSERT_EQUAL_STRING(
		"NodeResourcesBalancedAllocation=1 ImageLocality=1 InterPodAffinity=1 "
		"NodeResourcesFit=1 NodeAffinity=1 PodTopologySpread=2 TaintToleration=1 "
		"DynamicResources=2",
		show(&p->at[PLUGIN_AT_SCORE], true));
	TEST_ASSERT_EQUAL_STRING(V1BETA2_FILTER, show(&p->at[PLUGIN_AT_FILTER], false));
	TEST_ASSERT_EQUAL_STRING(
		"DynamicResources DefaultPreemption", show(&p->at[PLUGIN_AT_POST_FILTER], false));
	TEST_ASSERT_EQUAL_STRING("DefaultBinder", show(&p->at[PLUGIN_AT_BIND], false));
	TEST_ASSERT_EQUAL_STRING(
		"VolumeBinding DynamicResources", show(&p->at[PLUGIN_AT_RESERVE], false));
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(OLDER("v1beta2",
			"plugins: {score: {enabled: [{name: NodeAffinity, weight: 5}, {name: "
			"VolumeBinding, weight: 4}], disabled: [{name: ImageLocality}]}, filter: "
			"{disabled: [{name: '*'}], enabled: [{name: NodeName}]}}")));
	TEST_ASSERT_EQUAL_STRING(
		"NodeResourcesBalancedAllocation=1 InterPodAffinity=1 NodeResourcesFit=1 "
		"NodeAffinity=5 PodTopologySpread=2 TaintToleration=1 DynamicResources=2 "
		"VolumeBinding=4",
		show(&p->at[PLUGIN_AT_SCORE], true));
	TEST_ASSERT_EQUAL_STRING("NodeName", show(&p->at[PLUGIN_AT_FILTER], false));
	TEST_ASSERT_EQUAL(PROFILE_OK,
		build(OLDER("v1beta2", "plugins: {multiPoint: {disabled: [{name: '*'}]}}")));
	TEST_ASSERT_EQUAL_STRING(V1BETA2_FILTER, show(&p->at[PLUGIN_AT_FILTER], false));
	TEST_ASSERT_EQUAL_UINT32(1, notes.count);
}

/* All lists of a profile, in a line. */
static void show_all(const struct plugin_profile *p, char *to, size_t size)
{
	const struct plugin_uses *lists[] = {&p->at[PLUGIN_AT_PRE_ENQUEUE],
		&p->at[PLUGIN_AT_PRE_FILTER], &p->at[PLUGIN_AT_FILTER],
		&p->at[PLUGIN_AT_POST_FILTER], &p->at[PLUGIN_AT_PRE_SCORE], &p->at[PLUGIN_AT_SCORE],
		&p->at[PLUGIN_AT_RESERVE], &p->at[PLUGIN_AT_PRE_BIND], &p->at[PLUGIN_AT_BIND]};
	struct writer w;
	writer_init(&w, to, size - 1);
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		write_format(&w, "%s| ", show(lists[i], true));
	TEST_ASSERT_FALSE(w.overflowed);
	to[w.used] = '\0';
}

static void test_written_out_it_means_the_same(void)
{
	static const char *const files[] = {HEAD,
		PLUGINS("score: {enabled: [{name: ImageLocality, weight: 4}, {name: "
			"NodeAffinity}], "
			"disabled: [{name: TaintToleration}]}"),
		PLUGINS("multiPoint: {enabled: [{name: NodeAffinity, weight: 9}], disabled: "
			"[{name: "
			"VolumeZone}]}, filter: {enabled: [{name: InterPodAffinity}]}"),
		PLUGINS("multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, "
			"{name: DefaultBinder}, {name: NodeName}]}"),
		PLUGINS("preScore: {disabled: [{name: '*'}]}, score: {disabled: [{name: '*'}]}"),
		OLDER("v1beta2", "plugins: {score: {disabled: [{name: NodeAffinity}]}}"),
		OLDER("v1beta3", "plugins: {multiPoint: {disabled: [{name: ImageLocality}]}}")};
	static char first[SHOWN_BYTES], second[SHOWN_BYTES], written[64 * 1024];
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		struct scheduler_config config, out;
		struct writer w;
		TEST_ASSERT_EQUAL(PROFILE_OK, build(files[i]));
		show_all(&profiles[0], first, sizeof(first));
		scratch_reset(&scratch);
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
			scheduler_config_read(
				text_of(files[i]), &scratch, &config, &faults, &notes));
		TEST_ASSERT_TRUE(profiles_write_out(&config, &scratch, &out));
		writer_init(&w, written, sizeof(written) - 1);
		scheduler_config_write(&out, &w);
		written[w.used] = '\0';
		TEST_ASSERT_EQUAL(PROFILE_OK, build(written));
		show_all(&profiles[0], second, sizeof(second));
		TEST_ASSERT_EQUAL_STRING_MESSAGE(first, second, files[i]);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_shape_for_free_capacity_needs_its_feature);
	RUN_TEST(test_timeouts_of_devices_need_their_features);
	RUN_TEST(test_points_are_those_of_the_release);
	RUN_TEST(test_written_out_it_means_the_same);
	RUN_TEST(test_default_constraints_in_full);
	RUN_TEST(test_what_extenders_ignore);
	RUN_TEST(test_v1beta3_is_v1);
	RUN_TEST(test_v1beta2);
	RUN_TEST(test_default);
	RUN_TEST(test_lists);
	RUN_TEST(test_default_list_follows_the_release);
	RUN_TEST(test_plugin_whose_feature_is_off_takes_no_part);
	RUN_TEST(test_faults);
	RUN_TEST(test_broken_preference);
	RUN_TEST(test_profiles);
	RUN_TEST(test_fit_args);
	RUN_TEST(test_other_args);
	RUN_TEST(test_added_affinity_required);
	RUN_TEST(test_added_affinity_preferred);
	RUN_TEST(test_little_memory);
	RUN_TEST(test_no_room_for_strings);
	return UNITY_END();
}
