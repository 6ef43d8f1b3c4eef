/* SPDX-License-Identifier: GPL-2.0-only */
/* KubeSchedulerConfiguration: every field, every default, every rule, and where each fault is. */
// deps: config/faults.c config/fields.c config/scheduler_*.c config/yaml*.c kube/duration.c
// deps: kube/requirement_check.c json/read.c base/*.c
#include "config/scheduler_config.h"

#include <stdio.h>
#include <stdlib.h>

#include "kube/requirement.h"
#include "kube/time.h"
#include "unity.h"

#define HEAD               "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define ARGS(plugin, args) HEAD "profiles:\n- pluginConfig: [{name: " plugin ", args: " args "}]\n"
#define IN_ARGS            "profiles[0].pluginConfig[0].args"

enum { SCRATCH_BYTES = 1 << 20, PRINTED_BYTES = 32 * 1024, FILE_MAX = 16 * 1024 };

static const struct config_grammar grammar = {kube_duration_parse, kube_is_qualified_name};
static struct scratch scratch;
static struct scheduler_config config;
static struct config_faults faults;
static struct config_faults notes;
static char printed[PRINTED_BYTES];

void setUp(void)
{
	scratch_init(&scratch, malloc(SCRATCH_BYTES), SCRATCH_BYTES);
}

void tearDown(void)
{
	scratch_reset(&scratch);
	void *block = scratch.base;
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES); /* lifts the poison */
	free(block);
}

static enum scheduler_config_result read_text(struct text t)
{
	scratch_reset(&scratch);
	return scheduler_config_read(t, &scratch, &grammar, &config, &faults, &notes);
}

static const char *print(const struct config_faults *list)
{
	struct writer w;
	writer_init(&w, printed, sizeof(printed) - 1);
	config_faults_print(list, TEXT("f"), &w);
	TEST_ASSERT_FALSE(w.overflowed);
	printed[w.used] = '\0';
	return printed;
}

static struct text read_file(const char *path)
{
	static char bytes[FILE_MAX];
	FILE *file = fopen(path, "rb");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	TEST_ASSERT_TRUE(size < sizeof(bytes));
	return (struct text){bytes, size};
}

static void is(const char *wanted, struct text t)
{
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(t, wanted), wanted);
}

static const struct scheduler_profile *profile_at(uint32_t i)
{
	TEST_ASSERT_LESS_THAN_UINT32(config.profiles.count, i);
	return &CONFIG_LIST(config.profiles, struct scheduler_profile)[i];
}

static const struct scheduler_args *args_at(uint32_t i)
{
	TEST_ASSERT_LESS_THAN_UINT32(profile_at(0)->args.count, i);
	return &CONFIG_LIST(profile_at(0)->args, struct scheduler_args)[i];
}

/* ---- values ---- */

static void check_defaults(void)
{
	TEST_ASSERT_EQUAL_INT32(16, config.parallelism);
	TEST_ASSERT_FALSE(config.percentage_of_nodes.given);
	TEST_ASSERT_EQUAL_INT64(1, config.pod_initial_backoff_seconds);
	TEST_ASSERT_EQUAL_INT64(10, config.pod_max_backoff_seconds);
	TEST_ASSERT_TRUE(config.enable_profiling);
	TEST_ASSERT_TRUE(config.enable_contention_profiling);
	TEST_ASSERT_FALSE(config.delay_cache_until_active);
	const struct scheduler_leader_election *e = &config.leader_election;
	TEST_ASSERT_TRUE(e->elect);
	TEST_ASSERT_EQUAL_INT64(15000000, e->lease_duration_us);
	TEST_ASSERT_EQUAL_INT64(10000000, e->renew_deadline_us);
	TEST_ASSERT_EQUAL_INT64(2000000, e->retry_period_us);
	is("leases", e->resource_lock);
	is("kube-scheduler", e->resource_name);
	is("kube-system", e->resource_namespace);
	const struct scheduler_client_connection *c = &config.client_connection;
	is("", c->kubeconfig);
	is("", c->accept_content_types);
	is("application/vnd.kubernetes.protobuf", c->content_type);
	TEST_ASSERT_TRUE(c->qps > 49.9 && c->qps < 50.1);
	TEST_ASSERT_EQUAL_INT32(100, c->burst);
	TEST_ASSERT_EQUAL_UINT32(1, config.profiles.count);
	is("default-scheduler", profile_at(0)->name);
	TEST_ASSERT_FALSE(profile_at(0)->percentage_of_nodes.given);
	TEST_ASSERT_EQUAL_UINT32(0, profile_at(0)->args.count);
}

