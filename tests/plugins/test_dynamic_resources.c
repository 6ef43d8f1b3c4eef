/* SPDX-License-Identifier: GPL-2.0-only */
/* DynamicResources: what it says of a pod with claims, and which devices the allocator finds. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
#include <unity.h>

#include "plugins/picture.h"
#include "plugins/questions.h"

void setUp(void)
{
	picture_start();
	picture_release(KUBE_1_36);
}

void tearDown(void)
{
	picture_end();
}

static void test_claims(void)
{
	static const struct {
		const char *claims;
		const char *verdict;
	} rows[] = {
		{"", "skip"},
		{"{'name':'c'}",
			"unresolvable: pod \"default/p\", spec.resourceClaim \"c\": none "
			"of the supported fields are set"},
		{"{'name':'c','resourceClaimTemplateName':'t'}",
			"unresolvable: pod \"default/p\": ResourceClaim not created yet"},
		{"{'name':'c','resourceClaimName':'gone'}",
			"unresolvable: could not find ResourceClaim \"default/gone\""},
		{"{'name':'c','resourceClaimName':'leaving'}",
			"unresolvable: resourceclaim \"leaving\" is being deleted"},
		{"{'name':'c','resourceClaimName':'there'}", "fits"},
		{"{'name':'c','resourceClaimName':'elsewhere'}",
			"unresolvable: could not find ResourceClaim \"default/elsewhere\""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'n'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'there'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'leaving',"
			    "'deletionTimestamp':'2026-11-18T08:00:00Z'}}");
		picture_add("{'kind':'ResourceClaim','metadata':{'name':'elsewhere','namespace':"
			    "'other'}}");
		picture_addf(
			"{'kind':'Pod','metadata':{'name':'p'},'spec':{'resourceClaims':[%s]}}",
			rows[i].claims);
		TEST_ASSERT_EQUAL_STRING(
			rows[i].verdict, questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n"));
	}
}

/* ---- the allocator ---- */

#define NONE "unresolvable: cannot allocate all claims"

