/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server on real sockets and strangers: who stands still, who sends garbage, who comes in
 * crowds.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c tests/http/server_fixture.c
#include "unity.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/store.h"
#include "http/server_fixture.h"
#include "http/server_private.h"
#include "tls/tls.h"

void setUp(void)
{
	bed_init();
}

void tearDown(void)
{
	bed_close();
}

enum { CROWD = 200 };

static void test_plain_http_is_told_so(void)
{
	char heard[512];
	bool ended;
	int fd;

	bed_serve();
	fd = bed_dial();
	bed_turn(10000);
	bed_say_z(fd, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
	bed_hear(fd, heard, sizeof(heard), 200, &ended);
	TEST_ASSERT_TRUE(ended);
	TEST_ASSERT_NOT_NULL(strstr(heard, "400 Bad Request"));
	TEST_ASSERT_NOT_NULL(strstr(heard, "Client sent an HTTP request to an HTTPS server."));
	close(fd);
	bed_turn(1000);
	bed_turn(1000);
	TEST_ASSERT_EQUAL_UINT32(0, net_server_stats(bed_server).open);
}

/* Half a hello costs nothing: those who send a whole one are not kept waiting by it. */
static void test_server_with_half_hellos_serves_others_at_once(void)
{
	static struct asked asked;
	int fds[6];

	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		fds[i] = bed_dial();
		bed_turn(1000);
		bed_say_z(fds[i], "\x16\x03\x01");
	}
	bed_turns(50);
	TEST_ASSERT_EQUAL_UINT32(6, net_server_stats(bed_server).open);
	TEST_ASSERT_EQUAL_UINT32(0, tls_handshakes(true));
	bed_start(0, &asked, "/");
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_STRING("ok", net_result_name(asked.end.result));
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_turn(1000);
	bed_turn(1000);
	TEST_ASSERT_EQUAL_UINT32(1, net_server_stats(bed_server).open);
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++)
		close(fds[i]);
}

/* Strangers of this test come from an address of their own; berth's clients from the server's. */
static int dial_from(const char *address)
{
	struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	from.sin_addr.s_addr = inet_addr(address);
	to.sin_addr.s_addr = inet_addr("127.0.0.1");
	to.sin_port = htons(net_server_port(bed_server));
	TEST_ASSERT_EQUAL_INT(0, bind(fd, (const struct sockaddr *)&from, sizeof(from)));
	(void)connect(fd, (const struct sockaddr *)&to, sizeof(to));
	return fd;
}

static void test_server_with_strangers_keeps_places_for_its_own_machine(void)
{
	char address[32];
	int fds[30];

	bed_setup.own_places = 2;
	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		(void)snprintf(address, sizeof(address), "127.0.1.%u", i + 1);
		fds[i] = dial_from(address);
		bed_turn(1000);
	}
	TEST_ASSERT_EQUAL_UINT32(6, net_server_stats(bed_server).open);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	/* A third one takes the place of a stranger, who has only just begun. */
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(2, "/"));
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_UINT32(8, net_server_stats(bed_server).open);
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++)
		close(fds[i]);
}

/* Connections from this machine that come again as soon as they are closed. */
static void crowd_again(int *fds, uint32_t count, const char *words)
{
	char byte;

	for (uint32_t i = 0; i < count; i++) {
		ssize_t got = fds[i] < 0 ? 0 : recv(fds[i], &byte, 1, MSG_PEEK);

		if (got > 0 || (got < 0 && (errno == EAGAIN || errno == ENOTCONN)))
			continue;
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = bed_dial();
		bed_turn(0);
		bed_say_z(fds[i], words);
	}
}

static void serve_among_a_crowd(const char *words)
{
	static struct asked asked;
	int fds[120];

	bed_setup.own_places = 2;
	bed_setup.connections_max = 26;
	bed_setup.exchanges_max = 24;
	bed_serve();
	memset(fds, -1, sizeof(fds));
	crowd_again(fds, ARRAY_COUNT(fds), words);
	for (uint32_t round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < 10; i++, bed_turns(2))
			crowd_again(fds, ARRAY_COUNT(fds), words);
		int64_t began = bed_clock_ahead_us;
		net_client_close(bed_client(0));
		bed_clients[0] = NULL;
		bed_start(0, &asked, "/");
		while (asked.done == 0 && bed_clock_ahead_us < began + CLOCK_S_US) {
			bed_clock_ahead_us += 5 * CLOCK_MS_US;
			bed_turns(2);
			crowd_again(fds, ARRAY_COUNT(fds), words);
		}
		TEST_ASSERT_EQUAL_UINT32(1, asked.done);
		TEST_ASSERT_EQUAL_STRING("ok", net_result_name(asked.end.result));
	}
	TEST_ASSERT_GREATER_THAN_UINT64(100, net_server_stats(bed_server).displaced);
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++)
		close(fds[i]);
}

