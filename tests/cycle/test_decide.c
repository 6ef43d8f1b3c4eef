/* SPDX-License-Identifier: GPL-2.0-only */
/* Decisions: ties, nominated nodes, a part of the nodes, odd profiles and absurd objects. */
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

enum { SCRATCH_BYTES = 1 << 20, NODES = 256 };

static struct cycle cycle;
static void *block;
static size_t block_size;

static void start_cycle(uint32_t rows)
{
	const struct cycle_limits limits = {
		.nodes = NODES, .rows = rows, .scratch_bytes = SCRATCH_BYTES};
	struct arena arena;
	block_size = cycle_size(&limits);
	block = malloc(block_size);
	TEST_ASSERT_NOT_NULL(block);
	arena_init(&arena, block, block_size);
	cycle_init(&cycle, &arena, &limits, &picture.cache, &picture.profile, 1);
}

void setUp(void)
{
	picture_start();
	profile_defaults(&picture.cache, &picture.profile);
	start_cycle(2);
}

static void stop_cycle(void)
{
	struct arena whole;
	arena_init(&whole, block, block_size); /* lifts the poison */
	free(block);
}

void tearDown(void)
{
	stop_cycle();
	picture_end();
}

/* ---- time ---- */

static struct mono tick(void *self)
{
	return (struct mono){++*(int64_t *)self};
}

static uint32_t points[PLUGIN_POINTS], samples[PLUGIN_POINTS];
static enum plugin_code codes[PLUGIN_POINTS];

static void point_took(
	void *self, uint32_t profile, enum plugin_point at, enum plugin_code code, int64_t took_us)
{
	(void)self;
	TEST_ASSERT_EQUAL_UINT32(0, profile);
	TEST_ASSERT_TRUE(took_us >= 0);
	points[at]++;
	codes[at] = code;
}

static void plugin_took(
	void *self, enum plugin_id plugin, uint32_t at, enum plugin_code code, int64_t took_us)
{
	(void)self;
	(void)code;
	TEST_ASSERT_TRUE(plugin < PLUGIN_COUNT);
	TEST_ASSERT_TRUE(took_us > 0);
	samples[at]++;
}

/* ---- objects ---- */

static void add_node(const char *name, const char *labels)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','labels':{%s}},"
		     "'status':{'allocatable':{'cpu':'4','memory':'4Gi','pods':'110'}}}",
		name, labels);
}

/* spec: members with a comma behind; status: members of status. */
static void add_pod(const char *name, const char *labels, const char *spec, const char *status)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s',"
		     "'labels':{%s}},'spec':{%s'containers':[{'name':'c'}]},'status':{%s}}",
		name, name, labels, spec, status);
}

static const char *text(struct text t)
{
	static char bytes[4096];
	snprintf(bytes, sizeof(bytes), "%.*s", TEXT_ARGS(t));
	return bytes;
}

static struct schedule_result decide_by(const char *pod, enum cache_count_mode way)
{
	struct schedule_result decision;
	cycle_decide(&cycle, picture_pod("default", pod), way, &decision);
	return decision;
}

/* Where the pod goes, "" and the message otherwise; both ways must agree. */
static const char *decide(const char *pod, const char *message)
{
	struct schedule_result slow = decide_by(pod, CACHE_COUNT_RECOUNT);
	TEST_ASSERT_EQUAL_STRING(message, text(slow.message));
	struct schedule_result fast = decide_by(pod, CACHE_COUNT_FAST);
	TEST_ASSERT_EQUAL_STRING(message, text(fast.message));
	TEST_ASSERT_EQUAL(slow.outcome, fast.outcome);
	TEST_ASSERT_EQUAL_UINT32(slow.node, fast.node);
	TEST_ASSERT_EQUAL_UINT32(slow.feasible_count, fast.feasible_count);
	if (fast.outcome != CYCLE_PLACED)
		return "";
	return text(cache_text(&picture.cache, cache_node_at(&picture.cache, fast.node)->name));
}

