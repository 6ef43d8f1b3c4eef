/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An update that is put to the page: who may, and how its bytes go to the process that writes it,
 * which is this test: slow, early with its answer, or gone.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/net/loopback.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <unity.h>

#include "status/bed.h"

enum { MEMORY = 8 << 20, TURNS = 6000, UPDATE = 700 * 1000 };

static void *memory;
static struct net_client *client;
static struct net_request request;
static char said[4096];
static size_t said_size;
static bool done;
static int writer = -1; /* the other end of standard input */
static uint64_t came;
static uint32_t ends; /* empty packets */

static char byte_at(uint64_t i)
{
	return (char)(i * 7 + i / 251);
}

static size_t copy_update(const struct net_request *r, size_t from, char *to, size_t size)
{
	size_t left = r->body.size - from;
	size = size < left ? size : left;
	for (size_t i = 0; i < size; i++)
		to[i] = byte_at(from + i);
	return size;
}
static enum net_flow on_body(struct net_request *r, struct text part)
{
	(void)r;
	TEST_ASSERT_TRUE(part.size < sizeof(said) - said_size);
	memcpy(said + said_size, part.at, part.size);
	said_size += part.size;
	said[said_size] = '\0';
	return NET_MORE;
}
static void on_done(struct net_request *r)
{
	(void)r;
	done = true;
}

static void give_socket(void)
{
	int ends_of[2];
	TEST_ASSERT_EQUAL_INT(0, socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_of));
	TEST_ASSERT_EQUAL_INT(STDIN_FILENO, dup2(ends_of[0], STDIN_FILENO));
	close(ends_of[0]);
	writer = ends_of[1];
}

static void open_bed(bool appliance)
{
	bed_options.update_socket = appliance;
	if (appliance)
		give_socket();
	bed_open();
	bed_fill();
}

void setUp(void)
{
	bed_init();
	bed_options.secure_port = BED_SECURE;
	bed_may = "/berth/v1/update";
	came = ends = 0;
}
void tearDown(void)
{
	if (client != NULL)
		net_client_close(client);
	client = NULL;
	bed_close();
	free(memory);
	memory = NULL;
	if (writer >= 0)
		close(writer);
	writer = -1;
}

/* Takes what is there, and checks it. False: there was nothing. */
static bool writer_takes(void)
{
	static char packet[64 * 1024];
	ssize_t size = recv(writer, packet, sizeof(packet), MSG_DONTWAIT);
	if (size < 0)
		return false;
	ends += size == 0;
	for (ssize_t i = 0; i < size; i++)
		TEST_ASSERT_EQUAL_CHAR(byte_at(came + (uint64_t)i), packet[i]);
	came += (uint64_t)size;
	return true;
}
static void writer_says(const char *words)
{
	TEST_ASSERT_EQUAL(strlen(words), send(writer, words, strlen(words), MSG_NOSIGNAL));
}

static void begin(const char *token, size_t size)
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
	said_size = 0;
	said[0] = '\0';
	done = false;
	request = (struct net_request){.class = NET_READ,
		.method = NET_PUT,
		.path = TEXT("/berth/v1/update"),
		.body = {NULL, size},
		.copy_body = copy_update,
		.on_body = on_body,
		.on_done = on_done};
	net_send(client, &request);
}
static uint32_t finish(void)
{
	for (uint32_t i = 0; i < TURNS && !done; i++)
		bed_turns(1);
	TEST_ASSERT_TRUE(done);
	TEST_ASSERT_EQUAL(NET_OK, request.answer.result);
	return request.answer.status;
}
static uint32_t put(const char *token, size_t size)
{
	begin(token, size);
	return finish();
}
/* Writes all of it, as `berth update -` does, and says so. */
static uint32_t put_and_write(const char *token, size_t size, const char *words)
{
	uint32_t before = ends;
	begin(token, size);
	for (uint32_t i = 0; i < TURNS && ends == before && !done; i++) {
		bed_turns(1);
		while (writer_takes())
			;
	}
	TEST_ASSERT_EQUAL_UINT32(before + 1, ends);
	writer_says(words);
	return finish();
}

static void test_elsewhere_it_says_that_this_is_not_the_appliance(void)
{
	open_bed(false);
	TEST_ASSERT_EQUAL_UINT32(501, put("root-token", 100));
	TEST_ASSERT_NOT_NULL(strstr(said, "this is not the appliance"));
}

static void test_only_who_may_put_that_path_may(void)
{
	open_bed(true);
	bed_options.always_allow_paths = (struct options_words){{TEXT("/*")}, 1};
	bed_options.page = OPTIONS_PAGE_OPEN;
	TEST_ASSERT_EQUAL_UINT32(401, put(NULL, 100));
	TEST_ASSERT_EQUAL_UINT32(401, put("void", 100));
	bed_may = "/metrics";
	bed_lists = "pods nodes";
	TEST_ASSERT_EQUAL_UINT32(403, put("carla-token", 100));
	TEST_ASSERT_NOT_NULL(strstr(said, "cannot put path \\\"/berth/v1/update\\\""));
	TEST_ASSERT_NOT_NULL(strstr(bed_asked, "\"path\":\"/berth/v1/update\",\"verb\":\"put\""));
	TEST_ASSERT_FALSE(writer_takes());
}

