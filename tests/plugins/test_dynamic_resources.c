/* SPDX-License-Identifier: GPL-2.0-only */
/* DynamicResources: what it says of a pod with claims, and which devices the allocator finds. */
// deps: base/*.c json/*.c kube/*.c cache/*.c plugins/*.c tests/plugins/picture.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/questions.c
#include <stdio.h>
#include <stdlib.h>

#include "dra/dra.h"
#include <unity.h>

#include "plugins/picture.h"
#include "plugins/questions.h"

static enum kube_release release = KUBE_1_36;

void setUp(void)
{
	picture_start();
	picture_release(release);
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

#define GIVEN                                                                                 \
	"{'kind':'ResourceClaim','metadata':{'name':'o'},'status':{'allocation':{'devices':{" \
	"'results':[{'request':'r','driver':'d','pool':'p','device':'a'}]}}}}"
#define RULE(driver, device)                                                           \
	"{'kind':'DeviceTaintRule','metadata':{'name':'t'},'spec':{'deviceSelector':{" \
	"'driver':'" driver "','device':'" device "'},'taint':{'key':'k','effect':'NoExecute'}}}"
#define EACH(first, second)                                                                 \
	"{'name':'a','attributes':{'x':{'string':'" first "'}}},{'name':'b','attributes':{" \
	"'x':{'string':'" second "'}}}"
#define PAIR(constraint)                                                                    \
	"'requests':[{'name':'q','exactly':{'deviceClassName':'any'}},{'name':'r',"         \
	"'firstAvailable':[{'name':'many','deviceClassName':'any','allocationMode':"        \
	"'ExactCount','count':3},{'name':'one','deviceClassName':'any'}]}],'constraints':[" \
	"{" constraint ":'d/x','requests':['q','r/one']}]"
#define LISTED(values)                                                                 \
	"{'name':'a','allowMultipleAllocations':true,'capacity':{'m':{'value':'10Gi'," \
	"'requestPolicy':{'default':'4Gi','validValues':[" values "]}}}}"
#define TAINT_OF(effect) "{'name':'a','taints':[{'key':'k','effect':'" effect "'}]}"
#define LIST(mode)                                                                           \
	"'requests':[{'name':'r','firstAvailable':[{'name':'first','deviceClassName':'any'," \
	"'allocationMode':" mode "},{'name':'second','deviceClassName':'any'}]}]"
#define OF_NODES "'perDeviceNodeSelection':true"

/* What the allocator's rules say, one row for each that is easily got wrong. */
static void test_rules_of_the_allocator(void)
{
	static const struct {
		enum kube_release release;
		const char *devices;
		const char *slice;
		const char *requests;
		const char *other; /* object that is there, too; or NULL */
		const char *verdict;
	} rows[] = {
		/* alternatives: the first that works */
		{KUBE_1_36, TWO, HERE, LIST("'ExactCount','count':3"), NULL, "fits"},
		{KUBE_1_36, TWO, HERE, LIST("'ExactCount','count':40"), NULL, "fits"},
		{KUBE_1_36, TWO, HERE, LIST("'All'"), GIVEN, "fits"},
		{KUBE_1_36, "", HERE, LIST("'All'"), NULL, NONE},
		/* what another claim has */
		{KUBE_1_36, TWO, HERE, ASK(), GIVEN, "fits"},
		{KUBE_1_36, "{'name':'a'}", HERE, ASK(), GIVEN, NONE},
		{KUBE_1_36, "{'name':'a'}", HERE, ASK(",'adminAccess':true"), GIVEN, "fits"},
		{KUBE_1_36, TWO, HERE, ASK(",'allocationMode':'All'"), GIVEN, NONE},
		{KUBE_1_36, TWO, HERE, ASK(",'allocationMode':'All','adminAccess':true"), GIVEN,
			"fits"},
		/* taints */
		{KUBE_1_36, TAINT_OF("NoExecute"), HERE, ASK(), NULL, NONE},
		{KUBE_1_36, TAINT_OF("None"), HERE, ASK(), NULL, "fits"},
		{KUBE_1_36, TAINT_OF("NoExecute"), HERE,
			ASK(",'tolerations':[{'operator':'Exists','tolerationSeconds':1}]"), NULL,
			"fits"},
		{KUBE_1_36, TAINT_OF("NoExecute"), HERE,
			ASK(",'tolerations':[{'key':'k','operator':'Exists','effect':'NoSchedule'}"
			    "]"),
			NULL, NONE},
		{KUBE_1_37, TWO, HERE, ASK(",'allocationMode':'All'"), RULE("d", "b"), NONE},
		{KUBE_1_37, TWO, HERE, ASK(), RULE("d", "b"), "fits"},
		{KUBE_1_37, TWO, HERE, ASK(",'allocationMode':'All'"), RULE("e", "b"), "fits"},
		/* attributes, of a request and of one of two alternatives */
		{KUBE_1_36, EACH("1", "1"), HERE, PAIR("'matchAttribute'"), NULL, "fits"},
		{KUBE_1_36, EACH("1", "2"), HERE, PAIR("'matchAttribute'"), NULL, NONE},
		{KUBE_1_36, EACH("1", "1"), HERE, PAIR("'distinctAttribute'"), NULL, NONE},
		{KUBE_1_36, EACH("1", "2"), HERE, PAIR("'distinctAttribute'"), NULL, "fits"},
		{KUBE_1_36, TWO, HERE, PAIR("'distinctAttribute'"), NULL, NONE},
		/* each device says where it is */
		{KUBE_1_36, "{'name':'a','nodeName':'m'},{'name':'b','allNodes':true}", OF_NODES,
			ASK(), NULL, "fits"},
		{KUBE_1_36, "{'name':'a','nodeName':'m'},{'name':'b','allNodes':true}", OF_NODES,
			ASK(",'allocationMode':'ExactCount','count':2"), NULL, NONE},
		/* shares of listed sizes: up to the next, and none beyond the last */
		{KUBE_1_36, LISTED("'1Gi','5Gi'"), HERE, TWICE("2Gi"), NULL, "fits"},
		{KUBE_1_36, LISTED("'1Gi','6Gi'"), HERE, TWICE("2Gi"), NULL, NONE},
		{KUBE_1_36, LISTED("'1Gi','6Gi'"), HERE, ASK(WANTS("7Gi")), NULL, NONE},
		{KUBE_1_36, LISTED("'4Gi'"), HERE, ASK(",'allocationMode':'ExactCount','count':2"),
			NULL, NONE},
		{KUBE_1_36, LISTED("'4Gi'"), HERE,
			"'requests':[{'name':'r','exactly':{"
			"'deviceClassName':'any'}},{'name':'q','exactly':{'deviceClassName':'any'"
			"}}]",
			NULL, "fits"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char about[600];
		release = rows[i].release;
		(void)fit(rows[i].devices, rows[i].slice, rows[i].requests);
		if (rows[i].other != NULL)
			picture_add(rows[i].other);
		snprintf(about, sizeof(about), "%zu: %s %s", i, rows[i].devices, rows[i].requests);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].verdict, questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n"), about);
	}
	release = KUBE_1_36;
}

/* What a selector may look like: attributes are `any` to 1.36, and `dyn` to 1.37. */
static void test_selectors_of_both_releases(void)
{
	static const struct {
		enum kube_release release;
		const char *selector;
		const char *error; /* NULL: it takes the device */
	} rows[] = {
		{KUBE_1_36, "device.attributes.d.x == 7", NULL},
		{KUBE_1_36, "device.attributes.d.x.includes(7)", NULL},
		{KUBE_1_37, "device.attributes.d.x.includes(7)", NULL},
		{KUBE_1_36, "device.attributes.d.t", NULL},
		{KUBE_1_37, "device.attributes.d.t", NULL},
		{KUBE_1_37, "dyn(true)", NULL},
		{KUBE_1_36, "dyn(true)",
			"claim default/c: selector #0: CEL compile error: must evaluate to bool or "
			"the unknown type, not dyn"},
		{KUBE_1_37, "device.driver",
			"claim default/c: selector #0: CEL compile error: must evaluate to bool or "
			"the unknown type, not string"},
		{KUBE_1_36, "device.attributes.d.x.exists(i, i == 7)",
			"claim default/c: selector #0: CEL compile error: compilation failed: "
			"ERROR: <input>:1:20: expression of type 'any' cannot be range of a "
			"comprehension (must be list, map, or dynamic)\n"
			" | device.attributes.d.x.exists(i, i == 7)\n | ...................^"},
		{KUBE_1_37, "device.attributes.d.x.exists(i, i == 7)",
			"claim default/c: selector #0 on device d/p/a: CEL runtime error: got "
			"'int', expected iterable type"},
	};
	char requests[400];
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		release = rows[i].release;
		snprintf(requests, sizeof(requests),
			ASK(",'selectors':[{'cel':{'expression':'%s'}}]"), rows[i].selector);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].error == NULL ? "fits" : "error",
			fit("{'name':'a','attributes':{'x':{'int':7},'t':{'bool':true}}}", HERE,
				requests),
			rows[i].selector);
		if (rows[i].error != NULL)
			TEST_ASSERT_EQUAL_STRING(rows[i].error, picture.decision.error);
	}
	release = KUBE_1_36;
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

