/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Everything at random: pods that come and go, claims and volumes that controllers and users
 * change, a server that fails in every way, a watch that is late. What must hold whatever happens:
 * an order that is done well has all its claims bound where the pod goes, no volume is promised
 * twice, each order ends once, and nothing is left behind.
 */
// deps: base/*.c json/*.c kube/*.c cache/*.c net/*.c tls/*.c http/*.c api/*.c bind/body_*.c
// deps: bind/pre_bind*.c cycle/binding_points.c plugins/*.c
// deps: dra/*.c cel/*.c
// deps: tests/plugins/picture.c
// deps: tools/apisim/fake_server.c tools/apisim/network.c tests/bind/pre_bind_bed.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/log.h"
#include "bind/pre_bind_bed.h"
#include "cache/assumed.h"

enum { SEEDS = 25, STEPS = 400, PODS = 6, CLAIMS = 8, VOLUMES = 6 };

struct model_order {
	uint64_t tag; /* 0: none */
	char node[4];
};
static struct model_order orders[PODS];
static uint64_t tags;
static uint32_t good, bad, cancelled;
static bool faults;

void setUp(void)
{
}

void tearDown(void)
{
	bed_stop();
}

static uint32_t below(uint32_t bound)
{
	return random_below(&bed.random, bound);
}

static struct bed_plan choose(struct bed *b)
{
	static const enum bed_way ways[] = {
		BED_SAYS, BED_LIES, BED_CUTS, BED_DONE_CUTS, BED_SILENT, BED_DONE_SILENT};
	static const struct bed_plan says[] = {
		{.status = 500},
		{.status = 503, .headers = "Retry-After: 1\r\n"},
		{.status = 429, .headers = "Retry-After: 1\r\n"},
		{.status = 403},
		{.status = 504, .body = "gateway"},
	};
	(void)b;
	if (!faults || below(3) > 0)
		return (struct bed_plan){.way = BED_WORKS};
	struct bed_plan plan = says[below(sizeof(says) / sizeof(says[0]))];
	plan.way = ways[below(sizeof(ways) / sizeof(ways[0]))];
	/* A server that says it did nothing, and did. */
	if (plan.way == BED_LIES && plan.status == 403)
		plan.status = 500;
	return plan;
}

static const char *pod_claims(uint32_t pod, uint32_t which)
{
	/* Some claims are shared. */
	static const char *const names[PODS][2] = {
		{"c0", "c1"}, {"c2", "c3"}, {"c3", "c4"}, {"c5", "c6"}, {"c6", "c7"}, {"c7", "c0"}};
	return names[pod][which];
}

static void name_of(char *name, size_t size, const char *prefix, uint32_t number)
{
	snprintf(name, size, "%s%u", prefix, (unsigned)number);
}

static void add_pod(uint32_t pod)
{
	char name[8], claims[32];
	name_of(name, sizeof(name), "p", pod);
	snprintf(claims, sizeof(claims), "%s,%s", pod_claims(pod, 0), pod_claims(pod, 1));
	bed_pod(name, claims);
}

/* ---- what is done ---- */

static void told(struct bed *b, const struct bed_told *t)
{
	uint32_t pod = 0;
	(void)b;
	while (pod < PODS && orders[pod].tag != t->tag)
		pod++;
	TEST_ASSERT_TRUE_MESSAGE(pod < PODS, "told of an order that nobody waits for");
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[t->tag]);
	if (t->ok) {
		good++;
		TEST_ASSERT_EQUAL_STRING("", t->message);
		for (uint32_t i = 0; i < 2; i++) {
			const struct bed_object *c = bed_find(false, pod_claims(pod, i));
			const struct bed_object *v = c == NULL ? NULL : bed_find(true, c->volume);
			/*
			 * The picture may be late, so that it is gone or changed by now. Whose the
			 * volume is, only its own controller looks after.
			 */
			if (v == NULL || c->shown != c->version || v->shown != v->version)
				continue;
			TEST_ASSERT_TRUE(c->complete);
			TEST_ASSERT_TRUE(
				v->host[0] == '\0' || strcmp(v->host, orders[pod].node) == 0);
		}
	} else {
		bad++;
		TEST_ASSERT_TRUE(t->message[0] != '\0');
	}
	orders[pod].tag = 0;
}

static void begin(uint32_t pod)
{
	const struct volume_choice *choices;
	uint32_t count;
	PLUGIN_ARGS_OF(&picture.profile, VOLUME_BINDING, volume_binding_args)
		->bind_timeout_seconds = 1 + below(30);
	char name[8];
	const char *node = below(2) == 0 ? "a" : "b";
	name_of(name, sizeof(name), "p", pod);
	if (orders[pod].tag != 0 || cache_find_node(&picture.cache, text_of(node)) == 0)
		return;
	if (bed_choose(name, node, &choices, &count) != PLUGIN_SUCCESS || count == 0)
		return;
	orders[pod].tag = ++tags;
	snprintf(orders[pod].node, sizeof(orders[pod].node), "%s", node);
	TEST_ASSERT_TRUE(bed_try(tags, name, node));
}

static void cancel(uint32_t pod)
{
	char name[8];
	if (orders[pod].tag == 0)
		return;
	name_of(name, sizeof(name), "p", pod);
	bed_cancel(orders[pod].tag);
	orders[pod].tag = 0;
	cancelled++;
	picture_remove(KUBE_POD, "default", name);
	add_pod(pod);
}