static void test_defaults(void)
{
	static const char *const files[] = {
		HEAD,
		HEAD "profiles: []\nleaderElection: {}\nclientConnection: null\nparallelism:\n",
		HEAD "profiles: [{schedulerName: ''}]\nclientConnection: {qps: 0, burst: 0}\n",
		HEAD "profiles: [null]\nleaderElection: {leaseDuration: 0s, resourceName: ''}\n",
		"{\"kind\":\"KubeSchedulerConfiguration\","
		"\"apiVersion\":\"kubescheduler.config.k8s.io/v1\"}",
	};
	memset(&config, 0xff, sizeof(config));
	scheduler_config_defaults(&config);
	check_defaults();
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		memset(&config, 0xff, sizeof(config));
		TEST_ASSERT_EQUAL_MESSAGE(
			SCHEDULER_CONFIG_OK, read_text(text_of(files[i])), print(&faults));
		check_defaults();
	}
}

static void check_everything_but_profiles(void)
{
	TEST_ASSERT_EQUAL_INT32(8, config.parallelism);
	TEST_ASSERT_TRUE(config.percentage_of_nodes.given);
	TEST_ASSERT_EQUAL_INT32(40, config.percentage_of_nodes.value);
	TEST_ASSERT_EQUAL_INT64(2, config.pod_initial_backoff_seconds);
	TEST_ASSERT_EQUAL_INT64(1000, config.pod_max_backoff_seconds);
	TEST_ASSERT_FALSE(config.enable_profiling);
	TEST_ASSERT_FALSE(config.enable_contention_profiling);
	TEST_ASSERT_TRUE(config.delay_cache_until_active);
	const struct scheduler_leader_election *e = &config.leader_election;
	TEST_ASSERT_FALSE(e->elect);
	TEST_ASSERT_EQUAL_INT64(90000000, e->lease_duration_us);
	TEST_ASSERT_EQUAL_INT64(60000000, e->renew_deadline_us);
	TEST_ASSERT_EQUAL_INT64(500000, e->retry_period_us);
	is("endpoints", e->resource_lock);
	is("berth", e->resource_name);
	is("sched", e->resource_namespace);
	const struct scheduler_client_connection *c = &config.client_connection;
	is("/etc/berth/kubeconfig", c->kubeconfig);
	is("application/json", c->accept_content_types);
	is("application/yaml", c->content_type);
	TEST_ASSERT_TRUE(c->qps > 12.4 && c->qps < 12.6);
	TEST_ASSERT_EQUAL_INT32(16, c->burst);
}

static void check_points(const struct scheduler_profile *profile)
{
	static const enum scheduler_point by_weight[] = {SCHEDULER_PRE_ENQUEUE,
		SCHEDULER_QUEUE_SORT, SCHEDULER_PRE_FILTER, SCHEDULER_FILTER, SCHEDULER_POST_FILTER,
		SCHEDULER_PRE_SCORE, SCHEDULER_SCORE, SCHEDULER_RESERVE, SCHEDULER_PERMIT,
		SCHEDULER_PRE_BIND, SCHEDULER_BIND, SCHEDULER_POST_BIND, SCHEDULER_MULTI_POINT,
		SCHEDULER_PLACEMENT_GENERATE, SCHEDULER_PLACEMENT_SCORE};
	for (uint32_t i = 0; i < ARRAY_COUNT(by_weight); i++) {
		const struct scheduler_plugin_set *set = &profile->plugins.sets[by_weight[i]];
		TEST_ASSERT_EQUAL_UINT32(1, set->enabled.count);
		TEST_ASSERT_EQUAL_INT32(
			i + 1, CONFIG_LIST(set->enabled, struct scheduler_plugin)->weight);
		bool is_score = by_weight[i] == SCHEDULER_SCORE;
		TEST_ASSERT_EQUAL_UINT32(is_score ? 2 : 0, set->disabled.count);
	}
	const struct scheduler_plugin_set *score = &profile->plugins.sets[SCHEDULER_SCORE];
	is("ImageLocality", CONFIG_LIST(score->enabled, struct scheduler_plugin)[0].name);
	is("NodeAffinity", CONFIG_LIST(score->disabled, struct scheduler_plugin)[0].name);
	is("*", CONFIG_LIST(score->disabled, struct scheduler_plugin)[1].name);
}

