/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watchdump: what berth would know of a cluster. Follows pods and nodes until SIGTERM; at each
 * SIGUSR1 it prints its picture:
 *
 *	node NAME RESOURCEVERSION
 *	pod NAMESPACE/NAME RESOURCEVERSION NODE|-
 *	end
 *
 * The log goes to stderr, and at the end what memory was used for.
 *
 *	watchdump --kubeconfig FILE [--token-file FILE]
 */
// deps: base/*.c net/*.c tls/*.c http/*.c json/*.c
// deps: base/url.c yaml/yaml.c yaml/memory.c yaml/scalar.c
// deps: config/kubeconfig.c config/file.c base/base64.c kube/*.c cache/*.c watch/*.c
// deps: command/target.c
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "cache/feed.h"
#include "command/target.h"
#include "tls/tls.h"
#include "watch/watch.h"

enum {
	DUMP_MEMORY = 64 << 20,
	DUMP_SCRATCH = 1 << 20, /* tokens of one object and what it is decoded to */
	DUMP_TURN_US = 200 * 1000,
	DUMP_OUT_SIZE = 4096,
	DUMP_LINE_MAX = 1024,
	DUMP_CONNECTIONS = 2, /* for pages: one of each kind */
	DUMP_WATCHES = 2,
	DUMP_PAGE = 4096,
	DUMP_STREAMS = DUMP_CONNECTIONS + DUMP_WATCHES + 1 /* asks a name server */
};

static const struct cache_limits limits = {
	.nodes = 8 * 1024,
	.pods = 32 * 1024,
	.statuses = 8 * 1024,
	.objects = 16,
	.classes = 16 * 1024,
	.label_sets = 16 * 1024,
	.strings = 128 * 1024,
	.images = 1024,
	.counters = 1024,
	.store_bytes = 24 << 20,
};
static const uint32_t kinds = WATCH_KIND(KUBE_POD) | WATCH_KIND(KUBE_NODE);

struct dump {
	struct arena arena;
	struct scratch scratch;
	struct cache cache;
	struct kubeconfig config;
	struct net *net;
	struct net_client *client;
	struct watch *watch;
	size_t cache_from, cache_to; /* where it is in the arena */
	uint32_t *order;             /* room for the indexes of all pods or nodes */
	uint64_t gone;
	char out[DUMP_OUT_SIZE];
	size_t out_used;
};

static struct dump dump;
static volatile sig_atomic_t print_asked, end_asked;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		print_asked = 1;
	else
		end_asked = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "watchdump: %s\n", what);
	exit(1);
}

/* ---- the sink ---- */

static void on_list_begin(void *self, enum kube_kind kind)
{
	(void)self;
	cache_list_begin(&dump.cache, kind);
}

static void on_gone(void *self, enum kube_kind kind, uint32_t index)
{
	(void)self;
	(void)kind;
	(void)index;
	dump.gone++;
}

static void on_list_end(void *self, enum kube_kind kind)
{
	(void)self;
	cache_list_end(&dump.cache, kind, on_gone, NULL);
}

static bool on_object(void *self, const struct watch_object *object, struct scratch *scratch)
{
	struct cache_fed fed;

	(void)self;
	if (object->type == KUBE_WATCH_DELETED) {
		(void)cache_unfeed(&dump.cache, object->kind,
			json_text(json_path(object->value, "metadata.namespace")),
			json_text(json_path(object->value, "metadata.name")));
		return true;
	}
	if (cache_feed(&dump.cache, scratch, object->kind, object->value, &fed))
		return true;
	log_warn("watchdump", "refused", "kind=%s name=%.*s/%.*s field=%s reason=\"%s\" put=%d",
		kube_kinds[object->kind].plural, TEXT_ARGS(fed.namespace), TEXT_ARGS(fed.name),
		fed.fault_field == NULL ? "-" : fed.fault_field,
		fed.fault_reason == NULL ? "-" : fed.fault_reason, (int)fed.put);
	return false;
}

/* What is there of it is an older version: better none. */
static void on_too_big(void *self, const struct watch_too_big *object)
{
	struct text name = object->name, namespace = TEXT_NONE;

	(void)self;
	if (object->kind == KUBE_POD)
		(void)text_cut(&name, '/', &namespace);
	(void)cache_unfeed(&dump.cache, object->kind, namespace, name);
}

static void on_synced(void *self)
{
	(void)self;
	log_info("watchdump", "synced", "pods=%u nodes=%u", (unsigned)pool_used(&dump.cache.pods),
		(unsigned)pool_used(&dump.cache.nodes));
}

/* ---- the picture ---- */