static void test_server_with_a_silent_crowd_on_its_machine_answers_in_a_second(void)
{
	serve_among_a_crowd("");
}

static void test_server_with_half_hellos_on_its_machine_answers_in_a_second(void)
{
	serve_among_a_crowd("\x16\x03\x01");
}

static void test_server_with_half_requests_on_its_machine_answers_in_a_second(void)
{
	bed_setup.https = false;
	serve_among_a_crowd("GET / HTTP/1.1\r\nX: ");
}

static void test_server_full_of_one_address_lets_another_in(void)
{
	int fds[8], other;

	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		fds[i] = dial_from("127.0.1.1");
		bed_turn(1000);
	}
	TEST_ASSERT_EQUAL_UINT32(8, net_server_stats(bed_server).open);
	other = dial_from("127.0.1.2");
	bed_turns(3);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).displaced);
	TEST_ASSERT_EQUAL_UINT64(0, net_server_stats(bed_server).turned_away);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++)
		close(fds[i]);
	close(other);
}

static struct net_address address_of(const char *text)
{
	struct net_address address;

	TEST_ASSERT_TRUE(net_address_parse(text_of(text), 0, &address));
	return address;
}

static void test_server_full_of_beginners_lets_in_who_showed_credentials(void)
{
	struct net_address known = address_of("127.0.1.100");
	char address[32];
	int fds[8], other;

	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		(void)snprintf(address, sizeof(address), "127.0.1.%u", i + 1);
		fds[i] = dial_from(address);
		bed_turn(1000);
	}
	other = dial_from("127.0.1.99");
	bed_turns(3);
	TEST_ASSERT_EQUAL_UINT64(0, net_server_stats(bed_server).displaced);
	server_peer_vouched(&bed_server->peers, &known, net_now(bed_server->net));
	close(other);
	other = dial_from("127.0.1.100");
	bed_turns(3);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).displaced);
	/* Who had only just begun is not blamed for it. */
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		(void)snprintf(address, sizeof(address), "127.0.1.%u", i + 1);
		struct net_address peer = address_of(address);
		TEST_ASSERT_EQUAL(SERVER_PEER_NEW,
			server_peer_standing(&bed_server->peers, &peer, net_now(bed_server->net)));
		close(fds[i]);
	}
	close(other);
}

static void test_server_remembers_who_was_silent(void)
{
	struct net_address silent = address_of("127.0.1.1");
	int fds[8], other;

	bed_serve();
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++) {
		fds[i] = dial_from("127.0.1.1");
		bed_turn(1000);
	}
	bed_clock_ahead_us += CLOCK_S_US;
	bed_turns(3);
	other = dial_from("127.0.1.2");
	bed_turns(3);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).displaced);
	struct mono now = net_now(bed_server->net);
	TEST_ASSERT_EQUAL(
		SERVER_PEER_WASTEFUL, server_peer_standing(&bed_server->peers, &silent, now));
	now = mono_after_ms(now, SERVER_PEER_FORGET_MS);
	TEST_ASSERT_EQUAL(SERVER_PEER_NEW, server_peer_standing(&bed_server->peers, &silent, now));
	for (uint32_t i = 0; i < ARRAY_COUNT(fds); i++)
		close(fds[i]);
	close(other);
}

static void test_peers_when_the_table_is_full_forget_the_wasteful_first(void)
{
	struct server_peers *peers = calloc(1, sizeof(*peers));
	struct net_address good = address_of("192.0.2.1"), bad = address_of("198.51.100.0");
	struct mono now = {1000};

	TEST_ASSERT_NOT_NULL(peers);
	server_peer_vouched(peers, &good, now);
	server_peer_wasted(peers, &good, now);
	TEST_ASSERT_EQUAL(SERVER_PEER_VOUCHED, server_peer_standing(peers, &good, now));
	for (uint32_t i = 0; i < 10 * SERVER_PEERS; i++) {
		now.us++;
		bad.bytes[2] = (uint8_t)(i >> 8);
		bad.bytes[3] = (uint8_t)i;
		server_peer_wasted(peers, &bad, now);
		TEST_ASSERT_EQUAL(SERVER_PEER_WASTEFUL, server_peer_standing(peers, &bad, now));
	}
	TEST_ASSERT_EQUAL(SERVER_PEER_VOUCHED, server_peer_standing(peers, &good, now));
	free(peers);
}

