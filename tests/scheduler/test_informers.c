/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the watches tell, in a scheduler in virtual time: which kinds it comes to want, what it does
 * about objects that it cannot read, and how it compares its picture with a list.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <fcntl.h>
#include <stdio.h>

#include <unity.h>

#include "base/log.h"
#include "cache/feed.h"
#include "scheduler/cluster.h"

void setUp(void)
{
	cluster_open(NULL);
}

void tearDown(void)
{
	cluster_close();
}

/* ---- which kinds ---- */

enum {
	VOLUMES = WATCH_KIND(KUBE_PVC) | WATCH_KIND(KUBE_PV) | WATCH_KIND(KUBE_STORAGE_CLASS) |
		WATCH_KIND(KUBE_CSI_NODE) | WATCH_KIND(KUBE_CSI_DRIVER) |
		WATCH_KIND(KUBE_CSI_CAPACITY) | WATCH_KIND(KUBE_VOLUME_ATTACHMENT),
	OWNERS = WATCH_KIND(KUBE_SERVICE) | WATCH_KIND(KUBE_REPLICATION_CONTROLLER) |
		WATCH_KIND(KUBE_REPLICA_SET) | WATCH_KIND(KUBE_STATEFUL_SET)
};

#define TERM(selector) \
	"{'topologyKey':'zone','labelSelector':{'matchLabels':{'a':'b'}}" selector "}"
#define PREFERRED(kind)                                                                        \
	"'affinity':{'" kind "':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight'" \
	":1,'podAffinityTerm':" TERM(",'namespaceSelector':{}") "}]}}"
#define REQUIRED(kind, selector) \
	"'affinity':{'" kind     \
	"':{'requiredDuringSchedulingIgnoredDuringExecution':[" TERM(selector) "]}}"

static void test_kinds_are_wanted_when_a_pod_needs_them(void)
{
	static const struct {
		const char *labels, *spec;
		uint32_t kinds;
	} pods[] = {
		{"", "", 0},
		{"", "'volumes':[{'name':'v','emptyDir':{}}]", 0},
		{"", "'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]", VOLUMES},
		{"", "'volumes':[{'name':'v','ephemeral':{'volumeClaimTemplate':{}}}]", VOLUMES},
		{"", "'volumes':[{'name':'v','csi':{'driver':'d'}}]", VOLUMES},
		{"", REQUIRED("podAffinity", ""), 0},
		{"", REQUIRED("podAffinity", ",'namespaceSelector':{}"),
			WATCH_KIND(KUBE_NAMESPACE)},
		{"", REQUIRED("podAntiAffinity", ",'namespaceSelector':{}"),
			WATCH_KIND(KUBE_NAMESPACE)},
		{"", PREFERRED("podAffinity"), WATCH_KIND(KUBE_NAMESPACE)},
		{"", PREFERRED("podAntiAffinity"), WATCH_KIND(KUBE_NAMESPACE)},
		{"'app':'web'", "", OWNERS}, /* the default constraints spread it */
		{"'app':'web'", "'nodeName':'n1'", 0},
		{"'app':'web'", "'schedulerName':'another'", 0},
		{"'app':'web'",
			"'topologySpreadConstraints':[{'topologyKey':'zone','maxSkew':1,"
			"'whenUnsatisfiable':'DoNotSchedule'}]",
			0},
	};
	uint32_t before = cluster.s.sync.wanted;
	for (size_t i = 0; i < ARRAY_COUNT(pods); i++) {
		tearDown();
		setUp();
		cluster_feed(KUBE_POD,
			"{'metadata':{'name':'p','namespace':'default','uid':'p','labels':{%s}},"
			"'spec':{%s}}",
			pods[i].labels, pods[i].spec);
		TEST_ASSERT_EQUAL_HEX32_MESSAGE(
			pods[i].kinds, cluster.s.sync.wanted & ~before, pods[i].spec);
	}
}

