/* SPDX-License-Identifier: GPL-2.0-only */
/* An apiserver with volumes and claims, and a picture of it. */
#include "bind/pre_bind_bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "plugins/volume_choice.h"

enum { BED_MEMORY = 4 << 20, BED_JSON_MAX = 4096 };

struct bed bed;

/* ---- objects ---- */

struct bed_object *bed_find(bool is_volume, const char *name)
{
	for (uint32_t i = 0; i < bed.object_count; i++) {
		struct bed_object *o = &bed.objects[i];
		if (o->there && o->is_volume == is_volume && strcmp(o->name, name) == 0)
			return o;
	}
	return NULL;
}

void bed_change(struct bed_object *object)
{
	object->version = ++bed.version;
}

static void print_volume(const struct bed_object *o, char *json, size_t size)
{
	char ref[400] = "", marked[100] = "", host[400] = "";
	if (o->claim[0] != '\0')
		snprintf(ref, sizeof(ref), "'claimRef':{'namespace':'%s','name':'%s','uid':'%s'},",
			o->claim_namespace, o->claim, o->claim_uid);
	if (o->marked[0] != '\0')
		snprintf(marked, sizeof(marked),
			"'annotations':{'pv.kubernetes.io/bound-by-controller':'%s'},", o->marked);
	if (o->host[0] != '\0')
		snprintf(host, sizeof(host),
			"'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{"
			"'key':'kubernetes.io/hostname','operator':'In','values':['%s']}]}]}},",
			o->host);
	snprintf(json, size,
		"{'kind':'PersistentVolume','metadata':{%s'name':'%s','uid':'%s',"
		"'resourceVersion':'%llu'},'spec':{%s%s%s'capacity':{'storage':'1Gi'},"
		"'storageClassName':'slow','accessModes':['ReadWriteOnce']},"
		"'status':{'phase':'Available'}}",
		marked, o->name, o->uid, (unsigned long long)o->version, ref, host, o->source);
}

static void print_claim(const struct bed_object *o, char *json, size_t size)
{
	char selected[200] = "", notes[400] = "";
	if (o->selected[0] != '\0')
		snprintf(selected, sizeof(selected), ",'volume.kubernetes.io/selected-node':'%s'",
			o->selected);
	if (o->annotated || o->complete || o->selected[0] != '\0')
		snprintf(notes, sizeof(notes), "'annotations':{'a':'b'%s%s},",
			o->complete ? ",'pv.kubernetes.io/bind-completed':'yes'" : "", selected);
	snprintf(json, size,
		"{'kind':'PersistentVolumeClaim','metadata':{%s'namespace':'default','name':'%s',"
		"'uid':'%s','resourceVersion':'%llu'},'spec':{'volumeName':'%s',"
		"'storageClassName':'slow','accessModes':['ReadWriteOnce'],"
		"'resources':{'requests':{'storage':'1Gi'}}},'status':{'phase':'%s'}}",
		notes, o->name, o->uid, (unsigned long long)o->version, o->volume,
		o->complete ? "Bound" : "Pending");
}

void bed_show(struct bed_object *object)
{
	char json[BED_JSON_MAX];
	if (object->shown == object->version)
		return;
	object->shown = object->version;
	if (object->is_volume)
		print_volume(object, json, sizeof(json));
	else
		print_claim(object, json, sizeof(json));
	picture_add(json);
}

void bed_delete(struct bed_object *object)
{
	object->there = false;
	picture_remove(object->is_volume ? KUBE_PV : KUBE_PVC, object->is_volume ? "" : "default",
		object->name);
}

static struct bed_object *add(bool is_volume, const char *name)
{
	TEST_ASSERT_TRUE(bed.object_count < BED_OBJECTS);
	struct bed_object *o = &bed.objects[bed.object_count++];
	*o = (struct bed_object){.there = true, .is_volume = is_volume};
	snprintf(o->name, sizeof(o->name), "%s", name);
	snprintf(o->uid, sizeof(o->uid), "%s-uid-%u", name, (unsigned)bed.object_count);
	bed_change(o);
	return o;
}

