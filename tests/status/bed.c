/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that status/ needs around it. */
#include "status/bed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unity.h>

#include "base/budget.h"
#include "base/log.h"
#include "base/memory.h"
#include "cache/feed.h"
#include "config/options.h"
#include "profile/profile.h"
#include "json/json.h"
#include "tls/tls.h"

enum {
	MEMORY = 96 << 20,
	APISERVER = 6443,
	NODES = 64,
	PODS = 512,
	SCRATCH = 1 << 20,
	STREAMS = 200,
	TURNS = 2000
};

struct scheduler bed_scheduler;
struct options bed_options;
struct status *bed_status;
struct net *bed_net;
struct loopback bed_loopback;
const char *bed_peer;
uint32_t bed_tokens, bed_accesses, bed_groups;
const char *bed_may;
const char *bed_lists;
const char *bed_map;
bool bed_real;
int64_t bed_tick_us;
uint32_t bed_ticks;
struct net_bytes bed_bytes;
char bed_asked[4096];

static void *memory;
static struct arena arena;
static struct net_client *client;
static struct net_server *apiserver;
static struct plugin_profile profile;
static struct bed_client talk;
static struct scratch scratch;

/* ---- the apiserver ---- */

static bool may_list(struct text body)
{
	static const char *const resources[] = {"pods", "nodes"};
	char part[128];
	for (size_t i = 0; i < ARRAY_COUNT(resources); i++) {
		snprintf(part, sizeof(part),
			"\"resourceAttributes\":{\"verb\":\"list\",\"version\":\"v1\",\"resource\":"
			"\"%s\"}",
			resources[i]);
		if (text_contains(body, text_of(part)))
			return strstr(bed_lists, resources[i]) != NULL;
	}
	return false;
}

/* Lent to the exchange. */
static char many[16 * 1024];
static void answer_many_groups(struct net_exchange *e, const struct net_head *head)
{
	struct writer w;
	writer_init(&w, many, sizeof(many));
	write_z(&w,
		"{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"carla\","
		"\"groups\":[\"people\",\"system:authenticated\"");
	for (uint32_t i = 0; i < 199; i++)
		write_format(&w, ",\"5f3c8d1e-7a42-4b6f-9c0d-%012u\"", i);
	write_z(&w, "]}}}");
	TEST_ASSERT_FALSE(w.overflowed);
	net_exchange_reply(e, head, writer_text(&w));
}

static uint32_t count_groups(struct text body)
{
	uint32_t count = 0;
	for (size_t i = text_find(body, '['); i < body.size && body.at[i] != ']'; i++)
		count += body.at[i] == ',';
	return count;
}

static void on_request(struct net_exchange *e)
{
	char answer[512];
	char room[256];
	if (e->method == NET_POST)
		snprintf(bed_asked, sizeof(bed_asked), "%.*s", TEXT_ARGS(e->body));
	struct net_head head = {.status = 201, .content_type = "application/json"};
	if (text_ends(e->path, TEXT("/tokenreviews"))) {
		bed_tokens++;
		bool carla = text_contains(e->body, TEXT("\"carla-token\""));
		bool root = text_contains(e->body, TEXT("\"root-token\""));
		if (text_contains(e->body, TEXT("\"many-groups.aaa"))) {
			answer_many_groups(e, &head);
			return;
		}
		snprintf(answer, sizeof(answer),
			"{\"kind\":\"TokenReview\",\"spec\":{\"token\":\"x\"},\"status\":{"
			"\"authenticated\":%s,\"user\":{\"username\":\"%s\",\"groups\":[\"%s\"]}}}",
			carla || root ? "true" : "false", carla ? "carla" : "root",
			root ? "system:masters" : "people");
		net_exchange_reply(e, &head, text_of(answer));
	} else if (text_ends(e->path, TEXT("/subjectaccessreviews"))) {
		bed_accesses++;
		bed_groups = count_groups(e->body);
		snprintf(room, sizeof(room), "\"path\":\"%s\"", bed_may);
		bool may = (text_contains(e->body, text_of(room)) || may_list(e->body)) &&
			text_contains(e->body,
				TEXT("\"user\":\"carla\",\"groups\":[\"people\",\"system:"
				     "authenticated\""));
		net_exchange_reply(e, &head,
			may ? TEXT("{\"status\":{\"allowed\":true}}")
			    : TEXT("{\"status\":{\"allowed\":false,\"reason\":\"no\"}}"));
	} else if (text_ends(e->path, TEXT("/extension-apiserver-authentication"))) {
		head.status = bed_map == NULL ? 404 : 200;
		net_exchange_reply(e, &head, bed_map == NULL ? TEXT("{}") : text_of(bed_map));
	} else {
		head.status = 503;
		net_exchange_reply(e, &head, TEXT("{}"));
	}
}

