/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check-config: files as people have them, what they come to, and that this is accepted again.
 *
 * tests/config/real/NAME.yaml comes with NAME.ok, what is said on standard output, and NAME.err,
 * what is said on standard error (absent: nothing). BERTH_ACCEPT=1 writes both anew.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: command/*.c net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c
// deps: scheduler/*.c status/*.c extender/*.c update/*.c
// deps: command/dump*.c command/sniff.c command/source.c tests/command/run.c
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/run.h"
#include "unity.h"

static struct said said;
static struct said again;

void setUp(void)
{
}

void tearDown(void)
{
}

/* ---- files ---- */

static const char *sibling(const char *path, const char *ending)
{
	static char name[256];
	struct text stem = text_first(text_of(path), text_find_last(text_of(path), '.'));
	snprintf(name, sizeof(name), "%.*s.%s", TEXT_ARGS(stem), ending);
	return name;
}

static const char *content(const char *path)
{
	static char bytes[SAID_MAX];
	FILE *file = fopen(path, "rb");
	bytes[0] = '\0';
	if (file == NULL)
		return bytes;
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

static void accept(const char *path, const char *what)
{
	if (what[0] == '\0') {
		(void)unlink(path);
		return;
	}
	FILE *file = fopen(path, "wb");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	TEST_ASSERT_TRUE(fputs(what, file) >= 0);
	fclose(file);
}

static void check_said(const char *path, const char *ending, const char *what)
{
	const char *name = sibling(path, ending);
	if (getenv("BERTH_ACCEPT") != NULL)
		accept(name, what);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(content(name), what, name);
}

static void check_file(const char *path)
{
	RUN(&said, check_config_run, NULL, path);
	check_said(path, "err", said.err);
	check_said(path, "ok", said.out);
	TEST_ASSERT_EQUAL_INT_MESSAGE(said.out[0] == '\0', said.status, path);
	if (said.status != 0)
		return;
	RUN(&again, check_config_run, said.out, "-");
	TEST_ASSERT_EQUAL_INT_MESSAGE(0, again.status, again.err);
	TEST_ASSERT_EQUAL_STRING_MESSAGE(said.out, again.out, path);
}

static void test_real_files(void)
{
	glob_t found;
	TEST_ASSERT_EQUAL(0, glob("tests/config/real/*.yaml", 0, NULL, &found));
	TEST_ASSERT_EQUAL(0, glob("tests/config/real/*.json", GLOB_APPEND, NULL, &found));
	TEST_ASSERT_GREATER_THAN_size_t(20, found.gl_pathc);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
}

/* ---- what is said ---- */

static void test_faults(void)
{
	RUN(&said, check_config_run, NULL, "tests/config/data/wrong.yaml");
	TEST_ASSERT_EQUAL_INT(1, said.status);
	TEST_ASSERT_EQUAL_STRING("", said.out);
	TEST_ASSERT_EQUAL_STRING(
		"tests/config/data/wrong.yaml:4:14: parallelism: Invalid value: 0: should be an "
		"integer value greater than zero\n"
		"tests/config/data/wrong.yaml:5:1: unknown field \"profile\", did you mean "
		"\"profiles\"?\n",
		said.err);
}

static void is_said(const char *input, const char *wanted)
{
	RUN(&said, check_config_run, input, "-");
	TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, said.err, input);
	TEST_ASSERT_EQUAL_INT(1, said.status);
}

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

static void test_profiles_are_made(void)
{
	is_said(HEAD "profiles: [{plugins: {filter: {enabled: [{name: Mine}]}}}]\n",
		"standard input:3:49: profiles[0].plugins.filter.enabled[0].name: Invalid value: "
		"\"Mine\": plugin does not exist\n");
	is_said(HEAD "profiles: [{plugins: {filter: {enabled: [{name: ImageLocality}]}}}]\n",
		"standard input: creating profile for scheduler name default-scheduler (line 3): "
		"plugin "
		"\"ImageLocality\" does not extend FilterPlugin plugin\n");
	is_said(HEAD "profiles: [{plugins: {bind: {disabled: [{name: '*'}]}}}]\n",
		"standard input: creating profile for scheduler name default-scheduler (line 3): "
		"at least "
		"one bind plugin is needed for profile with scheduler name "
		"\"default-scheduler\"\n");
}

