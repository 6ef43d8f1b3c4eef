/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plugins that only older releases of kube-scheduler had: NodeLabel, ServiceAffinity,
 * SelectorSpread, NodePreferAvoidPods, NodeResourceLimits, and the predicates about conditions.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
#include <stdio.h>
#include <stdlib.h>

#include <unity.h>

#include "plugins/hints.h"
#include "plugins/picture.h"
#include "plugins/questions.h"

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static uint32_t string(const char *z)
{
	uint32_t id;
	TEST_ASSERT_TRUE(intern_take(&picture.cache.strings, text_of(z), &id));
	return id;
}

static void list(struct plugin_label_list *to, const char *keys)
{
	struct text rest = text_of(keys);
	struct text key;
	to->count = 0;
	while (text_cut(&rest, ' ', &key))
		TEST_ASSERT_TRUE(intern_take(&picture.cache.strings, key, &to->keys[to->count++]));
}

static void give(struct plugin_label_list *from)
{
	for (uint32_t i = 0; i < from->count; i++)
		intern_give(&picture.cache.strings, from->keys[i]);
	from->count = 0;
}

static void node(const char *name, const char *labels)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','labels':{%s}}}", name, labels);
}

static void pod_on(const char *name, const char *labels, const char *where)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','labels':{%s}},"
		     "'spec':{'nodeName':'%s'}}",
		name, labels, where);
}

static void service(const char *name, const char *selector)
{
	picture_addf("{'kind':'Service','apiVersion':'v1','metadata':{'name':'%s'},"
		     "'spec':{'selector':{%s}}}",
		name, selector);
}

/* ---- NodeLabel ---- */

#define NO_LABELS "unresolvable: node(s) didn't have the requested labels"

static void test_labels_that_nodes_must_or_must_not_have(void)
{
	struct node_label_args *args =
		PLUGIN_ARGS_OF(&picture.profile, NODE_LABEL, node_label_args);
	node("n1", "'a':'1','b':''");
	node("n2", "'a':'2'");
	node("n3", "'a':'2','b':'2','retiring':'2026-01-01'");
	picture_add("{'kind':'Pod','metadata':{'name':'p'}}");
	TEST_ASSERT_EQUAL_STRING("fits", questions_verdict(PLUGIN_NODE_LABEL, "n3"));
	list(&args->present, "a b");
	TEST_ASSERT_EQUAL_STRING("fits", questions_verdict(PLUGIN_NODE_LABEL, "n1"));
	TEST_ASSERT_EQUAL_STRING(NO_LABELS, questions_verdict(PLUGIN_NODE_LABEL, "n2"));
	TEST_ASSERT_EQUAL_STRING("fits", questions_verdict(PLUGIN_NODE_LABEL, "n3"));
	list(&args->absent, "retiring lost");
	TEST_ASSERT_EQUAL_STRING("fits", questions_verdict(PLUGIN_NODE_LABEL, "n1"));
	TEST_ASSERT_EQUAL_STRING(NO_LABELS, questions_verdict(PLUGIN_NODE_LABEL, "n3"));
	give(&args->present);
	give(&args->absent);
}

static void test_labels_that_nodes_had_better_have_or_not(void)
{
	struct node_label_args *args =
		PLUGIN_ARGS_OF(&picture.profile, NODE_LABEL, node_label_args);
	node("n1", "'ssd':''");
	node("n2", "");
	node("n3", "'ssd':'','retiring':''");
	picture_add("{'kind':'Pod','metadata':{'name':'p'}}");
	TEST_ASSERT_EQUAL_STRING("0 0 0", questions_scores(PLUGIN_NODE_LABEL));
	list(&args->present_preferred, "ssd");
	TEST_ASSERT_EQUAL_STRING("100 0 100", questions_scores(PLUGIN_NODE_LABEL));
	list(&args->absent_preferred, "retiring lost");
	TEST_ASSERT_EQUAL_STRING("100 66 66", questions_scores(PLUGIN_NODE_LABEL));
	give(&args->present_preferred);
	give(&args->absent_preferred);
}

/* ---- ServiceAffinity ---- */

#define NOT_TOGETHER "unschedulable: node(s) didn't match service affinity"

static const char *affinity(const char *where)
{
	return questions_verdict(PLUGIN_SERVICE_AFFINITY, where);
}

