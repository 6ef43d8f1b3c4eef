/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extender: a scheduler extender that does as pods tell it, for trying schedulers. Verbs are
 * /filter, /prioritize, /preempt, /bind below any prefix.
 *
 *	extender --kubeconfig FILE --port P [--certificate-out FILE]
 *
 * With --certificate-out it speaks TLS and writes its certificate there. Annotations of a pod:
 *
 *	extender/keep     the nodes that it may have: "n1,n2"; the others fail, "not wanted"
 *	extender/best     the node with 10 points
 *	extender/spare    a node whose pods are not to be pushed off
 *	extender/trouble  slow, garbage, strange, half or 500, in place of an answer to filter
 *
 * It binds pods itself; those with "refused" in their name it does not, those with "mute" it does
 * without saying so. Each question is a line on stdout: verb, pod, how many bytes, "names", "nodes"
 * or "-".
 */
// deps: base/*.c net/*.c tls/*.c http/*.c
// deps: json/*.c base/url.c yaml/yaml.c yaml/memory.c yaml/scalar.c
// deps: config/kubeconfig.c base/base64.c command/target.c bind/body*.c api/api_path.c kube/*.c
// deps: config/file.c
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api.h"
#include "base/hash.h"
#include "base/memory.h"
#include "bind/body.h"
#include "json/json.h"
#include "tls/certificate.h"
#include "http/server.h"
#include "command/target.h"
#include "tls/tls.h"

enum {
	MEMORY = 128 << 20,
	SCRATCH = 16 << 20,
	BODY_MAX = 4 << 20,
	TALKS = 16,
	ANSWER_MAX = 64 * 1024,
	TEXT_MAX = 256,
	SLOW_MS = 2000,
	TURN_US = 200 * 1000
};

/* What is asked, and of which pod. */
struct talk {
	struct net_exchange *exchange; /* NULL: gone, or free */
	struct net_timer timer;
	struct net_request request;
	bool mute;
	char verb[TEXT_MAX];
	char pod[TEXT_MAX];
	char path[API_PATH_MAX];
	char body[2048];
	char answer[ANSWER_MAX];
	size_t answer_size;
};

static struct extender_tool {
	struct arena arena;
	struct scratch scratch;
	struct kubeconfig config;
	struct net *net;
	struct net_client *client;
	struct net_server *server;
	struct json_cut *cut;
	struct tls_certificate certificate;
	struct text question;
	struct talk talks[TALKS];
} tool;
static volatile sig_atomic_t end_asked;

static void die(const char *what)
{
	fprintf(stderr, "extender: %s\n", what);
	exit(1);
}

static void on_signal(int number)
{
	(void)number;
	end_asked = 1;
}

/* ---- answers ---- */

static void reply(struct talk *talk, uint16_t status)
{
	const struct net_head head = {.status = status, .content_type = "application/json"};
	if (talk->exchange != NULL)
		net_exchange_reply(
			talk->exchange, &head, (struct text){talk->answer, talk->answer_size});
}

static void reply_z(struct talk *talk, uint16_t status, const char *answer)
{
	talk->answer_size = strlen(answer);
	memcpy(talk->answer, answer, talk->answer_size);
	reply(talk, status);
}

static void on_time(struct net_timer *timer, struct mono now)
{
	(void)now;
	reply(LIST_OWNER(timer, struct talk, timer), 200);
}

/* Half of an answer, and the end. */
static void break_off(struct talk *talk)
{
	const struct net_head head = {.status = 200, .size = 1000};
	net_exchange_begin(talk->exchange, &head);
	(void)net_exchange_write(talk->exchange, TEXT("{\"NodeNames\":[\"n"));
	net_exchange_abort(talk->exchange);
}

static struct text annotation(struct json_value root, const char *key)
{
	struct json_value all = json_path(root, "Pod.metadata.annotations");
	return json_text(json_get(all, key));
}

static bool is_in(struct text list, struct text name)
{
	struct text part;
	while (text_cut(&list, ',', &part))
		if (text_is(part, name))
			return true;
	return false;
}

struct nodes { /* of a question, by name or whole */
	struct json_walk walk;
	bool whole;
};

