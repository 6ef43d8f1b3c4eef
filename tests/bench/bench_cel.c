/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a selector of a device takes, compiled and evaluated: the goal is 1 us for one look at
 * one device. The expressions are those of tests/cel/cases/devices that have a value.
 *
 *   bench_cel [ROUNDS]
 */
// deps: base/*.c kube/quantity.c kube/quantity_big.c kube/quantity_parse.c kube/quantity_print.c
// deps: kube/time.c kube/duration.c kube/name_rule.c cel/*.c tests/cel/world.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cel/world.h"

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of three times `rounds`. */
static double evaluate(struct world *w, const struct cel_program *program, unsigned long rounds)
{
	double best = 0;

	for (int turn = 0; turn < 3; turn++) {
		double begin = nanoseconds();
		double each;

		for (unsigned long i = 0; i < rounds; i++) {
			scratch_reset(&w->scratch);
			(void)cel_evaluate(program, w->variables, CEL_COST_MAX, &w->scratch, NULL);
		}
		each = (nanoseconds() - begin) / (double)rounds;
		best = turn == 0 || each < best ? each : best;
	}
	return best;
}

static void measure(struct world *w, const char *source, unsigned long rounds, double *worst)
{
	const struct cel_program *program = NULL;
	double begin = nanoseconds();
	double compiled;
	double each;

	for (unsigned long i = 0; i < rounds / 100 + 1; i++)
		program = world_compile(w, text_of(source));
	compiled = (nanoseconds() - begin) / (double)(rounds / 100 + 1);
	if (program == NULL)
		return;
	each = evaluate(w, program, rounds);
	*worst = each > *worst ? each : *worst;
	printf("cel %7.0f ns, compiled in %6.1f us to %5zu bytes: %s\n", each, compiled / 1000,
		w->keep.used, source);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	static struct world world;
	char line[1024];
	double worst = 0;
	FILE *file = fopen("tests/cel/cases/devices", "r");

	if (file == NULL) {
		fprintf(stderr, "bench_cel: tests/cel/cases/devices\n");
		return 1;
	}
	world_init(&world);
	while (fgets(line, sizeof(line), file) != NULL) {
		char *arrow = strstr(line, " --> ");

		if (line[0] == '#' || arrow == NULL || strstr(arrow, "error") != NULL)
			continue;
		*arrow = '\0';
		measure(&world, line, rounds, &worst);
	}
	fclose(file);
	printf("cel: the slowest takes %.0f ns\n", worst);
	return 0;
}
