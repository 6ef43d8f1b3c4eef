/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast way is the slow way: a cluster changes at random, and after each change a pending pod
 * is decided with remembered rows and counters, and with everything worked out anew. Both must
 * find the same nodes, the same totals, the same words and the same victims.
 *
 *	test_fast_is_slow [SEED [STEPS [EPOCH]]]     EPOCH: only that one, and talk about it
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/cycle/world.c tests/cycle/world_spec.c tests/cycle/world_objects.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/arena.h"
#include "base/budget.h"
#include "cycle/evaluation.h"
#include "profile/profile.h"
#include "cycle/rows.h"
#include "cycle/world.h"

enum {
	STEPS = 100000,
	EPOCH_STEPS = 1000,
	AUDIT_EVERY = 16,
	EXPLAIN_EVERY = 16,
	ANSWER_SIZE = 1 << 19,
	SCRATCH_BYTES = 384 * 1024
};

static struct world world;
static struct cache cache;
static struct cycle fast;
static struct cycle slow;
static struct plugin_profile profile;

static uint64_t seed = 1;
static uint32_t steps_wanted = STEPS;
static int only_epoch = -1;
static uint32_t epoch;
static uint32_t step;
static uint32_t pod; /* being decided */

static struct {
	uint64_t placed;
	uint64_t rejected;
	uint64_t failed;
	uint64_t preempting;
	uint64_t give_ups;
	uint64_t best;
} seen;

void setUp(void)
{
}

void tearDown(void)
{
}

static void where(void)
{
	printf("seed %llu, epoch %u, step %u, pod %u: ", (unsigned long long)seed, epoch, step,
		pod == 0 ? 0 : world_pod_number(&world, pod));
}

static void on_panic(const void *self)
{
	(void)self;
	fflush(stdout);
	check_print("seed %llu, epoch %u, step %u, pod index %u\n", (unsigned long long)seed, epoch,
		step, pod);
}

static void differ(const char *what)
{
	where();
	printf("%s\n", what);
	TEST_FAIL_MESSAGE(what);
}

#define SAME(a, b, what)                                                 \
	do {                                                             \
		long long left = (long long)(a), right = (long long)(b); \
		if (left != right) {                                     \
			printf("slow %lld, fast %lld\n", left, right);   \
			differ(what);                                    \
		}                                                        \
	} while (0)

static void same_text(struct text a, struct text b, const char *what)
{
	if (text_is(a, b))
		return;
	printf("slow: %.*s\nfast: %.*s\n", TEXT_ARGS(a), TEXT_ARGS(b));
	differ(what);
}

/* ---- evaluations ---- */

static void same_status(const struct cycle_status *a, const struct cycle_status *b)
{
	SAME(a->code, b->code, "code of a rejection");
	SAME(a->plugin, b->plugin, "plugin that rejects");
	SAME(a->reason_count, b->reason_count, "number of reasons");
	for (uint32_t i = 0; i < a->reason_count; i++)
		same_text(a->reasons[i], b->reasons[i], "reason");
}

/* Who lets the node pass in one way only, and what rejects it in the other. */
static void tell_feasible(const struct evaluation *a, const struct evaluation *b)
{
	for (uint32_t i = 0; i < b->feasible_count; i++) {
		const struct cycle_status *status = &a->statuses[b->feasible[i]];
		if (status->code != PLUGIN_SUCCESS)
			printf("fast takes node %u, slow: %s: %.*s\n", b->feasible[i],
				plugins[status->plugin]->name, TEXT_ARGS(status->reasons[0]));
	}
	for (uint32_t i = 0; b->row != NULL && i < a->feasible_count; i++)
		if (b->row->worth[a->feasible[i]] == CYCLE_UNFIT)
			printf("slow takes node %u, the row does not\n", a->feasible[i]);
}

static void same_feasible(const struct evaluation *a, const struct evaluation *b)
{
	bool same = a->feasible_count == b->feasible_count &&
		memcmp(a->feasible, b->feasible, a->feasible_count * sizeof(*a->feasible)) == 0;
	if (!same)
		tell_feasible(a, b);
	for (uint32_t i = 0; i < a->feasible_count && i < b->feasible_count; i++)
		SAME(a->feasible[i], b->feasible[i], "feasible node");
	SAME(a->feasible_count, b->feasible_count, "number of feasible nodes");
}

