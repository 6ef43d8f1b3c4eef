/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scheduling first: while pods wait, answers and handshakes get their share of the time and no
 * more, the loop does not turn for nothing meanwhile, and everybody is answered in the end. The
 * clock moves with each look at it, so that every piece of work takes long.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c cache/*.c queue/*.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: yaml/*.c profile/*.c config/*.c
// deps: watch/*.c api/*.c bind/*.c cycle/*.c lease/*.c scheduler/*.c status/*.c
// deps: extender/*.c
// deps: tests/status/bed.c tests/net/loopback.c tests/status/visitor.c
#include <string.h>

#include <unity.h>

#include "net/net.h"
#include "status/bed.h"
#include "status/visitor.h"

enum {
	TICK_US = 400,
	SCRAPERS = STATUS_PLAIN_CONNECTIONS - STATUS_OWN_PLACES,
	PIECES = 3 * SCRAPERS, /* that all answers have at least */
	TURNS = 20000,
	LONG_US = 100 * 1000,
	PIECE_LOOKS = 5 /* at the clock: before a piece, behind it, and those of the loop */
};

static struct bed_client scrapers[SCRAPERS];

void setUp(void)
{
	bed_init();
	bed_peer = "127.0.0.1";
}
void tearDown(void)
{
	bed_close();
}

struct cost {
	int64_t us;          /* all of it */
	int64_t most;        /* looks at the clock in a turn */
	uint32_t long_turns; /* of more than one piece, to judge by their looks */
	uint32_t looks;      /* at the clock */
	uint32_t turns;
};