static void three_regions(void)
{
	node("n1", "'region':'r1','rack':'1'");
	node("n2", "'region':'r2','rack':'2'");
	node("n3", "'region':'r2','rack':'3'");
	node("n4", "");
}

static void test_a_service_stays_in_one_region(void)
{
	three_regions();
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}}}");
	TEST_ASSERT_EQUAL_STRING("skip", affinity("n1")); /* no labels are asked about */
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together,
		"region");
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n1"));
	pod_on("q", "'app':'web','tier':'1'", "n2");
	TEST_ASSERT_EQUAL_STRING(
		"fits", affinity("n1")); /* nobody says that they belong together */
	service("web", "'app':'web'");
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n1"));
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n2"));
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n3"));
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n4"));
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together,
		"region rack nowhere");
	intern_give(&picture.cache.strings,
		PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)
			->together.keys[0]);
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n3"));
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n2"));
	give(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together);
}

/* Of the first Service, whatever others select the pod; the first node in order counts. */
static void test_which_pod_is_the_example(void)
{
	three_regions();
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together,
		"region");
	service("first", "'app':'web'");
	service("second", "'tier':'1'");
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web','tier':'1'}}}");
	pod_on("other", "'tier':'1'", "n1");
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n2"));
	pod_on("q", "'app':'web'", "n3");
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n1"));
	pod_on("r", "'app':'web'", "n1");
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n1"));
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n2"));
	picture_addf("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}},"
		     "'spec':{'nodeSelector':{'region':'r2'}}}");
	TEST_ASSERT_EQUAL_STRING("fits", affinity("n2")); /* the pod itself says more */
	TEST_ASSERT_EQUAL_STRING(NOT_TOGETHER, affinity("n1"));
	give(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together);
}

static const char *moved(struct cycle_state *d, const char *where)
{
	const struct plugin *plugin = plugins[PLUGIN_SERVICE_AFFINITY];
	enum plugin_code code = plugin->filter(d, picture_view(where), picture_why());
	return code == PLUGIN_SUCCESS ? "fits" : picture_reasons();
}

static void test_pods_moved_in_thought(void)
{
	const struct plugin *plugin = plugins[PLUGIN_SERVICE_AFFINITY];
	three_regions();
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together,
		"region");
	service("web", "'app':'web'");
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}}}");
	pod_on("q", "'app':'web'", "n1");
	pod_on("other", "'app':'db'", "n1");
	struct cycle_state *d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugin->pre_filter(d, picture_why()));
	TEST_ASSERT_EQUAL_STRING("node(s) didn't match service affinity", moved(d, "n2"));
	plugin->pod_moved(d, picture_view("n1"), picture_pod("default", "other"), -1);
	TEST_ASSERT_EQUAL_STRING("node(s) didn't match service affinity", moved(d, "n2"));
	plugin->pod_moved(d, picture_view("n1"), picture_pod("default", "q"), -1);
	TEST_ASSERT_EQUAL_STRING("fits", moved(d, "n2"));
	plugin->pods_forgotten(d);
	TEST_ASSERT_EQUAL_STRING("node(s) didn't match service affinity", moved(d, "n2"));

	picture_remove(KUBE_POD, "default", "q");
	picture_add("{'kind':'Pod','metadata':{'name':'w','labels':{'app':'web'}}}");
	d = picture_decide("default", "p");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, plugin->pre_filter(d, picture_why()));
	TEST_ASSERT_EQUAL_STRING("fits", moved(d, "n1"));
	plugin->pod_moved(d, picture_view("n2"), picture_pod("default", "w"), 1);
	TEST_ASSERT_EQUAL_STRING("node(s) didn't match service affinity", moved(d, "n1"));
	give(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->together);
}

