/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apisim: an apiserver for one machine, with a cluster behind it that lives. For trying a
 * scheduler, with nothing else installed.
 *
 *	apisim [--port P] [--plain] [--kubeconfig-out F] [--token T] [--seed N]
 *		[--nodes N] [--pods N] [--life | --no-life] [--devices] [--hurry N]
 *		[--load FILE] [--release 20..36] [--no-streaming-lists] [--history N]
 *		[--memory MIB] [--strict]
 *
 * Without --life nodes and pods are made and stay, and kubelets start what is bound; with it
 * deployments change, jobs come, nodes fail (all of that N times as fast with --hurry N). With
 * --no-life there are not even kubelets. With --devices nodes have some, and pods want them.
 * --load takes what `kubectl get ... -o json` printed.
 *
 * With --release it plays an older kube-apiserver: what was not served then is not served.
 *
 * It says where it listens in one line on stdout, its counts at SIGUSR1 and at the end. With
 * --strict it ends with status 3 when a client did what a scheduler has no reason to do, or when
 * pods are where they cannot be.
 */
// deps: base/*.c net/*.c tls/*.c http/*.c
// deps: json/*.c kube/time.c kube/duration.c kube/quantity*.c base/base64.c
// deps: tools/apisim/*.c
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apisim/audit.h"
#include "apisim/face.h"
#include "apisim/life.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/base64.h"
#include "tls/certificate.h"
#include "tls/tls.h"

enum {
	APISIM_CONNECTIONS = 64,
	APISIM_TURN_MS = 200,
	APISIM_MEMORY_MIB = 1024,
	APISIM_SPARE = 64 << 20, /* connections and TLS */
	APISIM_PORT = 6443,
	APISIM_EXIT_STRICT = 3
};

struct options {
	const char *kubeconfig, *load, *token;
	uint64_t port, seed, nodes, pods, hurry, history, memory_mib, release;
	bool plain, life, no_life, devices, no_streaming_lists, strict;
};

struct apisim {
	struct options options;
	struct arena arena;
	struct apisim *api;
	struct life *life;
	struct net *net;
	struct face *face;
	struct tls_certificate certificate;
	struct random random;
	uint64_t loaded, not_loaded;
};

static struct apisim apisim;
static volatile sig_atomic_t counts_asked, end_asked;

static NORETURN void die(const char *what, const char *detail)
{
	fprintf(stderr, "apisim: %s%s%s\n", what, detail[0] == '\0' ? "" : ": ", detail);
	exit(1);
}

/* ---- options ---- */

static void read_options(int argc, char **argv, struct options *o)
{
	const struct {
		const char *name;
		const char **text;
		uint64_t *number;
		bool *flag;
	} known[] = {
		{"--kubeconfig-out", &o->kubeconfig, NULL, NULL},
		{"--load", &o->load, NULL, NULL},
		{"--token", &o->token, NULL, NULL},
		{"--port", NULL, &o->port, NULL},
		{"--seed", NULL, &o->seed, NULL},
		{"--nodes", NULL, &o->nodes, NULL},
		{"--pods", NULL, &o->pods, NULL},
		{"--hurry", NULL, &o->hurry, NULL},
		{"--history", NULL, &o->history, NULL},
		{"--release", NULL, &o->release, NULL},
		{"--memory", NULL, &o->memory_mib, NULL},
		{"--plain", NULL, NULL, &o->plain},
		{"--life", NULL, NULL, &o->life},
		{"--no-life", NULL, NULL, &o->no_life},
		{"--devices", NULL, NULL, &o->devices},
		{"--no-streaming-lists", NULL, NULL, &o->no_streaming_lists},
		{"--strict", NULL, NULL, &o->strict},
	};

	for (int i = 1; i < argc; i++) {
		size_t k = 0;

		while (k < ARRAY_COUNT(known) && strcmp(known[k].name, argv[i]) != 0)
			k++;
		if (k == ARRAY_COUNT(known))
			die("unknown flag", argv[i]);
		if (known[k].flag != NULL) {
			*known[k].flag = true;
			continue;
		}
		if (i + 1 == argc)
			die("a value is missing behind", argv[i]);
		i++;
		if (known[k].text != NULL)
			*known[k].text = argv[i];
		else if (!text_to_u64(text_of(argv[i]), known[k].number))
			die("not a number", argv[i]);
	}
	if (o->port > UINT16_MAX || o->release < 20 || o->release > 99 || o->nodes > 100000 ||
		o->pods > 1000000 || o->memory_mib < 128 || o->memory_mib > 64 * 1024 ||
		o->memory_mib > (SIZE_MAX >> 21))
		die("a number is out of its range", "");
}

/* ---- loading ---- */

static bool on_piece(void *self, struct json_piece piece)
{
	const char *fault = "too big";

	(void)self;
	if (piece.kind == JSON_PIECE_ENVELOPE)
		return true;
	if (piece.kind != JSON_PIECE_TOO_BIG && apisim_load(apisim.api, piece.text, &fault)) {
		apisim.loaded++;
		return true;
	}
	if (apisim.not_loaded++ == 0)
		log_warn("apisim", "not-loaded", "reason=\"%s\" object=\"%.*s\"", fault,
			(int)(piece.text.size < 100 ? piece.text.size : 100), piece.text.at);
	return true;
}

