/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies and providers: what each name of a predicate or priority becomes, and the words for
 * what becomes nothing.
 */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "plugins/fit.h"
#include "plugins/spread_state.h"
#include "profile/policy.h"

#include "profile/scheduler_fixture.h"

enum { SHOWN_BYTES = 2048, FILE_BYTES = 8192 };

static char shown[SHOWN_BYTES];

static enum scheduler_config_result read_policy(const char *file)
{
	scratch_reset(&scratch);
	config_faults_init(&faults);
	config_faults_init(&notes);
	return policy_read_on(text_of(file), &scratch, &config, &faults, &notes);
}

static const struct scheduler_profile *profile(void)
{
	TEST_ASSERT_EQUAL_UINT32(1, config.profiles.count);
	return CONFIG_LIST(config.profiles, struct scheduler_profile);
}

static const char *show(enum plugin_point point)
{
	const struct config_list *enabled = &profile()->plugins.sets[point].enabled;
	const struct scheduler_plugin *list = CONFIG_LIST(*enabled, struct scheduler_plugin);
	struct writer w;
	writer_init(&w, shown, sizeof(shown) - 1);
	for (uint32_t i = 0; i < enabled->count; i++) {
		write_format(&w, "%s%.*s", i == 0 ? "" : " ", TEXT_ARGS(list[i].name));
		if (list[i].weight != 0)
			write_format(&w, "=%d", list[i].weight);
	}
	shown[w.used] = '\0';
	return shown;
}

static const struct scheduler_args *args(enum plugin_id id)
{
	const struct scheduler_args *list = CONFIG_LIST(profile()->args, struct scheduler_args);
	uint32_t i = 0;
	while (i < profile()->args.count && list[i].id != id)
		i++;
	TEST_ASSERT_LESS_THAN_UINT32(profile()->args.count, i);
	return &list[i];
}

static void is_read(const char *file)
{
	enum scheduler_config_result result = read_policy(file);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("", print(&faults), file);
	TEST_ASSERT_EQUAL_MESSAGE(SCHEDULER_CONFIG_OK, result, file);
}

#define POLICY "apiVersion: v1\nkind: Policy\n"
#define LATER  "DynamicResources NodeDeclaredFeatures"

/* ---- names ---- */

struct name_case {
	const char *name;
	const char *pre_filter; /* besides what came later */
	const char *filter; /* besides what is always there: NodeUnschedulable, TaintToleration */
};

static void check_predicate(const struct name_case *c)
{
	char file[256], pre_filter[256], filter[256];
	snprintf(file, sizeof(file), POLICY "predicates: [{name: %s}]\npriorities: []\n", c->name);
	snprintf(pre_filter, sizeof(pre_filter), "%s" LATER, c->pre_filter);
	snprintf(filter, sizeof(filter), "%s", c->filter);
	is_read(file);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(pre_filter, show(PLUGIN_AT_PRE_FILTER), c->name);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(filter, show(PLUGIN_AT_FILTER), c->name);
	TEST_ASSERT_EQUAL_STRING("", show(PLUGIN_AT_SCORE));
	TEST_ASSERT_EQUAL_STRING("PrioritySort", show(PLUGIN_AT_QUEUE_SORT));
	TEST_ASSERT_EQUAL_STRING("DefaultBinder", show(PLUGIN_AT_BIND));
	TEST_ASSERT_EQUAL_STRING("DynamicResources DefaultPreemption", show(PLUGIN_AT_POST_FILTER));
}

#define BEFORE "NodeUnschedulable "
#define BEHIND "TaintToleration "
#define NONE   BEFORE BEHIND LATER