/* ---- setting up ---- */

static uint32_t (*accept_of_loopback)(void *, uint32_t, struct net_address *);
static uint32_t accept_from(void *self, uint32_t listener, struct net_address *peer)
{
	uint32_t stream = accept_of_loopback(self, listener, peer);
	if (stream != 0)
		TEST_ASSERT_TRUE(net_address_parse(text_of(bed_peer), 4321, peer));
	return stream;
}

void bed_init(void)
{
	budget_reset();
	loopback_init(&bed_loopback);
	bed_peer = "192.0.2.7";
	bed_may = "/metrics";
	bed_lists = "";
	bed_map = NULL;
	bed_real = false;
	bed_tick_us = bed_ticks = 0;
	bed_tokens = bed_accesses = 0;
	memset(&bed_options, 0, sizeof(bed_options));
	scheduler_config_defaults(&bed_options.config);
	bed_options.authentication_tolerate_lookup_failure = true;
	bed_options.requestheader_username_headers =
		(struct options_words){{TEXT("x-remote-user")}, 1};
	bed_options.requestheader_group_headers =
		(struct options_words){{TEXT("x-remote-group")}, 1};
	bed_options.requestheader_extra_prefixes =
		(struct options_words){{TEXT("x-remote-extra-")}, 1};
	bed_options.bind_address = "127.0.0.1";
	bed_options.http_address = "127.0.0.1";
	bed_options.http_port = BED_PLAIN;
	bed_options.always_allow_paths =
		(struct options_words){{TEXT("/healthz"), TEXT("/readyz"), TEXT("/livez")}, 3};
	bed_options.token_ttl_us = bed_options.authorized_ttl_us = bed_options.unauthorized_ttl_us =
		10 * CLOCK_S_US;
}

static struct scheduler_limits limits(void)
{
	return (struct scheduler_limits){
		.cache = {.nodes = NODES,
			.pods = PODS,
			.statuses = PODS,
			.objects = 64,
			.classes = 128,
			.label_sets = 256,
			.strings = 4096,
			.images = 64,
			.counters = 64,
			.changes = 16,
			.store_bytes = 1 << 20},
		.cycle = {.nodes = NODES, .rows = 8, .scratch_bytes = 1 << 20},
		.queue = PODS,
		.bindings = 16,
		.patches = 32,
		.victims = 16,
		.pre_binds = 8,
		.events = 64,
		.series = 64,
		.scratch_bytes = SCRATCH,
		.history_bytes = 64 << 10,
	};
}

/*
 * One that nobody listens at now, below those that connections are given by themselves: whoever is
 * tested at the same time does not take it before we do.
 */
static int free_port(void)
{
	static uint32_t tried;
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	bool is_free = false;
	int port = 0;
	for (int i = 0; i < 100 && !is_free; i++) {
		port = 20000 + (int)(((uint32_t)getpid() * 8 + tried++) % 12000);
		at.sin_port = htons((uint16_t)port);
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		is_free = bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
		(void)close(fd);
	}
	TEST_ASSERT_TRUE(is_free);
	return port;
}

/* Whoever measures how long something took finds that it took a while. */
static struct mono ticking(void *self)
{
	struct loopback *loopback = self;
	loopback->now_us += bed_tick_us;
	bed_ticks++;
	return (struct mono){loopback->now_us};
}

static struct clock clock_of_bed(void)
{
	struct clock clock = loopback_clock(&bed_loopback);
	clock.mono = ticking;
	return bed_real ? clock_system() : clock;
}

static void open_network(void)
{
	bed_bytes = bed_real ? net_socket_bytes(&arena, STREAMS) : loopback_bytes(&bed_loopback);
	if (bed_real) {
		bed_options.http_port = free_port();
		bed_options.secure_port = free_port();
	} else {
		accept_of_loopback = bed_bytes.accept;
		bed_bytes.accept = accept_from;
	}
	bed_net = net_init(&(struct net_setup){.arena = &arena,
		.clock = clock_of_bed(),
		.entropy = entropy_system(),
		.bytes = bed_bytes});
	tls_setup(&arena, bed_options.secure_port != 0 ? STATUS_CONNECTIONS + 40 : 0,
		entropy_system());
}

