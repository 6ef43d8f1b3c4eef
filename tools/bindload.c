/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bindload: what an apiserver can take. Binds pods that are there to nodes in turn, over a number
 * of connections, and does nothing else: the measure of a scheduler's throughput.
 *
 *	bindload --kubeconfig FILE [--connections N] PODS NODES
 *	bindload --kubeconfig FILE [--connections N] --create PER-SECOND PODS
 *
 * The pods are pod-0 ... pod-(PODS-1) of the namespace default, the nodes node-0 ...
 * node-(NODES-1). The clock runs when all connections stand. Prints one line, DONE FAILED
 * MICROSECONDS, and ends with status 1 when something failed.
 *
 * The second form makes those pods, evenly in time, and before that line prints of each when it was
 * asked for: POD MICROSECONDS-SINCE-1970.
 */
// deps: base/*.c net/*.c tls/*.c http/*.c base/url.c yaml/yaml.c yaml/memory.c yaml/scalar.c
// deps: config/file.c
// deps: json/write.c config/kubeconfig.c base/base64.c bind/body_binding.c api/api_path.c
// deps: command/target.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "bind/body.h"
#include "command/target.h"
#include "http/http.h"
#include "tls/tls.h"

enum {
	LOAD_MEMORY = 32 << 20,
	LOAD_SCRATCH = 1 << 20,
	LOAD_TURN_US = 200 * 1000,
	LOAD_CONNECTIONS_MAX = 256,
	LOAD_TEXT_MAX = 512,
	LOAD_TURN_LEAST_US = 200,
	LOAD_NAME_MAX = 32,
	LOAD_TIMEOUT_MS = 30 * 1000
};

struct slot {
	struct net_request request;
	bool warm; /* had its first answer */
	char path[LOAD_TEXT_MAX], body[LOAD_TEXT_MAX];
};

static struct {
	struct arena arena;
	struct scratch scratch;
	struct kubeconfig config;
	struct net *net;
	struct net_client *client;
	const char *path;
	uint64_t connections, pods, nodes;
	uint64_t rate; /* pods to make in a second; 0: they are there, and are bound */
	uint64_t warm, next, done, failed;
	struct mono began, ended;
	struct slot slots[LOAD_CONNECTIONS_MAX];
} load = {.connections = 8};
static const struct text namespace = {"default", 7};

static void die(const char *what)
{
	fprintf(stderr, "bindload: %s\n", what);
	exit(2);
}

static uint64_t number(const char *word)
{
	uint64_t value;

	if (!text_to_u64(text_of(word), &value) || value == 0)
		die("a number is wanted");
	return value;
}

static void read_arguments(int argc, char **argv)
{
	int i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (strcmp(argv[i], "--kubeconfig") == 0)
			load.path = argv[i + 1];
		else if (strcmp(argv[i], "--connections") == 0)
			load.connections = number(argv[i + 1]);
		else if (strcmp(argv[i], "--create") == 0)
			load.rate = number(argv[i + 1]);
		else
			die("no such flag");
	}
	if (load.path == NULL || argc - i != (load.rate == 0 ? 2 : 1))
		die("usage: bindload --kubeconfig FILE [--connections N] PODS NODES | "
		    "--create PER-SECOND PODS");
	load.pods = number(argv[i]);
	load.nodes = load.rate == 0 ? number(argv[i + 1]) : 1;
	if (load.connections > LOAD_CONNECTIONS_MAX)
		die("too many connections");
}

/* ---- the requests ---- */

static void write_binding(struct writer *path, struct writer *body)
{
	char pod[LOAD_NAME_MAX], node[LOAD_NAME_MAX];
	struct writer pod_w, node_w;

	writer_init(&pod_w, pod, sizeof(pod));
	writer_init(&node_w, node, sizeof(node));
	write_format(&pod_w, "pod-%llu", (unsigned long long)load.next);
	write_format(&node_w, "node-%llu", (unsigned long long)(load.next % load.nodes));
	CHECK(api_path_write(
		&(struct api_object){"/api/v1", namespace, "pods", writer_text(&pod_w), "binding"},
		path));
	body_binding(&(struct body_pod){.namespace = namespace, .name = writer_text(&pod_w)},
		writer_text(&node_w), body);
}

static void write_pod(struct writer *path, struct writer *body)
{
	const struct clock clock = clock_system();

	write_z(path, "/api/v1/namespaces/default/pods");
	write_format(body,
		"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"pod-%llu\","
		"\"labels\":{\"app\":\"bench\"}},\"spec\":{\"containers\":[{\"name\":\"main\","
		"\"image\":\"registry.example/program:1\",\"resources\":{\"requests\":{"
		"\"cpu\":\"50m\",\"memory\":\"64Mi\"}}}]}}",
		(unsigned long long)load.next);
	printf("pod-%llu %lld\n", (unsigned long long)load.next, (long long)clock_wall(&clock).us);
}

