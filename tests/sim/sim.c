/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim - runs seeds through the simulator, each in a process of its own.
 *
 *	sim --seed 7 [--verbose] [--thin]      one, with what it did
 *	sim --seeds 100 [--first 1]            so many
 *	sim --seconds 60                       new ones for so long
 *
 * --stop: no more after the first that finds something.
 */
// deps: base/*.c net/*.c json/*.c kube/*.c watch/*.c cache/*.c queue/*.c plugins/*.c
// deps: cycle/*.c bind/*.c lease/*.c config/*.c scheduler/*.c tools/apisim/*.c
// deps: tests/sim/world.c tests/sim/plan.c tests/sim/process.c tests/sim/wires.c
// deps: tests/sim/gate.c tests/sim/trouble.c tests/sim/churn.c tests/sim/shapes.c
// deps: tests/sim/judge.c
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "sim/world.h"

struct task {
	const char *command;
	uint64_t first, seeds;
	uint64_t seconds;
	bool one, verbose, thin, stop;
};

static void run_one(const struct task *task, uint64_t seed)
{
	static struct world world;
	struct sim_plan plan;

	plan_make(&plan, seed, task->thin);
	if (task->verbose)
		plan_print(&plan);
	log_setup(
		task->verbose ? LOG_DEBUG : LOG_ERROR, LOG_AS_TEXT, network_clock(&world.network));
	if (!task->verbose)
		log_to(open("/dev/null", O_WRONLY));
	memory_seal_is_deadly(true);
	world.command = task->command;
	world.tells = task->verbose;
	world_open(&world, seed, &plan);
	world_run(&world);
	const struct sim_counts *c = &world.counts;
	printf("seed %llu: %.0f s, %llu turns, %llu requests, %llu bound, %llu restarts, %llu "
	       "pauses, %llu cuts, %llu errors, digest %016llx\n",
		(unsigned long long)seed, (double)world.network.now_us / 1e6,
		(unsigned long long)c->turns, (unsigned long long)c->requests,
		(unsigned long long)c->bindings, (unsigned long long)c->restarts,
		(unsigned long long)c->pauses, (unsigned long long)c->cuts,
		(unsigned long long)c->errors, (unsigned long long)c->digest);
	world_close(&world);
	fflush(stdout);
}

static bool run_apart(const struct task *task, uint64_t seed)
{
	int status;

	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		run_one(task, seed);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		WEXITSTATUS(status) == 0;
}

static bool read_arguments(struct task *task, int argc, char **argv)
{
	*task = (struct task){.command = argv[0], .first = 1, .seeds = 20};
	for (int i = 1; i < argc; i++) {
		uint64_t *to = NULL;

		if (strcmp(argv[i], "--verbose") == 0)
			task->verbose = true;
		else if (strcmp(argv[i], "--thin") == 0)
			task->thin = true;
		else if (strcmp(argv[i], "--stop") == 0)
			task->stop = true;
		else if (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--first") == 0)
			to = &task->first;
		else if (strcmp(argv[i], "--seeds") == 0)
			to = &task->seeds;
		else if (strcmp(argv[i], "--seconds") == 0)
			to = &task->seconds;
		else
			return false;
		task->one |= strcmp(argv[i], "--seed") == 0;
		if (to != NULL && (++i == argc || !text_to_u64(text_of(argv[i]), to)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct task task;
	uint64_t failed = 0, done = 0;

	if (!read_arguments(&task, argc, argv)) {
		fprintf(stderr,
			"usage: sim [--seed N | --seeds N [--first N] | --seconds S] [--verbose] "
			"[--thin] [--stop]\n");
		return 2;
	}
	if (task.one) {
		run_one(&task, task.first);
		return 0;
	}
	time_t end = time(NULL) + (time_t)task.seconds;
	if (task.seconds > 0)
		task.first = (uint64_t)time(NULL) * 1000;
	bool goes_on = true;
	for (uint64_t seed = task.first;
		goes_on && (task.seconds > 0 ? time(NULL) < end : done < task.seeds);
		seed++, done++)
		if (!run_apart(&task, seed)) {
			printf("seed %llu FAILED: %s --seed %llu%s\n", (unsigned long long)seed,
				task.command, (unsigned long long)seed, task.thin ? " --thin" : "");
			failed++;
			goes_on = !task.stop;
		}
	printf("%llu seeds, %llu failed\n", (unsigned long long)done, (unsigned long long)failed);
	return failed == 0 ? 0 : 1;
}
