/* SPDX-License-Identifier: GPL-2.0-only */
/* DHCP: the way to a lease, its renewal and its end, and answers that are not to be believed. */
// deps: firmware/init/dhcp.c base/check.c base/format.c base/budget.c base/trace.c
#include "firmware/init/dhcp.h"

#include <string.h>

#include "unity.h"

static const uint8_t card[6] = {2, 0, 0, 0, 0, 7};
static struct dhcp dhcp;
static uint8_t sent[DHCP_MESSAGE_MAX], answer[512];
static size_t answer_size;

void setUp(void)
{
	dhcp_start(&dhcp, card, "edge", 0x11223344, 1000);
}

void tearDown(void)
{
}

static void option(uint8_t code, const char *value, size_t size)
{
	answer[answer_size++] = code;
	answer[answer_size++] = (uint8_t)size;
	memcpy(answer + answer_size, value, size);
	answer_size += size;
}

/* From 10.0.2.2: 10.0.2.15/24 for two minutes. */
static void compose(enum dhcp_type type)
{
	memset(answer, 0, sizeof(answer));
	answer[0] = 2;
	answer[1] = 1;
	answer[2] = 6;
	memcpy(answer + 4, sent + 4, 4);
	memcpy(answer + 16, "\x0a\x00\x02\x0f", 4);
	memcpy(answer + 28, card, 6);
	memcpy(answer + 236, "\x63\x82\x53\x63", 4);
	answer_size = 240;
	option(53, (const char[]){(char)type}, 1);
	option(54, "\x0a\x00\x02\x02", 4);
	option(1, "\xff\xff\xff\x00", 4);
	option(3, "\x0a\x00\x02\x02", 4);
	option(6, "\x0a\x00\x02\x03\x09\x09\x09\x09", 8);
	option(51, "\x00\x00\x00\x78", 4);
	answer[answer_size++] = 255;
}

/* The type of what is sent now; 0: nothing is. */
static int turn(int64_t now_ms)
{
	size_t size = dhcp_turn(&dhcp, now_ms, sent);

	if (size == 0)
		return 0;
	TEST_ASSERT_TRUE(size >= 300 && size <= DHCP_MESSAGE_MAX);
	TEST_ASSERT_EQUAL_MEMORY("\x63\x82\x53\x63\x35\x01", sent + 236, 6);
	return sent[242];
}

static bool hear(enum dhcp_type type, int64_t now_ms)
{
	compose(type);
	return dhcp_received(&dhcp, answer, answer_size, now_ms);
}

static void bind_at(int64_t now_ms)
{
	TEST_ASSERT_EQUAL_INT(DHCP_DISCOVER, turn(now_ms));
	TEST_ASSERT_FALSE(hear(DHCP_OFFER, now_ms));
	TEST_ASSERT_EQUAL_INT(DHCP_REQUEST, turn(now_ms));
	TEST_ASSERT_TRUE(hear(DHCP_ACK, now_ms));
	TEST_ASSERT_TRUE(dhcp.leased);
}

static void test_dhcp_when_a_server_answers_then_there_is_a_lease(void)
{
	bind_at(1000);
	TEST_ASSERT_EQUAL_HEX32(0x0a00020f, dhcp.lease.address);
	TEST_ASSERT_EQUAL_HEX32(0xffffff00, dhcp.lease.mask);
	TEST_ASSERT_EQUAL_HEX32(0x0a000202, dhcp.lease.router);
	TEST_ASSERT_EQUAL_UINT32(2, dhcp.lease.dns_count);
	TEST_ASSERT_EQUAL_HEX32(0x09090909, dhcp.lease.dns[1]);
	TEST_ASSERT_EQUAL_INT64(1000 + 60 * 1000, dhcp.due_ms);
	TEST_ASSERT_EQUAL_INT(0, turn(60 * 1000));
}

static void test_dhcp_when_nobody_answers_then_it_asks_less_and_less_often(void)
{
	int64_t now = 1000, last = 0;

	for (int i = 0; i < 10; i++) {
		TEST_ASSERT_EQUAL_INT(DHCP_DISCOVER, turn(now));
		TEST_ASSERT_TRUE(dhcp.due_ms - now >= last);
		last = dhcp.due_ms - now;
		now = dhcp.due_ms;
	}
	TEST_ASSERT_EQUAL_INT64(32 * 1000, last);
}

