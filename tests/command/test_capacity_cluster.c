/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As many nodes and pods as the board promises (5,000 and 150,000 on x86_64) in the memory that it
 * gives, with names, labels, images and templates as clusters have them: nothing is refused, and
 * pods find their nodes. The same with small budgets and what fits into them.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: command/capacity.c
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"
#include "base/memory.h"
#include "cache/feed.h"
#include "profile/profile.h"
#include "limits.h"
#include "queue/queue.h"
#include "command/capacity.h"

enum {
	JSON_ROOM = 1 << 14,
	DECODE_ROOM = 1 << 18,
	CUT_PIECE = 1 << 16,
	PODS_OF_DEPLOYMENT = 50,
	STATEFUL_SHARE = 40, /* one pod of so many has a name, labels and a claim of its own */
	DAEMON_SHARE = 3,    /* one of so many is there because its node is */
	IMAGES = 600,
	IMAGES_OF_NODE = 20,
	PENDING = 64
};

static struct {
	void *block;
	struct capacity plan;
	struct page_budget budget;
	struct cache cache;
	struct cycle cycle;
	struct queue queue;
	struct plugin_profile profile;
	struct scratch decode;
	void *decode_room;
	struct json_cut *cut;
	void *cut_room;
} world;

static struct queue_gate no_gate(void *self, uint32_t pod)
{
	(void)self;
	(void)pod;
	return (struct queue_gate){.closed = false};
}

static void start(uint64_t budget, uint32_t nodes, uint32_t pods)
{
	struct arena arena;
	budget_reset();
	memset(&world, 0, sizeof(world));
	TEST_ASSERT_TRUE(capacity_plan(budget, 0, 0, &world.plan));
	TEST_ASSERT_GREATER_OR_EQUAL_UINT32(nodes, world.plan.cache.nodes);
	TEST_ASSERT_GREATER_OR_EQUAL_UINT32(pods, world.plan.cache.pods);
	world.plan.cache.changes = 0; /* nobody reads the log here */
	size_t size = (size_t)world.plan.space;
	world.block = memory_reserve(size);
	size_t cut = json_cut_size(CUT_PIECE);
	world.cut_room = malloc(cut);
	world.decode_room = malloc(DECODE_ROOM);
	TEST_ASSERT_TRUE(
		world.block != NULL && world.cut_room != NULL && world.decode_room != NULL);
	page_budget_init(&world.budget, (size_t)budget, (size_t)budget / CAPACITY_RESERVE);
	arena_init_counted(&arena, world.block, size, &world.budget);
	cache_init(&world.cache, &arena, &world.plan.cache);
	profile_defaults(&world.cache, &world.profile);
	cycle_init(&world.cycle, &arena, &world.plan.cycle, &world.cache, &world.profile, 1);
	queue_init(&world.queue, &arena,
		&(struct queue_settings){.capacity = world.plan.queue, .gate = no_gate},
		(struct mono){0});
	scratch_init(&world.decode, world.decode_room, DECODE_ROOM);
	world.cut = json_cut_init(world.cut_room, cut, CUT_PIECE);
}

void setUp(void)
{
}

void tearDown(void)
{
	struct arena whole; /* lifts the poison */
	memory_release(world.block, (size_t)world.plan.space);
	arena_init(&whole, world.decode_room, DECODE_ROOM);
	budget_reset();
	free(world.decode_room);
	free(world.cut_room);
}

/* ---- objects ---- */

static bool on_piece(void *self, struct json_piece piece)
{
	struct json_value object;
	struct cache_fed fed;
	(void)self;
	scratch_reset(&world.decode);
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, &world.decode, &object));
	if (cache_feed(&world.cache, &world.decode,
		    kube_kind_of(json_text(json_get(object, "kind"))), object, &fed))
		return true;
	printf("%.*s\n", TEXT_ARGS(piece.text));
	TEST_FAIL_MESSAGE("an object is refused");
	return false;
}

static void feed(const char *format, ...) PRINTF_LIKE(1, 2);
static void feed(const char *format, ...)
{
	static char json[JSON_ROOM];
	va_list args;
	va_start(args, format);
	int size = vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	TEST_ASSERT_TRUE(size > 0 && size < (int)sizeof(json));
	for (int i = 0; i < size; i++)
		if (json[i] == '\'')
			json[i] = '"';
	json_cut_start(world.cut, JSON_CUT_LINES, kube_any_want, NULL, on_piece, NULL);
	TEST_ASSERT_EQUAL(
		JSON_CUT_MORE, json_cut_feed(world.cut, (struct text){json, (size_t)size}));
	TEST_ASSERT_TRUE(json_cut_end(world.cut));
}