/* ---- pools of several slices ---- */

#define SLICE_OF(name, generation, count, spec)                                                \
	"{'kind':'ResourceSlice','metadata':{'name':'" name "'},'spec':{'driver':'d','pool':{" \
	"'name':'p','generation':" generation ",'resourceSliceCount':" count "}," spec "}}"
#define DEVICES_OF(names) "'devices':[" names "]"

/* A pod with a claim of these requests, and slices of which each may be NULL. */
static const char *fit_pools(const char *const *slices, uint32_t count, const char *requests)
{
	tearDown();
	setUp();
	picture_add("{'kind':'Node','metadata':{'name':'n'}}");
	picture_add("{'kind':'DeviceClass','metadata':{'name':'any'}}");
	for (uint32_t i = 0; i < count && slices[i] != NULL; i++)
		picture_add(slices[i]);
	picture_addf("{'kind':'ResourceClaim','metadata':{'name':'c'},'spec':{'devices':{%s}}}",
		requests);
	picture_add("{'kind':'Pod','metadata':{'name':'p'},'spec':{'resourceClaims':[{'name':'c',"
		    "'resourceClaimName':'c'}]}}");
	return questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n");
}

#define OLD_TWO   SLICE_OF("old", "1", "1", HERE "," DEVICES_OF(TWO))
#define ELSEWHERE "'nodeName':'other'"
#define BEING_UPDATED                                                                 \
	"claim default/c, request r: asks for all devices, but resource pool d/p is " \
	"currently being updated"