static void check_fit(const struct scheduler_fit_args *fit)
{
	TEST_ASSERT_EQUAL_UINT32(2, fit->ignored.count);
	is("example.com/a", CONFIG_LIST(fit->ignored, struct text)[0]);
	is("b", CONFIG_LIST(fit->ignored, struct text)[1]);
	TEST_ASSERT_EQUAL_UINT32(1, fit->ignored_groups.count);
	is("example.org", CONFIG_LIST(fit->ignored_groups, struct text)[0]);
	is("RequestedToCapacityRatio", fit->strategy->type);
	const struct scheduler_resource *resources =
		CONFIG_LIST(fit->strategy->resources, struct scheduler_resource);
	TEST_ASSERT_EQUAL_UINT32(2, fit->strategy->resources.count);
	is("example.com/gpu", resources[0].name);
	TEST_ASSERT_EQUAL_INT64(5, resources[0].weight);
	is("cpu", resources[1].name);
	TEST_ASSERT_EQUAL_INT64(1, resources[1].weight);
	const struct scheduler_shape_point *shape =
		CONFIG_LIST(fit->strategy->ratio->shape, struct scheduler_shape_point);
	TEST_ASSERT_EQUAL_UINT32(2, fit->strategy->ratio->shape.count);
	TEST_ASSERT_EQUAL_INT32(90, shape[1].utilization);
	TEST_ASSERT_EQUAL_INT32(1, shape[1].score);
}

static void check_added(const struct scheduler_node_affinity *added)
{
	TEST_ASSERT_EQUAL_UINT32(1, added->required->terms.count);
	const struct scheduler_node_term *term =
		CONFIG_LIST(added->required->terms, struct scheduler_node_term);
	const struct scheduler_requirement *expression =
		CONFIG_LIST(term->expressions, struct scheduler_requirement);
	is("disk", expression->key);
	is("In", expression->op);
	TEST_ASSERT_EQUAL_UINT32(2, expression->values.count);
	is("1", CONFIG_LIST(expression->values, struct text)[1]);
	TEST_ASSERT_EQUAL_UINT32(1, term->fields.count);
	is("metadata.name", CONFIG_LIST(term->fields, struct scheduler_requirement)->key);
	TEST_ASSERT_EQUAL_UINT32(1, added->preferred.count);
	const struct scheduler_preferred_nodes *preferred =
		CONFIG_LIST(added->preferred, struct scheduler_preferred_nodes);
	TEST_ASSERT_EQUAL_INT32(7, preferred->weight);
	TEST_ASSERT_EQUAL_UINT32(1, preferred->term.expressions.count);
}

