/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers and sleeping by a clock that the waiting itself moves; addresses; backoff.
 */
// deps: net/*.c tls/*.c http/*.c base/*.c
#include "unity.h"

#include <stdlib.h>
#include <string.h>

#include "net/backoff.h"
#include "net/net.h"
#include "net/net_private.h"

enum { MEMORY = 1 << 20, TIMERS = 8 };

static void *memory;
static struct net *net;
static struct mono now;
static int64_t slept_us; /* what the last wait() was asked for */
static struct net_timer timers[TIMERS];
static uint32_t fired[TIMERS], fired_count;
static void (*on_fire)(struct net_timer *timer);

static void fake_wait(void *self, int64_t timeout_us)
{
	(void)self;
	slept_us = timeout_us;
	now.us += timeout_us > 0 ? timeout_us : 0;
}

static struct mono fake_mono(void *self)
{
	(void)self;
	return now;
}

static void fire(struct net_timer *timer, struct mono at)
{
	TEST_ASSERT_EQUAL_INT64(now.us, at.us);
	TEST_ASSERT_FALSE(net_timer_is_armed(timer));
	fired[fired_count++ % TIMERS] = (uint32_t)(timer - timers);
	if (on_fire != NULL)
		on_fire(timer);
}

void setUp(void)
{
	static struct arena arena;
	static struct random random;

	memory = calloc(1, MEMORY);
	arena_init(&arena, memory, MEMORY);
	random_init(&random, 1);
	now = (struct mono){5000000};
	fired_count = 0;
	on_fire = NULL;
	net = net_init(&(struct net_setup){.arena = &arena,
		.clock = {.mono = fake_mono},
		.entropy = entropy_seeded(&random),
		.bytes = {.wait = fake_wait}});
	for (int i = 0; i < TIMERS; i++)
		net_timer_init(&timers[i], fire);
}

void tearDown(void)
{
	net_close(net);
	free(memory);
}

static void arm(int timer, int64_t ms)
{
	net_timer_arm(net, &timers[timer], mono_after_ms(now, ms));
}

static void test_sleeps_as_long_as_it_may(void)
{
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(-1, slept_us);
	net_poll(net, 700);
	TEST_ASSERT_EQUAL_INT64(700, slept_us);
	net_wake(net);
	net_poll(net, 700);
	TEST_ASSERT_EQUAL_INT64(0, slept_us);
	net_poll(net, 0);
	TEST_ASSERT_EQUAL_INT64(0, slept_us);
	arm(0, 3);
	net_poll(net, 100);
	TEST_ASSERT_EQUAL_INT64(100, slept_us);
	TEST_ASSERT_EQUAL_UINT32(0, fired_count);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(2900, slept_us);
	TEST_ASSERT_EQUAL_UINT32(1, fired_count);
	TEST_ASSERT_EQUAL_INT64(now.us, net_now(net).us);
}

static void test_timers_fire_in_order(void)
{
	arm(0, 30);
	arm(1, 10);
	arm(2, 20);
	arm(3, 10);
	arm(4, 5);
	arm(4, 25);
	arm(5, 1);
	net_timer_disarm(&timers[5]);
	net_timer_disarm(&timers[5]);
	while (fired_count < 5)
		net_poll(net, -1);
	static const uint32_t order[] = {1, 3, 2, 4, 0};
	TEST_ASSERT_EQUAL_UINT32_ARRAY(order, fired, 5);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(-1, slept_us);
	TEST_ASSERT_EQUAL_UINT32(5, fired_count);
}

static void test_a_late_timer_does_not_sleep(void)
{
	arm(0, -1000);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(0, slept_us);
	TEST_ASSERT_EQUAL_UINT32(1, fired_count);
}

static void arm_again(struct net_timer *timer)
{
	net_timer_arm(net, timer, now);
}