/* Without default constraints nobody asks for services. */
static void test_a_profile_without_default_constraints(void)
{
	uint32_t before = cluster.s.sync.wanted;
	PLUGIN_ARGS_OF(&cluster.profile, SPREAD, spread_args)->is_list = true;
	PLUGIN_ARGS_OF(&cluster.profile, SPREAD, spread_args)->constraint_count = 0;
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','labels':{"
		"'app':'web'}},'spec':{}}");
	TEST_ASSERT_EQUAL_HEX32(before, cluster.s.sync.wanted);
}

/* ---- what cannot be read ---- */

#define BAD_CPU "'containers':[{'name':'c','resources':{'requests':{'cpu':'much'}}}]"

static bool tell(enum kube_kind kind, const char *json)
{
	return cluster_tell(kind, KUBE_WATCH_ADDED, json);
}

static void tell_list(enum kube_kind kind, const char *json)
{
	cluster.sink.list_begin(cluster.sink.self, kind);
	if (json != NULL)
		(void)tell(kind, json);
	cluster.sink.list_end(cluster.sink.self, kind);
}

static enum scheduler_wait waits(void)
{
	return scheduler_waits(&cluster.s, net_now(cluster.bed.net));
}

static bool is_there(const char *name)
{
	return cache_find_pod(&cluster.s.cache, TEXT("default"), text_of(name)) != 0;
}

/* It takes room that nobody sees: its node is closed, all others go on. */
static void test_a_pod_on_a_node_that_cannot_be_read(void)
{
	TEST_ASSERT_FALSE(tell(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default'},'spec':{"
		"'nodeName':'n1'," BAD_CPU "}}"));
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	for (int i = 0; i < 3; i++) {
		char name[16];
		snprintf(name, sizeof(name), "q%d", i);
		cluster_add_pod(name, false, "100m", "");
		cluster_run(1000);
		TEST_ASSERT_EQUAL('n', cluster_bound_to(name)[0]);
		TEST_ASSERT_NOT_EQUAL('1', cluster_bound_to(name)[1]);
	}
	/* A list with it changes nothing, and neither does one of a node that is not there. */
	tell_list(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default'},'spec':{"
		"'nodeName':'n1'," BAD_CPU "}}");
	uint32_t n1 = cache_find_node(&cluster.s.cache, TEXT("n1"));
	TEST_ASSERT_EQUAL_UINT32(1, cache_node_at(&cluster.s.cache, n1)->unread_pods);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	tell_list(KUBE_POD, NULL);
	TEST_ASSERT_EQUAL_UINT32(0, cache_node_at(&cluster.s.cache, n1)->unread_pods);
}

/* Who waits for a node gets it when the pod goes, or is understood. */
static void test_a_closed_node_opens_again(void)
{
	for (int i = 0; i < 2; i++) {
		const char *name = i == 0 ? "a" : "b";
		for (int n = 1; n <= 3; n++) {
			char json[256];
			snprintf(json, sizeof(json),
				"{'metadata':{'name':'p%d','namespace':'default'},'spec':{"
				"'nodeName':'n%d'," BAD_CPU "}}",
				n, n);
			TEST_ASSERT_FALSE(tell(KUBE_POD, json));
		}
		cluster_add_pod(name, false, "100m", "");
		cluster_run(15 * 1000);
		TEST_ASSERT_EQUAL_STRING("", cluster_bound_to(name));
		if (i == 0)
			TEST_ASSERT_TRUE(cluster_tell(KUBE_POD, KUBE_WATCH_DELETED,
				"{'metadata':{'name':'p1','namespace':'default'}}"));
		else
			cluster_add_pod("p1", false, "1", "n1");
		cluster_run(2000);
		TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to(name));
	}
}

/* One that has a place keeps it, as it was read last. */
static void test_an_update_that_cannot_be_read(void)
{
	cluster_add_pod("p", false, "1", "n1");
	TEST_ASSERT_FALSE(tell(
		KUBE_POD, "{'metadata':{'name':'p','namespace':'default'},'spec':{" BAD_CPU "}}"));
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	TEST_ASSERT_TRUE(is_there("p"));
	uint32_t n1 = cache_find_node(&cluster.s.cache, TEXT("n1"));
	TEST_ASSERT_EQUAL_UINT32(1, cache_node_at(&cluster.s.cache, n1)->unread_pods);
}