static struct nodes nodes_of(struct json_value root)
{
	struct json_value names = json_get(root, "NodeNames");
	bool whole = json_type(names) != JSON_ARRAY;
	struct json_value list = whole ? json_path(root, "Nodes.items") : names;
	return (struct nodes){json_walk(list), whole};
}

static bool next_node(struct nodes *nodes, struct text *name)
{
	if (!json_walk_next(&nodes->walk))
		return false;
	struct json_value v = nodes->walk.value;
	*name = json_text(nodes->whole ? json_path(v, "metadata.name") : v);
	return true;
}

static void put_kept(struct json_writer *j, struct json_value root, struct text keep)
{
	struct nodes nodes = nodes_of(root);
	struct text name;
	json_key(j, nodes.whole ? "Nodes" : "NodeNames");
	if (nodes.whole) {
		json_open_object(j);
		json_key(j, "items");
	}
	json_open_array(j);
	while (next_node(&nodes, &name)) {
		if (keep.at != NULL && !is_in(keep, name))
			continue;
		if (!nodes.whole) {
			json_put_text(j, name);
			continue;
		}
		json_open_object(j);
		json_key(j, "metadata");
		json_open_object(j);
		json_member_text(j, "name", name);
		json_close_object(j);
		json_close_object(j);
	}
	json_close_array(j);
	if (nodes.whole)
		json_close_object(j);
}

static void filter(struct talk *talk, struct json_value root, struct json_writer *j)
{
	struct text keep = annotation(root, "extender/keep");
	struct nodes nodes = nodes_of(root);
	struct text name;
	(void)talk;
	json_open_object(j);
	put_kept(j, root, keep);
	json_key(j, "FailedNodes");
	json_open_object(j);
	while (next_node(&nodes, &name)) {
		if (keep.at == NULL || is_in(keep, name))
			continue;
		json_key_text(j, name);
		json_put_z(j, "not wanted");
	}
	json_close_object(j);
	json_member_z(j, "Error", "");
	json_close_object(j);
}

static void prioritize(struct talk *talk, struct json_value root, struct json_writer *j)
{
	struct text best = annotation(root, "extender/best");
	struct nodes nodes = nodes_of(root);
	struct text name;
	(void)talk;
	json_open_array(j);
	while (next_node(&nodes, &name)) {
		json_open_object(j);
		json_member_text(j, "Host", name);
		json_member_i64(j, "Score", text_is(name, best) ? 10 : 0);
		json_close_object(j);
	}
	json_close_array(j);
}

static void put_victims(struct json_writer *j, struct json_value victims)
{
	struct json_walk pods = json_walk(json_get(victims, "Pods"));
	int64_t violations = 0;
	json_open_object(j);
	json_key(j, "Pods");
	json_open_array(j);
	while (json_walk_next(&pods)) {
		struct text uid = json_text(json_get(pods.value, "UID"));
		if (uid.at == NULL)
			uid = json_text(json_path(pods.value, "metadata.uid"));
		json_open_object(j);
		json_member_text(j, "UID", uid);
		json_close_object(j);
	}
	json_close_array(j);
	(void)!json_i64(json_get(victims, "NumPDBViolations"), &violations);
	json_member_i64(j, "NumPDBViolations", violations);
	json_close_object(j);
}

static void preempt(struct talk *talk, struct json_value root, struct json_writer *j)
{
	struct text spare = annotation(root, "extender/spare");
	struct json_value map = json_get(root, "NodeNameToMetaVictims");
	(void)talk;
	if (json_type(map) != JSON_OBJECT)
		map = json_get(root, "NodeNameToVictims");
	struct json_walk nodes = json_walk(map);
	json_open_object(j);
	json_key(j, "NodeNameToMetaVictims");
	json_open_object(j);
	while (json_walk_next(&nodes)) {
		if (text_is(nodes.key, spare))
			continue;
		json_key_text(j, nodes.key);
		put_victims(j, nodes.value);
	}
	json_close_object(j);
	json_close_object(j);
}

/* ---- binding ---- */

