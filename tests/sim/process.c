/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Process: a scheduler with memory, clocks and a network of its own. It is started in fresh
 * memory, and dies at any reading of its clock: what it does in the rest of that turn nobody sees.
 */
#include <stdio.h>

#include "base/budget.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "tls/certificate.h"
#include "command/capacity.h"
#include "sim/world.h"

enum {
	WATCHES = KUBE_KINDS,
	OBJECT_SCRATCH = 1 << 20,
	PATCHES = 32,
	VICTIMS = 256,
	SERIES = 512,
	SLACK = 256 * 1024,
	RATE_PPM_MAX = 100 * 1000
};

/* ---- its clocks ---- */

struct mono process_now(const struct sim_process *p)
{
	int64_t now = p->world->network.now_us;

	return (struct mono){now + p->mono_us + now * p->rate_ppm / 1000000};
}

/* One that stands still where it hurts. */
static bool pauses_here(const struct sim_process *p)
{
	return !p->pauses_busy ||
		(p->scheduler->leader.waits == SCHEDULER_READY &&
			p->scheduler->queue.pods[QUEUE_ACTIVE] > 0);
}

static struct mono process_mono(void *self)
{
	struct sim_process *p = self;
	struct world *w = p->world;

	if (p->inside && w->plan.clock_us_max > 0)
		w->network.now_us += random_below(&p->random, w->plan.clock_us_max + 1);
	if (p->inside && p->dies_in > 0 && --p->dies_in == 0)
		p->is_dying = true;
	if (p->inside && p->pauses_in > 0 && pauses_here(p) && --p->pauses_in == 0) {
		world_note(w, "scheduler %u stands still for %lld ms", (unsigned)p->number,
			(long long)(p->pause_us / CLOCK_MS_US));
		w->counts.pauses++;
		world_pass(w, p->pause_us, p);
	}
	struct mono now = process_now(p);
	p->readings[p->readings_count++ % SIM_READINGS] = now.us;
	return now;
}

static struct wall process_wall(void *self)
{
	const struct sim_process *p = self;
	const struct network *n = &p->world->network;

	return (struct wall){n->wall_us + n->now_us + p->wall_us};
}

/* ---- its life ---- */

void process_init(struct sim_process *p, struct world *w, uint32_t number)
{
	struct net_address address;
	char literal[16];

	p->world = w;
	p->number = number;
	snprintf(literal, sizeof(literal), "10.0.0.%u", (unsigned)number + 1);
	CHECK(net_address_parse(text_of(literal), number == 0 ? SIM_PORT : 0, &address));
	p->host = network_host(&w->network, address, false);
	random_init(&p->random, w->seed * 8 + number);
	if (number == 0)
		return;
	p->mono_us = (int64_t)random_below(&p->random, 1000) * CLOCK_S_US;
	if (world_has(w, SIM_RATES))
		p->rate_ppm = (int64_t)random_below(&p->random, 2 * RATE_PPM_MAX) - RATE_PPM_MAX;
}

static struct net_target target_of(const struct world *w)
{
	return (struct net_target){.name = "apiserver",
		.host = TEXT("10.0.0.1"),
		.port = SIM_PORT,
		.path_prefix = TEXT(""),
		.watch_connections = WATCHES,
		.connections = w->plan.connections};
}

static struct scheduler_limits limits_of(const struct world *w)
{
	struct capacity capacity;
	struct scheduler_limits limits = {
		.bindings = w->plan.bindings,
		.patches = PATCHES,
		.victims = VICTIMS,
		.events = w->plan.events,
		.series = SERIES,
		.scratch_bytes = OBJECT_SCRATCH,
	};

	CHECK(capacity_plan(w->plan.memory, SIM_NODES_MAX, SIM_PODS_MAX, &capacity));
	limits.cache = capacity.cache;
	limits.cycle = capacity.cycle;
	limits.queue = capacity.queue;
	limits.pre_binds = capacity.pre_binds;
	if (w->plan.queue > 0)
		limits.queue = w->plan.queue;
	return limits;
}

static struct scheduler_setup setup_of(struct sim_process *p)
{
	const struct world *w = p->world;

	snprintf(p->identity, sizeof(p->identity), "host-%u_%llu", (unsigned)p->number,
		(unsigned long long)p->starts);
	return (struct scheduler_setup){
		.net = p->net,
		.client = p->client,
		.arena = &p->arena,
		.clock = {process_mono, process_wall, p},
		.entropy = entropy_seeded(&p->random),
		.limits = limits_of(w),
		.backoff_initial_us = CLOCK_S_US,
		.backoff_max_us = 10 * CLOCK_S_US,
		.unschedulable_max_us = w->plan.unschedulable_max_us,
		.lease = {.elect = w->plan.schedulers > 1,
			.namespace = TEXT("kube-system"),
			.name = TEXT("kube-scheduler"),
			.identity = text_of(p->identity),
			.duration_ms = 15000,
			.renew_deadline_ms = 10000,
			.retry_period_ms = 2000},
		.hostname = TEXT("host"),
	};
}