/* A pod without a place harms nobody; what was known of it is not true any more. */
static void test_a_pending_pod_that_cannot_be_read(void)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p'},'spec':{"
		"'schedulingGates':[{'name':'g'}]}}");
	TEST_ASSERT_TRUE(is_there("p"));
	TEST_ASSERT_FALSE(tell(
		KUBE_POD, "{'metadata':{'name':'p','namespace':'default'},'spec':{" BAD_CPU "}}"));
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	TEST_ASSERT_FALSE(is_there("p"));
}

static void test_a_node_that_cannot_be_read(void)
{
	cluster_add_pod("p", false, "1", "");
	for (char name[] = "n1"; name[1] <= '3'; name[1]++) {
		char json[128];
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'%s'},'status':{'allocatable':{'cpu':'much'}}}", name);
		TEST_ASSERT_FALSE(tell(KUBE_NODE, json));
	}
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	TEST_ASSERT_EQUAL(0, cluster.s.cache.order.count);
	TEST_ASSERT_EQUAL_HEX32(WATCH_KIND(KUBE_NODE), cluster.s.sync.damaged);
	cluster_run(500);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	tell_list(KUBE_NODE,
		"{'metadata':{'name':'n9'},'status':{'allocatable':{'cpu':'4',"
		"'pods':'9'}}}");
	TEST_ASSERT_EQUAL_HEX32(0, cluster.s.sync.damaged);
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n9", cluster_bound_to("p"));
}

/* What finds no room is asked for again, less and less. */
static void test_more_nodes_than_there_is_room_for(void)
{
	bool taken = true;
	for (uint32_t i = 4; i < 40 && taken; i++) {
		char json[128];
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'n%u'},'status':{'allocatable':{'cpu':'4'}}}", i);
		taken = tell(KUBE_NODE, json);
	}
	TEST_ASSERT_FALSE(taken);
	TEST_ASSERT_EQUAL(16, cluster.s.cache.order.count);
	TEST_ASSERT_EQUAL_HEX32(WATCH_KIND(KUBE_NODE), cluster.s.sync.lacking);
	uint32_t first_ms = cluster.s.sync.relist_ms;
	TEST_ASSERT_TRUE(first_ms > SCHEDULER_RELIST_MS);
	TEST_ASSERT_TRUE(net_timer_is_armed(&cluster.s.sync.relist));
	cluster_run(2 * SCHEDULER_RELIST_MS);
	TEST_ASSERT_FALSE(net_timer_is_armed(&cluster.s.sync.relist));
	TEST_ASSERT_FALSE(tell(KUBE_NODE, "{'metadata':{'name':'n99'},'status':{}}"));
	TEST_ASSERT_TRUE(cluster.s.sync.relist_ms > first_ms);
	tell_list(KUBE_NODE, NULL);
	TEST_ASSERT_EQUAL_HEX32(0, cluster.s.sync.lacking);
	TEST_ASSERT_EQUAL(SCHEDULER_RELIST_MS, cluster.s.sync.relist_ms);
}

static bool tell_node(enum kube_watch_type type, uint32_t number)
{
	char json[128];
	snprintf(json, sizeof(json),
		"{'metadata':{'name':'n%u'},'status':{'allocatable':{'cpu':'4'}}}",
		(unsigned)number);
	return cluster_tell(KUBE_NODE, type, json);
}

/* However long the next pause would be: when as many have gone, all are asked for soon. */
static void test_room_for_what_found_none(void)
{
	for (uint32_t i = 4; i <= 16; i++)
		TEST_ASSERT_TRUE(tell_node(KUBE_WATCH_ADDED, i));
	cluster.s.sync.relist_ms = SCHEDULER_RELIST_MAX_MS;
	TEST_ASSERT_FALSE(tell_node(KUBE_WATCH_ADDED, 17));
	TEST_ASSERT_FALSE(tell_node(KUBE_WATCH_ADDED, 18));
	TEST_ASSERT_TRUE(tell_node(KUBE_WATCH_DELETED, 4));
	cluster_run(2 * SCHEDULER_RELIST_MS);
	TEST_ASSERT_TRUE(net_timer_is_armed(&cluster.s.sync.relist));
	/* One that found no room is no longer to be found a place for, either. */
	TEST_ASSERT_TRUE(tell_node(KUBE_WATCH_DELETED, 18));
	cluster_run(SCHEDULER_RELIST_MS + 1000);
	TEST_ASSERT_FALSE(net_timer_is_armed(&cluster.s.sync.relist));
}

