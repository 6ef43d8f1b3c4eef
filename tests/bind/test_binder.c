/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders against an apiserver that binds: each thing that can go wrong, one at a time. */
// deps: bind/binder.c bind/binder_steps.c bind/binder_listen.c bind/binder_window.c
// deps: bind/body_answer.c bind/body_binding.c bind/body_path.c
// deps: net/*.c json/*.c kube/*.c base/*.c
// deps: tests/watch/wire.c tests/bind/binder_server.c tests/bind/binder_bed.c
#include "unity.h"

#include <stdio.h>

#include "base/log.h"
#include "bind/binder_bed.h"

static struct binder_bed bed;

void setUp(void)
{
	bed_start(&bed, 16, 1);
}

void tearDown(void)
{
	bed_stop(&bed);
}

static void test_a_pod_is_bound(void)
{
	server_add(&bed.server, "a", "uid-a");
	TEST_ASSERT_TRUE(binder_has_room(bed.binder));
	bed_bind(&bed, 1, "a", "uid-a", "n1");
	TEST_ASSERT_EQUAL(1, binder_stats(bed.binder).in_flight);
	bed_run(&bed, 100);
	bed_expect(&bed, 1, BINDER_BOUND, "");
	TEST_ASSERT_EQUAL_STRING("n1", server_find(&bed.server, "a")->node);
	TEST_ASSERT_EQUAL(0, binder_stats(bed.binder).in_flight);
	TEST_ASSERT_EQUAL_UINT64(1, bed.server.bindings);
	TEST_ASSERT_EQUAL_UINT64(0, bed.server.reads);
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_a_pod_is_bound);
	return UNITY_END();
}