static void test_predicates(void)
{
	static const struct name_case cases[] = {
		{"GeneralPredicates", "NodeResourcesFit NodePorts NodeAffinity ",
			BEFORE "NodeResourcesFit NodeName NodePorts NodeAffinity " BEHIND LATER},
		{"HostName", "", BEFORE "NodeName " BEHIND LATER},
		{"PodFitsHostPorts", "NodePorts ", BEFORE "NodePorts " BEHIND LATER},
		{"PodFitsPorts", "NodePorts ", BEFORE "NodePorts " BEHIND LATER},
		{"MatchNodeSelector", "NodeAffinity ", BEFORE "NodeAffinity " BEHIND LATER},
		{"PodFitsResources", "NodeResourcesFit ", BEFORE "NodeResourcesFit " BEHIND LATER},
		{"NoDiskConflict", "VolumeRestrictions ",
			BEFORE "VolumeRestrictions " BEHIND LATER},
		{"PodToleratesNodeTaints", "", NONE},
		{"PodToleratesNodeNoExecuteTaints", "", NONE},
		{"CheckNodeUnschedulable", "", NONE},
		{"MaxEBSVolumeCount", "NodeVolumeLimits ", BEFORE BEHIND "NodeVolumeLimits " LATER},
		{"MaxGCEPDVolumeCount", "NodeVolumeLimits ",
			BEFORE BEHIND "NodeVolumeLimits " LATER},
		{"MaxCSIVolumeCountPred", "NodeVolumeLimits ",
			BEFORE BEHIND "NodeVolumeLimits " LATER},
		{"MaxAzureDiskVolumeCount", "NodeVolumeLimits ",
			BEFORE BEHIND "NodeVolumeLimits " LATER},
		{"MaxCinderVolumeCount", "NodeVolumeLimits ",
			BEFORE BEHIND "NodeVolumeLimits " LATER},
		{"CheckVolumeBinding", "VolumeBinding ", BEFORE BEHIND "VolumeBinding " LATER},
		{"NoVolumeNodeConflict", "VolumeBinding ", BEFORE BEHIND "VolumeBinding " LATER},
		{"NoVolumeZoneConflict", "VolumeZone ", BEFORE BEHIND "VolumeZone " LATER},
		{"EvenPodsSpread", "PodTopologySpread ", BEFORE BEHIND "PodTopologySpread " LATER},
		{"MatchInterPodAffinity", "InterPodAffinity ",
			BEFORE BEHIND "InterPodAffinity " LATER},
		{"CheckNodeCondition", "", "CheckNodeCondition " NONE},
		{"CheckNodeLabelPresence", "", BEFORE BEHIND "NodeLabel " LATER},
		{"CheckServiceAffinity", "ServiceAffinity ",
			BEFORE BEHIND "ServiceAffinity " LATER},
		{"CheckNodeMemoryPressure", "", BEFORE BEHIND "CheckNodeMemoryPressure " LATER},
		{"CheckNodeDiskPressure", "", BEFORE BEHIND "CheckNodeDiskPressure " LATER},
		{"CheckNodePIDPressure", "", BEFORE BEHIND "CheckNodePIDPressure " LATER},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		check_predicate(&cases[i]);
	is_read(POLICY "predicates: [{name: CheckVolumeBinding}]\n");
	TEST_ASSERT_EQUAL_STRING("VolumeBinding DynamicResources", show(PLUGIN_AT_RESERVE));
	TEST_ASSERT_EQUAL_STRING("VolumeBinding DynamicResources", show(PLUGIN_AT_PRE_BIND));
}

static void test_priorities(void)
{
	static const struct {
		const char *name;
		const char *pre_score;
		const char *score;
	} cases[] = {
		{"SelectorSpreadPriority", "SelectorSpread", "SelectorSpread=3"},
		{"ServiceSpreadingPriority", "SelectorSpread", "SelectorSpread=3"},
		{"EvenPodsSpreadPriority", "PodTopologySpread", "PodTopologySpread=3"},
		{"InterPodAffinityPriority", "InterPodAffinity", "InterPodAffinity=3"},
		{"LeastRequestedPriority", "NodeResourcesFit", "NodeResourcesFit=3"},
		{"MostRequestedPriority", "NodeResourcesFit", "NodeResourcesFit=3"},
		{"BalancedResourceAllocation", "NodeResourcesBalancedAllocation",
			"NodeResourcesBalancedAllocation=3"},
		{"NodeAffinityPriority", "NodeAffinity", "NodeAffinity=3"},
		{"TaintTolerationPriority", "TaintToleration", "TaintToleration=3"},
		{"ImageLocalityPriority", "", "ImageLocality=3"},
		{"EqualPriority", "", ""},
		{"NodePreferAvoidPodsPriority", "", "NodePreferAvoidPods=3"},
		{"ResourceLimitsPriority", "NodeResourceLimits", "NodeResourceLimits=3"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char file[256];
		snprintf(file, sizeof(file),
			POLICY "predicates: []\npriorities: [{name: %s, weight: 3}]\n",
			cases[i].name);
		is_read(file);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			cases[i].pre_score, show(PLUGIN_AT_PRE_SCORE), cases[i].name);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			cases[i].score, show(PLUGIN_AT_SCORE), cases[i].name);
		TEST_ASSERT_EQUAL_STRING(NONE, show(PLUGIN_AT_FILTER));
	}
}

