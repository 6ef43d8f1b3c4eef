/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods on their way to a node, in a scheduler in virtual time: who waits for a provisioner holds up
 * nobody, and what was not bound before the lease was lost is decided anew by who has it again.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>

#include <unity.h>

#include "scheduler/cluster.h"

void setUp(void)
{
}

void tearDown(void)
{
	cluster_close();
}

/* ---- claims ---- */

static void add_claim(const char *name)
{
	char path[64];
	cluster_feed(KUBE_PVC,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'1'},"
		"'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'slow','resources':{"
		"'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}",
		name, name);
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/persistentvolumeclaims/%s", name);
	(void)bed_says(&cluster.bed, path, "{}");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'p%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c'}],'volumes'"
		":[{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}]}}",
		name, name, name);
}

/* As many as may wait at a time, and not more than bindings. */
static void test_who_waits_for_a_provisioner_holds_up_nobody(void)
{
	const uint32_t bindings = cluster_limits.bindings;
	cluster_limits.bindings = cluster_limits.pre_binds;
	cluster_open(NULL);
	cluster_limits.bindings = bindings;
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	for (char name[] = "a"; name[0] < 'a' + (char)cluster_limits.pre_binds; name[0]++)
		add_claim(name);
	cluster_run(2000);
	TEST_ASSERT_EQUAL(cluster_limits.pre_binds, pre_bind_stats(cluster.s.pre_bind).under_way);
	cluster_add_pod("plain", false, "1", "");
	cluster_run(2000);
	TEST_ASSERT_TRUE(*cluster_bound_to("plain") != '\0');
	TEST_ASSERT_EQUAL(cluster_limits.pre_binds, pre_bind_stats(cluster.s.pre_bind).under_way);
}

static void label_first(uint32_t version, const char *app)
{
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'first','namespace':'default','uid':'pfirst',"
		"'resourceVersion':'%u','labels':{'app':'%s'}},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c'}],'volumes'"
		":[{'name':'v','persistentVolumeClaim':{'claimName':'first'}}]}}",
		(unsigned)version, app);
}

/* Who has a place and is not bound yet keeps others away by its labels, until they change. */
static void test_labels_of_who_is_on_its_way(void)
{
	cluster_open(NULL);
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	add_claim("first");
	label_first(2, "x");
	cluster_run(1000);
	TEST_ASSERT_EQUAL(1, pre_bind_stats(cluster.s.pre_bind).under_way);
	bed_says(&cluster.bed, "/api/v1/namespaces/default/pods/second/binding", "{}")->status =
		201;
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'second','namespace':'default','uid':'second',"
		"'resourceVersion':'3'},'spec':{'schedulerName':'default-scheduler','containers':["
		"{'name':'c'}],'affinity':{'podAntiAffinity':{"
		"'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'v',"
		"'labelSelector':{'matchLabels':{'app':'x'}}}]}}}}");
	cluster_run(1000);
	TEST_ASSERT_EQUAL_STRING("", cluster_bound_to("second"));
	label_first(4, "y");
	cluster_run(20 * 1000);
	TEST_ASSERT_EQUAL(1, pre_bind_stats(cluster.s.pre_bind).under_way);
	TEST_ASSERT_TRUE(*cluster_bound_to("second") != '\0');
}

/* ---- what is measured ---- */

static uint64_t timed(enum plugin_id plugin, enum series_point point, enum plugin_code code)
{
	const struct series *series = &cluster.s.metrics.series;
	uint64_t count = 0;
	for (uint32_t i = 0; i < series->count; i++) {
		const struct series_row *row = &series->rows[i];
		if (row->labels.family == SERIES_PLUGIN && row->labels.group == plugin &&
			row->labels.what == point && row->labels.result == (uint8_t)code)
			for (uint32_t k = 0; k <= SERIES_BUCKETS_MAX; k++)
				count += row->histogram.counts[k];
	}
	return count;
}

