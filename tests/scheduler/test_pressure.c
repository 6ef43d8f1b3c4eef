/* SPDX-License-Identifier: GPL-2.0-only */
/* Full memory: who gives way to whom, who comes back when, and what people are told. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c dra/*.c cel/*.c cycle/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "scheduler/cluster.h"

enum { PODS = 24 };

static struct scheduler_limits before;

void setUp(void)
{
	before = cluster_limits;
	cluster_limits.cache.pods = PODS;
	cluster_limits.cache.statuses = PODS;
	cluster_open(NULL);
}

void tearDown(void)
{
	scheduler_audit(&cluster.s);
	shelf_audit(scheduler_shelf(&cluster.s));
	cluster_close();
	cluster_limits = before;
}

struct spec {
	const char *namespace;
	const char *name;
	const char *cpu;
	const char *node;
	const char *more; /* of the spec */
	int priority;
};

static void spec_print(const struct spec *p, char *json, size_t size)
{
	snprintf(json, size,
		"{'metadata':{'name':'%s','namespace':'%s',"
		"'uid':'11111111-2222-3333-4444-%06u%.6s','resourceVersion':'7'},"
		"'spec':{'schedulerName':'default-scheduler','priority':%d%s%s%s%s,"
		"'containers':[{'name':'c','resources':{'requests':{'cpu':'%s'}}}]}}",
		p->name, p->namespace, (unsigned)strlen(p->name), "0000000000", p->priority,
		p->node == NULL ? "" : ",'nodeName':'", p->node == NULL ? "" : p->node,
		p->node == NULL ? "" : "'", p->more == NULL ? "" : p->more, p->cpu);
}

static bool come(const struct spec *p)
{
	char json[1024];
	spec_print(p, json, sizeof(json));
	return cluster_tell(KUBE_POD, KUBE_WATCH_ADDED, json);
}

static void go(const char *namespace, const char *name)
{
	char json[256];
	snprintf(
		json, sizeof(json), "{'metadata':{'name':'%s','namespace':'%s'}}", name, namespace);
	TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_DELETED, json));
}

static struct bed_script *server_has(const struct spec *p)
{
	static char json[8][1024];
	static unsigned next;
	char path[128];
	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s", p->namespace, p->name);
	spec_print(p, json[next % 8], sizeof(json[0]));
	return bed_says(&cluster.bed, path, json[next++ % 8]);
}

static struct bed_script *server_takes(const struct spec *p, const char *what, int status)
{
	char path[128];
	snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s/%s", p->namespace, p->name,
		what);
	struct bed_script *script = bed_says(&cluster.bed, path, "{}");
	script->status = status;
	return script;
}

/* All the memory is taken by pods that fit nowhere, and they were tried. */
static void fill(const char *namespace, int priority)
{
	char name[16];
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(name, sizeof(name), "full-%02u", i);
		TEST_ASSERT_TRUE(come(&(struct spec){
			.namespace = namespace, .name = name, .cpu = "100", .priority = priority}));
	}
	cluster_run(200);
	TEST_ASSERT_EQUAL_UINT32(PODS, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
}

static bool is_cached(const char *namespace, const char *name)
{
	return cache_find_pod(&cluster.s.cache, text_of(namespace), text_of(name)) != 0;
}

static bool is_shelved(const char *namespace, const char *name)
{
	return shelf_find(scheduler_shelf(&cluster.s), text_of(namespace), text_of(name)) != 0;
}

static void test_pressure_when_a_critical_pod_comes_then_it_is_bound_at_once(void)
{
	const struct spec critical = {
		.namespace = "kube-system", .name = "critical", .cpu = "1", .priority = 2000001000};
	fill("tenant", 0);
	struct bed_script *binding = server_takes(&critical, "binding", 201);
	TEST_ASSERT_TRUE(come(&critical));
	cluster_run(20);
	TEST_ASSERT_EQUAL_UINT32(1, binding->asked);
	TEST_ASSERT_EQUAL_UINT32(1, shelf_count(scheduler_shelf(&cluster.s)));
	TEST_ASSERT_EQUAL_UINT32(PODS, scheduler_pods_pending(&cluster.s));
}

