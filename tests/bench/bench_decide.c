/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench_decide - what one decision costs: a stream of pods of one kind is decided, chosen and
 * assumed on clusters of several sizes (nodes of 4 CPU and 32 GiB in three zones, half full).
 *
 *	bench_decide [KIND [NODES]]
 *
 * CPU time, the best of several rounds; the machine is noisy. Instructions are counted where the
 * system lets us; else `valgrind --tool=callgrind --toggle-collect=decide_one` with one KIND and
 * 1000 NODES does (feeding the cluster takes the longest then).
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "bench/feed.h"
#include "cycle/cycle.h"
#include "profile/profile.h"

enum {
	ROUNDS = 5,
	DECISIONS = 200,
	DECISIONS_IN_TURN = 1200, /* all templates come twice */
	WARM_UP = 20
};

struct kind {
	const char *name;
	const char *spec; /* of the pods that are decided; ' stands for " */
	const char *owner;
	bool tainted;       /* a tenth of the nodes is advised against */
	uint32_t templates; /* that take turns, each with an owner and an image of its own ... */
	uint32_t sizes;     /* ... and of so many different requests; 0: one of each */
};

#define SELECTS "'labelSelector':{'matchLabels':{'app':'bench'}}"
#define ZONE    "'topologyKey':'topology.kubernetes.io/zone'"
#define HOST    "'topologyKey':'kubernetes.io/hostname'"
#define OWNED                                                                            \
	"'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'bench'," \
	"'uid':'r','controller':true}],"

static const struct kind kinds[] = {
	{"plain", "", "", false, 0, 0},
	{"node affinity",
		"'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
		"'nodeSelectorTerms':[{'matchExpressions':[{'key':'disk','operator':'In','values':["
		"'ssd'"
		"]}]}]},'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':5,'preference'"
		":{"
		"'matchExpressions':[{'key':'rack','operator':'In','values':['1','2']}]}}]}},",
		"", false, 0, 0},
	{"taints", "'tolerations':[{'key':'other','operator':'Exists'}],", "", true, 0, 0},
	{"anti-affinity per host",
		"'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':["
		"{" HOST "," SELECTS "}]}},",
		"", false, 0, 0},
	{"affinity per zone",
		"'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':["
		"{" ZONE "," SELECTS "}]}},",
		"", false, 0, 0},
	{"zone spread",
		"'topologySpreadConstraints':[{'maxSkew':1," ZONE
		",'whenUnsatisfiable':'DoNotSchedule'," SELECTS "}],",
		"", false, 0, 0},
	{"default spread (owned)", "", OWNED, false, 0, 0},
	{"preferred anti-affinity",
		"'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':["
		"{"
		"'weight':10,'podAffinityTerm':{" HOST "," SELECTS "}}]}},",
		"", false, 0, 0},
	{"mixed",
		"'tolerations':[{'key':'other','operator':'Exists'}],"
		"'topologySpreadConstraints':[{'maxSkew':1," ZONE
		",'whenUnsatisfiable':'DoNotSchedule'," SELECTS
		"}],'affinity':{'podAntiAffinity':{'"
		"preferredDuringSchedulingIgnoredDuringExecution':[{"
		"'weight':10,'podAffinityTerm':{" HOST "," SELECTS "}}]}},",
		OWNED, true, 0, 0},
	{"templates", "", "", false, 500, 20},
	{"templates of own sizes", "", "", false, 500, 500},
};
static const uint32_t sizes[] = {100, 1000, 5000, 15000};

struct bench {
	struct arena arena;
	struct cache cache;
	struct cycle cycle;
	struct plugin_profile profile;
};

static struct bench bench;

static void feed_there(uint32_t number, const char *node)
{
	feed("{'kind':'Pod','metadata':{'name':'there-%u','namespace':'default','uid':'there-%u',"
	     "'labels':{'app':'there'}},'spec':{'nodeName':'%s','containers':[{'name':'c',"
	     "'image':'i','resources':{'requests':{'cpu':'10m','memory':'64Mi'}}}]}}",
		number, number, node);
}