#define NODE_NAME  "ip-10-0-%u-%u.eu-central-1.compute.internal"
#define NODE_OF(n) (n) / 256, (n) % 256

static void add_node(uint32_t n)
{
	char images[JSON_ROOM / 2];
	struct writer w;
	writer_init(&w, images, sizeof(images) - 1);
	for (uint32_t i = 0; i < IMAGES_OF_NODE; i++) {
		uint32_t image = (n * 7 + i * i) % IMAGES;
		write_format(&w,
			"%s{'names':['registry.example.com/team-%u/service-%u@sha256:%064x',"
			"'registry.example.com/team-%u/service-%u:v1.%u.0'],'sizeBytes':%u}",
			i == 0 ? "" : ",", image % 20, image, image, image % 20, image, image % 9,
			20000000 + image * 1000);
	}
	images[w.used] = '\0';
	TEST_ASSERT_FALSE(w.overflowed);
	feed("{'kind':'Node','metadata':{'name':'" NODE_NAME "','uid':"
	     "'0aad494f-0000-4000-8000-%012u','labels':{'kubernetes.io/hostname':'" NODE_NAME
	     "','kubernetes.io/os':'linux','kubernetes.io/arch':'amd64',"
	     "'topology.kubernetes.io/region':'eu-central-1','topology.kubernetes.io/zone':"
	     "'eu-central-1%c','node.kubernetes.io/instance-type':'m5.%uxlarge',"
	     "'example.com/pool':'pool-%u','example.com/rack':'rack-%u'}},"
	     "'status':{'allocatable':{'cpu':'32','memory':'128Gi','ephemeral-storage':'200Gi',"
	     "'pods':'110','hugepages-2Mi':'0'},'images':[%s]}}",
		NODE_OF(n), n, NODE_OF(n), 'a' + n % 3, n % 4 + 1, n % 12, n / 40, images);
}

#define POD_SPEC                                                                     \
	"'serviceAccountName':'default','priority':0,'tolerations':[{'key':"         \
	"'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute'},{" \
	"'key':'node.kubernetes.io/unreachable','operator':'Exists','effect':"       \
	"'NoExecute'}],'containers':[{'name':'main','image':'registry.example.com/"  \
	"team-%u/service-%u:v1.0.0','resources':{'requests':{'cpu':'%um','memory':"  \
	"'%uMi'}}}]"

static void add_pod(uint32_t p, uint32_t nodes)
{
	uint32_t d = p / PODS_OF_DEPLOYMENT;
	char on[96] = "";
	if (nodes > 0)
		snprintf(on, sizeof(on), "'nodeName':'" NODE_NAME "',", NODE_OF(p % nodes));
	feed("{'kind':'Pod','metadata':{'name':'service-%u-7d9c8b%04x-%05x','namespace':"
	     "'team-%u','uid':'11111111-2222-4333-8444-%012u','labels':{'app':'service-%u',"
	     "'pod-template-hash':'7d9c8b%04x','version':'v%u'},'ownerReferences':[{"
	     "'apiVersion':'apps/v1','kind':'ReplicaSet','name':'service-%u-7d9c8b%04x','uid':"
	     "'r','controller':true}]},'spec':{%s" POD_SPEC "}}",
		d, d, p, d % 40, p, d, d, d % 5, d, d, on, d % 20, d % IMAGES, 10 + d % 90,
		32 + d % 100);
}

static void add_stateful(uint32_t p, uint32_t nodes)
{
	feed("{'kind':'PersistentVolumeClaim','metadata':{'name':'data-store-%u','namespace':"
	     "'team-%u'},'spec':{'volumeName':'pvc-%u','storageClassName':'fast','accessModes':"
	     "['ReadWriteOnce'],'resources':{'requests':{'storage':'10Gi'}}},'status':{'phase':"
	     "'Bound'}}",
		p, p % 40, p);
	feed("{'kind':'Pod','metadata':{'name':'store-%u','namespace':'team-%u','uid':"
	     "'11111111-2222-4333-8444-%012u','labels':{'app':'store',"
	     "'statefulset.kubernetes.io/pod-name':'store-%u','apps.kubernetes.io/pod-index':"
	     "'%u'},'ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet','name':"
	     "'store','uid':'s','controller':true}]},'spec':{'nodeName':'" NODE_NAME
	     "','volumes':[{'name':'data','persistentVolumeClaim':{'claimName':'data-store-%u'"
	     "}}]," POD_SPEC "}}",
		p, p % 40, p, p, p, NODE_OF(p % nodes), p, p % 20, p % IMAGES, 10, 64);
}

