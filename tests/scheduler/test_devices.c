/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Devices in a scheduler in virtual time: what is written of claims, in which order, what is taken
 * back when a pod does not get there, and what counts while nobody knows what became of a write.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "scheduler/cluster.h"
#include "scheduler/private.h"

#define CLAIMS     "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
#define CLAIM(c)   CLAIMS "/" c
#define STATUS(c)  CLAIM(c) "/status"
#define BINDING(p) "/api/v1/namespaces/default/pods/" p "/binding"
#define EVENTS     "/api/v1/namespaces/default/events"

static char conditions[256];

void setUp(void)
{
	conditions[0] = '\0';
	cluster_open(NULL);
	cluster.s.sync.wanted = UINT32_MAX; /* nothing is watched: the test tells it */
	cluster_feed(KUBE_DEVICE_CLASS,
		"{'metadata':{'name':'any','resourceVersion':'1'},'spec':{'extendedResourceName':"
		"'example.com/dev'}}");
}

void tearDown(void)
{
	cluster_close();
}

/* ---- what there is ---- */

/* One device on node n1. */
static void add_slice(void)
{
	cluster_feed(KUBE_RESOURCE_SLICE,
		"{'metadata':{'name':'s','resourceVersion':'1'},'spec':{'driver':'d','nodeName':"
		"'n1','pool':{'name':'n1','generation':1,'resourceSliceCount':1},'devices':["
		"{'name':'a'%s}]}}",
		conditions);
}

/* As the apiserver shows it; status: "" or what is in it. */
static void show_claim(const char *name, const char *version, const char *status)
{
	cluster_feed(KUBE_RESOURCE_CLAIM,
		"{'metadata':{'name':'%s','namespace':'default','uid':'u%s','resourceVersion':'%s'"
		",'finalizers':['resource.kubernetes.io/delete-protection']},'spec':{'devices':{"
		"'requests':[{'name':'r','exactly':{'deviceClassName':'any','allocationMode':"
		"'ExactCount','count':1}}]}},'status':{%s}}",
		name, name, version, status);
}

static void add_pod(const char *name, const char *rest)
{
	char path[128];
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'p%s','resourceVersion':'1'}"
		",'spec':{'schedulerName':'default-scheduler',%s}}",
		name, name, rest);
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	bed_says(&cluster.bed, path, "{}")->status = 201;
}

static void add_claimer(const char *name, const char *claim)
{
	char rest[256];
	snprintf(rest, sizeof(rest),
		"'containers':[{'name':'c'}],'resourceClaims':[{'name':'x','resourceClaimName':"
		"'%s'}]",
		claim);
	add_pod(name, rest);
}

static const char *given(const char *node)
{
	static char json[512];
	snprintf(json, sizeof(json),
		"'allocation':{'devices':{'results':[{'request':'r','driver':'d','pool':'n1',"
		"'device':'a'}]},'nodeSelector':{'nodeSelectorTerms':[{'matchFields':[{'key':"
		"'metadata.name','operator':'In','values':['%s']}]}]}}",
		node);
	return json;
}

/* A pod with a claim, for so long. */
static void run_claimer(const char *claim_status, int64_t ms)
{
	add_slice();
	show_claim("c", "7", claim_status);
	add_claimer("p", "c");
	cluster_run(ms);
}

static struct bed_script *script(const char *path)
{
	return bed_says(&cluster.bed, path, "{}");
}

static uint32_t entry_of(const char *pod)
{
	return cache_pod_at(
		&cluster.s.cache, cache_find_pod(&cluster.s.cache, TEXT("default"), text_of(pod)))
		->waiting;
}

static void expect_state(const char *pod, enum queue_state state)
{
	TEST_ASSERT_NOT_EQUAL(0, entry_of(pod));
	TEST_ASSERT_EQUAL(state, queue_entry_at(&cluster.s.queue, entry_of(pod))->state);
}

/* ---- PostFilter ---- */

