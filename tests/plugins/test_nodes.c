/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What needs only the node and the pod: NodeName, NodeUnschedulable, NodeDeclaredFeatures; and
 * SchedulingGates, the table of plugins and the normaliser they share.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
#include <unity.h>

#include "plugins/picture.h"

#define ASSERT_SAYS(expected_code, expected_words, actual)                   \
	do {                                                                 \
		enum plugin_code actual_code = (actual);                     \
		TEST_ASSERT_EQUAL_STRING(expected_words, picture_reasons()); \
		TEST_ASSERT_EQUAL(expected_code, actual_code);               \
	} while (0)

void setUp(void)
{
	picture_start();
}

void tearDown(void)
{
	picture_end();
}

static void add_pod(const char *spec)
{
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default','uid':'p'},"
		     "'spec':{%s}}",
		spec);
}

static enum plugin_code filter(enum plugin_id id, const char *node)
{
	return plugins[id]->filter(&picture.decision, picture_view(node), picture_why());
}

static void test_node_name(void)
{
	picture_add("{'kind':'Node','metadata':{'name':'n1'}}");
	picture_add("{'kind':'Node','metadata':{'name':'n2'}}");
	add_pod("'containers':[{'name':'c'}]");
	struct cycle_state *d = picture_decide("default", "p");
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter(PLUGIN_NODE_NAME, "n2"));
	d->pod.wanted_node = cache_node_at(&picture.cache, picture_node("n1"))->name;
	ASSERT_SAYS(PLUGIN_SUCCESS, "", filter(PLUGIN_NODE_NAME, "n1"));
	ASSERT_SAYS(PLUGIN_UNRESOLVABLE, "node(s) didn't match the requested node name",
		filter(PLUGIN_NODE_NAME, "n2"));
}

struct cordon {
	const char *node; /* spec */
	const char *toleration;
	bool allowed;
};

static void test_unschedulable(void)
{
#define CORDON_KEY "'key':'node.kubernetes.io/unschedulable'"
	static const struct cordon rows[] = {
		{"", "", true},
		{"'unschedulable':false", "", true},
		{"'unschedulable':true", "", false},
		{"'unschedulable':true", "{'operator':'Exists'}", true},
		{"'unschedulable':true", "{" CORDON_KEY ",'operator':'Exists'}", true},
		{"'unschedulable':true",
			"{" CORDON_KEY ",'operator':'Exists','effect':'NoSchedule'}", true},
		{"'unschedulable':true",
			"{" CORDON_KEY ",'operator':'Exists','effect':'NoExecute'}", false},
		{"'unschedulable':true", "{" CORDON_KEY "}", true}, /* equal: both empty */
		{"'unschedulable':true", "{" CORDON_KEY ",'value':'x'}", false},
		{"'unschedulable':true", "{'key':'other','operator':'Exists'}", false},
		/* A taint of that name is the business of TaintToleration. */
		{"'taints':[{" CORDON_KEY ",'effect':'NoSchedule'}]", "", true},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_addf("{'kind':'Node','metadata':{'name':'n'},'spec':{%s}}", rows[i].node);
		picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
			     "'spec':{'containers':[{'name':'c'}],'tolerations':[%s]}}",
			rows[i].toleration);
		picture_decide("default", "p");
		enum plugin_code code = filter(PLUGIN_NODE_UNSCHEDULABLE, "n");
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].allowed ? PLUGIN_SUCCESS : PLUGIN_UNRESOLVABLE,
			code, rows[i].toleration);
		TEST_ASSERT_EQUAL_STRING(
			rows[i].allowed ? "" : "node(s) were unschedulable", picture_reasons());
	}
}

struct features {
	const char *pod;
	const char *declared;
	enum plugin_code code;
};