static void test_a_service_spreads_over_racks(void)
{
	three_regions();
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}}}");
	TEST_ASSERT_EQUAL_STRING("skip", questions_scores(PLUGIN_SERVICE_AFFINITY));
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->apart,
		"region");
	TEST_ASSERT_EQUAL_STRING(
		"0 0 0 0 -> 100 100 100 0", questions_scores(PLUGIN_SERVICE_AFFINITY));
	service("web", "'app':'web'");
	TEST_ASSERT_EQUAL_STRING(
		"0 0 0 0 -> 100 100 100 0", questions_scores(PLUGIN_SERVICE_AFFINITY));
	pod_on("a", "'app':'web'", "n1");
	pod_on("b", "'app':'web'", "n2");
	pod_on("c", "'app':'web'", "n3");
	pod_on("d", "'app':'db'", "n3");
	TEST_ASSERT_EQUAL_STRING(
		"1 1 1 0 -> 66 33 33 0", questions_scores(PLUGIN_SERVICE_AFFINITY));
	pod_on("e", "'app':'web'", "n4");
	TEST_ASSERT_EQUAL_STRING(
		"1 1 1 1 -> 75 50 50 0", questions_scores(PLUGIN_SERVICE_AFFINITY));
	give(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->apart);
	list(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->apart,
		"region rack");
	TEST_ASSERT_EQUAL_STRING(
		"1 1 1 1 -> 75 62 62 0", questions_scores(PLUGIN_SERVICE_AFFINITY));
	give(&PLUGIN_ARGS_OF(&picture.profile, SERVICE_AFFINITY, service_affinity_args)->apart);
}

/* ---- SelectorSpread ---- */

static const char *spread(void)
{
	return questions_scores(PLUGIN_SELECTOR_SPREAD);
}

static void test_spread_over_nodes(void)
{
	node("n1", "");
	node("n2", "");
	node("n3", "");
	service("web", "'app':'web'");
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}}}");
	TEST_ASSERT_EQUAL_STRING("0 0 0 -> 100 100 100", spread());
	pod_on("a", "'app':'web'", "n1");
	pod_on("b", "'app':'web'", "n1");
	pod_on("c", "'app':'web'", "n1");
	pod_on("d", "'app':'web'", "n2");
	pod_on("e", "'app':'db'", "n3");
	picture_addf("{'kind':'Pod','metadata':{'name':'f','labels':{'app':'web'},"
		     "'deletionTimestamp':'2026-01-01T00:00:00Z'},'spec':{'nodeName':'n3'}}");
	TEST_ASSERT_EQUAL_STRING("3 1 0 -> 0 66 100", spread());
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'other'}}}");
	TEST_ASSERT_EQUAL_STRING("0 0 0 -> 100 100 100", spread());
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}},'spec':{"
		    "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'x',"
		    "'whenUnsatisfiable':'ScheduleAnyway'}]}}");
	TEST_ASSERT_EQUAL_STRING("skip", spread());
}

/* Two thirds for the zone, one for the node; a node without a zone has only itself. */
static void test_spread_over_zones(void)
{
	node("n1", "'topology.kubernetes.io/zone':'z1'");
	node("n2", "'topology.kubernetes.io/zone':'z1'");
	node("n3", "'topology.kubernetes.io/zone':'z2'");
	node("n4", "'topology.kubernetes.io/region':'r'");
	node("n5", "");
	service("web", "'app':'web'");
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'}}}");
	TEST_ASSERT_EQUAL_STRING("0 0 0 0 0 -> 100 100 100 100 100", spread());
	pod_on("a", "'app':'web'", "n1");
	pod_on("b", "'app':'web'", "n1");
	pod_on("c", "'app':'web'", "n2");
	pod_on("d", "'app':'web'", "n3");
	pod_on("e", "'app':'web'", "n5");
	TEST_ASSERT_EQUAL_STRING("2 1 1 0 1 -> 0 16 61 100 50", spread());
}

static void test_spread_of_a_controller(void)
{
	node("n1", "");
	node("n2", "");
	picture_add("{'kind':'ReplicaSet','apiVersion':'apps/v1','metadata':{'name':'rs'},"
		    "'spec':{'selector':{'matchLabels':{'app':'web'}}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p','labels':{'app':'web'},"
		    "'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet',"
		    "'name':'rs','uid':'u','controller':true}]}}");
	pod_on("a", "'app':'web'", "n1");
	TEST_ASSERT_EQUAL_STRING("1 0 -> 0 100", spread());
}

/* ---- NodePreferAvoidPods ---- */

#define ENTRY(kind, uid)                                                               \
	"{\\\"podSignature\\\":{\\\"podController\\\":{\\\"apiVersion\\\":\\\"v1\\\"," \
	"\\\"kind\\\":\\\"" kind "\\\",\\\"name\\\":\\\"x\\\",\\\"uid\\\":\\\"" uid    \
	"\\\",\\\"controller\\\":true}},\\\"reason\\\":\\\"r\\\"}"