static void drop_from(struct plugin_uses *uses, enum plugin_id id)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < uses->count; i++)
		if (uses->list[i].id != id)
			uses->list[kept++] = uses->list[i];
	TEST_ASSERT_EQUAL_UINT32(uses->count, kept + 1);
	uses->count = kept;
	plugin_set_remove(&uses->set, id);
}

/* ---- choosing ---- */

static void test_no_nodes(void)
{
	add_pod("p", "", "", "");
	TEST_ASSERT_EQUAL_STRING("", decide("p", "no nodes available to schedule pods"));
	struct schedule_result decision = decide_by("p", CACHE_COUNT_FAST);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decision.outcome);
	TEST_ASSERT_TRUE(decision.preemption.clear_nomination);
	TEST_ASSERT_FALSE(decision.preemption.tried);
}

static void test_equal_nodes_in_turn(void)
{
	static const char *const names[] = {"a", "b", "c"};
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		add_node(names[i], "");
	add_pod("p", "", "", "");
	for (size_t i = 0; i < 7; i++) {
		TEST_ASSERT_EQUAL_STRING(names[i % 3], decide("p", ""));
		cycle_chosen(&cycle, picture_node(names[i % 3]));
	}
}

static void test_the_emptiest_of_many_blocks(void)
{
	for (uint32_t i = 0; i < 200; i++) {
		char name[16];
		snprintf(name, sizeof(name), "n%u", i);
		add_node(name, "");
		snprintf(name, sizeof(name), "on-%u", i);
		if (i != 150)
			picture_addf("{'kind':'Pod','metadata':{'name':'%s','uid':'%s'},'spec':{"
				     "'nodeName':'n%u','containers':[{'name':'c','resources':{"
				     "'requests':{'cpu':'1','memory':'1Gi'}}}]}}",
				name, name, i);
	}
	add_pod("p", "", "", "");
	TEST_ASSERT_EQUAL_STRING("n150", decide("p", ""));
	picture_remove(KUBE_NODE, "", "n150");
	TEST_ASSERT_EQUAL_STRING("n0", decide("p", ""));
	cycle_chosen(&cycle, picture_node("n0"));
	TEST_ASSERT_EQUAL_STRING("n1", decide("p", ""));
	picture_remove(KUBE_POD, "default", "on-199");
	TEST_ASSERT_EQUAL_STRING("n199", decide("p", ""));
}

/* Neighbours of one block change, and one of them is gone before anybody looks. */
static void test_a_node_leaves_while_its_block_changes(void)
{
	add_node("a", "");
	add_node("b", "");
	add_node("c", "");
	add_pod("p", "", "", "");
	TEST_ASSERT_EQUAL_STRING("a", decide("p", ""));
	add_node("c", "'x':'y'");
	picture_remove(KUBE_NODE, "", "a");
	TEST_ASSERT_EQUAL_STRING("b", decide("p", ""));
}

static void test_a_part_of_the_nodes(void)
{
	picture.profile.percentage_of_nodes = 10; /* 100 at least */
	for (uint32_t i = 0; i < 150; i++) {
		char name[16];
		snprintf(name, sizeof(name), "n%u", i);
		add_node(name, "");
	}
	add_pod("p", "", "", "");
	struct schedule_result decision = decide_by("p", CACHE_COUNT_FAST);
	TEST_ASSERT_EQUAL_UINT32(100, decision.feasible_count);
	TEST_ASSERT_EQUAL_UINT32(100, cycle.rotation);
	TEST_ASSERT_EQUAL_UINT32(picture_node("n0"), decision.node);
	decision = decide_by("p", CACHE_COUNT_RECOUNT);
	TEST_ASSERT_EQUAL_UINT32(100, decision.feasible_count);
	TEST_ASSERT_EQUAL_UINT32(50, cycle.rotation);
	TEST_ASSERT_EQUAL_UINT32(picture_node("n100"), decision.node);
}