/* An answer that nobody reads gives way, one that is read slowly does not. */
static void test_server_when_full_displaces_an_answer_that_does_not_move(void)
{
	bed_setup.connections_max = 1;
	bed_setup.https = false;
	bed_serve();
	int fd = dial_from("127.0.1.1");
	bed_turns(3);
	for (uint32_t i = 0; i < 4000; i++) {
		(void)send(fd, "GET /big HTTP/1.1\r\nHost: a\r\n\r\n", 30, MSG_NOSIGNAL);
		bed_turn(0);
	}
	bed_clock_ahead_us += 300 * CLOCK_MS_US;
	bed_turn(0);
	bed_clock_ahead_us += 300 * CLOCK_MS_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).displaced);
	close(fd);
}

static void test_who_does_not_begin_a_handshake(void)
{
	char heard[64];
	bool ended;
	int fds[2];

	bed_serve();
	for (uint32_t i = 0; i < 2; i++)
		fds[i] = bed_dial();
	bed_turns(5);
	close(fds[0]);
	bed_turns(5);
	TEST_ASSERT_EQUAL_UINT32(1, net_server_stats(bed_server).open);
	bed_clock_ahead_us += 11 * CLOCK_S_US;
	bed_hear(fds[1], heard, sizeof(heard), 50, &ended);
	TEST_ASSERT_TRUE(ended);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).timeouts);
	close(fds[1]);
}

static void test_garbage_for_a_handshake(void)
{
	char heard[512], garbage[600];
	bool ended;

	/* a record of 512 bytes that says it is a handshake, and is none */
	memset(garbage, 'g', sizeof(garbage));
	memcpy(garbage, "\x16\x03\x01\x02\x00", 5);
	bed_serve();
	for (uint32_t i = 0; i < 20; i++) {
		int fd = bed_dial();
		bed_turn(10000);
		bed_say(fd, garbage, sizeof(garbage));
		bed_hear(fd, heard, sizeof(heard), 200, &ended);
		TEST_ASSERT_TRUE(ended);
		close(fd);
	}
	TEST_ASSERT_EQUAL_UINT64(20, net_server_stats(bed_server).handshake_failures);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
}

static void test_a_fence_that_is_full_refuses_and_recovers(void)
{
	static struct asked asked[BED_CLIENTS];
	uint32_t good = 0, failed = 0, taken = 0;
	uint32_t handles[256];

	bed_serve();
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	for (uint32_t i = 1; i < BED_CLIENTS; i++)
		(void)bed_client(i);
	while (taken < ARRAY_COUNT(handles) &&
		(handles[taken] = store_take(tls_fence(), 8 * 1024)) != 0)
		taken++;
	int fd = bed_dial();
	bed_turn(10000);
	bed_say(fd, "\x16\x03\x01\x00\x01\x01", 6);
	bed_turns(5);
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).handshake_failures);
	close(fd);
	for (uint32_t i = 1; i < BED_CLIENTS; i++)
		bed_start(i, &asked[i], "/");
	for (uint32_t i = 1; i < BED_CLIENTS; i++) {
		bed_finish(&asked[i]);
		good += asked[i].end.result == NET_OK;
		failed += asked[i].end.result != NET_OK;
	}
	TEST_ASSERT_EQUAL_UINT32(0, good);
	TEST_ASSERT_EQUAL_UINT32(BED_CLIENTS - 1, failed);
	while (taken-- > 0)
		store_give(tls_fence(), handles[taken]);
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	bed_clock_ahead_us += 1 * CLOCK_S_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
}

/* What strangers make mbedTLS keep must not take the place of berth's own connections. */
static void test_strangers_have_a_share_of_the_fence(void)
{
	static struct asked asked;
	uint32_t connections = bed_setup.connections_max;

	bed_serve();
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	tls_release(connections);
	/* who is there needs no more; who comes finds no room, although there is enough of it */
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	bed_start(1, &asked, "/");
	bed_finish(&asked);
	TEST_ASSERT_EQUAL_STRING("tls-failed", net_result_name(asked.end.result));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).handshake_failures);
	TEST_ASSERT_GREATER_THAN_UINT64(
		200 * 1024, tls_fence()->budget.capacity - tls_fence()->budget.used);
	tls_reserve(2);
	bed_clock_ahead_us += CLOCK_S_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	tls_reserve(connections - 2);
	bed_clock_ahead_us += CLOCK_S_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(2, "/"));
	/* all that was taken is given back */
	for (uint32_t round = 0; round < 30; round++) {
		net_client_close(bed_clients[1]);
		bed_clients[1] = NULL;
		TEST_ASSERT_EQUAL_STRING("fine", bed_get(1, "/"));
	}
}

/* ---- crowds ---- */

static int crowd[CROWD];
static char crowd_heard[CROWD][512];
static size_t crowd_size[CROWD];
static bool crowd_ended[CROWD];