static void on_bound(struct net_request *request)
{
	struct talk *talk = LIST_OWNER(request, struct talk, request);
	bool ok = request->answer.result == NET_OK && request->answer.status == 201;
	if (talk->exchange == NULL)
		return;
	if (talk->mute)
		net_exchange_abort(talk->exchange);
	else
		reply_z(talk, 200,
			ok ? "{\"Error\":\"\"}" : "{\"Error\":\"the apiserver said no\"}");
}

static void bind_pod(struct talk *talk, struct json_value root)
{
	struct writer path;
	struct writer body;
	const struct body_pod pod = {json_text(json_get(root, "PodNamespace")),
		json_text(json_get(root, "PodName")), json_text(json_get(root, "PodUID"))};
	writer_init(&path, talk->path, sizeof(talk->path));
	writer_init(&body, talk->body, sizeof(talk->body));
	if (text_contains(pod.name, TEXT("refused")) ||
		!api_path_write(
			&(struct api_object){"/api/v1", pod.namespace, "pods", pod.name, "binding"},
			&path)) {
		reply_z(talk, 200, "{\"Error\":\"not today\"}");
		return;
	}
	body_binding(&pod, json_text(json_get(root, "Node")), &body);
	talk->mute = text_contains(pod.name, TEXT("mute"));
	talk->request = (struct net_request){
		.class = NET_BIND,
		.method = NET_POST,
		.path = writer_text(&path),
		.body = writer_text(&body),
		.timeout_ms = 10 * 1000,
		.on_done = on_bound,
	};
	net_send(tool.client, &talk->request);
}

/* ---- questions ---- */

static const struct {
	const char *verb;
	void (*answer)(struct talk *talk, struct json_value root, struct json_writer *j);
} verbs[] = {{"filter", filter}, {"prioritize", prioritize}, {"preempt", preempt}, {"bind", NULL}};

static void answer(struct talk *talk, uint32_t verb, struct json_value root)
{
	struct text trouble = annotation(root, "extender/trouble");
	struct writer w;
	struct json_writer j;
	if (verbs[verb].answer == NULL) {
		bind_pod(talk, root);
		return;
	}
	writer_init(&w, talk->answer, sizeof(talk->answer));
	json_write_init(&j, &w);
	verbs[verb].answer(talk, root, &j);
	talk->answer_size = w.used;
	if (verb != 0)
		trouble = TEXT_NONE;
	if (text_is_z(trouble, "garbage"))
		reply_z(talk, 200, "{\"NodeNames\":[}");
	else if (text_is_z(trouble, "strange"))
		reply_z(talk, 200, "{\"NodeNames\":[\"nowhere\"]}");
	else if (text_is_z(trouble, "500"))
		reply_z(talk, 500, "{}");
	else if (text_is_z(trouble, "half"))
		break_off(talk);
	else if (text_is_z(trouble, "slow"))
		net_timer_arm(tool.net, &talk->timer, mono_after_ms(net_now(tool.net), SLOW_MS));
	else
		reply(talk, 200);
}

static bool on_piece(void *self, struct json_piece piece)
{
	(void)self;
	if (piece.kind != JSON_PIECE_TOO_BIG)
		tool.question = piece.text;
	return false;
}

static void on_done(struct net_exchange *e, bool complete)
{
	struct talk *talk = &tool.talks[e->index];
	(void)complete;
	net_timer_disarm(&talk->timer);
	talk->exchange = NULL;
}

static void on_request(struct net_exchange *e)
{
	struct talk *talk = &tool.talks[e->index];
	struct json_value root;
	uint32_t verb = 0;
	struct text last = text_from(e->path, text_find_last(e->path, '/') + 1);
	net_cancel(&talk->request);
	talk->exchange = e;
	talk->mute = false;
	e->on_done = on_done;
	while (verb < ARRAY_COUNT(verbs) && !text_is_z(last, verbs[verb].verb))
		verb++;
	tool.question = TEXT_NONE;
	scratch_reset(&tool.scratch);
	json_cut_start(tool.cut, JSON_CUT_LINES, NULL, NULL, on_piece, NULL);
	if (json_cut_feed(tool.cut, e->body) == JSON_CUT_BROKEN || tool.question.at == NULL ||
		verb == ARRAY_COUNT(verbs) ||
		json_parse(tool.question, &tool.scratch, &root) != JSON_PARSED) {
		reply_z(talk, 400, "{}");
		return;
	}
	struct text name = json_text(json_path(root, "Pod.metadata.name"));
	if (name.at == NULL)
		name = json_text(json_get(root, "PodName"));
	printf("%s %.*s %zu %s\n", verbs[verb].verb, TEXT_ARGS(name), e->body.size,
		json_type(json_get(root, "NodeNames")) == JSON_ARRAY        ? "names"
			: json_type(json_get(root, "Nodes")) == JSON_OBJECT ? "nodes"
									    : "-");
	fflush(stdout);
	answer(talk, verb, root);
}

