/* SPDX-License-Identifier: GPL-2.0-only */
/* Options: every flag, what a file and flags make of each other, and the words of faults. */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "plugins/fit.h"
#include "plugins/spread_state.h"
#include "config/options.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>

#include "unity.h"

enum { SCRATCH_BYTES = 4 << 20, PRINTED_BYTES = 32 * 1024, WORDS_MAX = 64 };

static struct scratch scratch;
static struct options o;
static struct config_faults faults;
static struct config_faults notes;
static char printed[PRINTED_BYTES];

void setUp(void)
{
	scratch_init(&scratch, malloc(SCRATCH_BYTES), SCRATCH_BYTES);
}

void tearDown(void)
{
	void *block = scratch.base;
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES); /* lifts the poison */
	free(block);
}

static const char *print(const struct config_faults *list)
{
	struct writer w;
	writer_init(&w, printed, sizeof(printed) - 1);
	config_faults_print(list, TEXT("berth"), &w);
	TEST_ASSERT_FALSE(w.overflowed);
	printed[w.used] = '\0';
	return printed;
}

/* Words of a line, separated by one space each. */
static enum options_result load(const char *line)
{
	static char words[4096];
	static char *argv[WORDS_MAX];
	int argc = 1;
	TEST_ASSERT_TRUE(text_copy(text_of(line), words, sizeof(words)));
	argv[0] = words;
	for (char *at = words; *at != '\0'; at++) {
		if (at == words || at[-1] == '\0')
			argv[argc++] = at;
		if (*at == ' ')
			*at = '\0';
	}
	scratch_reset(&scratch);
	const struct options_question q = {argc, argv, &scratch, &faults, &notes, NULL};
	return options_load(&o, &q);
}

static void is_ready(const char *line)
{
	enum options_result result = load(line);
	TEST_ASSERT_EQUAL_STRING_MESSAGE("", print(&faults), line);
	TEST_ASSERT_EQUAL_MESSAGE(OPTIONS_READY, result, line);
}

static void is(const char *wanted, struct text t)
{
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(t, wanted), wanted);
}

/* ---- metrics ---- */

static void test_which_metrics_are_shown(void)
{
	is_ready("--disabled-metrics=a,b --disabled-metrics=c --emulated-version=1.37 "
		 "--show-hidden-metrics-for-version=1.36");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_EQUAL_UINT32(3, o.metrics.disabled.count);
	TEST_ASSERT_TRUE(o.metrics.show_hidden);
	is_ready("");
	TEST_ASSERT_FALSE(o.metrics.show_hidden);
	TEST_ASSERT_EQUAL(OPTIONS_WRONG,
		load("--emulated-version=1.37 --show-hidden-metrics-for-version=1.35"));
	TEST_ASSERT_NOT_NULL(strstr(print(&faults), "have the value '1.36'"));
}

static void test_values_of_labels_of_metrics(void)
{
	is_ready("--allow-metric-labels=one,two=x,y "
		 "--allow-metric-labels=\"a,b=1,2\",\"c,d=\" "
		 "--allow-metric-labels-manifest=tests/config/data/metric-labels.yaml");
	TEST_ASSERT_EQUAL_UINT32(4, o.metrics.rule_count);
	is("one", o.metrics.rules[0].metric);
	is("two", o.metrics.rules[0].label);
	is("x,y", o.metrics.rules[0].values);
	is("1,2", o.metrics.rules[1].values);
	is("d", o.metrics.rules[2].label);
	is("", o.metrics.rules[2].values);
	is("scheduler_pending_pods", o.metrics.rules[3].metric);
	is("active,gated", o.metrics.rules[3].values);
}

static void test_rules_of_labels_that_are_none(void)
{
	static const char *const wrong[] = {"x", "=", "metric=a", "metric,=a", "1m,l=a",
		"\"a,b=1\",c=2", "\"a,b=1", "\"", ",", "\"a,b=1\"\"c,d=2\"x=y"};
	char line[128];
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "--allow-metric-labels=%s", wrong[i]);
		(void)load(line); /* never beyond its end */
		if (i < 6)
			TEST_ASSERT_EQUAL_MESSAGE(OPTIONS_WRONG, load(line), line);
	}
	TEST_ASSERT_EQUAL(OPTIONS_WRONG, load("--allow-metric-labels-manifest=/nowhere"));
	TEST_ASSERT_EQUAL(OPTIONS_WRONG,
		load("--allow-metric-labels-manifest=tests/config/data/options.yaml"));
}

/* ---- values ---- */