static void load(const char *path)
{
	static const struct json_want everything[] = {{"*", NULL}, {NULL, NULL}};
	static const struct json_want nothing[] = {{NULL, NULL}};
	size_t size = json_cut_size(TREE_TEXT_MAX);
	void *block = memory_reserve(size);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[16 * 1024];
	ssize_t n;

	if (fd < 0)
		die(strerror(errno), path);
	if (block == NULL)
		die("no memory", "");
	struct json_cut *cut = json_cut_init(block, size, TREE_TEXT_MAX);
	json_cut_start(cut, JSON_CUT_LIST, everything, nothing, on_piece, NULL);
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (json_cut_feed(cut, (struct text){bytes, (size_t)n}) != JSON_CUT_MORE)
			die(json_cut_fault(cut), path);
	if (n < 0 || !json_cut_end(cut))
		die("cut off, or unreadable", path);
	close(fd);
	memory_release(block, size);
}

/* ---- starting ---- */

static size_t megabytes(uint64_t count)
{
	return (size_t)count << 20;
}

static void start_api(void)
{
	const struct options *o = &apisim.options;
	size_t size = megabytes(o->memory_mib);

	apisim.api =
		apisim_init(&(struct apisim_setup){.block = arena_take_raw(&apisim.arena, size),
			.size = size,
			.history = (uint32_t)o->history,
			.clock = clock_system(),
			.release = (uint32_t)o->release,
			.seed = o->seed,
			.token = o->token == NULL ? TEXT("") : text_of(o->token),
			.no_streaming_lists = o->no_streaming_lists});
	if (o->load != NULL)
		load(o->load);
}

static struct life_setup life_setup(void)
{
	const struct options *o = &apisim.options;

	return (struct life_setup){.api = apisim.api,
		.arena = &apisim.arena,
		.clock = clock_system(),
		.seed = o->seed,
		.nodes = (uint32_t)o->nodes,
		.pods = (uint32_t)o->pods,
		.nodes_max = (uint32_t)o->nodes * 2 + 16 * 1024,
		.pods_max = (uint32_t)o->pods * 4 + 200 * 1024,
		.calm = !o->life,
		.devices = o->devices,
		.hurry = (int64_t)o->hurry};
}

static void start_server(void)
{
	static const char *const names[] = {"127.0.0.1", "localhost", NULL};
	const struct options *o = &apisim.options;
	uint32_t tls = o->plain ? 0 : APISIM_CONNECTIONS;
	struct face_setup setup = {.connections_max = APISIM_CONNECTIONS};
	char line[256];
	struct writer fault;

	writer_init(&fault, line, sizeof(line) - 1);
	if (!net_address_parse(TEXT("127.0.0.1"), (uint16_t)o->port, &setup.address))
		die("no such address", "127.0.0.1");
	apisim.net = net_init(&(struct net_setup){.arena = &apisim.arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = net_socket_bytes(&apisim.arena, face_streams(&setup) + 1)});
	tls_setup(&apisim.arena, tls, entropy_system());
	if (!o->plain) {
		struct tls_certificate_request wish = {
			.common_name = "apisim", .names = names, .days = 365};

		if (!tls_certificate_make(apisim.net, &wish, &apisim.certificate, &fault)) {
			line[fault.used] = '\0';
			die("no certificate", line);
		}
		setup.certificate = text_of(apisim.certificate.certificate);
		setup.key = text_of(apisim.certificate.key);
	}
	apisim.face = face_open(apisim.api, apisim.net, &apisim.arena, &setup, &fault);
	if (apisim.face == NULL) {
		line[fault.used] = '\0';
		die("cannot listen", line);
	}
}

/* Written beside and moved into place: who waits for it sees all of it. */
static void write_kubeconfig(const char *path, uint16_t port)
{
	static char text[TLS_PEM_MAX * 2 + 2048];
	const struct options *o = &apisim.options;
	char beside[1024];
	struct writer w;

	writer_init(&w, text, sizeof(text));
	write_format(&w,
		"apiVersion: v1\nkind: Config\nclusters:\n- name: apisim\n  cluster:\n    server: "
		"%s://127.0.0.1:%u\n",
		o->plain ? "http" : "https", (unsigned)port);
	if (!o->plain) {
		write_z(&w, "    certificate-authority-data: ");
		base64_write(text_of(apisim.certificate.certificate), &w);
		write_char(&w, '\n');
	}
	/* Without a token kubectl asks for a name. */
	write_format(&w, "users:\n- name: apisim\n  user:\n    token: %s\n",
		o->token == NULL ? "anybody" : o->token);
	write_z(&w,
		"contexts:\n- name: apisim\n  context:\n    cluster: apisim\n    user: apisim\n"
		"current-context: apisim\n");
	CHECK(!w.overflowed);
	snprintf(beside, sizeof(beside), "%s.new", path);
	int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, w.used) != (ssize_t)w.used || close(fd) != 0 ||
		rename(beside, path) != 0)
		die(strerror(errno), path);
}