static void test_pressure_when_another_namespace_comes_then_the_largest_gives_way(void)
{
	const struct spec pod = {.namespace = "other", .name = "one", .cpu = "1"};
	fill("tenant", 0);
	struct bed_script *binding = server_takes(&pod, "binding", 201);
	TEST_ASSERT_TRUE(come(&pod));
	cluster_run(20);
	TEST_ASSERT_EQUAL_UINT32(1, binding->asked);
}

static void test_pressure_when_the_newcomer_is_less_important_then_it_is_shelved(void)
{
	const struct spec pod = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&pod);
	TEST_ASSERT_FALSE(is_cached("other", "low-1"));
	TEST_ASSERT_TRUE(is_shelved("other", "low-1"));
	TEST_ASSERT_EQUAL_UINT32(PODS, pool_used(&cluster.s.cache.pods));
	cluster_run(5000);
	TEST_ASSERT_TRUE(is_shelved("other", "low-1"));
	go("other", "low-1");
	TEST_ASSERT_FALSE(is_shelved("other", "low-1"));
}

static void test_pressure_when_pods_have_a_node_then_they_are_always_known(void)
{
	char name[16];
	fill("tenant", 1000);
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(name, sizeof(name), "placed-%02u", i);
		TEST_ASSERT_TRUE(come(&(struct spec){
			.namespace = "other", .name = name, .cpu = "10m", .node = "n1"}));
		TEST_ASSERT_TRUE(is_cached("other", name));
	}
	TEST_ASSERT_EQUAL_UINT32(PODS, shelf_count(scheduler_shelf(&cluster.s)));
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.cache.pods_pending);
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.sync.damaged);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cluster.s.cache.unreads.pool));
	cluster_run(100);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, scheduler_state(&cluster.s));
}

static void test_pressure_when_there_is_room_again_then_the_most_important_comes_back(void)
{
	const struct spec low = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -2};
	const struct spec high = {
		.namespace = "other", .name = "high-1", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&low);
	(void)come(&high);
	struct bed_script *low_asked = server_has(&low);
	struct bed_script *high_asked = server_has(&high);
	struct bed_script *binding = server_takes(&high, "binding", 201);
	cluster_run(3000);
	TEST_ASSERT_EQUAL_UINT32(0, low_asked->asked + high_asked->asked);
	go("tenant", "full-07");
	cluster_run(1000);
	TEST_ASSERT_EQUAL_UINT32(1, high_asked->asked);
	TEST_ASSERT_EQUAL_UINT32(1, binding->asked);
	TEST_ASSERT_TRUE(is_cached("other", "high-1"));
	TEST_ASSERT_FALSE(is_shelved("other", "high-1"));
	TEST_ASSERT_TRUE(is_shelved("other", "low-1"));
}

static void test_pressure_when_a_shelved_pod_is_gone_then_it_is_forgotten(void)
{
	const struct spec pod = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&pod); /* the server answers 404 */
	go("tenant", "full-07");
	cluster_run(1000);
	TEST_ASSERT_FALSE(is_shelved("other", "low-1"));
	TEST_ASSERT_FALSE(is_cached("other", "low-1"));
}

static void test_pressure_when_somebody_else_binds_it_then_the_watch_says_so(void)
{
	const struct spec pod = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -1};
	struct spec bound = pod;
	bound.node = "n2";
	fill("tenant", 0);
	(void)come(&pod);
	(void)server_has(&bound);
	go("tenant", "full-07");
	cluster_run(1000);
	TEST_ASSERT_TRUE(is_shelved("other", "low-1")); /* what is asked is ahead of the watch */
	TEST_ASSERT_FALSE(is_cached("other", "low-1"));
	TEST_ASSERT_TRUE(come(&bound));
	TEST_ASSERT_FALSE(is_shelved("other", "low-1"));
	TEST_ASSERT_TRUE(is_cached("other", "low-1"));
}