static void too_big_named(const char *name, const char *json)
{
	struct watch_too_big object = {
		.kind = KUBE_POD, .type = KUBE_WATCH_ADDED, .name = text_of(name)};
	char text[256];
	snprintf(text, sizeof(text), "%s", json);
	TEST_ASSERT_EQUAL(
		JSON_PARSED, json_parse(text_of(text), &cluster.bed.scratch, &object.value));
	cluster.sink.too_big(cluster.sink.self, &object);
	scratch_reset(&cluster.bed.scratch);
}

static void too_big_pod(const char *json)
{
	too_big_named("default/q", json);
}

/* People are told, once; a version that can be read heals it, and so does its end. */
static void test_informers_when_a_waiting_pod_is_unreadable_then_it_is_told_about_once(void)
{
	static const char big[] = "{\"metadata\":{\"name\":\"q\",\"namespace\":\"default\",\"uid\":"
				  "\"11111111-2222-3333-4444-555555555555\"},"
				  "\"spec\":{\"schedulerName\":\"default-scheduler\"}}";
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	struct bed_script *status =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/q/status", "{}");
	event->status = 201;
	for (int i = 0; i < 3; i++) {
		too_big_pod(big);
		cluster_run(100);
	}
	TEST_ASSERT_EQUAL_UINT32(1, event->asked);
	TEST_ASSERT_EQUAL_UINT32(1, status->asked);
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "cannot read this pod"));
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "11111111-2222-3333-4444-555555555555"));
	TEST_ASSERT_NOT_NULL(strstr(status->seen, "SchedulerError"));
	TEST_ASSERT_EQUAL_UINT32(1, scheduler_pods_pending(&cluster.s));
	cluster_add_pod("q", false, "1", "");
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.cache.unreads.pending);
	TEST_ASSERT_TRUE(is_there("q"));
	cluster_run(100);
	TEST_ASSERT_NOT_EQUAL(0, strcmp("", cluster_bound_to("q")));
	/* Of another scheduler: nobody's business here. */
	too_big_pod("{\"metadata\":{\"name\":\"q\"},\"spec\":{\"schedulerName\":\"x\"}}");
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.cache.unreads.pending);
}

/* More at once than there is room for in patches and events: the others have theirs after them. */
static void test_informers_when_many_pods_are_unreadable_then_each_is_reported(void)
{
	char name[32];
	const uint32_t pods = 2 * cluster_limits.patches;
	for (uint32_t i = 0; i < pods; i++) {
		snprintf(name, sizeof(name), "default/q%u", (unsigned)i);
		too_big_named(name, "{\"spec\":{\"schedulerName\":\"default-scheduler\"}}");
	}
	TEST_ASSERT_EQUAL_UINT32(pods, cluster.s.cache.unreads.pending);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cluster.s.cache.unreads.unreported);
	cluster_run(5000);
	TEST_ASSERT_EQUAL_UINT32(0, cluster.s.cache.unreads.unreported);
	struct status_patcher_stats patches = status_patcher_stats(cluster.s.status_patcher);
	TEST_ASSERT_EQUAL_UINT64(pods, patches.sent + patches.failed + patches.patches);
}

static void test_informers_when_a_placed_pod_is_unreadable_then_an_event_says_so(void)
{
	struct bed_script *event =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/events", "{}");
	event->status = 201;
	for (int i = 0; i < 2; i++)
		too_big_pod("{\"metadata\":{\"name\":\"q\"},\"spec\":{\"nodeName\":\"n1\"}}");
	cluster_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, event->asked);
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "NodeClosed"));
	TEST_ASSERT_NOT_NULL(strstr(event->seen, "node n1"));
}