#define TWO_OF_THEM ASK(",'count':2,'allocationMode':'ExactCount'")
#define ALL_OF_THEM ASK(",'allocationMode':'All'")

static void test_pools_of_several_slices(void)
{
	static const struct {
		const char *slices[3];
		const char *requests;
		const char *verdict;
	} rows[] = {
		/* the older generation does not count, whichever came first */
		{{OLD_TWO, SLICE_OF("new", "2", "1", HERE "," DEVICES_OF("{'name':'c'}"))}, ASK(),
			"fits"},
		{{OLD_TWO, SLICE_OF("new", "2", "1", HERE "," DEVICES_OF("{'name':'c'}"))},
			TWO_OF_THEM, NONE},
		{{SLICE_OF("new", "2", "1", HERE "," DEVICES_OF("{'name':'c'}")), OLD_TWO},
			TWO_OF_THEM, NONE},
		{{OLD_TWO, SLICE_OF("new", "2", "1", HERE "," DEVICES_OF(""))}, ASK(), NONE},
		/* a newer one that is not complete yet hides the older one all the same */
		{{OLD_TWO, SLICE_OF("new", "2", "2", HERE "," DEVICES_OF("{'name':'c'}"))}, ASK(),
			NONE},
		/* slices of other nodes complete a pool, or say that it is an old one */
		{{SLICE_OF("a", "1", "2", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "1", "2", ELSEWHERE "," DEVICES_OF("{'name':'c'}"))},
			TWO_OF_THEM, "fits"},
		{{SLICE_OF("a", "1", "2", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "2", "2", ELSEWHERE "," DEVICES_OF("{'name':'c'}"))},
			ASK(), NONE},
		{{OLD_TWO, SLICE_OF("b", "2", "1", ELSEWHERE "," DEVICES_OF("{'name':'c'}"))},
			ASK(), "fits"},
		/* incomplete: nothing of it, and not all of it either */
		{{SLICE_OF("a", "1", "3", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "1", "3", HERE "," DEVICES_OF("{'name':'c'}"))},
			ASK(), NONE},
		{{SLICE_OF("a", "1", "2", HERE "," DEVICES_OF(TWO))}, ALL_OF_THEM, "error"},
		/* more slices than the pool says that it has: not complete */
		{{SLICE_OF("a", "1", "1", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "1", "1", HERE "," DEVICES_OF("{'name':'c'}"))},
			ASK(), NONE},
		/* two slices of one pool, and a name in both */
		{{SLICE_OF("a", "1", "2", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "1", "2", HERE "," DEVICES_OF("{'name':'c'}"))},
			ASK(",'count':3,'allocationMode':'ExactCount'"), "fits"},
		{{SLICE_OF("a", "1", "2", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "1", "2", HERE "," DEVICES_OF("{'name':'b'}"))},
			ASK(), "unresolvable: invalid resource pools were encountered"},
		/* generations and counts that no driver has */
		{{SLICE_OF("a", "9223372036854775807", "1", HERE "," DEVICES_OF(TWO)),
			 SLICE_OF("b", "-9223372036854775808", "1", HERE "," DEVICES_OF(TWO))},
			TWO_OF_THEM, "fits"},
		{{SLICE_OF("a", "1", "0", HERE "," DEVICES_OF(TWO))}, ASK(), NONE},
		{{SLICE_OF("a", "1", "-1", HERE "," DEVICES_OF(TWO))}, ASK(), NONE},
		{{SLICE_OF("a", "1", "9223372036854775807", HERE "," DEVICES_OF(TWO))}, ASK(),
			NONE},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char about[40];
		snprintf(about, sizeof(about), "row %zu", i);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict,
			fit_pools(rows[i].slices, ARRAY_COUNT(rows[i].slices), rows[i].requests),
			about);
		if (strcmp(rows[i].verdict, "error") == 0)
			TEST_ASSERT_EQUAL_STRING(BEING_UPDATED, picture.decision.error);
	}
}

