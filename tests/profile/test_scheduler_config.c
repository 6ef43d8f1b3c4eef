/* SPDX-License-Identifier: GPL-2.0-only */
/* KubeSchedulerConfiguration: every field, every default, every bound. */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "plugins/fit.h"
#include "plugins/node_affinity.h"
#include "plugins/spread_state.h"
#include "profile/scheduler_fixture.h"

#define VERSION "kubescheduler.config.k8s.io/v1"

enum { FILE_MAX = 16 * 1024 };

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
		"{\"kind\":\"KubeSchedulerConfiguration\",\"apiVersion\":\"" VERSION "\"}",
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
	static const uint32_t by_weight[] = {PLUGIN_AT_PRE_ENQUEUE, PLUGIN_AT_QUEUE_SORT,
		PLUGIN_AT_PRE_FILTER, PLUGIN_AT_FILTER, PLUGIN_AT_POST_FILTER, PLUGIN_AT_PRE_SCORE,
		PLUGIN_AT_SCORE, PLUGIN_AT_RESERVE, PLUGIN_AT_PERMIT, PLUGIN_AT_PRE_BIND,
		PLUGIN_AT_BIND, PLUGIN_AT_POST_BIND, SCHEDULER_MULTI_POINT,
		PLUGIN_AT_PLACEMENT_GENERATE, PLUGIN_AT_PLACEMENT_SCORE};
	for (uint32_t i = 0; i < ARRAY_COUNT(by_weight); i++) {
		const struct scheduler_plugin_set *set = &profile->plugins.sets[by_weight[i]];
		TEST_ASSERT_EQUAL_UINT32(1, set->enabled.count);
		TEST_ASSERT_EQUAL_INT32(
			i + 1, CONFIG_LIST(set->enabled, struct scheduler_plugin)->weight);
		bool is_score = by_weight[i] == PLUGIN_AT_SCORE;
		TEST_ASSERT_EQUAL_UINT32(is_score ? 2 : 0, set->disabled.count);
	}
	const struct scheduler_plugin_set *score = &profile->plugins.sets[PLUGIN_AT_SCORE];
	is("ImageLocality", CONFIG_LIST(score->enabled, struct scheduler_plugin)[0].name);
	is("NodeAffinity", CONFIG_LIST(score->disabled, struct scheduler_plugin)[0].name);
	is("*", CONFIG_LIST(score->disabled, struct scheduler_plugin)[1].name);
}

static void check_fit(const struct fit_config *fit)
{
	TEST_ASSERT_EQUAL_UINT32(2, fit->ignored.count);
	is("example.com/a", CONFIG_LIST(fit->ignored, struct text)[0]);
	is("b", CONFIG_LIST(fit->ignored, struct text)[1]);
	TEST_ASSERT_EQUAL_UINT32(1, fit->ignored_groups.count);
	is("example.org", CONFIG_LIST(fit->ignored_groups, struct text)[0]);
	is("RequestedToCapacityRatio", fit->strategy->type);
	const struct config_resource *resources =
		CONFIG_LIST(fit->strategy->resources, struct config_resource);
	TEST_ASSERT_EQUAL_UINT32(2, fit->strategy->resources.count);
	is("example.com/gpu", resources[0].name);
	TEST_ASSERT_EQUAL_INT64(5, resources[0].weight);
	is("cpu", resources[1].name);
	TEST_ASSERT_EQUAL_INT64(1, resources[1].weight);
	const struct config_shape_point *shape =
		CONFIG_LIST(fit->strategy->ratio->shape, struct config_shape_point);
	TEST_ASSERT_EQUAL_UINT32(2, fit->strategy->ratio->shape.count);
	TEST_ASSERT_EQUAL_INT32(90, shape[1].utilization);
	TEST_ASSERT_EQUAL_INT32(1, shape[1].score);
}