static void avoiding(const char *name, const char *annotation)
{
	picture_addf("{'kind':'Node','metadata':{'name':'%s','annotations':{"
		     "'scheduler.alpha.kubernetes.io/preferAvoidPods':'%s'}}}",
		name, annotation);
}

static const char *avoid(const char *kind, const char *uid)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'p','ownerReferences':[{"
		     "'apiVersion':'v1','kind':'%s','name':'x','uid':'%s','controller':true}]}}",
		kind, uid);
	return questions_scores(PLUGIN_NODE_PREFER_AVOID_PODS);
}

static void test_nodes_that_pods_had_better_avoid(void)
{
	avoiding("n1", "{\\\"preferAvoidPods\\\":[" ENTRY("ReplicaSet", "u1") "]}");
	avoiding("n2",
		"{\\\"preferAvoidPods\\\":[" ENTRY("ReplicationController", "u2") "," ENTRY(
			"ReplicaSet", "u3") "]}");
	avoiding("n3", "not JSON");
	avoiding("n4", "{\\\"preferAvoidPods\\\":[{},7,null]} more");
	avoiding("n5", "{\\\"preferAvoidPods\\\":{\\\"a\\\":1}}");
	char *large = malloc(16 * 1000);
	snprintf(large, 16 * 1000, "%*s{\\\"preferAvoidPods\\\":[%s]}", 9000, "",
		ENTRY("ReplicaSet", "u1"));
	avoiding("n6", large);
	free(large);
	TEST_ASSERT_EQUAL_STRING("0 100 100 100 100 100", avoid("ReplicaSet", "u1"));
	TEST_ASSERT_EQUAL_STRING("100 100 100 100 100 100", avoid("ReplicaSet", "u2"));
	TEST_ASSERT_EQUAL_STRING("100 0 100 100 100 100", avoid("ReplicationController", "u2"));
	TEST_ASSERT_EQUAL_STRING("100 0 100 100 100 100", avoid("ReplicaSet", "u3"));
	TEST_ASSERT_EQUAL_STRING("100 100 100 100 100 100", avoid("Job", "u1"));
}

/* ---- NodeResourceLimits ---- */

static const char *limits(const char *containers)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'p'},'spec':{%s}}", containers);
	return questions_scores(PLUGIN_NODE_RESOURCE_LIMITS);
}

#define LIMITS(list) "{'name':'c','resources':{'limits':{" list "}}}"

static void test_nodes_as_large_as_limits(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'n1'},"
		    "'status':{'allocatable':{'cpu':'2','memory':'1Gi'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'},"
		    "'status':{'allocatable':{'cpu':'1','memory':'4Gi'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n3'}}");
	TEST_ASSERT_EQUAL_STRING("0 0 0", limits("'containers':[" LIMITS("") "]"));
	TEST_ASSERT_EQUAL_STRING("1 0 0", limits("'containers':[" LIMITS("'cpu':'1001m'") "]"));
	TEST_ASSERT_EQUAL_STRING("0 1 0", limits("'containers':[" LIMITS("'memory':'2Gi'") "]"));
	TEST_ASSERT_EQUAL_STRING(
		"1 1 0", limits("'containers':[" LIMITS("'cpu':'2','memory':'2Gi'") "]"));
	TEST_ASSERT_EQUAL_STRING("0 0 0",
		limits("'containers':[" LIMITS("'cpu':'1'") "," LIMITS("'cpu':'1100m'") "]"));
	TEST_ASSERT_EQUAL_STRING("1 0 0",
		limits("'containers':[" LIMITS("'cpu':'1'") "],'initContainers':[" LIMITS(
			"'cpu':'2'") "," LIMITS("'cpu':'1500m'") "]"));
}

/* ---- NodeResourcesLeastAllocated, NodeResourcesMostAllocated ---- */

