/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules in the real decision path: configurations as people write them, decisions worked out the
 * remembered way and the slow way, hints, and what may go wrong with either.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c cycle/*.c yaml/*.c profile/*.c config/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c tests/plugins/decide.c
#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#include "base/arena.h"
#include "cycle/cycle.h"
#include "plugins/hints.h"
#include "plugins/decide.h"
#include "plugins/picture.h"
#include "plugins/rules.h"
#include "profile/profile.h"
#include "profile/scheduler_write.h"

enum { SCRATCH_BYTES = 4 << 20, NODES = 64, ROWS = 4, TEXT_BYTES = 16384 };

#define FILE_OF(args)                                  \
	"apiVersion: kubescheduler.config.k8s.io/v1\n" \
	"kind: KubeSchedulerConfiguration\n"           \
	"profiles:\n"                                  \
	"- pluginConfig:\n"                            \
	"  - name: Rules\n"                            \
	"    args:\n" args
#define RULES_OF(rules) FILE_OF("      rules:\n" rules)

static const struct cycle_limits limits = {
	.nodes = NODES, .rows = ROWS, .scratch_bytes = SCRATCH_BYTES};
static struct cycle cycle;
static void *block;
static void *work_block;
static struct scratch work;
static char words[TEXT_BYTES];
static struct config_faults faults;
static struct config_faults notes;
static struct scheduler_config config;

/* What is wrong with the configuration; "" when nothing is, and it counts from here on. */
static const char *configure(const char *yaml)
{
	struct arena none = {0};
	struct writer out;
	scratch_reset(&work);
	writer_init(&out, words, sizeof(words) - 1);
	enum scheduler_config_result read =
		scheduler_config_read(text_of(yaml), &work, &config, &faults, &notes);
	const struct profile_memory memory = {&picture.cache, &none, &work};
	if (read != SCHEDULER_CONFIG_OK) {
		config_faults_sort(&faults);
		config_faults_print(&faults, TEXT("f"), &out);
	} else if (profiles_build(&memory, &config, &picture.profile, &out) != PROFILE_OK) {
		write_z(&out, "refused");
	}
	words[out.used] = '\0';
	TEST_ASSERT_TRUE(read != SCHEDULER_CONFIG_FULL);
	return words;
}

/* Nothing is remembered of the configuration before. */
static void begin(const char *yaml)
{
	struct arena arena;
	TEST_ASSERT_EQUAL_STRING("", configure(yaml));
	if (block == NULL)
		block = malloc(cycle_size(&limits));
	arena_init(&arena, block, cycle_size(&limits));
	cycle_init(&cycle, &arena, &limits, &picture.cache, &picture.profile, 1);
}

void setUp(void)
{
	picture_start();
	work_block = malloc(SCRATCH_BYTES);
	scratch_init(&work, work_block, SCRATCH_BYTES);
	block = NULL;
}

void tearDown(void)
{
	struct arena whole;
	if (block != NULL)
		arena_init(&whole, block, cycle_size(&limits)); /* lifts the poison */
	arena_init(&whole, work_block, SCRATCH_BYTES);
	free(block);
	free(work_block);
	picture_end();
}

static void add_node(const char *name, const char *metadata)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s'%s%s},"
		     "'status':{'allocatable':{'cpu':'64','memory':'64Gi','pods':'100'},"
		     "'conditions':[{'type':'Ready','status':'True'}]}}",
		name, *metadata == '\0' ? "" : ",", metadata);
}

static uint32_t add_pod(const char *name, const char *labels)
{
	return picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
			    "'uid':'%s','labels':{%s}},'spec':{'containers':[{'name':'c',"
			    "'resources':{'requests':{'cpu':'1'}}}]}}",
		name, name, labels);
}

static void add_pod_on(const char *name, const char *labels, const char *node)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
		     "'uid':'%s','labels':{%s}},'spec':{'nodeName':'%s','containers':[{'name':'c',"
		     "'resources':{'requests':{'cpu':'1'}}}]}}",
		name, name, labels, node);
}

static const char *decide(uint32_t pod)
{
	return decide_in(&cycle, pod);
}

static const char *decide_named(const char *name)
{
	return decide(picture_pod("default", name));
}

#define ASSERT_SAYS(part, message) TEST_ASSERT_NOT_NULL_MESSAGE(strstr((message), (part)), message)

/* ---- the examples of the documents ---- */

#define BATTERY                                                                          \
	"      - name: batch-off-battery\n"                                              \
	"        filter: |\n"                                                            \
	"          !(pod.labels[?'workload'].orValue('') == 'batch' &&\n"                \
	"            node.annotations[?'example.com/power'].orValue('') == 'battery')\n" \
	"        message: no batch work on batteries\n"