static void disarm_others(struct net_timer *timer)
{
	for (int i = 0; i < TIMERS; i++)
		if (&timers[i] != timer)
			net_timer_disarm(&timers[i]);
}

static void test_what_timers_may_do(void)
{
	arm(0, 1);
	on_fire = arm_again;
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_UINT32(1, fired_count);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_UINT32(2, fired_count);
	on_fire = disarm_others;
	for (int i = 0; i < TIMERS; i++)
		arm(i, 1);
	fired_count = 0;
	now.us += 5000;
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_UINT32(1, fired_count);
}

static void test_a_process_that_was_stopped(void)
{
	arm(0, 60 * 1000);
	net_poll(net, -1);
	now.us += NET_STOPPED_MS * CLOCK_MS_US;
	net_poll(net, 0);
	TEST_ASSERT_EQUAL_INT64(0, net_stopped(net).us);
	now.us += NET_STOPPED_MS * CLOCK_MS_US + 1;
	net_poll(net, 0);
	TEST_ASSERT_EQUAL_INT64(now.us, net_stopped(net).us);
	struct mono then = now;
	now.us += 1000;
	net_poll(net, 1000);
	TEST_ASSERT_EQUAL_INT64(then.us, net_stopped(net).us);
}

/* ---- members ---- */

static struct net_member member;
static int turns;
static struct mono member_due;

static struct mono turn(struct net_member *m, struct mono at)
{
	TEST_ASSERT_EQUAL_PTR(&member, m);
	TEST_ASSERT_EQUAL_INT64(net_now(net).us, at.us);
	turns++;
	return member_due;
}

static void test_members_are_asked_when_to_come_back(void)
{
	member.turn = turn;
	net_join(net, &member);
	member_due = MONO_NEVER;
	turns = 0;
	net_poll(net, 10);
	TEST_ASSERT_EQUAL_INT(1, turns);
	/* what was asked for goes out before the sleep */
	member.dirty = true;
	net_poll(net, 10);
	TEST_ASSERT_EQUAL_INT(3, turns);
	TEST_ASSERT_FALSE(member.dirty);
	member_due = mono_after_ms(now, 7);
	net_poll(net, 10);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(6990, slept_us);
	member_due = now;
	net_poll(net, 10);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT64(0, slept_us);
	net_leave(&member);
	net_poll(net, -1);
	TEST_ASSERT_EQUAL_INT(7, turns);
}

/* ---- addresses ---- */

static void test_addresses(void)
{
	static const struct {
		const char *text;
		const char *written; /* NULL: not an address */
	} cases[] = {{"1.2.3.4", "1.2.3.4:80"}, {"0.0.0.0", "0.0.0.0:80"},
		{"255.255.255.255", "255.255.255.255:80"}, {"::", "[::]:80"}, {"::1", "[::1]:80"},
		{"1::", "[1::]:80"}, {"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]:80"},
		{"2001:DB8::00a:1", "[2001:db8::a:1]:80"}, {"1:0:0:2:0:0:0:3", "[1:0:0:2::3]:80"},
		{"1:0:2:3:4:5:6:7", "[1:0:2:3:4:5:6:7]:80"},
		{"::ffff:10.0.0.1", "[::ffff:a00:1]:80"},
		{"64:ff9b::1.2.3.4", "[64:ff9b::102:304]:80"},
		{"1:2:3:4:5:6:1.2.3.4", "[1:2:3:4:5:6:102:304]:80"},
		{"fe80::1%3", "[fe80::1%3]:80"}, {"", NULL}, {"1.2.3", NULL}, {"1.2.3.4.5", NULL},
		{"1.2.3.256", NULL}, {"01.2.3.4", NULL}, {"1.2.3.", NULL}, {"1..2.3", NULL},
		{"1.2.3.4 ", NULL}, {"a", NULL}, {":", NULL}, {":::", NULL}, {"1::2::3", NULL},
		{"1:2:3:4:5:6:7", NULL}, {"1:2:3:4:5:6:7:8:9", NULL}, {"1:2:3:4:5:6:7::8", NULL},
		{"12345::", NULL}, {"g::", NULL}, {"1:", NULL}, {":1", NULL}, {"::1.2.3", NULL},
		{"1.2.3.4::", NULL}, {"::1.2.3.4:5", NULL}, {"fe80::1%eth0", NULL},
		{"fe80::1%", NULL}, {"1:2:3:4:5:6:7:1.2.3.4", NULL}, {"localhost", NULL}};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct net_address address, again;
		char text[NET_ADDRESS_TEXT_MAX];
		struct writer w;
		bool good = net_address_parse(text_of(cases[i].text), 80, &address);

		TEST_ASSERT_EQUAL_INT_MESSAGE(cases[i].written != NULL, good, cases[i].text);
		if (!good)
			continue;
		writer_init(&w, text, sizeof(text));
		net_address_write(&w, &address);
		TEST_ASSERT_TRUE_MESSAGE(
			text_is_z(writer_text(&w), cases[i].written), cases[i].written);
		size_t open = text[0] == '[' ? 1 : 0;
		struct text inner = {text + open, w.used - 3 - 2 * open};
		TEST_ASSERT_TRUE(net_address_parse(inner, 80, &again));
		TEST_ASSERT_TRUE(net_address_is(&address, &again));
		again.port = 81;
		TEST_ASSERT_FALSE(net_address_is(&address, &again));
	}
}