static void test_objects_that_are_too_big(void)
{
	const struct watch_sink *sink = &cluster.sink;
	cluster_add_pod("p", false, "1", "n1");
	sink->too_big(sink->self,
		&(struct watch_too_big){
			.kind = KUBE_NODE, .type = KUBE_WATCH_MODIFIED, .name = TEXT("n3")});
	TEST_ASSERT_EQUAL(2, cluster.s.cache.order.count);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	sink->too_big(sink->self,
		&(struct watch_too_big){
			.kind = KUBE_POD, .type = KUBE_WATCH_DELETED, .name = TEXT("default/p")});
	TEST_ASSERT_FALSE(is_there("p"));
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	/* What is left of it says where it is: of nobody's concern as long as it has no place. */
	too_big_pod("{\"metadata\":{\"name\":\"q\"},\"spec\":{}}");
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	uint32_t n1 = cache_find_node(&cluster.s.cache, TEXT("n1"));
	TEST_ASSERT_EQUAL_UINT32(0, cache_node_at(&cluster.s.cache, n1)->unread_pods);
	too_big_pod("{\"metadata\":{\"name\":\"q\"},\"spec\":{\"nodeName\":\"n1\"}}");
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
	TEST_ASSERT_EQUAL_UINT32(1, cache_node_at(&cluster.s.cache, n1)->unread_pods);
	sink->too_big(sink->self,
		&(struct watch_too_big){
			.kind = KUBE_POD, .type = KUBE_WATCH_DELETED, .name = TEXT("default/q")});
	TEST_ASSERT_EQUAL_UINT32(0, cache_node_at(&cluster.s.cache, n1)->unread_pods);
	/* Nothing is left: it may be anywhere. */
	sink->too_big(sink->self,
		&(struct watch_too_big){
			.kind = KUBE_POD, .type = KUBE_WATCH_ADDED, .name = TEXT("default/q")});
	TEST_ASSERT_EQUAL(SCHEDULER_INCOMPLETE, waits());
	tell_list(KUBE_POD, NULL);
	TEST_ASSERT_EQUAL(SCHEDULER_READY, waits());
}

static void claim_comes(enum kube_watch_type type, const char *name, bool is_big)
{
	char full[64], json[256];
	snprintf(full, sizeof(full), "default/%s", name);
	snprintf(json, sizeof(json),
		"{'metadata':{'name':'%s','namespace':'default'},'spec':{'volumeName':'v'}}", name);
	if (is_big)
		cluster.sink.too_big(cluster.sink.self,
			&(struct watch_too_big){
				.kind = KUBE_PVC, .type = type, .name = text_of(full)});
	else
		TEST_ASSERT_TRUE(cluster_tell(KUBE_PVC, type, json));
}

/* What cannot be read of a kind is so until the last such object can be, or is gone. */
static void test_informers_when_objects_heal_then_their_kind_is_complete(void)
{
	const struct cache *cache = &cluster.s.cache;
	claim_comes(KUBE_WATCH_ADDED, "a", true);
	claim_comes(KUBE_WATCH_ADDED, "b", true);
	claim_comes(KUBE_WATCH_MODIFIED, "b", true);
	claim_comes(KUBE_WATCH_ADDED, "c", false);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cache->incomplete);
	claim_comes(KUBE_WATCH_MODIFIED, "a", false);
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cache->incomplete);
	claim_comes(KUBE_WATCH_DELETED, "b", true);
	TEST_ASSERT_EQUAL_UINT32(0, cache->incomplete);
	/* With more than are remembered it takes a list. */
	char name[16];
	for (int i = 0; i <= CACHE_MISSING; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		claim_comes(KUBE_WATCH_ADDED, name, true);
	}
	for (int i = 0; i <= CACHE_MISSING; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		claim_comes(KUBE_WATCH_DELETED, name, false);
	}
	TEST_ASSERT_NOT_EQUAL_UINT32(0, cache->incomplete);
	tell_list(KUBE_PVC, NULL);
	TEST_ASSERT_EQUAL_UINT32(0, cache->incomplete);
	/* A node that can be read again is a node again. */
	cluster.sink.too_big(cluster.sink.self,
		&(struct watch_too_big){
			.kind = KUBE_NODE, .type = KUBE_WATCH_MODIFIED, .name = TEXT("n3")});
	TEST_ASSERT_NOT_EQUAL_UINT32(0, scheduler_kinds_damaged(&cluster.s));
	cluster_add_node("n3", "9");
	TEST_ASSERT_EQUAL_UINT32(0, scheduler_kinds_damaged(&cluster.s));
	TEST_ASSERT_EQUAL(3, cache->order.count);
}