struct bed_object *bed_volume(const char *name, const char *host)
{
	struct bed_object *o = add(true, name);
	snprintf(o->host, sizeof(o->host), "%s", host);
	bed_show(o);
	return o;
}

struct bed_object *bed_claim(const char *name)
{
	struct bed_object *o = add(false, name);
	bed_show(o);
	return o;
}

void bed_bind(const char *claim, const char *volume)
{
	struct bed_object *c = bed_find(false, claim), *v = bed_find(true, volume);
	TEST_ASSERT_NOT_NULL(c);
	TEST_ASSERT_NOT_NULL(v);
	snprintf(v->claim, sizeof(v->claim), "%s", claim);
	snprintf(v->claim_namespace, sizeof(v->claim_namespace), "default");
	snprintf(v->claim_uid, sizeof(v->claim_uid), "%s", c->uid);
	bed_change(v);
	bed_show(v);
	snprintf(c->volume, sizeof(c->volume), "%s", volume);
	c->complete = true;
	bed_change(c);
	bed_show(c);
}

void bed_pod(const char *name, const char *claims)
{
	char volumes[8192] = "", part[64];
	size_t used = 0;
	for (const char *at = claims; *at != '\0'; at += *at == ',') {
		size_t size = strcspn(at, ",");
		snprintf(part, sizeof(part), "%.*s", (int)size, at);
		used += (size_t)snprintf(volumes + used, sizeof(volumes) - used,
			"%s{'name':'v-%s','persistentVolumeClaim':{'claimName':'%s'}}",
			used == 0 ? "" : ",", part, part);
		TEST_ASSERT_TRUE(used < sizeof(volumes));
		at += size;
	}
	picture_addf("{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},"
		     "'spec':{'containers':[{'name':'c'}],'volumes':[%s]}}",
		name, name, volumes);
}

/* ---- the server ---- */

/* The string behind `key`; false when it is not there. */
static bool value_of(const char *text, const char *key, char *to, size_t size)
{
	const char *at = strstr(text, key);
	if (at == NULL)
		return false;
	at += strlen(key);
	snprintf(to, size, "%.*s", (int)strcspn(at, "\""), at);
	return true;
}

static struct bed_object *object_of(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	if (strncmp(path, "/api/v1/persistentvolumes/", 26) == 0)
		return bed_find(true, name);
	TEST_ASSERT_EQUAL_STRING_LEN(
		"/api/v1/namespaces/default/persistentvolumeclaims/", path, 50);
	return bed_find(false, name);
}

static void apply(struct bed_object *o, const char *body)
{
	struct bed_object before = *o;
	const char *ref = strstr(body, "\"claimRef\":{");
	if (ref != NULL) {
		TEST_ASSERT_TRUE(o->is_volume);
		TEST_ASSERT_NOT_NULL(strstr(ref, "\"kind\":\"PersistentVolumeClaim\""));
		TEST_ASSERT_NOT_NULL(strstr(ref, "\"apiVersion\":\"v1\""));
		TEST_ASSERT_TRUE(value_of(ref, "\"name\":\"", o->claim, sizeof(o->claim)));
		TEST_ASSERT_TRUE(value_of(
			ref, "\"namespace\":\"", o->claim_namespace, sizeof(o->claim_namespace)));
		TEST_ASSERT_TRUE(value_of(ref, "\"uid\":\"", o->claim_uid, sizeof(o->claim_uid)));
		TEST_ASSERT_TRUE(value_of(
			ref, "\"resourceVersion\":\"", o->claim_version, sizeof(o->claim_version)));
	}
	(void)value_of(
		body, "\"pv.kubernetes.io/bound-by-controller\":\"", o->marked, sizeof(o->marked));
	(void)value_of(body, "\"volume.kubernetes.io/selected-node\":\"", o->selected,
		sizeof(o->selected));
	/* Nothing is taken from anybody. */
	TEST_ASSERT_TRUE(before.claim[0] == '\0' || strcmp(before.claim, o->claim) == 0);
	TEST_ASSERT_TRUE(
		before.claim_uid[0] == '\0' || strcmp(before.claim_uid, o->claim_uid) == 0);
	TEST_ASSERT_TRUE(before.selected[0] == '\0' || strcmp(before.selected, o->selected) == 0);
	if (memcmp(&before, o, sizeof(before)) != 0)
		bed_change(o);
}

