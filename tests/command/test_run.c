/* SPDX-License-Identifier: GPL-2.0-only */
/* run: what is refused before anything starts, in one line, and help. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c tests/command/server.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/run.h"
#include "command/server.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
	unsetenv("KUBECONFIG");
	unsetenv("KUBERNETES_SERVICE_HOST");
}

void tearDown(void)
{
	serve_no_more();
}

static uint32_t lines_of(const char *text)
{
	uint32_t count = 0;
	for (; *text != '\0'; text++)
		count += *text == '\n';
	return count;
}

static void refused(const char *word)
{
	TEST_ASSERT_NOT_EQUAL(0, said.status);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.err, word), said.err);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, lines_of(said.err), said.err);
}

static void test_an_unknown_flag(void)
{
	RUN(&said, run_run, "", "--leader-elct=false");
	refused("leader-elect");
}

static void test_no_such_kubeconfig(void)
{
	RUN(&said, run_run, "", "--kubeconfig", "/nonexistent/kubeconfig");
	refused("/nonexistent/kubeconfig");
}

/* ---- --write-config-to ---- */

static char path[] = "/tmp/berth-run-XXXXXX";

static void name_file(void)
{
	strcpy(path + sizeof(path) - 7, "XXXXXX");
	int fd = mkstemp(path);
	TEST_ASSERT_TRUE(fd >= 0);
	close(fd);
}

static void test_the_configuration_is_written(void)
{
	static struct said shown;
	name_file();
	RUN(&shown, check_config_run, NULL, "tests/config/real/policy-labels.yaml");
	RUN(&said, run_run, "", "--policy-config-file", "tests/config/real/policy-labels.yaml",
		"--write-config-to", path);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, said.status, said.err);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	RUN(&said, check_config_run, NULL, path);
	unlink(path);
	TEST_ASSERT_EQUAL_STRING("", said.err);
	TEST_ASSERT_EQUAL_STRING(shown.out, said.out);
	RUN(&said, run_run, "", "--write-config-to", "/nonexistent/file");
	TEST_ASSERT_EQUAL_INT(1, said.status);
	TEST_ASSERT_EQUAL_STRING("/nonexistent/file: No such file or directory\n", said.err);
}

/* ---- a policy that is in the cluster ---- */

#define CONFIGMAP(data) \
	HEAD("200 OK")  \
	"{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"p\"},\"data\":{" data "}}\n"
#define QUOTE "\\\""
#define POLICY                                                                               \
	CONFIGMAP("\"policy.cfg\":\"{" QUOTE "kind" QUOTE ":" QUOTE "Policy" QUOTE "," QUOTE \
		  "priorities" QUOTE ":[{" QUOTE "name" QUOTE ":" QUOTE                      \
		  "MostRequestedPriority" QUOTE "," QUOTE "weight" QUOTE ":3}]}\"")

static void fetch(const char *answer, const char *more)
{
	const char *const answers[] = {answer, NULL};
	serve(answers);
	name_file();
	RUN(&said, run_run, "", "--master", server, "--policy-configmap=p", more,
		"--write-config-to", path);
}

static void test_a_policy_of_a_configmap(void)
{
	fetch(POLICY, "--policy-configmap-namespace=other");
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, said.status, said.err);
	const char *request = server_heard();
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(request, "GET /api/v1/namespaces/other/configmaps/p HTTP/1.1"), request);
	RUN(&said, check_config_run, NULL, path);
	unlink(path);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.out, "type: MostAllocated"), said.out);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said.out, "weight: 3"), said.out);
}

static void test_a_configmap_that_will_not_do(void)
{
	static const struct {
		const char *answer, *words;
	} cases[] = {
		{HEAD("404 Not Found") "{\"kind\":\"Status\",\"code\":404}\n",
			"namespaces/kube-system/configmaps/p: the apiserver answered 404"},
		{CONFIGMAP("\"policy\":\"x\""),
			"missing policy config map value at key \"policy.cfg\""},
		{CONFIGMAP("\"policy.cfg\":\"kind: Pod\""),
			"configmaps/p:1:7: kind: Unsupported value"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fetch(cases[i].answer, "--leader-elect=false");
		unlink(path);
		refused(cases[i].words);
		serve_no_more();
	}
	RUN(&said, run_run, "", "--policy-configmap", "a/../../secrets/b");
	refused("--policy-configmap: Invalid value: must name a ConfigMap");
}

/* The file counts when it is asked for. */
static void test_a_policy_file_beside_a_configmap(void)
{
	name_file();
	RUN(&said, run_run, "", "--policy-configmap=p", "--use-legacy-policy-config",
		"--policy-config-file", "tests/config/real/policy-labels.yaml", "--write-config-to",
		path);
	unlink(path);
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, said.status, said.err);
}

/* ---- files that are none ---- */

static void is_garbage(const char *bytes, size_t size, const char *flag, const char *wanted)
{
	name_file();
	FILE *file = fopen(path, "wb");
	TEST_ASSERT_NOT_NULL(file);
	TEST_ASSERT_EQUAL_size_t(size, fwrite(bytes, 1, size, file));
	fclose(file);
	RUN(&said, run_run, "", flag, path);
	unlink(path);
	TEST_ASSERT_EQUAL_INT_MESSAGE(1, said.status, said.err);
	refused(wanted);
}

static void test_garbage(void)
{
	static const char *const flags[] = {"--config", "--policy-config-file"};
	static char large[10 << 20];
	static char deep[500 * 1000];
	static const char zeros[] = "kind: Policy\0\0\0\n";
	memset(large, 'a', sizeof(large));
	memset(deep, '[', sizeof(deep));
	for (size_t i = 0; i < 2; i++) {
		is_garbage(large, sizeof(large), flags[i], "larger than 1 MiB");
		is_garbage(deep, sizeof(deep), flags[i], "nested too deeply");
		is_garbage(zeros, sizeof(zeros), flags[i], "control characters");
		is_garbage("\x7f"
			   "ELF\2\1\1",
			7, flags[i], ":1:1: ");
		is_garbage("", 0, flags[i], "empty");
		is_garbage("a: &a [*a]\n", 11, flags[i], "");
	}
}

static void test_a_profile_that_cannot_be_made(void)
{
	static const char bytes[] =
		"apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
		"profiles: [{plugins: {bind: {disabled: [{name: '*'}]}}}]\n";
	char wanted[256];
	name_file();
	FILE *file = fopen(path, "wb");
	TEST_ASSERT_NOT_NULL(file);
	fputs(bytes, file);
	fclose(file);
	RUN(&said, run_run, "", "--config", path, "--master", "http://127.0.0.1:1");
	unlink(path);
	snprintf(wanted, sizeof(wanted),
		"berth: %s: creating profile for scheduler name default-scheduler (line 3): at "
		"least one bind plugin is needed",
		path);
	refused(wanted);
}

static void test_help(void)
{
	RUN(&said, run_run, "", "--help");
	TEST_ASSERT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "--kubeconfig"));
	TEST_ASSERT_NOT_NULL(strstr(said.out, "--memory"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_an_unknown_flag);
	RUN_TEST(test_no_such_kubeconfig);
	RUN_TEST(test_the_configuration_is_written);
	RUN_TEST(test_a_policy_of_a_configmap);
	RUN_TEST(test_a_configmap_that_will_not_do);
	RUN_TEST(test_a_policy_file_beside_a_configmap);
	RUN_TEST(test_garbage);
	RUN_TEST(test_a_profile_that_cannot_be_made);
	RUN_TEST(test_help);
	return UNITY_END();
}
