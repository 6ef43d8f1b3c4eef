/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions to a berth that runs.
 *
 * A token sent to another process that holds the port would be stolen, so it goes where the
 * certificate is proven. A client certificate proves us and gives nothing away: it is shown always.
 */
#include "command/ask.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "command/target.h"
#include "tls/tls.h"

enum {
	SHARES = 4, /* of what is left: the answer twice (it grows), the rows of its table */
	OTHER_STREAMS = 2 * 2, /* name servers, of two clients */
	TIMEOUT_MS = 10 * 1000,
	PAUSE_US = 150 * 1000,
	TRIES = 20, /* it explains one pod at a time */
	HOME_MAX = 4096
};

#define DEFAULT_SERVER "https://127.0.0.1:10259"
#define LEASE_PATH     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler"

bool ask_pod_named(const char *word, const char *namespace, struct ask_pod *pod)
{
	static const char *const kinds[] = {"pod", "pods", "po"};
	struct text rest = text_of(word), first = TEXT_NONE;
	size_t slash = text_find(rest, '/');
	if (slash < rest.size) {
		first = text_first(rest, slash);
		rest = text_from(rest, slash + 1);
		if (first.size == 0)
			return false;
	}
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (text_is_z(first, kinds[i]))
			first = TEXT_NONE;
	if (first.at != NULL && namespace != NULL && !text_is_z(first, namespace))
		return false;
	if (first.at == NULL)
		first = namespace == NULL ? TEXT("default") : text_of(namespace);
	*pod = (struct ask_pod){first, rest};
	return rest.size > 0 && first.size > 0 && text_find(rest, '/') == rest.size;
}

/* ---- one request ---- */

static bool ask_on_piece(void *self, struct json_piece piece)
{
	struct ask *ask = self;
	if (piece.kind == JSON_PIECE_LINE &&
		(text_starts(piece.text, TEXT("{")) || text_starts(piece.text, TEXT("["))))
		ask->json = piece.text;
	return false;
}

static enum net_flow ask_on_body(struct net_request *request, struct text bytes)
{
	struct ask *ask = LIST_OWNER(request, struct ask, request);
	if (ask->take != NULL)
		return ask->take(ask->self, &request->answer, bytes) ? NET_MORE : NET_STOP;
	if (ask->json.at == NULL && json_cut_feed(ask->cut, bytes) == JSON_CUT_BROKEN)
		return NET_STOP;
	return NET_MORE;
}

static void ask_on_done(struct net_request *request)
{
	LIST_OWNER(request, struct ask, request)->done = true;
}

/* Until it has time for us. */
static void ask_send(struct ask *ask, struct net_client *client, struct text path)
{
	for (uint32_t i = 0; i < TRIES; i++) {
		ask->request = (struct net_request){.class = NET_READ,
			.method = ask->body.at == NULL ? NET_GET : NET_POST,
			.body = ask->body,
			.path = path,
			.timeout_ms = ask->take == NULL ? TIMEOUT_MS : 0,
			.idle_timeout_ms = TIMEOUT_MS,
			.on_body = ask_on_body,
			.on_done = ask_on_done};
		ask->json = TEXT_NONE;
		ask->done = false;
		json_cut_start(ask->cut, JSON_CUT_LINES, NULL, NULL, ask_on_piece, ask);
		net_send(client, &ask->request);
		while (!ask->done)
			net_poll(ask->net, -1);
		if (ask->request.answer.status != 503)
			return;
		net_poll(ask->net, PAUSE_US);
	}
}

/* ---- whom we ask, and as whom ---- */

static const char *file_at_home(struct ask *ask)
{
	const char *home = getenv("HOME");
	struct writer w;
	if (home == NULL || getenv("KUBECONFIG") != NULL)
		return NULL;
	char *path = arena_take(&ask->arena, HOME_MAX);
	writer_init(&w, path, HOME_MAX - 1);
	write_format(&w, "%s/.kube/config", home);
	return !w.overflowed && access(path, R_OK) == 0 ? path : NULL;
}