static void open_scheduler(void)
{
	memset(&bed_scheduler, 0, sizeof(bed_scheduler));
	scheduler_init(&bed_scheduler,
		&(struct scheduler_setup){.net = bed_net,
			.client = client,
			.arena = &arena,
			.clock = clock_of_bed(),
			.entropy = entropy_system(),
			.limits = limits(),
			.backoff_initial_us = CLOCK_S_US,
			.backoff_max_us = 10 * CLOCK_S_US,
			.unschedulable_max_us = 300 * CLOCK_S_US,
			.hostname = TEXT("test")});
	const struct feature_choices none = {.given = {0}};
	struct feature_gates gates;
	feature_gates_set(&gates, &none, bed_options.config.gates.release);
	profile_defaults_with(&bed_scheduler.cache, &gates, &profile);
	TEST_ASSERT_TRUE(scheduler_start(&bed_scheduler, &profile, 1));
}

void bed_open(void)
{
	char words[256];
	struct writer fault;
	log_to(-1);
	memory = calloc(1, MEMORY);
	TEST_ASSERT_NOT_NULL(memory);
	arena_init_zeroed(&arena, memory, MEMORY);
	scratch_init(&scratch, arena_take_raw(&arena, SCRATCH), SCRATCH);
	open_network();
	writer_init(&fault, words, sizeof(words));
	struct net_server_setup setup = {.name = "apiserver",
		.connections_max = 40,
		.body_room = 24 * 1024,
		.on_request = on_request};
	TEST_ASSERT_TRUE(
		net_address_parse(TEXT("127.0.0.1"), bed_real ? 0 : APISERVER, &setup.address));
	apiserver = net_server_open(bed_net, &arena, &setup, &fault);
	TEST_ASSERT_NOT_NULL(apiserver);
	client = net_client_open(bed_net, &arena,
		&(struct net_target){.name = "apiserver",
			.host = TEXT("127.0.0.1"),
			.port = net_server_port(apiserver),
			.watch_connections = KUBE_KINDS,
			.connections = 8},
		&fault);
	TEST_ASSERT_NOT_NULL(client);
	open_scheduler();
	bed_status = status_open(&(struct status_setup){.scheduler = &bed_scheduler,
					 .net = bed_net,
					 .client = client,
					 .arena = &arena,
					 .options = &bed_options,
					 .explanation_bytes = 256 * 1024},
		&fault);
	words[fault.used < 255 ? fault.used : 255] = '\0';
	TEST_ASSERT_NOT_NULL_MESSAGE(bed_status, words);
}

void bed_close(void)
{
	if (memory == NULL)
		return;
	scheduler_audit(&bed_scheduler);
	if (bed_status != NULL)
		status_close(bed_status);
	scheduler_close(&bed_scheduler);
	net_client_close(client);
	net_server_close(apiserver);
	net_close(bed_net);
	tls_teardown();
	if (bed_real)
		net_socket_close(&bed_bytes);
	struct arena whole;
	arena_init(&whole, memory, MEMORY); /* lifts the poison */
	free(memory);
	memory = NULL;
	budget_reset();
}

void bed_turns(uint32_t turns)
{
	while (turns-- > 0)
		net_poll(bed_net, 1000);
}

/* ---- the picture ---- */

static bool on_piece(void *self, struct json_piece piece)
{
	struct json_value value;
	struct cache_fed fed;
	enum kube_kind kind = *(enum kube_kind *)self;
	TEST_ASSERT_EQUAL(JSON_PARSED, json_parse(piece.text, &scratch, &value));
	TEST_ASSERT_TRUE(cache_feed(&bed_scheduler.cache, &scratch, kind, value, &fed));
	return true;
}

void bed_add(enum kube_kind kind, const char *json)
{
	static char block[70000];
	char text[2048];
	size_t size = strlen(json);
	struct json_cut *cut = json_cut_init(block, sizeof(block), 32768);
	TEST_ASSERT_TRUE(size < sizeof(text));
	for (size_t i = 0; i <= size; i++)
		text[i] = json[i] == '\'' ? '"' : json[i];
	json_cut_start(cut, JSON_CUT_LINES, kube_any_want, NULL, on_piece, &kind);
	TEST_ASSERT_EQUAL(JSON_CUT_MORE, json_cut_feed(cut, (struct text){text, size}));
	scheduler_requeue_for_changes(&bed_scheduler);
	scratch_reset(&scratch);
}

