/* SPDX-License-Identifier: GPL-2.0-only */
/* One node, what waits by cause and owner: answers that put together what several places know. */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <unity.h>

#include "status/bed.h"

void setUp(void)
{
	bed_init();
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_open();
	bed_fill();
}
void tearDown(void)
{
	bed_close();
}

static void expect_part(const char *part)
{
	if (strstr(bed_body(), part) == NULL)
		TEST_FAIL_MESSAGE(bed_body());
}
static void expect_no_part(const char *part)
{
	if (strstr(bed_body(), part) != NULL)
		TEST_FAIL_MESSAGE(bed_body());
}

/* `more` goes into the metadata, `spec` into the spec; each ends with a comma, or is empty. */
static void add_pod(const char *name, const char *more, const char *spec)
{
	char json[1500];
	static int uid = 100;
	int size = snprintf(json, sizeof(json),
		"{'metadata':{'name':'%s','namespace':'d','uid':'%d',%s'resourceVersion':'1'},"
		"'spec':{%s'schedulerName':'default-scheduler','containers':[{'name':'c',"
		"'resources':{'requests':{'cpu':'100m','memory':'1Mi'}}}]},"
		"'status':{'startTime':'2026-11-19T00:00:00Z'}}",
		name, uid++, more, spec);
	TEST_ASSERT_TRUE(size < (int)sizeof(json));
	bed_add(KUBE_POD, json);
}

/* ---- one node ---- */

static void test_node_when_asked_by_name_then_it_is_told_with_its_pods(void)
{
	add_pod("web-1",
		"'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'web',"
		"'uid':'u','controller':true}],",
		"'nodeName':'n1',");
	add_pod("mirror",
		"'ownerReferences':[{'apiVersion':'v1','kind':'Node','name':'n1','uid':'n1',"
		"'controller':true}],",
		"'nodeName':'n1','priority':7,");
	add_pod("going", "'deletionTimestamp':'2026-11-19T00:00:00Z',", "'nodeName':'n1',");
	add_pod("pinned",
		"'ownerReferences':[{'apiVersion':'apps/v1','kind':'DaemonSet','name':'ds',"
		"'uid':'v','controller':true}],",
		"'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
		"{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In',"
		"'values':['n1']}]}]}}},");
	add_pod("elsewhere", "", "'nodeName':'n2',");
	bed_get("/berth/v1/nodes/n1");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("{\"name\":\"n1\",\"id\":1,\"zone\":\"z1\",\"cpuMilli\":[300,4000],");
	expect_part("\"ready\":true,");
	expect_part("\"more\":{},\n\"labels\":{\n\"topology.kubernetes.io/zone\":\"z1\"},\n"
		    "\"pods\":[\n{\"namespace\":\"d\",\"name\":\"web-1\",\"owner\":\"ReplicaSet/"
		    "web\",\"state\":\"bound\",\"cpuMilli\":100,\"memory\":1048576,\"priority\":0,"
		    "\"sinceMs\":1795046400000},\n");
	expect_part("\"name\":\"mirror\",\"owner\":\"Node\",\"state\":\"bound\",\"cpuMilli\":100,"
		    "\"memory\":1048576,\"priority\":7,");
	expect_part("\"name\":\"going\",\"state\":\"terminating\",");
	expect_part("\"name\":\"pinned\",\"owner\":\"DaemonSet/ds\",\"state\":\"pinned\",");
	expect_no_part("elsewhere");
	TEST_ASSERT_EQUAL_STRING("\n]}\n", bed_body() + strlen(bed_body()) - 4);
}

static void test_node_when_it_is_not_ready_then_it_is_said_since_when(void)
{
	bed_add(KUBE_NODE,
		"{'metadata':{'name':'n2','uid':'n2','resourceVersion':'2'},"
		"'spec':{'unschedulable':true},"
		"'status':{'allocatable':{'cpu':'4','memory':'8Gi','pods':'110'},'conditions':["
		"{'type':'MemoryPressure','status':'True'},{'type':'Ready','status':'Unknown',"
		"'lastHeartbeatTime':'2026-11-19T00:00:01Z',"
		"'lastTransitionTime':'2026-11-19T00:00:00Z'}]}}");
	bed_get("/berth/v1/nodes/n2");
	expect_part("\"unschedulable\":true,\"ready\":false,\"readySinceMs\":1795046400000,");
	expect_part("\"conditions\":[\"NotReady\",\"MemoryPressure\"],");
}