static void same_totals(const struct evaluation *a, const struct evaluation *b)
{
	for (uint32_t i = 0; i < a->feasible_count; i++)
		SAME(a->totals[i], b->totals[i], "total of a node");
	SAME(evaluation_best(a), evaluation_best(b), "best node");
}

/* False when both came to an end. */
static bool same_prefilter(struct evaluation *a, struct evaluation *b)
{
	TEST_ASSERT_TRUE(evaluation_begin(a, &slow, pod, CACHE_COUNT_RECOUNT));
	bool ok = a->node_count > 0 && evaluation_prefilter(a);
	TEST_ASSERT_TRUE(evaluation_begin(b, &fast, pod, CACHE_COUNT_FAST));
	SAME(ok, b->node_count > 0 && evaluation_prefilter(b), "prefilter succeeds");
	SAME(a->node_count, b->node_count, "number of nodes");
	SAME(true, plugin_set_is(&a->rejectors, &b->rejectors), "who rejects before filtering");
	if (!ok) {
		if (a->node_count > 0)
			same_text(text_of(a->error), text_of(b->error), "error of prefilter");
		return false;
	}
	SAME(a->prefilter_rejected, b->prefilter_rejected, "prefilter rejects");
	same_status(&a->prefilter, &b->prefilter);
	SAME(a->candidate_count, b->candidate_count, "number of candidates");
	SAME(true, plugin_set_is(&a->d.skip_filter, &b->d.skip_filter), "filters that are skipped");
	return !a->prefilter_rejected;
}

static void compare_evaluations(void)
{
	struct evaluation a;
	struct evaluation b;
	if (!same_prefilter(&a, &b))
		return;
	bool slow_words = step % 4 == 0; /* counters, but no rows: the words must be the same */
	bool ok = evaluation_filter(&a);
	bool fast_ok = slow_words ? evaluation_filter(&b) : evaluation_search(&b);
	if (!ok || !fast_ok)
		same_text(text_of(a.error), text_of(b.error), "error of filter");
	if (!ok)
		return;
	same_feasible(&a, &b);
	for (uint32_t i = 0; b.statuses != NULL && i < a.candidate_count; i++)
		same_status(&a.statuses[a.candidates[i]], &b.statuses[a.candidates[i]]);
	if (a.feasible_count == 0)
		return;
	ok = evaluation_score(&a, false);
	fast_ok = b.row != NULL ? evaluation_score_fast(&b) : evaluation_score(&b, false);
	if (!ok || !fast_ok)
		same_text(text_of(a.error), text_of(b.error), "error of score");
	SAME(true, plugin_set_is(&a.d.skip_score, &b.d.skip_score), "scores that are skipped");
	if (ok)
		same_totals(&a, &b);
}

/* ---- decisions ---- */

static void same_preemption(const struct cycle_preemption *a, const struct cycle_preemption *b)
{
	SAME(a->tried, b->tried, "preemption is tried");
	SAME(a->eligible, b->eligible, "pod may preempt");
	SAME(a->found, b->found, "victims are found");
	SAME(a->clear_nomination, b->clear_nomination, "nomination is cleared");
	same_text(a->message, b->message, "message of preemption");
	SAME(a->node, b->node, "node to preempt on");
	SAME(a->violations, b->violations, "budgets broken");
	SAME(a->victim_count, b->victim_count, "number of victims");
	for (uint32_t i = 0; i < a->victim_count; i++)
		SAME(a->victims[i], b->victims[i], "victim");
}

/* Asking for the best nodes changes no decision, and the first of them is decided for. */
static void compare_best(const struct writer *best, const struct schedule_result *decision)
{
	char words[512];
	struct writer first;
	if (best->used == 0 || profile.percentage_of_nodes != 0 || !decision->is_scored)
		return;
	writer_init(&first, words, sizeof(words));
	write_format(&first, "[{\"node\":\"%.*s\",\"total\":%lld,",
		TEXT_ARGS(cache_text(&cache, cache_node_at(&cache, decision->node)->name)),
		(long long)decision->score);
	same_text(text_first(writer_text(best), first.used), writer_text(&first), "best node");
	seen.best++;
}