static void test_strategies(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'n1'},"
		    "'status':{'allocatable':{'cpu':'4','memory':'4Gi'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'},"
		    "'status':{'allocatable':{'cpu':'8','memory':'2Gi'}}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{'containers':[{'resources':"
		    "{'requests':{'cpu':'2','memory':'1Gi'}}}]}}");
	TEST_ASSERT_EQUAL_STRING("62 62", questions_scores(PLUGIN_LEAST_ALLOCATED));
	TEST_ASSERT_EQUAL_STRING("37 37", questions_scores(PLUGIN_MOST_ALLOCATED));
	picture_add("{'kind':'Pod','metadata':{'name':'q'},'spec':{'nodeName':'n2','containers':"
		    "[{'resources':{'requests':{'cpu':'4','memory':'1Gi'}}}]}}");
	TEST_ASSERT_EQUAL_STRING("62 12", questions_scores(PLUGIN_LEAST_ALLOCATED));
	TEST_ASSERT_EQUAL_STRING("37 87", questions_scores(PLUGIN_MOST_ALLOCATED));
}

/* ---- conditions ---- */

static const char *under(enum plugin_id id, const char *spec, const char *conditions)
{
	picture_addf("{'kind':'Node','metadata':{'name':'n1'},'spec':{%s},"
		     "'status':{'conditions':[%s]}}",
		spec, conditions);
	return questions_verdict(id, "n1");
}

#define CONDITION(type, status) "{'type':'" type "','status':'" status "'}"

static void test_conditions(void)
{
	picture_add("{'kind':'Pod','metadata':{'name':'p'}}");
	TEST_ASSERT_EQUAL_STRING("fits", under(PLUGIN_NODE_CONDITION, "", ""));
	TEST_ASSERT_EQUAL_STRING("fits",
		under(PLUGIN_NODE_CONDITION, "",
			CONDITION("Ready", "True") "," CONDITION(
				"OutOfDisk", "False") "," CONDITION("MemoryPressure", "True")));
	TEST_ASSERT_EQUAL_STRING("unresolvable: node(s) were not ready",
		under(PLUGIN_NODE_CONDITION, "", CONDITION("Ready", "Unknown")));
	TEST_ASSERT_EQUAL_STRING(
		"unresolvable: node(s) were not ready, node(s) were out of disk space, "
		"node(s) had unavailable network, node(s) were unschedulable",
		under(PLUGIN_NODE_CONDITION, "'unschedulable':true",
			CONDITION("OutOfDisk", "Unknown") "," CONDITION(
				"NetworkUnavailable", "True") "," CONDITION("Ready", "False")));
	TEST_ASSERT_EQUAL_STRING("unresolvable: node(s) had disk pressure",
		under(PLUGIN_DISK_PRESSURE, "", CONDITION("DiskPressure", "True")));
	TEST_ASSERT_EQUAL_STRING(
		"fits", under(PLUGIN_DISK_PRESSURE, "", CONDITION("DiskPressure", "Unknown")));
	TEST_ASSERT_EQUAL_STRING("unresolvable: node(s) had pid pressure",
		under(PLUGIN_PID_PRESSURE, "", CONDITION("PIDPressure", "True")));
	TEST_ASSERT_EQUAL_STRING("unresolvable: node(s) had memory pressure",
		under(PLUGIN_MEMORY_PRESSURE, "", CONDITION("MemoryPressure", "True")));
	picture_addf("{'kind':'Pod','metadata':{'name':'p'},'spec':{'containers':[%s]}}",
		LIMITS("'memory':'1Mi'"));
	TEST_ASSERT_EQUAL_STRING("fits",
		under(PLUGIN_MEMORY_PRESSURE, "'unschedulable':true",
			CONDITION("MemoryPressure", "True")));
}

/* ---- what wakes a pod ---- */

static struct plugin_waiting waiting(void)
{
	const struct cycle_state *d = picture_decide("default", "p");
	return (struct plugin_waiting){.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.pod = d->pod};
}

static const char *hint_of(enum plugin_id id, const struct cache_event *event)
{
	const struct plugin_waiting w = waiting();
	enum plugin_hint hint;
	if (!plugin_hint_of(id, &w, event, &hint))
		return "unheard";
	return hint == PLUGIN_HINT_QUEUE ? "queue" : "skip";
}

static struct cache_event node_event(uint32_t actions, const char *was, const char *is)
{
	const struct cache_node *a = cache_node_at(&picture.cache, picture_node(was));
	const struct cache_node *b = cache_node_at(&picture.cache, picture_node(is));
	return (struct cache_event){.kind = KUBE_NODE,
		.actions = actions,
		.old = {.there = actions != CACHE_ADD,
			.blob = &a->facts->blob,
			.labels = cache_labels_at(&picture.cache, a->labels)},
		.now = {.there = true,
			.blob = &b->facts->blob,
			.labels = cache_labels_at(&picture.cache, b->labels)}};
}