static void test_defaults(void)
{
	is_ready("");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_NULL(o.config_file);
	TEST_ASSERT_NULL(o.kubeconfig.path);
	TEST_ASSERT_NULL(o.kubeconfig.master);
	TEST_ASSERT_TRUE(o.kubeconfig.search);
	TEST_ASSERT_EQUAL_DOUBLE(0, o.api_qps);
	TEST_ASSERT_EQUAL_INT32(0, o.api_burst);
	TEST_ASSERT_EQUAL_DOUBLE(0, o.bind_qps);
	TEST_ASSERT_EQUAL_STRING("0.0.0.0", o.bind_address);
	TEST_ASSERT_EQUAL_INT32(10259, o.secure_port);
	TEST_ASSERT_EQUAL_INT32(0, o.http_port);
	TEST_ASSERT_EQUAL_STRING("127.0.0.1", o.http_address);
	TEST_ASSERT_TRUE(o.profiling);
	TEST_ASSERT_TRUE(o.authentication_tolerate_lookup_failure);
	TEST_ASSERT_FALSE(o.authentication_skip_lookup);
	TEST_ASSERT_EQUAL_INT64(10000000, o.token_ttl_us);
	TEST_ASSERT_EQUAL_INT64(10000000, o.authorized_ttl_us);
	TEST_ASSERT_EQUAL_INT64(10000000, o.unauthorized_ttl_us);
	TEST_ASSERT_EQUAL_INT64(300000000, o.unschedulable_max_us);
	TEST_ASSERT_EQUAL_UINT32(3, o.always_allow_paths.count);
	is("/livez", o.always_allow_paths.list[2]);
	is("x-remote-user", o.requestheader_username_headers.list[0]);
	is("x-remote-group", o.requestheader_group_headers.list[0]);
	is("x-remote-extra-", o.requestheader_extra_prefixes.list[0]);
	TEST_ASSERT_EQUAL_UINT32(0, o.requestheader_allowed_names.count);
	TEST_ASSERT_EQUAL_UINT32(OPTIONS_TLS_1_2, o.tls_min);
	TEST_ASSERT_EQUAL_UINT32(OPTIONS_PAGE_REVIEW, o.page);
	TEST_ASSERT_EQUAL_INT32(0, o.verbosity);
	TEST_ASSERT_EQUAL_UINT64(0, o.memory_bytes);
	TEST_ASSERT_TRUE(o.config.leader_election.elect);
	is("kube-scheduler", o.config.leader_election.resource_name);
	TEST_ASSERT_EQUAL_UINT32(1, o.config.profiles.count);
}

static void test_every_kind_of_value(void)
{
	is_ready("--kubeconfig /k --master=https://m:6443 --connections 3 --bind-pods-qps 15.5 "
		 "--bind-pods-burst=7 --pod_max_in_unschedulable_pods_duration=1m30s "
		 "--write-config-to w --bind-address ::1 --secure-port 0 --tls-cert-file c "
		 "--tls-private-key-file k --cert-dir d --tls-min-version VersionTLS13 "
		 "--http-port 10251 --http-address 10.0.0.1 --page-access open");
	TEST_ASSERT_EQUAL_STRING("/k", o.kubeconfig.path);
	TEST_ASSERT_EQUAL_STRING("https://m:6443", o.kubeconfig.master);
	TEST_ASSERT_EQUAL_UINT32(3, o.connections);
	TEST_ASSERT_EQUAL_DOUBLE(15.5, o.bind_qps);
	TEST_ASSERT_EQUAL_INT32(7, o.bind_burst);
	TEST_ASSERT_EQUAL_INT64(90000000, o.unschedulable_max_us);
	TEST_ASSERT_EQUAL_STRING("w", o.write_config_to);
	TEST_ASSERT_EQUAL_STRING("::1", o.bind_address);
	TEST_ASSERT_EQUAL_INT32(0, o.secure_port);
	TEST_ASSERT_EQUAL_STRING("c", o.tls_cert_file);
	TEST_ASSERT_EQUAL_STRING("k", o.tls_private_key_file);
	TEST_ASSERT_EQUAL_STRING("d", o.cert_dir);
	TEST_ASSERT_EQUAL_UINT32(OPTIONS_TLS_1_3, o.tls_min);
	TEST_ASSERT_EQUAL_INT32(10251, o.http_port);
	TEST_ASSERT_EQUAL_STRING("10.0.0.1", o.http_address);
	TEST_ASSERT_EQUAL_UINT32(OPTIONS_PAGE_OPEN, o.page);

	is_ready("--authentication-kubeconfig a --authorization-kubeconfig= "
		 "--authentication-skip-lookup --authentication-tolerate-lookup-failure=F "
		 "--authentication-token-webhook-cache-ttl 0 "
		 "--authorization-webhook-cache-authorized-ttl 1s "
		 "--authorization-webhook-cache-unauthorized-ttl 2s --client-ca-file ca "
		 "--authorization-always-allow-paths /a,/b/* --requestheader-client-ca-file r "
		 "--authorization-always-allow-paths /c --requestheader-allowed-names p,,q "
		 "--requestheader-username-headers u --requestheader-group-headers g "
		 "--requestheader-extra-headers-prefix e- -v=3 --logging-format json "
		 "--memory 32Mi --nodes-max 50 --pods-max 2000 --no-sandbox");
	TEST_ASSERT_EQUAL_STRING("a", o.authentication_kubeconfig);
	TEST_ASSERT_NULL(o.authorization_kubeconfig);
	TEST_ASSERT_TRUE(o.authentication_skip_lookup);
	TEST_ASSERT_FALSE(o.authentication_tolerate_lookup_failure);
	TEST_ASSERT_EQUAL_INT64(0, o.token_ttl_us);
	TEST_ASSERT_EQUAL_INT64(1000000, o.authorized_ttl_us);
	TEST_ASSERT_EQUAL_INT64(2000000, o.unauthorized_ttl_us);
	TEST_ASSERT_EQUAL_STRING("ca", o.client_ca_file);
	TEST_ASSERT_EQUAL_STRING("r", o.requestheader_client_ca_file);
	TEST_ASSERT_EQUAL_UINT32(3, o.always_allow_paths.count);
	is("/a", o.always_allow_paths.list[0]);
	is("/b/*", o.always_allow_paths.list[1]);
	is("/c", o.always_allow_paths.list[2]);
	TEST_ASSERT_EQUAL_UINT32(2, o.requestheader_allowed_names.count);
	is("q", o.requestheader_allowed_names.list[1]);
	is("u", o.requestheader_username_headers.list[0]);
	is("g", o.requestheader_group_headers.list[0]);
	is("e-", o.requestheader_extra_prefixes.list[0]);
	TEST_ASSERT_EQUAL_INT32(3, o.verbosity);
	TEST_ASSERT_TRUE(o.log_as_json);
	TEST_ASSERT_EQUAL_UINT64(32u << 20, o.memory_bytes);
	TEST_ASSERT_EQUAL_UINT32(50, o.nodes_max);
	TEST_ASSERT_EQUAL_UINT32(2000, o.pods_max);
	TEST_ASSERT_TRUE(o.no_sandbox);
}