static const char *words_about_the_last_pod(void)
{
	const struct scheduler_metrics *m = &cluster.s.metrics;
	return scheduler_record_at(m, m->serial)->words;
}

static void add_claimant(const char *name)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c'}],'volumes'"
		":[{'name':'v','persistentVolumeClaim':{'claimName':'odd'}}]}}",
		name, name);
	cluster_run(1000);
}

/* A claim that is there is never said not to be found. */
static void test_a_claim_that_cannot_be_kept_is_not_missing(void)
{
	cluster.sink.too_big(cluster.sink.self,
		&(struct watch_too_big){
			.kind = KUBE_PVC, .type = KUBE_WATCH_ADDED, .name = TEXT("default/odd")});
	add_claimant("p");
	TEST_ASSERT_NOT_NULL(strstr(words_about_the_last_pod(),
		"persistentvolumeclaim \"odd\" is not known: some objects of its kind could not"));
	tell_list(KUBE_PVC, NULL);
	add_claimant("q");
	TEST_ASSERT_NOT_NULL(
		strstr(words_about_the_last_pod(), "persistentvolumeclaim \"odd\" not found"));
}

/* ---- the picture against a list ---- */

static void test_a_picture_that_is_right(void)
{
	cluster_add_pod("p", false, "1", "n1");
	scheduler_dump(&cluster.s);
	TEST_ASSERT_EQUAL_HEX32(
		WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE), cluster.s.sync.compare_left);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_add_pod("p", false, "1", "n1");
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_EQUAL_HEX32(WATCH_KIND(KUBE_NODE), cluster.s.sync.compare_left);
	TEST_ASSERT_TRUE(is_there("p"));
}

static void test_a_picture_that_is_wrong(void)
{
	cluster_add_pod("p", false, "1", "n1");
	cluster_add_pod("waits", false, "9", "");
	cluster_run(100);
	scheduler_dump(&cluster.s);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_add_pod("q", false, "1", "n1");
	TEST_ASSERT_EQUAL(1, cluster.s.sync.missed);
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_FALSE(is_there("p"));
	TEST_ASSERT_FALSE(is_there("waits"));
	TEST_ASSERT_TRUE(is_there("q"));
	TEST_ASSERT_EQUAL(0, cluster.s.sync.missed);
	cluster.sink.list_begin(cluster.sink.self, KUBE_NODE);
	cluster_add_node("n1", "1");
	cluster_add_node("n4", "1");
	TEST_ASSERT_EQUAL(1, cluster.s.sync.missed);
	cluster.sink.list_end(cluster.sink.self, KUBE_NODE);
	TEST_ASSERT_EQUAL(2, cluster.s.cache.order.count);
	TEST_ASSERT_EQUAL_HEX32(0, cluster.s.sync.compare_left);
}

/* Nodes come and go while pods are listed; that is no difference, and not one of the pods. */
static void test_kinds_are_compared_one_after_the_other(void)
{
	scheduler_dump(&cluster.s);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_add_pod("p", false, "1", "n1");
	TEST_ASSERT_EQUAL(1, cluster.s.sync.missed);
	cluster_add_node("n4", "1");
	TEST_ASSERT_EQUAL(1, cluster.s.sync.missed);
	/* The list breaks off and begins anew. */
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_add_pod("p", false, "1", "n1");
	TEST_ASSERT_EQUAL(0, cluster.s.sync.missed);
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	TEST_ASSERT_EQUAL_HEX32(WATCH_KIND(KUBE_NODE), cluster.s.sync.compare_left);
	cluster.sink.list_begin(cluster.sink.self, KUBE_NODE);
	for (char name[] = "n1"; name[1] <= '4'; name[1]++)
		cluster_add_node(name, "1");
	TEST_ASSERT_EQUAL(0, cluster.s.sync.missed);
	cluster.sink.list_end(cluster.sink.self, KUBE_NODE);
	TEST_ASSERT_EQUAL_HEX32(0, cluster.s.sync.compare_left);
}