static void test_dhcp_when_the_server_of_the_offer_is_gone_then_it_looks_again(void)
{
	int64_t now = 1000;
	int type = DHCP_REQUEST;

	turn(now);
	hear(DHCP_OFFER, now);
	for (int i = 0; i < 10 && type == DHCP_REQUEST; i++) {
		type = turn(now);
		now = dhcp.due_ms;
	}
	TEST_ASSERT_EQUAL_INT(DHCP_DISCOVER, type);
}

static void test_dhcp_when_half_is_over_then_it_renews(void)
{
	bind_at(1000);
	TEST_ASSERT_EQUAL_INT(DHCP_REQUEST, turn(61 * 1000));
	TEST_ASSERT_EQUAL_MEMORY("\x0a\x00\x02\x0f", sent + 12, 4);
	TEST_ASSERT_TRUE(hear(DHCP_ACK, 61 * 1000));
	TEST_ASSERT_EQUAL_INT64(61 * 1000 + 60 * 1000, dhcp.due_ms);
}

static void test_dhcp_when_all_is_over_then_the_address_is_given_up(void)
{
	int64_t now = 1000;

	bind_at(now);
	while (dhcp.leased) {
		now = dhcp.due_ms;
		TEST_ASSERT_TRUE(now <= 1000 + 152 * 1000);
		turn(now);
	}
	TEST_ASSERT_TRUE(now >= 1000 + 120 * 1000);
	TEST_ASSERT_EQUAL_INT(DHCP_DISCOVER, sent[242]);
}

static void test_dhcp_when_refused_then_the_address_is_given_up(void)
{
	bind_at(1000);
	turn(61 * 1000);
	TEST_ASSERT_TRUE(hear(DHCP_NAK, 61 * 1000));
	TEST_ASSERT_FALSE(dhcp.leased);
	TEST_ASSERT_EQUAL_INT(DHCP_DISCOVER, turn(61 * 1000));
}

static void test_dhcp_when_cut_off_anywhere_then_nothing_is_believed(void)
{
	struct dhcp_lease lease;

	turn(1000);
	compose(DHCP_OFFER);
	TEST_ASSERT_EQUAL_INT(
		DHCP_OFFER, dhcp_parse(answer, answer_size, 0x11223344, card, &lease));
	for (size_t size = 0; size < answer_size - 1; size++) {
		enum dhcp_type type = dhcp_parse(answer, size, 0x11223344, card, &lease);

		/* Whole options that are enough are enough. */
		TEST_ASSERT_TRUE(type == DHCP_NONE || (size >= 240 + 3 + 6));
	}
}

static void test_dhcp_when_it_is_not_for_us_then_it_is_left(void)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} changes[] = {
		{0, 1}, {1, 6}, {2, 8}, {4, 0}, {28, 9}, {236, 0}, {16, 127}, {16, 224}, {16, 0}};
	struct dhcp_lease lease;

	turn(1000);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		compose(DHCP_OFFER);
		answer[changes[i].at] = changes[i].byte;
		TEST_ASSERT_EQUAL_INT(
			DHCP_NONE, dhcp_parse(answer, answer_size, 0x11223344, card, &lease));
	}
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_dhcp_when_a_server_answers_then_there_is_a_lease);
	RUN_TEST(test_dhcp_when_nobody_answers_then_it_asks_less_and_less_often);
	RUN_TEST(test_dhcp_when_the_server_of_the_offer_is_gone_then_it_looks_again);
	RUN_TEST(test_dhcp_when_half_is_over_then_it_renews);
	RUN_TEST(test_dhcp_when_all_is_over_then_the_address_is_given_up);
	RUN_TEST(test_dhcp_when_refused_then_the_address_is_given_up);
	RUN_TEST(test_dhcp_when_cut_off_anywhere_then_nothing_is_believed);
	RUN_TEST(test_dhcp_when_it_is_not_for_us_then_it_is_left);
	return UNITY_END();
}
