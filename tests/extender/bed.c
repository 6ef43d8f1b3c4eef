/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of extenders stand on. */
#include "extender/bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unity.h>

#include "base/budget.h"
#include "cache/feed.h"
#include "json/json.h"

enum { MEMORY = 192 << 20, SCRATCH = 1 << 18 };

static const struct cache_limits limits = {.nodes = 16,
	.pods = 64,
	.statuses = 64,
	.objects = 16,
	.classes = 64,
	.label_sets = 64,
	.strings = 1024,
	.images = 16,
	.counters = 16,
	.store_bytes = 1 << 19};

/* ---- the servers ---- */

static struct bed_script *find(struct bed *bed, struct text path)
{
	for (uint32_t i = bed->script_count; i > 0; i--)
		if (text_is_z(path, bed->scripts[i - 1].path))
			return &bed->scripts[i - 1];
	return NULL;
}

static void reply(struct bed *bed, const struct bed_reply *r)
{
	struct text body = text_of(r->script->body);
	char head[256];
	if (r->script->cut_after < 0) {
		fake_server_reply(&bed->wire, r->stream, r->script->status, "", body);
		return;
	}
	snprintf(head, sizeof(head), "HTTP/1.1 %d Half\r\nContent-Length: %zu\r\n\r\n",
		r->script->status, body.size);
	fake_server_send_z(&bed->wire, r->stream, head);
	fake_server_send(&bed->wire, r->stream, text_first(body, (size_t)r->script->cut_after));
	fake_server_cut(&bed->wire, r->stream);
}

static void answer(void *self, struct fake_server *wire, const struct fake_request *request)
{
	struct bed *bed = self;
	uint32_t stream = request->stream;
	struct bed_script *script = find(bed, request->path);
	TEST_ASSERT_EQUAL(request->body.size > 0, !text_is_z(request->method, "GET"));
	if (script == NULL) {
		/* Of lists: not now. What they would say is fed to the cache. */
		bool lists = text_contains(request->path, TEXT("limit=500"));
		fake_server_reply(wire, stream, lists ? 503 : 404, "", TEXT("{}"));
		return;
	}
	script->asked++;
	snprintf(script->seen, sizeof(script->seen), "%.*s", TEXT_ARGS(request->body));
	if (script->refuses > 0) {
		script->refuses--;
		fake_server_cut(wire, stream);
		return;
	}
	const struct bed_reply r = {
		stream, wire->network.now_us + script->delay_ms * CLOCK_MS_US, script};
	if (script->delay_ms == 0)
		reply(bed, &r);
	else
		bed->replies[stream] = r;
}

static int64_t pump(void *self, struct fake_server *wire)
{
	struct bed *bed = self;
	int64_t next = INT64_MAX;
	for (uint32_t i = 1; i <= FAKE_STREAMS; i++) {
		struct bed_reply *r = &bed->replies[i];
		if (r->script == NULL)
			continue;
		if (r->due_us > wire->network.now_us) {
			next = r->due_us < next ? r->due_us : next;
			continue;
		}
		reply(bed, r);
		r->script = NULL;
	}
	return next;
}

static void closed(void *self, struct fake_server *wire, uint32_t stream)
{
	struct bed *bed = self;
	(void)wire;
	bed->replies[stream].script = NULL;
}

struct bed_script *bed_says(struct bed *bed, const char *path, const char *body)
{
	struct bed_script *script = find(bed, text_of(path));
	if (script == NULL) {
		TEST_ASSERT_TRUE(bed->script_count < BED_SCRIPTS);
		script = &bed->scripts[bed->script_count++];
		snprintf(script->path, sizeof(script->path), "%s", path);
	}
	free(script->body);
	script->body = strdup(body);
	TEST_ASSERT_NOT_NULL(script->body);
	for (char *c = script->body; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	script->status = 200;
	script->cut_after = -1;
	script->delay_ms = 0;
	return script;
}

/* ---- the picture ---- */

struct feeding {
	struct bed *bed;
	enum kube_kind kind;
	uint32_t index;
};

static bool on_piece(void *self, struct json_piece piece)
{
	struct feeding *f = self;
	struct json_value value;
	struct cache_fed fed;
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, &f->bed->scratch, &value));
	TEST_ASSERT_TRUE(cache_feed(&f->bed->cache, &f->bed->scratch, f->kind, value, &fed));
	f->index = fed.index;
	return true;
}