static void start(void)
{
	const struct options *o = &apisim.options;
	struct life_setup setup = life_setup();
	size_t size = megabytes(o->memory_mib) + APISIM_SPARE + life_size(&setup) + net_size() +
		tls_setup_size(APISIM_CONNECTIONS) + net_socket_size(APISIM_CONNECTIONS + 64) +
		face_size(&(struct face_setup){.connections_max = APISIM_CONNECTIONS});
	void *block = memory_reserve(size);
	uint64_t seed = o->seed;

	if (block == NULL)
		die("no memory: --memory is too much", "");
	arena_init_zeroed(&apisim.arena, block, size);
	hash_seed(seed);
	start_api();
	setup = life_setup();
	apisim.life = life_init(&setup);
	start_server();
	uint16_t port = face_port(apisim.face);
	if (o->kubeconfig != NULL)
		write_kubeconfig(o->kubeconfig, port);
	printf("apisim: listening on %s://127.0.0.1:%u, %u nodes, %u pods, %llu objects loaded, "
	       "%llu not\n",
		o->plain ? "http" : "https", (unsigned)port,
		(unsigned)registry_count(apisim_registry(apisim.api), RESOURCE_NODES),
		(unsigned)registry_count(apisim_registry(apisim.api), RESOURCE_PODS),
		(unsigned long long)apisim.loaded, (unsigned long long)apisim.not_loaded);
	fflush(stdout);
}

/* ---- going on ---- */

static void on_signal(int number)
{
	if (number == SIGUSR1)
		counts_asked = 1;
	else
		end_asked = 1;
}

static void listen_to_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* True: nothing is where it cannot be. */
static bool print_audit(void)
{
	struct audit result;

	audit(apisim.api, &result);
	printf("audit: nodes=%u pods=%u pending=%u overcommitted=%u lost=%u too_close=%u%s%s\n",
		(unsigned)result.nodes, (unsigned)result.pods, (unsigned)result.pending,
		(unsigned)result.overcommitted, (unsigned)result.lost, (unsigned)result.too_close,
		result.words[0] == '\0' ? "" : ": ", result.words);
	fflush(stdout);
	return audit_is_clean(&result);
}

static void print_counts(void)
{
	const struct apisim_counts *a = apisim_counts(apisim.api);
	const struct life_counts *l = life_counts(apisim.life);

	printf("requests=%llu lists=%llu watches=%llu bindings=%llu binding_conflicts=%llu "
	       "patches=%llu deletes=%llu throttled=%llu failures=%llu violations=%llu "
	       "version=%llu pods=%u pending=%u running=%u nodes=%u down=%u\n",
		(unsigned long long)a->requests, (unsigned long long)a->lists,
		(unsigned long long)a->watches, (unsigned long long)a->bindings,
		(unsigned long long)a->binding_conflicts, (unsigned long long)a->patches,
		(unsigned long long)a->deletes, (unsigned long long)a->throttled,
		(unsigned long long)a->failures, (unsigned long long)a->violations,
		(unsigned long long)apisim_registry(apisim.api)->version, (unsigned)l->pods,
		(unsigned)l->pods_pending, (unsigned)l->pods_running, (unsigned)l->nodes,
		(unsigned)l->nodes_down);
	for (uint32_t i = 0; apisim_violation(apisim.api, i) != NULL; i++)
		printf("violation: %s\n", apisim_violation(apisim.api, i));
	fflush(stdout);
}

static void turn(void)
{
	struct clock clock = clock_system();
	int64_t limit = APISIM_TURN_MS * CLOCK_MS_US;
	int64_t next = INT64_MAX;

	if (!apisim.options.no_life)
		next = life_turn(apisim.life).us;
	face_turn(apisim.face);
	if (face_next(apisim.face).us < next)
		next = face_next(apisim.face).us;
	next -= clock_mono(&clock).us;
	next = next < 0 ? 0 : next;
	net_poll(apisim.net, next < limit ? next : limit);
	face_turn(apisim.face);
}

int main(int argc, char **argv)
{
	apisim.options = (struct options){.port = APISIM_PORT,
		.seed = 1,
		.hurry = 1,
		.release = APISIM_RELEASE,
		.memory_mib = APISIM_MEMORY_MIB};
	read_options(argc, argv, &apisim.options);
	log_setup(LOG_INFO, LOG_AS_TEXT, clock_system());
	listen_to_signals();
	start();
	memory_seal();
	while (!end_asked) {
		turn();
		if (counts_asked) {
			counts_asked = 0;
			print_counts();
			(void)print_audit();
		}
	}
	print_counts();
	bool clean = print_audit() && apisim_counts(apisim.api)->violations == 0;
	if (apisim.options.strict && !clean)
		return APISIM_EXIT_STRICT;
	return 0;
}