static void test_all_bytes_arrive_in_order_and_the_end_is_said(void)
{
	open_bed(true);
	TEST_ASSERT_EQUAL_UINT32(
		200, put_and_write("carla-token", UPDATE, "200 version 9 is written"));
	TEST_ASSERT_EQUAL_STRING("version 9 is written\n", said);
	TEST_ASSERT_EQUAL_UINT64(UPDATE, came);
	came = 0;
	TEST_ASSERT_EQUAL_UINT32(422, put_and_write("root-token", 1, "422 it is too short"));
	TEST_ASSERT_EQUAL_STRING("{\"error\":\"it is too short\"}\n", said);
	TEST_ASSERT_EQUAL_UINT64(1, came);
}

/* However long the disk takes, the client waits, and no more is kept of it than has room. */
static void test_a_slow_disk_holds_the_client_back(void)
{
	open_bed(true);
	begin("root-token", UPDATE);
	for (uint32_t i = 0; i < 40; i++) {
		bed_turns(40);
		bed_loopback.now_us += 2 * CLOCK_S_US;
		TEST_ASSERT_FALSE(done);
	}
	while (writer_takes())
		;
	TEST_ASSERT_TRUE(came > 0 && came < UPDATE);
	for (uint32_t i = 0; i < TURNS && ends == 0; i++) {
		bed_turns(1);
		(void)writer_takes();
	}
	TEST_ASSERT_EQUAL_UINT64(UPDATE, came);
	writer_says("200 it is written");
	TEST_ASSERT_EQUAL_UINT32(200, finish());
}

static void test_what_is_refused_by_its_head_is_not_read_to_its_end(void)
{
	open_bed(true);
	begin("root-token", 20 << 20);
	for (uint32_t i = 0; i < TURNS && came == 0; i++) {
		bed_turns(1);
		(void)writer_takes();
	}
	writer_says("422 its signature is by none of the keys");
	TEST_ASSERT_EQUAL_UINT32(422, finish());
	TEST_ASSERT_NOT_NULL(strstr(said, "its signature is by none of the keys"));
	for (uint32_t i = 0; i < TURNS && ends == 0; i++) {
		bed_turns(1);
		while (writer_takes())
			;
	}
	TEST_ASSERT_EQUAL_UINT32(1, ends);
	TEST_ASSERT_TRUE(came < 10 << 20);
	came = 0;
	bed_turns(100);
	TEST_ASSERT_EQUAL_UINT32(200, put_and_write("root-token", 9000, "200 it is written"));
}

static void test_who_goes_in_the_middle_leaves_an_end_behind(void)
{
	open_bed(true);
	begin("root-token", UPDATE);
	for (uint32_t i = 0; i < TURNS && came == 0; i++) {
		bed_turns(1);
		(void)writer_takes();
	}
	net_cancel(&request);
	for (uint32_t i = 0; i < TURNS && ends == 0; i++) {
		bed_turns(1);
		while (writer_takes())
			;
	}
	TEST_ASSERT_EQUAL_UINT32(1, ends);
	TEST_ASSERT_TRUE(came < UPDATE);
	/* Until the writer has seen that, there is room for no other. */
	TEST_ASSERT_EQUAL_UINT32(503, put("root-token", 100));
	TEST_ASSERT_NOT_NULL(strstr(said, "another update is under way"));
	writer_says("422 it is cut off");
	bed_turns(100);
	came = 0;
	TEST_ASSERT_EQUAL_UINT32(200, put_and_write("root-token", 9000, "200 it is written"));
}

static void test_without_a_writer_it_says_so(void)
{
	open_bed(true);
	close(writer);
	writer = -1;
	TEST_ASSERT_EQUAL_UINT32(503, put("root-token", UPDATE));
	TEST_ASSERT_NOT_NULL(strstr(said, "nothing that would write it"));
}

static void test_what_is_too_large_is_refused(void)
{
	open_bed(true);
	TEST_ASSERT_EQUAL_UINT32(413, put("root-token", STATUS_UPDATE_MAX + 1));
	TEST_ASSERT_FALSE(writer_takes());
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_elsewhere_it_says_that_this_is_not_the_appliance);
	RUN_TEST(test_only_who_may_put_that_path_may);
	RUN_TEST(test_all_bytes_arrive_in_order_and_the_end_is_said);
	RUN_TEST(test_a_slow_disk_holds_the_client_back);
	RUN_TEST(test_what_is_refused_by_its_head_is_not_read_to_its_end);
	RUN_TEST(test_who_goes_in_the_middle_leaves_an_end_behind);
	RUN_TEST(test_without_a_writer_it_says_so);
	RUN_TEST(test_what_is_too_large_is_refused);
	return UNITY_END();
}