static void hear_crowd(uint32_t turns)
{
	while (turns-- > 0) {
		for (uint32_t i = 0; i < CROWD; i++) {
			char *to = crowd_heard[i];
			ssize_t got = recv(crowd[i], to + crowd_size[i],
				sizeof(crowd_heard[i]) - 1 - crowd_size[i], 0);

			if (got > 0)
				crowd_size[i] += (size_t)got;
			else if (got == 0 || (errno != EAGAIN && errno != ENOTCONN))
				crowd_ended[i] = true;
		}
		bed_turn(500);
	}
}

static void test_two_hundred_connections_against_sixteen(void)
{
	uint32_t served = 0, told = 0, ended = 0;

	bed_setup.https = false;
	bed_setup.connections_max = 16;
	bed_serve();
	memset(crowd_heard, 0, sizeof(crowd_heard));
	memset(crowd_size, 0, sizeof(crowd_size));
	memset(crowd_ended, 0, sizeof(crowd_ended));
	for (uint32_t i = 0; i < CROWD; i++) {
		crowd[i] = bed_dial();
		bed_turn(0);
	}
	/* Some wait for a while; who is told so is told in words. */
	hear_crowd(20);
	bed_clock_ahead_us += SERVER_WAITING_MS * CLOCK_MS_US;
	hear_crowd(300);
	TEST_ASSERT_EQUAL_UINT32(16, net_server_stats(bed_server).open);
	for (uint32_t i = 0; i < CROWD; i++) {
		ended += crowd_ended[i];
		told += strstr(crowd_heard[i], " 503 ") != NULL;
		if (!crowd_ended[i])
			(void)send(crowd[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27, MSG_NOSIGNAL);
	}
	TEST_ASSERT_EQUAL_UINT32(CROWD - 16, ended);
	TEST_ASSERT_EQUAL_UINT64(CROWD - 16, told + net_server_stats(bed_server).displaced);
	uint64_t displaced = net_server_stats(bed_server).displaced;
	hear_crowd(50);
	for (uint32_t i = 0; i < CROWD; i++)
		served += strstr(crowd_heard[i], "fine") != NULL;
	TEST_ASSERT_EQUAL_UINT32(16, served);
	/* who comes now gets the place of one who is idle */
	bed_clock_ahead_us += SERVER_GRACE_MS * CLOCK_MS_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_UINT64(displaced + 1, net_server_stats(bed_server).displaced);
	TEST_ASSERT_EQUAL_UINT64(told, net_server_stats(bed_server).turned_away);
	for (uint32_t i = 0; i < CROWD; i++)
		close(crowd[i]);
	for (uint32_t i = 0; i < 20; i++)
		bed_turn(500);
	TEST_ASSERT_EQUAL_UINT32(1, net_server_stats(bed_server).open);
}

static void test_a_place_of_who_says_nothing(void)
{
	bed_setup.https = false;
	bed_setup.connections_max = 16;
	bed_serve();
	for (uint32_t i = 0; i < 16; i++) {
		crowd[i] = bed_dial();
		bed_turn(1000);
		if (i % 2 == 0)
			bed_say_z(crowd[i], "GET / HTTP/1.1\r\nX: ");
	}
	for (uint32_t i = 0; i < 20; i++)
		bed_turn(500);
	TEST_ASSERT_EQUAL_UINT32(16, net_server_stats(bed_server).open);
	bed_clock_ahead_us += 2100 * CLOCK_MS_US;
	TEST_ASSERT_EQUAL_STRING("fine", bed_get(0, "/"));
	TEST_ASSERT_EQUAL_UINT64(1, net_server_stats(bed_server).displaced);
	for (uint32_t i = 0; i < 16; i++)
		close(crowd[i]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_plain_http_is_told_so);
	RUN_TEST(test_server_with_half_hellos_serves_others_at_once);
	RUN_TEST(test_server_with_strangers_keeps_places_for_its_own_machine);
	RUN_TEST(test_server_with_a_silent_crowd_on_its_machine_answers_in_a_second);
	RUN_TEST(test_server_with_half_hellos_on_its_machine_answers_in_a_second);
	RUN_TEST(test_server_with_half_requests_on_its_machine_answers_in_a_second);
	RUN_TEST(test_server_full_of_one_address_lets_another_in);
	RUN_TEST(test_server_full_of_beginners_lets_in_who_showed_credentials);
	RUN_TEST(test_server_remembers_who_was_silent);
	RUN_TEST(test_peers_when_the_table_is_full_forget_the_wasteful_first);
	RUN_TEST(test_server_when_full_displaces_an_answer_that_does_not_move);
	RUN_TEST(test_who_does_not_begin_a_handshake);
	RUN_TEST(test_garbage_for_a_handshake);
	RUN_TEST(test_a_fence_that_is_full_refuses_and_recovers);
	RUN_TEST(test_strangers_have_a_share_of_the_fence);
	RUN_TEST(test_two_hundred_connections_against_sixteen);
	RUN_TEST(test_a_place_of_who_says_nothing);
	return UNITY_END();
}