static void test_node_when_the_name_is_hostile_then_it_is_not_found(void)
{
	static const char *const paths[] = {"", "none", "n1/nothing", "n1/", "%6e1%", "%00", "/n1",
		"n1%2floss", "..%2f..%2fetc%2fpasswd"};
	char path[64];
	char name[400];
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(path, sizeof(path), "/berth/v1/nodes/%s", paths[i]);
		bed_get(path);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(404, bed_code(), path);
	}
	bed_get("/berth/v1/nodes/%6e1");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(name, "/berth/v1/nodes/", 16);
	bed_get(name);
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
}

static void test_node_when_it_has_many_labels_then_all_are_told(void)
{
	char json[2000];
	size_t size = (size_t)snprintf(json, sizeof(json),
		"{'metadata':{'name':'n1','uid':'n1','resourceVersion':'2',"
		"'labels':{");
	for (int i = 0; i < 60; i++)
		size += (size_t)snprintf(json + size, sizeof(json) - size,
			"%s'label-%d':'\\u003cscript>%d'", i == 0 ? "" : ",", i, i);
	snprintf(json + size, sizeof(json) - size,
		"}},'status':{'allocatable':{'cpu':'4','pods':'110'}}}");
	bed_add(KUBE_NODE, json);
	bed_get("/berth/v1/nodes/n1");
	expect_part("\"label-0\":\"<script>0\"");
	expect_part("\"label-59\":\"<script>59\"");
	expect_part("},\n\"pods\":[\n]}\n");
}

/* ---- pending, by owner and cause ---- */

static void park_all(const char *plugin)
{
	struct queue *queue = &bed_scheduler.queue;
	uint32_t id = 0;
	while (strcmp(plugins[id]->name, plugin) != 0)
		id++;
	for (uint32_t entry; (entry = queue_pop(queue)) != 0;)
		queue_park(queue, entry, queue_waits_for_plugin(id), (struct plugin_set){{0}},
			scheduler_now(&bed_scheduler));
}

static void add_replicas(const char *owner, int count, const char *spec)
{
	char name[64];
	char more[512];
	snprintf(more, sizeof(more),
		"'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':'%s',"
		"'uid':'%s','controller':true}],",
		owner, owner);
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s-%d", owner, i);
		add_pod(name, more, spec);
	}
}

static void test_pending_when_60_are_equal_then_they_are_one_row(void)
{
	park_all("NodeResourcesFit");
	add_replicas("web", 60, "'nodeSelector':{'disk':'nvme'},");
	add_replicas("other", 3, "'nodeSelector':{'disk':'nvme'},");
	park_all("NodeAffinity");
	add_pod("fresh", "", "");
	add_pod("gated", "", "'schedulingGates':[{'name':'a'}],");
	bed_add(KUBE_POD,
		"{'metadata':{'name':'typo','namespace':'d','uid':'typo','resourceVersion':'1'},"
		"'spec':{'schedulerName':'berht','containers':[]}}");
	bed_loopback.now_us += 90 * CLOCK_S_US;
	bed_turns(1);
	bed_get("/berth/v1/pending");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("[\n{\"namespace\":\"d\",\"owner\":\"ReplicaSet/web\",\"pod\":\"web-59\","
		    "\"count\":60,\"states\":{\"unschedulable\":60},\"priority\":0,\"cpuMilli\":"
		    "100,\"memory\":1048576,\"sinceS\":90,\"plugins\":[\"NodeAffinity\"],\"help\":["
		    "\"A node with disk=nvme.\"]");
	expect_part("\"owner\":\"ReplicaSet/other\",\"pod\":\"other-2\",\"count\":3,");
	expect_part("\"pod\":\"big\",\"count\":1,\"states\":{\"unschedulable\":1},");
	expect_part("\"help\":[\"Smaller requests, or room on a node.\"]");
	expect_part("\"pod\":\"fresh\",\"count\":1,\"states\":{\"active\":1},");
	expect_part("\"states\":{\"gated\":1},");
	expect_part("\"pod\":\"typo\",\"count\":1,\"states\":{\"other scheduler\":1},");
	expect_part(
		"\"scheduler\":\"berht\",\"reason\":\"no profile of this scheduler has the name");
	expect_no_part("no memory");
}