static void test_batch_stays_off_battery_powered_gateways(void)
{
	begin(RULES_OF(BATTERY));
	add_node("roof", "'annotations':{'example.com/power':'battery','other':'x'}");
	uint32_t batch = add_pod("p", "'workload':'batch'");
	TEST_ASSERT_EQUAL_STRING("roof", decide(add_pod("q", "'workload':'web'")));
	TEST_ASSERT_EQUAL_STRING("roof", decide(add_pod("r", "")));
	const char *said = decide(batch);
	ASSERT_SAYS("0/1 nodes are available: 1 node(s) refused by rule batch-off-battery: "
		    "no batch work on batteries.",
		said);
	ASSERT_SAYS("Preemption is not helpful", said); /* pods that go change nothing */
	add_node("cellar", "'annotations':{'example.com/power':'mains'}");
	TEST_ASSERT_EQUAL_STRING("cellar", decide(batch));
	add_node("cellar", "'annotations':{'example.com/power':'battery'}");
	ASSERT_SAYS("2 node(s) refused by rule batch-off-battery", decide(batch));
	add_node("roof", "");
	TEST_ASSERT_EQUAL_STRING("roof", decide(batch));
}

#define COOL                                             \
	"      - {name: cool-first, weight: 5, score: "  \
	"\"node.annotations[?'example.com/temperature']" \
	".orValue('') == 'cool' ? 100 : 0\"}\n"

static void test_nodes_whose_annotation_says_cool_are_preferred(void)
{
	begin(RULES_OF(COOL));
	add_node("a", "");
	add_node("b", "'annotations':{'example.com/temperature':'hot'}");
	add_node("c", "'annotations':{'example.com/temperature':'cool'}");
	for (uint32_t i = 0; i < 3; i++) {
		char name[8];
		snprintf(name, sizeof(name), "p%u", i);
		TEST_ASSERT_EQUAL_STRING("c", decide(add_pod(name, "")));
	}
	add_node("b", "'annotations':{'example.com/temperature':'cool'}");
	add_node("c", "'annotations':{'example.com/temperature':'hot'}");
	TEST_ASSERT_EQUAL_STRING("b", decide_named("p0"));
}

#define CUSTOMER                                                             \
	"      - name: one-per-customer\n"                                   \
	"        filter: >-\n"                                               \
	"          !has(pod.labels.customer) || has(pod.labels.shared) ||\n" \
	"          !(pod.labels.customer in node.podLabels.customer)\n"

static void test_never_two_of_a_customers_pods_on_one_host_unless_labelled(void)
{
	begin(RULES_OF(CUSTOMER));
	add_node("a", "");
	add_node("b", "");
	uint32_t pod = add_pod("p", "'customer':'acme'");
	add_pod_on("q", "'customer':'acme'", "a");
	add_pod_on("r", "'customer':'other'", "b");
	TEST_ASSERT_EQUAL_STRING("b", decide(pod));
	add_pod_on("s", "'customer':'acme'", "b");
	const char *said = decide(pod);
	ASSERT_SAYS("2 node(s) refused by rule one-per-customer.", said);
	ASSERT_SAYS("No preemption victims found", said); /* pods that go would help */
	uint32_t shared = add_pod("t", "'customer':'acme','shared':''");
	TEST_ASSERT_EQUAL(CYCLE_PLACED, (decide(shared), CYCLE_PLACED));
	TEST_ASSERT_TRUE(strcmp(decide(shared), "a") == 0 || strcmp(words, "b") == 0);
	/* The label of a pod that is there changes. */
	add_pod_on("s", "'customer':'third'", "b");
	TEST_ASSERT_EQUAL_STRING("b", decide(pod));
	picture_remove(KUBE_POD, "default", "q");
	add_pod_on("s", "'customer':'acme'", "b");
	TEST_ASSERT_EQUAL_STRING("a", decide(pod));
}

/* ---- what rules see ---- */

static void passes(const char *filter)
{
	char yaml[4096];
	snprintf(yaml, sizeof(yaml), RULES_OF("      - {name: r, filter: \"%s\"}\n"), filter);
	begin(yaml);
	const char *said = decide_named("p");
	TEST_ASSERT_EQUAL_STRING_MESSAGE("n", said, filter);
}