static void feed_pending(const struct kind *kind, uint32_t number)
{
	char owner[256];
	uint32_t template = kind->templates == 0 ? 0 : number % kind->templates;
	snprintf(owner, sizeof(owner), "%s", kind->owner);
	if (kind->templates > 0)
		snprintf(owner, sizeof(owner),
			"'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet',"
			"'name':'bench-%u','uid':'r-%u','controller':true}],",
			template, template);
	feed("{'kind':'Pod','metadata':{'name':'bench-%u','namespace':'default','uid':'bench-%u',%s"
	     "'labels':{'app':'bench'}},'spec':{%s'containers':[{'name':'c','image':'i-%u',"
	     "'resources':{'requests':{'cpu':'10m','memory':'%uMi'}}}]}}",
		number, number, owner, kind->spec, template,
		64 + (kind->sizes == 0 ? 0 : template % kind->sizes));
}

static void build(uint32_t nodes, uint32_t pods_per_node, bool tainted)
{
	uint32_t rows = nodes < 5000 ? 512 : 16; /* as 64 MiB give for 30 pods a node */
	struct cache_limits limits = {.nodes = nodes,
		.pods = nodes * pods_per_node + 4096,
		.objects = 64,
		.classes = 4096,
		.label_sets = nodes + 4096,
		.strings = nodes * (pods_per_node + 2) + 16384,
		.images = 64,
		.counters = 256,
		.store_bytes = (size_t)nodes * (1536 + pods_per_node * 64) + (8u << 20)};
	struct cycle_limits cycle_limits = {
		.nodes = nodes, .rows = rows, .scratch_bytes = (size_t)nodes * 256 + (2u << 20)};
	size_t size = cache_size(&limits) + cycle_size(&cycle_limits) + feed_size();
	budget_reset();
	arena_init_zeroed(&bench.arena, memory_reserve(size), size);
	cache_init(&bench.cache, &bench.arena, &limits);
	profile_defaults(&bench.cache, &bench.profile);
	cycle_init(&bench.cycle, &bench.arena, &cycle_limits, &bench.cache, &bench.profile, 1);
	feed_init(&bench.cache, &bench.arena);
	feed("{'kind':'ReplicaSet','metadata':{'name':'bench','namespace':'default','uid':'r'},"
	     "'spec':{'selector':{'matchLabels':{'app':'bench'}}}}");
	for (uint32_t n = 0; n < nodes; n++) {
		char name[32];
		snprintf(name, sizeof(name), "node-%u", n);
		feed("{'kind':'Node','metadata':{'name':'%s','uid':'%s','labels':{"
		     "'kubernetes.io/hostname':'%s','topology.kubernetes.io/"
		     "zone':'zone-%u','disk':'%s',"
		     "'rack':'%u'}},'spec':{%s},'status':{'allocatable':{'cpu':'4','memory':'32Gi',"
		     "'pods':'110'}}}",
			name, name, name, n % 3, n % 2 == 0 ? "ssd" : "hdd", n % 20,
			tainted && n % 10 == 0
				? "'taints':[{'key':'dedicated','value':'x','effect':'"
				  "PreferNoSchedule'"
				  "}]"
				: "");
		for (uint32_t p = 0; p < pods_per_node; p++)
			feed_there(n * pods_per_node + p, name);
	}
}

/* ---- what it costs ---- */

/* Of linux/perf_event.h, which a libc does not bring along: as much as the first version had. */
struct perf_attributes {
	uint32_t type;
	uint32_t size;
	uint64_t config;
	uint64_t sampling[3];
	uint64_t flags;
	uint32_t waking[2];
	uint64_t breakpoint;
};
enum {
	PERF_HARDWARE = 0,
	PERF_INSTRUCTIONS = 1,
	PERF_NOT_THE_KERNEL = 1 << 5 | 1 << 6 /* nor a hypervisor */
};
_Static_assert(sizeof(struct perf_attributes) == 64, "size of the first version");

static int instructions_fd = -1;

static void count_instructions(void)
{
	struct perf_attributes attributes = {.type = PERF_HARDWARE,
		.size = sizeof(attributes),
		.config = PERF_INSTRUCTIONS,
		.flags = PERF_NOT_THE_KERNEL};
	instructions_fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0L);
	if (instructions_fd < 0)
		printf("instructions are not counted here (%s)\n", strerror(errno));
}

static double instructions(void)
{
	uint64_t count = 0;
	if (instructions_fd < 0 || read(instructions_fd, &count, sizeof(count)) != sizeof(count))
		return 0;
	return (double)count;
}

