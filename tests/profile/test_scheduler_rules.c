/* SPDX-License-Identifier: GPL-2.0-only */
/* KubeSchedulerConfiguration: every rule, its words, and the place of each fault. */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "profile/scheduler_fixture.h"

#define ARGS(plugin, args) HEAD "profiles:\n- pluginConfig: [{name: " plugin ", args: " args "}]\n"

#define NAME_RULE                                                                                 \
	"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and " \
	"end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex " \
	"used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

struct fault_case {
	const char *file;
	const char *wanted; /* all faults, printed */
};

static void check_faults(const struct fault_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		enum scheduler_config_result result = read_text(text_of(cases[i].file));
		TEST_ASSERT_EQUAL_STRING_MESSAGE(cases[i].wanted, print(&faults), cases[i].file);
		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].wanted[0] == '\0' ? SCHEDULER_CONFIG_OK : SCHEDULER_CONFIG_BROKEN,
			result, cases[i].file);
	}
}

static void test_documents(void)
{
	static const struct fault_case cases[] = {
		{"", "f: is empty\n"},
		{"# nothing\n", "f: is empty\n"},
		{"[]",
			"f:1:1: must be an object of kind KubeSchedulerConfiguration, found a "
			"list\n"},
		{"just words",
			"f:1:1: must be an object of kind KubeSchedulerConfiguration, found "
			"text\n"},
		{"kind: KubeSchedulerConfiguration\n",
			"f:1:1: apiVersion: Required value: must be "
			"\"kubescheduler.config.k8s.io/v1\"\n"},
		{"apiVersion: kubescheduler.config.k8s.io/v1\n",
			"f:1:1: kind: Required value: must be \"KubeSchedulerConfiguration\"\n"},
		{"apiVersion: v1\nkind: Policy\n",
			"f:2:7: kind: Unsupported value: \"Policy\": supported values: "
			"\"KubeSchedulerConfiguration\"\n"},
		{"kind: KubeSchedulerConfiguration\n"
		 "apiVersion: kubescheduler.config.k8s.io/v1alpha3\n",
			"f:2:13: apiVersion: Unsupported value: "
			"\"kubescheduler.config.k8s.io/v1alpha3\": supported values: "
			"\"kubescheduler.config.k8s.io/v1\", "
			"\"kubescheduler.config.k8s.io/v1beta3\", "
			"\"kubescheduler.config.k8s.io/v1beta2\", "
			"\"kubescheduler.config.k8s.io/v1beta1\", "
			"\"kubescheduler.config.k8s.io/v1alpha2\", "
			"\"kubescheduler.config.k8s.io/v1alpha1\"\n"},
		{HEAD "parallelism: 1\nparallelism: 2\n",
			"f:4:1: the key \"parallelism\" is there twice, first in line 3\n"},
		{HEAD "---\n" HEAD, "f:4:1: a second document (---): there can be only one\n"},
		{HEAD "profiles: [\n", "f:4:1: did not find expected node content\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_types(void)
{
	static const struct fault_case cases[] = {
		{HEAD "paralelism: 3\n",
			"f:3:1: unknown field \"paralelism\", did you mean \"parallelism\"?\n"},
		{HEAD "leaderElection: {qux: 3}\n",
			"f:3:18: leaderElection: unknown field \"qux\", known are leaderElect, "
			"leaseDuration, renewDeadline, retryPeriod, resourceLock, resourceName, "
			"resourceNamespace\n"},
		{HEAD "5: 3\nPARALLELISM: 3\n",
			"f:3:1: unknown field \"5\", known are apiVersion, kind, parallelism, "
			"leaderElection, clientConnection, enableProfiling, "
			"enableContentionProfiling, percentageOfNodesToScore, "
			"podInitialBackoffSeconds, podMaxBackoffSeconds, profiles, extenders, "
			"delayCacheUntilActive\n"
			"f:4:1: unknown field \"PARALLELISM\", did you mean \"parallelism\"?\n"},
		{HEAD "parallelism: '3'\n",
			"f:3:14: parallelism: must be an integer of 32 bits, found the string "
			"\"3\"\n"},
		{HEAD "parallelism: 1.5\n",
			"f:3:14: parallelism: must be an integer of 32 bits, found 1.5\n"},
		{HEAD "parallelism: 2147483648\npodInitialBackoffSeconds: 9223372036854775808\n",
			"f:3:14: parallelism: must be an integer of 32 bits, found 2147483648\n"
			"f:4:27: podInitialBackoffSeconds: must be an integer of 64 bits, found "
			"9223372036854775808\n"},
		{HEAD "enableProfiling: 1\nprofiles: {}\nclientConnection: []\n",
			"f:3:18: enableProfiling: must be true or false, found 1\n"
			"f:4:11: profiles: must be a list, found an object\n"
			"f:5:19: clientConnection: must be an object, found a list\n"},
		{HEAD "clientConnection: {qps: fast, kubeconfig: 5, burst: [1]}\n",
			"f:3:25: clientConnection.qps: must be a number, found the string "
			"\"fast\"\n"
			"f:3:43: clientConnection.kubeconfig: must be a string, found 5\n"
			"f:3:53: clientConnection.burst: must be an integer of 32 bits, found a "
			"list\n"},
		{HEAD "clientConnection: {qps: .inf, contentType: yes}\n",
			"f:3:25: clientConnection.qps: must be a number, found .inf\n"
			"f:3:44: clientConnection.contentType: must be a string, found yes\n"},
		{HEAD "leaderElection: {leaseDuration: 15, renewDeadline: soon}\n",
			"f:3:33: leaderElection.leaseDuration: must be a duration like \"15s\" or "
			"\"1m30s\", found 15\n"
			"f:3:52: leaderElection.renewDeadline: must be a duration like \"15s\" or "
			"\"1m30s\", found the string \"soon\"\n"},
		{HEAD "extenders: []\n", ""},
		{HEAD "profiles: [7]\n", "f:3:12: profiles[0]: must be an object, found 7\n"},
		{HEAD "profiles:\n- plugins: {score: {enabled: [NodeName], disable: []}}\n",
			"f:4:31: profiles[0].plugins.score.enabled[0]: must be an object, found "
			"the string \"NodeName\"\n"
			"f:4:42: profiles[0].plugins.score: unknown field \"disable\", did you "
			"mean \"disabled\"?\n"},
		{HEAD "\"a\\nb\\x07\\e\\u00e9\": 1\n",
			"f:3:1: unknown field \"a\\nb\\x07\\x1b\xc3\xa9\", known are apiVersion, "
			"kind, parallelism, leaderElection, clientConnection, enableProfiling, "
			"enableContentionProfiling, percentageOfNodesToScore, "
			"podInitialBackoffSeconds, podMaxBackoffSeconds, profiles, extenders, "
			"delayCacheUntilActive\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_rules(void)
{
	static const struct fault_case cases[] = {
		{HEAD "parallelism: 0\n",
			"f:3:14: parallelism: Invalid value: 0: should be an integer value greater "
			"than zero\n"},
		{HEAD "percentageOfNodesToScore: 101\nprofiles: [{percentageOfNodesToScore: -1}]\n",
			"f:3:27: percentageOfNodesToScore: Invalid value: 101: not in valid range "
			"[0-100]\n"
			"f:4:39: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in "
			"valid range [0-100]\n"},
		{HEAD "percentageOfNodesToScore: 100\nprofiles: [{percentageOfNodesToScore: 0}]\n",
			""},
		{HEAD "podInitialBackoffSeconds: 0\npodMaxBackoffSeconds: -1\n",
			"f:3:27: podInitialBackoffSeconds: Invalid value: 0: must be greater than "
			"0\n"
			"f:4:23: podMaxBackoffSeconds: Invalid value: -1: must be greater than or "
			"equal to PodInitialBackoffSeconds\n"},
		{HEAD "podInitialBackoffSeconds: 11\n",
			"f:1:1: podMaxBackoffSeconds: Invalid value: 10: must be greater than or "
			"equal to PodInitialBackoffSeconds\n"},
		{HEAD "leaderElection: {leaseDuration: -1s, renewDeadline: -2s, retryPeriod: "
		      "-1s}\n",
			"f:3:33: leaderElection.leaseDuration: Invalid value: -1s: must be greater "
			"than zero\n"
			"f:3:53: leaderElection.renewDeadline: Invalid value: -2s: must be greater "
			"than zero\n"
			"f:3:71: leaderElection.retryPeriod: Invalid value: -1s: must be greater "
			"than zero\n"},
		{HEAD "leaderElection:\n  leaseDuration: 10s\n",
			"f:4:18: leaderElection.leaseDuration: Invalid value: 10s: must be greater "
			"than `RenewDeadline`\n"},
		{HEAD "leaderElection:\n  retryPeriod: 9s\n",
			"f:4:3: leaderElection.renewDeadline: Invalid value: 10s: renewDeadline "
			"must be greater than retryPeriod*JitterFactor (1.2)\n"},
		{HEAD "leaderElection:\n  retryPeriod: 8s\n", ""},
		{HEAD "leaderElection:\n  resourceLock: endpoints\n",
			"f:4:17: leaderElection.resourceLock: Invalid value: \"endpoints\": "
			"resourceLock value must be \"leases\"\n"},
		{HEAD "leaderElection: {leaderElect: false, resourceLock: x, leaseDuration: -1s}\n",
			""},
		{HEAD "clientConnection:\n  burst: -1\n",
			"f:4:10: clientConnection.burst: Invalid value: -1: must be "
			"non-negative\n"},
		{HEAD "clientConnection: {qps: -1}\n", ""},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_profile_rules(void)
{
	static const struct fault_case cases[] = {
		{HEAD "profiles:\n- schedulerName: a\n- {}\n- schedulerName: a\n",
			"f:5:3: profiles[1].schedulerName: Required value\n"
			"f:6:18: profiles[2].schedulerName: Duplicate value: "
			"profiles[0].schedulerName\n"},
		{HEAD "profiles:\n- pluginConfig:\n  - name: X\n  - name: Z\n  - name: X\n"
		      "    args: {}\n  - args: {}\n",
			"f:9:5: profiles[0].pluginConfig[3].name: Required value: the name of a "
			"plugin\n"
			"f:7:5: profiles[0].pluginConfig[2]: Duplicate value: \"X\"\n"},
		{HEAD "profiles:\n- plugins:\n    filter: {enabled: [{name: EBSLimits}]}\n"
		      "    multiPoint: {enabled: [{name: EBSLimits}]}\n"
		      "    score: {disabled: [{name: EBSLimits}]}\n",
			"f:5:24: profiles[0].plugins.filter.enabled[0]: Invalid value: "
			"\"EBSLimits\": was invalid in version \"kubescheduler.config.k8s.io/v1\" "
			"(KubeSchedulerConfiguration is version "
			"\"kubescheduler.config.k8s.io/v1\")\n"
			"f:6:35: profiles[0].plugins.multiPoint.enabled[0].name: Invalid value: "
			"\"EBSLimits\": plugin does not exist\n"},
		{HEAD "profiles: [{pluginConfig: [{name: CinderLimits}]}]\n",
			"f:3:28: profiles[0].pluginConfig[0]: Invalid value: \"CinderLimits\": was "
			"invalid in version \"kubescheduler.config.k8s.io/v1\" "
			"(KubeSchedulerConfiguration is version "
			"\"kubescheduler.config.k8s.io/v1\")\n"},
		{HEAD "profiles:\n- schedulerName: a\n- schedulerName: b\n"
		      "  plugins: {queueSort: {enabled: [{name: PrioritySort}]}}\n",
			"f:6:24: profiles[1].plugins.queueSort: Invalid value: must be the same "
			"for all profiles\n"},
		{HEAD "profiles:\n- schedulerName: a\n"
		      "  plugins: &p {queueSort: {enabled: [{name: PrioritySort}]}}\n"
		      "  pluginConfig: [{name: PrioritySort, args: {a: [1, {b: c}]}}]\n"
		      "- schedulerName: b\n  plugins: *p\n"
		      "  pluginConfig: [{name: PrioritySort, args: {a: [1, {b: c}]}}]\n"
		      "- schedulerName: c\n  plugins: *p\n"
		      "- schedulerName: d\n  plugins: *p\n"
		      "  pluginConfig: [{name: PrioritySort, args: {a: [1, {b: d}]}}]\n"
		      "- schedulerName: e\n  plugins: *p\n"
		      "  pluginConfig: [{name: PrioritySort}]\n",
			"f:14:17: profiles[3].pluginConfig.args: Invalid value: queueSort must be "
			"the same for all profiles\n"
			"f:17:17: profiles[4].pluginConfig.args: Invalid value: queueSort must be "
			"the same for all profiles\n"},
		{HEAD "profiles:\n"
		      "- plugins: {queueSort: {enabled: [{name: PrioritySort}, {name: "
		      "NodeName}]}}\n",
			"f:4:24: profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one "
			"queue sort plugin can be enabled\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_fit_rules(void)
{
	static const struct fault_case cases[] = {
		{ARGS("NodeResourcesFit", "{scoringStrategy: {}}"),
			"f:4:67: " IN_ARGS ".scoringStrategy.type: Unsupported value: \"\": "
			"supported values: \"LeastAllocated\", \"MostAllocated\", "
			"\"RequestedToCapacityRatio\"\n"},
		{ARGS("NodeResourcesFit",
			 "{scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: "
			 "101}, {name: m, weight: -1}]}}"),
			"f:4:121: " IN_ARGS ".scoringStrategy.resources[0].weight: Invalid value: "
			"101: resource weight of cpu not in valid range (0, 100]\n"
			"f:4:145: " IN_ARGS ".scoringStrategy.resources[1].weight: Invalid value: "
			"-1: resource weight of m not in valid range (0, 100]\n"},
		{ARGS("NodeResourcesFit", "{scoringStrategy: {type: RequestedToCapacityRatio}}"),
			"f:4:67: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio: Required "
			"value: must be specified when type is RequestedToCapacityRatio\n"},
		{ARGS("NodeResourcesFit",
			 "{scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {}}}"),
			"f:4:116: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio: Forbidden: "
			"must be nil when type is not RequestedToCapacityRatio\n"},
		{ARGS("NodeResourcesFit",
			 "{scoringStrategy: {type: RequestedToCapacityRatio, "
			 "requestedToCapacityRatio: {shape: []}}}"),
			"f:4:134: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio.shape: "
			"Required value: at least one point must be specified\n"},
		{ARGS("NodeResourcesFit",
			 "{scoringStrategy: {type: RequestedToCapacityRatio, "
			 "requestedToCapacityRatio: {shape: [{utilization: 9, score: 11}, "
			 "{utilization: 9, score: -1}, {utilization: 101, score: 0}]}}}"),
			"f:4:159: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio.shape[0]"
			".score: Invalid value: 11: not in valid range [0, 10]\n"
			"f:4:178: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio.shape[1]"
			".utilization: Invalid value: 9: values must be sorted in increasing "
			"order\n"
			"f:4:188: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio.shape[1]"
			".score: Invalid value: -1: not in valid range [0, 10]\n"
			"f:4:207: " IN_ARGS ".scoringStrategy.requestedToCapacityRatio.shape[2]"
			".utilization: Invalid value: 101: not in valid range [0, 100]\n"},
		{ARGS("NodeResourcesFit",
			 "{ignoredResources: [ok, -no], ignoredResourceGroups: [a/b, '']}"),
			"f:4:73: " IN_ARGS
			".ignoredResources[1]: Invalid value: \"-no\": " NAME_RULE "\n"
			"f:4:103: " IN_ARGS ".ignoredResourceGroups[0]: Invalid value: \"a/b\": "
			"resource group name can't contain '/'\n"
			"f:4:108: " IN_ARGS ".ignoredResourceGroups[1]: Invalid value: \"\": name "
			"part must be non-empty; " NAME_RULE "\n"},
		{ARGS("NodeResourcesFit", "{ignoredResources: 5}"),
			"f:4:68: " IN_ARGS ".ignoredResources: must be a list of strings, found "
			"5\n"},
		{ARGS("NodeResourcesFit", "{ignoredResources: [a, 5]}"),
			"f:4:72: " IN_ARGS ".ignoredResources[1]: must be a string, found 5\n"},
		{ARGS("NodeResourcesFit", "{kind: NodeAffinityArgs}"),
			"f:4:56: " IN_ARGS ".kind: Unsupported value: \"NodeAffinityArgs\": "
			"supported values: NodeResourcesFitArgs\n"},
		{ARGS("NodeResourcesFit", "{apiVersion: v1}"),
			"f:4:62: " IN_ARGS
			".apiVersion: Unsupported value: \"v1\": supported values: "
			"\"kubescheduler.config.k8s.io/v1\", "
			"\"kubescheduler.config.k8s.io/v1beta3\", "
			"\"kubescheduler.config.k8s.io/v1beta2\", "
			"\"kubescheduler.config.k8s.io/v1beta1\", "
			"\"kubescheduler.config.k8s.io/v1alpha2\", "
			"\"kubescheduler.config.k8s.io/v1alpha1\"\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_spread_rules(void)
{
	static const struct fault_case cases[] = {
		{ARGS("PodTopologySpread", "{defaultingType: None}"),
			"f:4:67: " IN_ARGS ".defaultingType: Unsupported value: \"None\": "
			"supported values: \"System\", \"List\"\n"},
		{ARGS("PodTopologySpread",
			 "{defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: "
			 "DoNotSchedule}]}"),
			"f:4:50: " IN_ARGS ".defaultingType: Invalid value: \"System\": when "
			".defaultConstraints are not empty\n"},
		{ARGS("PodTopologySpread",
			 "{defaultingType: List, defaultConstraints: [{maxSkew: 0, topologyKey: "
			 "'', labelSelector: {}}, {maxSkew: 1, topologyKey: 'a b', "
			 "whenUnsatisfiable: Never}]}"),
			"f:4:139: " IN_ARGS ".defaultConstraints[0].labelSelector: Forbidden: "
			"constraint must not define a selector, as they deduced for each pod\n"
			"f:4:104: " IN_ARGS ".defaultConstraints[0].maxSkew: Invalid value: 0: not "
			"in valid range (0, inf)\n"
			"f:4:196: " IN_ARGS ".defaultConstraints[1].whenUnsatisfiable: Unsupported "
			"value: \"Never\": supported values: \"DoNotSchedule\", "
			"\"ScheduleAnyway\"\n"
			"f:4:120: " IN_ARGS ".defaultConstraints[0].topologyKey: Required value: "
			"can not be empty\n"
			"f:4:94: " IN_ARGS ".defaultConstraints[0].whenUnsatisfiable: Required "
			"value: can not be empty\n"
			"f:4:170: " IN_ARGS ".defaultConstraints[1].topologyKey: Invalid value: "
			"\"a b\": " NAME_RULE "\n"},
		{ARGS("PodTopologySpread",
			 "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule}]}"),
			"f:4:158: " IN_ARGS ".defaultConstraints[1]: Duplicate value: \"{a, "
			"DoNotSchedule}\"\n"},
		{ARGS("PodTopologySpread",
			 "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule, minDomains: two, nodeTaintsPolicy: "
			 "1}]}"),
			"f:4:169: " IN_ARGS ".defaultConstraints[0].minDomains: must be an integer "
			"of 32 bits, found the string \"two\"\n"
			"f:4:192: " IN_ARGS ".defaultConstraints[0].nodeTaintsPolicy: must be a "
			"string, found 1\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_other_args_rules(void)
{
	static const struct fault_case cases[] = {
		{ARGS("NodeResourcesBalancedAllocation",
			 "{resources: [{name: cpu}, {name: cpu, weight: 2}]}"),
			"f:4:97: " IN_ARGS ".resources[1].name: Duplicate value: \"cpu\"\n"
			"f:4:110: " IN_ARGS ".resources[1].weight: Invalid value: 2: must be 1\n"},
		{ARGS("InterPodAffinity", "{hardPodAffinityWeight: 101}"),
			"f:4:73: " IN_ARGS ".hardPodAffinityWeight: Invalid value: 101: not in "
			"valid range [0, 100]\n"},
		{ARGS("InterPodAffinity", "{hardPodAffinityWeight: -1}"),
			"f:4:73: " IN_ARGS ".hardPodAffinityWeight: Invalid value: -1: not in "
			"valid range [0, 100]\n"},
		{ARGS("InterPodAffinity", "{hardPodAffinityWeight: 100}"), ""},
		{ARGS("DefaultPreemption",
			 "{minCandidateNodesPercentage: 101, minCandidateNodesAbsolute: -1}"),
			"f:4:80: " IN_ARGS ".minCandidateNodesPercentage: Invalid value: 101: not "
			"in valid range [0, 100]\n"
			"f:4:112: " IN_ARGS ".minCandidateNodesAbsolute: Invalid value: -1: not in "
			"valid range [0, inf)\n"},
		{ARGS("DefaultPreemption",
			 "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}"),
			"f:4:80: " IN_ARGS ".minCandidateNodesPercentage: Invalid value: 0: cannot "
			"be zero at the same time as minCandidateNodesAbsolute\n"
			"f:4:110: " IN_ARGS ".minCandidateNodesAbsolute: Invalid value: 0: cannot "
			"be zero at the same time as minCandidateNodesPercentage\n"},
		{ARGS("VolumeBinding", "{bindTimeoutSeconds: -1}"),
			"f:4:67: " IN_ARGS ".bindTimeoutSeconds: Invalid value: -1: invalid "
			"BindTimeoutSeconds, should not be a negative value\n"},
		{ARGS("VolumeBinding", "{shape: [{utilization: 101, score: 1}]}"),
			"f:4:69: " IN_ARGS ".shape[0].utilization: Invalid value: 101: not in "
			"valid range [0, 100]\n"},
		{ARGS("DynamicResources", "{filterTimeout: -1s, bindingTimeout: 999ms}"),
			"f:4:65: " IN_ARGS ".filterTimeout: Invalid value: -1s: must be zero "
			"or positive\n"
			"f:4:86: " IN_ARGS ".bindingTimeout: Invalid value: 999ms: must be at "
			"least 1 second\n"},
		{ARGS("NodeAffinity", "{addedAffinity: {required: {}}}"),
			"f:4:62: " IN_ARGS ".addedAffinity: unknown field \"required\", known are "
			"requiredDuringSchedulingIgnoredDuringExecution, "
			"preferredDuringSchedulingIgnoredDuringExecution\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_extender_rules(void)
{
	static const struct fault_case cases[] = {
		{HEAD "extenders: []\n", ""},
		{HEAD "extenders: [{urlPrefix: 'http://x:8888/s', filterVerb: f}]\n", ""},
		{HEAD "extenders: [{filterVerb: f}, {urlPrefix: 'ftp://x'}]\n",
			"f:3:13: extenders[0].urlPrefix: Required value: http://HOST:PORT/PATH\n"
			"f:3:42: extenders[1].urlPrefix: Invalid value: \"ftp://x\": begins with "
			"neither https:// nor http://\n"},
		{HEAD "extenders: [{urlPrefix: 'http://x', prioritizeVerb: p}]\n",
			"f:3:13: extenders[0].weight: Invalid value: 0: must have a positive "
			"weight applied to it\n"},
		{HEAD "extenders:\n- {urlPrefix: 'http://x', bindVerb: b}\n"
		      "- {urlPrefix: 'http://y', bindVerb: b}\n",
			"f:4:1: extenders: Invalid value: \"found 2 extenders implementing bind\": "
			"only one extender can implement bind\n"},
		{HEAD "extenders:\n- urlPrefix: http://x\n  managedResources:\n"
		      "  - {name: example.com/a}\n  - {name: cpu}\n  - {name: 'a b'}\n"
		      "  - {name: requests.example.com/a}\n  - {name: example.com/a}\n"
		      "- urlPrefix: http://y\n"
		      "  managedResources: [{name: example.com/a, ignoredByScheduler: true}]\n",
			"f:7:12: extenders[0].managedResources[1].name: Invalid value: \"cpu\": is "
			"an invalid extended resource name\n"
			"f:8:12: extenders[0].managedResources[2].name: Invalid value: \"a b\": "
			"" NAME_RULE "\n"
			"f:9:12: extenders[0].managedResources[3].name: Invalid value: "
			"\"requests.example.com/a\": is an invalid extended resource name\n"
			"f:10:12: extenders[0].managedResources[4].name: Invalid value: "
			"\"example.com/a\": duplicate extender managed resource name\n"
			"f:12:29: extenders[1].managedResources[0].name: Invalid value: "
			"\"example.com/a\": duplicate extender managed resource name\n"},
		{HEAD "extenders:\n- urlPrefix: https://x\n  httpTimeout: 5\n  tlsConfig:\n"
		      "    {insecure: true, caData: '*', caFile: c, keyFile: k}\n",
			"f:5:16: extenders[0].httpTimeout: must be a duration like \"15s\" or "
			"\"1m30s\", found 5\n"
			"f:7:30: extenders[0].tlsConfig.caData: must be a string in base64, found "
			"the string \"*\"\n"
			"f:7:16: extenders[0].tlsConfig.insecure: Invalid value: true: specifying "
			"a "
			"root certificates file with the insecure flag is not allowed\n"
			"f:7:5: extenders[0].tlsConfig.certFile: Required value: goes with keyFile "
			"and keyData\n"},
		{HEAD "extenders: [{urlPrefix: 'http://x', tlsConfig: {certData: YQ==}}]\n",
			"f:3:48: extenders[0].tlsConfig.keyFile: Required value: goes with "
			"certFile and certData\n"},
		{HEAD "extenders: [{urlPrefix: 'https://x', tlsConfig: {}}, {urlPrefix: "
		      "'https://x', "
		      "enableHTTPS: true}, {urlPrefix: 'https://x', tlsConfig: {caFile: c}}]\n",
			"f:3:49: extenders[0].tlsConfig.caFile: Required value: who vouches for "
			"the server, or enableHTTPS\n"},
		{HEAD "extenders: [{urlprefix: 'http://x', enableHttps: true}]\n",
			"f:3:14: extenders[0]: unknown field \"urlprefix\", did you mean "
			"\"urlPrefix\"?\n"
			"f:3:37: extenders[0]: unknown field \"enableHttps\", did you mean "
			"\"enableHTTPS\"?\n"
			"f:3:13: extenders[0].urlPrefix: Required value: http://HOST:PORT/PATH\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

#define OLDER(version)                                          \
	"apiVersion: kubescheduler.config.k8s.io/" version "\n" \
	"kind: KubeSchedulerConfiguration\n"

static void test_rules_of_older_versions(void)
{
	static const struct fault_case cases[] = {
		{OLDER("v1beta3"), ""},
		{OLDER("v1beta2") "healthzBindAddress: ''\nmetricsBindAddress: 0.0.0.0:0\n", ""},
		{OLDER("v1beta2") "healthzBindAddress: 0.0.0.0:10251\nmetricsBindAddress: '10'\n",
			"f:3:21: healthzBindAddress: Invalid value: \"0.0.0.0:10251\": must be "
			"empty or with an explicit 0 port\n"
			"f:4:21: metricsBindAddress: Invalid value: \"10\": must be empty or with "
			"an explicit 0 port\n"},
		{OLDER("v1beta1") "healthzBindAddress: 0.0.0.0:10251\n", ""},
		{OLDER("v1beta3") "healthzBindAddress: ''\nprofiles:\n"
				  "- plugins: {filter: {enabled: [{name: EBSLimits}]}}\n"
				  "  pluginConfig: [{name: EBSLimits}]\n",
			"f:3:1: unknown field \"healthzBindAddress\", known are apiVersion, kind, "
			"parallelism, leaderElection, clientConnection, enableProfiling, "
			"enableContentionProfiling, percentageOfNodesToScore, "
			"podInitialBackoffSeconds, podMaxBackoffSeconds, profiles, extenders, "
			"delayCacheUntilActive\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
	TEST_ASSERT_EQUAL_STRING("f:5:32: profiles[0].plugins.filter.enabled[0]: has no effect: "
				 "NodeVolumeLimits counts these volumes too\n",
		print(&notes));
}

static void test_rules_of_alpha_versions(void)
{
	static const struct fault_case cases[] = {
		{OLDER("v1alpha1") "schedulerName: x\nalgorithmSource: {provider: "
				   "DefaultProvider}\n"
				   "leaderElection: {lockObjectName: l, resourceLock: endpoints}\n"
				   "failureDomains: zone\nhealthzBindAddress: 0.0.0.0:10251\n",
			""},
		{OLDER("v1alpha2") "disablePreemption: false\nbindTimeoutSeconds: 0\n", ""},
		{OLDER("v1alpha1") "algorithmSource: {policy: {file: {path: p.json}}}\n"
				   "hardPodAffinitySymmetricWeight: 101\n",
			"f:3:27: algorithmSource.policy: is for --policy-config-file or "
			"--policy-configmap\n"
			"f:4:33: hardPodAffinitySymmetricWeight: Invalid value: 101: not in valid "
			"range [0-100]\n"},
		{OLDER("v1alpha2") "algorithmSource: {provider: Own}\nbindTimeoutSeconds: -1\n",
			"f:3:29: algorithmSource.provider: Unsupported value: \"Own\": supported "
			"values: \"DefaultProvider\", \"ClusterAutoscalerProvider\"\n"
			"f:4:21: bindTimeoutSeconds: Invalid value: -1: invalid "
			"BindTimeoutSeconds, should not be a negative value\n"},
		{OLDER("v1beta1") "disablePreemption: true\n",
			"f:3:1: unknown field \"disablePreemption\", known are apiVersion, kind, "
			"parallelism, leaderElection, clientConnection, enableProfiling, "
			"enableContentionProfiling, percentageOfNodesToScore, "
			"podInitialBackoffSeconds, podMaxBackoffSeconds, profiles, extenders, "
			"delayCacheUntilActive, healthzBindAddress, metricsBindAddress\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

/* The twelve points of before multiPoint know plugins that are gone; the others no such name. */
static void test_removed_plugins_at_every_point(void)
{
	static const struct {
		const char *point;
		bool known;
	} cases[] = {{"preEnqueue", true}, {"queueSort", true}, {"preFilter", true},
		{"filter", true}, {"postFilter", true}, {"preScore", true}, {"score", true},
		{"reserve", true}, {"permit", true}, {"preBind", true}, {"bind", true},
		{"postBind", true}, {"multiPoint", false}, {"placementGenerate", false},
		{"placementScore", false}};
	static const char *const removed[] = {
		"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"};
	for (size_t i = 0; i < ARRAY_COUNT(cases) * ARRAY_COUNT(removed); i++) {
		char file[512];
		size_t point = i / ARRAY_COUNT(removed);
		snprintf(file, sizeof(file),
			HEAD "profiles: [{plugins: {%s: {enabled: [{name: %s}]}}}]\n",
			cases[point].point, removed[i % ARRAY_COUNT(removed)]);
		(void)!read_text(text_of(file));
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, faults.count, file);
		TEST_ASSERT_NOT_NULL_MESSAGE(strstr(print(&faults),
						     cases[point].known ? "was invalid in version"
									: "plugin does not exist"),
			file);
	}
}

static void test_names_of_plugins(void)
{
	static const struct fault_case cases[] = {
		{HEAD "profiles:\n- plugins:\n    score: {enabled: [{name: NodeResourceFit}]}\n"
		      "    multiPoint: {enabled: [{name: Coscheduling}, {name: SelectorSpread}]}\n"
		      "- schedulerName: b\n  plugins: {bind: {enabled: [{name: '*'}, {}]}}\n",
			"f:5:30: profiles[0].plugins.score.enabled[0].name: Invalid value: "
			"\"NodeResourceFit\": plugin does not exist, did you mean "
			"\"NodeResourcesFit\"?\n"
			"f:6:35: profiles[0].plugins.multiPoint.enabled[0].name: Invalid value: "
			"\"Coscheduling\": plugin does not exist\n"
			"f:8:37: profiles[1].plugins.bind.enabled[0].name: Invalid value: \"*\": "
			"plugin does not exist\n"
			"f:8:43: profiles[1].plugins.bind.enabled[1].name: Required value: the "
			"name of a plugin\n"
			"f:4:3: profiles[0].schedulerName: Required value\n"},
		{"apiVersion: kubescheduler.config.k8s.io/v1beta2\n"
		 "kind: KubeSchedulerConfiguration\nprofiles:\n- plugins:\n"
		 "    filter: {enabled: [{name: NodePort}, {name: GCEPDLimits}]}\n"
		 "    multiPoint: {enabled: [{name: Mine}]}\n",
			"f:5:31: profiles[0].plugins.filter.enabled[0].name: Invalid value: "
			"\"NodePort\": plugin does not exist, did you mean \"NodePorts\"?\n"},
		{HEAD "profiles: [{plugins: {score: {disabled: [{name: NodePort}, {name: '*'}, "
		      "{name: EBSLimits}, {name: ImageLocality}]}}}]\n",
			""},
	};
	check_faults(cases, ARRAY_COUNT(cases));
	TEST_ASSERT_EQUAL_STRING("f:3:49: profiles[0].plugins.score.disabled[0].name: has no "
				 "effect: no such plugin\n",
		print(&notes));
}

static void test_long_names(void)
{
	char file[1024], name[512];
	static const size_t sizes[] = {63, 64, 400};
	static const char *const wanted[] = {
		"", "name part must be no more than 63 bytes", "...\": name part must be no"};
	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		memset(name, 'a', sizes[i]);
		name[sizes[i]] = '\0';
		snprintf(file, sizeof(file), ARGS("NodeResourcesFit", "{ignoredResources: [%s]}"),
			name);
		(void)!read_text(text_of(file));
		TEST_ASSERT_EQUAL_UINT32(i > 0, faults.count);
		TEST_ASSERT_NOT_NULL(strstr(print(&faults), wanted[i]));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_extender_rules);
	RUN_TEST(test_removed_plugins_at_every_point);
	RUN_TEST(test_names_of_plugins);
	RUN_TEST(test_long_names);
	RUN_TEST(test_rules_of_older_versions);
	RUN_TEST(test_rules_of_alpha_versions);
	RUN_TEST(test_documents);
	RUN_TEST(test_types);
	RUN_TEST(test_rules);
	RUN_TEST(test_profile_rules);
	RUN_TEST(test_fit_rules);
	RUN_TEST(test_spread_rules);
	RUN_TEST(test_other_args_rules);
	return UNITY_END();
}