static void test_every_field_is_what_kubernetes_says(void)
{
	static const char *const filters[] = {
		"pod.namespace == 'shop' || pod.namespace == 'default'",
		"pod.labels == {'app': 'web', 'empty': ''} && size(pod.labels) == 2",
		"pod.labels.all(k, v, k == 'app' || v == '')",
		"pod.ownerKind == 'StatefulSet' && pod.ownerName == 'db'",
		"pod.priority == 7",
		"pod.images.exists(i, i.contains('busybox')) && size(pod.images) == 1",
		"pod.nodeSelector == {'disk': 'ssd'} && pod.nodeSelector.disk == 'ssd'",
		"pod.requests.cpu == 1500 && pod.requests['memory'] == 1048576",
		"pod.requests['example.com/gpu'] == 2 && !('example.com/x' in pod.requests)",
		"size(pod.requests) == 5 && pod.requests.exists(k, k == 'ephemeral-storage')",
		"node.name == 'n' && node.labels.disk == 'ssd'",
		"node.annotations['a'] == 'b' && !has(node.annotations.other)",
		"node.taints.exists(t, t.key == 'k' && t.value == 'v')",
		"node.taints.all(t, t.effect == 'PreferNoSchedule') && size(node.taints) == 1",
		"!node.unschedulable && node.ready",
		("node.allocatable == {'cpu': 4000, 'memory': 1073741824, 'pods': 10,"
		 " 'ephemeral-storage': 0, 'example.com/gpu': 4}"),
		"node.requested.cpu == 1000 && node.podCount == 2 && node.requested.pods == 2",
		"node.allocatable.cpu - node.requested.cpu >= pod.requests.cpu",
		"node.podLabels.app == {'web': 1, 'db': 1} && size(node.podLabels.none) == 0",
		"node.podLabels['app']['web'] == 1 && node.podLabels.app[?'x'].orValue(0) == 0",
		"node.podLabels.app.all(v, n, n == 1 && v in ['web', 'db'])",
		"node.podNamespaces == {'default': 2}",
		"dyn(pod.labels.app) == 'web' && type(node.podCount) == int",
	};
	begin(RULES_OF("      - {name: r, filter: 'true'}\n"));
	picture_add("{'kind':'Node','metadata':{'name':'n','labels':{'disk':'ssd'},"
		    "'annotations':{'a':'b'}},'spec':{'taints':[{'key':'k','value':'v',"
		    "'effect':'PreferNoSchedule'}]},'status':{'allocatable':{'cpu':'4',"
		    "'memory':'1Gi','pods':'10','example.com/gpu':'4'},"
		    "'conditions':[{'type':'Ready','status':'True'}]}}");
	add_pod_on("q", "'app':'web'", "n");
	picture_add("{'kind':'Pod','metadata':{'name':'r','namespace':'default','uid':'r',"
		    "'labels':{'app':'db'}},'spec':{'nodeName':'n'}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'p',"
		    "'labels':{'app':'web','empty':''},'ownerReferences':[{'kind':'StatefulSet',"
		    "'apiVersion':'apps/v1','name':'db','uid':'u','controller':true}]},"
		    "'spec':{'priority':7,'nodeSelector':{'disk':'ssd'},'containers':[{'name':'c',"
		    "'image':'busybox','resources':{'requests':{'cpu':'1500m','memory':'1Mi',"
		    "'example.com/gpu':'2'}}}]}}");
	/* What no rule read when the node came is not there. */
	for (uint32_t i = 0; i < ARRAY_COUNT(filters); i++) {
		if (strstr(filters[i], "annotations['a']") != NULL) {
			begin(RULES_OF("      - {name: r, filter: \"'a' in "
				       "node.annotations\"}\n"));
			ASSERT_SAYS("1 node(s) refused by rule r.", decide_named("p"));
			picture_add("{'kind':'Node','metadata':{'name':'n','labels':{'disk':'ssd'},"
				    "'annotations':{'a':'b','c':'d'}},'spec':{'taints':[{'key':'k',"
				    "'value':'v','effect':'PreferNoSchedule'}]},'status':{"
				    "'allocatable':{'cpu':'4','memory':'1Gi','pods':'10',"
				    "'example.com/gpu':'4'},'conditions':[{'type':'Ready',"
				    "'status':'True'}]}}");
		}
		passes(filters[i]);
	}
}

static void test_time_stands_still_between_refreshes(void)
{
	const int64_t second = 1000 * 1000;
	begin(FILE_OF("      refresh: 1m\n"
		      "      rules:\n"
		      "      - {name: at-night, filter: now.getHours() < 6}\n"
		      "      - {name: minutes, score: now.getSeconds() + now.getMinutes()}\n"));
	TEST_ASSERT_EQUAL_INT64(60 * second, picture.profile.refresh_us);
	add_node("n", "");
	uint32_t pod = add_pod("p", "");
	picture.cache.now_us = (5 * 3600 + 59 * 60 + 59) * second;
	TEST_ASSERT_EQUAL_STRING("n", decide(pod));
	picture.cache.now_us += second;
	ASSERT_SAYS("refused by rule at-night", decide(pod));
	picture.cache.now_us += 18 * 3600 * second;
	TEST_ASSERT_EQUAL_STRING("n", decide(pod));
}

/* ---- scores ---- */

static void test_scores_add_up_with_their_weights(void)
{
	begin(RULES_OF("      - {name: x, weight: 3, score: 'double(node.labels.x) * 0.5'}\n"
		       "      - {name: why, score: \"node.labels.y == 'u' ? 10u : 0u\"}\n"
		       "      - {name: big, score: 'int(node.labels.big)'}\n"));
	add_node("a", "'labels':{'x':'10','y':'u','big':'-5'}");          /* 15 + 10 + 0 */
	add_node("b", "'labels':{'x':'20','y':'v','big':'-9'}");          /* 30 */
	add_node("c", "'labels':{'x':'no number','y':'v','big':'1000'}"); /* error, 0, 100 */
	add_node("d", "");                                                /* errors */
	uint32_t pod = add_pod("p", "");
	struct cycle_state d = *picture_decide("default", "p");
	const int64_t wanted[] = {25, 30, 100, 0};
	const char *const nodes[] = {"a", "b", "c", "d"};
	for (uint32_t i = 0; i < 4; i++)
		TEST_ASSERT_EQUAL_INT64(wanted[i], plugin_rules.score(&d, picture_node(nodes[i])));
	TEST_ASSERT_EQUAL_STRING("c", decide(pod));
}