/* A finalizer may hold it for ever; it would be asked for again and again. */
static void test_pressure_when_a_shelved_pod_is_being_deleted_then_it_is_forgotten(void)
{
	const struct spec pod = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&pod);
	TEST_ASSERT_TRUE(is_shelved("other", "low-1"));
	(void)cluster_tell(KUBE_POD, KUBE_WATCH_MODIFIED,
		"{'metadata':{'name':'low-1','namespace':'other','uid':"
		"'11111111-2222-3333-4444-0000050000000','resourceVersion':'8',"
		"'finalizers':['x/y'],'deletionTimestamp':'2026-01-01T00:00:00Z'},"
		"'spec':{'schedulerName':'default-scheduler','priority':-1,'containers':[{"
		"'name':'c'}]}}");
	TEST_ASSERT_FALSE(is_shelved("other", "low-1"));
	TEST_ASSERT_FALSE(is_cached("other", "low-1"));
}

/* Older than what the watch has told meanwhile: it must not replace that. */
static void test_pressure_when_the_watch_is_faster_then_the_answer_is_ignored(void)
{
	const struct spec pod = {.namespace = "other", .name = "low-1", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&pod);
	server_has(&pod)->delay_ms = 500;
	go("tenant", "full-07");
	cluster_run(100);
	go("other", "low-1");
	cluster_run(1000);
	TEST_ASSERT_FALSE(is_cached("other", "low-1"));
	TEST_ASSERT_FALSE(is_shelved("other", "low-1"));
}

static void test_pressure_when_a_pod_stays_out_then_people_are_told_once(void)
{
	const struct spec pod = {
		.namespace = "other", .name = "low-1", .cpu = "100", .priority = -1};
	fill("tenant", 0);
	struct bed_script *status = server_takes(&pod, "status", 200);
	struct bed_script *event = bed_says(&cluster.bed, "/api/v1/namespaces/other/events", "{}");
	event->status = 201;
	(void)come(&pod);
	cluster_run(1000);
	TEST_ASSERT_EQUAL_UINT32(0, status->asked);
	cluster_run(60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(1, status->asked);
	TEST_ASSERT_EQUAL_UINT32(1, event->asked);
	TEST_ASSERT_NOT_NULL(strstr(status->seen, "no memory for this pod"));
	TEST_ASSERT_NOT_NULL(strstr(status->seen, "\"reason\":\"SchedulerError\""));
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "no memory for this pod"));
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "11111111-2222-3333-4444-"));
	/* It comes back and goes again: nothing new to say. */
	(void)server_has(&pod);
	go("tenant", "full-07");
	cluster_run(1000);
	TEST_ASSERT_TRUE(is_cached("other", "low-1"));
	TEST_ASSERT_TRUE(come(&(struct spec){
		.namespace = "other", .name = "first", .cpu = "100", .priority = 5}));
	TEST_ASSERT_TRUE(is_shelved("other", "low-1"));
	TEST_ASSERT_EQUAL_UINT32(0, scheduler_shelf(&cluster.s)->unreported);
}

static void test_pressure_when_pods_are_of_no_use_then_they_go_first_and_leave_nothing(void)
{
	char json[512];
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'f%u','namespace':'tenant','uid':'%u'},"
			"'spec':{'schedulerName':'foreign','priority':5}}",
			i, i);
		TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_ADDED, json));
	}
	TEST_ASSERT_TRUE(come(
		&(struct spec){.namespace = "other", .name = "one", .cpu = "100", .priority = -9}));
	TEST_ASSERT_TRUE(is_cached("other", "one"));
	TEST_ASSERT_EQUAL_UINT32(0, shelf_count(scheduler_shelf(&cluster.s)));
	(void)cluster_tell(KUBE_POD, KUBE_WATCH_ADDED, json); /* again: where there is room */
	TEST_ASSERT_EQUAL_UINT32(0, shelf_count(scheduler_shelf(&cluster.s)));
}

