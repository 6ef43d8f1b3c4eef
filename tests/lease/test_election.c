/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several members: who takes over and when, giving it up, and that whatever happens never two lead
 * at the same moment.
 */
// deps: base/*.c json/*.c kube/*.c net/*.c tls/*.c http/*.c api/*.c lease/*.c
// deps: tests/lease/town.c tests/lease/members.c
#include <stdio.h>
#include <string.h>

#include "lease/members.h"

static uint64_t led_moments; /* of all seeds */

void setUp(void)
{
	members_init();
}

void tearDown(void)
{
	members_free();
}

/* ---- several ---- */

static void test_takeover_after_duration(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 10000);
	TEST_ASSERT_TRUE(holds(0));
	TEST_ASSERT_EQUAL_STRING("a", members[1].other);
	TEST_ASSERT_EQUAL_STRING("waiting", lease_stats(members[1].lease).state);
	int64_t renewed = model.put_us;

	member_stop(0);
	until_leads(1, 25000);
	/* At most: seen one wait of 4.4 s after it was written, and then noticed one later. */
	int64_t took = town.now_us - renewed;

	TEST_ASSERT_TRUE(took >= DURATION_S * CLOCK_S_US);
	TEST_ASSERT_TRUE(took <= (DURATION_S * 1000 + 2 * 4400 + 200) * CLOCK_MS_US);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":1"));
	TEST_ASSERT_EQUAL_STRING("b", model.holder);
}

static void test_release_makes_the_next_take_over(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 10000);
	lease_release(members[0].lease, member_released);
	TEST_ASSERT_FALSE(holds(0));
	TEST_ASSERT_EQUAL_STRING("releasing", lease_stats(members[0].lease).state);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].released);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
	TEST_ASSERT_EQUAL_STRING("released", lease_stats(members[0].lease).state);
	TEST_ASSERT_TRUE(put_has("\"holderIdentity\":\"\""));
	TEST_ASSERT_TRUE(put_has("\"leaseDurationSeconds\":1,"));
	TEST_ASSERT_TRUE(until_leads(1, 4500) <= 4500);
	TEST_ASSERT_TRUE(put_has("\"leaseTransitions\":1"));
	/* It may come back. */
	lease_start(members[0].lease);
	town_run(&town, 20000);
	TEST_ASSERT_TRUE(holds(1));
	TEST_ASSERT_EQUAL_STRING("b", members[0].other);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
}

static void test_release_of_nothing(void)
{
	member_start(0);
	until_leads(0, 100);
	member_start(1);
	town_run(&town, 5000);
	uint32_t puts = model.puts;

	lease_release(members[1].lease, member_released);
	TEST_ASSERT_EQUAL_UINT32(0, members[1].released);
	town_run(&town, 1);
	TEST_ASSERT_EQUAL_UINT32(1, members[1].released);
	town_run(&town, 1000);
	TEST_ASSERT_TRUE(model.puts <= puts + 1);
	TEST_ASSERT_TRUE(holds(0));
}

static void test_release_is_bounded(void)
{
	member_start(0);
	until_leads(0, 100);
	town.processes[0].cut_off = true;
	int64_t start = town.now_us;

	lease_release(members[0].lease, member_released);
	while (members[0].released == 0)
		town_run(&town, 10);
	TEST_ASSERT_INT64_WITHIN(20 * CLOCK_MS_US, start + DEADLINE_S * CLOCK_S_US, town.now_us);
	town_run(&town, 60000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_STRING("a", model.holder);
}

/* A renewal that is on its way when it is given up arrives late: it must not undo that. */
static void test_release_overtakes_a_renewal(void)
{
	member_start(0);
	until_leads(0, 100);
	uint64_t version = model.version;

	fate_now.there_us = 3 * CLOCK_S_US;
	town_run(&town, 2100);
	TEST_ASSERT_EQUAL_UINT64(version, model.version); /* it is under way */
	fate_now.there_us = 1000;
	lease_release(members[0].lease, member_released);
	town_run(&town, 100);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	town_run(&town, 10000);
	TEST_ASSERT_EQUAL_UINT32(1, model.conflicts);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
}

/* Given up while the first write is on its way, which then succeeds: it is found and undone. */
static void test_release_of_what_may_be_ours(void)
{
	member_start(0);
	fate_now.there_us = 500 * CLOCK_MS_US;
	town_run(&town, 600);
	lease_release(members[0].lease, member_released);
	town_run(&town, 5000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_UINT32(1, model.posts);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].gained);
}