static void test_everything(void)
{
	enum scheduler_config_result result =
		read_text(read_file("tests/config/data/everything.yaml"));
	TEST_ASSERT_EQUAL_MESSAGE(SCHEDULER_CONFIG_OK, result, print(&faults));
	check_everything_but_profiles();
	TEST_ASSERT_EQUAL_UINT32(2, config.profiles.count);
	is("first", profile_at(0)->name);
	is("second", profile_at(1)->name);
	TEST_ASSERT_TRUE(profile_at(0)->percentage_of_nodes.given);
	TEST_ASSERT_EQUAL_INT32(0, profile_at(0)->percentage_of_nodes.value);
	TEST_ASSERT_FALSE(profile_at(1)->percentage_of_nodes.given);
	check_points(profile_at(0));
	check_points(profile_at(1));
	check_fit(&args_at(0)->of.fit);
	is("memory",
		CONFIG_LIST(args_at(1)->of.balanced.resources, struct scheduler_resource)->name);
	TEST_ASSERT_EQUAL_INT64(1,
		CONFIG_LIST(args_at(1)->of.balanced.resources, struct scheduler_resource)->weight);
	TEST_ASSERT_EQUAL_INT32(0, args_at(2)->of.inter_pod_affinity.hard_weight);
	TEST_ASSERT_TRUE(args_at(2)->of.inter_pod_affinity.ignore_preferred_of_existing);
	check_added(args_at(3)->of.node_affinity.added);
	const struct scheduler_spread_args *spread = &args_at(4)->of.spread;
	is("List", spread->defaulting_type);
	TEST_ASSERT_EQUAL_UINT32(2, spread->constraints.count);
	TEST_ASSERT_EQUAL_INT32(
		3, CONFIG_LIST(spread->constraints, struct scheduler_constraint)[1].max_skew);
	is("kubernetes.io/hostname",
		CONFIG_LIST(spread->constraints, struct scheduler_constraint)[1].topology_key);
	TEST_ASSERT_EQUAL_INT32(100, args_at(5)->of.preemption.min_candidate_percentage);
	TEST_ASSERT_EQUAL_INT32(0, args_at(5)->of.preemption.min_candidate_absolute);
	TEST_ASSERT_EQUAL_INT64(0, args_at(6)->of.volume_binding.bind_timeout_seconds);
	TEST_ASSERT_EQUAL_INT64(0, args_at(7)->of.dynamic_resources.filter_timeout_us);
	TEST_ASSERT_EQUAL_INT64(120000000, args_at(7)->of.dynamic_resources.binding_timeout_us);
}

static void test_args_defaults(void)
{
	static const char *const empty[] = {"{}", "null", "{resources: [], defaultingType: ''}"};
	for (size_t i = 0; i < 2; i++) {
		char file[1024];
		snprintf(file, sizeof(file),
			HEAD "profiles:\n- pluginConfig:\n"
			     "  - {name: NodeResourcesFit, args: %s}\n"
			     "  - {name: InterPodAffinity, args: %s}\n"
			     "  - {name: DefaultPreemption}\n"
			     "  - {name: VolumeBinding, args: %s}\n"
			     "  - {name: DynamicResources, args: %s}\n"
			     "  - {name: NodeResourcesBalancedAllocation, args: {resources: []}}\n"
			     "  - {name: PodTopologySpread, args: {defaultingType: ''}}\n",
			empty[i], empty[i], empty[i], empty[i]);
		TEST_ASSERT_EQUAL_MESSAGE(
			SCHEDULER_CONFIG_OK, read_text(text_of(file)), print(&faults));
		const struct scheduler_strategy *strategy = args_at(0)->of.fit.strategy;
		is("LeastAllocated", strategy->type);
		TEST_ASSERT_EQUAL_UINT32(2, strategy->resources.count);
		TEST_ASSERT_NULL(strategy->ratio);
		TEST_ASSERT_EQUAL_INT32(1, args_at(1)->of.inter_pod_affinity.hard_weight);
		TEST_ASSERT_EQUAL_INT32(10, args_at(2)->of.preemption.min_candidate_percentage);
		TEST_ASSERT_EQUAL_INT32(100, args_at(2)->of.preemption.min_candidate_absolute);
		TEST_ASSERT_EQUAL_INT64(600, args_at(3)->of.volume_binding.bind_timeout_seconds);
		TEST_ASSERT_EQUAL_INT64(
			10000000, args_at(4)->of.dynamic_resources.filter_timeout_us);
		TEST_ASSERT_EQUAL_INT64(
			600000000, args_at(4)->of.dynamic_resources.binding_timeout_us);
		const struct scheduler_resource *resources =
			CONFIG_LIST(args_at(5)->of.balanced.resources, struct scheduler_resource);
		TEST_ASSERT_EQUAL_UINT32(2, args_at(5)->of.balanced.resources.count);
		is("cpu", resources[0].name);
		is("memory", resources[1].name);
		TEST_ASSERT_EQUAL_INT64(1, resources[1].weight);
		is("System", args_at(6)->of.spread.defaulting_type);
	}
}

