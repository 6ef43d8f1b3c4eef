/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims of placed pods: assumed, written, waited for, given back. */
// deps: base/*.c json/*.c kube/*.c cache/*.c net/*.c tls/*.c http/*.c api/*.c bind/body_*.c
// deps: bind/pre_bind*.c cycle/binding_points.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/pre_bind_bed.c
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "bind/pre_bind_bed.h"
#include "cache/assumed.h"

void setUp(void)
{
	bed_start(1);
}

void tearDown(void)
{
	bed_stop();
}

#define MINUTES(n) ((int64_t)(n)*60 * 1000)

static void expect_line(uint32_t at, const char *line)
{
	TEST_ASSERT_TRUE(at < bed.seen_count);
	TEST_ASSERT_EQUAL_STRING(line, bed.seen[at].line);
}

static const char *const pv_line = "PATCH /api/v1/persistentvolumes/v";
static const char *const pvc_line = "PATCH /api/v1/namespaces/default/persistentvolumeclaims/c";
static const char *const pod_line = "PATCH /api/v1/namespaces/default/pods/p/status";

static void test_a_volume_is_given_its_claim(void)
{
	struct bed_object *v = bed_volume("v", "a"), *c = bed_claim("c");
	bed_pod("p", "c");
	bed_begin(7, "p", "a", MINUTES(10));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	expect_line(0, pod_line);
	TEST_ASSERT_EQUAL_STRING("application/strategic-merge-patch+json", bed.seen[0].type);
	TEST_ASSERT_EQUAL_STRING("{\"status\":{\"nominatedNodeName\":\"a\"}}", bed.seen[0].body);
	expect_line(1, pv_line);
	TEST_ASSERT_EQUAL_STRING("application/merge-patch+json", bed.seen[1].type);
	TEST_ASSERT_EQUAL_STRING(
		"{\"metadata\":{\"uid\":\"v-uid-1\",\"resourceVersion\":\"101\",\"annotations\":{"
		"\"pv.kubernetes.io/bound-by-controller\":\"yes\"}},\"spec\":{\"claimRef\":{"
		"\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"default\",\"name\":\"c\","
		"\"uid\":\"c-uid-2\",\"apiVersion\":\"v1\",\"resourceVersion\":\"102\","
		"\"fieldPath\":null}}}",
		bed.seen[1].body);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	bed_show(v);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_bind("c", "v");
	bed_run(100);
	bed_expect(7, true, "");
	TEST_ASSERT_TRUE(c->complete);
	bed_expect_clean();
}

static void test_pre_bind_when_another_version_is_served_then_that_is_written(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS}, {.way = BED_SAYS, .status = 403}};
	bed.served = "some.k8s.io/v1beta2";
	bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_plans(plans, ARRAY_COUNT(plans));
	bed_begin(1, "p", "a", MINUTES(10));
	bed_run(100);
	expect_line(0, pod_line);
	expect_line(1, "PATCH /apis/some.k8s.io/v1beta2/persistentvolumes/v");
	bed_expect_clean();
}

static void test_a_claim_is_provisioned(void)
{
	struct bed_object *c = bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "b", MINUTES(10));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	expect_line(1, pvc_line);
	TEST_ASSERT_EQUAL_STRING(
		"{\"metadata\":{\"uid\":\"c-uid-1\",\"resourceVersion\":\"101\",\"annotations\":{"
		"\"volume.kubernetes.io/selected-node\":\"b\"}}}",
		bed.seen[1].body);
	bed_show(c);
	/* The volume is told after the claim that names it. */
	bed_run(30 * 1000);
	snprintf(c->volume, sizeof(c->volume), "made");
	c->complete = true;
	bed_change(c);
	bed_show(c);
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_volume("made", "b");
	bed_run(100);
	bed_expect(1, true, "");
	bed_expect_clean();
}

static void test_volumes_come_before_claims(void)
{
	struct bed_object *x = bed_claim("x"), *y = bed_claim("y");
	bed_volume("v", "");
	bed_pod("p", "x,y");
	bed_begin(1, "p", "a", MINUTES(10));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	expect_line(1, pv_line);
	expect_line(2, "PATCH /api/v1/namespaces/default/persistentvolumeclaims/y");
	bed_show(y);
	bed_bind("x", "v");
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	bed_volume("w", "a");
	bed_bind("y", "w");
	bed_run(100);
	bed_expect(1, true, "");
	TEST_ASSERT_TRUE(x->complete);
	bed_expect_clean();
}