static void test_defaults(void)
{
	is_read(POLICY);
	TEST_ASSERT_EQUAL_STRING(BEFORE
		"NodeResourcesFit NodeName NodePorts NodeAffinity VolumeRestrictions " BEHIND
		"NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread "
		"InterPodAffinity " LATER,
		show(PLUGIN_AT_FILTER));
	TEST_ASSERT_EQUAL_STRING(
		"NodeResourcesBalancedAllocation=1 PodTopologySpread=2 ImageLocality=1 "
		"InterPodAffinity=1 NodeResourcesFit=1 NodeAffinity=1 NodePreferAvoidPods=10000 "
		"SelectorSpread=1 TaintToleration=1",
		show(PLUGIN_AT_SCORE));
	TEST_ASSERT_TRUE(text_is_z(
		SCHEDULER_ARGS(args(PLUGIN_SPREAD), spread_config)->defaulting_type, "List"));
	is_read("predicates: null\npriorities: null\n"); /* neither kind nor version */
	TEST_ASSERT_EQUAL_UINT32(0, notes.count);
	is_read(POLICY "predicates: []\npriorities: []\n");
	TEST_ASSERT_EQUAL_STRING(NONE, show(PLUGIN_AT_FILTER));
	TEST_ASSERT_EQUAL_STRING("", show(PLUGIN_AT_SCORE));
}

/* ---- arguments ---- */

static void is_strategy(const char *file, const char *wanted)
{
	is_read(file);
	TEST_ASSERT_TRUE_MESSAGE(
		text_is_z(SCHEDULER_ARGS(args(PLUGIN_FIT), fit_config)->strategy->type, wanted),
		file);
}

static void test_arguments(void)
{
	is_strategy(POLICY, "LeastAllocated");
	is_strategy(
		POLICY "priorities: [{name: MostRequestedPriority, weight: 1}]\n", "MostAllocated");
	is_strategy(POLICY
		"priorities: [{name: Mine, weight: 1, argument: "
		"{requestedToCapacityRatioArguments: {shape: [{utilization: 0, score: 1}]}}}]\n",
		"RequestedToCapacityRatio");
	const struct fit_strategy_config *strategy =
		SCHEDULER_ARGS(args(PLUGIN_FIT), fit_config)->strategy;
	TEST_ASSERT_EQUAL_UINT32(1, strategy->ratio->shape.count);
	TEST_ASSERT_EQUAL_UINT32(2, strategy->resources.count);
	is_read(POLICY "hardPodAffinitySymmetricWeight: 33\n"
		       "priorities: [{name: EvenPodsSpreadPriority, weight: 1}]\n");
	TEST_ASSERT_EQUAL_INT32(33,
		SCHEDULER_ARGS(args(PLUGIN_INTER_POD_AFFINITY), inter_pod_affinity_args)
			->hard_weight);
	TEST_ASSERT_TRUE(text_is_z(
		SCHEDULER_ARGS(args(PLUGIN_SPREAD), spread_config)->defaulting_type, "List"));
	is_read(POLICY "priorities:\n- {name: EvenPodsSpreadPriority, weight: 4}\n"
		       "- {name: SelectorSpreadPriority, weight: 2}\n");
	TEST_ASSERT_EQUAL_STRING("PodTopologySpread=4 SelectorSpread=2", show(PLUGIN_AT_SCORE));
	TEST_ASSERT_TRUE(text_is_z(
		SCHEDULER_ARGS(args(PLUGIN_SPREAD), spread_config)->defaulting_type, "List"));
}