/* ---- backoff ---- */

static void test_backoff(void)
{
	struct net_backoff backoff = NET_BACKOFF_WATCH;
	static const int64_t steps[] = {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
	struct random random;
	bool jittered = false;

	random_init(&random, 7);
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		int64_t wait = net_backoff_next_ms(&backoff, now, &random, -1);
		TEST_ASSERT_GREATER_OR_EQUAL_INT64(steps[i], wait);
		TEST_ASSERT_LESS_OR_EQUAL_INT64(steps[i] * 2, wait);
		jittered = jittered || wait != steps[i];
	}
	TEST_ASSERT_TRUE(jittered);
	TEST_ASSERT_EQUAL_INT64(100000, net_backoff_next_ms(&backoff, now, &random, 100000));
	TEST_ASSERT_EQUAL_INT64(600000, net_backoff_next_ms(&backoff, now, &random, INT64_MAX));
	/* quiet for two minutes besides the wait itself */
	now.us += (int64_t)(120000 + 30000) * 1000 + 1;
	TEST_ASSERT_LESS_OR_EQUAL_INT64(1600, net_backoff_next_ms(&backoff, now, &random, -1));
	TEST_ASSERT_GREATER_OR_EQUAL_INT64(1600, net_backoff_next_ms(&backoff, now, &random, 0));
	net_backoff_reset(&backoff);
	TEST_ASSERT_LESS_OR_EQUAL_INT64(1600, net_backoff_next_ms(&backoff, now, &random, -1));
	backoff = (struct net_backoff){.first_ms = 5, .max_ms = 7, .reset_ms = 1000};
	TEST_ASSERT_EQUAL_INT64(5, net_backoff_next_ms(&backoff, now, &random, -1));
	TEST_ASSERT_EQUAL_INT64(7, net_backoff_next_ms(&backoff, now, &random, -1));
	TEST_ASSERT_EQUAL_INT64(7, net_backoff_next_ms(&backoff, now, &random, -1));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_sleeps_as_long_as_it_may);
	RUN_TEST(test_timers_fire_in_order);
	RUN_TEST(test_a_late_timer_does_not_sleep);
	RUN_TEST(test_what_timers_may_do);
	RUN_TEST(test_a_process_that_was_stopped);
	RUN_TEST(test_members_are_asked_when_to_come_back);
	RUN_TEST(test_addresses);
	RUN_TEST(test_backoff);
	return UNITY_END();
}