/* They wait all the same, and nothing else would tell that they are there. */
static void test_pending_when_not_even_names_are_kept_then_they_are_counted(void)
{
	bed_scheduler.pressure.missing = 7;
	bed_get("/berth/v1/pending");
	expect_part("{\"count\":7,\"states\":{\"no memory\":7},\"reason\":");
	bed_get("/berth/v1/overview");
	expect_part("\"noMemory\":7,");
	expect_part("\"otherSchedulers\":0}");
}

static void test_overview_when_there_is_a_notice_then_it_is_there_and_bounded(void)
{
	static char notice[5000];
	bed_get("/berth/v1/overview");
	expect_no_part("notice");
	bed_options.notice = "berth.conf line 3: 'a\"<b>' is not one of the keys";
	bed_get("/berth/v1/overview");
	expect_part("\"notice\":\"berth.conf line 3: 'a\\\"");
	memset(notice, '\1', sizeof(notice) - 1);
	bed_options.notice = notice;
	bed_get("/berth/v1/overview");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("\"loss\":{");
	bed_options.notice = NULL;
}

static void test_pending_when_asked_again_then_it_is_made_anew_each_second(void)
{
	bed_get("/berth/v1/pending");
	add_replicas("web", 2, "");
	bed_get("/berth/v1/pending");
	expect_no_part("web");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/pending");
	expect_part("\"count\":2,\"states\":{\"active\":2}");
	uint32_t gone = cache_find_pod(&bed_scheduler.cache, TEXT("d"), TEXT("web-1"));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_pod(&bed_scheduler.cache, gone));
	bed_get("/berth/v1/pending"); /* the one that stands for them is gone */
	expect_no_part("web");
	expect_part("small");
}

static void test_pending_when_there_are_too_many_owners_then_the_rest_is_counted(void)
{
	char name[32];
	char spec[32];
	char more[256];
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		snprintf(more, sizeof(more),
			"'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':"
			"'o','uid':'%d','controller':true}],",
			i % 100);
		snprintf(spec, sizeof(spec), "'priority':%d,", i / 100);
		add_pod(name, more, spec);
	}
	bed_get("/berth/v1/pending");
	expect_part("{\"count\":46,\"states\":{\"more\":46},\"reason\":");
	bed_add(KUBE_POD,
		"{'metadata':{'name':'late','namespace':'quiet','uid':'q','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c'}]}}");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/pending");
	expect_part("\"namespace\":\"quiet\"");
}

/* ---- history ---- */

static void note(enum history_kind kind, const char *pod, const char *node, const char *words)
{
	bed_loopback.now_us += CLOCK_S_US;
	history_append(&bed_scheduler.history,
		&(struct history_event){.at = clock_wall(&bed_scheduler.setup.clock),
			.kind = kind,
			.pod = text_of(pod),
			.node = text_of(node),
			.words = text_of(words),
			.feasible = 3,
			.took_us = 12});
}

static void test_history_when_minutes_pass_then_there_are_samples(void)
{
	bed_get("/berth/v1/history");
	expect_part("{\"minutes\":682,\"events\":10000,\"bytes\":32800,\"eventsKept\":0,"
		    "\"oldestEventMs\":0,\"columns\":[\"atMs\",\"pending\",");
	expect_part("\"samples\":[\n]}\n");
	bed_scheduler.stats.bound = 7;
	history_count_decision(&bed_scheduler.history, 100);
	for (int minute = 0; minute < 3; minute++) {
		for (int i = 0; i < 60; i++) {
			bed_loopback.now_us += CLOCK_S_US;
			bed_turns(1);
		}
		bed_scheduler.stats.bound += 2;
	}
	int64_t first = bed_scheduler.history.samples;
	TEST_ASSERT_EQUAL_INT64(3, first);
	const struct history_sample *s = history_sample_at(&bed_scheduler.history, 2);
	TEST_ASSERT_EQUAL_INT64(0, s->at_s % 60);
	TEST_ASSERT_EQUAL_UINT32(7, s->bound);
	TEST_ASSERT_EQUAL_UINT32(2, history_sample_at(&bed_scheduler.history, 1)->bound);
	TEST_ASSERT_EQUAL_UINT32(2, s->pending);
	bed_get("/berth/v1/history?to=1790000040000");
	expect_part("\"samples\":[\n[1790000040000,2,7,0,0,0,0,0,0,112,112,0]\n]}\n");
	bed_get("/berth/v1/history?from=1790000100000&to=1790000100000");
	expect_part("\"samples\":[\n[1790000100000,2,2,0,0,0,0,0,0,0,0,0]\n]}\n");
	bed_get("/berth/v1/history?from=1790000160001&to=nonsense");
	expect_part("\"samples\":[\n]}\n");
}