/* One that is named must do; one that is found is taken if it does. */
static bool ask_find_credentials(struct ask *ask, struct writer *fault)
{
	const struct ask_flags *flags = ask->flags;
	struct kubeconfig_question question = {.path = flags->kubeconfig, .search = true};
	if (flags->kubeconfig == NULL && !ask->url.https)
		return true;
	if (question.path == NULL)
		question.path = file_at_home(ask);
	ask->has_kubeconfig =
		kubeconfig_load(&ask->kubeconfig, &question, &ask->arena, &ask->scratch, fault);
	if (ask->has_kubeconfig || flags->kubeconfig != NULL)
		return ask->has_kubeconfig;
	fault->used = 0;
	ask->kubeconfig = (struct kubeconfig){.in_cluster = false};
	return true;
}

/* False with a line in `fault`. Without a CA that could prove it, nothing secret is sent. */
static bool ask_open_client(struct ask *ask, struct writer *fault)
{
	const struct ask_flags *flags = ask->flags;
	struct kubeconfig as = ask->kubeconfig;
	as.server = ask->url;
	/* Those are about the apiserver. */
	as.tls_server_name = as.proxy = TEXT_NONE;
	if (flags->ca != NULL) {
		as.ca = TEXT_NONE;
		as.ca_file = flags->ca;
		as.insecure_skip_tls_verify = false;
	}
	as.insecure_skip_tls_verify = flags->insecure || ask->is_unproven ||
		as.insecure_skip_tls_verify || (as.ca.at == NULL && as.ca_file == NULL);
	if (as.insecure_skip_tls_verify) {
		as.ca = TEXT_NONE;
		as.ca_file = NULL;
	}
	if (as.insecure_skip_tls_verify && !flags->insecure) {
		as.token = as.username = as.password = as.impersonation = TEXT_NONE;
		as.token_file = NULL;
		if (as.server.https)
			ask_complain(ask,
				TEXT("its certificate is not verified, so no token is sent; --ca "
				     "FILE verifies it"));
	}
	struct net_target target = target_of_kubeconfig(&as);
	target.name = "berth";
	target.connections = ASK_CONNECTIONS;
	target.watch_connections = ask->streams > 0 ? ASK_CONNECTIONS : 0;
	ask->client = net_client_open(ask->net, &ask->arena, &target, fault);
	return ask->client != NULL;
}

static void ask_start_net(struct ask *ask)
{
	ask->bytes =
		net_socket_bytes(&ask->arena, 2 * ASK_CONNECTIONS + OTHER_STREAMS + ask->streams);
	ask->net = net_init(&(struct net_setup){.arena = &ask->arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = ask->bytes});
	/* A proxy on the way may have its own. */
	tls_setup(&ask->arena, (ask->streams > 0 ? 4 : 2) * ASK_CONNECTIONS, entropy_system());
}

static bool ask_connect(struct ask *ask, struct writer *fault)
{
	const char *why;
	if (!url_parse(text_of(ask->server), true, &ask->url, &why)) {
		write_z(fault, why);
		return false;
	}
	if (!ask_find_credentials(ask, fault))
		return false;
	ask_start_net(ask);
	return ask_open_client(ask, fault);
}

/* NULL: the system has not so much address space. */
static struct ask *ask_make(size_t size)
{
	struct arena arena;
	void *block = size < 2 * (size_t)ASK_SETUP ? NULL : memory_reserve(size);
	if (block == NULL)
		return NULL;
	arena_init_zeroed(&arena, block, size);
	struct ask *ask = arena_take(&arena, sizeof(*ask));
	ask->arena = arena;
	ask->size = size;
	size_t share = (arena_left(&ask->arena) - ASK_SETUP) / SHARES;
	size_t cut_size = json_cut_size(2 * share);
	scratch_init(&ask->scratch, arena_take_raw(&ask->arena, share), share);
	ask->cut = json_cut_init(arena_take_raw(&ask->arena, cut_size), cut_size, 2 * share);
	return ask;
}