static void test_the_nominated_node_first(void)
{
	add_node("a", "");
	add_node("b", "");
	add_pod("p", "", "", "'nominatedNodeName':'b'");
	TEST_ASSERT_EQUAL_STRING("b", decide("p", ""));
	add_pod("q", "", "", "'nominatedNodeName':'gone'");
	TEST_ASSERT_EQUAL_STRING("a", decide("q", ""));
	picture_addf("{'kind':'Node','metadata':{'name':'b'},'spec':{'unschedulable':true},"
		     "'status':{'allocatable':{'cpu':'4','memory':'4Gi','pods':'110'}}}");
	TEST_ASSERT_EQUAL_STRING("a", decide("p", ""));
}

/* ---- what others wait for ---- */

static void test_room_for_nominated_pods(void)
{
	static const char big[] = "'priority':10,'initContainers':[{'name':'i','resources':{"
				  "'requests':{'cpu':'3'}}}],";
	add_node("a", "");
	add_node("b", "");
	add_pod("waits", "", big, "'nominatedNodeName':'a'");
	add_pod("p", "", big, "");
	TEST_ASSERT_EQUAL_STRING("b", decide("p", ""));
	/* More important ones do not care. */
	add_pod("vip", "", "'priority':11,'nodeSelector':{},", "");
	TEST_ASSERT_EQUAL_STRING("a", decide("vip", ""));
}

static void test_nominated_pods_of_many_scalars(void)
{
	char spec[8192];
	for (uint32_t pod = 0; pod < 3; pod++) {
		struct writer w;
		writer_init(&w, spec, sizeof(spec) - 1);
		write_z(&w, "'initContainers':[{'name':'i','resources':{'requests':{");
		for (uint32_t i = 0; i < 50; i++)
			write_format(&w, "%s'example.com/r%u-%u':'1'", i == 0 ? "" : ",", pod, i);
		write_z(&w, "}}}],");
		spec[w.used] = '\0';
		char name[16];
		snprintf(name, sizeof(name), "waits-%u", pod);
		add_pod(name, "", spec, "'nominatedNodeName':'a'");
	}
	add_node("a", "");
	add_pod("p", "", "", "");
	TEST_ASSERT_EQUAL_STRING("a", decide("p", ""));
}

static void test_nominated_pods_with_many_terms_keep_others_away(void)
{
	char spec[16384];
	char labels[2048];
	struct writer w;
	struct writer l;
	writer_init(&w, spec, sizeof(spec) - 1);
	writer_init(&l, labels, sizeof(labels) - 1);
	write_z(&w,
		"'priority':10,'affinity':{'podAntiAffinity':{"
		"'requiredDuringSchedulingIgnoredDuringExecution':[");
	for (uint32_t i = 0; i < 100; i++) {
		write_format(&w,
			"%s{'topologyKey':'k%u','labelSelector':{'matchLabels':{'app':'x'}}}",
			i == 0 ? "" : ",", i);
		write_format(&l, "%s'k%u':'v'", i == 0 ? "" : ",", i);
	}
	write_z(&w, "]}},");
	spec[w.used] = '\0';
	labels[l.used] = '\0';
	add_node("a", labels);
	add_node("b", "'h':'b'");
	add_pod("there", "",
		"'nodeName':'b','affinity':{'podAntiAffinity':{"
		"'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'h',"
		"'labelSelector':{'matchLabels':{'app':'x'}}}]}},",
		"");
	add_pod("waits", "", spec, "'nominatedNodeName':'a'");
	add_pod("vip", "'app':'x'", "'priority':11,", "");
	add_pod("p", "'app':'x'", "'priority':1,", "");
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decide_by("p", CACHE_COUNT_FAST).outcome);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, decide_by("p", CACHE_COUNT_RECOUNT).outcome);
	TEST_ASSERT_EQUAL_STRING("a", decide("vip", ""));
}

/* ---- odd rules ---- */

#define REQUIRE(kind)                                                              \
	"'affinity':{'" kind "':{'requiredDuringSchedulingIgnoredDuringExecution'" \
	":[{'topologyKey':'','labelSelector':{'matchLabels':{'app':'x'}}}]}},"

