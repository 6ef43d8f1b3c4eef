/* SPDX-License-Identifier: GPL-2.0-only */
/* A configuration that is written and read again is the same, and is written the same. */
// deps: base/*.c yaml/*.c json/*.c kube/*.c cache/*.c plugins/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include "profile/scheduler_fixture.h"
#include "profile/scheduler_write.h"
#include "yaml/write.h"

enum { WRITTEN_BYTES = 64 * 1024 };

static char written[2][WRITTEN_BYTES];

static struct text write_config(int which)
{
	struct writer w;
	writer_init(&w, written[which], WRITTEN_BYTES - 1);
	scheduler_config_write(&config, &w);
	TEST_ASSERT_FALSE(w.overflowed);
	written[which][w.used] = '\0';
	return writer_text(&w);
}

static void is_same_again(struct text first)
{
	TEST_ASSERT_EQUAL_MESSAGE(SCHEDULER_CONFIG_OK, read_text(first), print(&faults));
	(void)write_config(1);
	TEST_ASSERT_EQUAL_STRING(written[0], written[1]);
}

static void test_default(void)
{
	scheduler_config_defaults(&config);
	struct text first = write_config(0);
	TEST_ASSERT_NOT_NULL(strstr(written[0], "kind: KubeSchedulerConfiguration\n"));
	TEST_ASSERT_NOT_NULL(strstr(written[0], "\n  leaseDuration: 15s\n"));
	TEST_ASSERT_NOT_NULL(strstr(written[0],
		"\nprofiles:\n- pluginConfig:\n  - args:\n      apiVersion: "
		"kubescheduler.config.k8s.io/v1\n      kind: NodeResourcesFitArgs\n      "
		"scoringStrategy:\n        resources:\n        - name: cpu\n          weight: "
		"1\n"));
	TEST_ASSERT_NOT_NULL(strstr(written[0], "\n  schedulerName: default-scheduler\n"));
	TEST_ASSERT_NULL(strstr(written[0], "qps"));
	is_same_again(first);
	TEST_ASSERT_EQUAL_STRING("", print(&notes));
	TEST_ASSERT_FALSE(config.client_connection.limited);
}

static struct text read_file(const char *path)
{
	static char bytes[16 * 1024];
	FILE *file = fopen(path, "rb");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	return (struct text){bytes, size};
}

static void test_everything(void)
{
	static const char *const files[] = {"tests/config/data/everything.yaml",
		"tests/config/data/bin-packing.json", "tests/config/data/two-profiles.yaml"};
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		TEST_ASSERT_EQUAL(SCHEDULER_CONFIG_OK, read_text(read_file(files[i])));
		is_same_again(write_config(0));
	}
}

static void test_what_everything_does_not_have(void)
{
	static const struct {
		const char *yaml;
	} files[] = {
		{HEAD "clientConnection: {qps: 0.25, burst: 3}\nleaderElection: {leaderElect: "
		      "false, leaseDuration: -1s, renewDeadline: 1us}\n"},
		{HEAD "extenders:\n- urlPrefix: https://x/y\n  filterVerb: f\n  preemptVerb: e\n"
		      "  prioritizeVerb: p\n  bindVerb: b\n  weight: 5\n  enableHTTPS: true\n"
		      "  httpTimeout: 1500ms\n  nodeCacheCapable: true\n  ignorable: true\n"
		      "  managedResources: [{name: a.b/c, ignoredByScheduler: true}]\n"
		      "  tlsConfig: {serverName: s, certFile: c, keyFile: k, caData: YWJjZA==, "
		      "keyData: YWI=, certData: YWJj}\n- urlPrefix: http://z\n"},
		{HEAD "profiles:\n- schedulerName: \"a\\u2028\\u0085\\x01\\uFEFFb\"\n"
		      "- schedulerName: 'true'\n- schedulerName: '- x: #'\n- schedulerName: "
		      "'12'\n"},
		{HEAD "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args:\n"
		      "      addedAffinity:\n"
		      "        requiredDuringSchedulingIgnoredDuringExecution:\n"
		      "          nodeSelectorTerms: []\n"
		      "        preferredDuringSchedulingIgnoredDuringExecution:\n"
		      "        - {weight: 1, preference: {}}\n"
		      "        - weight: 2\n          preference:\n            matchFields:\n"
		      "            - {key: metadata.name, operator: In, values: [a]}\n"
		      "  - {name: Mine, args: {a: 1}}\n"},
		{HEAD "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args:\n"
		      "      addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
		      "{nodeSelectorTerms: [{}, {matchExpressions: [{key: a, operator: "
		      "Exists}]}]}}\n"
		      "  - {name: PodTopologySpread, args: {defaultingType: List, "
		      "defaultConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: "
		      "DoNotSchedule, minDomains: 2, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: "
		      "Honor, matchLabelKeys: [b]}]}}\n"},
		{HEAD "profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: "
		      "{}}}]}]\n"},
		{"apiVersion: kubescheduler.config.k8s.io/v1beta2\n"
		 "kind: KubeSchedulerConfiguration\n"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		TEST_ASSERT_EQUAL_MESSAGE(
			SCHEDULER_CONFIG_OK, read_text(text_of(files[i].yaml)), print(&faults));
		is_same_again(write_config(0));
	}
}

static void test_texts(void)
{
	static const struct {
		const char *text;
		const char *wanted;
	} cases[] = {{"a-b.c/d_e", "k: a-b.c/d_e\n"}, {"", "k: \"\"\n"}, {"no", "k: \"no\"\n"},
		{"-a", "k: \"-a\"\n"}, {"0x10", "k: \"0x10\"\n"}, {"*", "k: \"*\"\n"},
		{"a b", "k: \"a b\"\n"}, {"a\nb\"\\\x7f", "k: \"a\\nb\\\"\\\\\\u007f\"\n"},
		{"1.5Gi", "k: 1.5Gi\n"},
		{"\xc3\xa9\xc2\x85\xe2\x80\xa9\xef\xbf\xbf",
			"k: \"\xc3\xa9\\u0085\\u2029\\uffff\"\n"}};
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct writer w;
		struct yaml_writer y;
		writer_init(&w, written[0], WRITTEN_BYTES - 1);
		yaml_write_init(&y, &w);
		yaml_write_text(&y, "k", text_of(cases[i].text));
		written[0][w.used] = '\0';
		TEST_ASSERT_EQUAL_STRING(cases[i].wanted, written[0]);
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_default);
	RUN_TEST(test_everything);
	RUN_TEST(test_what_everything_does_not_have);
	RUN_TEST(test_texts);
	return UNITY_END();
}