static void send_next(struct slot *slot)
{
	struct writer path, body;

	if (load.next == load.pods)
		return;
	writer_init(&path, slot->path, sizeof(slot->path));
	writer_init(&body, slot->body, sizeof(slot->body));
	(load.rate == 0 ? write_binding : write_pod)(&path, &body);
	CHECK(!path.overflowed && !body.overflowed);
	load.next++;
	slot->request.class = NET_LEASE; /* which may use all connections */
	slot->request.method = NET_POST;
	slot->request.path = writer_text(&path);
	slot->request.body = writer_text(&body);
	net_send(load.client, &slot->request);
}

static void begin(void)
{
	load.began = net_now(load.net);
	for (uint64_t i = 0; load.rate == 0 && i < load.connections; i++)
		send_next(&load.slots[i]);
}

/* The pods whose time has come, as far as there are connections; then those that are late. */
static void send_what_is_due(void)
{
	uint64_t passed = (uint64_t)mono_since_us(net_now(load.net), load.began);
	uint64_t due = passed * load.rate / CLOCK_S_US + 1;

	for (uint64_t i = 0; i < load.connections && load.next < due; i++)
		if (!net_is_active(&load.slots[i].request))
			send_next(&load.slots[i]);
}

static void on_done(struct net_request *request)
{
	struct slot *slot = (struct slot *)(void *)request;
	const struct net_answer *answer = &request->answer;

	if (!slot->warm) {
		if (answer->result != NET_OK || answer->status != 200)
			die(answer->result != NET_OK ? answer->detail : "no /version");
		slot->warm = true;
		if (++load.warm == load.connections)
			begin();
		return;
	}
	if (answer->result == NET_OK && answer->status == 201)
		load.done++;
	else
		load.failed++;
	load.ended = net_now(load.net);
	if (load.rate == 0)
		send_next(slot);
}

static enum net_flow on_body(struct net_request *request, struct text bytes)
{
	(void)request;
	(void)bytes;
	return NET_MORE;
}

static void warm_up(void)
{
	for (uint64_t i = 0; i < load.connections; i++) {
		struct net_request *request = &load.slots[i].request;

		request->class = NET_LEASE;
		request->method = NET_GET;
		request->path = TEXT("/version");
		request->timeout_ms = LOAD_TIMEOUT_MS;
		request->on_body = on_body;
		request->on_done = on_done;
		net_send(load.client, request);
	}
}

/* ---- start ---- */

static void start(void)
{
	char words[LOAD_TEXT_MAX];
	struct writer fault;
	uint64_t seed = 1;
	struct entropy entropy = entropy_system();
	const struct kubeconfig_question question = {.path = load.path};
	void *block = memory_reserve(LOAD_MEMORY);

	writer_init(&fault, words, sizeof(words) - 1);
	if (block == NULL || !entropy.fill(entropy.self, &seed, sizeof(seed)))
		die("no memory or no entropy");
	hash_seed(seed);
	arena_init_zeroed(&load.arena, block, LOAD_MEMORY);
	scratch_init(&load.scratch, arena_take_raw(&load.arena, LOAD_SCRATCH), LOAD_SCRATCH);
	if (kubeconfig_load(&load.config, &question, &load.arena, &load.scratch, &fault)) {
		struct net_target target = target_of_kubeconfig(&load.config);
		target.connections = (uint32_t)load.connections;

		load.net = net_init(&(struct net_setup){.arena = &load.arena,
			.clock = clock_system(),
			.entropy = entropy_system(),
			.bytes = net_socket_bytes(&load.arena, (uint32_t)load.connections + 1)});
		tls_setup(&load.arena, target.https ? (uint32_t)load.connections : 0, entropy);
		load.client = net_client_open(load.net, &load.arena, &target, &fault);
	}
	if (load.client == NULL) {
		words[fault.used] = '\0';
		die(words);
	}
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv);
	log_setup(LOG_WARN, LOG_AS_TEXT, clock_system());
	start();
	memory_seal();
	warm_up();
	while (load.done + load.failed < load.pods) {
		net_poll(load.net, load.rate == 0 ? LOAD_TURN_US : LOAD_TURN_LEAST_US);
		if (load.rate != 0 && load.warm == load.connections)
			send_what_is_due();
	}
	printf("%llu %llu %lld\n", (unsigned long long)load.done, (unsigned long long)load.failed,
		(long long)mono_since_us(load.ended, load.began));
	return load.failed == 0 ? 0 : 1;
}
