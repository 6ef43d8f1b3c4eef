/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock: what time it is by the apiserver, in seconds since 1970, for a machine without a clock of
 * its own. Nothing is set here.
 *
 * Certificates cannot be judged by a clock that may say 1970. So all about them is proven but the
 * dates, no credentials are sent, and the time that the server then names counts only if all of its
 * certificates were good at that time. Who stole a key of the cluster's whose certificate has
 * expired since can make it the time in which that one was good, and nothing else.
 */
#include "base/log.h"
#include "base/memory.h"
#include "command/command.h"
#include "command/flags.h"
#include "command/output.h"
#include "command/target.h"
#include "http/http.h"
#include "tls/tls.h"

enum {
	CLOCK_MEMORY = 8 << 20, /* connection, kubeconfig */
	CLOCK_SCRATCH = 2 << 20,
	CLOCK_STREAMS = 1 + 2, /* and name servers */
	CLOCK_TIMEOUT_MS = 10 * 1000,
	CLOCK_FAULT_MAX = 512
};

struct clock_question {
	struct net_request request;
	bool done;
};

static enum net_flow clock_on_body(struct net_request *request, struct text bytes)
{
	(void)request;
	(void)bytes;
	return NET_MORE;
}

static void clock_on_done(struct net_request *request)
{
	LIST_OWNER(request, struct clock_question, request)->done = true;
}

/* What was answered; -1 with one line in `fault`. */
static int64_t clock_judge(
	const struct net_client *client, const struct net_answer *answer, struct writer *fault)
{
	if (answer->result != NET_OK) {
		write_format(fault, "%s %s", net_result_name(answer->result), answer->detail);
		return -1;
	}
	if (answer->date_s < 0) {
		write_z(fault, "the apiserver does not say what time it is");
		return -1;
	}
	if (!net_client_was_valid(client, (struct wall){answer->date_s * CLOCK_S_US})) {
		write_z(fault,
			"the apiserver's certificates are not valid at the time that it says");
		return -1;
	}
	return answer->date_s;
}

static int64_t clock_ask(
	struct net *net, struct arena *arena, const struct net_target *target, struct writer *fault)
{
	struct clock_question question = {.request = {.class = NET_READ,
						  .method = NET_GET,
						  .path = TEXT("/version"),
						  .timeout_ms = CLOCK_TIMEOUT_MS,
						  .on_body = clock_on_body,
						  .on_done = clock_on_done}};
	struct net_client *client = net_client_open(net, arena, target, fault);
	if (client == NULL)
		return -1;
	net_send(client, &question.request);
	while (!question.done)
		net_poll(net, -1);
	int64_t seconds = clock_judge(client, &question.request.answer, fault);
	net_client_close(client);
	return seconds;
}

static int64_t clock_of_apiserver(const char *path, struct arena *arena, struct writer *fault)
{
	struct scratch scratch;
	struct kubeconfig kubeconfig;
	const struct kubeconfig_question question = {.path = path, .search = path == NULL};
	scratch_init(&scratch, arena_take_raw(arena, CLOCK_SCRATCH), CLOCK_SCRATCH);
	if (!kubeconfig_load(&kubeconfig, &question, arena, &scratch, fault))
		return -1;
	if (!kubeconfig.server.https || kubeconfig.insecure_skip_tls_verify) {
		write_z(fault,
			"the kubeconfig does not have the apiserver proven: its time could "
			"be anybody's");
		return -1;
	}
	const struct net_target whole = target_of_kubeconfig(&kubeconfig);
	/* What proves the server, and nothing of what proves us. */
	const struct net_target target = {.name = whole.name,
		.https = true,
		.host = whole.host,
		.port = whole.port,
		.path_prefix = whole.path_prefix,
		.server_name = whole.server_name,
		.ca = whole.ca,
		.ca_file = whole.ca_file,
		.proxy = whole.proxy,
		.any_time = true,
		.connections = 1};
	struct net_bytes bytes = net_socket_bytes(arena, CLOCK_STREAMS);
	struct net *net = net_init(&(struct net_setup){.arena = arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = bytes});
	tls_setup(arena, net_target_tls(&target), entropy_system());
	int64_t seconds = clock_ask(net, arena, &target, fault);
	net_close(net);
	tls_teardown();
	net_socket_close(&bytes);
	return seconds;
}

struct clock_flags {
	const char *kubeconfig;
};

static const struct flag clock_flags[] = {
	{"kubeconfig", 0, FLAG_TEXT, offsetof(struct clock_flags, kubeconfig), "FILE",
		"where the apiserver is; else as for 'berth run'"}};

int clock_run(const struct command_io *io, int argc, char **argv)
{
	struct clock_flags flags = {NULL};
	char words[CLOCK_FAULT_MAX];
	struct writer fault;
	struct output out;
	struct output err;
	struct arena arena;
	int count, status;
	int64_t seconds = -1;
	output_init(&out, io->out);
	output_init(&err, io->err);
	writer_init(&fault, words, sizeof(words));
	log_set_level(LOG_ERROR);
	if (!command_begin(io, &clock_command, &flags, argc, argv, &count, &status))
		return status;
	if (count > 0)
		return command_misused(io, &clock_command, TEXT("clock takes no argument"));
	void *block = memory_reserve(CLOCK_MEMORY);
	if (block == NULL) {
		write_z(&fault, "the system has no memory for it");
	} else {
		arena_init_zeroed(&arena, block, CLOCK_MEMORY);
		seconds = clock_of_apiserver(flags.kubeconfig, &arena, &fault);
		memory_release(block, CLOCK_MEMORY);
	}
	if (seconds >= 0)
		output_format(&out, "%lld\n", (long long)seconds);
	else
		output_format(&err, "berth: clock: %.*s\n", TEXT_ARGS(writer_text(&fault)));
	output_flush(&out);
	output_flush(&err);
	return seconds >= 0 && out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

const struct command clock_command = {.name = "clock",
	.what = "the apiserver's time, for a machine that has none",
	.arguments = "[--kubeconfig FILE]",
	.about = "Prints the apiserver's time in seconds since 1970, and sets nothing. Its\n"
		 "certificates must be good at that time; no credentials are sent.\n",
	.flags = clock_flags,
	.flag_count = ARRAY_COUNT(clock_flags),
	.run = clock_run};
