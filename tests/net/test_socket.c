/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The real bytes: streams over loopback, both ends in this process; datagrams; listening; limits.
 */
// deps: net/socket.c net/address.c base/*.c
// libs: mbedtls
#include "unity.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/budget.h"
#include "net/bytes.h"

enum { STREAMS_MAX = 6 };

static void *memory;
static struct arena arena;
static struct net_bytes b;
static struct net_address at;
static uint32_t listener;

void setUp(void)
{
	size_t size = net_socket_size(STREAMS_MAX);

	memory = calloc(1, size + 16);
	arena_init(&arena, memory, size + 16);
	b = net_socket_bytes(&arena, STREAMS_MAX);
	listener = 0;
}

void tearDown(void)
{
	net_socket_close(&b);
	free(memory);
}

/* A port that is free: the system's choice, given back at once. */
static uint16_t free_port(int type)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, type, 0);

	TEST_ASSERT_EQUAL_INT(0, bind(fd, (struct sockaddr *)&address, sizeof(address)));
	TEST_ASSERT_EQUAL_INT(0, getsockname(fd, (struct sockaddr *)&address, &size));
	close(fd);
	return ntohs(address.sin_port);
}

static void listen_at(const char *literal)
{
	TEST_ASSERT_TRUE(net_address_parse(text_of(literal), free_port(SOCK_STREAM), &at));
	listener = b.listen(b.self, &at);
	TEST_ASSERT_NOT_EQUAL(0, listener);
}

static void turn(int times)
{
	while (times-- > 0)
		b.wait(b.self, 2000);
}

static uint32_t connect_and_accept(uint32_t *server)
{
	struct net_address peer;
	uint32_t client = b.open(b.self, NET_STREAM_TCP, &at);

	TEST_ASSERT_NOT_EQUAL(0, client);
	*server = 0;
	for (int i = 0; i < 100 && *server == 0; i++) {
		turn(1);
		*server = b.accept(b.self, listener, &peer);
	}
	TEST_ASSERT_NOT_EQUAL(0, *server);
	TEST_ASSERT_EQUAL_UINT8(at.family, peer.family);
	TEST_ASSERT_EQUAL_UINT8_ARRAY(at.bytes, peer.bytes, at.family == 4 ? 4 : 16);
	TEST_ASSERT_EQUAL_size_t(0, b.received(b.self, *server).size);
	turn(2);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_OPEN, b.state(b.self, client));
	return client;
}

static void expect(uint32_t stream, const char *text)
{
	struct text got = b.received(b.self, stream);

	TEST_ASSERT_EQUAL_size_t(strlen(text), got.size);
	TEST_ASSERT_EQUAL_INT(0, memcmp(text, got.at, got.size));
}

static void check_both_ways(const char *literal)
{
	uint32_t server, client;

	listen_at(literal);
	client = connect_and_accept(&server);
	TEST_ASSERT_EQUAL_size_t(5, b.send(b.self, client, "hello", 5));
	turn(2);
	expect(server, "hello");
	b.drop(b.self, server, 2);
	expect(server, "llo");
	turn(2);
	expect(server, "llo");
	b.send(b.self, client, "!", 1);
	turn(2);
	expect(server, "llo!");
	b.drop(b.self, server, 4);
	expect(server, "");
	b.send(b.self, server, "bye", 3);
	b.close(b.self, server);
	turn(3);
	/* what was said before the end is still there after it */
	TEST_ASSERT_EQUAL_INT(NET_STREAM_ENDED, b.state(b.self, client));
	expect(client, "bye");
	b.drop(b.self, client, 1);
	expect(client, "ye");
	b.drop(b.self, client, 2);
	expect(client, "");
	TEST_ASSERT_EQUAL_size_t(0, b.send(b.self, client, "x", 1));
	b.close(b.self, client);
	b.close(b.self, listener);
	turn(2);
}

static void test_both_ways(void)
{
	check_both_ways("127.0.0.1");
	check_both_ways("::1");
}