/* ---- hints ---- */

static enum plugin_hint hint_of(uint32_t pod, struct cache_event event)
{
	const struct plugin_waiting w = {.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = plugin_pod_of(&picture.cache, pod)};
	enum plugin_hint hint;
	TEST_ASSERT_TRUE(plugin_hint_of(PLUGIN_RULES, &w, &event, &hint));
	return hint;
}

static uint32_t waiting_pod;
static uint32_t queued;
static uint32_t skipped;
static void ask_hint(const struct cache_event *event)
{
	const struct plugin_waiting w = {.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = plugin_pod_of(&picture.cache, waiting_pod)};
	enum plugin_hint hint = PLUGIN_HINT_SKIP;
	bool registered = plugin_hint_of(PLUGIN_RULES, &w, event, &hint);
	queued += hint == PLUGIN_HINT_QUEUE;
	skipped += registered && hint == PLUGIN_HINT_SKIP;
}

static void asserted_hint(uint32_t wanted_queued, uint32_t wanted_skipped, const char *what)
{
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(wanted_queued, queued, what);
	TEST_ASSERT_EQUAL_UINT32_MESSAGE(wanted_skipped, skipped, what);
	queued = skipped = 0;
}

static void test_pods_wait_for_what_their_rules_read(void)
{
	begin(RULES_OF(BATTERY CUSTOMER));
	add_node("a", "'annotations':{'example.com/power':'battery'}");
	waiting_pod = add_pod("p", "'workload':'batch','customer':'acme'");
	queued = skipped = 0;
	picture.changed = ask_hint;
	add_node("a", "'annotations':{'example.com/power':'battery','other':'y'}");
	asserted_hint(0, 1, "an annotation that no rule reads");
	add_node("b", "'annotations':{'example.com/power':'battery'}");
	asserted_hint(0, 1, "one more node that the rule refuses");
	add_node("a", "'annotations':{'example.com/power':'mains','other':'y'}");
	asserted_hint(1, 0, "the annotation is another one");
	add_pod_on("q", "'customer':'acme'", "a");
	asserted_hint(0, 1, "one of the same customer comes");
	add_pod_on("q", "'customer':'other'", "a");
	asserted_hint(1, 0, "it is another customer's");
	add_pod_on("q", "'customer':'acme'", "a");
	asserted_hint(0, 1, "and back");
	picture_remove(KUBE_POD, "default", "q");
	asserted_hint(1, 0, "it goes");
	add_pod("p", "'workload':'batch','customer':'third'");
	asserted_hint(1, 0, "its own labels change");
	add_pod("z", "'workload':'batch'");
	asserted_hint(0, 1, "another pod that waits");
	picture_remove(KUBE_NODE, "", "b");
	picture.changed = NULL;
	TEST_ASSERT_EQUAL(PLUGIN_HINT_SKIP,
		hint_of(waiting_pod,
			(struct cache_event){.kind = KUBE_NODE,
				.name = 0,
				.actions = CACHE_ADD,
				.now = {.there = true}}));
}

/* ---- annotations of pods ---- */

#define RACK                                                              \
	"      - name: rack\n"                                            \
	"        filter: >-\n"                                            \
	"          pod.annotations[?'example.com/rack'].orValue('') in\n" \
	"          ['', node.annotations[?'example.com/rack'].orValue('')]\n"

static uint32_t add_annotated(const char *name, const char *annotations)
{
	return picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
			    "'uid':'%s','annotations':{%s}},'spec':{'containers':[{'name':'c'}]}}",
		name, name, annotations);
}

static const struct kube_pod_template *template_of(uint32_t pod)
{
	return cache_template_of(&picture.cache, cache_pod_at(&picture.cache, pod));
}

static void test_pods_with_other_annotations_that_a_rule_reads_are_decided_apart(void)
{
	begin(RULES_OF(RACK));
	TEST_ASSERT_EQUAL_UINT32(PLUGIN_READS_TEMPLATE, picture.profile.local_reads);
	add_node("one", "'annotations':{'example.com/rack':'1'}");
	add_node("two", "'annotations':{'example.com/rack':'2'}");
	uint32_t p1 = add_annotated("p1", "'example.com/rack':'1','last-applied':'x'");
	uint32_t p2 = add_annotated("p2", "'example.com/rack':'2'");
	uint32_t q1 = add_annotated("q1", "'other':'y','example.com/rack':'1'");
	uint32_t none = add_annotated("none", "'other':'z'");
	uint32_t wrong = add_annotated("wrong", "'example.com/rack':'3'");
	TEST_ASSERT_EQUAL_PTR(template_of(p1), template_of(q1));
	TEST_ASSERT_TRUE(template_of(p1) != template_of(p2));
	TEST_ASSERT_TRUE(template_of(p1) != template_of(none));
	for (uint32_t i = 0; i < 3; i++) {
		TEST_ASSERT_EQUAL_STRING("one", decide(p1));
		TEST_ASSERT_EQUAL_STRING("two", decide(p2));
		TEST_ASSERT_EQUAL_STRING("one", decide(q1));
		ASSERT_SAYS("2 node(s) refused by rule rack.", decide(wrong));
		TEST_ASSERT_TRUE(strncmp(decide(none), "0/", 2) != 0);
	}
	/* A node's annotation of that name is not a pod's: what only one of them reads. */
	begin(RULES_OF("      - {name: a, filter: \"!has(node.annotations.x)\"}\n"));
	TEST_ASSERT_EQUAL_PTR(template_of(add_annotated("x1", "'x':'1'")),
		template_of(add_annotated("x2", "'x':'2'")));
}

