/* SPDX-License-Identifier: GPL-2.0-only */
/* Decisions in which extenders have a say: their words, their points, what changed meanwhile. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "cycle/cycle.h"
#include "profile/profile.h"
#include "plugins/picture.h"

enum { SCRATCH_BYTES = 1 << 20, NODES = 32 };

static struct cycle cycle;
static void *block;
static size_t block_size;
static struct extender_word of_node[NODES + 1];
static struct extender_words words;
static struct extender_offers offers;

void setUp(void)
{
	const struct cycle_limits limits = {
		.nodes = NODES, .rows = 4, .scratch_bytes = SCRATCH_BYTES};
	struct arena arena;
	picture_start();
	profile_defaults(&picture.cache, &picture.profile);
	block_size = cycle_size(&limits);
	block = malloc(block_size);
	TEST_ASSERT_NOT_NULL(block);
	arena_init(&arena, block, block_size);
	cycle_init(&cycle, &arena, &limits, &picture.cache, &picture.profile, 1);
	memset(of_node, 0, sizeof(of_node));
	words = (struct extender_words){.of_node = of_node};
	offers = (struct extender_offers){0};
}

void tearDown(void)
{
	struct arena whole;
	arena_init(&whole, block, block_size); /* lifts the poison */
	free(block);
	picture_end();
}

/* ---- objects ---- */

static void add_node(const char *name, const char *cpu)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s'},'status':{'allocatable':{'cpu':'%s',"
		     "'memory':'4Gi','pods':'110'}}}",
		name, cpu);
}

static void add_pod(const char *name, const char *cpu, int priority, const char *node)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
		     "'spec':{'priority':%d,%s%s%s'containers':[{'name':'c','resources':{"
		     "'requests':{'cpu':'%s'}}}]},'status':{}}",
		name, name, priority, *node == '\0' ? "" : "'nodeName':'", node,
		*node == '\0' ? "" : "',", cpu);
}

static const char *text(struct text t)
{
	static char bytes[4096];
	snprintf(bytes, sizeof(bytes), "%.*s", TEXT_ARGS(t));
	return bytes;
}

/* ---- what extenders say ---- */

static void say(const char *node, enum extender_verdict verdict, const char *reason, int64_t score)
{
	uint32_t index = picture_node(node);
	of_node[index] = (struct extender_word){.name = cache_node_at(&picture.cache, index)->name,
		.verdict = (uint16_t)verdict,
		.reason = (uint16_t)words.reason_count,
		.score = score};
	words.top = pool_top(&picture.cache.nodes);
	words.kept += verdict == EXTENDER_KEPT;
	words.removed += verdict != EXTENDER_KEPT;
	if (reason != NULL)
		words.reasons[words.reason_count++] = text_of(reason);
}

static struct schedule_result decide(bool with_offers, bool chosen)
{
	struct schedule_result decision;
	const struct cycle_extension extension = {
		&words, with_offers || chosen ? &offers : NULL, chosen};
	cycle_decide_extended(&cycle, picture_pod("default", "p"), &extension, &decision);
	return decision;
}

static const char *place(void)
{
	struct schedule_result decision = decide(false, false);
	if (decision.outcome != CYCLE_PLACED)
		return "";
	return text(cache_text(&picture.cache, cache_node_at(&picture.cache, decision.node)->name));
}

/* ---- tests ---- */

static void test_candidates_are_all_that_plugins_leave(void)
{
	struct schedule_result decision;
	add_node("a", "4");
	add_node("b", "1");
	add_node("c", "4");
	add_pod("p", "2", 0, "");
	cycle_candidates(&cycle, picture_pod("default", "p"), true, &decision);
	TEST_ASSERT_EQUAL(CYCLE_PLACED, decision.outcome);
	TEST_ASSERT_EQUAL(2, decision.feasible_count);
	TEST_ASSERT_EQUAL(picture_node("a"), decision.candidates[0]);
	TEST_ASSERT_EQUAL(picture_node("c"), decision.candidates[1]);
	cache_nominate(&picture.cache, picture_pod("default", "p"),
		cache_node_at(&picture.cache, picture_node("c"))->name);
	cycle_candidates(&cycle, picture_pod("default", "p"), true, &decision);
	TEST_ASSERT_EQUAL(1, decision.feasible_count);
	TEST_ASSERT_EQUAL(picture_node("c"), decision.candidates[0]);
	cycle_candidates(&cycle, picture_pod("default", "p"), false, &decision);
	TEST_ASSERT_EQUAL(2, decision.feasible_count);
}

