/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench_devices - what a decision about a pod with a claim costs, and what a device weighs: nodes
 * with eight devices each, pods that want one each by a class and a selector, until there are
 * claims for five eighths of the devices. Each claim is shown with its allocation, as a watch does.
 *
 *	bench_devices [NODES [CLAIMS]]
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
#include <time.h>

#include "base/memory.h"
#include "bench/feed.h"
#include "cycle/binding_points.h"
#include "cycle/cycle.h"
#include "dra/dra.h"
#include "profile/profile.h"

enum { EACH = 8, PARTS = 5, ABSURD = 8 };

static struct arena arena;
static struct cache cache;
static struct cycle cycle;
static struct plugin_profile profile;
static struct binding_waiting waiting;

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static uint64_t bytes_used(void)
{
	return cache.store.budget.used +
		(uint64_t)pool_used(&cache.devices.slices) * sizeof(struct cache_slice) +
		(uint64_t)pool_used(&cache.objects) * sizeof(struct cache_object) +
		(uint64_t)pool_used(&cache.strings.strings) * 16;
}

static void make_cluster(uint32_t nodes, uint32_t claims)
{
	struct cache_limits limits = {.nodes = nodes,
		.pods = claims + 64 + ABSURD,
		.objects = nodes + 2 * claims + 64,
		.classes = claims + 64,
		.label_sets = nodes + 64,
		.strings = nodes * 16 + claims * 8 + 16384,
		.images = 64,
		.counters = 256,
		.store_bytes = (size_t)nodes * 8192 + (size_t)claims * 4096 + (8u << 20)};
	struct cycle_limits cycle_limits = {
		.nodes = nodes, .rows = 512, .scratch_bytes = (size_t)nodes * 256 + (2u << 20)};
	size_t size = cache_size(&limits) + cycle_size(&cycle_limits) + feed_size();
	arena_init_zeroed(&arena, memory_reserve(size), size);
	cache_init(&cache, &arena, &limits);
	profile_defaults(&cache, &profile);
	cycle_init(&cycle, &arena, &cycle_limits, &cache, &profile, 1);
	feed_init(&cache, &arena);
	binding_waiting_init(&waiting);
	for (uint32_t n = 0; n < nodes; n++)
		feed("{'kind':'Node','metadata':{'name':'node-%u','labels':{"
		     "'kubernetes.io/hostname':'node-%u'}},'status':{'allocatable':{'cpu':'64',"
		     "'memory':'256Gi','pods':'110'}}}",
			n, n);
	feed("{'kind':'DeviceClass','metadata':{'name':'gpu'},'spec':{'selectors':[{'cel':{"
	     "'expression':'device.driver == \\\"gpu.example.com\\\"'}}]}}");
}

static void add_slices(uint32_t nodes)
{
	for (uint32_t n = 0; n < nodes; n++) {
		char list[3000];
		size_t used = 0;
		for (uint32_t i = 0; i < EACH; i++)
			used += (size_t)snprintf(list + used, sizeof(list) - used,
				"%s{'name':'gpu-%u','attributes':{'model':{'string':'%s'},'index':"
				"{'int':%u},'driverVersion':{'version':'550.54.14'},'numa':{'int':"
				"%u}},'capacity':{'memory':{'value':'80Gi'}}}",
				i == 0 ? "" : ",", i, n % 2 == 0 ? "large" : "small", i, i / 4);
		feed("{'kind':'ResourceSlice','metadata':{'name':'slice-%u'},'spec':{'driver':"
		     "'gpu.example.com','nodeName':'node-%u','pool':{'name':'node-%u',"
		     "'generation':1,'resourceSliceCount':1},'devices':[%s]}}",
			n, n, n, list);
	}
}

static const char claim_spec[] =
	"'spec':{'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':'gpu',"
	"'allocationMode':'ExactCount','count':1,'selectors':[{'cel':{'expression':"
	"'device.attributes[\\\"gpu.example.com\\\"].index >= 0 && "
	"device.capacity[\\\"gpu.example.com\\\"].memory.compareTo(quantity(\\\"40Gi\\\")) >= "
	"0'}}]}}]}}";

static void add_pods(uint32_t claims)
{
	for (uint32_t i = 0; i < claims; i++) {
		char name[32];
		snprintf(name, sizeof(name), "c-%u", i);
		feed("{'kind':'ResourceClaim','metadata':{'name':'%s','namespace':'default',"
		     "'uid':'u-%u','resourceVersion':'1'},%s}",
			name, i, claim_spec);
		feed("{'kind':'Pod','metadata':{'name':'p-%u','namespace':'default','uid':'p-%u'},"
		     "'spec':{'containers':[{'name':'c','image':'i'}],'resourceClaims':[{'name':"
		     "'x','resourceClaimName':'%s'}]}}",
			i, i, name);
	}
}

