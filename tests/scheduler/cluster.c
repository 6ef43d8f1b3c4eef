/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of the scheduler stand on. */
#include "scheduler/cluster.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <unity.h>

#include "cache/feed.h"
#include "profile/profile.h"
#include "json/json.h"
#include "scheduler/private.h"

enum { TURN_US = 1000 * 1000 };

struct cluster cluster;
static const struct scheduler_managed_resource gpu = {.name = {"example.com/gpu", 15}};

/* ---- the picture, as if a watch had told it ---- */

struct telling {
	struct watch_object object;
	bool taken;
};

static bool on_piece(void *self, struct json_piece piece)
{
	struct telling *t = self;
	struct scratch *scratch = &cluster.bed.scratch;
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, scratch, &t->object.value));
	t->taken = cluster.sink.object(cluster.sink.self, &t->object, scratch);
	return true;
}

bool cluster_batches;

bool cluster_tell(enum kube_kind kind, enum kube_watch_type type, const char *json)
{
	static _Alignas(16) char block[70000];
	char text[2048];
	struct telling t = {.object = {.kind = kind, .type = type, .api_version = "v1"}};
	TEST_ASSERT_TRUE(strlen(json) < sizeof(text));
	strcpy(text, json);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	struct json_cut *cut = json_cut_init(block, sizeof(block), 32768);
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, on_piece, &t);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, text_of(text)));
	scratch_reset(&cluster.bed.scratch);
	if (!cluster_batches)
		scheduler_requeue_for_changes(&cluster.s);
	return t.taken;
}

void cluster_feed(enum kube_kind kind, const char *format, ...)
{
	char json[1024];
	va_list args;
	va_start(args, format);
	vsnprintf(json, sizeof(json), format, args);
	va_end(args);
	TEST_ASSERT_TRUE_MESSAGE(cluster_tell(kind, KUBE_WATCH_ADDED, json), json);
}

void cluster_add_node(const char *name, const char *version)
{
	cluster_feed(KUBE_NODE,
		"{'metadata':{'name':'%s','resourceVersion':'%s','labels':{'v':'%s'}},'status':{"
		"'allocatable':{'cpu':'4','memory':'4Gi','pods':'110'}}}",
		name, version, version);
}

void cluster_add_pod(const char *name, bool cares, const char *cpu, const char *node)
{
	char path[128], body[256];
	cluster_feed(KUBE_POD,
		"{'metadata':{'name':'%s','namespace':'default','uid':'%s','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler'%s%s%s,'containers':[{'name':'c',"
		"'resources':{'requests':{'cpu':'%s'%s}}}]}}",
		name, name, *node == '\0' ? "" : ",'nodeName':'", node, *node == '\0' ? "" : "'",
		cpu, cares ? ",'example.com/gpu':'1'" : "");
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s", name);
	if (*node != '\0')
		return;
	snprintf(body, sizeof(body),
		"{'kind':'Pod','metadata':{'name':'%s','namespace':'default','uid':'%s'},'spec':{}"
		"}",
		name, name);
	(void)bed_says(&cluster.bed, path, body);
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	bed_says(&cluster.bed, path, "{}")->status = 201;
}

void cluster_run(int64_t ms)
{
	int64_t until_us = cluster.bed.wire.network.now_us + ms * CLOCK_MS_US;
	while (cluster.bed.wire.network.now_us < until_us)
		scheduler_turn(&cluster.s,
			until_us - cluster.bed.wire.network.now_us < TURN_US
				? until_us - cluster.bed.wire.network.now_us
				: TURN_US);
	queue_audit(&cluster.s.queue);
	cache_audit(&cluster.s.cache);
}

