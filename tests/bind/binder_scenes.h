/* SPDX-License-Identifier: GPL-2.0-only */
/* One bed, one pod, and short words for what its server is to do and what must come of it. */
#ifndef BERTH_TESTS_BIND_BINDER_SCENES_H
#define BERTH_TESTS_BIND_BINDER_SCENES_H

#include "unity.h"

#include "base/log.h"
#include "bind/binder_bed.h"

#define STATUS(code, reason, message)                                                        \
	"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\"," \
	"\"message\":\"" message "\",\"reason\":\"" reason "\",\"code\":" #code "}"

enum { ORDERS_MAX = 16, MINUTE_MS = 60 * 1000 };

static struct binder_bed bed;

void setUp(void)
{
	bed_start(&bed, ORDERS_MAX, BED_CONNECTIONS, 1);
	server_add(&bed.server, "a", "uid-a");
}

void tearDown(void)
{
	bed_stop(&bed);
}

static inline void again(void)
{
	tearDown();
	setUp();
}

static inline void order(uint64_t tag)
{
	bed_bind(&bed, tag, "a", "uid-a", "n1");
}

static inline void plan(enum server_way way, uint32_t bytes)
{
	server_plan(&bed.server, (struct server_plan){.way = way, .bytes = bytes});
}

static inline void plan_says(enum server_way way, int status, const char *headers, const char *body)
{
	server_plan(&bed.server,
		(struct server_plan){
			.way = way, .status = status, .headers = headers, .body = body});
}

static inline void expect_on(const char *node, uint32_t bindings, uint32_t reads)
{
	TEST_ASSERT_EQUAL_STRING(node, server_find(&bed.server, "a")->node);
	TEST_ASSERT_EQUAL_UINT64(bindings, bed.server.bindings);
	TEST_ASSERT_EQUAL_UINT64(reads, bed.server.reads);
}

#endif
