/* SPDX-License-Identifier: GPL-2.0-only */
/* run: what is refused before anything starts, in one line, and help. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c config/*.c command/*.c
// deps: net/*.c watch/*.c queue/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/command/run.c
#include <stdlib.h>
#include <string.h>

#include "command/run.h"
#include "unity.h"

static struct said said;

void setUp(void)
{
	unsetenv("KUBECONFIG");
	unsetenv("KUBERNETES_SERVICE_HOST");
}

void tearDown(void)
{
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

static void test_a_budget_that_is_too_small(void)
{
	RUN(&said, run_run, "", "--kubeconfig", "/nonexistent/kubeconfig", "--memory", "64Ki");
	refused("--memory");
}

/* Decisions without it would be wrong ones. */
static void test_an_extender(void)
{
	RUN(&said, run_run, "", "--kubeconfig", "/nonexistent", "--config",
		"tests/config/real/gpu-extender.yaml");
	TEST_ASSERT_NOT_EQUAL(0, said.status);
	TEST_ASSERT_NOT_NULL_MESSAGE(
		strstr(said.err, "extenders: this version does not call them"), said.err);
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
	RUN_TEST(test_a_budget_that_is_too_small);
	RUN_TEST(test_an_extender);
	RUN_TEST(test_help);
	return UNITY_END();
}