/* ---- counters that make no sense ---- */

#define SETS(sets)          SLICE_OF("s0", "1", "2", HERE ",'sharedCounters':[" sets "]")
#define SET(name, counters) "{'name':'" name "','counters':{" counters "}}"
#define USERS(devices)      SLICE_OF("s1", "1", "2", HERE "," DEVICES_OF(devices))
#define USES(name, sets)    "{'name':'" name "','consumesCounters':[" sets "]}"
#define USED(set, counters) "{'counterSet':'" set "','counters':{" counters "}}"
#define C(n)                "'c':{'value':'" n "'}"
#define INVALID             "unresolvable: invalid resource pools were encountered"

static void test_counters_that_are_absurd(void)
{
	static const struct {
		const char *slices[2];
		const char *requests;
		const char *verdict;
	} rows[] = {
		{{SETS(SET("s", C("4"))), USERS(USES("a", USED("s", C("4"))))}, ASK(), "fits"},
		{{SETS(SET("s", C("4"))), USERS(USES("a", USED("s", C("5"))))}, ASK(), NONE},
		/* more digits than any machine word has, on either side */
		{{SETS(SET("s", C("999999999999999999999999"))),
			 USERS(USES("a", USED("s", C("999999999999999999999998"))))},
			ASK(), "fits"},
		{{SETS(SET("s", C("999999999999999999999999"))),
			 USERS(USES("a", USED("s", C("999999999999999999999998"))) "," USES(
				 "b", USED("s", C("2"))))},
			TWO_OF_THEM, NONE},
		{{SETS(SET("s", C("1"))), USERS(USES("a", USED("s", C("9E+90"))))}, ASK(), NONE},
		/* less than nothing: nothing is left of less, and what gives is no help */
		{{SETS(SET("s", C("-1"))), USERS(USES("a", USED("s", C("0"))))}, ASK(), NONE},
		{{SETS(SET("s", C("0"))), USERS(USES("a", USED("s", C("0"))))}, ASK(), "fits"},
		/* a device that uses a set twice, or one that is not there, or a counter of none */
		{{SETS(SET("s", C("4"))),
			 USERS(USES("a", USED("s", C("2")) "," USED("s", C("2"))))},
			ASK(), "fits"},
		{{SETS(SET("s", C("4"))), USERS(USES("a", USED("t", C("1"))))}, ASK(), INVALID},
		{{SETS(SET("s", C("4"))), USERS(USES("a", USED("s", "'x':{'value':'1'}")))}, ASK(),
			INVALID},
		/* sets that are there twice */
		{{SETS(SET("s", C("4")) "," SET("s", C("4"))), USERS(USES("a", USED("s", C("1"))))},
			ASK(), INVALID},
		/* two sets and devices that use them crosswise */
		{{SETS(SET("s", C("1")) "," SET("t", C("1"))),
			 USERS(USES("a", USED("s", C("1")) "," USED("t", C("1"))) "," USES(
				 "b", USED("t", C("1")) "," USED("s", C("1"))))},
			ASK(), "fits"},
		{{SETS(SET("s", C("1")) "," SET("t", C("1"))),
			 USERS(USES("a", USED("s", C("1")) "," USED("t", C("1"))) "," USES(
				 "b", USED("t", C("1")) "," USED("s", C("1"))))},
			TWO_OF_THEM, NONE},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char about[40];
		snprintf(about, sizeof(about), "row %zu", i);
		TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].verdict,
			fit_pools(rows[i].slices, ARRAY_COUNT(rows[i].slices), rows[i].requests),
			about);
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