static void test_pressure_when_pods_are_gated_then_they_give_way_first(void)
{
	char name[16];
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(name, sizeof(name), "p-%02u", i);
		TEST_ASSERT_TRUE(come(&(struct spec){.namespace = "tenant",
			.name = name,
			.cpu = "100",
			.more = i < 3 ? ",'schedulingGates':[{'name':'g'}]" : ""}));
	}
	cluster_run(200);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "new-%u", i);
		TEST_ASSERT_TRUE(
			come(&(struct spec){.namespace = "tenant", .name = name, .cpu = "100"}));
	}
	for (unsigned i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "p-%02u", i);
		TEST_ASSERT_TRUE(is_shelved("tenant", name));
	}
	TEST_ASSERT_EQUAL_UINT32(3, scheduler_shelf(&cluster.s)->gated);
	/* Its gate opens: it is told as a whole, and comes in like a new one. */
	TEST_ASSERT_TRUE(come(&(struct spec){.namespace = "tenant", .name = "p-01", .cpu = "100"}));
	TEST_ASSERT_TRUE(is_cached("tenant", "p-01"));
	TEST_ASSERT_EQUAL_UINT32(2, scheduler_shelf(&cluster.s)->gated);
}

static void test_pressure_when_a_list_lacks_shelved_pods_then_they_are_forgotten(void)
{
	const struct spec stays = {
		.namespace = "other", .name = "stays", .cpu = "1", .priority = -1};
	fill("tenant", 0);
	(void)come(&stays);
	(void)come(
		&(struct spec){.namespace = "other", .name = "goes", .cpu = "1", .priority = -1});
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	char name[16];
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(name, sizeof(name), "full-%02u", i);
		TEST_ASSERT_TRUE(
			come(&(struct spec){.namespace = "tenant", .name = name, .cpu = "100"}));
	}
	(void)come(&stays);
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_TRUE(is_shelved("other", "stays"));
	TEST_ASSERT_FALSE(is_shelved("other", "goes"));
}

/* The queue alone is too small: it is a part of the same memory. */
static void test_pressure_when_the_queue_is_full_then_importance_decides(void)
{
	const struct spec critical = {
		.namespace = "kube-system", .name = "critical", .cpu = "1", .priority = 2000000000};
	const struct spec left = {.namespace = "tenant", .name = "p-8", .cpu = "100"};
	char name[16];
	tearDown();
	before = cluster_limits;
	cluster_limits.queue = 8;
	cluster_open(NULL);
	struct bed_script *asked = server_has(&left);
	cluster_batches = true;
	for (unsigned i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "p-%u", i);
		TEST_ASSERT_TRUE(
			come(&(struct spec){.namespace = "tenant", .name = name, .cpu = "100"}));
	}
	cluster_batches = false;
	cluster_run(1000);
	TEST_ASSERT_EQUAL_UINT32(8, pool_used(&cluster.s.queue.entries));
	TEST_ASSERT_EQUAL_UINT32(1, shelf_count(scheduler_shelf(&cluster.s)));
	TEST_ASSERT_EQUAL_UINT32(1, asked->asked); /* and had its turn: all were tried */
	struct bed_script *binding = server_takes(&critical, "binding", 201);
	TEST_ASSERT_TRUE(come(&critical));
	cluster_run(20);
	TEST_ASSERT_EQUAL_UINT32(1, binding->asked);
}