static void test_points_decide_among_those_that_are_kept(void)
{
	add_node("a", "4");
	add_node("b", "4");
	add_node("c", "4");
	add_pod("p", "2", 0, "");
	add_pod("q", "1", 0, "b");
	say("a", EXTENDER_DROPPED, NULL, 90000);
	say("b", EXTENDER_KEPT, NULL, 90000);
	say("c", EXTENDER_KEPT, NULL, 0);
	TEST_ASSERT_EQUAL_STRING("b", place());
	of_node[picture_node("b")].score = -5;
	TEST_ASSERT_EQUAL_STRING("c", place());
}

static void test_words_of_those_that_take_nodes_away(void)
{
	add_node("a", "4");
	add_node("b", "4");
	add_node("c", "4");
	add_node("d", "1");
	add_pod("p", "2", 0, "");
	say("a", EXTENDER_FAILED, "too hot", 0);
	say("b", EXTENDER_UNRESOLVABLE, "no licence", 0);
	say("c", EXTENDER_DROPPED, NULL, 0);
	struct schedule_result decision = decide(false, false);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decision.outcome);
	TEST_ASSERT_EQUAL_STRING(
		"0/4 nodes are available: 1 Insufficient cpu, 1 no licence, 1 too hot. preemption: "
		"0/4 nodes are available: 1 No preemption victims found "
		"for incoming pod, 3 Preemption is not helpful for scheduling.",
		text(decision.message));
	const struct plugin_set fit = plugin_set_of(PLUGIN_FIT);
	TEST_ASSERT_TRUE(decision.extender_rejected);
	TEST_ASSERT_TRUE(plugin_set_is(&fit, &decision.rejectors));
}

static void test_what_was_kept_is_taken_by_now(void)
{
	add_node("a", "4");
	add_node("b", "4");
	add_pod("p", "2", 0, "");
	say("a", EXTENDER_KEPT, NULL, 0);
	TEST_ASSERT_EQUAL_STRING("a", place());
	add_pod("q", "3", 0, "a");
	TEST_ASSERT_EQUAL(CYCLE_STALE, decide(false, false).outcome);
	say("b", EXTENDER_KEPT, NULL, 0);
	TEST_ASSERT_EQUAL_STRING("b", place());
	of_node[picture_node("b")].name = 0; /* another node has its place */
	TEST_ASSERT_EQUAL(CYCLE_STALE, decide(false, false).outcome);
}

static void test_no_node_was_asked_about_and_now_there_is_one(void)
{
	add_node("a", "1");
	add_pod("p", "2", 0, "");
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decide(true, false).outcome);
	add_node("b", "4");
	TEST_ASSERT_EQUAL(CYCLE_STALE, decide(true, false).outcome);
}

/* ---- victims ---- */

static void crowd(void)
{
	add_node("a", "4");
	add_node("b", "4");
	add_node("c", "1");
	add_pod("p", "3", 10, "");
	add_pod("low-a", "3", 1, "a");
	add_pod("low-b1", "2", 0, "b");
	add_pod("low-b2", "1", 0, "b");
}

static void test_offers_are_all_candidates(void)
{
	crowd();
	struct schedule_result decision = decide(true, false);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decision.outcome);
	TEST_ASSERT_TRUE(decision.preemption.offered);
	TEST_ASSERT_FALSE(decision.preemption.found);
	TEST_ASSERT_EQUAL(2, offers.count);
	TEST_ASSERT_EQUAL(picture_node("a"), offers.list[0].node);
	TEST_ASSERT_EQUAL(picture_pod("default", "low-a"), offers.victims[0].pod);
	TEST_ASSERT_EQUAL(picture_node("b"), offers.list[1].node);
	TEST_ASSERT_EQUAL(1, offers.list[1].first);
	TEST_ASSERT_EQUAL(1, offers.list[1].count);
	TEST_ASSERT_EQUAL(picture_pod("default", "low-b1"), offers.victims[1].pod);
}

static void test_the_least_loss_of_those_that_are_left(void)
{
	crowd();
	(void)decide(true, false);
	struct schedule_result decision = decide(true, true);
	TEST_ASSERT_TRUE(decision.preemption.found);
	TEST_ASSERT_EQUAL(picture_node("b"), decision.preemption.node);
	offers.list[1].chosen = false;
	decision = decide(true, true);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decision.outcome);
	TEST_ASSERT_TRUE(decision.preemption.found);
	TEST_ASSERT_EQUAL(picture_node("a"), decision.preemption.node);
	TEST_ASSERT_EQUAL(1, decision.preemption.victim_count);
	TEST_ASSERT_EQUAL(picture_pod("default", "low-a"), decision.preemption.victims[0]);
	offers.list[0].chosen = false;
	decision = decide(true, true);
	TEST_ASSERT_FALSE(decision.preemption.found);
	TEST_ASSERT_FALSE(decision.preemption.clear_nomination);
	TEST_ASSERT_EQUAL_STRING("0/3 nodes are available: 3 Insufficient cpu. preemption: no "
				 "candidate node for preemption",
		text(decision.message));
}