/* Who searches without an end has less and less of it, and others have all; then it comes back. */
static void test_patience(void)
{
	size_t size = dra_size(16) + 4096;
	struct arena arena;
	void *memory = calloc(1, size);
	arena_init(&arena, memory, size);
	struct dra *dra = dra_make(&arena, &picture.cache, 16);
	TEST_ASSERT_EQUAL_INT64(64000, dra_patience(dra, 7, 64000));
	for (int i = 0; i < 20; i++)
		dra_gave_up(dra, 7);
	TEST_ASSERT_EQUAL_INT64(1000, dra_patience(dra, 7, 64000));
	TEST_ASSERT_EQUAL_INT64(64000, dra_patience(dra, 8, 64000));
	for (int i = 0; i < DRA_PATIENCE_BACK; i++)
		(void)dra_patience(dra, 7, 64000);
	TEST_ASSERT_EQUAL_INT64(2000, dra_patience(dra, 7, 64000));
	for (int i = 0; i < 6 * (DRA_PATIENCE_BACK + 1); i++)
		(void)dra_patience(dra, 7, 64000);
	TEST_ASSERT_EQUAL_INT64(64000, dra_patience(dra, 7, 64000));
	free(memory);
}

/* There are as many steps as there are nodes to look at, however little time for one is given. */
static void test_short_timeout(void)
{
	static char devices[32768];
	struct writer w;
	writer_init(&w, devices, sizeof(devices) - 1);
	for (int i = 0; i < 300; i++)
		write_format(&w, "%s{'name':'d%d','taints':[{'key':'k','effect':'NoSchedule'}]}",
			i == 0 ? "" : ",", i);
	devices[w.used] = '\0';
	(void)fit(devices, HERE, ASK());
	PLUGIN_ARGS_OF(&picture.profile, DYNAMIC_RESOURCES, dynamic_resources_args)
		->filter_timeout_us = 1000;
	TEST_ASSERT_EQUAL_STRING(NONE, questions_verdict(PLUGIN_DYNAMIC_RESOURCES, "n"));
}

