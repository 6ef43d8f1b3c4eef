/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may, over TLS: tokens and what the apiserver says about them. */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "status/bed.h"

enum { MEMORY = 8 << 20, TURNS = 4000 };

static void *memory;
static struct net_client *client;
static struct net_request request;
static char body[256 * 1024]; /* the page, as it is before it is packed */
static size_t size;
static bool done;

static enum net_flow on_body(struct net_request *r, struct text part)
{
	(void)r;
	TEST_ASSERT_TRUE(part.size < sizeof(body) - size);
	memcpy(body + size, part.at, part.size);
	size += part.size;
	body[size] = '\0';
	return NET_MORE;
}
static void on_done(struct net_request *r)
{
	(void)r;
	done = true;
}

void setUp(void)
{
	bed_init();
	bed_options.secure_port = BED_SECURE;
	bed_open();
	bed_fill();
}
void tearDown(void)
{
	if (client != NULL)
		net_client_close(client);
	client = NULL;
	bed_close();
	free(memory);
	memory = NULL;
}

static uint32_t ask(const char *token, const char *path)
{
	char words[256];
	struct writer fault;
	struct arena arena;
	if (client != NULL)
		net_client_close(client);
	free(memory);
	memory = calloc(1, MEMORY);
	TEST_ASSERT_NOT_NULL(memory);
	arena_init_zeroed(&arena, memory, MEMORY);
	writer_init(&fault, words, sizeof(words));
	client = net_client_open(bed_net, &arena,
		&(struct net_target){.name = "status",
			.https = true,
			.insecure_skip_verify = true,
			.host = TEXT("127.0.0.1"),
			.port = BED_SECURE,
			.token = token == NULL ? TEXT_NONE : text_of(token),
			.connections = 1},
		&fault);
	TEST_ASSERT_NOT_NULL(client);
	size = 0;
	done = false;
	request = (struct net_request){.class = NET_READ,
		.method = NET_GET,
		.path = text_of(path),
		.on_body = on_body,
		.on_done = on_done};
	net_send(client, &request);
	for (uint32_t i = 0; i < TURNS && !done; i++)
		bed_turns(1);
	TEST_ASSERT_TRUE(done);
	TEST_ASSERT_EQUAL(NET_OK, request.answer.result);
	return request.answer.status;
}

static void test_health_needs_nobody(void)
{
	TEST_ASSERT_EQUAL_UINT32(200, ask(NULL, "/healthz"));
	TEST_ASSERT_EQUAL_STRING("ok", body);
	TEST_ASSERT_EQUAL_UINT32(0, bed_tokens);
}

static void test_a_stranger_gets_a_status(void)
{
	TEST_ASSERT_EQUAL_UINT32(403, ask(NULL, "/metrics"));
	TEST_ASSERT_EQUAL_STRING(
		"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
		"\"message\":\"forbidden: User \\\"system:anonymous\\\" cannot get path "
		"\\\"/metrics\\\"\",\"reason\":\"Forbidden\",\"details\":{},\"code\":403}",
		body);
}