static void test_events_when_they_are_filtered_then_the_others_are_left_out(void)
{
	note(HISTORY_SCHEDULED, "d/web", "n1", "[[\"n1\",312],[\"n2\",300]]");
	note(HISTORY_UNSCHEDULABLE, "d/big", "", "0/3 \"nodes\" <b>");
	note(HISTORY_PREEMPTION, "d/vip", "n2", "d/a, d/b");
	note(HISTORY_NODE, "", "n3", "not ready");
	bed_get("/berth/v1/history/events");
	expect_part(
		"[\n{\"serial\":4,\"atMs\":1790000004001,\"kind\":\"node\",\"node\":\"n3\","
		"\"message\":\"not ready\"},\n{\"serial\":3,\"atMs\":1790000003001,\"kind\":"
		"\"preemption\",\"pod\":\"d/vip\",\"node\":\"n2\",\"victims\":\"d/a, d/b\"},\n");
	expect_part("\"kind\":\"unschedulable\",\"pod\":\"d/big\",\"feasible\":3,\"tookUs\":12,"
		    "\"message\":\"0/3 \\\"nodes\\\" <b>\"},\n");
	expect_part("\"best\":[[\"n1\",312],[\"n2\",300]]}\n]\n");
	bed_get("/berth/v1/history/events?kind=node,scheduled&before=4");
	expect_part("[\n{\"serial\":1,");
	bed_get("/berth/v1/history/events?from=1790000002000&to=1790000002999");
	expect_part("[\n{\"serial\":2,");
	expect_no_part("\"serial\":1,");
	bed_get("/berth/v1/history/events?q=d%2Fb");
	expect_part("\"serial\":3,");
	expect_part("\"serial\":2,");
	expect_no_part("\"serial\":4,");
	bed_get("/berth/v1/history/events?limit=1&kind=nothing");
	expect_part("[]\n");
	for (int i = 0; i < 2000; i++)
		note(HISTORY_UNSCHEDULABLE, "d/many", "", "no");
	bed_get("/berth/v1/history/events?limit=2000");
	expect_part("[\n{\"serial\":2004,");
	expect_no_part("\"serial\":4,");
}

/* ---- what is recorded of decisions ---- */

static void test_record_when_pods_are_decided_then_log_and_history_have_them(void)
{
	char heard[8192];
	int ends[2];
	TEST_ASSERT_EQUAL(0, pipe(ends));
	sink_open(&bed_scheduler.decision_log, ends[1]);
	for (int i = 0; i < 5; i++)
		scheduler_turn(&bed_scheduler, 0);
	TEST_ASSERT_EQUAL_UINT64(2, bed_scheduler.metrics.serial);
	TEST_ASSERT_EQUAL(0, close(ends[1]));
	sink_open(&bed_scheduler.decision_log, 0);
	ssize_t size = read(ends[0], heard, sizeof(heard) - 1);
	TEST_ASSERT_TRUE(size > 0);
	heard[size] = '\0';
	TEST_ASSERT_EQUAL(0, close(ends[0]));
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "{\"time\":\"2026-09-21T"), heard);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard,
					     "\"pod\":\"d/big\",\"result\":\"unschedulable\","
					     "\"reason\":\"0/3 nodes are available: "),
		heard);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard,
					     "\"pod\":\"d/small\",\"result\":\"scheduled\","
					     "\"node\":\"n1\",\"scores\":[[\"n1\","),
		heard);
	TEST_ASSERT_NOT_NULL_MESSAGE(strstr(heard, "],[\"n2\","), heard);
	bed_get("/berth/v1/history/events?kind=scheduled,unschedulable");
	expect_part("\"kind\":\"scheduled\",\"pod\":\"d/small\",\"node\":\"n1\",\"feasible\":2,");
	expect_part("\"best\":[[\"n1\",");
	expect_part("\"kind\":\"unschedulable\",\"pod\":\"d/big\",");
}

/* ---- the loss of a node ---- */