static void test_a_nominated_pod_is_not_told_again(void)
{
	uint32_t name;
	bed_claim("c");
	bed_pod("p", "c");
	TEST_ASSERT_TRUE(intern_find(&picture.cache.strings, TEXT("a"), &name));
	cache_nominate(&picture.cache, picture_pod("default", "p"), name);
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, bed.seen_count);
	expect_line(0, pvc_line);
}

static void test_a_failed_nomination_stops_nobody(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_SAYS, .status = 500},
	};
	bed_plans(plans, 1);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	expect_line(1, pvc_line);
}

/* A volume that a user gave to the claim, with its uid or without. */
static void test_a_promised_volume(void)
{
	struct bed_object *c = bed_claim("c");
	struct bed_object *v = bed_volume("v", "a");
	snprintf(v->claim, sizeof(v->claim), "c");
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	bed_change(v);
	bed_show(v);
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	TEST_ASSERT_NULL(strstr(bed.seen[1].body, "annotations"));
	TEST_ASSERT_NOT_NULL(strstr(bed.seen[1].body, "claimRef"));
	TEST_ASSERT_EQUAL_STRING("", v->marked);
	TEST_ASSERT_EQUAL_STRING(c->uid, v->claim_uid);
	bed_cancel(1);
	bed_show(v);
	bed_pod("q", "c");
	bed_begin(2, "q", "a", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&picture.cache.assumed));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(4, bed.seen_count);
	expect_line(3, pv_line);
	TEST_ASSERT_EQUAL_STRING("{\"metadata\":{\"uid\":\"v-uid-2\",\"resourceVersion\":\"104\"}}",
		bed.seen[3].body);
	/* Nothing changed there, so nothing new is waited for. */
	snprintf(c->volume, sizeof(c->volume), "v");
	c->complete = true;
	bed_change(c);
	bed_show(c);
	bed_run(100);
	bed_expect(2, true, "");
	bed_expect_clean();
}

static void test_a_mark_that_is_there_stays(void)
{
	struct bed_object *v = bed_volume("v", "a");
	snprintf(v->marked, sizeof(v->marked), "maybe");
	bed_change(v);
	bed_show(v);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_STRING("c", v->claim);
	TEST_ASSERT_EQUAL_STRING("maybe", v->marked);
}

/* ---- what others see meanwhile ---- */

static void test_two_pods_want_the_same_volume(void)
{
	struct bed_object *v = bed_volume("v", "a");
	const struct volume_choice *list;
	uint32_t count;
	bed_claim("x");
	bed_claim("y");
	bed_pod("p", "x");
	bed_pod("q", "y");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("q", "a", &list, &count));
	TEST_ASSERT_EQUAL_UINT32(1, count);
	TEST_ASSERT_NOT_EQUAL(0, list[0].pv);
	bed_begin(1, "p", "a", MINUTES(1));
	/* It is taken from now on; the class makes one. */
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("q", "a", &list, &count));
	TEST_ASSERT_EQUAL_UINT32(1, count);
	TEST_ASSERT_EQUAL_UINT32(0, list[0].pv);
	/* The claim that has it keeps it. */
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("p", "a", &list, &count));
	TEST_ASSERT_NOT_EQUAL(0, list[0].pv);
	bed_run(100);
	bed_show(v);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&picture.cache.assumed));
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("q", "a", &list, &count));
	TEST_ASSERT_EQUAL_UINT32(0, list[0].pv);
}

static void test_two_pods_share_a_claim(void)
{
	struct bed_object *c = bed_claim("c");
	const struct volume_choice *list;
	uint32_t count;
	bed_pod("p", "c");
	bed_pod("q", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	TEST_ASSERT_EQUAL(PLUGIN_UNRESOLVABLE, bed_choose("q", "b", &list, &count));
	TEST_ASSERT_EQUAL_STRING(
		"node(s) didn't find available persistent volumes to bind", picture_reasons());
	bed_begin(2, "q", "a", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	/* The first gives up: the other still counts on it. */
	bed_cancel(1);
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	bed_run(100);
	bed_show(c);
	bed_volume("v", "a");
	bed_bind("c", "v");
	bed_run(100);
	bed_expect(2, true, "");
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_tags[1]);
	bed_expect_clean();
}

/* Somebody's label: the picture is right at once, and the write is refused. */
static void test_a_newer_version_ends_what_was_assumed(void)
{
	struct bed_object *v = bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	bed_change(v);
	bed_show(v);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&picture.cache.assumed));
	bed_run(100);
	bed_expect(1, false,
		"Operation cannot be fulfilled on persistentvolumes \"v\": the object has been "
		"modified; please apply your changes to the latest version and try again");
	bed_expect_clean();
}