/* What a plugin holds back is not tried: two such pods must not take turns for ever. */
static void test_pressure_when_plugins_hold_pods_back_then_they_stay_where_they_are(void)
{
	struct bed_script *asked[PODS + 1];
	char name[16];
	const char *more = ",'resourceClaims':[{'name':'d','resourceClaimName':'none'}]";
	tearDown();
	before = cluster_limits;
	cluster_limits.queue = 4;
	cluster_open(NULL);
	struct bed_script *event = bed_says(&cluster.bed, "/api/v1/namespaces/tenant/events", "{}");
	event->status = 201;
	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "held-%u", i);
		const struct spec pod = {
			.namespace = "tenant", .name = name, .cpu = "1", .more = more};
		asked[i] = server_has(&pod);
		(void)server_takes(&pod, "status", 200);
		(void)come(&pod);
	}
	cluster_run(5000);
	TEST_ASSERT_EQUAL_UINT32(4, cluster.s.queue.pods[QUEUE_GATED]);
	TEST_ASSERT_EQUAL_UINT32(2, shelf_count(scheduler_shelf(&cluster.s)));
	uint32_t sum = 0;
	for (unsigned i = 0; i < 6; i++)
		sum += asked[i]->asked;
	TEST_ASSERT_LESS_THAN_UINT32(8, sum);
	cluster_run(60 * 1000);
	TEST_ASSERT_EQUAL_UINT32(0, scheduler_shelf(&cluster.s)->unreported);
}

/* The queue has two places, the shelf four: two are left, of whom the apiserver alone knows. */
static void open_narrow(void)
{
	tearDown();
	before = cluster_limits;
	cluster_limits.queue = 2;
	cluster_open(NULL);
}

/* The last two are the least important. */
static struct bed_script *come_as(unsigned number)
{
	char name[16];
	snprintf(name, sizeof(name), "wide-%u", number);
	const struct spec pod = {
		.namespace = "tenant", .name = name, .cpu = "100", .priority = number < 6 ? 0 : -1};
	struct bed_script *status = server_takes(&pod, "status", 200);
	(void)server_has(&pod);
	(void)come(&pod);
	return status;
}

static void test_pressure_when_not_even_a_name_finds_room_then_people_are_told(void)
{
	struct bed_script *status[8];
	open_narrow();
	struct bed_script *event = bed_says(&cluster.bed, "/api/v1/namespaces/tenant/events", "{}");
	event->status = 201;
	for (unsigned i = 0; i < 8; i++) {
		status[i] = come_as(i);
		cluster_run(100);
	}
	TEST_ASSERT_EQUAL_UINT32(4, shelf_count(scheduler_shelf(&cluster.s)));
	TEST_ASSERT_EQUAL_UINT32(2, cluster.s.pressure.missing);
	TEST_ASSERT_EQUAL_UINT32(8, scheduler_pods_pending(&cluster.s));
	cluster_run(5000);
	for (unsigned i = 0; i < 8; i++) {
		TEST_ASSERT_NOT_EQUAL_UINT32(0, status[i]->asked);
		TEST_ASSERT_NOT_NULL(strstr(status[i]->seen, "\"type\":\"PodScheduled\""));
	}
	TEST_ASSERT_GREATER_OR_EQUAL_UINT32(8, event->asked);
	TEST_ASSERT_FALSE(cluster.s.pressure.unsaid);
}

