/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions and what they give: tests/cel/cases/NAME, one a line, `expression --> value`, or
 * `--> error: text`, or `--> refused: text` (the text of the first error, with line and column), or
 * `--> cost: units`. Lines that begin with # say what follows.
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: kube/time.c kube/duration.c kube/name_rule.c cel/*.c tests/cel/world.c
#include <stdio.h>
#include <stdlib.h>

#include "cel/world.h"
#include "unity.h"

static struct world world;
static uint32_t failures;
static uint32_t cases;

void setUp(void)
{
	world_init(&world);
}

void tearDown(void)
{
}

/* Of what compiling says only the first error counts, without the source line. */
static void shorten(const char *answer, char *to, size_t size)
{
	static const char head[] = "refused: compilation failed: ERROR: <input>:";
	const char *end = strstr(answer, "\n | ");

	if (strncmp(answer, head, sizeof(head) - 1) == 0)
		snprintf(to, size, "refused: %.*s",
			end == NULL ? (int)strlen(answer)
				    : (int)(end - answer) - (int)(sizeof(head) - 1),
			answer + sizeof(head) - 1);
	else
		snprintf(to, size, "%s", answer);
}

static void run_case(const char *file, int line, char *text)
{
	char *arrow = strstr(text, " --> ");
	char answer[4096];
	uint64_t cost = 0;

	TEST_ASSERT_NOT_NULL_MESSAGE(arrow, text);
	*arrow = '\0';
	shorten(world_answer(&world, text_of(text), CEL_COST_MAX, &cost), answer, sizeof(answer));
	if (strncmp(arrow + 5, "cost: ", 6) == 0 && strncmp(answer, "refused", 7) != 0)
		snprintf(answer, sizeof(answer), "cost: %llu", (unsigned long long)cost);
	cases++;
	if (strcmp(answer, arrow + 5) == 0)
		return;
	failures++;
	printf("%s:%d: %s\n  expected %s\n  found    %s\n", file, line, text, arrow + 5, answer);
}

static void run_file(const char *name)
{
	char path[128];
	char text[4096];
	FILE *file;

	failures = 0;
	cases = 0;
	snprintf(path, sizeof(path), "tests/cel/cases/%s", name);
	file = fopen(path, "r");
	TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
	for (int line = 1; fgets(text, sizeof(text), file) != NULL; line++) {
		text[strcspn(text, "\n")] = '\0';
		if (text[0] != '#' && text[0] != '\0')
			run_case(path, line, text);
	}
	fclose(file);
	TEST_ASSERT_GREATER_THAN_UINT32(0, cases);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, failures, path);
}

static void test_cases_of_the_language(void)
{
	run_file("language");
}

static void test_cases_of_macros(void)
{
	run_file("macros");
}

static void test_cases_of_conversions_and_times(void)
{
	run_file("conversions");
}

static void test_cases_of_libraries(void)
{
	run_file("libraries");
}

static void test_cases_of_patterns(void)
{
	run_file("patterns");
}

static void test_cases_of_errors(void)
{
	run_file("errors");
}

static void test_cases_of_costs(void)
{
	run_file("costs");
}

static void test_cases_of_devices(void)
{
	run_file("devices");
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_cases_of_the_language);
	RUN_TEST(test_cases_of_macros);
	RUN_TEST(test_cases_of_conversions_and_times);
	RUN_TEST(test_cases_of_libraries);
	RUN_TEST(test_cases_of_patterns);
	RUN_TEST(test_cases_of_errors);
	RUN_TEST(test_cases_of_costs);
	RUN_TEST(test_cases_of_devices);
	return UNITY_END();
}
