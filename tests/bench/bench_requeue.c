/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench_requeue - what an event costs while 100,000 pods wait for one that helps, and this one does
 * not: pods come to nodes and go, nodes report. Pods are of a few templates, or each of its own.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c extender/*.c
// deps: tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/budget.h"
#include "base/log.h"
#include "base/memory.h"
#include "bench/feed.h"
#include "profile/profile.h"
#include "net/loopback.h"
#include "scheduler/scheduler.h"

enum { NODES = 1000, PODS = 100000, EVENTS = 200, SCRATCH = 1 << 20 };

static struct loopback network;
static struct net_bytes bytes;
static struct plugin_profile profile;
static struct {
	struct arena arena;
	struct net *net;
	struct net_client *client;
	struct scheduler *scheduler;
} bench;

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- the cluster ---- */

static struct scheduler_limits limits(void)
{
	return (struct scheduler_limits){
		.cache = {.nodes = NODES,
			.pods = PODS + NODES,
			.objects = 64,
			.classes = PODS + 256,
			.label_sets = NODES + 256,
			.strings = 2 * PODS + 8192,
			.images = 64,
			.counters = 64,
			.changes = 16,
			.store_bytes = (size_t)PODS * 1024},
		.cycle = {.nodes = NODES, .rows = 8, .scratch_bytes = 1 << 20},
		.queue = PODS,
		.bindings = 16,
		.patches = 32,
		.victims = 16,
		.pre_binds = 8,
		.events = 64,
		.series = 64,
		.scratch_bytes = SCRATCH,
	};
}

static void open_scheduler(void)
{
	char words[256];
	struct writer fault;
	struct scheduler_limits l = limits();
	size_t size = scheduler_size(&l) + sizeof(struct scheduler) + feed_size() + (16u << 20);
	arena_init_zeroed(&bench.arena, memory_reserve(size), size);
	loopback_init(&network);
	bytes = loopback_bytes(&network);
	bench.net = net_init(&(struct net_setup){.arena = &bench.arena,
		.clock = loopback_clock(&network),
		.entropy = entropy_system(),
		.bytes = bytes});
	writer_init(&fault, words, sizeof(words));
	bench.client = net_client_open(bench.net, &bench.arena,
		&(struct net_target){.name = "apiserver",
			.host = TEXT("127.0.0.1"),
			.port = 1,
			.watch_connections = KUBE_KINDS,
			.connections = 8},
		&fault);
	if (bench.client == NULL)
		die("no client");
	bench.scheduler = arena_take(&bench.arena, sizeof(*bench.scheduler));
	scheduler_init(bench.scheduler,
		&(struct scheduler_setup){.net = bench.net,
			.client = bench.client,
			.arena = &bench.arena,
			.clock = loopback_clock(&network),
			.entropy = entropy_system(),
			.limits = l,
			.backoff_initial_us = CLOCK_S_US,
			.backoff_max_us = 10 * CLOCK_S_US,
			.unschedulable_max_us = 300 * CLOCK_S_US,
			.hostname = TEXT("bench")});
	feed_init(&bench.scheduler->cache, &bench.arena);
	profile_defaults(&bench.scheduler->cache, &profile);
	if (!scheduler_start(bench.scheduler, &profile, 1))
		die("it does not start");
}

static void feed_node(uint32_t n, const char *label, uint32_t beat)
{
	feed("{'kind':'Node','metadata':{'name':'node-%u','uid':'%u','resourceVersion':'%u',"
	     "'labels':{'kubernetes.io/hostname':'node-%u','beat':'%s'}},'status':{"
	     "'allocatable':{'cpu':'4','memory':'32Gi','pods':'110'}}}",
		n, n, beat, n, label);
	scheduler_requeue_for_changes(bench.scheduler);
}

static void feed_bound(uint32_t n)
{
	feed("{'kind':'Pod','metadata':{'name':'there-%u','namespace':'default','uid':'there-%u',"
	     "'labels':{'app':'there'}},'spec':{'nodeName':'node-%u','containers':[{'name':'c'}]}}",
		n, n, n);
	scheduler_requeue_for_changes(bench.scheduler);
}

/* They want a label that no node has. */
static void fill(uint32_t templates)
{
	struct scheduler *s = bench.scheduler;
	for (uint32_t n = 0; n < NODES; n++)
		feed_node(n, "0", 1);
	for (uint32_t p = 0; p < PODS; p++) {
		feed("{'kind':'Pod','metadata':{'name':'pod-%u','namespace':'default','uid':'%u'},"
		     "'spec':{'nodeSelector':{'no':'such'},'containers':[{'name':'c','resources':{"
		     "'requests':{'cpu':'%um'}}}]}}",
			p, p, 1 + p % templates);
		scheduler_requeue_for_changes(s);
	}
	for (uint32_t entry; (entry = queue_pop(&s->queue)) != 0;)
		queue_park(&s->queue, entry, queue_waits_for_plugin(PLUGIN_NODE_AFFINITY),
			(struct plugin_set){{0}}, scheduler_now(s));
}

/* ---- what it costs ---- */

static void told(const char *what, uint32_t templates, double start_us)
{
	printf("%6u templates  %-22s %10.2f us an event\n", templates, what,
		(now_us() - start_us) / EVENTS);
	fflush(stdout);
}

static void measure(uint32_t templates)
{
	struct cache *cache = &bench.scheduler->cache;
	char label[16];
	double start = now_us();
	for (uint32_t n = 0; n < EVENTS; n++)
		feed_bound(n);
	told("a pod comes", templates, start);
	start = now_us();
	for (uint32_t n = 0; n < EVENTS; n++) {
		char name[32];
		snprintf(name, sizeof(name), "there-%u", n);
		(void)cache_remove_pod(
			cache, cache_find_pod(cache, TEXT("default"), text_of(name)));
		scheduler_requeue_for_changes(bench.scheduler);
	}
	told("a pod goes", templates, start);
	start = now_us();
	for (uint32_t n = 0; n < EVENTS; n++)
		feed_node(n, "0", 2);
	told("a node reports", templates, start);
	start = now_us();
	for (uint32_t n = 0; n < EVENTS; n++) {
		snprintf(label, sizeof(label), "%u", n);
		feed_node(n, label, 3);
	}
	told("a node's labels change", templates, start);
	if (bench.scheduler->stats.requeued > 0)
		die("a pod is requeued");
}

int main(void)
{
	static const uint32_t templates[] = {10, 1000, PODS};
	log_to(-1);
	printf("%u pods wait, none of the events helps them; decoding is part of the cost\n", PODS);
	for (uint32_t i = 0; i < ARRAY_COUNT(templates); i++) {
		budget_reset();
		open_scheduler();
		fill(templates[i]);
		measure(templates[i]);
		scheduler_close(bench.scheduler);
		net_client_close(bench.client);
		net_close(bench.net);
		memory_release(bench.arena.base, bench.arena.size);
	}
	return 0;
}
