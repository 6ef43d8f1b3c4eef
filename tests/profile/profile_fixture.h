/* SPDX-License-Identifier: GPL-2.0-only */
/* A cache, and profiles that are built for it of a file. */
#ifndef BERTH_TESTS_PROFILE_FIXTURE_H
#define BERTH_TESTS_PROFILE_FIXTURE_H

#include <stdlib.h>

#include "base/arena.h"
#include "plugins/picture.h"
#include "profile/profile.h"
#include "unity.h"

#define HEAD                                           \
	"apiVersion: kubescheduler.config.k8s.io/v1\n" \
	"kind: KubeSchedulerConfiguration\n"
#define PLUGINS(yaml)      HEAD "profiles: [{plugins: {" yaml "}}]\n"
#define ARGS(plugin, args) HEAD "profiles: [{pluginConfig: [{name: " plugin ", args: " args "}]}]\n"

enum { SCRATCH_BYTES = 1 << 20, ARENA_BYTES = 64 * 1024, SHOWN_BYTES = 4096 };

static struct plugin_profile profiles[SCHEDULER_PROFILES_MAX];
static struct config_faults faults;
static struct config_faults notes;
static struct scratch scratch;
static struct arena arena;
static void *arena_block;
static void *scratch_block;
static char fault_bytes[SHOWN_BYTES];
static struct writer fault;

void setUp(void)
{
	picture_start();
	arena_block = malloc(ARENA_BYTES);
	scratch_block = malloc(SCRATCH_BYTES);
	arena_init(&arena, arena_block, ARENA_BYTES);
	scratch_init(&scratch, scratch_block, SCRATCH_BYTES);
}

void tearDown(void)
{
	struct arena whole;
	arena_init(&whole, scratch_block, SCRATCH_BYTES); /* lifts the poison */
	free(scratch_block);
	free(arena_block);
	picture_end();
}

static enum profile_result build_with(
	const struct profile_memory *memory, const struct scheduler_config *config)
{
	writer_init(&fault, fault_bytes, sizeof(fault_bytes) - 1);
	enum profile_result result = profiles_build(memory, config, profiles, &fault);
	fault_bytes[fault.used] = '\0';
	TEST_ASSERT_EQUAL(result == PROFILE_REFUSED, fault.used > 0);
	return result;
}

static const struct feature_gates *own_gates; /* NULL: as by default */

static enum profile_result build(const char *yaml)
{
	struct scheduler_config config;
	scratch_reset(&scratch);
	enum scheduler_config_result read =
		scheduler_config_read(text_of(yaml), &scratch, &config, &faults, &notes);
	TEST_ASSERT_EQUAL_MESSAGE(SCHEDULER_CONFIG_OK, read, yaml);
	const struct profile_memory memory = {&picture.cache, &arena, &scratch};
	if (own_gates != NULL)
		config.gates = *own_gates;
	size_t used = scratch.used;
	enum profile_result result = build_with(&memory, &config);
	TEST_ASSERT_EQUAL_size_t(used, scratch.used);
	return result;
}

static const char *show(const struct plugin_uses *uses, bool weights)
{
	static char shown[SHOWN_BYTES];
	struct writer w;
	writer_init(&w, shown, sizeof(shown) - 1);
	for (uint32_t i = 0; i < uses->count; i++) {
		write_format(&w, i == 0 ? "%s" : " %s", plugins[uses->list[i].id]->name);
		if (weights)
			write_format(&w, "=%lld", (long long)uses->list[i].weight);
		else
			TEST_ASSERT_EQUAL_INT64(0, uses->list[i].weight);
	}
	shown[w.used] = '\0';
	return shown;
}

static void is_string(const char *wanted, uint32_t id)
{
	TEST_ASSERT_TRUE_MESSAGE(text_is_z(cache_text(&picture.cache, id), wanted), wanted);
}

#endif