static void test_declared_features(void)
{
#define NO_HOST_USERS "'hostNetwork':true,'hostUsers':false,'containers':[{'name':'c'}]"
#define RESTARTS                                                                            \
	"'containers':[{'name':'c','restartPolicyRules':[{'action':'RestartAllContainers'," \
	"'exitCodes':{'operator':'In','values':[1]}}]}]"
#define USERNS  "'UserNamespacesHostNetworkSupport'"
#define RESTART "'RestartAllContainersOnContainerExits'"
#define OPTIONS "'VolumeBindMountOptions'"
#define MOUNTS(of_one)                                                                 \
	"'containers':[{'name':'c'}],'initContainers':[{'name':'i','volumeMounts':[{}" \
	",{" of_one "}]}]"
#define EPHEMERAL(of_one)                                                              \
	"'containers':[{'name':'c'}],'ephemeralContainers':[{'name':'d'},{'name':'e'," \
	"'restartPolicyRules':[{'action':'RestartAllContainers'}],'volumeMounts':[{" of_one "}]}]"
	static const struct features rows[] = {
		{"'containers':[{'name':'c'}]", "", PLUGIN_SKIP},
		{"'hostNetwork':true,'containers':[{'name':'c'}]", "", PLUGIN_SKIP},
		{"'hostUsers':false,'containers':[{'name':'c'}]", "", PLUGIN_SKIP},
		{NO_HOST_USERS, USERNS, PLUGIN_SUCCESS},
		{NO_HOST_USERS, "'Unknown'," RESTART "," USERNS, PLUGIN_SUCCESS},
		{NO_HOST_USERS, RESTART, PLUGIN_UNRESOLVABLE},
		{NO_HOST_USERS, "", PLUGIN_UNRESOLVABLE},
		{RESTARTS, RESTART, PLUGIN_SUCCESS},
		{RESTARTS, USERNS, PLUGIN_UNRESOLVABLE},
		{"'hostNetwork':true,'hostUsers':false," RESTARTS, USERNS, PLUGIN_UNRESOLVABLE},
		{"'hostNetwork':true,'hostUsers':false," RESTARTS, USERNS "," RESTART,
			PLUGIN_SUCCESS},
		{MOUNTS("'name':'v'"), "", PLUGIN_SKIP},
		{MOUNTS("'bindMountOptions':[]"), "", PLUGIN_SKIP},
		{MOUNTS("'bindMountOptions':['noexec']"), USERNS, PLUGIN_UNRESOLVABLE},
		{MOUNTS("'bindMountOptions':['noexec']"), OPTIONS, PLUGIN_SUCCESS},
		{EPHEMERAL("'name':'v'"), "", PLUGIN_SKIP},
		{EPHEMERAL("'bindMountOptions':['noexec']"), USERNS, PLUGIN_UNRESOLVABLE},
		{EPHEMERAL("'bindMountOptions':['noexec']"), OPTIONS, PLUGIN_SUCCESS},
	};
	const struct plugin *plugin = plugins[PLUGIN_NODE_DECLARED_FEATURES];
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture.cache.release = KUBE_1_37;
		picture_addf("{'kind':'Node','metadata':{'name':'n'},"
			     "'status':{'declaredFeatures':[%s]}}",
			rows[i].declared);
		add_pod(rows[i].pod);
		enum plugin_code code =
			plugin->pre_filter(picture_decide("default", "p"), picture_why());
		if (code == PLUGIN_SUCCESS)
			code = filter(PLUGIN_NODE_DECLARED_FEATURES, "n");
		TEST_ASSERT_EQUAL_MESSAGE(rows[i].code, code, rows[i].pod);
		TEST_ASSERT_EQUAL_STRING(rows[i].code == PLUGIN_UNRESOLVABLE
				? "node(s) didn't match Pod's required features"
				: "",
			picture_reasons());
	}
	tearDown();
	setUp();
	picture.cache.release = KUBE_1_36; /* knew no options of mounts */
	add_pod(MOUNTS("'bindMountOptions':['noexec']"));
	TEST_ASSERT_EQUAL(
		PLUGIN_SKIP, plugin->pre_filter(picture_decide("default", "p"), picture_why()));
}