static void add_sized(const char *name, const char *node, const char *cpu, const char *more)
{
	char json[1024];
	snprintf(json, sizeof(json),
		"{'metadata':{'name':'%s','namespace':'d','uid':'u-%s','labels':{'app':'%.1s'},%s"
		"'resourceVersion':'1'},'spec':{'nodeName':'%s','schedulerName':"
		"'default-scheduler','containers':[{'name':'c','resources':{'requests':{'cpu':"
		"'%s'}}}]}}",
		name, name, name, more, node, cpu);
	bed_add(KUBE_POD, json);
}

/* Nodes of 4 CPUs; n3 tolerates nobody. */
static void fill_nodes(void)
{
	add_sized("a-1", "n1", "1", "");
	add_sized("a-2", "n1", "2", "");
	add_sized("b-1", "n1", "1",
		"'ownerReferences':[{'apiVersion':'apps/v1','kind':'DaemonSet','name':'b',"
		"'uid':'b','controller':true}],");
	add_sized("c-1", "n2", "2", "");
	bed_add(KUBE_PDB,
		"{'metadata':{'name':'pdb-a','namespace':'d','uid':'pdb','resourceVersion':'1'},"
		"'spec':{'selector':{'matchLabels':{'app':'a'}}},"
		"'status':{'disruptionsAllowed':0}}");
}

static void test_loss_when_pods_find_no_place_then_it_is_said_why(void)
{
	fill_nodes();
	bed_get("/berth/v1/nodes/n1/loss");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part(
		"{\"node\":\"n1\",\"pods\":[\n{\"namespace\":\"d\",\"name\":\"a-1\",\"priority\":0,"
		"\"to\":\"n2\",\"budget\":\"pdb-a\",\"allowed\":0},\n{\"namespace\":\"d\",\"name\":"
		"\"a-2\",\"priority\":0,\"reason\":\"0/3 nodes are available: ");
	expect_part("1 Insufficient cpu");
	expect_part("\n],\"moves\":1,\"stuck\":1,\"stays\":1,\"blocked\":2,\"more\":0,\"survives\":"
		    "false}"
		    "\n");
	scheduler_audit(&bed_scheduler);
	bed_get("/berth/v1/nodes/n2/loss"); /* too soon */
	TEST_ASSERT_EQUAL_UINT32(503, bed_code());
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/nodes/n2/loss");
	expect_part("\"stuck\":1,\"stays\":0,\"blocked\":0,\"more\":0,\"survives\":false}");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/nodes/n3/loss");
	expect_part("{\"node\":\"n3\",\"pods\":[\n],\"moves\":0,\"stuck\":0,");
	expect_part("\"survives\":true}\n");
}

static void test_loss_when_time_is_short_then_slices_come_to_the_same(void)
{
	static char whole[8192];
	char name[32];
	fill_nodes();
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "e-%d", i);
		add_sized(name, "n3", i % 3 == 0 ? "300m" : "150m", "");
	}
	bed_get("/berth/v1/nodes/n3/loss");
	snprintf(whole, sizeof(whole), "%s", bed_body());
	TEST_ASSERT_NOT_NULL(strstr(whole, "\"to\":\"n2\""));
	TEST_ASSERT_NOT_NULL(strstr(whole, "\"reason\":"));
	bed_loopback.now_us += CLOCK_S_US;
	bed_tick_us = 600; /* a slice has time for one pod */
	bed_ticks = 0;
	bed_get("/berth/v1/nodes/n3/loss");
	bed_tick_us = 0;
	TEST_ASSERT_TRUE(bed_ticks > 40);
	TEST_ASSERT_EQUAL_STRING(whole, bed_body());
	scheduler_audit(&bed_scheduler);
}

static void wait_s(int seconds)
{
	for (int i = 0; i < seconds * 100; i++) {
		bed_loopback.now_us += CLOCK_S_US / 100;
		bed_turns(1);
	}
}