static void test_real_files(void)
{
	TEST_ASSERT_EQUAL(
		SCHEDULER_CONFIG_OK, read_text(read_file("tests/config/data/bin-packing.json")));
	is("default-scheduler", profile_at(0)->name);
	is("MostAllocated", args_at(0)->of.fit.strategy->type);
	TEST_ASSERT_EQUAL(
		SCHEDULER_CONFIG_OK, read_text(read_file("tests/config/data/two-profiles.yaml")));
	TEST_ASSERT_EQUAL_UINT32(2, config.profiles.count);
	TEST_ASSERT_EQUAL_INT32(70, profile_at(1)->percentage_of_nodes.value);
	TEST_ASSERT_EQUAL_UINT32(0, notes.count);
}

/* ---- faults ---- */

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
		 "apiVersion: kubescheduler.config.k8s.io/v1beta3\n",
			"f:2:13: apiVersion: Unsupported value: "
			"\"kubescheduler.config.k8s.io/v1beta3\": supported values: "
			"\"kubescheduler.config.k8s.io/v1\"\n"},
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
		{HEAD "extenders: [{urlPrefix: 'http://x'}]\n",
			"f:3:12: extenders: is not supported, remove it\n"},
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
			"f:3:33: leaderElection.leaseDuration: Invalid value: must be greater than "
			"zero\n"
			"f:3:53: leaderElection.renewDeadline: Invalid value: must be greater than "
			"zero\n"
			"f:3:71: leaderElection.retryPeriod: Invalid value: must be greater than "
			"zero\n"},
		{HEAD "leaderElection:\n  leaseDuration: 10s\n",
			"f:4:18: leaderElection.leaseDuration: Invalid value: must be greater than "
			"`RenewDeadline`\n"},
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
			"f:6:18: profiles[2].schedulerName: Duplicate value: \"a\"\n"},
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
			"\"kubescheduler.config.k8s.io/v1\")\n"},
		{HEAD "profiles: [{pluginConfig: [{name: CinderLimits}]}]\n",
			"f:3:28: profiles[0].pluginConfig[0]: Invalid value: \"CinderLimits\": was "
			"invalid in version \"kubescheduler.config.k8s.io/v1\" "
			"(KubeSchedulerConfiguration is version "
			"\"kubescheduler.config.k8s.io/v1\")\n"},
		{HEAD "profiles:\n- schedulerName: a\n- schedulerName: b\n"
		      "  plugins: {queueSort: {enabled: [{name: PrioritySort}]}}\n",
			"f:6:24: profiles[1].plugins.queueSort: Invalid value: must be the same "
			"for all profiles\n"},
		{HEAD "profiles:\n"
		      "- plugins: {queueSort: {enabled: [{name: A}, {name: B}]}}\n",
			"f:4:34: profiles[0].plugins.queueSort.enabled: Invalid value: 2: only one "
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
			"f:4:73: " IN_ARGS ".ignoredResources[1]: Invalid value: \"-no\": must be "
			"a valid label name: at most 63 letters, digits, '-', '_' or '.', first "
			"and last a letter or digit, with an optional DNS subdomain and '/' in "
			"front\n"
			"f:4:103: " IN_ARGS ".ignoredResourceGroups[0]: Invalid value: \"a/b\": "
			"resource group name can't contain '/'\n"
			"f:4:108: " IN_ARGS ".ignoredResourceGroups[1]: Invalid value: \"\": must "
			"be a valid label name: at most 63 letters, digits, '-', '_' or '.', first "
			"and last a letter or digit, with an optional DNS subdomain and '/' in "
			"front\n"},
		{ARGS("NodeResourcesFit", "{ignoredResources: 5}"),
			"f:4:68: " IN_ARGS ".ignoredResources: must be a list of strings, found "
			"5\n"},
		{ARGS("NodeResourcesFit", "{ignoredResources: [a, 5]}"),
			"f:4:72: " IN_ARGS ".ignoredResources[1]: must be a string, found 5\n"},
		{ARGS("NodeResourcesFit", "{kind: NodeAffinityArgs}"),
			"f:4:56: " IN_ARGS ".kind: Unsupported value: \"NodeAffinityArgs\": "
			"supported values: NodeResourcesFitArgs\n"},
		{ARGS("NodeResourcesFit", "{apiVersion: v1}"),
			"f:4:62: " IN_ARGS ".apiVersion: Unsupported value: \"v1\": supported "
			"values: kubescheduler.config.k8s.io/v1\n"},
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
			"f:4:104: " IN_ARGS ".defaultConstraints[0].maxSkew: Invalid value: 0: not "
			"in valid range (0, inf)\n"
			"f:4:120: " IN_ARGS ".defaultConstraints[0].topologyKey: Required value: "
			"can not be empty\n"
			"f:4:94: " IN_ARGS ".defaultConstraints[0].whenUnsatisfiable: Required "
			"value: can not be empty\n"
			"f:4:139: " IN_ARGS ".defaultConstraints[0].labelSelector: Forbidden: "
			"constraint must not define a selector, as they deduced for each pod\n"
			"f:4:170: " IN_ARGS ".defaultConstraints[1].topologyKey: Invalid value: "
			"\"a b\": must be a valid label name: at most 63 letters, digits, '-', '_' "
			"or '.', first and last a letter or digit, with an optional DNS subdomain "
			"and '/' in front\n"
			"f:4:196: " IN_ARGS ".defaultConstraints[1].whenUnsatisfiable: Unsupported "
			"value: \"Never\": supported values: \"DoNotSchedule\", "
			"\"ScheduleAnyway\"\n"},
		{ARGS("PodTopologySpread",
			 "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule}, {maxSkew: 2, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule}]}"),
			"f:4:158: " IN_ARGS ".defaultConstraints[1]: Duplicate value: \"{a, "
			"DoNotSchedule}\"\n"},
		{ARGS("PodTopologySpread",
			 "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: a, "
			 "whenUnsatisfiable: DoNotSchedule, minDomains: 2}]}"),
			"f:4:169: " IN_ARGS ".defaultConstraints[0].minDomains: is not supported, "
			"remove it\n"},
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
		{ARGS("VolumeBinding", "{shape: []}"),
			"f:4:54: " IN_ARGS ".shape: Invalid value: unexpected field `shape`, "
			"remove it or turn on the feature gate StorageCapacityScoring\n"},
		{ARGS("DynamicResources", "{filterTimeout: -1s, bindingTimeout: 999ms}"),
			"f:4:65: " IN_ARGS ".filterTimeout: Invalid value: must be zero or "
			"positive\n"
			"f:4:86: " IN_ARGS ".bindingTimeout: Invalid value: must be at least 1 "
			"second\n"},
		{ARGS("NodeAffinity", "{addedAffinity: {required: {}}}"),
			"f:4:62: " IN_ARGS ".addedAffinity: unknown field \"required\", known are "
			"requiredDuringSchedulingIgnoredDuringExecution, "
			"preferredDuringSchedulingIgnoredDuringExecution\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases));
}

