/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting up a live scheduler: options, memory, the cluster's address, profiles.
 */
#include "command/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "profile/profile.h"
#include "limits.h"
#include "command/ask.h"
#include "command/capacity.h"
#include "command/target.h"
#include "tls/tls.h"

enum {
	SETUP_SCRATCH = 4 << 20, /* options and files, while they are read */
	FAULT_MAX = 1024,
	CONNECTIONS = 8, /* to the apiserver, besides those of the watches */
	WATCHES = KUBE_KINDS,
	OTHER_STREAMS = 2, /* name servers */
	ASKER_CONNECTIONS = 2,
	OBJECT_SCRATCH = 1 << 20,
	EXPLANATION_SHARE = 48, /* of the budget: all nodes, for one pod */
	HISTORY_SHARE = 32,
	HISTORY_BYTES_MAX = HISTORY_EVENTS * HISTORY_EVENT_BYTES +
		HISTORY_MINUTES * (int)sizeof(struct history_sample),
	BINDINGS = 64,
	PATCHES = 32,
	VICTIMS = 64, /* told at a time; more have their turn */
	EVENTS = 512,
	SERIES = 512,
	SLACK = 64 * 1024 /* alignment of all these */
};

static int live_print_failure(const struct command_io *io, const char *what)
{
	struct output err;
	output_init(&err, io->err);
	output_format(&err, "berth: %s\n", what);
	output_flush(&err);
	return COMMAND_FAILED;
}

/* ---- how much of everything ---- */

static const struct scheduler_limits fixed_limits = {
	.bindings = BINDINGS,
	.patches = PATCHES,
	.victims = VICTIMS,
	.events = EVENTS,
	.series = SERIES,
	.scratch_bytes = OBJECT_SCRATCH,
};

static void take_capacity(struct scheduler_limits *limits, const struct capacity *capacity)
{
	limits->cache = capacity->cache;
	limits->cycle = capacity->cycle;
	limits->queue = capacity->queue;
	limits->pre_binds = capacity->pre_binds;
}

static uint32_t connections_of(const struct options *options)
{
	return options->connections != 0 ? options->connections : CONNECTIONS;
}

static uint64_t budget_of(const struct options *options)
{
	uint64_t bytes = options->memory_bytes != 0 ? options->memory_bytes : LIMITS_MEMORY_BYTES;
	return bytes < CAPACITY_BYTES_MIN ? CAPACITY_BYTES_MIN
					  : bytes; /* live_has_room() says it */
}

static size_t explanation_bytes(const struct options *options)
{
	return (size_t)(budget_of(options) / EXPLANATION_SHARE);
}

/* Only the port shows it. */
static size_t history_bytes(const struct options *options)
{
	uint64_t share = budget_of(options) / HISTORY_SHARE;
	return !status_is_wanted(options)   ? 0
		: share < HISTORY_BYTES_MAX ? (size_t)share
					    : HISTORY_BYTES_MAX;
}

/* NULL: the cluster whose pods are scheduled answers that, too. */
static const char *asker_path(const struct options *o, uint32_t asker)
{
	const char *path = asker == 0 ? o->authentication_kubeconfig : o->authorization_kubeconfig;
	bool is_ours = path != NULL && o->kubeconfig.path != NULL && o->kubeconfig.master == NULL &&
		strcmp(path, o->kubeconfig.path) == 0;
	return is_ours || !status_is_wanted(o) ? NULL : path;
}

static uint32_t asker_count(const struct options *o)
{
	return (asker_path(o, 0) != NULL) + (asker_path(o, 1) != NULL);
}

static uint32_t other_streams(const struct options *o)
{
	return OTHER_STREAMS + asker_count(o) * (ASKER_CONNECTIONS + OTHER_STREAMS) +
		extenders_streams(&o->config.extenders, false) +
		o->config.extenders.count * OTHER_STREAMS + status_streams(o);
}

/* Those that speak TLS, twice with a proxy, besides the scheduler's own to its cluster. */
static uint32_t other_tls(const struct options *o)
{
	return asker_count(o) * 2 * ASKER_CONNECTIONS +
		extenders_streams(&o->config.extenders, true) + status_tls_connections(o);
}