/* No node has a label without a name. */
static void test_an_empty_topology_key(void)
{
	add_node("a", "");
	add_pod("there", "'app':'x'", "'nodeName':'a',", "");
	add_pod("away", "'app':'x'", REQUIRE("podAntiAffinity"), "");
	TEST_ASSERT_EQUAL_STRING("a", decide("away", ""));
	add_pod("near", "'app':'x'", REQUIRE("podAffinity"), "");
	TEST_ASSERT_EQUAL_STRING("",
		decide("near",
			"0/1 nodes are available: 1 node(s) didn't match pod affinity "
			"rules. preemption: 0/1 nodes are "
			"available: 1 Preemption is not helpful for scheduling."));
	add_pod("spread", "'app':'x'",
		"'topologySpreadConstraints':[{'topologyKey':'','maxSkew':1,'whenUnsatisfiable':"
		"'DoNotSchedule','labelSelector':{}}],",
		"");
	TEST_ASSERT_EQUAL_STRING("",
		decide("spread",
			"0/1 nodes are available: 1 node(s) didn't match pod topology spread "
			"constraints (missing required label). "
			"preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
			"scheduling."));
}

/* A pod that prefers pods like itself, of which there are none: nobody's preference counts. */
static void test_nobody_prefers(void)
{
	char answer[8192];
	struct writer out;
	add_node("a", "'zone':'z'");
	add_node("b", "'zone':'z'");
	add_pod("p", "'app':'x'",
		"'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
		"'weight':1,'podAffinityTerm':{'topologyKey':'zone','labelSelector':{"
		"'matchLabels':{'app':'x'}}}}]}},",
		"");
	writer_init(&out, answer, sizeof(answer) - 1);
	cycle_explain(&cycle, picture_pod("default", "p"), CACHE_COUNT_FAST, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("\"TaintToleration\"")));
	TEST_ASSERT_FALSE(text_contains(writer_text(&out), TEXT("\"InterPodAffinity\"")));
}

static void test_best_nodes(void)
{
	char answer[8192];
	struct writer out;
	add_node("a", "");
	add_pod("p", "", "", "");
	writer_init(&out, answer, sizeof(answer));
	cycle_best(&cycle, picture_pod("default", "p"), 5, &out);
	TEST_ASSERT_EQUAL(0, out.used); /* no choice, no scores */
	add_node("b", "");
	add_node("c", "");
	cycle_best(&cycle, picture_pod("default", "p"), 2, &out);
	TEST_ASSERT_TRUE(text_starts(writer_text(&out), TEXT("[{\"node\":\"a\",\"total\":")));
	TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("},{\"node\":\"b\",\"total\":")));
	TEST_ASSERT_TRUE(text_contains(writer_text(&out), TEXT("\"TaintToleration\":300")));
	TEST_ASSERT_FALSE(text_contains(writer_text(&out), TEXT("\"node\":\"c\"")));
}

/* ---- odd profiles ---- */

static void test_without_prefilter(void)
{
	add_node("a", "");
	add_pod("p", "", "", "");
	drop_from(&picture.profile.at[PLUGIN_AT_PRE_FILTER], PLUGIN_INTER_POD_AFFINITY);
	TEST_ASSERT_EQUAL_STRING("",
		decide("p",
			"running \"InterPodAffinity\" filter plugin: reading "
			"\"PreFilterInterPodAffinity\" from cycleState: not found"));
	drop_from(&picture.profile.at[PLUGIN_AT_FILTER], PLUGIN_INTER_POD_AFFINITY);
	TEST_ASSERT_EQUAL_STRING("a", decide("p", ""));
}

static void test_without_prescore(void)
{
	add_node("a", "");
	add_node("b", "");
	add_pod("p", "", "", "");
	drop_from(&picture.profile.at[PLUGIN_AT_PRE_SCORE], PLUGIN_SPREAD);
	TEST_ASSERT_EQUAL_STRING("",
		decide("p",
			"running Score plugins: plugin \"PodTopologySpread\" failed with: "
			"reading \"PreScorePodTopologySpread\" from cycleState: not found"));
	drop_from(&picture.profile.at[PLUGIN_AT_SCORE], PLUGIN_SPREAD);
	TEST_ASSERT_EQUAL_STRING("a", decide("p", ""));
}