/* The answer's status; its body is written. */
static int carry_out(const char *path, const char *body, char *answer, size_t size)
{
	char version[32] = "", uid[64] = "";
	snprintf(answer, size, "{\"kind\":\"Whatever\"}");
	if (strstr(path, "/pods/") != NULL)
		return 200;
	struct bed_object *o = object_of(path);
	TEST_ASSERT_TRUE(value_of(body, "\"uid\":\"", uid, sizeof(uid)));
	TEST_ASSERT_TRUE(value_of(body, "\"resourceVersion\":\"", version, sizeof(version)));
	if (o == NULL) {
		snprintf(answer, size,
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
			"\"message\":\"%s not found\",\"reason\":\"NotFound\",\"code\":404}",
			strrchr(path, '/') + 1);
		return 404;
	}
	if (strtoull(version, NULL, 10) != o->version || strcmp(uid, o->uid) != 0) {
		snprintf(answer, size,
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
			"\"message\":\"Operation cannot be fulfilled on %s \\\"%s\\\": the object "
			"has been modified; please apply your changes to the latest version and "
			"try again\",\"reason\":\"Conflict\",\"code\":409}",
			o->is_volume ? "persistentvolumes" : "persistentvolumeclaims", o->name);
		return 409;
	}
	apply(o, body);
	return 200;
}

static void note(const struct fake_request *request)
{
	if (bed.forgets && bed.seen_count == BED_SEEN_MAX)
		bed.seen_count = 0;
	TEST_ASSERT_TRUE(bed.seen_count < BED_SEEN_MAX);
	struct bed_seen *seen = &bed.seen[bed.seen_count++];
	snprintf(seen->line, sizeof(seen->line), "%.*s %.*s", TEXT_ARGS(request->method),
		TEXT_ARGS(request->path));
	TEST_ASSERT_NOT_NULL(request->content_type.at);
	TEST_ASSERT_TRUE(text_copy(request->content_type, seen->type, sizeof(seen->type)));
	TEST_ASSERT_TRUE(text_copy(request->body, seen->body, sizeof(seen->body)));
	seen->at_us = bed.wire.network.now_us;
}

static struct bed_plan next_plan(void)
{
	if (bed.plan_count > 0) {
		bed.plan_count--;
		return *bed.plans++;
	}
	return bed.choose != NULL ? bed.choose(&bed) : (struct bed_plan){.way = BED_WORKS};
}

static void answer(uint32_t stream, const char *path, const char *body)
{
	struct bed_plan plan = next_plan();
	char words[1024];
	bool done = plan.way == BED_WORKS || plan.way == BED_LIES || plan.way == BED_DONE_CUTS ||
		plan.way == BED_DONE_SILENT;
	int status = done ? carry_out(path, body, words, sizeof(words)) : 0;
	switch (plan.way) {
	case BED_WORKS: fake_server_reply(&bed.wire, stream, status, "", text_of(words)); break;
	case BED_SAYS:
	case BED_LIES:
		fake_server_reply(&bed.wire, stream, plan.status,
			plan.headers == NULL ? "" : plan.headers,
			text_of(plan.body == NULL ? "{}" : plan.body));
		break;
	case BED_CUTS:
	case BED_DONE_CUTS: fake_server_cut(&bed.wire, stream); break;
	case BED_SILENT:
	case BED_DONE_SILENT: break;
	}
}