static uint32_t nodes_max_of(const struct options *o)
{
	return o->nodes_max != 0 ? o->nodes_max : LIMITS_NODES_MAX;
}

/* Of both releases. */
static size_t profile_bytes(const struct options *o)
{
	return (size_t)o->config.profiles.count * KUBE_RELEASES * sizeof(struct plugin_profile);
}

/* What does not grow with the cluster. */
static uint64_t fixed_bytes(const struct options *options)
{
	struct capacity least;
	struct scheduler_limits limits = fixed_limits;
	uint32_t connections = connections_of(options) + WATCHES;
	uint32_t askers = asker_count(options);
	/* It may be that they are behind proxies that speak TLS: which is not read yet. */
	const struct net_target target = {.https = true,
		.proxy = TEXT("https://"),
		.connections = connections_of(options),
		.watch_connections = WATCHES};
	const struct net_target asker = {
		.https = true, .proxy = TEXT("https://"), .connections = ASKER_CONNECTIONS};
	limits.history_bytes = history_bytes(options);
	CHECK(capacity_plan(CAPACITY_BYTES_MIN, 0, 0, &least));
	take_capacity(&limits, &least);
	return scheduler_size(&limits) - least.space + net_size() +
		tls_setup_size(net_target_tls(&target) + other_tls(options)) +
		net_socket_size(connections + other_streams(options)) + net_client_size(&target) +
		askers * (net_client_size(&asker) + 2 * (size_t)KUBECONFIG_FILE_MAX) +
		extenders_size(&options->config.extenders, capacity_nodes(nodes_max_of(options))) +
		status_size(options, explanation_bytes(options)) + profile_bytes(options) +
		2 * (size_t)KUBECONFIG_FILE_MAX + SLACK;
}

/* Address space as it was planned, or as much of it as the system gives. */
static void *reserve_space(struct live *live, uint64_t fixed, struct capacity *capacity)
{
	const struct options *o = &live->options;
	uint64_t budget = budget_of(o);
	/* Extenders have lists of all nodes that are made for so many. */
	uint32_t nodes = o->config.extenders.count > 0 ? nodes_max_of(o) : o->nodes_max;
	bool planned = capacity_plan(budget, nodes, o->pods_max, capacity);
	void *block = NULL;
	while (planned && block == NULL) {
		live->space = (size_t)(fixed + capacity->space) + scheduler_space();
		block = memory_reserve(live->space);
		if (block == NULL)
			planned = capacity_narrow(budget, nodes, o->pods_max, capacity);
	}
	if (block != NULL && capacity->share > 1)
		log_info("run", "address-space-limited",
			"memory=%lluMi address_space=%zuMi "
			"consequence=\"no kind of object can have more than 1/%u of the memory\"",
			(unsigned long long)budget >> 20, live->space >> 20,
			(unsigned)capacity->share);
	return block;
}

/* ---- options ---- */

struct questions { /* too large for a small stack */
	struct config_faults faults;
	struct config_faults notes;
	char words[OPTIONS_HELP_MAX];
};

static void print_faults(struct live *live, const struct config_faults *faults, struct writer *w)
{
	config_faults_print(faults, TEXT("berth"), w);
	output_bytes(&live->err, writer_text(w));
	w->used = 0;
}

static int live_print_text(const struct command_io *io, struct text words)
{
	struct output out;
	output_init(&out, io->out);
	output_bytes(&out, words);
	output_flush(&out);
	return out.error == 0 ? COMMAND_DONE : COMMAND_FAILED;
}