static void test_victims_that_have_gone_leave_nothing_to_hold(void)
{
	crowd();
	(void)decide(true, false);
	offers.list[1].chosen = false;
	add_pod("more", "1", 50, "a"); /* nobody can push it off, and with it there is no room */
	struct schedule_result decision = decide(true, true);
	TEST_ASSERT_TRUE(decision.preemption.found); /* 4 - 1 is still enough */
	add_pod("again", "1", 50, "a");
	TEST_ASSERT_EQUAL(CYCLE_STALE, decide(true, true).outcome);
}

/* What happened to the victim since it was shown. */
static void leaves(void)
{
	picture_remove(KUBE_POD, "default", "low-a");
}
static void is_another_by_now(void)
{
	offers.victims[0].uid.low++;
}
static void is_spared(void)
{
	offers.victims[0].chosen = 0;
}
static void is_as_important_by_now(void)
{
	picture_remove(KUBE_POD, "default", "low-a");
	add_pod("low-a", "3", 10, "a");
}
static void has_moved(void)
{
	picture_remove(KUBE_POD, "default", "low-a");
	add_pod("low-a", "3", 1, "c");
}
static void node_leaves(void)
{
	picture_remove(KUBE_NODE, "", "a");
}
static void node_is_another_by_now(void)
{
	offers.list[0].name++;
}
static void another_takes_its_place(void)
{
	add_pod("more", "3", 50, "a");
}

static void test_victims_that_are_none_any_more(void)
{
	static void (*const happens[])(void) = {leaves, is_another_by_now, is_spared,
		is_as_important_by_now, has_moved, node_leaves, node_is_another_by_now,
		another_takes_its_place};
	for (size_t i = 0; i < ARRAY_COUNT(happens); i++) {
		tearDown();
		setUp();
		crowd();
		(void)decide(true, false);
		TEST_ASSERT_EQUAL(2, offers.count);
		offers.list[1].chosen = false;
		happens[i]();
		struct schedule_result decision = decide(true, true);
		TEST_ASSERT_FALSE(decision.preemption.found);
		TEST_ASSERT_NOT_EQUAL(CYCLE_FAILED, decision.outcome);
	}
}

/* No more nodes are shown than there is room for, and the search ends there. */
static void test_more_candidates_than_can_be_shown(void)
{
	add_pod("p", "3", 10, "");
	for (uint32_t n = 0; n < NODES; n++) {
		char node[8], pod[16];
		snprintf(node, sizeof(node), "n%u", (unsigned)n);
		add_node(node, "60");
		for (uint32_t i = 0; i < 2; i++) {
			snprintf(pod, sizeof(pod), "low-%u-%u", (unsigned)n, (unsigned)i);
			add_pod(pod, "29", 1, node);
		}
	}
	struct schedule_result decision = decide(true, false);
	TEST_ASSERT_TRUE(decision.preemption.offered);
	TEST_ASSERT_EQUAL(NODES, offers.count);
	offers.count = offers.victim_count = 0;
	offers.victim_count = EXTENDER_VICTIMS_MAX - 5; /* others have the rest */
	decision = decide(true, false);
	TEST_ASSERT_TRUE(decision.preemption.offered);
	TEST_ASSERT_EQUAL(5, offers.count);
	TEST_ASSERT_EQUAL(EXTENDER_VICTIMS_MAX, offers.victim_count);
	offers.count = EXTENDER_OFFERS_MAX - 3;
	offers.victim_count = 0;
	decision = decide(true, false);
	TEST_ASSERT_EQUAL(EXTENDER_OFFERS_MAX, offers.count);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_candidates_are_all_that_plugins_leave);
	RUN_TEST(test_points_decide_among_those_that_are_kept);
	RUN_TEST(test_words_of_those_that_take_nodes_away);
	RUN_TEST(test_what_was_kept_is_taken_by_now);
	RUN_TEST(test_no_node_was_asked_about_and_now_there_is_one);
	RUN_TEST(test_offers_are_all_candidates);
	RUN_TEST(test_the_least_loss_of_those_that_are_left);
	RUN_TEST(test_victims_that_have_gone_leave_nothing_to_hold);
	RUN_TEST(test_victims_that_are_none_any_more);
	RUN_TEST(test_more_candidates_than_can_be_shown);
	return UNITY_END();
}