/* Of the first pod plugins are timed, of the next nine they are not. */
static void test_how_long_plugins_take_around_a_binding(void)
{
	cluster_open(NULL);
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	add_claim("first");
	cluster_add_pod("plain", false, "1", "");
	cluster_run(1000);
	TEST_ASSERT_TRUE(*cluster_bound_to("plain") != '\0');
	TEST_ASSERT_EQUAL(1, timed(PLUGIN_SCHEDULING_GATES, SERIES_PRE_ENQUEUE, PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL(1, timed(PLUGIN_VOLUME_BINDING, SERIES_RESERVE, PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL(
		1, timed(PLUGIN_VOLUME_BINDING, SERIES_PRE_BIND_PRE_FLIGHT, PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL(0, timed(PLUGIN_DEFAULT_BINDER, SERIES_BIND, PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL(0, timed(PLUGIN_VOLUME_BINDING, SERIES_PRE_BIND, PLUGIN_ERROR));
	/* The provisioner never makes it. */
	cluster_run(INT64_C(605) * 1000);
	TEST_ASSERT_EQUAL(1, timed(PLUGIN_VOLUME_BINDING, SERIES_PRE_BIND, PLUGIN_ERROR));
	TEST_ASSERT_EQUAL(1, timed(PLUGIN_VOLUME_BINDING, SERIES_UNRESERVE, PLUGIN_SUCCESS));
	TEST_ASSERT_EQUAL_UINT64(1, cluster.s.metrics.volume_errors[SCHEDULER_VOLUME_BIND]);
	TEST_ASSERT_EQUAL_UINT64(0, cluster.s.metrics.volume_errors[SCHEDULER_VOLUME_PREDICATE]);
}

static void test_how_long_the_binder_takes(void)
{
	cluster_open(NULL);
	cluster_add_pod("plain", false, "1", "");
	cluster_run(1000);
	TEST_ASSERT_TRUE(*cluster_bound_to("plain") != '\0');
	TEST_ASSERT_EQUAL(1, timed(PLUGIN_DEFAULT_BINDER, SERIES_BIND, PLUGIN_SUCCESS));
}

/* Its selector is nonsense, which comes out when a volume is looked for. */
static void test_a_volume_that_cannot_be_looked_for_is_counted(void)
{
	cluster_open(NULL);
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	cluster_feed(KUBE_PVC,
		"{'metadata':{'name':'odd','namespace':'default','uid':'odd','resourceVersion':'1'"
		"},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'slow','selector':{"
		"'matchExpressions':[{'key':'a','operator':'Like','values':['b']}]},'resources':{"
		"'requests':{'storage':'1Gi'}}},'status':{'phase':'Pending'}}");
	cluster_feed(KUBE_PV,
		"{'metadata':{'name':'v','uid':'v','resourceVersion':'1'},'spec':{'accessModes':"
		"['ReadWriteOnce'],'storageClassName':'slow','capacity':{'storage':'1Gi'}},"
		"'status':{'phase':'Available'}}");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c'}],'volumes'"
		":[{'name':'v','persistentVolumeClaim':{'claimName':'odd'}}]}}");
	cluster_run(1000);
	TEST_ASSERT_TRUE(cluster.s.metrics.volume_errors[SCHEDULER_VOLUME_PREDICATE] > 0);
	TEST_ASSERT_EQUAL_UINT64(0, cluster.s.metrics.volume_errors[SCHEDULER_VOLUME_ASSUME]);
}

/* ---- the lease ---- */

static const char path_of_lease[] = "/apis/coordination.k8s.io/v1/namespaces/n/leases/l?timeout=5s";
static const char path_of_binding[] = "/api/v1/namespaces/default/pods/p/binding";

static void lease_is_held_by(const char *who, uint32_t version)
{
	char body[512];
	snprintf(body, sizeof(body),
		"{'apiVersion':'coordination.k8s.io/v1','kind':'Lease','metadata':{'name':'l',"
		"'namespace':'n','uid':'u','resourceVersion':'%u'},'spec':{'holderIdentity':'%s',"
		"'leaseDurationSeconds':15,'leaseTransitions':%u,'acquireTime':"
		"'2026-01-01T00:00:00.000000Z','renewTime':'2026-01-01T00:00:00.000000Z'}}",
		(unsigned)version, who, (unsigned)version);
	(void)bed_says(&cluster.bed, path_of_lease, body);
}

static void open_elected(void)
{
	cluster_lease = (struct scheduler_lease){.elect = true,
		.namespace = TEXT("n"),
		.name = TEXT("l"),
		.identity = TEXT("me"),
		.duration_ms = 15 * 1000,
		.renew_deadline_ms = 10 * 1000,
		.retry_period_ms = 2000};
	cluster_open(NULL);
	cluster_lease.elect = false;
	lease_is_held_by("me", 1);
	cluster_run(20 * 1000);
	TEST_ASSERT_TRUE(lease_holds(cluster.s.lease, net_now(cluster.bed.net)));
}

/* Of p and of what is beside it on n1; the other nodes are full. */
static void tell_pods(void)
{
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_add_pod("x", false, "4", "n2");
	cluster_add_pod("y", false, "4", "n3");
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources'"
		":{'requests':{'cpu':'3'}}}]}}");
	cluster_add_pod("q", false, "3", "n1");
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
}

/*
 * The apiserver has no time for p, and it keeps its place. Then another scheduler leads, gives that
 * place to q, and ends.
 */
static void test_a_place_that_another_leader_gave_away(void)
{
	open_elected();
	cluster_add_pod("x", false, "4", "n2");
	cluster_add_pod("y", false, "4", "n3");
	cluster_add_pod("p", false, "3", "");
	struct bed_script *binding = bed_says(&cluster.bed, path_of_binding, "{}");
	binding->status = 429;
	cluster_run(3000);
	TEST_ASSERT_TRUE(binding->asked > 0);
	lease_is_held_by("other", 2);
	cluster_run(15 * 1000);
	TEST_ASSERT_FALSE(lease_holds(cluster.s.lease, net_now(cluster.bed.net)));
	cluster_add_pod("q", false, "3", "n1");
	cluster_run(1000);

	binding->status = 201;
	binding->asked = 0;
	lease_is_held_by("me", 3);
	cluster_run(30 * 1000);
	TEST_ASSERT_TRUE(lease_holds(cluster.s.lease, net_now(cluster.bed.net)));
	/* Not before pods were told anew, and not on what was decided before. */
	TEST_ASSERT_EQUAL(0, binding->asked);
	tell_pods();
	cluster_run(30 * 1000);
	TEST_ASSERT_EQUAL(0, binding->asked);
	TEST_ASSERT_EQUAL(1, cluster.s.queue.pods[QUEUE_UNSCHEDULABLE]);
	scheduler_audit(&cluster.s);
}

/* Nobody took it, so it is decided as before. */
static void test_a_place_that_is_still_free(void)
{
	open_elected();
	cluster_add_pod("p", false, "3", "");
	struct bed_script *binding = bed_says(&cluster.bed, path_of_binding, "{}");
	binding->status = 429;
	cluster_run(3000);
	lease_is_held_by("other", 2);
	cluster_run(15 * 1000);
	binding->status = 201;
	binding->asked = 0;
	lease_is_held_by("me", 3);
	cluster_run(30 * 1000);
	cluster.sink.list_begin(cluster.sink.self, KUBE_POD);
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'p','namespace':'default','uid':'p','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources'"
		":{'requests':{'cpu':'3'}}}]}}");
	cluster.sink.list_end(cluster.sink.self, KUBE_POD);
	cluster_run(30 * 1000);
	TEST_ASSERT_EQUAL(1, binding->asked);
	scheduler_audit(&cluster.s);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_who_waits_for_a_provisioner_holds_up_nobody);
	RUN_TEST(test_labels_of_who_is_on_its_way);
	RUN_TEST(test_how_long_plugins_take_around_a_binding);
	RUN_TEST(test_how_long_the_binder_takes);
	RUN_TEST(test_a_volume_that_cannot_be_looked_for_is_counted);
	RUN_TEST(test_a_place_that_another_leader_gave_away);
	RUN_TEST(test_a_place_that_is_still_free);
	return UNITY_END();
}