static void hear(void *self, struct fake_server *wire, const struct fake_request *request)
{
	char path[512], body[FAKE_REQUEST_MAX];
	(void)self;
	(void)wire;
	TEST_ASSERT_TRUE(text_is_z(request->method, "PATCH"));
	TEST_ASSERT_TRUE(text_copy(request->path, path, sizeof(path)));
	TEST_ASSERT_TRUE(text_copy(request->body, body, sizeof(body)));
	note(request);
	answer(request->stream, path, body);
}

/* ---- orders ---- */

/* By its tag; a free one by 0. */
static struct bed_order *order_of(uint64_t tag)
{
	for (uint32_t i = 0; i < ARRAY_COUNT(bed.orders); i++)
		if (tag == 0 ? !bed.orders[i].taken
			     : bed.orders[i].taken && bed.orders[i].points.b.tag == tag)
			return &bed.orders[i];
	return NULL;
}

static void order_done(struct bed_order *order, bool ok)
{
	TEST_ASSERT_NOT_NULL(order);
	if (ok)
		binding_bound(&order->points);
	else
		binding_undo(&order->points);
	order->taken = false;
}

static void done(void *self, const struct pre_bind_result *result)
{
	bool ok = result->step == PLUGIN_STEP_DONE;
	order_done(order_of(result->tag), ok);
	TEST_ASSERT_TRUE(self == &bed);
	if (bed.forgets && bed.told_count == BED_TOLD_MAX)
		bed.told_count = 0;
	TEST_ASSERT_TRUE(bed.told_count < BED_TOLD_MAX);
	struct bed_told *told = &bed.told[bed.told_count++];
	*told = (struct bed_told){.tag = result->tag, .ok = ok, .at_us = bed.wire.network.now_us};
	TEST_ASSERT_TRUE(text_copy(result->message, told->message, sizeof(told->message)));
	TEST_ASSERT_TRUE(result->tag < BED_TAGS);
	bed.told_tags[result->tag]++;
	if (bed.on_told != NULL)
		bed.on_told(&bed, told);
}

static void changed(const struct cache_event *event)
{
	if (bed.pre_bind != NULL)
		pre_bind_changed(bed.pre_bind, event);
}

static bool may_write(void *self)
{
	const struct bed *b = self;
	return !b->stands_by;
}

static const char *version_of(void *self, enum kube_kind kind)
{
	const struct bed *b = self;
	(void)kind;
	return b->served == NULL ? "" : b->served;
}

void bed_start(uint64_t seed)
{
	static const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = BED_CONNECTIONS};
	char fault[128];
	struct writer w;
	memset(&bed, 0, sizeof(bed));
	bed.version = 100;
	picture_start();
	bed.strings = pool_used(&picture.cache.strings.strings);
	bed.bytes = picture.cache.store.budget.used;
	fake_server_init(&bed.wire);
	bed.wire.answer = hear;
	bed.wire.self = &bed;
	writer_init(&w, fault, sizeof(fault));
	bed.memory = calloc(1, BED_MEMORY);
	TEST_ASSERT_NOT_NULL(bed.memory);
	arena_init(&bed.arena, bed.memory, BED_MEMORY);
	random_init(&bed.random, seed);
	bed.net = net_init(&(struct net_setup){.arena = &bed.arena,
		.clock = fake_server_clock(&bed.wire),
		.entropy = entropy_seeded(&bed.random),
		.bytes = fake_server_bytes(&bed.wire)});
	bed.client = net_client_open(bed.net, &bed.arena, &target, &w);
	TEST_ASSERT_NOT_NULL(bed.client);
	bed.api = api_client_open(&(struct api_setup){.net = bed.net,
		.server = bed.client,
		.arena = &bed.arena,
		.entropy = entropy_seeded(&bed.random),
		.answers_max = 8,
		.may_write = may_write,
		.self = &bed});
	size_t left = arena_left(&bed.arena);
	bed.pre_bind = pre_bind_init(&(struct pre_bind_setup){.client = bed.api,
		.arena = &bed.arena,
		.cache = &picture.cache,
		.clock = fake_server_clock(&bed.wire),
		.orders_max = BED_ORDERS,
		.version_of = version_of,
		.done = done,
		.self = &bed});
	TEST_ASSERT_TRUE(left - arena_left(&bed.arena) <= pre_bind_size(BED_ORDERS));
	binding_waiting_init(&bed.waiting);
	plugin_use_at(&picture.profile, PLUGIN_AT_RESERVE, PLUGIN_VOLUME_BINDING, 0);
	plugin_use_at(&picture.profile, PLUGIN_AT_PRE_BIND, PLUGIN_VOLUME_BINDING, 0);
	picture.changed = changed;
	picture_add("{'kind':'StorageClass','metadata':{'name':'slow'},'provisioner':'maker',"
		    "'volumeBindingMode':'WaitForFirstConsumer'}");
	picture_add("{'kind':'Node','metadata':{'name':'a',"
		    "'labels':{'kubernetes.io/hostname':'a'}}}");
	picture_add("{'kind':'Node','metadata':{'name':'b',"
		    "'labels':{'kubernetes.io/hostname':'b'}}}");
}

