/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands over the dumps in data/, compared with what they said when somebody looked at it
 * (NAME.ok). With BERTH=path in the environment the program there is run instead of the functions
 * in here. WRITE_OK=1 writes the files anew: look at the difference before it is committed.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c command/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c queue/*.c
// deps: api/*.c bind/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c update/*.c
// deps: tests/command/run.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/run.h"
#include "unity.h"

enum { CASES_MAX = 64, LINE_MAX_BYTES = 256 };

static struct said said;
static char lines[CASES_MAX][LINE_MAX_BYTES];
static const char *program; /* NULL: the functions */

void setUp(void)
{
}

void tearDown(void)
{
}

static void say(char *line)
{
	const char *argv[ARGUMENTS_MAX] = {"berth"};
	int argc = 1;
	char *rest = line;
	for (char *word; (word = strsep(&rest, " ")) != NULL && argc < ARGUMENTS_MAX - 1;)
		argv[argc++] = word;
	if (program != NULL)
		run_program(&said, program, NULL, argv);
	else
		run(&said, command_main, NULL, argv);
}

static void compare(const char *name)
{
	static char path[LINE_MAX_BYTES];
	(void)snprintf(path, sizeof(path), "%s.ok", name);
	compare_with_file(&said, path);
}

static uint32_t current;

static void test_case(void)
{
	char *colon = strchr(lines[current], ':');
	TEST_ASSERT_NOT_NULL_MESSAGE(colon, lines[current]);
	*colon = '\0';
	say(colon + 2);
	compare(lines[current]);
}

static uint32_t read_cases(void)
{
	uint32_t count = 0;
	FILE *file = fopen("cases", "r");
	if (file == NULL)
		return 0;
	while (count < CASES_MAX && fgets(lines[count], LINE_MAX_BYTES, file) != NULL) {
		lines[count][strcspn(lines[count], "\n")] = '\0';
		count += lines[count][0] != '#';
	}
	(void)fclose(file);
	return count;
}

/* Three forms of the same cluster are one cluster. */
static void test_forms_agree(void)
{
	static char first[SAID_MAX];
	static const char *const pods[] = {"pods.yaml", "pods-typed.json", "pods.jsonl"};
	for (int i = 0; i < 3; i++) {
		char line[LINE_MAX_BYTES];
		(void)snprintf(line, sizeof(line), "simulate nodes.json %s", pods[i]);
		say(line);
		TEST_ASSERT_EQUAL(0, said.status);
		if (i == 0)
			memcpy(first, said.out, sizeof(first));
		TEST_ASSERT_EQUAL_STRING(first, said.out);
	}
}

int main(void)
{
	static char absolute[4096];
	const char *berth = getenv("BERTH");
	if (berth != NULL)
		program = realpath(berth, absolute);
	if (chdir("tests/command/data") != 0 || (berth != NULL && program == NULL))
		return 1;
	uint32_t count = read_cases();
	UNITY_BEGIN();
	for (current = 0; current < count; current++)
		UnityDefaultTestRun(test_case, lines[current], __LINE__);
	RUN_TEST(test_forms_agree);
	return UNITY_END();
}