static void test_ways_to_write_a_flag(void)
{
	static const char *const ways[] = {"-v=4", "-v 4", "-v4", "--v=4", "--v 4"};
	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		is_ready(ways[i]);
		TEST_ASSERT_EQUAL_INT32(4, o.verbosity);
	}
	static const struct {
		const char *line;
		bool elect;
	} bools[] = {{"--leader-elect", true}, {"--leader-elect=true", true},
		{"--leader_elect=1", true}, {"--leader-elect=T", true}, {"--leader-elect=0", false},
		{"--leader-elect=False", false}, {"--leader-elect --leader-elect=false", false}};
	for (size_t i = 0; i < ARRAY_COUNT(bools); i++) {
		is_ready(bools[i].line);
		TEST_ASSERT_EQUAL(bools[i].elect, o.config.leader_election.elect);
	}
	TEST_ASSERT_EQUAL(OPTIONS_HELP, load("--nonsense --help"));
	TEST_ASSERT_EQUAL(OPTIONS_HELP, load("-h"));
	TEST_ASSERT_EQUAL(OPTIONS_VERSION, load("--version"));
	TEST_ASSERT_EQUAL(OPTIONS_VERSION, load("--version=raw"));
}

static void test_deprecated_flags_make_the_configuration(void)
{
	is_ready("--kube-api-qps=20 --kube-api-burst 30 --kube-api-content-type application/json "
		 "--profiling=false --contention-profiling=false --scheduler-name mine "
		 "--hard-pod-affinity-symmetric-weight 5 --lock-object-name l "
		 "--lock-object-namespace n --port 10251 --address 127.0.0.2");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_EQUAL_DOUBLE(20, o.api_qps);
	TEST_ASSERT_EQUAL_INT32(30, o.api_burst);
	TEST_ASSERT_FALSE(o.profiling);
	TEST_ASSERT_FALSE(o.config.enable_profiling);
	TEST_ASSERT_FALSE(o.config.enable_contention_profiling);
	is("application/json", o.config.client_connection.content_type);
	is("l", o.config.leader_election.resource_name);
	is("n", o.config.leader_election.resource_namespace);
	TEST_ASSERT_EQUAL_INT32(10251, o.http_port);
	TEST_ASSERT_EQUAL_STRING("127.0.0.2", o.http_address);
	const struct scheduler_profile *profile =
		CONFIG_LIST(o.config.profiles, struct scheduler_profile);
	is("mine", profile->name);
	TEST_ASSERT_EQUAL_UINT32(1, profile->args.count);
	const struct scheduler_args *args = CONFIG_LIST(profile->args, struct scheduler_args);
	TEST_ASSERT_EQUAL_INT32(5, SCHEDULER_ARGS(args, inter_pod_affinity_args)->hard_weight);
	is("InterPodAffinity", args->plugin);
}