static void compare_decisions(struct schedule_result *decision)
{
	struct schedule_result other;
	char words[4096];
	struct writer best;
	writer_init(&best, words, sizeof(words));
	cycle_best(&fast, pod, 5, &best);
	TEST_ASSERT_FALSE(best.overflowed);
	cycle_decide(&slow, pod, CACHE_COUNT_RECOUNT, &other);
	cycle_decide(&fast, pod, CACHE_COUNT_FAST, decision);
	if (!text_is(other.message, decision->message))
		printf("slow: outcome %d, %u feasible; fast: outcome %d, %u feasible\n",
			other.outcome, other.feasible_count, decision->outcome,
			decision->feasible_count);
	same_text(other.message, decision->message, "message");
	SAME(other.outcome, decision->outcome, "outcome");
	SAME(other.node, decision->node, "node that was chosen");
	SAME(other.is_scored, decision->is_scored, "node was scored");
	if (other.is_scored)
		SAME(other.score, decision->score, "score of the chosen node");
	SAME(other.feasible_count, decision->feasible_count, "number of feasible nodes");
	SAME(other.evaluated_count, decision->evaluated_count, "number of nodes looked at");
	SAME(true, plugin_set_is(&other.rejectors, &decision->rejectors), "who rejects");
	SAME(slow.rotation, fast.rotation, "where the next search starts");
	same_preemption(&other.preemption, &decision->preemption);
	compare_best(&best, decision);
}

static void compare_explanations(void)
{
	static char answers[2][ANSWER_SIZE];
	struct writer a;
	struct writer b;
	writer_init(&a, answers[0], ANSWER_SIZE);
	writer_init(&b, answers[1], ANSWER_SIZE);
	cycle_explain(&slow, pod, CACHE_COUNT_RECOUNT, &a);
	cycle_explain(&fast, pod, CACHE_COUNT_FAST, &b);
	TEST_ASSERT_FALSE(a.overflowed);
	same_text(writer_text(&a), writer_text(&b), "explanation");
}

/* ---- what follows from a decision ---- */

static uint32_t node_number(uint32_t node)
{
	uint64_t number;
	struct text name = cache_text(&cache, cache_node_at(&cache, node)->name);
	TEST_ASSERT_TRUE(text_to_u64(text_from(name, 1), &number));
	return (uint32_t)number;
}

static void take_place(uint32_t node)
{
	cycle_chosen(&fast, node);
	cycle_chosen(&slow, node);
	enum cache_result result = cache_assume(&cache, pod, node);
	if (world.talks)
		printf("assume p%u n%u\n", world_pod_number(&world, pod), node_number(node));
	TEST_ASSERT_TRUE(result == CACHE_OK || result == CACHE_FULL);
	if (result == CACHE_OK && world_chance(&world, 3))
		world_bind(&world, world_pod_number(&world, pod), node_number(node));
}

static void preempt(const struct cycle_preemption *preemption)
{
	uint32_t numbers[8];
	uint32_t count = preemption->victim_count < 8 ? preemption->victim_count : 8;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = world_pod_number(&world, preemption->victims[i]);
	if (world.talks)
		printf("nominate p%u n%u\n", world_pod_number(&world, pod),
			node_number(preemption->node));
	cache_nominate(&cache, pod, cache_node_at(&cache, preemption->node)->name);
	for (uint32_t i = 0; i < count; i++)
		if (world_chance(&world, 2))
			world_remove_pod(&world, numbers[i]);
}

static void act(const struct schedule_result *decision)
{
	seen.placed += decision->outcome == CYCLE_PLACED;
	seen.rejected += decision->outcome == CYCLE_REJECTED;
	seen.failed += decision->outcome == CYCLE_FAILED;
	seen.preempting += decision->preemption.found;
	if (decision->outcome == CYCLE_PLACED && world_chance(&world, 2))
		take_place(decision->node);
	else if (decision->preemption.found && world_chance(&world, 2))
		preempt(&decision->preemption);
	else if (decision->outcome != CYCLE_PLACED && world_chance(&world, 2))
		world_remove_pod(&world, world_pod_number(&world, pod)); /* no place for it here */
	else if (decision->preemption.clear_nomination)
		cache_nominate(&cache, pod, 0);
}