/* ---- failures of writing ---- */

static void test_a_conflict_gives_back(void)
{
	struct bed_object *v = bed_volume("v", "a");
	const struct volume_choice *list;
	uint32_t count;
	bed_claim("c");
	bed_pod("p", "c");
	uint32_t strings = pool_used(&picture.cache.strings.strings);
	uint64_t bytes = picture.cache.store.budget.used;
	bed_begin(1, "p", "a", MINUTES(1));
	bed_change(v);
	bed_run(100);
	bed_expect(1, false,
		"Operation cannot be fulfilled on persistentvolumes \"v\": the object has been "
		"modified; please apply your changes to the latest version and try again");
	bed_expect_clean();
	TEST_ASSERT_EQUAL_UINT32(strings, pool_used(&picture.cache.strings.strings));
	TEST_ASSERT_EQUAL_UINT64(bytes, picture.cache.store.budget.used);
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("p", "a", &list, &count));
	TEST_ASSERT_NOT_EQUAL(0, list[0].pv);
	TEST_ASSERT_EQUAL_UINT64(1, pre_bind_stats(bed.pre_bind).conflicts);
}

/* What was written stays assumed until it is seen, the rest goes back. */
static void test_half_of_it_is_written(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS},
		{.way = BED_WORKS},
		{.way = BED_SAYS,
			.status = 403,
			.body = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
				"\"message\":\"persistentvolumeclaims \\\"y\\\" is forbidden\","
				"\"reason\":\"Forbidden\",\"code\":403}"},
	};
	struct bed_object *v = bed_volume("v", "");
	bed_plans(plans, 3);
	bed_claim("x");
	bed_claim("y");
	bed_pod("p", "x,y");
	bed_begin(1, "p", "a", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&picture.cache.assumed));
	bed_run(100);
	bed_expect(1, false, "persistentvolumeclaims \"y\" is forbidden");
	TEST_ASSERT_EQUAL_UINT32(1, pool_used(&picture.cache.assumed));
	bed_show(v);
	bed_expect_clean();
}

static void test_a_volume_that_is_gone(void)
{
	struct bed_object *v = bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	v->there = false;
	bed_run(100);
	bed_expect(1, false, "v not found");
	bed_expect_clean();
}

/* Cut to whole characters; what is not even a Status is told by its number. */
static void test_words_without_end(void)
{
	char body[8192] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
			  "\"message\":\"x";
	struct bed_plan plans[2] = {{.way = BED_WORKS}, {BED_SAYS, 422, "", body}};
	bed_claim("c");
	bed_pod("p", "c");
	for (uint32_t i = 0; i < 700; i++)
		strcat(body, "\xc3\xa4");
	strcat(body, "\",\"reason\":\"Invalid\",\"code\":422}");
	bed_plans(plans, 2);
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[1]);
	TEST_ASSERT_EQUAL_size_t(API_MESSAGE_MAX - 1, strlen(bed.told[0].message));
	TEST_ASSERT_TRUE(text_is_utf8(text_of(bed.told[0].message)));
	memset(body, 'x', sizeof(body) - 1);
	plans[1].status = 502;
	bed_plans(plans, 2);
	bed_begin(2, "p", "a", MINUTES(1));
	bed_run(VOLUME_DOUBT_MS + 100);
	bed_expect(2, false, "the apiserver answered 502");
	bed_expect_clean();
}

static void test_nobody_listens(void)
{
	bed_claim("c");
	bed_pod("p", "c");
	bed.wire.refuses = true;
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[1]);
	TEST_ASSERT_FALSE(bed.told[0].ok);
	TEST_ASSERT_EQUAL_STRING_LEN("connect-failed: ", bed.told[0].message, 16);
	bed_expect_clean();
}

/* The claim is on its way when another one comes to lead: the volume is not given to it. */
static void test_who_leads_no_more_writes_nothing(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS}, {.way = BED_SAYS, .status = 429}};
	bed_plans(plans, 2);
	bed_volume("v", "a");
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", 60 * 1000);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	bed.stands_by = true;
	bed_run(5000);
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	bed_expect(1, false, "connect-failed: not allowed to be sent any more");
	bed_expect_clean();
}