/* What was written comes back as a change of the pod: it is counted once, and once is enough. */
static void test_pressure_when_a_pod_without_a_name_says_so_then_it_is_not_told_again(void)
{
	struct bed_script *status[8];
	char json[1024];
	tearDown();
	before = cluster_limits;
	cluster_limits.queue = cluster_limits.cache.pods = 2;
	cluster_open(NULL);
	for (unsigned i = 0; i < 8; i++)
		status[i] = come_as(i);
	cluster_run(5000);
	TEST_ASSERT_EQUAL_UINT32(1, status[7]->asked);
	TEST_ASSERT_NOT_NULL(strstr(status[7]->seen, "no memory for this pod"));
	TEST_ASSERT_EQUAL_UINT32(8, scheduler_pods_pending(&cluster.s));
	for (unsigned i = 0; i < 3; i++) {
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'wide-7','namespace':'tenant','resourceVersion':'%u',"
			"'uid':'11111111-2222-3333-4444-000006000000'},'spec':{'schedulerName':"
			"'default-scheduler','priority':-1,'containers':[{'name':'c','resources':{'"
			"requests':"
			"{'cpu':'100'}}}]},'status':{'conditions':[{'type':'PodScheduled','status':"
			"'False','reason':'SchedulerError','message':'the scheduler has no memory "
			"for this pod now (--memory): it waits, and is tried by its priority as "
			"soon as there is room'}]}}",
			8 + i);
		(void)cluster_tell(KUBE_POD, KUBE_WATCH_MODIFIED, json);
		cluster_run(5000);
	}
	TEST_ASSERT_EQUAL_UINT32(1, status[7]->asked);
	TEST_ASSERT_EQUAL_UINT32(8, scheduler_pods_pending(&cluster.s));
}

/* More at once than may be written of: pods are listed again until all was said. */
static void test_pressure_when_there_is_no_room_to_tell_then_pods_are_listed_again(void)
{
	open_narrow();
	cluster.s.setup.limits.events = 0; /* none may be waited with */
	for (unsigned i = 0; i < 8; i++)
		(void)come_as(i);
	cluster_run(1000);
	TEST_ASSERT_TRUE(cluster.s.pressure.unsaid);
	TEST_ASSERT_FALSE(cluster.s.sync.lists_soon);
	cluster.s.setup.limits.events = cluster_limits.events;
	cluster_run(SCHEDULER_RELIST_SOON_MS / 2);
	TEST_ASSERT_TRUE(cluster.s.sync.lists_soon);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_FALSE(cluster.s.pressure.unsaid);
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.pressure.missing);
}

/* One that not even a record is left for is counted. */
static void test_pressure_when_pods_are_unreadable_then_all_are_counted(void)
{
	char json[256];
	for (unsigned i = 0; i < PODS + 3; i++) {
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'odd-%u','namespace':'tenant'},'spec':{'schedulerName'"
			":"
			"'default-scheduler','containers':[{'name':'c','resources':{'requests':{"
			"'cpu':'x'}}}]}}",
			i);
		(void)cluster_tell(KUBE_POD, KUBE_WATCH_ADDED, json);
	}
	TEST_ASSERT_EQUAL_UINT32(PODS + 3, scheduler_pods_pending(&cluster.s));
}

/* Pods on nodes that are not there go before anybody else, and cost nobody anything. */
static void test_pressure_when_pods_name_nodes_that_are_not_there_then_they_go_first(void)
{
	char name[16], node[16];
	for (unsigned i = 0; i < 3 * PODS; i++) {
		snprintf(name, sizeof(name), "stray-%02u", i);
		snprintf(node, sizeof(node), "ghost-%02u", i);
		TEST_ASSERT_TRUE(come(&(struct spec){
			.namespace = "tenant", .name = name, .cpu = "1", .node = node}));
	}
	const struct spec other = {.namespace = "other", .name = "p", .cpu = "1"};
	struct bed_script *binding = server_takes(&other, "binding", 201);
	TEST_ASSERT_TRUE(come(&other));
	cluster_run(200);
	TEST_ASSERT_EQUAL_UINT32(1, binding->asked);
	TEST_ASSERT_FALSE(is_shelved("other", "p"));
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.sync.damaged);
	/* Whom the apiserver has shown keeps its pods. */
	for (unsigned i = 0; i < PODS; i++) {
		snprintf(name, sizeof(name), "real-%02u", i);
		TEST_ASSERT_EQUAL(i < PODS - 1,
			come(&(struct spec){
				.namespace = "tenant", .name = name, .cpu = "1", .node = "n1"}));
	}
	TEST_ASSERT_TRUE(is_cached("tenant", "real-00"));
}

