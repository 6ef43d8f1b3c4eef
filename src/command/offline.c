/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Setting up a scheduler without a cluster.
 *
 * How much fits. The number of pods is found by trying: all capacities are in proportion to it,
 * and the largest number whose sizes fit into the budget is taken. The proportions are generous
 * to small and odd clusters (a node for 16 pods, a class of its own for every other pod), since
 * a capacity that is not used is address space and nothing else.
 */
#include "command/offline.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/memory.h"
#include "config/file.h"
#include "profile/policy.h"
#include "profile/profile.h"
#include "command/cluster.h"
#include "command/workload.h"
#include "limits.h"

enum {
	BUDGET_FACTOR =
		4,  /* a cluster that was saved elsewhere may be larger than the board's own */
	ROWS = 256, /* pod classes whose verdicts are remembered */
	ROOM_FIXED = 1 << 20,
	FILES_MAX = 512, /* all are opened before one is read, which then needs no rights */
	PODS_LEAST = 256,
	PODS_MOST = 1 << 24,
	/* A pod with its share of all else takes more; so no size exceeds a size_t of 32 bits. */
	POD_BYTES_LEAST = 1024
};

uint64_t offline_memory_default(void)
{
	return LIMITS_MEMORY_BYTES * BUDGET_FACTOR;
}

/* ---- how much fits ---- */

static void plan_for(uint32_t pods, struct offline_limits *l)
{
	uint32_t nodes = pods / 16 + 64;
	l->cache = (struct cache_limits){
		.nodes = nodes,
		.pods = pods,
		.objects = pods / 2 + 256,
		.classes = pods / 2 + 256,
		.label_sets = pods / 2 + nodes + 256,
		.strings = pods * 2 + 8192,
		.images = nodes + 2048,
		.counters = pods / 32 + 512,
		.store_bytes = (size_t)pods * 400 + (size_t)nodes * 2048 + (1u << 20),
	};
	l->cycle = (struct cycle_limits){
		.nodes = nodes,
		.rows = ROWS,
		.scratch_bytes = (size_t)nodes * 640 + (2u << 20),
	};
	l->dump.pods = pods;
	l->words_bytes = (size_t)nodes * 512 + (1u << 20);
	l->answer_bytes = (size_t)nodes * 1024 + (size_t)pods * 24 + (1u << 20);
}

static uint64_t offline_size_of(const struct offline_limits *l)
{
	return (uint64_t)cache_size(&l->cache) + cycle_size(&l->cycle) + dump_size(&l->dump) +
		l->words_bytes + l->answer_bytes +
		SCHEDULER_PROFILES_MAX * sizeof(struct plugin_profile) + sizeof(struct offline) +
		ROOM_FIXED;
}

bool offline_plan(uint64_t memory_bytes, struct offline_limits *limits)
{
	uint32_t fits = 0;
	if (memory_bytes > SIZE_MAX / 2)
		return false;
	uint64_t tries = memory_bytes / POD_BYTES_LEAST;
	uint32_t most = tries < PODS_MOST ? (uint32_t)tries : PODS_MOST;
	while (fits < most) {
		uint32_t middle = fits + (most - fits + 1) / 2;
		plan_for(middle, limits);
		if (offline_size_of(limits) <= memory_bytes)
			fits = middle;
		else
			most = middle - 1;
	}
	plan_for(fits, limits);
	limits->dump.memory_bytes = memory_bytes;
	return fits >= PODS_LEAST;
}

/* ---- configuration ---- */

static bool offline_complain(struct offline *o, const char *file, const char *what)
{
	output_format(&o->err, "berth: %s: %s\n", file, what);
	return false;
}

static void tell_faults(struct offline *o, const struct config_faults *faults, const char *file,
	const char *severity)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		const struct config_fault *f = &faults->list[i];
		output_format(&o->err, "berth: %s:%u: %s%.*s%s%.*s\n", file, f->place.line,
			severity, TEXT_ARGS(f->path), f->path.size > 0 ? ": " : "",
			TEXT_ARGS(f->message));
	}
}

struct configuring { /* too large for the stack of a small board */
	struct config_faults faults;
	struct config_faults notes;
	struct scheduler_config config;
	char words[1024];
};

static bool offline_build_profiles(struct offline *o, struct configuring *c, const char *file)
{
	struct profile_memory memory = {&o->cache, &o->arena, &o->dump.scratch};
	struct writer fault;
	writer_init(&fault, c->words, sizeof(c->words) - 1);
	o->profile_count = c->config.profiles.count;
	if (o->profile_count > SCHEDULER_PROFILES_MAX)
		return offline_complain(o, file, "too many profiles");
	switch (profiles_build(&memory, &c->config, o->profiles, &fault)) {
	case PROFILE_OK: return true;
	case PROFILE_FULL:
		return offline_complain(o, file, "its profiles do not fit; raise --memory");
	case PROFILE_REFUSED: break;
	}
	c->words[fault.used] = '\0';
	return offline_complain(o, file, c->words);
}