/* ---- labels ---- */

static const char *show_labels(const struct config_list *list)
{
	const struct text *labels = CONFIG_LIST(*list, struct text);
	struct writer w;
	writer_init(&w, shown, sizeof(shown) - 1);
	for (uint32_t i = 0; i < list->count; i++)
		write_format(&w, "%s%.*s", i == 0 ? "" : " ", TEXT_ARGS(labels[i]));
	shown[w.used] = '\0';
	return shown;
}

static void test_labels_of_predicates(void)
{
	is_read(POLICY "priorities: []\npredicates:\n"
		       "- {name: A, argument: {labelsPresence: {labels: [a, b], presence: true}}}\n"
		       "- {name: B, argument: {labelsPresence: {labels: [c], presence: false}}}\n"
		       "- {name: CheckNodeLabelPresence, argument: {labelsPresence: {labels: [d], "
		       "presence: true}}}\n"
		       "- {name: Region, argument: {serviceAffinity: {labels: [region, rack]}}}\n");
	const struct node_label_config *labels =
		SCHEDULER_ARGS(args(PLUGIN_NODE_LABEL), node_label_config);
	TEST_ASSERT_EQUAL_STRING("a b d", show_labels(&labels->present));
	TEST_ASSERT_EQUAL_STRING("c", show_labels(&labels->absent));
	TEST_ASSERT_EQUAL_STRING("region rack",
		show_labels(&SCHEDULER_ARGS(args(PLUGIN_SERVICE_AFFINITY), service_affinity_config)
				     ->together));
	TEST_ASSERT_EQUAL_STRING(
		BEFORE BEHIND "NodeLabel ServiceAffinity " LATER, show(PLUGIN_AT_FILTER));
	TEST_ASSERT_EQUAL_UINT32(0, notes.count);
	is_read(POLICY "predicates: [{name: CheckServiceAffinity}]\n");
	TEST_ASSERT_EQUAL_UINT32(1, notes.count);
}

/* Each stands for its weight: one plugin gets the sum. */
static void test_labels_of_priorities(void)
{
	is_read(POLICY "predicates: []\npriorities:\n"
		       "- {name: A, weight: 2, argument: {labelPreference: {label: a, presence: "
		       "true}}}\n"
		       "- {name: B, weight: 2, argument: {labelPreference: {label: b, presence: "
		       "false}}}\n"
		       "- {name: C, weight: 5, argument: {serviceAntiAffinity: {label: zone}}}\n"
		       "- {name: D, weight: 5, argument: {serviceAntiAffinity: {label: rack}}}\n"
		       "- {name: E, weight: 5, argument: {serviceAntiAffinity: {label: row}}}\n");
	const struct node_label_config *labels =
		SCHEDULER_ARGS(args(PLUGIN_NODE_LABEL), node_label_config);
	TEST_ASSERT_EQUAL_STRING("a", show_labels(&labels->present_preferred));
	TEST_ASSERT_EQUAL_STRING("b", show_labels(&labels->absent_preferred));
	TEST_ASSERT_EQUAL_STRING("zone rack row",
		show_labels(&SCHEDULER_ARGS(args(PLUGIN_SERVICE_AFFINITY), service_affinity_config)
				     ->apart));
	TEST_ASSERT_EQUAL_STRING("NodeLabel=4 ServiceAffinity=15", show(PLUGIN_AT_SCORE));
	TEST_ASSERT_EQUAL_STRING("ServiceAffinity", show(PLUGIN_AT_PRE_SCORE));
}