/* Its node is the only one that its affinity names. */
static void add_daemon(uint32_t p, uint32_t nodes)
{
	uint32_t d = p / DAEMON_SHARE / nodes;
	uint32_t n = p / DAEMON_SHARE % nodes;
	feed("{'kind':'Pod','metadata':{'name':'agent-%u-%05x','namespace':'system','uid':"
	     "'11111111-2222-4333-8444-%012u','labels':{'app':'agent-%u',"
	     "'controller-revision-hash':'7d9c8b%04x','pod-template-generation':'1'},"
	     "'ownerReferences':[{'apiVersion':'apps/v1','kind':'DaemonSet','name':'agent-%u',"
	     "'uid':'d','controller':true}]},'spec':{'nodeName':'" NODE_NAME
	     "','affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"
	     "'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In',"
	     "'values':['" NODE_NAME "']}]}]}}}," POD_SPEC "}}",
		d, p, p, d, d, d, NODE_OF(n), NODE_OF(n), d, d % IMAGES, 10, 64);
}

static void fill(uint32_t nodes, uint32_t pods)
{
	for (uint32_t n = 0; n < nodes; n++)
		add_node(n);
	for (uint32_t p = 0; p < pods; p++) {
		if (p % PODS_OF_DEPLOYMENT == 0)
			feed("{'kind':'ReplicaSet','metadata':{'name':'service-%u-7d9c8b%04x',"
			     "'namespace':'team-%u'},'spec':{'selector':{'matchLabels':{'app':"
			     "'service-%u','pod-template-hash':'7d9c8b%04x'}}}}",
				p / PODS_OF_DEPLOYMENT, p / PODS_OF_DEPLOYMENT,
				p / PODS_OF_DEPLOYMENT % 40, p / PODS_OF_DEPLOYMENT,
				p / PODS_OF_DEPLOYMENT);
		if (p % STATEFUL_SHARE == 0)
			add_stateful(p, nodes);
		else if (p % DAEMON_SHARE == 0)
			add_daemon(p, nodes);
		else
			add_pod(p, nodes);
	}
}

static void place_pending(uint32_t first)
{
	for (uint32_t p = first; p < first + PENDING; p++) {
		add_pod(p, 0);
		char name[64];
		char namespace[16];
		uint32_t d = p / PODS_OF_DEPLOYMENT;
		snprintf(name, sizeof(name), "service-%u-7d9c8b%04x-%05x", d, d, p);
		snprintf(namespace, sizeof(namespace), "team-%u", d % 40);
		uint32_t pod = cache_find_pod(&world.cache, text_of(namespace), text_of(name));
		struct schedule_result decision;
		cycle_decide(&world.cycle, pod, CACHE_COUNT_FAST, &decision);
		TEST_ASSERT_EQUAL(CYCLE_PLACED, decision.outcome);
		cycle_chosen(&world.cycle, decision.node);
		TEST_ASSERT_EQUAL(CACHE_OK, cache_assume(&world.cache, pod, decision.node));
	}
}

static void whole_cluster(uint64_t budget, uint32_t nodes, uint32_t pods)
{
	start(budget, nodes, pods);
	fill(nodes, pods - PENDING);
	place_pending(pods - PENDING);
	TEST_ASSERT_EQUAL_UINT64(0, world.cache.refused);
	TEST_ASSERT_EQUAL_UINT32(nodes, world.cache.order.count);
	TEST_ASSERT_EQUAL_UINT32(pods, pool_used(&world.cache.pods));
	printf("%u nodes, %u pods: %zu of %zu kB: %u templates, %u strings, store %llu kB\n", nodes,
		pods, world.budget.used * world.budget.page_size / 1024, (size_t)budget / 1024,
		pool_used(&world.cache.classes), pool_used(&world.cache.strings.strings),
		(unsigned long long)world.cache.store.budget.used / 1024);
	page_budget_audit(&world.budget);
}

static void test_the_cluster_of_the_board(void)
{
	whole_cluster(LIMITS_MEMORY_BYTES - LIMITS_FIXED_BYTES, LIMITS_NODES_MAX, LIMITS_PODS_MAX);
}

/* What design promises; the board gives a little more. */
static void test_large_in_64_mib(void)
{
	whole_cluster((64 << 20) - LIMITS_FIXED_BYTES, 5000, 150000);
}

static void test_a_site(void)
{
	whole_cluster(18 << 20, 500, 15000);
}

static void test_a_tiny_budget(void)
{
	whole_cluster(4 << 20, 200, 4000);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_tiny_budget);
	RUN_TEST(test_a_site);
	RUN_TEST(test_the_cluster_of_the_board);
	RUN_TEST(test_large_in_64_mib);
	return UNITY_END();
}