static void out_flush(void)
{
	const char *at = dump.out;

	while (dump.out_used > 0) {
		ssize_t n = write(STDOUT_FILENO, at, dump.out_used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break; /* nobody reads; that is not ours to mend */
		at += n;
		dump.out_used -= (size_t)n;
	}
	dump.out_used = 0;
}

static void out_line(const char *format, ...) PRINTF_LIKE(1, 2);
static void out_line(const char *format, ...)
{
	struct writer w;
	va_list args;

	if (sizeof(dump.out) - dump.out_used < DUMP_LINE_MAX)
		out_flush();
	writer_init(&w, dump.out + dump.out_used, sizeof(dump.out) - dump.out_used);
	va_start(args, format);
	write_format_v(&w, format, args);
	va_end(args);
	dump.out_used += w.used;
}

static struct text pod_namespace(const struct cache_pod *pod)
{
	return cache_text(&dump.cache, cache_template_of(&dump.cache, pod)->namespace);
}

static int compare_pods(const void *left, const void *right)
{
	const struct cache_pod *a = cache_pod_at(&dump.cache, *(const uint32_t *)left);
	const struct cache_pod *b = cache_pod_at(&dump.cache, *(const uint32_t *)right);
	int order = text_compare(pod_namespace(a), pod_namespace(b));

	if (order != 0)
		return order;
	return text_compare(cache_text(&dump.cache, a->name), cache_text(&dump.cache, b->name));
}

static int compare_nodes(const void *left, const void *right)
{
	const struct cache_node *a = cache_node_at(&dump.cache, *(const uint32_t *)left);
	const struct cache_node *b = cache_node_at(&dump.cache, *(const uint32_t *)right);

	return text_compare(cache_text(&dump.cache, a->name), cache_text(&dump.cache, b->name));
}

static uint32_t sorted(const struct pool *pool, int (*compare)(const void *, const void *))
{
	uint32_t count = 0;

	for (uint32_t i = 1; i <= pool_top(pool); i++)
		if (pool_is_taken(pool, i))
			dump.order[count++] = i;
	qsort(dump.order, count, sizeof(*dump.order), compare);
	return count;
}

static void print_picture(void)
{
	uint32_t count = sorted(&dump.cache.nodes, compare_nodes);

	for (uint32_t i = 0; i < count; i++) {
		const struct cache_node *node = cache_node_at(&dump.cache, dump.order[i]);

		if (node->facts != NULL) /* else: pods came before it, or outlive it */
			out_line("node %.*s %llu\n", TEXT_ARGS(cache_text(&dump.cache, node->name)),
				(unsigned long long)node->version);
	}
	count = sorted(&dump.cache.pods, compare_pods);
	for (uint32_t i = 0; i < count; i++) {
		const struct cache_pod *pod = cache_pod_at(&dump.cache, dump.order[i]);
		struct text node = TEXT("-");

		if (pod->node != 0)
			node = cache_text(&dump.cache, cache_node_at(&dump.cache, pod->node)->name);
		out_line("pod %.*s/%.*s %llu %.*s\n", TEXT_ARGS(pod_namespace(pod)),
			TEXT_ARGS(cache_text(&dump.cache, pod->name)),
			(unsigned long long)pod->version, TEXT_ARGS(node));
	}
	out_line("end\n");
	out_flush();
}

/* ---- the end ---- */

/* Pages of the picture that were ever touched: the objects themselves. */
static size_t picture_kb(void)
{
	static unsigned char pages[DUMP_MEMORY / DUMP_PAGE];
	size_t from = dump.cache_from / DUMP_PAGE * DUMP_PAGE, count = 0;

	if (mincore(dump.arena.base + from, dump.cache_to - from, pages) != 0)
		return 0;
	for (size_t i = 0; i < (dump.cache_to - from) / DUMP_PAGE; i++)
		count += pages[i] & 1;
	return count * (DUMP_PAGE / 1024);
}

static void print_memory(void)
{
	struct rusage usage;

	for (const struct budget *b = budget_first(); b != NULL; b = budget_next(b))
		fprintf(stderr, "memory %s: %llu %s now, %llu at most, of %llu, %llu refused\n",
			b->name, (unsigned long long)b->used, b->unit,
			(unsigned long long)b->used_max, (unsigned long long)b->capacity,
			(unsigned long long)b->refused);
	fprintf(stderr, "memory scratch: %zu bytes at most, of %zu\n", dump.scratch.used_max,
		dump.scratch.size);
	fprintf(stderr, "memory arena: %zu bytes taken, malloc after start: %llu times\n",
		dump.arena.used, (unsigned long long)memory_late_requests());
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		fprintf(stderr, "memory resident: %ld kB at most, of that the picture: %zu kB\n",
			usage.ru_maxrss, picture_kb());
}

static void print_watches(void)
{
	for (uint32_t kind = 0; kind < KUBE_KINDS; kind++) {
		struct watch_stats s = watch_stats(dump.watch, (enum kube_kind)kind);

		if ((kinds & WATCH_KIND(kind)) == 0)
			continue;
		fprintf(stderr,
			"watch %s: %s, %llu objects, %llu refused, %llu lists, %llu watches, "
			"%llu failures, version %.*s %s\n",
			kube_kinds[kind].plural, s.state, (unsigned long long)s.objects,
			(unsigned long long)s.refused, (unsigned long long)s.lists,
			(unsigned long long)s.follows, (unsigned long long)s.failures,
			TEXT_ARGS(s.version), s.error);
	}
	struct net_client_stats net = net_client_stats(dump.client);
	fprintf(stderr,
		"net: %llu connects, %llu failed, %llu handshakes, %llu resumed, %llu requests, "
		"%llu bytes in\n",
		(unsigned long long)net.connects, (unsigned long long)net.connect_failures,
		(unsigned long long)net.handshakes, (unsigned long long)net.resumptions,
		(unsigned long long)net.requests, (unsigned long long)net.bytes_in);
}

/* ---- start ---- */

static void listen_to_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

static void start_memory(void)
{
	uint64_t seed = 1;
	struct entropy entropy = entropy_system();
	void *block = memory_reserve(DUMP_MEMORY);

	if (block == NULL)
		die("no memory");
	arena_init_zeroed(&dump.arena, block, DUMP_MEMORY);
	if (!entropy.fill(entropy.self, &seed, sizeof(seed)))
		die("no entropy");
	hash_seed(seed);
	scratch_init(&dump.scratch, arena_take_raw(&dump.arena, DUMP_SCRATCH), DUMP_SCRATCH);
	dump.cache_from = dump.arena.used;
	cache_init(&dump.cache, &dump.arena, &limits);
	dump.cache_to = dump.arena.used;
	dump.order = arena_take_raw(&dump.arena, limits.pods * sizeof(*dump.order));
}

static struct net_target target_of(const struct kubeconfig *config, const char *token_file)
{
	struct net_target target = target_of_kubeconfig(config);

	target.watch_connections = DUMP_WATCHES;
	target.connections = DUMP_CONNECTIONS;
	if (token_file != NULL) {
		target.token = target.username = target.password = TEXT_NONE;
		target.token_file = token_file;
	}
	return target;
}

static void start(const char *path, const char *token_file)
{
	char line[512];
	struct writer fault;
	const struct kubeconfig_question question = {.path = path};

	writer_init(&fault, line, sizeof(line) - 1);
	start_memory();
	if (!kubeconfig_load(&dump.config, &question, &dump.arena, &dump.scratch, &fault)) {
		line[fault.used] = '\0';
		die(line);
	}
	scratch_reset(&dump.scratch);
	struct net_target target = target_of(&dump.config, token_file);
	dump.net = net_init(&(struct net_setup){.arena = &dump.arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = net_socket_bytes(&dump.arena, DUMP_STREAMS)});
	tls_setup(
		&dump.arena, target.https ? DUMP_CONNECTIONS + DUMP_WATCHES : 0, entropy_system());
	dump.client = net_client_open(dump.net, &dump.arena, &target, &fault);
	if (dump.client == NULL) {
		line[fault.used] = '\0';
		die(line);
	}
	dump.watch = watch_init(&(struct watch_setup){.net = dump.net,
		.client = dump.client,
		.entropy = entropy_system(),
		.arena = &dump.arena,
		.scratch = &dump.scratch,
		.sink = {.list_begin = on_list_begin,
			.object = on_object,
			.too_big = on_too_big,
			.list_end = on_list_end,
			.synced = on_synced},
		.kinds = kinds});
	watch_want(dump.watch, KUBE_NODE, true);
	watch_want(dump.watch, KUBE_POD, true);
}

int main(int argc, char **argv)
{
	const char *path = NULL, *token_file = NULL;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--kubeconfig") == 0)
			path = argv[i + 1];
		else if (strcmp(argv[i], "--token-file") == 0)
			token_file = argv[i + 1];
		else
			die("usage: watchdump --kubeconfig FILE [--token-file FILE]");
	}
	if (path == NULL || argc % 2 == 0)
		die("usage: watchdump --kubeconfig FILE [--token-file FILE]");
	log_setup(LOG_INFO, LOG_AS_TEXT, clock_system());
	start(path, token_file);
	listen_to_signals();
	memory_seal();
	while (!end_asked) {
		net_poll(dump.net, DUMP_TURN_US);
		if (print_asked) {
			print_asked = 0;
			print_picture();
		}
	}
	print_watches();
	print_memory();
	return 0;
}