static void test_strategies_beside_each_other(void)
{
	is_strategy(POLICY "priorities:\n- {name: LeastRequestedPriority, weight: 1}\n"
			   "- {name: MostRequestedPriority, weight: 2}\n",
		"LeastAllocated");
	TEST_ASSERT_EQUAL_STRING(
		"NodeResourcesFit=1 NodeResourcesMostAllocated=2", show(PLUGIN_AT_SCORE));
	is_strategy(POLICY
		"priorities:\n- {name: LeastRequestedPriority, weight: 1}\n"
		"- {name: MostRequestedPriority, weight: 2}\n- {name: R, weight: 3, argument: "
		"{requestedToCapacityRatioArguments: {shape: [{utilization: 0, score: 1}]}}}\n",
		"RequestedToCapacityRatio");
	TEST_ASSERT_EQUAL_STRING("NodeResourcesLeastAllocated=1 NodeResourcesMostAllocated=2 "
				 "NodeResourcesFit=3",
		show(PLUGIN_AT_SCORE));
}

static void test_extenders(void)
{
	is_read(POLICY "extenders:\n- {URLPrefix: 'http://a', filterverb: f, ENABLEHTTPS: true, "
		       "httpTimeout: 2000000000, unknown: 1}\n- {urlPrefix: 'http://b'}\n");
	const struct scheduler_extender *e =
		CONFIG_LIST(config.extenders, struct scheduler_extender);
	TEST_ASSERT_EQUAL_UINT32(2, config.extenders.count);
	TEST_ASSERT_TRUE(text_is_z(e[0].url_prefix, "http://a"));
	TEST_ASSERT_TRUE(text_is_z(e[0].filter_verb, "f"));
	TEST_ASSERT_TRUE(e[0].enable_https);
	TEST_ASSERT_EQUAL_INT64(2000000, e[0].timeout_us);
	TEST_ASSERT_EQUAL_INT64(5000000, e[1].timeout_us);
	TEST_ASSERT_EQUAL_UINT32(1, notes.count);
	is_read(POLICY "extenders: [{urlPrefix: 'http://a', httpTimeout: 30}]\n");
	e = CONFIG_LIST(config.extenders, struct scheduler_extender);
	TEST_ASSERT_EQUAL_INT64_MESSAGE(1, e->timeout_us, "nanoseconds, and not for ever");
}

/* ---- faults ---- */

static void test_faults(void)
{
	static const struct {
		const char *file;
		const char *wanted;
	} cases[] = {
		{"[]", "f:1:1: must be an object of kind Policy, found a list\n"},
		{"kind: KubeSchedulerConfiguration\n",
			"f:1:7: kind: Unsupported value: \"KubeSchedulerConfiguration\": supported "
			"values: \"Policy\"\n"},
		{"apiVersion: v2\n",
			"f:1:13: apiVersion: Unsupported value: \"v2\": supported values: \"v1\", "
			"\"kubescheduler.config.k8s.io/v1\"\n"},
		{POLICY "predicates: [{name: GeneralPredicate}]\n",
			"f:3:21: predicates[0].name: Invalid value: \"GeneralPredicate\": "
			"predicate "
			"type not found, did you mean \"GeneralPredicates\"?\n"},
		{POLICY "predicates: [{name: A, argument: {}}]\n",
			"f:3:34: predicates[0].argument: exactly 1 predicate argument is required, "
			"numArgs: 0\n"},
		{POLICY "priorities:\n"
			"- {name: A, weight: 2, argument: {labelPreference: {label: a}}}\n"
			"- {name: B, weight: 3, argument: {labelPreference: {label: b}}}\n",
			"f:5:21: priorities[1].weight: Invalid value: 3: differs from that of "
			"another priority with the same argument\n"},
		{POLICY "priorities: [{name: ServiceAffinity, weight: 1}]\n",
			"f:3:14: priorities[0].argument: Required value: a label\n"},
		{POLICY "predicates: [{name: A, argument: {labelsPresence: {labels: ["
			"a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a]}}}, {name: B, argument: {"
			"labelsPresence: {labels: [a,a,a,a,a,a,a,a,a,a,a,a,a]}}}]\n",
			"f:3:126: predicates[1].argument: at most 32 labels are possible\n"},
		{POLICY "priorities: [{name: LeastRequestedPriority, weight: 21474837}]\n",
			"f:3:53: priorities[0].weight: Invalid value: 21474837: should have a "
			"positive weight applied to it or it has overflown\n"},
		{POLICY "priorities: [{name: RequestedToCapacityRatioPriority, weight: 1}]\n",
			"f:3:14: priorities[0].argument.requestedToCapacityRatioArguments: "
			"Required "
			"value: a shape\n"},
		{POLICY "priorities: [{name: R, weight: 1, argument: "
			"{requestedToCapacityRatioArguments: {shape: []}}}]\n",
			"f:3:89: priorities[0].argument.requestedToCapacityRatioArguments.shape: "
			"Required value: at least one point must be specified\n"},
		{POLICY "hardPodAffinitySymmetricWeight: 101\n",
			"f:3:33: hardPodAffinitySymmetricWeight: Invalid value: 101: must be in "
			"the range 1-100\n"},
		{POLICY "extenders: [{urlPrefix: 'http://a', httpTimeout: 5s}]\n",
			"f:3:50: extenders[0].httpTimeout: must be an integer of 64 bits, found "
			"the string \"5s\"\n"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		enum scheduler_config_result result = read_policy(cases[i].file);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(cases[i].wanted, print(&faults), cases[i].file);
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, result);
	}
}