static void test_loss_when_nodes_are_looked_at_in_turn_then_the_number_is_there(void)
{
	fill_nodes();
	bed_get("/berth/v1/overview");
	expect_part("\"loss\":{\"nodes\":3,\"known\":0,\"survives\":0,\"first\":[]}}");
	wait_s(10);
	bed_get("/berth/v1/overview");
	expect_part("\"loss\":{\"nodes\":3,\"known\":3,\"survives\":1,\"first\":[\"n1\",\"n2\"]}}");
	bed_get("/berth/v1/loss");
	expect_part("[\n{\"node\":\"n1\",\"moves\":1,\"stuck\":1,\"ageS\":");
	expect_part("},\n{\"node\":\"n3\",\"moves\":0,\"stuck\":0,\"ageS\":");
	uint64_t changes = bed_scheduler.cache.change_count;
	wait_s(20); /* nothing has changed: nothing is done */
	TEST_ASSERT_EQUAL_UINT64(changes, bed_scheduler.cache.change_count);
	uint32_t gone = cache_find_pod(&bed_scheduler.cache, TEXT("d"), TEXT("c-1"));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_pod(&bed_scheduler.cache, gone));
	scheduler_requeue_for_changes(&bed_scheduler);
	wait_s(10);
	bed_get("/berth/v1/overview");
	expect_part("\"known\":3,\"survives\":3,\"first\":[]}}");
}

static void test_loss_when_a_node_goes_meanwhile_then_nothing_breaks(void)
{
	fill_nodes();
	bed_tick_us = 600;
	struct bed_client *client = calloc(1, sizeof(*client));
	bed_dial(client);
	bed_say(client, "GET /berth/v1/nodes/n1/loss HTTP/1.1\r\nHost: localhost\r\n\r\n");
	bed_turns(3);
	uint32_t node = cache_find_node(&bed_scheduler.cache, TEXT("n1"));
	TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_node(&bed_scheduler.cache, node));
	scheduler_requeue_for_changes(&bed_scheduler);
	bed_turns(50);
	bed_hear(client);
	TEST_ASSERT_NOT_NULL(strstr(client->heard, "200 OK"));
	bed_hang_up(client);
	free(client);
	bed_tick_us = 0;
	wait_s(6);
	scheduler_audit(&bed_scheduler);
}

/* ---- better places ---- */

static void test_better_when_a_node_is_fuller_then_its_pods_would_go(void)
{
	fill_nodes();
	bed_get("/berth/v1/better?min=1");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("[\n{\"namespace\":\"d\",\"name\":\"a-1\",\"node\":\"n1\",\"score\":");
	expect_part("\"to\":\"n2\",\"best\":");
	TEST_ASSERT_NULL(strstr(bed_body(), "b-1")); /* of a DaemonSet */
	TEST_ASSERT_NULL(strstr(bed_body(), "c-1")); /* n1 has no space for it */
	scheduler_audit(&bed_scheduler);
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/better?min=1000");
	TEST_ASSERT_EQUAL_STRING("[]\n", bed_body());
	TEST_ASSERT_EQUAL_UINT32(0, bed_scheduler.cache.pods_assumed);
}

static void test_better_when_time_is_short_then_slices_come_to_the_same(void)
{
	static char whole[8192];
	char name[32];
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "e-%d", i);
		add_sized(name, "n1", "100m", "");
	}
	bed_get("/berth/v1/better?min=1");
	snprintf(whole, sizeof(whole), "%s", bed_body());
	TEST_ASSERT_NOT_NULL(strstr(whole, "e-19"));
	bed_loopback.now_us += CLOCK_S_US;
	bed_tick_us = 600;
	bed_ticks = 0;
	bed_get("/berth/v1/better?min=1");
	bed_tick_us = 0;
	TEST_ASSERT_TRUE(bed_ticks > 40);
	TEST_ASSERT_EQUAL_STRING(whole, bed_body());
	scheduler_audit(&bed_scheduler);
}

/* ---- a pod that runs ---- */