/* ---- start ---- */

static void write_certificate(const char *path)
{
	size_t size = strlen(tool.certificate.certificate);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, tool.certificate.certificate, size) != (ssize_t)size)
		die("the certificate cannot be written");
	(void)close(fd);
}

static void open_network(const char *certificate_out, uint16_t port, struct writer *fault)
{
	static const char *const names[] = {"127.0.0.1", "localhost", NULL};
	struct net_target target = target_of_kubeconfig(&tool.config);
	const struct tls_certificate_request wish = {
		.common_name = "extender", .names = names, .days = 1};
	struct net_server_setup setup = {
		.name = "extender",
		.https = certificate_out != NULL,
		.connections_max = TALKS,
		.body_room = BODY_MAX,
		.on_request = on_request,
	};
	target.connections = 4;
	tool.net = net_init(&(struct net_setup){.arena = &tool.arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = net_socket_bytes(
			&tool.arena, target.connections + 2 + net_server_streams(&setup))});
	tls_setup(&tool.arena, TALKS + target.connections, entropy_system());
	if (certificate_out != NULL) {
		if (!tls_certificate_make(tool.net, &wish, &tool.certificate, fault))
			die("no certificate");
		write_certificate(certificate_out);
		setup.certificate = text_of(tool.certificate.certificate);
		setup.key = text_of(tool.certificate.key);
	}
	if (!net_address_parse(TEXT("127.0.0.1"), port, &setup.address))
		die("the address");
	tool.client = net_client_open(tool.net, &tool.arena, &target, fault);
	tool.server = net_server_open(tool.net, &tool.arena, &setup, fault);
}

int main(int argc, char **argv)
{
	const char *kubeconfig = NULL;
	const char *certificate_out = NULL;
	char words[512];
	struct writer fault;
	uint64_t port = 0;
	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--kubeconfig") == 0)
			kubeconfig = argv[i + 1];
		else if (strcmp(argv[i], "--certificate-out") == 0)
			certificate_out = argv[i + 1];
		else if (strcmp(argv[i], "--port") != 0 ||
			!text_to_u64(text_of(argv[i + 1]), &port))
			die("what is that?");
	}
	if (kubeconfig == NULL || port == 0 || port > UINT16_MAX)
		die("extender --kubeconfig FILE --port P [--certificate-out FILE]");
	void *block = memory_reserve(MEMORY);
	if (block == NULL)
		die("no memory");
	arena_init_zeroed(&tool.arena, block, MEMORY);
	hash_seed(1);
	scratch_init(&tool.scratch, arena_take_raw(&tool.arena, SCRATCH), SCRATCH);
	size_t size = json_cut_size(BODY_MAX);
	tool.cut = json_cut_init(arena_take_raw(&tool.arena, size), size, BODY_MAX);
	for (uint32_t i = 0; i < TALKS; i++)
		net_timer_init(&tool.talks[i].timer, on_time);
	writer_init(&fault, words, sizeof(words) - 1);
	if (!kubeconfig_load(&tool.config, &(struct kubeconfig_question){.path = kubeconfig},
		    &tool.arena, &tool.scratch, &fault))
		die("the kubeconfig cannot be read");
	open_network(certificate_out, (uint16_t)port, &fault);
	if (tool.client == NULL || tool.server == NULL) {
		words[fault.used] = '\0';
		die(words);
	}
	(void)signal(SIGTERM, on_signal);
	(void)signal(SIGINT, on_signal);
	while (end_asked == 0)
		net_poll(tool.net, TURN_US);
	return 0;
}