static void test_a_busy_server_is_waited_for(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_SAYS, .status = 429, .headers = "Retry-After: 2\r\n"},
		{.way = BED_WORKS},
		{.way = BED_SAYS, .status = 429},
		{.way = BED_SAYS, .status = 503, .headers = "Retry-After: 3\r\n"},
	};
	struct bed_object *c = bed_claim("c");
	bed_plans(plans, 4);
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(1900);
	TEST_ASSERT_EQUAL_UINT32(1, bed.seen_count);
	bed_run(200);
	TEST_ASSERT_EQUAL_UINT32(3, bed.seen_count);
	bed_run(4200);
	TEST_ASSERT_EQUAL_UINT32(5, bed.seen_count);
	TEST_ASSERT_EQUAL_STRING("a", c->selected);
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
}

static void test_a_server_that_is_always_busy(void)
{
	struct bed_plan plans[PRE_BIND_WAITS + 2];
	for (uint32_t i = 0; i < PRE_BIND_WAITS + 2; i++)
		plans[i] = (struct bed_plan){.way = BED_SAYS, .status = 429};
	plans[0] = (struct bed_plan){.way = BED_WORKS};
	bed_plans(plans, PRE_BIND_WAITS + 2);
	bed_claim("c");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(20 * 1000);
	TEST_ASSERT_EQUAL_UINT32(PRE_BIND_WAITS + 2, bed.seen_count);
	bed_expect(1, false, "the apiserver answered 429");
	bed_expect_clean();
}

/* Each write has its own number of times. */
static void test_a_server_that_is_mostly_busy(void)
{
	struct bed_plan plans[3 * PRE_BIND_WAITS];
	for (uint32_t i = 0; i < 3 * PRE_BIND_WAITS; i++)
		plans[i] = (struct bed_plan){
			.way = i % PRE_BIND_WAITS == 0 ? BED_WORKS : BED_SAYS, .status = 429};
	bed_plans(plans, 3 * PRE_BIND_WAITS);
	bed_volume("v", "a");
	bed_claim("x");
	bed_claim("y");
	bed_pod("p", "x,y");
	bed_begin(1, "p", "a", MINUTES(10));
	bed_run(MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(1, pre_bind_stats(bed.pre_bind).waiting);
	TEST_ASSERT_EQUAL_UINT32(3 + 2 * (PRE_BIND_WAITS - 1), bed.seen_count);
}

/* ... and its own doubts. */
static void test_a_conflict_of_the_second(void)
{
	static const struct bed_plan plans[] = {
		{.way = BED_WORKS},
		{.way = BED_SAYS, .status = 503, .headers = "Retry-After: 1\r\n"},
	};
	bed_plans(plans, 2);
	bed_volume("v", "a");
	bed_claim("x");
	struct bed_object *y = bed_claim("y");
	bed_pod("p", "x,y");
	bed_begin(1, "p", "a", MINUTES(10));
	bed_change(y);
	bed_run(2000);
	bed_expect(1, false,
		"Operation cannot be fulfilled on persistentvolumeclaims \"y\": the object has "
		"been modified; please apply your changes to the latest version and try again");
	bed_show(bed_find(true, "v"));
	bed_expect_clean();
}

/* ---- room ---- */

static void begin_many(uint32_t count)
{
	char name[8];
	for (uint32_t i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), "c%u", (unsigned)i);
		bed_claim(name);
		bed_pod(name, name);
		bed_begin(i, name, "a", MINUTES(1));
	}
}

static void test_more_than_there_is_room_for(void)
{
	begin_many(BED_ORDERS);
	bed_claim("c");
	bed_pod("p", "c");
	TEST_ASSERT_FALSE(bed_try(99, "p", "a"));
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(BED_ORDERS * 2, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_tags[99]);
	bed_cancel(2);
	TEST_ASSERT_TRUE(bed_try(99, "p", "a"));
}