/* Some assumed pod could not be bound. */
static void forget_one(void)
{
	uint32_t start = world_below(&world, pool_top(&cache.pods) + 1);
	for (uint32_t p = pool_next(&cache.pods, start); p != 0; p = pool_next(&cache.pods, p)) {
		if ((cache_pod_at(&cache, p)->flags & CACHE_POD_ASSUMED) == 0)
			continue;
		if (world.talks)
			printf("forget p%u\n", world_pod_number(&world, p));
		TEST_ASSERT_EQUAL(CACHE_OK, cache_forget(&cache, p));
		return;
	}
}

static uint32_t some_pending(void)
{
	uint32_t start = world_below(&world, pool_top(&cache.pods) + 1);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t p = pool_next(&cache.pods, start); p != 0;
			p = pool_next(&cache.pods, p))
			if (cache_pod_at(&cache, p)->node == 0)
				return p;
		start = 0;
	}
	return 0;
}

/* ---- epochs: one world, one set of budgets, one profile ---- */

static void shuffle(struct plugin_uses *uses)
{
	for (uint32_t i = uses->count; i > 1; i--) {
		uint32_t k = world_below(&world, i);
		struct plugin_use use = uses->list[i - 1];
		uses->list[i - 1] = uses->list[k];
		uses->list[k] = use;
	}
}

static void drop_one(struct plugin_uses *uses)
{
	uint32_t which = world_below(&world, uses->count);
	plugin_set_remove(&uses->set, uses->list[which].id);
	uses->list[which] = uses->list[--uses->count];
}

static void draw_spread_defaults(void)
{
	PLUGIN_ARGS_OF(&profile, SPREAD, spread_args)->is_list = true;
	PLUGIN_ARGS_OF(&profile, SPREAD, spread_args)->constraint_count =
		1 + world_below(&world, 3);
	for (uint32_t i = 0; i < PLUGIN_ARGS_OF(&profile, SPREAD, spread_args)->constraint_count;
		i++) {
		uint32_t key = world_chance(&world, 2) ? cache.names.zone : cache.names.hostname;
		PLUGIN_ARGS_OF(&profile, SPREAD, spread_args)->constraints[i] =
			(struct spread_default){.topology_key = key,
				.max_skew = (int32_t)(1 + world_below(&world, 3)),
				.hard = world_chance(&world, 2),
				.min_domains = (int32_t)(1 + world_below(&world, 3)),
				.ignores_affinity = world_chance(&world, 3),
				.honors_taints = world_chance(&world, 3)};
	}
}

static void draw_labels(struct plugin_label_list *to)
{
	static const char *const keys[] = {
		"rack", "disk", "size", "topology.kubernetes.io/zone", "kubernetes.io/hostname"};
	to->count = world_below(&world, 3);
	for (uint32_t i = 0; i < to->count; i++)
		TEST_ASSERT_TRUE(intern_take(&cache.strings,
			text_of(keys[world_below(&world, ARRAY_COUNT(keys))]), &to->keys[i]));
}

/* Some of the plugins of older releases, behind the others. */
static void draw_older(void)
{
	draw_labels(&PLUGIN_ARGS_OF(&profile, NODE_LABEL, node_label_args)->present_preferred);
	draw_labels(&PLUGIN_ARGS_OF(&profile, NODE_LABEL, node_label_args)->absent_preferred);
	draw_labels(&PLUGIN_ARGS_OF(&profile, SERVICE_AFFINITY, service_affinity_args)->together);
	draw_labels(&PLUGIN_ARGS_OF(&profile, SERVICE_AFFINITY, service_affinity_args)->apart);
	if (world_chance(&world, 4))
		draw_labels(&PLUGIN_ARGS_OF(&profile, NODE_LABEL, node_label_args)->present);
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++) {
		if (plugins[id]->defaults != 0 || world_chance(&world, 2))
			continue;
		for (uint32_t at = 0; at < PLUGIN_POINTS; at++)
			if (plugin_has_point(plugins[id], (enum plugin_point)at))
				plugin_use_at(
					&profile, (enum plugin_point)at, (enum plugin_id)id, 1);
	}
}

