/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plan: what a seed means. Each seed leaves most kinds of trouble and most shapes of pods out:
 * what goes wrong only when something else does not is found that way, too.
 */
#include <stdio.h>

#include "sim/world.h"

static uint32_t some(struct random *random, uint32_t kinds)
{
	uint32_t bits = 0;
	uint32_t share = random_below(random, 5); /* of four */

	for (uint32_t i = 0; i < kinds; i++)
		if (random_below(random, 4) < share)
			bits |= UINT32_C(1) << i;
	return bits;
}

static uint32_t between(struct random *random, uint32_t least, uint32_t most)
{
	return least + random_below(random, most - least + 1);
}

/* By chance of its own: what other seeds mean stays as it is. */
static bool has_devices(uint64_t seed)
{
	struct random random;

	random_init(&random, seed ^ UINT64_C(0x64657669636573));
	return random_below(&random, 4) == 0;
}

/*
 * Tenants, by chance of their own, too: half of the time with nothing else that goes wrong, so that
 * what others wait for them can be measured, and mostly with little memory.
 */
static void add_tenants(struct sim_plan *plan, uint64_t seed)
{
	struct random random;

	random_init(&random, seed ^ UINT64_C(0x74656e616e7473));
	if (random_below(&random, 3) != 0)
		return;
	plan->tenants = some(&random, SIM_TENANTS) | 1 << random_below(&random, SIM_TENANTS);
	plan->tenant_pods = between(&random, 20, random_below(&random, 4) == 0 ? 600 : 200);
	plan->tenants_every_us = (int64_t)between(&random, 50, 5000) * CLOCK_MS_US;
	if (random_below(&random, 2) == 0)
		plan->troubles = 0;
	if (random_below(&random, 2) == 0)
		plan->memory = UINT64_C(1024) * between(&random, 1800, 3000);
	/* The shelf has so many places twice, and memory is to be what ends it. */
	if (plan->queue > 0)
		plan->queue += plan->tenant_pods / 2 + plan->pods;
}

static void make_thin(struct sim_plan *plan)
{
	*plan = (struct sim_plan){
		.lasts_us = INT64_C(300) * CLOCK_S_US,
		.busy_us = INT64_C(300) * CLOCK_S_US,
		.schedulers = 1,
		.nodes = 8,
		.pods = 60,
		.shapes = 1 << SIM_PLAIN,
		.churn_us = CLOCK_S_US,
		.trouble_us = CLOCK_S_US,
		.hurry = 8,
		.streaming_lists = true,
		.delay_us = 300,
		.jitter_us = 200,
		.clock_us_max = 5,
		.history = 4096,
		.memory = 8 << 20,
		.bindings = 64,
		.connections = 8,
		.events = 512,
		.unschedulable_max_us = INT64_C(3600) * CLOCK_S_US,
	};
}