/* As many calls as one namespace may have, the others wait for their turn. */
static void test_pods_of_a_namespace_take_turns(void)
{
	static const struct bed_plan plans[PRE_BIND_CALLS_OF_A_PEER] = {
		{.way = BED_SILENT}, {.way = BED_SILENT}, {.way = BED_SILENT}};
	bed_plans(plans, PRE_BIND_CALLS_OF_A_PEER);
	begin_many(BED_ORDERS);
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(PRE_BIND_CALLS_OF_A_PEER, bed.seen_count);
	bed_cancel(1);
	bed_run(1000);
	/* One of those who waited wrote all it had to, and then the others. */
	TEST_ASSERT_EQUAL_UINT32(PRE_BIND_CALLS_OF_A_PEER + 6, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT32(3, pre_bind_stats(bed.pre_bind).waiting);
	bed_run(api_policies[API_PLUGIN_CALL].silence_ms);
	TEST_ASSERT_EQUAL_UINT32(BED_ORDERS - 1, pre_bind_stats(bed.pre_bind).waiting);
}

/* A webhook of the one hangs. */
static void test_another_namespace_has_its_turn(void)
{
	static const struct bed_plan plans[PRE_BIND_CALLS_OF_A_PEER + 2] = {{.way = BED_SILENT},
		{.way = BED_SILENT}, {.way = BED_SILENT}, {.way = BED_WORKS},
		{.way = BED_SAYS, .status = 403}};
	bed_plans(plans, PRE_BIND_CALLS_OF_A_PEER + 2);
	begin_many(PRE_BIND_CALLS_OF_A_PEER + 1);
	bed_run(100);
	TEST_ASSERT_EQUAL_UINT32(PRE_BIND_CALLS_OF_A_PEER, bed.seen_count);
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'other','name':'c',"
		    "'uid':'u','resourceVersion':'7'},'spec':{'storageClassName':'slow'}}");
	picture_add("{'kind':'Pod','metadata':{'name':'p','namespace':'other','uid':'p'},"
		    "'spec':{'containers':[{'name':'c'}],'volumes':[{'name':'v',"
		    "'persistentVolumeClaim':{'claimName':'c'}}]}}");
	TEST_ASSERT_TRUE(bed_try_in("other", 99, "p", "a"));
	bed_run(10);
	TEST_ASSERT_EQUAL_UINT32(PRE_BIND_CALLS_OF_A_PEER + 2, bed.seen_count);
	expect_line(PRE_BIND_CALLS_OF_A_PEER, "PATCH /api/v1/namespaces/other/pods/p/status");
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[99]);
}

static void test_many_claims(void)
{
	enum { MANY = 70 };
	char claims[1024] = "", name[16];
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%sc%u", i == 0 ? "" : ",", (unsigned)i);
		strcat(claims, name);
		if (i < BED_OBJECTS)
			bed_claim(name + (i > 0));
		else
			picture_addf("{'kind':'PersistentVolumeClaim','metadata':{'namespace':"
				     "'default','name':'%s','uid':'u','resourceVersion':'5'},"
				     "'spec':{'storageClassName':'slow','resources':{"
				     "'requests':{'storage':'1Gi'}}}}",
				name + 1);
	}
	bed_pod("p", claims);
	bed_begin(1, "p", "a", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(MANY, pool_used(&picture.cache.assumed));
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(BED_OBJECTS + 2, bed.seen_count);
	TEST_ASSERT_EQUAL_UINT64(BED_OBJECTS, pre_bind_stats(bed.pre_bind).written);
	/* The server has no more. */
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[1]);
}

static void test_no_memory_to_assume(void)
{
	uint32_t taken[64];
	uint32_t count = 0;
	bed_volume("v", "");
	bed_claim("x");
	bed_claim("y");
	bed_pod("p", "x,y");
	/* Room for one of two. */
	struct store *store = &picture.cache.store;
	while (count < 64) {
		size_t size = (size_t)1 << 22;
		while (size >= 16 && (taken[count] = store_take(store, size)) == 0)
			size /= 2;
		if (size < 16)
			break;
		count++;
	}
	TEST_ASSERT_TRUE(count < 64);
	TEST_ASSERT_EQUAL(PLUGIN_ERROR, bed_reserve("default", 1, "p", "a"));
	TEST_ASSERT_EQUAL_STRING("not enough memory to bind the pod's volumes", picture_reasons());
	bed_run(10);
	bed_expect_clean();
	TEST_ASSERT_EQUAL_UINT32(0, bed.seen_count);
	while (count > 0)
		store_give(store, taken[--count]);
}

static void test_names_that_make_no_request(void)
{
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
		    "'name':'c','uid':'u','resourceVersion':'not-a-number'},"
		    "'spec':{'storageClassName':'slow'}}");
	bed_pod("p", "c");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	bed_expect(1, false, "the names make no request");
	bed_expect_clean();
}