void bed_fill(void)
{
	char json[512];
	for (int i = 1; i <= 3; i++) {
		snprintf(json, sizeof(json),
			"{'metadata':{'name':'n%d','uid':'n%d','resourceVersion':'1','labels':{"
			"'topology.kubernetes.io/zone':'z%d'}},'spec':{%s},'status':{'allocatable':"
			"{'cpu':'4','memory':'8Gi','pods':'110'}}}",
			i, i, i % 2,
			i == 3 ? "'taints':[{'key':'a','value':'<b>','effect':'NoSchedule'}]" : "");
		bed_add(KUBE_NODE, json);
	}
	bed_add(KUBE_POD,
		"{'metadata':{'name':'big','namespace':'d','uid':'1','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources':"
		"{'requests':{'cpu':'64'}}}]}}");
	bed_add(KUBE_POD,
		"{'metadata':{'name':'small','namespace':'d','uid':'2','resourceVersion':'1'},"
		"'spec':{'schedulerName':'default-scheduler','containers':[{'name':'c','resources':"
		"{'requests':{'cpu':'1'}}}]}}");
	bed_scheduler.sync.known |= SCHEDULER_VITAL_KINDS;
}

struct net_client *bed_client(void)
{
	return client;
}

/* ---- clients ---- */

void bed_dial(struct bed_client *c)
{
	struct net_bytes bytes = bed_bytes;
	struct net_address to;
	TEST_ASSERT_TRUE(net_address_parse(TEXT("127.0.0.1"), status_port(bed_status, false), &to));
	c->stream = bytes.open(bytes.self, NET_STREAM_TCP, &to);
	c->size = 0;
	c->ended = false;
	c->heard[0] = '\0';
	bed_turns(2);
}

void bed_say(struct bed_client *c, const char *text)
{
	struct net_bytes bytes = bed_bytes;
	size_t left = strlen(text);
	for (uint32_t i = 0; left > 0 && i < TURNS; i++) {
		size_t sent = bytes.send(bytes.self, c->stream, text, left);
		text += sent;
		left -= sent;
		if (left > 0)
			bed_turns(1);
	}
	TEST_ASSERT_EQUAL(0, left);
}

void bed_hear(struct bed_client *c)
{
	struct net_bytes bytes = bed_bytes;
	struct text part = bytes.received(bytes.self, c->stream);
	TEST_ASSERT_TRUE(part.size < BED_HEARD_MAX - c->size);
	if (part.size > 0)
		memcpy(c->heard + c->size, part.at, part.size);
	c->size += part.size;
	c->heard[c->size] = '\0';
	bytes.drop(bytes.self, c->stream, part.size);
	c->ended = bytes.state(bytes.self, c->stream) != NET_STREAM_OPEN &&
		bytes.state(bytes.self, c->stream) != NET_STREAM_CONNECTING;
}

void bed_hang_up(struct bed_client *c)
{
	struct net_bytes bytes = bed_bytes;
	bytes.close(bytes.self, c->stream);
}

/* Chunks are put together, so that tests see the body. */
static void unchunk(struct bed_client *c)
{
	char *body = strstr(c->heard, "\r\n\r\n");
	char *to = body == NULL ? NULL : body + 4;
	char *from = to;
	if (to == NULL || strstr(c->heard, "chunked") == NULL || strstr(c->heard, "chunked") > body)
		return;
	for (;;) {
		char *end;
		size_t size = strtoul(from, &end, 16);
		TEST_ASSERT_EQUAL('\r', *end);
		if (size == 0)
			break;
		memmove(to, end + 2, size);
		to += size;
		from = end + 2 + size + 2;
	}
	*to = '\0';
}

const char *bed_send(const char *request)
{
	bed_dial(&talk);
	bed_say(&talk, request);
	for (uint32_t i = 0; i < TURNS && !talk.ended; i++) {
		bed_turns(1);
		bed_hear(&talk);
	}
	TEST_ASSERT_TRUE_MESSAGE(talk.ended, "no end of the answer");
	bed_hang_up(&talk);
	unchunk(&talk);
	return talk.heard;
}

const char *bed_get(const char *path)
{
	char request[16 * 1024];
	size_t size = strcspn(path, "\n");
	snprintf(request, sizeof(request), "GET %.*s HTTP/1.1\r\n%sConnection: close\r\n%s\r\n",
		(int)size, path, strstr(path, "\nHost:") != NULL ? "" : "Host: status.example\r\n",
		path[size] == '\n' ? path + size + 1 : "");
	return bed_send(request);
}

const char *bed_post(const char *path, const char *headers, const char *body)
{
	static char request[300 * 1024];
	snprintf(request, sizeof(request),
		"POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
		"%zu\r\n%s\r\n%s",
		path, strlen(body), headers, body);
	return bed_send(request);
}

const char *bed_body(void)
{
	const char *body = strstr(talk.heard, "\r\n\r\n");
	TEST_ASSERT_NOT_NULL(body);
	return body + 4;
}

uint32_t bed_code(void)
{
	return (uint32_t)strtoul(talk.heard + 9, NULL, 10);
}