struct ask *ask_open(const struct command_io *io, const struct ask_flags *flags,
	uint64_t memory_bytes, uint32_t streams)
{
	char words[1024];
	struct writer fault;
	struct ask *ask = ask_make((size_t)memory_bytes);
	writer_init(&fault, words, sizeof(words));
	log_set_level(LOG_ERROR); /* this command reports what is not verified */
	if (ask == NULL) {
		struct output err;
		output_init(&err, io->err);
		output_z(&err, "berth: not enough memory; raise --memory\n");
		output_flush(&err);
		return NULL;
	}
	ask->flags = flags;
	ask->streams = streams;
	output_init(&ask->err, io->err);
	const char *named = getenv("BERTH_SERVER");
	ask->server = flags->server != NULL         ? flags->server
		: named != NULL && named[0] != '\0' ? named
						    : DEFAULT_SERVER;
	if (ask_connect(ask, &fault))
		return ask;
	ask_complain(ask, writer_text(&fault));
	ask_close(ask);
	return NULL;
}

void ask_close(struct ask *ask)
{
	if (ask->client != NULL)
		net_client_close(ask->client);
	if (ask->net != NULL) {
		net_close(ask->net);
		tls_teardown();
		net_socket_close(&ask->bytes);
	}
	output_flush(&ask->err);
	memory_release(ask, ask->size);
}

/* ---- what came of it ---- */

void ask_complain(struct ask *ask, struct text fault)
{
	output_format(&ask->err, "berth: %s: %.*s\n", ask->server, TEXT_ARGS(fault));
	output_flush(&ask->err);
}

/* It is not here: the lease says on which machine it leads. */
static void ask_say_where_it_is(struct ask *ask, struct writer *fault)
{
	char words[256];
	struct writer other;
	struct json_value lease;
	struct text host = TEXT("HOST");
	writer_init(&other, words, sizeof(words));
	struct net_target target = target_of_kubeconfig(&ask->kubeconfig);
	target.connections = 1;
	struct net_client *client = ask->has_kubeconfig
		? net_client_open(ask->net, &ask->arena, &target, &other)
		: NULL;
	if (client != NULL) {
		ask_send(ask, client, TEXT(LEASE_PATH));
		if (ask->json.at != NULL &&
			json_parse(ask->json, &ask->scratch, &lease) == JSON_PARSED) {
			struct text holder = json_text(json_path(lease, "spec.holderIdentity"));
			size_t end = text_find_last(holder, '_');
			if (end > 0 && end < holder.size) {
				host = text_first(holder, end);
				write_format(fault,
					"; the lease kube-system/kube-scheduler is held on %.*s",
					TEXT_ARGS(host));
			}
		}
		net_client_close(client);
	}
	write_format(fault,
		"; where berth runs elsewhere, ask it there, or first "
		"'ssh -L 10259:127.0.0.1:10259 %.*s', or name it with --server",
		TEXT_ARGS(host));
}