/* The controller: claims that volumes name are bound, and others get a new volume. */
static void control(struct bed_object *c)
{
	char name[16];
	if (c == NULL || c->complete)
		return;
	for (uint32_t i = 0; i < bed.object_count; i++) {
		struct bed_object *v = &bed.objects[i];
		if (!v->there || !v->is_volume || strcmp(v->claim, c->name) != 0 ||
			strcmp(v->claim_uid, c->uid) != 0)
			continue;
		snprintf(c->volume, sizeof(c->volume), "%s", v->name);
		c->complete = true;
		bed_change(c);
		return;
	}
	if (c->selected[0] == '\0' || bed.object_count == BED_OBJECTS)
		return;
	name_of(name, sizeof(name), "m", bed.object_count);
	struct bed_object *v = bed_volume(name, c->selected);
	snprintf(v->claim, sizeof(v->claim), "%s", c->name);
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	snprintf(v->claim_uid, sizeof(v->claim_uid), "%s", c->uid);
	bed_change(v);
	snprintf(c->volume, sizeof(c->volume), "%s", name);
	c->complete = true;
	bed_change(c);
}

/* A claim, or a volume, starts over. */
static void reset(struct bed_object *o)
{
	o->claim[0] = o->claim_namespace[0] = o->claim_uid[0] = o->claim_version[0] = '\0';
	o->marked[0] = o->selected[0] = o->volume[0] = '\0';
	o->complete = false;
	bed_change(o);
}

static void recreate(struct bed_object *o)
{
	static uint32_t lives;
	if (o->shown == 0)
		return;
	if (o->is_volume)
		picture_remove(KUBE_PV, "", o->name);
	else
		picture_remove(KUBE_PVC, "default", o->name);
	reset(o);
	snprintf(o->uid, sizeof(o->uid), "again-%u", (unsigned)++lives);
	bed_show(o);
}

static void change_node(void)
{
	if (cache_find_node(&picture.cache, TEXT("b")) != 0)
		picture_remove(KUBE_NODE, "", "b");
	else
		picture_add("{'kind':'Node','metadata':{'name':'b',"
			    "'labels':{'kubernetes.io/hostname':'b'}}}");
}

static void show_some(uint32_t one_in)
{
	for (uint32_t i = 0; i < bed.object_count; i++)
		if (bed.objects[i].there && below(one_in) == 0)
			bed_show(&bed.objects[i]);
}

static void step(void)
{
	struct bed_object *some = &bed.objects[below(bed.object_count)];
	char name[8];
	switch (below(14)) {
	case 0:
	case 1:
	case 2: begin(below(PODS)); break;
	case 3:
	case 4:
		name_of(name, sizeof(name), "c", below(CLAIMS));
		control(bed_find(false, name));
		break;
	case 5:
		if (below(4) == 0)
			cancel(below(PODS));
		break;
	case 6:
		if (below(2) == 0)
			bed_change(some);
		break;
	case 7:
		if (below(6) == 0)
			reset(some);
		break;
	case 8:
		if (!some->is_volume || below(4) == 0)
			recreate(some);
		break;
	case 9:
		if (below(8) == 0)
			change_node();
		break;
	default: show_some(3); break;
	}
	bed_run(below(3) == 0 ? below(4000) : below(20));
}

/* ---- what must hold ---- */

static void check(void)
{
	cache_audit(&picture.cache);
	uint32_t under_way = 0;
	for (uint32_t i = 0; i < PODS; i++)
		under_way += orders[i].tag != 0;
	const struct pre_bind_stats stats = pre_bind_stats(bed.pre_bind);
	TEST_ASSERT_EQUAL_UINT32(under_way, stats.under_way);
	TEST_ASSERT_EQUAL_UINT64(
		stats.begun, stats.done + stats.failed + stats.cancelled + stats.under_way);
}

static void run_seed(uint64_t seed, bool with_faults)
{
	char name[8];
	bed_start(seed);
	memset(orders, 0, sizeof(orders));
	faults = with_faults;
	tags = 0;
	bed.forgets = true;
	bed.choose = choose;
	bed.on_told = told;
	for (uint32_t i = 0; i < CLAIMS; i++) {
		name_of(name, sizeof(name), "c", i);
		bed_claim(name);
	}
	for (uint32_t i = 0; i < VOLUMES; i++) {
		name_of(name, sizeof(name), "v", i);
		bed_volume(name, i % 3 == 0 ? "" : i % 3 == 1 ? "a" : "b");
	}
	for (uint32_t i = 0; i < PODS; i++)
		add_pod(i);
	for (uint32_t i = 0; i < STEPS; i++) {
		step();
		check();
	}
	/* All is told by now; whoever still waits runs out of time. */
	show_some(1);
	bed_run(5 * 60 * 1000);
	show_some(1);
	check();
	bed_expect_clean();
	bed_stop();
}

static void test_a_good_server(void)
{
	good = bad = cancelled = 0;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		run_seed(seed, false);
	TEST_ASSERT_TRUE(good > SEEDS);
	TEST_ASSERT_TRUE(bad > SEEDS);
	TEST_ASSERT_TRUE(cancelled > 0);
}

static void test_a_bad_server(void)
{
	good = bad = cancelled = 0;
	for (uint64_t seed = 101; seed <= 100 + SEEDS; seed++)
		run_seed(seed, true);
	TEST_ASSERT_TRUE(good > 0);
	TEST_ASSERT_TRUE(bad > SEEDS);
}

int main(void)
{
	log_setup(LOG_ERROR, LOG_AS_TEXT, clock_system());
	UNITY_BEGIN();
	RUN_TEST(test_a_good_server);
	RUN_TEST(test_a_bad_server);
	return UNITY_END();
}