/* False: *status says how it ends. */
static bool ask_options(struct live *live, struct questions *q, int argc, char **argv, int *status)
{
	struct writer w;
	writer_init(&w, q->words, sizeof(q->words));
	enum options_result result = options_load(&live->options,
		&(struct options_question){
			.argc = argc,
			.argv = argv,
			.scratch = &live->setup,
			.faults = &q->faults,
			.notes = &q->notes,
			.get = ask_cluster,
		});
	*status = COMMAND_MISUSED;
	switch (result) {
	case OPTIONS_HELP: *status = command_help(live->io, &run_command, false); return false;
	case OPTIONS_VERSION:
		*status = live_print_text(live->io, TEXT("berth " BERTH_VERSION "\n"));
		return false;
	case OPTIONS_BROKEN:
		*status = COMMAND_FAILED;
		print_faults(live, &q->faults, &w);
		break;
	case OPTIONS_WRONG: print_faults(live, &q->faults, &w); break;
	case OPTIONS_READY: print_faults(live, &q->notes, &w); break;
	}
	output_flush(&live->err);
	return result == OPTIONS_READY;
}

static bool live_complain(struct live *live, struct text what)
{
	output_format(&live->err, "berth: %.*s\n", TEXT_ARGS(what));
	output_flush(&live->err);
	return false;
}

/* The descriptor of --decision-log must be open now: it must not be a file that is opened later. */
static bool open_decision_log(struct live *live)
{
	struct text where = live->options.decision_log;
	int64_t fd = STDERR_FILENO;
	if (where.size == 0)
		return true;
	bool is_one = text_is_z(where, "stderr") ||
		(text_to_i64(where, &fd) && fd > STDIN_FILENO && fd <= INT32_MAX);
	if (!is_one || fcntl((int)fd, F_GETFD) < 0)
		return live_complain(live,
			is_one ? TEXT("--decision-log: no descriptor of that number is open")
			       : TEXT("--decision-log: must be stderr or the number of a "
				      "descriptor that is open"));
	live->decision_log = (int)fd;
	return true;
}

/* In memory of its own, which goes back: it is as much as a cluster of some hundred pods. */
static bool read_options(struct live *live, int argc, char **argv, int *status)
{
	struct questions *q = memory_reserve(sizeof(*q));
	if (q == NULL) {
		*status = live_print_failure(live->io, "the system has no memory for it");
		return false;
	}
	bool ready = ask_options(live, q, argc, argv, status);
	memory_release(q, sizeof(*q));
	return ready;
}

/* ---- the cluster ---- */

static bool open_asker(struct live *live, uint32_t asker, struct writer *fault)
{
	struct kubeconfig kubeconfig;
	const struct kubeconfig_question question = {.path = asker_path(&live->options, asker)};
	if (question.path == NULL)
		return true;
	if (!kubeconfig_load(&kubeconfig, &question, &live->arena, &live->setup, fault))
		return false;
	struct net_target target = target_of_kubeconfig(&kubeconfig);
	target.name = asker == 0 ? "authentication" : "authorization";
	target.connections = ASKER_CONNECTIONS;
	live->askers[asker] = net_client_open(live->net, &live->arena, &target, fault);
	return live->askers[asker] != NULL;
}

static bool connect_to(struct live *live)
{
	char words[FAULT_MAX];
	struct writer fault;
	const struct options *o = &live->options;
	writer_init(&fault, words, sizeof(words));
	sandbox_has_read(o->kubeconfig.path);
	if (!kubeconfig_load(&live->kubeconfig, &o->kubeconfig, &live->arena, &live->setup, &fault))
		return live_complain(live, writer_text(&fault));
	uint32_t connections = connections_of(o);
	struct net_target target = target_of_kubeconfig(&live->kubeconfig);
	target.connections = connections;
	target.watch_connections = WATCHES;
	live->bytes = net_socket_bytes(&live->arena, connections + WATCHES + other_streams(o));
	live->net = net_init(&(struct net_setup){
		.arena = &live->arena,
		.clock = clock_system(),
		.entropy = entropy_system(),
		.bytes = live->bytes,
	});
	tls_setup(&live->arena, net_target_tls(&target) + other_tls(o), entropy_system());
	live->client = net_client_open(live->net, &live->arena, &target, &fault);
	return (live->client != NULL && open_asker(live, 0, &fault) &&
		       open_asker(live, 1, &fault)) ||
		live_complain(live, writer_text(&fault));
}

/* ---- who we are ---- */