static void test_a_pod_waits_for_its_annotations(void)
{
	begin(RULES_OF(RACK));
	add_node("one", "'annotations':{'example.com/rack':'1'}");
	waiting_pod = add_annotated("p", "'example.com/rack':'2'");
	ASSERT_SAYS("refused by rule rack", decide(waiting_pod));
	queued = skipped = 0;
	picture.changed = ask_hint;
	add_annotated("p", "'example.com/rack':'1'");
	asserted_hint(1, 0, "its own annotation is another one");
	TEST_ASSERT_EQUAL_STRING("one", decide(waiting_pod));
	add_annotated("p", "'example.com/rack':'2'");
	asserted_hint(1, 0, "and back");
	add_annotated("z", "'example.com/rack':'1'");
	asserted_hint(0, 1, "another pod");
	add_node("one", "'annotations':{'example.com/rack':'2'}");
	asserted_hint(1, 0, "the node's");
	picture.changed = NULL;
}

static bool keep_piece(void *self, struct json_piece piece)
{
	(void)self;
	snprintf(words, sizeof(words), "%.*s", TEXT_ARGS(piece.text));
	return true;
}

/* Of all that a pod's metadata has, those annotations alone that a rule reads. */
static const char *kept_of(const char *pod)
{
	json_cut_start(picture.cut, JSON_CUT_LINES, picture.cache.pod_wants.object, NULL,
		keep_piece, NULL);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(picture.cut, text_of(pod)));
	return words;
}

static void test_annotations_that_no_rule_reads_are_dropped_while_they_arrive(void)
{
	static const char pod[] =
		"{\"kind\":\"Pod\",\"metadata\":{\"annotations\":{\"x\":\"1\",\"xy\":\"2\","
		"\"example.com/rack\":\"3\",\"k8s.io/initial-events-end\":\"true\"},"
		"\"managedFields\":[]},\"spec\":{\"nodeName\":\"n\",\"dnsPolicy\":\"x\"}}";
#define KEPT(annotations)                                               \
	"{\"kind\":\"Pod\",\"metadata\":{\"annotations\":{" annotations \
	"\"k8s.io/initial-events-end\":\"true\"}},\"spec\":{\"nodeName\":\"n\"}}"
	TEST_ASSERT_EQUAL_STRING(KEPT(""), kept_of(pod));
	begin(RULES_OF(RACK));
	TEST_ASSERT_EQUAL_STRING(KEPT("\"example.com/rack\":\"3\","), kept_of(pod));
	begin(RULES_OF("      - {name: a, score: \"has(pod.annotations.x) ? 1 : 0\"}\n"));
	TEST_ASSERT_EQUAL_STRING(KEPT("\"x\":\"1\",\"example.com/rack\":\"3\","), kept_of(pod));
}

/* ---- mistakes in the configuration ---- */

static void refused(const char *yaml, const char *wanted)
{
	TEST_ASSERT_EQUAL_STRING(wanted, configure(yaml));
}

static void test_errors_are_at_their_line_and_column_of_the_file(void)
{
	refused(RULES_OF("      - name: a\n"
			 "        filter: node.lables.x == 'y'\n"),
		"f:9:21: profiles[0].pluginConfig[0].args.rules[0].filter: undefined field "
		"'lables'\n");
	refused(RULES_OF("      - {name: a, filter: \"node.labels['x'] == 3\"}\n"),
		"f:8:45: profiles[0].pluginConfig[0].args.rules[0].filter: found no matching "
		"overload for '_==_' applied to '(string, int)'\n");
	refused(RULES_OF("      - name: a\n"
			 "        filter: |\n"
			 "          true &&\n"
			 "\n"
			 "            nod.ready ||\n"
			 "          'a' in pods\n"),
		"f:12:13: profiles[0].pluginConfig[0].args.rules[0].filter: undeclared reference "
		"to "
		"'nod' (in container '')\n"
		"f:13:18: profiles[0].pluginConfig[0].args.rules[0].filter: undeclared reference "
		"to "
		"'pods' (in container '')\n");
	refused(RULES_OF("      - name: a\n"
			 "        filter: >-\n"
			 "          true &&\n"
			 "          nod.ready\n"),
		"f:11:11: profiles[0].pluginConfig[0].args.rules[0].filter: undeclared reference "
		"to "
		"'nod' (in container '')\n");
	refused(RULES_OF("      - {name: a, filter: 'pod.labels[''a''] == nob'}\n"),
		"f:8:49: profiles[0].pluginConfig[0].args.rules[0].filter: undeclared reference to "
		"'nob' (in container '')\n");
	refused(RULES_OF("      - {name: a, filter: \"pod.labels[\\\"\xc3\xa4\\\"] == nob\"}\n"),
		"f:8:49: profiles[0].pluginConfig[0].args.rules[0].filter: undeclared reference to "
		"'nob' (in container '')\n");
	refused(RULES_OF("      - {name: a, filter: 'node.ready &&'}\n"),
		"f:8:41: profiles[0].pluginConfig[0].args.rules[0].filter: Syntax error: "
		"mismatched "
		"input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
		"NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n");
}