static void test_post_filter_when_a_claim_is_elsewhere_then_its_devices_are_given_back(void)
{
	struct bed_script *status = script(STATUS("c"));
	run_claimer(given("gone"), 2000);
	TEST_ASSERT_EQUAL(1, status->asked);
	TEST_ASSERT_EQUAL_STRING("{\"metadata\":{\"uid\":\"uc\",\"resourceVersion\":\"7\"},"
				 "\"status\":{\"allocation\":null,\"reservedFor\":null,"
				 "\"devices\":null}}",
		status->seen);
	expect_state("p", QUEUE_UNSCHEDULABLE);
	show_claim("c", "8", "");
	cluster_run(30 * 1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
}

static void test_post_filter_when_the_claim_is_used_by_another_then_nothing_is_written(void)
{
	char used[700];
	struct bed_script *status = script(STATUS("c"));
	snprintf(used, sizeof(used), "%s,'reservedFor':[{'resource':'pods','name':'o','uid':'o'}]",
		given("gone"));
	run_claimer(used, 2000);
	TEST_ASSERT_EQUAL(0, status->asked);
}

static void test_post_filter_when_its_call_is_refused_then_the_pod_is_tried_again(void)
{
	struct bed_script *status = script(STATUS("c"));
	status->status = 409;
	run_claimer(given("gone"), 30 * 1000);
	TEST_ASSERT_GREATER_THAN(1, status->asked);
	TEST_ASSERT_LESS_THAN(12, status->asked);
}

static void test_post_filter_when_an_answer_is_lost_then_the_call_is_made_again(void)
{
	struct bed_script *status = script(STATUS("c"));
	status->refuses = 2;
	run_claimer(given("gone"), 10 * 1000);
	TEST_ASSERT_EQUAL(3, status->asked);
	TEST_ASSERT_EQUAL(0, pre_bind_stats(cluster.s.pre_bind).under_way);
}

static void add_wanter(const char *name)
{
	add_pod(name,
		"'containers':[{'name':'c','resources':{'requests':{'example.com/dev':"
		"'1'}}}]");
}

/* Which devices are free is not known while claims are not listed. */
static void test_schedule_one_when_a_class_comes_then_claims_are_listed_first(void)
{
	const uint32_t claims = WATCH_KIND(KUBE_RESOURCE_CLAIM);
	struct bed_script *create = script(CLAIMS);
	cluster.s.sync.known &= ~claims;
	add_slice();
	add_pod("p",
		"'containers':[{'name':'c','resources':{'requests':{'example.com/new':"
		"'1'}}}]");
	scheduler_requeue_for_changes(&cluster.s);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_ACTIVE]);
	cluster_feed(KUBE_DEVICE_CLASS,
		"{'metadata':{'name':'new','resourceVersion':'2'},'spec':{'extendedResourceName':"
		"'example.com/new'}}");
	cluster_run(2000);
	TEST_ASSERT_EQUAL(0, create->asked);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_GATED]);
	TEST_ASSERT_EQUAL(0, cluster.s.stats.attempts[SCHEDULER_UNSCHEDULABLE]);
	cluster.s.sync.known |= claims;
	scheduler_requeue_for_kinds(&cluster.s);
	cluster_run(2000);
	TEST_ASSERT_EQUAL(1, create->asked);
}

static void test_informers_when_a_pod_wants_an_extended_resource_then_classes_are_watched(void)
{
	cluster.s.sync.wanted = 0;
	add_pod("plain", "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]");
	TEST_ASSERT_EQUAL(0, cluster.s.sync.wanted & WATCH_KIND(KUBE_DEVICE_CLASS));
	add_pod("p",
		"'containers':[{'name':'c','resources':{'requests':{'example.com/none':"
		"'1'}}}]");
	TEST_ASSERT_NOT_EQUAL(0, cluster.s.sync.wanted & WATCH_KIND(KUBE_DEVICE_CLASS));
	TEST_ASSERT_EQUAL(0, cluster.s.sync.wanted & WATCH_KIND(KUBE_RESOURCE_SLICE));
	cluster_feed(KUBE_DEVICE_CLASS,
		"{'metadata':{'name':'new','resourceVersion':'2'},'spec':{'extendedResourceName':"
		"'example.com/none'}}");
	cluster_run(100);
	TEST_ASSERT_NOT_EQUAL(0, cluster.s.sync.wanted & WATCH_KIND(KUBE_RESOURCE_SLICE));
	TEST_ASSERT_NOT_EQUAL(0, cluster.s.sync.wanted & WATCH_KIND(KUBE_RESOURCE_CLAIM));
}

