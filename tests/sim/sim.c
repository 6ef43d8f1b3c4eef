/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim - runs seeds through the simulator, each in a process of its own.
 *
 *	sim --seed 7 [--verbose] [--thin]      one, with what it did
 *	sim --seeds 100 [--first 1]            so many
 *	sim --seconds 60 [--first N]           new ones for so long
 *
 * --jobs N: so many at a time, as many as there are processors if nothing is said.
 * --stop: no more after the first that finds something.
 */
// deps: base/*.c net/*.c tls/*.c http/*.c json/*.c
// deps: kube/*.c watch/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: cycle/*.c api/*.c bind/*.c
// deps: lease/*.c yaml/*.c profile/*.c config/*.c scheduler/*.c tools/apisim/*.c
// deps: extender/*.c command/capacity.c
// deps: tests/sim/world.c tests/sim/plan.c tests/sim/process.c tests/sim/wires.c
// deps: tests/sim/gate.c tests/sim/trouble.c tests/sim/churn.c tests/sim/shapes.c
// deps: tests/sim/judge.c tests/sim/devices.c tests/sim/tenants.c tests/sim/neighbours.c
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "sim/world.h"

enum { JOBS_MAX = 64, PROGRESS_S = 60 };

struct task {
	const char *command;
	uint64_t first, seeds;
	uint64_t seconds, jobs;
	bool one, verbose, thin, stop;
};

/* Written by the process of a seed, read when it has ended. */
struct result {
	pid_t child;
	uint64_t seed;
	int64_t virtual_us, processor_us;
	struct sim_counts counts;
};

struct sums {
	uint64_t done, failed;
	int64_t virtual_us, processor_us;
	struct sim_counts counts;
};

static void print_counts(const struct sim_counts *c)
{
#define COUNT(name)                                      \
	{                                                \
#name, offsetof(struct sim_counts, name) \
	}
	static const struct {
		const char *name;
		size_t at;
	} list[] = {COUNT(turns), COUNT(requests), COUNT(bindings), COUNT(victims), COUNT(checks),
		COUNT(restarts), COUNT(pauses), COUNT(cuts), COUNT(silences), COUNT(errors),
		COUNT(jumps), COUNT(compactions), COUNT(outages), COUNT(losses), COUNT(lags),
		COUNT(waiting)};

	for (size_t i = 0; i < ARRAY_COUNT(list); i++)
		printf(", %llu %s",
			(unsigned long long)*(const uint64_t *)((const char *)c + list[i].at),
			list[i].name);
}

static void run_one(const struct task *task, uint64_t seed, struct result *result)
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
	result->virtual_us = world.network.now_us;
	result->processor_us = (int64_t)clock() * 1000000 / CLOCKS_PER_SEC;
	result->counts = world.counts;
	world_close(&world);
}

static void print_one(const struct result *r)
{
	printf("seed %llu: %.0f s in %.2f s, digest %016llx", (unsigned long long)r->seed,
		(double)r->virtual_us / 1e6, (double)r->processor_us / 1e6,
		(unsigned long long)r->counts.digest);
	print_counts(&r->counts);
	printf("\n");
}

static void begin(const struct task *task, struct result *r, uint64_t seed)
{
	fflush(stdout);
	*r = (struct result){.seed = seed};
	pid_t child = fork();
	if (child == 0) {
		run_one(task, seed, r);
		_exit(0);
	}
	r->child = child;
}

/* Waits for one to end; its place. */
static struct result *end(const struct task *task, struct result *results, struct sums *sums)
{
	int status;
	pid_t child = wait(&status);
	struct result *r = results;

	while (r->child != child)
		r++;
	r->child = 0;
	sums->done++;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		sums->failed++;
		printf("seed %llu FAILED: %s --seed %llu%s\n", (unsigned long long)r->seed,
			task->command, (unsigned long long)r->seed, task->thin ? " --thin" : "");
		return r;
	}
	if (task->seconds == 0)
		print_one(r);
	sums->virtual_us += r->virtual_us;
	sums->processor_us += r->processor_us;
	for (size_t i = 0; i < sizeof(r->counts) / sizeof(uint64_t); i++)
		((uint64_t *)&sums->counts)[i] += ((const uint64_t *)&r->counts)[i];
	return r;
}

static void print_sums(const struct sums *s)
{
	printf("%llu seeds, %llu failed, %.1f virtual hours in %.1f s of processor",
		(unsigned long long)s->done, (unsigned long long)s->failed,
		(double)s->virtual_us / 3600e6, (double)s->processor_us / 1e6);
	print_counts(&s->counts);
	printf("\n");
	fflush(stdout);
}

static bool run_all(const struct task *task)
{
	struct result *results = mmap(NULL, sizeof(*results) * JOBS_MAX, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct sums sums = {0};
	time_t start = time(NULL), told = start;
	uint64_t seed = task->first, running = 0;

	for (struct result *next = results;;) {
		bool goes_on = (sums.failed == 0 || !task->stop) &&
			(task->seconds > 0 ? time(NULL) - start < (time_t)task->seconds
					   : seed - task->first < task->seeds);
		if (goes_on && running < task->jobs) {
			for (next = results; next->child != 0;)
				next++;
			begin(task, next, seed++);
			running++;
			continue;
		}
		if (running == 0)
			break;
		next = end(task, results, &sums);
		running--;
		if (time(NULL) - told >= PROGRESS_S) {
			told = time(NULL);
			print_sums(&sums);
		}
	}
	print_sums(&sums);
	return sums.failed == 0;
}

static bool read_arguments(struct task *task, int argc, char **argv)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	*task = (struct task){
		.command = argv[0], .seeds = 20, .jobs = processors > 0 ? (uint64_t)processors : 1};
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
		else if (strcmp(argv[i], "--jobs") == 0)
			to = &task->jobs;
		else
			return false;
		task->one |= strcmp(argv[i], "--seed") == 0;
		if (to != NULL && (++i == argc || !text_to_u64(text_of(argv[i]), to)))
			return false;
	}
	return task->jobs >= 1 && task->jobs <= JOBS_MAX;
}

int main(int argc, char **argv)
{
	struct task task;

	if (!read_arguments(&task, argc, argv)) {
		fprintf(stderr,
			"usage: sim [--seed N | --seeds N [--first N] | --seconds S [--first N]] "
			"[--jobs N] "
			"[--verbose] [--thin] [--stop]\n");
		return 2;
	}
	if (task.one) {
		struct result result = {.seed = task.first};

		run_one(&task, task.first, &result);
		print_one(&result);
		return 0;
	}
	if (task.first == 0)
		task.first = task.seconds > 0 ? (uint64_t)time(NULL) * 1000 : 1;
	return run_all(&task) ? 0 : 1;
}