void plan_make(struct sim_plan *plan, uint64_t seed, bool is_thin)
{
	struct random random;

	make_thin(plan);
	if (is_thin)
		return;
	random_init(&random, seed ^ UINT64_C(0x706c616e));
	/* With the calm at its end about an hour. */
	plan->lasts_us = (int64_t)between(&random, 2400, 3600) * CLOCK_S_US;
	plan->busy_us = (int64_t)between(&random, 5, 40) * CLOCK_S_US;
	plan->quiet_us = (int64_t)between(&random, 60, 1200) * CLOCK_S_US;
	plan->schedulers = 1 + random_below(&random, 2);
	if (plan->schedulers > 1 && random_below(&random, 2) == 0)
		plan->schedulers = between(&random, 2, SIM_PROCESSES_MAX);
	plan->nodes = random_below(&random, 3) == 0 ? 0 : between(&random, 3, 14);
	plan->pods = between(&random, 10, random_below(&random, 8) == 0 ? 120 : 40);
	plan->own_nodes =
		plan->nodes == 0 || random_below(&random, 2) == 0 ? between(&random, 1, 12) : 0;
	plan->shapes = some(&random, SIM_SHAPES) | 1 << random_below(&random, SIM_SHAPES);
	plan->troubles = random_below(&random, 8) == 0 ? 0 : some(&random, SIM_TROUBLES);
	/* Nothing is lost, it only takes its time: whoever forgets something is seen then. */
	if (random_below(&random, 10) == 0)
		plan->troubles = 1 << SIM_PAUSES | 1 << SIM_BUSY_PAUSES | 1 << SIM_REFUSALS;
	plan->churn_us = (int64_t)between(&random, 50, 4000) * CLOCK_MS_US;
	plan->trouble_us = (int64_t)between(&random, 1, 60) * CLOCK_S_US;
	plan->hurry = between(&random, 1, 30);
	plan->nodes_change = random_below(&random, 2) == 0;
	plan->namespaces_change = random_below(&random, 2) == 0;
	plan->namespace_terms = !plan->namespaces_change && random_below(&random, 2) == 0;
	plan->budgets = random_below(&random, 2) == 0;
	plan->streaming_lists = random_below(&random, 3) != 0;
	plan->delay_us = between(&random, 50, random_below(&random, 2) == 0 ? 500 : 40000);
	plan->jitter_us = between(&random, 0, (uint32_t)plan->delay_us * 2);
	plan->slice = random_below(&random, 3) != 0 ? 0 : between(&random, 40, 3000);
	plan->clock_us_max = between(&random, 0, random_below(&random, 2) == 0 ? 5 : 400);
	plan->history = between(&random, 200, 5000);
	plan->memory = UINT64_C(1024) * between(&random, 3000, 12000);
	if (random_below(&random, 8) == 0)
		plan->memory = UINT64_C(1024) * between(&random, 1800, 3000);
	plan->bindings = random_below(&random, 2) == 0 ? 64 : between(&random, 1, 8);
	plan->connections = between(&random, 1, 8);
	plan->events = random_below(&random, 2) == 0 ? 512 : between(&random, 4, 64);
	plan->queue = random_below(&random, 5) == 0 ? between(&random, 2, 40) : 0;
	plan->devices = has_devices(seed);
	add_tenants(plan, seed);
	/* Long enough for a wake-up that is missing to be missed. */
	if (plan->troubles != 0)
		plan->unschedulable_max_us = INT64_C(600) * CLOCK_S_US;
	/* Hints see no labels of namespaces: those pods wait for this time. */
	if (plan->namespace_terms)
		plan->unschedulable_max_us = INT64_C(100) * CLOCK_S_US;
}

static void print_bits(const char *name, uint32_t bits, uint32_t kinds)
{
	fprintf(stderr, " %s=", name);
	for (uint32_t i = 0; i < kinds; i++)
		fputc((bits >> i & 1) != 0 ? '1' : '0', stderr);
}

void plan_print(const struct sim_plan *p)
{
	fprintf(stderr,
		"plan: lasts=%llds busy=%llds quiet=%llds schedulers=%u nodes=%u pods=%u "
		"own_nodes=%u churn=%lldms "
		"trouble=%lldms hurry=%lld nodes_change=%d budgets=%d streaming=%d delay=%lld+%lld "
		"devices=%d slice=%u clock=%u history=%u memory=%llu bindings=%u connections=%u "
		"events=%u "
		"queue=%u tenant_pods=%u every=%lldms",
		(long long)(p->lasts_us / CLOCK_S_US), (long long)(p->busy_us / CLOCK_S_US),
		(long long)(p->quiet_us / CLOCK_S_US), p->schedulers, p->nodes, p->pods,
		p->own_nodes, (long long)(p->churn_us / CLOCK_MS_US),
		(long long)(p->trouble_us / CLOCK_MS_US), (long long)p->hurry, p->nodes_change,
		p->budgets, p->streaming_lists, (long long)p->delay_us, (long long)p->jitter_us,
		p->devices, p->slice, p->clock_us_max, p->history, (unsigned long long)p->memory,
		p->bindings, p->connections, p->events, p->queue, p->tenant_pods,
		(long long)(p->tenants_every_us / CLOCK_MS_US));
	print_bits("shapes", p->shapes, SIM_SHAPES);
	print_bits("troubles", p->troubles, SIM_TROUBLES);
	print_bits("tenants", p->tenants, SIM_TENANTS);
	fputc('\n', stderr);
}