struct cost { /* of one decision with what follows it */
	double us;
	double instructions;
};

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A function of its own also when the program is optimised as a whole. */
__attribute__((noinline)) static void decide_one(uint32_t pod)
{
	struct schedule_result decision;
	cycle_decide(&bench.cycle, pod, CACHE_COUNT_FAST, &decision);
	if (decision.outcome != CYCLE_PLACED)
		die("a pod finds no node");
	cycle_chosen(&bench.cycle, decision.node);
	if (cache_assume(&bench.cache, pod, decision.node) != CACHE_OK)
		die("a pod cannot be assumed");
}

/* The pods are gone afterwards. */
static struct cost round_of(const struct kind *kind, uint32_t count)
{
	for (uint32_t i = 0; i < WARM_UP + count; i++)
		feed_pending(kind, i);
	uint32_t *pods = memory_reserve((WARM_UP + count) * sizeof(*pods));
	for (uint32_t i = 0; i < WARM_UP + count; i++) {
		char name[32];
		snprintf(name, sizeof(name), "bench-%u", i);
		pods[i] = cache_find_pod(&bench.cache, TEXT("default"), text_of(name));
	}
	for (uint32_t i = 0; i < WARM_UP; i++)
		decide_one(pods[i]);
	struct cost start = {now_us(), instructions()};
	for (uint32_t i = WARM_UP; i < WARM_UP + count; i++)
		decide_one(pods[i]);
	struct cost end = {now_us(), instructions()};
	for (uint32_t i = 0; i < WARM_UP + count; i++)
		(void)cache_remove_pod(&bench.cache, pods[i]);
	memory_release(pods, (WARM_UP + count) * sizeof(*pods));
	return (struct cost){
		(end.us - start.us) / count, (end.instructions - start.instructions) / count};
}

static void one_kind(uint32_t nodes, const struct kind *kind)
{
	/* One pod per host at most: no more pods than hosts. */
	uint32_t count = nodes < 2 * DECISIONS ? nodes / 2 : DECISIONS;
	if (kind->templates > 0)
		count = DECISIONS_IN_TURN;
	struct cost best = round_of(kind, count);
	for (uint32_t r = 1; r < ROUNDS; r++) {
		struct cost cost = round_of(kind, count);
		if (cost.us < best.us)
			best = cost;
	}
	printf("%6u nodes  %-24s %8.2f us", nodes, kind->name, best.us);
	if (instructions_fd >= 0)
		printf(" %9.0f instructions", best.instructions);
	printf("\n");
	fflush(stdout);
}

static bool is_wanted(const struct kind *kind, bool tainted, const char *only)
{
	return kind->tainted == tainted && (only == NULL || strcmp(only, kind->name) == 0);
}

static bool has_kind(bool tainted, const char *only)
{
	for (uint32_t k = 0; k < ARRAY_COUNT(kinds); k++)
		if (is_wanted(&kinds[k], tainted, only))
			return true;
	return false;
}

static void one_size(uint32_t nodes, const char *only)
{
	for (int tainted = 0; tainted < 2; tainted++) {
		if (!has_kind(tainted != 0, only))
			continue;
		build(nodes, 20, tainted != 0);
		for (uint32_t k = 0; k < ARRAY_COUNT(kinds); k++)
			if (is_wanted(&kinds[k], tainted != 0, only))
				one_kind(nodes, &kinds[k]);
		memory_release(bench.arena.base, bench.arena.size);
	}
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file == NULL || fscanf(file, "%*s %ld", &pages) != 1)
		pages = 0;
	if (file != NULL)
		fclose(file);
	return pages * 4;
}

static void memory_of(uint32_t nodes, uint32_t pods_per_node)
{
	build(nodes, pods_per_node, false);
	printf("%6u nodes, %u pods: %ld kB resident, objects %llu kB, %zu bytes a pod record\n",
		nodes, nodes * pods_per_node, resident_kb(),
		(unsigned long long)bench.cache.store.budget.used / 1024, sizeof(struct cache_pod));
	memory_release(bench.arena.base, bench.arena.size);
}

int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;
	uint32_t nodes = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	printf("decide, choose and assume, every node looked at\n");
	count_instructions();
	for (uint32_t s = 0; s < ARRAY_COUNT(sizes); s++)
		if (nodes == 0 || nodes == sizes[s])
			one_size(sizes[s], only);
	if (only != NULL)
		return 0;
	printf("memory of the picture\n");
	memory_of(5000, 1);
	memory_of(5000, 30);
	return 0;
}