/* Should the node come, it is known what is on it before it takes pods. */
static void test_pressure_when_the_node_of_strays_comes_then_it_waits_for_a_list(void)
{
	char name[16];
	for (unsigned i = 0; i < PODS + 1; i++) {
		snprintf(name, sizeof(name), "stray-%02u", i);
		TEST_ASSERT_TRUE(come(&(struct spec){
			.namespace = "tenant", .name = name, .cpu = "1", .node = "n4"}));
	}
	TEST_ASSERT_TRUE(cluster.s.cache.unreads.dropped);
	cluster_add_node("n4", "9");
	const struct cache *cache = &cluster.s.cache;
	const struct cache_node *n4 = cache_node_at(cache, cache_find_node(cache, TEXT("n4")));
	TEST_ASSERT_NOT_EQUAL_UINT32(0, n4->unread_pods);
	TEST_ASSERT_EQUAL_UINT32(
		0, cache_node_at(cache, cache_find_node(cache, TEXT("n1")))->unread_pods);
	/* A list that had begun before may have shown them before. */
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, n4->unread_pods);
	TEST_ASSERT_TRUE(net_timer_is_armed(&cluster.s.sync.relist));
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_TRUE(come(&(struct spec){
		.namespace = "tenant", .name = "stray-00", .cpu = "1", .node = "n4"}));
	TEST_ASSERT_NOT_EQUAL_UINT32(0, n4->unread_pods);
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_EQUAL_UINT32(0, n4->unread_pods);
	TEST_ASSERT_EQUAL_UINT32(1, n4->sums.pods);
	/* The next one has nothing to hide. */
	cluster_add_node("n5", "9");
	TEST_ASSERT_EQUAL_UINT32(
		0, cache_node_at(cache, cache_find_node(cache, TEXT("n5")))->unread_pods);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_pressure_when_a_critical_pod_comes_then_it_is_bound_at_once);
	RUN_TEST(test_pressure_when_another_namespace_comes_then_the_largest_gives_way);
	RUN_TEST(test_pressure_when_the_newcomer_is_less_important_then_it_is_shelved);
	RUN_TEST(test_pressure_when_pods_have_a_node_then_they_are_always_known);
	RUN_TEST(test_pressure_when_there_is_room_again_then_the_most_important_comes_back);
	RUN_TEST(test_pressure_when_a_shelved_pod_is_gone_then_it_is_forgotten);
	RUN_TEST(test_pressure_when_somebody_else_binds_it_then_the_watch_says_so);
	RUN_TEST(test_pressure_when_a_shelved_pod_is_being_deleted_then_it_is_forgotten);
	RUN_TEST(test_pressure_when_the_watch_is_faster_then_the_answer_is_ignored);
	RUN_TEST(test_pressure_when_a_pod_stays_out_then_people_are_told_once);
	RUN_TEST(test_pressure_when_pods_are_of_no_use_then_they_go_first_and_leave_nothing);
	RUN_TEST(test_pressure_when_pods_are_gated_then_they_give_way_first);
	RUN_TEST(test_pressure_when_a_list_lacks_shelved_pods_then_they_are_forgotten);
	RUN_TEST(test_pressure_when_the_queue_is_full_then_importance_decides);
	RUN_TEST(test_pressure_when_plugins_hold_pods_back_then_they_stay_where_they_are);
	RUN_TEST(test_pressure_when_not_even_a_name_finds_room_then_people_are_told);
	RUN_TEST(test_pressure_when_a_pod_without_a_name_says_so_then_it_is_not_told_again);
	RUN_TEST(test_pressure_when_there_is_no_room_to_tell_then_pods_are_listed_again);
	RUN_TEST(test_pressure_when_pods_are_unreadable_then_all_are_counted);
	RUN_TEST(test_pressure_when_pods_name_nodes_that_are_not_there_then_they_go_first);
	RUN_TEST(test_pressure_when_the_node_of_strays_comes_then_it_waits_for_a_list);
	return UNITY_END();
}
