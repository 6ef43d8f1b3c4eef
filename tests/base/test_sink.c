/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that are taken at once, or dropped and counted; never a part of one. */
// deps: base/*.c
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>
#include <unity.h>

#include "base/sink.h"

static struct sink sink;
static int ends[2];

void setUp(void)
{
	(void)signal(SIGPIPE, SIG_IGN);
}
void tearDown(void)
{
}

/* Whole lines "00000123xxx...\n", in order; returns how many. */
static uint32_t read_lines(int fd)
{
	static char heard[1 << 20];
	size_t size = 0;
	uint32_t lines = 0;
	int last = -1;
	for (ssize_t got; (got = read(fd, heard + size, sizeof(heard) - 1 - size)) > 0;)
		size += (size_t)got;
	heard[size] = '\0';
	for (char *line = heard; *line != '\0'; lines++) {
		char *end = strchr(line, '\n');
		TEST_ASSERT_NOT_NULL(end);
		TEST_ASSERT_EQUAL(1000, end - line + 1);
		int number = atoi(line);
		TEST_ASSERT_TRUE(number > last);
		last = number;
		line = end + 1;
	}
	return lines;
}

static void put(int number)
{
	char line[1001];
	memset(line, 'x', sizeof(line));
	snprintf(line, sizeof(line), "%08d", number);
	line[8] = 'x';
	line[999] = '\n';
	sink_put(&sink, (struct text){line, 1000});
}

/* More than the reader's side takes; then it is read, and another one goes through. */
static void overflow(void)
{
	sink_open(&sink, ends[1]);
	for (int i = 0; i < 2000; i++)
		put(i);
	uint64_t dropped = sink_dropped(&sink);
	TEST_ASSERT_TRUE(dropped > 0 && dropped < 2000);
	char room[65536];
	TEST_ASSERT_TRUE(read(ends[0], room, 1000 * 50) == 1000 * 50);
	put(3000);
	TEST_ASSERT_EQUAL_UINT64(0, sink_dropped(&sink));
	TEST_ASSERT_EQUAL_UINT64(dropped, sink.dropped_all);
	TEST_ASSERT_EQUAL(0, close(ends[1]));
	TEST_ASSERT_EQUAL_UINT32(2000 - dropped + 1 - 50, read_lines(ends[0]));
	TEST_ASSERT_EQUAL(0, close(ends[0]));
}

static void test_sink_when_a_pipe_is_full_then_lines_are_dropped(void)
{
	TEST_ASSERT_EQUAL(0, pipe(ends));
	overflow();
}

static void test_sink_when_a_socket_is_full_then_lines_stay_whole(void)
{
	int small = 20000;
	TEST_ASSERT_EQUAL(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	TEST_ASSERT_EQUAL(0, setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)));
	sink_open(&sink, ends[1]);
	uint32_t taken = 0;
	for (int i = 0; i < 500; i++) {
		put(i);
		taken += sink_dropped(&sink) == 0;
	}
	TEST_ASSERT_TRUE(sink_dropped(&sink) > 0 && taken > 0);
	char room[1000];
	for (int i = 0; i < 3; i++)
		TEST_ASSERT_TRUE(read(ends[0], room, 1000) == 1000);
	while (sink.left > 0) /* the rest of one that was cut goes before the next */
		put(600);
	TEST_ASSERT_EQUAL(0, close(ends[1]));
	TEST_ASSERT_TRUE(read_lines(ends[0]) + 3 >= taken);
	TEST_ASSERT_EQUAL(0, close(ends[0]));
}

static void test_sink_when_the_reader_is_gone_then_it_goes_on(void)
{
	TEST_ASSERT_EQUAL(0, pipe(ends));
	TEST_ASSERT_EQUAL(0, close(ends[0]));
	sink_open(&sink, ends[1]);
	put(1);
	sink_put(&sink, TEXT(""));
	TEST_ASSERT_EQUAL_UINT64(2, sink_dropped(&sink));
	TEST_ASSERT_EQUAL(0, close(ends[1]));
	put(1);
	TEST_ASSERT_EQUAL_UINT64(3, sink_dropped(&sink));
	sink_open(&sink, 0);
	TEST_ASSERT_FALSE(sink_is_open(&sink));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_sink_when_a_pipe_is_full_then_lines_are_dropped);
	RUN_TEST(test_sink_when_a_socket_is_full_then_lines_stay_whole);
	RUN_TEST(test_sink_when_the_reader_is_gone_then_it_goes_on);
	return UNITY_END();
}