static void test_nobody_there(void)
{
	uint32_t stream;

	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), free_port(SOCK_STREAM), &at));
	stream = b.open(b.self, NET_STREAM_TCP, &at);
	turn(3);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_FAILED, b.state(b.self, stream));
	TEST_ASSERT_EQUAL_STRING("Connection refused", b.fault(b.self, stream));
	expect(stream, "");
	b.close(b.self, stream);
}

/* A reader that drops nothing holds the sender back; then everything arrives, in order. */
static void test_back_pressure(void)
{
	static char sent[8 << 20];
	size_t given = 0, taken = 0;
	uint32_t server, client;

	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * 7 + (i >> 11));
	listen_at("127.0.0.1");
	client = connect_and_accept(&server);
	for (int i = 0; i < 200; i++) {
		given += b.send(b.self, client, sent + given, sizeof(sent) - given);
		turn(1);
	}
	TEST_ASSERT_LESS_THAN_size_t(sizeof(sent), given);
	TEST_ASSERT_GREATER_THAN_size_t(0, b.unsent(b.self, client));
	TEST_ASSERT_LESS_OR_EQUAL_size_t(16 * 1024, b.received(b.self, server).size);
	while (taken < sizeof(sent)) {
		struct text got = b.received(b.self, server);
		size_t size = got.size > 5000 ? 5000 : got.size;

		TEST_ASSERT_EQUAL_INT(0, memcmp(sent + taken, got.at, size));
		b.drop(b.self, server, size);
		taken += size;
		given += b.send(b.self, client, sent + given, sizeof(sent) - given);
		turn(1);
	}
	TEST_ASSERT_EQUAL_size_t(0, b.unsent(b.self, client));
}

static void test_the_end_waits_behind_a_full_buffer(void)
{
	static char sent[64 * 1024];
	size_t given = 0, taken = 0;
	uint32_t server, client;

	memset(sent, 'x', sizeof(sent));
	listen_at("127.0.0.1");
	client = connect_and_accept(&server);
	while (given < sizeof(sent)) {
		given += b.send(b.self, client, sent + given, sizeof(sent) - given);
		turn(1);
	}
	while (b.unsent(b.self, client) > 0)
		turn(1);
	b.close(b.self, client);
	turn(3);
	for (int i = 0; i < 100 && b.state(b.self, server) == NET_STREAM_OPEN; i++) {
		size_t size = b.received(b.self, server).size;
		b.drop(b.self, server, size);
		taken += size;
		turn(1);
	}
	taken += b.received(b.self, server).size;
	TEST_ASSERT_EQUAL_INT(NET_STREAM_ENDED, b.state(b.self, server));
	TEST_ASSERT_EQUAL_size_t(sizeof(sent), taken);
}

static void test_streams_run_out(void)
{
	uint32_t clients[STREAMS_MAX], server = 0, count = 0;
	struct net_address peer;

	listen_at("127.0.0.1");
	/* the listener, and clients for which there is no second end any more */
	while (count < STREAMS_MAX && (clients[count] = b.open(b.self, NET_STREAM_TCP, &at)) != 0)
		count++;
	TEST_ASSERT_EQUAL_UINT32(STREAMS_MAX - 1, count);
	/* They may wait, but not be read: there is no buffer for one more. */
	for (int i = 0; i < 20 && server == 0; i++) {
		turn(1);
		server = b.accept(b.self, listener, &peer);
	}
	TEST_ASSERT_NOT_EQUAL(0, server);
	TEST_ASSERT_TRUE(peer.is_own);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_OPEN, b.state(b.self, server));
	TEST_ASSERT_EQUAL_size_t(0, b.received(b.self, server).size);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_FAILED, b.state(b.self, server));
	b.close(b.self, server);
	b.close(b.self, clients[0]);
	server = 0;
	for (int i = 0; i < 20 && server == 0; i++) {
		turn(1);
		server = b.accept(b.self, listener, &peer);
	}
	TEST_ASSERT_NOT_EQUAL(0, server);
	TEST_ASSERT_EQUAL_size_t(0, b.received(b.self, server).size);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_OPEN, b.state(b.self, server));
	TEST_ASSERT_EQUAL_UINT32(0, b.open(b.self, NET_STREAM_TCP, &at));
	/* opened and closed many times: nothing is lost */
	b.close(b.self, server);
	for (uint32_t i = 1; i < count; i++)
		b.close(b.self, clients[i]);
	for (int i = 0; i < 200; i++) {
		uint32_t again = b.open(b.self, NET_STREAM_TCP, &at);
		if (again != 0)
			b.close(b.self, again);
		turn(1);
		while ((server = b.accept(b.self, listener, &peer)) != 0)
			b.close(b.self, server);
	}
	turn(3);
	while ((server = b.accept(b.self, listener, &peer)) != 0)
		b.close(b.self, server);
	for (uint32_t i = 0; i < STREAMS_MAX - 1; i++)
		TEST_ASSERT_NOT_EQUAL(0, b.open(b.self, NET_STREAM_TCP, &at));
}