static void test_what_has_no_effect_is_told_once(void)
{
	is_ready("--log-dir a --logtostderr --permit-port-sharing=false "
		 "--log-dir b");
	TEST_ASSERT_EQUAL_STRING("berth: --permit-port-sharing, --logtostderr, "
				 "--log-dir: no effect here\n",
		print(&notes));
}

static void test_feature_gates_as_by_default_are_not_mentioned(void)
{
	is_ready("--feature-gates NodeDeclaredFeatures=true,GenericWorkload=false "
		 "--feature_gates= --feature-gates kube:DRAPrioritizedList=true");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_TRUE(feature_enabled(&o.config.gates, FEATURE_NodeDeclaredFeatures));
	TEST_ASSERT_FALSE(feature_enabled(&o.config.gates, FEATURE_GenericWorkload));
}

static void test_feature_gates_with_meaning_are_kept(void)
{
	is_ready("--emulated-version 1.36 --feature-gates NodeDeclaredFeatures=false,"
		 "InPlacePodLevelResourcesVerticalScaling=false,"
		 "InPlacePodVerticalScalingInitContainers=false,ExtendWebSocketsToKubelet=false,"
		 "RestartAllContainersOnContainerExits=false");
	TEST_ASSERT_FALSE(feature_enabled(&o.config.gates, FEATURE_NodeDeclaredFeatures));
	TEST_ASSERT_EQUAL(KUBE_1_36, o.release);
	is_ready("--emulated-version=1.37 --feature-gates DRAConsumableCapacity=false,"
		 "DRAFractionalCapacityRange=false,DRADeviceBindingConditions=false,"
		 "DRADeviceTaintRules=false,DRADeviceTaints=false,DRAPartitionableDevices=false,"
		 "DRASchedulerFilterTimeout=false");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	is_ready("--emulated-version=kube=1.37");
	TEST_ASSERT_EQUAL(KUBE_1_37, o.release);
	TEST_ASSERT_TRUE(feature_enabled(&o.config.gates, FEATURE_StorageCapacityScoring));
	is_ready("");
	TEST_ASSERT_EQUAL(KUBE_RELEASE_OPEN, o.release);
	TEST_ASSERT_EQUAL(KUBE_RELEASE_DEFAULT, o.config.gates.release);
}

static void test_feature_gates_without_meaning_are_mentioned_once(void)
{
	is_ready("--feature-gates SchedulerPopFromBackoffQ=false,WatchList=false "
		 "--feature-gates APIServingWithRoutine=true");
	TEST_ASSERT_EQUAL_STRING("berth: --feature-gates: APIServingWithRoutine, "
				 "SchedulerPopFromBackoffQ, WatchList: no effect here\n",
		print(&notes));
}

/*
 * What installers write today and wrote in former years: nothing of it may be refused, but for a
 * choice of ciphers that would not be kept.
 */
static void test_real_command_lines(void)
{
	static const char *const lines[] = {
		/* kubeadm */
		"--authentication-kubeconfig=/etc/kubernetes/scheduler.conf "
		"--authorization-kubeconfig=/etc/kubernetes/scheduler.conf "
		"--bind-address=127.0.0.1 "
		"--kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true",
		/* kubeadm of v1.15 and before */
		"--address=127.0.0.1 --leader-elect=true "
		"--kubeconfig=/etc/kubernetes/scheduler.conf",
		/* kubeadm of v1.18 */
		"--authentication-kubeconfig=/etc/kubernetes/scheduler.conf "
		"--authorization-kubeconfig=/etc/kubernetes/scheduler.conf "
		"--bind-address=127.0.0.1 "
		"--kubeconfig=/etc/kubernetes/scheduler.conf --leader-elect=true --port=0",
		/* k3s */
		"--authentication-kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig "
		"--authorization-kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig "
		"--bind-address=127.0.0.1 "
		"--kubeconfig=/var/lib/rancher/k3s/server/cred/scheduler.kubeconfig "
		"--profiling=false --secure-port=10259",
		/* a cloud's */
		"--v=3 --vmodule=a=1 --leader-elect=true --leader-elect-resource-lock=leases "
		"--kubeconfig=/etc/srv/kubernetes/kube-scheduler/kubeconfig --kube-api-qps=100 "
		"--kube-api-burst=200 "
		"--feature-gates=ContextualLogging=true,WatchListClient=true "
		"--disabled-metrics=scheduler_goroutines --show-hidden-metrics-for-version=1.35",
		/* an installer's, by a configuration file and certificates */
		"--config=tests/config/real/kubeadm.yaml --leader-elect=true --feature-gates= "
		"--authentication-kubeconfig=/k --authorization-kubeconfig=/k "
		"--tls-cert-file=/srv/server.crt --tls-private-key-file=/srv/server.key --v=2 "
		"--logtostderr=true --alsologtostderr --log-file=/var/log/kube-scheduler.log",
		/* a distribution's */
		"--config=tests/config/real/kubeadm.yaml --cert-dir=/var/run/kubernetes "
		"--authentication-kubeconfig=/k --authorization-kubeconfig=/k -v=2 "
		"--tls-cert-file=/s/tls.crt --tls-private-key-file=/s/tls.key "
		"--tls-min-version=VersionTLS12 --logging-format=json",
		/* v1.0 */
		"--logtostderr=true --v=0 --master=http://127.0.0.1:8080 "
		"--algorithm_provider=DefaultProvider --bind_pods_qps=15 --bind_pods_burst=20",
		/* v1.12 with a policy */
		"--policy-config-file=tests/config/real/policy-v1.0.json --kubeconfig=/k "
		"--use-legacy-policy-config=true --leader-elect --scheduler-name=default-scheduler "
		"--lock-object-name=s --lock-object-namespace=n --failure-domains=a,b "
		"--hard-pod-affinity-symmetric-weight=1 --profiling --contention-profiling=false",
	};
	for (size_t i = 0; i < ARRAY_COUNT(lines); i++)
		is_ready(lines[i]);
}

