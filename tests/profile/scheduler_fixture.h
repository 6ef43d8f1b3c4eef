/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of KubeSchedulerConfiguration stand on: memory, and faults as they are printed. */
#ifndef BERTH_TESTS_PROFILE_SCHEDULER_FIXTURE_H
#define BERTH_TESTS_PROFILE_SCHEDULER_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "profile/scheduler_config.h"
#include "profile/profile.h"
#include "unity.h"

#define HEAD    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
#define IN_ARGS "profiles[0].pluginConfig[0].args"

enum { SCRATCH_BYTES = 1 << 20, PRINTED_BYTES = 32 * 1024 };

static struct scratch scratch;
static struct scheduler_config config;
static struct config_faults faults;
static struct config_faults notes;
static char printed[PRINTED_BYTES];

void setUp(void)
{
	scratch_init(&scratch, malloc(SCRATCH_BYTES), SCRATCH_BYTES);
}

void tearDown(void)
{
	scratch_reset(&scratch);
	void *block = scratch.base;
	struct arena whole;
	arena_init(&whole, block, SCRATCH_BYTES); /* lifts the poison */
	free(block);
}

static enum scheduler_config_result read_text(struct text t)
{
	scratch_reset(&scratch);
	return scheduler_config_read(t, &scratch, &config, &faults, &notes);
}

static const char *print(const struct config_faults *list)
{
	struct writer w;
	writer_init(&w, printed, sizeof(printed) - 1);
	config_faults_print(list, TEXT("f"), &w);
	TEST_ASSERT_FALSE(w.overflowed);
	printed[w.used] = '\0';
	return printed;
}

#endif