/* One node, one slice with these devices (and more of its spec), one claim with these requests. */
static const char *fit(const char *devices, const char *slice, const char *requests)
{
	tearDown();
	setUp();
	picture_add("{'kind':'Node','metadata':{'name':'n'}}");
	picture_add("{'kind':'DeviceClass','metadata':{'name':'any'}}");
	picture_addf("{'kind':'ResourceSlice','metadata':{'name':'s'},'spec':{'driver':'d','pool':{"
		     "'name':'p','generation':1,'resourceSliceCount':1},%s,'devices':[%s]}}",
		slice, devices);
	picture_addf("{'kind':'ResourceClaim','metadata':{'name':'c'},'spec':{'devices':{%s}}}",
		requests);
	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{'resourceClaims':[{'name':'c',"
		    "'resourceClaimName':'c'}]}}");
	return questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n");
}

#define HERE      "'nodeName':'n'"
#define ASK(more) "'requests':[{'name':'r','exactly':{'deviceClassName':'any'" more "}}]"
#define TWO       "{'name':'a'},{'name':'b'}"
#define TAINTED   "{'name':'a','taints':[{'key':'k','value':'v','effect':'NoSchedule'}]}"
#define COUNTED(name, n)                                                                        \
	"{'name':'" name "','consumesCounters':[{'counterSet':'s','counters':{'c':{'value':'" n \
	"'}}}]}"
#define SHARED                                                                         \
	"{'name':'a','allowMultipleAllocations':true,'capacity':{'m':{'value':'10Gi'," \
	"'requestPolicy':{'default':'1Gi','validRange':{'min':'1Gi','max':'8Gi','step':'2Gi'}}}}}"
#define WANTS(m)     ",'capacity':{'requests':{'m':'" m "'}}"

#define ONE(name, m) "{'name':'" name "','exactly':{'deviceClassName':'any'" WANTS(m) "}}"
#define TWICE(m)     "'requests':[" ONE("r", m) "," ONE("q", m) "]"

static void test_devices(void)
{
	static const struct {
		const char *devices;
		const char *slice;
		const char *requests;
		const char *verdict;
	} rows[] = {
		{TWO, HERE, ASK(), "fits"},
		{TWO, "'nodeName':'other'", ASK(), NONE},
		{TWO, "'allNodes':true", ASK(), "fits"},
		{TWO, HERE, ASK(",'count':2,'allocationMode':'ExactCount'"), "fits"},
		{TWO, HERE, ASK(",'count':3,'allocationMode':'ExactCount'"), NONE},
		{TWO, HERE, ASK(",'allocationMode':'All'"), "fits"},
		{"", HERE, ASK(",'allocationMode':'All'"), NONE},
		{TWO, HERE, ASK(",'selectors':[{'cel':{'expression':'device.driver == \\'x\\''}}]"),
			NONE},
		{TAINTED, HERE, ASK(), NONE},
		{TAINTED, HERE, ASK(",'tolerations':[{'key':'k','operator':'Exists'}]"), "fits"},
		{"{'name':'a'},{'name':'a'}", HERE, ASK(),
			"unresolvable: invalid resource pools were encountered"},
		/* Counters that are in no set make the pool invalid. */
		{COUNTED("a", "1"), HERE, ASK(),
			"unresolvable: invalid resource pools were encountered"},
		/* Shares: rounded up in steps, never beyond the most. */
		{SHARED, HERE, ASK(WANTS("2Gi")), "fits"},
		{SHARED, HERE, ASK(WANTS("9Gi")), NONE},
		{SHARED, HERE, TWICE("5Gi"), "fits"},
		{SHARED, HERE, TWICE("6Gi"), NONE},
		{TWO, HERE, ASK(WANTS("1")), NONE},
		{"{'name':'a','attributes':{'x':{'int':1}}},{'name':'b','attributes':{'x':{'int':2}"
		 "}}",
			HERE,
			ASK(",'count':2,'allocationMode':'ExactCount'") ",'constraints':[{"
									"'matchAttribute':'d/x'}]",
			NONE},
		{"{'name':'a','attributes':{'x':{'int':1}}},{'name':'b','attributes':{'x':{'int':2}"
		 "}}",
			HERE,
			ASK(",'count':2,'allocationMode':'ExactCount'") ",'constraints':[{"
									"'distinctAttribute':'d/"
									"x'}]",
			"fits"},
		{TWO, HERE, ASK(",'count':33,'allocationMode':'ExactCount'"), "error"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict,
			fit(rows[i].devices, rows[i].slice, rows[i].requests), rows[i].requests);
}

/* The counters stand in a slice of their own; three devices of four fit into them. */
static void test_counters(void)
{
	static const char *const verdicts[] = {"fits", "fits", "fits", NONE};
	for (uint32_t count = 1; count <= ARRAY_COUNT(verdicts); count++) {
		tearDown();
		setUp();
		picture_add("{'kind':'Node','metadata':{'name':'n'}}");
		picture_add("{'kind':'DeviceClass','metadata':{'name':'any'}}");
		picture_add("{'kind':'ResourceSlice','metadata':{'name':'s0'},'spec':{'driver':'d',"
			    "'pool':{'name':'p','generation':1,'resourceSliceCount':2},'nodeName':"
			    "'n','sharedCounters':[{'name':'s','counters':{'c':{'value':'7'}}}]}}");
		picture_add("{'kind':'ResourceSlice','metadata':{'name':'s1'},'spec':{'driver':'d',"
			    "'pool':{'name':'p','generation':1,'resourceSliceCount':2},'nodeName':"
			    "'n','devices':[" COUNTED("a", "2") "," COUNTED("b", "2") "," COUNTED(
				    "e", "2") "," COUNTED("f", "2") "]}}");
		picture_addf("{'kind':'ResourceClaim','metadata':{'name':'c'},'spec':{'devices':{"
			     "'requests':[{'name':'r','exactly':{'deviceClassName':'any',"
			     "'allocationMode':'ExactCount','count':%u}}]}}}",
			(unsigned)count);
		picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{'resourceClaims':[{"
			    "'name':'c','resourceClaimName':'c'}]}}");
		TEST_ASSERT_EQUAL_STRING(
			verdicts[count - 1], questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n"));
	}
}

/* A search that has no end in sight is given up, within a bound. */
static void test_search_without_end(void)
{
	static char devices[8192];
	struct writer w;
	writer_init(&w, devices, sizeof(devices) - 1);
	for (int i = 0; i < 40; i++)
		write_format(&w, "%s{'name':'d%d','attributes':{'x':{'int':%d}}}",
			i == 0 ? "" : ",", i, i % 20);
	devices[w.used] = '\0';
	const char *verdict = fit(devices, HERE,
		ASK(",'count':20,'allocationMode':'ExactCount'") ",'constraints':[{"
								 "'matchAttribute':'d/y'}]");
	TEST_ASSERT_EQUAL_STRING(NONE, verdict);
	verdict = fit(devices, HERE,
		"'requests':[{'name':'r','exactly':{'deviceClassName':'any','allocationMode':"
		"'ExactCount','count':16}},{'name':'q','exactly':{'deviceClassName':'any',"
		"'selectors':[{'cel':{'expression':'false'}}]}}]");
	TEST_ASSERT_EQUAL_STRING("error", verdict);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_claims);
	RUN_TEST(test_devices);
	RUN_TEST(test_counters);
	RUN_TEST(test_search_without_end);
	return UNITY_END();
}