static const char *gated(const char *gates)
{
	tearDown();
	setUp();
	picture_addf("{'kind':'Pod','metadata':{'name':'p','namespace':'default'},"
		     "'spec':{'containers':[{'name':'c'}],'schedulingGates':[%s]}}",
		gates);
	static char said[256];
	struct plugin_profile profile = {.scheduler_name = 0};
	plugin_use_at(&profile, PLUGIN_AT_PRE_ENQUEUE, PLUGIN_SCHEDULING_GATES, 0);
	const struct cycle_state *d = picture_decide("default", "p");
	struct plugin_reasons why = {.scratch = d->scratch};
	if (plugin_gate_of(&picture.cache, &profile, d->pod.index, &why, NULL) == PLUGIN_COUNT)
		return NULL;
	TEST_ASSERT_EQUAL(1, why.count);
	TEST_ASSERT_TRUE(text_copy(why.list[0], said, sizeof(said)));
	return said;
}

static void test_gates(void)
{
	TEST_ASSERT_NULL(gated(""));
	TEST_ASSERT_EQUAL_STRING("waiting for scheduling gates: [a]", gated("{'name':'a'}"));
	TEST_ASSERT_EQUAL_STRING(
		"waiting for scheduling gates: [b x/a]", gated("{'name':'b'},{'name':'x/a'}"));
}

static void test_table(void)
{
	for (uint32_t id = 0; id < PLUGIN_COUNT; id++)
		TEST_ASSERT_EQUAL(id, plugin_find(text_of(plugins[id]->name)));
	TEST_ASSERT_EQUAL(PLUGIN_COUNT, plugin_find(TEXT("NodeNam")));
	TEST_ASSERT_EQUAL(PLUGIN_COUNT, plugin_find(TEXT("")));
	plugins_check();
}

static void test_help_is_found_by_reason(void)
{
	const char *any = plugin_help_for(&plugin_fit, TEXT("Insufficient cpu"));
	TEST_ASSERT_NOT_NULL(any);
	TEST_ASSERT_NOT_NULL(strstr(plugin_help_for(&plugin_fit, TEXT("Too many pods")), "pods"));
	TEST_ASSERT_NOT_NULL(strstr(any, "requests"));
	TEST_ASSERT_NULL(plugin_help_for(&plugin_priority_sort, TEXT("none")));
}

static void test_normalize(void)
{
	int64_t scores[] = {0, 1, 2, 3};
	plugin_normalise(&plugin_node_affinity, NULL, scores, 4);
	TEST_ASSERT_EQUAL_INT64(0, scores[0]);
	TEST_ASSERT_EQUAL_INT64(33, scores[1]);
	TEST_ASSERT_EQUAL_INT64(66, scores[2]);
	TEST_ASSERT_EQUAL_INT64(100, scores[3]);
	int64_t reversed[] = {0, 1, 3};
	plugin_normalise(&plugin_taint_toleration, NULL, reversed, 3);
	TEST_ASSERT_EQUAL_INT64(100, reversed[0]);
	TEST_ASSERT_EQUAL_INT64(67, reversed[1]);
	TEST_ASSERT_EQUAL_INT64(0, reversed[2]);
	int64_t nothing[] = {0, 0};
	plugin_normalise(&plugin_node_affinity, NULL, nothing, 2);
	TEST_ASSERT_EQUAL_INT64(0, nothing[1]);
	plugin_normalise(&plugin_taint_toleration, NULL, nothing, 2);
	TEST_ASSERT_EQUAL_INT64(100, nothing[1]);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_node_name);
	RUN_TEST(test_unschedulable);
	RUN_TEST(test_declared_features);
	RUN_TEST(test_gates);
	RUN_TEST(test_table);
	RUN_TEST(test_help_is_found_by_reason);
	RUN_TEST(test_normalize);
	return UNITY_END();
}