static void test_types_names_and_reads_are_checked(void)
{
#define AT(column, field) "f:8:" column ": profiles[0].pluginConfig[0].args.rules[0]." field ": "
	refused(RULES_OF("      - {name: a, filter: node.podCount}\n"),
		AT("27", "filter") "must be true or false, not of type int\n");
	refused(RULES_OF("      - {name: a, score: node.ready}\n"),
		AT("26", "score") "must be a number, not of type bool\n");
	refused(RULES_OF("      - {name: a, filter: now.getHours() < 6}\n"),
		AT("27", "filter") "undeclared reference to 'now' (in container '')\n");
	refused(RULES_OF("      - {name: a, filter: 'node.annotations.all(k, k != \"x\")'}\n"),
		AT("27", "filter") "annotations must be read by keys that stand in the rule, as in "
				   "node.annotations['example.com/rack']\n");
	refused(RULES_OF("      - {name: a, filter: 'pod.namespace in node.podLabels'}\n"),
		AT("27", "filter") "podLabels must be read by keys that stand in the rule, as in "
				   "node.annotations['example.com/rack']\n");
	refused(RULES_OF("      - {name: a, filter: 'dyn(pod) == dyn(node)'}\n"),
		AT("27", "filter") "node must be read field by field, as in pod.labels\n");
	refused(RULES_OF("      - {name: a}\n"),
		AT("9", "filter") "Required value: a rule has a filter, a score, or both\n");
	refused(RULES_OF("      - {name: 'a b', filter: 'true'}\n"),
		AT("16", "name") "Invalid value: \"a b\": must be 1 to 63 letters, digits, '-', "
				 "'_' or '.'\n");
	refused(RULES_OF("      - {name: a, filter: 'true', message: \"a\\nb\"}\n"),
		AT("44", "message") "Invalid value: \"a\\nb\": must be one line of at most 256 "
				    "bytes\n");
	refused(RULES_OF("      - {name: a, score: '1', message: b}\n"),
		AT("40", "message") "has no effect without a filter\n");
	refused(RULES_OF("      - {name: a, score: '1', weight: 101}\n"),
		AT("39", "weight") "Invalid value: 101: not in valid range [1, 100]\n");
	refused(RULES_OF("      - {name: a, filter: 'true'}\n"
			 "      - {name: a, filter: 'true'}\n"),
		"f:9:16: profiles[0].pluginConfig[0].args.rules[1].name: Duplicate value: \"a\"\n");
	refused(FILE_OF("      refresh: 1s\n"),
		"f:7:16: profiles[0].pluginConfig[0].args.refresh: Invalid value: must be at "
		"least 10s\n");
	refused(FILE_OF("      maxCost: 1\n"),
		"f:7:16: profiles[0].pluginConfig[0].args.maxCost: Invalid value: 1: not in valid "
		"range [10, 100000]\n");
}

/* Of two rules, that have one annotation in common. */
static void test_too_many_annotations_are_refused(void)
{
	static char yaml[8192];
	for (uint32_t more = 0; more < 2; more++) {
		struct writer w;
		writer_init(&w, yaml, sizeof(yaml) - 1);
		write_z(&w,
			RULES_OF("      - {name: a, filter: 'has(node.annotations.k0)'}\n"
				 "      - {name: b, filter: 'true"));
		for (uint32_t i = 0; i < KUBE_WANTED_MAX + more; i++)
			write_format(&w, " && has(node.annotations.k%u)", (unsigned)i);
		write_z(&w, "'}\n");
		yaml[w.used] = '\0';
		refused(yaml,
			more == 0 ? ""
				  : "f:9:27: profiles[0].pluginConfig[0].args.rules[1].filter: "
				    "reads more annotations of pods or of nodes than the 32 that "
				    "all rules together may read\n");
	}
}

static void test_a_long_or_deep_rule_is_refused(void)
{
	static char yaml[32768];
	static char deep[8192];
	memset(deep, ' ', 5000);
	memcpy(deep + 5000, "true", 5);
	snprintf(yaml, sizeof(yaml), RULES_OF("      - {name: a, filter: \"%s\"}\n"), deep);
	ASSERT_SAYS("Too long: may not be more than 4096 bytes", configure(yaml));
	memset(deep, '(', 400);
	memcpy(deep + 400, "true", 4);
	memset(deep + 404, ')', 400);
	deep[804] = '\0';
	snprintf(yaml, sizeof(yaml), RULES_OF("      - {name: a, filter: \"%s\"}\n"), deep);
	ASSERT_SAYS("expression recursion limit exceeded", configure(yaml));
}