static void test_lists_are_bounded(void)
{
	static char file[FILE_MAX];
	struct writer w;
	writer_init(&w, file, sizeof(file));
	write_z(&w, HEAD "profiles:\n");
	for (uint32_t i = 0; i <= SCHEDULER_PROFILES_MAX; i++)
		write_format(&w, "- schedulerName: s%u\n", i);
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, read_text(writer_text(&w)));
	TEST_ASSERT_EQUAL_STRING(
		"f:4:1: profiles: has 17 elements, at most 16 are possible\n", print(&faults));

	writer_init(&w, file, sizeof(file));
	write_z(&w,
		HEAD "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
		     "      ignoredResources: [");
	for (uint32_t i = 0; i <= SCHEDULER_IGNORED_MAX; i++)
		write_format(&w, "r%u,", i);
	write_z(&w, "]\n");
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, read_text(writer_text(&w)));
	TEST_ASSERT_EQUAL_STRING("f:7:25: " IN_ARGS
				 ".ignoredResources: has 65 elements, at most 64 are possible\n",
		print(&faults));
}

static void test_faults_are_bounded(void)
{
	static char file[FILE_MAX];
	struct writer w;
	writer_init(&w, file, sizeof(file));
	write_z(&w, HEAD "leaderElection:\n");
	for (uint32_t i = 0; i < 100; i++)
		write_format(&w, "  wrong%u: 1\n", i);
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, read_text(writer_text(&w)));
	TEST_ASSERT_EQUAL_UINT32(CONFIG_FAULTS_MAX, faults.count);
	TEST_ASSERT_EQUAL_UINT32(36, faults.dropped);
	TEST_ASSERT_NOT_NULL(strstr(print(&faults), "\nf: and 36 more\n"));
}