/* Without its objects the picture is as it was at first: nobody holds anything of it. */
static void expect_nothing_left(void)
{
	struct cache *cache = &picture.cache;
	picture.changed = NULL;
	for (uint32_t i; (i = pool_next(&cache->pods, 0)) != 0; picture_work_off())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_pod(cache, i));
	for (uint32_t i; (i = pool_next(&cache->nodes, 0)) != 0; picture_work_off())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_node(cache, i));
	for (uint32_t i; (i = pool_next(&cache->objects, 0)) != 0; picture_work_off())
		TEST_ASSERT_EQUAL(CACHE_OK, cache_remove_object(cache, i));
	cache_counters_trim(cache);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&cache->assumed));
	TEST_ASSERT_EQUAL_UINT32(bed.strings, pool_used(&cache->strings.strings));
	TEST_ASSERT_EQUAL_UINT64(bed.bytes, cache->store.budget.used);
}

void bed_close_pre_bind(void)
{
	if (bed.pre_bind == NULL)
		return;
	pre_bind_close(bed.pre_bind);
	for (uint32_t i = 0; i < ARRAY_COUNT(bed.orders); i++)
		if (bed.orders[i].taken)
			order_done(&bed.orders[i], false);
	api_client_close(bed.api);
	bed.pre_bind = NULL;
}

void bed_stop(void)
{
	if (bed.memory == NULL)
		return;
	bed_close_pre_bind();
	if (bed.client != NULL)
		net_client_close(bed.client);
	net_close(bed.net);
	fake_server_free(&bed.wire);
	free(bed.memory);
	bed.memory = NULL;
	expect_nothing_left();
	picture_end();
}

enum plugin_code bed_choose(
	const char *pod, const char *node, const struct volume_choice **list, uint32_t *count)
{
	return bed_choose_in("default", pod, node, list, count);
}

enum plugin_code bed_choose_in(const char *namespace, const char *pod, const char *node,
	const struct volume_choice **list, uint32_t *count)
{
	struct cycle_state *d = picture_decide(namespace, pod);
	enum plugin_code code = plugin_volume_binding.pre_filter(d, picture_why());
	if (code != PLUGIN_SUCCESS)
		return code;
	code = plugin_volume_binding.filter(d, picture_view(node), picture_why());
	if (code != PLUGIN_SUCCESS)
		return code;
	return volume_binding_choice(d, picture_node(node), list, count);
}