static void test_datagrams(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr_in from;
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_DGRAM, 0), other = socket(AF_INET, SOCK_DGRAM, 0);
	char got[16];

	TEST_ASSERT_EQUAL_INT(0, bind(server, (struct sockaddr *)&address, sizeof(address)));
	TEST_ASSERT_EQUAL_INT(0, getsockname(server, (struct sockaddr *)&address, &size));
	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), ntohs(address.sin_port), &at));
	uint32_t stream = b.open(b.self, NET_STREAM_UDP, &at);
	TEST_ASSERT_EQUAL_INT(NET_STREAM_OPEN, b.state(b.self, stream));
	TEST_ASSERT_EQUAL_size_t(4, b.send(b.self, stream, "ask?", 4));
	size = sizeof(from);
	TEST_ASSERT_EQUAL_INT(
		4, (int)recvfrom(server, got, sizeof(got), 0, (struct sockaddr *)&from, &size));
	/* somebody else's does not arrive; two of the server's do not melt into one */
	TEST_ASSERT_EQUAL_INT(4, (int)sendto(other, "evil", 4, 0, (struct sockaddr *)&from, size));
	TEST_ASSERT_EQUAL_INT(3, (int)sendto(server, "one", 3, 0, (struct sockaddr *)&from, size));
	TEST_ASSERT_EQUAL_INT(3, (int)sendto(server, "two", 3, 0, (struct sockaddr *)&from, size));
	turn(3);
	expect(stream, "one");
	b.drop(b.self, stream, 3);
	turn(1);
	expect(stream, "two");
	close(server);
	close(other);
	b.drop(b.self, stream, 3);
	b.send(b.self, stream, "ask?", 4);
	turn(3);
	b.send(b.self, stream, "ask?", 4);
	turn(3);
	TEST_ASSERT_NOT_EQUAL(NET_STREAM_OPEN, b.state(b.self, stream));
	b.close(b.self, stream);
}

static void test_addresses_that_cannot_be_used(void)
{
	struct net_address taken = {.family = 0};

	listen_at("127.0.0.1");
	taken = at;
	/* somebody listens there already */
	TEST_ASSERT_EQUAL_UINT32(0, b.listen(b.self, &taken));
	TEST_ASSERT_TRUE(net_address_parse(TEXT("203.0.113.1"), 1, &taken));
	TEST_ASSERT_EQUAL_UINT32(0, b.listen(b.self, &taken));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_both_ways);
	RUN_TEST(test_nobody_there);
	RUN_TEST(test_back_pressure);
	RUN_TEST(test_the_end_waits_behind_a_full_buffer);
	RUN_TEST(test_streams_run_out);
	RUN_TEST(test_datagrams);
	RUN_TEST(test_addresses_that_cannot_be_used);
	return UNITY_END();
}