/* All scrapes at once, until the last one is over. */
static struct cost scrape(bool hurried)
{
	struct cost cost = {0};
	uint32_t ended = 0;
	bed_open();
	bed_fill();
	for (uint32_t i = 0; i < SCRAPERS; i++) {
		bed_dial(&scrapers[i]);
		bed_say(&scrapers[i],
			"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	}
	net_hurry(bed_net, hurried);
	bed_tick_us = TICK_US;
	int64_t began_us = bed_loopback.now_us;
	for (; ended < SCRAPERS && cost.turns < TURNS; cost.turns++) {
		uint32_t before = bed_ticks;
		net_poll(bed_net, LONG_US);
		cost.looks += bed_ticks - before;
		cost.long_turns += bed_ticks - before > PIECE_LOOKS;
		if (bed_ticks - before > cost.most)
			cost.most = bed_ticks - before;
		ended = 0;
		for (uint32_t i = 0; i < SCRAPERS; i++) {
			if (!scrapers[i].ended)
				bed_hear(&scrapers[i]);
			ended += scrapers[i].ended;
		}
	}
	cost.us = bed_loopback.now_us - began_us;
	bed_tick_us = 0;
	for (uint32_t i = 0; i < SCRAPERS; i++) {
		TEST_ASSERT_EQUAL_STRING_LEN("HTTP/1.1 200 ", scrapers[i].heard, 13);
		TEST_ASSERT_NOT_NULL(strstr(scrapers[i].heard, "\nberth_busy_seconds_total 0\n"));
		TEST_ASSERT_EQUAL_STRING("\r\n0\r\n\r\n", scrapers[i].heard + scrapers[i].size - 7);
		bed_hang_up(&scrapers[i]);
	}
	return cost;
}

static void test_answers_have_a_share_of_the_time(void)
{
	struct cost cost = scrape(true);
	TEST_ASSERT_TRUE(cost.us >= (int64_t)PIECES * TICK_US * STATUS_REST);
	/* A piece a turn. The loop alone looks twice more when a connection ends in it. */
	TEST_ASSERT_TRUE(cost.most <= PIECE_LOOKS + 2);
	TEST_ASSERT_LESS_OR_EQUAL_UINT32(SCRAPERS, cost.long_turns);
	/* One turn for each rest, and few for bytes that move. */
	TEST_ASSERT_TRUE(cost.turns < 4 * (cost.us / (TICK_US * STATUS_REST)));
}

static void test_answers_have_a_part_of_each_turn(void)
{
	struct cost cost = scrape(false);
	TEST_ASSERT_TRUE(cost.us < (int64_t)PIECES * TICK_US * STATUS_REST);
	TEST_ASSERT_TRUE(cost.most > PIECE_LOOKS + 2);
	TEST_ASSERT_TRUE(cost.most <= 2 * (STATUS_TURN_US / TICK_US + 1) + 3);
}

static int64_t shake_hands(bool hurried, uint64_t *turns)
{
	static struct visitor visitor;
	bed_options.secure_port = BED_SECURE;
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_open();
	net_hurry(bed_net, hurried);
	bed_tick_us = TICK_US;
	int64_t began_us = bed_loopback.now_us;
	*turns = bed_loopback.waits;
	TEST_ASSERT_TRUE_MESSAGE(visitor_come(&visitor, NULL), visitor.tls.fault);
	int64_t took_us = bed_loopback.now_us - began_us;
	*turns = bed_loopback.waits - *turns;
	bed_tick_us = 0;
	visitor_go(&visitor);
	return took_us;
}

static void test_handshakes_have_a_share_of_the_time(void)
{
	enum { STEPS = 6, REST = 16 };
	uint64_t turns;
	int64_t took_us = shake_hands(true, &turns);
	TEST_ASSERT_TRUE(took_us >= STEPS * REST * TICK_US);
	/* The visitor lets it sleep for a millisecond at most. */
	TEST_ASSERT_TRUE(turns < 3 * (uint64_t)took_us / CLOCK_MS_US);
	bed_close();
	setUp();
	TEST_ASSERT_TRUE(shake_hands(false, &turns) < STEPS * REST * TICK_US);
}

static void test_an_event_is_written_once(void)
{
	bed_options.page = OPTIONS_PAGE_OPEN;
	bed_open();
	bed_fill();
	for (uint32_t i = 0; i < SCRAPERS; i++) {
		struct scheduler_record *r = scheduler_record_next(&bed_scheduler.metrics);
		r->pod[0] = (char)('a' + i);
		r->pod[1] = '\0';
		bed_dial(&scrapers[i]);
		bed_say(&scrapers[i], "GET /berth/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
		bed_turns(5);
		bed_hear(&scrapers[i]);
	}
	/* Who came first has heard least; each hears each decision once. */
	bed_loopback.now_us += CLOCK_S_US;
	bed_turns(20);
	for (uint32_t i = 0; i < SCRAPERS; i++) {
		bed_hear(&scrapers[i]);
		for (uint32_t k = 0; k < SCRAPERS; k++) {
			const char pod[] = {
				'"', 'p', 'o', 'd', '"', ':', '"', (char)('a' + k), '"', '\0'};
			const char *at = strstr(scrapers[i].heard, pod);
			TEST_ASSERT_NOT_NULL_MESSAGE(at, pod);
			TEST_ASSERT_NULL_MESSAGE(strstr(at + 1, pod), pod);
		}
		scrapers[i].size = 0;
	}
	/* Now all have heard as much, and the next one is the same for all. */
	scheduler_record_next(&bed_scheduler.metrics)->pod[0] = 'z';
	bed_loopback.now_us += CLOCK_S_US;
	bed_turns(20);
	for (uint32_t i = 0; i < SCRAPERS; i++) {
		bed_hear(&scrapers[i]);
		TEST_ASSERT_NOT_NULL(strstr(scrapers[i].heard, "event: overview"));
		TEST_ASSERT_NOT_NULL(strstr(scrapers[i].heard, "\"pod\":\"z"));
		TEST_ASSERT_EQUAL_STRING(scrapers[0].heard, scrapers[i].heard);
		bed_hang_up(&scrapers[i]);
	}
	bed_turns(20);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_answers_have_a_share_of_the_time);
	RUN_TEST(test_answers_have_a_part_of_each_turn);
	RUN_TEST(test_handshakes_have_a_share_of_the_time);
	RUN_TEST(test_an_event_is_written_once);
	return UNITY_END();
}