static void show_extended(const char *name, const char *status)
{
	cluster_feed(KUBE_RESOURCE_CLAIM,
		"{'metadata':{'name':'%s','namespace':'default','uid':'ue','resourceVersion':'3',"
		"'annotations':{'resource.kubernetes.io/extended-resource-claim':'true'},"
		"'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'p','uid':'pp',"
		"'controller':true}]},'spec':{'devices':{'requests':[{'name':'r','exactly':{"
		"'deviceClassName':'any'}}]}},'status':{%s}}",
		name, status);
}

static void test_post_filter_when_an_extended_claim_is_stale_then_it_is_deleted(void)
{
	struct bed_script *claim = script(CLAIM("old"));
	add_slice();
	show_extended("old", "");
	add_wanter("p");
	cluster_run(2000);
	TEST_ASSERT_EQUAL(2, claim->asked);
	TEST_ASSERT_EQUAL_STRING("{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
				 "\"preconditions\":{\"uid\":\"ue\"}}",
		claim->seen);
}

/* ---- Unreserve ---- */

static void test_unreserve_when_the_binding_is_refused_then_the_claim_is_given_back(void)
{
	struct bed_script *status = script(STATUS("c"));
	add_slice();
	show_claim("c", "7", "");
	add_claimer("p", "c");
	script(BINDING("p"))->status = 403;
	cluster_run(900);
	TEST_ASSERT_EQUAL(2, status->asked);
	TEST_ASSERT_EQUAL_STRING("{\"metadata\":{\"uid\":\"uc\"},\"status\":{\"reservedFor\":[{"
				 "\"$patch\":\"delete\",\"uid\":\"pp\"}]}}",
		status->seen);
	/* It was written, and is going to be shown: nobody else gets the device. */
	TEST_ASSERT_EQUAL(1, pool_used(&cluster.s.cache.devices.pending));
	TEST_ASSERT_EQUAL(1, cluster.s.cache.devices.left);
	show_claim("c", "8", given("n1"));
	TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.cache.devices.pending));
	TEST_ASSERT_EQUAL(0, cluster.s.cache.devices.left);
}

/* The binding is refused, and meanwhile the claim is shown with the device, for the pod. */
static struct bed_script *refuse_binding_of_claimer(void)
{
	char used[700];
	struct bed_script *binding;
	add_slice();
	show_claim("c", "7", "");
	add_claimer("p", "c");
	binding = script(BINDING("p"));
	binding->status = 403;
	binding->delay_ms = 50;
	while (binding->asked == 0)
		cluster_run(1);
	snprintf(used, sizeof(used), "%s,'reservedFor':[{'resource':'pods','name':'p','uid':'pp'}]",
		given("n1"));
	show_claim("c", "8", used);
	return binding;
}

static void test_unreserve_when_it_comes_too_late_then_it_is_not_sent(void)
{
	struct bed_script *status = script(STATUS("c"));
	struct bed_script *binding = refuse_binding_of_claimer();
	TEST_ASSERT_EQUAL(1, status->asked);
	status->refuses = 1000;
	cluster_run(100);
	binding->status = 201;
	cluster_run(900);
	TEST_ASSERT_EQUAL(1, binding->asked);
	while (binding->asked == 1)
		cluster_run(1);
	uint32_t asked = status->asked;
	cluster_run(60 * 1000);
	TEST_ASSERT_EQUAL(2, binding->asked);
	TEST_ASSERT_EQUAL(asked, status->asked);
	TEST_ASSERT_EQUAL(0, pre_bind_stats(cluster.s.pre_bind).under_way);
}