/* ---- a file ---- */

static void test_file_and_flags(void)
{
	is_ready("--config tests/config/data/options.yaml --kube-api-qps 7 --kubeconfig /flag "
		 "--leader-elect-lease-duration=1m --profiling --leader-elect-resource-name=flag "
		 "--algorithm-provider DefaultProvider");
	TEST_ASSERT_EQUAL_STRING(
		"berth: --algorithm-provider, --kube-api-qps, --profiling: no effect: --config is "
		"given\n"
		"berth: --kubeconfig: no effect: the configuration has "
		"clientConnection.kubeconfig\n"
		"tests/config/data/options.yaml:3:18: enableProfiling: has no effect: there is no "
		"Go runtime to profile\n",
		print(&notes));
	TEST_ASSERT_EQUAL_STRING("tests/config/data/options.yaml", o.config_file);
	TEST_ASSERT_EQUAL_STRING("/file", o.kubeconfig.path);
	TEST_ASSERT_EQUAL_DOUBLE(100, o.api_qps);
	TEST_ASSERT_EQUAL_INT32(200, o.api_burst);
	TEST_ASSERT_FALSE(o.profiling);
	TEST_ASSERT_EQUAL_INT64(60000000, o.config.leader_election.lease_duration_us);
	TEST_ASSERT_EQUAL_INT64(10000000, o.config.leader_election.renew_deadline_us);
	is("flag", o.config.leader_election.resource_name);
	is("berth", o.config.leader_election.resource_namespace);
}

static void test_kubeconfig_flag_when_the_file_has_none(void)
{
	is_ready("--config tests/config/data/two-profiles.yaml --kubeconfig /flag");
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_EQUAL_STRING("/flag", o.kubeconfig.path);
	TEST_ASSERT_EQUAL_UINT32(2, o.config.profiles.count);
	TEST_ASSERT_EQUAL_DOUBLE(0, o.api_qps);
}

/* ---- older releases ---- */

static const struct scheduler_profile *only_profile(void)
{
	TEST_ASSERT_EQUAL_UINT32(1, o.config.profiles.count);
	return CONFIG_LIST(o.config.profiles, struct scheduler_profile);
}

static void test_provider(void)
{
	is_ready("--algorithm-provider DefaultProvider");
	TEST_ASSERT_EQUAL_UINT32(0, only_profile()->args.count);
	is_ready("--algorithm-provider=ClusterAutoscalerProvider --scheduler-name s "
		 "--hard-pod-affinity-symmetric-weight 9");
	is("s", only_profile()->name);
	const struct scheduler_args *args =
		CONFIG_LIST(only_profile()->args, struct scheduler_args);
	TEST_ASSERT_EQUAL_UINT32(2, only_profile()->args.count);
	is("MostAllocated", SCHEDULER_ARGS(&args[0], fit_config)->strategy->type);
	TEST_ASSERT_EQUAL_INT32(9, SCHEDULER_ARGS(&args[1], inter_pod_affinity_args)->hard_weight);
}

static void test_policy(void)
{
	is_ready("--policy-config-file tests/config/real/policy-v1.12.yaml --scheduler-name s "
		 "--algorithm-provider Nobody --hard-pod-affinity-symmetric-weight 9 "
		 "--use-legacy-policy-config");
	TEST_ASSERT_EQUAL_STRING("tests/config/real/policy-v1.12.yaml", o.config_file);
	is("s", only_profile()->name);
	const struct scheduler_args *args =
		CONFIG_LIST(only_profile()->args, struct scheduler_args);
	TEST_ASSERT_EQUAL_UINT32(3, only_profile()->args.count);
	is("MostAllocated", SCHEDULER_ARGS(&args[0], fit_config)->strategy->type);
	TEST_ASSERT_EQUAL_INT32(10, SCHEDULER_ARGS(&args[2], inter_pod_affinity_args)->hard_weight);
	TEST_ASSERT_TRUE(only_profile()->check_all);
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
}