static void draw_profile(void)
{
	const struct feature_choices none = {.given = {0}};
	struct feature_gates gates;
	feature_gates_set(&gates, &none, (enum kube_release)world_below(&world, KUBE_RELEASES));
	profile_defaults_with(&cache, &gates, &profile);
	if (world_chance(&world, 3))
		draw_older();
	PLUGIN_ARGS_OF(&profile, INTER_POD_AFFINITY, inter_pod_affinity_args)->hard_weight =
		(int32_t)(world_below(&world, 3) * 25);
	PLUGIN_ARGS_OF(&profile, INTER_POD_AFFINITY, inter_pod_affinity_args)
		->ignore_preferred_of_existing = world_chance(&world, 3);
	PLUGIN_ARGS_OF(&profile, FIT, fit_args)->strategy =
		(enum fit_strategy)world_below(&world, 2);
	if (world_chance(&world, 3))
		draw_spread_defaults();
	if (world_chance(&world, 3))
		PLUGIN_ARGS_OF(&profile, DEFAULT_PREEMPTION, preemption_args)
			->min_candidate_absolute = 1;
	if (world.node_room > 100 || world_chance(&world, 4))
		profile.percentage_of_nodes = (int32_t)(10 + world_below(&world, 91));
	for (uint32_t i = 0; i < profile.at[PLUGIN_AT_SCORE].count; i++)
		profile.at[PLUGIN_AT_SCORE].list[i].weight = 1 + world_below(&world, 5);
	if (world_chance(&world, 40))
		profile.at[PLUGIN_AT_SCORE].list[0].weight =
			INT32_MAX; /* sums that rows cannot hold */
	if (!world_chance(&world, 4))
		return;
	shuffle(&profile.at[PLUGIN_AT_FILTER]);
	shuffle(&profile.at[PLUGIN_AT_PRE_FILTER]);
	shuffle(&profile.at[PLUGIN_AT_SCORE]);
	shuffle(&profile.at[PLUGIN_AT_PRE_SCORE]);
	drop_one(&profile.at[PLUGIN_AT_SCORE]);
	if (world_chance(&world, 5)) /* then some pods cannot be scored */
		drop_one(&profile.at[PLUGIN_AT_PRE_SCORE]);
	if (world_chance(&world, 10))
		drop_one(&profile.at[PLUGIN_AT_PRE_FILTER]);
}

static struct cache_limits draw_limits(void)
{
	struct cache_limits limits = {
		.nodes = world.node_room + 8,
		.pods = world.pod_room + 8,
		.statuses = world.pod_room / 2,
		.objects = 96,
		.classes = 64,
		.label_sets = 160,
		.strings = 1024,
		.images = 16,
		.counters = 512,
		.store_bytes = 1 << 20,
	};
	uint32_t kind = epoch % 4;
	if (kind == 1)
		limits.counters = 4 + world_below(&world, 60);
	if (kind == 2)
		limits.store_bytes = 48 * 1024 + 1024 * (size_t)world_below(&world, 64);
	if (kind == 3) {
		limits.classes = 8 + world_below(&world, 8);
		limits.nodes = world.node_room - 1;
		limits.label_sets = 12 + world_below(&world, 40);
	}
	return limits;
}