static void test_unreserve_when_it_is_under_way_then_the_pod_gets_no_place(void)
{
	struct bed_script *status = script(STATUS("c"));
	struct bed_script *binding = refuse_binding_of_claimer();
	status->delay_ms = 5000;
	cluster_run(100);
	binding->status = 201;
	TEST_ASSERT_EQUAL(2, status->asked);
	cluster_run(4800);
	TEST_ASSERT_EQUAL(1, binding->asked);
	show_claim("c", "9", given("n1"));
	cluster_run(60 * 1000);
	TEST_ASSERT_EQUAL(2, binding->asked);
	TEST_ASSERT_NOT_NULL(strstr(status->seen, "\"reservedFor\":[{\"resource\":\"pods\""));
}

static void test_unreserve_when_the_claim_was_refused_then_the_device_is_free_at_once(void)
{
	script(STATUS("c"))->status = 422;
	script(STATUS("d"));
	add_slice();
	show_claim("c", "7", "");
	show_claim("d", "7", "");
	add_claimer("p", "c");
	add_claimer("q", "d");
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
}

static void test_unreserve_when_nobody_knows_of_the_write_then_the_device_counts(void)
{
	script(STATUS("c"))->refuses = 1000;
	script(STATUS("d"));
	add_slice();
	show_claim("c", "7", "");
	show_claim("d", "7", "");
	add_claimer("p", "c");
	cluster_run(35 * 1000);
	TEST_ASSERT_EQUAL(1, cluster.s.cache.devices.left);
	(void)cluster_tell(KUBE_POD, KUBE_WATCH_DELETED,
		"{'metadata':{'name':'p','namespace':'default','uid':'pp','resourceVersion':'9'}}");
	add_claimer("q", "d");
	cluster_run(5 * 1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("q"));
	/* The server has had its time, and says that it shows all there is. */
	struct mono now = net_now(cluster.s.net);
	cache_pending_expire(&cluster.s.cache, now, now);
	TEST_ASSERT_EQUAL(1, cluster.s.cache.devices.left);
	now = mono_after_ms(now, CACHE_PENDING_LEFT_MS);
	cache_pending_expire(&cluster.s.cache, now, now);
	TEST_ASSERT_EQUAL(0, cluster.s.cache.devices.left);
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

/* Until v1.36 kube-scheduler does not look at deletions of claims: pods would wait for minutes. */
static void test_requeue_when_a_claim_with_a_device_goes_then_who_waits_gets_it(void)
{
	script(STATUS("d"));
	add_slice();
	show_claim("c", "7", given("n1"));
	show_claim("d", "7", "");
	add_claimer("q", "d");
	cluster_run(5 * 1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("q"));
	(void)cluster_tell(KUBE_RESOURCE_CLAIM, KUBE_WATCH_DELETED,
		"{'metadata':{'name':'c','namespace':'default','uid':'uc','resourceVersion':'9'}}");
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

/* A rule is no object that a plugin is registered for: it is heard of as the slices it taints. */
static void test_requeue_when_a_taint_rule_goes_then_who_waits_gets_the_device(void)
{
	script(STATUS("d"));
	add_slice();
	show_claim("d", "7", "");
	cluster_feed(KUBE_TAINT_RULE,
		"{'metadata':{'name':'r','uid':'ur','resourceVersion':'7'},'spec':{"
		"'deviceSelector':{'driver':'d'},'taint':{'key':'k','effect':'NoSchedule'}}}");
	add_claimer("q", "d");
	cluster_run(5 * 1000);
	expect_state("q", QUEUE_UNSCHEDULABLE);
	(void)cluster_tell(KUBE_TAINT_RULE, KUBE_WATCH_DELETED,
		"{'metadata':{'name':'r','uid':'ur','resourceVersion':'9'}}");
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
}

static void test_unreserve_when_an_extended_claim_was_made_then_it_is_deleted(void)
{
	struct bed_script *make = script(CLAIMS);
	char path[256], name[128];
	make->status = 201;
	add_slice();
	add_wanter("p");
	cluster_run(100);
	TEST_ASSERT_EQUAL(1, make->asked);
	const char *at = strstr(make->seen, "\"name\":\"");
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 8, "\""), at + 8);
	snprintf(path, sizeof(path), CLAIMS "/%s", name);
	struct bed_script *claim = script(path);
	snprintf(path, sizeof(path), CLAIMS "/%s/status", name);
	script(path)->status = 500;
	show_extended(name, "");
	cluster_run(40 * 1000);
	/* The finalizer, and then it goes: finalizer and deletion. */
	TEST_ASSERT_GREATER_OR_EQUAL(3, claim->asked);
	TEST_ASSERT_NOT_NULL(strstr(claim->seen, "DeleteOptions"));
}