static void test_a_preference_that_does_not_parse(void)
{
	add_node("a", "");
	add_node("b", "");
	add_pod("p", "",
		"'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
		"'weight':1,'preference':{'matchExpressions':[{'key':'k','operator':'Gt','values':"
		"['x']}]}}]}},",
		"");
	TEST_ASSERT_EQUAL_STRING("",
		decide("p",
			"running PreScore plugin \"NodeAffinity\": "
			"[0].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', "
			"'Lt' operators, the value must be an integer"));
}

static void test_a_score_beyond_the_scale(void)
{
	add_node("a", "");
	add_node("b", "");
	add_pod("p", "",
		"'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{"
		"'weight':-5,'preference':{'matchFields':[{'key':'metadata.name','operator':'In',"
		"'values':['a']}]}}]}},",
		"");
	TEST_ASSERT_EQUAL_STRING("", decide("p", "a plugin returned a score outside of 0..100"));
}

/* ---- pods for one node each ---- */

#define FOR_NODE(name, more)                                                                   \
	"'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"       \
	"'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values'" \
	":['" name "']}" more "]}]}}},"
/* The same, said twice: that is no pattern of which anything is left out. */
#define AGAIN(name) ",{'key':'metadata.name','operator':'In','values':['" name "']}"

static void test_pods_for_one_node_each_share_a_template_and_part(void)
{
	add_node("a", "");
	add_node("b", "");
	add_pod("pa", "", FOR_NODE("a", ""), "");
	add_pod("pb", "", FOR_NODE("b", ""), "");
	uint32_t pa = picture_pod("default", "pa");
	uint32_t pb = picture_pod("default", "pb");
	TEST_ASSERT_EQUAL_UINT32(
		cache_pod_at(&picture.cache, pa)->class, cache_pod_at(&picture.cache, pb)->class);
	for (uint32_t i = 0; i < 3; i++) {
		TEST_ASSERT_EQUAL_STRING("a", decide("pa", ""));
		TEST_ASSERT_EQUAL_STRING("b", decide("pb", ""));
	}
}

static void test_a_pod_for_a_node_that_is_not_there_says_so(void)
{
	add_node("a", "");
	add_pod("p", "", FOR_NODE("z", ""), "");
	add_pod("q", "", FOR_NODE("z", AGAIN("z")), "");
	struct schedule_result twice = decide_by("q", CACHE_COUNT_FAST);
	TEST_ASSERT_EQUAL(CYCLE_REJECTED, twice.outcome);
	char message[256];
	snprintf(message, sizeof(message), "%s", text(twice.message));
	TEST_ASSERT_EQUAL_STRING("", decide("p", message));
}

static void test_spreading_sees_the_one_node_of_each_pod(void)
{
#define SPREAD                                                                              \
	"'topologySpreadConstraints':[{'topologyKey':'kubernetes.io/hostname','maxSkew':1," \
	"'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'x'}}}],"
	add_node("a", "'kubernetes.io/hostname':'a'");
	add_node("b", "'kubernetes.io/hostname':'b'");
	for (uint32_t i = 0; i < 4; i++) {
		char name[8];
		snprintf(name, sizeof(name), "on%u", i);
		add_pod(name, "'app':'x'", "'nodeName':'b',", "");
	}
	/* Only its own node counts for each: there is nothing to be even with. */
	add_pod("pa", "'app':'x'", FOR_NODE("a", "") SPREAD, "");
	add_pod("pb", "'app':'x'", FOR_NODE("b", "") SPREAD, "");
	TEST_ASSERT_EQUAL_STRING("a", decide("pa", ""));
	TEST_ASSERT_EQUAL_STRING("b", decide("pb", ""));
	TEST_ASSERT_EQUAL_STRING("a", decide("pa", ""));
}