/*
 * Claims and devices that no apiserver takes: an answer in words, within the memory of a decision
 * and without a look at each part for each other part.
 */
static void put_many(struct writer *w, uint32_t count, const char *format)
{
	for (uint32_t i = 0; i < count; i++) {
		write_z(w, i == 0 ? "" : ",");
		for (const char *at = format; *at != '\0'; at++)
			if (*at == '#')
				write_format(w, "%u", (unsigned)i);
			else
				write_char(w, *at);
	}
}

static void test_bad_input(void)
{
	static const struct {
		uint32_t count;
		const char *before; /* one text for each of count, # is its number */
		const char *format;
		const char *behind;
		const char *verdict;
		const char *error;
	} rows[] = {
		{1, ASK(",'count':4000000000000,'allocationMode':'ExactCount'"), "", "", "error",
			"claim default/c: number of requested devices 4000000000000 exceeds the "
			"claim limit of 32"},
		{1, ASK(",'count':40,'allocationMode':'ExactCount'"), "", "", "error",
			"claim default/c: number of requested devices 40 exceeds the claim limit "
			"of 32"},
		{1, ASK(",'count':-3,'allocationMode':'ExactCount'"), "", "", "fits", NULL},
		{1, ASK(",'allocationMode':'Some'"), "", "", "error",
			"claim default/c, request r: unsupported count mode Some"},
		{300, "'requests':[", "{'name':'r#','exactly':{'deviceClassName':'any'}}", "]",
			"error",
			"claim default/c: number of requested devices 300 exceeds the claim "
			"limit of 32"},
		{300, "'requests':[",
			"{'name':'r#','firstAvailable':[{'name':'s','deviceClassName':'any'}]}",
			"]", "error",
			"claim default/c: number of requested devices 300 exceeds the claim "
			"limit of 32"},
		{300, "'requests':[",
			"{'name':'r#','exactly':{'deviceClassName':'any','allocationMode':"
			"'ExactCount','count':0}}",
			"]", "fits", NULL},
		{1000, ASK() ",'constraints':[", "{'matchAttribute':'d/a#'}", "]", NONE, NULL},
		{1, ASK(",'selectors':[{'cel':{'expression':'device.driver =='}}]"), "", "",
			"error",
			"claim default/c: selector #0: CEL compile error: compilation failed: "
			"ERROR: <input>:1:17: Syntax error: mismatched input '<EOF>' expecting "
			"{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, "
			"NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | device.driver ==\n | "
			"................^"},
	};
	static char claim[200000];
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct writer w;
		writer_init(&w, claim, sizeof(claim) - 1);
		write_z(&w, rows[i].before);
		put_many(&w, rows[i].count, rows[i].format);
		if (rows[i].format[0] == '\0')
			w.used = strlen(rows[i].before);
		write_z(&w, rows[i].behind);
		claim[w.used] = '\0';
		TEST_ASSERT_EQUAL_STRING_MESSAGE(
			rows[i].verdict, fit(TWO, HERE, claim), rows[i].before);
		if (rows[i].error != NULL)
			TEST_ASSERT_EQUAL_STRING(rows[i].error, picture.decision.error);
	}
}

/* Looking at each domain of each device is a matter of microseconds, not of minutes. */
static void test_enormous_attribute_maps(void)
{
	static char device[60000];
	struct writer w;
	writer_init(&w, device, sizeof(device) - 1);
	write_z(&w, "{'name':'a','attributes':{'own':{'bool':true},");
	put_many(&w, 1500, "'d#.x/a':{'int':#}");
	write_z(&w, ",'d7.x/b':{'string':'last'},'other':{'int':3}}}");
	device[w.used] = '\0';
	TEST_ASSERT_EQUAL_STRING("fits",
		fit(device, HERE,
			ASK(",'selectors':[{'cel':{'expression':'device.attributes.all(d, d == "
			    "\\'d\\' || has(device.attributes[d].a)) && "
			    "size(device.attributes) == 1501 && "
			    "size(device.attributes[\\'d7.x\\']) == 2 && "
			    "device.attributes[\\'d\\'].all(n, n in [\\'own\\', "
			    "\\'other\\'])'}}]")));
}