static bool offline_configure(struct offline *o, const char *file, enum kube_release release)
{
	const struct feature_choices none = {.given = {0}};
	struct feature_gates gates;
	struct scratch *scratch = &o->dump.scratch;
	feature_gates_set(&gates, &none, release);
	o->cache.release = release;
	if (file == NULL) {
		profile_defaults_with(&o->cache, &gates, &o->profiles[0]);
		o->profile_count = 1;
		return true;
	}
	struct configuring *c = SCRATCH_ONE(scratch, struct configuring);
	struct text bytes;
	const char *fault;
	CHECK(c != NULL);
	if (!config_file_read(file, scratch, &bytes, &fault))
		return offline_complain(o, file, fault);
	enum scheduler_config_result result =
		policy_or_config_read(bytes, scratch, &c->config, &c->faults, &c->notes);
	tell_faults(o, &c->notes, file, "warning: ");
	if (result == SCHEDULER_CONFIG_BROKEN)
		tell_faults(o, &c->faults, file, "");
	if (result == SCHEDULER_CONFIG_FULL)
		(void)offline_complain(o, file, "too much configuration");
	c->config.gates = gates;
	return result == SCHEDULER_CONFIG_OK && offline_build_profiles(o, c, file);
}

/* ---- opening and closing ---- */

static int refuse_memory(const struct command_io *io, const char *why)
{
	struct output err;
	output_init(&err, io->err);
	output_format(&err, "berth: --memory: %s\n", why);
	output_flush(&err);
	return COMMAND_FAILED;
}

static void offline_reserve_memory(struct offline *o)
{
	cache_init(&o->cache, &o->arena, &o->limits.cache);
	dump_init(&o->dump, &o->arena, &o->limits.dump, &o->cache, &o->err, &o->progress);
	o->profiles = ARENA_ARRAY(&o->arena, struct plugin_profile, SCHEDULER_PROFILES_MAX);
	scratch_init(
		&o->words, arena_take_raw(&o->arena, o->limits.words_bytes), o->limits.words_bytes);
}

struct offline *offline_open(const struct command_io *io, const struct offline_flags *flags,
	enum kube_release release, int *status)
{
	struct offline_limits limits = {0};
	if (!offline_plan(flags->memory_bytes, &limits)) {
		*status = refuse_memory(
			io, "too small for any cluster; 16Mi is enough for a small one");
		return NULL;
	}
	size_t size = (size_t)flags->memory_bytes;
	void *block = memory_reserve(size);
	if (block == NULL) {
		*status = refuse_memory(io, "the system does not provide that much memory");
		return NULL;
	}
	struct arena arena;
	arena_init_zeroed(&arena, block, size);
	struct offline *o = arena_take(&arena, sizeof(*o));
	o->io = io;
	o->arena = arena;
	o->limits = limits;
	o->block = block;
	o->block_size = size;
	o->skip_broken = flags->skip_broken;
	output_init(&o->out, io->out);
	output_init(&o->err, io->err);
	const struct clock clock = clock_system();
	progress_init(&o->progress, &o->err, clock, io->progress);
	offline_reserve_memory(o);
	if (!offline_configure(o, flags->config, release)) {
		*status = offline_close(o, true);
		return NULL;
	}
	o->cache.now_us = clock_wall(&clock).us;
	cycle_init(
		&o->cycle, &o->arena, &o->limits.cycle, &o->cache, o->profiles, o->profile_count);
	return o;
}

static bool is_input(const char *file)
{
	return strcmp(file, "-") == 0;
}

static bool open_file(struct offline *o, const char *file, int *fd)
{
	*fd = is_input(file) ? dup(o->io->in) : open(file, O_RDONLY | O_CLOEXEC);
	return *fd >= 0 || offline_complain(o, file, strerror(errno));
}

bool offline_read(
	struct offline *o, const char *kubeconfig, const char *const *files, uint32_t count)
{
	int fds[FILES_MAX];
	enum dump_result result = DUMP_READ;
	uint32_t opened = 0;
	if (count > FILES_MAX)
		return offline_complain(
			o, files[FILES_MAX], "too many files; standard input has no end");
	while (opened < count && open_file(o, files[opened], &fds[opened]))
		opened++;
	bool all = opened == count && (kubeconfig == NULL || cluster_read(&o->dump, kubeconfig));
	if (kubeconfig != NULL && count > 0)
		o->dump.asked_order = o->dump.order;
	if (all)
		command_confine(o->io);
	for (uint32_t i = 0; all && i < count && result == DUMP_READ; i++)
		result = dump_read(
			&o->dump, is_input(files[i]) ? "standard input" : files[i], fds[i]);
	while (opened > 0)
		(void)close(fds[--opened]);
	if (!all)
		return false;
	dump_end(&o->dump);
	/* Not earlier: a file may be YAML, and libyaml allocates. */
	memory_seal();
	return result == DUMP_READ;
}

int offline_close(struct offline *o, bool failed)
{
	bool broken = o->dump.broken > 0 && !o->skip_broken;
	progress_clear(&o->progress);
	workload_close(&o->dump);
	output_flush(&o->out);
	if (o->out.error != 0)
		(void)offline_complain(o, "cannot write the answer", strerror(o->out.error));
	output_flush(&o->err);
	int status = failed || broken || o->out.error != 0 ? COMMAND_FAILED : COMMAND_DONE;
	void *block = o->block;
	size_t size = o->block_size;
	memory_release(block, size);
	return status;
}

struct text offline_pod_name(struct offline *o, uint32_t pod)
{
	const struct cache_pod *p = cache_pod_at(&o->cache, pod);
	struct text namespace = cache_text(&o->cache, cache_template_of(&o->cache, p)->namespace);
	struct text name = cache_text(&o->cache, p->name);
	size_t size = namespace.size + 1 + name.size;
	char *at = scratch_take(&o->words, size);
	if (at == NULL)
		return TEXT_NONE;
	struct writer w;
	writer_init(&w, at, size);
	write_text(&w, namespace);
	write_char(&w, '/');
	write_text(&w, name);
	return writer_text(&w);
}