/*
 * The claim goes while its pod waits, is decided, is written, is bound: its device is free again,
 * and the pod gets there when the claim is made once more.
 */
static void test_claim_when_it_is_deleted_at_any_time_then_nothing_is_lost(void)
{
	uint32_t bound = 0, unbound = 0;
	for (int64_t ms = 0; ms <= 120; ms += 2) {
		tearDown();
		setUp();
		add_slice();
		script(STATUS("c"));
		script(STATUS("d"));
		show_claim("c", "7", "");
		show_claim("d", "7", "");
		add_claimer("p", "c");
		script(BINDING("p"))->delay_ms = 30;
		script(STATUS("c"))->delay_ms = 30;
		cluster_run(ms);
		script(STATUS("c"))->status = 404;
		(void)cluster_tell(KUBE_RESOURCE_CLAIM, KUBE_WATCH_DELETED,
			"{'metadata':{'name':'c','namespace':'default','uid':'uc',"
			"'resourceVersion':'9'}}");
		cluster_run(10 * 1000);
		bool is_bound = cluster_bound_to("p")[0] != '\0';
		bound += is_bound;
		unbound += !is_bound;
		TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.cache.devices.given));
		add_claimer("q", "d");
		cluster_run(20 * 1000);
		TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("q"));
		(void)cluster_tell(KUBE_RESOURCE_CLAIM, KUBE_WATCH_DELETED,
			"{'metadata':{'name':'d','namespace':'default','uid':'ud',"
			"'resourceVersion':'19'}}");
		TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.cache.devices.pending));
		script(STATUS("c"))->status = 200;
		show_claim("c", "20", "");
		cluster_run(70 * 1000);
		TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
		cache_audit(&cluster.s.cache);
	}
	TEST_ASSERT_GREATER_THAN(5, bound);
	TEST_ASSERT_GREATER_THAN(5, unbound);
}

/* ---- binding conditions ---- */

static void add_conditional(void)
{
	snprintf(conditions, sizeof(conditions),
		",'bindsToNode':true,'bindingConditions':['up'],'bindingFailureConditions':["
		"'down']");
	add_slice();
	show_claim("c", "7", "");
	script(STATUS("c"));
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/p/status", "{}");
	add_claimer("p", "c");
}

static const char *allocated(const char *at, const char *conditions_of)
{
	static char json[1200];
	snprintf(json, sizeof(json),
		"'allocation':{'devices':{'results':[{'request':'r','driver':'d','pool':'n1',"
		"'device':'a','bindingConditions':['up'],'bindingFailureConditions':['down']}]},"
		"'allocationTimestamp':'%s'},'reservedFor':[{'resource':'pods','name':'p','uid':"
		"'pp'}],'devices':[{'driver':'d','pool':'n1','device':'a','conditions':[%s]}]",
		at, conditions_of);
	return json;
}

