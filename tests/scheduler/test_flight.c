/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pods on their way to a node, in a scheduler in virtual time: who waits for a provisioner holds up
 * nobody.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c cycle/*.c config/*.c
// deps: net/*.c watch/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c tests/watch/wire.c
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
	cluster_limits.bindings = cluster_limits.claimants;
	cluster_open(NULL);
	cluster_limits.bindings = bindings;
	cluster_feed(KUBE_STORAGE_CLASS,
		"{'metadata':{'name':'slow','resourceVersion':'1'},'provisioner':'maker',"
		"'volumeBindingMode':'WaitForFirstConsumer'}");
	for (char name[] = "a"; name[0] < 'a' + (char)cluster_limits.claimants; name[0]++)
		add_claim(name);
	cluster_run(2000);
	TEST_ASSERT_EQUAL(cluster_limits.claimants, volumes_stats(cluster.s.volumes).under_way);
	cluster_add_pod("plain", false, "1", "");
	cluster_run(2000);
	TEST_ASSERT_TRUE(*cluster_bound_to("plain") != '\0');
	TEST_ASSERT_EQUAL(cluster_limits.claimants, volumes_stats(cluster.s.volumes).under_way);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_who_waits_for_a_provisioner_holds_up_nobody);
	return UNITY_END();
}