static void check_added(const struct node_affinity_config *added)
{
	TEST_ASSERT_EQUAL_UINT32(1, added->required->terms.count);
	const struct node_term_config *term =
		CONFIG_LIST(added->required->terms, struct node_term_config);
	const struct requirement_config *expression =
		CONFIG_LIST(term->expressions, struct requirement_config);
	is("disk", expression->key);
	is("In", expression->op);
	TEST_ASSERT_EQUAL_UINT32(2, expression->values.count);
	is("1", CONFIG_LIST(expression->values, struct text)[1]);
	TEST_ASSERT_EQUAL_UINT32(1, term->fields.count);
	is("metadata.name", CONFIG_LIST(term->fields, struct requirement_config)->key);
	TEST_ASSERT_EQUAL_UINT32(1, added->preferred.count);
	const struct preferred_nodes_config *preferred =
		CONFIG_LIST(added->preferred, struct preferred_nodes_config);
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
	check_fit(SCHEDULER_ARGS(args_at(0), fit_config));
	is("memory",
		CONFIG_LIST(SCHEDULER_ARGS(args_at(1), balanced_config)->resources,
			struct config_resource)
			->name);
	TEST_ASSERT_EQUAL_INT64(1,
		CONFIG_LIST(SCHEDULER_ARGS(args_at(1), balanced_config)->resources,
			struct config_resource)
			->weight);
	TEST_ASSERT_EQUAL_INT32(
		0, SCHEDULER_ARGS(args_at(2), inter_pod_affinity_args)->hard_weight);
	TEST_ASSERT_TRUE(
		SCHEDULER_ARGS(args_at(2), inter_pod_affinity_args)->ignore_preferred_of_existing);
	check_added(SCHEDULER_ARGS(args_at(3), node_affinity_added_config)->added);
	const struct spread_config *spread = SCHEDULER_ARGS(args_at(4), spread_config);
	is("List", spread->defaulting_type);
	TEST_ASSERT_EQUAL_UINT32(2, spread->constraints.count);
	TEST_ASSERT_EQUAL_INT32(
		3, CONFIG_LIST(spread->constraints, struct spread_constraint_config)[1].max_skew);
	is("kubernetes.io/hostname",
		CONFIG_LIST(spread->constraints, struct spread_constraint_config)[1].topology_key);
	TEST_ASSERT_EQUAL_INT32(
		100, SCHEDULER_ARGS(args_at(5), preemption_args)->min_candidate_percentage);
	TEST_ASSERT_EQUAL_INT32(
		0, SCHEDULER_ARGS(args_at(5), preemption_args)->min_candidate_absolute);
	TEST_ASSERT_EQUAL_INT64(
		0, SCHEDULER_ARGS(args_at(6), volume_binding_config)->bind_timeout_seconds);
	TEST_ASSERT_EQUAL_INT64(
		0, SCHEDULER_ARGS(args_at(7), dynamic_resources_args)->filter_timeout_us);
	TEST_ASSERT_EQUAL_INT64(
		120000000, SCHEDULER_ARGS(args_at(7), dynamic_resources_args)->binding_timeout_us);
}

static void test_args_defaults(void)
{
	static const char *const empty[] = {"{}", "null"};
	for (size_t i = 0; i < ARRAY_COUNT(empty); i++) {
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
		const struct fit_strategy_config *strategy =
			SCHEDULER_ARGS(args_at(0), fit_config)->strategy;
		is("LeastAllocated", strategy->type);
		TEST_ASSERT_EQUAL_UINT32(2, strategy->resources.count);
		TEST_ASSERT_NULL(strategy->ratio);
		TEST_ASSERT_EQUAL_INT32(
			1, SCHEDULER_ARGS(args_at(1), inter_pod_affinity_args)->hard_weight);
		TEST_ASSERT_EQUAL_INT32(
			10, SCHEDULER_ARGS(args_at(2), preemption_args)->min_candidate_percentage);
		TEST_ASSERT_EQUAL_INT32(
			100, SCHEDULER_ARGS(args_at(2), preemption_args)->min_candidate_absolute);
		TEST_ASSERT_EQUAL_INT64(600,
			SCHEDULER_ARGS(args_at(3), volume_binding_config)->bind_timeout_seconds);
		TEST_ASSERT_EQUAL_INT64(10000000,
			SCHEDULER_ARGS(args_at(4), dynamic_resources_args)->filter_timeout_us);
		TEST_ASSERT_EQUAL_INT64(600000000,
			SCHEDULER_ARGS(args_at(4), dynamic_resources_args)->binding_timeout_us);
		const struct config_resource *resources =
			CONFIG_LIST(SCHEDULER_ARGS(args_at(5), balanced_config)->resources,
				struct config_resource);
		TEST_ASSERT_EQUAL_UINT32(
			2, SCHEDULER_ARGS(args_at(5), balanced_config)->resources.count);
		is("cpu", resources[0].name);
		is("memory", resources[1].name);
		TEST_ASSERT_EQUAL_INT64(1, resources[1].weight);
		is("System", SCHEDULER_ARGS(args_at(6), spread_config)->defaulting_type);
	}
}