static void test_released_by_a_conflict_and_a_lost_answer(void)
{
	member_start(0);
	until_leads(0, 100);
	uint32_t puts = model.puts;

	model.put_status = 409;
	lease_release(members[0].lease, member_released);
	town_run(&town, 5);
	model.put_status = 500;
	model.put_is_done = true;
	town_run(&town, 20);
	model.put_status = 0;
	town_run(&town, 3000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
	TEST_ASSERT_TRUE(model.puts >= puts + 2);
}

/* The renewal was done, its answer is lost for good, and it is given up: a look finds it. */
static void test_release_after_an_unclear_write(void)
{
	member_start(0);
	fate_now.there_us = 300 * CLOCK_MS_US;
	town_run(&town, 200);
	fate_now.answer_lost = true; /* of the first write, and of the look behind it */
	town_run(&town, 10600);
	TEST_ASSERT_EQUAL_STRING("a", model.holder);
	TEST_ASSERT_EQUAL_UINT32(0, members[0].gained);
	fate_now.answer_lost = false;
	lease_release(members[0].lease, member_released);
	town_run(&town, 5000);
	TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
	TEST_ASSERT_EQUAL_STRING("", model.holder);
}

static void give_up_when_lost(void *self, bool leads)
{
	member_changed(self, leads);
	if (!leads)
		lease_release(((struct member *)self)->lease, member_released);
}

static void give_up_when_won(void *self, bool leads)
{
	member_changed(self, leads);
	if (leads)
		lease_release(((struct member *)self)->lease, member_released);
}

/* From inside the callback, in each of the places it is called from. */
static void test_release_from_the_callback(void)
{
	for (uint32_t how = 0; how < 4; how++) {
		void (*changed)(void *, bool) = how < 3 ? give_up_when_lost : give_up_when_won;
		members_free();
		members_init();
		members_told = changed;
		member_start(0);
		town_run(&town, 5000);
		if (how == 0)
			write_by_kube_scheduler("edge-1_db2f7b71", 15); /* seen by a look */
		else if (how == 1)
			model.status = 500; /* it is lost by the clock */
		else if (how == 2)
			town.processes[0].stopped_until_us = town.now_us + 30 * CLOCK_S_US;
		town_run(&town, 60 * 1000);
		TEST_ASSERT_EQUAL_UINT32(1, members[0].gained);
		TEST_ASSERT_EQUAL_UINT32(1, members[0].lost);
		TEST_ASSERT_EQUAL_UINT32(1, members[0].released);
		TEST_ASSERT_EQUAL_STRING(how == 0 ? "edge-1_db2f7b71"
				: how == 1        ? "a"
						  : "",
			model.holder);
	}
}

/* ---- days of faults ---- */

enum { SEEDS = 40, MINUTES = 15, TROUBLES = 10 };

static void trouble(uint32_t i)
{
	struct town_process *p = &town.processes[i];
	int64_t lasts_us = (int64_t)random_below(&dice, 40) * CLOCK_S_US;
	static uint32_t lives;
	char identity[32];

	switch (random_below(&dice, TROUBLES)) {
	case 0:
	case 1: p->stopped_until_us = town.now_us + lasts_us; break;
	case 2: p->cut_off = !p->cut_off; break;
	case 3: p->refuses = !p->refuses; break;
	case 4: p->wall_offset_us = ((int64_t)random_below(&dice, 7200) - 3600) * CLOCK_S_US; break;
	case 5:
		if (strcmp(lease_stats(members[i].lease).state, "releasing") != 0)
			lease_release(members[i].lease, member_released);
		break;
	case 6:
		if (strcmp(lease_stats(members[i].lease).state, "released") == 0)
			lease_start(members[i].lease);
		break;
	case 7:
		member_stop(i);
		snprintf(identity, sizeof(identity), "%u_%u", (unsigned)i, (unsigned)++lives);
		member_start_as(i, identity);
		break;
	case 8: model.status = model.status == 0 ? 503 : 0; break;
	default: faulty = !faulty; break;
	}
}

static void heal(uint32_t count)
{
	faulty = false;
	model.status = 0;
	for (uint32_t i = 0; i < count; i++) {
		town.processes[i].stopped_until_us = 0;
		town.processes[i].cut_off = town.processes[i].refuses = false;
	}
	town_run(&town, (DEADLINE_S + 2) * 1000); /* what is being released is released */
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(lease_stats(members[i].lease).state, "released") == 0)
			lease_start(members[i].lease);
}

static uint32_t leader_count(uint32_t count)
{
	uint32_t leaders = 0;

	for (uint32_t i = 0; i < count; i++) {
		TEST_ASSERT_EQUAL(members[i].leads, holds(i));
		leaders += holds(i);
	}
	return leaders;
}

static void days_of_faults(uint32_t count)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		char what[32];

		snprintf(what, sizeof(what), "seed %u", (unsigned)seed);
		members_init();
		random_init(&dice, seed);
		for (uint32_t i = 0; i < count; i++) {
			/* By less than what lies between the deadline and the duration. */
			town.processes[i].rate_permille = 880 + random_below(&dice, 241);
			member_start(i);
		}
		for (uint32_t i = 0; i < MINUTES * 10; i++) {
			if (random_below(&dice, 3) == 0)
				trouble(random_below(&dice, count));
			town_run(&town, 1 + random_below(&dice, 12000));
		}
		heal(count);
		/* The last write may still be on its way for 20 s, and then it is waited out. */
		town_run(&town, (20 + DURATION_S + 10) * 1000);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, leader_count(count), what);
		town_run(&town, 60 * 1000);
		TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, leader_count(count), what);
		led_moments += moments_led;
		members_free();
	}
}

/* Never two at the same moment (look() asks after each step), and one when all is well. */
static void test_two_never_lead_at_once(void)
{
	days_of_faults(2);
	TEST_ASSERT_TRUE(led_moments > 0);
}

static void test_three_never_lead_at_once(void)
{
	days_of_faults(3);
	TEST_ASSERT_TRUE(led_moments > 0);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_takeover_after_duration);
	RUN_TEST(test_release_makes_the_next_take_over);
	RUN_TEST(test_release_of_nothing);
	RUN_TEST(test_release_is_bounded);
	RUN_TEST(test_release_overtakes_a_renewal);
	RUN_TEST(test_release_of_what_may_be_ours);
	RUN_TEST(test_released_by_a_conflict_and_a_lost_answer);
	RUN_TEST(test_release_after_an_unclear_write);
	RUN_TEST(test_release_from_the_callback);
	RUN_TEST(test_two_never_lead_at_once);
	RUN_TEST(test_three_never_lead_at_once);
	return UNITY_END();
}