/* ---- what may go wrong while it is evaluated ---- */

static void test_a_rule_that_fails_refuses_its_node_only(void)
{
	begin(RULES_OF("      - {name: even, filter: \"10 / int(node.labels.n) > 0\"}\n"));
	add_node("zero", "'labels':{'n':'0'}");
	add_node("none", "");
	add_node("text", "'labels':{'n':'abc'}");
	uint32_t pod = add_pod("p", "");
	const char *said = decide(pod);
	ASSERT_SAYS("1 node(s) where rule even failed: division by zero", said);
	ASSERT_SAYS("1 node(s) where rule even failed: no such key: n", said);
	ASSERT_SAYS("1 node(s) where rule even failed: type conversion error", said);
	add_node("good", "'labels':{'n':'2'}");
	TEST_ASSERT_EQUAL_STRING("good", decide(pod));
}

/* However many values a label has among the node's pods, and however many rules count them. */
static void test_rules_that_count_pods_do_not_stop_each_other(void)
{
	static char yaml[16384];
	char pod[32], labels[64];
	struct writer w;
	writer_init(&w, yaml, sizeof(yaml) - 1);
	write_z(&w, RULES_OF(""));
	for (uint32_t i = 0; i < 20; i++)
		write_format(&w,
			"      - {name: r%u, filter: \"!('c' in node.podLabels.x) && "
			"node.podLabels.x['p99'] == 1 && node.podLabels.x.size() == 100\"}\n",
			(unsigned)i);
	yaml[w.used] = '\0';
	begin(yaml);
	add_node("full", "");
	for (uint32_t i = 0; i < 100; i++) {
		snprintf(pod, sizeof(pod), "p%u", (unsigned)i);
		snprintf(labels, sizeof(labels), "'x':'p%u'", (unsigned)i);
		picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default',"
			     "'uid':'%s','labels':{%s}},'spec':{'nodeName':'full'}}",
			pod, pod, labels);
	}
	picture_addf("{'kind':'Node','metadata':{'name':'full'},'status':{'allocatable':{'cpu':"
		     "'64','memory':'64Gi','pods':'200'}}}");
	TEST_ASSERT_EQUAL_STRING("full", decide(add_pod("p", "")));
}

static void add_pod_with_labels(const char *name, uint32_t count)
{
	static char labels[65536];
	size_t used = 0;
	for (uint32_t i = 0; i < count; i++)
		used += (size_t)snprintf(labels + used, sizeof(labels) - used, "%s'k%u':'v%u'",
			i == 0 ? "" : ",", i, i);
	add_pod(name, labels);
}

static void test_a_rule_that_costs_too_much_refuses_the_pod_that_makes_it(void)
{
	begin(FILE_OF("      maxCost: 200\n"
		      "      rules:\n"
		      "      - {name: all, filter: \"pod.labels.all(k, k.startsWith('k'))\"}\n"
		      "      - {name: next, filter: 'node.ready'}\n"));
	add_node("n", "");
	add_pod_with_labels("small", 5);
	add_pod_with_labels("large", 1000);
	TEST_ASSERT_EQUAL_STRING("n", decide_named("small"));
	ASSERT_SAYS("1 node(s) where rule all failed: operation cancelled: actual cost limit "
		    "exceeded",
		decide_named("large"));
	TEST_ASSERT_EQUAL_STRING("n", decide_named("small"));
}

/* However many nodes there are, a decision costs about as much as one for 1,024 of them. */
static void test_many_nodes_share_what_a_decision_may_cost(void)
{
	TEST_ASSERT_EQUAL_UINT64(1000, rules_cost_max(1000, 0));
	TEST_ASSERT_EQUAL_UINT64(1000, rules_cost_max(1000, 1024));
	TEST_ASSERT_EQUAL_UINT64(500, rules_cost_max(1000, 1025));
	TEST_ASSERT_EQUAL_UINT64(500, rules_cost_max(1000, 2048));
	TEST_ASSERT_EQUAL_UINT64(125, rules_cost_max(1000, 5000));
	TEST_ASSERT_EQUAL_UINT64(0, rules_cost_max(1000, UINT32_MAX));
}

static void test_loops_in_loops_end(void)
{
	begin(FILE_OF("      maxCost: 100000\n"
		      "      rules:\n"
		      "      - {name: r, filter: \"pod.labels.all(a, pod.labels.all(b, "
		      "pod.labels.all(c, a + b != c + c + 'x')))\"}\n"));
	add_node("n", "");
	add_pod_with_labels("p", 300);
	ASSERT_SAYS("where rule r failed: operation cancelled", decide_named("p"));
}