/* Empty: nothing is wrong. */
static void ask_judge(struct ask *ask, char opens, struct writer *fault)
{
	const struct net_answer *answer = &ask->request.answer;
	struct json_value v;
	struct text why = TEXT_NONE;
	if (answer->result == NET_CANCELLED) {
		write_z(fault,
			"the answer is not JSON; is this the address of berth's page, with "
			"http:// or https:// as it is served?");
	} else if (answer->result != NET_OK) {
		write_format(fault, "%s %s", net_result_name(answer->result), answer->detail);
		if (answer->result == NET_CONNECT_FAILED &&
			text_is_z(TEXT(DEFAULT_SERVER), ask->server))
			ask_say_where_it_is(ask, fault);
	} else if (ask->json.at == NULL || (answer->status == 200 && ask->json.at[0] != opens)) {
		write_format(fault, "status %u, and not an answer of berth", answer->status);
	} else if (answer->status != 200) {
		if (json_parse(ask->json, &ask->scratch, &v) == JSON_PARSED) {
			why = json_text(json_get(v, "error"));
			if (why.size == 0)
				why = json_text(json_get(v, "message"));
		}
		write_format(fault, "%u %.*s", answer->status, TEXT_ARGS(why));
		if (ask->url.https && (answer->status == 401 || answer->status == 403))
			write_z(fault,
				ask->has_kubeconfig ? "; reading needs to list pods and nodes"
						    : "; name a kubeconfig with --kubeconfig");
	}
}

bool ask_get(struct ask *ask, struct text path, char opens, struct text *json)
{
	char words[1024];
	struct writer fault;
	const struct ask_flags *flags = ask->flags;
	bool is_found = ask->has_kubeconfig && flags->kubeconfig == NULL && flags->ca == NULL;
	writer_init(&fault, words, sizeof(words));
	ask_send(ask, ask->client, path);
	if (ask->request.answer.result == NET_TLS_FAILED && is_found && !ask->is_unproven) {
		net_client_close(ask->client);
		ask->is_unproven = true;
		if (ask_open_client(ask, &fault))
			ask_send(ask, ask->client, path);
	}
	if (fault.used == 0)
		ask_judge(ask, opens, &fault);
	if (fault.used > 0)
		ask_complain(ask, writer_text(&fault));
	*json = ask->json;
	return fault.used == 0;
}

/* ---- a cluster's apiserver instead ---- */

struct ask *ask_open_cluster(const struct kubeconfig_question *cluster, struct writer *fault)
{
	struct ask *ask = ask_make(2 * (size_t)ASK_SETUP);
	if (ask == NULL) {
		write_z(fault, "not enough memory");
		return NULL;
	}
	if (kubeconfig_load(&ask->kubeconfig, cluster, &ask->arena, &ask->scratch, fault)) {
		ask_start_net(ask);
		struct net_target target = target_of_kubeconfig(&ask->kubeconfig);
		target.connections = 1;
		ask->client = net_client_open(ask->net, &ask->arena, &target, fault);
	}
	if (ask->client == NULL) {
		ask_close(ask);
		return NULL;
	}
	return ask;
}

uint16_t ask_stream(
	struct ask *ask, struct text path, ask_take_fn *take, void *self, struct writer *fault)
{
	const struct net_answer *answer = &ask->request.answer;
	ask->take = take;
	ask->self = self;
	ask_send(ask, ask->client, path);
	ask->take = NULL;
	if (answer->result == NET_OK)
		return answer->status;
	write_format(fault, "%.*s:%u: %s %s", TEXT_ARGS(ask->kubeconfig.server.host),
		(unsigned)ask->kubeconfig.server.port, net_result_name(answer->result),
		answer->detail);
	return 0;
}

bool ask_cluster(const struct kubeconfig_question *cluster, const char *path,
	struct scratch *scratch, struct text *json, struct writer *fault)
{
	struct ask *ask = ask_open_cluster(cluster, fault);
	char *copy = NULL;
	if (ask == NULL)
		return false;
	unsigned status = ask_stream(ask, text_of(path), NULL, NULL, fault);
	if (status == 200 && ask->json.at != NULL) {
		copy = scratch_take(scratch, ask->json.size + 1);
		if (copy != NULL)
			memcpy(copy, ask->json.at, ask->json.size);
		else
			write_z(fault, "not enough memory");
		*json = (struct text){copy, ask->json.size};
	} else if (fault->used == 0) {
		write_format(fault, "the apiserver answered %u", status);
	}
	ask_close(ask);
	return copy != NULL;
}