static void test_which_kind(void)
{
	TEST_ASSERT_TRUE(policy_is(TEXT(POLICY), &scratch));
	TEST_ASSERT_FALSE(policy_is(TEXT(HEAD), &scratch));
	TEST_ASSERT_FALSE(policy_is(TEXT("a: ["), &scratch));
	TEST_ASSERT_FALSE(policy_is(TEXT(""), &scratch));
	TEST_ASSERT_EQUAL_size_t(0, scratch.used);
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, read_text(TEXT(POLICY))); /* is none */
}

static void test_providers(void)
{
	scheduler_config_defaults(&config);
	TEST_ASSERT_TRUE(policy_provider(TEXT("DefaultProvider"), &config));
	TEST_ASSERT_EQUAL_UINT32(0, profile()->args.count);
	TEST_ASSERT_TRUE(policy_provider(TEXT("ClusterAutoscalerProvider"), &config));
	TEST_ASSERT_TRUE(text_is_z(
		SCHEDULER_ARGS(args(PLUGIN_FIT), fit_config)->strategy->type, "MostAllocated"));
	TEST_ASSERT_EQUAL_UINT32(
		2, SCHEDULER_ARGS(args(PLUGIN_FIT), fit_config)->strategy->resources.count);
	TEST_ASSERT_FALSE(policy_provider(TEXT("TalkToMe"), &config));
}

static void test_little_memory(void)
{
	static const char file[] = POLICY "hardPodAffinitySymmetricWeight: 3\n";
	void *block = malloc(SCRATCH_BYTES);
	struct scratch small;
	size_t full = 0;
	for (size_t size = 0; size < SCRATCH_BYTES; size += 509) {
		struct arena whole;
		arena_init(&whole, block, SCRATCH_BYTES);
		scratch_init(&small, block, size);
		config_faults_init(&faults);
		enum scheduler_config_result result =
			policy_read_on(text_of(file), &small, &config, &faults, &notes);
		if (result == SCHEDULER_CONFIG_OK)
			break;
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_FULL, result);
		full++;
	}
	TEST_ASSERT_GREATER_THAN_size_t(20, full);
	TEST_ASSERT_EQUAL_UINT32(3, profile()->args.count);
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES);
	free(block);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_predicates);
	RUN_TEST(test_priorities);
	RUN_TEST(test_defaults);
	RUN_TEST(test_arguments);
	RUN_TEST(test_labels_of_predicates);
	RUN_TEST(test_labels_of_priorities);
	RUN_TEST(test_strategies_beside_each_other);
	RUN_TEST(test_extenders);
	RUN_TEST(test_faults);
	RUN_TEST(test_which_kind);
	RUN_TEST(test_providers);
	RUN_TEST(test_little_memory);
	return UNITY_END();
}