/* Such names do not exist; an apiserver that sends them is not led elsewhere by them. */
static void test_names_that_are_paths(void)
{
	const struct volume_choice *list;
	uint32_t count;
	picture_add("{'kind':'PersistentVolume','metadata':{'name':'../v','uid':'u',"
		    "'resourceVersion':'5'},'spec':{'capacity':{'storage':'1Gi'},"
		    "'storageClassName':'slow','accessModes':['ReadWriteOnce']},"
		    "'status':{'phase':'Available'}}");
	bed_claim("c");
	bed_pod("p", "c");
	TEST_ASSERT_EQUAL(PLUGIN_SUCCESS, bed_choose("p", "a", &list, &count));
	TEST_ASSERT_NOT_EQUAL(0, list[0].pv);
	bed_begin(1, "p", "a", MINUTES(1));
	bed_run(100);
	bed_expect(1, false, "the names make no request");
	picture_add("{'kind':'PersistentVolumeClaim','metadata':{'namespace':'default',"
		    "'name':'x/y','uid':'u','resourceVersion':'7'},"
		    "'spec':{'storageClassName':'slow'}}");
	bed_pod("q", "x/y");
	picture_remove(KUBE_PV, "", "../v");
	bed_begin(2, "q", "a", MINUTES(1));
	bed_run(100);
	bed_expect(2, false, "the names make no request");
	TEST_ASSERT_EQUAL_UINT32(2, bed.seen_count);
	bed_expect_clean();
}

static void begin_next(struct bed *b, const struct bed_told *told)
{
	(void)b;
	if (told->tag < 3)
		bed_begin(told->tag + 1, "p", "a", 0);
}

static void test_an_end_may_begin_the_next(void)
{
	bed_claim("c");
	bed_pod("p", "c");
	bed.on_told = begin_next;
	bed_begin(1, "p", "a", 0);
	bed_run(1000);
	TEST_ASSERT_EQUAL_UINT32(3, bed.told_count);
}

static void test_closing_gives_all_back(void)
{
	bed_volume("v", "a");
	bed_claim("x");
	bed_claim("y");
	bed_pod("p", "x");
	bed_pod("q", "y");
	bed_begin(1, "p", "a", MINUTES(1));
	bed_begin(2, "q", "b", MINUTES(1));
	TEST_ASSERT_EQUAL_UINT32(2, pool_used(&picture.cache.assumed));
	net_client_close(bed.client);
	bed.client = NULL;
	bed_close_pre_bind();
	TEST_ASSERT_EQUAL_UINT32(0, bed.told_count);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&picture.cache.assumed));
	cache_audit(&picture.cache);
}

int main(void)
{
	UNITY_BEGIN();
	RUN_TEST(test_a_volume_is_given_its_claim);
	RUN_TEST(test_pre_bind_when_another_version_is_served_then_that_is_written);
	RUN_TEST(test_a_claim_is_provisioned);
	RUN_TEST(test_volumes_come_before_claims);
	RUN_TEST(test_a_nominated_pod_is_not_told_again);
	RUN_TEST(test_a_failed_nomination_stops_nobody);
	RUN_TEST(test_a_promised_volume);
	RUN_TEST(test_a_mark_that_is_there_stays);
	RUN_TEST(test_two_pods_want_the_same_volume);
	RUN_TEST(test_two_pods_share_a_claim);
	RUN_TEST(test_a_newer_version_ends_what_was_assumed);
	RUN_TEST(test_a_conflict_gives_back);
	RUN_TEST(test_half_of_it_is_written);
	RUN_TEST(test_a_volume_that_is_gone);
	RUN_TEST(test_words_without_end);
	RUN_TEST(test_nobody_listens);
	RUN_TEST(test_who_leads_no_more_writes_nothing);
	RUN_TEST(test_a_busy_server_is_waited_for);
	RUN_TEST(test_a_server_that_is_always_busy);
	RUN_TEST(test_a_server_that_is_mostly_busy);
	RUN_TEST(test_a_conflict_of_the_second);
	RUN_TEST(test_more_than_there_is_room_for);
	RUN_TEST(test_pods_of_a_namespace_take_turns);
	RUN_TEST(test_another_namespace_has_its_turn);
	RUN_TEST(test_many_claims);
	RUN_TEST(test_no_memory_to_assume);
	RUN_TEST(test_names_that_make_no_request);
	RUN_TEST(test_names_that_are_paths);
	RUN_TEST(test_an_end_may_begin_the_next);
	RUN_TEST(test_closing_gives_all_back);
	return UNITY_END();
}