/* As kube-scheduler does; paths without end would be questions without end. */
static void test_a_stranger_is_asked_about_once_per_path(void)
{
	TEST_ASSERT_EQUAL_UINT32(403, ask(NULL, "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(403, ask(NULL, "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_accesses);
	TEST_ASSERT_NOT_NULL(strstr(bed_asked,
		"\"user\":\"system:anonymous\",\"groups\":[\"system:unauthenticated\"]}}"));
	TEST_ASSERT_EQUAL_UINT32(403, ask(NULL, "/berth/v1/a"));
	TEST_ASSERT_EQUAL_UINT32(403, ask(NULL, "/debug/pprof/b"));
	TEST_ASSERT_EQUAL_UINT32(404, ask(NULL, "/nothing"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_accesses);
}

static void test_a_token_is_reviewed_once(void)
{
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_tokens);
	TEST_ASSERT_EQUAL_UINT32(1, bed_accesses);
	TEST_ASSERT_EQUAL_UINT32(403, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_NOT_NULL(strstr(body, "User \\\"carla\\\" cannot list resource \\\"pods\\\""));
	TEST_ASSERT_EQUAL_UINT32(403, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_EQUAL_UINT32(2, bed_accesses);
	bed_loopback.now_us += 11 * CLOCK_S_US;
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(3, bed_tokens); /* of a user groups are not kept: once per right */
	TEST_ASSERT_EQUAL_UINT32(3, bed_accesses);
}

/* Who may get a path may not read the cluster by it; who may list pods and nodes may. */
static void test_the_page_needs_what_listing_needs(void)
{
	bed_may = "/berth/v1/overview";
	TEST_ASSERT_EQUAL_UINT32(403, ask("carla-token", "/berth/v1/overview"));
	bed_loopback.now_us += 11 * CLOCK_S_US;
	bed_lists = "pods";
	TEST_ASSERT_EQUAL_UINT32(403, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_NOT_NULL(strstr(body, "cannot list resource \\\"nodes\\\""));
	bed_loopback.now_us += 11 * CLOCK_S_US;
	bed_lists = "pods,nodes";
	bed_accesses = 0;
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_EQUAL_UINT32(2, bed_accesses);
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/berth/v1/nodes"));
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/berth/v1/dump"));
	TEST_ASSERT_EQUAL_UINT32(2, bed_accesses);
	TEST_ASSERT_EQUAL_UINT32(403, ask("carla-token", "/configz"));
}

/* Without a memory every answer is asked for, and that ends. */
static void test_nothing_need_be_remembered(void)
{
	bed_options.token_ttl_us = bed_options.authorized_ttl_us = bed_options.unauthorized_ttl_us =
		0;
	bed_lists = "pods,nodes";
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/berth/v1/overview"));
	TEST_ASSERT_EQUAL_UINT32(2, bed_tokens);
	TEST_ASSERT_EQUAL_UINT32(4, bed_accesses);
}

/* ---- many strangers with made-up tokens ---- */

static void test_bad_tokens_push_out_no_good_one(void)
{
	char token[32];
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	for (uint32_t i = 0; i < 100; i++) {
		char address[32];
		snprintf(address, sizeof(address), "198.51.100.%u", i);
		bed_peer = address;
		snprintf(token, sizeof(token), "void-%u", i);
		TEST_ASSERT_EQUAL_UINT32(401, ask(token, "/metrics"));
	}
	TEST_ASSERT_EQUAL_UINT32(101, bed_tokens);
	bed_peer = "192.0.2.7";
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(101, bed_tokens);
}

static void test_made_up_tokens_of_one_peer_are_slowed_down(void)
{
	char token[32];
	int64_t from_us = bed_loopback.now_us;
	for (uint32_t i = 0; i < 10; i++) {
		snprintf(token, sizeof(token), "void-%u", i);
		TEST_ASSERT_EQUAL_UINT32(401, ask(token, "/metrics"));
	}
	TEST_ASSERT_EQUAL_UINT32(10, bed_tokens);
	TEST_ASSERT_TRUE(bed_loopback.now_us - from_us >= 9 * 500 * 1000);
	/* Another peer is not. */
	from_us = bed_loopback.now_us;
	bed_peer = "198.51.100.1";
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
	TEST_ASSERT_TRUE(bed_loopback.now_us - from_us < CLOCK_S_US / 2);
}

/* As large identity providers make them: 200 groups of 36 characters, and a token that says so. */
static void test_a_user_with_many_groups(void)
{
	static char token[12 * 1024];
	memset(token, 'a', sizeof(token) - 1);
	memcpy(token, "many-groups.", 12);
	bed_may = "/metrics";
	TEST_ASSERT_EQUAL_UINT32(200, ask(token, "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(200, ask(token, "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_tokens);
	TEST_ASSERT_EQUAL_UINT32(1, bed_accesses);
	TEST_ASSERT_EQUAL_UINT32(200, bed_groups);
}

static void test_masters_are_not_asked_about(void)
{
	TEST_ASSERT_EQUAL_UINT32(200, ask("root-token", "/berth/v1/overview"));
	TEST_ASSERT_EQUAL_UINT32(0, bed_accesses);
}

static void test_a_void_token_is_not_anonymous(void)
{
	bed_peer = "127.0.0.1";
	TEST_ASSERT_EQUAL_UINT32(401, ask("void", "/metrics"));
	TEST_ASSERT_NOT_NULL(strstr(body, "\"reason\":\"Unauthorized\""));
	TEST_ASSERT_EQUAL_UINT32(401, ask("void", "/metrics"));
	TEST_ASSERT_EQUAL_UINT32(1, bed_tokens);
}

static void test_who_goes_before_the_answer_harms_nobody(void)
{
	(void)ask(NULL, "/healthz");
	char words[256];
	struct writer fault;
	struct arena arena;
	net_client_close(client);
	arena_init(&arena, memory, MEMORY);
	writer_init(&fault, words, sizeof(words));
	client = net_client_open(bed_net, &arena,
		&(struct net_target){.name = "status",
			.https = true,
			.insecure_skip_verify = true,
			.host = TEXT("127.0.0.1"),
			.port = BED_SECURE,
			.token = TEXT("carla-token"),
			.connections = 1},
		&fault);
	request.path = TEXT("/metrics");
	net_send(client, &request);
	for (uint32_t i = 0; i < TURNS && bed_tokens == 0; i++)
		bed_turns(1);
	net_cancel(&request);
	bed_turns(50);
	TEST_ASSERT_EQUAL_UINT32(1, bed_tokens);
	TEST_ASSERT_EQUAL_UINT32(200, ask("carla-token", "/metrics"));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_health_needs_nobody);
	RUN_TEST(test_a_stranger_gets_a_status);
	RUN_TEST(test_a_stranger_is_asked_about_once_per_path);
	RUN_TEST(test_a_token_is_reviewed_once);
	RUN_TEST(test_the_page_needs_what_listing_needs);
	RUN_TEST(test_nothing_need_be_remembered);
	RUN_TEST(test_bad_tokens_push_out_no_good_one);
	RUN_TEST(test_made_up_tokens_of_one_peer_are_slowed_down);
	RUN_TEST(test_a_user_with_many_groups);
	RUN_TEST(test_masters_are_not_asked_about);
	RUN_TEST(test_a_void_token_is_not_anonymous);
	RUN_TEST(test_who_goes_before_the_answer_harms_nobody);
	return UNITY_END();
}
