/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One request to another berth, and its answer in words.
 *
 * Without a kubeconfig and a CA nothing is proven to either side, which is said: there is nothing
 * to verify the certificate with, and nothing secret is sent. With a kubeconfig its authority, or
 * the CA that is named, has to have signed the certificate, as its token goes there.
 */
#include "command/ask.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/url.h"
#include "command/explanation.h"
#include "command/target.h"
#include "tls/tls.h"

enum {
	SETUP = 8 << 20, /* connection, kubeconfig */
	MEMORY_LEAST = 2 * SETUP,
	SHARES = 3,      /* of what is left: the answer, and the rows of its table */
	STREAMS = 1 + 2, /* and name servers */
	TIMEOUT_MS = 10 * 1000,
	PAUSE_US = 150 * 1000,
	TRIES = 20,                      /* it explains one pod at a time */
	PATH_SIZE = 3 * ASK_POD_MAX + 32 /* all escaped */
};

struct asking {
	struct net_request request;
	struct json_cut *cut;
	struct text json; /* canonical; TEXT_NONE: not there yet */
	bool done;
};

static bool ask_on_piece(void *self, struct json_piece piece)
{
	struct asking *asking = self;
	if (piece.kind == JSON_PIECE_LINE && text_starts(piece.text, TEXT("{")))
		asking->json = piece.text;
	return false;
}

static enum net_flow ask_on_body(struct net_request *request, struct text bytes)
{
	struct asking *asking = LIST_OWNER(request, struct asking, request);
	if (asking->json.at == NULL && json_cut_feed(asking->cut, bytes) == JSON_CUT_BROKEN)
		return NET_STOP;
	return NET_MORE;
}

static void ask_on_done(struct net_request *request)
{
	LIST_OWNER(request, struct asking, request)->done = true;
}

static void ask_write_path(struct text pod, struct writer *w)
{
	write_z(w, "/berth/v1/explain?pod=");
	for (size_t i = 0; i < pod.size; i++)
		write_format(w, "%%%02x", (unsigned)(uint8_t)pod.at[i]);
}

/* Until it has time for us. */
static void ask_open_client(
	struct net *net, struct net_client *client, struct asking *asking, const struct ask *q)
{
	char path[PATH_SIZE];
	struct writer w;
	writer_init(&w, path, sizeof(path));
	ask_write_path(q->pod, &w);
	for (uint32_t i = 0; i < TRIES; i++) {
		asking->request = (struct net_request){.class = NET_READ,
			.path = writer_text(&w),
			.timeout_ms = TIMEOUT_MS,
			.on_body = ask_on_body,
			.on_done = ask_on_done};
		asking->json = TEXT_NONE;
		asking->done = false;
		json_cut_start(asking->cut, JSON_CUT_LINES, NULL, NULL, ask_on_piece, asking);
		net_send(client, &asking->request);
		while (!asking->done)
			net_poll(net, -1);
		if (asking->request.answer.status != 503)
			return;
		net_poll(net, PAUSE_US);
	}
}

/* What is wrong, in `fault`; empty: nothing. */
static void ask_print_outcome(const struct asking *asking, const struct ask *q, bool as_json,
	struct scratch *scratch, struct output *out, struct writer *fault)
{
	const struct net_answer *answer = &asking->request.answer;
	struct json_value v;
	if (answer->result == NET_CANCELLED) {
		write_z(fault,
			"the answer is not JSON; is this the address of berth's page, with "
			"http:// or https:// as it is served?");
	} else if (answer->result != NET_OK) {
		write_format(fault, "%s %s", net_result_name(answer->result), answer->detail);
	} else if (asking->json.at == NULL) {
		write_format(fault, "status %u, and not an answer of berth", answer->status);
	} else if (answer->status != 200) {
		struct text why = TEXT_NONE;
		if (json_parse(asking->json, scratch, &v) == JSON_PARSED) {
			why = json_text(json_get(v, "error"));
			if (why.size == 0)
				why = json_text(json_get(v, "message"));
		}
		write_format(fault, "%u %.*s", answer->status, TEXT_ARGS(why));
	} else if (as_json) {
		output_bytes(out, asking->json);
		output_z(out, "\n");
	} else {
		output_z(out, "Pod ");
		output_text(out, q->pod);
		if (!explanation_print_outcome(asking->json, scratch, out) ||
			!explanation_print(asking->json, scratch, out))
			write_z(fault, "the table is too large; raise --memory");
	}
}

