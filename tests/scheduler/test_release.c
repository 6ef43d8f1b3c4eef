/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kube-scheduler we are: the one that belongs to the apiserver. */
// deps: base/*.c json/*.c kube/*.c cache/*.c queue/*.c plugins/*.c dra/*.c cel/*.c cycle/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: net/*.c tls/*.c http/*.c watch/*.c api/*.c bind/*.c lease/*.c extender/*.c scheduler/*.c
// deps: tests/scheduler/cluster.c tests/extender/bed.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c
#include <stdio.h>

#include <unity.h>

#include "base/log.h"
#include "scheduler/cluster.h"

enum { CHECK_MS = 5 * 60 * 1000 };

void setUp(void)
{
	log_to(-1);
	cluster_follows_release = true;
	cluster_open(NULL);
}

void tearDown(void)
{
	cluster_close();
}

static struct bed_script *server_is(const char *version)
{
	return bed_says(&cluster.bed, "/version", version);
}

static bool lists_pods(void)
{
	return (cluster.s.sync.wanted & WATCH_KIND(KUBE_POD)) != 0;
}

static void test_release_follows_the_version_of_the_apiserver(void)
{
	static const struct {
		const char *version;
		enum kube_release release;
	} rows[] = {
		{"{'major':'1','minor':'20','gitVersion':'v1.20.2'}", KUBE_1_36},
		{"{'major':'1','minor':'36+','gitVersion':'v1.36.0-rc.1'}", KUBE_1_36},
		{"{'major':'1','minor':'37','gitVersion':'v1.37.0'}", KUBE_1_37},
		{"{'major':'1','minor':'99','gitVersion':'v1.99.0'}", KUBE_1_37},
		{"{'major':'2','minor':'0','gitVersion':'v2.0.0'}", KUBE_1_37},
		{"{'major':'','minor':'x'}", KUBE_1_37},
		{"[]", KUBE_1_37},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		server_is(rows[i].version);
		TEST_ASSERT_FALSE(lists_pods());
		cluster_run(100);
		TEST_ASSERT_EQUAL_MESSAGE(
			rows[i].release, scheduler_release(&cluster.s), rows[i].version);
		TEST_ASSERT_TRUE(lists_pods());
	}
}

static void test_release_of_a_server_that_does_not_say_is_the_newest(void)
{
	server_is("{'kind':'Status','status':'Failure','reason':'Forbidden','code':403}")->status =
		403;
	cluster_run(100);
	TEST_ASSERT_EQUAL(KUBE_1_37, scheduler_release(&cluster.s));
	TEST_ASSERT_TRUE(lists_pods());
}

static void test_release_is_waited_for_while_the_server_is_away(void)
{
	struct bed_script *script = server_is("{'major':'1','minor':'30','gitVersion':'v1.30.1'}");
	script->status = 503;
	cluster_run(5000);
	TEST_ASSERT_FALSE(lists_pods());
	TEST_ASSERT_TRUE(script->asked >= 3);
	TEST_ASSERT_TRUE(script->asked <= 8);
	script->status = 200;
	cluster_run(1500);
	TEST_ASSERT_TRUE(lists_pods());
	TEST_ASSERT_EQUAL(KUBE_1_36, scheduler_release(&cluster.s));
	TEST_ASSERT_EQUAL_STRING("v1.30.1", cluster.s.release.server);
}

/* The server is replaced under us: what is decided from then on is as the new one wants it. */
static void test_release_changes_with_the_server(void)
{
	server_is("{'major':'1','minor':'36','gitVersion':'v1.36.4'}");
	cluster_run(100);
	cluster_add_pod("a", false, "1", "");
	cluster_run(100);
	TEST_ASSERT_NOT_EQUAL('\0', cluster_bound_to("a")[0]);
	server_is("{'major':'1','minor':'37','gitVersion':'v1.37.1'}");
	cluster_run(CHECK_MS);
	TEST_ASSERT_EQUAL(KUBE_1_37, scheduler_release(&cluster.s));
	cluster_add_pod("b", false, "1", "");
	cluster_run(100);
	TEST_ASSERT_NOT_EQUAL('\0', cluster_bound_to("b")[0]);
	TEST_ASSERT_EQUAL_UINT64(2, cluster.s.stats.bound);
}

/* One that was asked for is nobody's question. */
static void test_release_that_is_settled_is_not_asked_for(void)
{
	tearDown();
	cluster_follows_release = false;
	cluster_open(NULL);
	struct bed_script *script = server_is("{'major':'1','minor':'20'}");
	TEST_ASSERT_TRUE(lists_pods());
	cluster_run(CHECK_MS);
	TEST_ASSERT_EQUAL_UINT32(0, script->asked);
	TEST_ASSERT_EQUAL(KUBE_RELEASE_DEFAULT, scheduler_release(&cluster.s));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_release_follows_the_version_of_the_apiserver);
	RUN_TEST(test_release_of_a_server_that_does_not_say_is_the_newest);
	RUN_TEST(test_release_is_waited_for_while_the_server_is_away);
	RUN_TEST(test_release_changes_with_the_server);
	RUN_TEST(test_release_that_is_settled_is_not_asked_for);
	return UNITY_END();
}