static void test_misuse(void)
{
	RUN(&said, check_config_run, NULL, "a", "b");
	TEST_ASSERT_EQUAL_INT(2, said.status);
	TEST_ASSERT_EQUAL_STRING("berth: check-config needs one file, or '-'; 'berth check-config "
				 "--help' says more\n",
		said.err);
	RUN(&said, check_config_run, NULL, "--help");
	TEST_ASSERT_EQUAL_INT(0, said.status);
	TEST_ASSERT_NOT_NULL(strstr(said.out, "usage: berth check-config FILE"));
	RUN(&said, check_config_run, NULL, "tests/config/none");
	TEST_ASSERT_EQUAL_INT(1, said.status);
	TEST_ASSERT_EQUAL_STRING("tests/config/none: No such file or directory\n", said.err);
}

/* ---- bad ones ---- */

static char *repeated(const char *before, const char *part, size_t times, const char *after)
{
	size_t size = strlen(part), at = strlen(before);
	char *text = malloc(at + size * times + strlen(after) + 1);
	memcpy(text, before, at);
	for (size_t i = 0; i < times; i++, at += size)
		memcpy(text + at, part, size);
	memcpy(text + at, after, strlen(after) + 1);
	return text;
}

static void is_refused(char *input, const char *wanted)
{
	RUN(&said, check_config_run, input, "-");
	TEST_ASSERT_EQUAL_STRING(wanted, said.err);
	TEST_ASSERT_EQUAL_INT(1, said.status);
	free(input);
}

static void test_hard_ones(void)
{
	is_refused(repeated(HEAD "# ", "0123456789", 1 << 20, "\n"),
		"standard input: larger than 1 MiB, which no configuration is\n");
	is_refused(repeated(HEAD "profiles: ", "[", 100 * 1000, ""),
		"standard input:3:74: nested too deeply\n");
	is_refused(repeated(HEAD "profiles: ", "- ", 100 * 1000, "a\n"),
		"standard input:3:11: block sequence entries are not allowed in this context\n");
	is_refused(repeated(HEAD "profiles:\n", "? ", 100 * 1000, "a\n"),
		"standard input:4:3: a list or a map cannot be a key\n");
	is_refused(repeated(HEAD "profiles: [", "{},", 300 * 1000, "]\n"),
		"standard input:3:11: profiles: has 300000 elements, at most 16 are possible\n");
	is_refused(repeated(HEAD "profiles: [", "[],", 340 * 1000, "]\n"),
		"standard input:3:11: profiles: has 340000 elements, at most 16 are possible\n");
	is_refused(repeated(HEAD "a: &a [b]\n", "", 1,
			   "c: &c [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
			   "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
			   "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
			   "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
			   "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n"),
		"standard input:7:17: aliases stand for too much\n");
	is_refused(repeated(HEAD "profiles: [{schedulerName: '", "a", 1000 * 1000, "'}]\nx: 1\n"),
		"standard input:4:1: unknown field \"x\", known are apiVersion, kind, parallelism, "
		"leaderElection, clientConnection, enableProfiling, enableContentionProfiling, "
		"percentageOfNodesToScore, podInitialBackoffSeconds, podMaxBackoffSeconds, "
		"profiles, extenders, delayCacheUntilActive\n");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_real_files);
	RUN_TEST(test_faults);
	RUN_TEST(test_profiles_are_made);
	RUN_TEST(test_misuse);
	RUN_TEST(test_hard_ones);
	return UNITY_END();
}