static bool ask_find_server(const struct ask *q, struct kubeconfig *found, struct arena *arena,
	struct scratch *scratch, struct writer *fault)
{
	const char *why;
	if (q->kubeconfig != NULL) {
		if (!kubeconfig_load(found,
			    &(struct kubeconfig_question){
				    .path = q->kubeconfig, .master = q->server},
			    arena, scratch, fault))
			return false;
	} else {
		*found = (struct kubeconfig){.insecure_skip_tls_verify = q->ca == NULL};
		if (!url_parse(text_of(q->server), true, &found->server, &why)) {
			write_z(fault, why);
			return false;
		}
	}
	if (q->ca != NULL) {
		found->ca = TEXT_NONE;
		found->ca_file = q->ca;
		found->insecure_skip_tls_verify = false;
	}
	return true;
}

static void ask_say_what_is_not_verified(
	const struct ask *q, const struct kubeconfig *kubeconfig, struct output *err)
{
	if (kubeconfig->server.https && kubeconfig->insecure_skip_tls_verify)
		output_format(err,
			"berth: %s: its certificate is not verified; --ca or --kubeconfig does "
			"that\n",
			q->server);
}

static void ask_exchange(const struct ask *q, bool as_json, struct arena *arena, struct output *out,
	struct output *err, struct writer *fault)
{
	struct scratch scratch;
	struct kubeconfig kubeconfig;
	struct asking asking = {.done = false};
	size_t share = (arena_left(arena) - SETUP) / SHARES, size = json_cut_size(share);
	scratch_init(&scratch, arena_take_raw(arena, share), share);
	asking.cut = json_cut_init(arena_take_raw(arena, size), size, share);
	if (!ask_find_server(q, &kubeconfig, arena, &scratch, fault))
		return;
	ask_say_what_is_not_verified(q, &kubeconfig, err);
	struct net_target target = target_of_kubeconfig(&kubeconfig);
	target.name = "berth";
	target.connections = 1;
	struct net_bytes bytes = net_socket_bytes(arena, STREAMS);
	struct net *net = net_init(&(struct net_setup){.arena = arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = bytes});
	tls_setup(arena, 1, entropy_system());
	struct net_client *client = net_client_open(net, arena, &target, fault);
	if (client != NULL) {
		ask_open_client(net, client, &asking, q);
		ask_print_outcome(&asking, q, as_json, &scratch, out, fault);
		net_client_close(client);
	}
	net_close(net);
	tls_teardown();
	net_socket_close(&bytes);
}

int ask_server(
	const struct command_io *io, const struct offline_flags *flags, const struct ask *question)
{
	char words[1024];
	struct writer fault;
	struct output out;
	struct output err;
	struct arena arena;
	size_t size = (size_t)flags->memory_bytes;
	void *block = size < MEMORY_LEAST ? NULL : memory_reserve(size);
	output_init(&out, io->out);
	output_init(&err, io->err);
	writer_init(&fault, words, sizeof(words));
	log_set_level(LOG_ERROR); /* what is not verified is said here */
	if (block == NULL) {
		write_z(&fault, "not enough memory; raise --memory");
	} else {
		arena_init_zeroed(&arena, block, size);
		ask_exchange(question, flags->form == OFFLINE_JSON, &arena, &out, &err, &fault);
		memory_release(block, size);
	}
	output_flush(&out);
	if (fault.used > 0)
		output_format(&err, "berth: %s: %.*s\n", question->server,
			TEXT_ARGS(writer_text(&fault)));
	output_flush(&err);
	return fault.used > 0 || out.error != 0 ? COMMAND_FAILED : COMMAND_DONE;
}