static void test_pre_bind_when_a_device_has_conditions_then_they_are_waited_for(void)
{
	struct bed_script *events = script(EVENTS);
	add_conditional();
	cluster_run(2000);
	TEST_ASSERT_NOT_NULL(strstr(script(STATUS("c"))->seen, "\"allocationTimestamp\":\""));
	TEST_ASSERT_NOT_NULL(strstr(events->seen,
		"waiting for binding conditions for device on "
		"node n1"));
	TEST_ASSERT_NOT_NULL(strstr(events->seen, "BindingConditionsPending"));
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	show_claim("c", "8", allocated("2199-01-01T00:00:00Z", "{'type':'up','status':'True'}"));
	cluster_run(1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
}

static void test_pre_bind_when_a_claim_goes_while_it_waits_then_the_pod_is_not_bound(void)
{
	add_conditional();
	cluster_run(2000);
	for (uint32_t shown = 0; shown < 2; shown++) {
		if (shown == 1)
			show_claim("c", "8", allocated("2199-01-01T00:00:00Z", ""));
		cluster_run(2000);
		(void)cluster_tell(KUBE_RESOURCE_CLAIM, KUBE_WATCH_DELETED,
			"{'metadata':{'name':'c','namespace':'default','uid':'uc',"
			"'resourceVersion':'9'}}");
		cluster_run(10 * 1000);
		TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
		TEST_ASSERT_EQUAL(0, pool_used(&cluster.s.cache.devices.given));
		show_claim("c", "10", "");
		cluster_run(30 * 1000);
		TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
	}
	show_claim("c", "18", allocated("2199-01-01T00:00:00Z", "{'type':'up','status':'True'}"));
	cluster_run(1000);
	TEST_ASSERT_EQUAL_STRING("n1", cluster_bound_to("p"));
}

static void test_pre_bind_when_conditions_are_late_then_the_claim_is_freed(void)
{
	add_conditional();
	cluster_run(2000);
	struct bed_script *status = script(STATUS("c"));
	TEST_ASSERT_EQUAL(1, status->asked);
	show_claim("c", "8", allocated("1971-01-01T00:00:00Z", ""));
	cluster_run(6000);
	/* It fails, gives the claim back, and the next attempt finds it late and frees it. */
	TEST_ASSERT_EQUAL_STRING("{\"metadata\":{\"uid\":\"uc\",\"resourceVersion\":\"8\"},"
				 "\"status\":{\"allocation\":null,\"reservedFor\":null,"
				 "\"devices\":null}}",
		status->seen);
	TEST_ASSERT_EQUAL(3, status->asked);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("p"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_post_filter_when_a_claim_is_elsewhere_then_its_devices_are_given_back);
	RUN_TEST(test_post_filter_when_the_claim_is_used_by_another_then_nothing_is_written);
	RUN_TEST(test_post_filter_when_its_call_is_refused_then_the_pod_is_tried_again);
	RUN_TEST(test_post_filter_when_an_answer_is_lost_then_the_call_is_made_again);
	RUN_TEST(test_schedule_one_when_a_class_comes_then_claims_are_listed_first);
	RUN_TEST(test_informers_when_a_pod_wants_an_extended_resource_then_classes_are_watched);
	RUN_TEST(test_post_filter_when_an_extended_claim_is_stale_then_it_is_deleted);
	RUN_TEST(test_unreserve_when_the_binding_is_refused_then_the_claim_is_given_back);
	RUN_TEST(test_unreserve_when_it_comes_too_late_then_it_is_not_sent);
	RUN_TEST(test_unreserve_when_it_is_under_way_then_the_pod_gets_no_place);
	RUN_TEST(test_unreserve_when_the_claim_was_refused_then_the_device_is_free_at_once);
	RUN_TEST(test_unreserve_when_nobody_knows_of_the_write_then_the_device_counts);
	RUN_TEST(test_requeue_when_a_claim_with_a_device_goes_then_who_waits_gets_it);
	RUN_TEST(test_requeue_when_a_taint_rule_goes_then_who_waits_gets_the_device);
	RUN_TEST(test_unreserve_when_an_extended_claim_was_made_then_it_is_deleted);
	RUN_TEST(test_claim_when_it_is_deleted_at_any_time_then_nothing_is_lost);
	RUN_TEST(test_pre_bind_when_a_device_has_conditions_then_they_are_waited_for);
	RUN_TEST(test_pre_bind_when_a_claim_goes_while_it_waits_then_the_pod_is_not_bound);
	RUN_TEST(test_pre_bind_when_conditions_are_late_then_the_claim_is_freed);
	return UNITY_END();
}