static void test_real_files(void)
{
	TEST_ASSERT_EQUAL(
		SCHEDULER_CONFIG_OK, read_text(read_file("tests/config/data/bin-packing.json")));
	is("default-scheduler", profile_at(0)->name);
	is("MostAllocated", SCHEDULER_ARGS(args_at(0), fit_config)->strategy->type);
	TEST_ASSERT_EQUAL(
		SCHEDULER_CONFIG_OK, read_text(read_file("tests/config/data/two-profiles.yaml")));
	TEST_ASSERT_EQUAL_UINT32(2, config.profiles.count);
	TEST_ASSERT_EQUAL_INT32(70, profile_at(1)->percentage_of_nodes.value);
	TEST_ASSERT_EQUAL_UINT32(0, notes.count);
}

static void test_whole_numbers_with_a_point(void)
{
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK,
		read_text(TEXT(HEAD "parallelism: 3.0\npodMaxBackoffSeconds: 1e3\n"
				    "clientConnection: {burst: -0.0}\n")));
	TEST_ASSERT_EQUAL_INT32(3, config.parallelism);
	TEST_ASSERT_EQUAL_INT64(1000, config.pod_max_backoff_seconds);
	TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_BROKEN,
		read_text(TEXT(HEAD "parallelism: 3e9\npodMaxBackoffSeconds: .inf\n"
				    "clientConnection: {burst: .nan}\n")));
	TEST_ASSERT_EQUAL_UINT32(3, faults.count);
}

/* ---- faults ---- */

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
	for (uint32_t i = 0; i <= PLUGIN_IGNORED_MAX; i++)
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
			"parallelism: 8\nenableProfiling: false\n"
			"enableContentionProfiling: true\n"
			"delayCacheUntilActive: true\n"
			"clientConnection: {contentType: a, acceptContentTypes: b}\n"
			"profiles: [{pluginConfig: [{name: Coscheduling, args: {a: 1}}]}]\n")));
	TEST_ASSERT_EQUAL_STRING(
		"f:8:55: profiles[0].pluginConfig[0].args: have no effect: no plugin reads them\n"
		"f:3:14: parallelism: has no effect: one thread decides\n"
		"f:4:18: enableProfiling: has no effect: there is no Go runtime to profile\n"
		"f:6:24: delayCacheUntilActive: has no effect: the cache is always filled\n"
		"f:7:56: clientConnection.acceptContentTypes: has no effect: JSON is spoken\n"
		"f:7:33: clientConnection.contentType: has no effect: JSON is spoken\n",
		print(&notes));
}

static void test_contention_follows_profiling(void)
{
	static const struct {
		const char *file;
		bool contention;
		uint32_t notes;
	} cases[] = {{HEAD, true, 0}, {HEAD "enableProfiling: false\n", false, 1},
		{HEAD "enableProfiling: false\nenableContentionProfiling: null\n", false, 1},
		{HEAD "enableProfiling: false\nenableContentionProfiling: true\n", true, 1},
		{HEAD "enableContentionProfiling: false\n", false, 1}};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK, read_text(text_of(cases[i].file)));
		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].contention, config.enable_contention_profiling, cases[i].file);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(cases[i].notes, notes.count, cases[i].file);
	}
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
			scheduler_config_read(file, &small, &config, &faults, &notes);
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
	RUN_TEST(test_whole_numbers_with_a_point);
	RUN_TEST(test_lists_are_bounded);
	RUN_TEST(test_faults_are_bounded);
	RUN_TEST(test_values_in_faults_are_short);
	RUN_TEST(test_notes);
	RUN_TEST(test_contention_follows_profiling);
	RUN_TEST(test_little_memory);
	RUN_TEST(test_broken_files);
	return UNITY_END();
}