static void *begin_epoch(void)
{
	world_init(&world, &cache, seed * 1000003 + epoch);
	world.talks = only_epoch >= 0;
	world.is_absurd = epoch % 10 == 9;
	world.volume_share = world_chance(&world, 2) ? 3 : 0;
	world.node_room = 2 + world_below(&world, 10);
	world.pod_room = 20 + world_below(&world, 30);
	if (epoch % 25 == 24) {
		world.node_room = 110 + world_below(&world, 20);
		world.pod_room = 150;
	}
	struct cache_limits limits = draw_limits();
	struct cycle_limits fast_limits = {.nodes = limits.nodes,
		.rows = 1 + world_below(&world, 3),
		.scratch_bytes = SCRATCH_BYTES};
	struct cycle_limits slow_limits = fast_limits;
	slow_limits.rows = 0;
	slow_limits.scratch_bytes = 4 * SCRATCH_BYTES;
	if (epoch % 2 == 1)
		fast_limits.rows = 16;
	size_t size = cache_size(&limits) + cycle_size(&fast_limits) + cycle_size(&slow_limits);
	void *block = malloc(size);
	TEST_ASSERT_NOT_NULL(block);
	struct arena arena;
	arena_init(&arena, block, size);
	cache_init(&cache, &arena, &limits);
	draw_profile();
	cycle_init(&fast, &arena, &fast_limits, &cache, &profile, 1);
	cycle_init(&slow, &arena, &slow_limits, &cache, &profile, 1);
	return block;
}

static void run_step(void)
{
	world_change(&world);
	if (world_chance(&world, 6))
		forget_one();
	if (step % AUDIT_EVERY == 0)
		cache_audit(&cache);
	for (uint32_t tries = 0; (pod = some_pending()) == 0; tries++) {
		if (tries == 8)
			return;
		world_change(&world);
	}
	if (world.talks) {
		where();
		printf("decided\n");
	}
	struct schedule_result decision;
	compare_evaluations();
	if (step % EXPLAIN_EVERY == 0)
		compare_explanations();
	compare_decisions(&decision);
	act(&decision);
	pod = 0;
}

static void run_epoch(uint32_t steps)
{
	pod = 0;
	budget_reset();
	void *block = begin_epoch();
	uint32_t strings = pool_used(&cache.strings.strings);
	size_t bytes = cache.store.budget.used;
	world_fill(&world);
	for (step = 0; step < steps; step++)
		run_step();
	seen.give_ups += cache.counters.pool.budget.refused;
	world_clear(&world);
	cache_counters_trim(&cache);
	cache_audit(&cache);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache.pods));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache.nodes));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache.objects));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache.classes));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache.counters.pool));
	TEST_ASSERT_EQUAL_UINT32(strings, pool_used(&cache.strings.strings));
	TEST_ASSERT_EQUAL_size_t(bytes, cache.store.budget.used);
	budget_reset();
	free(block);
}

static void test_fast_is_slow(void)
{
	uint32_t left = steps_wanted;
	for (epoch = 0; left > 0; epoch++) {
		uint32_t steps = left < EPOCH_STEPS ? left : EPOCH_STEPS;
		left -= steps;
		if (only_epoch < 0 || (uint32_t)only_epoch == epoch)
			run_epoch(steps);
	}
	printf("seed %llu: %llu placed, %llu rejected, %llu would preempt, %llu failed, "
	       "%llu times no room for a counter\n",
		(unsigned long long)seed, (unsigned long long)seen.placed,
		(unsigned long long)seen.rejected, (unsigned long long)seen.preempting,
		(unsigned long long)seen.failed, (unsigned long long)seen.give_ups);
	if (only_epoch >= 0 || steps_wanted < STEPS)
		return;
	/* Otherwise the test has stopped testing. */
	TEST_ASSERT_GREATER_THAN_UINT64(steps_wanted / 4, seen.placed);
	TEST_ASSERT_GREATER_THAN_UINT64(steps_wanted / 20, seen.rejected);
	TEST_ASSERT_GREATER_THAN_UINT64(steps_wanted / 200, seen.preempting);
	TEST_ASSERT_GREATER_THAN_UINT64(100, seen.give_ups);
	TEST_ASSERT_GREATER_THAN_UINT64(100, seen.best);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		steps_wanted = (uint32_t)strtoul(argv[2], NULL, 10);
	if (argc > 3)
		only_epoch = (int)strtol(argv[3], NULL, 10);
	check_register((struct check_dump){.name = "where", .print = on_panic});
	UNITY_BEGIN();
	RUN_TEST(test_fast_is_slow);
	return UNITY_END();
}