uint32_t bed_feed(struct bed *bed, enum kube_kind kind, const char *json)
{
	static _Alignas(16) char block[70000];
	struct feeding f = {bed, kind, 0};
	char *text = strdup(json);
	TEST_ASSERT_NOT_NULL(text);
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	struct json_cut *cut = json_cut_init(block, sizeof(block), 32768);
	json_cut_start(cut, JSON_CUT_LINES, NULL, NULL, on_piece, &f);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, text_of(text)));
	free(text);
	scratch_reset(&bed->scratch);
	return f.index;
}

static const char pod_json[] =
	"{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p','namespace':'default','uid':"
	"'11111111-2222-3333-4444-555555555555','resourceVersion':'5','annotations':{'a':'b'},"
	"'managedFields':[{'manager':'kubectl'}]},'spec':{'schedulerName':'default-scheduler',"
	"'containers':[{'name':'c','env':[{'name':'X','value':'y'}],'resources':{'limits':{"
	"'example.com/gpu':'1'}}}]}}";

/* ---- setting up ---- */

static void asked(void *self, uint32_t ask)
{
	struct bed *bed = self;
	TEST_ASSERT_TRUE(ask >= 1 && ask <= EXTENDER_ASKS);
	bed->done[ask]++;
}

void bed_init(struct bed *bed, uint32_t extenders)
{
	static const char *const urls[BED_EXTENDERS] = {
		"http://127.0.0.1:9/a/", "http://127.0.0.1:9/b", "http://127.0.0.1:9/c"};
	memset(bed, 0, sizeof(*bed));
	for (uint32_t i = 0; i < BED_EXTENDERS; i++)
		bed->configs[i] = (struct scheduler_extender){.url_prefix = text_of(urls[i]),
			.filter_verb = TEXT("filter"),
			.weight = 1,
			.timeout_us = 5 * CLOCK_S_US,
			.node_cache_capable = true};
	bed->list = (struct config_list){bed->configs, extenders};
}

void bed_open_network(struct bed *bed)
{
	const struct net_target target = {.name = "test",
		.host = {"127.0.0.1", 9},
		.port = 8080,
		.path_prefix = {"", 0},
		.connections = 4};
	char words[256];
	struct writer fault;
	budget_reset();
	fake_server_init(&bed->wire);
	bed->wire.answer = answer;
	bed->wire.pump = pump;
	bed->wire.closed = closed;
	bed->wire.self = bed;
	bed->memory = calloc(1, MEMORY);
	TEST_ASSERT_NOT_NULL(bed->memory);
	if (bed->budget == NULL)
		arena_init_zeroed(&bed->arena, bed->memory, MEMORY);
	else
		arena_init_counted(&bed->arena, bed->memory, MEMORY, bed->budget);
	random_init(&bed->random, 7);
	bed->net = net_init(&(struct net_setup){.arena = &bed->arena,
		.clock = fake_server_clock(&bed->wire),
		.entropy = entropy_seeded(&bed->random),
		.bytes = fake_server_bytes(&bed->wire)});
	writer_init(&fault, words, sizeof(words));
	bed->client = net_client_open(bed->net, &bed->arena, &target, &fault);
	TEST_ASSERT_NOT_NULL(bed->client);
	scratch_init(&bed->scratch, arena_take_raw(&bed->arena, SCRATCH), SCRATCH);
}