static void test_nodes_that_wake(void)
{
	struct node_label_args *args =
		PLUGIN_ARGS_OF(&picture.profile, NODE_LABEL, node_label_args);
	picture_add("{'kind':'Pod','metadata':{'name':'p'}}");
	node("bare", "");
	node("labelled", "'a':'1'");
	picture_add("{'kind':'Node','metadata':{'name':'lost'},'status':{'conditions':[" CONDITION(
		"Ready", "False") "]}}");
	list(&args->present, "a");
	struct cache_event event = node_event(CACHE_UPDATE_NODE_LABEL, "bare", "labelled");
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_NODE_LABEL, &event));
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_SERVICE_AFFINITY, &event));
	TEST_ASSERT_EQUAL_STRING("unheard", hint_of(PLUGIN_NODE_CONDITION, &event));
	event = node_event(CACHE_UPDATE_NODE_LABEL, "labelled", "bare");
	TEST_ASSERT_EQUAL_STRING("skip", hint_of(PLUGIN_NODE_LABEL, &event));
	event = node_event(CACHE_ADD, "bare", "bare");
	TEST_ASSERT_EQUAL_STRING("skip", hint_of(PLUGIN_NODE_LABEL, &event));
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_NODE_CONDITION, &event));
	event = node_event(CACHE_UPDATE_NODE_CONDITION, "lost", "bare");
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_NODE_CONDITION, &event));
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_MEMORY_PRESSURE, &event));
	event = node_event(CACHE_UPDATE_NODE_CONDITION, "bare", "lost");
	TEST_ASSERT_EQUAL_STRING("skip", hint_of(PLUGIN_NODE_CONDITION, &event));
	event = node_event(CACHE_UPDATE_NODE_TAINT, "bare", "bare");
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_DISK_PRESSURE, &event));
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_NODE_LABEL, &event));
	give(&args->present);
}

static void test_pods_and_services_that_wake(void)
{
	node("n1", "");
	picture_add("{'kind':'Pod','metadata':{'name':'p'}}");
	pod_on("q", "", "n1");
	picture_add("{'kind':'Pod','metadata':{'name':'far','namespace':'other'}}");
	const struct cache_pod *near = cache_pod_at(&picture.cache, picture_pod("default", "q"));
	struct cache_event event = {.kind = KUBE_POD,
		.index = picture_pod("default", "q"),
		.namespace = cache_template_of(&picture.cache, near)->namespace,
		.actions = CACHE_DELETE,
		.old = {.there = true, .node = near->node}};
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_SERVICE_AFFINITY, &event));
	event.old.node = 0;
	TEST_ASSERT_EQUAL_STRING("skip", hint_of(PLUGIN_SERVICE_AFFINITY, &event));
	event.old.node = near->node;
	event.namespace = string("elsewhere");
	TEST_ASSERT_EQUAL_STRING("skip", hint_of(PLUGIN_SERVICE_AFFINITY, &event));
	intern_give(&picture.cache.strings, event.namespace);
	event = (struct cache_event){.kind = KUBE_SERVICE, .actions = CACHE_ADD};
	TEST_ASSERT_EQUAL_STRING("queue", hint_of(PLUGIN_SERVICE_AFFINITY, &event));
	TEST_ASSERT_EQUAL_STRING("unheard", hint_of(PLUGIN_NODE_LABEL, &event));
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_labels_that_nodes_must_or_must_not_have);
	RUN_TEST(test_labels_that_nodes_had_better_have_or_not);
	RUN_TEST(test_a_service_stays_in_one_region);
	RUN_TEST(test_which_pod_is_the_example);
	RUN_TEST(test_pods_moved_in_thought);
	RUN_TEST(test_a_service_spreads_over_racks);
	RUN_TEST(test_spread_over_nodes);
	RUN_TEST(test_spread_over_zones);
	RUN_TEST(test_spread_of_a_controller);
	RUN_TEST(test_nodes_that_pods_had_better_avoid);
	RUN_TEST(test_nodes_as_large_as_limits);
	RUN_TEST(test_strategies);
	RUN_TEST(test_conditions);
	RUN_TEST(test_nodes_that_wake);
	RUN_TEST(test_pods_and_services_that_wake);
	return UNITY_END();
}