static void test_values_in_faults_are_short(void)
{
	static char file[FILE_MAX];
	struct writer w;
	writer_init(&w, file, sizeof(file));
	write_z(&w, HEAD "parallelism: ");
	for (uint32_t i = 0; i < 1000; i++)
		write_char(&w, 'x');
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN, read_text(writer_text(&w)));
	TEST_ASSERT_LESS_THAN_size_t(160, strlen(print(&faults)));
	TEST_ASSERT_NOT_NULL(strstr(printed, "xxx...\"\n"));
}

static void test_notes(void)
{
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
		read_text(TEXT(HEAD
			"parallelism: 16\nenableProfiling: true\n"
			"enableContentionProfiling: true\n"
			"delayCacheUntilActive: false\n"
			"clientConnection: {contentType: a, acceptContentTypes: b}\n"
			"profiles: [{pluginConfig: [{name: Coscheduling, args: {a: 1}}]}]\n")));
	TEST_ASSERT_EQUAL_STRING(
		"f:8:55: profiles[0].pluginConfig[0].args: have no effect: no plugin reads them\n"
		"f:3:14: parallelism: has no effect: one thread decides\n"
		"f:4:18: enableProfiling: has no effect: there is no Go runtime to profile\n"
		"f:5:28: enableContentionProfiling: has no effect: there is no Go runtime to "
		"profile\n"
		"f:6:24: delayCacheUntilActive: has no effect: the cache is always filled\n"
		"f:7:56: clientConnection.acceptContentTypes: has no effect: JSON is spoken\n"
		"f:7:33: clientConnection.contentType: has no effect: JSON is spoken\n",
		print(&notes));
}

/* ---- bounds ---- */

static void test_little_memory(void)
{
	struct text file = read_file("tests/config/data/everything.yaml");
	void *block = malloc(SCRATCH_BYTES);
	struct scratch small;
	size_t full = 0;
	for (size_t size = 0; size < SCRATCH_BYTES; size += 1009) {
		struct arena whole;
		arena_init(&whole, block, SCRATCH_BYTES);
		scratch_init(&small, block, size);
		enum scheduler_config_result result =
			scheduler_config_read(file, &small, &grammar, &config, &faults, &notes);
		if (result == SCHEDULER_CONFIG_OK)
			break;
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_FULL, result);
		full++;
	}
	TEST_ASSERT_EQUAL_UINT32(2, config.profiles.count);
	TEST_ASSERT_GREATER_THAN_size_t(20, full);
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES);
	free(block);
}

static void check_consistent(struct text file)
{
	enum scheduler_config_result result = read_text(file);
	TEST_ASSERT_NOT_EQUAL(SCHEDULER_CONFIG_FULL, result);
	TEST_ASSERT_EQUAL(result == SCHEDULER_CONFIG_BROKEN, faults.count > 0);
	print(&faults);
	print(&notes);
}

static void test_broken_files(void)
{
	static char copy[FILE_MAX];
	static const char odd[] = "\0{}[]:-'\"&*!\xff,9";
	struct text file = read_file("tests/config/data/everything.yaml");
	for (size_t size = 0; size < file.size; size += 7)
		check_consistent(text_first(file, size));
	for (size_t at = 0; at < file.size; at += 5) {
		memcpy(copy, file.at, file.size);
		copy[at] = odd[at % (sizeof(odd) - 1)];
		check_consistent((struct text){copy, file.size});
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_defaults);
	RUN_TEST(test_everything);
	RUN_TEST(test_args_defaults);
	RUN_TEST(test_real_files);
	RUN_TEST(test_documents);
	RUN_TEST(test_types);
	RUN_TEST(test_rules);
	RUN_TEST(test_profile_rules);
	RUN_TEST(test_fit_rules);
	RUN_TEST(test_spread_rules);
	RUN_TEST(test_other_args_rules);
	RUN_TEST(test_lists_are_bounded);
	RUN_TEST(test_faults_are_bounded);
	RUN_TEST(test_values_in_faults_are_short);
	RUN_TEST(test_notes);
	RUN_TEST(test_little_memory);
	RUN_TEST(test_broken_files);
	return UNITY_END();
}