void bed_open(struct bed *bed)
{
	char words[256];
	struct writer fault;
	bed_open_network(bed);
	writer_init(&fault, words, sizeof(words));
	cache_init(&bed->cache, &bed->arena, &limits);
	for (uint32_t i = 1; i <= BED_NODES; i++) {
		char json[256];
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'n%u','resourceVersion':'1'},'status':{'allocatable':{"
			"'cpu':'4','pods':'110'}}}",
			(unsigned)i);
		bed->nodes[i] = bed_feed(bed, KUBE_NODE, json);
	}
	bed->pod = bed_feed(bed, KUBE_POD, pod_json);
	(void)bed_says(bed, "/api/v1/namespaces/default/pods/p", pod_json);
	bed->api = api_client_open(&(struct api_setup){.net = bed->net,
		.server = bed->client,
		.arena = &bed->arena,
		.entropy = entropy_seeded(&bed->random),
		.answers_max = 8});
	size_t before = arena_left(&bed->arena);
	bed->extenders = extenders_open(&(struct extenders_setup){.net = bed->net,
						.apiserver = bed->client,
						.api = bed->api,
						.arena = &bed->arena,
						.cache = &bed->cache,
						.list = &bed->list,
						.nodes = limits.nodes,
						.done = asked,
						.self = bed},
		&fault);
	TEST_ASSERT_NOT_NULL_MESSAGE(bed->extenders, words);
	TEST_ASSERT_TRUE(
		before - arena_left(&bed->arena) <= extenders_size(&bed->list, limits.nodes));
	bed->strings = 0;
	for (uint32_t i = 1; i <= BED_NODES; i++)
		bed->strings += intern_references(
			&bed->cache.strings, cache_node_at(&bed->cache, bed->nodes[i])->name);
}

void bed_close(struct bed *bed)
{
	extenders_close(bed->extenders);
	api_client_close(bed->api);
	uint32_t strings = 0;
	for (uint32_t i = 1; i <= BED_NODES; i++)
		if (pool_is_taken(&bed->cache.nodes, bed->nodes[i]))
			strings += intern_references(&bed->cache.strings,
				cache_node_at(&bed->cache, bed->nodes[i])->name);
	TEST_ASSERT_TRUE_MESSAGE(strings <= bed->strings, "a name is still held");
	cache_audit(&bed->cache);
	bed_close_network(bed);
}

void bed_close_network(struct bed *bed)
{
	net_client_close(bed->client);
	net_close(bed->net);
	free(bed->memory);
	fake_server_free(&bed->wire);
	for (uint32_t i = 0; i < bed->script_count; i++)
		free(bed->scripts[i].body);
}

/* ---- asking ---- */

uint32_t bed_ask(struct bed *bed, uint32_t node_count)
{
	uint32_t ask = extender_ask(bed->extenders,
		&(struct extender_order){.pod = bed->pod,
			.path = TEXT("/api/v1/namespaces/default/pods/p"),
			.nodes = node_count == 0 ? NULL : bed->nodes + 1,
			.node_count = node_count});
	bed->done[ask] = 0;
	return ask;
}

void bed_run(struct bed *bed, int64_t ms)
{
	int64_t until_us = bed->wire.network.now_us + ms * CLOCK_MS_US;
	while (bed->wire.network.now_us < until_us)
		net_poll(bed->net, until_us - bed->wire.network.now_us);
}

void bed_wait(struct bed *bed, uint32_t ask, int64_t ms)
{
	int64_t until_us = bed->wire.network.now_us + ms * CLOCK_MS_US;
	while (bed->done[ask] == 0) {
		TEST_ASSERT_TRUE_MESSAGE(
			bed->wire.network.now_us < until_us, "an ask does not come to its end");
		net_poll(bed->net, until_us - bed->wire.network.now_us);
	}
	TEST_ASSERT_EQUAL(1, bed->done[ask]);
}

const char *bed_verdicts(const struct bed *bed, uint32_t ask)
{
	static char letters[BED_NODES + 1];
	const struct extender_words *words = extender_words(bed->extenders, ask);
	for (uint32_t i = 0; i < BED_NODES; i++) {
		const struct extender_word *word =
			extender_word_of(words, &bed->cache, bed->nodes[i + 1]);
		letters[i] = word == NULL ? '-' : "?KDFU?"[word->verdict];
	}
	return letters;
}

void bed_expect_error(const struct bed *bed, uint32_t ask, const char *error)
{
	struct text is = extender_error(bed->extenders, ask);
	char room[EXTENDER_ERROR_MAX + 1];
	TEST_ASSERT_TRUE(text_copy(is, room, sizeof(room)));
	TEST_ASSERT_EQUAL_STRING(error, room);
}
