/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check-config: says what is wrong with a configuration, all of it, or what it comes to.
 *
 * Profiles are made as they are for scheduling, for a cluster without nodes: whatever would keep
 * `berth run` from starting is found here. A policy of older releases is shown as the
 * configuration that it is today, which is how to get rid of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/cache.h"
#include "command/command.h"
#include "command/flags.h"
#include "command/offline.h"
#include "command/output.h"
#include "config/file.h"
#include "profile/policy.h"
#include "profile/profile.h"
#include "profile/scheduler_write.h"

enum {
	SCRATCH_BYTES =
		32 << 20, /* address space: what a small file does not touch costs nothing */
	PROFILES_BYTES = 1 << 20, /* added affinities */
	WRITTEN_BYTES = 4 << 20,
	FAULT_BYTES = 1024
};

/* Strings of profiles and nothing else. */
static const struct cache_limits cache_limits = {
	.nodes = 16,
	.pods = 16,
	.objects = 16,
	.classes = 64,
	.label_sets = 64,
	.strings = 64 << 10,
	.images = 16,
	.counters = 16,
	.store_bytes = 8 << 20,
};

struct checking {
	const char *file;
	struct output out;
	struct output err;
	struct arena arena;
	struct scratch scratch;
	struct cache cache;
	struct config_faults faults;
	struct config_faults notes;
	struct scheduler_config config;
	struct plugin_profile profiles[SCHEDULER_PROFILES_MAX];
	char fault[FAULT_BYTES];
};

static void check_config_print_faults(
	struct checking *c, const struct config_faults *faults, const char *severity)
{
	for (uint32_t i = 0; i < faults->count; i++) {
		const struct config_fault *f = &faults->list[i];
		output_z(&c->err, c->file);
		if (f->place.line > 0)
			output_format(&c->err, ":%u:%u", f->place.line, f->place.column);
		output_z(&c->err, ": ");
		output_z(&c->err, severity);
		output_text(&c->err, f->path);
		output_z(&c->err, f->path.size > 0 ? ": " : "");
		output_text(&c->err, f->message);
		output_z(&c->err, "\n");
	}
	if (faults->dropped > 0)
		output_format(&c->err, "%s: and %u more\n", c->file, faults->dropped);
}

static bool check_config_complain(struct checking *c, const char *what)
{
	output_format(&c->err, "%s: %s\n", c->file, what);
	return false;
}

static bool check_config_read(struct checking *c, struct text bytes)
{
	enum scheduler_config_result result =
		policy_or_config_read(bytes, &c->scratch, &c->config, &c->faults, &c->notes);
	config_faults_sort(&c->notes);
	config_faults_sort(&c->faults);
	check_config_print_faults(c, &c->notes, "warning: ");
	check_config_print_faults(c, &c->faults, "");
	if (result == SCHEDULER_CONFIG_FULL)
		return check_config_complain(c, "takes more than 32 MiB when it is read");
	return result == SCHEDULER_CONFIG_OK;
}

static bool check_config_build_profiles(struct checking *c)
{
	const struct profile_memory memory = {&c->cache, &c->arena, &c->scratch};
	struct writer fault;
	writer_init(&fault, c->fault, sizeof(c->fault) - 1);
	enum profile_result result = profiles_build(&memory, &c->config, c->profiles, &fault);
	c->fault[fault.used] = '\0';
	if (result == PROFILE_FULL)
		return check_config_complain(c, "its profiles are too large");
	return result == PROFILE_OK || check_config_complain(c, c->fault);
}

static bool check_config_print(struct checking *c)
{
	struct scheduler_config written_out;
	struct writer w;
	if (!profiles_write_out(&c->config, &c->scratch, &written_out))
		return check_config_complain(c, "takes more than 32 MiB when it is written");
	writer_init(&w, arena_take_raw(&c->arena, WRITTEN_BYTES), WRITTEN_BYTES);
	scheduler_config_write(&written_out, &w);
	if (w.overflowed)
		return check_config_complain(c, "the effective configuration is too long");
	output_bytes(&c->out, writer_text(&w));
	output_flush(&c->out);
	return c->out.error == 0 || check_config_complain(c, "the answer cannot be written");
}

static bool check_config_validate(struct checking *c, const struct command_io *io)
{
	struct text bytes;
	const char *fault;
	bool is_input = strcmp(c->file, "-") == 0;
	bool done = is_input ? config_fd_read(io->in, &c->scratch, &bytes, &fault)
			     : config_file_read(c->file, &c->scratch, &bytes, &fault);
	if (is_input)
		c->file = "standard input";
	if (!done)
		return check_config_complain(c, fault);
	command_confine(io);
	return check_config_read(c, bytes) && check_config_build_profiles(c) &&
		check_config_print(c);
}

/* NULL: no memory. */
static struct checking *check_config_open(
	const struct command_io *io, const char *file, size_t *size)
{
	*size = sizeof(struct checking) + SCRATCH_BYTES + PROFILES_BYTES + WRITTEN_BYTES +
		cache_size(&cache_limits) + 4096;
	void *block = memory_reserve(*size);
	struct arena arena;
	if (block == NULL) {
		(void)command_misused(io, &check_config_command, TEXT("no memory"));
		return NULL;
	}
	arena_init_zeroed(&arena, block, *size);
	struct checking *c = arena_take(&arena, sizeof(*c));
	CHECK((void *)c == block);
	c->file = file;
	output_init(&c->out, io->out);
	output_init(&c->err, io->err);
	scratch_init(&c->scratch, arena_take_raw(&arena, SCRATCH_BYTES), SCRATCH_BYTES);
	cache_init(&c->cache, &arena, &cache_limits);
	c->arena = arena;
	return c;
}

static int check_config_close(struct checking *c, size_t size, bool right)
{
	output_flush(&c->err);
	memory_release(c, size);
	return right ? COMMAND_DONE : COMMAND_FAILED;
}

static int check_config_file(const struct command_io *io, const char *file)
{
	size_t size;
	struct checking *c = check_config_open(io, file, &size);
	return c == NULL ? COMMAND_FAILED
			 : check_config_close(c, size, check_config_validate(c, io));
}

static bool write_file(struct checking *c, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	c->file = path;
	if (fd < 0)
		return check_config_complain(c, strerror(errno));
	output_init(&c->out, fd);
	bool shown = check_config_print(c);
	return close(fd) == 0 && shown;
}

int check_config_write(
	const struct command_io *io, const struct scheduler_config *config, const char *path)
{
	size_t size;
	struct checking *c = check_config_open(io, "berth", &size);
	if (c == NULL)
		return COMMAND_FAILED;
	c->config = *config;
	return check_config_close(c, size, check_config_build_profiles(c) && write_file(c, path));
}

int check_config_run(const struct command_io *io, int argc, char **argv)
{
	int count, status;
	if (!command_begin(io, &check_config_command, NULL, argc, argv, &count, &status))
		return status;
	if (count != 1)
		return command_misused(
			io, &check_config_command, TEXT("check-config needs one file, or '-'"));
	return check_config_file(io, argv[1]);
}

const struct command check_config_command = {.name = "check-config",
	.what = "validate a configuration and print what is in effect",
	.arguments = "FILE",
	.about = "Reads a KubeSchedulerConfiguration (v1, v1beta3, v1beta2) or a Policy of older\n"
		 "releases, YAML or JSON; '-' is standard input. Prints the configuration that is\n"
		 "in effect, or all that is wrong: file, line, column, field, what would be "
		 "right.\n",
	.examples = "berth check-config /etc/berth/berth.yaml\n",
	.run = check_config_run};