enum plugin_code bed_reserve(const char *namespace, uint64_t tag, const char *pod, const char *node)
{
	const struct volume_choice *list;
	uint32_t count;
	enum plugin_code code = bed_choose_in(namespace, pod, node, &list, &count);
	TEST_ASSERT_EQUAL_MESSAGE(PLUGIN_SUCCESS, code, picture_reasons());
	struct bed_order *order = order_of(0);
	TEST_ASSERT_NOT_NULL(order);
	const struct plugin_binding b = {.cache = &picture.cache,
		.profile = &picture.profile,
		.scratch = &picture.work,
		.tag = tag,
		.pod = picture_pod(namespace, pod),
		.node = cache_node_at(&picture.cache, picture_node(node))->name,
		.now = net_now(bed.net)};
	*order = (struct bed_order){.taken = true};
	binding_begin(&order->points, &bed.waiting, &b);
	if (!bed.forgets && cache_pod_at(&picture.cache, b.pod)->node == 0)
		TEST_ASSERT_EQUAL(
			CACHE_OK, cache_assume(&picture.cache, b.pod, picture_node(node)));
	code = binding_reserve(&order->points, &picture.decision, picture_why());
	order->taken = code == PLUGIN_SUCCESS;
	return code;
}

bool bed_try(uint64_t tag, const char *pod, const char *node)
{
	return bed_try_in("default", tag, pod, node);
}

bool bed_try_in(const char *namespace, uint64_t tag, const char *pod, const char *node)
{
	uint32_t nominated = cache_pod_at(&picture.cache, picture_pod(namespace, pod))->nominated;
	TEST_ASSERT_EQUAL_MESSAGE(
		PLUGIN_SUCCESS, bed_reserve(namespace, tag, pod, node), picture_reasons());
	struct bed_order *order = order_of(tag);
	TEST_ASSERT_EQUAL(
		PLUGIN_SUCCESS, binding_permit(&order->points, &bed.waiting, picture_why()));
	TEST_ASSERT_TRUE(binding_pre_flight(&order->points));
	order->run =
		pre_bind_begin(bed.pre_bind, &(struct pre_bind_order){&order->points, nominated});
	if (order->run == 0) {
		binding_undo(&order->points);
		order->taken = false;
	}
	cache_audit(&picture.cache);
	return order->taken;
}

void bed_begin(uint64_t tag, const char *pod, const char *node, int64_t timeout_ms)
{
	PLUGIN_ARGS_OF(&picture.profile, VOLUME_BINDING, volume_binding_args)
		->bind_timeout_seconds = timeout_ms / 1000;
	TEST_ASSERT_TRUE(bed_try(tag, pod, node));
}

void bed_cancel(uint64_t tag)
{
	struct bed_order *order = order_of(tag);
	if (order == NULL)
		return;
	pre_bind_cancel(bed.pre_bind, order->run);
	binding_undo(&order->points);
	order->taken = false;
}

void bed_run(int64_t ms)
{
	int64_t until = bed.wire.network.now_us + ms * CLOCK_MS_US;
	while (bed.wire.network.now_us < until)
		net_poll(bed.net, until - bed.wire.network.now_us);
}

void bed_plans(const struct bed_plan *plans, uint32_t count)
{
	bed.plans = plans;
	bed.plan_count = count;
}

void bed_expect(uint64_t tag, bool ok, const char *message)
{
	TEST_ASSERT_EQUAL_UINT32(1, bed.told_tags[tag]);
	for (uint32_t i = 0; i < bed.told_count; i++) {
		if (bed.told[i].tag != tag)
			continue;
		TEST_ASSERT_EQUAL_STRING(message, bed.told[i].message);
		TEST_ASSERT_EQUAL(ok, bed.told[i].ok);
	}
}

void bed_expect_clean(void)
{
	const struct pre_bind_stats stats = pre_bind_stats(bed.pre_bind);
	cache_audit(&picture.cache);
	TEST_ASSERT_EQUAL_UINT32(0, stats.under_way);
	TEST_ASSERT_EQUAL_UINT32(0, pool_used(&picture.cache.assumed));
	TEST_ASSERT_EQUAL_UINT64(stats.begun, stats.done + stats.failed + stats.cancelled);
}