const char *cluster_bound_to(const char *name)
{
	static char node[64];
	char path[128];
	snprintf(path, sizeof(path), "/api/v1/namespaces/default/pods/%s/binding", name);
	const struct bed_script *script = NULL;
	for (uint32_t i = 0; i < cluster.bed.script_count; i++)
		if (strcmp(cluster.bed.scripts[i].path, path) == 0)
			script = &cluster.bed.scripts[i];
	TEST_ASSERT_NOT_NULL(script);
	TEST_ASSERT_TRUE(script->asked <= 1);
	const char *at = strstr(script->seen, "\"kind\":\"Node\",\"name\":\"");
	snprintf(node, sizeof(node), "%.*s", at == NULL ? 0 : (int)strcspn(at + 22, "\""),
		at == NULL ? "" : at + 22);
	return node;
}

/* ---- setting up ---- */

struct scheduler_lease cluster_lease;
bool cluster_follows_release;
static struct plugin_profile of_releases[KUBE_RELEASES];
void (*cluster_make_profile)(struct cache *cache, struct plugin_profile *profile);
struct scheduler_limits cluster_limits = {
	.cache = {.nodes = 16,
		.pods = 64,
		.statuses = 64,
		.objects = 16,
		.classes = 64,
		.label_sets = 64,
		.strings = 1024,
		.images = 16,
		.counters = 16,
		.changes = 16,
		.store_bytes = 1 << 19},
	.cycle = {.nodes = 16, .rows = 4, .scratch_bytes = 1 << 20},
	.queue = 64,
	.bindings = 16,
	.patches = 32,
	.victims = 16,
	.pre_binds = 4,
	.events = 64,
	.series = 64,
	.scratch_bytes = 1 << 18,
};

void cluster_open(void (*extender)(struct scheduler_extender *config))
{
	char words[256];
	struct writer fault;
	bed_init(&cluster.bed, extender == NULL ? 0 : 1);
	cluster.bed.configs[0].managed = (struct config_list){&gpu, 1};
	if (extender != NULL)
		extender(&cluster.bed.configs[0]);
	bed_open_network(&cluster.bed);
	memset(&cluster.s, 0, sizeof(cluster.s));
	scheduler_init(&cluster.s,
		&(struct scheduler_setup){.net = cluster.bed.net,
			.client = cluster.bed.client,
			.arena = &cluster.bed.arena,
			.clock = fake_server_clock(&cluster.bed.wire),
			.entropy = entropy_seeded(&cluster.bed.random),
			.limits = cluster_limits,
			.lease = cluster_lease,
			.backoff_initial_us = CLOCK_S_US,
			.backoff_max_us = 10 * CLOCK_S_US,
			.unschedulable_max_us = 300 * CLOCK_S_US,
			.hostname = TEXT("test"),
			.follows_release = cluster_follows_release});
	const struct feature_choices none = {.given = {0}};
	for (uint32_t r = 0; r < KUBE_RELEASES; r++) {
		struct feature_gates gates;
		feature_gates_set(&gates, &none, (enum kube_release)r);
		profile_defaults_with(&cluster.s.cache, &gates, &of_releases[r]);
	}
	if (cluster_make_profile == NULL)
		profile_defaults(&cluster.s.cache, &cluster.profile);
	else
		cluster_make_profile(&cluster.s.cache, &cluster.profile);
	TEST_ASSERT_TRUE(intern_take(&cluster.s.cache.strings, TEXT("example.com/gpu"),
		&PLUGIN_ARGS_OF(&cluster.profile, FIT, fit_args)->ignored[0]));
	PLUGIN_ARGS_OF(&cluster.profile, FIT, fit_args)->ignored_count = 1;
	writer_init(&fault, words, sizeof(words));
	if (extender != NULL)
		TEST_ASSERT_TRUE(scheduler_open_extenders(&cluster.s, &cluster.bed.list, &fault));
	TEST_ASSERT_TRUE(scheduler_start(
		&cluster.s, cluster_follows_release ? of_releases : &cluster.profile, 1));
	cluster.s.sync.known = UINT32_MAX; /* the test tells what there is */
	cluster.sink = scheduler_sink(&cluster.s);
	for (char name[] = "n1"; name[1] <= '3'; name[1]++)
		cluster_add_node(name, "1");
}

void cluster_close(void)
{
	scheduler_close(&cluster.s);
	bed_close_network(&cluster.bed);
}