/* Each point once for each pod; each plugin for one pod in ten. */
static void test_points_are_timed_whatever_way_a_decision_takes(void)
{
	static int64_t now;
	const struct clock clock = {.mono = tick, .self = &now};
	const struct plugin_timer timer = {&clock, point_took, plugin_took, NULL};
	struct schedule_result decision;
	add_node("a", "'z':'1'");
	add_node("b", "'z':'2'");
	add_pod("plain", "", "", "");
	add_pod("spread", "'app':'s'",
		"'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'z',"
		"'whenUnsatisfiable':'DoNotSchedule','labelSelector':{'matchLabels':{'app':'s'}}}]"
		",",
		"");
	add_pod("nowhere", "", "'nodeSelector':{'none':'such'},", "");
	memset(points, 0, sizeof(points));
	memset(samples, 0, sizeof(samples));
	cycle.timer = &timer;
	for (uint32_t pod = 1; pod <= 3; pod++) {
		cycle_decide(&cycle, pod, CACHE_COUNT_FAST, &decision);
		TEST_ASSERT_EQUAL(pod < 3 ? CYCLE_PLACED : CYCLE_REJECTED, decision.outcome);
		TEST_ASSERT_EQUAL_UINT32(pod, points[PLUGIN_AT_PRE_FILTER]);
		TEST_ASSERT_EQUAL_UINT32(pod, points[PLUGIN_AT_FILTER]);
		TEST_ASSERT_EQUAL_UINT32(pod < 3 ? pod : 2, points[PLUGIN_AT_PRE_SCORE]);
		TEST_ASSERT_EQUAL_UINT32(pod < 3 ? pod : 2, points[PLUGIN_AT_SCORE]);
		TEST_ASSERT_TRUE(samples[PLUGIN_AT_FILTER] > 0);
	}
	TEST_ASSERT_EQUAL_UINT32(1, points[PLUGIN_AT_POST_FILTER]);
	TEST_ASSERT_EQUAL(PLUGIN_UNSCHEDULABLE, codes[PLUGIN_AT_POST_FILTER]);
	uint32_t sampled = samples[PLUGIN_AT_PRE_FILTER];
	TEST_ASSERT_TRUE(sampled > 0);
	for (uint32_t i = 0; i < 7; i++)
		cycle_decide(&cycle, 2, CACHE_COUNT_FAST, &decision);
	TEST_ASSERT_EQUAL_UINT32(sampled, samples[PLUGIN_AT_PRE_FILTER]);
	cycle_decide(&cycle, 2, CACHE_COUNT_FAST, &decision); /* the eleventh */
	TEST_ASSERT_TRUE(samples[PLUGIN_AT_PRE_FILTER] > sampled);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_points_are_timed_whatever_way_a_decision_takes);
	RUN_TEST(test_no_nodes);
	RUN_TEST(test_pods_for_one_node_each_share_a_template_and_part);
	RUN_TEST(test_a_pod_for_a_node_that_is_not_there_says_so);
	RUN_TEST(test_spreading_sees_the_one_node_of_each_pod);
	RUN_TEST(test_equal_nodes_in_turn);
	RUN_TEST(test_the_emptiest_of_many_blocks);
	RUN_TEST(test_a_node_leaves_while_its_block_changes);
	RUN_TEST(test_a_part_of_the_nodes);
	RUN_TEST(test_the_nominated_node_first);
	RUN_TEST(test_room_for_nominated_pods);
	RUN_TEST(test_nominated_pods_of_many_scalars);
	RUN_TEST(test_nominated_pods_with_many_terms_keep_others_away);
	RUN_TEST(test_an_empty_topology_key);
	RUN_TEST(test_nobody_prefers);
	RUN_TEST(test_best_nodes);
	RUN_TEST(test_without_prefilter);
	RUN_TEST(test_without_prescore);
	RUN_TEST(test_a_preference_that_does_not_parse);
	RUN_TEST(test_a_score_beyond_the_scale);
	return UNITY_END();
}
