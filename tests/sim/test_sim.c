/* SPDX-License-Identifier: GPL-2.0-only */
/* A few seeds of the simulator under the sanitizers; `make sim` runs more. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <unity.h>

#include "base/log.h"
#include "sim/world.h"

enum { SHORT_S = 900 };

static struct world world;

void setUp(void)
{
}
void tearDown(void)
{
}

/* In a process of its own; its digest, 0 when something was found. */
static uint64_t run(uint64_t seed, bool is_thin)
{
	uint64_t digest = 0;
	int ends[2], status;

	TEST_ASSERT_EQUAL_INT(0, pipe(ends));
	pid_t child = fork();
	TEST_ASSERT_TRUE(child >= 0);
	if (child == 0) {
		struct sim_plan plan;

		plan_make(&plan, seed, is_thin);
		plan.lasts_us = (int64_t)SHORT_S * CLOCK_S_US;
		log_setup(LOG_ERROR, LOG_AS_TEXT, network_clock(&world.network));
		log_to(open("/dev/null", O_WRONLY));
		world_open(&world, seed, &plan);
		world_run(&world);
		digest = world.counts.digest;
		world_close(&world);
		_exit(write(ends[1], &digest, sizeof(digest)) == sizeof(digest) ? 0 : 1);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], &digest, sizeof(digest));
	close(ends[0]);
	TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
	if (got != sizeof(digest) || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return 0;
	return digest;
}

static void everything_is_bound_when_nothing_goes_wrong(void)
{
	TEST_ASSERT_TRUE(run(1, true) != 0);
}

static void nothing_breaks_when_much_goes_wrong(void)
{
	static const uint64_t seeds[] = {8, 18, 25, 38};

	for (size_t i = 0; i < ARRAY_COUNT(seeds); i++)
		TEST_ASSERT_TRUE_MESSAGE(run(seeds[i], false) != 0, "see the report above");
}

static void the_same_seed_is_the_same_run(void)
{
	uint64_t first = run(21, false);

	TEST_ASSERT_TRUE(first != 0);
	TEST_ASSERT_EQUAL_UINT64(first, run(21, false));
	TEST_ASSERT_TRUE(run(22, false) != first);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(everything_is_bound_when_nothing_goes_wrong);
	RUN_TEST(nothing_breaks_when_much_goes_wrong);
	RUN_TEST(the_same_seed_is_the_same_run);
	return UNITY_END();
}