static void test_explain_when_a_pod_runs_then_its_place_is_compared(void)
{
	fill_nodes();
	note(HISTORY_SCHEDULED, "d/a-1", "n3", "[]"); /* of one of that name before it */
	note(HISTORY_SCHEDULED, "d/a-1", "n1", "[[\"n1\",300],[\"n2\",200]]");
	note(HISTORY_LOST, "d/a-1", "n1", "");
	scheduler_requeue_for_changes(&bed_scheduler);
	bed_get("/berth/v1/explain?pod=d/a-1");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("{\"rejected\":{");
	expect_part(",\"assigned\":{\"node\":\"n1\",\"score\":");
	expect_part(",\"to\":\"n2\",\"best\":");
	expect_part("\"stays\":false},\"decided\":{\"serial\":2,");
	expect_part("\"best\":[[\"n1\",300],[\"n2\",200]]},\"requests\":{");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/explain?pod=d/c-1"); /* no other has space, none is scored */
	expect_part("\"assigned\":{\"node\":\"n2\",\"score\":435,\"to\":\"n2\",\"best\":435,"
		    "\"stays\":true},\"requests\"");
	TEST_ASSERT_EQUAL_UINT64(0, cache_log_count(&bed_scheduler.cache));
	TEST_ASSERT_EQUAL_UINT32(0, bed_scheduler.cache.pods_assumed);
	scheduler_audit(&bed_scheduler);
	bed_loopback.now_us += CLOCK_S_US;
	add_pod("picky", "", "'nodeSelector':{'disk':'nvme','a':'b'},");
	bed_get("/berth/v1/explain?pod=d/picky");
	expect_part(",\"nodeSelector\":{\"a\":\"b\",\"disk\":\"nvme\"}}");
	/* A ghost node, for which nothing is known. */
	bed_loopback.now_us += CLOCK_S_US;
	add_pod("lost", "", "'nodeName':'n9',");
	bed_get("/berth/v1/explain?pod=d/lost");
	expect_part("\"assigned\":{\"node\":\"n9\",\"to\":");
	expect_part("\"stays\":false}");
	scheduler_audit(&bed_scheduler);
}

/* ---- headroom ---- */

static void test_headroom_when_asked_then_what_runs_out_first_is_said(void)
{
	fill_nodes();
	bed_get("/berth/v1/headroom?pod=d/small");
	TEST_ASSERT_EQUAL_UINT32(200, bed_code());
	expect_part("{\"fits\":2,\"isUpperBound\":false,\"feasible\":1,\"first\":{\"cpu\":1},"
		    "\"nodes\":[["
		    "\"n2\",2,\"cpu\"]]}\n");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/headroom?pod=d/a-2"); /* has a node, and keeps it */
	expect_part("{\"fits\":1,\"isUpperBound\":false,\"feasible\":1,");
	bed_loopback.now_us += CLOCK_S_US;
	bed_get("/berth/v1/headroom?pod=d/big");
	expect_part(
		"{\"fits\":0,\"isUpperBound\":false,\"feasible\":0,\"first\":{},\"nodes\":[]}\n");
	bed_get("/berth/v1/headroom?pod=d/nothing");
	TEST_ASSERT_EQUAL_UINT32(404, bed_code());
	bed_get("/berth/v1/headroom?pod=nothing");
	TEST_ASSERT_EQUAL_UINT32(400, bed_code());
	scheduler_audit(&bed_scheduler);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_node_when_asked_by_name_then_it_is_told_with_its_pods);
	RUN_TEST(test_node_when_it_is_not_ready_then_it_is_said_since_when);
	RUN_TEST(test_node_when_the_name_is_hostile_then_it_is_not_found);
	RUN_TEST(test_node_when_it_has_many_labels_then_all_are_told);
	RUN_TEST(test_pending_when_60_are_equal_then_they_are_one_row);
	RUN_TEST(test_pending_when_not_even_names_are_kept_then_they_are_counted);
	RUN_TEST(test_overview_when_there_is_a_notice_then_it_is_there_and_bounded);
	RUN_TEST(test_pending_when_asked_again_then_it_is_made_anew_each_second);
	RUN_TEST(test_pending_when_there_are_too_many_owners_then_the_rest_is_counted);
	RUN_TEST(test_history_when_minutes_pass_then_there_are_samples);
	RUN_TEST(test_events_when_they_are_filtered_then_the_others_are_left_out);
	RUN_TEST(test_record_when_pods_are_decided_then_log_and_history_have_them);
	RUN_TEST(test_loss_when_pods_find_no_place_then_it_is_said_why);
	RUN_TEST(test_loss_when_time_is_short_then_slices_come_to_the_same);
	RUN_TEST(test_loss_when_nodes_are_looked_at_in_turn_then_the_number_is_there);
	RUN_TEST(test_loss_when_a_node_goes_meanwhile_then_nothing_breaks);
	RUN_TEST(test_better_when_a_node_is_fuller_then_its_pods_would_go);
	RUN_TEST(test_better_when_time_is_short_then_slices_come_to_the_same);
	RUN_TEST(test_explain_when_a_pod_runs_then_its_place_is_compared);
	RUN_TEST(test_headroom_when_asked_then_what_runs_out_first_is_said);
	return UNITY_END();
}