/* What an explanation adds: which devices were refused by what, and what would help. */
static void test_detail(void)
{
	static const struct {
		const char *devices;
		const char *requests;
		const char *detail;
	} rows[] = {
		{TWO, ASK(",'count':3,'allocationMode':'ExactCount'"),
			"claim c, request r: 2 devices here, 2 left of 3 wanted; helps: a node "
			"whose "
			"driver offers such devices"},
		{TWO, ASK(",'selectors':[{'cel':{'expression':'device.driver == \\'x\\''}}]"),
			"claim c, request r: 2 devices here, 2 refused by selectors, 0 left of 1 "
			"wanted; helps: a node with devices that the class and the request select"},
		{TAINTED, ASK(),
			"claim c, request r: 1 devices here, 1 tainted (k), 0 left of 1 wanted; "
			"helps: a toleration of the taint, or the taint to go"},
		{SHARED, ASK(WANTS("9Gi")),
			"claim c, request r: 1 devices here, 1 without enough capacity left, 0 "
			"left "
			"of 1 wanted; helps: a smaller request, or shares to be given back"},
		{TWO,
			"'requests':[{'name':'r','exactly':{'deviceClassName':'any'}},{'name':'q',"
			"'exactly':{'deviceClassName':'any','allocationMode':'ExactCount','count':"
			"2}}]",
			"claim c, request r: 2 devices here, 2 left of 1 wanted; claim c, request "
			"q: "
			"2 devices here, 2 left of 2 wanted; each is there, not all together; "
			"helps: "
			"fewer devices, or a node with more"},
		{"{'name':'a'},{'name':'a'}", ASK(),
			"claim c, request r: 0 devices here, 1 pools invalid, 0 left of 1 wanted; "
			"helps: slices of the pool that do not contradict each other"},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char words[1024];
		struct writer w;
		(void)fit(rows[i].devices, HERE, rows[i].requests);
		struct cache_view view =
			cache_view_of(&picture.cache, cache_find_node(&picture.cache, TEXT("n")));
		writer_init(&w, words, sizeof(words) - 1);
		plugin_dynamic_resources.detail(&picture.decision, &view, &w);
		words[w.used] = '\0';
		TEST_ASSERT_EQUAL_STRING(rows[i].detail, words);
	}
}

/* However many nodes are explained, and whatever is asked for there. */
static void test_detail_has_an_end(void)
{
	size_t said = 0, calls = 0;
	(void)fit(TWO, HERE, ASK(",'count':3,'allocationMode':'ExactCount'"));
	struct cache_view view =
		cache_view_of(&picture.cache, cache_find_node(&picture.cache, TEXT("n")));
	for (; calls < 100 * 1000 && said == calls; calls++) {
		char words[1024];
		struct writer w;
		writer_init(&w, words, sizeof(words));
		plugin_dynamic_resources.detail(&picture.decision, &view, &w);
		said += w.used > 0;
	}
	TEST_ASSERT_GREATER_THAN(1000, said);
	TEST_ASSERT_LESS_THAN(100 * 1000, calls);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_claims);
	RUN_TEST(test_devices);
	RUN_TEST(test_rules_of_the_allocator);
	RUN_TEST(test_selectors_of_both_releases);
	RUN_TEST(test_detail);
	RUN_TEST(test_detail_has_an_end);
	RUN_TEST(test_counters);
	RUN_TEST(test_pools_of_several_slices);
	RUN_TEST(test_counters_that_are_absurd);
	RUN_TEST(test_search_without_end);
	RUN_TEST(test_patience);
	RUN_TEST(test_short_timeout);
	RUN_TEST(test_bad_input);
	RUN_TEST(test_enormous_attribute_maps);
	return UNITY_END();
}