static bool name_ourselves(struct live *live)
{
	uint8_t random[16];
	struct entropy entropy = entropy_system();
	struct writer w;
	if (!entropy.fill(entropy.self, random, sizeof(random)))
		return live_complain(live, TEXT("the system provides no random bytes"));
	if (gethostname(live->host, sizeof(live->host)) != 0 || live->host[0] == '\0')
		strncpy(live->host, "localhost", sizeof(live->host) - 1);
	live->host[sizeof(live->host) - 1] = '\0';
	random[6] = (uint8_t)((random[6] & 0x0f) | 0x40);
	random[8] = (uint8_t)((random[8] & 0x3f) | 0x80);
	writer_init(&w, live->identity, sizeof(live->identity) - 1);
	write_z(&w, live->host);
	write_char(&w, '_');
	for (size_t i = 0; i < sizeof(random); i++)
		write_format(
			&w, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", random[i]);
	live->identity[w.used] = '\0';
	return true;
}

/* Whole milliseconds, not less than that. */
static int64_t lease_ms(int64_t us, int64_t least)
{
	const int64_t most = (int64_t)INT32_MAX * 1000 - 3; /* a lease counts seconds in 32 bits */
	int64_t ms = us / CLOCK_MS_US;
	ms = ms < most ? ms : most;
	return ms > least ? ms : least;
}

/* Each is longer than the next, and stays so when it is rounded or bounded. */
static struct scheduler_lease lease_of(const struct live *live)
{
	const struct scheduler_leader_election *e = &live->options.config.leader_election;
	int64_t retry_ms = lease_ms(e->retry_period_us, 1);
	int64_t renew_ms = lease_ms(e->renew_deadline_us, retry_ms + 1);
	return (struct scheduler_lease){
		.elect = e->elect,
		.namespace = e->resource_namespace,
		.name = e->resource_name,
		.identity = text_of(live->identity),
		.duration_ms = lease_ms(e->lease_duration_us, renew_ms + 1),
		.renew_deadline_ms = renew_ms,
		.retry_period_ms = retry_ms,
	};
}

/* Less than one in a day is one in a day, and a burst of a million is one without end. */
static struct scheduler_pace pace_of(double qps, int32_t burst)
{
	const double day_us = 86400.0 * CLOCK_S_US;
	double every_us = qps > 0 ? (double)CLOCK_S_US / qps : 0;
	return (struct scheduler_pace){.every_us = (int64_t)(every_us < day_us ? every_us : day_us),
		.burst = burst < 1000000 ? burst : 1000000};
}

/* ---- profiles ---- */

static enum profile_result build_for(
	struct live *live, enum kube_release release, uint32_t at, struct writer *fault)
{
	const struct profile_memory memory = {&live->scheduler.cache, &live->arena, &live->setup};
	struct scheduler_config config = live->options.config;
	feature_gates_set(&config.gates, &live->options.features, release);
	writer_init(fault, fault->at, fault->size);
	if (live->options.config_file != NULL)
		write_format(fault, "%s: ", live->options.config_file);
	return profiles_build(&memory, &config, &live->profiles[at], fault);
}

/*
 * Those of each release, unless one was asked for. What one of them refuses settles which it is:
 * the scheduler of that release would not start.
 */
static enum profile_result build_all(struct live *live, struct writer *fault)
{
	uint32_t count = live->options.config.profiles.count;
	enum kube_release asked = (enum kube_release)live->options.release;
	uint32_t built = 0;
	if (asked != KUBE_RELEASE_OPEN)
		return build_for(live, asked, 0, fault);
	for (uint32_t r = 0; r < KUBE_RELEASES; r++) {
		enum profile_result result =
			build_for(live, (enum kube_release)r, built * count, fault);
		if (result == PROFILE_FULL)
			return result;
		if (result == PROFILE_OK)
			built++;
		else if (r + 1 < KUBE_RELEASES || built > 0)
			log_warn("run", "release-is-settled",
				"cannot=%s fault=\"%.*s\" consequence=\"the other release, "
				"whatever the apiserver is\"",
				kube_release_name((enum kube_release)r),
				TEXT_ARGS(writer_text(fault)));
	}
	live->follows_release = built == KUBE_RELEASES;
	return built > 0 ? PROFILE_OK : PROFILE_REFUSED;
}

static bool live_build_profiles(struct live *live)
{
	char words[FAULT_MAX];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	if (live->options.config.profiles.count > SCHEDULER_PROFILES_MAX)
		return live_complain(live, TEXT("too many profiles"));
	live->profiles = ARENA_ARRAY(&live->arena, struct plugin_profile,
		live->options.config.profiles.count * KUBE_RELEASES);
	switch (build_all(live, &fault)) {
	case PROFILE_OK: live->scheduler.setup.follows_release = live->follows_release; return true;
	case PROFILE_FULL:
		return live_complain(live, TEXT("the profiles do not fit; raise --memory"));
	case PROFILE_REFUSED: break;
	}
	return live_complain(live, writer_text(&fault));
}

static bool open_extenders(struct live *live)
{
	char words[FAULT_MAX];
	struct writer fault;
	const struct config_list *extenders = &live->options.config.extenders;
	writer_init(&fault, words, sizeof(words));
	return extenders->count == 0 ||
		scheduler_open_extenders(&live->scheduler, extenders, &fault) ||
		live_complain(live, writer_text(&fault));
}

static bool live_start_scheduler(struct live *live)
{
	const struct options *o = &live->options;
	if (!name_ourselves(live) || !connect_to(live))
		return false;
	scheduler_init(&live->scheduler,
		&(struct scheduler_setup){
			.net = live->net,
			.client = live->client,
			.arena = &live->arena,
			.clock = clock_system(),
			.entropy = entropy_system(),
			.limits = live->limits,
			.backoff_initial_us = SCHEDULER_SECONDS(
				scheduler_seconds(o->config.pod_initial_backoff_seconds)),
			.backoff_max_us = SCHEDULER_SECONDS(
				scheduler_seconds(o->config.pod_max_backoff_seconds)),
			.unschedulable_max_us = o->unschedulable_max_us,
			.lease = lease_of(live),
			.hostname = text_of(live->host),
			.yields = o->yields,
			.decision_log = live->decision_log,
			.paces = {pace_of(o->api_qps, o->api_burst),
				pace_of(o->bind_qps, o->bind_burst)},
		});
	if (!live_build_profiles(live) || !open_extenders(live))
		return false;
	return scheduler_start(
		       &live->scheduler, live->profiles, live->options.config.profiles.count) ||
		live_complain(live, TEXT("invalid name, namespace or identity of the lease"));
}

/* ---- who looks at it ---- */

/* For the person who started it: where to look. */
static void log_address_of_page(const struct live *live)
{
	uint16_t port = live->status == NULL ? 0 : status_port(live->status, true);
	const char *address = live->options.bind_address;
	bool is_any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
	bool is_v6 = strchr(address, ':') != NULL && !is_any;
	if (port != 0 && live->options.page != OPTIONS_PAGE_NOBODY)
		log_info("status", "page", "address=https://%s%s%s:%u/", is_v6 ? "[" : "",
			is_any ? live->host : address, is_v6 ? "]" : "", (unsigned)port);
}

static bool live_open_status(struct live *live)
{
	char words[FAULT_MAX];
	struct writer fault;
	writer_init(&fault, words, sizeof(words));
	if (!status_is_wanted(&live->options))
		return true;
	live->status = status_open(
		&(struct status_setup){
			.scheduler = &live->scheduler,
			.net = live->net,
			.client = live->client,
			.authentication = live->askers[0],
			.authorization = live->askers[1],
			.arena = &live->arena,
			.options = &live->options,
			.explanation_bytes = explanation_bytes(&live->options),
			.sandbox = live->sandbox,
		},
		&fault);
	return live->status != NULL || live_complain(live, writer_text(&fault));
}

/* ---- what is given up ---- */

static void lock_down(struct live *live)
{
	char words[SANDBOX_WORDS_MAX * 2];
	struct writer in_force;
	struct writer missing;
	writer_init(&in_force, live->sandbox, sizeof(live->sandbox) - 1);
	writer_init(&missing, words, sizeof(words));
	if (live->options.no_sandbox) {
		write_z(&in_force, "none");
		log_warn("run", "sandbox-disabled",
			"--no-sandbox: a remote compromise would have all privileges of this "
			"process");
		return;
	}
	sandbox_enter(&in_force, &missing);
	log_info("run", "sandboxed", "%s", live->sandbox);
	if (missing.used > 0)
		log_warn("run", "sandbox-incomplete", "%.*s", TEXT_ARGS(writer_text(&missing)));
}

/* ---- opening and closing ---- */

/* Much of what is set up has address space only; what it takes of the budget shows at the end. */
static bool live_has_room(struct live *live)
{
	live->budget.may_exceed = false;
	if (page_budget_left(&live->budget) >= CAPACITY_BYTES_MIN)
		return true;
	/* The reserve is a part of all of it. */
	uint64_t fixed = (uint64_t)live->budget.used * live->budget.page_size;
	uint64_t least = (fixed + CAPACITY_BYTES_MIN) / (CAPACITY_RESERVE - 1) * CAPACITY_RESERVE;
	output_format(&live->err,
		"berth: --memory: too small for any cluster: with these flags it takes %llu MiB "
		"at least\n",
		(unsigned long long)(least >> 20) + 1);
	output_flush(&live->err);
	return false;
}

static bool live_reserve_memory(struct live *live)
{
	uint64_t budget = budget_of(&live->options);
	uint64_t fixed = fixed_bytes(&live->options);
	struct capacity capacity;
	void *block = reserve_space(live, fixed, &capacity);
	if (block == NULL) {
		output_format(&live->err,
			"berth: --memory: the system does not provide %llu MiB of address space: "
			"%s\n",
			(unsigned long long)live->space >> 20, strerror(errno));
		output_flush(&live->err);
		return false;
	}
	live->limits = fixed_limits;
	live->limits.history_bytes = history_bytes(&live->options);
	take_capacity(&live->limits, &capacity);
	page_budget_init(&live->budget, (size_t)budget, (size_t)budget / CAPACITY_RESERVE);
	live->budget.may_exceed = true;
	arena_init_counted(&live->arena, block, live->space, &live->budget);
	return true;
}

struct live *live_open(const struct command_io *io, int argc, char **argv, int *status)
{
	uint64_t seed = 1;
	struct entropy entropy = entropy_system();
	size_t size = sizeof(struct live) + SETUP_SCRATCH + 64; /* and alignment */
	void *block = memory_reserve(size);
	*status = COMMAND_FAILED;
	if (block == NULL) {
		*status = live_print_failure(io, "the system has no memory for it");
		return NULL;
	}
	struct arena arena;
	arena_init_zeroed(&arena, block, size);
	struct live *live = arena_take(&arena, sizeof(*live));
	live->io = io;
	output_init(&live->err, io->err);
	scratch_init(&live->setup, arena_take_raw(&arena, SETUP_SCRATCH), SETUP_SCRATCH);
	(void)entropy.fill(entropy.self, &seed, sizeof(seed));
	hash_seed(seed);
	if (!read_options(live, argc, argv, status))
		return NULL;
	const char *file = live->options.write_config_to;
	*status =
		file == NULL ? COMMAND_FAILED : check_config_write(io, &live->options.config, file);
	if (file != NULL)
		return NULL;
	log_setup(log_level_of(live->options.verbosity),
		live->options.log_as_json ? LOG_AS_JSON : LOG_AS_TEXT, clock_system());
	log_set_modules(&live->options.log_modules);
	if (!open_decision_log(live) || !live_reserve_memory(live) || !live_start_scheduler(live) ||
		!live_open_status(live) || !live_has_room(live))
		return NULL;
	log_address_of_page(live);
	memory_seal();
	lock_down(live);
	return live;
}

void live_close(struct live *live)
{
	if (live->status != NULL)
		status_close(live->status);
	scheduler_close(&live->scheduler);
	for (uint32_t i = 0; i < LIVE_ASKERS; i++)
		if (live->askers[i] != NULL)
			net_client_close(live->askers[i]);
	net_client_close(live->client);
	net_close(live->net);
	tls_teardown();
	output_flush(&live->err);
}