/* ---- pods that go ---- */

/* The server was away, and may have lost what it had last. Its list shows a pod without a node. */
static uint32_t bindings_when_the_list_is_asked_for(bool after)
{
	struct bed_script *binding =
		bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}");

	if (!after)
		cluster.sink.list_asked(cluster.sink.self, KUBE_POD);
	cluster_add_pod("p", false, "1", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, binding->asked);
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.bindings.pool));
	if (after)
		cluster.sink.list_asked(cluster.sink.self, KUBE_POD);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster.s.sync.distrusts = true;
	cluster_add_pod("p", false, "1", "");
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	cluster_run(100);
	return binding->asked;
}

static void test_a_binding_that_was_lost(void)
{
	TEST_ASSERT_EQUAL(2, bindings_when_the_list_is_asked_for(true));
}

/* It came when the list was under way already. */
static void test_a_binding_that_the_list_cannot_show(void)
{
	TEST_ASSERT_EQUAL(1, bindings_when_the_list_is_asked_for(false));
	TEST_ASSERT_EQUAL(1, cluster.s.cache.pods_assumed);
}

/* Its place is free as soon as it is being deleted: the binding cannot succeed any more. */
static void test_an_assumed_pod_that_is_being_deleted(void)
{
	cluster_add_pod("x", false, "4", "n2");
	cluster_add_pod("y", false, "4", "n3");
	cluster_add_pod("p", false, "3", "");
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/binding", "{}")->delay_ms = 5000;
	cluster_run(100);
	cluster_add_pod("q", false, "3", "");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'2',"
		"'deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'schedulerName':"
		"'default-scheduler','containers':[{'name':'c','resources':{'requests':{'cpu':'3'}}"
		"}]}}");
	cluster_run(3000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

static void test_a_pod_that_is_deleted(void)
{
	cluster_add_pod("p", false, "1", "n1");
	TEST_ASSERT_TRUE(cluster_tell(
		KUBE_POD, KUBE_WATCH_DELETED, "{'metadata':{'name':'p','namespace':'default'}}"));
	TEST_ASSERT_FALSE(is_there("p"));
}

int main(void)
{
	log_setup(LOG_DEBUG, LOG_AS_TEXT, clock_system());
	log_to(open("/dev/null", O_WRONLY));
	UNITY_BEGIN();
	RUN_TEST(test_kinds_are_wanted_when_a_pod_needs_them);
	RUN_TEST(test_a_profile_without_default_constraints);
	RUN_TEST(test_a_pod_on_a_node_that_cannot_be_read);
	RUN_TEST(test_a_closed_node_opens_again);
	RUN_TEST(test_an_update_that_cannot_be_read);
	RUN_TEST(test_a_pending_pod_that_cannot_be_read);
	RUN_TEST(test_a_node_that_cannot_be_read);
	RUN_TEST(test_more_nodes_than_there_is_room_for);
	RUN_TEST(test_room_for_what_found_none);
	RUN_TEST(test_informers_when_a_waiting_pod_is_unreadable_then_it_is_told_about_once);
	RUN_TEST(test_informers_when_many_pods_are_unreadable_then_each_is_reported);
	RUN_TEST(test_informers_when_a_placed_pod_is_unreadable_then_an_event_says_so);
	RUN_TEST(test_objects_that_are_too_big);
	RUN_TEST(test_informers_when_objects_heal_then_their_kind_is_complete);
	RUN_TEST(test_a_claim_that_cannot_be_kept_is_not_missing);
	RUN_TEST(test_a_picture_that_is_right);
	RUN_TEST(test_a_picture_that_is_wrong);
	RUN_TEST(test_kinds_are_compared_one_after_the_other);
	RUN_TEST(test_a_binding_that_was_lost);
	RUN_TEST(test_a_binding_that_the_list_cannot_show);
	RUN_TEST(test_an_assumed_pod_that_is_being_deleted);
	RUN_TEST(test_a_pod_that_is_deleted);
	return UNITY_END();
}