static void carve(struct sim_process *p)
{
	struct scheduler_limits limits = limits_of(p->world);
	struct net_target target = target_of(p->world);

	p->size = sizeof(struct scheduler) + scheduler_size(&limits) + net_size() +
		net_client_size(&target) + scheduler_space() + SLACK;
	size_t engine = cache_size(&limits.cache) + cycle_size(&limits.cycle) +
		queue_size(limits.queue) + scheduler_bindings_size(limits.pre_binds, limits.queue);
	size_t budget = p->size - engine - scheduler_space() + (size_t)p->world->plan.memory;
	p->block = memory_reserve(p->size);
	CHECK(p->block != NULL);
	page_budget_init(&p->budget, budget, (size_t)p->world->plan.memory / CAPACITY_RESERVE);
	arena_init_counted(&p->arena, p->block, p->size, &p->budget);
}

/* There is only room for those of one process; of budgets, for what it closes itself. */
static void forget_dumps(const struct scheduler *s)
{
	check_unregister(s->watch);
	check_unregister(s->binder);
	check_unregister(s->api);
	check_unregister(s->recorder);
	check_unregister(s->pre_bind);
	check_unregister(s->lease);
}

static void forget_budgets(const void *block, size_t size)
{
	const struct budget *next;

	for (const struct budget *b = budget_first(); b != NULL; b = next) {
		uintptr_t at = (uintptr_t)b, from = (uintptr_t)block;

		next = budget_next(b);
		if (at < from || at >= from + size)
			continue;
		budget_unregister((struct budget *)at);
		next = budget_first();
	}
}

void process_start(struct sim_process *p)
{
	char line[200];
	struct writer fault;
	struct net_target target = target_of(p->world);

	if (memory_phase() == MEMORY_SEALED)
		memory_unseal();
	carve(p);
	p->starts++;
	p->decided_us = 0;
	p->lists = 0;
	p->is_dying = false;
	p->dies_in = p->pauses_in = 0;
	p->paused_until_us = 0;
	p->asleep = false;
	p->net = net_init(&(struct net_setup){.arena = &p->arena,
		.clock = {process_mono, process_wall, p},
		.entropy = entropy_seeded(&p->random),
		.bytes = wires_bytes(p)});
	writer_init(&fault, line, sizeof(line));
	p->client = net_client_open(p->net, &p->arena, &target, &fault);
	CHECK(p->client != NULL);
	p->scheduler = arena_take(&p->arena, sizeof(*p->scheduler));
	struct scheduler_setup setup = setup_of(p);
	scheduler_init(p->scheduler, &setup);
	profile_defaults(&p->scheduler->cache, &p->profile);
	p->label_sets = pool_used(&p->scheduler->cache.label_sets);
	CHECK(scheduler_start(p->scheduler, &p->profile, 1));
	memory_seal();
	if (p->world->plan.schedulers > 1) {
		forget_dumps(p->scheduler);
		forget_budgets(p->scheduler, sizeof(*p->scheduler));
	}
	p->is_up = true;
	world_note(p->world, "scheduler %u starts", (unsigned)p->number);
}

void process_kill(struct sim_process *p)
{
	CHECK(p->is_up && !p->inside);
	p->is_dying = true;
	p->is_up = false;
	scheduler_close(p->scheduler);
	net_client_close(p->client);
	net_close(p->net);
	forget_budgets(p->block, p->size);
	memory_unseal();
	memory_release(p->block, p->size);
	memory_seal();
	p->scheduler = NULL;
	p->block = NULL;
	p->paused_until_us = 0;
	p->dies_in = p->pauses_in = 0;
	world_note(p->world, "scheduler %u is gone", (unsigned)p->number);
}

void process_turn(struct sim_process *p)
{
	struct world *w = p->world;

	p->inside = true;
	scheduler_turn(p->scheduler, -1);
	p->inside = false;
	judge_decisions(p);
	if (w->plan.devices)
		devices_follow(p);
	if (!p->scheduler->leader.leading)
		p->lists = watch_stats(p->scheduler->watch, KUBE_POD).lists;
	w->counts.turns++;
	if (p->is_dying || scheduler_is_stopped(p->scheduler)) {
		process_kill(p);
		p->starts_us = w->network.now_us +
			(int64_t)world_below(w, world_below(w, 2) == 0 ? 100 : 20000) * CLOCK_MS_US;
	}
}

bool process_is_ready(const struct sim_process *p)
{
	int64_t now = p->world->network.now_us;

	if (!p->is_up)
		return now >= p->starts_us;
	if (p->inside || now < p->paused_until_us)
		return false;
	return !p->asleep || p->host->news || now >= p->due_us;
}

int64_t process_next(const struct sim_process *p)
{
	int64_t now = p->world->network.now_us;

	if (!p->is_up)
		return p->starts_us;
	if (p->inside)
		return INT64_MAX;
	if (now < p->paused_until_us)
		return p->paused_until_us;
	return p->asleep && !p->host->news ? p->due_us : now;
}

struct sim_process *process_leader(struct world *w)
{
	for (uint32_t i = 0; i < w->plan.schedulers; i++) {
		struct sim_process *p = &w->processes[i];
		if (p->is_up && scheduler_waits(p->scheduler, process_now(p)) == SCHEDULER_READY)
			return p;
	}
	return NULL;
}