static void test_what_others_wrote_is_only_data(void)
{
	static char annotation[70000];
	begin(RULES_OF("      - {name: r, filter: \"!has(node.annotations.note) || "
		       "{'a': 1}[node.annotations.note] == 1\"}\n"));
	memset(annotation, 'x', 60000);
	char *node = malloc(sizeof(annotation));
	snprintf(node, sizeof(annotation), "'annotations':{'note':'%.60000s'}", annotation);
	add_node("huge", node); /* longer than any that is kept: as if it were not there */
	snprintf(node, sizeof(annotation), "'annotations':{'note':'%.900s'}", annotation);
	add_node("long", node);
	free(node);
	add_node("odd", "'annotations':{'note':'\\u0001\\ufffd\xc3\xa4'}");
	add_node("injected", "'annotations':{'note':'true || x'}");
	uint32_t pod = add_pod("p", "");
	TEST_ASSERT_EQUAL_STRING("huge", decide(pod));
	picture_remove(KUBE_NODE, "", "huge");
	const char *said = decide(pod);
	ASSERT_SAYS("1 node(s) where rule r failed: no such key: true || x", said);
	ASSERT_SAYS("where rule r failed: no such key: ", said);
	ASSERT_SAYS("0/3 nodes are available", said);
	TEST_ASSERT_TRUE(text_is_utf8(text_of(said)));
}

/* ---- profiles ---- */

static void test_without_rules_the_plugin_is_off(void)
{
	TEST_ASSERT_EQUAL_STRING("",
		configure("apiVersion: kubescheduler.config.k8s.io/v1\n"
			  "kind: KubeSchedulerConfiguration\n"));
	TEST_ASSERT_FALSE(plugin_set_has(&picture.profile.used, PLUGIN_RULES));
	TEST_ASSERT_EQUAL_UINT32(0, picture.profile.local_reads);
	TEST_ASSERT_EQUAL_STRING("", configure(RULES_OF(BATTERY)));
	TEST_ASSERT_TRUE(plugin_set_has(&picture.profile.at[PLUGIN_AT_FILTER].set, PLUGIN_RULES));
	TEST_ASSERT_EQUAL_UINT32(PLUGIN_READS_LABELS, picture.profile.local_reads);
	TEST_ASSERT_EQUAL_STRING("",
		configure("apiVersion: kubescheduler.config.k8s.io/v1\n"
			  "kind: KubeSchedulerConfiguration\n"
			  "profiles:\n"
			  "- plugins: {multiPoint: {disabled: [{name: Rules}]}}\n"
			  "  pluginConfig:\n"
			  "  - {name: Rules, args: {rules: [{name: a, filter: 'true'}]}}\n"));
	TEST_ASSERT_FALSE(plugin_set_has(&picture.profile.used, PLUGIN_RULES));
}

static void test_rules_are_written_out_and_read_again(void)
{
	static char written[TEXT_BYTES];
	struct writer out;
	TEST_ASSERT_EQUAL_STRING("", configure(RULES_OF(BATTERY COOL CUSTOMER)));
	writer_init(&out, written, sizeof(written) - 1);
	scheduler_config_write(&config, &out);
	TEST_ASSERT_FALSE(out.overflowed);
	written[out.used] = '\0';
	ASSERT_SAYS("message: \"no batch work on batteries\"", written);
	TEST_ASSERT_EQUAL_STRING("", configure(written));
	TEST_ASSERT_TRUE(plugin_set_has(&picture.profile.used, PLUGIN_RULES));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_batch_stays_off_battery_powered_gateways);
	RUN_TEST(test_nodes_whose_annotation_says_cool_are_preferred);
	RUN_TEST(test_never_two_of_a_customers_pods_on_one_host_unless_labelled);
	RUN_TEST(test_every_field_is_what_kubernetes_says);
	RUN_TEST(test_time_stands_still_between_refreshes);
	RUN_TEST(test_scores_add_up_with_their_weights);
	RUN_TEST(test_pods_wait_for_what_their_rules_read);
	RUN_TEST(test_pods_with_other_annotations_that_a_rule_reads_are_decided_apart);
	RUN_TEST(test_a_pod_waits_for_its_annotations);
	RUN_TEST(test_annotations_that_no_rule_reads_are_dropped_while_they_arrive);
	RUN_TEST(test_errors_are_at_their_line_and_column_of_the_file);
	RUN_TEST(test_types_names_and_reads_are_checked);
	RUN_TEST(test_too_many_annotations_are_refused);
	RUN_TEST(test_a_long_or_deep_rule_is_refused);
	RUN_TEST(test_a_rule_that_fails_refuses_its_node_only);
	RUN_TEST(test_a_rule_that_costs_too_much_refuses_the_pod_that_makes_it);
	RUN_TEST(test_rules_that_count_pods_do_not_stop_each_other);
	RUN_TEST(test_many_nodes_share_what_a_decision_may_cost);
	RUN_TEST(test_loops_in_loops_end);
	RUN_TEST(test_what_others_wrote_is_only_data);
	RUN_TEST(test_without_rules_the_plugin_is_off);
	RUN_TEST(test_rules_are_written_out_and_read_again);
	return UNITY_END();
}