/* ---- faults ---- */

struct fault_case {
	const char *line;
	const char *wanted; /* all faults, printed */
};

static void check_faults(const struct fault_case *cases, size_t count, enum options_result wanted)
{
	for (size_t i = 0; i < count; i++) {
		enum options_result result = load(cases[i].line);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(cases[i].wanted, print(&faults), cases[i].line);
		TEST_ASSERT_EQUAL_MESSAGE(
			cases[i].wanted[0] == '\0' ? OPTIONS_READY : wanted, result, cases[i].line);
	}
}

static void test_what_is_no_flag_or_value(void)
{
	static const struct fault_case cases[] = {
		{"--secure-prot 1",
			"berth: unknown flag --secure-prot (did you mean "
			"--secure-port?)\n"
			"berth: unexpected argument \"1\": flags begin with --\n"},
		{"--xyzzy=1 -q", "berth: unknown flag --xyzzy\nberth: unknown flag -q\n"},
		{"--leader-elect false",
			"berth: unexpected argument \"false\": flags begin with -- (did you mean "
			"--leader-elect=false?)\n"},
		{"--secure-port 70000",
			"berth: --secure-port: Invalid value: \"70000\": must be a number from 0 "
			"to 65535; 0 turns it off\n"},
		{"--secure-port", "berth: --secure-port: Required value: PORT\n"},
		{"--bind-address localhost",
			"berth: --bind-address: Invalid value: \"localhost\": must be an IP "
			"address\n"},
		{"--leader-elect=maybe",
			"berth: --leader-elect: Invalid value: \"maybe\": must be true or false\n"},
		{"--leader-elect-lease-duration 15",
			"berth: --leader-elect-lease-duration: Invalid value: \"15\": must be a "
			"duration like \"15s\" or \"1m30s\"\n"},
		{"--kube-api-qps nan --memory 0 --logging-format xml --v=x",
			"berth: --kube-api-qps: Invalid value: \"nan\": must be a number\n"
			"berth: --memory: Invalid value: \"0\": must be a size like \"256Mi\"\n"
			"berth: --logging-format: Invalid value: \"xml\": must be text or json\n"
			"berth: --v: Invalid value: \"x\": must be an integer of 32 bits\n"},
		{"--page-access me --tls-min-version TLS12 --nodes-max 0",
			"berth: --page-access: Invalid value: \"me\": must be one of "
			"review|loopback|open|token|nobody\n"
			"berth: --tls-min-version: Invalid value: \"TLS12\": must be one of "
			"VersionTLS12|VersionTLS13\n"
			"berth: --nodes-max: Invalid value: \"0\": must be a number from 1 to "
			"2147483647\n"},
		{"--policy-configmap=p",
			"berth: --policy-configmap: Invalid value: must name a ConfigMap\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases), OPTIONS_WRONG);
}

static void test_rules(void)
{
	static const struct fault_case cases[] = {
		{"--tls-cert-file c",
			"berth: --tls-private-key-file: Invalid value: must go with "
			"--tls-cert-file\n"},
		{"--tls-private-key-file c",
			"berth: --tls-cert-file: Invalid value: must go with "
			"--tls-private-key-file\n"},
		{"--leader-elect-lease-duration 10s",
			"berth: --leader-elect-lease-duration: Invalid value: leaseDuration must "
			"be greater than renewDeadline\n"},
		{"--leader-elect-retry-period 9s",
			"berth: --leader-elect-renew-deadline: Invalid value: renewDeadline must "
			"be greater than retryPeriod*JitterFactor (1.2)\n"},
		{"--leader-elect-lease-duration -1s --leader-elect=false", ""},
		{"--leader-elect-retry-period 0s",
			"berth: --leader-elect-retry-period: Invalid value: must be greater than "
			"zero\n"},
		{"--leader-elect-resource-lock endpoints",
			"berth: --leader-elect-resource-lock: Invalid value: resourceLock value "
			"must be \"leases\"\n"},
		{"--leader-elect-resource-name=",
			"berth: --leader-elect-resource-name: Invalid value: must not be empty\n"},
		{"--leader-elect-resource-namespace=",
			"berth: --leader-elect-resource-namespace: Invalid value: must not be "
			"empty\n"},
		{"--kube-api-burst -1",
			"berth: --kube-api-burst: Invalid value: must be non-negative\n"},
		{"--bind-pods-qps -1 --bind-pods-burst -1 --v -1",
			"berth: --bind-pods-qps: Invalid value: must be non-negative\n"
			"berth: --bind-pods-burst: Invalid value: must be non-negative\n"
			"berth: --v: Invalid value: must be non-negative\n"},
		{"--hard-pod-affinity-symmetric-weight 101",
			"berth: --hard-pod-affinity-symmetric-weight: Invalid value: not in valid "
			"range [0, 100]\n"},
		{"--scheduler-name=",
			"berth: --scheduler-name: Invalid value: must not be empty\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases), OPTIONS_WRONG);
}

static void test_faults_of_feature_gates(void)
{
	static const struct fault_case cases[] = {
		{"--feature-gates Bogus=true",
			"berth: --feature-gates: unrecognized feature gate: Bogus\n"},
		{"--feature-gates GenericWorklod=true",
			"berth: --feature-gates: unrecognized feature gate: GenericWorklod, did "
			"you mean \"GenericWorkload\"?\n"},
		{"--feature-gates NodeDeclaredFeatures",
			"berth: --feature-gates: missing bool value for NodeDeclaredFeatures\n"},
		{"--feature-gates NodeDeclaredFeatures=yes",
			"berth: --feature-gates: invalid value of NodeDeclaredFeatures=yes: must "
			"be true or false\n"},
		{"--feature-gates wardle:A=true",
			"berth: --feature-gates: component not registered: wardle\n"},
		{"--feature-gates DynamicResourceAllocation=false",
			"berth: --feature-gates: cannot set feature gate DynamicResourceAllocation "
			"to false, feature is locked to true\n"},
		{"--emulated-version 1.37 --feature-gates DRAExtendedResource=false",
			"berth: --feature-gates: cannot set feature gate DRAExtendedResource to "
			"false, feature is locked to true\n"},
		{"--emulated-version 1.36 --feature-gates EvictionRequestAPI=true",
			"berth: --feature-gates: cannot set feature gate EvictionRequestAPI to "
			"true, feature is PreAlpha at emulated version 1.36, min compatibility "
			"version 1.35\n"},
		{"--emulated-version 1.37 --feature-gates SidecarContainers=true",
			"berth: --feature-gates: unrecognized feature gate: SidecarContainers; it "
			"went with v1.37\n"},
		{"--feature-gates GenericWorkload=true",
			"berth: --feature-gates: cannot switch GenericWorkload on: groups of pods "
			"are not known, their pods would be bound alone\n"},
		{"--emulated-version 1.36 --feature-gates GangScheduling=true",
			"berth: --feature-gates: cannot switch GangScheduling on: groups of pods "
			"are not known, their pods would be bound alone\n"},
		{"--feature-gates WorkloadWithJob=true",
			"berth: --feature-gates: WorkloadWithJob is enabled, but depends on "
			"features that are disabled: [GenericWorkload]\n"},
	};
	static const struct fault_case versions[] = {
		{"--emulated-version 1.35",
			"berth: --emulated-version: emulation version 1.35 is not between [1.36, "
			"1.37]\n"},
		{"--emulated-version 1.36.4",
			"berth: --emulated-version: patch version not allowed, got: kube=1.36.4\n"},
		{"--emulated-version 1",
			"berth: --emulated-version: illegal version string \"1\"\n"},
		{"--emulated-version new",
			"berth: --emulated-version: could not parse \"new\" as version\n"},
		{"--emulated-version wardle=1.36",
			"berth: --emulated-version: component not registered: wardle\n"},
		{"--emulated-version 1.36,kube=1.37",
			"berth: --emulated-version: duplicate version flag, kube=1.36 and "
			"kube=1.37\n"},
	};
	check_faults(cases, ARRAY_COUNT(cases), OPTIONS_WRONG);
	check_faults(versions, ARRAY_COUNT(versions), OPTIONS_WRONG);
}

/* Every gate that does not exist here would be on. */
static void test_all_alpha_features_are_refused(void)
{
	TEST_ASSERT_EQUAL(OPTIONS_WRONG, load("--feature-gates AllAlpha=true"));
	TEST_ASSERT_NOT_NULL(
		strstr(print(&faults), "cannot switch TopologyAwareWorkloadScheduling on"));
	is_ready("--feature-gates AllAlpha=false,AllBeta=true --emulated-version 1.36 "
		 "--feature-gates CoordinatedLeaderElection=false,DRADeviceTaintRules=false");
}

static void test_faults_of_files(void)
{
	static const struct fault_case flags[] = {
		{"--algorithm-provider Nobody",
			"berth: --algorithm-provider: Invalid value: not registered; there were "
			"DefaultProvider and ClusterAutoscalerProvider\n"},
		{"--secure-port x --config tests/config/data/wrong.yaml",
			"berth: --secure-port: Invalid value: \"x\": must be a number from 0 to "
			"65535; 0 turns it off\n"
			"tests/config/data/wrong.yaml:4:14: parallelism: Invalid value: 0: should "
			"be an integer value greater than zero\n"
			"tests/config/data/wrong.yaml:5:1: unknown field \"profile\", did you mean "
			"\"profiles\"?\n"},
	};
	static const struct fault_case files[] = {
		{"--policy-config-file tests/config/none.json",
			"berth: tests/config/none.json: No such file or directory\n"},
		{"--policy-config-file tests/config/data/options.yaml",
			"tests/config/data/options.yaml:2:7: kind: Unsupported value: "
			"\"KubeSchedulerConfiguration\": supported values: \"Policy\"\n"},
		{"--config tests/config/none.yaml",
			"berth: tests/config/none.yaml: No such file or directory\n"},
		{"--config tests/config", "berth: tests/config: Is a directory\n"},
		{"--config /dev/zero",
			"berth: /dev/zero: larger than 1 MiB, which no configuration is\n"},
		{"--config tests/config/data/wrong.yaml",
			"tests/config/data/wrong.yaml:4:14: parallelism: Invalid value: 0: should "
			"be an integer value greater than zero\n"
			"tests/config/data/wrong.yaml:5:1: unknown field \"profile\", did you mean "
			"\"profiles\"?\n"},
	};
	check_faults(flags, ARRAY_COUNT(flags), OPTIONS_WRONG);
	check_faults(files, ARRAY_COUNT(files), OPTIONS_BROKEN);
}

static void test_little_memory(void)
{
	static char config_flag[] = "--config", file[] = "tests/config/data/everything.yaml",
		    election[] = "--leader-elect=false";
	static char *const argv[] = {election, config_flag, file, election};
	void *block = malloc(SCRATCH_BYTES);
	struct scratch small;
	struct arena whole;
	uint32_t refused = 0;
	enum options_result result = OPTIONS_BROKEN;
	for (size_t size = 0; size < SCRATCH_BYTES && result == OPTIONS_BROKEN; size += 4099) {
		arena_init(&whole, block, SCRATCH_BYTES);
		scratch_init(&small, block, size);
		const struct options_question q = {
			ARRAY_COUNT(argv), argv, &small, &faults, &notes, NULL};
		result = options_load(&o, &q);
		TEST_ASSERT_EQUAL_UINT32(result == OPTIONS_BROKEN, faults.count);
		refused += result == OPTIONS_BROKEN;
	}
	TEST_ASSERT_EQUAL(OPTIONS_READY, result);
	TEST_ASSERT_GREATER_THAN_UINT32(4, refused);
	TEST_ASSERT_EQUAL_UINT32(2, o.config.profiles.count);
	arena_init(&whole, block, SCRATCH_BYTES);
	free(block);
}

static void test_help(void)
{
	static char page[OPTIONS_HELP_MAX];
	struct writer w;
	writer_init(&w, page, sizeof(page) - 1);
	TEST_ASSERT_EQUAL(OPTIONS_READY, load(""));
	options_help(&o, false, &w);
	TEST_ASSERT_FALSE(w.overflowed);
	page[w.used] = '\0';
	TEST_ASSERT_NOT_NULL(strstr(page, "\nLeader election; these win over"));
	TEST_ASSERT_NOT_NULL(strstr(page, "      --secure-port PORT "));
	TEST_ASSERT_NOT_NULL(strstr(page, "  -v, --v LEVEL "));
	TEST_ASSERT_NOT_NULL(strstr(page, "--feature-gates"));
	TEST_ASSERT_NOT_NULL(strstr(page, "how long a lease lasts (default 15s)\n"));
	TEST_ASSERT_NOT_NULL(strstr(page, "of HTTPS, 0: off (default 10259)\n"));
	TEST_ASSERT_NULL(strstr(page, "--log-dir"));
	w.used = 0;
	options_help(&o, true, &w);
	page[w.used] = '\0';
	TEST_ASSERT_NOT_NULL(strstr(page, "\nAccepted without effect:\n"));
	TEST_ASSERT_NOT_NULL(strstr(page, "--log-dir"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_defaults);
	RUN_TEST(test_which_metrics_are_shown);
	RUN_TEST(test_values_of_labels_of_metrics);
	RUN_TEST(test_rules_of_labels_that_are_none);
	RUN_TEST(test_every_kind_of_value);
	RUN_TEST(test_ways_to_write_a_flag);
	RUN_TEST(test_deprecated_flags_make_the_configuration);
	RUN_TEST(test_what_has_no_effect_is_told_once);
	RUN_TEST(test_feature_gates_as_by_default_are_not_mentioned);
	RUN_TEST(test_feature_gates_with_meaning_are_kept);
	RUN_TEST(test_feature_gates_without_meaning_are_mentioned_once);
	RUN_TEST(test_faults_of_feature_gates);
	RUN_TEST(test_all_alpha_features_are_refused);
	RUN_TEST(test_real_command_lines);
	RUN_TEST(test_file_and_flags);
	RUN_TEST(test_kubeconfig_flag_when_the_file_has_none);
	RUN_TEST(test_provider);
	RUN_TEST(test_policy);
	RUN_TEST(test_what_is_no_flag_or_value);
	RUN_TEST(test_rules);
	RUN_TEST(test_faults_of_files);
	RUN_TEST(test_little_memory);
	RUN_TEST(test_help);
	return UNITY_END();
}