/* The watch shows what was written. */
static void show_claim(uint32_t i)
{
	char name[32];
	snprintf(name, sizeof(name), "c-%u", i);
	uint32_t id = 0, namespace = 0;
	if (!intern_find(&cache.strings, text_of(name), &id) ||
		!intern_find(&cache.strings, TEXT("default"), &namespace))
		die("a claim is not there");
	uint32_t object = cache_find_object(&cache, KUBE_RESOURCE_CLAIM, namespace, id);
	uint32_t pending = cache_pending_of(&cache, object);
	if (pending == 0)
		die("no device was reserved");
	feed("{'kind':'ResourceClaim','metadata':{'name':'%s','namespace':'default','uid':'u-%u',"
	     "'resourceVersion':'2'},%s,'status':{'allocation':%.*s}}",
		name, i, claim_spec,
		TEXT_ARGS(cache_text(&cache, cache_pending_at(&cache, pending)->allocated->json)));
}

__attribute__((noinline)) static void decide_one(uint32_t pod)
{
	struct schedule_result decision;
	struct binding_points points;
	struct plugin_reasons why = {.scratch = &cycle.scratch};
	cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &decision);
	if (decision.outcome != CYCLE_PLACED)
		die("a pod finds no node");
	cycle_chosen(&cycle, decision.node);
	if (cache_assume(&cache, pod, decision.node) != CACHE_OK)
		die("a pod cannot be assumed");
	binding_begin(&points, &waiting,
		&(struct plugin_binding){.cache = &cache,
			.profile = &profile,
			.scratch = &cycle.scratch,
			.tag = pod,
			.pod = pod,
			.node = cache_node_at(&cache, decision.node)->name});
	if (binding_reserve(&points, decision.state, &why) != PLUGIN_SUCCESS)
		die("a claim cannot be reserved");
	plugin_release(&points.b);
}

/*
 * Claims whose search has no end in sight: seven devices of eight in any order, and then one that
 * no device is. Each in words of its own, so that nothing is remembered of the one before.
 */
static void absurd_claims(uint32_t count)
{
	double worst = 0, us = 0;
	for (uint32_t i = 0; i < count; i++) {
		char requests[2000];
		size_t used = 0;
		for (uint32_t k = 0; k < EACH; k++)
			used += (size_t)snprintf(requests + used, sizeof(requests) - used,
				"%s{'name':'r%u','exactly':{'deviceClassName':'gpu',"
				"'allocationMode':'ExactCount','count':1%s}}",
				k == 0 ? "" : ",", k,
				k + 1 < EACH ? ""
					     : ",'selectors':[{'cel':{'expression':'1 > 2'}}]");
		feed("{'kind':'ResourceClaim','metadata':{'name':'absurd-%u','namespace':'default',"
		     "'uid':'a-%u','resourceVersion':'1'},'spec':{'devices':{'requests':[%s],"
		     "'constraints':[{'requests':['r%u'],'matchAttribute':'a.b/c%u'}]}}}",
			i, i, requests, i % EACH, i);
		feed("{'kind':'Pod','metadata':{'name':'absurd-%u','namespace':'default','uid':"
		     "'ap-%u'},'spec':{'containers':[{'name':'c','image':'i'}],'resourceClaims':[{"
		     "'name':'x','resourceClaimName':'absurd-%u'}]}}",
			i, i, i);
		char name[32];
		struct schedule_result decision;
		snprintf(name, sizeof(name), "absurd-%u", i);
		uint32_t pod = cache_find_pod(&cache, TEXT("default"), text_of(name));
		double start = now_us();
		cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &decision);
		us = now_us() - start;
		worst = us > worst ? us : worst;
		if (decision.outcome == CYCLE_PLACED)
			die("an absurd claim is placed");
	}
	printf("%u claims without an end: %8.0f us for the longest decision, %.0f for the last\n",
		count, worst, us);
}

int main(int argc, char **argv)
{
	uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
	uint32_t claims = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : nodes * 5;
	make_cluster(nodes, claims);
	uint64_t before = bytes_used();
	add_slices(nodes);
	printf("%u nodes with %u devices each: %.0f bytes a device\n", nodes, (unsigned)EACH,
		(double)(bytes_used() - before) / (nodes * EACH));
	before = bytes_used();
	add_pods(claims);
	printf("%u claims and their pods: %.0f bytes each\n", claims,
		(double)(bytes_used() - before) / claims);
	uint32_t done = 0;
	for (uint32_t part = 1; part <= PARTS; part++) {
		double us = 0;
		uint32_t first = done;
		for (; done < claims * part / PARTS; done++) {
			char name[32];
			snprintf(name, sizeof(name), "p-%u", done);
			uint32_t pod = cache_find_pod(&cache, TEXT("default"), text_of(name));
			double start = now_us();
			decide_one(pod);
			us += now_us() - start;
			show_claim(done);
		}
		printf("claims %5u to %5u: %8.2f us a decision, %llu selectors evaluated so far\n",
			first, done, us / (done - first),
			(unsigned long long)dra_evaluated(cycle.dra));
	}
	absurd_claims(ABSURD);
	return 0;
}
